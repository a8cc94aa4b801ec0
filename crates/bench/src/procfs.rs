//! CPU time and memory of the processes under test, read from `/proc`.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The processes below and including one root, sorted by what they are.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    root: Option<u32>,
    /// The gateway: the root and whatever helpers it has.
    pub(crate) gateway: Vec<u32>,
    /// Lockgate's guards: one small process between the gateway and each server.
    pub(crate) guards: Vec<u32>,
    /// The processes in which Lockgate runs scripts.
    pub(crate) workers: Vec<u32>,
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
        let mut tree = Self { root: Some(root), ..Self::default() };
        let mut todo = vec![root];
        while let Some(pid) = todo.pop() {
            todo.extend(children.get(&pid).into_iter().flatten());
            let command = read(pid, "cmdline").unwrap_or_default();
            match kind(&command) {
                _ if pid == root => tree.gateway.push(pid),
                Kind::Guard => tree.guards.push(pid),
                Kind::Worker => tree.workers.push(pid),
                Kind::Server => tree.servers.push(pid),
                Kind::Other => tree.gateway.push(pid),
            }
        }
        tree
    }

    /// Echo servers without any gateway.
    pub(crate) fn of_servers(servers: Vec<u32>) -> Self {
        Self { servers, ..Self::default() }
    }

    /// The same tree as it is now: workers come and go while a gateway runs.
    pub(crate) fn again(self) -> Self {
        self.root.map(Self::of).unwrap_or(self)
    }

    /// CPU time the gateway has used with its guards and workers, those included that have ended.
    pub(crate) fn gateway_cpu(&self) -> Duration {
        cpu(&self.gateway) + cpu(&self.guards) + cpu(&self.workers) + reaped(&self.gateway)
    }
}

#[derive(Debug, PartialEq)]
enum Kind {
    Guard,
    Worker,
    Server,
    Other,
}

/// Tells what a process is by its command line, whose words end in NUL.
fn kind(command: &str) -> Kind {
    let mut words = command.split('\0');
    let program = words.next().and_then(|word| Path::new(word).file_name()).and_then(|name| name.to_str());
    match (program, words.next()) {
        (Some("lockgate-guard"), _) => Kind::Guard,
        (Some("lockgate-sandbox"), _) => Kind::Worker,
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

/// CPU time of the children of these processes that have ended, in steps of 10 ms.
fn reaped(pids: &[u32]) -> Duration {
    pids.iter().filter_map(|pid| ended_children(&read(*pid, "stat")?)).sum()
}

/// CPU time of this process.
pub(crate) fn own_cpu() -> Duration {
    cpu(&[std::process::id()])
}

/// Resident memory of these processes, in bytes.
pub(crate) fn resident(pids: &[u32]) -> u64 {
    pids.iter().filter_map(|pid| vm_rss(&read(*pid, "status")?)).sum()
}

/// Memory of these processes that they share with nobody, in bytes.
pub(crate) fn own(pids: &[u32]) -> u64 {
    pids.iter().filter_map(|pid| kilobytes(&read(*pid, "status")?, "RssAnon:")).sum()
}

/// How many descriptors a process has open.
pub(crate) fn descriptors(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().count()
}

/// Whether a process has given up its privileges, which is the last thing a worker does before it is ready.
pub(crate) fn is_confined(pid: u32) -> bool {
    let mode = |status: String| {
        let line = status.lines().find_map(|line| line.strip_prefix("Seccomp:"))?;
        line.trim().parse::<u8>().ok()
    };
    read(pid, "status").and_then(mode).is_some_and(|mode| mode > 0)
}

/// Whether every thread of a process has ended, reaped or not; its descriptors are closed only then.
pub(crate) fn is_gone(pid: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let stats = threads.filter_map(|thread| fs::read_to_string(thread.path().join("stat")).ok());
    stats.into_iter().all(|stat| matches!(state(&stat), Some("Z" | "X")))
}

/// The most memory a process was resident with, in bytes.
pub(crate) fn peak(pid: u32) -> u64 {
    read(pid, "status").and_then(|status| kilobytes(&status, "VmHWM:")).unwrap_or_default()
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

/// The state in `/proc/<pid>/stat`.
fn state(stat: &str) -> Option<&str> {
    stat[stat.rfind(')')? + 1..].split_whitespace().next()
}

/// CPU time of ended children in `/proc/<pid>/stat`, in ticks of 10 ms: of users and of the system.
fn ended_children(stat: &str) -> Option<Duration> {
    let ticks = stat[stat.rfind(')')? + 1..].split_whitespace().skip(13).take(2);
    Some(Duration::from_millis(ticks.filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>() * 10))
}

/// Nanoseconds on a processor in `schedstat`.
fn on_cpu(schedstat: &str) -> Option<u64> {
    schedstat.split_whitespace().next()?.parse().ok()
}

fn vm_rss(status: &str) -> Option<u64> {
    kilobytes(status, "VmRSS:")
}

/// A figure of `/proc/<pid>/status`, in bytes.
fn kilobytes(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
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
        assert_eq!(state("12 (a) b (c)) Z 7 12 12 0"), Some("Z"));
    }

    #[test]
    fn a_process_is_known_by_its_command_line() {
        assert_eq!(kind("lockgate-guard\0x\0"), Kind::Guard);
        assert_eq!(kind("lockgate-sandbox\0"), Kind::Worker);
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
    fn what_ended_children_used_is_not_lost() {
        let stat = "12 (a) S 7 12 12 0 -1 4194304 1 2 3 4 50 60 7 8 20 0 1 0";
        assert_eq!(ended_children(stat), Some(Duration::from_millis(150)));
        let before = reaped(&[std::process::id()]);
        let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        assert!(std::process::Command::new("sh").args(["-c", busy]).status().unwrap().success());
        assert!(reaped(&[std::process::id()]) > before);
    }

    #[test]
    fn this_process_uses_cpu_and_memory() {
        assert!(own_cpu() > Duration::ZERO);
        assert!(resident(&[std::process::id()]) > 0);
        assert!(descriptors(std::process::id()) > 2);
        assert_eq!(Tree::of(std::process::id()).gateway, [std::process::id()]);
    }
}
