//! A session of a workflow as a task of a modern client, whose id is that of the session.

use super::faces::{approval, approval_schema};
use super::note::Note;
use super::tasks::knows_tasks;
use super::{Asked, message};
use crate::caller::Caller;
use crate::carried::{Carried, Failure};
use crate::fault_of;
use crate::gateway::Gateway;
use crate::hooks::Subject;
use crate::sessions::Detached;
use mcp::Era;
use model::session::{Face, INPUT_KEY, SessionStatus, UncertainMember, Waiting, WorkflowSession};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;
use workflow::session::Reply;

/// How often a client may ask about a task, in milliseconds.
const POLL_MS: u64 = 500;

impl Gateway {
    /// Starts a session as a task, where the client knows tasks and lets the start run several steps.
    pub(super) async fn start_as_task(&self, asked: &Asked<'_>, params: &str) -> Option<Vec<u8>> {
        if asked.guest.era() != Era::Modern || !knows_tasks(asked.guest) || !params.contains("maxSteps") {
            return None;
        }
        // It is rare, and larger than all others, which need not carry it.
        let started = Box::pin(self.start_detached(asked.caller(), params)).await?;
        let Detached { tool, outcome, code, trace } = started;
        asked.note.set(Note::own(&tool, code, trace));
        Some(match outcome {
            Err(reply) => message::passed(asked, reply.to_raw().get()),
            Ok(session) => {
                message::signed(asked.id, &task(&session, "task").to_string(), &message::Ran::Untold)
            }
        })
    }

    /// A request about a task that is a session of ours; nothing where it is not.
    pub(super) async fn ask_about_session(self: &Arc<Self>, asked: &Asked<'_>, id: &str) -> Option<Vec<u8>> {
        let engine = &self.sessions.engine;
        let client = asked.caller().id().to_owned();
        let (session, reply) = engine.task(&client, id).await.ok()?;
        // Once it has run as far as it was to, later calls of its session are none of its business.
        let can_answer = asked.guest.can_answer("elicitation/create", "{}").is_ok();
        let asking = match &reply {
            None if can_answer => self.asking(asked, &client, &session).await,
            _ => None,
        };
        let done = match asked.method {
            "tasks/get" => {
                let mut task = task(&session, "complete");
                if let Some((_, waiting)) = &asking
                    && let Some((key, params)) = question(waiting)
                {
                    task["status"] = "input_required".into();
                    task["inputRequests"] = json!({key: {"method": "elicitation/create", "params": params}});
                }
                if let Some(reply) = &reply {
                    task["status"] = "completed".into();
                    match self.fetched_session(asked, &session, &finished(reply)).await {
                        Ok(result) => task["result"] = result,
                        Err(refusal) => return Some(refusal),
                    }
                }
                task
            }
            "tasks/cancel" if reply.is_some() => json!({"resultType": "complete"}),
            // It is a call of the workflow's cancel tool, so hooks see it as one and may refuse it.
            "tasks/cancel" => {
                let tool = Face::Cancel.tool(&session.workflow_name);
                let Carried { outcome, code, trace, .. } = self.cancel_task(asked.caller(), &session).await;
                asked.note.set(Note::own(&tool, code, trace));
                match outcome {
                    Ok(_) => json!({"resultType": "complete"}),
                    Err(failure) => return Some(refusal(asked, &failure, &tool)),
                }
            }
            _ => {
                let params = asked.params.map_or("{}", RawValue::get);
                let given: Value = serde_json::from_str(params).unwrap_or_default();
                let answer = asking.and_then(|(session, waiting)| {
                    let (key, _) = question(&waiting)?;
                    Some((session, decision(&waiting, &given["inputResponses"][key])?))
                });
                if let Some((session, mut arguments)) = answer {
                    arguments["sessionId"] = session.session_id.into();
                    let name = Face::Continue.tool(&session.workflow_name);
                    let params = json!({"name": name, "arguments": arguments}).to_string();
                    let (gateway, pass) = (Arc::clone(self), asked.pass.cloned());
                    // The client asks about the task again; it does not wait for the step here.
                    tokio::spawn(async move {
                        let caller = Caller::new(Some(&client)).with(pass.as_deref());
                        gateway.call_own(caller, &params, None).await;
                    });
                }
                json!({"resultType": "complete"})
            }
        };
        Some(message::signed(asked.id, &done.to_string(), &message::Ran::Untold))
    }

