//! Ending: how it is reported, asked for and forced; and the last words on standard error.

use crate::support::{alive, command, eventually, launcher, line, read, sh, trial};
use libtest_mimic::Trial;
use lockgate_process::{Exit, Tail, drain};
use std::time::{Duration, Instant};

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        trial("an_exit_code_is_reported", code),
        trial("a_signal_is_reported", signal),
        trial("a_child_that_ends_on_sigterm_needs_no_kill", terminated),
        trial("a_child_that_ignores_sigterm_is_killed_after_the_grace", stubborn),
        trial("a_stopped_child_is_killed_after_the_grace", frozen),
        trial("a_child_that_closes_its_output_is_still_alive", closed),
        trial("the_end_can_be_awaited_by_many_and_again", awaited),
        trial("standard_error_is_kept_bounded_and_masked", stderr),
        trial("a_line_without_end_does_not_stop_the_child", flood),
    ]
}

async fn code() {
    for (script, expected) in [("exit 0", 0), ("exit 3", 3), ("exit 255", 255)] {
        let child = sh(script).await;
        let exit = child.control.exited().await;
        assert_eq!(
            (exit, exit.code(), exit.is_clean()),
            (Exit::Code(expected), Some(expected), expected == 0)
        );
    }
}

async fn signal() {
    let child = sh("kill -SEGV $$").await;
    let exit = child.control.exited().await;
    assert_eq!((exit, exit.code(), exit.is_clean()), (Exit::Signal(11), None, false));
}

async fn terminated() {
    let mut child = sh("trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done").await;
    assert_eq!(line(&mut child.stdout).await, "ready");
    assert_eq!(child.control.stop(Duration::from_secs(60)).await, Exit::Code(7));
    // A second stop is harmless.
    assert_eq!(child.control.stop(Duration::ZERO).await, Exit::Code(7));
}

async fn stubborn() {
    let mut child = sh("trap '' TERM; echo ready; while :; do sleep 0.01; done").await;
    assert_eq!(line(&mut child.stdout).await, "ready");
    let (begin, grace) = (Instant::now(), Duration::from_millis(200));
    assert_eq!(child.control.stop(grace).await, Exit::Signal(9));
    assert!(begin.elapsed() >= grace);
    assert!(!alive(child.pid));
}

async fn frozen() {
    let child = sh("kill -STOP $$; exit 0").await;
    eventually("the child is stopped", || crate::support::stat(child.pid).is_some_and(|(s, _)| s == 'T'))
        .await;
    assert_eq!(child.control.stop(Duration::from_millis(50)).await, Exit::Signal(9));
}

async fn closed() {
    let child = sh("exec 1>&- 2>&-; read word; exit 5").await;
    assert_eq!(read(child.stdout).await, "");
    assert_eq!(read(child.stderr).await, "");
    assert!(alive(child.pid));
    assert_eq!(child.control.exit(), None);
    drop(child.stdin);
    assert_eq!(child.control.exited().await, Exit::Code(5));
}

async fn awaited() {
    let child = launcher().start(&command("/bin/cat", &[])).await.expect("cat starts");
    let early = tokio::time::timeout(Duration::from_millis(10), child.control.exited()).await;
    assert!(early.is_err());
    drop(child.stdin);
    let (one, two) = tokio::join!(child.control.exited(), child.control.gone());
    assert_eq!((one, two, child.control.exited().await), (Exit::Code(0), Exit::Code(0), Exit::Code(0)));
}

async fn stderr() {
    let child = sh("i=0; while [ $i -lt 500 ]; do echo \"line $i key=hunter2!\" >&2; i=$((i+1)); done").await;
    let tail = Tail::new(vec!["hunter2".into()]);
    drain(child.stderr, tail.clone()).await;
    assert_eq!(tail.lines().len(), 200);
    assert_eq!(tail.last(2), ["line 498 key=***!", "line 499 key=***!"]);
}

async fn flood() {
    let child = sh("head -c 100000000 /dev/zero | tr '\\0' x >&2; echo; echo last >&2; exit 4").await;
    let tail = Tail::new(Vec::new());
    drain(child.stderr, tail.clone()).await;
    assert_eq!(child.control.exited().await, Exit::Code(4));
    let lines = tail.lines();
    assert_eq!(lines.len(), 1);
    assert!(lines[0].len() <= 4096);
}
