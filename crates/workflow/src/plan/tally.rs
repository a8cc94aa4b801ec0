//! How often the script of a node ran, how it ended and how long it took.

use super::{Action, Graph, Source, Spot};
use sandbox::{Outcomes, Report, Verdict};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The counters of one node, from when its graph became active.
#[derive(Debug, Default)]
pub struct NodeTally {
    outcomes: Outcomes,
    micros: AtomicU64,
}

impl NodeTally {
    /// Each outcome with its count.
    pub fn outcomes(&self) -> [(&'static str, u64); 4] {
        self.outcomes.all()
    }

    /// How long all executions took together.
    pub fn sum(&self) -> Duration {
        Duration::from_micros(self.micros.load(Relaxed))
    }
}

impl Spot {
    /// Counts an execution of its own script.
    pub(crate) fn count(&self, report: &Report) {
        let verdict = match &report.verdict {
            // A condition that says no blocks nothing.
            Verdict::Blocked if matches!(self.action, Action::Choose { .. }) => {
                &Verdict::Continue { changed: false }
            }
            verdict => verdict,
        };
        self.tally.outcomes.count(verdict);
        self.tally.micros.fetch_add(report.micros, Relaxed);
    }
}

impl Graph {
    /// The nodes that have a script of their own, by id, with their counters.
    pub fn node_tallies(&self) -> impl Iterator<Item = (&str, &NodeTally)> {
        let own = |spot: &&Spot| matches!(spot.action.script(), Some((Source::Own(_), _)));
        self.spots.iter().filter(own).map(|spot| (&*spot.id, &spot.tally))
    }
}
