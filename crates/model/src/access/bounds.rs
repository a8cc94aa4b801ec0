//! How many requests may pass: in a second, at a time, and how many may wait.

use super::is_zero;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Requests per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Rate {
    /// How many a second; 0 for no limit.
    pub per_second: u64,
    /// How many at once after a pause; as many as in a second when 0.
    pub burst: u64,
}

impl Rate {
    /// Whether there is no limit.
    pub fn is_none(&self) -> bool {
        self.per_second == 0
    }

    /// How many at once after a pause.
    pub fn at_once(&self) -> u64 {
        if self.burst == 0 { self.per_second } else { self.burst }
    }
}

/// How many calls may pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Bounds {
    /// Calls per second.
    #[schema(inline)]
    pub rate: Rate,
    /// Calls at a time; 0 for no limit.
    pub concurrency: u64,
    /// Calls that may wait for one of those to end.
    pub queue: u64,
}

/// When a server that fails again and again is left alone for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Breaker {
    /// Failures in a row that open it; 0 switches it off.
    pub failures: u64,
    /// Milliseconds until one call may try again.
    pub open_ms: u64,
}

impl Default for Breaker {
    fn default() -> Self {
        Self { failures: 0, open_ms: 30_000 }
    }
}

/// `servers[].limits`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ServerLimits {
    /// Calls per second.
    #[serde(skip_serializing_if = "Rate::is_none")]
    pub rate: Rate,
    /// Calls at a time; 0 for no limit.
    #[serde(skip_serializing_if = "is_zero")]
    pub concurrency: u64,
    /// Calls that may wait for one of those to end.
    #[serde(skip_serializing_if = "is_zero")]
    pub queue: u64,
    /// When the server is left alone for a while.
    pub breaker: Breaker,
    /// The same for single tools, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, Bounds>,
}

impl ServerLimits {
    /// The bounds of all its tools together.
    pub fn bounds(&self) -> Bounds {
        Bounds { rate: self.rate, concurrency: self.concurrency, queue: self.queue }
    }
}
