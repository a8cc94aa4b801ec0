//! Reading of a step, groups and branches included (spec 4.3, 4.7 and 5.2).

use super::{Members, Read, activity, join, wrong};
use crate::session::{Activity, Approve, Approvers, Branches, PredicateBranch, Step, WaitFor};
use serde_json::Value;
use std::collections::BTreeSet;

const FIELDS: [&str; 11] = [
    "activity",
    "parallel",
    "input",
    "optional",
    "condition",
    "inputMapper",
    "branches",
    "approve",
    "waitFor",
    "compensate",
    "onUnknown",
];

/// What stands at the members of a group and not at the group.
const OF_MEMBERS: [&str; 3] = ["inputMapper", "compensate", "onUnknown"];

/// What stands at the group and not at its members.
const OF_GROUPS: [&str; 4] = ["condition", "branches", "approve", "waitFor"];

/// The most members of a group.
const MEMBERS_MAX: usize = 100;

/// Reads and checks a step that stands at `path`.
pub(crate) fn step(value: &Value, path: &str) -> Read<Step> {
    let given = Members::of(value, path, &FIELDS)?;
    let parallel = match given.get("parallel") {
        None => Vec::new(),
        Some(members) => group(&given, members)?,
    };
    let activity = given.name("activity", Activity::NAME_MAX)?;
    if activity.is_none() && parallel.is_empty() {
        return Err(wrong(path, "must have either 'activity' or 'parallel'"));
    }
    Ok(Step {
        activity: activity.unwrap_or_default(),
        parallel,
        input: given.bounded("input")?,
        optional: given.flag("optional")?,
        condition: given.script("condition")?,
        input_mapper: given.script("inputMapper")?,
        branches: given.get("branches").map(|value| branches(value, &join(path, "branches"))).transpose()?,
        approve: given.get("approve").map(|value| approve(value, &join(path, "approve"))).transpose()?,
        wait_for: given.get("waitFor").map(|value| wait_for(value, &join(path, "waitFor"))).transpose()?,
        compensate: given.name("compensate", Activity::NAME_MAX)?,
        on_unknown: activity::on_unknown(&given)?,
    })
}

/// The members of a group, each an activity of its own.
fn group(given: &Members<'_>, members: &Value) -> Read<Vec<Step>> {
    let path = &join(given.path, "parallel");
    if given.get("activity").is_some() {
        return Err(wrong(given.path, "has both 'activity' and 'parallel'; remove one"));
    }
    if let Some(key) = OF_MEMBERS.iter().find(|key| given.get(key).is_some()) {
        return Err(given.wrong(key, "does not belong to a group; put it on a member"));
    }
    let Value::Array(members) = members else { return Err(wrong(path, "must be a list of steps")) };
    if members.is_empty() {
        return Err(wrong(path, "must have at least one step"));
    }
    if members.len() > MEMBERS_MAX {
        return Err(wrong(path, &format!("has too many steps (at most {MEMBERS_MAX})")));
    }
    let mut seen = BTreeSet::new();
    let mut steps = Vec::with_capacity(members.len());
    for (i, value) in members.iter().enumerate() {
        let path = format!("{path}[{i}]");
        let at = |key: &str, rule: &str| wrong(&join(&path, key), rule);
        if value.get("parallel").is_some_and(|inner| !inner.is_null()) {
            return Err(at("parallel", "stands inside another group; a group has no groups in it"));
        }
        let is_given = |key: &&&str| value.get(**key).is_some_and(|value| !value.is_null());
        if let Some(key) = OF_GROUPS.iter().find(is_given) {
            return Err(at(key, "does not belong to a member of a group; put it on the group"));
        }
        let step = step(value, &path)?;
        if !seen.insert(step.activity.clone()) {
            return Err(at("activity", "is that of another member; every member has its own activity"));
        }
        steps.push(step);
    }
    Ok(steps)
}

fn branches(value: &Value, path: &str) -> Read<Branches> {
    match value {
        Value::Object(patterns) => {
            for (pattern, target) in patterns {
                let path = join(path, &format!("'{pattern}'"));
                let given = Members::of(target, &path, &["toolName", "parameters"])?;
                given.required("toolName", given.line("toolName")?)?;
                given.object("parameters")?;
            }
            Ok(Branches::Patterns(patterns.clone()))
        }
        Value::Array(list) => {
            let read = |(i, value)| predicate(value, &format!("{path}[{i}]"));
            list.iter().enumerate().map(read).collect::<Read<_>>().map(Branches::Predicates)
        }
        _ => Err(wrong(path, "must be a map of patterns, or a list of {when, call}")),
    }
}

fn predicate(value: &Value, path: &str) -> Read<PredicateBranch> {
    let given = Members::of(value, path, &["when", "call", "with", "description"])?;
    Ok(PredicateBranch {
        when: given.required("when", given.script("when")?)?,
        call: given.required("call", given.line("call")?)?,
        with: given.object("with")?,
        description: given.text("description")?.map(str::to_owned),
    })
}

fn approve(value: &Value, path: &str) -> Read<Approve> {
    if let Value::Bool(flag) = value {
        return Ok(Approve::Flag(*flag));
    }
    if !value.is_object() {
        return Err(wrong(path, "must be true, false, or an object with message, expiresMs and apiOnly"));
    }
    let given = Members::of(value, path, &["message", "expiresMs", "apiOnly"])?;
    Ok(Approve::Rules(Approvers {
        message: given.text("message")?.map(str::to_owned),
        expires_ms: given.time("expiresMs", 1)?,
        api_only: given.flag("apiOnly")?,
    }))
}

fn wait_for(value: &Value, path: &str) -> Read<WaitFor> {
    let given = Members::of(value, path, &["event", "filter", "timeoutMs", "onTimeout"])?;
    Ok(WaitFor {
        event: given.required("event", given.line("event")?)?,
        filter: given.script("filter")?,
        timeout_ms: given.time("timeoutMs", 1)?,
        on_timeout: given.word("onTimeout", &["fail", "continue"])?.unwrap_or_default(),
    })
}
