//! The tools as `tools/list` shows them, in the order of spec 1.17.

use crate::{Fixture, effects};
use serde_json::{Value, json};

/// Every tool of this fixture at this moment.
pub(crate) fn tools(fixture: &Fixture) -> Vec<Value> {
    let mut tools = standard();
    if fixture.switches.list_changed {
        tools.push(tool("grow", "Adds a tool of that name", json!({"name": {"type": "string"}}), &["name"]));
    }
    if !fixture.switches.resources.is_empty() {
        tools.push(tool("touch", "Tells of an update", json!({"uri": {"type": "string"}}), &["uri"]));
    }
    if fixture.switches.logs {
        let text = json!({"type": "string"});
        tools.push(tool("log", "Logs later", json!({"level": text, "text": text}), &["level", "text"]));
    }
    if fixture.switches.hostile {
        tools.push(tool("bad", "Breaks the protocol", json!({"kind": {"type": "string"}}), &["kind"]));
    }
    if fixture.switches.fidelity {
        tools.push(plain("raw-params", "Gives the text of its parameters back"));
        tools.push(tool(
            "raw-result",
            "Answers with that text",
            json!({"text": {"type": "string"}}),
            &["text"],
        ));
    }
    if fixture.switches.effects.is_some() {
        tools.extend(effects::tools());
    }
    let grown = fixture.state.grown();
    tools.extend(grown.iter().map(|name| tool(name, "Appeared later", json!({}), &[])));
    tools
}

/// Whether there is a tool of that name.
pub(crate) fn has(fixture: &Fixture, name: &str) -> bool {
    tools(fixture).iter().any(|tool| tool["name"] == name)
}

/// One page of the list: the tools, and the cursor of the next page.
pub(crate) fn page(fixture: &Fixture, cursor: Option<&str>) -> Option<(Vec<Value>, Option<String>)> {
    let tools = tools(fixture);
    let size = tools.len().div_ceil(fixture.switches.pages);
    let index: usize = match cursor {
        None => 0,
        Some(text) => text.strip_prefix("page-")?.parse().ok()?,
    };
    let page: Vec<Value> = tools.chunks(size).nth(index)?.to_vec();
    let next = (size * (index + 1) < tools.len()).then(|| format!("page-{}", index + 1));
    Some((page, next))
}

fn standard() -> Vec<Value> {
    let number = json!({"type": "number"});
    let integer = json!({"type": "integer"});
    let bytes = json!({"bytes": {"type": "integer", "minimum": 0}});
    let mut bmi = tool(
        "calculate-bmi",
        "Calculates the body mass index",
        json!({"weight_kg": number, "height_m": number}),
        &["weight_kg", "height_m"],
    );
    bmi["outputSchema"] = json!({"type": "object", "properties": {"result": number}, "required": ["result"]});
    vec![
        bmi,
        tool("fetch-weather", "Tells the weather of a city", json!({"city": {"type": "string"}}), &["city"]),
        plain("echo", "Gives its arguments back as JSON text"),
        plain("plain", "Says hello"),
        plain("parts", "Answers in two parts"),
        tool("sleep", "Answers after a time", json!({"ms": integer}), &["ms"]),
        tool("crash", "Ends the process", json!({"code": integer}), &["code"]),
        plain("env", "Shows the environment"),
        plain("argv", "Shows the arguments of the process"),
        tool("big", "Answers with a long text", bytes.clone(), &["bytes"]),
        plain("err-empty", "Fails without a word"),
        plain("err-image", "Fails with an image"),
        plain("err-blank", "Fails with an empty text"),
        tool(
            "rpc",
            "Fails with a JSON-RPC error",
            json!({"code": integer, "message": {"type": "string"}, "data": {}}),
            &["code", "message"],
        ),
        plain("nil", "Answers with null"),
        plain("noise", "Writes a line that is no message, then answers"),
        tool("flood", "Writes without end of line and never answers", bytes, &["bytes"]),
        plain("stats", "Tells what has happened so far"),
        plain("internal_x", "For internal use"),
        plain("public_y", "For everyone"),
    ]
}

fn plain(name: &str, description: &str) -> Value {
    tool(name, description, json!({}), &[])
}

#[expect(clippy::needless_pass_by_value, reason = "callers write the schema in place")]
pub(crate) fn tool(name: &str, description: &str, properties: Value, required: &[&str]) -> Value {
    json!({
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", "properties": properties, "required": required},
    })
}
