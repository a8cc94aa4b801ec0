//! What a value of the file may be, as data, and the check that names the field at fault.
//!
//! Messages say what the value must be and never what it is: it may be a secret.

use model::FieldError;
use model::text::{nearest, shown};
use serde_json::{Map, Value};

/// A rule for one string: what it must be, when it is not.
pub(crate) type TextRule = fn(&str) -> Option<&'static str>;

/// The members of a map, by name.
pub(crate) type Fields = &'static [(&'static str, Shape)];

/// What a value may be.
pub(crate) enum Shape {
    /// `true` or `false`.
    Flag,
    /// An integer from the first to the second.
    Integer(u64, u64),
    /// An integer above 0, whose upper bound is checked elsewhere.
    Positive,
    /// 0, or an integer from the first to the second.
    ZeroOr(u64, u64),
    /// An integer from 0 to the second; above 0 it needs the member named first to be above 0 too.
    Beside(&'static str, u64),
    /// A number from 0 to 1.
    Part,
    /// One of two integers.
    Either(u64, u64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of these words.
    Words(&'static [&'static str]),
    /// A string under a rule.
    Text(TextRule),
    /// A list of strings under a rule.
    Texts(TextRule),
    /// A list of strings, or one string.
    Line,
    /// A map of strings.
    Strings,
    /// A list of maps that have all of these members, named as in the text.
    Records(Fields, &'static str),
    /// A map with these members.
    Section(Fields),
    /// A map of names to maps with these members.
    Each(Fields),
    /// Checked by its own code.
    Elsewhere,
}

/// How many calls may pass.
pub(crate) const BOUNDS: Fields =
    &[("rate", Shape::Section(RATE)), ("concurrency", Shape::Integer(0, MANY)), ("queue", QUEUE)];

/// How many may wait for one of those that run to end.
pub(crate) const QUEUE: Shape = Shape::Beside("concurrency", MANY);

/// How many in a second.
pub(crate) const RATE: Fields =
    &[("perSecond", Shape::Integer(0, MANY)), ("burst", Shape::Beside("perSecond", MANY))];

/// More calls than any gateway sees at once.
pub(crate) const MANY: u64 = 10_000_000;

/// Any string.
pub(crate) fn any(_: &str) -> Option<&'static str> {
    None
}

/// A string with something in it.
pub(crate) fn filled(text: &str) -> Option<&'static str> {
    text.trim().is_empty().then_some("must not be empty")
}

/// The name of an environment variable.
pub(crate) fn variable(text: &str) -> Option<&'static str> {
    let wrong = text.is_empty() || text.contains(['=', '\0']) || text.contains(char::is_whitespace);
    wrong.then_some("must be the name of an environment variable")
}

const QUOTE: &str = "must be a string (put it in quotes)";

/// Checks that `map` has known members only, each of its shape.
pub(crate) fn check_map(fields: Fields, path: &str, map: &Map<String, Value>) -> Result<(), FieldError> {
    for key in map.keys() {
        if !fields.iter().any(|(name, _)| name == key) {
            return Err(unknown(fields, path, key));
        }
    }
    for (name, shape) in fields {
        if let Some(value) = map.get(*name) {
            check(shape, &join(path, name), value)?;
            check_beside(shape, &join(path, name), value, map)?;
        }
    }
    Ok(())
}

/// Checks that what means nothing alone does not stand alone.
fn check_beside(
    shape: &Shape,
    path: &str,
    value: &Value,
    map: &Map<String, Value>,
) -> Result<(), FieldError> {
    let counts = |value: &Value| value.as_u64() != Some(0);
    match shape {
        Shape::Beside(other, _) if counts(value) && !map.get(*other).is_some_and(counts) => {
            Err(FieldError::new(path, format!("needs '{other}' above 0 beside it")))
        }
        _ => Ok(()),
    }
}

