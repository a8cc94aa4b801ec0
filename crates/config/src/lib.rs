//! The one reader of the config file and the environment.
//!
//! [`load`] finds the file, reads it and gives a [`Config`] that cannot be wrong: every rule of the
//! file was checked, every setting has its effective value. [`import`] adds the servers of a desktop
//! client's configuration to the file. No error holds the value of a variable of a server.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::needless_pass_by_value))]

mod definitions;
mod describe;
mod environment;
mod error;
mod expand;
mod explain;
mod find;
pub mod import;
mod keys;
mod oauth;
mod read;
mod secret;
mod server;
mod settings;
mod shape;
mod variables;
mod visitors;
mod yaml;

pub use environment::Environment;
pub use error::{Error, Position};
pub use explain::{Explained, Explanation, Given, explain};
pub use find::{CANDIDATES, FILE_MAX, Source};
pub use keys::grant;
pub use read::{Config, Parsed, load, parse};
pub use secret::secret;
pub use server::server_entry;
pub use variables::{Level, Log, parse_host, port};
