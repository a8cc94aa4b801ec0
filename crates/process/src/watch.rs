//! The gateway's side of a guard: hears its reports, reaps it.

use crate::Exit;
use crate::report::Report;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::{oneshot, watch};

/// How far a child is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It runs, or is about to.
    #[default]
    Alive,
    /// It has ended; what it left behind is ending, or being ended.
    Ended(Exit),
    /// Nothing is left of it, nor of its guard.
    Gone(Exit),
}

/// Why there is no child.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The system said so.
    Errno(i32),
    /// The guard ended without a word.
    GuardLost,
}

/// Follows one guard to its end. Ends by itself when the control or the runtime is dropped.
pub(crate) async fn watch(
    reports: OwnedReadHalf,
    guard: Guard,
    started: oneshot::Sender<Result<u32, Refusal>>,
    phase: watch::Sender<Phase>,
) {
    let mut lines = BufReader::with_capacity(64, reports).lines();
    let exit = match next(&mut lines).await {
        Some(Report::Started(pid)) => {
            // The other side may have given up; then it has dropped the control, which ends the child.
            let _ = started.send(Ok(pid));
            follow(&mut lines, pid, &phase).await
        }
        other => {
            let errno = |report| if let Report::Failed(errno) = report { Some(errno) } else { None };
            let refusal = other.and_then(errno).map_or(Refusal::GuardLost, Refusal::Errno);
            let _ = started.send(Err(refusal));
            Exit::Unknown
        }
    };
    // The guard holds the only other end of the line: at its end of file the guard is ending.
    while next(&mut lines).await.is_some() {}
    guard.reap().await;
    phase.send_replace(Phase::Gone(exit));
}

async fn follow(lines: &mut Lines<BufReader<OwnedReadHalf>>, pid: u32, phase: &watch::Sender<Phase>) -> Exit {
    let exit = match next(lines).await {
        Some(Report::Ended(exit)) => exit,
        _ => {
            // Without its guard the child is ended by the kernel; this meets the rest of its group.
            if let Some(group) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
                let _ = kill_process_group(group, Signal::KILL);
            }
            Exit::Unknown
        }
    };
    tracing::debug!(pid, %exit, "child ended");
    phase.send_replace(Phase::Ended(exit));
    exit
}

async fn next(lines: &mut Lines<BufReader<OwnedReadHalf>>) -> Option<Report> {
    let line = lines.next_line().await.ok()??;
    Report::parse(&line)
}

/// The process of a guard, which is reaped whatever becomes of the task that follows it.
pub(crate) struct Guard(Option<std::process::Child>);

impl Guard {
    pub(crate) fn new(process: std::process::Child) -> Self {
        Self(Some(process))
    }

    /// Reaps a guard that is ending.
    async fn reap(mut self) {
        if let Some(process) = &mut self.0
            && matches!(process.try_wait(), Ok(None))
        {
            // The runtime may drop this work before it begins; then dropping `self` does it.
            let _ = tokio::task::spawn_blocking(move || self.wait()).await;
        } else {
            self.0 = None;
        }
    }

    fn wait(&mut self) {
        if let Some(mut process) = self.0.take()
            && let Err(error) = process.wait()
        {
            tracing::debug!(%error, "a guard was reaped by somebody else");
        }
    }
}

impl Drop for Guard {
    /// The runtime went down before the guard did. The line goes with it, so the guard ends soon.
    fn drop(&mut self) {
        if let Some(mut process) = self.0.take() {
            let wait = std::thread::Builder::new().stack_size(64 * 1024).spawn(move || process.wait());
            if let Err(error) = wait {
                tracing::debug!(%error, "a guard is left for the end of this process to be reaped");
            }
        }
    }
}
