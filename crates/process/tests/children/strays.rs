//! What a child leaves behind, whatever ends: the child, the hold on it, the guard, the gateway.

use crate::support::{
    alive, command, eventually, guard_of, launcher, line, marked, recorded, sh, signal, trial,
};
use libtest_mimic::Trial;
use lockgate_process::Exit;
use rustix::process::Signal;
use std::path::Path;
use std::time::Duration;
use tokio::io::AsyncWriteExt;

/// The mode in which this binary is a gateway that waits to be killed.
pub(crate) const GATEWAY: &str = "--gateway";
const STRAYS: [&str; 4] = ["background", "session", "orphan", "deep"];

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        trial("what_a_child_leaves_behind_is_killed_when_it_exits", exit),
        trial("what_a_child_leaves_behind_is_killed_when_it_is_stopped", stop),
        trial("dropping_the_hold_kills_everything", dropped),
        trial("dropping_a_start_leaves_nothing", abandoned),
        trial("killing_the_gateway_leaves_nothing", gateway_killed),
        trial("killing_the_guard_takes_the_child", guard_killed),
        trial("a_guard_survives_the_signals_of_a_terminal", guard_signalled),
        trial("a_child_that_forks_on_and_on_is_ended_whole", forker),
    ]
}

/// A script that starts strays of every kind, which ignore SIGTERM, and then does `last`.
fn script(folder: &Path, last: &str) -> String {
    let stray = |name: &str| {
        format!("sh -c 'trap \"\" TERM HUP; echo $$ >{0}/{name}; sleep 300; sleep 300'", folder.display())
    };
    format!(
        "{} & setsid {} & (setsid {} &) ; sh -c '(trap \"\" TERM; {} & wait)' & echo $$ >{}/child; {last}",
        stray("background"),
        stray("session"),
        stray("orphan"),
        stray("deep").replace('\'', "'\\''"),
        folder.display(),
    )
}

async fn strays(folder: &Path) -> Vec<u32> {
    let mut pids = Vec::new();
    for name in STRAYS {
        pids.push(recorded(folder, name).await);
    }
    pids
}

async fn exit() {
    let folder = tempfile::tempdir().expect("a folder");
    let child = sh(&script(folder.path(), "read word; exit 6")).await;
    let pids = strays(folder.path()).await;
    assert!(pids.iter().all(|&pid| alive(pid)));
    drop(child.stdin);
    assert_eq!(child.control.gone().await, Exit::Code(6));
    assert!(!pids.iter().any(|&pid| alive(pid)));
}

async fn stop() {
    let folder = tempfile::tempdir().expect("a folder");
    let child = sh(&script(folder.path(), "wait")).await;
    let pids = strays(folder.path()).await;
    // They ignore SIGTERM, so they take all the grace there is.
    assert_eq!(child.control.stop(Duration::from_millis(100)).await, Exit::Signal(15));
    assert!(!pids.iter().any(|&pid| alive(pid)));
}

async fn dropped() {
    let folder = tempfile::tempdir().expect("a folder");
    let child = sh(&script(folder.path(), "wait")).await;
    let mut pids = strays(folder.path()).await;
    pids.extend([child.pid, guard_of(child.pid)]);
    drop(child);
    eventually("all are gone", || !pids.iter().any(|&pid| alive(pid))).await;
}

async fn abandoned() {
    let mark = format!("{}.25", 1_000_000 + std::process::id());
    for micros in [0, 100, 300, 1000, 3000] {
        let command = command("/bin/sleep", &[&mark]);
        let _ = tokio::time::timeout(Duration::from_micros(micros), launcher().start(&command)).await;
    }
    eventually("all are gone", || marked(&mark) == 0 && crate::support::own_children().is_empty()).await;
}

/// Starts a child with strays and waits for its own end.
pub(crate) fn gateway(folder: &str) {
    crate::support::runtime().block_on(async {
        let child = sh(&script(Path::new(folder), "wait")).await;
        child.control.exited().await;
    });
}

async fn gateway_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let this = std::env::current_exe().expect("this binary");
    let mut gateway = std::process::Command::new(this)
        .args([GATEWAY, folder.path().to_str().expect("a plain path")])
        .spawn()
        .expect("the gateway starts");
    let mut pids = strays(folder.path()).await;
    let child = recorded(folder.path(), "child").await;
    pids.extend([child, guard_of(child)]);
    assert!(pids.iter().all(|&pid| alive(pid)));
    gateway.kill().expect("the gateway is there");
    eventually("all are gone", || !pids.iter().any(|&pid| alive(pid))).await;
    gateway.wait().expect("the gateway is reaped");
}

async fn guard_killed() {
    let child = sh("sleep 300 & echo $!; wait").await;
    let (mut stdout, pid) = (child.stdout, child.pid);
    let in_group = line(&mut stdout).await.parse().expect("a process id");
    signal(guard_of(pid), Signal::KILL);
    assert_eq!(child.control.exited().await, Exit::Unknown);
    eventually("both are gone", || !alive(pid) && !alive(in_group)).await;
    // Orders to a guard that is gone are harmless.
    assert_eq!(child.control.stop(Duration::from_secs(60)).await, Exit::Unknown);
}

async fn guard_signalled() {
    let mut child = launcher().start(&command("/bin/cat", &[])).await.expect("cat starts");
    let guard = guard_of(child.pid);
    for number in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT, Signal::PIPE, Signal::CHILD] {
        signal(guard, number);
    }
    child.stdin.write_all(b"still here\n").await.expect("cat reads");
    assert_eq!(line(&mut child.stdout).await, "still here");
    assert!(alive(guard));
    assert_eq!(child.control.stop(Duration::from_secs(60)).await, Exit::Signal(15));
}

async fn forker() {
    let mark = format!("{}.5", 1_000_000 + std::process::id());
    let script = format!("trap '' TERM; while :; do setsid sleep {mark} & sleep 0.002; done");
    let child = sh(&script).await;
    eventually("some are there", || marked(&mark) > 20).await;
    assert_eq!(child.control.stop(Duration::from_millis(20)).await, Exit::Signal(9));
    assert_eq!(marked(&mark), 0);
}
