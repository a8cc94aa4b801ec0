//! JSON-RPC messages towards clients.

use super::lists::{SCOPE, TTL_MS};
use super::{Asked, INFO, SERVER_INFO, is_id};
use crate::carried::Failure;
use mcp::{Era, Splice, quote};
use model::{Code, Fault};
use serde_json::value::RawValue;

/// What every result for a modern client says first.
const COMPLETE: &str = r#""resultType":"complete""#;

/// The member of `_meta` that tells which hooks ran (spec 2.1).
const HOOKS: &str = "lockgate/hooks";

/// A reply with a result, as it was written.
pub(super) fn result(id: &RawValue, result: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(result.len() + 64);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.get().as_bytes());
    out.extend_from_slice(br#","result":"#);
    Splice::new(result).write(&mut out);
    out.push(b'}');
    out
}

/// A result for a client of either era. A modern client is told what it needs to hear where the result, which may be
/// that of a legacy server or written by a hook, does not say it; what the result says stays as it was written.
pub(super) fn passed(asked: &Asked<'_>, text: &str) -> Vec<u8> {
    // What is no object has no place for more.
    if asked.guest.era() == Era::Legacy || !text.starts_with('{') {
        return result(asked.id, text);
    }
    let [kind, ttl, scope, meta] = mcp::members_at(text, ["resultType", "ttlMs", "cacheScope", "_meta"]);
    let complete = kind.as_ref().is_none_or(|at| &text[at.clone()] == "\"complete\"");
    let kept = complete && (asked.method == "resources/read" || asked.method.ends_with("/list"));
    let mut splice = Splice::new(text);
    // What is whole costs no more than the look at it.
    let mut lacking = String::new();
    let mut lacks = |parts: &[&str]| {
        lacking.reserve(192);
        lacking.push_str(if lacking.is_empty() { "" } else { "," });
        lacking.extend(parts.iter().copied());
    };
    if kind.is_none() {
        lacks(&[COMPLETE]);
    }
    if kept && ttl.is_none() {
        lacks(&[r#""ttlMs":"#, &TTL_MS.to_string()]);
    }
    if kept && scope.is_none() {
        lacks(&[r#""cacheScope":""#, SCOPE, "\""]);
    }
    match meta.map(|at| (at.start, &text[at])) {
        None => lacks(&[r#""_meta":{"#, SERVER_INFO, "}"]),
        Some((at, meta)) if meta.starts_with('{') && mcp::member_at(meta, INFO).is_none() => {
            splice.insert_members(at, SERVER_INFO);
        }
        Some(_) => {}
    }
    if !lacking.is_empty() {
        splice.insert_members(0, &lacking);
    }
    let mut out = Vec::with_capacity(text.len() + 256);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(asked.id.get().as_bytes());
    out.extend_from_slice(br#","result":"#);
    splice.write(&mut out);
    out.push(b'}');
    out
}

/// Whether a reply of the endpoint is an error. What it is stands after its id, so that long results are not read for
/// this.
pub fn is_error(reply: &[u8]) -> bool {
    let Some(rest) = reply.strip_prefix(br#"{"jsonrpc":"2.0","id":"#) else { return false };
    let mut escaped = false;
    let in_text = |byte: &u8| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    };
    let after = match rest.strip_prefix(b"\"") {
        Some(text) => text.iter().position(in_text).map(|end| &text[end + 1..]),
        None => rest.iter().position(|byte| *byte == b',').map(|end| &rest[end..]),
    };
    after.is_some_and(|after| after.starts_with(br#","error":"#))
}

/// A reply with a result of our own, given by its members without braces.
pub(super) fn own(id: &RawValue, members: &str, era: Era) -> Vec<u8> {
    let separator = if members.is_empty() { "" } else { "," };
    match era {
        Era::Legacy => result(id, &format!("{{{members}}}")),
        Era::Modern => result(id, &format!("{{{COMPLETE}{separator}{members}}}")),
    }
}

/// A result of our own for a modern client, which says itself what kind it is, who gave it, and which hooks ran where that
/// is wanted.
pub(super) fn signed(id: &RawValue, text: &str, hooks: &Ran) -> Vec<u8> {
    let mut signed = Vec::with_capacity(text.len() + 96);
    let mut splice = Splice::new(text);
    let hooks = match hooks {
        Ran::Untold | Ran::None => String::new(),
        Ran::These(hooks) => format!(r#","{HOOKS}":{hooks}"#),
    };
    splice.insert_members(0, &format!(r#""_meta":{{{SERVER_INFO}{hooks}}}"#));
    splice.write(&mut signed);
    result(id, &String::from_utf8_lossy(&signed))
}

/// The result that ends a subscription, which is known by the id of its request.
pub(super) fn farewell(id: &str, tag: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{{COMPLETE},"_meta":{{"{tag}":{id},{SERVER_INFO}}}}}}}"#)
        .into_bytes()
}

/// A reply with one page of a list: its entries as text, and what follows them.
pub(super) fn page(asked: &Asked<'_>, member: &str, entries: &str, tail: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(entries.len() + tail.len() + asked.id.get().len() + 96);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(asked.id.get().as_bytes());
    out.extend_from_slice(br#","result":{"#);
    if asked.guest.era() == Era::Modern {
        out.extend_from_slice(COMPLETE.as_bytes());
        out.push(b',');
    }
    out.push(b'"');
    out.extend_from_slice(member.as_bytes());
    out.extend_from_slice(br#"":["#);
    Splice::new(entries).write(&mut out);
    out.extend_from_slice(tail.as_bytes());
    out.extend_from_slice(b"}}");
    out
}

/// A reply with an error of the protocol. What the protocol wants in its data stands there and in the details.
pub(super) fn error(id: &RawValue, code: i64, message: &str, data: Option<&serde_json::Value>) -> Vec<u8> {
    let details = data.cloned().unwrap_or_else(|| serde_json::json!({}));
    with_error(id, Splice::new(&own_text(code, message, details)))
}

/// Such an error as what came of a request.
pub(super) fn own_error(code: i64, message: &str, data: &serde_json::Value) -> Failure {
    match RawValue::from_string(own_text(code, message, data.clone())) {
        Ok(error) => Failure::Rpc(error),
        Err(_) => Fault::new(Code::InternalError, message).into(),
    }
}

fn own_text(code: i64, message: &str, details: serde_json::Value) -> String {
    let mut data = details.clone();
    data["code"] = Code::of_jsonrpc(code).name().into();
    data["details"] = details;
    error_text(code, message, &data)
}

/// A reply with an error of the protocol, for transports; `None` is a message whose id is not known.
pub fn protocol_error(id: Option<&RawValue>, code: i64, message: &str) -> Vec<u8> {
    error(id.unwrap_or(RawValue::NULL), code, message, None)
}

/// The reply to bytes that are no message.
pub fn unreadable(bytes: &[u8]) -> Vec<u8> {
    let (code, message) = mcp::Message::refusal(bytes);
    let id = mcp::Message::id_in(bytes).filter(|id| code == -32600 && is_id(id));
    protocol_error(id, code, message)
}

/// The reply to a message of more than `max` bytes, over a transport that has no status for it. Its beginning may say
/// which request it is.
pub fn too_long(beginning: &[u8], max: u64) -> Vec<u8> {
    let fault = Fault::body_too_large(max);
    let id = mcp::Message::id_in_beginning(beginning).filter(|id| is_id(id)).unwrap_or(RawValue::NULL);
    let data = serde_json::json!({"code": Code::of_jsonrpc(-32700).name(), "details": fault.details});
    with_data(id, -32700, &fault.message, &data)
}

fn with_data(id: &RawValue, code: i64, message: &str, data: &serde_json::Value) -> Vec<u8> {
    with_error(id, Splice::new(&error_text(code, message, data)))
}

fn error_text(code: i64, message: &str, data: &serde_json::Value) -> String {
    let mut out = format!(r#"{{"code":{code},"message":"#).into_bytes();
    quote(message, &mut out);
    out.extend_from_slice(format!(r#","data":{data}}}"#).as_bytes());
    String::from_utf8(out).expect("a quoted text is one")
}

/// What a reply tells of the hooks that ran.
pub(super) enum Ran {
    /// Nothing: it is not wanted, and what others say there is theirs.
    Untold,
    /// None did, and nobody else may say otherwise.
    None,
    /// These did, as JSON.
    These(String),
}

/// A result that tells which hooks ran, where that is wanted.
pub(super) fn traced(result: Box<RawValue>, hooks: &Ran) -> Box<RawValue> {
    let text = result.get();
    let mut splice = Splice::new(text);
    match hooks {
        Ran::Untold => return result,
        Ran::None if hooks_said(text).is_none() => return result,
        Ran::None => unsay(&mut splice, text, 0),
        Ran::These(hooks) => into_meta(&mut splice, text, 0, hooks),
    }
    let mut out = Vec::with_capacity(text.len() + 256);
    splice.write(&mut out);
    let told = String::from_utf8(out).ok().and_then(|text| RawValue::from_string(text).ok());
    told.unwrap_or(result)
}

/// The `_meta` of an object, and where it stands, if it says which hooks ran.
fn hooks_said(object: &str) -> Option<std::ops::Range<usize>> {
    let place = mcp::member_at(object, "_meta")?;
    mcp::member_at(&object[place.clone()], HOOKS).and(Some(place))
}

/// Takes away what somebody else says of hooks in the `_meta` of an object, which begins at `at` in the whole text.
fn unsay(splice: &mut Splice<'_>, object: &str, at: usize) {
    if let Some(place) = hooks_said(object) {
        let others = mcp::without(&object[place.clone()], |name| name == HOOKS);
        splice.replace(at + place.start..at + place.end, others.into_bytes());
    }
}

/// Tells in the `_meta` of an object, which begins at `at` in the whole text, which hooks ran. What anybody else says of
/// that goes.
fn into_meta(splice: &mut Splice<'_>, object: &str, at: usize, hooks: &str) {
    let member = format!(r#""{HOOKS}":{hooks}"#);
    let Some(place) = mcp::member_at(object, "_meta") else {
        return splice.insert_members(at, &format!(r#""_meta":{{{member}}}"#));
    };
    let meta = &object[place.clone()];
    let is_object = meta.starts_with('{');
    if is_object && mcp::member_at(meta, HOOKS).is_none() {
        return splice.insert_members(at + place.start, &member);
    }
    let others = if is_object { mcp::without(meta, |name| name == HOOKS) } else { "{}".to_owned() };
    let (mut told, mut whole) = (Splice::new(&others), Vec::with_capacity(meta.len() + member.len()));
    told.insert_members(0, &member);
    told.write(&mut whole);
    splice.replace(at + place.start..at + place.end, whole);
}

/// A reply for something that failed: a server's own error passes as it was written, but for the code of
/// a missing resource, which the modern era changed, and for the hooks that ran, which are told in its data.
pub(super) fn failure(asked: &Asked<'_>, server: Era, failure: &Failure, hooks: &Ran) -> Vec<u8> {
    let fault;
    let text = match failure {
        Failure::Fault(told) => {
            fault = refused(told);
            &fault
        }
        Failure::Rpc(error) => error.get(),
    };
    let mut splice = Splice::new(text);
    if let (Failure::Rpc(error), Some(at)) = (failure, mcp::member_at(text, "code")) {
        let code = match mcp::RpcError::read(error).code {
            // Of anything but a resource a code means what its server says.
            _ if asked.method != "resources/read" || asked.guest.era() == server => None,
            -32002 if server == Era::Legacy => Some("-32602"),
            -32602 if server == Era::Modern && misses(error) => Some("-32002"),
            _ => None,
        };
        code.into_iter().for_each(|code| splice.replace(at.clone(), code.as_bytes()));
    }
    let data = match hooks {
        Ran::Untold => None,
        Ran::None | Ran::These(_) => mcp::member_at(text, "data"),
    };
    match (hooks, data.map(|at| (at.start, &text[at]))) {
        (Ran::These(hooks), None) => {
            splice.insert_members(0, &format!(r#""data":{{"_meta":{{"{HOOKS}":{hooks}}}}}"#));
        }
        (Ran::These(hooks), Some((at, data))) if data.starts_with('{') => {
            into_meta(&mut splice, data, at, hooks);
        }
        (Ran::None, Some((at, data))) => unsay(&mut splice, data, at),
        // What is no object has no place for more.
        _ => {}
    }
    with_error(asked.id, splice)
}

/// A reply with an error as a server wrote it.
pub(super) fn failure_as_written(id: &RawValue, error: &RawValue) -> Vec<u8> {
    with_error(id, Splice::new(error.get()))
}

fn with_error(id: &RawValue, error: Splice<'_>) -> Vec<u8> {
    let mut out = format!(r#"{{"jsonrpc":"2.0","id":{},"error":"#, id.get()).into_bytes();
    error.write(&mut out);
    out.push(b'}');
    out
}

/// Whether an error says that a resource is missing. The modern era has one code for that and for all other
/// invalid parameters, but names the address in the data.
fn misses(error: &RawValue) -> bool {
    const WORDS: [&str; 4] = ["not found", "no such resource", "unknown resource", "does not exist"];
    let error = mcp::RpcError::read(error);
    let named = error.data.is_some_and(|data| data["uri"].is_string());
    let text = error.message.to_ascii_lowercase();
    named || WORDS.iter().any(|words| text.contains(words))
}

/// A reply for a fault of the gateway's own.
pub fn refusal(id: &RawValue, fault: &Fault) -> Vec<u8> {
    with_error(id, Splice::new(&refused(fault)))
}

fn refused(fault: &Fault) -> String {
    let data = serde_json::json!({"code": fault.code.name(), "details": fault.details});
    error_text(fault.jsonrpc(), &fault.message, &data)
}

/// A notification; one without parameters stays without them. Its method may be a server's, and so anything.
pub(super) fn notification(method: &str, params: Option<&str>) -> Vec<u8> {
    let mut out = Vec::with_capacity(method.len() + params.map_or(0, str::len) + 48);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"#);
    mcp::quote(method, &mut out);
    if let Some(params) = params {
        out.extend_from_slice(br#","params":"#);
        Splice::new(params).write(&mut out);
    }
    out.push(b'}');
    out
}

#[cfg(test)]
mod tests {
    use super::super::{Guest, Notebook};
    use super::*;

    #[test]
    fn which_hooks_ran_is_told_once_whatever_stands_there() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            let result = RawValue::from_string(text.into()).expect("json");
            let ran = Ran::These("[]".into());
            assert_eq!(traced(result, &ran).get(), expected.replace("HOOKS", r#""lockgate/hooks":[]"#));
        }
        check(r#"{"a":1, "_meta":{ "b":2}}"#, r#"{"a":1, "_meta":{HOOKS, "b":2}}"#);
        check(r#"{"_meta":null,"a":1}"#, r#"{"_meta":{HOOKS},"a":1}"#);
        check("{}", r#"{"_meta":{HOOKS}}"#);
        check(r#"{"_meta":{"lockgate\/hooks":"x","b":1.0}}"#, r#"{"_meta":{HOOKS,"b":1.0}}"#);
        check(r#"{"_meta":{"lockgate/hooks":1,"lockgate/hooks":2}}"#, r#"{"_meta":{HOOKS}}"#);
    }

    #[test]
    fn where_no_hook_ran_nobody_says_otherwise_and_nothing_else_is_touched() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            let raw = || RawValue::from_string(text.into()).expect("json");
            assert_eq!(traced(raw(), &Ran::None).get(), expected);
            assert_eq!(traced(raw(), &Ran::Untold).get(), text);
        }
        check(
            r#"{"_meta":{ "lockgate/hooks":[{"hook":"guard"}], "b":1.0 } , "a":1}"#,
            r#"{"_meta":{ "b":1.0 } , "a":1}"#,
        );
        check(r#"{"a": 1,"_meta":{"lockgate\/hooks":[]}}"#, r#"{"a": 1,"_meta":{}}"#);
        for same in [r#"{ "_meta":{ "b":2}, "lockgate/hooks":1 }"#, r#"{"_meta":null}"#, "{ }", "[ 1]"] {
            check(same, same);
        }
    }

    #[test]
    fn a_modern_client_is_told_of_a_resource_what_its_server_left_out() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            let (line, _messages) = mcp::mail(1);
            let (guest, note) = (
                Guest::from_meta("{}", None),
                Notebook::new(crate::sight::Way::Http, std::time::Instant::now()),
            );
            let id = RawValue::from_string("7".into()).expect("json");
            let (name, pass, params, talk, cancel, entered) = (None, None, None, None, None, None);
            let (guest, method) = (&guest, "resources/read");
            let asked = Asked {
                guest,
                name,
                pass,
                id: &id,
                method,
                params,
                talk,
                line: &line,
                note: &note,
                cancel,
                entered,
            };
            let expected = expected.replace("INFO", SERVER_INFO);
            let expected = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{expected}}}"#);
            assert_eq!(String::from_utf8_lossy(&passed(&asked, text)), expected);
        }
        check(
            r#"{"contents":[ ]}"#,
            r#"{"resultType":"complete","ttlMs":1000,"cacheScope":"private","_meta":{INFO},"contents":[ ]}"#,
        );
        check(
            r#"{"ttlMs":5,"_meta":{},"resultType":"complete"}"#,
            r#"{"cacheScope":"private","ttlMs":5,"_meta":{INFO},"resultType":"complete"}"#,
        );
        check(
            r#"{"resultType":"input_required","_meta":null}"#,
            r#"{"resultType":"input_required","_meta":null}"#,
        );
        check("[1]", "[1]");
    }
}
