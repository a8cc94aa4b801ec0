//! What the admin API does with sessions: list, show, drive, answer their questions, raise events.

use super::faults;
use super::own::Way;
use crate::access::{Entered, OWN};
use crate::caller::Caller;
use crate::carried::{Carried, Failure};
use crate::gateway::Gateway;
use crate::hooks::Trace;
use crate::reply::fault_of;
use crate::sight::{self, Carrier, Seen, Visit};
use crate::waited::Footprint;
use model::session::{Face, SessionStats, SessionStatus, Waiting, WorkflowSession};
use model::{Code, Fault, WorkflowType};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Instant;
use store::SessionFilter;
use workflow::session::{Error, Reply, Wake};

/// The most sessions on one page.
const PAGE_MAX: usize = 1000;

/// What sessions may wait for.
const WAITING: [&str; 5] = ["approval", "event", "session", "uncertain", "step"];

/// How many sessions a page has when nobody says.
const PAGE: usize = 50;

/// Which sessions are listed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionQuery {
    /// Those of this workflow.
    pub workflow_name: Option<String>,
    /// Those in this status.
    pub status: Option<String>,
    /// Those that this client started.
    pub client_id: Option<String>,
    /// Those that run as steps of this session.
    pub parent: Option<String>,
    /// Those that wait for this: `approval`, `event`, `session`, `uncertain`, or `step`, which is one that runs.
    pub waiting: Option<String>,
    /// `true`: without what they remember.
    pub brief: Option<bool>,
    /// How many; 50 by default.
    pub limit: Option<String>,
    /// Without the first ones.
    pub offset: Option<String>,
}

impl SessionQuery {
    /// How many, and without how many.
    fn window(&self) -> Result<(usize, usize), Fault> {
        let limit = self.limit.as_deref().map_or(Some(PAGE), |text| text.parse().ok());
        let limit = limit.filter(|limit| (1..=PAGE_MAX).contains(limit)).ok_or_else(|| {
            faults::wrong("limit", format!("limit must be an integer between 1 and {PAGE_MAX}"))
        })?;
        let offset = self.offset.as_deref().map_or(Ok(0), str::parse);
        let offset = offset.map_err(|_| faults::wrong("offset", "offset must be an integer from 0"))?;
        Ok((limit, offset))
    }
}

/// The answer to the question of a session.
#[derive(Clone, Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalBody {
    /// Names the question, as the session shows it.
    pub digest: String,
    /// Whether the step may run.
    pub allow: bool,
    /// Why not.
    #[serde(default)]
    pub reason: Option<String>,
}

/// An event for sessions that wait.
#[derive(Clone, Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EventBody {
    /// Its name.
    pub event: String,
    /// What it brings.
    #[serde(default)]
    #[schema(value_type = Value)]
    pub data: Value,
    /// The session that it is meant for.
    #[serde(default)]
    pub session_id: Option<String>,
}

/// What came of a call of a session's tool over the API.
pub struct Driven {
    /// The reply, or why there is none.
    pub outcome: Result<Value, Fault>,
    /// The hooks that ran.
    pub hooks: Trace,
}

impl From<Result<Value, Fault>> for Driven {
    /// One that met no hook.
    fn from(outcome: Result<Value, Fault>) -> Self {
        Self { outcome, hooks: Trace::default() }
    }
}

