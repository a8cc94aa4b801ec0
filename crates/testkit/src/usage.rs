//! What a process holds at a moment: open files and memory, as `/proc` shows them.

/// Open files and memory of one process.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Open file descriptors, sockets and pipes included.
    pub files: usize,
    /// Resident memory in KiB.
    pub memory: u64,
}

impl Usage {
    /// What the process holds now.
    #[track_caller]
    pub fn of(pid: u32) -> Self {
        let files = std::fs::read_dir(format!("/proc/{pid}/fd")).expect("the process runs").count();
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the process runs");
        let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let memory = memory.and_then(|text| text.trim().trim_end_matches(" kB").parse().ok());
        Self { files, memory: memory.expect("a process has memory") }
    }

    /// Fails unless the process soon holds no more files than then, but for `spare`, and its memory has grown
    /// by no more than `mib` MiB.
    #[track_caller]
    pub fn expect_flat(&self, pid: u32, spare: usize, mib: u64) {
        let flat = || Some(Self::of(pid)).filter(|now| now.files <= self.files + spare);
        let now = crate::within(std::time::Duration::from_secs(20), flat);
        let now = now.unwrap_or_else(|| panic!("files stay open: {:?} then, {:?} now", self, Self::of(pid)));
        assert!(now.memory <= self.memory + mib * 1024, "memory has grown: {self:?} then, {now:?} now");
    }
}
