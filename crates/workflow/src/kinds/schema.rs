//! A small part of JSON Schema, enough for forms: `type`, `enum`, `required`, `properties`,
//! `additionalProperties: false`, `items`, `minimum` and `maximum`. Other keywords are notes for people and
//! editors.

use serde_json::{Map, Value};

const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// Why a schema is not one, or where its keywords have the wrong form.
pub(super) fn check_schema(schema: &Value, path: &str) -> Result<(), String> {
    let Value::Object(schema) = schema else { return Err(format!("{path} must be an object")) };
    let wrong = |key: &str, rule: &str| Err(format!("{path}.{key} must be {rule}"));
    for (key, value) in schema {
        match (key.as_str(), value) {
            ("type", Value::String(word)) if TYPES.contains(&word.as_str()) => {}
            ("type", _) => return wrong(key, &format!("one of {}", TYPES.join(", "))),
            ("enum", Value::Array(words)) if !words.is_empty() => {}
            ("enum", _) => return wrong(key, "a list of values"),
            ("required", Value::Array(names)) if names.iter().all(Value::is_string) => {}
            ("required", _) => return wrong(key, "a list of names"),
            ("minimum" | "maximum", Value::Number(_)) => {}
            ("minimum" | "maximum", _) => return wrong(key, "a number"),
            ("properties", Value::Object(all)) => {
                for (name, one) in all {
                    check_schema(one, &format!("{path}.properties.{name}"))?;
                }
            }
            ("properties", _) => return wrong(key, "an object"),
            ("items", one) => check_schema(one, &format!("{path}.items"))?,
            _ => {}
        }
    }
    Ok(())
}

/// The rules of a schema that a value breaks, each to be read after the name of the node.
pub(super) fn check(schema: &Value, value: &Value, path: &str, broken: &mut Vec<String>) {
    let Value::Object(schema) = schema else { return };
    if let Some(word) = schema.get("type").and_then(Value::as_str)
        && !is(word, value)
    {
        let article = if word.starts_with(['a', 'i', 'o']) { "an" } else { "a" };
        broken.push(format!("has a {path} that is not {article} {word}"));
        return;
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array)
        && !words.contains(value)
    {
        let words: Vec<String> = words.iter().map(Value::to_string).collect();
        broken.push(format!("has a {path} that is not one of {}", words.join(", ")));
    }
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    if let Some(number) = value.as_f64() {
        if let Some(least) = limit("minimum").filter(|least| number < *least) {
            broken.push(format!("has a {path} below {least}"));
        }
        if let Some(most) = limit("maximum").filter(|most| number > *most) {
            broken.push(format!("has a {path} above {most}"));
        }
    }
    if let Value::Object(members) = value {
        check_members(schema, members, path, broken);
    }
    if let (Value::Array(all), Some(item)) = (value, schema.get("items")) {
        for (place, one) in all.iter().enumerate() {
            check(item, one, &format!("{path}[{place}]"), broken);
        }
    }
}

fn check_members(
    schema: &Map<String, Value>,
    members: &Map<String, Value>,
    path: &str,
    broken: &mut Vec<String>,
) {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    for name in required.filter_map(Value::as_str).filter(|name| !members.contains_key(*name)) {
        broken.push(format!("needs {path}.{name}"));
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
        let known = |name: &String| properties.is_some_and(|all| all.contains_key(name));
        for name in members.keys().filter(|name| !known(name)) {
            broken.push(format!("has {path}.{name}, which is not known"));
        }
    }
    for (name, one) in properties.into_iter().flatten() {
        if let Some(value) = members.get(name) {
            check(one, value, &format!("{path}.{name}"), broken);
        }
    }
}

fn is(word: &str, value: &Value) -> bool {
    match word {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "boolean" => value.is_boolean(),
        _ => value.is_null(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn data_is_held_against_its_schema() {
        let schema = json!({
            "type": "object", "required": ["unit"], "title": "a note",
            "properties": {
                "unit": {"type": "string", "enum": ["s", "m"]},
                "n": {"type": "integer", "minimum": 1, "maximum": 9},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
        });
        assert_eq!(check_schema(&schema, "schema"), Ok(()));
        for (data, expected) in [
            (json!({"unit": "s", "n": 9, "tags": ["a"], "other": {}}), vec![]),
            (json!({}), vec!["needs data.unit"]),
            (json!({"unit": "h"}), vec![r#"has a data.unit that is not one of "s", "m""#]),
            (json!({"unit": "s", "n": 1.5}), vec!["has a data.n that is not an integer"]),
            (json!({"unit": "s", "n": 0}), vec!["has a data.n below 1"]),
            (json!({"unit": "s", "n": 10}), vec!["has a data.n above 9"]),
            (json!({"unit": "s", "tags": ["a", 2]}), vec!["has a data.tags[1] that is not a string"]),
        ] {
            let mut broken = Vec::new();
            check(&schema, &data, "data", &mut broken);
            assert_eq!(broken, expected, "{data}");
        }
    }

    #[test]
    fn a_schema_that_is_none_is_refused() {
        for (schema, expected) in [
            (json!([]), "schema must be an object"),
            (json!({"enum": 1}), "schema.enum must be a list of values"),
            (json!({"properties": {"a": {"minimum": "x"}}}), "schema.properties.a.minimum must be a number"),
            (json!({"items": {"required": [1]}}), "schema.items.required must be a list of names"),
        ] {
            assert_eq!(check_schema(&schema, "schema"), Err(expected.into()));
        }
        assert!(check_schema(&json!({"type": "date"}), "schema").is_err());
    }
}
