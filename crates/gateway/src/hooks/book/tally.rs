//! How often a hook ran, how it ended, how long it took and what it used.

use crate::metrics::Histogram;
use sandbox::{Outcomes, Report};
use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The counters of one hook, from the start of the gateway; edits do not reset them.
#[derive(Debug, Default)]
pub struct Tally {
    outcomes: Outcomes,
    times: Histogram,
    peak_memory: AtomicU64,
}

/// The executions of one hook since the gateway started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookStats {
    /// How often it ran.
    pub executions: u64,
    /// How often it threw, returned no verdict, or could not run; timeouts count apart.
    pub errors: u64,
    /// How often it overran `hooks.timeoutMs`.
    pub timeouts: u64,
    /// How often it blocked.
    pub blocks: u64,
    /// Half of its executions took at most this long, in microseconds.
    pub p50_us: u64,
    /// All but one in a hundred took at most this long, in microseconds.
    pub p99_us: u64,
    /// The most memory that one execution used, in bytes.
    pub peak_memory: u64,
}

impl Tally {
    pub(super) fn record(&self, report: &Report) {
        self.outcomes.count(&report.verdict);
        self.times.record(Duration::from_micros(report.micros));
        self.peak_memory.fetch_max(report.memory, Relaxed);
    }

    /// Each outcome with its count.
    pub fn outcomes(&self) -> [(&'static str, u64); 4] {
        self.outcomes.all()
    }

    /// How long executions took.
    pub fn times(&self) -> &Histogram {
        &self.times
    }

    /// The most memory that one execution used, in bytes.
    pub fn peak_memory(&self) -> u64 {
        self.peak_memory.load(Relaxed)
    }

    /// The figures for the admin API.
    pub(crate) fn stats(&self) -> HookStats {
        let outcomes = self.outcomes();
        let [_, (_, blocks), (_, errors), (_, timeouts)] = outcomes;
        HookStats {
            executions: outcomes.iter().map(|(_, n)| n).sum(),
            errors,
            timeouts,
            blocks,
            p50_us: self.times.quantile_us(0.5),
            p99_us: self.times.quantile_us(0.99),
            peak_memory: self.peak_memory(),
        }
    }
}
