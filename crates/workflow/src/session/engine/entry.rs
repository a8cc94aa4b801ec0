//! What clients ask of a session: start, continue, pause, cancel, status, and answers to its questions.

use super::again::told_before;
use super::doubt::overdue;
use super::host::Order;
use super::live::{Draft, Live};
use super::orders::pin_doubt;
use super::unasked::unasked;
use super::{Ear, Engine, Error, Inner, check_levels, given};
use crate::session::event::Event;
use crate::session::input::object_fits;
use crate::session::plan::Plan;
use crate::session::reply::{self, Reply};
use crate::session::state::{Hold, State};
use model::session::{Face, SessionStatus};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// How often a call that was overtaken looks again at the step that it means.
pub(super) const TRIES: usize = 3;

/// A session to be started.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Start {
    /// Who starts it.
    pub client_id: String,
    /// Its input: a JSON object.
    pub input: Value,
    /// A repeated start with the same key is given the reply of the first.
    pub key: Option<String>,
    /// How far it goes in this call.
    pub steps: Steps,
    /// Whether it goes on to its end, because nobody chooses what follows a step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
    /// The session that runs it as a step.
    pub parent: Option<String>,
    /// The schedule that starts it.
    pub schedule: Option<String>,
    /// Hears what happens during the call.
    #[serde(skip)]
    pub ear: Option<Ear>,
}

/// How many steps one call may run, as long as there is nothing to choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Steps {
    /// One.
    #[default]
    One,
    /// Up to that many.
    Most(usize),
    /// Up to the end.
    All,
}

impl Steps {
    /// How many may run before the next call; 0 stands for one.
    pub(super) const fn more(self) -> usize {
        match self {
            Steps::One | Steps::Most(0 | 1) => 0,
            Steps::Most(most) => most,
            Steps::All => usize::MAX,
        }
    }
}

/// A session to be continued.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Continue {
    /// Who asks; nobody stands for whoever runs the gateway, who may use every session.
    pub client_id: Option<String>,
    /// The session; nothing stands for the only open one.
    pub session: Option<String>,
    /// The output of the step before.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// The step that this call is meant to run.
    pub expected: Option<usize>,
    /// What is merged over the step's input.
    pub arguments: Map<String, Value>,
    /// How far it goes in this call.
    pub steps: Steps,
    /// The answer to a question.
    pub approval: Option<Approval>,
    /// What became of a step that is uncertain: `retry`, `done` or `compensate`.
    pub resolve: Option<String>,
    /// Since when the step is uncertain, as far as the caller knows; an answer to an older doubt decides nothing.
    pub doubt: Option<i64>,
    /// How many events the session had when the call came; nothing where nobody looked yet. A pause that was recorded
    /// after them is not lifted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<u64>,
    /// Hears what happens during the call.
    #[serde(skip)]
    pub ear: Option<Ear>,
}

/// The answer of somebody who was asked to allow a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    /// Names the question.
    pub digest: String,
    /// Whether the step may run.
    pub allow: bool,
    /// Why not.
    pub reason: Option<String>,
    /// Who decided.
    pub by: String,
    /// Whether it came over the API, not by a tool call.
    pub over_api: bool,
}

impl Engine {
    /// Starts a session of a workflow and runs its first step.
    pub async fn start(&self, workflow: &str, start: Start) -> Result<Reply, Error> {
        let plan = self.find(workflow).ok_or_else(|| Error::NoWorkflow(workflow.to_owned()))?;
        let inner = Arc::clone(&self.0);
        // The step goes on when the client leaves. A task is moved again and again on its way to a worker, so it is
        // in a box.
        let work = Box::pin(async move {
            let started = match inner.is_hosted() {
                true => Box::pin(inner.start_hosted(new_id(), &plan, start)).await,
                false => inner.start(new_id(), &plan, start).await,
            };
            started.map(|(_, reply)| reply)
        });
        tokio::spawn(otlp::inherit(work)).await.unwrap_or_else(|_| Ok(Reply::error("Internal error")))
    }

    /// Runs the next step of a session.
    pub async fn proceed(&self, workflow: &str, request: Continue) -> Result<Reply, Error> {
        check_levels(&request.result)?;
        if !object_fits(&request.arguments) {
            return Err(Error::TooDeep);
        }
        let (inner, workflow) = (Arc::clone(&self.0), workflow.to_owned());
        let work = Box::pin(async move {
            match inner.is_hosted() {
                true => Box::pin(inner.proceed_hosted(&workflow, request)).await,
                false => inner.seats.seated(inner.proceed(&workflow, request)).await,
            }
        });
        tokio::spawn(otlp::inherit(work)).await.unwrap_or_else(|_| Ok(Reply::error("Internal error")))
    }

