//! Workflow graphs: one model, one validator, one engine.
//!
//! [`validate`] finds everything that keeps a workflow from being activated; [`check_scripts`] adds what only
//! an engine can find. [`Graph::compile`] brings a valid one into the form in which it runs, and [`Graph::run`]
//! carries one request through it: hooks before the call, the call itself, once, hooks after it, and
//! fire-and-forget hooks beside. What happened is a [`Run`], which a [`recorder::Recorder`] keeps.

pub mod diagram;
mod kind;
mod kinds;
mod pass;
mod plan;
mod problem;
mod record;
pub mod recorder;
mod scripts;
pub mod session;
#[cfg(test)]
mod testing;
mod text;
mod validate;

pub use kind::KIND_NAMES;
pub use kinds::{Kinds, NodeType, Outputs, Plugin, PluginError};
pub use pass::{Answer, Bare, Beginning, Named, NodeMark, Pass, Passed, Sides, Stop, Tool, Tools, Trouble};
pub use plan::{Graph, NodeTally};
pub use problem::{Problem, Rule, Severity, reason};
pub use record::{End, Mask, Run};
pub use scripts::{Module, Modules, Scripts, check_scripts};
pub use validate::validate;
