//! From definitions as they are written to a plan.

use super::{Callbacks, Judge, Member, NAMES, Plan, PlanStep};
use crate::session::activity::{ActivityContext, ActivityResult, Running};
use crate::session::kinds::{CallHttp, CallTool, Defined, RunWorkflow};
use crate::session::memory::Memory;
use crate::session::schema::{self, Schemas};
use crate::session::script::{Code, RunScripts, Seen};
use model::access::Digest;
use model::session::{Activity, Branches, Procedure, Step};
use sandbox::ScriptError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A session workflow with the activities that it uses, as sessions are pinned to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// The workflow.
    pub procedure: Procedure,
    /// Its activities, by name.
    pub activities: BTreeMap<String, Activity>,
    /// The number of the version, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
}

/// What plans are made with.
#[derive(Clone)]
pub struct Kit {
    /// What runs scripts.
    pub scripts: Arc<dyn RunScripts>,
    /// The wall clock of callbacks and expressions, and of scripts without a timeout.
    pub limit: Duration,
    /// The time of calls and requests without a timeout.
    pub call_limit: Duration,
    /// Calls tools of servers.
    pub tools: Arc<dyn CallTool>,
    /// Makes HTTP requests.
    pub http: Arc<dyn CallHttp>,
}

impl Kit {
    pub(crate) fn code(&self) -> (Arc<dyn RunScripts>, Duration) {
        (Arc::clone(&self.scripts), self.limit)
    }
}

impl Definition {
    /// The workflow with those of these activities that it uses.
    pub fn new(procedure: Procedure, all: &BTreeMap<String, Activity>, version: Option<u64>) -> Self {
        let mut activities = BTreeMap::new();
        for step in procedure.steps.iter().flat_map(Step::members) {
            let names = [Some(step.activity.as_str()), step.compensate.as_deref()];
            for activity in names.into_iter().flatten().filter_map(|name| all.get(name)) {
                activities.insert(activity.name.clone(), activity.clone());
            }
        }
        Self { procedure, activities, version }
    }

    /// The text that is kept.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("a definition is plain data")
    }

    /// The name of exactly this definition.
    pub fn hash(&self) -> String {
        model::text::hex(&Digest::of(self.text().as_bytes()).0[..16])
    }

    /// The form in which it runs.
    pub fn plan(self, kit: &Kit, workflows: &Arc<dyn RunWorkflow>) -> Result<Plan, String> {
        let (hash, text) = (self.hash(), Some(self.text()));
        let steps: Result<Vec<PlanStep>, String> = self
            .procedure
            .steps
            .iter()
            .enumerate()
            .map(|(i, step)| self.step(i, step, kit, workflows))
            .collect();
        let steps = steps?;
        if steps.is_empty() {
            return Err("Workflow must have at least one step".into());
        }
        let forks = self.procedure.road.iter().flat_map(|road| &road.forks);
        let forks = forks.map(|fork| {
            let name = format!("{}, condition {}", self.procedure.name, fork.label);
            Judge::Code(Code::expression(&name, &fork.expression, &NAMES, &kit.code()))
        });
        let forks = forks.collect();
        let callbacks = Scripted::of(&self.procedure, kit);
        let version = self.version;
        let (procedure, middleware) = (self.procedure, Vec::new());
        let kept = std::sync::atomic::AtomicBool::new(false);
        let input_schema = None;
        let mut plan =
            Plan { procedure, hash, version, steps, forks, middleware, callbacks, input_schema, text, kept };
        let first = plan.first().and_then(|step| step.members.first());
        plan.input_schema = first.and_then(|member| member.activity.input_schema().cloned());
        Ok(plan)
    }

    fn step(
        &self,
        index: usize,
        step: &Step,
        kit: &Kit,
        workflows: &Arc<dyn RunWorkflow>,
    ) -> Result<PlanStep, String> {
        let place = |what: &str| format!("{}, step {index}: {what}", self.procedure.name);
        let judge = |what: &str, source: &str| {
            Judge::Code(Code::expression(&place(what), source, &NAMES, &kit.code()))
        };
        let group = !step.parallel.is_empty();
        let member = |member: &Step| -> Result<Member, String> {
            let activity = self.activity(&member.activity, kit, workflows)?;
            let undo = member.compensate.as_deref();
            let undo = undo.map(|name| self.activity(name, kit, workflows)).transpose()?;
            Ok(Member {
                schemas: Schemas::of(&*activity),
                on_unknown: member.on_unknown.or(activity.on_unknown()),
                activity,
                // A single step's own input belongs to the step.
                input: member.input.clone().filter(|_| group),
                mapper: member.input_mapper.as_deref().map(|source| judge("inputMapper", source)),
                optional: member.optional,
                compensate: undo.map(|undo| (Arc::clone(&undo) as Arc<_>, Schemas::of(&*undo))),
            })
        };
        let members: Result<Vec<Member>, String> = step.members().iter().map(member).collect();
        let predicates = match &step.branches {
            Some(Branches::Predicates(all)) => all.iter().map(|one| judge("branch", &one.when)).collect(),
            _ => Vec::new(),
        };
        Ok(PlanStep {
            name: step.name().to_owned(),
            group,
            members: members?,
            optional: step.optional,
            input: step.input.clone(),
            condition: step.condition.as_deref().map(|source| judge("condition", source)),
            branches: step.branches.clone(),
            predicates,
            approve: step.approve.as_ref().and_then(model::session::Approve::rules),
            wait: step
                .wait_for
                .clone()
                .map(|wait| (wait.clone(), wait.filter.as_deref().map(|source| judge("filter", source)))),
        })
    }

    fn activity(
        &self,
        name: &str,
        kit: &Kit,
        workflows: &Arc<dyn RunWorkflow>,
    ) -> Result<Arc<Defined>, String> {
        let activity = self.activities.get(name);
        let activity = activity.ok_or_else(|| format!("There is no activity '{name}'"))?;
        Ok(Arc::new(Defined::new(activity.clone(), kit, workflows)))
    }
}

