//! Adding events to a session: the write that every step of every session waits for.
//!
//! Each index costs the writer as much as the event itself, so an update names only the columns that differ.

use super::claims;
use super::journal::Journal;
use crate::sqlite::signed;
use crate::{Claim, SessionRow};
use rusqlite::{Connection, OptionalExtension, Row, params};

/// What came of it.
pub(super) enum Append {
    Done,
    /// The session has not as many events as it must have.
    Late,
    Gone,
}

/// How much of a row differs from the one that is kept.
#[derive(Clone, Copy)]
enum Change {
    Time,
    Wait,
    State,
}

/// Writes nothing, or all of it, unless it fails.
pub(super) fn append(
    connection: &Connection,
    row: &SessionRow,
    at: u64,
    events: &[String],
    claim: Claim,
) -> rusqlite::Result<Append> {
    let sql = "SELECT number, events, last, status, open, completed_at, definition, waiting, due, held_until
               FROM sessions WHERE id = ?1";
    let look =
        |kept: &Row<'_>| Ok((Journal::of(kept, 0)?, compare(row, kept)?, kept.get::<_, Option<i64>>(9)?));
    let found = connection.prepare_cached(sql)?.query_row(params![row.id], look).optional()?;
    let (mut journal, change, held) = match found {
        None => return Ok(Append::Gone),
        Some((journal, ..)) if journal.count != signed(at) => return Ok(Append::Late),
        Some(found) => found,
    };
    journal.add(connection, events)?;
    update(connection, journal, row, change)?;
    claims::settle(connection, journal.session, claim, held.is_some())?;
    Ok(Append::Done)
}

fn compare(row: &SessionRow, kept: &Row<'_>) -> rusqlite::Result<Change> {
    let same_state = kept.get_ref(3)?.as_str()? == row.status
        && kept.get::<_, bool>(4)? == row.open
        && kept.get::<_, Option<i64>>(5)? == row.completed_at
        && kept.get_ref(6)?.as_str()? == row.definition;
    if !same_state {
        return Ok(Change::State);
    }
    let same_wait = kept.get_ref(7)?.as_str_or_null()? == row.waiting.as_deref()
        && kept.get::<_, Option<i64>>(8)? == row.due;
    Ok(if same_wait { Change::Time } else { Change::Wait })
}

fn update(
    connection: &Connection,
    journal: Journal,
    row: &SessionRow,
    change: Change,
) -> rusqlite::Result<()> {
    let Journal { session, count, last } = journal;
    let changed = match change {
        Change::Time => {
            let sql = "UPDATE sessions SET events = ?2, last = ?3, updated_at = ?4 WHERE number = ?1";
            connection.prepare_cached(sql)?.execute(params![session, count, last, row.updated_at])
        }
        Change::Wait => {
            let sql = "UPDATE sessions SET events = ?2, last = ?3, updated_at = ?4, waiting = ?5, due = ?6
                       WHERE number = ?1";
            let values = params![session, count, last, row.updated_at, row.waiting, row.due];
            connection.prepare_cached(sql)?.execute(values)
        }
        Change::State => {
            let sql = "UPDATE sessions SET events = ?2, last = ?3, updated_at = ?4, waiting = ?5, due = ?6,
                       status = ?7, open = ?8, completed_at = ?9, definition = ?10 WHERE number = ?1";
            connection.prepare_cached(sql)?.execute(params![
                session,
                count,
                last,
                row.updated_at,
                row.waiting,
                row.due,
                row.status,
                row.open,
                row.completed_at,
                row.definition,
            ])
        }
    };
    changed.map(drop)
}
