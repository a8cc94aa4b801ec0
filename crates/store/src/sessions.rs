//! The area of sessions: a journal of events for each, with the row that lists, limits and timers look at.

mod claim;
mod row;

pub use claim::{AT_WORK, Claim, Lease};
pub use row::{Created, SessionFilter, SessionLimits, SessionRow, StoredSession};

use crate::{Backend, Error};

/// Sessions, by their ids.
pub struct Sessions<'a>(pub(crate) &'a Backend);

impl Sessions<'_> {
    /// Keeps a new session with its first events, all in one step. Is there one of the same workflow, caller and
    /// key, nothing happens. Otherwise finished sessions that are too old go first; at the limit the oldest
    /// finished ones go until there is room, and after them, if that is allowed, the oldest open ones. A finished one
    /// that runs as a step of an open one stays. An id in use is [`Error::Taken`], and workflows that were changed since the limits say are [`Error::Moved`].
    pub async fn create(
        &self,
        row: SessionRow,
        key: Option<String>,
        events: Vec<String>,
        limits: SessionLimits,
        claim: Claim,
    ) -> Result<Created, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.create_session(row, key, events, limits, claim),
            Backend::Sqlite(sqlite) => sqlite.create_session(row, key, events, limits, claim).await,
            Backend::Postgres(postgres) => {
                Box::pin(postgres.create_session(row, key, events, limits, claim)).await
            }
            Backend::Redis(redis) => Box::pin(redis.create_session(row, key, events, limits, claim)).await,
        }
    }

    /// Adds events to a session that has exactly `at` of them, and puts `row` in the place of its row, both or
    /// neither. Says whether that was done: it is not when somebody else was faster. What never changes in a row
    /// stays as it was created. Who holds the session then is what `claim` says; whoever held it before does not
    /// matter. An unknown session is [`Error::Gone`].
    pub async fn append(
        &self,
        row: SessionRow,
        at: u64,
        events: Vec<String>,
        claim: Claim,
    ) -> Result<bool, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.append_to_session(row, at, events, claim),
            Backend::Sqlite(sqlite) => sqlite.append_to_session(row, at, events, claim).await,
            Backend::Postgres(postgres) => Box::pin(postgres.append_to_session(row, at, events, claim)).await,
            Backend::Redis(redis) => Box::pin(redis.append_to_session(row, at, events, claim)).await,
        }
    }

    /// The session of that id, with all of its events.
    pub async fn get(&self, id: &str) -> Result<Option<StoredSession>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.get_session(id),
            Backend::Sqlite(sqlite) => sqlite.get_session(id).await,
            Backend::Postgres(postgres) => Box::pin(postgres.get_session(id)).await,
            Backend::Redis(redis) => Box::pin(redis.get_session(id)).await,
        }
    }

    /// The row of the session of that id.
    pub async fn row(&self, id: &str) -> Result<Option<SessionRow>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.session_row(id),
            Backend::Sqlite(sqlite) => sqlite.session_row(id).await,
            Backend::Postgres(postgres) => Box::pin(postgres.session_row(id)).await,
            Backend::Redis(redis) => Box::pin(redis.session_row(id)).await,
        }
    }

    /// The events of a session without the first `at`; nothing for an unknown session.
    pub async fn events_after(&self, id: &str, at: u64) -> Result<Option<Vec<String>>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.session_events(id, at),
            Backend::Sqlite(sqlite) => sqlite.session_events(id, at).await,
            Backend::Postgres(postgres) => Box::pin(postgres.session_events(id, at)).await,
            Backend::Redis(redis) => Box::pin(redis.session_events(id, at)).await,
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
            Backend::Postgres(postgres) => Box::pin(postgres.list_sessions(filter, limit, offset)).await,
            Backend::Redis(redis) => Box::pin(redis.list_sessions(filter, limit, offset)).await,
        }
    }

    /// How many sessions there are.
    pub async fn count(&self, filter: SessionFilter<'_>) -> Result<u64, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.count_sessions(filter),
            Backend::Sqlite(sqlite) => sqlite.count_sessions(filter).await,
            Backend::Postgres(postgres) => Box::pin(postgres.count_sessions(filter)).await,
            Backend::Redis(redis) => Box::pin(redis.count_sessions(filter)).await,
        }
    }

    /// How many sessions of which workflow are in which status, by workflow and then by status; no line says 0.
    pub async fn stats(&self) -> Result<Vec<(String, String, u64)>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.session_stats(),
            Backend::Sqlite(sqlite) => sqlite.session_stats().await,
            Backend::Postgres(postgres) => Box::pin(postgres.session_stats()).await,
            Backend::Redis(redis) => Box::pin(redis.session_stats()).await,
        }
    }

    /// The ids of at most `limit` open sessions of a workflow that this caller started, newest first.
    pub async fn open(&self, workflow: &str, caller: &str, limit: usize) -> Result<Vec<String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.open_sessions(workflow, caller, limit),
            Backend::Sqlite(sqlite) => sqlite.open_sessions(workflow, caller, limit).await,
            Backend::Postgres(postgres) => Box::pin(postgres.open_sessions(workflow, caller, limit)).await,
            Backend::Redis(redis) => Box::pin(redis.open_sessions(workflow, caller, limit)).await,
        }
    }

    /// The ids of at most `limit` sessions that are due at `now`, the longest due first.
    pub async fn due(&self, now: i64, limit: usize) -> Result<Vec<String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.due_sessions(now, limit),
            Backend::Sqlite(sqlite) => sqlite.due_sessions(now, limit).await,
            Backend::Postgres(postgres) => Box::pin(postgres.due_sessions(now, limit)).await,
            Backend::Redis(redis) => Box::pin(redis.due_sessions(now, limit)).await,
        }
    }

    /// When the next session is due.
    pub async fn next_due(&self) -> Result<Option<i64>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.next_due_session(),
            Backend::Sqlite(sqlite) => sqlite.next_due_session().await,
            Backend::Postgres(postgres) => Box::pin(postgres.next_due_session()).await,
            Backend::Redis(redis) => Box::pin(redis.next_due_session()).await,
        }
    }

    /// The id of the session of this workflow and caller that was created with this key.
    pub async fn keyed(&self, workflow: &str, caller: &str, key: &str) -> Result<Option<String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.keyed_session(workflow, caller, key),
            Backend::Sqlite(sqlite) => sqlite.keyed_session(workflow, caller, key).await,
            Backend::Postgres(postgres) => Box::pin(postgres.keyed_session(workflow, caller, key)).await,
            Backend::Redis(redis) => Box::pin(redis.keyed_session(workflow, caller, key)).await,
        }
    }

    /// The ids of at most `limit` sessions that wait for exactly this, the oldest first.
    pub async fn waiting(&self, word: &str, limit: usize) -> Result<Vec<String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.waiting_sessions(word, limit),
            Backend::Sqlite(sqlite) => sqlite.waiting_sessions(word, limit).await,
            Backend::Postgres(postgres) => Box::pin(postgres.waiting_sessions(word, limit)).await,
            Backend::Redis(redis) => Box::pin(redis.waiting_sessions(word, limit)).await,
        }
    }

    /// The ids of at most `limit` open sessions that run as steps of one that is finished or gone.
    pub async fn orphans(&self, limit: usize) -> Result<Vec<String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.orphan_sessions(limit),
            Backend::Sqlite(sqlite) => sqlite.orphan_sessions(limit).await,
            Backend::Postgres(postgres) => Box::pin(postgres.orphan_sessions(limit)).await,
            Backend::Redis(redis) => Box::pin(redis.orphan_sessions(limit)).await,
        }
    }

    /// The ids of at most `limit` sessions that wait for one that is finished or gone.
    pub async fn answered(&self, limit: usize) -> Result<Vec<String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.answered_sessions(limit),
            Backend::Sqlite(sqlite) => sqlite.answered_sessions(limit).await,
            Backend::Postgres(postgres) => Box::pin(postgres.answered_sessions(limit)).await,
            Backend::Redis(redis) => Box::pin(redis.answered_sessions(limit)).await,
        }
    }

    /// Hands out at most `limit` sessions that somebody must look at and that nobody holds: those at work
    /// ([`AT_WORK`]) and those that are due at `now`. Whether somebody holds them is decided by the clock of the
    /// store. No session is handed out twice while the lease lasts.
    pub async fn take_up(&self, now: i64, lease: &Lease, limit: usize) -> Result<Vec<String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.take_up_sessions(now, lease, limit),
            Backend::Sqlite(sqlite) => sqlite.take_up_sessions(now, lease, limit).await,
            Backend::Postgres(postgres) => Box::pin(postgres.take_up_sessions(now, lease, limit)).await,
            Backend::Redis(redis) => Box::pin(redis.take_up_sessions(now, lease, limit)).await,
        }
    }

    /// Claims one session, unless somebody else holds it, and says whether that was done. Nobody can claim an
    /// unknown session.
    pub async fn claim(&self, id: &str, lease: &Lease) -> Result<bool, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.claim_session(id, lease),
            Backend::Sqlite(sqlite) => sqlite.claim_session(id, lease).await,
            Backend::Postgres(postgres) => Box::pin(postgres.claim_session(id, lease)).await,
            Backend::Redis(redis) => Box::pin(redis.claim_session(id, lease)).await,
        }
    }

    /// Holds on to sessions; gives those of them that this holder holds, which others are not any more.
    pub async fn renew(&self, ids: &[String], lease: &Lease) -> Result<Vec<String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.renew_sessions(ids, lease),
            Backend::Sqlite(sqlite) => sqlite.renew_sessions(ids, lease).await,
            Backend::Postgres(postgres) => Box::pin(postgres.renew_sessions(ids, lease)).await,
            Backend::Redis(redis) => Box::pin(redis.renew_sessions(ids, lease)).await,
        }
    }

    /// Lets go of a session, if this holder holds it.
    pub async fn release(&self, id: &str, holder: &str) -> Result<(), Error> {
        match self.0 {
            Backend::Memory(memory) => memory.release_session(id, holder),
            Backend::Sqlite(sqlite) => sqlite.release_session(id, holder).await,
            Backend::Postgres(postgres) => Box::pin(postgres.release_session(id, holder)).await,
            Backend::Redis(redis) => Box::pin(redis.release_session(id, holder)).await,
        }
    }

    /// Ends all claims of a holder, or of everybody, and says how many there were.
    pub async fn release_all(&self, holder: Option<&str>) -> Result<u64, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.release_sessions(holder),
            Backend::Sqlite(sqlite) => sqlite.release_sessions(holder).await,
            Backend::Postgres(postgres) => Box::pin(postgres.release_sessions(holder)).await,
            Backend::Redis(redis) => Box::pin(redis.release_sessions(holder)).await,
        }
    }

    /// The ids of at most `limit` open sessions, in the order of their ids, from the one after `after` on.
    pub async fn unfinished(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.unfinished_sessions(after, limit),
            Backend::Sqlite(sqlite) => sqlite.unfinished_sessions(after, limit).await,
            Backend::Postgres(postgres) => Box::pin(postgres.unfinished_sessions(after, limit)).await,
            Backend::Redis(redis) => Box::pin(redis.unfinished_sessions(after, limit)).await,
        }
    }

    /// Forgets a session, and says whether there was one of that id.
    pub async fn delete(&self, id: &str) -> Result<bool, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.delete_session(id),
            Backend::Sqlite(sqlite) => sqlite.delete_session(id).await,
            Backend::Postgres(postgres) => Box::pin(postgres.delete_session(id)).await,
            Backend::Redis(redis) => Box::pin(redis.delete_session(id)).await,
        }
    }

    /// Forgets sessions that were finished before `finished_before`, and, while more than `most` sessions are
    /// left, the oldest finished ones; of those in `statuses` only, unless that is empty. Open sessions stay, and
    /// finished ones that run as their steps. Says how many went.
    pub async fn cleanup(
        &self,
        finished_before: i64,
        most: Option<u64>,
        statuses: &[&str],
    ) -> Result<u64, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.cleanup_sessions(finished_before, most, statuses),
            Backend::Sqlite(sqlite) => sqlite.cleanup_sessions(finished_before, most, statuses).await,
            Backend::Postgres(postgres) => {
                Box::pin(postgres.cleanup_sessions(finished_before, most, statuses)).await
            }
            Backend::Redis(redis) => Box::pin(redis.cleanup_sessions(finished_before, most, statuses)).await,
        }
    }

    /// How many open sessions are pinned to the definition of that hash.
    pub async fn using(&self, definition: &str) -> Result<u64, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.sessions_using(definition),
            Backend::Sqlite(sqlite) => sqlite.sessions_using(definition).await,
            Backend::Postgres(postgres) => Box::pin(postgres.sessions_using(definition)).await,
            Backend::Redis(redis) => Box::pin(redis.sessions_using(definition)).await,
        }
    }
}
