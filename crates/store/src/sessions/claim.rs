//! Who works on a session. A claim only decides who tries: what counts is decided by the number of events that
//! [`Sessions::append`](crate::Sessions::append) expects.

use std::sync::Arc;

/// What the word in `waiting` is while somebody must be at work on a session.
pub const AT_WORK: &str = "step";

/// Somebody who works on sessions, and for how long after each sign of life nobody else takes them up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Names the instance.
    pub holder: Arc<str>,
    /// Milliseconds, by the clock of the store.
    pub ms: u64,
}

/// Who holds a session once something is recorded of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Whoever held it before.
    Keep,
    /// This instance, from now on for the time of the lease.
    Take(Lease),
    /// Nobody.
    Free,
}
