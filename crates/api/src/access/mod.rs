//! The door: which key a request brings, and whether that is enough for where it wants to go (spec 5.4).

mod cookie;
mod last;
mod rules;
mod throttle;
mod token;
mod who;

pub(crate) use cookie::{Cookie, cleared};
pub(crate) use last::Last;
pub(crate) use rules::is_endpoint;
pub(crate) use throttle::Throttle;
pub(crate) use who::Who;

use crate::answer::Refusal;
use crate::app::App;
use crate::endpoint;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, header};
use axum::response::{IntoResponse, Response};
use gateway::{Change, Pass, Presented};
use model::access::{Digest, Role};
use model::{Code, Fault};
use rules::Need;
use std::net::IpAddr;
use std::sync::Arc;

/// What a request from the web page carries besides its cookie when it changes something. No other page can add it
/// without being asked first, and nobody answers that question with yes.
pub(crate) const UI_HEADER: &str = "x-lockgate-ui";

/// Where people sign in.
pub(crate) const SIGN_IN: &str = "/api/session";

/// The head of a request, as far as the door looks at it.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    method: &'a Method,
    path: &'a str,
    headers: &'a HeaderMap,
    last: &'a Last,
}

impl<'a> Asked<'a> {
    /// The head of that request, over a connection that remembers this.
    pub(crate) fn of(request: &'a Request, last: &'a Last) -> Self {
        Self { method: request.method(), path: request.uri().path(), headers: request.headers(), last }
    }
}

/// Why a request does not come in.
struct Closed {
    /// Whose key or token it brought, where that is known. It is for the audit log alone.
    who: Option<String>,
    fault: Box<Fault>,
}

impl From<Fault> for Closed {
    fn from(fault: Fault) -> Self {
        Self { who: None, fault: Box::new(fault) }
    }
}

impl Closed {
    fn record(&self, app: &App, what: (&Method, &str), source: IpAddr) {
        record(app, self.who.as_deref().unwrap_or_default(), what, &self.fault, source);
    }
}

/// Whether a route takes a key where there are keys.
pub(crate) fn takes_key(method: &Method, path: &str) -> bool {
    rules::need(method, path) != Need::Nothing
}

/// Lets a request in, with its key where there are keys, or answers it.
pub(crate) async fn admit(
    app: &App,
    asked: Asked<'_>,
    source: IpAddr,
) -> Result<Option<Arc<Pass>>, Box<Response>> {
    if app.gateway().access().is_open() {
        return Ok(None);
    }
    let Asked { method, path, .. } = asked;
    let need = rules::need(method, path);
    if need == Need::Nothing {
        return Ok(None);
    }
    let role = if let Need::Role(role) = need { Some(role) } else { None };
    let identified = identify(app, asked, source).await.map_err(|closed| {
        // A request without any key is no attempt to get in.
        if asked.headers.contains_key(header::AUTHORIZATION) {
            closed.record(app, (method, path), source);
        }
        *closed.fault
    });
    let checked = identified.and_then(|pass| match role {
        Some(role) if !pass.may(role) => {
            let fault = forbidden(&pass, role);
            record(app, pass.name(), (method, path), &fault, source);
            Err(fault)
        }
        _ => Ok(pass),
    });
    checked.map(Some).map_err(|fault| Box::new(answer(app, path, fault, role)))
}

/// The key of a request: in its header, or in the cookie of the web page.
async fn identify(app: &App, asked: Asked<'_>, source: IpAddr) -> Result<Arc<Pass>, Closed> {
    let Asked { method, path, headers, last } = asked;
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let Some(key) = value.to_str().ok().and_then(bearer) else {
            return Err(unauthorized("Authorization must be 'Bearer' and a key").into());
        };
        return match app.gateway().access().present(key, &last.digest(key)) {
            Presented::Wrong => Box::pin(token::judge(app, key, source)).await,
            presented => judge(app, presented, source),
        };
    }
    let missing = || unauthorized("A key is needed: send it as 'Authorization: Bearer <key>'");
    // The older transport is for programs alone, and the page does not speak it.
    if rules::is_endpoint(path) && path != endpoint::PATH {
        return Err(missing().into());
    }
    let Cookie { digest, .. } = Cookie::read(app, headers).ok_or_else(missing)?;
    let pass = match app.gateway().access().find(&digest) {
        // The key was good once: a page that stays open is no attempt to guess one.
        Presented::Wrong => return Err(unauthorized("The key of this sign-in is not known any more").into()),
        presented => judge(app, presented, source)?,
    };
    let changes = !matches!(*method, Method::GET | Method::HEAD);
    if (changes || path == endpoint::PATH) && !(headers.contains_key(UI_HEADER) && is_same_origin(headers)) {
        let message = format!(
            "A request that is signed in by cookie must come from the page itself and carry {UI_HEADER}"
        );
        let fault = Fault::new(Code::Forbidden, message);
        record(app, pass.name(), (method, path), &fault, source);
        return Err(fault.into());
    }
    Ok(pass)
}

