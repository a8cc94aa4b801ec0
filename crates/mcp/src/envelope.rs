//! One JSON-RPC message, parsed no deeper than its envelope.

use crate::splice::{begun_members_at, name_in};
use crate::walk::Walk;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A message whose `params`, `result` and `error` are still the bytes that came.
#[derive(Debug)]
pub struct Message<'a> {
    /// Whether `jsonrpc` is `"2.0"`.
    pub versioned: bool,
    /// The id as it was written.
    pub id: Option<&'a RawValue>,
    /// What the message is.
    pub body: Body<'a>,
}

/// The four things a message can be.
#[derive(Debug)]
pub enum Body<'a> {
    /// A request (with an id) or a notification (without one).
    Method(Cow<'a, str>, Option<&'a RawValue>),
    /// A reply; the value may be `null`.
    Result(&'a RawValue),
    /// A refusal.
    Error(&'a RawValue),
    /// JSON, but none of the above.
    Nothing,
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// A text that is not copied unless it is written with escapes; an `Option` would own its `Cow`.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Keeps `null` apart from absence: `Option` alone reads both as `None`.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(from).map(Some)
}

impl<'a> Message<'a> {
    /// Parses one message; `None` when the bytes are not a JSON object.
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        // Serde would read a struct from an array too.
        bytes.trim_ascii_start().starts_with(b"{").then_some(())?;
        // Serde does not look closely at members that it skips.
        let wire: Wire<'a> = serde_json::from_str(std::str::from_utf8(bytes).ok()?).ok()?;
        let given = |part: &&RawValue| part.get() != "null";
        let body = match (wire.method, wire.result, wire.error.filter(given)) {
            (Some(Text(method)), _, _) => Body::Method(method, wire.params),
            (None, Some(result), Some(_)) if given(&result) => Body::Nothing,
            (None, _, Some(error)) => Body::Error(error),
            (None, Some(result), None) => Body::Result(result),
            (None, None, None) => Body::Nothing,
        };
        let versioned = wire.jsonrpc.is_some_and(|v| v.get() == "\"2.0\"");
        Some(Self { versioned, id: wire.id, body })
    }

    /// Why bytes are no message: the JSON-RPC code for it, and what it says.
    pub fn refusal(bytes: &[u8]) -> (i64, &'static str) {
        match serde_json::from_slice::<serde::de::IgnoredAny>(bytes) {
            // What is skipped is not looked at closely, and may be anything between its quotes.
            Ok(_) if std::str::from_utf8(bytes).is_ok() => {
                (-32600, "Invalid request: not a JSON-RPC message")
            }
            _ => (-32700, "Parse error: not JSON"),
        }
    }

    /// The id of a request that is no message, such as one whose method is no text.
    pub fn id_in(bytes: &[u8]) -> Option<&RawValue> {
        #[derive(Deserialize)]
        struct Request<'a> {
            #[serde(borrow)]
            id: &'a RawValue,
            #[serde(rename = "method")]
            _method: serde::de::IgnoredAny,
        }
        bytes.trim_ascii_start().starts_with(b"{").then_some(())?;
        serde_json::from_slice(bytes).ok().map(|Request { id, .. }| id)
    }

    /// Which of our own requests that wait a text answers that is JSON but no message, as when a member of the envelope is
    /// there twice. One whose method is a text asks, and answers none; of two requests nobody knows which is meant.
    pub(crate) fn answered_by_broken(text: &str, waits: impl Fn(u64) -> bool) -> Option<u64> {
        serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
        let mut found = None;
        for (name, value) in Walk::new(text) {
            match (&*name_in(&text[name]), &text[value]) {
                ("id", id) => {
                    let id = id.parse().ok().filter(|id| waits(*id));
                    if found.is_some() && id.is_some() && found != id {
                        return None;
                    }
                    found = found.or(id);
                }
                ("method", method) if method.starts_with('"') => return None,
                _ => {}
            }
        }
        found
    }

    /// The id of a request of which only the beginning is there, where that says both that it is one and its id.
    pub fn id_in_beginning(bytes: &[u8]) -> Option<&RawValue> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            // The end may be in the middle of a letter.
            Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?,
        };
        let [id, method] = begun_members_at(text, ["id", "method"]);
        serde_json::from_str(&text[method.and(id)?]).ok()
    }

    /// The id as one of our own numbers.
    pub fn own_id(&self) -> Option<u64> {
        self.id.and_then(|id| id.get().parse().ok())
    }
}

