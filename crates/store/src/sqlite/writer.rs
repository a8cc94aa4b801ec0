//! The one thread that writes, and commits in groups.
//!
//! It takes whatever has queued up, runs it in one transaction with a savepoint for each job, and
//! answers everybody after the one commit. A job that fails undoes its own work only.

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
    /// Does the work; an error asks for a rollback to the state before it.
    fn run(&mut self, connection: &Connection) -> Result<(), Error>;
    /// Tells the waiting side: its own result if the commit held, the error otherwise.
    fn answer(self: Box<Self>, commit: Result<(), Error>);
}

struct Work<T, F> {
    work: Option<F>,
    result: Result<T, Error>,
    reply: oneshot::Sender<Result<T, Error>>,
}

impl<T, F> Job for Work<T, F>
where
    T: Send,
    F: FnOnce(&Connection) -> Result<T, Error> + Send,
{
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

    /// Queues `work` and waits for its commit.
    pub(super) async fn run<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Work { work: Some(work), result: Err(Error::Closed), reply });
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

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ErrorCode;

    type Task = fn(&Connection) -> Result<(), Error>;

    /// Runs the jobs as one group; returns their answers and what is kept.
    fn group(jobs: Vec<Task>) -> (Vec<Result<(), Error>>, Vec<i64>) {
        let mut connection = Connection::open_in_memory().expect("a database");
        connection.execute_batch("CREATE TABLE t (x INTEGER)").expect("a table");
        let (jobs, answers): (Vec<Box<dyn Job>>, Vec<_>) = jobs
            .into_iter()
            .map(|work| {
                let (reply, answer) = oneshot::channel();
                (
                    Box::new(Work { work: Some(work), result: Err(Error::Closed), reply }) as Box<dyn Job>,
                    answer,
                )
            })
            .unzip();
        commit(&mut connection, Path::new("x.db"), jobs);
        let answers = answers.into_iter().map(|a| a.blocking_recv().expect("answered")).collect();
        let mut statement = connection.prepare("SELECT x FROM t ORDER BY x").expect("a query");
        let kept = statement.query_map((), |row| row.get(0)).expect("rows");
        let kept = kept.collect::<Result<_, _>>().expect("numbers");
        (answers, kept)
    }

    fn insert(connection: &Connection, x: i64) -> Result<(), Error> {
        connection.execute("INSERT INTO t VALUES (?1)", [x]).map(|_| ()).map_err(refused("insert", "x.db"))
    }

    #[test]
    fn a_job_that_fails_or_panics_undoes_its_own_work_only() {
        let (answers, kept) = group(vec![
            |c| insert(c, 1),
            |c| insert(c, 2).and(Err(Error::Taken("two".into()))),
            |c| insert(c, 3),
            |c| {
                insert(c, 4)?;
                panic!("a fault in the job")
            },
            |c| insert(c, 5),
        ]);
        assert_eq!(kept, [1, 3, 5]);
        assert!(matches!(&answers[..], [Ok(()), Err(Error::Taken(_)), Ok(()), Err(Error::Closed), Ok(())]));
    }

    #[test]
    fn when_the_transaction_is_lost_nobody_is_told_that_it_held() {
        let (answers, kept) = group(vec![
            |c| insert(c, 1),
            |c| {
                // As SQLite itself does when the disk fails.
                c.execute_batch("ROLLBACK").map_err(refused("roll back", "x.db"))?;
                Err(Error::Taken("the cause".into()))
            },
            |c| insert(c, 3),
        ]);
        assert!(kept.is_empty(), "{kept:?}");
        assert!(answers.iter().all(|a| matches!(a, Err(Error::Taken(cause)) if cause == "the cause")));
    }

    #[tokio::test]
    async fn a_full_database_refuses_and_goes_on_when_there_is_room() {
        let folder = tempfile::tempdir().expect("a folder");
        let writer = Writer::start(folder.path().join("x.db")).await.expect("started");
        let set_pages = |n: u32| {
            writer.run(move |c| c.pragma_update(None, "max_page_count", n).map_err(refused("limit", "x.db")))
        };
        let fill = || {
            writer.run(|c| {
                let sql = "INSERT INTO servers VALUES (NULL, hex(randomblob(8)), '\"' || hex(zeroblob(99999)) || '\"', 0)";
                c.execute(sql, ()).map(|_| ()).map_err(refused("insert", "x.db"))
            })
        };
        set_pages(10).await.expect("set");
        match fill().await {
            Err(Error::Database { source, .. }) => {
                assert_eq!(source.sqlite_error_code(), Some(ErrorCode::DiskFull));
            }
            other => panic!("{other:?}"),
        }
        set_pages(1000).await.expect("set");
        fill().await.expect("there is room again");
        writer.close().await;
    }
}
