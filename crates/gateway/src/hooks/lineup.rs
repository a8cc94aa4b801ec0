//! The hooks of one phase as a request meets them: those that run, and those that are passed over for now.

use super::book::Entry;
use super::passage::mark;
use super::trace::Trace;
use sandbox::Phase;
use std::sync::Arc;

/// What is said of a hook that was passed over because it used up a budget too often.
const TRIPPED: &str = "tripped";

/// The hooks of a phase.
pub(super) struct Lineup<'p> {
    /// Those that run.
    pub(super) entries: Vec<&'p Arc<Entry>>,
    /// Those that are passed over, each with how many of the others stand before it.
    passed: Vec<(usize, &'p Arc<Entry>)>,
    /// How many marks there were before the phase.
    from: usize,
}

impl<'p> Lineup<'p> {
    pub(super) fn of(all: &'p [Arc<Entry>], trace: &Trace) -> Self {
        let (mut entries, mut passed) = (Vec::with_capacity(all.len()), Vec::new());
        for entry in all {
            if entry.is_passed_over() {
                passed.push((entries.len(), entry));
            } else {
                entries.push(entry);
            }
        }
        Self { entries, passed, from: trace.marks().len() }
    }

    /// Says which were passed over, in their places among those that ran. Behind one that ended the phase nobody was.
    pub(super) fn tell(&self, phase: Phase, trace: &mut Trace) {
        let ran = trace.marks().len() - self.from;
        let ended = ran < self.entries.len();
        for (before, entry) in self.passed.iter().rev().filter(|(before, _)| !ended || *before < ran) {
            trace.add_at(self.from + before, mark(entry, phase, TRIPPED, 0));
        }
    }
}
