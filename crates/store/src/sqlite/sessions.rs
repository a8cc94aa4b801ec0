//! The sessions area in SQL: what a gateway asks for. Changes are in the files beside.

mod append;
mod claims;
mod create;
mod journal;
mod list;
#[cfg(test)]
mod tests;

use super::{Sqlite, refused_on, signed, size, unsigned};
use crate::{Claim, Created, Error, SessionFilter, SessionLimits, SessionRow, StoredSession};
use append::Append;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

/// The columns of a [`SessionRow`], as [`read_row`] expects them.
const ROW: &str = "id, workflow, caller, status, open, started_at, updated_at, completed_at, parent, waiting, due, \
                   definition";

impl Sqlite {
    pub(crate) async fn create_session(
        &self,
        row: SessionRow,
        key: Option<String>,
        events: Vec<String>,
        limits: SessionLimits,
        claim: Claim,
    ) -> Result<Created, Error> {
        self.write(move |connection| create::create(connection, &row, key.as_deref(), &events, limits, claim))
            .await
    }

    pub(crate) async fn append_to_session(
        &self,
        row: SessionRow,
        at: u64,
        events: Vec<String>,
        claim: Claim,
    ) -> Result<bool, Error> {
        let id = row.id.clone();
        let done = self
            .write_whole(move |connection| {
                append::append(connection, &row, at, &events, claim)
                    .map_err(refused_on("record what a session did", connection))
            })
            .await?;
        match done {
            Append::Done => Ok(true),
            Append::Late => Ok(false),
            Append::Gone => Err(Error::Gone(id)),
        }
    }

    pub(crate) async fn get_session(&self, id: &str) -> Result<Option<StoredSession>, Error> {
        let id = id.to_owned();
        self.read_sessions(move |connection| list::get(connection, &id)).await
    }

    pub(crate) async fn session_row(&self, id: &str) -> Result<Option<SessionRow>, Error> {
        let id = id.to_owned();
        self.read_sessions(move |connection| {
            let sql = format!("SELECT {ROW} FROM sessions WHERE id = ?1");
            connection.prepare_cached(&sql)?.query_row(params![id], read_row).optional()
        })
        .await
    }

    pub(crate) async fn session_events(&self, id: &str, at: u64) -> Result<Option<Vec<String>>, Error> {
        let id = id.to_owned();
        self.read_sessions(move |connection| list::events(connection, &id, signed(at))).await
    }

    pub(crate) async fn list_sessions(
        &self,
        filter: SessionFilter<'_>,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<StoredSession>, Error> {
        let wanted = list::Wanted::new(filter);
        let window = (size(limit), size(offset));
        self.read_sessions(move |connection| list::list(connection, wanted, window)).await
    }

    pub(crate) async fn count_sessions(&self, filter: SessionFilter<'_>) -> Result<u64, Error> {
        let wanted = list::Wanted::new(filter);
        self.read_sessions(move |connection| list::count(connection, wanted)).await
    }

