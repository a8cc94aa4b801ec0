//! Time runs out: the step that is under way fails with its session, and its members hear of that once it is recorded.
//! So does what runs as a step of a session that fails.

use super::doubt::outcomes;
use super::live::{Draft, Live};
use super::work::key;
use super::{Error, Inner, News};
use crate::session::activity::Effect;
use crate::session::event::{Ended, Event};
use crate::session::execution::give_up;
use crate::session::plan::{Member, Plan, PlanStep};
use crate::session::reply::{self, Reply};
use crate::session::state::{State, Work};
use futures_util::future::join_all;
use std::sync::Arc;

impl Inner {
    /// Time ran out.
    pub(super) async fn time_out(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        step: usize,
    ) -> Result<Reply, Error> {
        let mut draft = Draft::under_way(self.recorded(live).await?, live);
        let error = overtime(&draft.state);
        let cut = self.cut_short(live, plan, &mut draft, &error);
        let state = self.record_failure(live, plan, draft, step, &error).await?;
        live.ended.send_replace(true);
        self.tell_cut(live, plan, cut, &error).await;
        let reply = reply::failed(plan, &state, step, &error);
        self.closed(live, plan, state).await?;
        Ok(reply)
    }

    /// The step that is under way fails with the session, as it would with the time of its activity. Gives the session
    /// as it was until then, where there is such a step: its members are told once this is recorded.
    pub(super) fn cut_short(
        &self,
        live: &Live,
        plan: &Plan,
        draft: &mut Draft,
        error: &str,
    ) -> Option<Arc<State>> {
        let work = draft.state.work.clone()?;
        let step = plan.steps.get(work.step)?;
        let at = self.now();
        for (member, outcome) in live.run_of(&work).unrecorded() {
            draft.push(Event::Did { at, member, outcome });
        }
        let before = Arc::clone(&draft.state);
        let work = before.work.as_ref()?;
        self.suppose(plan, draft);
        let ended = draft.state.work.as_ref().map_or(&work.ended, |work| &work.ended);
        let mut outcomes = outcomes(plan, work.step, ended, at, |_| Err(error.to_owned()));
        for member in left(step, work) {
            let outcome = &mut outcomes[member];
            (outcome.began, outcome.error) = (work.began, Some(error.to_owned()));
        }
        draft.push(Event::Ended(Box::new(Ended {
            step: work.step,
            name: step.name.clone(),
            group: step.group,
            outcomes,
            error: Some(error.to_owned()),
            // Whatever the step may do, the session ends with it.
            optional: false,
            offers: Vec::new(),
        })));
        Some(before)
    }

    /// Tells the members of a step that was cut short, each of them once.
    pub(super) async fn tell_cut(
        &self,
        live: &Arc<Live>,
        plan: &Plan,
        before: Option<Arc<State>>,
        error: &str,
    ) {
        let Some(state) = before else { return };
        let Some(work) = &state.work else { return };
        let Some(step) = plan.steps.get(work.step) else { return };
        let took = self.now().saturating_sub(work.began).max(0);
        let client_id = state.session.client_id.as_str();
        let told = left(step, work).map(|at| {
            let member = &step.members[at];
            let mut context = self.context(plan, &state, work.step, key(&state, work.step, at));
            context.input = work.inputs.get(at).cloned().flatten();
            let attempts = work.failing.get(&at).map_or(0, |tried| tried.attempts);
            // Between two attempts the last one was the one before.
            context.attempt = attempts.saturating_sub(u32::from(work.rests(at)));
            let silent = is_told(live, work, at, member);
            async move {
                let activity = &*member.activity;
                if !silent {
                    give_up(activity, &context, error, took.unsigned_abs()).await;
                }
                let (session, activity, error) = (&live.id, activity.name(), Some(error));
                self.tell_of(live, &News::Ended { session, client_id, activity, took, error });
            }
        });
        join_all(told).await;
    }
}

/// What is said of a session whose time is over.
pub(super) fn overtime(state: &State) -> String {
    format!("Workflow timeout exceeded ({}ms)", state.timeout())
}

/// The members that have not ended.
fn left(step: &PlanStep, work: &Work) -> impl Iterator<Item = usize> {
    (0..step.members.len()).filter(|at| !work.ended.contains_key(at))
}

/// Whether the callbacks of a member were called. Of one that ran elsewhere nobody knows: it counts as told where it
/// must not be run again.
fn is_told(live: &Live, work: &Work, at: usize, member: &Member) -> bool {
    if work.rests(at) {
        return member.activity.retry().is_some_and(|retry| retry.hooks_per_attempt);
    }
    live.run_of(work).is_told(at).unwrap_or_else(|| member.activity.effect() == Effect::Once)
}
