//! From one step to the next: conditions, waits, questions, the run itself, and what follows.

use super::live::{Draft, Live};
use super::{Error, Inner};
use crate::session::activity::{ActivityContext, Position};
use crate::session::event::{self, Ended, Event, Held, Offer, Outcome};
use crate::session::input::{LEVELS, base, digest, fits, merge};
use crate::session::memory::{self, Memory};
use crate::session::offers::{Matched, Place, matches, offers};
use crate::session::plan::{Judge, Plan, PlanStep, View};
use crate::session::reply::{self, Reply};
use crate::session::state::{Answer, Hold, State};
use model::session::{Branches, Face, Onward};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What a step is to be run with: an input for each member, or why there is none.
pub(super) type Inputs = Vec<Result<Option<Value>, String>>;

/// How a step ended the call.
pub(super) enum After {
    /// The next step may follow in the same call.
    Goes(Arc<State>),
    /// The call is over.
    Stops(Reply),
}

impl Inner {
    /// Runs the next step, and further ones as long as that was asked for and there is nothing to choose. The
    /// caller holds the turn.
    pub(super) async fn advance(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        draft: Draft,
        arguments: Map<String, Value>,
    ) -> Result<Reply, Error> {
        self.advance_from(draft.state.answers.len(), live, plan, draft, arguments).await
    }

    /// The same for a call whose first answer is that of this number.
    pub(super) async fn advance_from(
        &self,
        first: usize,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        mut draft: Draft,
        mut arguments: Map<String, Value>,
    ) -> Result<Reply, Error> {
        loop {
            let state = match Box::pin(self.one(live, plan, draft, std::mem::take(&mut arguments))).await? {
                After::Stops(reply) => {
                    let state = self.recorded(live).await?;
                    let ran = state.answers.after(first);
                    // A reply that says what is waited for is that of none of them.
                    let earlier = if state.session.waiting.is_some() { &ran } else { but_last(&ran) };
                    return Ok(with_earlier(reply, earlier));
                }
                After::Goes(state) => state,
            };
            draft = Draft::of(state);
        }
    }

