//! The road of a call: validate, route, send to the server, check the result. REST, the MCP endpoint
//! and the command line all take it; there is no second way to a server's tool.

mod call;
mod endpoint;
mod exchange;
mod faults;
mod gateway;
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
mod tools;

pub use call::Failure;
pub use endpoint::{Guest, Line, Subscription, modern_guest, modern_version};
pub use gateway::{Gateway, Options, StartError};
pub use hub::News;
pub use metrics::{BOUNDS_US, Histogram};
pub use registry::Registry;
pub use reload::Changes;
pub use reply::{fault_of, value_of};
pub use request::ToolCall;
pub use seal::Seal;
pub use server::{Origin, Server, ServerView};
