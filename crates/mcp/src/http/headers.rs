//! The headers of a message to a server: what the transport, the session and the era ask for.

use super::mirror::Mirror;
use super::values::header_value;
use crate::era::{Era, MODERN};
use crate::splice::member_at;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
pub(super) const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

pub(super) const JSON: &str = "application/json";
pub(super) const STREAM: &str = "text/event-stream";

/// A message on its way, seen from outside.
#[derive(Clone, Copy)]
pub(super) struct Outline<'a> {
    /// Its method; `None` for a reply.
    pub(super) method: Option<&'a str>,
    /// The text of its `params`.
    pub(super) params: &'a str,
}

/// What both sides agreed on.
#[derive(Clone, Debug)]
pub(super) struct Agreement {
    pub(super) era: Era,
    pub(super) version: HeaderValue,
    pub(super) session: Option<HeaderValue>,
}

/// Headers of a message that is posted.
pub(super) fn of_post() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    headers
}

/// Headers of a stream that is opened.
pub(super) fn of_stream() -> HeaderMap {
    HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(STREAM))])
}

/// Adds what a handshake agreed on.
pub(super) fn agree(headers: &mut HeaderMap, agreement: &Agreement) {
    headers.insert(VERSION, agreement.version.clone());
    if let Some(session) = &agreement.session {
        headers.insert(SESSION, session.clone());
    }
}

/// Adds what the modern era wants to see of a message without reading it.
pub(super) fn outline(headers: &mut HeaderMap, outline: Outline<'_>, mirror: &Mirror) {
    headers.insert(VERSION, HeaderValue::from_static(MODERN));
    let Some(method) = outline.method else { return };
    headers.insert(METHOD, header_value(method));
    let member = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        // The tasks extension names its task.
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => return,
    };
    let raw = member_at(outline.params, member).map(|at| &outline.params[at]);
    let Some(name) = raw.and_then(|raw| serde_json::from_str::<String>(raw).ok()) else { return };
    headers.insert(NAME, header_value(&name));
    if method == "tools/call" {
        mirror.add(&name, outline.params, headers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_shows_its_method_and_its_name() {
        for (method, params, expected) in [
            ("tools/call", r#"{"name":"a\u0062"}"#, Some("ab")),
            ("prompts/get", r#"{"name":"日本"}"#, Some("=?base64?5pel5pys?=")),
            ("resources/read", r#"{"uri":"test://x","name":"n"}"#, Some("test://x")),
            ("tools/list", r#"{"name":"n"}"#, None),
            ("tools/call", "{}", None),
        ] {
            let mut headers = HeaderMap::new();
            outline(&mut headers, Outline { method: Some(method), params }, &Mirror::default());
            assert_eq!(headers.get(NAME).and_then(|v| v.to_str().ok()), expected, "{method} {params}");
            assert_eq!(headers.get(METHOD).and_then(|v| v.to_str().ok()), Some(method));
            assert_eq!(headers.get(VERSION).and_then(|v| v.to_str().ok()), Some(MODERN));
        }
    }
}
