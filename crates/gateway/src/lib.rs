//! The road of a call: validate, route, send to the server, check the result. REST, the MCP endpoint
//! and the command line all take it; there is no second way to a server's tool.

mod call;
mod caller;
mod endpoint;
mod errand;
mod exchange;
mod faults;
mod gateway;
mod graphs;
mod hooks;
mod hub;
mod metrics;
pub mod outbound;
mod ready;
mod registry;
mod reload;
mod reply;
mod request;
mod scan;
mod seal;
mod sent;
mod server;
mod through;
mod tools;

pub use call::{Carried, Failure};
pub use caller::Caller;
pub use endpoint::{Claim, Guest, Line, Note, Notebook, Subscription, Visitor};
pub use gateway::{Gateway, Options, StartError};
pub use graphs::{Parameter, RunEnded, RunQuery, Template, Verdict, WorkflowView};
pub use hooks::{
    Capture, ConsoleLine, Draft, HookStats, HookView, LastError, Mark, Tally, Trace, Trial, TrialError,
    Validity,
};
pub use hub::News;
pub use metrics::{BOUNDS_US, Histogram};
pub use registry::Registry;
pub use reload::Changes;
pub use reply::{fault_of, value_of};
pub use request::ToolCall;
pub use seal::Seal;
pub use server::{Origin, Server, ServerView};
