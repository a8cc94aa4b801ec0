//! The area of sessions: a journal of events for each, with the row that lists, limits and timers look at.

mod row;

pub use row::{Created, SessionFilter, SessionLimits, SessionRow, StoredSession};

use crate::{Backend, Error};

/// Sessions, by their ids.
pub struct Sessions<'a>(pub(crate) &'a Backend);

impl Sessions<'_> {
    /// Keeps a new session with its first events, all in one step. Is there one of the same workflow, caller and
    /// key, nothing happens. Otherwise finished sessions that are too old go first; at the limit the oldest
    /// finished ones go until there is room, and after them, if that is allowed, the oldest open ones. An id in
    /// use is [`Error::Taken`].
    pub async fn create(
        &self,
        row: SessionRow,
        key: Option<String>,
        events: Vec<String>,
        limits: SessionLimits,
    ) -> Result<Created, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.create_session(row, key, events, limits),
            Backend::Sqlite(sqlite) => sqlite.create_session(row, key, events, limits).await,
        }
    }

    /// Adds events to a session that has exactly `at` of them, and puts `row` in the place of its row, both or
    /// neither. Says whether that was done: it is not when somebody else was faster. What never changes in a row
    /// stays as it was created. An unknown session is [`Error::Gone`].
    pub async fn append(&self, row: SessionRow, at: u64, events: Vec<String>) -> Result<bool, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.append_to_session(row, at, events),
            Backend::Sqlite(sqlite) => sqlite.append_to_session(row, at, events).await,
        }
    }

    /// The session of that id, with all of its events.
    pub async fn get(&self, id: &str) -> Result<Option<StoredSession>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.get_session(id),
            Backend::Sqlite(sqlite) => sqlite.get_session(id).await,
        }
    }

    /// The row of the session of that id.
    pub async fn row(&self, id: &str) -> Result<Option<SessionRow>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.session_row(id),
            Backend::Sqlite(sqlite) => sqlite.session_row(id).await,
        }
    }

    /// The events of a session without the first `at`; none for an unknown session.
    pub async fn events_after(&self, id: &str, at: u64) -> Result<Vec<String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.session_events(id, at),
            Backend::Sqlite(sqlite) => sqlite.session_events(id, at).await,
        }
    }

    /// At most `limit` sessions, newest first and then by id, without the first `offset`.
    pub async fn list(
        &self,
        filter: SessionFilter<'_>,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<StoredSession>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.list_sessions(filter, limit, offset),
            Backend::Sqlite(sqlite) => sqlite.list_sessions(filter, limit, offset).await,
        }
    }

    /// How many sessions there are.
    pub async fn count(&self, filter: SessionFilter<'_>) -> Result<u64, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.count_sessions(filter),
            Backend::Sqlite(sqlite) => sqlite.count_sessions(filter).await,
        }
    }

    /// How many sessions of which workflow are in which status, by workflow and then by status; no line says 0.
    pub async fn stats(&self) -> Result<Vec<(String, String, u64)>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.session_stats(),
            Backend::Sqlite(sqlite) => sqlite.session_stats().await,
        }
    }

    /// The ids of at most `limit` open sessions of a workflow that this caller started, newest first.
    pub async fn open(&self, workflow: &str, caller: &str, limit: usize) -> Result<Vec<String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.open_sessions(workflow, caller, limit),
            Backend::Sqlite(sqlite) => sqlite.open_sessions(workflow, caller, limit).await,
        }
    }

    /// The ids of at most `limit` sessions that are due at `now`, the longest due first.
    pub async fn due(&self, now: i64, limit: usize) -> Result<Vec<String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.due_sessions(now, limit),
            Backend::Sqlite(sqlite) => sqlite.due_sessions(now, limit).await,
        }
    }

    /// When the next session is due.
    pub async fn next_due(&self) -> Result<Option<i64>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.next_due_session(),
            Backend::Sqlite(sqlite) => sqlite.next_due_session().await,
        }
    }

    /// The ids of at most `limit` sessions that wait for exactly this, the oldest first.
    pub async fn waiting(&self, word: &str, limit: usize) -> Result<Vec<String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.waiting_sessions(word, limit),
            Backend::Sqlite(sqlite) => sqlite.waiting_sessions(word, limit).await,
        }
    }

    /// The ids of at most `limit` open sessions that run as steps of one that is finished.
    pub async fn orphans(&self, limit: usize) -> Result<Vec<String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.orphan_sessions(limit),
            Backend::Sqlite(sqlite) => sqlite.orphan_sessions(limit).await,
        }
    }

    /// The ids of at most `limit` open sessions, in the order of their ids, from the one after `after` on.
    pub async fn unfinished(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.unfinished_sessions(after, limit),
            Backend::Sqlite(sqlite) => sqlite.unfinished_sessions(after, limit).await,
        }
    }

    /// Forgets a session, and says whether there was one of that id.
    pub async fn delete(&self, id: &str) -> Result<bool, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.delete_session(id),
            Backend::Sqlite(sqlite) => sqlite.delete_session(id).await,
        }
    }

    /// Forgets sessions that were finished before `finished_before`, and, while more than `most` sessions are
    /// left, the oldest finished ones; of those in `statuses` only, unless that is empty. Open sessions stay. Says
    /// how many went.
    pub async fn cleanup(
        &self,
        finished_before: i64,
        most: Option<u64>,
        statuses: &[&str],
    ) -> Result<u64, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.cleanup_sessions(finished_before, most, statuses),
            Backend::Sqlite(sqlite) => sqlite.cleanup_sessions(finished_before, most, statuses).await,
        }
    }

    /// How many open sessions are pinned to the definition of that hash.
    pub async fn using(&self, definition: &str) -> Result<u64, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.sessions_using(definition),
            Backend::Sqlite(sqlite) => sqlite.sessions_using(definition).await,
        }
    }
}
