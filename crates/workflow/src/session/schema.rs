//! JSON Schemas of activities, compiled once.

use super::activity::Activity;
use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

/// The schemas of one activity.
#[derive(Clone, Default)]
pub(crate) struct Schemas {
    input: Option<std::sync::Arc<Validator>>,
    output: Option<std::sync::Arc<Validator>>,
    /// Whether a success gives an object.
    owed: bool,
}

impl Schemas {
    /// Those of this activity. One that cannot be compiled was refused when it was defined, and counts as none.
    pub(crate) fn of<A: Activity + ?Sized>(activity: &A) -> Self {
        let made = |schema: Option<&Value>| schema.and_then(|schema| compile(schema).ok()).map(Into::into);
        Self { input: made(activity.input_schema()), output: made(activity.output_schema()), owed: false }
    }

    /// The same where it is a tool of its own: a client that was told what comes takes a success without it for a
    /// mistake.
    pub(crate) fn of_tool<A: Activity + ?Sized>(activity: &A) -> Self {
        Self { owed: of_object(activity.output_schema()).is_some(), ..Self::of(activity) }
    }

    /// What is given where an activity gives nothing.
    pub(crate) fn instead(&self) -> Option<Value> {
        self.owed.then(|| Value::Object(serde_json::Map::new()))
    }

    /// Checks an input; one that is absent is not checked.
    pub(crate) fn input(&self, input: Option<&Value>) -> Result<(), Mismatch> {
        match (&self.input, input) {
            (Some(schema), Some(input)) => check(schema, input, "Input"),
            _ => Ok(()),
        }
    }

    /// Checks data.
    pub(crate) fn output(&self, data: &Value) -> Result<(), Mismatch> {
        self.output.as_deref().map_or(Ok(()), |schema| check(schema, data, "Output"))
    }
}

/// Compiles a schema, or says what is wrong with it.
pub fn compile(schema: &Value) -> Result<Validator, String> {
    jsonschema::options().build(schema).map_err(|error| error.to_string())
}

/// The schema of a tool's output, from that of its data, where clients can be told it: it is always an object.
pub(crate) fn of_object(schema: Option<&Value>) -> Option<&Value> {
    schema.filter(|schema| schema["type"] == "object")
}

/// The schema of a tool's arguments, from that of its input. They are always an object, and clients refuse a whole list
/// in which one schema says otherwise.
pub(crate) fn of_arguments(schema: Option<&Value>) -> Value {
    let mut schema = schema.and_then(Value::as_object).cloned().unwrap_or_default();
    let takes_objects = match schema.get("type") {
        Some(Value::Array(types)) => types.contains(&"object".into()),
        given => given.is_none_or(|given| given == "object"),
    };
    if !takes_objects {
        schema.clear();
    }
    schema.insert("type".into(), "object".into());
    Value::Object(schema)
}

/// The longest message about one value, in bytes: enough for thousands of fields.
const LONGEST: usize = 256 * 1024;

/// How many fields the log names.
const NAMED: usize = 20;

/// How much of a value is shown, in bytes.
const SHOWN: usize = 200;

/// A value that does not match its schema.
pub(crate) struct Mismatch {
    /// What is wrong with it, for whoever gave it: the value is in it.
    pub(crate) message: String,
    /// The fields that are wrong, without their values.
    pub(crate) fields: String,
}

/// What messages about an input or an output that does not match begin with.
pub(crate) const MISMATCH: &str = " does not match its schema: ";

/// Every field that breaks a rule, by name.
fn check(schema: &Validator, value: &Value, what: &str) -> Result<(), Mismatch> {
    if schema.is_valid(value) {
        return Ok(());
    }
    let mut said = format!("{what}{MISMATCH}");
    let (first, mut fields) = (said.len(), Vec::new());
    for error in schema.iter_errors(value) {
        if said.len() > LONGEST {
            said.push_str("; …");
            break;
        }
        if said.len() > first {
            said.push_str("; ");
        }
        let path = error.instance_path().to_string();
        let path = path.trim_start_matches('/').replace('/', ".").replace("~1", "/").replace("~0", "~");
        if !path.is_empty() {
            said.push_str(&path);
            said.push_str(": ");
        }
        if fields.len() < NAMED {
            fields.push(field(&error, path));
        }
        if let Some(names) = unexpected(&error, value) {
            said.push_str(&names);
            continue;
        }
        // Values may be long; the message need not be. The fields that it names are all kept.
        let shown = error.instance().to_string();
        match shown.len() > SHOWN {
            true => said.push_str(&error.masked_with(shorten(&shown)).to_string()),
            false => said.push_str(&error.to_string()),
        }
    }
    Err(Mismatch { message: said, fields: fields.join(", ") })
}