/// The `error` member of a reply, read leniently: servers differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RpcError {
    /// The JSON-RPC code; 0 when it is missing or no integer.
    pub code: i64,
    /// The server's text.
    pub message: String,
    /// The server's data.
    pub data: Option<serde_json::Value>,
}

impl RpcError {
    /// Reads what can be read.
    pub fn read(raw: &RawValue) -> Self {
        let Ok(serde_json::Value::Object(mut fields)) = serde_json::from_str(raw.get()) else {
            return Self::default();
        };
        let message = match fields.remove("message") {
            Some(serde_json::Value::String(text)) => text,
            _ => String::new(),
        };
        let code = fields.get("code").and_then(serde_json::Value::as_i64).unwrap_or_default();
        Self { code, message, data: fields.remove("data") }
    }

    /// What it says and the HTTP status with which it came: the text may not tell why, the status does.
    pub(crate) fn with_status(self, status: Option<u16>) -> String {
        match status {
            None => self.message,
            Some(status) if self.message.is_empty() => format!("HTTP status {status}"),
            Some(status) => format!("{} (HTTP status {status})", self.message),
        }
    }

    /// Whether an error is one of JSON-RPC at all: an object with a whole number and a text.
    pub fn is_valid(raw: &RawValue) -> bool {
        #[derive(Deserialize)]
        struct Strict<'a> {
            #[serde(rename = "code")]
            _code: i64,
            #[serde(borrow, rename = "message")]
            _message: Cow<'a, str>,
        }
        raw.get().starts_with('{') && serde_json::from_str::<Strict<'_>>(raw.get()).is_ok()
    }
}

