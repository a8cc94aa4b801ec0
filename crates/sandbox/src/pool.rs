//! The workers: kept ready, given jobs, replaced when they are lost or used up.
//!
//! There are as many as the options say, and one spare. A short job goes to a worker that is awake, behind the
//! jobs that it has; a long one, or one of unknown length, to a worker that does nothing. When jobs wait because
//! scripts sleep or have run away, further workers are started, up to a cap; they are let go when they have nothing
//! to do. Many short jobs share the usual number instead. Jobs that are no part of a request leave some of them free.

mod flight;
mod inbox;
mod known;
mod leave;
mod line;
mod slow;
mod waiting;
mod watch;

pub(crate) use flight::{Answer, Heir};
pub(crate) use known::Known;
pub(crate) use line::{Line, Lost};

use crate::wire::{Reply, Writer};
use crate::worker::NAME;
use crate::{Options, Rank, Workers};
use leave::Leave;
use line::{Ending, Reserved};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{timeout, timeout_at};
use waiting::Waiting;

/// The most workers, however many are asked for at once.
const CAP: usize = 64;

/// The most jobs that a worker has at one time.
const DEPTH: u32 = 32;

/// A worker that is awake takes further jobs while it is expected to be done this soon, in microseconds; and so
/// does one of those that there are when none is idle.
const SOON: u32 = 200;
const LATER: u32 = 1000;

/// A job that has waited behind slow ones so many times gets a worker for itself.
const TURNS: u32 = 3;

/// How often a job that waits looks whether more workers are needed.
const PATIENCE: Duration = Duration::from_millis(5);

/// A worker that does one job for so long counts as taken: its script sleeps, or has run away.
const TAKEN: Duration = Duration::from_millis(10);

/// After so long it does not look as if it were computing.
const STUCK: Duration = Duration::from_millis(50);

/// One that computes for so long leaves the processors to others.
const RUNAWAY: Duration = Duration::from_millis(500);

/// How long a worker may take to start.
const START: Duration = Duration::from_secs(10);

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

/// Why there is no reply.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// There was no worker for it.
    Nobody(Error),
    /// The worker did not do it.
    Lost(Lost),
}

/// One message to a worker, as often as it must be sent.
pub(crate) struct Errand<'a> {
    /// Writes the message with this number, for a worker that knows these scripts.
    pub(crate) message: &'a (dyn Fn(u64, &mut Known, &mut Writer) + Send + Sync),
    /// The most bytes that may come back.
    pub(crate) most: usize,
    /// What it is expected to take, in microseconds.
    pub(crate) cost: u32,
    /// What it may take at most, once it has begun.
    pub(crate) patience: Duration,
    /// How long it may wait for its beginning.
    pub(crate) limit: Duration,
    /// Who waits for it.
    pub(crate) rank: Rank,
}

/// A worker that gets a job.
type Taken = (Arc<Line>, Option<Reserved>);

/// All workers.
pub(crate) struct Pool {
    pub(crate) options: Options,
    state: Mutex<State>,
    /// How many jobs wait for a worker.
    waiting: AtomicUsize,
    /// What keeps workers for requests.
    leave: Leave,
    /// Somebody watches the workers.
    watched: AtomicBool,
}

#[derive(Default)]
struct State {
    /// The first ones get the jobs, so that the last ones have none.
    lines: Vec<Arc<Line>>,
    waiting: VecDeque<oneshot::Sender<()>>,
    /// Every worker that is alive, by its process id.
    alive: HashMap<u32, process::Worker>,
    starting: usize,
    started: u64,
    killed: u64,
    stopped: bool,
    shrinking: bool,
}

impl State {
    fn total(&self) -> usize {
        self.lines.len() + self.starting
    }

    /// The worker that gets a job now.
    fn choose(&self, cost: u32, alone: bool) -> Option<&Arc<Line>> {
        let open = || self.lines.iter().filter(|line| line.is_open());
        let within = |line: &&Arc<Line>, most: u32| {
            let jobs = line.jobs();
            jobs > 0 && jobs < DEPTH && line.backlog() <= most && line.age() < TAKEN
        };
        let idle = || open().find(|line| line.jobs() == 0);
        if alone {
            return idle();
        }
        let awake = open().find(|line| cost <= SOON && within(line, SOON - cost));
        let busy = || open().filter(|line| within(line, LATER)).min_by_key(|line| line.backlog());
        awake.or_else(idle).or_else(busy)
    }
}

impl Pool {
    pub(crate) fn new(options: Options) -> Arc<Self> {
        let (waiting, watched) = (AtomicUsize::new(0), AtomicBool::new(false));
        Arc::new(Self { options, state: Mutex::default(), waiting, leave: Leave::new(), watched })
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
        let busy = state.lines.iter().filter(|line| line.jobs() > 0).count();
        let (started, killed) = (state.started, state.killed);
        Workers { started, killed, busy, idle: state.lines.len() - busy }
    }