/// The field that an error is about: the one at this path, or the one that is missing there.
fn field(error: &ValidationError<'_>, path: String) -> String {
    match error.kind() {
        ValidationErrorKind::Required { property: Value::String(name) } if path.is_empty() => name.clone(),
        ValidationErrorKind::Required { property: Value::String(name) } => format!("{path}.{name}"),
        _ => path,
    }
}

/// The fields of an object that may have none; the validator names neither the object nor them.
fn unexpected(error: &ValidationError<'_>, whole: &Value) -> Option<String> {
    let bare = matches!(error.kind(), ValidationErrorKind::FalseSchema)
        && error.schema_path().as_str().ends_with("/additionalProperties");
    let object = whole.pointer(error.instance_path().as_str()).filter(|_| bare)?.as_object()?;
    let names: Vec<String> = object.keys().map(|name| format!("'{name}'")).collect();
    Some(format!("Additional properties are not allowed ({} were unexpected)", names.join(", ")))
}

/// The beginning of a value.
fn shorten(value: &str) -> String {
    format!("{}…", &value[..value.floor_char_boundary(SHOWN)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn says(schema: &Value, value: &Value, words: &[&str]) {
        let schema = compile(schema).expect("a schema");
        let message = check(&schema, value, "Input").expect_err("it does not match").message;
        for word in words {
            assert!(message.contains(word), "{message}");
        }
    }

    #[test]
    fn the_schema_of_arguments_is_that_of_an_object() {
        let object = json!({"type": "object"});
        for (given, expected) in [
            (json!(true), object.clone()),
            (json!({"type": "string", "maxLength": 3}), object.clone()),
            (json!({"type": ["string", "null"]}), object.clone()),
            (
                json!({"type": ["object", "null"], "minProperties": 1}),
                json!({"type": "object", "minProperties": 1}),
            ),
            (json!({"required": ["a"]}), json!({"required": ["a"], "type": "object"})),
        ] {
            assert_eq!(of_arguments(Some(&given)), expected, "{given}");
        }
        assert_eq!(of_arguments(None), object);
    }

    #[test]
    fn every_field_that_is_wrong_is_named() {
        let schema = json!({"type": "object", "required": ["a", "b"],
            "properties": {"a": {"type": "number"}, "c": {"type": "string"}}});
        says(&schema, &json!({"a": "x", "c": 1}), &["a: ", "b", "c: "]);
        let odd = json!({"properties": {"a/b~c": {"properties": {"日": {"type": "number"}}}}});
        says(&odd, &json!({"a/b~c": {"日": "x"}}), &["a/b~c.日: "]);
    }

    #[test]
    fn the_fields_that_are_wrong_are_told_without_their_values() {
        let schema = json!({"required": ["a", "b"], "properties": {"a": {"type": "number"},
            "o": {"required": ["c"], "properties": {"d": {"maxLength": 1}}}}});
        let schema = compile(&schema).expect("a schema");
        let wrong = json!({"a": "secret", "o": {"d": "secret"}});
        let told = check(&schema, &wrong, "Input").expect_err("it does not match").fields;
        let mut fields: Vec<&str> = told.split(", ").collect();
        fields.sort_unstable();
        assert_eq!(fields, ["a", "b", "o.c", "o.d"]);
    }

    #[test]
    fn many_fields_are_named_too() {
        let names: Vec<String> = (0..500).map(|n| format!("field_{n}_of_many")).collect();
        let words: Vec<&str> = names.iter().map(String::as_str).collect();
        let number = |name: &String| (name.clone(), json!({"type": "number"}));
        let properties: Value = names.iter().map(number).collect::<serde_json::Map<_, _>>().into();
        let texts: Value =
            names.iter().map(|name| (name.clone(), json!("x"))).collect::<serde_json::Map<_, _>>().into();
        says(&json!({"properties": properties}), &texts, &words);
        says(&json!({"required": names}), &json!({}), &words);
        says(&json!({"additionalProperties": false}), &texts, &words);
        says(&json!({"properties": {"a": {}}, "additionalProperties": false}), &texts, &words);
        let inner = json!({"properties": {"o": {"additionalProperties": false}}});
        says(&inner, &json!({"o": {"x": 1, "y": 2}}), &["o: ", "'x'", "'y'"]);
    }

    #[test]
    fn a_long_value_makes_no_long_message() {
        let schema = json!({"type": "number"});
        let schema = compile(&schema).expect("a schema");
        let message = check(&schema, &json!("é".repeat(5000)), "Input").expect_err("no number").message;
        assert!(message.len() < 600, "{}", message.len());
        assert!(message.contains("number"), "{message}");
    }
}