fn unknown(fields: Fields, path: &str, key: &str) -> FieldError {
    let hint = nearest(key, fields.iter().map(|(name, _)| *name));
    let hint = hint.map(|name| format!(" (did you mean '{name}'?)")).unwrap_or_default();
    FieldError::new(join(path, &shown(key)), format!("is not a known field{hint}"))
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Checks one value. An empty section or list (`key:` with nothing) counts as absent.
fn check(shape: &Shape, path: &str, value: &Value) -> Result<(), FieldError> {
    let must = |message: &str| Err(FieldError::new(path, message));
    match (shape, value) {
        (Shape::Elsewhere, _) | (Shape::Flag, Value::Bool(_)) | (Shape::Line, Value::String(_)) => Ok(()),
        (Shape::Flag, _) => must("must be true or false"),
        (Shape::Beside(_, max), _) => check_number(&Shape::Integer(0, *max), path, value),
        (Shape::Integer(..) | Shape::Positive | Shape::ZeroOr(..) | Shape::Either(..), _) => {
            check_number(shape, path, value)
        }
        (Shape::Part, _) if value.as_f64().is_some_and(|part| (0.0..=1.0).contains(&part)) => Ok(()),
        (Shape::Part, _) => must("must be a number from 0 to 1"),
        (Shape::Word(words), _) => check_word(words, path, value),
        (Shape::Text(rule), _) => check_text(*rule, path, value),
        (Shape::Section(fields), Value::Object(map)) => check_map(fields, path, map),
        (Shape::Strings, Value::Object(map)) => {
            let each = |(key, item): (&String, &Value)| check_text(any, &join(path, &shown(key)), item);
            map.iter().try_for_each(each)
        }
        (Shape::Each(fields), Value::Object(map)) => map
            .iter()
            .try_for_each(|(key, item)| check(&Shape::Section(fields), &join(path, &shown(key)), item)),
        (Shape::Section(_) | Shape::Strings | Shape::Each(_), Value::Null) => Ok(()),
        (Shape::Section(_), _) => must("must be a map of settings"),
        (Shape::Strings, _) => must("must be a map of names to values"),
        (Shape::Each(_), _) => must("must be a map of names to settings"),
        (_, Value::Array(items)) => check_list(shape, path, items),
        (_, Value::Null) => Ok(()),
        (Shape::Records(_, text), _) => must(&format!("must be a list of {text}")),
        (Shape::Words(words), _) => must(&format!("must be a list of {}", words.join(", "))),
        (Shape::Line, _) => must("must be a list of strings, or one string"),
        (Shape::Texts(_), _) => must("must be a list of strings"),
    }
}

/// Whether no integer of ours holds a number: it is above every bound.
pub(crate) fn is_beyond(number: f64) -> bool {
    number >= u64::MAX as f64
}

fn check_number(shape: &Shape, path: &str, value: &Value) -> Result<(), FieldError> {
    let number = value.as_u64();
    let is = |test: &dyn Fn(u64) -> bool| number.is_some_and(test);
    let (fine, rule) = match *shape {
        Shape::Integer(min, max) => {
            (is(&|n| (min..=max).contains(&n)), format!("must be an integer between {min} and {max}"))
        }
        Shape::ZeroOr(min, max) => {
            (is(&|n| n == 0 || (min..=max).contains(&n)), format!("must be 0 or between {min} and {max}"))
        }
        Shape::Either(one, other) => (is(&|n| n == one || n == other), format!("must be {one} or {other}")),
        _ if value.as_f64().is_some_and(is_beyond) => (false, "is too large".to_owned()),
        _ => (is(&|n| n > 0), "must be a positive integer".to_owned()),
    };
    if fine { Ok(()) } else { Err(FieldError::new(path, rule)) }
}

fn check_word(words: &[&str], path: &str, value: &Value) -> Result<(), FieldError> {
    if value.as_str().is_some_and(|word| words.contains(&word)) {
        return Ok(());
    }
    let list = words.join(", ");
    Err(FieldError::new(
        path,
        if words.len() == 1 { format!("must be {list}") } else { format!("must be one of {list}") },
    ))
}

fn check_text(rule: TextRule, path: &str, value: &Value) -> Result<(), FieldError> {
    let problem = value.as_str().map_or(Some(QUOTE), rule);
    problem.map_or(Ok(()), |message| Err(FieldError::new(path, message)))
}

fn check_list(shape: &Shape, path: &str, items: &[Value]) -> Result<(), FieldError> {
    for (i, item) in items.iter().enumerate() {
        let path = format!("{path}[{i}]");
        match (shape, item) {
            (Shape::Words(words), _) => check_word(words, &path, item)?,
            (Shape::Texts(rule), _) => check_text(*rule, &path, item)?,
            (Shape::Records(fields, _), Value::Object(map)) => {
                check_map(fields, &path, map)?;
                if let Some((name, _)) = fields.iter().find(|(name, _)| !map.contains_key(*name)) {
                    return Err(FieldError::new(join(&path, name), "is required"));
                }
            }
            (Shape::Records(_, text), _) => return Err(FieldError::new(path, format!("must be {text}"))),
            _ => check_text(any, &path, item)?,
        }
    }
    Ok(())
}

/// Removes the empty members that [`check_map`] let pass, so that defaults take their place.
pub(crate) fn prune(map: &mut Map<String, Value>) {
    map.retain(|_, value| !value.is_null());
    map.values_mut().filter_map(Value::as_object_mut).for_each(prune);
}
