//! The grace of what stands below the child: under a wrapper such as `sh -c` that is the real server.

use crate::support::{alive, eventually, line, recorded, sh, trial};
use libtest_mimic::Trial;
use lockgate_process::Exit;
use std::path::Path;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(30);
const SHORT: Duration = Duration::from_millis(300);

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        trial("a_server_below_a_wrapper_has_the_grace_too", below),
        trial("a_server_in_a_session_of_its_own_is_asked_as_well", session),
        trial("a_server_below_a_wrapper_is_killed_after_the_grace", stubborn),
        trial("dropping_the_hold_ends_the_grace", dropped),
        trial("a_second_stop_may_be_shorter", twice),
    ]
}

/// A wrapper that dies of SIGTERM at once, around a server that does `on_term` first. Both are ready.
async fn wrapped(folder: &Path, how: &str, on_term: &str) -> (lockgate_process::Child, u32) {
    let server =
        format!("trap \"{on_term}\" TERM; echo $$ >server; echo ready; while :; do sleep 0.01; done");
    let mut child = sh(&format!("cd {}; {how} sh -c '{server}' & wait", folder.display())).await;
    assert_eq!(line(&mut child.stdout).await, "ready");
    let pid = recorded(folder, "server").await;
    (child, pid)
}

/// Takes its time: for as long as there is no file `go`.
const CAREFUL: &str = "while ! test -e go; do sleep 0.01; done; echo saved >last-words; exit 0";

async fn below() {
    careful("").await;
}

async fn session() {
    careful("setsid").await;
}

async fn careful(how: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name);
    let (child, server) = wrapped(folder.path(), how, CAREFUL).await;
    let first = async {
        let exit = child.control.exited().await;
        assert!(alive(server) && !file("last-words").exists(), "the end of the wrapper is told at once");
        std::fs::write(file("go"), "").expect("a file can be written");
        exit
    };
    let begin = Instant::now();
    let ends = tokio::join!(child.control.stop(LONG), first);
    assert_eq!(ends, (Exit::Signal(15), Exit::Signal(15)));
    assert!(file("last-words").exists() && !alive(server));
    assert!(begin.elapsed() < LONG, "nobody waits for longer than the server needs");
}

async fn stubborn() {
    for how in ["", "setsid"] {
        let folder = tempfile::tempdir().expect("a folder");
        let (child, server) = wrapped(folder.path(), how, "").await;
        let begin = Instant::now();
        assert_eq!(child.control.stop(SHORT).await, Exit::Signal(15));
        assert!(begin.elapsed() >= SHORT, "{:?}", begin.elapsed());
        assert!(!alive(server));
    }
}

async fn dropped() {
    let folder = tempfile::tempdir().expect("a folder");
    let (child, server) = wrapped(folder.path(), "", "").await;
    child.control.terminate();
    assert_eq!(child.control.exited().await, Exit::Signal(15));
    let early = tokio::time::timeout(SHORT, child.control.gone()).await;
    assert!(early.is_err() && alive(server), "nobody has lost patience yet");
    drop(child);
    eventually("the server is gone", || !alive(server)).await;
}

async fn twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let (child, server) = wrapped(folder.path(), "", "").await;
    let begin = Instant::now();
    let (one, two) = tokio::join!(child.control.stop(LONG), child.control.stop(SHORT));
    assert_eq!((one, two), (Exit::Signal(15), Exit::Signal(15)));
    assert!(!alive(server) && begin.elapsed() < LONG);
}
