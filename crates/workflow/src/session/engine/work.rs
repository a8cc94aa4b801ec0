//! The run of one step: its members at the same time, each with its attempts, against the clock.

use super::advance::{After, Inputs};
use super::live::{Draft, Live};
use super::overtime::overtime;
use super::{Error, Inner, News};
use crate::session::activity::ActivityResult;
use crate::session::event::{Event, Outcome};
use crate::session::execution::caught;
use crate::session::input::{LEVELS, fits};
use crate::session::kinds::WAITS;
use crate::session::memory;
use crate::session::plan::{Member, Plan};
use crate::session::reply;
use crate::session::state::{State, Tried, Work};
use futures_util::future::join_all;
use serde_json::Value;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

/// How long a step without effects may take before it is recorded that it runs.
const SHOWN: Duration = Duration::from_millis(500);

/// How one member ended.
enum Came {
    Ended(Box<Outcome>),
    /// It runs as a session that waits.
    Nested(String),
    /// The time of the whole was over first.
    Cut,
}

impl Inner {
    /// Runs a step: recorded before, where its run can be seen outside.
    pub(super) async fn run(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        mut draft: Draft,
        mut inputs: Inputs,
    ) -> Result<After, Error> {
        let index = draft.state.next;
        let (now, step) = (self.now(), &plan.steps[index]);
        if draft.state.deadline_from(now).is_some_and(|over| over <= now) {
            // The one before it took all there was.
            let error = overtime(&draft.state);
            return Box::pin(self.fail_at(live, plan, draft, index, error)).await.map(After::Stops);
        }
        if let Err(error) = Box::pin(self.admit(plan, &mut draft, index, &mut inputs)).await {
            return Box::pin(self.fail(live, plan, draft, error)).await.map(After::Stops);
        }
        // A member that may have to be undone is known to have ended, also when the others never do.
        let undone = step.group && step.members.iter().any(|member| member.compensate.is_some());
        let recorded = undone || step.members.iter().any(Member::is_recorded);
        let begun = inputs.iter().map(|input| input.clone().ok().flatten()).collect();
        let mut event = Event::began(self.now(), index, begun, 1);
        if let Event::Began { unmapped, .. } = &mut event {
            unmapped.clone_from(&draft.unmapped);
        }
        // So is one for which no input could be made: it has ended before the others begin.
        let failed = inputs.iter().any(Result::is_err);
        if (recorded || failed) && inputs.iter().any(Result::is_ok) {
            draft.push(event);
            for (at, input) in inputs.into_iter().enumerate().filter(|(_, input)| input.is_err()) {
                let task =
                    Task { plan, index, at, member: &step.members[at], state: &draft.state, recorded: false };
                if let Came::Ended(outcome) =
                    Box::pin(self.member(live, task, input, Tried::default())).await?
                {
                    draft.push(Event::Did { at: outcome.ended, member: at, outcome });
                }
            }
            let state = self.commit(live, draft).await?;
            return Box::pin(self.work(live, plan, &state)).await;
        }
        // Those that are recorded first need not carry its luggage.
        Box::pin(self.run_first(live, plan, draft, inputs, event)).await
    }

    /// Runs a step that nobody outside can see, and records it with its end, or when it takes longer.
    async fn run_first(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        draft: Draft,
        inputs: Inputs,
        begun: Event,
    ) -> Result<After, Error> {
        let (index, step) = (draft.state.next, &plan.steps[draft.state.next]);
        live.runs(index, begun.at().unwrap_or_default());
        let _brought = live.brings(&draft, begun);
        let deadline = draft.state.deadline_from(self.now());
        let members = step.members.iter().enumerate().zip(inputs);
        let runs = members.map(|((at, member), input)| {
            let task = Task { plan, index, at, member, state: &draft.state, recorded: false };
            // Members are large, and move several times on the way to where they run.
            Box::pin(self.in_time_of_all(live, task, input, Tried::default(), deadline))
        });
        let work = Box::pin(self.shown(live, &draft, join_all(runs)));
        let Some(came) = self.raced(live, work).await?.transpose()? else {
            return Box::pin(self.given_up(live, plan, index)).await;
        };
        if is_cut(&came.0) {
            return Box::pin(self.given_up(live, plan, index)).await;
        }
        let outcomes = came.0.into_iter().map(|one| match one? {
            Came::Ended(outcome) => Ok(*outcome),
            // Only a session could wait, and those are recorded.
            Came::Nested(_) | Came::Cut => Ok(Outcome::default()),
        });
        let outcomes = outcomes.collect::<Result<Vec<_>, Error>>()?;
        let draft = came.1.map_or(draft, Draft::of);
        self.end_step(live, plan, draft, outcomes).await
    }

