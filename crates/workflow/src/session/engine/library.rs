//! What the Rust library asks of the engine besides what clients do: sessions changed from outside their steps.

use super::entry::{Continue, Start};
use super::live::{Draft, Live};
use super::{Engine, Error, Inner, check_levels};
use crate::session::event::{Ended, Event, Offer, Outcome, Started};
use crate::session::plan::Plan;
use crate::session::reply::{self, Reply};
use crate::session::state::State;
use model::session::{BranchDecision, INPUT_KEY, SessionStatus, StepExecution, WorkflowSession};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{Claim, Created, SessionLimits};

/// A change of a session from outside its steps. What is left out stays as it is; the id and the name of the
/// workflow never change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionChange {
    /// Where it stands from now on.
    pub status: Option<SessionStatus>,
    /// Why it failed; only together with the status `failed`.
    pub error: Option<String>,
    /// What is remembered, and forgotten where there is no value.
    pub memory: BTreeMap<String, Option<Value>>,
}

/// Why a session was not changed.
pub(crate) enum Unchanged {
    /// The engine could not.
    Engine(Error),
    /// It must not be.
    Refused(String),
}

impl From<Error> for Unchanged {
    fn from(error: Error) -> Self {
        Unchanged::Engine(error)
    }
}

impl Engine {
    /// Creates a session without running a step; the next continue runs the first one.
    pub async fn create(&self, workflow: &str, start: Start) -> Result<WorkflowSession, Error> {
        let plan = self.find(workflow).ok_or_else(|| Error::NoWorkflow(workflow.to_owned()))?;
        let live = self.0.lives.get(&super::entry::new_id());
        match self.0.created(&live, &plan, start, true).await? {
            Ok(state) => Ok(state.session.clone()),
            Err(first) => self.get(&first).await,
        }
    }

    /// Keeps a session as it is given: its start, memory, history, choices and status.
    pub(crate) async fn keep(&self, session: &WorkflowSession) -> Result<(), Unchanged> {
        check_levels(session.memory.values().chain(session.history.iter().flat_map(|step| offered(step))))?;
        let events = as_events(session);
        let mut state = State::default();
        state.session.session_id.clone_from(&session.session_id);
        events.iter().for_each(|event| state.apply(event));
        let room =
            SessionLimits { most: u64::MAX, finished_before: i64::MIN, evict_open: false, since: None };
        let texts = events.iter().map(Event::text).collect();
        match self.0.store.sessions().create(state.row(), None, texts, room, Claim::Free).await {
            Ok(Created::Made) => Ok(()),
            Ok(Created::Exists(_) | Created::Full) => Err(Error::Overtaken.into()),
            Err(store::Error::Taken(id)) => {
                Err(Unchanged::Refused(format!("There is a session {id} already; give it another id")))
            }
            Err(error) => Err(Error::from(error).into()),
        }
    }

    /// Changes a session that is open.
    pub(crate) async fn change(
        &self,
        id: &str,
        change: &SessionChange,
    ) -> Result<WorkflowSession, Unchanged> {
        check_levels(change.memory.values().flatten())?;
        let at = self.0.now();
        self.record(id, |state| change.events(state, at)).await
    }

    /// Notes a step that was run elsewhere: it is in the history, and the session goes on after it.
    pub(crate) async fn record_step(
        &self,
        id: &str,
        step: StepExecution,
    ) -> Result<WorkflowSession, Unchanged> {
        check_levels(offered(&step))?;
        let ended = Event::Ended(Box::new(as_ended(&step)));
        self.record(id, |_| Ok(vec![ended.clone()])).await
    }

    /// Notes which tool was chosen.
    pub(crate) async fn record_branch(
        &self,
        id: &str,
        decision: BranchDecision,
    ) -> Result<WorkflowSession, Unchanged> {
        self.record(id, |_| Ok(vec![as_choice(&decision)])).await
    }

    async fn record(
        &self,
        id: &str,
        events: impl Fn(&State) -> Result<Vec<Event>, String>,
    ) -> Result<WorkflowSession, Unchanged> {
        let (live, mut state) = self.0.open(id).await?;
        loop {
            if !state.session.status.is_open() {
                let status = state.session.status;
                return Err(Unchanged::Refused(format!("Session {id} is {status} and cannot be changed")));
            }
            let events = events(&state).map_err(Unchanged::Refused)?;
            let mut draft = Draft::of(state);
            events.into_iter().for_each(|event| draft.push(event));
            match self.0.commit(&live, draft).await {
                Err(Error::Overtaken) => state = self.0.recorded(&live).await?,
                other => return Ok(other?.session.clone()),
            }
        }
    }

