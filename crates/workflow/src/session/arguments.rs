//! What the arguments of the tools of session workflows say (spec 4.5).

use super::engine::{Approval, Continue, Ear, Engine, Start, Steps};
use super::input::{LEVELS, fits, object_fits};
use super::plan::Plan;
use serde_json::{Map, Value};

/// The key under which a client names a call that it may repeat.
pub const KEY: &str = "lockgate/idempotencyKey";

/// How the names of all members of `_meta` begin that concern a session.
pub const PREFIX: &str = "lockgate/";

/// The key under which a client says how many steps one call may run.
pub const STEPS: &str = "lockgate/maxSteps";

/// The argument that says the same, unless the activity has one of that name itself.
pub const MAX_STEPS: &str = "maxSteps";

/// A start of this workflow, from the arguments of its tool, or what is wrong with them.
pub fn start(
    plan: Option<&Plan>,
    mut arguments: Map<String, Value>,
    meta: &Map<String, Value>,
    client: &str,
    ear: Option<Ear>,
) -> Result<Start, &'static str> {
    // Before the choice of this start is noted: what is refused chooses nothing.
    check_levels(&arguments)?;
    let key = arguments.shift_remove("idempotencyKey").or_else(|| meta.get(KEY).cloned());
    let key = match key {
        None | Some(Value::Null) => None,
        Some(Value::String(key)) if (1..=256).contains(&key.chars().count()) => Some(format!("key:{key}")),
        Some(_) => return Err("idempotencyKey must be a text of 1 to 256 characters."),
    };
    let own = plan.is_some_and(|plan| plan.takes(0, MAX_STEPS));
    let steps = steps(&mut arguments, meta, own)?;
    Ok(Start {
        client_id: client.to_owned(),
        input: Value::Object(arguments),
        key,
        steps,
        whole: false,
        parent: None,
        schedule: None,
        ear,
    })
}

/// A continue, from the arguments of its tool, or what is wrong with them. Whatever is not named here is for the
/// step. How many steps it may run is asked of [`limited`].
pub fn proceed(mut arguments: Map<String, Value>, ear: Option<Ear>) -> Result<Continue, &'static str> {
    check_levels(&arguments)?;
    let session = match arguments.shift_remove("sessionId") {
        None | Some(Value::Null) => None,
        Some(Value::String(id)) => Some(id),
        Some(_) => return Err("sessionId must be a text."),
    };
    let expected = expected(arguments.shift_remove("expectedStep").as_ref())?;
    let approval = arguments.get("approval").and_then(|given| {
        Some(Approval {
            digest: given.get("digest")?.as_str()?.to_owned(),
            allow: given.get("allow")?.as_bool()?,
            reason: given.get("reason").and_then(Value::as_str).map(str::to_owned),
            by: "tool".into(),
            over_api: false,
        })
    });
    let resolve = arguments.get("resolve").and_then(Value::as_str).map(str::to_owned);
    let doubt = arguments.get("doubt").filter(|_| resolve.is_some()).and_then(Value::as_i64);
    let result = arguments.shift_remove("result");
    Ok(Continue {
        session,
        result,
        expected,
        arguments,
        approval,
        resolve,
        doubt,
        ear,
        ..Continue::default()
    })
}

/// The continue with the number of steps that it may run, or what is wrong with that.
pub async fn limited(
    engine: &Engine,
    workflow: &str,
    mut request: Continue,
    meta: &Map<String, Value>,
) -> Result<Continue, &'static str> {
    let given = request.arguments.contains_key(MAX_STEPS);
    let own = given && engine.takes(workflow, &request, MAX_STEPS).await;
    request.steps = steps(&mut request.arguments, meta, own)?;
    Ok(request)
}

/// Whether a cancel undoes what was done, from the arguments of its tool, or what is wrong with them.
pub fn compensates(arguments: &Map<String, Value>) -> Result<bool, &'static str> {
    match arguments.get("compensate") {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(compensate)) => Ok(*compensate),
        Some(_) => Err("compensate must be true or false."),
    }
}

/// The step that a pause means, from the arguments of its tool, or what is wrong with them.
pub fn pauses_at(arguments: &Map<String, Value>) -> Result<Option<usize>, &'static str> {
    expected(arguments.get("expectedStep"))
}

fn expected(step: Option<&Value>) -> Result<Option<usize>, &'static str> {
    match step {
        None | Some(Value::Null) => Ok(None),
        Some(step) => count(step).map(Some).ok_or("expectedStep must be an integer from 0."),
    }
}

/// An integer from 0, as JSON Schema counts: 1.0 is one too.
fn count(value: &Value) -> Option<usize> {
    usize::try_from(model::whole(value)?).ok()
}

/// Whether a value that comes from outside can be kept: it may have 100 levels of nesting.
pub fn can_be_kept(value: &Value) -> bool {
    fits(value, LEVELS)
}

fn check_levels(arguments: &Map<String, Value>) -> Result<(), &'static str> {
    match object_fits(arguments) {
        true => Ok(()),
        false => Err("arguments are nested too deeply; 100 levels are the most."),
    }
}

/// How many steps one call may run: a number, or `all`. An argument of the activity's `own` says nothing about that.
fn steps(
    arguments: &mut Map<String, Value>,
    meta: &Map<String, Value>,
    own: bool,
) -> Result<Steps, &'static str> {
    let given = if own { None } else { arguments.shift_remove(MAX_STEPS) };
    match given.or_else(|| meta.get(STEPS).cloned()) {
        None | Some(Value::Null) => Ok(Steps::One),
        Some(Value::String(word)) if word == "all" => Ok(Steps::All),
        Some(number) => match count(&number) {
            Some(most) if most > 0 => Ok(Steps::Most(most)),
            _ => Err("maxSteps must be an integer from 1, or all."),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_stays_among_the_arguments_for_a_step_that_takes_one_of_that_name() {
        let given =
            json!({"resolve": "nonsense", "doubt": 7, "approval": {"digest": "d", "allow": true}, "a": 1});
        let given = given.as_object().cloned().expect("an object");
        let read = proceed(given.clone(), None).expect("good arguments");
        assert_eq!((read.resolve.as_deref(), read.doubt), (Some("nonsense"), Some(7)));
        assert_eq!(read.approval.map(|approval| approval.digest).as_deref(), Some("d"));
        assert_eq!(read.arguments, given);
    }

    #[test]
    fn a_key_is_measured_in_characters() {
        for (key, good) in [("", false), ("日", true), (&"日".repeat(256), true), (&"k".repeat(257), false)]
        {
            let arguments = Map::from_iter([("idempotencyKey".to_owned(), json!(key))]);
            assert_eq!(start(None, arguments, &Map::new(), "me", None).is_ok(), good, "{key}");
        }
    }

    #[test]
    fn a_step_is_named_by_an_integer_however_it_is_written() {
        for (given, expected) in [
            (json!(1), Ok(Some(1))),
            (json!(1.0), Ok(Some(1))),
            (json!(null), Ok(None)),
            (json!(1.5), Err("expectedStep must be an integer from 0.")),
            (json!(-1.0), Err("expectedStep must be an integer from 0.")),
            (json!("1"), Err("expectedStep must be an integer from 0.")),
        ] {
            let arguments = Map::from_iter([("expectedStep".to_owned(), given)]);
            let read = proceed(arguments, None).map(|request| request.expected);
            assert_eq!(read, expected);
        }
        let arguments = Map::from_iter([("maxSteps".to_owned(), json!(2.0))]);
        let read = start(None, arguments, &Map::new(), "me", None).map(|start| start.steps);
        assert_eq!(read, Ok(Steps::Most(2)));
    }
}
