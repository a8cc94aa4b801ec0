//! The workers: kept ready, lent to one job at a time, replaced when they are lost or used up.
//!
//! There are as many as the options say, and one spare. For those that are taken for a while by scripts
//! that sleep or run away, others are started, up to a cap; they are let go when they have nothing to do.
//! Many short jobs share the usual number instead.

mod connection;
mod known;
mod lease;

pub(crate) use connection::{Connection, Lost};
pub(crate) use lease::Lease;

use crate::worker::NAME;
use crate::{Options, Workers};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout, timeout_at};

/// The most workers, however many are asked for at once.
const CAP: usize = 64;

/// How often a job that waits looks whether more workers are needed.
const PATIENCE: Duration = Duration::from_millis(5);

/// A worker that is busy for so long counts as taken: its script sleeps, or has run away.
const TAKEN: Duration = Duration::from_millis(10);

/// How long a worker may take to start.
const START: Duration = Duration::from_secs(10);

/// How long a worker that was started beyond the usual number is kept without work.
const KEEP: Duration = Duration::from_secs(10);

/// How many jobs a worker does before it is replaced.
const JOBS: u64 = 10_000;

/// Why there is no worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Error {
    #[error("no sandbox worker was free in time; the hooks that run at once are too many or too slow")]
    Busy,
    #[error("a sandbox worker could not be started; the log of the gateway tells why")]
    NoWorker,
    #[error("the sandbox is stopped")]
    Stopped,
}

/// All workers.
pub(crate) struct Pool {
    pub(crate) options: Options,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    idle: Vec<Connection>,
    waiting: VecDeque<oneshot::Sender<Lease>>,
    /// Every worker that is alive, by its process id.
    alive: HashMap<u32, process::Worker>,
    starting: usize,
    /// Those that are lent, since when.
    lent: HashMap<u32, Instant>,
    started: u64,
    killed: u64,
    stopped: bool,
    shrinking: bool,
}

impl State {
    fn total(&self) -> usize {
        self.idle.len() + self.lent.len() + self.starting
    }

    fn taken(&self) -> usize {
        self.lent.values().filter(|since| since.elapsed() >= TAKEN).count()
    }

    fn lend(&mut self, connection: &Connection) {
        self.lent.insert(connection.worker().pid(), Instant::now());
    }

    fn unlend(&mut self, connection: &Connection) {
        self.lent.remove(&connection.worker().pid());
    }
}

