//! What tools of a session workflow answer (spec 4.6).

use super::plan::Plan;
use super::state::{Answer, Hold, State};
use model::session::{BranchOption, Face, SessionStatus, UncertainMember, Waiting};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The reply of a tool: text, structured content, metadata, and whether it is an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The one text part.
    pub text: String,
    /// `structuredContent`.
    pub structured: Option<Value>,
    /// `_meta`.
    pub meta: Option<Value>,
    /// `isError`.
    pub is_error: bool,
}

impl Reply {
    /// A plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), structured: None, meta: None, is_error: false }
    }

    /// An error.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// The same without offers of tools that are out of reach for whoever asked.
    #[must_use]
    pub fn offering(mut self, reaches: impl Fn(&str) -> bool) -> Self {
        let history = self.structured.as_mut().and_then(|all| all.get_mut("history")?.as_array_mut());
        for entry in history.into_iter().flatten().filter_map(Value::as_object_mut) {
            if let Some(Value::Array(mut options)) = entry.shift_remove("branchOptions") {
                options.retain(|option| option["toolName"].as_str().is_none_or(&reaches));
                entry.extend((!options.is_empty()).then(|| ("branchOptions".to_owned(), options.into())));
            }
        }
        let options = self.structured.as_mut().and_then(|all| all.get_mut("nextStepOptions")?.as_array_mut());
        let Some(options) = options else { return self };
        let before = options.len();
        options.retain(|option| option["toolName"].as_str().is_none_or(&reaches));
        if options.len() == before {
            return self;
        }
        let (left, several) = (options.clone(), options.len() > 1);
        if let Some(Value::Object(meta)) = &mut self.meta {
            meta.insert("branchingEnabled".into(), several.into());
            let first = left.first().map_or(Value::Null, |option| option["toolName"].clone());
            meta.insert("suggestedNextTool".into(), first);
        }
        if let Ok(Value::Object(mut text)) = serde_json::from_str(&self.text)
            && text.shift_remove("branchOptions").is_some()
        {
            text.extend(several.then(|| ("branchOptions".to_owned(), left.into())));
            self.text = Value::Object(text).to_string();
        }
        self
    }

    /// The result of a `tools/call`.
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self.result()).expect("a reply is plain data")
    }

    /// The same as text.
    pub fn to_raw(&self) -> Box<RawValue> {
        serde_json::value::to_raw_value(&self.result()).expect("a reply is plain data")
    }

    fn result(&self) -> CallResult<'_> {
        CallResult {
            content: [Part { kind: "text", text: &self.text }],
            structured_content: self.structured.as_ref(),
            is_error: self.is_error,
            meta: self.meta.as_ref(),
        }
    }
}

/// A reply as the result of a call.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallResult<'a> {
    content: [Part<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<&'a Value>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a Value>,
}

#[derive(Serialize)]
struct Part<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    text: &'a str,
}

/// What the text of a step says.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Stepped<'a> {
    message: String,
    result: &'a Value,
    next_step: NextStep<'a>,
    progress: Progress,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch_options: Option<&'a [&'a BranchOption]>,
}

#[derive(Serialize)]
struct NextStep<'a> {
    index: usize,
    activity: &'a str,
}

#[derive(Serialize)]
struct Progress {
    current: usize,
    total: usize,
}

/// The words of errors.
pub(crate) fn not_found(id: &str) -> Reply {
    Reply::error(format!("Workflow session {id} not found"))
}

pub(crate) fn cannot(verb: &str, status: SessionStatus) -> Reply {
    Reply::error(format!("Cannot {verb} workflow in status: {status}"))
}

/// What is said of a session that is not over, because what its steps did is being undone.
pub(crate) fn undoing(verb: &str) -> Reply {
    Reply::error(format!("Cannot {verb} workflow while its steps are being undone"))
}

/// What a continue is told whose session was paused while it waited for its turn.
pub(crate) fn held(state: &State) -> Reply {
    let (id, next) = (&state.session.session_id, state.next);
    Reply::error(format!("Session {id} stands at step {next}; it was paused after this call came."))
}

/// The reply to the call that gave this answer, as it was and as it will always be.
pub(crate) fn of_answer(plan: &Plan, state: &State, answer: &Answer) -> Reply {
    let is_last = state.answers.last().is_some_and(|last| std::ptr::eq(&**last, answer) || **last == *answer);
    match (&answer.error, answer.step) {
        (Some(error), Some(step)) if !answer.optional => failed(plan, state, step, error),
        _ if is_last && state.session.status == SessionStatus::Completed => completed(state),
        (_, None) => completed(state),
        (_, Some(step)) => stepped(plan, state, answer, step),
    }
}

/// A step failed, or the condition before it, and the workflow with it.
pub(crate) fn failed(plan: &Plan, state: &State, step: usize, error: &str) -> Reply {
    let condition = state.session.decisions.last().filter(|one| one.way.is_none());
    let name = condition.map_or_else(|| plan.step_name(step), |one| plan.label_of(&one.node_id));
    Reply::error(format!("Workflow failed at step {step} ({name}): {error}"))
}

