//! Who works on sessions, in PostgreSQL. Whether a claim has run out is decided by the clock of the database alone.

use crate::postgres::text::Text;
use crate::postgres::{Parameters, Postgres, signed, size};
use crate::{AT_WORK, Claim, Error, Lease};

/// A claim as the parameters of a statement.
pub(super) struct Hold<'a> {
    /// Whether everything stays as it is.
    pub(super) stays: bool,
    pub(super) holder: Option<Text<&'a str>>,
    /// From now on, in milliseconds.
    pub(super) ms: Option<i64>,
}

impl<'a> Hold<'a> {
    pub(super) fn of(claim: &'a Claim) -> Self {
        match claim {
            Claim::Keep => Self { stays: true, holder: None, ms: None },
            Claim::Free => Self { stays: false, holder: None, ms: None },
            Claim::Take(lease) => {
                Self { stays: false, holder: Some(Text(&*lease.holder)), ms: Some(length(lease)) }
            }
        }
    }
}

/// Instances that ask at the same time do not wait for each other: each skips what another is just taking. Whoever
/// looks also tidies up: a session that was left alone for a while is not looked at again before its next step.
const TAKE_UP: &str = "
    WITH working AS (
        SELECT number FROM lockgate.sessions
        WHERE busy AND waiting = $1 AND (held_until IS NULL OR held_until <= lockgate.clock())
        ORDER BY started_at, id LIMIT $2 FOR UPDATE SKIP LOCKED
    ), ripe AS (
        SELECT number FROM lockgate.sessions
        WHERE due <= $3 AND waiting IS DISTINCT FROM $1
            AND (held_until IS NULL OR held_until <= lockgate.clock())
        ORDER BY due, id LIMIT $2 - (SELECT count(*) FROM working) FOR UPDATE SKIP LOCKED
    ), rests AS (
        SELECT number FROM lockgate.sessions
        WHERE busy AND waiting IS DISTINCT FROM $1 AND (due IS NULL OR due > $3)
            AND updated_at <= lockgate.clock() - 10000
        ORDER BY started_at, id LIMIT $2 FOR UPDATE SKIP LOCKED
    ), rested AS (
        UPDATE lockgate.sessions SET busy = false WHERE number IN (SELECT number FROM rests)
    )
    UPDATE lockgate.sessions SET holder = $4, held_until = lockgate.clock() + $5
    WHERE number IN (SELECT number FROM working UNION ALL SELECT number FROM ripe) RETURNING id";

impl Postgres {
    pub(crate) async fn take_up_sessions(
        &self,
        now: i64,
        lease: &Lease,
        limit: usize,
    ) -> Result<Vec<String>, Error> {
        let values: Parameters<'_> =
            &[&Text(AT_WORK), &size(limit), &now, &Text(&*lease.holder), &length(lease)];
        self.texts("take sessions up", TAKE_UP, values).await
    }

    pub(crate) async fn claim_session(&self, id: &str, lease: &Lease) -> Result<bool, Error> {
        let sql = "UPDATE lockgate.sessions SET holder = $2, held_until = lockgate.clock() + $3
                   WHERE id = $1 AND (held_until IS NULL OR held_until <= lockgate.clock() OR holder = $2)";
        let values: Parameters<'_> = &[&Text(id), &Text(&*lease.holder), &length(lease)];
        Ok(self.execute("claim a session", sql, values).await? > 0)
    }

    pub(crate) async fn renew_sessions(&self, ids: &[String], lease: &Lease) -> Result<Vec<String>, Error> {
        let ids: Vec<_> = ids.iter().map(Text).collect();
        let sql = "UPDATE lockgate.sessions SET held_until = lockgate.clock() + $3
                   WHERE id = ANY ($1) AND holder = $2 RETURNING id";
        self.texts("hold on to sessions", sql, &[&ids, &Text(&*lease.holder), &length(lease)]).await
    }

    pub(crate) async fn release_session(&self, id: &str, holder: &str) -> Result<(), Error> {
        let sql =
            "UPDATE lockgate.sessions SET holder = NULL, held_until = NULL WHERE id = $1 AND holder = $2";
        self.execute("let go of a session", sql, &[&Text(id), &Text(holder)]).await.map(drop)
    }

    pub(crate) async fn release_sessions(&self, holder: Option<&str>) -> Result<u64, Error> {
        let sql = "UPDATE lockgate.sessions SET holder = NULL, held_until = NULL
                   WHERE holder IS NOT NULL AND ($1::text IS NULL OR holder = $1)";
        self.execute("let go of sessions", sql, &[&holder.map(Text)]).await
    }
}

/// How long a lease lasts; far less than what would overflow the clock.
fn length(lease: &Lease) -> i64 {
    signed(lease.ms).min(i64::from(u32::MAX) * 1000)
}
