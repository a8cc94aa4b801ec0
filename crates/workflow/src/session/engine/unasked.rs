//! Answers that nothing waits for.

use super::entry::Continue;
use crate::session::plan::Plan;
use crate::session::reply::Reply;
use crate::session::state::State;

impl Continue {
    /// The names of the arguments with which it answers a question or a doubt, or tries to.
    fn answers(&self) -> impl Iterator<Item = &'static str> {
        let said = |name: &str| self.arguments.get(name).is_some_and(|said| !said.is_null());
        let all = [("approval", self.approval.is_some()), ("resolve", self.resolve.is_some())];
        all.into_iter().filter(move |(name, read)| *read || said(name)).map(|(name, _)| name)
    }

    /// The step that it is meant to run, unless it brings an answer: only the session as it is recorded shows whether
    /// that is waited for.
    pub(super) fn runs_only(&self) -> Option<usize> {
        self.expected.filter(|_| self.answers().next().is_none())
    }
}

/// The refusal of an answer that is to run a step which has no argument of that name: whoever gave it meant a question,
/// and must not run anything else with it.
pub(super) fn unasked(plan: &Plan, state: &State, request: &Continue) -> Option<Reply> {
    let own = |name: &str| request.arguments.contains_key(name) && plan.takes(state.next, name);
    let name = request.answers().find(|name| !own(name))?;
    let (id, next) = (&state.session.session_id, state.next);
    Some(Reply::error(format!(
        "Session {id} stands at step {next}; nothing there waits for an answer ({name})."
    )))
}
