//! Tools that give back content of each kind.

use super::{plain, tool};
use crate::call::{Call, content, from_json, text};
use rmcp::model::CallToolResponse;
use serde_json::{Value, json};

/// A PNG of one red pixel.
pub(crate) const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A WAV file without a sound in it.
const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

pub(super) fn definitions() -> Value {
    json!([
        plain("test_simple_text", "Gives a text"),
        plain("test_image_content", "Gives an image"),
        plain("test_audio_content", "Gives a sound"),
        plain("test_embedded_resource", "Gives a resource"),
        plain("test_multiple_content_types", "Gives a text, an image and a resource"),
        plain("test_error_handling", "Fails"),
        json_schema_2020_12(),
        tool("greet", "Greets", json!({"name": {"type": "string"}}), &["name"]),
        tool(
            "test_header_parameter",
            "Takes a parameter that is sent as a header too",
            json!({"region": {"type": "string", "x-mcp-header": "Region"}}),
            &["region"],
        ),
    ])
}

/// The result, when the tool is one of these.
pub(super) fn call(name: &str, call: &Call<'_>) -> Option<CallToolResponse> {
    Some(match name {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => content(json!([image()])),
        "test_audio_content" => content(json!([{"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}])),
        "test_embedded_resource" => content(json!([resource(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        )])),
        "test_multiple_content_types" => content(json!([
            {"type": "text", "text": "Multiple content types test:"},
            image(),
            resource(
                "test://mixed-content-resource",
                "application/json",
                r#"{"test":"data","value":123}"#,
            ),
        ])),
        "test_error_handling" => CallToolResponse::Complete(from_json(json!({
            "resultType": "complete",
            "isError": true,
            "content": [{"type": "text", "text": "This tool intentionally returns an error for testing"}],
        }))),
        "json_schema_2020_12_tool" => text(&json!(call.arguments).to_string()),
        "greet" => text(&format!("Hello, {}!", call.text("name"))),
        "test_header_parameter" => text(&format!("Region: {}", call.text("region"))),
        _ => return None,
    })
}

fn image() -> Value {
    json!({"type": "image", "data": PIXEL, "mimeType": "image/png"})
}

fn resource(uri: &str, mime_type: &str, text: &str) -> Value {
    json!({"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}})
}

fn json_schema_2020_12() -> Value {
    json!({
        "name": "json_schema_2020_12_tool",
        "description": "Tool with JSON Schema 2020-12 features",
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }},
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": false,
        },
    })
}
