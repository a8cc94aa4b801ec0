//! A running child and the hold on it.

use crate::Exit;
use crate::report::{KILL, TERMINATE};
use crate::watch::Phase;
use rustix::net::{SendFlags, send};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;
use tokio::net::unix::{OwnedWriteHalf, pipe};
use tokio::sync::watch;
use tokio::time::timeout;

/// How long [`Control::stop`] waits for the end after SIGKILL; only a process that hangs inside the
/// kernel, or belongs to another user, takes that long.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// A running child. Its fields may be moved out one by one.
#[derive(Debug)]
pub struct Child {
    /// The process id of the command itself.
    pub pid: u32,
    /// Its standard input; dropping it closes it.
    pub stdin: pipe::Sender,
    /// Its standard output.
    pub stdout: pipe::Receiver,
    /// Its standard error; see [`drain`](crate::drain).
    pub stderr: pipe::Receiver,
    /// The hold on it.
    pub control: Control,
}

/// Tells whether a child has left something unread on its standard input. It keeps the pipe open, and so is not kept for
/// long.
#[derive(Debug)]
pub struct Unread(OwnedFd);

impl Unread {
    /// That of a child.
    pub fn of(stdin: &pipe::Sender) -> Option<Self> {
        stdin.as_fd().try_clone_to_owned().ok().map(Self)
    }

    /// Whether there is something, also after the child has ended.
    pub fn any(&self) -> bool {
        rustix::io::ioctl_fionread(&self.0).is_ok_and(|bytes| bytes > 0)
    }
}

/// The hold on a child. Dropping it kills the child and everything that the child started.
#[derive(Debug)]
pub struct Control {
    // The guard takes the end of file on its line, which comes with dropping this half, as an order.
    orders: OwnedWriteHalf,
    phases: watch::Receiver<Phase>,
}

impl Control {
    pub(crate) fn new(orders: OwnedWriteHalf, phases: watch::Receiver<Phase>) -> Self {
        Self { orders, phases }
    }

    /// Waits for the end of the child and tells how it ended, every time it is asked. Cancel-safe.
    ///
    /// What the child left behind may live longer: for a moment, or, when the child was asked to end,
    /// until it has ended by itself or is killed. See [`gone`](Self::gone).
    pub async fn exited(&self) -> Exit {
        self.reach(|phase| matches!(phase, Phase::Ended(_) | Phase::Gone(_))).await
    }

    /// Waits until the child, all its descendants and its guard are gone. Cancel-safe.
    pub async fn gone(&self) -> Exit {
        self.reach(|phase| matches!(phase, Phase::Gone(_))).await
    }

    /// How the child ended, if it has.
    pub fn exit(&self) -> Option<Exit> {
        match *self.phases.borrow() {
            Phase::Alive => None,
            Phase::Ended(exit) | Phase::Gone(exit) => Some(exit),
        }
    }

    /// Asks the child and its process group to end, with SIGTERM. From then on nothing that the child
    /// leaves behind is killed before [`kill`](Self::kill) is called or the hold is dropped.
    pub fn terminate(&self) {
        self.order(TERMINATE);
    }

    /// Kills the child and everything that it started.
    pub fn kill(&self) {
        self.order(KILL);
    }

    /// Asks the child to end, kills what is left of it and of its descendants after `grace`, and waits
    /// until nothing is left. Takes `grace` and a few seconds at most.
    pub async fn stop(&self, grace: Duration) -> Exit {
        self.terminate();
        if let Ok(exit) = timeout(grace, self.gone()).await {
            return exit;
        }
        self.kill();
        match timeout(LAST_WAIT, self.gone()).await {
            Ok(exit) => exit,
            Err(_) => {
                tracing::warn!("a child does not end although it was killed");
                self.exit().unwrap_or(Exit::Unknown)
            }
        }
    }

    async fn reach(&self, far_enough: impl FnMut(&Phase) -> bool) -> Exit {
        // A closed channel means that the runtime is going down, and with it the line to the guard.
        let _ = self.phases.clone().wait_for(far_enough).await;
        self.exit().unwrap_or(Exit::Unknown)
    }

    /// Sends one byte. The line is never full of them, and when the guard is gone so is the child.
    fn order(&self, order: u8) {
        let _ = send(self.orders.as_ref(), &[order], SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
    }
}
