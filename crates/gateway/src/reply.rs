//! From what a server answered to what a REST client gets (spec 1.5 to 1.7).

use crate::carried::Failure;
use mcp::{CallResult, RpcError, Word};
use model::text::shown;
use model::{Code, Fault};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

fn tool_fault(code: Code, message: String, server: &str, tool: &str) -> Fault {
    Fault::new(code, message).with("toolName", tool).with_server(server)
}

/// The value a client gets for a result, as JSON text.
pub fn value_of<'a>(
    result: &'a RawValue,
    raw: bool,
    server: &str,
    tool: &str,
) -> Result<Cow<'a, str>, Fault> {
    let view = CallResult::read(result);
    if view.is_error {
        let fault = tool_fault(Code::ToolExecutionError, view.complaint(), server, tool);
        let media = view.media();
        return Err(if media.is_empty() { fault } else { fault.with("content", media) });
    }
    if let Some(kind) = view.kind.as_deref().filter(|kind| *kind != "complete") {
        let message = format!("Tool execution failed: {}", unfinished(kind));
        return Err(tool_fault(Code::ToolExecutionError, message, server, tool));
    }
    if raw {
        return Ok(result.get().into());
    }
    if let Some(structured) = view.structured {
        return Ok(structured.get().into());
    }
    match view.only_text() {
        Some(text) if serde_json::from_str::<&RawValue>(&text).is_ok() => Ok(trimmed(text)),
        _ => Ok(result.get().into()),
    }
}

/// Why a result of that kind is none for a REST call.
fn unfinished(kind: &str) -> Cow<'static, str> {
    match kind {
        "input_required" => "the tool asks for more input, which a REST call cannot give".into(),
        "task" => "the server made a task of it, for which a REST call cannot wait".into(),
        kind => {
            format!("the result is of the kind '{}', which a REST call does not know", shown(kind)).into()
        }
    }
}

fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => text.trim().into(),
        Cow::Owned(text) if text.trim().len() == text.len() => text.into(),
        Cow::Owned(text) => text.trim().to_owned().into(),
    }
}

/// The fault a client gets for a JSON-RPC error.
pub fn fault_of(error: &RawValue, server: &str, tool: &str) -> Fault {
    let RpcError { code, message, data } = RpcError::read(error);
    let kind = kind_of(code, &message, tool);
    if kind == Code::InternalError {
        return Fault::new(kind, "Internal error: the server could not read the request")
            .with("jsonrpcCode", code);
    }
    let text = match (message.is_empty(), kind) {
        (false, _) => message,
        (true, Code::ToolNotFound) => format!("Tool '{tool}' not found"),
        (true, _) => "Tool execution failed: no error details provided".to_owned(),
    };
    let mut fault = tool_fault(kind, text, server, tool).with("jsonrpcCode", code);
    if let (Code::ValidationError, Some(Value::Object(fields))) = (kind, data) {
        for (key, value) in fields {
            fault.details.entry(key).or_insert(value);
        }
    }
    fault
}

/// The code that a JSON-RPC error of a server stands for.
fn kind_of(code: i64, message: &str, tool: &str) -> Code {
    match code {
        _ if says_unknown_tool(code, message, tool) => Code::ToolNotFound,
        -32601 => Code::ToolNotFound,
        -32600 | -32602 => Code::ValidationError,
        -32700 => Code::InternalError,
        _ => Code::ToolExecutionError,
    }
}

/// How the outcome of a call counts: `None` is a success.
pub(crate) fn code_of(outcome: &Result<Box<RawValue>, Failure>, tool: &str) -> Option<Code> {
    match outcome {
        Ok(result) if says_error(result.get()) => Some(Code::ToolExecutionError),
        Ok(_) => None,
        Err(Failure::Fault(fault)) => Some(fault.code),
        Err(Failure::Rpc(error)) => {
            let RpcError { code, message, .. } = RpcError::read(error);
            Some(kind_of(code, &message, tool))
        }
    }
}

/// Whether a tool says that it failed. Only a result that has the words is worth a closer look, or one with escapes,
/// which may hide them.
fn says_error(result: &str) -> bool {
    static WORD: Word = Word::new("isError\"");
    let follows = |at: usize| {
        let value = result[at + WORD.text().len()..].trim_start().strip_prefix(':');
        value.is_some_and(|value| value.trim_start().starts_with("true"))
    };
    (WORD.all_in(result.as_bytes()).any(follows) || mcp::has_escaped_letters(result))
        && mcp::member_at(result, "isError").is_some_and(|at| &result[at] == "true")
}

