//! An activity that runs another session workflow from start to end, in a session of its own.

use crate::session::activity::{Activity, ActivityContext, ActivityResult, Effect, Running, STANDALONE};
use crate::session::engine::Error;
use crate::session::engine::entry::new_id;
use serde_json::Value;
use std::sync::Arc;

/// Runs session workflows as steps of others.
pub trait RunWorkflow: Send + Sync {
    /// Starts a session, or finds the one that this key started before, and runs it as far as it goes.
    fn run<'a>(&'a self, nested: Nested<'a>) -> Running<'a, Result<NestedEnd, String>>;

    /// How far a session has come that was run before.
    fn again<'a>(&'a self, session: &'a str) -> Running<'a, Result<NestedEnd, String>>;

    /// Ends a session whose time is over, with this error.
    fn end<'a>(&'a self, _session: &'a str, _error: &'a str) -> Running<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Ends the session that runs as an attempt whose time is over, with this error. The key names the attempt.
    fn end_attempt<'a>(
        &'a self,
        _workflow: &'a str,
        _client_id: &'a str,
        _key: &'a str,
        _error: &'a str,
    ) -> Running<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Whether there is a workflow of this name.
    fn knows(&self, _workflow: &str) -> bool {
        true
    }
}

/// A session to be run as a step.
#[derive(Clone, Copy, Debug)]
pub struct Nested<'a> {
    /// The name of the workflow.
    pub workflow: &'a str,
    /// Its start input.
    pub input: &'a Value,
    /// The session that runs it, where one does.
    pub parent: Option<&'a str>,
    /// Names the attempt of the step that runs it, also after a restart.
    pub key: &'a str,
    /// The id of the new session, where no other runs it.
    pub id: Option<&'a str>,
    /// Who started the parent.
    pub client_id: &'a str,
}

/// How far a nested session came.
#[derive(Clone, Debug)]
pub enum NestedEnd {
    /// It succeeded: its session, and the output of its last step that produced one.
    Done(String, Option<Value>),
    /// It failed or was cancelled: its session, and the error.
    Failed(String, String),
    /// It waits for somebody or something.
    Waits(String),
    /// Nobody can tell now: the store, or whoever else knows, does not do its work. It is no failure of the session.
    Unknown(Error),
}

/// Runs another session workflow as one step.
pub struct WorkflowActivity {
    name: String,
    workflow: String,
    workflows: Arc<dyn RunWorkflow>,
}

/// The key in the metadata of a result that says which session it waits for.
pub(crate) const WAITS: &str = "lockgate/waitsFor";

impl WorkflowActivity {
    /// The activity of this name that runs this workflow.
    pub fn new(name: &str, workflow: &str, workflows: Arc<dyn RunWorkflow>) -> Self {
        Self { name: name.to_owned(), workflow: workflow.to_owned(), workflows }
    }
}

impl WorkflowActivity {
    async fn start(&self, context: &mut ActivityContext) -> Result<NestedEnd, String> {
        let nothing = Value::Object(serde_json::Map::new());
        let key = attempt_key(&context.key, context.attempt);
        let parent = Some(context.session_id.as_str()).filter(|id| *id != STANDALONE);
        context.begun = parent.is_none().then(new_id);
        let nested = Nested {
            workflow: &self.workflow,
            input: context.input.as_ref().unwrap_or(&nothing),
            parent,
            key: &key,
            id: context.begun.as_deref(),
            client_id: &context.client_id,
        };
        self.workflows.run(nested).await
    }
}

/// What the keys of what undoes a step end with, but for the number of the attempt.
pub(crate) const UNDO: &str = "/undo";

/// Names an attempt of a step, also after a restart: a further attempt is a further session.
pub(crate) fn attempt_key(key: &str, attempt: u32) -> String {
    if attempt == 0 { key.to_owned() } else { format!("{key}:{attempt}") }
}

/// What a step that runs a session gives.
pub(crate) fn as_result(end: NestedEnd) -> ActivityResult {
    let (mut result, session) = match end {
        NestedEnd::Done(session, data) => {
            (ActivityResult { data, ..ActivityResult::success(Value::Null) }, session)
        }
        NestedEnd::Failed(session, error) => (ActivityResult::failure(error), session),
        NestedEnd::Unknown(error) => return ActivityResult::failure(error.to_string()),
        NestedEnd::Waits(session) => {
            let mut result = ActivityResult::failure(format!("Session {session} waits"));
            result.metadata.insert(WAITS.into(), session.clone().into());
            (result, session)
        }
    };
    result.metadata.insert("sessionId".into(), session.into());
    result
}

impl Activity for WorkflowActivity {
    fn name(&self) -> &str {
        &self.name
    }

    /// The key finds the session of an attempt again, so nothing is run twice.
    fn effect(&self) -> Effect {
        Effect::Repeatable
    }

    fn nested(&self) -> Option<(&str, &dyn RunWorkflow)> {
        Some((&self.workflow, &*self.workflows))
    }

    fn run<'a>(&'a self, context: &'a mut ActivityContext) -> Running<'a, ActivityResult> {
        Box::pin(async move {
            let ran = match context.child.take() {
                // Its workflow may have been switched off since, which is no matter for a session.
                Some(session) => self.workflows.again(&session).await,
                None => self.start(context).await,
            };
            if let Ok(NestedEnd::Unknown(error)) = &ran
                && context.session_id != STANDALONE
            {
                // Whoever runs this one looks again.
                context.unknown = Some(error.clone());
            }
            ran.map_or_else(ActivityResult::failure, as_result)
        })
    }
}