    /// Completes a session whose remaining steps need not run.
    pub(crate) async fn complete(&self, workflow: &str, id: &str) -> Result<Reply, Error> {
        let inner = Arc::clone(&self.0);
        let (live, _) = inner.owned(Some(workflow), None, id).await?;
        let done = tokio::spawn(async move { inner.complete(&live).await });
        done.await.unwrap_or_else(|_| Ok(Reply::error("Internal error")))
    }

    /// Fails a session; what must be undone is.
    pub(crate) async fn fail(&self, workflow: &str, id: &str, error: String) -> Result<Reply, Error> {
        let inner = Arc::clone(&self.0);
        let (live, _) = inner.owned(Some(workflow), None, id).await?;
        let done = tokio::spawn(async move { inner.fail_from_outside(&live, error).await });
        done.await.unwrap_or_else(|_| Ok(Reply::error("Internal error")))
    }

    /// Runs one step of a session. Those before it that were not run are passed over; one that was run gives
    /// its recorded reply.
    pub(crate) async fn execute_step(&self, workflow: &str, id: &str, step: usize) -> Result<Reply, Error> {
        let inner = Arc::clone(&self.0);
        let (live, _) = inner.owned(Some(workflow), None, id).await?;
        let done = tokio::spawn(async move { inner.execute_step(&live, step).await });
        done.await.unwrap_or_else(|_| Ok(Reply::error("Internal error")))
    }
}

impl Inner {
    /// The session in one's own hands, where it is open.
    async fn ready(&self, live: &Live, verb: &str) -> Result<Result<(Arc<State>, Arc<Plan>), Reply>, Error> {
        let state = self.recorded(live).await?;
        if !state.session.status.is_open() || state.undo.is_some() {
            return Ok(Err(reply::cannot(verb, state.session.status)));
        }
        let plan = self.plan_of(&state.definition).await?;
        Ok(Ok((state, plan)))
    }

    async fn complete(&self, live: &Arc<Live>) -> Result<Reply, Error> {
        let _turn = live.turn.lock().await;
        let (state, plan) = match self.ready(live, "complete").await? {
            Ok(ready) => ready,
            Err(reply) => return Ok(reply),
        };
        let mut draft = Draft::of(state);
        draft.push(Event::Completed { at: self.now() });
        let state = self.commit(live, draft).await?;
        let reply = reply::completed(&state);
        self.closed(live, &plan, state).await?;
        Ok(reply)
    }

    async fn fail_from_outside(&self, live: &Arc<Live>, error: String) -> Result<Reply, Error> {
        let _turn = live.turn.lock().await;
        match self.ready(live, "fail").await? {
            Ok((state, plan)) => self.fail(live, &plan, Draft::of(state), error).await,
            Err(reply) => Ok(reply),
        }
    }

    async fn execute_step(&self, live: &Arc<Live>, step: usize) -> Result<Reply, Error> {
        let _turn = live.turn.lock().await;
        let state = self.in_hand(live).await?;
        let plan = self.plan_of(&state.definition).await?;
        if step >= plan.steps.len() {
            let last = plan.steps.len() - 1;
            return Ok(Reply::error(format!("There is no step {step}; the last one is {last}.")));
        }
        let mut draft = Draft::of(Arc::clone(&state));
        let idle = state.session.status.is_open() && state.work.is_none() && state.hold.is_none();
        if idle && state.undo.is_none() {
            (state.next..step).for_each(|step| draft.push(Event::Passed { step }));
        }
        let state = self.commit(live, draft).await?;
        let request = Continue { expected: Some(step), ..Continue::default() };
        match self.admitted(live, &plan, Draft::of(state), request).await {
            Err(Error::Overtaken) => self.stands(live, &plan).await,
            other => other,
        }
    }
}