    /// Holds a session until the next continue.
    pub async fn pause(
        &self,
        workflow: Option<&str>,
        client: Option<&str>,
        id: &str,
    ) -> Result<Reply, Error> {
        self.pause_at(workflow, client, id, None).await
    }

    /// Ends a session; its steps are undone where that is asked for.
    pub async fn cancel(
        &self,
        workflow: Option<&str>,
        client: Option<&str>,
        id: &str,
        compensate: bool,
    ) -> Result<Reply, Error> {
        let (live, _) = self.0.owned(workflow, client, id).await?;
        let (inner, ended) = (Arc::clone(&self.0), live);
        let done = tokio::spawn(async move {
            match inner.is_hosted() {
                true => inner.interrupt(&ended, Order::Cancel { compensate, asked: true }).await,
                false => inner.cancel(&ended, compensate).await,
            }
        });
        done.await.unwrap_or_else(|_| Ok(Reply::error("Internal error")))
    }

    /// Shows a session.
    pub async fn status(
        &self,
        workflow: Option<&str>,
        client: Option<&str>,
        id: &str,
    ) -> Result<Reply, Error> {
        let (_, state) = self.0.owned(workflow, client, id).await.map_err(|error| match error {
            Error::Store(error) => Error::Unread(error),
            other => other,
        })?;
        Ok(reply::status(&state))
    }
}

impl Inner {
    /// A session that this caller may use.
    pub(crate) async fn owned(
        &self,
        workflow: Option<&str>,
        client: Option<&str>,
        id: &str,
    ) -> Result<(Arc<Live>, Arc<State>), Error> {
        let (live, state) = self.open(id).await?;
        self.check_owner(workflow, client, &state)?;
        Ok((live, state))
    }

    pub(super) fn check_owner(
        &self,
        workflow: Option<&str>,
        client: Option<&str>,
        state: &State,
    ) -> Result<(), Error> {
        let session = &state.session;
        let stranger = client.is_some_and(|client| client != session.client_id) && !self.limits().shared;
        if stranger || workflow.is_some_and(|workflow| workflow != session.workflow_name) {
            return Err(Error::NotFound(session.session_id.clone()));
        }
        Ok(())
    }

    /// Creates a session of this id and runs its first step.
    pub(crate) async fn start(
        &self,
        id: String,
        plan: &Arc<Plan>,
        start: Start,
    ) -> Result<(String, Reply), Error> {
        let steps = start.steps;
        let live = self.lives.get(&id);
        match self.start_in(&live, plan, start).await? {
            Err(first) => {
                let reply = self.answer_again(&first, steps).await?;
                Ok((first, reply))
            }
            Ok(reply) => Ok((live.id.clone(), reply)),
        }
    }

    /// The same under an id that is given; an error is the id of the one that was made with the same key before.
    pub(super) async fn start_in(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        mut start: Start,
    ) -> Result<Result<Reply, String>, Error> {
        let (ear, steps) = (start.ear.take(), start.steps);
        // Whoever repeats the start waits for the reply of the first one.
        let _turn = live.turn.lock().await;
        let state = match self.created(live, plan, start, false).await? {
            Err(first) => return Ok(Err(first)),
            Ok(state) => state,
        };
        let _heard = live.heard_by(ear);
        match self.advance(live, plan, Draft::of(state), Map::new()).await {
            // Another instance that was sent the same start may have begun the step.
            Err(Error::Overtaken) => self.told_first(live, None, steps).await.map(Ok),
            other => other.map(Ok),
        }
    }

    pub(super) async fn proceed(&self, workflow: &str, mut request: Continue) -> Result<Reply, Error> {
        let came = self.now();
        let id = match self.meant(workflow, &request).await? {
            Ok(id) => id,
            Err(reply) => return Ok(reply),
        };
        let (live, known) = self.known(&id).await?;
        self.check_owner(Some(workflow), request.client_id.as_deref(), &known)?;
        if request.resolve.is_some() && request.doubt.is_none() {
            // It answers the doubt that there is, and none that comes while it waits or is overtaken.
            pin_doubt(&mut request, &*self.refreshed(&live).await?);
        }
        let mut seen = request.seen;
        let _turn = match live.turn.try_lock() {
            Ok(turn) => turn,
            Err(_) => {
                let now = self.refreshed(&live).await?;
                seen.get_or_insert(now.events);
                live.turn.lock().await
            }
        };
        let _heard = live.heard_by(request.ear.clone());
        let mut draft = self.at_step(&live, request.runs_only(), &mut seen).await?;
        let plan = self.plan_of(&draft.state.definition).await?;
        // A pause that came while the call waited for its turn, here or for another instance, came after the call, and
        // is not lifted by it.
        if seen.is_some_and(|seen| draft.base.is_paused_after(seen)) {
            return match told_before(&plan, &draft.base, &request) {
                Some(told) => Box::pin(self.told_whole(&live, &plan, draft.base, &request, told)).await,
                None => Ok(reply::held(&draft.base)),
            };
        }
        for _ in 0..TRIES {
            match self.admitted(&live, &plan, draft, request.clone()).await {
                Err(Error::Overtaken) => draft = Draft::of(self.in_hand(&live).await?),
                other => return other,
            }
            // A call that does not say which step it means must not run the one after it, and none lifts a pause that
            // came after it. One that asked nobody when it came has only the time to tell by.
            let paused = match seen {
                Some(seen) => draft.base.is_paused_after(seen),
                None => draft.base.paused_since.is_some_and(|since| since > came),
            };
            if request.expected.is_none() || paused {
                break;
            }
        }
        // What the other one did counts; this call gets to hear of it.
        self.stands(&live, &plan).await
    }

