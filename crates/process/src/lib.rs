//! The one spawner of children: start, watch, stop, reap.
//!
//! Between the gateway and every child stands a guard: this same binary in a hidden mode, one small
//! process per child. The child's pipes lead straight to the gateway; the guard only watches. When the
//! child ends, the guard ends whatever the child left behind, at once or, when the child was asked to
//! end, after the same grace; when the gateway ends, however it ends, the guard ends everything below
//! itself. No child outlives the gateway, none becomes a zombie.

mod child;
mod environment;
mod error;
mod exit;
pub mod guard;
mod harden;
mod launch;
mod report;
mod resolve;
mod sys;
mod tail;
mod watch;
pub mod worker;

pub use child::{Child, Control, Unread};
pub use environment::{DEFAULT_PATH, environment};
pub use error::Error;
pub use exit::Exit;
pub use launch::{Command, Launcher};
pub use resolve::resolve;
pub use sys::{Code, awaited};
pub use tail::{Tail, drain};
pub use worker::Worker;
