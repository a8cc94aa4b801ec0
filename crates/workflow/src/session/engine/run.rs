//! The run of a step here: what became of its members, as far as that is known to nobody else.

use super::live::Live;
use crate::session::event::Outcome;
use crate::session::state::Work;
use std::collections::BTreeMap;

/// The step that runs here, or ran here last.
#[derive(Clone, Default)]
pub(super) struct Run {
    /// The step, and when it was begun; nothing where none was.
    of: Option<(usize, i64)>,
    fates: BTreeMap<usize, Fate>,
}

/// What became of a member.
#[derive(Clone)]
enum Fate {
    /// Its callbacks are called, or were.
    Told,
    /// It has ended, which is recorded with the end of the step.
    Ended(Box<Outcome>),
}

impl Run {
    /// Whether the callbacks of a member are called, or were; nothing where it runs elsewhere.
    pub(super) fn is_told(&self, member: usize) -> Option<bool> {
        self.of.map(|_| self.fates.contains_key(&member))
    }

    /// The members that have ended, which is not recorded.
    pub(super) fn unrecorded(self) -> impl Iterator<Item = (usize, Box<Outcome>)> {
        self.fates.into_iter().filter_map(|(member, fate)| match fate {
            Fate::Told => None,
            Fate::Ended(outcome) => Some((member, outcome)),
        })
    }
}

impl Live {
    /// A step begins to run here.
    pub(super) fn runs(&self, step: usize, began: i64) {
        self.run.send_replace(Run { of: Some((step, began)), fates: BTreeMap::new() });
    }

    /// What is known here of a step that was begun.
    pub(super) fn run_of(&self, work: &Work) -> Run {
        let run = self.run.borrow();
        if run.of == Some((work.step, work.began)) { run.clone() } else { Run::default() }
    }

    /// From now on the callbacks of a member are called.
    pub(super) fn tells(&self, member: usize) {
        self.run.send_modify(|run| _ = run.fates.insert(member, Fate::Told));
    }

    /// Its next attempt has callbacks of its own.
    pub(super) fn tries_again(&self, member: usize) {
        self.run.send_modify(|run| _ = run.fates.remove(&member));
    }

    /// A member has ended, which is recorded with the end of the step.
    pub(super) fn has_ended(&self, member: usize, outcome: Box<Outcome>) {
        self.run.send_modify(|run| _ = run.fates.insert(member, Fate::Ended(outcome)));
    }

    /// Waits while the callbacks of a member are called.
    pub(super) async fn told(&self, member: usize) {
        let _ = self.run.subscribe().wait_for(|run| !run.fates.contains_key(&member)).await;
    }
}