/// Compiles every script, expression and schema of an activity; the first that is wrong is the error.
pub async fn check_code(
    activity: &Activity,
    kit: &Kit,
    workflows: &Arc<dyn RunWorkflow>,
) -> Result<(), String> {
    for (what, schema) in [("inputSchema", &activity.input_schema), ("outputSchema", &activity.output_schema)]
    {
        if let Some(schema) = schema {
            schema::compile(schema).map_err(|error| format!("{what} is no JSON Schema: {error}"))?;
        }
    }
    let defined = Defined::new(activity.clone(), kit, workflows);
    let wrong = wrong_of(defined.codes().collect(), kit).await;
    wrong.into_iter().next().map_or(Ok(()), Err)
}

/// What is said of every one of these that does not compile.
async fn wrong_of(codes: Vec<(String, &Code)>, kit: &Kit) -> Vec<String> {
    let (names, codes): (Vec<String>, Vec<&Code>) = codes.into_iter().unzip();
    let results = Code::check(&codes, &*kit.scripts).await;
    let told =
        |(what, result): (String, Result<(), ScriptError>)| Some(does_not_compile(&what, &result.err()?));
    names.into_iter().zip(results).filter_map(told).collect()
}

impl Plan {
    /// Compiles every expression and callback; the first that is wrong is the error.
    pub async fn check_code(&self, kit: &Kit) -> Result<(), String> {
        self.wrong_code(kit).await.into_iter().next().map_or(Ok(()), Err)
    }

    /// What is said of every expression and callback that does not compile.
    pub async fn wrong_code(&self, kit: &Kit) -> Vec<String> {
        let mut judges = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            let own = expressions(step).into_iter();
            judges.extend(own.map(|(what, judge)| (format!("steps[{index}].{what}"), judge)));
        }
        for (index, judge) in self.forks.iter().enumerate() {
            judges.push((format!("The condition '{}'", self.fork_label(index)), judge));
        }
        let mut codes: Vec<(String, &Code)> = Vec::new();
        for (what, judge) in judges {
            if let Judge::Code(code) = judge {
                codes.push((what, code));
            }
        }
        let scripted = Scripted::new(&self.procedure, kit);
        let callbacks = scripted.iter().flat_map(Scripted::codes);
        codes.extend(callbacks.map(|(what, code)| (what.to_owned(), code)));
        wrong_of(codes, kit).await
    }
}

/// The expressions of a step, with their places in it.
fn expressions(step: &PlanStep) -> Vec<(String, &Judge)> {
    let condition = step.condition.iter().map(|judge| ("condition".to_owned(), judge));
    let filter = step.wait.iter().filter_map(|(_, filter)| filter.as_ref());
    let filter = filter.map(|judge| ("waitFor.filter".to_owned(), judge));
    let mappers = step.members.iter().enumerate().filter_map(|(at, member)| {
        let place = if step.group { format!("parallel[{at}].inputMapper") } else { "inputMapper".to_owned() };
        Some((place, member.mapper.as_ref()?))
    });
    let predicates = step.predicates.iter().enumerate();
    let predicates = predicates.map(|(at, judge)| (format!("branches[{at}].when"), judge));
    condition.chain(filter).chain(mappers).chain(predicates).collect()
}

