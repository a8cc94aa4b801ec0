//! What tests need around the built binary: a gateway in a temporary folder, an HTTP client that hides
//! nothing, processes seen through `/proc`, and a driver for one stdio server.
//!
//! It imports nothing of the product: scenarios see Lockgate only from outside.
//!
//! ```no_run
//! use testkit::TestGateway;
//! use serde_json::json;
//!
//! let gateway = TestGateway::builder()
//!     .server("test-server", |s| s.env("FX_PAGES", "3").timeout(500))
//!     .setting("restartPolicy: on-failure")
//!     .start();
//! let reply = gateway.call("test-server", "echo", json!({"a": 1}));
//! assert_eq!(reply.result(), &json!({"a": 1}));
//! ```

mod binaries;
mod builder;
mod client;
mod collector;
mod config;
mod events;
mod folder;
mod gateway;
mod guarded;
mod http;
mod issuer;
mod output;
mod poll;
mod port;
mod process;
mod processes;
mod protected;
mod proxy;
mod random;
mod reply;
mod samples;
mod served;
mod stdio;
mod usage;

pub use binaries::{conformance_fixture, fixture, lockgate, repository};
pub use builder::Builder;
pub use client::{Client, MODERN, modern_meta};
pub use collector::Collector;
pub use config::{Config, Server};
pub use events::{Event, Events, events_in};
pub use folder::Folder;
pub use gateway::TestGateway;
pub use guarded::{Guarded, JSON};
pub use http::{Http, Request};
pub use issuer::{Issuer, Signature, now};
pub use output::Output;
pub use poll::{eventually, within};
pub use port::Port;
pub use processes::{descendants, is_alive, send_signal, wait_gone};
pub use protected::Protected;
pub use proxy::Proxy;
pub use random::Random;
pub use reply::{Fault, Reply};
pub use rustix::process::Signal;
pub use samples::{body, nested, sized, whose};
pub use served::{Answered, Received, Served, unescape};
pub use stdio::Stdio;
pub use usage::Usage;
