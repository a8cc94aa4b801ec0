//! From a template and its parameters to a workflow.

use super::table::{Made, Place};
use crate::graphs::faults;
use model::Fault;
use serde_json::{Map, Value, json};

/// The values of all parameters, in the order of the template.
pub(super) fn parameters(made: &Made, given: &Map<String, Value>) -> Result<Map<String, Value>, Fault> {
    let known = |name: &str| made.parameters.iter().any(|one| one.name == name);
    if let Some(unknown) = given.keys().find(|name| !known(name)) {
        let message = format!("parameters.{unknown} is not a parameter of {}", made.name);
        return Err(faults::wrong(&format!("parameters.{unknown}"), message));
    }
    let mut values = Map::new();
    for one in made.parameters {
        let wrong = |rule: &str| {
            let field = format!("parameters.{}", one.name);
            faults::wrong(&field, format!("{field} {rule}"))
        };
        let value = match (given.get(one.name), one.default) {
            (Some(value), _) => value.clone(),
            (None, Some(text)) => serde_json::from_str(text).expect("defaults are JSON"),
            (None, None) => return Err(wrong("is required")),
        };
        let (fits, rule) = match one.kind {
            "string" => (value.is_string(), "must be a string"),
            "number" => (value.is_number(), "must be a number"),
            "strings" => (is_strings(&value), "must be a list of strings"),
            _ => (value.is_object(), "must be a JSON object"),
        };
        if !fits {
            return Err(wrong(rule));
        }
        values.insert(one.name.to_owned(), value);
    }
    Ok(values)
}

fn is_strings(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(Value::is_string))
}

/// The body of a workflow: start, call, end, and the script in its place.
pub(super) fn workflow(made: &Made, name: &str, parameters: &Map<String, Value>) -> Value {
    // JSON is JavaScript, so values cannot leave their place.
    let script = format!("const parameters = {};\n{}", Value::Object(parameters.clone()), made.script);
    let blocking = made.place != Place::Beside;
    let mut hook = json!({"id": "script", "script": script, "blocking": blocking});
    if blocking {
        hook["onError"] = "stop".into();
    }
    let edge = |from: &str, to: &str| json!({"id": format!("{from}-{to}"), "source": from, "target": to});
    let (at, edges) = match made.place {
        Place::Before => ((300, 200), vec![edge("start", "hook"), edge("hook", "call"), edge("call", "end")]),
        Place::After => ((500, 200), vec![edge("start", "call"), edge("call", "hook"), edge("hook", "end")]),
        Place::Beside => ((500, 340), vec![edge("start", "call"), edge("call", "hook"), edge("call", "end")]),
    };
    let node = |id: &str, kind: &str, label: &str, (x, y): (i32, i32)| json!({"id": id, "type": kind, "position": {"x": x, "y": y}, "data": {"label": label}, "deletable": false});
    let mut own = node("hook", "hook", made.title, at);
    own["data"]["hook"] = hook;
    own["deletable"] = true.into();
    let call = if made.place == Place::Before { 500 } else { 300 };
    json!({
        "name": name,
        "description": made.description,
        "workflowType": made.workflow_type,
        "nodes": [
            node("start", "start", "Start", (100, 200)),
            node("call", "mcp-call", "MCP Call", (call, 200)),
            own,
            node("end", "end", "End", (700, 200)),
        ],
        "edges": edges,
    })
}
