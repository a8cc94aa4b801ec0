//! SQLite: one file, one thread that writes, one connection that reads.
//!
//! Writers that compete for the file stall each other for seconds; one writer that commits what
//! has queued up in one transaction does not, and makes `synchronous = FULL` affordable.

mod activities;
mod alone;
mod audit;
mod connection;
mod copy;
mod definitions;
mod hooks;
mod keys;
mod marks;
mod migrations;
mod runs;
mod schedules;
mod servers;
mod sessions;
mod templates;
mod variables;
mod versions;
mod workflows;
mod writer;

use crate::Error;
use crate::bus::Local;
use crate::marks::Since;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use writer::Writer;

/// An open SQLite database.
pub(crate) struct Sqlite {
    path: PathBuf,
    writer: Writer,
    reader: Arc<Mutex<Reader>>,
    /// Says, while it is open, that this process uses the file.
    presence: Mutex<Option<std::fs::File>>,
    pub(crate) bus: Local,
}

/// The connection that reads: opened by the first read, gone once the store is closed.
enum Reader {
    Unopened,
    Open(Connection),
    Closed,
}

impl Sqlite {
    /// Opens the file at `path`, which is made where missing, and brings its tables up to date.
    pub(crate) async fn open(path: &Path) -> Result<Self, Error> {
        let writer = Writer::start(path.to_owned()).await?;
        let reader = Arc::new(Mutex::new(Reader::Unopened));
        let (path, presence, bus) = (path.to_owned(), Mutex::default(), Local::default());
        Ok(Self { path, writer, reader, presence, bus })
    }

    /// Runs `work` on the reading connection, away from the async threads. It sees every write
    /// that was answered before.
    async fn read<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    {
        let (reader, path) = (Arc::clone(&self.reader), self.path.clone());
        let task = tokio::task::spawn_blocking(move || {
            let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
            if let Reader::Unopened = *reader {
                *reader = Reader::Open(connection::open_reader(&path)?);
            }
            match &*reader {
                Reader::Open(connection) => work(connection),
                Reader::Unopened | Reader::Closed => Err(Error::Closed),
            }
        });
        task.await.unwrap_or(Err(Error::Closed))
    }

    /// Runs `work` on the writing connection, in a transaction that it may share with others; an
    /// error undoes what `work` did. The answer comes after the commit reached the disk.
    async fn write<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    {
        self.writer.run(work).await
    }

    /// The same for a change of definitions that was decided upon others.
    async fn write_since<T, F>(&self, since: Since, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    {
        self.write(move |connection| {
            if since.is_some() {
                marks::now(connection)?.refuse_moved(since)?;
            }
            work(connection)
        })
        .await
    }

    /// The same for work that leaves nothing half done unless the database itself fails, which spares the cost of
    /// being able to undo it alone: an error undoes the whole transaction.
    async fn write_whole<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    {
        self.writer.run_whole(work).await
    }

    /// Commits what is queued and closes both connections.
    pub(crate) async fn close(&self) {
        let reader = Arc::clone(&self.reader);
        let closing = tokio::task::spawn_blocking(move || {
            *reader.lock().unwrap_or_else(PoisonError::into_inner) = Reader::Closed;
        });
        // The writer goes last: the last connection folds the log file into the database.
        if closing.await.is_err() {
            tracing::error!("the reading connection of the store did not close");
        }
        self.writer.close().await;
        self.leave();
    }
}

/// Names what was being done to which file when the database refuses it.
fn refused(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(rusqlite::Error) -> Error {
    let path = path.into();
    move |cause| Error::Database { doing, path, cause: Arc::new(cause) }
}

/// The same, for work that knows only its connection.
fn refused_on(doing: &'static str, connection: &Connection) -> impl FnOnce(rusqlite::Error) -> Error {
    refused(doing, connection.path().unwrap_or_default())
}

/// A count as SQLite keeps it; none comes near the end of its range.
fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The same for limits and offsets.
fn size(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

/// A count as it was kept.
fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}
