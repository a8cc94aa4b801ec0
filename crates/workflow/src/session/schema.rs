//! JSON Schemas of activities, compiled once.

use super::activity::Activity;
use jsonschema::Validator;
use serde_json::Value;

/// The schemas of one activity.
#[derive(Clone, Default)]
pub(crate) struct Schemas {
    input: Option<std::sync::Arc<Validator>>,
    output: Option<std::sync::Arc<Validator>>,
}

impl Schemas {
    /// Those of this activity. One that cannot be compiled was refused when it was defined, and counts as none.
    pub(crate) fn of<A: Activity + ?Sized>(activity: &A) -> Self {
        let made = |schema: Option<&Value>| schema.and_then(|schema| compile(schema).ok()).map(Into::into);
        Self { input: made(activity.input_schema()), output: made(activity.output_schema()) }
    }

    /// Checks an input; one that is absent is not checked.
    pub(crate) fn input(&self, input: Option<&Value>) -> Result<(), String> {
        match (&self.input, input) {
            (Some(schema), Some(input)) => check(schema, input, "Input"),
            _ => Ok(()),
        }
    }

    /// Checks data.
    pub(crate) fn output(&self, data: &Value) -> Result<(), String> {
        self.output.as_deref().map_or(Ok(()), |schema| check(schema, data, "Output"))
    }
}

/// Compiles a schema, or says what is wrong with it.
pub fn compile(schema: &Value) -> Result<Validator, String> {
    jsonschema::options().build(schema).map_err(|error| error.to_string())
}

/// Every field that breaks a rule, by name.
fn check(schema: &Validator, value: &Value, what: &str) -> Result<(), String> {
    if schema.is_valid(value) {
        return Ok(());
    }
    let said: Vec<String> = schema
        .iter_errors(value)
        .take(20)
        .map(|error| {
            let path = error.instance_path().to_string();
            let path = path.trim_start_matches('/').replace('/', ".");
            if path.is_empty() {
                shorten(&error.to_string())
            } else {
                format!("{path}: {}", shorten(&error.to_string()))
            }
        })
        .collect();
    Err(format!("{what} does not match its schema: {}", said.join("; ")))
}

/// Values may be long; the message need not be.
fn shorten(message: &str) -> String {
    const MOST: usize = 300;
    if message.len() <= MOST {
        return message.to_owned();
    }
    let end = (0..=MOST).rev().find(|at| message.is_char_boundary(*at)).unwrap_or(0);
    let tail_from = (message.len() - 80..message.len()).find(|at| message.is_char_boundary(*at));
    let tail = tail_from.map_or("", |at| &message[at..]);
    format!("{}… {tail}", &message[..end - 80.min(end)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn says(schema: &Value, value: &Value, words: &[&str]) {
        let schema = compile(schema).expect("a schema");
        let message = check(&schema, value, "Input").expect_err("it does not match");
        for word in words {
            assert!(message.contains(word), "{message}");
        }
    }

    #[test]
    fn every_field_that_is_wrong_is_named() {
        let schema = json!({"type": "object", "required": ["a", "b"],
            "properties": {"a": {"type": "number"}, "c": {"type": "string"}}});
        says(&schema, &json!({"a": "x", "c": 1}), &["a: ", "b", "c: "]);
    }

    #[test]
    fn a_long_value_makes_no_long_message() {
        let schema = json!({"type": "number"});
        let schema = compile(&schema).expect("a schema");
        let message = check(&schema, &json!("é".repeat(5000)), "Input").expect_err("no number");
        assert!(message.len() < 600, "{}", message.len());
        assert!(message.contains("number"), "{message}");
    }
}
