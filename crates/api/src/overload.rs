//! Too many requests under way (`limits.inFlight`): who is let in all the same, and what the others are told.

use crate::access;
use crate::app::App;
use crate::endpoint;
use crate::health;
use axum::extract::Request;
use axum::http::{Method, header};
use axum::response::Response;
use gateway::Change;
use mcp::{Body, Message};
use model::{Code, Fault};
use std::net::IpAddr;

/// The longest body of something that is only said, in bytes.
const SAID_MAX: u64 = 64 * 1024;

/// The least room beyond the limit.
const RESERVE_MIN: u64 = 16;

/// Marks a request that has room beyond the limit if it only says something: that another is cancelled, or the answer
/// to a question for which a request under way waits. One that asks for something is turned away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reserve(IpAddr);

/// Whether a request that makes it `count` under way is let in; `most` are the limit, and 0 is none.
pub(crate) fn admits(request: &mut Request, (count, most): (u64, u64), source: IpAddr) -> bool {
    if most == 0 || count <= most || matches!(request.uri().path(), health::PATH | "/metrics") {
        return true;
    }
    let reserve = most.div_ceil(4).max(RESERVE_MIN);
    let maybe_said = count <= most.saturating_add(reserve) && is_short_message(request);
    if maybe_said {
        request.extensions_mut().insert(Reserve(source));
    }
    maybe_said
}

fn is_short_message(request: &Request) -> bool {
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let length = length.and_then(|length| length.parse::<u64>().ok());
    matches!(request.uri().path(), endpoint::PATH | endpoint::MESSAGES)
        && *request.method() == Method::POST
        && length.is_some_and(|length| length <= SAID_MAX)
}

impl Reserve {
    /// Turns a message away that asks for something.
    pub(crate) fn check(self, app: &App, path: &str, bytes: &[u8]) -> Result<(), Box<Response>> {
        let says = match Message::parse(bytes) {
            Some(Message { body: Body::Method(..), id, .. }) => id.is_none(),
            Some(Message { body: Body::Result(_) | Body::Error(_), .. }) => true,
            _ => false,
        };
        if says { Ok(()) } else { Err(Box::new(turn_away(app, self.0, "POST", path))) }
    }
}

/// The answer to a request for which there is no room.
pub(crate) fn turn_away(app: &App, source: IpAddr, method: &str, path: &str) -> Response {
    if app.gateway().settings().audit.calls {
        // Nobody may know yet who it is.
        let refused = Change { who: "", source: Some(source), method, path, status: 503, made: &[] };
        app.gateway().record_refusal(&refused, Code::Overloaded);
    }
    let message = "The gateway has as many requests under way as it takes; try again in 1 s";
    let fault = Fault::new(Code::Overloaded, message).with("limit", "inFlight").with("retryAfter", 1);
    access::refusal(path, fault)
}
