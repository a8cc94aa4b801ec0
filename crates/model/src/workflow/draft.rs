//! What a user gives to create, to change or to import a workflow, and the rules it is held to (spec 3.3).

use super::written::{self, Item};
use super::{Edge, Node, WorkflowType, Written};
use crate::{Code, Fault};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};

/// The most nodes of a workflow.
pub const WORKFLOW_NODES_MAX: usize = 10_000;

/// The most bytes of a workflow's JSON.
pub const WORKFLOW_BYTES_MAX: usize = 8 << 20;

/// Which rule a workflow breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WorkflowError {
    /// Path of the field, such as `nodes[2].type`.
    pub field: String,
    /// The whole sentence.
    pub message: String,
}

impl WorkflowError {
    pub(super) fn new(field: &str, message: impl Into<String>) -> Self {
        Self { field: field.to_owned(), message: message.into() }
    }

    pub(super) fn at(path: &str, key: &str, rule: &str) -> Self {
        Self { field: format!("{path}.{key}"), message: format!("{path}.{key} {rule}") }
    }
}

impl From<WorkflowError> for Fault {
    fn from(error: WorkflowError) -> Self {
        Self::new(Code::ValidationError, error.message).with("field", error.field)
    }
}

/// What a user gives to create a workflow.
#[derive(Clone, Debug, PartialEq, utoipa::ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct WorkflowDraft {
    /// Not blank.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Which requests pass through it.
    pub workflow_type: WorkflowType,
    /// Whether it is to be activated at once; false by default.
    #[schema(required = false)]
    pub enabled: bool,
    /// Its nodes.
    #[schema(value_type = Vec<Object>)]
    pub nodes: Written<Node>,
    /// Its edges.
    #[schema(value_type = Vec<Object>)]
    pub edges: Written<Edge>,
}

/// What a user gives to change a workflow: the fields that change.
#[derive(Clone, Debug, Default, PartialEq, utoipa::ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct WorkflowPatch {
    /// Another name.
    pub name: Option<String>,
    /// Another description; null takes it away.
    #[schema(value_type = Option<String>)]
    pub description: Option<Option<String>>,
    /// Another type.
    pub workflow_type: Option<WorkflowType>,
    /// Whether it is to be active.
    pub enabled: Option<bool>,
    /// Other nodes.
    #[schema(value_type = Option<Vec<Object>>)]
    pub nodes: Option<Written<Node>>,
    /// Other edges.
    #[schema(value_type = Option<Vec<Object>>)]
    pub edges: Option<Written<Edge>>,
}

impl WorkflowDraft {
    /// Reads and checks the text of a body. The first rule broken is the error. `kinds` are the types that
    /// nodes may have.
    pub fn parse(body: &str, kinds: &[&str]) -> Result<Self, WorkflowError> {
        let given = Given::read(body, true)?;
        let name = given.name()?.ok_or_else(no_name)?;
        let workflow_type = given.workflow_type()?.ok_or_else(no_type)?;
        let nodes = given.nodes(kinds)?.ok_or_else(no_nodes)?;
        let edges = given.edges()?.ok_or_else(|| WorkflowError::new("edges", "edges must be an array"))?;
        let description = given.description()?.flatten();
        Ok(Self {
            name,
            description,
            workflow_type,
            enabled: given.enabled()?.unwrap_or(false),
            nodes,
            edges,
        })
    }

    /// The same for an import: every edge must name nodes that exist, and nothing is activated.
    pub fn import(body: &str, kinds: &[&str]) -> Result<Self, WorkflowError> {
        let draft = Self::parse(body, kinds)?;
        let known: HashSet<&str> = draft.nodes.iter().map(|node| node.id.as_str()).collect();
        for (i, edge) in draft.edges.iter().enumerate() {
            for (key, id) in [("source", &edge.source), ("target", &edge.target)] {
                if !known.contains(id.as_str()) {
                    let rule = format!("names the node '{id}', which does not exist");
                    return Err(WorkflowError::at(&format!("edges[{i}]"), key, &rule));
                }
            }
        }
        Ok(Self { enabled: false, ..draft })
    }
}

impl WorkflowPatch {
    /// Reads and checks the text of a body. The first rule broken is the error.
    pub fn parse(body: &str, kinds: &[&str]) -> Result<Self, WorkflowError> {
        let given = Given::read(body, false)?;
        Ok(Self {
            name: given.name()?,
            workflow_type: given.workflow_type()?,
            nodes: given.nodes(kinds)?,
            edges: given.edges()?,
            description: given.description()?,
            enabled: given.enabled()?,
        })
    }

    /// Whether it leaves the definition as it is; it may still switch the workflow on or off.
    pub fn is_switch(&self) -> bool {
        *self == Self { enabled: self.enabled, ..Self::default() }
    }
}

