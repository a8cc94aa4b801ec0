//! Reading sessions together with their events.

use super::journal::Journal;
use super::{ROW, read_row};
use crate::sqlite::unsigned;
use crate::{SessionFilter, StoredSession};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

/// A filter as a condition in SQL with its values.
pub(super) struct Wanted {
    condition: String,
    values: Vec<Value>,
    /// Whether it looks only at what the counts know too.
    counted: bool,
}

impl Wanted {
    pub(super) fn new(filter: SessionFilter<'_>) -> Self {
        let mut parts = Vec::new();
        let mut values = Vec::new();
        let mut add = |part, value: String| {
            parts.push(part);
            values.push(Value::Text(value));
        };
        let exact = [
            ("workflow = ?", filter.workflow),
            ("status = ?", filter.status),
            ("caller = ?", filter.caller),
            ("parent = ?", filter.parent),
        ];
        for (part, value) in exact {
            value.into_iter().for_each(|value| add(part, value.to_owned()));
        }
        if let Some(prefix) = filter.waiting {
            add("waiting >= ?", prefix.to_owned());
            // Nothing that begins with the prefix comes after the prefix with the last character there is.
            add("waiting <= ?", format!("{prefix}{}", char::MAX));
        }
        let condition = if parts.is_empty() { "1".into() } else { parts.join(" AND ") };
        let counted = filter.caller.is_none() && filter.parent.is_none() && filter.waiting.is_none();
        Self { condition, values, counted }
    }
}

pub(super) fn get(connection: &Connection, id: &str) -> rusqlite::Result<Option<StoredSession>> {
    // One transaction, so that the events are those of the row.
    let tx = connection.unchecked_transaction()?;
    let sql = format!("SELECT {ROW}, number, events, last FROM sessions WHERE id = ?1");
    let found = tx.prepare_cached(&sql)?.query_row(params![id], |row| with_events(&tx, row)).optional()?;
    tx.commit()?;
    Ok(found)
}

pub(super) fn list(
    connection: &Connection,
    wanted: Wanted,
    (limit, offset): (i64, i64),
) -> rusqlite::Result<Vec<StoredSession>> {
    let tx = connection.unchecked_transaction()?;
    let sql = format!(
        "SELECT {ROW}, number, events, last FROM sessions WHERE {}
         ORDER BY started_at DESC, id LIMIT ? OFFSET ?",
        wanted.condition
    );
    let window = [Value::Integer(limit), Value::Integer(offset)];
    let values = params_from_iter(wanted.values.into_iter().chain(window));
    let found =
        tx.prepare_cached(&sql)?.query_map(values, |row| with_events(&tx, row))?.collect::<Result<_, _>>()?;
    tx.commit()?;
    Ok(found)
}

fn with_events(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<StoredSession> {
    let journal = Journal::of(row, 12)?;
    Ok(StoredSession { row: read_row(row)?, events: journal.read(connection, 0)? })
}

pub(super) fn events(connection: &Connection, id: &str, from: i64) -> rusqlite::Result<Option<Vec<String>>> {
    let tx = connection.unchecked_transaction()?;
    let sql = "SELECT number, events, last FROM sessions WHERE id = ?1";
    let journal = tx.prepare_cached(sql)?.query_row(params![id], |row| Journal::of(row, 0)).optional()?;
    let events = journal.map(|journal| journal.read(&tx, from)).transpose()?;
    tx.commit()?;
    Ok(events)
}

pub(super) fn count(connection: &Connection, wanted: Wanted) -> rusqlite::Result<u64> {
    let from = if wanted.counted {
        "coalesce(sum(sessions), 0) FROM session_counts"
    } else {
        "count(*) FROM sessions"
    };
    let sql = format!("SELECT {from} WHERE {}", wanted.condition);
    connection
        .prepare_cached(&sql)?
        .query_row(params_from_iter(wanted.values), |row| row.get(0).map(unsigned))
}
