//! Who works on sessions, in SQL.

use super::texts;
use crate::clock;
use crate::sqlite::{Sqlite, refused_on, size};
use crate::{AT_WORK, Claim, Error, Lease};
use rusqlite::{Connection, params};

/// Whose claim has run out, or who was never claimed; `?1` is the time.
const FREE: &str = "(held_until IS NULL OR held_until <= ?1)";

impl Sqlite {
    pub(crate) async fn take_up_sessions(
        &self,
        now: i64,
        lease: &Lease,
        limit: usize,
    ) -> Result<Vec<String>, Error> {
        // Mostly there is nothing, and a look disturbs nobody who writes.
        if self.read_sessions(move |connection| find(connection, now, 1)).await?.is_empty() {
            return Ok(Vec::new());
        }
        let lease = lease.clone();
        self.write(move |connection| {
            take(connection, now, &lease, limit).map_err(refused_on("take sessions up", connection))
        })
        .await
    }

    pub(crate) async fn claim_session(&self, id: &str, lease: &Lease) -> Result<bool, Error> {
        let (id, lease) = (id.to_owned(), lease.clone());
        self.write(move |connection| {
            let now = clock::now();
            let sql = format!(
                "UPDATE sessions SET holder = ?2, held_until = ?3 WHERE id = ?4 AND ({FREE} OR holder = ?2)"
            );
            let values = params![now, &*lease.holder, clock::end(now, lease.ms), id];
            let claimed = connection.prepare_cached(&sql).and_then(|mut one| one.execute(values));
            Ok(claimed.map_err(refused_on("claim a session", connection))? > 0)
        })
        .await
    }

    pub(crate) async fn renew_sessions(&self, ids: &[String], lease: &Lease) -> Result<Vec<String>, Error> {
        let (ids, lease) = (serde_json::Value::from(ids).to_string(), lease.clone());
        self.write(move |connection| {
            let sql = "UPDATE sessions SET held_until = ?2
                       WHERE id IN (SELECT value FROM json_each(?3)) AND holder = ?1 RETURNING id";
            let until = clock::end(clock::now(), lease.ms);
            let held = texts(connection, sql, params![&*lease.holder, until, ids]);
            held.map_err(refused_on("hold on to sessions", connection))
        })
        .await
    }

    pub(crate) async fn release_session(&self, id: &str, holder: &str) -> Result<(), Error> {
        let (id, holder) = (id.to_owned(), holder.to_owned());
        self.write(move |connection| {
            let sql = "UPDATE sessions SET holder = NULL, held_until = NULL WHERE id = ?1 AND holder = ?2";
            let freed = connection.execute(sql, params![id, holder]);
            freed.map(drop).map_err(refused_on("let go of a session", connection))
        })
        .await
    }

    pub(crate) async fn release_sessions(&self, holder: Option<&str>) -> Result<u64, Error> {
        let holder = holder.map(str::to_owned);
        self.write(move |connection| {
            let sql = "UPDATE sessions SET holder = NULL, held_until = NULL
                       WHERE holder IS NOT NULL AND (?1 IS NULL OR holder = ?1)";
            let freed = connection.execute(sql, params![holder]);
            Ok(freed.map_err(refused_on("let go of sessions", connection))? as u64)
        })
        .await
    }
}

/// Follows a claim on the session of that number, of which somebody has or has not been the holder.
pub(super) fn settle(
    connection: &Connection,
    session: i64,
    claim: Claim,
    was_held: bool,
) -> rusqlite::Result<()> {
    let (holder, until) = match claim {
        Claim::Keep => return Ok(()),
        Claim::Free if !was_held => return Ok(()),
        Claim::Free => (None, None),
        Claim::Take(lease) => (Some(lease.holder), Some(clock::end(clock::now(), lease.ms))),
    };
    let sql = "UPDATE sessions SET holder = ?2, held_until = ?3 WHERE number = ?1";
    connection.prepare_cached(sql)?.execute(params![session, holder.as_deref(), until]).map(drop)
}

/// Sessions that somebody must look at and that nobody holds.
fn find(connection: &Connection, now: i64, limit: usize) -> rusqlite::Result<Vec<String>> {
    let clock = clock::now();
    let sql =
        format!("SELECT id FROM sessions WHERE waiting = ?2 AND {FREE} ORDER BY started_at, id LIMIT ?3");
    let mut found = texts(connection, &sql, params![clock, AT_WORK, size(limit)])?;
    let sql = format!(
        "SELECT id FROM sessions WHERE due IS NOT NULL AND due <= ?2 AND {FREE}
         AND waiting IS NOT ?3 ORDER BY due, id LIMIT ?4"
    );
    let left = size(limit - found.len().min(limit));
    found.extend(texts(connection, &sql, params![clock, now, AT_WORK, left])?);
    Ok(found)
}

fn take(connection: &Connection, now: i64, lease: &Lease, limit: usize) -> rusqlite::Result<Vec<String>> {
    let found = find(connection, now, limit)?;
    let until = clock::end(clock::now(), lease.ms);
    let sql = "UPDATE sessions SET holder = ?1, held_until = ?2 WHERE id = ?3";
    let mut statement = connection.prepare_cached(sql)?;
    for id in &found {
        statement.execute(params![&*lease.holder, until, id])?;
    }
    Ok(found)
}
