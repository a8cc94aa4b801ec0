//! Bodies, inputs and details that many scenarios share.

use serde_json::{Value, json};

/// The body of a call of `echo` with this text as `input`.
pub fn body(input: &str) -> String {
    format!(r#"{{"server":"test-server","toolName":"echo","input":{input}}}"#)
}

/// This many objects, one inside the other.
pub fn nested(levels: usize) -> String {
    format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels))
}

/// An input of this many bytes once it is written compactly, made of this character as it is sent.
pub fn sized(bytes: usize, sent: &str, kept: &str) -> String {
    let room = bytes - r#"{"t":""}"#.len();
    let filler = "f".repeat(room % kept.len());
    format!(r#"{{"t":"{}{filler}"}}"#, sent.repeat(room / kept.len()))
}

/// The details that name the tool and `test-server`.
pub fn whose(tool: &str) -> Value {
    json!({"toolName": tool, "server": "test-server", "serverName": "test-server"})
}
