//! Runs of graphs, counted by workflow.

use crate::metrics::Histogram;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use workflow::{End, Run};

/// How many workflows are counted apart.
const WORKFLOWS: usize = 500;

/// Where the rest is counted.
const REST: &str = "(other)";

/// The runs of one workflow.
#[derive(Debug, Default)]
pub struct RunTally {
    ok: AtomicU64,
    failed: AtomicU64,
    cancelled: AtomicU64,
    times: Histogram,
}

impl RunTally {
    /// Each outcome with its count.
    pub fn outcomes(&self) -> [(&'static str, u64); 3] {
        let [ok, failed, cancelled] =
            [&self.ok, &self.failed, &self.cancelled].map(|count| count.load(Relaxed));
        [("ok", ok), ("error", failed), ("cancelled", cancelled)]
    }

    /// How long the runs took.
    pub fn times(&self) -> &Histogram {
        &self.times
    }
}

/// The runs of all workflows, by name.
#[derive(Default)]
pub(super) struct RunTallies(Mutex<BTreeMap<String, Arc<RunTally>>>);

impl RunTallies {
    /// Counts a run that has ended.
    pub(super) fn add(&self, run: &Run) {
        let Some((took, end)) = run.ended() else { return };
        let tally = self.of(run.graph().name());
        let counter = match end {
            End::Completed => &tally.ok,
            End::Failed => &tally.failed,
            End::Cancelled => &tally.cancelled,
        };
        counter.fetch_add(1, Relaxed);
        tally.times.record(took);
    }

    fn of(&self, name: &str) -> Arc<RunTally> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.get(name) {
            return Arc::clone(known);
        }
        let name = if all.len() < WORKFLOWS { name } else { REST };
        Arc::clone(all.entry(name.to_owned()).or_default())
    }

    /// Every workflow that ran.
    pub(super) fn all(&self) -> Vec<(String, Arc<RunTally>)> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|(name, tally)| (name.clone(), Arc::clone(tally))).collect()
    }
}
