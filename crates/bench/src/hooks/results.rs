//! Everything that `bench hooks` measures.

use crate::procfs::{Tree, own, resident};
use crate::rows::Rows;

/// What the gateway and its workers hold at one moment, in bytes.
#[derive(Default)]
pub(super) struct Workers {
    pub(super) gateway: u64,
    /// Resident memory of each worker, pages included that it shares with the gateway.
    pub(super) resident: Vec<u64>,
    /// Memory that each has for itself.
    pub(super) own: Vec<u64>,
}

impl Workers {
    /// Reads what is held now.
    pub(super) fn now(root: u32) -> Self {
        let tree = Tree::of(root);
        let each = |read: fn(&[u32]) -> u64| tree.workers.iter().map(|pid| read(&[*pid])).collect();
        Self { gateway: resident(&tree.gateway), resident: each(resident), own: each(own) }
    }
}

/// One worker that was killed.
pub(super) struct Killed {
    /// How long the next call took, in milliseconds.
    pub(super) next: f64,
    /// Until the worker in its place was ready, in milliseconds.
    pub(super) replaced: f64,
}

/// Everything that was measured.
#[derive(Default)]
pub(super) struct Results {
    pub(super) rows: Rows,
    /// CPU of a message to a process that waits and its answer, in microseconds.
    pub(super) hops: Vec<f64>,
    pub(super) workers: Workers,
    pub(super) killed: Vec<Killed>,
    /// The windows of the million executions, and what was held after each.
    pub(super) million: Rows,
    pub(super) growth: Vec<Workers>,
    /// What did not go as it should.
    pub(super) notes: Vec<String>,
}
