//! What an editor needs to know of each kind, so that it can offer it and build a form for its data.

use serde::Serialize;
use serde_json::{Value, json};

/// One kind of node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeType {
    /// Its word in `type`.
    pub name: String,
    /// What people call it.
    pub label: String,
    /// What it does.
    pub description: String,
    /// How many edges lead to it.
    pub inputs: u8,
    /// How many edges may leave it.
    pub outputs: Outputs,
    /// The JSON Schema of its `data`.
    pub schema: Value,
    /// Whether a plug-in adds it.
    pub plugin: bool,
}

/// How many edges may leave a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outputs {
    /// At most so many.
    Number(u8),
    /// As many as there are.
    Many,
}

impl Serialize for Outputs {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Outputs::Number(number) => serializer.serialize_u8(*number),
            Outputs::Many => serializer.serialize_str("many"),
        }
    }
}

/// The kinds that are built in, in the order of their names in messages.
pub(super) fn built_in() -> Vec<NodeType> {
    let on_error = json!({"type": "string", "enum": ["stop", "continue"], "default": "stop"});
    let hook = json!({"type": "object", "required": ["hook"], "properties": {"hook": {
        "type": "object", "required": ["blocking"], "properties": {
            "id": {"type": "string"}, "script": {"type": "string"}, "hookModuleId": {"type": "string"},
            "blocking": {"type": "boolean"}, "onError": on_error,
        },
    }}});
    let condition = json!({"type": "object", "required": ["expression"], "properties": {
        "expression": {"type": "string"}, "onError": on_error,
    }});
    let variable = json!({"type": "object", "required": ["set"], "properties": {
        "scope": {"type": "string", "enum": ["run", "workflow"], "default": "run"},
        "set": {"type": "array", "items": {"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string"}, "value": {}, "expression": {"type": "string"},
        }}},
        "onError": on_error,
    }});
    let activity = json!({"type": "object", "required": ["step"], "properties": {"step": step()}});
    let plain = json!({"type": "object"});
    let one = |name: &str, label: &str, description: &str, inputs, outputs, schema: &Value| NodeType {
        name: name.into(),
        label: label.into(),
        description: description.into(),
        inputs,
        outputs,
        schema: schema.clone(),
        plugin: false,
    };
    vec![
        one("start", "Start", "Where a run begins.", 0, Outputs::Many, &plain),
        one("end", "End", "Where a run ends.", 1, Outputs::Number(0), &plain),
        one("mcp-call", "MCP Call", "Makes the request, once.", 1, Outputs::Many, crate::kind::call_schema()),
        one(
            "hook",
            "Hook",
            "Runs a script; one that is not blocking has no output.",
            1,
            Outputs::Many,
            &hook,
        ),
        one("condition", "Condition", "Follows one of two ways.", 1, Outputs::Number(2), &condition),
        one("variable", "Variable", "Sets values that later nodes read.", 1, Outputs::Many, &variable),
        one("activity", "Activity", "One step of a session workflow.", 1, Outputs::Number(1), &activity),
    ]
}

/// The schema of a step (spec 4.3, 4.7 and 5.2).
fn step() -> Value {
    let (text, map) = (json!({"type": "string"}), json!({"type": "object"}));
    let unknown = json!({"type": "string", "enum": ["retry", "ask", "fail"]});
    let approve = json!({"type": "object", "properties": {
        "message": text, "expiresMs": {"type": "integer", "minimum": 1}, "apiOnly": {"type": "boolean"},
    }});
    let wait = json!({"type": "object", "required": ["event"], "properties": {
        "event": text, "filter": text, "timeoutMs": {"type": "integer", "minimum": 1},
        "onTimeout": {"type": "string", "enum": ["fail", "continue"], "default": "fail"},
    }});
    let pattern = json!({"type": "object", "required": ["toolName"], "properties": {
        "toolName": text, "parameters": map,
    }});
    let predicate = json!({"type": "object", "required": ["when", "call"], "properties": {
        "when": text, "call": text, "with": map, "description": text,
    }});
    let member = json!({"type": "object", "required": ["activity"], "properties": {
        "activity": text, "input": {}, "optional": {"type": "boolean"}, "inputMapper": text,
        "compensate": text, "onUnknown": unknown,
    }});
    json!({"type": "object", "properties": {
        "activity": text,
        "parallel": {"type": "array", "items": member, "minItems": 2},
        "input": {},
        "optional": {"type": "boolean", "default": false},
        "condition": text,
        "inputMapper": text,
        "branches": {"oneOf": [
            {"type": "object", "additionalProperties": pattern}, {"type": "array", "items": predicate},
        ]},
        "approve": {"oneOf": [{"type": "boolean"}, approve]},
        "waitFor": wait,
        "compensate": text,
        "onUnknown": unknown,
    }})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_described() {
        let all = built_in();
        assert!(all.iter().map(|one| one.name.as_str()).eq(crate::KIND_NAMES));
        for one in all {
            assert_eq!(one.label, crate::kind::of(&one.name).expect("known").title());
        }
    }
}
