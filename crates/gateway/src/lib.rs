//! The road of a call: validate, route, send to the server, check the result. REST, the MCP endpoint
//! and the command line all take it; there is no second way to a server's tool.

mod call;
mod faults;
mod gateway;
mod metrics;
mod ready;
mod registry;
mod reload;
mod request;
mod scan;
mod server;
mod tools;

pub use call::Failure;
pub use gateway::{Gateway, Options, StartError};
pub use metrics::{BOUNDS_US, Histogram};
pub use registry::Registry;
pub use reload::Changes;
pub use request::ToolCall;
pub use server::{Origin, Server, ServerView};
