//! What a worker gives up before it sees its first script.

use rustix::process::{Resource, Rlimit, setrlimit};
use std::io;

/// The most address space: the binary, the stacks, the largest message in and out, and the heap.
const ADDRESS_SPACE: u64 = 1 << 30;

/// Leaves the session of the gateway and takes the name that `ps` shows.
pub(crate) fn settle() {
    // Fails only for the leader of a group, which a worker is not.
    let _ = rustix::process::setsid();
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_name(c"lockgate-sandbx");
}

/// Gives up what the process could do to the system: from here on it can compute, read and write the
/// descriptors it has, wait, and end. Everything else ends it.
pub fn confine() -> io::Result<()> {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    let space = Rlimit { current: Some(ADDRESS_SPACE), maximum: Some(ADDRESS_SPACE) };
    // Standard input stands in the only place for a descriptor, so no other can be opened; where there is no place at
    // all, the kernel does not look at the socket for the watchdog.
    let one = Rlimit { current: Some(1), maximum: Some(1) };
    let limits = [Resource::Core, Resource::Fsize, Resource::Nproc].map(|it| (it, none));
    for (resource, limit) in limits.into_iter().chain([(Resource::Nofile, one), (Resource::As, space)]) {
        let set = setrlimit(resource, limit);
        // Other systems do not know all of them; there the engine's own limits must do.
        if cfg!(target_os = "linux") {
            set?;
        }
    }
    #[cfg(target_os = "linux")]
    {
        rustix::thread::set_no_new_privs(true)?;
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
        filter::install()?;
    }
    Ok(())
}

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
mod filter {
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, apply_filter_all_threads,
    };
    use std::collections::BTreeMap;
    use std::io;

    /// All that a worker asks of the kernel: its socket, memory, waiting, the clock, its end.
    const CALLS: &[i64] = &[
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_recvfrom,
        libc::SYS_sendto,
        libc::SYS_ppoll,
        libc::SYS_brk,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_madvise,
        libc::SYS_futex,
        libc::SYS_sched_yield,
        libc::SYS_clock_gettime,
        libc::SYS_clock_nanosleep,
        libc::SYS_nanosleep,
        libc::SYS_gettimeofday,
        libc::SYS_getrandom,
        libc::SYS_restart_syscall,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];

    pub(super) fn install() -> io::Result<()> {
        let arch = std::env::consts::ARCH.try_into().map_err(io::Error::other)?;
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
            CALLS.iter().map(|call| (*call, Vec::new())).collect();
        for call in [libc::SYS_mmap, libc::SYS_mprotect] {
            // Memory, but none that can be executed.
            let executable = SeccompCmpOp::MaskedEq(libc::PROT_EXEC as u64);
            let condition = SeccompCondition::new(2, SeccompCmpArgLen::Dword, executable, 0);
            let rule = condition.and_then(|condition| SeccompRule::new(vec![condition]));
            rules.insert(call, vec![rule.map_err(io::Error::other)?]);
        }
        let filter = SeccompFilter::new(rules, SeccompAction::KillProcess, SeccompAction::Allow, arch);
        let program: BpfProgram = filter.and_then(TryInto::try_into).map_err(io::Error::other)?;
        apply_filter_all_threads(&program).map_err(io::Error::other)
    }
}
