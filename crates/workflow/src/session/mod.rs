//! Session workflows: durable procedures whose steps are run one call at a time (spec 4).
//!
//! A session is what its recorded events make of it ([`Engine`] appends them, a pure function folds them), so it
//! stands after any crash where its last record says. A step whose run can be seen outside is recorded before it
//! begins; the outcome of every step is recorded before anybody is told.
//!
//! In Rust a workflow is made of closures (spec 4.10):
//!
//! ```
//! use lockgate_workflow::session::{ActivityBuilder, ActivityResult, Effect, SessionManager, Step, Workflow};
//! use serde_json::{Value, json};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! let count = |context: &lockgate_workflow::session::ActivityContext| {
//!     context.input.as_ref().and_then(|input| input["count"].as_i64()).unwrap_or(0)
//! };
//! let manager = SessionManager::default();
//! let more = ActivityBuilder::new("more").effect(Effect::None);
//! let more = more.compute(move |context| ActivityResult::success(json!({"count": count(context) + 1})))?;
//! let twice = ActivityBuilder::new("twice").effect(Effect::None);
//! let twice = twice.compute(move |context| ActivityResult::success(json!({"count": count(context) * 2})))?;
//! let workflow = Workflow::builder("counting")
//!     .description("Counts")
//!     .step(Step::new(more))
//!     .step(Step::new(twice).when(|view| view.previous.is_some_and(|previous| previous["count"] != 0)))
//!     .build(&manager)?;
//!
//! let first = workflow.start(json!({"count": 1})).await?;
//! let session = first.structured.unwrap()["sessionId"].as_str().unwrap().to_owned();
//! let last = workflow.continue_session(&session, None, Value::Null).await?;
//! assert_eq!(last.structured.unwrap()["results"]["twice"], json!({"count": 4}));
//! # Ok::<(), lockgate_workflow::session::LibraryError>(())
//! # }).unwrap();
//! ```

mod activity;
pub mod arguments;
mod detail;
mod engine;
mod event;
mod execution;
mod input;
mod kinds;
mod library;
mod memory;
mod offers;
mod plan;
mod reply;
mod schema;
mod script;
mod state;

pub use ::store::Store;
pub use activity::{Activity, ActivityContext, ActivityResult, Effect, Position, Running};
pub use engine::{
    Answer, Approval, Clock, Continue, Duty, Ear, Engine, EngineOptions, Error, Host, Limits, Listen, News,
    Order, Over, Refusal, SessionChange, Start, Steps, Stride, Wake,
};
pub use execution::{ActivityTool, as_tool_result, kind_of};
pub use kinds::{
    CallHttp, CallTool, Defined, HttpActivity, HttpReply, HttpRequest, Nested, NestedEnd, RunWorkflow,
    ScriptActivity, ToolActivity, ToolRequest, WorkflowActivity,
};
pub use library::{
    ActivityBuilder, Branch, BuiltActivity, Call, Cleanup, InMemoryStore, LibraryError, OnFull,
    PostgresStore, RedisStore, SessionManager, SessionManagerOptions, SessionQuery, SqliteStore, Step,
    ToolShown, Workflow, WorkflowBuilder, WorkflowStore,
};
pub use memory::Memory;
pub use model::session::{
    Approvers, BranchDecision, BranchOption, Compensation, Face, HttpRun, OnTimeout, OnUnknown, Procedure,
    Retry, SessionStats, SessionStatus, StepExecution, TimeoutScope, ToolCallSuggestion, WaitFor, Waiting,
    WorkflowSession,
};
/// Workflows and activities that are written as data, as [`Definition`] takes them (spec 4.9).
pub mod written {
    pub use model::WorkflowError;
    pub use model::session::{
        Activity, Approve, Branches, HttpRun, PatternBranch, PredicateBranch, Procedure, Run, Step, ToolRun,
        Tools, WorkflowRun,
    };
}
/// What runs scripts: the sandbox, and the jobs that a stand-in for it is given.
pub use ::sandbox;
pub use plan::{Callbacks, Definition, Judge, Kit, Middleware, Native, Plan, View, check_code};
pub use reply::Reply;
pub use schema::compile as check_schema;
pub(crate) use script::as_list;
pub use script::{Code, RunScripts, as_body, as_expression};
