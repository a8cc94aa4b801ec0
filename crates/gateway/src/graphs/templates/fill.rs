//! From the definition in a template to that of a workflow: values take the places of parameters.
//!
//! A parameter never becomes a part of a text. Where `{"$parameter": "name"}` stands, its value stands
//! afterwards; a script or an expression reads `parameters.name`, and is given all of them as one JSON text.

use super::parameter::wrong;
use model::Fault;
use serde_json::{Map, Value, json};

/// The key of the object that stands for a parameter.
const MARK: &str = "$parameter";

/// Members that hold scripts, and those that hold expressions, in all types of workflows.
const SCRIPTS: [&str; 4] = ["script", "onSuccess", "onFailure", "onComplete"];
const EXPRESSIONS: [&str; 4] = ["expression", "condition", "inputMapper", "when"];

const HEAD: &str = "const parameters = ";
/// All expressions are awaited, so one may await.
const OPEN: &str = "(async (parameters) => (\n";
const CLOSE: &str = "\n))(";

/// What stood before an expression when it could not await.
const OPEN_ONCE: &str = "((parameters) => (\n";

/// An object in JavaScript has keys with a meaning of their own, which one in JSON has not.
const PARSE: &str = "JSON.parse(";

/// What stands for a parameter.
pub(super) fn mark(name: &str) -> Value {
    json!({ MARK: name })
}

/// The definition with values in the places of parameters.
pub(super) fn fill(value: &Value, values: &Map<String, Value>) -> Value {
    match value {
        Value::Object(map) => match named(map) {
            Some(name) => values.get(name).cloned().unwrap_or(Value::Null),
            None => map.iter().map(|(key, value)| (key.clone(), member(key, value, values))).collect(),
        },
        Value::Array(items) => items.iter().map(|item| fill(item, values)).collect(),
        other => other.clone(),
    }
}

fn member(key: &str, value: &Value, values: &Map<String, Value>) -> Value {
    match value {
        Value::String(text) if !values.is_empty() && mentions(text) => match key {
            key if SCRIPTS.contains(&key) => format!("{HEAD}{};\n{text}", parsed(values)).into(),
            key if EXPRESSIONS.contains(&key) => format!("{OPEN}{text}{CLOSE}{})", parsed(values)).into(),
            _ => value.clone(),
        },
        other => fill(other, values),
    }
}

/// The values as JavaScript. A text in JSON is one there too, so they cannot leave their place.
fn parsed(values: &Map<String, Value>) -> String {
    let text = Value::Object(values.clone()).to_string();
    format!("{PARSE}{})", Value::from(text))
}

/// The values of such JavaScript, or of an object that stands there itself, as it once did.
fn read(literal: &str) -> Option<Map<String, Value>> {
    match literal.strip_prefix(PARSE).and_then(|text| text.strip_suffix(')')) {
        Some(text) => serde_json::from_str(&serde_json::from_str::<String>(text).ok()?).ok(),
        None => serde_json::from_str(literal).ok(),
    }
}

/// The name of the parameter that an object stands for.
fn named(map: &Map<String, Value>) -> Option<&str> {
    map.get(MARK).filter(|_| map.len() == 1)?.as_str()
}

/// Whether a script reads `parameters` without having some of its own.
fn mentions(text: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let is_free = |(at, found): (usize, &str)| {
        let (before, after) = (text[..at].chars().next_back(), &text[at + found.len()..]);
        let key = after.trim_start().starts_with(':');
        !before.is_some_and(|c| word(c) || c == '.') && !after.starts_with(word) && !key
    };
    let own = ["const parameters", "let parameters", "var parameters"].iter().any(|own| text.contains(own));
    !own && text.match_indices("parameters").any(is_free)
}

/// Checks that parameters are named where they exist, and stand where a value can stand.
pub(super) fn check(value: &Value, path: &str, known: &dyn Fn(&str) -> bool) -> Result<(), Fault> {
    match value {
        Value::Object(map) if map.contains_key(MARK) => match named(map) {
            Some(name) if known(name) => Ok(()),
            Some(name) => Err(wrong(path, &format!("names the parameter '{name}', which does not exist"))),
            None => Err(wrong(path, &format!("must be {{\"{MARK}\": \"<name>\"}} and nothing else"))),
        },
        Value::Object(map) => {
            for (key, value) in map {
                let path = format!("{path}.{key}");
                let is_code = SCRIPTS.contains(&key.as_str()) || EXPRESSIONS.contains(&key.as_str());
                if is_code && value.get(MARK).is_some() {
                    return Err(wrong(&path, "must be text; scripts and expressions read parameters.<name>"));
                }
                check(value, &path, known)?;
            }
            Ok(())
        }
        Value::Array(items) => {
            let mut all = items.iter().enumerate();
            all.try_for_each(|(place, item)| check(item, &format!("{path}[{place}]"), known))
        }
        _ => Ok(()),
    }
}

