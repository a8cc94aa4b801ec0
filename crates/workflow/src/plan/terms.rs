//! On which terms a call is made.

use super::Cache;
use std::time::Duration;

/// What a call may do besides being made once.
#[derive(Debug)]
pub(crate) struct Terms {
    /// Replies of read-only tools are kept here.
    pub(crate) cache: Option<Cache>,
    /// A failed call may be made again.
    pub(crate) retry: Option<Retry>,
}

/// How often a call is made at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retry {
    /// Attempts, the first included.
    pub(crate) most: u32,
    /// The wait before each further one.
    pub(crate) backoff: Duration,
}

/// How the reply of a call on terms came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Made {
    /// Whether it was kept from an earlier call.
    pub(crate) cached: bool,
    /// How often the server was asked.
    pub(crate) attempts: u32,
}

impl Made {
    /// Two members of a JSON object, as text.
    pub(crate) fn members(self) -> String {
        format!("\"cached\":{},\"attempts\":{}", self.cached, self.attempts)
    }
}
