//! Rates that all instances hold together: one bucket in the store for each, which fills by the clock of the store.

use crate::postgres::Postgres;
use crate::redis::Redis;
use crate::{Backend, Error};
use std::time::Duration;

/// The buckets of a store that several instances share.
pub struct Rates<'a>(Shared<'a>);

enum Shared<'a> {
    Postgres(&'a Postgres),
    Redis(&'a Redis),
}

/// How fast a bucket fills, and how much it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The time in which one token comes.
    pub each: Duration,
    /// The time in which an empty bucket becomes full.
    pub depth: Duration,
}

impl Flow {
    /// Both times in microseconds, as the stores count them.
    pub(crate) fn micros(&self) -> (f64, f64) {
        (self.each.as_secs_f64() * 1e6, self.depth.as_secs_f64() * 1e6)
    }
}

/// What was taken out of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granted {
    /// How many tokens; at most as many as were wanted.
    pub tokens: u64,
    /// After which time there is another one, where these were all.
    pub rest: Duration,
}

impl Granted {
    pub(crate) fn new(tokens: i64, rest: f64) -> Self {
        let rest = Duration::try_from_secs_f64(rest / 1e6).unwrap_or_default();
        Self { tokens: u64::try_from(tokens).unwrap_or(0), rest }
    }
}

impl<'a> Rates<'a> {
    pub(crate) fn of(backend: &'a Backend) -> Option<Self> {
        match backend {
            Backend::Memory(_) | Backend::Sqlite(_) => None,
            Backend::Postgres(postgres) => Some(Self(Shared::Postgres(postgres))),
            Backend::Redis(redis) => Some(Self(Shared::Redis(redis))),
        }
    }

    /// Takes up to `want` tokens out of the bucket of that name. A bucket that nobody has used yet is full.
    pub async fn take(&self, name: &str, flow: Flow, want: u64) -> Result<Granted, Error> {
        let want = i64::try_from(want).unwrap_or(i64::MAX);
        match self.0 {
            Shared::Postgres(postgres) => postgres.take_rate(name, flow, want).await,
            Shared::Redis(redis) => redis.take_rate(name, flow, want).await,
        }
    }
}
