//! Processes as `/proc` shows them.

use rustix::process::{Pid, Signal};
use std::collections::HashMap;

/// Whether the process is there and not merely waiting to be reaped.
pub fn is_alive(pid: u32) -> bool {
    stat(pid).is_some_and(|stat| !matches!(stat.state, 'Z' | 'X'))
}

/// Fails unless all of these processes end within a few seconds.
#[track_caller]
pub fn wait_gone(pids: &[u32]) {
    crate::eventually(&format!("the end of the processes {pids:?}"), || {
        (!pids.iter().any(|pid| is_alive(*pid))).then_some(())
    });
}

/// Every process below this one, in no order.
pub fn descendants(root: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for pid in all() {
        if let Some(stat) = stat(pid) {
            children.entry(stat.parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(pid) = open.pop() {
        let below = children.remove(&pid).unwrap_or_default();
        open.extend(&below);
        found.extend(below);
    }
    found
}

/// Sends a signal to one process; one that is gone does not matter.
pub fn send_signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// A process that may have been replaced by another of the same id.
#[derive(PartialEq)]
pub(crate) struct Identity(u32, u64);

pub(crate) fn identity(pid: u32) -> Option<Identity> {
    stat(pid).map(|stat| Identity(pid, stat.started))
}

/// Kills the process unless its id has passed to another one.
pub(crate) fn kill_if_same(process: &Identity) {
    if identity(process.0).as_ref() == Some(process) {
        send_signal(process.0, Signal::KILL);
    }
}

struct Stat {
    state: char,
    parent: u32,
    started: u64,
}

fn stat(pid: u32) -> Option<Stat> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program is in parentheses and may hold anything.
    let mut fields = text.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    Some(Stat { state, parent, started })
}

fn all() -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("/proc is there");
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
}
