//! The nouns of Lockgate: names, definitions, settings, statuses and the table of error codes.
//!
//! Plain data without I/O. Every other crate may import this one; it imports none of them.

pub mod access;
mod address;
mod code;
mod fault;
pub mod harden;
mod headers;
mod hook;
pub mod json;
mod names;
mod number;
pub mod oauth;
mod restate;
mod scope;
mod secret;
mod server;
pub mod session;
pub mod settings;
mod status;
pub mod text;
pub mod time;
mod workflow;

pub use address::Address;
pub use code::{Code, Side};
pub use fault::{Details, Fault};
pub use harden::{Harden, Landlock};
pub use headers::check_headers;
pub use hook::{HOOK_NAME_MAX, Hook, HookDraft, HookPatch, HookType, OnError, SCRIPT_MAX, check_script};
pub use names::{NameError, SERVER_NAME_MAX, TOOL_NAME_MAX, check_name, is_name};
pub use number::whole;
pub use scope::{IDLE_TIMEOUT, Scope};
pub use secret::SecretValues;
pub use server::{Args, EnvVar, FieldError, ServerEntry};
pub use settings::Settings;
pub use status::Status;
pub use workflow::{
    Edge, Node, RunId, Viewport, WORKFLOW_BYTES_MAX, WORKFLOW_NODES_MAX, Workflow, WorkflowDraft,
    WorkflowError, WorkflowPatch, WorkflowSketch, WorkflowType, Written,
};

/// The name under which the gateway announces itself to servers and clients.
pub const PRODUCT: &str = "lockgate";

/// The version of this build.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
