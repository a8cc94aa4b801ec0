//! What a template asks for.

use crate::graphs::faults;
use model::Fault;
use serde::Serialize;
use serde_json::{Map, Value};

/// The most parameters of a template.
const MOST: usize = 50;

/// The text with which a template is tried out.
const SAMPLE: &str = "sample";

/// The longest name.
const LONGEST: usize = 64;

/// Something that a template asks for.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Parameter {
    /// Its key in `parameters`.
    pub name: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: ParameterType,
    /// What it is for.
    pub description: String,
    /// Whether it must be given; one with a default need not be.
    pub required: bool,
    /// What it is when it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub default: Option<Value>,
}

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ParameterType {
    /// A text.
    String,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// A list of any values.
    List,
    /// A JSON object.
    Object,
}

impl ParameterType {
    const WORDS: [(&str, Self); 5] = [
        ("string", Self::String),
        ("number", Self::Number),
        ("boolean", Self::Boolean),
        ("list", Self::List),
        ("object", Self::Object),
    ];

    fn of(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(name, _)| *name == word).map(|(_, kind)| *kind)
    }

    /// The type of a value.
    pub(super) fn of_value(value: &Value) -> Option<Self> {
        Self::WORDS.iter().map(|(_, kind)| *kind).find(|kind| kind.fits(value))
    }

    fn fits(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::List => value.is_array(),
            Self::Object => value.is_object(),
        }
    }

    /// What a value of this type is called in a sentence.
    fn rule(self) -> &'static str {
        match self {
            Self::String => "must be a string",
            Self::Number => "must be a number",
            Self::Boolean => "must be true or false",
            Self::List => "must be a list",
            Self::Object => "must be a JSON object",
        }
    }

    /// Some value of this type.
    fn sample(self) -> Value {
        match self {
            Self::String => SAMPLE.into(),
            Self::Number => 1.into(),
            Self::Boolean => true.into(),
            Self::List => Value::Array(Vec::new()),
            Self::Object => Value::Object(Map::new()),
        }
    }

    /// The same, where it is text.
    pub(super) fn sample_text(self) -> Option<&'static str> {
        (self == Self::String).then_some(SAMPLE)
    }
}

impl Parameter {
    /// Reads the list of parameters of a template.
    pub(super) fn parse_all(list: Option<&Value>) -> Result<Vec<Self>, Fault> {
        let list = match list {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::Array(list)) => list,
            Some(_) => return Err(wrong("parameters", "must be a list")),
        };
        if list.len() > MOST {
            return Err(wrong(
                "parameters",
                &format!("has {} entries; at most {MOST} are allowed", list.len()),
            ));
        }
        let mut all: Vec<Self> = Vec::with_capacity(list.len());
        for (place, value) in list.iter().enumerate() {
            let path = format!("parameters[{place}]");
            let one = Self::parse(value, &path)?;
            if all.iter().any(|known| known.name == one.name) {
                return Err(wrong(&format!("{path}.name"), "is the name of another parameter"));
            }
            all.push(one);
        }
        Ok(all)
    }

    fn parse(value: &Value, path: &str) -> Result<Self, Fault> {
        let Value::Object(map) = value else { return Err(wrong(path, "must be a JSON object")) };
        let at = |key: &str| format!("{path}.{key}");
        let known = ["name", "type", "description", "required", "default", "at"];
        if let Some(key) = map.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(wrong(&at(key), "is not a known field"));
        }
        let name = map.get("name").and_then(Value::as_str).filter(|name| is_name(name));
        let name = name.ok_or_else(|| {
            let rule =
                "must be a name of letters, digits and _, no digit first, at most 64, and not __proto__";
            wrong(&at("name"), rule)
        })?;
        let kind = map.get("type").and_then(Value::as_str).and_then(ParameterType::of);
        let kind =
            kind.ok_or_else(|| wrong(&at("type"), "must be one of string, number, boolean, list, object"))?;
        let description = match map.get("description") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(_) => return Err(wrong(&at("description"), "must be a string")),
        };
        let default = map.get("default").filter(|value| !value.is_null()).cloned();
        if default.as_ref().is_some_and(|value| !kind.fits(value)) {
            return Err(wrong(&at("default"), kind.rule()));
        }
        let required = match map.get("required") {
            None | Some(Value::Null) => default.is_none(),
            Some(Value::Bool(required)) => *required && default.is_none(),
            Some(_) => return Err(wrong(&at("required"), "must be true or false")),
        };
        Ok(Self { name: name.to_owned(), kind, description, required, default })
    }

    /// A parameter that stands for a value.
    pub(super) fn of_value(name: &str, value: &Value) -> Option<Self> {
        let kind = ParameterType::of_value(value)?;
        let (name, default) = (name.to_owned(), Some(value.clone()));
        is_name(&name).then(|| Self { name, kind, description: String::new(), required: false, default })
    }

    /// Takes this default, where it has none of its own and the value fits.
    pub(super) fn or_default(&mut self, value: &Value) {
        if self.default.is_none() && self.kind.fits(value) {
            self.default = Some(value.clone());
            self.required = false;
        }
    }
}

