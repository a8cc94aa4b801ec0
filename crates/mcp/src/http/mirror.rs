//! Tool arguments that a modern server wants repeated as `Mcp-Param-*` headers: which they are comes
//! from the `x-mcp-header` annotations of its tool list.

use super::values::header_value;
use crate::lists::Entry;
use crate::splice::member_at;
use hyper::header::{HeaderMap, HeaderName};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap};
use std::sync::{PoisonError, RwLock};

const ANNOTATION: &str = "x-mcp-header";

/// What is known of the tools of one server.
#[derive(Default)]
pub(crate) struct Mirror {
    by_tool: RwLock<HashMap<String, Vec<Mirrored>>>,
}

/// One argument and its header.
#[derive(Debug, PartialEq, Eq)]
struct Mirrored {
    path: Vec<String>,
    header: HeaderName,
}

impl Mirror {
    /// Takes over a fresh tool list and drops the tools whose annotations break the rules.
    pub(crate) fn learn(&self, mut tools: Vec<Entry>) -> Vec<Entry> {
        let mut by_tool = HashMap::new();
        tools.retain(|tool| match annotated(tool) {
            Ok(mirrored) => {
                if !mirrored.is_empty() {
                    by_tool.insert(tool.key.clone(), mirrored);
                }
                true
            }
            Err(reason) => {
                tracing::warn!(tool = tool.key, reason, "a tool with an invalid x-mcp-header was left out");
                false
            }
        });
        *self.by_tool.write().unwrap_or_else(PoisonError::into_inner) = by_tool;
        tools
    }

    /// Adds the headers of one call, whose `params` text is given.
    pub(super) fn add(&self, tool: &str, params: &str, headers: &mut HeaderMap) {
        let by_tool = self.by_tool.read().unwrap_or_else(PoisonError::into_inner);
        let Some(mirrored) = by_tool.get(tool) else { return };
        let Some(arguments) = member_at(params, "arguments").map(|at| &params[at]) else { return };
        for Mirrored { path, header } in mirrored {
            let value = path.iter().try_fold(arguments, |text, name| Some(&text[member_at(text, name)?]));
            if let Some(text) = value.and_then(text_of) {
                headers.insert(header.clone(), header_value(&text));
            }
        }
    }
}

/// The arguments of a call that its client must repeat as headers: each header with the argument's text,
/// or nothing where the argument is not given.
pub fn mirrored(tool: &Entry, params: &str) -> Vec<(String, Option<String>)> {
    let arguments = member_at(params, "arguments").map(|at| &params[at]);
    let value = |path: &[String]| {
        path.iter().try_fold(arguments?, |text, name| Some(&text[member_at(text, name)?])).and_then(text_of)
    };
    let annotated = annotated(tool).unwrap_or_default();
    annotated.into_iter().map(|one| (one.header.as_str().to_owned(), value(&one.path))).collect()
}

/// The text of a string, a number or a boolean.
fn text_of(raw: &str) -> Option<String> {
    match raw.as_bytes().first()? {
        b'"' => serde_json::from_str(raw).ok(),
        b'{' | b'[' | b'n' => None,
        _ => Some(raw.to_owned()),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tool {
    #[serde(default)]
    input_schema: Value,
}

fn annotated(tool: &Entry) -> Result<Vec<Mirrored>, &'static str> {
    // Most tools have none, and are not worth a tree.
    if !tool.raw.get().contains(ANNOTATION) {
        return Ok(Vec::new());
    }
    let Ok(Tool { input_schema: Value::Object(schema) }) = serde_json::from_str(tool.raw.get()) else {
        return Ok(Vec::new());
    };
    if schema.contains_key(ANNOTATION) {
        return Err("the whole input cannot be a header");
    }
    let mut found = Vec::new();
    walk(&schema, &mut Vec::new(), &mut found)?;
    let mut names = BTreeSet::new();
    match found.iter().all(|mirrored| names.insert(mirrored.header.as_str())) {
        true => Ok(found),
        false => Err("two arguments have the same header"),
    }
}

/// Only what is reached through `properties` alone may be annotated.
fn walk(
    schema: &Map<String, Value>,
    path: &mut Vec<String>,
    found: &mut Vec<Mirrored>,
) -> Result<(), &'static str> {
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            (ANNOTATION, Value::String(name)) => {
                found.push(Mirrored { path: path.clone(), header: header_name(name, schema.get("type"))? });
            }
            (ANNOTATION, _) => return Err("its name is no text"),
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    if let Value::Object(property) = property {
                        path.push(name.clone());
                        walk(property, path, found)?;
                        path.pop();
                    }
                }
            }
            // These hold values, not schemas.
            ("default" | "const" | "enum" | "examples", _) => {}
            (_, value) if holds_annotation(value) => return Err("it stands where no argument is certain"),
            _ => {}
        }
    }
    Ok(())
}

