//! The one thread that writes, and commits in groups.
//!
//! It takes whatever has queued up, runs it in one transaction with a savepoint for each job
//! that asks for one, and answers everybody after the one commit. A guarded job that fails undoes its own work only.

#[cfg(test)]
mod tests;

use super::{connection, refused};
use crate::Error;
use rusqlite::{Connection, TransactionBehavior};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::{mpsc, oneshot};

/// Jobs that may wait before callers do.
const QUEUE: usize = 1024;

/// Jobs in one transaction; enough to share the cost of a commit, few enough to answer soon.
const GROUP: usize = 256;

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
fn work(mut connection: Connection, path: &Path, mut queue: mpsc::Receiver<Message>) {
    let mut open = true;
    while open {
        let mut group: Vec<Box<dyn Job>> = Vec::new();
        let mut next = queue.blocking_recv();
        loop {
            match next {
                Some(Message::Job(job)) => group.push(job),
                Some(Message::Close) | None => {
                    open = false;
                    break;
                }
            }
            if group.len() == GROUP {
                break;
            }
            match queue.try_recv() {
                Ok(message) => next = Some(message),
                Err(_) => break,
            }
        }
        commit(&mut connection, path, group);
    }
}

/// Runs a group in one transaction and answers all of it.
fn commit(connection: &mut Connection, path: &Path, mut group: Vec<Box<dyn Job>>) {
    let outcome = if group.is_empty() { Ok(()) } else { run_all(connection, path, &mut group) };
    for job in group {
        job.answer(outcome.clone());
    }
}

fn run_all(connection: &mut Connection, path: &Path, group: &mut [Box<dyn Job>]) -> Result<(), Error> {
    let failed = || refused("write", path);
    let mut tx = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed())?;
    for job in group {
        if !job.guarded() {
            // Dropping the transaction undoes it, and everybody in it is told so.
            catch_unwind(AssertUnwindSafe(|| job.run(&tx))).unwrap_or(Err(Error::Closed))?;
            continue;
        }
        let savepoint = tx.savepoint().map_err(failed())?;
        // A panic is a fault of one job; the thread serves the others. The job's result stays
        // `Closed`, and dropping the savepoint undoes its work.
        let result = catch_unwind(AssertUnwindSafe(|| job.run(&savepoint))).unwrap_or(Err(Error::Closed));
        match result {
            Ok(()) => savepoint.commit().map_err(failed())?,
            Err(error) => {
                drop(savepoint);
                // A full disk or a failing one ends the whole transaction, with all that is in it.
                if tx.is_autocommit() {
                    return Err(error);
                }
            }
        }
    }
    tx.commit().map_err(failed())
}
