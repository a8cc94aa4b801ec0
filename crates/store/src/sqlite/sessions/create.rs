//! Creating sessions, and removing others to make room for them.

use super::claims;
use super::journal::Journal;
use crate::sqlite::{marks, refused_on, signed};
use crate::{Area, Claim, Created, Error, SessionLimits, SessionRow};
use rusqlite::{Connection, OptionalExtension, Params, params};

/// The finished sessions that are the oldest, without those that run as steps of open ones.
const FINISHED: &str = "SELECT number, events, last FROM sessions AS one
    WHERE NOT open AND (?2 IS NULL OR status IN (SELECT value FROM json_each(?2)))
    AND NOT EXISTS (SELECT 1 FROM sessions AS above WHERE above.id = one.parent AND above.open)
    ORDER BY completed_at, id LIMIT ?1";

/// The open sessions that are the oldest, without the one of id `?2` and those that it runs in.
const OPEN: &str = "WITH RECURSIVE above (id) AS (
        SELECT ?2 UNION SELECT parent FROM sessions JOIN above USING (id) WHERE parent IS NOT NULL)
    SELECT number, events, last FROM sessions WHERE open AND id NOT IN (SELECT id FROM above WHERE id IS NOT NULL)
    ORDER BY started_at, id LIMIT ?1";

pub(super) fn create(
    connection: &Connection,
    row: &SessionRow,
    key: Option<&str>,
    events: &[String],
    limits: SessionLimits,
    claim: Claim,
) -> Result<Created, Error> {
    let failed = || refused_on("create a session", connection);
    if let Some(since) = limits.since
        && marks::now(connection)?.of(Area::Workflows) != since
    {
        return Err(Error::Moved);
    }
    if let Some(key) = key
        && let Some(id) = keyed(connection, &row.workflow, &row.caller, key).map_err(failed())?
    {
        return Ok(Created::Exists(id));
    }
    remove_old(connection, limits.finished_before, None).map_err(failed())?;
    if !make_room(connection, limits, row.parent.as_deref()).map_err(failed())? {
        return Ok(Created::Full);
    }
    insert(connection, row, key, events, claim).map_err(|e| match e.sqlite_extended_error_code() {
        Some(rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE) => Error::Taken(row.id.clone()),
        _ => failed()(e),
    })?;
    Ok(Created::Made)
}

/// The session that was created with a key.
pub(super) fn keyed(
    connection: &Connection,
    workflow: &str,
    caller: &str,
    key: &str,
) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT id FROM sessions WHERE workflow = ?1 AND caller = ?2 AND key = ?3";
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_row(params![workflow, caller, key], |row| row.get(0)).optional()
}

fn insert(
    connection: &Connection,
    row: &SessionRow,
    key: Option<&str>,
    events: &[String],
    claim: Claim,
) -> rusqlite::Result<()> {
    let sql =
        "INSERT INTO sessions (id, workflow, caller, status, open, started_at, updated_at, completed_at,
               parent, waiting, due, definition, key, number, events, last)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";
    let mut journal = Journal { session: free_number(connection)?, count: 0, last: None };
    journal.add(connection, events)?;
    connection.prepare_cached(sql)?.execute(params![
        row.id,
        row.workflow,
        row.caller,
        row.status,
        row.open,
        row.started_at,
        row.updated_at,
        row.completed_at,
        row.parent,
        row.waiting,
        row.due,
        row.definition,
        key,
        journal.session,
        journal.count,
        journal.last,
    ])?;
    claims::settle(connection, journal.session, claim, false)
}

fn free_number(connection: &Connection) -> rusqlite::Result<i64> {
    let sql = "SELECT coalesce(max(number), 0) + 1 FROM sessions";
    connection.prepare_cached(sql)?.query_row((), |row| row.get(0))
}

/// Removes sessions until one more is allowed; removes none and says `false` when that cannot be.
fn make_room(connection: &Connection, limits: SessionLimits, parent: Option<&str>) -> rusqlite::Result<bool> {
    let (all, finished) = totals(connection)?;
    let over = (all + 1).saturating_sub(signed(limits.most));
    if over > if limits.evict_open { all } else { finished } {
        return Ok(false);
    }
    let mut going =
        if over > 0 { find(connection, FINISHED, params![over, None::<String>])? } else { Vec::new() };
    let open = over.max(0) - going.len() as i64;
    if open > 0 && limits.evict_open {
        going.extend(find(connection, OPEN, params![open, parent])?);
    }
    if (going.len() as i64) < over {
        return Ok(false);
    }
    going.into_iter().try_for_each(|journal| journal.remove(connection))?;
    Ok(true)
}

/// How many sessions there are, and how many of them are finished.
fn totals(connection: &Connection) -> rusqlite::Result<(i64, i64)> {
    let sql = "SELECT coalesce(sum(sessions), 0), coalesce(sum(sessions) FILTER (WHERE NOT open), 0)
               FROM session_counts";
    connection.prepare_cached(sql)?.query_row((), |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Removes sessions that were finished before `time`, of those in `statuses` (a JSON list) only, if there is one. Those
/// that run as steps of open ones stay.
fn remove_old(connection: &Connection, time: i64, statuses: Option<&str>) -> rusqlite::Result<usize> {
    let sql = "SELECT number, events, last FROM sessions AS one WHERE NOT open AND completed_at < ?1
               AND (?2 IS NULL OR status IN (SELECT value FROM json_each(?2)))
               AND NOT EXISTS (SELECT 1 FROM sessions AS above WHERE above.id = one.parent AND above.open)";
    remove(connection, sql, params![time, statuses])
}

/// Removes the sessions that a query finds, and says how many went.
pub(super) fn remove(connection: &Connection, sql: &str, params: impl Params) -> rusqlite::Result<usize> {
    let found = find(connection, sql, params)?;
    let count = found.len();
    found.into_iter().try_for_each(|journal| journal.remove(connection))?;
    Ok(count)
}

/// The sessions that a query finds.
fn find(connection: &Connection, sql: &str, params: impl Params) -> rusqlite::Result<Vec<Journal>> {
    connection.prepare_cached(sql)?.query_map(params, |row| Journal::of(row, 0))?.collect()
}

pub(super) fn cleanup(
    connection: &Connection,
    finished_before: i64,
    most: Option<u64>,
    statuses: Vec<String>,
) -> rusqlite::Result<u64> {
    let statuses = (!statuses.is_empty()).then(|| serde_json::Value::from(statuses).to_string());
    let mut removed = remove_old(connection, finished_before, statuses.as_deref())?;
    let over = totals(connection)?.0.saturating_sub(most.map_or(i64::MAX, signed));
    if over > 0 {
        removed += remove(connection, FINISHED, params![over, statuses])?;
    }
    Ok(removed as u64)
}
