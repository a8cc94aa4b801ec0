//! The clock of stores that have none of their own.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970, by the clock of this machine.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// When a lease that begins at `now` ends.
pub(crate) fn end(now: i64, ms: u64) -> i64 {
    now.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX))
}
