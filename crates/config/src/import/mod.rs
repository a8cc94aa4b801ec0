//! A desktop client's MCP configuration, turned into `servers` entries of the config file.
//!
//! [`plan`] is pure and says what would happen to each entry; [`apply`] adds the new ones to the
//! file, keeps its comments and formatting, and either changes it whole or not at all.

mod apply;
mod client;
mod convert;
mod dollar;
mod edit;
mod emit;
mod error;
mod jsonc;
mod plan;
mod replace;

pub use apply::{Applied, apply};
pub use error::Error;
pub use plan::{Plan, Planned, Target, Values, Verdict, plan};
