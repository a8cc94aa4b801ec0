//! The tools: their list, and where each call goes.

pub(crate) mod changes;
pub(crate) mod content;
mod jobs;
mod questions;
mod rounds;
mod streams;

use crate::call::{Answer, Call, from_json};
use rmcp::ErrorData;
use rmcp::model::Tool;
use serde_json::{Value, json};

/// All tools, always in the same order.
pub(crate) fn list() -> Vec<Tool> {
    let groups = [
        content::definitions(),
        streams::definitions(),
        questions::definitions(),
        rounds::definitions(),
        changes::definitions(),
        jobs::definitions(),
    ];
    groups.into_iter().flat_map(from_json::<Vec<Tool>>).collect()
}

/// Calls a tool by its name.
pub(crate) async fn call(name: &str, call: &Call<'_>) -> Answer {
    if let Some(result) = content::call(name, call) {
        return Ok(result);
    }
    if let Some(result) = changes::call(name, call) {
        return Ok(result);
    }
    match name {
        _ if streams::NAMES.contains(&name) => streams::call(name, call).await,
        _ if questions::NAMES.contains(&name) => questions::call(name, call).await,
        _ if rounds::NAMES.contains(&name) => rounds::call(name, call).await,
        _ if jobs::NAMES.contains(&name) => jobs::call(name, call).await,
        _ => Err(ErrorData::invalid_params(format!("Unknown tool: {name}"), None)),
    }
}

/// The definition of a tool without arguments.
fn plain(name: &str, description: &str) -> Value {
    tool(name, description, json!({}), &[])
}

/// The definition of a tool with these properties.
#[expect(clippy::needless_pass_by_value, reason = "callers write the JSON in place")]
fn tool(name: &str, description: &str, properties: Value, required: &[&str]) -> Value {
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    json!({"name": name, "description": description, "inputSchema": schema})
}
