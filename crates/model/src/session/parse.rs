//! Definitions from values, with errors that name the field at fault. Messages say what a value must be and
//! never what it is: it may be a secret.

mod activity;
mod http;
mod procedure;
mod step;
#[cfg(test)]
mod tests;

pub(crate) use procedure::{STEPS_MAX, TERMS, check_procedure_name, no_steps, steps, terms, too_many_steps};
pub(crate) use step::step;

use crate::names::{NameError, check_name};
use crate::text::{nearest, shown};
use crate::{SCRIPT_MAX, WorkflowError};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The most bytes of a schema or of a constant input, as JSON.
pub const SCHEMA_MAX: usize = 65_536;

/// The most milliseconds of any time: a year.
pub const TIME_MAX: u64 = 365 * 24 * 3_600_000;

/// The longest name of a tool, an event or a title, in characters.
const TEXT_MAX: usize = 256;

type Read<T> = Result<T, WorkflowError>;

/// The path of a member.
fn join(path: &str, key: &str) -> String {
    if path.is_empty() { shown(key) } else { format!("{path}.{}", shown(key)) }
}

/// An error at a path; `rule` is read after it.
fn wrong(path: &str, rule: &str) -> WorkflowError {
    let path = if path.is_empty() { "body" } else { path };
    WorkflowError::new(path, format!("{path} {rule}"))
}

/// The refusal of a member that is none of the known ones.
pub(crate) fn unknown(path: &str, key: &str, known: &[&str]) -> WorkflowError {
    let hint = nearest(key, known.iter().copied());
    let hint = hint.map(|name| format!(" (did you mean '{name}'?)"));
    let hint = hint.unwrap_or_else(|| format!("; known are {}", known.join(", ")));
    wrong(&join(path, key), &format!("is not a known field{hint}"))
}

/// The members of an object that stands at a path. Null counts as absent.
struct Members<'a> {
    map: &'a Map<String, Value>,
    path: &'a str,
}

impl<'a> Members<'a> {
    /// The members of `value`, which must be an object with no others than the known ones.
    fn of(value: &'a Value, path: &'a str, known: &[&str]) -> Read<Self> {
        let Value::Object(map) = value else { return Err(wrong(path, "must be an object")) };
        if let Some(key) = map.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(unknown(path, key, known));
        }
        Ok(Self { map, path })
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    fn wrong(&self, key: &str, rule: &str) -> WorkflowError {
        wrong(&join(self.path, key), rule)
    }

    fn read<T>(&self, key: &str, rule: &str, read: impl Fn(&'a Value) -> Option<T>) -> Read<Option<T>> {
        self.get(key).map(|value| read(value).ok_or_else(|| self.wrong(key, rule))).transpose()
    }

    fn text(&self, key: &str) -> Read<Option<&'a str>> {
        self.read(key, "must be a string", Value::as_str)
    }

    /// A text with something in it, on one line, of bounded length.
    fn line(&self, key: &str) -> Read<Option<String>> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        if text.trim().is_empty() {
            return Err(self.wrong(key, "must not be empty"));
        }
        if text.chars().count() > TEXT_MAX {
            return Err(self.wrong(key, &format!("exceeds maximum length ({TEXT_MAX} characters)")));
        }
        match text.chars().any(char::is_control) {
            true => Err(self.wrong(key, "must not contain line breaks or control characters")),
            false => Ok(Some(text.to_owned())),
        }
    }

    /// The body of a script, or an expression.
    fn script(&self, key: &str) -> Read<Option<String>> {
        match self.text(key)? {
            Some(text) if text.trim().is_empty() => {
                Err(self.wrong(key, "must not be empty; leave it out instead"))
            }
            Some(text) if text.len() > SCRIPT_MAX => {
                Err(self.wrong(key, &format!("exceeds maximum size ({SCRIPT_MAX} bytes)")))
            }
            text => Ok(text.map(str::to_owned)),
        }
    }

    /// A name under the one rule for names.
    fn name(&self, key: &str, max: usize) -> Read<Option<String>> {
        let Some(name) = self.text(key)? else { return Ok(None) };
        name_rule(name, max).map_err(|rule| self.wrong(key, &rule))?;
        Ok(Some(name.to_owned()))
    }

    fn flag(&self, key: &str) -> Read<bool> {
        Ok(self.read(key, "must be true or false", Value::as_bool)?.unwrap_or(false))
    }

    /// Milliseconds, from `least` to a year.
    fn time(&self, key: &str, least: u64) -> Read<Option<u64>> {
        self.integer(key, least, TIME_MAX)
    }

    fn integer(&self, key: &str, least: u64, most: u64) -> Read<Option<u64>> {
        let rule = format!("must be an integer between {least} and {most}");
        self.read(key, &rule, |value| crate::whole(value).filter(|n| (least..=most).contains(n)))
    }

    fn word<T: DeserializeOwned>(&self, key: &str, words: &[&str]) -> Read<Option<T>> {
        let rule = format!("must be one of {}", words.join(", "));
        self.read(key, &rule, |value| T::deserialize(value).ok())
    }

    fn object(&self, key: &str) -> Read<Map<String, Value>> {
        let read = self.read(key, "must be an object", |value| value.as_object().cloned());
        Ok(read?.unwrap_or_default())
    }

    fn schema(&self, key: &str) -> Read<Option<Value>> {
        match self.bounded(key)? {
            Some(schema) if !schema.is_object() && !schema.is_boolean() => {
                Err(self.wrong(key, "must be a JSON Schema: an object, true or false"))
            }
            schema => Ok(schema),
        }
    }

    /// Any value that is not too large.
    fn bounded(&self, key: &str) -> Read<Option<Value>> {
        match self.get(key) {
            Some(value) if value.to_string().len() > SCHEMA_MAX => {
                Err(self.wrong(key, &format!("exceeds maximum size ({SCHEMA_MAX} bytes)")))
            }
            value => Ok(value.cloned()),
        }
    }

    fn required<T>(&self, key: &str, value: Option<T>) -> Read<T> {
        value.ok_or_else(|| self.wrong(key, "is required"))
    }
}

/// What is wrong with a name, to be read after its path.
fn name_rule(name: &str, max: usize) -> Result<(), String> {
    check_name(name, max).map_err(|error| match error {
        NameError::Missing => "is required".into(),
        NameError::TooLong(max) => format!("exceeds maximum length ({max} characters)"),
        NameError::Characters => "contains invalid characters (use a-z, A-Z, 0-9, - and _)".into(),
    })
}