/// All steps are done.
pub(crate) fn completed(state: &State) -> Reply {
    let session = &state.session;
    let took = session.completed_at.unwrap_or(session.started_at).saturating_sub(session.started_at).max(0);
    let text = json!({
        "message": "Workflow completed successfully",
        "results": session.memory,
        "executionTime": took,
    });
    let structured = json!({"status": "completed", "results": session.memory});
    Reply { text: text.to_string(), structured: Some(structured), meta: None, is_error: false }
}

fn stepped(plan: &Plan, state: &State, answer: &Answer, step: usize) -> Reply {
    let (name, (next, activity)) = (&answer.name, plan.next_of(step));
    let options: Vec<&BranchOption> = answer.offers.iter().map(|offer| &*offer.option).collect();
    let message = match &answer.error {
        None => format!("Step {step} ({name}) completed successfully"),
        Some(_) => format!("Step {step} ({name}) failed (optional), continuing"),
    };
    let text = Stepped {
        message,
        result: &answer.data,
        next_step: NextStep { index: next, activity },
        progress: Progress { current: next, total: plan.steps.len() },
        branch_options: (options.len() > 1).then_some(&options),
    };
    let text = serde_json::to_string(&text).expect("a reply is plain data");
    let mut structured = json!({
        "sessionId": state.session.session_id,
        "stepResult": answer.data,
        "nextActivity": activity,
        "nextStepOptions": options,
    });
    if let Some(error) = &answer.error {
        structured["stepError"] = error.as_str().into();
    }
    let meta = json!({
        "branchingEnabled": options.len() > 1,
        "suggestedNextTool": options.first().map(|option| &option.tool_name),
    });
    Reply { text, structured: Some(structured), meta: Some(meta), is_error: false }
}

/// The session waits: for whom or what, and what may be called meanwhile.
pub(crate) fn waiting(plan: &Plan, state: &State) -> Reply {
    let session = &state.session;
    let Some(waiting) = &session.waiting else {
        return Reply::error("The step is under way; ask again later");
    };
    let id = session.session_id.as_str();
    let option = |step: usize, more: Value, condition: &str| {
        let mut parameters = json!({"sessionId": id, "expectedStep": step});
        if let (Some(all), Value::Object(more)) = (parameters.as_object_mut(), more) {
            all.extend(more);
        }
        json!({"toolName": plan.tool(Face::Continue), "parameters": parameters, "condition": condition,
            "priority": 50})
    };
    let (message, options) = match waiting {
        Waiting::Approval { step_index, activity_name, digest, message, .. } => {
            let said = message.as_ref().map(|message| format!(": {message}")).unwrap_or_default();
            let answer = |allow: bool| json!({"approval": {"digest": digest, "allow": allow}});
            let by_tool = !matches!(&state.hold, Some(Hold::Question(held)) if held.api_only);
            let answers = [(true, "Allow the step"), (false, "Refuse the step")];
            let answers = answers.into_iter().filter(|_| by_tool);
            let options = answers.map(|(allow, words)| option(*step_index, answer(allow), words)).collect();
            (format!("Step {step_index} ({activity_name}) waits for approval{said}"), options)
        }
        Waiting::Event { step_index, activity_name, event, .. } => {
            (format!("Step {step_index} ({activity_name}) waits for the event {event}"), Vec::new())
        }
        Waiting::Session { step_index, activity_name, session_id, session_ids } => {
            let all = if session_ids.is_empty() { session_id.clone() } else { session_ids.join(", ") };
            let word = if session_ids.is_empty() { "session" } else { "sessions" };
            (format!("Step {step_index} ({activity_name}) waits for {word} {all}"), Vec::new())
        }
        Waiting::Uncertain { step_index, activity_name, members, choices, since, .. } => {
            let options = choices
                .iter()
                .map(|choice| option(*step_index, json!({"resolve": choice, "doubt": since}), choice))
                .collect();
            let text = format!(
                "Step {step_index} ({activity_name}) was under way when the gateway stopped; \
                 it is uncertain whether {} took effect",
                UncertainMember::words(members)
            );
            (text, options)
        }
    };
    let text = json!({"message": message, "waiting": waiting});
    let structured = json!({"sessionId": id, "status": "waiting", "waiting": waiting,
        "nextStepOptions": options});
    let meta = json!({"branchingEnabled": options.len() > 1,
        "suggestedNextTool": options.first().map(|option| &option["toolName"])});
    Reply { text: text.to_string(), structured: Some(structured), meta: Some(meta), is_error: false }
}

/// What `_status` answers.
pub(crate) fn status(state: &State) -> Reply {
    let session = &state.session;
    let text = format!(
        "Workflow {} with session ID {} is {}.",
        session.workflow_name, session.session_id, session.status
    );
    let structured = serde_json::to_value(session).expect("a session is plain data");
    Reply { structured: Some(structured), ..Reply::text(text) }
}

/// What `_pause` and `_cancel` answer.
pub(crate) fn done(state: &State, word: &str) -> Reply {
    let session = &state.session;
    Reply::text(format!(
        "Workflow {} with session ID {} has been {word}.",
        session.workflow_name, session.session_id
    ))
}