/// Takes the values of parameters out of scripts and expressions again, of those whose names are all known.
/// Gives them by name.
pub(super) fn unbind(value: &mut Value, known: &dyn Fn(&str) -> bool) -> Map<String, Value> {
    let mut found = Map::new();
    match value {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                let bound = value.as_str().and_then(|text| bound(key, text));
                let bound = bound.filter(|(_, values)| values.keys().all(|name| known(name)));
                match bound {
                    Some((text, values)) => {
                        *value = text.into();
                        found.extend(values);
                    }
                    None => found.extend(unbind(value, known)),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| found.extend(unbind(item, known))),
        _ => {}
    }
    found
}

/// The script or expression without its parameters, and these.
fn bound(key: &str, text: &str) -> Option<(String, Map<String, Value>)> {
    let (text, literal) = if SCRIPTS.contains(&key) {
        let (literal, text) = text.strip_prefix(HEAD)?.split_once(";\n")?;
        (text, literal)
    } else if EXPRESSIONS.contains(&key) {
        let inner = text.strip_prefix(OPEN).or_else(|| text.strip_prefix(OPEN_ONCE))?;
        inner.strip_suffix(')')?.rsplit_once(CLOSE)?
    } else {
        return None;
    };
    Some((text.to_owned(), read(literal)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Map<String, Value> {
        let values = json!({"n": 5, "tools": ["a\"]; evil(); [\"", "\u{2028}"]});
        values.as_object().expect("an object").clone()
    }

    #[test]
    fn values_stand_where_parameters_stood() {
        let definition = json!({"name": "W", "nodes": [{"data": {"set": {"$parameter": "n"}, "l": [{"$parameter": "tools"}]}}]});
        let filled = fill(&definition, &values());
        assert_eq!(filled["nodes"][0]["data"], json!({"set": 5, "l": [["a\"]; evil(); [\"", "\u{2028}"]]}));
        assert_eq!(fill(&json!({"$parameter": "n", "x": 1}), &values()), json!({"$parameter": "n", "x": 1}));
    }

    #[test]
    fn scripts_and_expressions_get_them_as_one_text_and_give_it_back() {
        let text = "return parameters.tools.length > parameters.n";
        let definition = json!({"script": text, "label": text, "d": {"expression": "parameters.n > 1"}});
        let filled = fill(&definition, &values());
        assert_eq!(filled["label"], text, "other texts stay");
        let json = Value::Object(values()).to_string();
        let parsed = format!("JSON.parse({})", Value::from(json.as_str()));
        assert_eq!(filled["script"], format!("const parameters = {parsed};\n{text}"));
        let expression = format!("(async (parameters) => (\nparameters.n > 1\n))({parsed})");
        assert_eq!(filled["d"]["expression"], expression);
        let once = json!({"script": format!("const parameters = {json};\n{text}"), "label": text,
            "d": {"expression": format!("((parameters) => (\nparameters.n > 1\n))({json})")}});
        for mut back in [filled.clone(), once] {
            assert_eq!(unbind(&mut back, &|_| true), values());
            assert_eq!(back, definition);
        }
        let mut kept = filled.clone();
        assert_eq!(unbind(&mut kept, &|name| name == "n"), Map::new());
        assert_eq!(kept, filled, "what names others stays as it is");
    }

    #[test]
    fn only_who_reads_parameters_gets_them() {
        for (text, expected) in [
            ("parameters.n", true),
            ("const {n} = parameters", true),
            ("f(parameters)", true),
            ("context.parameters.n", false),
            ("my_parameters", false),
            ("return {parameters: {a: 1}}", false),
            ("const parameters = {}; parameters.n", false),
            ("", false),
        ] {
            assert_eq!(mentions(text), expected, "{text}");
        }
    }

    #[test]
    fn a_parameter_stands_where_a_value_can_stand() {
        let known = |name: &str| name == "n";
        for (definition, expected) in [
            (json!({"a": [{"$parameter": "n"}]}), "ok"),
            (
                json!({"a": [{"$parameter": "m"}]}),
                "workflow.a[0] names the parameter 'm', which does not exist",
            ),
            (
                json!({"a": {"$parameter": 5}}),
                r#"workflow.a must be {"$parameter": "<name>"} and nothing else"#,
            ),
            (
                json!({"a": {"$parameter": "n", "b": 1}}),
                r#"workflow.a must be {"$parameter": "<name>"} and nothing else"#,
            ),
            (
                json!({"hook": {"script": {"$parameter": "n"}}}),
                "workflow.hook.script must be text; scripts and expressions read parameters.<name>",
            ),
        ] {
            let found =
                check(&definition, "workflow", &known).map_or_else(|fault| fault.message, |()| "ok".into());
            assert_eq!(found, expected);
        }
    }
}
