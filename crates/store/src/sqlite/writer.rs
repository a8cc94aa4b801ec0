//! The one thread that writes, and commits in groups.
//!
//! It takes whatever has queued up and comes meanwhile, runs it in one transaction with a savepoint for each job
//! that asks for one, and answers everybody after the one commit. A guarded job that fails undoes its own work only.

#[cfg(test)]
mod tests;

use super::{connection, refused};
use crate::Error;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// Jobs that may wait before callers do.
const QUEUE: usize = 1024;

/// Jobs in one transaction; enough to share the cost of a commit, few enough to answer soon.
const GROUP: usize = 256;

/// A commit that takes so long is worth waiting for others who are on their way, until they are two in five of those
/// who were in the last two groups, looking out for them so many times in the time that it takes, or in this longest.
const SLOW: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(10);
const LOOKS: u32 = 16;
/// Fewer are not worth it.
const CROWD: usize = 3;

/// The thread and the way to it.
pub(super) struct Writer {
    jobs: mpsc::Sender<Message>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

enum Message {
    Job(Box<dyn Job>),
    Close,
}

/// Something to do in a transaction, and somebody who waits for it.
trait Job: Send {
    /// Whether its work must be undone alone when it fails.
    fn guarded(&self) -> bool;
    /// Does the work; an error asks for a rollback to the state before it.
    fn run(&mut self, connection: &Connection) -> Result<(), Error>;
    /// Tells the waiting side: its own result if the commit held, the error otherwise.
    fn answer(self: Box<Self>, commit: Result<(), Error>);
}

struct Work<T, F> {
    guarded: bool,
    work: Option<F>,
    result: Result<T, Error>,
    reply: oneshot::Sender<Result<T, Error>>,
}

impl<T, F> Job for Work<T, F>
where
    T: Send,
    F: FnOnce(&Connection) -> Result<T, Error> + Send,
{
    fn guarded(&self) -> bool {
        self.guarded
    }

    fn run(&mut self, connection: &Connection) -> Result<(), Error> {
        if let Some(work) = self.work.take() {
            self.result = work(connection);
        }
        self.result.as_ref().map(|_| ()).map_err(Clone::clone)
    }

    fn answer(self: Box<Self>, commit: Result<(), Error>) {
        // Nobody may be listening any more; the work is done all the same.
        let _ = self.reply.send(commit.and(self.result));
    }
}

impl Writer {
    /// Starts the thread, which opens the database; returns when it is ready or has failed.
    pub(super) async fn start(path: PathBuf) -> Result<Self, Error> {
        let (jobs, queue) = mpsc::channel(QUEUE);
        let (ready, opened) = oneshot::channel();
        let thread = std::thread::Builder::new().name("store".into()).spawn(move || {
            match connection::open_writer(&path) {
                Ok(connection) => {
                    let _ = ready.send(Ok(()));
                    work(connection, &path, queue);
                }
                Err(error) => {
                    let _ = ready.send(Err(error));
                }
            }
        });
        // The system has no thread left: there is no store to speak to.
        let thread = thread.map_err(|_| Error::Closed)?;
        opened.await.unwrap_or(Err(Error::Closed))?;
        Ok(Self { jobs, thread: Mutex::new(Some(thread)) })
    }

    /// Queues `work` and waits for its commit. An error undoes what `work` did, and nothing else.
    pub(super) async fn run<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    {
        self.queue(true, work).await
    }

    /// The same without a savepoint, which costs as much as a small write: an error undoes the whole group.
    pub(super) async fn run_whole<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    {
        self.queue(false, work).await
    }

    async fn queue<T, F>(&self, guarded: bool, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Work { guarded, work: Some(work), result: Err(Error::Closed), reply });
        self.jobs.send(Message::Job(job)).await.map_err(|_| Error::Closed)?;
        answer.await.unwrap_or(Err(Error::Closed))
    }

    /// Commits what was queued before, then ends the thread.
    pub(super) async fn close(&self) {
        let _ = self.jobs.send(Message::Close).await;
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let joined = tokio::task::spawn_blocking(move || thread.join()).await;
            if !matches!(joined, Ok(Ok(()))) {
                tracing::error!("the thread of the store did not end well");
            }
        }
    }
}