    async fn one(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        mut draft: Draft,
        arguments: Map<String, Value>,
    ) -> Result<After, Error> {
        let (arguments, came) = match &draft.state.hold {
            Some(Hold::Came { data, arguments, .. }) => (arguments.clone(), Some(data.clone())),
            _ => (arguments, None),
        };
        let allowed = match &draft.state.hold {
            Some(Hold::Allowed(held)) => {
                draft.unmapped.clone_from(&held.unmapped);
                Some(held.inputs.clone())
            }
            _ => None,
        };
        let step = match came.is_some() || allowed.is_some() {
            true => plan.steps.get(draft.state.next),
            false => match self.next_step(plan, &mut draft, &arguments).await {
                Ok(step) => step,
                Err(error) => return Box::pin(self.fail(live, plan, draft, error)).await.map(After::Stops),
            },
        };
        let Some(step) = step else {
            draft.push(Event::Completed { at: self.now() });
            let state = self.commit(live, draft).await?;
            return Box::pin(self.finished(live, plan, state)).await.map(After::Stops);
        };
        if let (Some((wait, _)), None, None) = (&step.wait, &came, &allowed) {
            let (at, index) = (self.now(), draft.state.next);
            let until = wait.timeout_ms.map(|ms| at.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX)));
            let (activity, event) = (step.name.clone(), wait.event.clone());
            draft.push(Event::Awaits { at, step: index, activity, event, until, arguments });
            let state = self.commit(live, draft).await?;
            return Ok(After::Stops(reply::waiting(plan, &state)));
        }
        let inputs = match &allowed {
            Some(inputs) => inputs.iter().cloned().map(Ok).collect(),
            None => {
                if step.asks_unmapped() {
                    draft.unmapped = unmapped(step.input.clone(), &draft.state, &arguments, came.as_ref());
                }
                inputs(step, &draft.state, &arguments, came.as_ref()).await
            }
        };
        if let (Some(rules), None) = (&step.approve, &allowed)
            && let Ok(inputs) = inputs.iter().cloned().collect::<Result<Vec<_>, _>>()
        {
            let (at, index) = (self.now(), draft.state.next);
            let expires = rules.expires_ms.map(|ms| at.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX)));
            let held = Held {
                at,
                step: index,
                activity: step.name.clone(),
                digest: digest(&live.id, index, draft.state.events, &inputs),
                nulls: event::nulls(&inputs),
                inputs,
                message: rules.message.clone(),
                expires,
                api_only: rules.api_only,
                unmapped: draft.unmapped.take(),
            };
            draft.push(Event::Held(Box::new(held)));
            let state = self.commit(live, draft).await?;
            return Ok(After::Stops(reply::waiting(plan, &state)));
        }
        self.run(live, plan, draft, inputs).await
    }

    /// The next step whose condition holds; those before it, and those on ways that are not taken, are passed over. An
    /// error is that of a condition.
    async fn next_step<'p>(
        &self,
        plan: &'p Plan,
        draft: &mut Draft,
        arguments: &Map<String, Value>,
    ) -> Result<Option<&'p PlanStep>, String> {
        loop {
            match plan.onward(&draft.state) {
                Onward::Step(index) => {
                    draft.pass(index);
                    let step = &plan.steps[index];
                    let Some(condition) = &step.condition else { return Ok(Some(step)) };
                    if judge(condition, step.input.as_ref(), &draft.state, arguments).await? {
                        return Ok(Some(step));
                    }
                    draft.pass(index + 1);
                }
                Onward::Fork(index) => self.part(plan, draft, index, arguments).await?,
                Onward::End => {
                    draft.pass(plan.steps.len());
                    return Ok(None);
                }
            }
        }
    }

    /// Takes one of the two ways at a condition of the graph.
    async fn part(
        &self,
        plan: &Plan,
        draft: &mut Draft,
        index: usize,
        arguments: &Map<String, Value>,
    ) -> Result<(), String> {
        let fork = plan.procedure.road.as_ref().and_then(|road| Some((road, road.forks.get(index)?)));
        let (Some((road, fork)), Some(expression)) = (fork, plan.forks.get(index)) else {
            return Err(format!("The workflow has no condition {index}"));
        };
        let (way, error) = match judge(expression, None, &draft.state, arguments).await {
            Ok(way) => (Some(way), None),
            Err(error) => (fork.goes_on.then_some(false), Some(error)),
        };
        let passes = way.map(|way| road.passed_by(fork, way)).unwrap_or_default();
        let (at, node) = (self.now(), fork.node.clone());
        draft.push(Event::Judged { at, node, way, error: error.clone(), passes });
        match (way, error) {
            (None, Some(error)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Records the end of a step, and of the session where it ends with it.
    pub(super) async fn end_step(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        mut draft: Draft,
        outcomes: Vec<Outcome>,
    ) -> Result<After, Error> {
        let index = draft.state.work.as_ref().map_or(draft.state.next, |work| work.step);
        let step = &plan.steps[index];
        let error = outcomes.iter().find(|one| one.error.is_some() && !(step.group && one.optional));
        let error = error.and_then(|one| {
            let message = one.error.as_deref()?;
            Some(if step.group { format!("{}: {message}", one.activity) } else { message.to_owned() })
        });
        let fatal = error.clone().filter(|_| !step.optional);
        let mut ended = Ended {
            step: index,
            name: step.name.clone(),
            group: step.group,
            outcomes,
            error,
            optional: step.optional,
            offers: Vec::new(),
        };
        let onward = plan.after(index);
        if fatal.is_none() && onward != Onward::End {
            let unmapped = draft.state.work.as_ref().and_then(|work| work.unmapped.as_ref());
            let unmapped = draft.unmapped.as_ref().or(unmapped);
            ended.offers = offered(plan, step, index, &draft.state, &ended, unmapped).await;
        }
        for (one, member) in ended.outcomes.iter_mut().zip(&step.members) {
            // Only whoever undoes a step needs to know what it was run with.
            one.input = one.input.take().filter(|_| member.compensate.is_some());
        }
        draft.push(Event::Ended(Box::new(ended)));
        if let Some(error) = fatal {
            return Box::pin(self.fail_at(live, plan, draft, index, error)).await.map(After::Stops);
        }
        if let Onward::Step(next) = onward {
            draft.pass(next);
        }
        if onward == Onward::End {
            draft.push(Event::Completed { at: self.now() });
            let state = self.settle(live, draft).await?;
            return Box::pin(self.finished(live, plan, state)).await.map(After::Stops);
        }
        let state = self.settle(live, draft).await?;
        if state.goes_on() {
            return Ok(After::Goes(state));
        }
        let answer = state.answers.last().map(|answer| reply::of_answer(plan, &state, answer));
        Ok(After::Stops(answer.unwrap_or_else(|| Reply::error("Internal error"))))
    }

    /// What an activity sees.
    pub(super) fn context(&self, plan: &Plan, state: &State, step: usize, key: String) -> ActivityContext {
        let session = &state.session;
        ActivityContext {
            input: None,
            session_id: session.session_id.clone(),
            memory: Memory::new(Arc::clone(&session.memory)),
            metadata: Position {
                workflow_name: plan.name().to_owned(),
                current_step: step,
                total_steps: plan.steps.len(),
                started_at: session.started_at,
            },
            key,
            client_id: session.client_id.clone(),
            attempt: 0,
            child: None,
            begun: None,
            left: None,
            unknown: None,
        }
    }
}

/// Whether an expression holds for what a step with this input would be given.
async fn judge(
    expression: &Judge,
    input: Option<&Value>,
    state: &State,
    arguments: &Map<String, Value>,
) -> Result<bool, String> {
    let memory = Memory::new(Arc::clone(&state.session.memory));
    let input = base(input, state.previous(), arguments);
    let view =
        View { memory: Some(&memory), input: input.as_ref(), previous: state.previous(), ..View::default() };
    expression.holds(view).await
}

/// The input without a mapper of a step with this constant, or of a member: the data of an event takes the place of
/// what comes otherwise.
fn unmapped(
    constant: Option<Value>,
    state: &State,
    arguments: &Map<String, Value>,
    came: Option<&Option<Value>>,
) -> Option<Value> {
    match came {
        Some(Some(data)) => merge(constant, Some(data.clone())),
        _ => base(constant.as_ref(), state.previous(), arguments),
    }
}

/// The inputs of the members of a step.
async fn inputs(
    step: &PlanStep,
    state: &State,
    arguments: &Map<String, Value>,
    came: Option<&Option<Value>>,
) -> Inputs {
    let memory = Memory::new(Arc::clone(&state.session.memory));
    let mut all = Vec::with_capacity(step.members.len());
    for member in &step.members {
        let constant = merge(step.input.clone(), member.input.clone());
        let input = unmapped(constant, state, arguments, came);
        all.push(match &member.mapper {
            None => Ok(input),
            Some(mapper) => {
                let view = View {
                    memory: Some(&memory),
                    input: input.as_ref(),
                    previous: state.previous(),
                    event: came.and_then(Option::as_ref),
                    ..View::default()
                };
                let value = mapper.value(view).await;
                let deep = matches!(&value, Ok(Some(value)) if !fits(value, LEVELS));
                match deep {
                    true => Err(format!("The input is nested too deeply; {LEVELS} levels are the most")),
                    false => value,
                }
            }
        });
    }
    all
}

/// What may be called after a step.
async fn offered(
    plan: &Plan,
    step: &PlanStep,
    index: usize,
    state: &State,
    ended: &Ended,
    unmapped: Option<&Value>,
) -> Vec<Offer> {
    let own = plan.tool(Face::Continue);
    let data = ended.data().filter(|_| ended.error.is_none());
    let (next, _) = plan.next_of(index);
    let place = Place { session: &state.session.session_id, own: &own, next, data: data.as_ref() };
    let good = ended.outcomes.iter().filter(|one| one.error.is_none());
    let suggestions: Vec<_> = good.flat_map(|one| one.suggestions.iter().cloned()).collect();
    let patterns: Vec<(String, model::session::PatternBranch)> = match &step.branches {
        Some(Branches::Patterns(map)) if ended.error.is_none() => map
            .iter()
            .filter(|(pattern, _)| matches(pattern, data.as_ref()))
            .filter_map(|(pattern, value)| {
                Some((pattern.clone(), serde_json::from_value(value.clone()).ok()?))
            })
            .collect(),
        _ => Vec::new(),
    };
    let mut matched: Vec<Matched<'_>> =
        patterns.iter().map(|(pattern, branch)| Matched::pattern(pattern, branch)).collect();
    if let (Some(Branches::Predicates(all)), None) = (&step.branches, &ended.error) {
        let mut after = Map::clone(&state.session.memory);
        for one in ended.outcomes.iter().filter(|one| one.error.is_none()) {
            memory::apply(&mut after, &one.memory, &one.nulls);
            one.data.iter().for_each(|data| _ = after.insert(one.activity.clone(), data.clone()));
        }
        let memory = Memory::new(after);
        let input = unmapped.or_else(|| ended.outcomes.first()?.input.as_ref());
        for (branch, judge) in all.iter().zip(&step.predicates) {
            let view = View {
                memory: Some(&memory),
                input,
                previous: state.previous(),
                result: data.as_ref(),
                ..View::default()
            };
            match judge.holds(view).await {
                Ok(true) => matched.push(Matched::predicate(branch)),
                Ok(false) => {}
                Err(reason) => {
                    tracing::warn!(workflow = plan.name(), step = index, reason, "a branch failed")
                }
            }
        }
    }
    offers(&place, &suggestions, &matched)
}

/// The answers before the last one.
pub(super) fn but_last(ran: &[Arc<Answer>]) -> &[Arc<Answer>] {
    ran.split_last().map_or(&[], |(_, earlier)| earlier)
}

/// The reply with the results of the steps that the same call ran before. A failure has no structured content (spec
/// 4.6), so they are in its metadata.
pub(super) fn with_earlier(mut reply: Reply, earlier: &[Arc<Answer>]) -> Reply {
    if earlier.is_empty() {
        return reply;
    }
    let earlier: Vec<Value> = earlier
        .iter()
        .filter_map(|answer| {
            let mut one =
                json!({"stepIndex": answer.step?, "activityName": answer.name, "result": answer.data});
            if let Some(error) = &answer.error {
                one["error"] = error.as_str().into();
            }
            Some(one)
        })
        .collect();
    let place = if reply.is_error { &mut reply.meta } else { &mut reply.structured };
    if let Value::Object(members) = place.get_or_insert_with(|| json!({})) {
        members.insert("earlierSteps".into(), earlier.into());
    }
    reply
}
