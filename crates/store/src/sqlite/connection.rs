//! Opening the file, with the settings that every connection has.

use super::{migrations, refused};
use crate::Error;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long to wait for another process that holds the file.
const BUSY: Duration = Duration::from_secs(5);

/// Opens the connection that writes; makes folder, file and tables where missing.
pub(super) fn open_writer(path: &Path) -> Result<Connection, Error> {
    create_file(path)?;
    let mut connection = open(path)?;
    migrations::check(&mut connection, path)?;
    set_wal(&connection, path)?;
    let settings =
        "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = 4194304;";
    connection.execute_batch(settings).map_err(refused("set up the connection", path))?;
    migrations::apply(&mut connection, path)?;
    Ok(connection)
}

/// Opens the connection that reads, to a file that the writer has set up.
pub(super) fn open_reader(path: &Path) -> Result<Connection, Error> {
    let connection = open(path)?;
    connection.execute_batch("PRAGMA query_only = ON;").map_err(refused("set up the connection", path))?;
    Ok(connection)
}

fn open(path: &Path) -> Result<Connection, Error> {
    // Without the URI flag, a path is a path, whatever characters it has.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(refused("open the file", path))?;
    connection.busy_timeout(BUSY).map_err(refused("set up the connection", path))?;
    // Room for every statement that sessions use, so that none is prepared twice.
    connection.set_prepared_statement_cache_capacity(64);
    // A small page cache: definitions are few, and the gateway promises to be small.
    connection.execute_batch("PRAGMA cache_size = -256;").map_err(refused("set up the connection", path))?;
    Ok(connection)
}

/// Makes the file for its owner alone, because definitions hold environment values. SQLite gives
/// the files beside it the same permissions.
fn create_file(path: &Path) -> Result<(), Error> {
    let failed = |path: &Path, cause: io::Error| Error::File { path: path.into(), cause: Arc::new(cause) };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        DirBuilder::new().recursive(true).create(folder).map_err(|e| failed(folder, e))?;
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|e| failed(path, e))?;
    Ok(())
}

/// Turns the write-ahead log on. SQLite does not wait by itself while two processes that open a
/// new file both try to.
fn set_wal(connection: &Connection, path: &Path) -> Result<(), Error> {
    let start = Instant::now();
    loop {
        let mode = connection.query_row("PRAGMA journal_mode = WAL", (), |row| row.get::<_, String>(0));
        match mode {
            Err(e) if e.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && start.elapsed() < BUSY => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(e) => return Err(refused("turn the write-ahead log on", path)(e)),
            Ok(mode) => {
                if mode != "wal" {
                    // Some network file systems: slower, and just as durable.
                    tracing::warn!(mode, "the store's file system allows no write-ahead log");
                }
                return Ok(());
            }
        }
    }
}
