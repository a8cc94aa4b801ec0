//! What becomes of a step that was under way when the process ended: what its rules say, or somebody does.

use super::advance::After;
use super::close::Cut;
use super::entry::Continue;
use super::live::{Draft, Live};
use super::work::key;
use super::{Error, Inner};
use crate::session::event::{Event, Outcome};
use crate::session::plan::{Plan, PlanStep};
use crate::session::reply::{self, Reply};
use crate::session::state::{State, Work};
use model::session::OnUnknown;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How often a step may be begun, and the process die meanwhile, before somebody is asked.
const DEATHS: u32 = 3;

/// What is said to whoever answers a doubt with something else.
const RESOLVE: &str = "resolve must be retry, done or compensate";

impl Inner {
    /// A step that was begun, and nobody runs it.
    pub(super) async fn abandoned(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        state: Arc<State>,
    ) -> Result<Option<Reply>, Error> {
        let Some(work) = &state.work else { return Ok(None) };
        if work.doubted {
            return Ok(None);
        }
        let step = plan.steps.get(work.step).ok_or(Error::Overtaken)?;
        let (failed, left): (Vec<_>, Vec<_>) = left(step, work)
            .into_iter()
            .map(|at| (at, step.members[at].on_unknown()))
            .partition(|(_, rule)| *rule == OnUnknown::Fail);
        let rules: Vec<OnUnknown> = left.into_iter().map(|(_, rule)| rule).collect();
        let mut draft = Draft::of(Arc::clone(&state));
        let (at, index) = (self.now(), work.step);
        if !failed.is_empty() {
            // Whatever time went by until now, nobody ran it.
            draft.push(Event::began(at, index, work.inputs.clone(), work.tries));
            let error = "The gateway stopped while the step was under way".to_owned();
            let mut all = outcomes(plan, index, &work.ended, at, |_| Err(error.clone()));
            if failed.iter().any(|(member, _)| step.members[*member].activity.nested().is_some()) {
                self.surely_all(live, &state).await?;
            }
            for (member, _) in failed {
                self.give_up(&state, step, member, Cut::Fail(error.clone())).await;
                let doubtful = plan.may_undo(&step.members[member]);
                let outcome = Box::new(unsure(work, member, std::mem::take(&mut all[member]), doubtful));
                draft.push(Event::Did { at, member, outcome });
            }
            // The others of a group are no worse for it.
            if !step.group {
                let after = self.refused(live, plan, draft, error).await?;
                return self.follow(live, plan, after).await;
            }
        }
        if rules.contains(&OnUnknown::Ask) || (work.tries >= DEATHS && !rules.is_empty()) {
            let asked = draft.state.work.iter().filter(|_| step.group).flat_map(|work| doubtful(step, work));
            let members = asked.map(|at| (at, step.members[at].activity.name().to_owned())).collect();
            draft.push(Event::Doubted { at, step: index, activity: step.name.clone(), members });
            self.commit(live, draft).await?;
            return Ok(None);
        }
        // Also where all that is left rests between two attempts: whoever waits there, cut off, is no longer at it.
        if !rules.is_empty() || rests(work) {
            let tries = work.tries + u32::from(!rules.is_empty());
            draft.push(Event::began(at, index, work.inputs.clone(), tries));
        }
        let state = self.commit(live, draft).await?;
        let after = self.work(live, plan, &state).await?;
        self.follow(live, plan, after).await
    }

