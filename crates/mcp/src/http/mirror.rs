//! Tool arguments that a modern server wants repeated as `Mcp-Param-*` headers: which they are comes
//! from the `x-mcp-header` annotations of its tool list.

use super::values::header_value;
use crate::lists::Entry;
use crate::splice::member_at;
use hyper::header::{HeaderMap, HeaderName};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::{PoisonError, RwLock};

const ANNOTATION: &str = "x-mcp-header";

/// The largest exponent of a number that is written in all its digits: that of the largest number that most readers know.
const EXPONENT_MAX: isize = 308;

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
            if let Some(repeated) = value.and_then(Repeated::of) {
                headers.insert(header.clone(), header_value(repeated.text()));
            }
        }
    }
}

/// What a header says of an argument.
#[derive(Debug, PartialEq, Eq)]
pub enum Repeated {
    /// The text of a string or a boolean.
    Text(String),
    /// A number; an integer in decimal digits, however it was written.
    Number(String),
}

impl Repeated {
    fn of(raw: &str) -> Option<Self> {
        match raw.as_bytes().first()? {
            b'"' => serde_json::from_str(raw).ok().map(Self::Text),
            b'{' | b'[' | b'n' => None,
            b't' | b'f' => Some(Self::Text(raw.to_owned())),
            _ => Some(Self::Number(decimal(raw).into_owned())),
        }
    }

    fn text(&self) -> &str {
        let (Self::Text(text) | Self::Number(text)) = self;
        text
    }

    /// Whether a header says the same.
    pub fn is(&self, header: &str) -> bool {
        match self {
            Self::Text(text) => text == header,
            Self::Number(number) => *number == decimal(header),
        }
    }
}

/// An integer in all its digits; what is none, or has more of them than a header should, as it is.
fn decimal(number: &str) -> Cow<'_, str> {
    integer(number).map_or(number.into(), Cow::Owned)
}

fn integer(number: &str) -> Option<String> {
    serde_json::from_str::<&RawValue>(number).ok().filter(|raw| raw.get().len() == number.len())?;
    let (sign, rest) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    rest.starts_with(|first: char| first.is_ascii_digit()).then_some(())?;
    let (digits, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let exponent = exponent.parse::<isize>().ok().filter(|exponent| exponent.abs() <= EXPONENT_MAX)?;
    let digits = format!("{whole}{fraction}");
    let point = usize::try_from(whole.len().cast_signed() + exponent).unwrap_or(0);
    // What is beyond the point must be nothing.
    let (before, beyond) = digits.split_at(point.min(digits.len()));
    beyond.bytes().all(|digit| digit == b'0').then_some(())?;
    let before = before.trim_start_matches('0');
    match before {
        "" => Some("0".into()),
        _ => Some(format!("{sign}{before}{}", "0".repeat(point.saturating_sub(digits.len())))),
    }
}

/// The arguments of a call that its client must repeat as headers: each header with what it must say, or nothing where
/// the argument is not given.
pub fn mirrored(tool: &Entry, params: &str) -> Vec<(String, Option<Repeated>)> {
    let arguments = member_at(params, "arguments").map(|at| &params[at]);
    let value = |path: &[String]| {
        let raw = path.iter().try_fold(arguments?, |text, name| Some(&text[member_at(text, name)?]))?;
        Repeated::of(raw)
    };
    let annotated = annotated(tool).unwrap_or_default();
    annotated.into_iter().map(|one| (one.header.as_str().to_owned(), value(&one.path))).collect()
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
    fn a_header_repeats_an_integer_however_either_is_written() {
        for (argument, text, header, same) in [
            ("5", "5", "5.0", true),
            ("5.0", "5", "5", true),
            ("5e0", "5", "50e-1", true),
            ("-7", "-7", "-7.00", true),
            ("-0.0", "0", "0", true),
            ("0e9", "0", "-0", true),
            ("1.5E+3", "1500", "1500", true),
            ("0.5e1", "5", "5", true),
            ("5000e-3", "5", "5", true),
            ("9007199254740993.0", "9007199254740993", "9007199254740993", true),
            ("9007199254740993", "9007199254740993", "9007199254740992", false),
            ("5", "5", "05", false),
            ("5", "5", "+5", false),
            ("5", "5", "", false),
            ("5", "5", "5.5", false),
            ("-5", "-5", "5", false),
            ("0.05e1", "0.05e1", "0.05e1", true),
            ("5e-1", "5e-1", "0.5", false),
            ("1e400", "1e400", "1e400", true),
            ("1e99999999999999999999", "1e99999999999999999999", "1", false),
            (r#""5""#, "5", "5.0", false),
            (r#""5.0""#, "5.0", "5.0", true),
            ("true", "true", "true", true),
        ] {
            let repeated = Repeated::of(argument).expect("it has a text");
            assert_eq!((repeated.text(), repeated.is(header)), (text, same), "{argument} {header}");
        }
        assert_eq!(["null", "{}", "[1]"].map(Repeated::of), [None, None, None]);
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