/// The key of somebody who signs in.
pub(crate) fn sign_in(app: &App, key: &str, source: IpAddr) -> Result<Arc<Pass>, Fault> {
    let checked = match app.gateway().access().present(key, &Digest::of(key.as_bytes())) {
        // The cookie outlives a token, and names a key.
        Presented::Good(pass) if pass.is_token() => {
            Err(unauthorized("Sign in with a key, not with a token").into())
        }
        presented => judge(app, presented, source),
    };
    checked.map_err(|closed| {
        closed.record(app, (&Method::POST, SIGN_IN), source);
        *closed.fault
    })
}

/// What a key is worth, when it comes from there. An address with many wrong keys is not listened to for a while,
/// apart from keys that came from it before: one broken program does not lock out its neighbours.
fn judge(app: &App, presented: Presented, source: IpAddr) -> Result<Arc<Pass>, Closed> {
    let rest = app.throttle().rest(source);
    match (presented, rest) {
        (Presented::Good(pass), None) => {
            pass.came_from(source);
            Ok(pass)
        }
        (Presented::Good(pass), Some(_)) if pass.knows(source) => Ok(pass),
        (_, Some(rest)) => Err(throttle::refused(rest).into()),
        (Presented::Expired(pass), None) => {
            Err(Closed { who: Some(pass.name().to_owned()), ..unauthorized("This key has expired").into() })
        }
        (Presented::Wrong, None) => {
            if app.throttle().fail(source) {
                tracing::warn!(source = %source, "many wrong keys came from this address; it is not listened to for a while");
            }
            Err(unauthorized("This key is not known").into())
        }
    }
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, key) = value.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim()).filter(|key| !key.is_empty())
}

fn unauthorized(message: &str) -> Fault {
    Fault::new(Code::Unauthorized, message)
}

/// The page says where it comes from: newer browsers in so many words, older ones with their `Origin`.
fn is_same_origin(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    match text("sec-fetch-site") {
        Some(site) => site == "same-origin",
        None => match (text("origin").and_then(|origin| origin.split_once("://")), text("host")) {
            (Some((_, origin)), Some(host)) => origin.eq_ignore_ascii_case(host),
            _ => false,
        },
    }
}

/// Puts a refusal into the audit log.
fn record(app: &App, who: &str, (method, path): (&Method, &str), fault: &Fault, source: IpAddr) {
    let status = fault.code.http();
    let refused = Change { who, source: Some(source), method: method.as_str(), path, status, made: &[] };
    app.gateway().record_refusal(&refused, fault.code);
}

fn forbidden(pass: &Pass, role: Role) -> Fault {
    let message = format!("This takes a key with the role {}", role.name());
    let fault = Fault::new(Code::Forbidden, message).with("role", role.name());
    if pass.is_token() { fault.with(token::ERROR, token::INSUFFICIENT) } else { fault }
}

/// A refusal in the form of the route: JSON-RPC at the MCP endpoint, the envelope elsewhere.
pub(crate) fn refusal(path: &str, fault: Fault) -> Response {
    match rules::is_endpoint(path) {
        true => endpoint::refusal(&fault),
        false => Refusal::from(fault).into_response(),
    }
}

/// The same with what a client must know to come in.
fn answer(app: &App, path: &str, fault: Fault, role: Option<Role>) -> Response {
    let challenge = token::challenge(app, &fault, role);
    let mut response = refusal(path, fault);
    if let Some(challenge) = challenge {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn a_key_stands_after_its_scheme() {
        for (value, expected) in [
            ("Bearer abc", Some("abc")),
            ("bearer  abc ", Some("abc")),
            ("Basic abc", None),
            ("Bearer", None),
            ("Bearer ", None),
            ("abc", None),
            ("", None),
        ] {
            assert_eq!(bearer(value), expected, "{value}");
        }
    }

    #[test]
    fn a_page_of_another_origin_is_known_as_such() {
        for (headers, expected) in [
            (&[("sec-fetch-site", "same-origin")][..], true),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("sec-fetch-site", "cross-site"), ("origin", "http://h:1"), ("host", "h:1")], false),
            (&[("sec-fetch-site", "none")], false),
            (&[("origin", "http://h:1"), ("host", "h:1")], true),
            (&[("origin", "http://h:2"), ("host", "h:1")], false),
            (&[("origin", "null"), ("host", "h:1")], false),
            (&[("host", "h:1")], false),
            (&[], false),
        ] {
            let map: HeaderMap = headers
                .iter()
                .map(|(name, value)| (header::HeaderName::from_static(name), HeaderValue::from_static(value)))
                .collect();
            assert_eq!(is_same_origin(&map), expected, "{headers:?}");
        }
    }
}