    pub(crate) async fn session_stats(&self) -> Result<Vec<(String, String, u64)>, Error> {
        self.read_sessions(|connection| {
            let sql = "SELECT workflow, status, sum(sessions) FROM session_counts
                       GROUP BY workflow, status HAVING sum(sessions) > 0 ORDER BY workflow, status";
            let line = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, unsigned(row.get(2)?)));
            connection.prepare_cached(sql)?.query_map((), line)?.collect()
        })
        .await
    }

    pub(crate) async fn open_sessions(
        &self,
        workflow: &str,
        caller: &str,
        limit: usize,
    ) -> Result<Vec<String>, Error> {
        let (workflow, caller) = (workflow.to_owned(), caller.to_owned());
        self.read_sessions(move |connection| {
            let sql = "SELECT id FROM sessions WHERE open AND workflow = ?1 AND caller = ?2
                       ORDER BY started_at DESC, id LIMIT ?3";
            texts(connection, sql, params![workflow, caller, size(limit)])
        })
        .await
    }

    pub(crate) async fn due_sessions(&self, now: i64, limit: usize) -> Result<Vec<String>, Error> {
        self.read_sessions(move |connection| {
            let sql = "SELECT id FROM sessions WHERE due IS NOT NULL AND due <= ?1 ORDER BY due, id LIMIT ?2";
            texts(connection, sql, params![now, size(limit)])
        })
        .await
    }

    pub(crate) async fn keyed_session(
        &self,
        workflow: &str,
        caller: &str,
        key: &str,
    ) -> Result<Option<String>, Error> {
        let (workflow, caller, key) = (workflow.to_owned(), caller.to_owned(), key.to_owned());
        self.read_sessions(move |connection| create::keyed(connection, &workflow, &caller, &key)).await
    }

    pub(crate) async fn next_due_session(&self) -> Result<Option<i64>, Error> {
        self.read_sessions(|connection| {
            let sql = "SELECT due FROM sessions WHERE due IS NOT NULL ORDER BY due LIMIT 1";
            connection.prepare_cached(sql)?.query_row((), |row| row.get(0)).optional()
        })
        .await
    }

    pub(crate) async fn waiting_sessions(&self, word: &str, limit: usize) -> Result<Vec<String>, Error> {
        let word = word.to_owned();
        self.read_sessions(move |connection| {
            let sql = "SELECT id FROM sessions WHERE waiting = ?1 ORDER BY started_at, id LIMIT ?2";
            texts(connection, sql, params![word, size(limit)])
        })
        .await
    }

    pub(crate) async fn orphan_sessions(&self, limit: usize) -> Result<Vec<String>, Error> {
        self.read_sessions(move |connection| {
            let sql = "SELECT child.id FROM sessions AS child LEFT JOIN sessions AS parent ON parent.id = child.parent
                       WHERE child.parent IS NOT NULL AND child.open AND parent.open IS NOT TRUE
                       ORDER BY child.id LIMIT ?1";
            texts(connection, sql, params![size(limit)])
        })
        .await
    }

    pub(crate) async fn answered_sessions(&self, limit: usize) -> Result<Vec<String>, Error> {
        self.read_sessions(move |connection| {
            let sql = "SELECT id FROM sessions AS waits WHERE waiting >= 'session:' AND waiting < 'session;'
                       AND NOT EXISTS (SELECT 1 FROM sessions WHERE id = substr(waits.waiting, 9) AND open)
                       ORDER BY id LIMIT ?1";
            texts(connection, sql, params![size(limit)])
        })
        .await
    }

    pub(crate) async fn unfinished_sessions(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<String>, Error> {
        // No id is empty, so that every id comes after the empty one.
        let after = after.unwrap_or_default().to_owned();
        self.read_sessions(move |connection| {
            let sql = "SELECT id FROM sessions WHERE open AND id > ?1 ORDER BY id LIMIT ?2";
            texts(connection, sql, params![after, size(limit)])
        })
        .await
    }

    pub(crate) async fn delete_session(&self, id: &str) -> Result<bool, Error> {
        let id = id.to_owned();
        self.write(move |connection| {
            let sql = "SELECT number, events, last FROM sessions WHERE id = ?1";
            let removed = create::remove(connection, sql, params![id]);
            Ok(removed.map_err(refused_on("remove a session", connection))? > 0)
        })
        .await
    }

    pub(crate) async fn cleanup_sessions(
        &self,
        finished_before: i64,
        most: Option<u64>,
        statuses: &[&str],
    ) -> Result<u64, Error> {
        let statuses: Vec<String> = statuses.iter().map(|&status| status.to_owned()).collect();
        self.write(move |connection| {
            create::cleanup(connection, finished_before, most, statuses)
                .map_err(refused_on("remove sessions", connection))
        })
        .await
    }

    pub(crate) async fn sessions_using(&self, definition: &str) -> Result<u64, Error> {
        let definition = definition.to_owned();
        self.read_sessions(move |connection| {
            let sql = "SELECT count(*) FROM sessions WHERE definition = ?1 AND open = 1";
            connection.prepare_cached(sql)?.query_row(params![definition], |row| row.get(0).map(unsigned))
        })
        .await
    }

    async fn read_sessions<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        self.read(|connection| work(connection).map_err(refused_on("read sessions", connection))).await
    }
}

fn texts(connection: &Connection, sql: &str, params: impl Params) -> rusqlite::Result<Vec<String>> {
    connection.prepare_cached(sql)?.query_map(params, |row| row.get(0))?.collect()
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    Ok(SessionRow {
        id: row.get(0)?,
        workflow: row.get(1)?,
        caller: row.get(2)?,
        status: row.get(3)?,
        open: row.get(4)?,
        started_at: row.get(5)?,
        updated_at: row.get(6)?,
        completed_at: row.get(7)?,
        parent: row.get(8)?,
        waiting: row.get(9)?,
        due: row.get(10)?,
        definition: row.get(11)?,
    })
}
