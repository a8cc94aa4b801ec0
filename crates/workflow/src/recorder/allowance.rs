//! How much of a flood of plain runs is kept.

use super::BURST;
use std::time::Instant;

/// How many more plain runs may be kept.
pub(super) struct Allowance {
    left: f64,
    since: Instant,
}

impl Allowance {
    pub(super) fn new() -> Self {
        Self { left: f64::from(BURST), since: Instant::now() }
    }

    /// Takes one, if there is one.
    pub(super) fn take(&mut self, rate: u32) -> bool {
        if self.left < 1.0 {
            let now = Instant::now();
            let grown = now.duration_since(self.since).as_secs_f64() * f64::from(rate);
            self.left = (self.left + grown).min(f64::from(BURST));
            self.since = now;
        }
        let some = self.left >= 1.0;
        if some {
            self.left -= 1.0;
        }
        some
    }
}
