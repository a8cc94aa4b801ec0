//! A fixture in few words: stores, managers, the activities of the worked examples, and what replies say.

use libtest_mimic::Trial;
use lockgate_workflow::session::{
    Activity, ActivityBuilder, ActivityContext, ActivityResult, BuiltActivity, Clock, Effect, InMemoryStore,
    Reply, Retry, RunWorkflow, Running, SessionManager, SessionManagerOptions, SqliteStore, Step, Workflow,
    WorkflowActivity, WorkflowBuilder, WorkflowStore,
};
use serde_json::{Value, json};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// A moment in 2026, at which tests with a clock of their own begin.
pub(crate) const BEGIN: i64 = 1_763_164_800_000;

/// A kind of store that tests run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Memory,
    Sqlite,
}

/// A manager on a store of its own, which goes when this is dropped.
pub(crate) struct Desk {
    pub(crate) manager: SessionManager,
    pub(crate) store: Arc<dyn WorkflowStore>,
    pub(crate) folder: TempDir,
    kind: Kind,
}

impl Desk {
    pub(crate) async fn open(kind: Kind) -> Self {
        Self::with(kind, SessionManagerOptions::default()).await
    }

    /// A manager with these options, on a store of this kind.
    pub(crate) async fn with(kind: Kind, options: SessionManagerOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = store(kind, &folder).await;
        let manager = SessionManager::new(SessionManagerOptions { store: Arc::clone(&store), ..options });
        Self { manager, store, folder, kind }
    }

    /// The same store with another manager, as after a restart. A store in memory stays.
    pub(crate) async fn restart(self) -> Self {
        let Desk { manager, store: before, folder, kind } = self;
        let store = match kind {
            Kind::Memory => before,
            Kind::Sqlite => {
                manager.close().await;
                store(kind, &folder).await
            }
        };
        drop(manager);
        let options = SessionManagerOptions { store: Arc::clone(&store), ..SessionManagerOptions::default() };
        Self { manager: SessionManager::new(options), store, folder, kind }
    }

    pub(crate) fn build(&self, workflow: WorkflowBuilder) -> Workflow {
        workflow.build(&self.manager).unwrap()
    }
}

async fn store(kind: Kind, folder: &TempDir) -> Arc<dyn WorkflowStore> {
    match kind {
        Kind::Memory => Arc::new(InMemoryStore::new()),
        Kind::Sqlite => Arc::new(SqliteStore::open(folder.path().join("x.db")).await.unwrap()),
    }
}

type Body = Pin<Box<dyn Future<Output = ()>>>;

fn runtime(paused: bool) -> Runtime {
    Builder::new_current_thread().enable_all().start_paused(paused).build().unwrap()
}

/// A test on every kind of store.
pub(crate) fn on_all<F>(name: &str, body: fn(Kind) -> F) -> [Trial; 2]
where
    F: Future<Output = ()> + 'static,
{
    [Kind::Memory, Kind::Sqlite].map(|kind| {
        let name = format!("{name}_{}", format!("{kind:?}").to_lowercase());
        trial(&name, false, move || Box::pin(body(kind)))
    })
}

/// A test that needs one store or none.
pub(crate) fn once<F>(name: &str, body: fn() -> F) -> Trial
where
    F: Future<Output = ()> + 'static,
{
    trial(name, false, move || Box::pin(body()))
}

/// A test in which time passes at once while everybody waits.
pub(crate) fn paused<F>(name: &str, body: fn() -> F) -> Trial
where
    F: Future<Output = ()> + 'static,
{
    trial(name, true, move || Box::pin(body()))
}

fn trial(name: &str, paused: bool, body: impl FnOnce() -> Body + Send + 'static) -> Trial {
    Trial::test(name, move || {
        runtime(paused).block_on(body());
        Ok(())
    })
}

/// A clock that goes with the paused time of the test.
pub(crate) fn paused_clock() -> Clock {
    let begin = tokio::time::Instant::now();
    Arc::new(move || BEGIN + i64::try_from(begin.elapsed().as_millis()).unwrap())
}

/// A desk by the clock of the runtime, which tests move on.
pub(crate) async fn timed() -> Desk {
    let clock = Some(paused_clock());
    Desk::with(Kind::Memory, SessionManagerOptions { clock, ..Default::default() }).await
}

/// A clock that the test sets.
pub(crate) fn set_clock() -> (Arc<AtomicI64>, Clock) {
    let now = Arc::new(AtomicI64::new(BEGIN));
    let told = Arc::clone(&now);
    (now, Arc::new(move || told.load(Ordering::SeqCst)))
}