/// Servers say it in several ways, some of them under "invalid params". Their own words about something else that is
/// unknown or was not found must not be taken for it.
fn says_unknown_tool(code: i64, message: &str, tool: &str) -> bool {
    let (message, tool) = (message.to_lowercase(), tool.to_lowercase());
    let message = message.trim().trim_end_matches('.');
    // The SDK for TypeScript puts this before every message.
    let told = message.strip_prefix("mcp error ").and_then(|rest| rest.split_once(": "));
    let message = told.map_or(message, |(_, rest)| rest);
    let is_name = |text: &str| {
        let name = bare(text);
        name == tool || (!name.is_empty() && !name.contains(char::is_whitespace))
    };
    // Its own name says it, whatever stands around.
    let own = ["'", "\"", "`", ""].map(|quote| format!("tool {quote}{tool}{quote} not found"));
    // What follows a colon is a sentence too.
    let sentences = message.match_indices(": ").map(|(at, _)| &message[at + 2..]);
    // A word without quotes may be something that the tool did not find, unless the parameters are at fault and nothing
    // else is said.
    let sure = |sentence: &str, name: &str| bare(name) != name || (code == -32602 && sentence == message);
    let not_found = |sentence: &str| match sentence.strip_prefix("tool not found") {
        Some("") => true,
        Some(rest) => rest.strip_prefix(':').is_some_and(|name| is_name(name.trim())),
        None => sentence
            .strip_prefix("tool ")
            .and_then(|rest| rest.strip_suffix(" not found"))
            .is_some_and(|name| is_name(name) && sure(sentence, name)),
    };
    let unknown = |at: usize| {
        let (before, rest) = (&message[..at], &message[at + UNKNOWN.len()..]);
        // A word without quotes may belong to another sentence, unless it is all that is said.
        let sure = |text: &str| before.is_empty() || bare(text) != text || text == tool;
        let names = |text: &str| is_name(text) && sure(text);
        let rest = rest.strip_prefix(" name").filter(|rest| rest.starts_with(':')).unwrap_or(rest);
        !before.ends_with(char::is_alphanumeric)
            && (rest.is_empty() || rest.starts_with(':') || rest.strip_prefix(' ').is_some_and(names))
    };
    own.iter().any(|sentence| message.contains(sentence))
        || std::iter::once(message).chain(sentences).any(not_found)
        || message.match_indices(UNKNOWN).any(|(at, _)| unknown(at))
}

const UNKNOWN: &str = "unknown tool";

