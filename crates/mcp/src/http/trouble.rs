//! What can go wrong between a message and its reply.

use crate::pending::Outcome;
use hyper::StatusCode;
use serde_json::value::RawValue;

/// Why a message has no reply. Never holds an address or a header.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// No connection could be made.
    #[error("the server cannot be reached: {0}")]
    Unreachable(String),
    /// The server refused, perhaps with a JSON-RPC error.
    #[error("the server answered with HTTP status {}", .0.as_u16())]
    Status(StatusCode, Option<Box<RawValue>>),
    /// The server no longer knows the session.
    #[error("the server ended the session")]
    SessionLost,
    /// The connection broke before the reply was there.
    #[error("the connection broke before the reply was there")]
    Broken,
    /// The stream of the reply ended without it.
    #[error("the server ended its answer without a reply")]
    Ended,
    /// A message is larger than allowed.
    #[error("the server sent a message of more than 10 MiB")]
    Overrun,
    /// The body is no MCP message.
    #[error("the server's answer is neither JSON nor an event stream")]
    Foreign,
    /// The old transport named no address for messages, or one elsewhere.
    #[error("the server names no address for messages at its own origin")]
    Endpoint,
}

impl Trouble {
    /// What it is for whoever waits for the reply: the server's own error, where it gave one.
    pub(super) fn into_outcome(self) -> Outcome {
        match self {
            Trouble::Status(status, Some(error)) => Outcome::Error(error, Some(status.as_u16())),
            Trouble::SessionLost => Outcome::Unheard,
            other => Outcome::Failed(other.to_string()),
        }
    }
}