/// The life of the thread: until it is told to close, or nobody is left who could ask.
fn work(mut connection: Connection, path: &Path, queue: mpsc::Receiver<Message>) {
    let mut queue = Queue { jobs: queue, open: true, groups: [0, 0], took: Duration::ZERO };
    while let Some(first) = queue.wait() {
        commit(&mut connection, path, vec![first], &mut queue);
    }
}

/// Runs a group in one transaction and answers all of it.
fn commit(connection: &mut Connection, path: &Path, mut group: Vec<Box<dyn Job>>, queue: &mut Queue) {
    let outcome = run_all(connection, path, &mut group, queue);
    for job in group {
        job.answer(outcome.clone());
    }
}

/// What waits to be written.
struct Queue {
    jobs: mpsc::Receiver<Message>,
    open: bool,
    /// How many jobs the last two groups had, and how long the last commit took.
    groups: [usize; 2],
    took: Duration,
}

impl Queue {
    /// The next job, once there is one; nothing when there will be none.
    fn wait(&mut self) -> Option<Box<dyn Job>> {
        let message = if self.open { self.jobs.blocking_recv() } else { None };
        self.job(message)
    }

    /// The next job, if there is one now.
    fn take(&mut self) -> Option<Box<dyn Job>> {
        let message = if self.open { self.jobs.try_recv().ok()? } else { return None };
        self.job(Some(message))
    }

    /// How many a commit may wait for.
    fn goal(&self) -> usize {
        let goal = self.groups.iter().sum::<usize>() * 2 / 5;
        if goal >= CROWD && self.took >= SLOW { goal } else { 0 }
    }

    /// Remembers a group that was committed.
    fn done(&mut self, jobs: usize, took: Duration) {
        self.groups = [self.groups[1], jobs];
        self.took = took;
    }

    fn job(&mut self, message: Option<Message>) -> Option<Box<dyn Job>> {
        match message {
            Some(Message::Job(job)) => Some(job),
            Some(Message::Close) | None => {
                self.open = false;
                None
            }
        }
    }
}

/// Runs a group in one transaction. Whoever comes while others are written goes with them.
fn run_all(
    connection: &mut Connection,
    path: &Path,
    group: &mut Vec<Box<dyn Job>>,
    queue: &mut Queue,
) -> Result<(), Error> {
    let failed = || refused("write", path);
    let mut tx = match connection.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(tx) => tx,
        Err(error) => {
            // Whoever queued up while it was waited for need not wait as long again to hear the same.
            let room = GROUP - group.len();
            group.extend(std::iter::from_fn(|| queue.take()).take(room));
            return Err(failed()(error));
        }
    };
    let (mut next, mut looks, goal) = (0, LOOKS, queue.goal());
    while let Some(job) = group.get_mut(next) {
        run_one(&mut tx, path, job)?;
        next += 1;
        if next == group.len() && next < GROUP {
            group.extend(queue.take());
            while next == group.len() && next < goal && looks > 0 && queue.open {
                std::thread::sleep(queue.took.min(LONGEST) / LOOKS);
                looks -= 1;
                group.extend(queue.take());
            }
        }
    }
    let began = Instant::now();
    tx.commit().map_err(failed())?;
    queue.done(group.len(), began.elapsed());
    Ok(())
}

/// An error ends the whole group.
fn run_one(tx: &mut Transaction<'_>, path: &Path, job: &mut Box<dyn Job>) -> Result<(), Error> {
    if !job.guarded() {
        // Dropping the transaction undoes it, and everybody in it is told so.
        return catch_unwind(AssertUnwindSafe(|| job.run(tx))).unwrap_or(Err(Error::Closed));
    }
    let failed = || refused("write", path);
    let savepoint = tx.savepoint().map_err(failed())?;
    // A panic is a fault of one job; the thread serves the others. The job's result stays
    // `Closed`, and dropping the savepoint undoes its work.
    let result = catch_unwind(AssertUnwindSafe(|| job.run(&savepoint))).unwrap_or(Err(Error::Closed));
    match result {
        Ok(()) => savepoint.commit().map_err(failed()),
        Err(error) => {
            drop(savepoint);
            // A full disk or a failing one ends the whole transaction, with all that is in it.
            if tx.is_autocommit() { Err(error) } else { Ok(()) }
        }
    }
}