    /// The session that has a question for the client of a task, and what it waits for: the task's own, or one that
    /// runs as a step of it, where the client may continue it.
    async fn asking(
        &self,
        asked: &Asked<'_>,
        client: &str,
        session: &WorkflowSession,
    ) -> Option<(WorkflowSession, Waiting)> {
        let reaches = |one: &WorkflowSession| {
            self.permits_own(&asked.caller(), &Face::Continue.tool(&one.workflow_name))
        };
        let mut left = vec![session.clone()];
        while let Some(mut one) = left.pop() {
            match one.waiting.take() {
                Some(Waiting::Session { session_id, session_ids, .. }) => {
                    let several = !session_ids.is_empty();
                    for id in if several { session_ids } else { vec![session_id] } {
                        let child = self.sessions.engine.task(client, &id).await;
                        left.extend(child.ok().map(|(child, _)| child));
                    }
                }
                Some(waiting) if question(&waiting).is_some() && reaches(&one) => {
                    return Some((one, waiting));
                }
                _ => {}
            }
        }
        None
    }

    /// The result of a session that became a task passes what follows the call of its start when it is fetched.
    async fn fetched_session(
        &self,
        asked: &Asked<'_>,
        session: &WorkflowSession,
        result: &Value,
    ) -> Result<Value, Vec<u8>> {
        let settings = self.settings();
        let tool = Face::Start.tool(&session.workflow_name);
        let graph = self.graph_behind();
        let seen = graph.is_some() || !self.hooks.idle(&settings);
        let Some(subject) = Subject::own(asked.caller(), &tool).filter(|_| seen) else {
            return Ok(result.clone());
        };
        let input = session.memory.get(INPUT_KEY).filter(|input| input.is_object());
        let input = input.cloned().unwrap_or_else(|| json!({}));
        let params = json!({"name": tool, "arguments": input}).to_string();
        let text = RawValue::from_string(result.to_string()).expect("a value is JSON");
        let mut passage = self.hooks.open(subject, &settings);
        match self.after_task(&mut passage, &settings, graph, (params, None), text).await {
            Ok(result) => Ok(serde_json::from_str(result.get()).expect("hooks give JSON")),
            Err(failure) => Err(refusal(asked, &failure, &tool)),
        }
    }
}

/// The answer about a task whose call of that tool failed.
fn refusal(asked: &Asked<'_>, failure: &Failure, tool: &str) -> Vec<u8> {
    match failure {
        Failure::Fault(fault) => message::refusal(asked.id, fault),
        Failure::Rpc(error) => message::refusal(asked.id, &fault_of(error, "", tool)),
    }
}

/// What a task asks for what its session waits for, under a name that no other question has: an answer that comes
/// twice, or late, is none to the next one.
fn question(waiting: &Waiting) -> Option<(String, Value)> {
    match waiting {
        // It is not for this client to answer.
        Waiting::Approval { api_only: true, .. } => None,
        Waiting::Approval { message, activity_name, input, digest, .. } => {
            let said = message.clone().unwrap_or_else(|| format!("May {activity_name} run?"));
            let params = json!({"message": format!("{said}\n{input}"), "requestedSchema": approval_schema()});
            Some((format!("approval-{}", digest.get(..16).unwrap_or(digest)), params))
        }
        Waiting::Uncertain { activity_name, members, choices, since, .. } => {
            let said = format!(
                "{activity_name} was under way when the gateway stopped; it is uncertain whether {} took effect",
                UncertainMember::words(members)
            );
            let schema = json!({"type": "object", "required": ["resolve"], "properties": {
                "resolve": {"type": "string", "title": "What to do", "enum": choices},
            }});
            Some((format!("uncertain-{since}"), json!({"message": said, "requestedSchema": schema})))
        }
        Waiting::Event { .. } | Waiting::Session { .. } => None,
    }
}

/// The arguments of the continue that an answer to such a question stands for.
fn decision(waiting: &Waiting, answer: &Value) -> Option<Value> {
    match waiting {
        Waiting::Approval { digest, step_index, .. } => {
            Some(json!({"approval": approval(digest, answer)?, "expectedStep": step_index}))
        }
        Waiting::Uncertain { since, step_index, .. } if answer["action"] == "accept" => {
            let resolve = answer["content"]["resolve"].as_str()?;
            Some(json!({"resolve": resolve, "doubt": since, "expectedStep": step_index}))
        }
        _ => None,
    }
}

/// A session as a task.
fn task(session: &WorkflowSession, kind: &str) -> Value {
    let status = match session.status {
        SessionStatus::Completed | SessionStatus::Failed => "completed",
        SessionStatus::Cancelled => "cancelled",
        _ => "working",
    };
    let last = session.history.last().map_or(session.started_at, |step| step.completed_at);
    let last = session.completed_at.unwrap_or(last);
    json!({
        "resultType": kind,
        "taskId": session.session_id,
        "status": status,
        "createdAt": text(session.started_at),
        "lastUpdatedAt": text(last),
        "ttlMs": null,
        "pollIntervalMs": POLL_MS,
    })
}

fn text(millis: i64) -> String {
    String::from_utf8_lossy(&model::time::format(u64::try_from(millis).unwrap_or(0))).into_owned()
}

/// The result of a task that is over.
fn finished(reply: &Reply) -> Value {
    let mut result = reply.to_value();
    result["resultType"] = "complete".into();
    result
}
