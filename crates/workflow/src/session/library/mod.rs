//! The Rust library of session workflows (spec 4.10): builders for activities, steps and workflows, the manager of
//! sessions, and the stores behind it.

mod activity;
#[cfg(feature = "rmcp")]
mod attach;
mod builder;
mod call;
mod error;
mod manager;
mod step;
mod store;
mod tools;
mod workflow;

pub use activity::{ActivityBuilder, BuiltActivity};
pub use builder::WorkflowBuilder;
pub use call::Call;
pub use error::LibraryError;
pub use manager::{OnFull, SessionManager, SessionManagerOptions};
pub use step::{Branch, Step};
pub use store::{
    Cleanup, InMemoryStore, PostgresStore, RedisStore, SessionQuery, SqliteStore, WorkflowStore,
};
pub use tools::ToolShown;
pub use workflow::Workflow;

/// Who starts sessions of a workflow that is used from Rust and says nothing else.
pub(crate) const LOCAL: &str = "local";