impl Gateway {
    /// A page of sessions, newest first, and how many there are.
    pub async fn list_sessions(&self, query: &SessionQuery) -> Result<(Vec<WorkflowSession>, u64), Fault> {
        if let Some(status) = &query.status
            && SessionStatus::of(status).is_none()
        {
            let words = SessionStatus::ALL.map(SessionStatus::name).join(", ");
            return Err(faults::wrong("status", format!("status must be one of {words}")));
        }
        let what = query.waiting.as_deref().map(|word| word.split_once(':').map_or(word, |(what, _)| what));
        if what.is_some_and(|what| !WAITING.contains(&what)) {
            let words = WAITING.join(", ");
            return Err(faults::wrong("waiting", format!("waiting must be one of {words}")));
        }
        let (limit, offset) = query.window()?;
        let filter = SessionFilter {
            workflow: query.workflow_name.as_deref(),
            status: query.status.as_deref(),
            caller: query.client_id.as_deref(),
            parent: query.parent.as_deref(),
            waiting: query.waiting.as_deref(),
        };
        let engine = &self.sessions.engine;
        let mut sessions = engine.list(filter, limit, offset).await.map_err(faults::looking)?;
        if query.brief == Some(true) {
            sessions.iter_mut().for_each(|session| session.memory = Arc::default());
        }
        let count = engine.count(filter).await.map_err(faults::looking)?;
        Ok((sessions, count))
    }

    /// One session.
    pub async fn show_session(&self, id: &str) -> Result<WorkflowSession, Fault> {
        self.sessions.engine.get(id).await.map_err(faults::looking)
    }

    /// What one step of a session took and gave: JSON, secrets masked.
    pub async fn show_step(&self, id: &str, step: usize) -> Result<String, Fault> {
        let total = self.show_session(id).await?.total_steps;
        if step >= total {
            let message = format!("Workflow session {id} has no step {step}; it has {total}, the first is 0");
            return Err(Fault::new(Code::NotFound, message).with("sessionId", id).with("stepIndex", step));
        }
        let detail = self.sessions.engine.step(id, step).await.map_err(faults::looking)?;
        let text = json!(detail).to_string();
        Ok(self.shown(crate::hooks::hidden(&text).unwrap_or(text)).await)
    }

    /// How many sessions there are.
    pub async fn session_stats(&self) -> Result<SessionStats, Fault> {
        self.sessions.engine.stats().await.map_err(faults::looking)
    }

    /// Starts a session of a workflow that is kept; the body is its input.
    pub async fn start_session(
        &self,
        caller: Caller<'_>,
        id: &str,
        body: &str,
        carrier: Carrier<'_>,
    ) -> Driven {
        let start = self.session_workflow(id).and_then(|name| Ok((name, object(body)?)));
        match start {
            Ok((name, arguments)) => self.at_the_desk(caller, &name, Face::Start, arguments, carrier).await,
            Err(fault) => Err(fault).into(),
        }
    }

    /// Calls a face of a workflow as whoever runs the gateway, on the road of every call.
    async fn at_the_desk(
        &self,
        caller: Caller<'_>,
        workflow: &str,
        face: Face,
        arguments: Map<String, Value>,
        carrier: Carrier<'_>,
    ) -> Driven {
        let tool = face.tool(workflow);
        let params = json!({"name": tool, "arguments": arguments}).to_string();
        let footprint = Footprint::default();
        let caller = caller.leaving(&footprint);
        let visit = self.visit(sight::Way::Rest, "tools/call", carrier, Instant::now()).by(caller);
        let work = async {
            // Whoever may read all sessions need not be one who may run every workflow.
            if matches!(face, Face::Start | Face::Continue) && !self.permits_own(&caller, &tool) {
                return self.no_such_own(&caller, &tool);
            }
            // What holds or ends a session makes room, and is never turned away.
            let entered = match face {
                Face::Start | Face::Continue => self.enter(&caller).await,
                Face::Status | Face::Pause | Face::Cancel => Ok(Entered::default()),
            };
            match entered {
                Ok(_entered) => {
                    let way = Way { caller, ear: None, desk: Some((workflow, face)), time: None };
                    self.call_own_by(way, &params).await
                }
                Err(fault) => {
                    self.refuse_call(&caller, "tools/call", fault.code, || format!("{OWN}/{tool}"));
                    Carried::refused(fault)
                }
            }
        };
        let carried = Visit::within(Some(&visit), work).await;
        let (code, hooks) = (carried.code, Some(&carried.trace));
        visit.close(&Seen { caller, server: None, tool: Some(&tool), code, hooks });
        let outcome = match carried.outcome {
            Ok(reply) => Ok(serde_json::from_str(reply.get()).expect("a reply is JSON")),
            Err(Failure::Fault(fault)) => Err(fault),
            Err(Failure::Rpc(error)) => Err(fault_of(&error, "", &tool)),
        };
        Driven { outcome, hooks: carried.trace }
    }