    /// A continue that meets a step which was begun before: the answer to a doubt, or the news that it waits.
    pub(super) async fn taken_up(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        mut draft: Draft,
        request: &Continue,
    ) -> Result<Reply, Error> {
        let Some(work) = draft.state.work.clone() else { return Err(Error::Overtaken) };
        if !work.doubted {
            let state = self.commit(live, draft).await?;
            let reply = self.abandoned(live, plan, state).await?;
            return match reply {
                Some(reply) => Ok(reply),
                None => Ok(reply::waiting(plan, &*self.recorded(live).await?)),
            };
        }
        let meant = request.doubt.is_none() || request.doubt == draft.state.doubt();
        let (at, step) = (self.now(), work.step);
        let after = match request.resolve.as_deref().filter(|_| meant) {
            None if request
                .arguments
                .get("resolve")
                .is_some_and(|given| !given.is_null() && !given.is_string()) =>
            {
                return Ok(Reply::error(RESOLVE));
            }
            // A pause is over all the same.
            None => return Ok(reply::waiting(plan, &*self.commit(live, draft).await?)),
            Some("retry") => {
                draft.push(Event::began(at, step, work.inputs.clone(), 1));
                let state = self.commit(live, draft).await?;
                self.work(live, plan, &state).await?
            }
            Some("done") => self.believed(live, plan, draft, request.result.as_ref()).await?,
            Some("compensate") => {
                let error = "The step was given up".to_owned();
                return self.fail_at(live, plan, draft, step, error).await;
            }
            Some(_) => return Ok(Reply::error(RESOLVE)),
        };
        let reply = self.follow(live, plan, after).await?;
        reply.ok_or(Error::Overtaken)
    }

    /// Nobody will ever know whether a step took effect that is uncertain, or is cut short: from now on it counts as
    /// one that may have.
    pub(super) fn suppose(&self, plan: &Plan, draft: &mut Draft) {
        let Some(work) = draft.state.work.clone() else { return };
        let Some(step) = plan.steps.get(work.step) else { return };
        let now = self.now();
        let mut left = if work.doubted { left(step, &work) } else { under_way(step, &work) };
        // So does one that rests, if the time of an attempt was over.
        let late = work.failing.iter().filter(|(at, one)| one.late && !left.contains(at));
        left.extend(late.map(|(at, _)| *at).collect::<Vec<_>>());
        let asks = |at: &usize| step.members[*at].on_unknown() == OnUnknown::Ask;
        let asked = left.iter().any(asks);
        let error = "It is uncertain whether the step took effect".to_owned();
        let all = outcomes(plan, work.step, &work.ended, now, |_| Err(error.clone()));
        for (member, one) in all.into_iter().enumerate().filter(|(at, _)| left.contains(at)) {
            // Where others are asked about, one that may be repeated matters only if it has to be undone.
            let matters = match work.doubted {
                true => !asked || asks(&member) || step.members[member].compensate.is_some(),
                false => plan.may_undo(&step.members[member]),
            };
            if matters {
                let outcome = Box::new(unsure(&work, member, one, true));
                draft.push(Event::Did { at: now, member, outcome });
            }
        }
    }

    /// Nobody waits any more for the session that runs as a member, where one does: it ends before that is recorded,
    /// which is done again if the process ends between the two.
    async fn give_up(&self, state: &State, step: &PlanStep, member: usize, cut: Cut) {
        let Some(work) = &state.work else { return };
        let attempt = work.failing.get(&member).map_or(0, |tried| tried.attempts);
        let key = key(state, work.step, member);
        self.end_attempt(state, &*step.members[member].activity, (&key, attempt), cut).await;
    }

    /// Somebody says that a step took effect: its members that are uncertain are done, the others run again.
    async fn believed(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        mut draft: Draft,
        result: Option<&Value>,
    ) -> Result<After, Error> {
        let Some(work) = draft.state.work.clone() else { return Err(Error::Overtaken) };
        let (at, index) = (self.now(), work.step);
        let step = plan.steps.get(index).ok_or(Error::Overtaken)?;
        // That of a group may be an object by the names of its activities, as its output is.
        let named = |member: usize| result?.get(step.members.get(member)?.activity.name());
        let by_name = step.group && (0..step.members.len()).any(|member| named(member).is_some());
        let told_of = |member: usize| if by_name { named(member) } else { result };
        let mut told = outcomes(plan, index, &work.ended, at, |member| Ok(told_of(member).cloned()));
        for (member, one) in
            told.iter_mut().enumerate().filter(|(member, _)| !work.ended.contains_key(member))
        {
            one.input = work.inputs.get(member).cloned().flatten();
        }
        let asked = doubtful(step, &work);
        let nested = |member: &usize| step.members[*member].activity.nested().is_some();
        if asked.iter().any(nested) {
            self.surely_all(live, &draft.base).await?;
        }
        for member in &asked {
            let cut = Cut::Cancel { compensate: false, asked: false };
            self.give_up(&draft.state, step, *member, cut).await;
        }
        if work.ended.len() + asked.len() == told.len() {
            return self.end_step(live, plan, draft, told).await;
        }
        for (member, outcome) in told.into_iter().enumerate().filter(|(member, _)| asked.contains(member)) {
            draft.push(Event::Did { at, member, outcome: Box::new(outcome) });
        }
        draft.push(Event::began(at, index, work.inputs.clone(), 1));
        let state = self.commit(live, draft).await?;
        self.work(live, plan, &state).await
    }
}

