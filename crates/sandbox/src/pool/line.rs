//! The gateway's side of the socket to one worker: jobs go out in the order in which they come, and the answers come
//! back in the same order. What comes over it is not trusted.
//!
//! A job is written behind those that the worker still has to do, so that one that is awake need not be woken
//! again. The runtime is asked for what can be read, and not for room to write, which would wake the gateway
//! each time the worker takes a job.

mod look;
mod outgoing;

use super::Errand;
use super::flight::{Answer, Flight, Flights, Heir};
use super::inbox::Inbox;
use super::known::Known;
use super::slow::Slow;
use crate::Host;
use crate::wire::{self, Ask, Frame, Head, LENGTHS, Malformed, Reply};
use outgoing::Outgoing;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::oneshot;

/// How many questions a worker may put during one job: as many as the scripts of a long list may.
const MOST_ASKED: usize = 1 << 20;

/// The largest message besides what a job may hand back.
const SMALL: usize = 1 << 20;

/// How many jobs a worker does, and how old it may be when it gets one, before it is replaced.
const JOBS: u64 = 30_000;
const OLDEST: Duration = Duration::from_secs(24 * 3600);

/// A worker did not do its job.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Lost {
    #[error("the worker ended in the middle of a job")]
    Ended(#[from] io::Error),
    #[error("the worker broke the protocol")]
    Broken(#[from] Malformed),
    #[error("the worker did not answer in time")]
    Late,
    #[error("the message is too large for a worker")]
    TooLarge,
}

/// A worker, the socket to it, and what it has to do.
pub(crate) struct Line {
    worker: process::Worker,
    socket: AsyncFd<UnixStream>,
    start: Instant,
    load: Load,
    queue: Mutex<Queue>,
}

/// What the pool looks at when it chooses a worker, without waiting for anybody.
#[derive(Default)]
struct Load {
    jobs: AtomicU32,
    /// What the jobs that it has are expected to take, in microseconds.
    backlog: AtomicU32,
    /// Since when it does the job that it does, or does nothing, in microseconds after its start.
    since: AtomicU64,
    /// It takes no further jobs.
    closed: AtomicBool,
    /// One job has it for itself.
    reserved: AtomicBool,
    /// It was let go because it had nothing to do.
    dismissed: AtomicBool,
    /// When it was told that nobody waits for what it does, in microseconds after its start; 0 is never.
    unwanted: AtomicU64,
}

#[derive(Default)]
struct Queue {
    known: Known,
    flights: Flights,
    /// How many jobs were sent, ever.
    sent: u64,
    outgoing: Outgoing,
    /// The worker has said that it must be replaced.
    renew: bool,
    slow: Option<Slow>,
    /// The job at the front was late when it was looked at, but something had come from the worker: which one, and when.
    spared: Option<(u64, Instant)>,
    /// The worker was lost because it was late.
    late: bool,
}

/// Why a worker is not listened to any more.
#[derive(Debug)]
pub(crate) enum Ending {
    /// It has done as many jobs as it may.
    UsedUp,
    /// It must not be used again after what a script has done.
    Renewed,
    /// It has ended, or does not keep to the protocol.
    Lost(Lost),
}

impl Line {
    /// Starts a worker. Its first answer says that it is ready.
    pub(crate) fn open(
        launcher: &process::Launcher,
        name: &str,
    ) -> io::Result<(Arc<Self>, oneshot::Receiver<Answer>)> {
        let (worker, socket) = launcher.worker(name)?;
        let socket = process::awaited(socket, Interest::READABLE)?;
        let (sender, ready) = oneshot::channel();
        let mut queue = Queue::default();
        queue.flights.push(Flight::new(0, sender, 0, 0, Duration::MAX));
        let load = Load::default();
        load.jobs.store(1, Relaxed);
        let line = Self { worker, socket, start: Instant::now(), load, queue: Mutex::new(queue) };
        Ok((Arc::new(line), ready))
    }

    pub(crate) const fn worker(&self) -> &process::Worker {
        &self.worker
    }

    /// How many jobs it has to do.
    pub(crate) fn jobs(&self) -> u32 {
        self.load.jobs.load(Relaxed)
    }

    /// What they are expected to take, in microseconds.
    pub(crate) fn backlog(&self) -> u32 {
        self.load.backlog.load(Relaxed)
    }

    /// How long it does the job that it does, or does nothing.
    pub(crate) fn age(&self) -> Duration {
        self.start.elapsed().saturating_sub(Duration::from_micros(self.load.since.load(Relaxed)))
    }

    /// Whether it takes further jobs.
    pub(crate) fn is_open(&self) -> bool {
        !self.load.closed.load(Relaxed) && !self.load.reserved.load(Relaxed)
    }

    /// It takes no further jobs.
    pub(crate) fn close(&self) {
        self.load.closed.store(true, Relaxed);
    }

    /// Keeps it for one job, until what is returned is dropped.
    pub(crate) fn reserve(self: &Arc<Self>) -> Reserved {
        self.load.reserved.store(true, Relaxed);
        Reserved(Arc::clone(self))
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a job, and gives its number and where its answer will be; nothing when the worker takes none.
    pub(crate) fn send(self: &Arc<Self>, errand: &Errand<'_>) -> Option<(u64, oneshot::Receiver<Answer>)> {
        let queue = &mut *self.queue();
        if self.load.closed.load(Relaxed) {
            return None;
        }
        let number = queue.sent + 1;
        (errand.message)(number, &mut queue.known, &mut queue.outgoing.writer);
        let idle = queue.flights.len() == 0;
        self.post(&mut queue.outgoing, Some(number), idle);
        queue.sent = number;
        let (sender, answer) = oneshot::channel();
        if idle {
            self.touch();
        }
        queue.flights.push(Flight::new(number, sender, errand.most, errand.cost, errand.patience));
        self.weigh(queue);
        if number >= JOBS || self.start.elapsed() > OLDEST {
            self.close();
        }
        Some((number, answer))
    }

    /// Nobody waits for the answer to a job: its heir gets it, now or when it comes.
    pub(crate) fn bequeath(&self, number: u64, answer: &mut oneshot::Receiver<Answer>, heir: Heir) {
        // It is answered with the queue in hand, so it does not come between the two looks.
        let mut queue = self.queue();
        match (answer.try_recv(), queue.flights.find(number)) {
            (Err(oneshot::error::TryRecvError::Empty), Some(flight)) => flight.heir = Some(heir),
            (answer, _) => {
                drop(queue);
                heir(answer.ok().and_then(Answer::outcome));
            }
        }
    }

    /// The job at the front begins now, or there is none any more.
    fn touch(&self) {
        self.load.since.store(self.now(), Relaxed);
    }

    /// Microseconds after its start.
    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn weigh(&self, queue: &Queue) {
        self.load.jobs.store(u32::try_from(queue.flights.len()).unwrap_or(u32::MAX), Relaxed);
        self.load.backlog.store(queue.flights.cost(), Relaxed);
    }

    /// Hands out what the worker says until it has done enough, says something wrong, or ends. `answered` is told
    /// after each read.
    pub(crate) async fn listen(self: &Arc<Self>, host: &dyn Host, answered: impl Fn()) -> Ending {
        let mut inbox = Inbox::default();
        loop {
            if let Err(lost) = self.receive(&mut inbox).await {
                return Ending::Lost(lost);
            }
            if let Err(lost) = self.hand_out(&mut inbox, host) {
                return Ending::Lost(lost);
            }
            answered();
            let queue = self.queue();
            if queue.renew || (self.load.closed.load(Relaxed) && queue.flights.len() == 0) {
                return if queue.renew { Ending::Renewed } else { Ending::UsedUp };
            }
        }
    }

    /// Waits for something to read, and reads once.
    async fn receive(&self, inbox: &mut Inbox) -> Result<(), Lost> {
        let mut guard = self.socket.readable().await?;
        let room = &mut inbox.room[inbox.filled..];
        match self.socket.get_ref().read(room) {
            Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            Ok(read) => {
                // Less than there was room for: all that had come was read.
                if read < room.len() {
                    guard.clear_ready();
                }
                inbox.filled += read;
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => guard.clear_ready(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Hands out every message that is there as a whole.
    fn hand_out(self: &Arc<Self>, inbox: &mut Inbox, host: &dyn Host) -> Result<(), Lost> {
        let mut at = 0;
        let mut queue = self.queue();
        while let Some(lengths) = inbox.room[at..inbox.filled].first_chunk::<LENGTHS>() {
            // What comes unasked is refused.
            let late = queue.late;
            let flight = queue.flights.front();
            let flight = flight.ok_or_else(|| if late { Lost::Late } else { Malformed.into() })?;
            let head = Head::parse(*lengths, flight.most.saturating_add(SMALL))?;
            let end = at + LENGTHS + head.len();
            let Some(message) = inbox.room[..inbox.filled].get(at + LENGTHS..end) else { break };
            match Reply::parse(Frame::new(head, message)?)? {
                Reply::Ask(ask) => {
                    flight.asked += 1;
                    if flight.asked > MOST_ASKED {
                        return Err(Malformed.into());
                    }
                    // One that has ended meanwhile hears no answer, but what it said behind the question stands. Its
                    // end shows when all that was said is read.
                    wire::answer(&mut queue.outgoing.writer, &tell(host, &ask));
                    self.post(&mut queue.outgoing, None, false);
                }
                reply => self.finish(&mut queue, reply)?,
            }
            at = end;
        }
        drop(queue);
        inbox.pass(at);
        Ok(())
    }

    /// The job at the front is done.
    fn finish(&self, queue: &mut Queue, reply: Reply) -> Result<(), Lost> {
        let (number, renew) = match &reply {
            Reply::Outcome(outcome) => (outcome.number, outcome.renew),
            Reply::Checked(checked) => (checked.number, checked.renew),
            _ => (0, false),
        };
        if queue.flights.front().is_none_or(|flight| flight.number != number) {
            return Err(Malformed.into());
        }
        let flight = queue.flights.pop().ok_or(Malformed)?;
        self.touch();
        flight.answer(Answer::Reply(reply));
        if renew {
            self.close();
            queue.renew = true;
            std::mem::take(&mut queue.flights).release();
        }
        self.weigh(queue);
        Ok(())
    }

    /// Ends the worker, because of none of the jobs that it has.
    pub(crate) fn retire(&self) {
        let mut queue = self.queue();
        self.close();
        self.worker.kill();
        std::mem::take(&mut queue.flights).release();
        self.weigh(&queue);
    }

    /// Ends the worker and tells those who wait for it why.
    pub(crate) fn lose(&self, lost: Lost) {
        self.lose_all(self.queue(), lost);
    }

    fn lose_all(&self, mut queue: MutexGuard<'_, Queue>, lost: Lost) {
        self.close();
        self.worker.kill();
        let (flights, unsent) = (std::mem::take(&mut queue.flights), queue.outgoing.since());
        self.weigh(&queue);
        drop(queue);
        flights.lose(lost, unsent);
    }

    /// Ends the worker when it has nothing to do; says whether it had not.
    pub(crate) fn dismiss(&self) -> bool {
        let queue = self.queue();
        if queue.flights.len() > 0 || self.load.reserved.load(Relaxed) {
            return false;
        }
        self.close();
        self.load.dismissed.store(true, Relaxed);
        self.worker.kill();
        true
    }

    /// Whether it was ended because nobody waited for what it did.
    pub(crate) fn is_unwanted(&self) -> bool {
        self.load.unwanted.load(Relaxed) != 0
    }

    /// Whether it was let go because it had nothing to do.
    pub(crate) fn is_dismissed(&self) -> bool {
        self.load.dismissed.load(Relaxed)
    }
}

/// A line that is kept for one job.
pub(crate) struct Reserved(Arc<Line>);

impl Drop for Reserved {
    fn drop(&mut self) {
        self.0.load.reserved.store(false, Relaxed);
    }
}

fn tell(host: &dyn Host, ask: &Ask) -> wire::Answer {
    match ask {
        Ask::IsKey(token) => wire::Answer { yes: host.is_key(token), text: None },
        Ask::ServerInfo(id) => wire::Answer { yes: false, text: host.server_info(id) },
    }
}

fn waits(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
