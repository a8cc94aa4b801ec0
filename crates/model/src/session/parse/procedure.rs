//! Reading of a session workflow as a list of steps (spec 4.4 and 4.9).

use super::{Members, Read, join, name_rule, step, wrong};
use crate::WorkflowError;
use crate::session::{Face, Procedure, Step, Terms, Tools};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The most steps of a session workflow.
pub(crate) const STEPS_MAX: usize = 1000;

/// What holds for the workflow as a whole.
pub(crate) const TERMS: [&str; 6] =
    ["timeout", "timeoutScope", "tools", "onSuccess", "onFailure", "onComplete"];

impl Procedure {
    /// Reads and checks a session workflow that stands at `path`, which may be empty. The first rule broken is
    /// the error. Whether its scripts compile and what it names exists is not looked at.
    pub fn parse(value: &Value, path: &str) -> Read<Self> {
        let known: Vec<&str> = ["name", "description", "steps"].into_iter().chain(TERMS).collect();
        let given = Members::of(value, path, &known)?;
        let name = given.required("name", given.name("name", Self::NAME_MAX)?)?;
        let description = given.text("description")?.unwrap_or_default().to_owned();
        let steps = steps(given.get("steps"), &join(path, "steps"))?;
        Ok(terms(given.map, path)?.procedure(name, description, steps))
    }
}

/// Checks the name of a session workflow.
pub(crate) fn check_procedure_name(name: &str) -> Read<()> {
    name_rule(name, Procedure::NAME_MAX).map_err(|rule| wrong("name", &rule))
}

/// The error of a workflow without steps.
pub(crate) fn no_steps(path: &str) -> WorkflowError {
    WorkflowError::new(path, "Workflow must have at least one step")
}

/// The error of a workflow with more steps than [`STEPS_MAX`].
pub(crate) fn too_many_steps(path: &str) -> WorkflowError {
    wrong(path, &format!("has too many steps (at most {STEPS_MAX})"))
}

/// Reads and checks the steps that stand at `path`.
pub(crate) fn steps(value: Option<&Value>, path: &str) -> Read<Vec<Step>> {
    let list = match value {
        None | Some(Value::Null) => &[][..],
        Some(Value::Array(list)) => list,
        Some(_) => return Err(wrong(path, "must be a list of steps")),
    };
    if list.is_empty() {
        return Err(no_steps(path));
    }
    if list.len() > STEPS_MAX {
        return Err(too_many_steps(path));
    }
    list.iter().enumerate().map(|(i, value)| step(value, &format!("{path}[{i}]"))).collect()
}

/// Reads and checks the terms among the members of an object that stands at `path`.
pub(crate) fn terms(map: &Map<String, Value>, path: &str) -> Read<Terms> {
    let given = Members { map, path };
    Ok(Terms {
        timeout: given.time("timeout", 1)?,
        timeout_scope: given.word("timeoutScope", &["wall", "active"])?,
        tools: given.get("tools").map(|value| tools(value, &join(path, "tools"))).transpose()?,
        on_success: given.script("onSuccess")?,
        on_failure: given.script("onFailure")?,
        on_complete: given.script("onComplete")?,
    })
}

fn tools(value: &Value, path: &str) -> Read<Tools> {
    let given = Members::of(value, path, &["expose", "titles"])?;
    let expose = match given.get("expose") {
        None => None,
        Some(Value::Array(words)) => {
            let read = |(i, word): (usize, &Value)| {
                let face = word.as_str().and_then(Face::of);
                let rule = format!("must be one of {}", Face::WORDS.join(", "));
                face.ok_or_else(|| wrong(&format!("{path}.expose[{i}]"), &rule))
            };
            Some(words.iter().enumerate().map(read).collect::<Read<_>>()?)
        }
        Some(_) => {
            return Err(given.wrong("expose", &format!("must be a list of {}", Face::WORDS.join(", "))));
        }
    };
    let mut titles = BTreeMap::new();
    if let Some(value) = given.get("titles") {
        let path = &join(path, "titles");
        let given = Members::of(value, path, &Face::WORDS)?;
        for face in Face::ALL {
            titles.extend(given.line(face.word())?.map(|title| (face, title)));
        }
    }
    Ok(Tools { expose, titles })
}