    /// Does work that need not be recorded before. What takes longer is, meanwhile, so that everybody sees that it is
    /// under way.
    async fn shown<T>(
        &self,
        live: &Live,
        draft: &Draft,
        work: impl Future<Output = T>,
    ) -> Result<(T, Option<Arc<State>>), Error> {
        let mut work = pin!(work);
        tokio::select! {
            biased;
            done = &mut work => return Ok((done, None)),
            () = tokio::time::sleep(SHOWN) => {}
        }
        let Some(shown) = draft.shown(live) else { return Ok((work.await, None)) };
        let work = async { Ok(work.await) };
        let (done, begun) = tokio::try_join!(work, Box::pin(self.commit(live, shown)))?;
        // A pause may have come meanwhile.
        Ok((done, Some(self.still_at(live, &begun).await?)))
    }

    /// Runs what is left of a step that was begun.
    pub(super) async fn work(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        state: &Arc<State>,
    ) -> Result<After, Error> {
        let Some(work) = &state.work else { return Err(Error::Overtaken) };
        let index = work.step;
        let step = plan.steps.get(index).ok_or(Error::Overtaken)?;
        let deadline = state.deadline();
        live.runs(index, work.began);
        let left = step.members.iter().enumerate().filter(|(at, _)| !work.ended.contains_key(at));
        let runs = left.map(|(at, member)| {
            let task = Task { plan, index, at, member, state, recorded: true };
            let input = Ok(work.inputs.get(at).cloned().flatten());
            let tried = work.failing.get(&at).copied().unwrap_or_default();
            Box::pin(self.in_time_of_all(live, task, input, tried, deadline))
        });
        let came = self.raced(live, join_all(runs)).await?.filter(|came| !is_cut(came));
        let Some(came) = came else {
            self.still_at(live, state).await?;
            return Box::pin(self.given_up(live, plan, index)).await;
        };
        let gathered = match came.into_iter().collect::<Result<Vec<_>, Error>>() {
            Ok(came) => self.gather(live, plan, state, work, came).await,
            Err(error) => Err(error),
        };
        gathered.map_err(|error| match error {
            Error::Store(error) => Error::Unrecorded(error),
            other => other,
        })
    }

    /// Ends a step, or lets it wait for sessions that run as its members.
    async fn gather(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        begun: &State,
        work: &Work,
        came: Vec<Came>,
    ) -> Result<After, Error> {
        let step = &plan.steps[work.step];
        let left = (0..step.members.len()).filter(|at| !work.ended.contains_key(at));
        let (mut ended, mut nested) = (work.ended.clone(), Vec::new());
        for (at, one) in left.zip(came) {
            match one {
                Came::Ended(outcome) => _ = ended.insert(at, *outcome),
                Came::Nested(session) => nested.push((at, session)),
                Came::Cut => {}
            }
        }
        if nested.is_empty() {
            let draft = Draft::of(self.still_at(live, begun).await?);
            return self.end_step(live, plan, draft, ended.into_values().collect()).await;
        }
        let mut draft = Draft::of(self.still_at(live, begun).await?);
        for (at, session) in nested {
            let activity = &step.members[at].activity;
            let until = draft.state.work.as_ref().and_then(|work| work.until(at, activity.timeout()?));
            let activity = activity.name().to_owned();
            draft.push(Event::Nested { at: self.now(), member: at, activity, session, until });
        }
        let state = self.commit(live, draft).await?;
        self.look_at_children(&state);
        Ok(After::Stops(reply::waiting(plan, &state)))
    }

    /// The work, or nothing where the session ends first.
    async fn raced<T>(&self, live: &Live, work: impl Future<Output = T>) -> Result<Option<T>, Error> {
        let mut ended = live.ended.subscribe();
        self.unless_leaving(async {
            tokio::select! {
                biased;
                done = work => Some(done),
                _ = ended.wait_for(|ended| *ended) => None,
            }
        })
        .await
    }

    /// The step was given up: time ran out, or the session was ended meanwhile.
    async fn given_up(&self, live: &Arc<Live>, plan: &Arc<Plan>, step: usize) -> Result<After, Error> {
        let state = self.recorded(live).await?;
        // Others may have gone on with it. What was passed over on the way here need not be recorded.
        let here = state.work.as_ref().map_or(state.next, |work| work.step) <= step;
        match state.session.status.is_open() && state.undo.is_none() && here {
            true => self.time_out(live, plan, step).await.map(After::Stops),
            false => Err(Error::Overtaken),
        }
    }

    /// Waits until the clock says so.
    pub(super) async fn until(&self, at: i64) {
        loop {
            let left = at.saturating_sub(self.now());
            let Ok(left) = u64::try_from(left) else { return };
            if left == 0 {
                return;
            }
            // The wall clock may jump; it is looked at again now and then.
            tokio::time::sleep(Duration::from_millis(left.min(60_000))).await;
        }
    }