/// The values of all parameters, in the order of the template: those given, defaults, and null for what may be
/// left out.
pub(super) fn values(
    template: &str,
    parameters: &[Parameter],
    given: &Map<String, Value>,
) -> Result<Map<String, Value>, Fault> {
    let known = |name: &str| parameters.iter().any(|one| one.name == name);
    if let Some(unknown) = given.keys().find(|name| !known(name)) {
        return Err(wrong(&format!("parameters.{unknown}"), &format!("is not a parameter of {template}")));
    }
    let mut values = Map::new();
    for one in parameters {
        let field = format!("parameters.{}", one.name);
        let value = match given.get(&one.name).filter(|value| !value.is_null()) {
            Some(value) if one.kind.fits(value) => value.clone(),
            Some(_) => return Err(wrong(&field, one.kind.rule())),
            None if one.required => return Err(wrong(&field, "is required")),
            None => one.default.clone().unwrap_or(Value::Null),
        };
        values.insert(one.name.clone(), value);
    }
    Ok(values)
}

/// Values with which a template can be tried out.
pub(super) fn samples(parameters: &[Parameter]) -> Map<String, Value> {
    let sample = |one: &Parameter| one.default.clone().unwrap_or_else(|| one.kind.sample());
    parameters.iter().map(|one| (one.name.clone(), sample(one))).collect()
}

/// `__proto__` would be no member like others.
fn is_name(name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.len() <= LONGEST
        && name.chars().all(word)
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name != "__proto__"
}

/// A rule about a field, told with its name.
pub(super) fn wrong(field: &str, rule: &str) -> Fault {
    faults::wrong(field, format!("{field} {rule}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_are_words() {
        for good in ["a", "_", "A9_z", "constructor", &"x".repeat(64)] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", "9a", "a-b", "é", "__proto__", &"x".repeat(65)] {
            assert!(!is_name(bad), "{bad}");
        }
    }

    #[test]
    fn a_parameter_must_be_given_unless_it_has_a_default_or_says_otherwise() {
        let check = |more: Value, expected: Result<Value, &str>| {
            let mut one = json!({"name": "limit", "type": "number"});
            one.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            let all = Parameter::parse_all(Some(&json!([one]))).expect("sound");
            let values = values("t", &all, &Map::new()).map(|values| values["limit"].clone());
            assert_eq!(values.map_err(|fault| fault.message), expected.map_err(str::to_owned), "{one}");
        };
        let missing = || Err("parameters.limit is required");
        check(json!({}), missing());
        check(json!({"required": null}), missing());
        check(json!({"required": true}), missing());
        check(json!({"required": false}), Ok(Value::Null));
        check(json!({"default": 5}), Ok(json!(5)));
        check(json!({"default": 5, "required": true}), Ok(json!(5)));
    }
}
