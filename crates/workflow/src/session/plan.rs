//! A session workflow in the form in which it runs.

mod compile;
mod nested;
mod road;

pub(crate) use compile::{CONTEXT_NAMES, as_result, with_context};
pub use compile::{Definition, Kit, check_code};

use super::activity::{Activity, ActivityContext, Effect, Running};
use super::execution::caught;
use super::schema::Schemas;
use super::script::{Code, Seen};
use model::session::{Approvers, Branches, Face, OnUnknown, Procedure, TimeoutScope, WaitFor};
use serde_json::Value;
use std::sync::Arc;

/// What the names of definitions written in Rust begin with.
const NATIVE: &str = "native:";

/// A session workflow, ready to be run.
pub struct Plan {
    /// What it is called, how its tools are shown, how long it may take.
    pub procedure: Procedure,
    /// Names the definition: sessions stay on it.
    pub hash: String,
    /// The number of the version, where there is one.
    pub version: Option<u64>,
    pub(crate) steps: Vec<PlanStep>,
    /// The conditions, in the order of the procedure's road.
    pub(crate) forks: Vec<Judge>,
    pub(crate) middleware: Vec<Arc<dyn Middleware>>,
    pub(crate) callbacks: Option<Arc<dyn Callbacks>>,
    /// The input schema of the first activity.
    pub(crate) input_schema: Option<Value>,
    /// The text of the definition, where it was written as data.
    pub(crate) text: Option<String>,
    /// Whether the text is in the store.
    pub(crate) kept: std::sync::atomic::AtomicBool,
}

/// Is run with the context before every step; an error fails the session.
pub trait Middleware: Send + Sync {
    /// Lets the step run, or stops it.
    fn before<'a>(&'a self, context: &'a mut ActivityContext) -> Running<'a, Result<(), String>>;
}

/// What is told of the end of a session. Errors are logged.
pub trait Callbacks: Send + Sync {
    /// It succeeded.
    fn on_success<'a>(
        &'a self,
        _memory: &'a serde_json::Map<String, Value>,
        _session: &'a str,
    ) -> Running<'a, Result<(), String>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// It failed.
    fn on_failure<'a>(&'a self, _error: &'a str, _session: &'a str) -> Running<'a, Result<(), String>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// It ended, with this status.
    fn on_complete<'a>(&'a self, _status: &'a str, _session: &'a str) -> Running<'a, Result<(), String>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// One step: an activity, or several at the same time.
pub(crate) struct PlanStep {
    pub(crate) name: String,
    pub(crate) group: bool,
    pub(crate) members: Vec<Member>,
    pub(crate) optional: bool,
    pub(crate) input: Option<Value>,
    pub(crate) condition: Option<Judge>,
    pub(crate) branches: Option<Branches>,
    /// The compiled predicates, in the order of `branches`.
    pub(crate) predicates: Vec<Judge>,
    pub(crate) approve: Option<Approvers>,
    pub(crate) wait: Option<(WaitFor, Option<Judge>)>,
}

/// One activity of a step.
pub(crate) struct Member {
    pub(crate) activity: Arc<dyn Activity>,
    pub(crate) schemas: Schemas,
    pub(crate) input: Option<Value>,
    pub(crate) mapper: Option<Judge>,
    pub(crate) optional: bool,
    pub(crate) on_unknown: Option<OnUnknown>,
    pub(crate) compensate: Option<(Arc<dyn Activity>, Schemas)>,
}

impl PlanStep {
    /// Whether its branches ask for the input, and that is not the one that its only activity gets.
    pub(crate) fn asks_unmapped(&self) -> bool {
        !self.predicates.is_empty() && (self.group || self.members.iter().any(|one| one.mapper.is_some()))
    }
}

impl Member {
    /// What happens when it was under way as the process died.
    pub(crate) fn on_unknown(&self) -> OnUnknown {
        self.on_unknown.unwrap_or(match self.activity.effect() {
            Effect::None | Effect::Repeatable => OnUnknown::Retry,
            Effect::Once => OnUnknown::Ask,
        })
    }