impl SessionChange {
    /// What is recorded of it.
    fn events(&self, state: &State, at: i64) -> Result<Vec<Event>, String> {
        let mut events = Vec::new();
        if !self.memory.is_empty() {
            events.push(Event::remembered(at, self.memory.clone()));
        }
        let (now, error) = (state.session.status, self.error.clone());
        if error.is_some() && self.status != Some(SessionStatus::Failed) {
            return Err("Only a session that fails has an error; give the status failed with it".into());
        }
        let undo = Vec::new();
        match self.status {
            None => {}
            Some(SessionStatus::Pending) if now == SessionStatus::Pending => {}
            Some(SessionStatus::Pending) => return Err("A session cannot be made pending again".into()),
            Some(SessionStatus::Running) if now != SessionStatus::Running => {
                events.push(Event::Resumed { at })
            }
            Some(SessionStatus::Paused) if now != SessionStatus::Paused => events.push(Event::Paused { at }),
            Some(SessionStatus::Running | SessionStatus::Paused) => {}
            Some(SessionStatus::Completed) => events.push(Event::Completed { at }),
            Some(SessionStatus::Cancelled) => events.push(Event::Cancelled { at, undo, compensate: false }),
            Some(SessionStatus::Failed) => {
                let error = error.unwrap_or_else(|| "The session was failed without a reason".into());
                events.push(Event::Failed { at, step: state.next, error, undo });
            }
        }
        Ok(events)
    }
}

/// The events that make a session which was kept elsewhere.
fn as_events(session: &WorkflowSession) -> Vec<Event> {
    let mut memory = Map::clone(&session.memory);
    let input = memory.shift_remove(INPUT_KEY).unwrap_or_else(|| Value::Object(Map::new()));
    let at = session.completed_at.unwrap_or(session.started_at);
    let mut events = vec![Event::Started(Box::new(Started {
        at: session.started_at,
        workflow: session.workflow_name.clone(),
        definition: Plan::native_hash(&session.workflow_name),
        steps: session.total_steps,
        caller: session.client_id.clone(),
        input,
        timeout: None,
        active: false,
        parent: session.parent_session_id.clone(),
        schedule: session.schedule_id.clone(),
        version: session.workflow_version,
        pending: session.status == SessionStatus::Pending,
        more: 0,
        whole: false,
    }))];
    let steps = session.history.iter().filter(|step| !step.compensation);
    events.extend(steps.map(|step| Event::Ended(Box::new(as_ended(step)))));
    events.extend(session.branch_history.iter().map(|made| as_choice(made)));
    if !memory.is_empty() {
        let changes = memory.into_iter().map(|(key, value)| (key, Some(value))).collect();
        events.push(Event::remembered(session.started_at, changes));
    }
    let (step, undo) = (session.current_step, Vec::new());
    match session.status {
        SessionStatus::Pending | SessionStatus::Running => {}
        SessionStatus::Paused => events.push(Event::Paused { at }),
        SessionStatus::Completed => events.push(Event::Completed { at }),
        SessionStatus::Cancelled => events.push(Event::Cancelled { at, undo, compensate: false }),
        SessionStatus::Failed => {
            let error = session.error.clone().unwrap_or_default();
            events.push(Event::Failed { at, step, error, undo });
        }
    }
    events
}

/// What a step offers to be called with.
fn offered(step: &StepExecution) -> impl Iterator<Item = &Value> {
    step.branch_options.iter().flatten().flat_map(|option| option.parameters.values().chain(&option.metadata))
}

fn as_ended(step: &StepExecution) -> Ended {
    let options = step.branch_options.iter().flatten();
    Ended {
        step: step.step_index,
        name: step.activity_name.clone(),
        group: false,
        outcomes: vec![Outcome {
            activity: step.activity_name.clone(),
            began: step.started_at,
            ended: step.completed_at,
            error: step.error.clone().or_else(|| (!step.success).then(String::new)),
            ..Outcome::default()
        }],
        error: step.error.clone(),
        optional: !step.success,
        offers: options.map(|option| Offer { option: Arc::new(option.clone()), pattern: None }).collect(),
    }
}

fn as_choice(decision: &BranchDecision) -> Event {
    Event::Chosen {
        at: decision.timestamp,
        step: decision.step_index,
        tool: decision.tool_name.clone(),
        pattern: decision.branch_pattern.clone(),
        key: None,
    }
}
