//! How executions of a script ended, counted.

use crate::{ErrorCode, Verdict};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How often executions ended in which way.
#[derive(Debug, Default)]
pub struct Outcomes([AtomicU64; 4]);

/// The ways, in the order of their counters.
const NAMES: [&str; 4] = ["ok", "blocked", "error", "timeout"];

impl Outcomes {
    /// Counts one.
    pub fn count(&self, verdict: &Verdict) {
        let at = match verdict {
            Verdict::Blocked => 1,
            Verdict::Failed(error) if error.code == ErrorCode::Timeout => 3,
            Verdict::Failed(_) => 2,
            _ => 0,
        };
        self.0[at].fetch_add(1, Relaxed);
    }

    /// Each outcome with its count.
    pub fn all(&self) -> [(&'static str, u64); 4] {
        std::array::from_fn(|at| (NAMES[at], self.0[at].load(Relaxed)))
    }
}
