//! Workflows that come with the product, to be made from parameters (spec 5.1).
//!
//! A cache of replies and a second attempt after a failure are not among them: every run starts afresh, and a
//! graph makes the call at most once, so neither could keep its promise.

mod make;
mod table;

use super::faults;
use crate::gateway::Gateway;
use crate::graphs::WorkflowView;
use model::{Fault, WorkflowDraft, WorkflowType};
use serde::Serialize;
use serde_json::{Map, Value};
use table::TABLE;

/// A template as the admin API shows it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Template {
    /// Its name in paths.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What it does.
    pub description: &'static str,
    /// Which requests pass through what it makes.
    pub workflow_type: WorkflowType,
    /// What it asks for.
    pub parameters: Vec<Parameter>,
}

/// Something that a template asks for.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Parameter {
    /// Its key in `parameters`.
    pub name: &'static str,
    /// `string`, `number`, `strings` or `object`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// What it is when it is left out; without one it must be given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub default: Option<Value>,
}

impl Gateway {
    /// The templates.
    pub fn templates(&self) -> Vec<Template> {
        TABLE.iter().map(table::Made::show).collect()
    }

    /// Makes a workflow from a template. It is an ordinary one, and not active.
    pub async fn create_from_template(&self, template: &str, body: &str) -> Result<WorkflowView, Fault> {
        let draft = draft(template, body)?;
        self.add_workflow(draft).await
    }
}

/// The workflow that a template makes of a body.
fn draft(template: &str, body: &str) -> Result<WorkflowDraft, Fault> {
    let made = TABLE.iter().find(|made| made.name == template);
    let made = made.ok_or_else(|| faults::unknown_template(template))?;
    let body: Map<String, Value> = serde_json::from_str(body)
        .map_err(|error| faults::wrong("body", format!("body must be a JSON object: {error}")))?;
    let name = match body.get("name") {
        None | Some(Value::Null) => made.title,
        Some(Value::String(name)) if !name.trim().is_empty() => name,
        Some(_) => return Err(faults::wrong("name", "name must be a string that is not blank")),
    };
    let given = match body.get("parameters") {
        None | Some(Value::Null) => &Map::new(),
        Some(Value::Object(given)) => given,
        Some(_) => return Err(faults::wrong("parameters", "parameters must be a JSON object")),
    };
    let text = make::workflow(made, name, &make::parameters(made, given)?).to_string();
    Ok(WorkflowDraft::import(&text, &workflow::KIND_NAMES)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Workflow;
    use serde_json::json;

    #[test]
    fn every_template_makes_a_workflow_that_can_be_activated() {
        assert_eq!(TABLE.len(), 8);
        for made in TABLE {
            let parameters = made.parameters.iter().filter(|one| one.default.is_none());
            let sample = |kind: &str| match kind {
                "string" => json!("s"),
                "number" => json!(5),
                "strings" => json!(["a"]),
                _ => json!({"k": 1}),
            };
            let given: Map<_, _> = parameters.map(|one| (one.name.to_owned(), sample(one.kind))).collect();
            let draft = draft(made.name, &json!({"parameters": given}).to_string()).expect(made.name);
            let problems = workflow::validate(&Workflow::new("w".into(), draft, 0));
            assert_eq!(problems, [], "{}", made.name);
        }
    }

    #[test]
    fn parameters_that_are_wrong_missing_or_unknown_are_named() {
        for (body, expected) in [
            (json!({}), "parameters.tools is required"),
            (json!({"parameters": {"tools": "a"}}), "parameters.tools must be a list of strings"),
            (
                json!({"parameters": {"tools": ["a"], "x": 1}}),
                "parameters.x is not a parameter of allow-list",
            ),
            (json!({"parameters": []}), "parameters must be a JSON object"),
            (json!({"name": " ", "parameters": {"tools": []}}), "name must be a string that is not blank"),
        ] {
            assert_eq!(draft("allow-list", &body.to_string()).expect_err("wrong").message, expected);
        }
        assert_eq!(draft("nothing", "{}").expect_err("unknown").message, "Template 'nothing' not found");
    }
}