/// Writes `text` as a JSON string.
pub fn quote(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("a string always serialises into memory");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(line: &str) -> String {
        match Message::parse(line.as_bytes()) {
            None => "not json".into(),
            Some(m) => {
                let body = match &m.body {
                    Body::Method(name, params) => format!("{name}({})", params.map_or("", RawValue::get)),
                    Body::Result(r) => format!("result {}", r.get()),
                    Body::Error(e) => format!("error {}", e.get()),
                    Body::Nothing => "nothing".into(),
                };
                let id = m.id.map_or("-", RawValue::get);
                format!("{} {id} {body}", if m.versioned { "2.0" } else { "?" })
            }
        }
    }

    #[test]
    fn the_id_of_a_request_is_read_from_its_beginning_where_that_is_sure() {
        for (beginning, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":"xx"#, Some("7")),
            (r#"{"method":"m","\u0069d":"a\"b","params""#, Some(r#""a\"b""#)),
            (r#"{"method":"m","params":{},"id":7}"#, Some("7")),
            (r#"{"method":"m","id":7"#, None),
            (r#"{"id":7,"method":"m"#, None),
            (r#"{"id":7,"params":{"method":"m","#, None),
            (r#"{"id":7,"result":{"a":"#, None),
            (r#"{"id":7x,"method":"m","#, None),
            (r#"{"method":"m","params":{"id":7},"#, None),
            (r#"[{"id":7,"method":"m"},"#, None),
            ("", None),
        ] {
            let id = Message::id_in_beginning(beginning.as_bytes()).map(RawValue::get);
            assert_eq!(id, expected, "{beginning}");
        }
        assert_eq!(
            Message::id_in_beginning(b"{\"id\":1,\"method\":\"m\",\"x\":\"\xe6\x97").map(RawValue::get),
            Some("1")
        );
    }

    #[test]
    fn a_broken_reply_still_names_the_request_that_it_answers() {
        for (text, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{},"result":{}}"#, Some(7)),
            (r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":7,"result":{}}"#, Some(7)),
            (r#" {"jsonrpc":"2.0","id":7,"\u0069d":7,"result":{}}"#, Some(7)),
            (r#"{"jsonrpc":"2.0","id":7,"method":5,"result":{}}"#, Some(7)),
            (r#"{"jsonrpc":"2.0","id":7,"method":null,"method":null}"#, Some(7)),
            (r#"{"id":1,"id":7,"id":2,"result":{}}"#, Some(7)),
            (r#"{"id":8,"id":7,"result":{}}"#, None),
            (r#"{"id":9,"result":1,"result":1}"#, None),
            (r#"{"id":"7","result":1,"result":1}"#, None),
            (r#"{"id":7,"method":"ping","method":"ping"}"#, None),
            (r#"{"id":7,"method":5,"method":"ping"}"#, None),
            (r#"{"id":7,"result":1,"result":1"#, None),
            (r#"{"id":7,"result":1x,"result":1}"#, None),
            (r#"{"result":1,"result":{"id":7}}"#, None),
            (r#"[{"id":7,"result":1,"result":1}]"#, None),
            ("nonsense", None),
            ("", None),
        ] {
            let found = Message::answered_by_broken(text, |id| matches!(id, 7 | 8));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_line_is_told_apart_by_its_envelope() {
        for (line, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"a":1.0}}"#, r#"2.0 7 result {"a":1.0}"#),
            (r#"{"jsonrpc":"2.0","id":7,"result":null}"#, "2.0 7 result null"),
            (r#"{"id":7,"result":1e400}"#, "? 7 result 1e400"),
            (r#"{"jsonrpc":"1.0","id":7,"error":{"code":1}}"#, r#"? 7 error {"code":1}"#),
            (r#"{"jsonrpc":"2.0","id":7,"error":null,"result":1}"#, "2.0 7 result 1"),
            (r#"{"jsonrpc":"2.0","id":7,"result":null,"error":{}}"#, "2.0 7 error {}"),
            (r#"{"jsonrpc":"2.0","id":7,"result":1,"error":{}}"#, "2.0 7 nothing"),
            (r#"{"jsonrpc":"2.0","id":7,"error":null}"#, "2.0 7 nothing"),
            (r#"{"jsonrpc":"2.0","method":"a","params":[1]}"#, "2.0 - a([1])"),
            (r#"{"jsonrpc":"2.0","id":"x","method":"ping"}"#, r#"2.0 "x" ping()"#),
            (r#"{"jsonrpc":"2.0","id":7}"#, "2.0 7 nothing"),
            ("{}", "? - nothing"),
            ("[1]", "not json"),
            ("hello", "not json"),
            ("", "not json"),
        ] {
            assert_eq!(kind(line), expected, "{line}");
        }
    }

    #[test]
    fn what_is_no_message_is_told_from_what_is_no_json() {
        for (text, code) in [("5", -32600), ("null", -32600), ("[]", -32600), (r#"{"method":5}"#, -32600)] {
            assert_eq!(Message::refusal(text.as_bytes()).0, code, "{text}");
        }
        for text in ["", "{", "nonsense", "{} {}"] {
            assert_eq!(Message::refusal(text.as_bytes()).0, -32700, "{text}");
        }
        for text in [
            &b"{\"method\":\"\xff\"}"[..],
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"\xff\"}",
        ] {
            assert!(Message::parse(text).is_none(), "JSON is UTF-8");
            assert_eq!(Message::refusal(text).0, -32700, "JSON is UTF-8");
        }
        let id = |text: &'static str| Message::id_in(text.as_bytes()).map(RawValue::get);
        assert_eq!(id(r#" {"method":5,"id":"a"}"#), Some(r#""a""#));
        assert_eq!([id(r#"{"method":5}"#), id("[7,5]"), id(r#"{"id":7,"method":5"#), id("")], [None; 4]);
        assert_eq!(id(r#"{"id":7,"result":1,"result":2}"#), None, "an answer has the id of our question");
    }

    #[test]
    fn an_error_is_read_as_far_as_it_goes() {
        let read = |text: &str| RpcError::read(&RawValue::from_string(text.into()).expect("json"));
        assert_eq!(read("5"), RpcError::default());
        let full = read(r#"{"code":-32602,"message":"no","data":{"field":"a"}}"#);
        assert_eq!((full.code, full.message.as_str()), (-32602, "no"));
        assert_eq!(full.data, Some(serde_json::json!({"field": "a"})));
        assert_eq!(read(r#"{"code":"x","message":5}"#), RpcError::default());
    }

    #[test]
    fn an_error_is_an_object_with_a_whole_number_and_a_text() {
        for (error, valid) in [
            (r#"{"code":-32602,"message":"no \" way","data":[1]}"#, true),
            (r#"{"message":"","code":0,"more":1}"#, true),
            (r#""x""#, false),
            (r#"[1,"m"]"#, false),
            (r#"{"message":"m"}"#, false),
            (r#"{"code":-32602}"#, false),
            (r#"{"code":"x","message":"m"}"#, false),
            (r#"{"code":1.5,"message":"m"}"#, false),
            (r#"{"code":1,"message":5}"#, false),
        ] {
            let raw = RawValue::from_string(error.into()).expect("json");
            assert_eq!(RpcError::is_valid(&raw), valid, "{error}");
        }
    }
}
