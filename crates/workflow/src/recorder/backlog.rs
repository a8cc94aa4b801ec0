//! Records that the store did not take: they wait until it does, up to a limit.

use super::{BATCH, BYTES, Recorder};
use model::RunId;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::{Outage, StoredRun};
use tokio::time::Instant;

/// How long to wait after a store that fails.
const PAUSE: Duration = Duration::from_secs(1);

/// The records that wait, the oldest first, in the batches in which they are written.
#[derive(Default)]
pub(super) struct Backlog {
    runs: BTreeMap<RunId, StoredRun>,
    bytes: usize,
    again: Option<Instant>,
    outage: Outage,
}

impl Backlog {
    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// When it is to be tried again.
    pub(super) fn again(&self) -> Instant {
        self.again.unwrap_or_else(Instant::now)
    }

    /// The store failed just now.
    pub(super) fn failed(&mut self) {
        self.again = Some(Instant::now() + PAUSE);
    }

    /// Adds records; those of runs that wait already take their places. The oldest beyond so many, or beyond the
    /// bytes that may wait, are forgotten: says how many.
    pub(super) fn add(&mut self, runs: Vec<StoredRun>, most: usize) -> u64 {
        for run in runs {
            self.bytes += size(&run);
            let older = self.runs.insert(run.id, run);
            self.bytes -= older.as_ref().map_or(0, size);
        }
        let mut lost = 0;
        while self.bytes > BYTES || self.runs.len() > most.max(1) {
            let Some((_, oldest)) = self.runs.pop_first() else { break };
            self.bytes -= size(&oldest);
            lost += 1;
        }
        lost
    }

    /// The next records to be written; whoever could not puts them back.
    pub(super) fn batch(&mut self) -> Arc<Vec<StoredRun>> {
        let next = self.runs.keys().nth(BATCH).copied();
        let rest = next.map(|next| self.runs.split_off(&next)).unwrap_or_default();
        let batch: Vec<StoredRun> = std::mem::replace(&mut self.runs, rest).into_values().collect();
        self.bytes -= batch.iter().map(size).sum::<usize>();
        Arc::new(batch)
    }
}

impl Recorder {
    /// Writes what the store did not take before.
    pub(super) async fn write_backlog(&mut self) {
        while !self.backlog.is_empty() {
            let batch = self.backlog.batch();
            if !self.keep(batch).await {
                return;
            }
            if self.backlog.is_empty() {
                tracing::info!("the runs that waited for the store are kept");
            }
        }
    }

    /// Keeps records, or puts them off where the store may take them later; says whether it goes on.
    pub(super) async fn keep(&mut self, stored: Arc<Vec<StoredRun>>) -> bool {
        let count = stored.len() as u64;
        match self.shared.store.runs().keep(Arc::clone(&stored)).await {
            Ok(()) => {
                self.backlog.outage.over("the store takes runs again");
                true
            }
            // It would be refused again.
            Err(error @ (store::Error::Server { .. } | store::Error::Closed)) => {
                self.shared.dropped.fetch_add(count, Ordering::Relaxed);
                tracing::warn!(runs = count, reason = %error, "runs could not be kept");
                true
            }
            Err(error) => {
                self.backlog.outage.failed(&error, "runs wait until the store takes them");
                self.put_off(Arc::unwrap_or_clone(stored));
                self.backlog.failed();
                false
            }
        }
    }

    pub(super) fn put_off(&mut self, stored: Vec<StoredRun>) {
        let lost = self.backlog.add(stored, self.shared.limits().most());
        if lost > 0 {
            self.shared.dropped.fetch_add(lost, Ordering::Relaxed);
            tracing::warn!(runs = lost, "too many runs wait for the store; the oldest are dropped");
        }
    }
}

fn size(run: &StoredRun) -> usize {
    run.record.len() + run.workflow.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(number: i64, bytes: usize) -> StoredRun {
        StoredRun { id: RunId::of(number), workflow: "w".into(), record: "x".repeat(bytes) }
    }

    fn numbers(batch: &[StoredRun]) -> Vec<i64> {
        batch.iter().map(|run| run.id.number()).collect()
    }

    #[test]
    fn the_latest_record_of_a_run_waits_and_the_oldest_runs_go_first() {
        let mut backlog = Backlog::default();
        assert_eq!(backlog.add(vec![run(2, 10), run(1, 10)], 3), 0);
        assert_eq!(backlog.add(vec![run(2, 20)], 3), 0);
        assert_eq!(backlog.add(vec![run(3, 10), run(4, 10)], 3), 1, "the oldest beyond the most");
        let batch = backlog.batch();
        assert_eq!(numbers(&batch), [2, 3, 4]);
        assert_eq!(batch[0].record.len(), 20);
        assert_eq!((backlog.is_empty(), backlog.bytes), (true, 0));
        let large = BYTES / 2;
        assert_eq!(backlog.add(vec![run(1, large), run(2, large), run(3, large)], 9), 2, "beyond the bytes");
        assert_eq!(numbers(&backlog.batch()), [3]);
    }

    #[test]
    fn many_go_in_batches() {
        let mut backlog = Backlog::default();
        backlog.add((0..2500).map(|n| run(n, 1)).collect(), 9999);
        let sizes: Vec<usize> = (0..3).map(|_| backlog.batch().len()).collect();
        assert_eq!((sizes, backlog.is_empty()), (vec![BATCH, BATCH, 2500 - 2 * BATCH], true));
    }
}
