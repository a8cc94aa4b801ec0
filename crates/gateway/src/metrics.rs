//! Counters and times of calls: a few atomic additions each, no lock and no look-up.

use crate::sight::CANCELLED;
use model::Code;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Upper bounds of the time buckets, in microseconds.
pub const BOUNDS_US: [u64; 17] = [
    10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 500_000, 1_000_000,
    5_000_000, 30_000_000,
];

/// Beyond the last bound, up to where durations are told apart, in microseconds.
const FAR_US: u64 = 600_000_000;

/// The bound of the step after the one that ends at `lower`: at most a fifth above it, and none of [`BOUNDS_US`] is
/// left out.
const fn step_after(lower: u64) -> u64 {
    let step = if lower < 5 { lower + 1 } else { lower + lower / 5 };
    let mut i = 0;
    while i < BOUNDS_US.len() {
        if lower < BOUNDS_US[i] && BOUNDS_US[i] < step {
            return BOUNDS_US[i];
        }
        i += 1;
    }
    step
}

const STEPS: usize = {
    let (mut bound, mut count) = (0, 0);
    while bound < FAR_US {
        (bound, count) = (step_after(bound), count + 1);
    }
    count
};

/// Upper bounds of the steps in which durations are counted, in microseconds. Quantiles need finer ones than the
/// metrics show.
const STEPS_US: [u64; STEPS] = {
    let (mut steps, mut bound, mut i) = ([0; STEPS], 0, 0);
    while i < STEPS {
        bound = step_after(bound);
        steps[i] = bound;
        i += 1;
    }
    steps
};

/// How long something took, in fixed buckets.
#[derive(Debug)]
pub struct Histogram {
    steps: [AtomicU64; STEPS + 1],
    least_us: AtomicU64,
    most_us: AtomicU64,
    sum_us: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            steps: [const { AtomicU64::new(0) }; STEPS + 1],
            least_us: AtomicU64::new(u64::MAX),
            most_us: AtomicU64::new(0),
            sum_us: AtomicU64::new(0),
        }
    }
}

impl Histogram {
    /// Counts one duration.
    pub fn record(&self, took: Duration) {
        let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        // Nearly always neither changes, and to look is cheaper than to write.
        if us < self.least_us.load(Relaxed) {
            self.least_us.fetch_min(us, Relaxed);
        }
        if us > self.most_us.load(Relaxed) {
            self.most_us.fetch_max(us, Relaxed);
        }
        self.steps[STEPS_US.partition_point(|bound| *bound < us)].fetch_add(1, Relaxed);
        self.sum_us.fetch_add(us, Relaxed);
    }

    /// The counts per bucket; the last one has no bound.
    pub fn counts(&self) -> [u64; BOUNDS_US.len() + 1] {
        let mut counts = [0; BOUNDS_US.len() + 1];
        for (i, step) in self.steps.iter().enumerate() {
            let bucket = STEPS_US
                .get(i)
                .map_or(BOUNDS_US.len(), |upper| BOUNDS_US.partition_point(|bound| bound < upper));
            counts[bucket] += step.load(Relaxed);
        }
        counts
    }

    /// The duration in microseconds that the part `q` of all stays below, to a tenth; 0 when nothing was counted.
    pub fn quantile_us(&self, q: f64) -> u64 {
        let counts: [u64; STEPS + 1] = std::array::from_fn(|i| self.steps[i].load(Relaxed));
        let (least, most) = (self.least_us.load(Relaxed), self.most_us.load(Relaxed));
        let rank = (q * counts.iter().sum::<u64>() as f64).max(1.0);
        let mut before = 0;
        for (i, count) in counts.into_iter().enumerate() {
            before += count;
            if before as f64 >= rank {
                let lower = i.checked_sub(1).map_or(0, |i| STEPS_US[i] + 1).max(least);
                let upper = STEPS_US.get(i).map_or(most, |upper| most.min(*upper));
                // Between the two, as far above the one as below the other.
                return (lower as f64 * upper as f64).sqrt().round() as u64;
            }
        }
        0
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
    cancelled: AtomicU64,
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

    /// Nobody waited for the end of a call.
    pub(crate) fn cancelled(&self) {
        self.cancelled.fetch_add(1, Relaxed);
    }

    /// How long its calls took.
    pub(crate) fn times(&self) -> &Histogram {
        &self.times
    }

    /// Each outcome that occurred, as the word `ok`, the code, or `CANCELLED`.
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let failed =
            Code::ALL.into_iter().map(|code| (code.name(), self.failed[code as usize].load(Relaxed)));
        let others = [("ok", self.ok.load(Relaxed)), (CANCELLED, self.cancelled.load(Relaxed))];
        others.into_iter().chain(failed).filter(|(_, n)| *n > 0)
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
    fn steps_are_small_and_hold_every_bound() {
        assert!(STEPS_US.windows(2).all(|pair| pair[0] < pair[1] && (pair[0] + 1) * 6 / 5 >= pair[1]));
        assert!(BOUNDS_US.iter().all(|bound| STEPS_US.contains(bound)));
    }

    #[test]
    fn a_quantile_is_right_to_a_tenth() {
        let check = |histogram: &Histogram, q: f64, expected: u64| {
            let found = histogram.quantile_us(q);
            assert!(found.abs_diff(expected) * 10 <= expected, "{q}: {found} for {expected}");
        };
        let histogram = Histogram::default();
        assert_eq!(histogram.quantile_us(0.5), 0);
        (0..90).for_each(|_| histogram.record(Duration::from_micros(40)));
        (0..10).for_each(|_| histogram.record(Duration::from_micros(4_000)));
        for (q, expected) in [(0.01, 40), (0.5, 40), (0.9, 40), (0.91, 4_000), (0.99, 4_000)] {
            check(&histogram, q, expected);
        }
        (0..900).for_each(|_| histogram.record(Duration::from_secs(60)));
        check(&histogram, 0.99, 60_000_000);
        let even = Histogram::default();
        (1..=100_000).for_each(|us| even.record(Duration::from_micros(us)));
        (1..100u32).for_each(|part| check(&even, f64::from(part) / 100.0, u64::from(part) * 1_000));
    }

    #[test]
    fn a_quantile_lies_between_the_least_and_the_most() {
        for us in [0, 1, 7, 1_200_000, 5_000_123, 40_000_000, 7_200_000_000] {
            let histogram = Histogram::default();
            (0..3).for_each(|_| histogram.record(Duration::from_micros(us)));
            assert_eq!((histogram.quantile_us(0.5), histogram.quantile_us(0.99)), (us, us));
        }
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