/// A name without its quotes.
fn bare(text: &str) -> &str {
    let quoted = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    ['\'', '"', '`'].into_iter().find_map(quoted).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.into()).expect("json")
    }

    fn value(result: &str, whole: bool) -> String {
        match value_of(&raw(result), whole, "s", "t") {
            Ok(text) => text.into_owned(),
            Err(fault) => format!("{} {}", fault.code, fault.message),
        }
    }

    #[test]
    fn the_value_is_structured_content_then_a_single_json_text_then_the_whole() {
        let structured = r#"{"content":[],"structuredContent":{"a":1.0}}"#;
        let json_text = r#"{"content":[{"type":"text","text":" {\"a\": 1} "}]}"#;
        let plain = r#"{"content":[{"type":"text","text":"hello"}]}"#;
        let two = r#"{"content":[{"type":"text","text":"1"},{"type":"text","text":"2"}]}"#;
        let null = r#"{"content":[{"type":"text","text":"5"}],"structuredContent":null}"#;
        for (result, expected) in [
            (structured, r#"{"a":1.0}"#),
            (json_text, r#"{"a": 1}"#),
            (plain, plain),
            (two, two),
            (null, "5"),
            ("{}", "{}"),
            ("[1]", "[1]"),
        ] {
            assert_eq!(value(result, false), expected);
            assert_eq!(value(result, true), result);
        }
    }

    #[test]
    fn only_the_member_itself_says_that_a_tool_failed() {
        for (result, expected) in [
            (r#"{"content":[]}"#, false),
            (r#"{"isError":false}"#, false),
            ("{\"isError\" :\n true}", true),
            (r#"{"isError":"true"}"#, false),
            (r#"{"isError":true,"isError":false}"#, false),
            (r#"{"isError":false,"isError":true}"#, true),
            (r#"{"structuredContent":{"isError":true},"isError":false}"#, false),
            (r#"{"content":[{"type":"text","text":"\"isError\":true"}]}"#, false),
            (r#"{"content":[{"text":"isError"}],"isError":true}"#, true),
            (r#"{"is\u0045rror":true}"#, true),
        ] {
            assert_eq!(says_error(result), expected, "{result}");
        }
    }

    #[test]
    fn a_tool_that_failed_is_an_error_in_both_modes() {
        let failed = r#"{"isError":true,"content":[{"type":"text","text":"no"}],"structuredContent":{}}"#;
        for whole in [false, true] {
            assert_eq!(value(failed, whole), "TOOL_EXECUTION_ERROR no");
        }
        for (kind, words) in [
            ("input_required", "asks for more input"),
            ("task", "made a task of it"),
            ("zorp", "of the kind 'zorp'"),
        ] {
            let told = value(&format!(r#"{{"resultType":"{kind}"}}"#), false);
            assert!(told.contains(words), "{told}");
        }
        assert_eq!(value(r#"{"resultType":"complete"}"#, true), r#"{"resultType":"complete"}"#);
    }

    #[test]
    fn a_json_rpc_error_becomes_the_fault_of_its_code() {
        let base =
            |code: i64| json!({"toolName": "zzz", "server": "s", "serverName": "s", "jsonrpcCode": code});
        for (error, code, message, details) in [
            (r#"{"code":-32602,"message":"bad"}"#, Code::ValidationError, "bad", base(-32602)),
            (r#"{"code":-32600,"message":"bad"}"#, Code::ValidationError, "bad", base(-32600)),
            (r#"{"code":-32601,"message":"what?"}"#, Code::ToolNotFound, "what?", base(-32601)),
            (r#"{"code":-32601}"#, Code::ToolNotFound, "Tool 'zzz' not found", base(-32601)),
            (
                r#"{"code":-32602,"message":"Unknown tool: zzz"}"#,
                Code::ToolNotFound,
                "Unknown tool: zzz",
                base(-32602),
            ),
            (
                r#"{"code":-32602,"message":"Tool zzz not found"}"#,
                Code::ToolNotFound,
                "Tool zzz not found",
                base(-32602),
            ),
            (
                r#"{"code":-32602,"message":"file not found"}"#,
                Code::ValidationError,
                "file not found",
                base(-32602),
            ),
            (r#"{"code":-32603,"message":"boom"}"#, Code::ToolExecutionError, "boom", base(-32603)),
            (r#"{"code":42,"message":"boom","data":{"a":1}}"#, Code::ToolExecutionError, "boom", base(42)),
            (
                r#"{"code":-32700,"message":"/secret/path"}"#,
                Code::InternalError,
                "Internal error: the server could not read the request",
                json!({"jsonrpcCode": -32700}),
            ),
        ] {
            let fault = fault_of(&raw(error), "s", "zzz");
            assert_eq!((fault.code, fault.message.as_str()), (code, message), "{error}");
            assert_eq!(Value::Object(fault.details), details, "{error}");
        }
    }

    #[test]
    fn only_what_says_that_the_tool_is_unknown_is_taken_for_that() {
        for (message, expected) in [
            // As the SDKs of Python, TypeScript, C#, Go, Ruby and Rust say it, and a popular library for Go.
            ("Unknown tool: foo", true),
            ("MCP error -32602: Tool my-tool not found", true),
            ("Unknown tool: 'foo'", true),
            (r#"JSON RPC invalid params: unknown tool "foo""#, true),
            ("Tool not found: foo", true),
            ("tool not found", true),
            ("tool 'foo' not found: tool not found", true),
            (r#"Tool not found: "foo"."#, true),
            ("Unknown tool: foo. Available tools: bar, baz", true),
            ("unknown tool", true),
            ("UNKNOWN TOOL FOO", true),
            ("MCP error -32602: Unknown tool foo", true),
            ("calling it: unknown tool my-tool", true),
            ("Error: Tool `a.b` not found", true),
            ("Tool 'my-tool' not found. Did you mean 'b'?", true),
            ("Tool my-tool not found on this server", true),
            ("Unknown tool name: foo", true),
            ("Tool session not found", false),
            ("Error: Tool output not found", false),
            ("Tool config not found.", false),
            ("unknown tool name 'y'", false),
            ("tool my tool not found", false),
            ("Tool execution failed: user not found", false),
            ("Tool 'x' failed: file not found", false),
            ("tool output template not found", false),
            ("Tool call failed: unknown tool version", false),
            ("unknown tool argument 'y'", false),
            ("unknown tools: y", false),
            ("Tool not found in the list of plugins", false),
            ("tool  not found", false),
            ("file not found", false),
            ("", false),
        ] {
            assert_eq!(says_unknown_tool(-32603, message, "My-Tool"), expected, "{message}");
        }
        let invalid = |message: &str| says_unknown_tool(-32602, message, "My-Tool");
        assert!(
            invalid("MCP error -32602: Tool foo not found"),
            "servers may have other names for their tools"
        );
        assert!(!invalid("Error: Tool output not found"));
        assert!(says_unknown_tool(-32603, "tool \"my tool\" not found", "my tool"), "its own name");
    }

    #[test]
    fn what_a_server_says_of_anything_else_keeps_its_code() {
        for (error, code) in [
            (
                r#"{"code":-32603,"message":"Tool execution failed: user not found"}"#,
                Code::ToolExecutionError,
            ),
            (r#"{"code":-32000,"message":"Tool 'x' failed: file not found"}"#, Code::ToolExecutionError),
            (
                r#"{"code":-32603,"message":"Tool call failed: unknown tool version"}"#,
                Code::ToolExecutionError,
            ),
            (
                r#"{"code":-32602,"message":"unknown tool argument 'y'","data":{"field":"y"}}"#,
                Code::ValidationError,
            ),
        ] {
            let fault = fault_of(&raw(error), "s", "zzz");
            assert_eq!(fault.code, code, "{error}");
            assert_eq!(fault.details.contains_key("field"), code == Code::ValidationError, "{error}");
        }
    }

    #[test]
    fn the_fields_of_the_servers_data_join_the_details_but_replace_none() {
        let fault =
            fault_of(&raw(r#"{"code":-32602,"message":"m","data":{"field":"w","server":"evil"}}"#), "s", "t");
        assert_eq!(fault.details["field"], "w");
        assert_eq!(fault.details["server"], "s");
    }
}