fn does_not_compile(what: &str, error: &sandbox::ScriptError) -> String {
    let place = match (error.line, error.column) {
        (Some(line), Some(column)) => format!(" (line {line}, column {column})"),
        (Some(line), None) => format!(" (line {line})"),
        (None, _) => String::new(),
    };
    format!("{what} does not compile: {}{place}", error.message)
}

/// The callbacks of a workflow, as scripts.
struct Scripted {
    success: Option<Code>,
    failure: Option<Code>,
    complete: Option<Code>,
}

impl Scripted {
    fn new(procedure: &Procedure, kit: &Kit) -> Option<Self> {
        let code = |what: &str, source: &Option<String>, names: &[&str]| {
            let name = format!("{}: {what}", procedure.name);
            source.as_deref().map(|source| Code::body(&name, source, names, &kit.code()))
        };
        let made = Self {
            success: code("onSuccess", &procedure.on_success, &["memory", "sessionId"]),
            failure: code("onFailure", &procedure.on_failure, &["error", "sessionId"]),
            complete: code("onComplete", &procedure.on_complete, &["status", "sessionId"]),
        };
        (made.success.is_some() || made.failure.is_some() || made.complete.is_some()).then_some(made)
    }

    fn of(procedure: &Procedure, kit: &Kit) -> Option<Arc<dyn Callbacks>> {
        Self::new(procedure, kit).map(|made| Arc::new(made) as Arc<dyn Callbacks>)
    }

    fn codes(&self) -> impl Iterator<Item = (&'static str, &Code)> {
        let all =
            [("onSuccess", &self.success), ("onFailure", &self.failure), ("onComplete", &self.complete)];
        all.into_iter().filter_map(|(what, code)| Some((what, code.as_ref()?)))
    }
}

async fn tell(
    code: Option<&Code>,
    memory: Option<&Map<String, Value>>,
    name: &str,
    value: &str,
    session: &str,
) -> Result<(), String> {
    let Some(code) = code else { return Ok(()) };
    let value = Value::from(value);
    let mut memory = memory.cloned().map(Memory::new).unwrap_or_default();
    let seen = Seen { session: Some(session), position: None, values: &[(name, Some(&value))] };
    code.run(&mut memory, &seen).await.map(drop)
}

impl Callbacks for Scripted {
    fn on_success<'a>(
        &'a self,
        memory: &'a Map<String, Value>,
        session: &'a str,
    ) -> Running<'a, Result<(), String>> {
        Box::pin(tell(self.success.as_ref(), Some(memory), "status", "completed", session))
    }

    fn on_failure<'a>(&'a self, error: &'a str, session: &'a str) -> Running<'a, Result<(), String>> {
        Box::pin(tell(self.failure.as_ref(), None, "error", error, session))
    }

    fn on_complete<'a>(&'a self, status: &'a str, session: &'a str) -> Running<'a, Result<(), String>> {
        Box::pin(tell(self.complete.as_ref(), None, "status", status, session))
    }
}

/// A result that a script returned: an object, or nothing.
pub(crate) fn as_result(returned: Option<Value>) -> ActivityResult {
    match returned {
        None | Some(Value::Null) => ActivityResult { data: None, ..ActivityResult::success(Value::Null) },
        Some(value) if value.is_object() => serde_json::from_value(value).unwrap_or_else(|error| {
            ActivityResult::failure(format!(
                "The script must return {{success, data, error, metadata, toolCallSuggestions}}: {error}"
            ))
        }),
        Some(_) => ActivityResult::failure("The script must return a result, such as {data: 1}"),
    }
}

/// What the callbacks of activities see.
pub(crate) const CONTEXT_NAMES: [&str; 1] = ["result"];

/// Runs code with the context of an activity.
pub(crate) async fn with_context(
    code: &Code,
    context: &ActivityContext,
    memory: &mut Memory,
    result: Option<&ActivityResult>,
) -> Result<Option<Value>, String> {
    let result = result.map(|result| serde_json::to_value(result).expect("a result is plain data"));
    let seen = Seen {
        session: Some(&context.session_id),
        position: Some(&context.metadata),
        values: &[("input", context.input.as_ref()), ("result", result.as_ref())],
    };
    code.run(memory, &seen).await
}