    /// Calls a face of the workflow of a session.
    async fn drive(
        &self,
        caller: Caller<'_>,
        id: &str,
        face: Face,
        arguments: Result<Map<String, Value>, Fault>,
        carrier: Carrier<'_>,
    ) -> Driven {
        let found = match arguments {
            Ok(arguments) => self.show_session(id).await.map(|session| (session, arguments)),
            Err(fault) => Err(fault),
        };
        match found {
            Ok((session, mut arguments)) => {
                arguments.insert("sessionId".into(), id.into());
                self.at_the_desk(caller, &session.workflow_name, face, arguments, carrier).await
            }
            Err(fault) => Err(fault).into(),
        }
    }

    /// Whether an id is that of a session workflow.
    pub fn is_session_workflow(&self, id: &str) -> bool {
        self.session_workflow(id).is_ok()
            || self.graphs.of_type(WorkflowType::Session).iter().any(|one| one.id == id)
    }

    /// The name of an active session workflow, under which no other one is offered.
    fn session_workflow(&self, id: &str) -> Result<String, Fault> {
        let stored = self.graphs.of_type(WorkflowType::Session).into_iter().find(|one| one.id == id);
        match stored {
            Some(workflow) if workflow.enabled => match self.name_taken(&workflow) {
                Some(fault) => Err(fault),
                None => Ok(workflow.name),
            },
            Some(_) => Err(Fault::new(Code::Conflict, format!("Workflow is disabled: {id}")).with("id", id)),
            None => {
                let file = self.sessions.file.load();
                let named = file.procedures.iter().find(|one| model::Workflow::file_id(&one.name) == id);
                named.map(|one| one.name.clone()).ok_or_else(|| {
                    Fault::new(Code::NotFound, format!("Workflow '{id}' not found")).with("id", id)
                })
            }
        }
    }

    /// Does what `_continue` does.
    pub async fn continue_session(
        &self,
        caller: Caller<'_>,
        id: &str,
        body: &str,
        carrier: Carrier<'_>,
    ) -> Driven {
        self.drive(caller, id, Face::Continue, object(body), carrier).await
    }

    /// Does what `_pause` does.
    pub async fn pause_session(
        &self,
        caller: Caller<'_>,
        id: &str,
        body: &str,
        carrier: Carrier<'_>,
    ) -> Driven {
        self.drive(caller, id, Face::Pause, object(body), carrier).await
    }

    /// Does what `_cancel` does.
    pub async fn cancel_session(
        &self,
        caller: Caller<'_>,
        id: &str,
        body: &str,
        carrier: Carrier<'_>,
    ) -> Driven {
        self.drive(caller, id, Face::Cancel, object(body), carrier).await
    }

    /// Does what `_cancel` does for the client whose task a session is, where its key reaches that tool.
    pub(crate) async fn cancel_task(&self, caller: Caller<'_>, session: &WorkflowSession) -> Carried {
        let tool = Face::Cancel.tool(&session.workflow_name);
        if !self.permits_own(&caller, &tool) {
            return self.no_such_own(&caller, &tool);
        }
        let params = json!({"name": tool, "arguments": {"sessionId": session.session_id}}).to_string();
        let desk = Some((session.workflow_name.as_str(), Face::Cancel));
        self.call_own_by(Way { caller, ear: None, desk, time: None }, &params).await
    }

    /// Does what `_pause` does for a caller that may pause, where that is no tool: it is a call of it all the same, so
    /// hooks see it as one and may refuse it.
    pub(crate) async fn pause_unlisted(&self, caller: Caller<'_>, workflow: &str, params: &str) -> Carried {
        let desk = Some((workflow, Face::Pause));
        self.call_own_by(Way { caller, ear: None, desk, time: None }, params).await
    }

