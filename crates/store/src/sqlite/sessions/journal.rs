//! The events of one session: a chain through the table of all events.

use rusqlite::{Connection, Row, params};

/// Where the journal of a session ends.
#[derive(Clone, Copy)]
pub(super) struct Journal {
    /// The number of the session.
    pub(super) session: i64,
    /// How many events there are.
    pub(super) count: i64,
    /// The number of the last one.
    pub(super) last: Option<i64>,
}

impl Journal {
    /// Reads the columns `number, events, last` of a session, the first of which is the one at `column`.
    pub(super) fn of(row: &Row<'_>, column: usize) -> rusqlite::Result<Self> {
        Ok(Self { session: row.get(column)?, count: row.get(column + 1)?, last: row.get(column + 2)? })
    }

    /// Adds events at the end; the session must be told where that is then.
    pub(super) fn add(&mut self, connection: &Connection, events: &[String]) -> rusqlite::Result<()> {
        let sql = "INSERT INTO session_events (session, seq, before, event) VALUES (?1, ?2, ?3, ?4)";
        let mut statement = connection.prepare_cached(sql)?;
        for event in events {
            self.last = Some(statement.insert(params![self.session, self.count, self.last, event])?);
            self.count += 1;
        }
        Ok(())
    }

    /// The events without the first `from`.
    pub(super) fn read(&self, connection: &Connection, from: i64) -> rusqlite::Result<Vec<String>> {
        let sql = "SELECT before, event FROM session_events WHERE number = ?1";
        let mut statement = connection.prepare_cached(sql)?;
        let (mut next, mut events) = (self.last, Vec::new());
        for _ in from.max(0)..self.count {
            let (before, event) = statement.query_row(params![next], |row| Ok((row.get(0)?, row.get(1)?)))?;
            events.push(event);
            next = before;
        }
        events.reverse();
        Ok(events)
    }

    /// Removes the session with all of its events.
    pub(super) fn remove(self, connection: &Connection) -> rusqlite::Result<()> {
        let sql = "DELETE FROM session_events WHERE number = ?1 RETURNING before";
        let mut statement = connection.prepare_cached(sql)?;
        let mut next = self.last;
        while let Some(number) = next {
            next = statement.query_row(params![number], |row| row.get(0))?;
        }
        connection
            .prepare_cached("DELETE FROM sessions WHERE number = ?1")?
            .execute(params![self.session])?;
        Ok(())
    }
}
