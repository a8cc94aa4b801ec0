//! Bytes as they came and bytes as they are asked for: what a gateway changes on the way shows here.

use crate::Fixture;
use crate::protocol::Job;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// The text of `params` in a message.
pub(crate) fn params(line: &[u8]) -> String {
    let fields = serde_json::from_slice::<HashMap<String, &RawValue>>(line).unwrap_or_default();
    fields.get("params").map_or_else(String::new, |params| params.get().to_owned())
}

/// Answers with the text that the caller wants as the result.
pub(crate) fn answer(fixture: &Fixture, job: &Job) {
    let text = job.arguments["text"].as_str().unwrap_or("{}");
    fixture.wire.line(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":{text}}}"#, job.id));
}

/// Answers with a list of tools that ends with this text.
pub(crate) fn list(fixture: &Fixture, id: &Value, result: &Value, more: &str) {
    let tools = result["tools"].to_string();
    let tools = tools.strip_suffix(']').unwrap_or(&tools);
    let stamp = r#""resultType":"complete","ttlMs":0,"cacheScope":"public","#;
    let stamp = if fixture.switches.modern { stamp } else { "" };
    fixture
        .wire
        .line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{{stamp}"tools":{tools},{more}]}}}}"#));
}
