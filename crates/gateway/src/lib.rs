//! The road of a call: validate, route, send to the server, check the result. REST, the MCP endpoint
//! and the command line all take it; there is no second way to a server's tool.

mod access;
mod asked;
mod audit;
mod call;
mod called;
mod caller;
mod carried;
mod change;
mod cluster;
mod endpoint;
mod errand;
mod exchange;
mod faults;
mod figures;
mod gateway;
mod graphs;
mod hooks;
mod hub;
mod led;
mod lists;
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
mod sessions;
mod shown;
mod sight;
mod talk;
mod through;
mod told;
mod tools;
mod vault;
mod visa;
mod waited;

pub use access::{Access, Denied, KeyOrigin, KeyView, NewKey, Pass, Presented, TokenError};
pub use audit::{AuditQuery, AuditView, Change};
pub use caller::Caller;
pub use carried::{Carried, Failure};
pub use change::ToolChange;
pub use cluster::{FeedEvent, Feeding};
pub use endpoint::{
    Batch, Cancel, Claim, Guest, Line, Note, Notebook, Subscription, Visitor, is_error, protocol_error,
    refusal, too_long, unreadable,
};
pub use figures::{Figures, HookFigures, ServerFigures, ToolFigures};
pub use gateway::{Gateway, Options, StartError};
pub use graphs::{FieldChange, ItemChange, ListChange, VersionDiff, VersionQuery, VersionView};
pub use graphs::{
    Parameter, ParameterType, RunEnded, RunQuery, RunTally, Running, Template, TemplateSource, TemplateView,
    Verdict, WorkflowView,
};
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
pub use scan::repeated;
pub use seal::Seal;
pub use server::{INSTANCE, Origin, Server, ServerView};
pub use sessions::{
    ActivityView, ApprovalBody, DefinitionSource, Driven, EventBody, FileDefinitions, SessionMoved,
    SessionQuery, SessionTally,
};
pub use sessions::{LastSession, Missed, Schedule, ScheduleView};
pub use sight::{Carrier, RequestPage, RequestQuery, RequestTally, RequestView, Seen, Visit, Way, code_in};
pub use told::Told;
pub use vault::{Vault, VaultError};
pub use visa::Drawer;
pub use waited::Footprint;
pub use workflow::KIND_NAMES;
