//! Who is at work on a session, and on what.

use super::{Answer, Hold, State};
use model::session::{SessionStatus, Waiting};
use std::sync::Arc;

impl State {
    /// Whether somebody must be at work on it: a step was begun or may begin, and nobody needs to be asked.
    pub(crate) fn at_work(&self) -> bool {
        let released = matches!(self.hold, Some(Hold::Allowed(_) | Hold::Came { .. }));
        let begun = self.work.is_some() || self.undo.is_some() || (released && self.paused_since.is_none());
        self.session.status.is_open() && self.session.waiting.is_none() && (begun || self.goes_on())
    }

    /// Whether the next step follows without a call, as was asked for.
    pub(crate) fn goes_on(&self) -> bool {
        let idle = self.hold.is_none() && self.work.is_none() && self.undo.is_none();
        let asked = self.whole || (self.more > 0 && self.last_offers().len() <= 1);
        idle && asked && self.session.status == SessionStatus::Running
    }

    /// Whether the call that was meant to run this step was to run more, and the process ended before.
    pub(crate) fn was_cut_off(&self, step: usize) -> bool {
        let last = |answer: &Arc<Answer>| self.answers.last().is_some_and(|last| Arc::ptr_eq(last, answer));
        let left = self.following && (self.work.is_some() || self.goes_on());
        left && self.answers_of(step).last().is_some_and(last)
    }

    /// Whether it is paused by an event that was recorded after so many others.
    pub(crate) fn is_paused_after(&self, events: u64) -> bool {
        self.session.status == SessionStatus::Paused && self.paused_by > events
    }

    /// Whether another state of the session is about the same work.
    pub(crate) fn same_work(&self, other: &Self) -> bool {
        let work = |state: &Self| state.work.as_ref().map(|work| (work.step, work.began, work.tries));
        let undoing = |state: &Self| state.undo.is_some();
        (self.next, work(self), undoing(self)) == (other.next, work(other), undoing(other))
    }

    /// Whether the step that another state of the session began is still under way, begun by the same.
    pub(crate) fn is_still_at(&self, begun: &Self) -> bool {
        self.session.status.is_open() && self.same_work(begun) && self.work.iter().all(|work| !work.doubted)
    }

    /// Since when nobody knows what became of its step.
    pub(crate) fn doubt(&self) -> Option<i64> {
        match &self.session.waiting {
            Some(Waiting::Uncertain { since, .. }) => Some(*since),
            _ => None,
        }
    }

    /// Whether nobody may go on with it while somebody else works on it.
    pub(crate) fn needs_hands(&self) -> bool {
        let begun = self.work.as_ref().is_some_and(|work| !work.doubted);
        self.session.status.is_open() && (begun || self.at_work())
    }
}
