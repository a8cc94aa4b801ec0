//! Nothing piles up: no zombies, no descriptors, no guards.

use crate::support::{alive, command, eventually, guard_of, launcher, own_children, read, sh, stat, trial};
use libtest_mimic::Trial;
use lockgate_process::Exit;
use std::time::Duration;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        trial("fifty_children_start_and_stop_at_once", fifty),
        trial("two_hundred_rounds_leave_no_descriptor_and_no_process", rounds),
        trial("orphans_that_end_below_a_living_child_are_reaped", orphans),
    ]
}

async fn fifty() {
    let start = |_| tokio::spawn(async { sh("exec sleep 300").await });
    let mut children = Vec::new();
    for started in (0..50).map(start).collect::<Vec<_>>() {
        children.push(started.await.expect("the task ends"));
    }
    assert!(children.iter().all(|child| alive(child.pid)));
    let pids: Vec<u32> = children.iter().map(|child| child.pid).collect();
    let stop = |child: lockgate_process::Child| {
        tokio::spawn(async move { child.control.stop(Duration::from_secs(60)).await })
    };
    for stopped in children.into_iter().map(stop).collect::<Vec<_>>() {
        assert_eq!(stopped.await.expect("the task ends"), Exit::Signal(15));
    }
    assert!(!pids.into_iter().any(alive));
    assert_eq!(own_children(), Vec::<u32>::new());
}

async fn rounds() {
    round().await;
    let before = descriptors();
    for _ in 0..200 {
        round().await;
    }
    eventually("the descriptors are closed", || descriptors() <= before).await;
    eventually("no process is left", || own_children().is_empty()).await;
}

/// Every way to an end: stopped, ended by itself, refused.
async fn round() {
    let child = sh("echo ready; read word").await;
    child.control.stop(Duration::from_secs(60)).await;
    let child = sh("echo out").await;
    assert_eq!(read(child.stdout).await, "out\n");
    child.control.gone().await;
    launcher().start(&command("/nowhere/server", &[])).await.expect_err("there is no such file");
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("/proc is there").count()
}

async fn orphans() {
    let child = sh("for i in 1 2 3 4 5; do (setsid sleep 0.01 &); done; echo done; read word").await;
    let mut stdout = child.stdout;
    assert_eq!(crate::support::line(&mut stdout).await, "done");
    let list = format!("/proc/{guard}/task/{guard}/children", guard = guard_of(child.pid));
    let only = format!("{} ", child.pid);
    eventually("only the child is left", || std::fs::read_to_string(&list).is_ok_and(|l| l == only)).await;
    assert!(stat(child.pid).is_some());
    child.control.stop(Duration::from_secs(60)).await;
}
