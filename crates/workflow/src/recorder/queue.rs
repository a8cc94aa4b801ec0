//! What waits to be written: the texts of runs one behind the other, so that keeping one for a while costs a copy and
//! no piece of memory of its own.

use super::BYTES;
use crate::plan::Graph;
use crate::record::{Mask, Run, Text, masked};
use model::RunId;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;
use store::StoredRun;
use tokio::sync::oneshot;

/// What waits, and who waits for it.
#[derive(Default)]
pub(super) struct Queue {
    pub(super) runs: Queued,
    /// More are not kept, so the oldest beyond them need not be written.
    pub(super) most: usize,
    /// Those who want to know when all this is written.
    pub(super) asking: Vec<oneshot::Sender<()>>,
    /// The limits are others, and what is beyond them is to go.
    pub(super) trim: bool,
    /// Nobody writes any more.
    pub(super) closed: bool,
    /// Some were beyond the most that are kept.
    surplus: bool,
    /// Where a text is made before it is known whether there is room for it.
    text: Text,
}

/// Runs, the oldest first.
#[derive(Default)]
pub(super) struct Queued {
    runs: VecDeque<Entry>,
    texts: VecDeque<u8>,
}

/// One run: of what, and how much of the texts is its own.
struct Entry {
    id: RunId,
    graph: Arc<Graph>,
    length: usize,
    open: Open,
}

/// Where in the text secrets may stand. There are mostly two such places: the request and the reply.
enum Open {
    Two([Range<usize>; 2]),
    Any(Box<[Range<usize>]>),
}

/// A run in texts that lie in one piece.
pub(super) struct Placed {
    graph: Arc<Graph>,
    place: Range<usize>,
    open: Open,
}

impl Queue {
    pub(super) fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.runs.runs.len()
    }

    /// How many bytes wait.
    pub(super) fn bytes(&self) -> usize {
        self.runs.texts.len()
    }

    /// Whether some are beyond the most that are kept: what waits now may soon be too.
    pub(super) fn has_surplus(&self) -> bool {
        self.surplus
    }

    /// Adds a run as it is now, and says whether there was room for it.
    pub(super) fn push(&mut self, run: &Run) -> bool {
        if self.closed {
            return false;
        }
        self.text.bytes.clear();
        self.text.open.clear();
        run.write(&mut self.text);
        let length = self.text.bytes.len();
        if self.len() > 0 && self.bytes() + length > BYTES {
            return false;
        }
        let open = match &self.text.open[..] {
            [one, other] => Open::Two([one.clone(), other.clone()]),
            any => Open::Any(any.into()),
        };
        self.runs.texts.extend(&self.text.bytes);
        self.runs.runs.push_back(Entry { id: run.id(), graph: Arc::clone(run.graph()), length, open });
        while self.len() > self.most.max(1) {
            let gone = self.runs.runs.pop_front().map_or(0, |run| run.length);
            self.runs.texts.drain(..gone);
            self.surplus = true;
        }
        true
    }

    /// All that waits; nothing waits any more, and nothing more comes unless it is `open`.
    pub(super) fn take(&mut self, open: bool) -> Self {
        let left = Self { most: self.most, closed: !open, ..Self::default() };
        std::mem::replace(self, left)
    }
}

impl Queued {
    /// The texts in one piece, and the runs by their ids, each as it was queued last.
    pub(super) fn sorted(self) -> (Vec<u8>, BTreeMap<RunId, Placed>) {
        let mut end = 0;
        let placed = self.runs.into_iter().map(|Entry { id, graph, length, open }| {
            end += length;
            (id, Placed { graph, place: end - length..end, open })
        });
        let placed = placed.collect();
        (self.texts.into(), placed)
    }
}

impl Placed {
    /// The run as it is kept, secrets hidden.
    pub(super) fn stored(self, id: RunId, texts: &[u8], mask: Option<Mask>) -> StoredRun {
        let open = match &self.open {
            Open::Two(two) => &two[..],
            Open::Any(any) => any,
        };
        let record = masked(&texts[self.place], open, mask);
        StoredRun { id, workflow: self.graph.workflow().to_owned(), record }
    }
}