    /// Whether a caller may have sessions of a workflow started.
    pub(super) fn check_start(&self, caller: &Caller<'_>, workflow: &str) -> Result<(), Fault> {
        let tool = Face::Start.tool(workflow);
        if self.permits_own(caller, &tool) {
            return Ok(());
        }
        self.refuse_call(caller, "tools/call", Code::ToolNotFound, || tool.clone());
        Err(crate::faults::unknown("tools/call", &tool))
    }

    /// What a caller hears of a tool that its key does not reach.
    fn no_such_own(&self, caller: &Caller<'_>, tool: &str) -> Carried {
        self.refuse_call(caller, "tools/call", Code::ToolNotFound, || tool.to_owned());
        Carried::refused(crate::faults::unknown("tools/call", tool))
    }

    /// Answers the question of a session: a continue that brings the answer.
    pub async fn decide_session(
        &self,
        caller: Caller<'_>,
        id: &str,
        body: ApprovalBody,
        carrier: Carrier<'_>,
    ) -> Driven {
        match self.show_session(id).await {
            Err(fault) => return Err(fault).into(),
            Ok(session) if !matches!(session.waiting, Some(Waiting::Approval { .. })) => {
                let reply = Reply::error(format!("Session {id} does not wait for approval."));
                return Ok(reply.to_value()).into();
            }
            Ok(session) if session.status == SessionStatus::Paused => {
                let message = format!("Session {id} is paused; continue it first, then answer its question");
                return Err(faults::conflict(message).with("sessionId", id)).into();
            }
            Ok(_) => {}
        }
        let ApprovalBody { digest, allow, reason } = body;
        let approval = json!({"digest": digest, "allow": allow, "reason": reason});
        let arguments = Map::from_iter([("approval".to_owned(), approval)]);
        self.drive(caller, id, Face::Continue, Ok(arguments), carrier).await
    }

    /// Brings an event to the sessions that wait for it; says how many took it.
    pub async fn raise_event(&self, body: EventBody) -> Result<usize, Fault> {
        let EventBody { event, data, session_id } = body;
        if event.is_empty() {
            return Err(faults::wrong("event", "event must be a text that is not empty"));
        }
        let wake = Wake { event, data, session: session_id };
        self.sessions.engine.signal(&wake).await.map_err(|error| match error {
            Error::TooDeep => faults::wrong("data", "data is nested too deeply; 100 levels are the most"),
            other => faults::of(other),
        })
    }
}

/// The members of a body; nothing counts as none.
fn object(body: &str) -> Result<Map<String, Value>, Fault> {
    if body.trim().is_empty() {
        return Ok(Map::new());
    }
    let members: Option<Map<String, Value>> = serde_json::from_str(body)
        .map_err(|error| faults::wrong("body", format!("body must be a JSON object: {error}")))?;
    Ok(members.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_makes_no_sense_is_refused_with_its_rule() {
        let check = |limit: Option<&str>, offset: Option<&str>, expected: Result<(usize, usize), &str>| {
            let owned = |text: Option<&str>| text.map(str::to_owned);
            let query =
                SessionQuery { limit: owned(limit), offset: owned(offset), ..SessionQuery::default() };
            let found = query.window().map_err(|fault| fault.message);
            assert_eq!(found, expected.map_err(str::to_owned), "{limit:?} {offset:?}");
        };
        check(None, None, Ok((50, 0)));
        check(Some("1000"), Some("7"), Ok((1000, 7)));
        for limit in ["0", "-1", "1001", "x", ""] {
            check(Some(limit), None, Err("limit must be an integer between 1 and 1000"));
        }
        for offset in ["-1", "x", ""] {
            check(None, Some(offset), Err("offset must be an integer from 0"));
        }
    }
}
