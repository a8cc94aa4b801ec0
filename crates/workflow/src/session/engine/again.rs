//! What a call is told that comes again: the reply of the first.

use super::advance::{but_last, with_earlier};
use super::entry::{Continue, Steps, TRIES};
use super::live::{Draft, Live};
use super::{Error, Inner};
use crate::session::plan::Plan;
use crate::session::reply::{self, Reply};
use crate::session::state::State;
use model::session::SessionStatus;
use std::sync::Arc;

impl Inner {
    /// The reply that the start of a session was given, once there is one.
    pub(super) async fn answer_again(&self, id: &str, steps: Steps) -> Result<Reply, Error> {
        let (live, _) = self.known(id).await?;
        let _turn = live.turn.lock().await;
        let first = self.in_hand(&live).await?;
        self.told_first(&live, Some(first), steps).await
    }

    /// The same for whoever has the turn, and may have been overtaken. No pause is lifted: only a continue does that.
    pub(super) async fn told_first(
        &self,
        live: &Arc<Live>,
        mut first: Option<Arc<State>>,
        steps: Steps,
    ) -> Result<Reply, Error> {
        for _ in 0..TRIES {
            let state = match first.take() {
                Some(state) => state,
                None => self.in_hand(live).await?,
            };
            let plan = self.plan_of(&state.definition).await?;
            let request = Continue { expected: Some(0), steps, ..Continue::default() };
            let told = match told_before(&plan, &state, &request) {
                Some(told) => self.told_whole(live, &plan, state, &request, told).await.map(Some),
                None if state.session.status != SessionStatus::Paused => {
                    self.admitted(live, &plan, Draft::of(state), request).await.map(Some)
                }
                // What was under way ends all the same.
                None if state.work.is_some() => self.due(live, &plan, state).await,
                None => break,
            };
            match told {
                Err(Error::Overtaken) => {}
                Ok(None) => break,
                Ok(Some(reply)) => return Ok(reply),
                Err(error) => return Err(error),
            }
        }
        let state = self.recorded(live).await?;
        self.stands(live, &*self.plan_of(&state.definition).await?).await
    }

    /// What a call is told that comes again. The process may have ended before the first one had run as far as it was
    /// to: what is left of that comes before its reply, and `told` is only what there is until then.
    pub(super) async fn told_whole(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        state: Arc<State>,
        request: &Continue,
        told: Reply,
    ) -> Result<Reply, Error> {
        if !meant(&state, request).is_some_and(|step| state.was_cut_off(step)) {
            return Ok(told);
        }
        self.due(live, plan, state).await?;
        let state = self.recorded(live).await?;
        Ok(told_before(plan, &state, request).unwrap_or(told))
    }
}

/// The step that a continue is meant to run.
fn meant(state: &State, request: &Continue) -> Option<usize> {
    // An answer is one to its own question: where that was answered before, it runs no other step.
    let asked = || {
        let question = request.approval.as_ref().map(|approval| approval.digest.clone());
        state.asked.get(&question.or_else(|| Some(request.doubt?.to_string()))?).copied()
    };
    request.expected.or_else(asked)
}

/// The reply to a continue whose step was run before, or cannot be run yet.
pub(super) fn told_before(plan: &Plan, state: &State, request: &Continue) -> Option<Reply> {
    let expected = meant(state, request)?;
    if let ran @ [.., answer] = &state.answers_of(expected)[..] {
        if state.waits_since(answer) {
            return Some(with_earlier(reply::waiting(plan, state), ran));
        }
        return Some(with_earlier(reply::of_answer(plan, state, answer), but_last(ran)));
    }
    let (id, next) = (&state.session.session_id, state.next);
    // One that is over, or about to be, stands nowhere.
    let goes_on = state.session.status.is_open() && state.undo.is_none();
    (goes_on && expected > next).then(|| {
        Reply::error(format!("Session {id} stands at step {next}; step {expected} cannot be run yet."))
    })
}
