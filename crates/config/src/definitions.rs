//! `activities` and `workflows`: the definitions of session workflows in the file (spec 4.9).
//!
//! Scripts and expressions are never expanded: `${x}` in them is JavaScript.

use crate::expand::expand_all;
use crate::{Environment, Error};
use model::session::{self, Activity, Procedure};
use model::{FieldError, WorkflowError};
use serde_json::{Map, Value};

const CALLBACKS: [&str; 3] = ["onSuccess", "onFailure", "onComplete"];

/// The definitions of a file. Names in them lead to each other, and no workflow contains itself.
pub(crate) fn read(
    root: &Map<String, Value>,
    env: &Environment,
    expands_all: bool,
) -> Result<(Vec<Activity>, Vec<Procedure>), Error> {
    let expand_activity = if expands_all { activity } else { headers };
    let expand_workflow = if expands_all { workflow } else { |_: &mut Value, _: &Environment| {} };
    let activities = list(root, "activities", |mut value, path| {
        expand_activity(&mut value, env);
        Activity::parse(&value, path)
    })?;
    let procedures = list(root, "workflows", |mut value, path| {
        expand_workflow(&mut value, env);
        Procedure::parse(&value, path)
    })?;
    match session::check(&activities, &procedures).into_iter().next() {
        Some(error) => Err(refused(&error)),
        None => Ok((activities, procedures)),
    }
}

fn list<T>(
    root: &Map<String, Value>,
    name: &str,
    read: impl Fn(Value, &str) -> Result<T, WorkflowError>,
) -> Result<Vec<T>, Error> {
    let items = match root.get(name) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(Error::field_at(name, "must be a list")),
    };
    let one = |(i, item): (usize, &Value)| read(item.clone(), &format!("{name}[{i}]"));
    items.iter().enumerate().map(one).collect::<Result<_, _>>().map_err(|error| refused(&error))
}

/// The error as a line that begins with the path.
fn refused(error: &WorkflowError) -> Error {
    let rule = error.message.strip_prefix(error.field.as_str()).map(str::trim_start);
    let rule = rule.map_or_else(|| format!("is refused: {}", error.message), str::to_owned);
    Error::Field(FieldError::new(error.field.as_str(), rule))
}

/// Headers are expanded as those of servers are.
fn headers(activity: &mut Value, env: &Environment) {
    if let Some(headers) = activity.pointer_mut("/run/http/headers") {
        expand_all(headers, env);
    }
}

fn activity(value: &mut Value, env: &Environment) {
    each(value, |key, value| match key {
        _ if CALLBACKS.contains(&key) => {}
        "run" => except(value, &["script"], env),
        _ => expand_all(value, env),
    });
}

fn workflow(value: &mut Value, env: &Environment) {
    each(value, |key, value| match key {
        _ if CALLBACKS.contains(&key) => {}
        "steps" => steps(value, env),
        _ => expand_all(value, env),
    });
}

fn steps(list: &mut Value, env: &Environment) {
    for step in list.as_array_mut().into_iter().flatten() {
        each(step, |key, value| match (key, value) {
            ("condition" | "inputMapper", _) => {}
            ("parallel", value) => steps(value, env),
            ("branches", Value::Array(list)) => list.iter_mut().for_each(|one| except(one, &["when"], env)),
            ("waitFor", value) => except(value, &["filter"], env),
            (_, value) => expand_all(value, env),
        });
    }
}

/// Expands every member but these.
fn except(value: &mut Value, scripts: &[&str], env: &Environment) {
    each(value, |key, value| {
        if !scripts.contains(&key) {
            expand_all(value, env);
        }
    });
}

fn each(value: &mut Value, mut with: impl FnMut(&str, &mut Value)) {
    for (key, value) in value.as_object_mut().into_iter().flatten() {
        with(key, value);
    }
}

#[cfg(test)]
mod tests;
