//! An activity: one unit of work, stateless, with its context passed in (spec 4.2).

use super::execution::{self, ActivityTool};
use super::kinds::RunWorkflow;
use super::memory::Memory;
use futures_util::future::BoxFuture;
use model::session::{Retry, ToolCallSuggestion};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::time::Duration;

/// The future of an activity.
pub type Running<'a, T> = BoxFuture<'a, T>;

/// One unit of work. Implementations are stateless: everything an execution needs is in its context.
pub trait Activity: Send + Sync + 'static {
    /// Unique among the activities of a workflow.
    fn name(&self) -> &str;

    /// What it is for.
    fn description(&self) -> &str {
        ""
    }

    /// JSON Schema of its input.
    fn input_schema(&self) -> Option<&Value> {
        None
    }

    /// JSON Schema of its data.
    fn output_schema(&self) -> Option<&Value> {
        None
    }

    /// How long one execution may take.
    fn timeout(&self) -> Option<Duration> {
        None
    }

    /// How often it is tried.
    fn retry(&self) -> Option<Retry> {
        None
    }

    /// What running it a second time would do.
    fn effect(&self) -> Effect {
        Effect::Once
    }

    /// The workflow that it runs, and who runs it, where it is a workflow as a step.
    fn nested(&self) -> Option<(&str, &dyn RunWorkflow)> {
        None
    }

    /// Does the work.
    fn run<'a>(&'a self, context: &'a mut ActivityContext) -> Running<'a, ActivityResult>;

    /// Is told of a success; an error makes it a failure.
    fn on_success<'a>(
        &'a self,
        _context: &'a ActivityContext,
        _result: &'a ActivityResult,
    ) -> Running<'a, Result<(), String>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Is told of a failure; an error is logged.
    fn on_failure<'a>(
        &'a self,
        _context: &'a ActivityContext,
        _result: &'a ActivityResult,
    ) -> Running<'a, Result<(), String>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Is told last, whatever came of it; an error is logged.
    fn on_complete<'a>(
        &'a self,
        _context: &'a ActivityContext,
        _result: &'a ActivityResult,
    ) -> Running<'a, Result<(), String>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// One execution: input checked, run against the clock, output checked, callbacks.
    fn execute<'a>(&'a self, context: &'a mut ActivityContext) -> Running<'a, ActivityResult> {
        Box::pin(execution::execute(self, context))
    }

    /// Executions until one succeeds or the last one allowed fails, with the waits between them.
    fn execute_with_retry<'a>(&'a self, context: &'a mut ActivityContext) -> Running<'a, ActivityResult> {
        Box::pin(execution::execute_with_retry(self, context))
    }

    /// It as a tool of its own, outside any workflow.
    fn to_tool(&self) -> ActivityTool<'_> {
        ActivityTool::new(self)
    }
}

/// What running an activity a second time would do; decides what is recorded before it runs, and what happens
/// when the process dies meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing outside sees that it runs: only its outcome is recorded.
    None,
    /// A second run does no harm.
    Repeatable,
    /// A second run may do harm.
    Once,
}

/// What an execution sees.
#[derive(Clone, Debug)]
pub struct ActivityContext {
    /// Its input; nothing where a mapper gave nothing.
    pub input: Option<Value>,
    /// The session, or `standalone`.
    pub session_id: String,
    /// What the session remembers. What is written is kept when the step succeeds.
    pub memory: Memory,
    /// Where in the workflow it stands.
    pub metadata: Position,
    /// Names this step of this session, the same at every attempt, for tools that can tell repetitions.
    pub key: String,
    /// Who started the session.
    pub client_id: String,
    /// How many attempts there were before this one.
    pub attempt: u32,
    /// The session that runs as this step already.
    pub(crate) child: Option<String>,
    /// The session that this execution runs outside any other.
    pub(crate) begun: Option<String>,
    /// What is left of its timeout, where some of it is used up.
    pub(crate) left: Option<Duration>,
    /// Why nobody can tell how far the session came that runs as this step.
    pub(crate) unknown: Option<super::engine::Error>,
}

/// What contexts outside any session say in place of its id.
pub(crate) const STANDALONE: &str = "standalone";

/// Where in a workflow an execution stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    /// The name of the workflow, or `standalone`.
    pub workflow_name: String,
    /// The index of the step, from 0.
    pub current_step: usize,
    /// The number of steps.
    pub total_steps: usize,
    /// When the session was started, in milliseconds since 1970.
    pub started_at: i64,
}

impl ActivityContext {
    /// The context of an activity that is run outside any workflow, once and for nobody in particular.
    pub fn standalone(input: Option<Value>, now: i64) -> Self {
        let name = STANDALONE.to_owned();
        Self {
            input,
            session_id: name.clone(),
            memory: Memory::default(),
            metadata: Position { workflow_name: name, current_step: 0, total_steps: 1, started_at: now },
            key: format!("{STANDALONE}:{}", super::engine::entry::new_id()),
            client_id: String::new(),
            attempt: 0,
            child: None,
            begun: None,
            left: None,
            unknown: None,
        }
    }
}

/// What came of an execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActivityResult {
    /// Whether it succeeded; left out counts as yes.
    #[serde(default = "yes", deserialize_with = "yes_unless_given")]
    pub success: bool,
    /// What it gives; null is something.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What else there is to say; `executionTimeMs` is always filled in.
    #[serde(default, deserialize_with = "or_default")]
    pub metadata: Map<String, Value>,
    /// Tools that may be called next.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub tool_call_suggestions: Vec<ToolCallSuggestion>,
}

const fn yes() -> bool {
    true
}

fn yes_unless_given<'de, D: Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    Option::deserialize(value).map(|given| given.unwrap_or(true))
}

/// A value that is null is one.
pub(crate) fn given<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}

/// What is null counts as left out.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(value: D) -> Result<T, D::Error> {
    Option::deserialize(value).map(Option::unwrap_or_default)
}

impl ActivityResult {
    /// A success with this data.
    pub fn success(data: Value) -> Self {
        Self {
            success: true,
            data: Some(data),
            error: None,
            metadata: Map::new(),
            tool_call_suggestions: Vec::new(),
        }
    }

    /// A failure with this message.
    pub fn failure(error: impl Into<String>) -> Self {
        Self {
            success: false,
            data: None,
            error: Some(error.into()),
            metadata: Map::new(),
            tool_call_suggestions: Vec::new(),
        }
    }

    /// The same with a suggestion.
    #[must_use]
    pub fn suggest(mut self, suggestion: ToolCallSuggestion) -> Self {
        self.tool_call_suggestions.push(suggestion);
        self
    }

    /// Why it failed, in the words of clients.
    pub fn message(&self) -> &str {
        let said = self.error.as_deref().filter(|error| !error.is_empty());
        said.unwrap_or("Activity failed without error message")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn null_is_data_and_counts_as_left_out_elsewhere() {
        let read = |given: Value| serde_json::from_value::<ActivityResult>(given).expect("a result");
        let nothing = ActivityResult { data: None, ..ActivityResult::success(Value::Null) };
        assert_eq!(read(json!({})), nothing);
        let nulls = json!({"success": null, "error": null, "metadata": null, "toolCallSuggestions": null});
        assert_eq!(read(nulls), nothing);
        let null = read(json!({"data": null}));
        assert_eq!(null, ActivityResult::success(Value::Null));
        assert_eq!(serde_json::to_value(&null).expect("plain data")["data"], Value::Null);
        assert_eq!(read(serde_json::to_value(&null).expect("plain data")), null);
    }
}
