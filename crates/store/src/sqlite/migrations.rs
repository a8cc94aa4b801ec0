//! The tables of each version, and the way from one to the next.
//!
//! Migration `n` brings a database from `user_version` `n - 1` to `n`. A file that was released
//! is never edited; a change is a new file.

use super::refused;
use crate::Error;
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;

const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_servers.sql"),
    include_str!("migrations/0002_hooks.sql"),
    include_str!("migrations/0003_workflows.sql"),
    include_str!("migrations/0004_runs.sql"),
    include_str!("migrations/0005_variables.sql"),
    include_str!("migrations/0006_sessions.sql"),
    include_str!("migrations/0007_templates.sql"),
    include_str!("migrations/0008_instances.sql"),
    include_str!("migrations/0009_keys.sql"),
    include_str!("migrations/0010_audit.sql"),
    include_str!("migrations/0011_key_marks.sql"),
    include_str!("migrations/0012_refused.sql"),
    include_str!("migrations/0013_audit_pages.sql"),
];

/// `LOCK` in ASCII, kept in the header of the file: the database is ours.
const APPLICATION_ID: i32 = 0x4C4F_434B;

/// The version that this build reads and writes.
pub(super) const KNOWN: u32 = MIGRATIONS.len() as u32;

/// Refuses a database of another program or of a later version. Changes nothing.
pub(super) fn check(connection: &mut Connection, path: &Path) -> Result<(), Error> {
    // One transaction, so that no other process can update the tables between two looks.
    let tx = connection.transaction().map_err(refused("read the version", path))?;
    check_in(&tx, path)
}

fn check_in(connection: &Connection, path: &Path) -> Result<(), Error> {
    let failed = || refused("read the version", path);
    let owner: i32 = pragma(connection, "application_id").map_err(failed())?;
    let version = version(connection).map_err(failed())?;
    let tables: u32 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0)).map_err(failed())?;
    let fresh = owner == 0 && version == 0 && tables == 0;
    if owner != APPLICATION_ID && !fresh {
        return Err(Error::Foreign(path.into()));
    }
    if version > KNOWN {
        return Err(Error::Newer { path: path.into(), found: version, known: KNOWN });
    }
    Ok(())
}

/// Applies what is missing, all of it or nothing.
pub(super) fn apply(connection: &mut Connection, path: &Path) -> Result<(), Error> {
    let failed = || refused("update the tables", path);
    if version(connection).map_err(failed())? == KNOWN {
        return Ok(());
    }
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed())?;
    // Another process may have been faster: the version counts as it is inside the transaction.
    check_in(&tx, path)?;
    let from = version(&tx).map_err(failed())?;
    for sql in &MIGRATIONS[from as usize..] {
        tx.execute_batch(sql).map_err(failed())?;
    }
    tx.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed())?;
    tx.pragma_update(None, "user_version", KNOWN).map_err(failed())?;
    tx.commit().map_err(failed())?;
    tracing::debug!(from, to = KNOWN, "the tables of the store were updated");
    Ok(())
}

pub(super) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    pragma(connection, "user_version")
}

fn pragma<T: rusqlite::types::FromSql>(connection: &Connection, name: &str) -> rusqlite::Result<T> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}
