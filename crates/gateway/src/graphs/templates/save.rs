//! A workflow of the user's own, saved as a template.

use super::fill::{mark, unbind};
use super::parameter::{Parameter, wrong};
use model::{Fault, Workflow};
use serde_json::{Map, Value};

/// The body of a template that is made of a workflow. `given` names it, describes it and says what it asks for.
/// Parameters that an earlier template left in scripts are found without that.
pub(super) fn body(workflow: &Workflow, given: &Map<String, Value>) -> Result<Map<String, Value>, Fault> {
    let mut definition = Value::Object(workflow.definition()?);
    let mut parameters = Parameter::parse_all(given.get("parameters"))?;
    let listed = given.get("parameters").is_some_and(|list| !list.is_null());
    let known = |name: &str| !listed || parameters.iter().any(|one| one.name == name);
    let bound = unbind(&mut definition, &known);
    if listed {
        for one in &mut parameters {
            bound.get(&one.name).into_iter().for_each(|value| one.or_default(value));
        }
    } else {
        parameters = bound.iter().filter_map(|(name, value)| Parameter::of_value(name, value)).collect();
    }
    settle(&mut parameters, given.get("parameters"), &mut definition)?;
    let mut body = Map::new();
    body.insert(
        "name".into(),
        given
            .get("name")
            .filter(|name| !name.is_null())
            .cloned()
            .unwrap_or_else(|| workflow.name.as_str().into()),
    );
    let description = given.get("description").filter(|text| !text.is_null()).cloned();
    body.insert("description".into(), description.unwrap_or_else(|| workflow.description.clone().into()));
    body.insert("parameters".into(), serde_json::to_value(parameters).expect("parameters are plain data"));
    body.insert("workflow".into(), definition);
    Ok(body)
}

/// Puts parameters where their values stand: `at` of one in the `given` list names its places, as JSON pointers into the
/// definition. What stands there becomes the default.
pub(super) fn settle(
    parameters: &mut [Parameter],
    given: Option<&Value>,
    definition: &mut Value,
) -> Result<(), Fault> {
    let given = given.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for (place, (one, given)) in parameters.iter_mut().zip(given).enumerate() {
        for (number, pointer) in places(given, place)?.into_iter().enumerate() {
            let spot = definition.pointer_mut(pointer).filter(|_| !pointer.is_empty());
            let spot = spot.ok_or_else(|| {
                let rule =
                    "leads to nothing in the workflow; it is a JSON pointer such as /nodes/1/data/label";
                wrong(&format!("parameters[{place}].at[{number}]"), rule)
            })?;
            let mark = mark(&one.name);
            // A definition may have its mark already, which is no value.
            if *spot != mark {
                one.or_default(spot);
                *spot = mark;
            }
        }
    }
    Ok(())
}

fn places(parameter: &Value, place: usize) -> Result<Vec<&str>, Fault> {
    let wrong = || wrong(&format!("parameters[{place}].at"), "must be a list of JSON pointers");
    match parameter.get("at") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(all)) => all.iter().map(|one| one.as_str().ok_or_else(wrong)).collect(),
        Some(_) => Err(wrong()),
    }
}
