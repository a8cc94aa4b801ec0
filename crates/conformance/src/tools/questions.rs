//! Tools that ask the client one thing: a message from its model, or input from its user.

use super::{plain, tool};
use crate::call::{Answer, Asked, Call, text};
use serde_json::{Value, json};

pub(super) const NAMES: [&str; 6] = [
    "test_sampling",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_missing_capability",
    "test_streaming_elicitation",
];

pub(super) fn definitions() -> Value {
    json!([
        tool(NAMES[0], "Asks the client's model", json!({"prompt": {"type": "string"}}), &["prompt"]),
        tool(NAMES[1], "Asks the user", json!({"message": {"type": "string"}}), &["message"]),
        plain(NAMES[2], "Asks the user, with a default for each type"),
        plain(NAMES[3], "Asks the user, with each kind of choice"),
        plain(NAMES[4], "Needs a client with sampling"),
        plain(NAMES[5], "Asks the user for a confirmation"),
    ])
}

pub(super) async fn call(name: &str, call: &Call<'_>) -> Answer {
    let question = match name {
        "test_sampling" => sampling(call.text("prompt")),
        "test_missing_capability" => sampling("Are you there?"),
        "test_elicitation" => elicitation(call.text("message"), information()),
        "test_elicitation_sep1034_defaults" => elicitation("Please review the defaults", defaults()),
        "test_elicitation_sep1330_enums" => elicitation("Please choose", choices()),
        _ => elicitation(
            "Please confirm",
            json!({"type": "object", "properties": {"ok": {"type": "boolean"}}}),
        ),
    };
    let answer = match call.ask(json!({"question": question}), None).await? {
        Asked::Required(result) => return Ok(result.into()),
        Asked::Answered(answers) => answers["question"].clone(),
    };
    let action = answer["action"].as_str().unwrap_or_default();
    Ok(text(&match name {
        "test_sampling" | "test_missing_capability" => {
            format!("LLM response: {}", answer["content"]["text"].as_str().unwrap_or_default())
        }
        "test_elicitation" => format!("User response: action={action}, content={}", answer["content"]),
        _ => format!("Elicitation completed: action={action}, content={}", answer["content"]),
    }))
}

pub(super) fn sampling(prompt: &str) -> Value {
    json!({"method": "sampling/createMessage", "params": {
        "messages": [{"role": "user", "content": {"type": "text", "text": prompt}}],
        "maxTokens": 100,
    }})
}

#[expect(clippy::needless_pass_by_value, reason = "callers write the JSON in place")]
pub(super) fn elicitation(message: &str, schema: Value) -> Value {
    json!({"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}})
}

fn information() -> Value {
    json!({
        "type": "object",
        "properties": {
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"},
        },
        "required": ["username", "email"],
    })
}

fn defaults() -> Value {
    json!({"type": "object", "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true},
    }})
}

fn choices() -> Value {
    let options = json!(["option1", "option2", "option3"]);
    let titled = |noun: &str| {
        json!([
            {"const": "value1", "title": format!("First {noun}")},
            {"const": "value2", "title": format!("Second {noun}")},
            {"const": "value3", "title": format!("Third {noun}")},
        ])
    };
    json!({"type": "object", "properties": {
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled("Option")},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
    }})
}
