//! The one host of the JavaScript engine: worker processes, compile, run, limit.
//!
//! A hook's script runs in a worker: this same binary in a hidden mode, stripped of every privilege, with
//! the engine inside. No engine code runs in the gateway. All steps of one phase of one call cross in one
//! message and come back in one. A script past its deadline is ended, if need be together with its worker;
//! a spare worker takes over. Nothing that a script leaves behind is seen by another execution.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may panic"))]

mod changes;
mod check;
mod error;
mod host;
mod job;
mod json;
mod place;
mod pool;
mod sandbox;
mod tally;
mod wire;
pub mod worker;

pub use changes::short;
pub use error::{ErrorCode, Limit, ScriptError};
pub use host::{Host, Options};
pub use job::{
    About, Broken, ConsoleLine, End, Estate, Follow, Form, Heir, Job, Left, Level, Phase, Ran, Rank, Report,
    Script, Step, Verdict,
};
pub use json::Json;
pub use place::Place;
pub use process::Launcher;
pub use sandbox::{Sandbox, Workers};
pub use tally::Outcomes;