    /// The reply to a call whose step came to nothing because the session was ended or moved meanwhile.
    pub(crate) async fn stands(&self, live: &Live, plan: &Plan) -> Result<Reply, Error> {
        let state = self.recorded(live).await?;
        // While steps are undone the session is not over yet, and nobody can go on with it.
        let status = state.undo.as_ref().map_or(state.session.status, |undo| undo.status);
        Ok(match status {
            SessionStatus::Failed => match state.answers.last() {
                Some(answer) => reply::of_answer(plan, &state, answer),
                None => reply::cannot("continue", status),
            },
            SessionStatus::Cancelled | SessionStatus::Completed => reply::cannot("continue", status),
            _ if state.session.waiting.is_some() => reply::waiting(plan, &state),
            _ => match state.answers.last() {
                Some(answer) => reply::of_answer(plan, &state, answer),
                None if status == SessionStatus::Paused => reply::held(&state),
                None => Reply::error(Error::Overtaken.to_string()),
            },
        })
    }

    /// What a continue does, now that nobody else runs a step. What is rare is boxed: the rest is moved for every step.
    pub(super) async fn admitted(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        mut draft: Draft,
        request: Continue,
    ) -> Result<Reply, Error> {
        let state = Arc::clone(&draft.base);
        if let Some(told) = told_before(plan, &state, &request) {
            return Box::pin(self.told_whole(live, plan, state, &request, told)).await;
        }
        if !state.session.status.is_open() {
            return Ok(reply::cannot("continue", state.session.status));
        }
        let now = self.now();
        if let Some(step) = overdue(plan, &state, now) {
            return Box::pin(self.time_out(live, plan, step)).await;
        }
        if state.undo.is_some() {
            Box::pin(self.undo(live, plan)).await?;
            return self.stands(live, plan).await;
        }
        if state.session.status != SessionStatus::Running {
            draft.push(Event::Resumed { at: now });
        }
        let more = request.steps.more();
        // Whoever answers a question may let further steps follow; one that does not say takes nothing back.
        let held = state.work.is_some() || state.hold.is_some();
        if held && more > 0 && state.more != more {
            draft.push(Event::Asked { at: now, more });
        }
        if state.work.is_some() {
            return Box::pin(self.taken_up(live, plan, draft, &request)).await;
        }
        match &state.hold {
            Some(Hold::Question(_) | Hold::Event { .. }) => {
                return Box::pin(self.met(live, plan, draft, request)).await;
            }
            Some(Hold::Allowed(_) | Hold::Came { .. }) => {
                return Box::pin(self.advance(live, plan, draft, Map::new())).await;
            }
            None => {}
        }
        if let Some(refusal) = unasked(plan, &state, &request) {
            return Ok(refusal);
        }
        if let Some(result) = request.result {
            if let Some(refusal) = wrong_result(&state, &result) {
                return Ok(refusal);
            }
            draft.push(Event::Given { at: now, result });
        }
        draft.choose(Face::Continue, now);
        if draft.state.more != more && !state.whole {
            draft.push(Event::Asked { at: now, more });
        }
        self.advance(live, plan, draft, request.arguments).await
    }
}

/// Why a result cannot stand for the output of the step before. One of a group may have more than its activities.
pub(super) fn wrong_result(state: &State, result: &Value) -> Option<Reply> {
    let group = &state.answers.last()?.group;
    let named = |all: &Map<String, Value>| all.is_empty() || group.iter().any(|name| all.contains_key(name));
    if group.is_empty() || result.as_object().is_some_and(named) {
        return None;
    }
    let names = group.join(", ");
    Some(Reply::error(format!(
        "The result of a group must be an object by the names of its activities: {names}."
    )))
}

/// 16 random bytes in the form of a UUID of version 4.
pub(in crate::session) fn new_id() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let digits = model::text::hex(&bytes);
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}
