//! One template: a workflow with places for parameters.

use super::fill::{check, fill};
use super::parameter::{Parameter, samples, values, wrong};
use super::save::settle;
use crate::graphs::faults;
use model::{Fault, WorkflowDraft, WorkflowType};
use serde::Serialize;
use serde_json::{Map, Value};

/// What the gateway adds to a definition, and what no template has.
const ADDED: [&str; 7] = ["id", "enabled", "createdAt", "updatedAt", "revision", "valid", "reason"];

/// A template, in the form in which it is exported, imported and kept.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Template {
    /// What people call it.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it asks for.
    pub parameters: Vec<Parameter>,
    /// The definition of a workflow of any type. `{"$parameter": "<name>"}` in it is replaced by a value, and
    /// scripts read `parameters.<name>`.
    #[schema(value_type = Object)]
    pub workflow: Map<String, Value>,
}

impl Template {
    /// Reads and checks a template. `kinds` are the types that nodes may have.
    pub(super) fn parse(body: &Map<String, Value>, kinds: &[&str]) -> Result<Self, Fault> {
        let template = Self::read(body)?;
        template.try_out(kinds)?;
        Ok(template)
    }

    /// Reads a template, whatever its definition is.
    pub(super) fn read(body: &Map<String, Value>) -> Result<Self, Fault> {
        let name = match body.get("name") {
            Some(Value::String(name)) if !name.trim().is_empty() => name.clone(),
            None | Some(Value::Null | Value::String(_)) => return Err(wrong("name", "is required")),
            Some(_) => return Err(wrong("name", "must be a string")),
        };
        let description = match body.get("description") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(_) => return Err(wrong("description", "must be a string")),
        };
        let mut parameters = Parameter::parse_all(body.get("parameters"))?;
        let Some(Value::Object(workflow)) = body.get("workflow") else {
            return Err(wrong("workflow", "must be the definition of a workflow, a JSON object"));
        };
        let mut workflow = workflow.clone();
        workflow.retain(|key, _| !ADDED.contains(&key.as_str()));
        let mut workflow = Value::Object(workflow);
        settle(&mut parameters, body.get("parameters"), &mut workflow)?;
        let workflow = workflow.as_object_mut().map(std::mem::take).unwrap_or_default();
        Ok(Self { name, description, parameters, workflow })
    }

    /// Checks that it makes a workflow that can be stored.
    pub(super) fn try_out(&self, kinds: &[&str]) -> Result<(), Fault> {
        let known = |name: &str| self.parameters.iter().any(|one| one.name == name);
        check(&Value::Object(self.workflow.clone()), "workflow", &known)?;
        self.sample(kinds).map(drop)
    }

    /// The workflow that it makes with samples in the place of values that nobody gave, and those samples that are text.
    pub(super) fn sample(&self, kinds: &[&str]) -> Result<(WorkflowDraft, Vec<&str>), Fault> {
        let draft =
            self.draft(None, &samples(&self.parameters), kinds).map_err(|fault| in_workflow(&fault))?;
        let open = self.parameters.iter().filter(|one| one.default.is_none());
        Ok((draft, open.filter_map(|one| one.kind.sample_text()).collect()))
    }

    /// The workflow that it makes with these parameters. It is not active.
    pub(super) fn make(
        &self,
        name: Option<&str>,
        given: &Map<String, Value>,
        kinds: &[&str],
    ) -> Result<WorkflowDraft, Fault> {
        self.draft(name, &values(&self.name, &self.parameters, given)?, kinds)
    }

    fn draft(
        &self,
        name: Option<&str>,
        values: &Map<String, Value>,
        kinds: &[&str],
    ) -> Result<WorkflowDraft, Fault> {
        let mut definition = fill(&Value::Object(self.workflow.clone()), values);
        match (name, definition.get("name")) {
            (Some(name), _) => definition["name"] = name.into(),
            (None, None | Some(Value::Null)) => definition["name"] = self.name.as_str().into(),
            (None, Some(_)) => {}
        }
        Ok(WorkflowDraft::import(&definition.to_string(), kinds)?)
    }

    /// Which requests pass through what it makes; unknown where a parameter says so.
    pub(super) fn workflow_type(&self) -> Option<WorkflowType> {
        WorkflowType::of(self.workflow.get("workflowType")?.as_str()?)
    }

    /// Its JSON text, as `export` gives it and `import` takes it.
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a template is plain data")
    }
}

/// What is wrong with the workflow that a template makes.
pub(super) fn in_workflow(fault: &Fault) -> Fault {
    let field = fault.details.get("field").and_then(Value::as_str).unwrap_or_default();
    let message =
        format!("workflow: {}; parameters without a default were filled with samples", fault.message);
    faults::wrong(&format!("workflow.{field}"), message)
}

/// The members of a body.
pub(super) fn object(body: &str) -> Result<Map<String, Value>, Fault> {
    serde_json::from_str(body)
        .map_err(|error| faults::wrong("body", format!("body must be a JSON object: {error}")))
}