/// An activity without effects outside.
pub(crate) fn pure(
    name: &str,
    work: impl Fn(&mut ActivityContext) -> ActivityResult + Send + Sync + 'static,
) -> BuiltActivity {
    ActivityBuilder::new(name).effect(Effect::None).compute(work).unwrap()
}

/// The input of an execution.
pub(crate) fn input(context: &ActivityContext) -> Value {
    context.input.clone().unwrap_or_default()
}

pub(crate) fn add() -> BuiltActivity {
    let numbers = json!({"type": "object", "required": ["a", "b"],
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}}});
    ActivityBuilder::new("add")
        .description("Adds two numbers")
        .input_schema(numbers)
        .output_schema(json!({"type": "object", "properties": {"result": {"type": "number"}}}))
        .effect(Effect::None)
        .compute(|context| {
            let input = input(context);
            let sum = input["a"].as_i64().unwrap() + input["b"].as_i64().unwrap();
            ActivityResult::success(json!({"result": sum}))
        })
        .unwrap()
}

pub(crate) fn double() -> BuiltActivity {
    pure("double", |context| {
        ActivityResult::success(json!({"result": 2 * input(context)["result"].as_i64().unwrap()}))
    })
}

pub(crate) fn tag() -> BuiltActivity {
    pure("tag", |context| ActivityResult::success(json!({"from": "tag", "got": input(context)})))
}

pub(crate) fn bad() -> BuiltActivity {
    pure("bad", |_| ActivityResult::failure("nope"))
}

pub(crate) fn check() -> BuiltActivity {
    pure("check", |context| {
        let valid = input(context)["valid"].clone();
        ActivityResult::success(json!({"valid": valid, "status": {"code": "Approved"}}))
    })
}

pub(crate) fn slow() -> BuiltActivity {
    ActivityBuilder::new("slow")
        .timeout(Duration::from_millis(30))
        .run(|_| {
            Box::pin(async {
                tokio::time::sleep(Duration::from_millis(200)).await;
                ActivityResult::success(json!({}))
            })
        })
        .unwrap()
}

/// Always fails with `x`, three times with waits of 50 and 100 ms; counts its executions.
pub(crate) fn never(count: &Arc<AtomicUsize>) -> BuiltActivity {
    let count = Arc::clone(count);
    ActivityBuilder::new("never")
        .retry(Retry { max_attempts: 3, backoff_ms: 50, hooks_per_attempt: false })
        .compute(move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            ActivityResult::failure("x")
        })
        .unwrap()
}

/// A workflow as a step that may take so long, and is tried so often.
pub(crate) struct Limited {
    work: WorkflowActivity,
    limit: Duration,
    retry: Option<Retry>,
}

impl Limited {
    pub(crate) fn new(work: WorkflowActivity, ms: u64) -> Self {
        Self { work, limit: Duration::from_millis(ms), retry: None }
    }

    pub(crate) fn tried(self, max_attempts: u32) -> Self {
        Self { retry: Some(Retry { max_attempts, backoff_ms: 10, hooks_per_attempt: false }), ..self }
    }
}

impl Activity for Limited {
    fn name(&self) -> &str {
        self.work.name()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(self.limit)
    }

    fn retry(&self) -> Option<Retry> {
        self.retry
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
}

/// `calc` of the worked examples: add, double, tag.
pub(crate) fn calc() -> WorkflowBuilder {
    let builder = Workflow::builder("calc").description("Calculates");
    builder.step(Step::new(add())).step(Step::new(double())).step(Step::new(tag()))
}

/// The JSON of a reply's text.
pub(crate) fn said(reply: &Reply) -> Value {
    assert!(!reply.is_error, "{}", reply.text);
    serde_json::from_str(&reply.text).unwrap()
}

/// The `structuredContent` of a reply.
pub(crate) fn structured(reply: &Reply) -> Value {
    assert!(!reply.is_error, "{}", reply.text);
    reply.structured.clone().unwrap()
}

/// The session that a reply speaks of.
pub(crate) fn id(reply: &Reply) -> String {
    structured(reply)["sessionId"].as_str().unwrap().to_owned()
}

/// The text of an error.
#[track_caller]
pub(crate) fn refused(reply: &Reply) -> &str {
    assert!(reply.is_error, "{}", reply.text);
    &reply.text
}
