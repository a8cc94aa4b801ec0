//! The tool `bad {kind}`: replies that break the protocol, each in one way.

use crate::Fixture;
use crate::protocol::Job;
use crate::tools;
use serde_json::{Value, json};
use std::fs::File;

const DEPTH: usize = 5000;
const LONG_LINE: usize = 9 << 20;
const LONG_INTEGER: &str = "123456789012345678901234567890123456789012345678901234567890";

/// Whether this call ends the reading of standard input, which only the reader itself can do.
pub(crate) fn closes_stdin(job: &Job) -> bool {
    job.tool == "bad" && job.arguments["kind"] == "close-stdin"
}

/// Lets go of the pipe to standard input.
pub(crate) fn close_stdin() {
    rustix::stdio::dup2_stdin(null(false)).expect("standard input can be replaced");
}

/// Answers in the way that `kind` names.
pub(crate) fn misbehave(fixture: &Fixture, job: &Job) {
    let wire = &fixture.wire;
    let id = &job.id;
    let right = || wire.result(id, tools::ok());
    match job.arguments["kind"].as_str().unwrap_or_default() {
        "no-jsonrpc" => wire.line(&json!({"id": id, "result": tools::ok()}).to_string()),
        "wrong-version" => {
            wire.line(&json!({"jsonrpc": "1.0", "id": id, "result": tools::ok()}).to_string());
        }
        "unknown-id" => {
            wire.result(&json!(987_654_321), json!({"content": []}));
            right();
        }
        "null-id" => wire.error(&Value::Null, &json!(-32700), "Parse error", None),
        "error" => {
            let error = &job.arguments["error"];
            wire.line(&json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
        }
        "both" => {
            let error = json!({"code": -32602, "message": "no"});
            let both = json!({"jsonrpc": "2.0", "id": id, "result": tools::ok(), "error": error});
            wire.line(&both.to_string());
        }
        "neither" => wire.line(&json!({"jsonrpc": "2.0", "id": id}).to_string()),
        // A member of the envelope that is there twice, or a method that is none.
        "result-twice" => wire.line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}},"result":{{}}}}"#)),
        "jsonrpc-twice" => {
            wire.line(&format!(r#"{{"jsonrpc":"2.0","jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
        }
        "id-twice" => wire.line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"id":{id},"result":{{}}}}"#)),
        "two-ids" => wire.line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"id":987654321,"result":{{}}}}"#)),
        "number-method" => wire.line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":5,"result":{{}}}}"#)),
        "broken-in-batch" => wire.line(&format!(r#"[{{"jsonrpc":"2.0","id":{id},"result":1,"result":2}}]"#)),
        // A question of the server's own is no reply, however broken it is.
        "broken-question" => {
            wire.line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping","method":"ping"}}"#));
            right();
        }
        "invalid-utf8" => {
            let mut line = reply(id, r#"{"content":[{"type":"text","text":"??"}]}"#).into_bytes();
            line.iter_mut().filter(|byte| **byte == b'?').for_each(|byte| *byte = 0xff);
            wire.bytes(&line);
        }
        "binary" => {
            let mut noise: Vec<u8> = (0..=255).filter(|byte| *byte != b'\n').collect();
            noise.push(b'\n');
            wire.bytes(&noise);
            right();
        }
        "close-stdout" => rustix::stdio::dup2_stdout(null(true)).expect("standard output can be replaced"),
        "array" => {
            wire.line("[1,2,3]");
            wire.line("42");
            right();
        }
        "huge-number" => structured(fixture, id, &format!(r#"{{"float":1e400,"integer":{LONG_INTEGER}}}"#)),
        "dup-keys" => structured(fixture, id, r#"{"a":1,"a":2}"#),
        "deep" => structured(fixture, id, &format!("{}1{}", r#"{"a":"#.repeat(DEPTH), "}".repeat(DEPTH))),
        "string-id" => wire.result(&json!(id.to_string()), tools::ok()),
        "odd-results" => {
            // The first that has the id is the reply; it is no result of a call.
            for result in ["5", "\"text\"", "[]", "{\"content\":7}"] {
                wire.bytes(reply(id, result).as_bytes());
            }
        }
        "unasked" => {
            unasked(fixture);
            right();
        }
        "line-10mb-ok" => {
            wire.line(&"n".repeat(LONG_LINE));
            right();
        }
        // `close-stdin` was done by the reader; what is left is the right reply.
        _ => right(),
    }
}

/// Requests and notifications that nothing gave cause for, and replies to requests that were never made.
fn unasked(fixture: &Fixture) {
    let wire = &fixture.wire;
    for n in 0..50 {
        wire.notify("notifications/progress", &json!({"progressToken": n, "progress": n}));
        wire.notify("notifications/cancelled", &json!({"requestId": n, "reason": "no reason"}));
        wire.notify("notifications/message", &json!({"level": "emergency", "data": "x".repeat(1000)}));
        wire.notify("notifications/nobody-knows", &json!({}));
        for method in ["roots/list", "sampling/createMessage", "ping", "nobody/knows"] {
            let question = json!({"jsonrpc": "2.0", "id": format!("q{n}"), "method": method, "params": {}});
            wire.line(&question.to_string());
        }
        wire.result(&json!(1_000_000 + n), json!({"content": []}));
        wire.error(&json!(2_000_000 + n), &json!(-32000), "nobody asked", None);
    }
}

fn null(write: bool) -> File {
    File::options().read(!write).write(write).open("/dev/null").expect("/dev/null is there")
}

/// A whole reply whose result is exactly this text.
fn reply(id: &Value, result: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n")
}

fn structured(fixture: &Fixture, id: &Value, value: &str) {
    fixture.wire.bytes(reply(id, &format!(r#"{{"content":[],"structuredContent":{value}}}"#)).as_bytes());
}
