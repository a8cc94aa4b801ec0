//! What a user gives to create, to change or to import a workflow, and the rules it is held to (spec 3.3
//! and 4.9).

use super::given::Given;
use super::{Edge, Node, Viewport, WorkflowType, Written, line};
use crate::session::{Terms, parse};
use crate::{Code, Fault};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// The most nodes of a workflow.
pub const WORKFLOW_NODES_MAX: usize = 10_000;

/// The most bytes of a workflow's JSON.
pub const WORKFLOW_BYTES_MAX: usize = 8 << 20;

/// The most levels of a workflow's JSON, its own object included: what holds it, such as a template or a version, must be
/// readable too.
pub(super) const WORKFLOW_DEPTH_MAX: usize = 100;

/// Which rule a workflow or an activity breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WorkflowError {
    /// Path of the field, such as `nodes[2].type`.
    pub field: String,
    /// The whole sentence.
    pub message: String,
}

impl WorkflowError {
    pub(crate) fn new(field: &str, message: impl Into<String>) -> Self {
        Self { field: field.to_owned(), message: message.into() }
    }

    pub(crate) fn at(path: &str, key: &str, rule: &str) -> Self {
        Self { field: format!("{path}.{key}"), message: format!("{path}.{key} {rule}") }
    }
}

impl From<WorkflowError> for Fault {
    fn from(error: WorkflowError) -> Self {
        Self::new(Code::ValidationError, error.message).with("field", error.field)
    }
}

/// What a user gives to create a workflow.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkflowDraft {
    /// Not blank.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Which requests pass through it.
    pub workflow_type: WorkflowType,
    /// Whether it is to be activated at once; false by default.
    pub enabled: bool,
    /// Its nodes.
    pub nodes: Written<Node>,
    /// Its edges.
    pub edges: Written<Edge>,
    /// The part of it that an editor showed.
    pub viewport: Option<Viewport>,
    /// The terms of a session workflow.
    pub terms: Terms,
}

/// What somebody is still drawing.
#[derive(Clone, Debug)]
pub struct WorkflowSketch {
    /// What there is of it; one without a name has one here.
    pub draft: WorkflowDraft,
    /// The id of the workflow that is stored, where it says so.
    pub id: Option<String>,
    /// Whether it has a name.
    pub is_named: bool,
}

/// What a user gives to change a workflow: the fields that change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkflowPatch {
    /// Another name.
    pub name: Option<String>,
    /// Another description; null takes it away.
    pub description: Option<Option<String>>,
    /// Another type.
    pub workflow_type: Option<WorkflowType>,
    /// Whether it is to be active.
    pub enabled: Option<bool>,
    /// Other nodes.
    pub nodes: Option<Written<Node>>,
    /// Other edges.
    pub edges: Option<Written<Edge>>,
    /// Another part that an editor showed; null takes it away.
    pub viewport: Option<Option<Viewport>>,
    /// Whether nodes and edges stand for a list of steps, which only a session workflow has.
    pub from_steps: bool,
    /// Other terms of a session workflow, by field; null takes one away.
    pub terms: Map<String, Value>,
    /// What is wrong with it where it is for a session workflow.
    pub unknown: Option<WorkflowError>,
}

impl WorkflowDraft {
    /// Reads and checks the text of a body. The first rule broken is the error. `kinds` are the types that
    /// nodes may have.
    pub fn parse(body: &str, kinds: &[&str]) -> Result<Self, WorkflowError> {
        let draft = Self::read(&Given::read(body, true)?, Some(kinds))?;
        if draft.workflow_type == WorkflowType::Session {
            check_session(&draft.name, &draft.nodes)?;
        }
        Ok(draft)
    }

    /// Reads the text of a body that somebody is still drawing: it may have no name, and its nodes and the name of a
    /// session workflow may break rules that keep it from being saved.
    pub fn sketch(body: &str) -> Result<WorkflowSketch, WorkflowError> {
        let given = Given::read(body, true)?;
        let (id, is_named) = (given.id()?, given.name()?.is_some());
        Ok(WorkflowSketch { draft: Self::read(&given, None)?, id, is_named })
    }

    fn read(given: &Given<'_>, kinds: Option<&[&str]>) -> Result<Self, WorkflowError> {
        let unnamed = || if kinds.is_none() { Ok("draft".to_owned()) } else { Err(no_name()) };
        let name = given.name()?.map_or_else(unnamed, Ok)?;
        let workflow_type = given.workflow_type()?.ok_or_else(no_type)?;
        let is_session = workflow_type == WorkflowType::Session;
        if is_session {
            given.check_known()?;
        }
        let line = match is_session {
            true if !given.has_nodes() && !given.has_steps() => return Err(parse::no_steps("steps")),
            true => given.line()?,
            false if given.has_steps() => return Err(not_session()),
            false => None,
        };
        let (nodes, edges) = match line {
            Some(line) => line,
            None => (
                given.nodes(kinds)?.ok_or_else(no_nodes)?,
                given.edges()?.ok_or_else(|| WorkflowError::new("edges", "edges must be an array"))?,
            ),
        };
        let description = given.description()?.flatten();
        let enabled = given.enabled()?.unwrap_or(false);
        let viewport = given.viewport()?.flatten();
        let terms = if is_session { parse::terms(&given.terms()?, "")? } else { Terms::default() };
        given.check_both(&nodes, Some(&edges))?;
        Ok(Self { name, description, workflow_type, enabled, nodes, edges, viewport, terms })
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
        let (name, workflow_type) = (given.name()?, given.workflow_type()?);
        let line = given.line()?;
        let from_steps = line.is_some();
        let (nodes, edges) = match line {
            Some((nodes, edges)) => (Some(nodes), Some(edges)),
            None => (given.nodes(Some(kinds))?, given.edges()?),
        };
        if let Some(nodes) = &nodes {
            given.check_both(nodes, edges.as_ref())?;
        }
        Ok(Self {
            name,
            workflow_type,
            nodes,
            edges,
            from_steps,
            description: given.description()?,
            enabled: given.enabled()?,
            viewport: given.viewport()?,
            terms: given.terms()?,
            unknown: given.check_known().err(),
        })
    }

    /// Whether it leaves the definition as it is; it may still switch the workflow on or off.
    pub fn is_switch(&self) -> bool {
        *self == Self { enabled: self.enabled, unknown: self.unknown.clone(), ..Self::default() }
    }

    /// Whether it can be meant for a workflow of this type.
    pub fn check_for(&self, current: WorkflowType) -> Result<(), WorkflowError> {
        match &self.unknown {
            Some(error) if self.workflow_type.unwrap_or(current) == WorkflowType::Session => {
                Err(error.clone())
            }
            _ => Ok(()),
        }
    }
}

/// The rules that a session workflow is held to on save.
pub(super) fn check_session(name: &str, nodes: &[Node]) -> Result<(), WorkflowError> {
    parse::check_procedure_name(name)?;
    line::check_steps(nodes)
}

pub(super) fn not_session() -> WorkflowError {
    WorkflowError::new("steps", "steps are for the workflowType session; give nodes and edges instead")
}

pub(super) fn no_name() -> WorkflowError {
    WorkflowError::new("name", "Workflow name is required")
}

pub(super) fn no_type() -> WorkflowError {
    WorkflowError::new("workflowType", "Workflow type is required")
}

pub(super) fn no_nodes() -> WorkflowError {
    WorkflowError::new("nodes", "Workflow must have at least one node")
}