fn holds_annotation(value: &Value) -> bool {
    match value {
        Value::Object(map) => {
            map.get(ANNOTATION).is_some_and(Value::is_string) || map.values().any(holds_annotation)
        }
        Value::Array(items) => items.iter().any(holds_annotation),
        _ => false,
    }
}

fn header_name(name: &str, kind: Option<&Value>) -> Result<HeaderName, &'static str> {
    let simple = |kind: &Value| matches!(kind.as_str(), Some("string" | "integer" | "boolean"));
    let fine = match kind {
        Some(Value::Array(kinds)) => {
            kinds.iter().any(simple) && kinds.iter().all(|kind| simple(kind) || kind == "null")
        }
        Some(kind) => simple(kind),
        None => false,
    };
    if !fine {
        return Err("its argument is no string, integer or boolean");
    }
    if name.is_empty() {
        return Err("its name is empty");
    }
    HeaderName::from_bytes(format!("mcp-param-{name}").as_bytes()).map_err(|_| "its name is no header name")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use serde_json::value::RawValue;

    fn tool(properties: &Value) -> Entry {
        let tool = json!({"name": "t", "inputSchema": {"type": "object", "properties": properties}});
        Entry { key: "t".into(), raw: RawValue::from_string(tool.to_string()).expect("json") }
    }

    #[test]
    fn a_tool_with_an_invalid_annotation_is_dropped() {
        for (properties, kept) in [
            (json!({"a": {"type": "string", "x-mcp-header": "A"}}), true),
            (json!({"a": {"type": ["integer", "null"], "x-mcp-header": "A"}}), true),
            (
                json!({"o": {"type": "object", "properties": {"a": {"type": "boolean", "x-mcp-header": "A"}}}}),
                true,
            ),
            (json!({"x-mcp-header": {"type": "string"}}), true),
            (json!({"a": {"type": "object", "default": {"x-mcp-header": "x"}}}), true),
            (json!({"a": {"type": "string", "x-mcp-header": ""}}), false),
            (json!({"a": {"type": "string", "x-mcp-header": 5}}), false),
            (json!({"a": {"type": "number", "x-mcp-header": "A"}}), false),
            (json!({"a": {"type": "object", "x-mcp-header": "A"}}), false),
            (json!({"a": {"type": "null", "x-mcp-header": "A"}}), false),
            (json!({"a": {"x-mcp-header": "A"}}), false),
            (json!({"a": {"type": "string", "x-mcp-header": "A B"}}), false),
            (json!({"a": {"type": "string", "x-mcp-header": "A:B"}}), false),
            (json!({"a": {"type": "string", "x-mcp-header": "Région"}}), false),
            (json!({"a": {"type": "string", "x-mcp-header": "A\t"}}), false),
            (
                json!({"a": {"type": "string", "x-mcp-header": "A"}, "b": {"type": "string", "x-mcp-header": "a"}}),
                false,
            ),
            (json!({"a": {"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}}), false),
            (json!({"a": {"anyOf": [{"type": "string", "x-mcp-header": "A"}]}}), false),
        ] {
            let kept_now = !Mirror::default().learn(vec![tool(&properties)]).is_empty();
            assert_eq!(kept_now, kept, "{properties}");
        }
    }

    #[test]
    fn arguments_become_headers_and_absent_ones_do_not() {
        let mirror = Mirror::default();
        mirror.learn(vec![tool(&json!({
            "region": {"type": "string", "x-mcp-header": "Region"},
            "n": {"type": "integer", "x-mcp-header": "N"},
            "gone": {"type": "string", "x-mcp-header": "Gone"},
            "nil": {"type": "string", "x-mcp-header": "Nil"},
            "in": {"properties": {"flag": {"type": "boolean", "x-mcp-header": "Flag"}}},
        }))]);
        let mut headers = HeaderMap::new();
        let params = r#"{"name":"t","arguments":{"region":"日本","n":12345678901234567890123,"nil":null,"in":{"flag":false}}}"#;
        mirror.add("t", params, &mut headers);
        let mut found: Vec<_> = headers
            .iter()
            .map(|(name, value)| format!("{name}={}", value.to_str().expect("ascii")))
            .collect();
        found.sort();
        assert_eq!(
            found,
            [
                "mcp-param-flag=false",
                "mcp-param-n=12345678901234567890123",
                "mcp-param-region==?base64?5pel5pys?="
            ]
        );
        mirror.add("other", params, &mut headers);
        assert_eq!(headers.len(), 3);
    }
}
