//! Counters and times of calls: a few atomic additions each, no lock and no look-up.

use model::Code;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Upper bounds of the time buckets, in microseconds.
pub const BOUNDS_US: [u64; 14] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000,
    30_000_000,
];

/// How long something took, in fixed buckets.
#[derive(Debug, Default)]
pub struct Histogram {
    buckets: [AtomicU64; BOUNDS_US.len() + 1],
    sum_us: AtomicU64,
}

impl Histogram {
    /// Counts one duration.
    pub fn record(&self, took: Duration) {
        let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS_US.partition_point(|bound| *bound < us);
        self.buckets[bucket].fetch_add(1, Relaxed);
        self.sum_us.fetch_add(us, Relaxed);
    }

    /// The counts per bucket; the last one has no bound.
    pub fn counts(&self) -> [u64; BOUNDS_US.len() + 1] {
        std::array::from_fn(|i| self.buckets[i].load(Relaxed))
    }

    /// The sum of all durations in microseconds.
    pub fn sum_us(&self) -> u64 {
        self.sum_us.load(Relaxed)
    }
}

/// Outcomes of calls to one tool.
#[derive(Debug, Default)]
pub(crate) struct ToolStats {
    ok: AtomicU64,
    failed: [AtomicU64; Code::ALL.len()],
}

impl ToolStats {
    pub(crate) fn record(&self, code: Option<Code>) {
        match code {
            None => self.ok.fetch_add(1, Relaxed),
            Some(code) => self.failed[code as usize].fetch_add(1, Relaxed),
        };
    }

    /// Each outcome that occurred, as the word `ok` or the code.
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let failed =
            Code::ALL.into_iter().map(|code| (code.name(), self.failed[code as usize].load(Relaxed)));
        std::iter::once(("ok", self.ok.load(Relaxed))).chain(failed).filter(|(_, n)| *n > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_falls_into_the_first_bucket_that_holds_it() {
        let histogram = Histogram::default();
        for us in [1, 100, 101, 40_000_000] {
            histogram.record(Duration::from_micros(us));
        }
        let counts = histogram.counts();
        assert_eq!((counts[0], counts[1], counts[14]), (2, 1, 1));
        assert_eq!(histogram.sum_us(), 40_000_202);
    }

    #[test]
    fn every_code_has_its_own_counter() {
        let stats = ToolStats::default();
        stats.record(None);
        Code::ALL.into_iter().for_each(|code| stats.record(Some(code)));
        assert_eq!(stats.outcomes().count(), Code::ALL.len() + 1);
        assert!(stats.outcomes().all(|(_, n)| n == 1));
    }
}