    /// Starts what is missing to the usual number.
    pub(crate) fn fill(self: &Arc<Self>) {
        self.complete(&mut self.state());
    }

    fn complete(self: &Arc<Self>, state: &mut State) {
        while !state.stopped && state.total() < self.usual() {
            self.start(state);
        }
    }

    /// Has a worker do something, and gives its reply and who gave it.
    pub(crate) async fn exchange(
        self: &Arc<Self>,
        errand: &Errand<'_>,
    ) -> Result<(Reply, Arc<Line>), Trouble> {
        self.exchange_for(errand, &|| None).await
    }

    /// The same; whoever `heir` names gets what comes of it when nobody waits for the reply any more.
    pub(crate) async fn exchange_for(
        self: &Arc<Self>,
        errand: &Errand<'_>,
        heir: &(dyn Fn() -> Option<Heir> + Send + Sync),
    ) -> Result<(Reply, Arc<Line>), Trouble> {
        let mut waiting = Waiting::new(heir);
        let reply = self.reply(errand, &mut waiting).await;
        waiting.over();
        reply
    }

    async fn reply(
        self: &Arc<Self>,
        errand: &Errand<'_>,
        waiting: &mut Waiting<'_>,
    ) -> Result<(Reply, Arc<Line>), Trouble> {
        let (mut alone, mut turns) = (false, 0);
        let leave = self.leave.get(errand.rank, errand.limit).await;
        let (_leave, mut deadline) = leave.map_err(Trouble::Nobody)?;
        loop {
            turns += 1;
            let (line, _reserved) = match self.take(errand.cost, alone).map_err(Trouble::Nobody)? {
                Some(taken) => taken,
                None => {
                    let end = *deadline.get_or_insert_with(|| tokio::time::Instant::now() + errand.limit);
                    self.wait(errand.cost, alone, end).await.map_err(Trouble::Nobody)?
                }
            };
            let Some(sent) = line.send(errand) else { continue };
            self.watch();
            match waiting.answer(&line, sent).await {
                Ok(Answer::Reply(reply)) => return Ok((reply, line)),
                Ok(Answer::Again { alone: must }) => alone |= must || turns >= TURNS,
                Ok(Answer::Lost(lost)) => return Err(Trouble::Lost(lost)),
                Err(_) => return Err(Trouble::Nobody(Error::Stopped)),
            }
        }
    }

    /// A worker for a job, when there is one; the job has it for itself when it must be alone.
    fn take(&self, cost: u32, alone: bool) -> Result<Option<Taken>, Error> {
        let state = self.state();
        if state.stopped {
            return Err(Error::Stopped);
        }
        Ok(state.choose(cost, alone).map(|line| (Arc::clone(line), alone.then(|| line.reserve()))))
    }

    /// Waits for a worker, and has more of them started when none comes to an end of what it does.
    async fn wait(
        self: &Arc<Self>,
        cost: u32,
        alone: bool,
        deadline: tokio::time::Instant,
    ) -> Result<Taken, Error> {
        self.fill();
        loop {
            let (sender, called) = oneshot::channel();
            {
                let mut state = self.state();
                if state.stopped {
                    return Err(Error::Stopped);
                }
                if state.total() == 0 {
                    return Err(Error::NoWorker);
                }
                state.waiting.push_back(sender);
                self.waiting.store(state.waiting.len(), SeqCst);
            }
            let look = (tokio::time::Instant::now() + PATIENCE).min(deadline);
            let waited = timeout_at(look, called).await;
            if let Some(taken) = self.take(cost, alone)? {
                self.call_next();
                return Ok(taken);
            }
            if waited.is_err() {
                if look == deadline {
                    return Err(Error::Busy);
                }
                self.grow();
            }
        }
    }

    /// Tells the job that waits longest to look for a worker.
    fn call_next(&self) {
        if self.waiting.load(SeqCst) == 0 {
            return;
        }
        let mut state = self.state();
        while let Some(next) = state.waiting.pop_front() {
            if next.send(()).is_ok() {
                break;
            }
        }
        self.waiting.store(state.waiting.len(), SeqCst);
    }

    /// Starts one more worker when none comes to an end of what it does, or fewer than the usual number are left
    /// beside those that do not for long.
    fn grow(self: &Arc<Self>) {
        let mut state = self.state();
        let doing_for = |time: Duration| {
            let busy = state.lines.iter().filter(|line| line.jobs() > 0);
            busy.filter(|line| line.age() >= time).count()
        };
        let stuck = doing_for(TAKEN) == state.lines.len();
        let few = state.lines.len() - doing_for(STUCK) < self.usual();
        if state.stopped || state.starting > 0 || state.total() >= CAP || !(stuck || few) {
            return;
        }
        self.start(&mut state);
        if !std::mem::replace(&mut state.shrinking, true) {
            tokio::spawn(watch::shrink(Arc::downgrade(self)));
        }
    }

