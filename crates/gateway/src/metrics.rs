//! Counters and times of calls: a few atomic additions each, no lock and no look-up.

use model::Code;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Upper bounds of the time buckets, in microseconds.
pub const BOUNDS_US: [u64; 17] = [
    10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 500_000, 1_000_000,
    5_000_000, 30_000_000,
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

    /// The duration in microseconds that the part `q` of all stays below, taken as evenly spread inside
    /// its bucket; 0 when nothing was counted.
    pub fn quantile_us(&self, q: f64) -> u64 {
        let counts = self.counts();
        let rank = q * counts.iter().sum::<u64>() as f64;
        let (mut before, mut lower) = (0, 0);
        for (count, upper) in counts.into_iter().zip(BOUNDS_US) {
            if count > 0 && (before + count) as f64 >= rank {
                let part = (rank - before as f64) / count as f64;
                return lower + (part * (upper - lower) as f64) as u64;
            }
            (before, lower) = (before + count, upper);
        }
        // Beyond the last bound nothing is known but that; without any count there is no time.
        if before == 0 && counts[BOUNDS_US.len()] == 0 { 0 } else { lower }
    }

    /// How many durations were counted.
    pub fn count(&self) -> u64 {
        self.counts().iter().sum()
    }

    /// All durations together.
    pub fn sum(&self) -> Duration {
        Duration::from_micros(self.sum_us())
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
    times: Histogram,
}

impl ToolStats {
    pub(crate) fn record(&self, code: Option<Code>, took: Duration) {
        self.times.record(took);
        match code {
            None => self.ok.fetch_add(1, Relaxed),
            Some(code) => self.failed[code as usize].fetch_add(1, Relaxed),
        };
    }

    /// How long its calls took.
    pub(crate) fn times(&self) -> &Histogram {
        &self.times
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
        for us in [1, 10, 101, 40_000_000] {
            histogram.record(Duration::from_micros(us));
        }
        let counts = histogram.counts();
        assert_eq!((counts[0], counts[4], counts[17]), (2, 1, 1));
        assert_eq!(histogram.sum_us(), 40_000_112);
    }

    #[test]
    fn a_quantile_lies_in_the_bucket_of_its_rank() {
        let histogram = Histogram::default();
        assert_eq!(histogram.quantile_us(0.5), 0);
        (0..90).for_each(|_| histogram.record(Duration::from_micros(40)));
        (0..10).for_each(|_| histogram.record(Duration::from_micros(4_000)));
        assert_eq!(histogram.quantile_us(0.9), 50);
        assert!((26..=49).contains(&histogram.quantile_us(0.5)), "{}", histogram.quantile_us(0.5));
        assert!((2_500..=5_000).contains(&histogram.quantile_us(0.99)), "{}", histogram.quantile_us(0.99));
        (0..900).for_each(|_| histogram.record(Duration::from_secs(60)));
        assert_eq!(histogram.quantile_us(0.99), 30_000_000);
    }

    #[test]
    fn every_code_has_its_own_counter() {
        let stats = ToolStats::default();
        stats.record(None, Duration::from_micros(30));
        Code::ALL.into_iter().for_each(|code| stats.record(Some(code), Duration::from_micros(30)));
        assert_eq!(stats.times().counts()[2], Code::ALL.len() as u64 + 1);
        assert_eq!(stats.outcomes().count(), Code::ALL.len() + 1);
        assert!(stats.outcomes().all(|(_, n)| n == 1));
    }
}