    /// Whether it is recorded before it runs.
    pub(crate) fn is_recorded(&self) -> bool {
        self.activity.effect() != Effect::None || self.on_unknown.is_some() || self.activity.retry().is_some()
    }
}

/// An expression that is a function: its value, none, or why there is none.
pub type Native = Arc<dyn Fn(&View<'_>) -> Result<Option<Value>, String> + Send + Sync>;

/// An expression: code in the sandbox, or a function of the library's user.
#[derive(Clone)]
pub enum Judge {
    /// Code.
    Code(Code),
    /// A function.
    Native(Native),
}

/// What an expression sees.
#[derive(Clone, Copy, Default)]
pub struct View<'a> {
    /// The memory.
    pub memory: Option<&'a super::Memory>,
    /// The input the step would have without a mapper.
    pub input: Option<&'a Value>,
    /// The previous output.
    pub previous: Option<&'a Value>,
    /// The data of the step.
    pub result: Option<&'a Value>,
    /// The data of an event.
    pub event: Option<&'a Value>,
}

/// The names that expressions know.
pub(crate) const NAMES: [&str; 5] = ["memory", "input", "previous", "result", "event"];

impl Judge {
    /// Its value.
    pub(crate) async fn value(&self, view: View<'_>) -> Result<Option<Value>, String> {
        match self {
            Judge::Native(function) => caught("A function", async { function(&view) }).await,
            Judge::Code(code) => {
                let mut memory = view.memory.cloned().unwrap_or_default();
                let values = [
                    ("input", view.input),
                    ("previous", view.previous),
                    ("result", view.result),
                    ("event", view.event),
                ];
                code.run(&mut memory, &Seen { values: &values, ..Seen::default() }).await
            }
        }
    }

    /// Whether its value counts as true, as JavaScript counts.
    pub(crate) async fn holds(&self, view: View<'_>) -> Result<bool, String> {
        Ok(match self.value(view).await? {
            None | Some(Value::Null | Value::Bool(false)) => false,
            Some(Value::Number(number)) => number.as_f64() != Some(0.0),
            Some(Value::String(text)) => !text.is_empty(),
            Some(_) => true,
        })
    }
}

impl Plan {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.procedure.name
    }

    /// Names the definition of a workflow that is written in Rust.
    pub(crate) fn native_hash(name: &str) -> String {
        format!("{NATIVE}{name}")
    }

    /// What is said of a definition that is not there.
    pub(crate) fn missing(hash: &str) -> String {
        match hash.strip_prefix(NATIVE) {
            Some(name) => {
                format!(
                    "the workflow \"{name}\" is written in Rust and is not registered; register it, then ask again"
                )
            }
            None => format!("there is none of the name {hash}"),
        }
    }

    /// The name of one of its tools.
    pub fn tool(&self, face: Face) -> String {
        self.procedure.tool(face)
    }

    /// The input schema of its first activity.
    pub fn input_schema(&self) -> Option<&Value> {
        self.input_schema.as_ref()
    }

    /// Whether an activity of a step has an argument of this name.
    pub fn takes(&self, step: usize, argument: &str) -> bool {
        let mut members = self.steps.get(step).into_iter().flat_map(|step| &step.members);
        members.any(|member| {
            let schema = member.activity.input_schema();
            schema.is_some_and(|schema| schema["properties"].get(argument).is_some())
        })
    }

    /// What messages call a step.
    pub(crate) fn step_name(&self, step: usize) -> &str {
        self.steps.get(step).map_or("", |step| &step.name)
    }

    /// Whether an undo must speak of a member that may have taken effect: it names what undoes it, or others do and it
    /// cannot be repeated.
    pub(crate) fn may_undo(&self, member: &Member) -> bool {
        let mut all = self.steps.iter().flat_map(|step| &step.members);
        member.compensate.is_some()
            || (member.activity.effect() == Effect::Once && all.any(|one| one.compensate.is_some()))
    }

    pub(crate) fn counts_active_time(&self) -> bool {
        self.procedure.timeout_scope == Some(TimeoutScope::Active)
    }
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plan").field("name", &self.name()).field("hash", &self.hash).finish_non_exhaustive()
    }
}
