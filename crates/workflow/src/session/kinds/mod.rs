//! The four kinds of activities (spec 4.9), each one file, and what a definition adds to any of them.

mod http;
mod script;
mod tool;
mod workflow;

pub use http::{CallHttp, HttpActivity, HttpReply, HttpRequest};
pub use script::ScriptActivity;
pub use tool::{CallTool, ToolActivity, ToolRequest};
pub use workflow::{Nested, NestedEnd, RunWorkflow, WorkflowActivity};
pub(crate) use workflow::{UNDO, WAITS, attempt_key};

use super::activity::{Activity, ActivityContext, ActivityResult, Effect, Running};
use super::execution::timed_out;
use super::plan::Kit;
use super::script::Code;
use crate::session::plan::{CONTEXT_NAMES, with_context};
use model::session::{OnUnknown, Retry, Run};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// An activity's own timeout is to be noticed before the end of its script or its request.
const GRACE: Duration = Duration::from_millis(100);

/// An activity that was written as data: its work, with the schemas, limits and callbacks of the definition.
pub struct Defined {
    definition: model::session::Activity,
    work: Box<dyn Activity>,
    script: Option<Code>,
    success: Option<Code>,
    failure: Option<Code>,
    complete: Option<Code>,
}

impl Defined {
    /// Makes the activity of a definition.
    pub fn new(definition: model::session::Activity, kit: &Kit, workflows: &Arc<dyn RunWorkflow>) -> Self {
        let name = definition.name.as_str();
        let limit = definition.timeout.map(Duration::from_millis);
        let mut script = None;
        let work: Box<dyn Activity> = match &definition.run {
            Run::Script(source) => {
                let most = limit.map_or(kit.limit, |own| own.saturating_add(GRACE));
                let mut code = Code::body(name, source, &[], &kit.code()).within(most);
                if let Some(ms) = definition.timeout {
                    // A script that waits for nothing is ended before its time.
                    code = code.overdue(&timed_out(ms));
                }
                script = Some(code.clone());
                Box::new(ScriptActivity::new(name, code))
            }
            Run::Tool(run) => {
                let tools = Arc::clone(&kit.tools);
                Box::new(ToolActivity::new(name, &run.server, &run.name, limit, tools))
            }
            Run::Http(run) => {
                let limit = limit.map_or(kit.call_limit, |own| own.saturating_add(GRACE));
                Box::new(HttpActivity::new(name, run.clone(), limit, Arc::clone(&kit.http)))
            }
            Run::Workflow(run) => Box::new(WorkflowActivity::new(name, &run.name, Arc::clone(workflows))),
        };
        let code = |what: &str, source: &Option<String>| {
            let name = format!("{name}: {what}");
            source.as_deref().map(|source| Code::body(&name, source, &CONTEXT_NAMES, &kit.code()))
        };
        Self {
            success: code("onSuccess", &definition.on_success),
            failure: code("onFailure", &definition.on_failure),
            complete: code("onComplete", &definition.on_complete),
            script,
            work,
            definition,
        }
    }

    /// What the definition says about steps that were under way when the process died.
    pub fn on_unknown(&self) -> Option<OnUnknown> {
        self.definition.on_unknown
    }

    /// Its code, with what messages call it.
    pub(crate) fn codes(&self) -> impl Iterator<Item = (String, &Code)> {
        let all = [
            ("run.script", &self.script),
            ("onSuccess", &self.success),
            ("onFailure", &self.failure),
            ("onComplete", &self.complete),
        ];
        all.into_iter().filter_map(|(what, code)| Some((what.to_owned(), code.as_ref()?)))
    }
}

async fn tell(code: Option<&Code>, context: &ActivityContext, result: &ActivityResult) -> Result<(), String> {
    let Some(code) = code else { return Ok(()) };
    // A callback may look at the memory; what it writes is dropped.
    let mut memory = context.memory.clone();
    with_context(code, context, &mut memory, Some(result)).await.map(drop)
}

impl Activity for Defined {
    fn name(&self) -> &str {
        &self.definition.name
    }

    fn description(&self) -> &str {
        &self.definition.description
    }

    fn input_schema(&self) -> Option<&Value> {
        self.definition.input_schema.as_ref()
    }

    fn output_schema(&self) -> Option<&Value> {
        self.definition.output_schema.as_ref()
    }

    fn timeout(&self) -> Option<Duration> {
        self.definition.timeout.map(Duration::from_millis)
    }

    fn retry(&self) -> Option<Retry> {
        self.definition.retry
    }

    fn effect(&self) -> Effect {
        self.work.effect()
    }

    fn nested(&self) -> Option<(&str, &dyn RunWorkflow)> {
        self.work.nested()
    }

    fn run<'a>(&'a self, context: &'a mut ActivityContext) -> Running<'a, ActivityResult> {
        self.work.run(context)
    }

    fn on_success<'a>(
        &'a self,
        context: &'a ActivityContext,
        result: &'a ActivityResult,
    ) -> Running<'a, Result<(), String>> {
        Box::pin(tell(self.success.as_ref(), context, result))
    }

    fn on_failure<'a>(
        &'a self,
        context: &'a ActivityContext,
        result: &'a ActivityResult,
    ) -> Running<'a, Result<(), String>> {
        Box::pin(tell(self.failure.as_ref(), context, result))
    }

    fn on_complete<'a>(
        &'a self,
        context: &'a ActivityContext,
        result: &'a ActivityResult,
    ) -> Running<'a, Result<(), String>> {
        Box::pin(tell(self.complete.as_ref(), context, result))
    }
}