fn no_name() -> WorkflowError {
    WorkflowError::new("name", "Workflow name is required")
}

fn no_type() -> WorkflowError {
    WorkflowError::new("workflowType", "Workflow type is required")
}

fn no_nodes() -> WorkflowError {
    WorkflowError::new("nodes", "Workflow must have at least one node")
}

/// The members of a body. Those that no rule names are passed over, so that what the gateway shows can be
/// sent back as it is.
struct Given {
    members: HashMap<String, Box<RawValue>>,
    /// In a draft null stands for a field that was left out, in a patch it is a value.
    null_is_absent: bool,
}

impl Given {
    fn read(body: &str, null_is_absent: bool) -> Result<Self, WorkflowError> {
        if body.len() > WORKFLOW_BYTES_MAX {
            let message = format!("Workflow is too large (at most {WORKFLOW_BYTES_MAX} bytes)");
            return Err(WorkflowError::new("body", message));
        }
        let members = serde_json::from_str(body);
        let members = members.map_err(|_| WorkflowError::new("body", "body must be a JSON object"))?;
        Ok(Self { members, null_is_absent })
    }

    fn text(&self, field: &str) -> Option<&str> {
        let text = self.members.get(field)?.get();
        (!self.null_is_absent || text != "null").then_some(text)
    }

    fn value(&self, field: &str) -> Result<Option<Value>, WorkflowError> {
        let read = |text| serde_json::from_str(text);
        let wrong = |error| WorkflowError::new(field, format!("{field} cannot be read: {error}"));
        self.text(field).map(read).transpose().map_err(wrong)
    }

    fn name(&self) -> Result<Option<String>, WorkflowError> {
        match self.value("name")? {
            None => Ok(None),
            Some(Value::String(name)) if !name.trim().is_empty() => Ok(Some(name)),
            Some(Value::String(_) | Value::Null) => Err(no_name()),
            Some(_) => Err(WorkflowError::new("name", "name must be a string")),
        }
    }

    fn description(&self) -> Result<Option<Option<String>>, WorkflowError> {
        match self.value("description")? {
            None => Ok(None),
            Some(Value::Null) => Ok(Some(None)),
            Some(Value::String(text)) => Ok(Some(Some(text))),
            Some(_) => Err(WorkflowError::new("description", "description must be a string")),
        }
    }

    fn enabled(&self) -> Result<Option<bool>, WorkflowError> {
        match self.value("enabled")? {
            None => Ok(None),
            Some(Value::Bool(enabled)) => Ok(Some(enabled)),
            Some(_) => Err(WorkflowError::new("enabled", "enabled must be true or false")),
        }
    }

    fn workflow_type(&self) -> Result<Option<WorkflowType>, WorkflowError> {
        let wrong = |message: &str| Err(WorkflowError::new("workflowType", message));
        let word = match self.value("workflowType")? {
            None => return Ok(None),
            Some(Value::Null) => return Err(no_type()),
            Some(Value::String(word)) if word.trim().is_empty() => return Err(no_type()),
            Some(word) => word,
        };
        match word.as_str().and_then(WorkflowType::of) {
            Some(WorkflowType::Session) => {
                wrong("workflowType session is not supported by this version; use tools/list or tools/call")
            }
            Some(known) => Ok(Some(known)),
            None => wrong("workflowType must be one of tools/list, tools/call"),
        }
    }

    fn list<T: Item>(&self) -> Result<Option<Written<T>>, WorkflowError> {
        self.text(T::LIST).map(written::parse).transpose()
    }

    fn nodes(&self, kinds: &[&str]) -> Result<Option<Written<Node>>, WorkflowError> {
        let Some(nodes) = self.list::<Node>()? else { return Ok(None) };
        let has = |kind: &str| nodes.iter().any(|node| node.kind == kind);
        let wrong = |message: &str| Err(WorkflowError::new("nodes", message));
        if nodes.is_empty() {
            return Err(no_nodes());
        }
        if !has("start") {
            return wrong("Workflow must have a start node");
        }
        if !has("end") {
            return wrong("Workflow must have an end node");
        }
        if nodes.len() > WORKFLOW_NODES_MAX {
            return wrong(&format!("Workflow has too many nodes (at most {WORKFLOW_NODES_MAX})"));
        }
        let unknown = nodes.iter().enumerate().find(|(_, node)| !kinds.contains(&node.kind.as_str()));
        if let Some((i, node)) = unknown {
            let rule = format!("'{}' is not known; use one of {}", node.kind, kinds.join(", "));
            return Err(WorkflowError::at(&format!("nodes[{i}]"), "type", &rule));
        }
        Ok(Some(nodes))
    }

    fn edges(&self) -> Result<Option<Written<Edge>>, WorkflowError> {
        self.list()
    }
}
