//! Clients that continue sessions: one session on each connection, and the next one when it ends.

use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::line::{Line, Reply};
use crate::load::{Answer, Service};
use crate::walk::{Taken, Walk};

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The gateways that are walked through, each client through one of them.
pub(super) struct Walkers {
    ports: Vec<u16>,
    /// How many clients there were: they go to the gateways in turn.
    clients: AtomicUsize,
    steps: u64,
    /// Only starts sessions, each of which stays open, and counts the starts.
    starting: bool,
}

/// One client with its session.
pub(super) struct Walker {
    line: Line,
    walk: Walk,
    id: u64,
}

impl Walkers {
    /// Sessions of so many steps, spread over the gateways on these ports.
    pub(super) fn new(ports: &[u16], steps: u64) -> Self {
        Self { ports: ports.to_vec(), clients: AtomicUsize::new(0), steps, starting: false }
    }

    /// The same gateways, where every call is the start of a session.
    pub(super) fn starting(&self) -> Self {
        Self { starting: true, ..Self::new(&self.ports, self.steps) }
    }

    /// What an answer counts as: a start counts where starts are meant, and else a continue.
    fn judge(&self, walker: &mut Walker, reply: &Reply) -> Answer {
        let started = walker.walk.session.is_none();
        match walker.walk.take(walker.id, reply.status, &reply.body) {
            Taken::Refused(why) => Answer::Refused(why),
            Taken::Wrong(body) => Answer::Wrong(body),
            Taken::Step(_) | Taken::End(_) if started == self.starting => Answer::Right,
            Taken::Step(_) | Taken::End(_) => Answer::Aside,
        }
    }
}

impl Service for Walkers {
    type Caller = Walker;

    fn open(&self) -> anyhow::Result<Walker> {
        let client = self.clients.fetch_add(1, Ordering::Relaxed);
        let port = self.ports[client % self.ports.len()];
        Ok(Walker { line: Line::open(port, PATIENCE)?, walk: Walk::new(self.steps, None), id: 0 })
    }

    fn send(&self, walker: &mut Walker, _number: u64) -> anyhow::Result<()> {
        if self.starting || walker.walk.step == self.steps {
            walker.walk = Walk::new(self.steps, None);
        }
        walker.id += 1;
        let (tool, arguments) = walker.walk.next();
        walker.line.call(walker.id, &tool, &arguments)
    }

    fn receive(&self, walker: &mut Walker, chunk: &mut [u8]) -> anyhow::Result<Option<(Answer, bool)>> {
        let Some(reply) = walker.line.receive(chunk)? else { return Ok(None) };
        let answer = self.judge(walker, &reply);
        // After a mistake nobody knows where the session stands: the next connection begins another.
        let lost = matches!(answer, Answer::Refused(_) | Answer::Wrong(_));
        Ok(Some((answer, lost || reply.close)))
    }
}

impl AsFd for Walker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.line.as_fd()
    }
}
