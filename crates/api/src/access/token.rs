//! Tokens at the door: what a text that is no key is worth, and how a client learns where tokens come from.

use super::{Closed, judge as judge_key, throttle};
use crate::app::App;
use axum::http::HeaderValue;
use gateway::{Denied, Pass, Presented, TokenError};
use model::access::Role;
use model::{Code, Fault};
use std::net::IpAddr;
use std::sync::Arc;

/// The detail of a fault that says what is wrong with a token, in the words of RFC 6750.
pub(super) const ERROR: &str = "error";
const INVALID: &str = "invalid_token";
pub(super) const INSUFFICIENT: &str = "insufficient_scope";

/// What a text that is none of the keys is worth as a token.
pub(super) async fn judge(app: &App, text: &str, source: IpAddr) -> Result<Arc<Pass>, Closed> {
    // Whoever sent many wrong ones waits, before any signature is looked at.
    if let Some(rest) = app.throttle().rest(source) {
        return Err(throttle::refused(rest).into());
    }
    let Denied { why, who } = match Box::pin(app.gateway().access().check_token(text)).await {
        None => return judge_key(app, Presented::Wrong, source),
        Some(Ok(pass)) => return judge_key(app, Presented::Good(pass), source),
        Some(Err(denied)) => denied,
    };
    let fault = |code| Fault::new(code, why.to_string());
    let fault = match why {
        TokenError::Scope => fault(Code::Forbidden).with(ERROR, INSUFFICIENT),
        TokenError::NoKeys => fault(Code::Overloaded).with("retryAfter", 10),
        _ => fault(Code::Unauthorized).with(ERROR, INVALID),
    };
    match why.is_attempt().then(|| judge_key(app, Presented::Wrong, source)) {
        Some(Err(closed)) if closed.fault.code != Code::Unauthorized => Err(Closed { who, ..closed }),
        _ => Err(Closed { who, ..fault.into() }),
    }
}

/// `WWW-Authenticate` of a refusal, where a key or a token would help.
pub(super) fn challenge(app: &App, fault: &Fault, role: Option<Role>) -> Option<HeaderValue> {
    let error = fault.details.get(ERROR).and_then(serde_json::Value::as_str);
    if fault.code != Code::Unauthorized && error.is_none() {
        return None;
    }
    let Some((place, scopes)) = app.gateway().access().resource_for(role) else {
        return Some(HeaderValue::from_static("Bearer"));
    };
    let mut text = format!("Bearer resource_metadata=\"{place}\"");
    if let Some(error) = error {
        text.push_str(&format!(", error=\"{error}\", error_description=\"{}\"", fault.message));
    }
    if error == Some(INSUFFICIENT) && !scopes.is_empty() {
        text.push_str(&format!(", scope=\"{scopes}\""));
    }
    HeaderValue::from_str(&text).ok()
}