    fn start(self: &Arc<Self>, state: &mut State) {
        state.starting += 1;
        let pool = Arc::clone(self);
        tokio::spawn(async move {
            if let Err(error) = pool.open().await {
                pool.no_welcome(&error);
            }
        });
    }

    /// Starts a worker and waits until it is ready.
    async fn open(self: &Arc<Self>) -> std::io::Result<()> {
        let (line, ready) = Line::open(&self.options.launcher, NAME)?;
        tokio::spawn(listen(Arc::downgrade(self), Arc::clone(&line), Arc::clone(&self.options.host)));
        let error = match timeout(START, ready).await {
            Ok(Ok(Answer::Reply(Reply::Ready))) => {
                self.welcome(&line);
                return Ok(());
            }
            Ok(Ok(Answer::Lost(Lost::Ended(error)))) => error,
            Ok(Ok(Answer::Lost(error))) => std::io::Error::other(error),
            Ok(_) => std::io::Error::other(crate::wire::Malformed),
            Err(_) => std::io::ErrorKind::TimedOut.into(),
        };
        line.worker().kill();
        Err(error)
    }

    fn welcome(self: &Arc<Self>, line: &Arc<Line>) {
        let worker = line.worker().clone();
        {
            let mut state = self.state();
            state.starting -= 1;
            state.started += 1;
            if state.stopped {
                return worker.kill();
            }
            state.alive.insert(worker.pid(), worker.clone());
            state.lines.push(Arc::clone(line));
        }
        if !line.is_open() {
            // It ended before it was here, and nobody would notice.
            self.end(line, Ending::Lost(Lost::Ended(std::io::ErrorKind::UnexpectedEof.into())));
        }
        self.call_next();
        let pool = Arc::downgrade(self);
        tokio::spawn(async move {
            worker.gone().await;
            if let Some(pool) = pool.upgrade() {
                pool.state().alive.remove(&worker.pid());
            }
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

    /// A worker is not to be used any more.
    fn end(self: &Arc<Self>, line: &Arc<Line>, ending: Ending) {
        line.close();
        line.worker().kill();
        let (busy, pid) = (line.jobs() > 0, line.worker().pid());
        {
            let mut state = self.state();
            let before = state.lines.len();
            state.lines.retain(|one| !Arc::ptr_eq(one, line));
            let lost = state.lines.len() < before && !state.stopped && !line.is_dismissed();
            if lost && !matches!(ending, Ending::UsedUp) {
                state.killed += 1;
                match &ending {
                    _ if line.is_unwanted() => {
                        tracing::debug!(pid, "nobody waits for the script of a sandbox worker; it is ended");
                    }
                    Ending::Lost(reason) => {
                        tracing::warn!(pid, busy, %reason, "a sandbox worker is lost; another takes its place");
                    }
                    Ending::UsedUp | Ending::Renewed => {}
                }
            }
            // At once, so that nobody who waits finds that there is none.
            self.complete(&mut state);
        }
        if let Ending::Lost(lost) = ending {
            line.lose(lost);
        }
        self.call_next();
    }

    /// Ends a worker that said something it cannot have meant.
    pub(crate) fn expel(&self, line: &Line, lost: &Lost) {
        tracing::warn!(pid = line.worker().pid(), reason = %lost, "a sandbox worker is ended");
        line.retire();
    }

    /// Ends every worker and waits until all are gone.
    pub(crate) async fn stop(&self) {
        let (lines, alive) = {
            let mut state = self.state();
            state.stopped = true;
            state.waiting.clear();
            (std::mem::take(&mut state.lines), state.alive.values().cloned().collect::<Vec<_>>())
        };
        self.leave.close();
        // Whoever is to hear of what they did hears now, and not after the end.
        lines.iter().for_each(|line| line.lose(Lost::Ended(std::io::ErrorKind::UnexpectedEof.into())));
        for worker in alive {
            worker.kill();
            worker.gone().await;
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // Those who listen to them would else keep them.
        self.state().lines.drain(..).for_each(|line| line.worker().kill());
    }
}

/// Listens to a worker until its end.
async fn listen(pool: Weak<Pool>, line: Arc<Line>, host: Arc<dyn crate::Host>) {
    let answered = || {
        if let Some(pool) = pool.upgrade() {
            pool.call_next();
        }
    };
    let ending = line.listen(&*host, answered).await;
    match pool.upgrade() {
        Some(pool) => pool.end(&line, ending),
        None => line.lose(Lost::Late),
    }
}