impl Pool {
    pub(crate) fn new(options: Options) -> Arc<Self> {
        Arc::new(Self { options, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many workers there usually are.
    fn usual(&self) -> usize {
        (self.options.workers + 1).min(CAP)
    }

    pub(crate) fn counts(&self) -> Workers {
        let state = self.state();
        Workers {
            started: state.started,
            killed: state.killed,
            busy: state.lent.len(),
            idle: state.idle.len(),
        }
    }

    /// Starts what is missing to the usual number.
    pub(crate) fn fill(self: &Arc<Self>) {
        let mut state = self.state();
        while !state.stopped && state.total() < self.usual() {
            self.start(&mut state);
        }
    }

    /// Borrows a worker, and waits at most `limit` for one.
    pub(crate) async fn borrow(self: &Arc<Self>, limit: Duration) -> Result<Lease, Error> {
        let deadline = tokio::time::Instant::now() + limit;
        let mut coming = match self.take()? {
            Ok(lease) => return Ok(lease),
            Err(coming) => coming,
        };
        self.fill();
        loop {
            let look = (tokio::time::Instant::now() + PATIENCE).min(deadline);
            match timeout_at(look, &mut coming).await {
                Ok(lease) => return lease.map_err(|_| self.why_not()),
                Err(_) if look == deadline => return Err(Error::Busy),
                Err(_) => self.grow(),
            }
        }
    }

    /// An idle worker at once, or a place in the queue.
    #[allow(clippy::type_complexity)]
    fn take(self: &Arc<Self>) -> Result<Result<Lease, oneshot::Receiver<Lease>>, Error> {
        let mut state = self.state();
        if state.stopped {
            return Err(Error::Stopped);
        }
        // The latest first: its memory is warm, and those in front grow old enough to be let go.
        let mut lost = false;
        while let Some(connection) = state.idle.pop() {
            if connection.is_alive() {
                state.lend(&connection);
                drop(state);
                if lost {
                    self.fill();
                }
                return Ok(Ok(Lease::new(connection, Arc::clone(self))));
            }
            // Its end was not told yet, and will find it gone; so it is replaced from here.
            state.killed += 1;
            lost = true;
        }
        let (sender, receiver) = oneshot::channel();
        state.waiting.push_back(sender);
        Ok(Err(receiver))
    }

    fn why_not(&self) -> Error {
        if self.state().stopped { Error::Stopped } else { Error::NoWorker }
    }

    /// Starts one more worker when so many are taken that fewer than the usual number are left.
    fn grow(self: &Arc<Self>) {
        let mut state = self.state();
        let left = state.total() - state.taken();
        if state.stopped || state.total() >= CAP || left >= self.usual() {
            return;
        }
        self.start(&mut state);
        if !std::mem::replace(&mut state.shrinking, true) {
            tokio::spawn(shrink(Arc::clone(self)));
        }
    }

    fn start(self: &Arc<Self>, state: &mut State) {
        state.starting += 1;
        let pool = Arc::clone(self);
        tokio::spawn(async move {
            let result = timeout(START, Connection::open(&pool.options.launcher, NAME)).await;
            match result.unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into())) {
                Ok(connection) => pool.welcome(connection),
                Err(error) => pool.no_welcome(&error),
            }
        });
    }

    fn welcome(self: &Arc<Self>, connection: Connection) {
        let worker = connection.worker().clone();
        {
            let mut state = self.state();
            state.starting -= 1;
            state.started += 1;
            state.alive.insert(worker.pid(), worker.clone());
            state.lend(&connection);
        }
        // Nobody uses it yet, so dropping the lease puts it where it is wanted.
        drop(Lease::new(connection, Arc::clone(self)));
        let pool = Arc::clone(self);
        tokio::spawn(async move {
            let exit = worker.gone().await;
            pool.gone(worker.pid(), exit);
        });
    }

    fn no_welcome(&self, error: &std::io::Error) {
        tracing::error!(%error, "a sandbox worker could not be started");
        let mut state = self.state();
        state.starting -= 1;
        if state.total() == 0 {
            // Nobody will come, so nobody need wait.
            state.waiting.clear();
        }
    }

    /// A worker has ended. When it was idle, nobody has noticed yet.
    fn gone(self: &Arc<Self>, pid: u32, exit: process::Exit) {
        {
            let mut state = self.state();
            state.alive.remove(&pid);
            let before = state.idle.len();
            state.idle.retain(|connection| connection.worker().pid() != pid);
            if state.idle.len() == before || state.stopped {
                return;
            }
            state.killed += 1;
        }
        tracing::warn!(pid, %exit, "an idle sandbox worker ended; another takes its place");
        self.fill();
    }

    /// Takes a worker back: for whoever waits longest, or to be idle.
    fn put(self: &Arc<Self>, mut connection: Connection) {
        loop {
            let mut state = self.state();
            let next = if state.stopped { None } else { state.waiting.pop_front() };
            let Some(next) = next else {
                state.unlend(&connection);
                if !state.stopped {
                    connection.rest();
                    state.idle.push(connection);
                }
                return;
            };
            state.lend(&connection);
            drop(state);
            // Dropped by the receiver, the lease would come back here; so its return is caught.
            match next.send(Lease::new(connection, Arc::clone(self))) {
                Ok(()) => return,
                Err(lease) => connection = lease.into_connection(),
            }
        }
    }

    /// Lets a worker go, and has another take its place.
    fn discard(self: &Arc<Self>, connection: &Connection, killed: bool) {
        connection.worker().kill();
        {
            let mut state = self.state();
            state.unlend(connection);
            state.killed += u64::from(killed);
        }
        self.fill();
    }

    /// Ends every worker and waits until all are gone.
    pub(crate) async fn stop(&self) {
        let alive: Vec<process::Worker> = {
            let mut state = self.state();
            state.stopped = true;
            state.waiting.clear();
            state.idle.clear();
            state.alive.values().cloned().collect()
        };
        for worker in alive {
            worker.kill();
            worker.gone().await;
        }
    }
}

/// Lets workers beyond the usual number go when they have been idle for a while.
async fn shrink(pool: Arc<Pool>) {
    loop {
        sleep(KEEP / 2).await;
        let mut state = pool.state();
        while state.total() > pool.usual() && state.idle.first().is_some_and(|it| it.rested() >= KEEP) {
            state.idle.remove(0);
        }
        if state.stopped || state.total() <= pool.usual() {
            state.shrinking = false;
            return;
        }
    }
}

/// When a worker has done enough.
fn is_used_up(jobs: u64, since: Instant) -> bool {
    jobs >= JOBS || since.elapsed() > Duration::from_secs(24 * 3600)
}