/// The outcome of a member that was under way, with what it was run with.
fn unsure(work: &Work, member: usize, outcome: Outcome, doubtful: bool) -> Outcome {
    let input = work.inputs.get(member).cloned().flatten();
    Outcome { began: work.began, input, doubtful, ..outcome }
}

/// The members that are at work now. A session that runs as a member undoes its own steps.
fn under_way(step: &PlanStep, work: &Work) -> Vec<usize> {
    let runs = |at: &usize| !idle(work, *at) && step.members[*at].activity.nested().is_none();
    (0..step.members.len()).filter(runs).collect()
}

/// The step with which the time of a session that nobody runs is over. Where only the time of running steps counts,
/// none went by since a step was cut short: when it is taken up, or somebody is asked about it, that is recorded.
pub(super) fn overdue(plan: &Plan, state: &State, now: i64) -> Option<usize> {
    let cut_short = state.work.as_ref().is_some_and(|work| {
        let step = plan.steps.get(work.step);
        step.is_some_and(|step| !left(step, work).is_empty() || rests(work))
    });
    let over = state.deadline().is_some_and(|deadline| deadline <= now);
    let counts = !(cut_short && state.counts_running_only());
    (over && counts).then(|| state.work.as_ref().map_or(state.next, |work| work.step))
}

/// The members of which nothing is known but that they, or their next attempt, were begun.
fn left(step: &PlanStep, work: &Work) -> Vec<usize> {
    let known = |at: &usize| idle(work, *at) || work.nested.contains_key(at);
    (0..step.members.len()).filter(|at| !known(at)).collect()
}

/// The members that somebody is asked about: of those that were under way the ones whose rule says so, or else all.
fn doubtful(step: &PlanStep, work: &Work) -> Vec<usize> {
    let (asked, others): (Vec<usize>, Vec<usize>) =
        left(step, work).into_iter().partition(|at| step.members[*at].on_unknown() == OnUnknown::Ask);
    if asked.is_empty() { others } else { asked }
}

/// Whether a member is between two attempts, or at one that is no session.
fn rests(work: &Work) -> bool {
    work.failing.keys().any(|at| !work.nested.contains_key(at))
}

/// Whether a member has ended, or is between two attempts.
fn idle(work: &Work, at: usize) -> bool {
    work.ended.contains_key(&at) || work.rests(at)
}

/// Outcomes of a step that are not those of a run; members that had ended keep theirs.
pub(super) fn outcomes(
    plan: &Plan,
    step: usize,
    ended: &BTreeMap<usize, Outcome>,
    at: i64,
    of: impl Fn(usize) -> Result<Option<Value>, String>,
) -> Vec<Outcome> {
    let members = plan.steps.get(step).map_or(&[][..], |step| &step.members).iter().enumerate();
    members
        .map(|(position, member)| {
            if let Some(outcome) = ended.get(&position) {
                return outcome.clone();
            }
            let (data, error) = match of(position) {
                Ok(data) => (data, None),
                Err(error) => (None, Some(error)),
            };
            Outcome {
                activity: member.activity.name().to_owned(),
                began: at,
                ended: at,
                data,
                error,
                optional: member.optional,
                ..Outcome::default()
            }
        })
        .collect()
}
