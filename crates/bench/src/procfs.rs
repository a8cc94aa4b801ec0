//! CPU time and memory of the processes under test, read from `/proc`.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The processes below and including one root, sorted by what they are.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// The gateway: the root and whatever helpers it has.
    pub(crate) gateway: Vec<u32>,
    /// Lockgate's guards: one small process between the gateway and each server.
    pub(crate) guards: Vec<u32>,
    /// The echo servers. Their cost is not the gateway's.
    pub(crate) servers: Vec<u32>,
}

impl Tree {
    /// Looks the tree up as it is now.
    pub(crate) fn of(root: u32) -> Self {
        let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
            if let Some((pid, parent)) = pid.and_then(|pid| Some((pid, parent(&read(pid, "stat")?)?))) {
                children.entry(parent).or_default().push(pid);
            }
        }
        let mut tree = Self::default();
        let mut todo = vec![root];
        while let Some(pid) = todo.pop() {
            todo.extend(children.get(&pid).into_iter().flatten());
            let command = read(pid, "cmdline").unwrap_or_default();
            match kind(&command) {
                _ if pid == root => tree.gateway.push(pid),
                Kind::Guard => tree.guards.push(pid),
                Kind::Server => tree.servers.push(pid),
                Kind::Other => tree.gateway.push(pid),
            }
        }
        tree
    }

    /// CPU time the gateway and its guards have used.
    pub(crate) fn gateway_cpu(&self) -> Duration {
        cpu(&self.gateway) + cpu(&self.guards)
    }
}

#[derive(Debug, PartialEq)]
enum Kind {
    Guard,
    Server,
    Other,
}

/// Tells what a process is by its command line, whose words end in NUL.
fn kind(command: &str) -> Kind {
    let mut words = command.split('\0');
    let program = words.next().and_then(|word| Path::new(word).file_name()).and_then(|name| name.to_str());
    match (program, words.next()) {
        (Some("lockgate-guard"), _) => Kind::Guard,
        (Some("bench"), Some("echo")) => Kind::Server,
        _ => Kind::Other,
    }
}

/// CPU time of all threads of these processes.
pub(crate) fn cpu(pids: &[u32]) -> Duration {
    let threads = |pid: &u32| fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let spent = |thread: fs::DirEntry| on_cpu(&fs::read_to_string(thread.path().join("schedstat")).ok()?);
    Duration::from_nanos(pids.iter().flat_map(threads).filter_map(spent).sum())
}

/// CPU time of this process.
pub(crate) fn own_cpu() -> Duration {
    cpu(&[std::process::id()])
}

/// Resident memory of these processes, in bytes.
pub(crate) fn resident(pids: &[u32]) -> u64 {
    pids.iter().filter_map(|pid| vm_rss(&read(*pid, "status")?)).sum()
}

/// CPU time all processors together have spent working since boot.
pub(crate) fn machine_busy() -> Duration {
    fs::read_to_string("/proc/stat").ok().and_then(|stat| busy(&stat)).unwrap_or_default()
}

fn read(pid: u32, file: &str) -> Option<String> {
    fs::read_to_string(format!("/proc/{pid}/{file}")).ok()
}

/// The parent in `/proc/<pid>/stat`; the name before it may hold spaces and parentheses.
fn parent(stat: &str) -> Option<u32> {
    stat[stat.rfind(')')? + 1..].split_whitespace().nth(1)?.parse().ok()
}

/// Nanoseconds on a processor in `schedstat`.
fn on_cpu(schedstat: &str) -> Option<u64> {
    schedstat.split_whitespace().next()?.parse().ok()
}

fn vm_rss(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// Everything but idle and waiting for disks in the first line of `/proc/stat`, in ticks of 10 ms.
fn busy(stat: &str) -> Option<Duration> {
    let ticks = stat.lines().next()?.split_whitespace().skip(1).take(8).enumerate();
    let working = ticks.filter(|(column, _)| !matches!(column, 3 | 4));
    Some(Duration::from_millis(working.filter_map(|(_, ticks)| ticks.parse::<u64>().ok()).sum::<u64>() * 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_found_behind_an_odd_name() {
        assert_eq!(parent("12 (a) b (c)) S 7 12 12 0"), Some(7));
        assert_eq!(parent("12"), None);
    }

    #[test]
    fn a_process_is_known_by_its_command_line() {
        assert_eq!(kind("lockgate-guard\0x\0"), Kind::Guard);
        assert_eq!(kind("/some/where/bench\0echo\0--tools\0"), Kind::Server);
        assert_eq!(kind("/some/where/bench\0floor\0"), Kind::Other);
        assert_eq!(kind(""), Kind::Other);
    }

    #[test]
    fn figures_are_read_from_their_lines() {
        assert_eq!(on_cpu("49728215 11533356 85\n"), Some(49_728_215));
        assert_eq!(vm_rss("Name:\tx\nVmRSS:\t    2048 kB\n"), Some(2 << 20));
        assert_eq!(busy("cpu  1 2 3 400 500 6 7 8 0 0\ncpu0 1\n"), Some(Duration::from_millis(270)));
    }

    #[test]
    fn this_process_uses_cpu_and_memory() {
        assert!(own_cpu() > Duration::ZERO);
        assert!(resident(&[std::process::id()]) > 0);
        assert_eq!(Tree::of(std::process::id()).gateway, [std::process::id()]);
    }
}