    /// The functions that run before every step, each member of a group being one; an error fails the session. What
    /// they change of the input and the memory is what the step runs with.
    async fn admit(
        &self,
        plan: &Plan,
        draft: &mut Draft,
        index: usize,
        inputs: &mut Inputs,
    ) -> Result<(), String> {
        if plan.middleware.is_empty() {
            return Ok(());
        }
        let mut context = self.context(plan, &draft.state, index, String::new());
        for (at, input) in inputs.iter_mut().enumerate() {
            context.key = key(&draft.state, index, at);
            context.input = input.clone().ok().flatten();
            for one in &plan.middleware {
                caught("A middleware", async { one.before(&mut context).await }).await?;
            }
            if !context.input.iter().chain(context.memory.changed()).all(|value| fits(value, LEVELS)) {
                return Err(format!(
                    "What a middleware gives is nested too deeply; {LEVELS} levels are the most"
                ));
            }
            if let Ok(input) = input {
                *input = context.input.take();
            }
        }
        let changes = context.memory.into_changes();
        if !changes.is_empty() {
            draft.push(Event::remembered(self.now(), changes));
        }
        Ok(())
    }

    /// One member, unless the time of the whole is over first. Callbacks that have begun are not cut short.
    async fn in_time_of_all(
        &self,
        live: &Arc<Live>,
        task: Task<'_>,
        input: Result<Option<Value>, String>,
        tried: Tried,
        deadline: Option<i64>,
    ) -> Result<Came, Error> {
        let (at, unrecorded) = (task.at, !task.recorded && task.plan.steps[task.index].group);
        let run = async {
            if tried.attempts > 0 {
                self.until(tried.next).await;
            }
            self.member(live, task, input, tried).await
        };
        let over = async {
            match deadline {
                Some(deadline) => self.until(deadline).await,
                None => std::future::pending().await,
            }
            // Whoever goes on with it waits for the turn, which whoever runs the step has.
            if self.recorded(live).await.is_ok_and(|state| state.stands_still()) {
                std::future::pending::<()>().await;
            }
            live.told(at).await;
        };
        let came = tokio::select! {
            biased;
            came = run => came?,
            () = over => return Ok(Came::Cut),
        };
        if let (Came::Ended(outcome), true) = (&came, unrecorded) {
            // Also if the time of the others runs out.
            live.has_ended(at, Box::clone(outcome));
        }
        Ok(came)
    }

    /// One member, with all of its attempts.
    async fn member(
        &self,
        live: &Arc<Live>,
        task: Task<'_>,
        input: Result<Option<Value>, String>,
        tried: Tried,
    ) -> Result<Came, Error> {
        // One that waited for a session began when that did.
        let work = task.state.work.as_ref().filter(|_| task.recorded);
        let began = work.map_or_else(|| self.now(), |work| work.began);
        let (activity, client) = (task.member.activity.name(), task.state.session.client_id.as_str());
        self.tell_of(live, &News::Began { session: &live.id, client_id: client, activity });
        let mut late = tried.late;
        let (result, context) = match input {
            Err(message) => {
                let nothing = self.context(task.plan, task.state, task.index, String::new());
                (ActivityResult::failure(message), nothing)
            }
            Ok(input) => self.attempts(live, &task, input, tried, &mut late).await?,
        };
        if let Some(session) = result.metadata.get(WAITS).and_then(Value::as_str) {
            return Ok(Came::Nested(session.to_owned()));
        }
        let ended = self.now().max(began);
        let error = (!result.success).then(|| result.message().to_owned());
        let told = News::Ended {
            session: &live.id,
            client_id: client,
            activity,
            took: ended - began,
            error: error.as_deref(),
        };
        self.tell_of(live, &told);
        let memory = if error.is_none() { context.memory.into_changes() } else { Default::default() };
        let doubtful = late && error.is_some() && task.plan.may_undo(task.member);
        let outcome = Outcome {
            activity: activity.to_owned(),
            began,
            ended,
            data: result.data.filter(|_| error.is_none()),
            optional: task.member.optional,
            input: context.input,
            nulls: memory::nulls(&memory),
            memory,
            suggestions: result.tool_call_suggestions,
            error,
            doubtful,
        };
        if task.recorded && task.plan.steps[task.index].group {
            let outcome = Box::new(outcome.clone());
            let did = Event::Did { at: ended, member: task.at, outcome };
            Box::pin(self.note(live, task.state, did)).await?;
        }
        Ok(Came::Ended(Box::new(outcome)))
    }
}

/// One member of a step that is to be run.
pub(super) struct Task<'a> {
    pub(super) plan: &'a Plan,
    pub(super) index: usize,
    pub(super) at: usize,
    pub(super) member: &'a Member,
    pub(super) state: &'a State,
    /// Whether the step was recorded before.
    pub(super) recorded: bool,
}

/// Whether the time of the whole was over before all members had ended.
fn is_cut(came: &[Result<Came, Error>]) -> bool {
    came.iter().any(|one| matches!(one, Ok(Came::Cut)))
}

/// Names one member of one step of one session.
pub(super) fn key(state: &State, step: usize, member: usize) -> String {
    let session = &state.session.session_id;
    if member == 0 { format!("{session}/{step}") } else { format!("{session}/{step}/{member}") }
}
