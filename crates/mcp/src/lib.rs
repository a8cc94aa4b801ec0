//! The one speaker of MCP: the JSON-RPC envelope, the two eras of the protocol, and the client side
//! over a pair of pipes.
//!
//! `params` and `result` stay raw bytes: only the envelope is parsed, so what passes is not altered.

mod client;
mod envelope;
mod era;
mod lines;
mod outbox;
mod pending;
mod result;
mod tools;

pub use client::{Client, Driver, End, Event};
pub use envelope::{Body, Message, RpcError, quote};
pub use era::{Era, HandshakeError, Peer, handshake};
pub use lines::{LINE_MAX, Lines};
pub use pending::{Gone, Outcome, Pending};
pub use result::{CallResult, Part};
pub use tools::{ListError, Tool, list_tools};
