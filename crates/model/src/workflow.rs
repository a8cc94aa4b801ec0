//! One workflow: the same type in the store and in the API body (spec 3.1 and 4.9).

mod draft;
mod given;
mod line;
mod members;
mod parts;
mod run_id;
mod schema;
mod written;

pub use draft::{
    WORKFLOW_BYTES_MAX, WORKFLOW_NODES_MAX, WorkflowDraft, WorkflowError, WorkflowPatch, WorkflowSketch,
};
pub use parts::{Edge, Node, Viewport};
pub use run_id::RunId;
pub use written::Written;

use crate::session::{Terms, parse};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a workflow is for: the method of the requests that pass through it, or sessions.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema,
)]
pub enum WorkflowType {
    /// A graph around lists of tools.
    #[serde(rename = "tools/list")]
    ToolsList,
    /// A graph around calls of tools.
    #[serde(rename = "tools/call")]
    ToolsCall,
    /// A session workflow.
    #[serde(rename = "session")]
    Session,
}

impl WorkflowType {
    /// The word on the wire; for graphs it is the method.
    pub const fn name(self) -> &'static str {
        match self {
            WorkflowType::ToolsList => "tools/list",
            WorkflowType::ToolsCall => "tools/call",
            WorkflowType::Session => "session",
        }
    }

    /// The type of that word.
    pub fn of(word: &str) -> Option<Self> {
        [Self::ToolsList, Self::ToolsCall, Self::Session].into_iter().find(|kind| kind.name() == word)
    }

    /// Whether at most one workflow of this type is active.
    pub const fn is_single(self) -> bool {
        !matches!(self, WorkflowType::Session)
    }
}

impl std::fmt::Display for WorkflowType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A workflow as it is kept. Nodes and edges come back as they were written, unknown keys included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Workflow {
    /// Given by the gateway.
    pub id: String,
    /// Not blank.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Which requests pass through it.
    pub workflow_type: WorkflowType,
    /// Whether it is active; one graph of a type is.
    pub enabled: bool,
    /// Its nodes.
    #[schema(value_type = Vec<Object>)]
    pub nodes: Written<Node>,
    /// Its edges.
    #[schema(value_type = Vec<Object>)]
    pub edges: Written<Edge>,
    /// The part of it that an editor showed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewport: Option<Viewport>,
    /// The terms of a session workflow; graphs have none.
    #[serde(flatten)]
    pub terms: Terms,
    /// When it was created, in milliseconds since 1970.
    pub created_at: i64,
    /// When its definition was last changed, in milliseconds since 1970.
    pub updated_at: i64,
    /// Counts the changes of its definition, from 1; runs name it.
    pub revision: u64,
}

impl Workflow {
    /// A new workflow from a draft. It is not active, whatever the draft says: activating it is one more step.
    pub fn new(id: String, draft: WorkflowDraft, now: i64) -> Self {
        Self {
            id,
            name: draft.name,
            description: draft.description,
            workflow_type: draft.workflow_type,
            enabled: false,
            nodes: draft.nodes,
            edges: draft.edges,
            viewport: draft.viewport,
            terms: draft.terms,
            created_at: now,
            updated_at: now,
            revision: 1,
        }
    }

    /// The same workflow with the fields that the patch names, apart from `enabled`. The rules that a session
    /// workflow is held to on save are checked here, where its type is known.
    pub fn patched(&self, patch: WorkflowPatch, now: i64) -> Result<Self, WorkflowError> {
        let WorkflowPatch {
            name, description, workflow_type, nodes, edges, viewport, from_steps, terms, ..
        } = patch;
        let is_session = workflow_type.unwrap_or(self.workflow_type) == WorkflowType::Session;
        if from_steps && !is_session {
            return Err(draft::not_session());
        }
        let changed = Self {
            id: self.id.clone(),
            name: name.unwrap_or_else(|| self.name.clone()),
            description: description.unwrap_or_else(|| self.description.clone()),
            workflow_type: workflow_type.unwrap_or(self.workflow_type),
            enabled: self.enabled,
            nodes: nodes.unwrap_or_else(|| self.nodes.clone()),
            edges: edges.unwrap_or_else(|| self.edges.clone()),
            viewport: viewport.unwrap_or_else(|| self.viewport.clone()),
            terms: if is_session { changed_terms(&self.terms, terms)? } else { Terms::default() },
            created_at: self.created_at,
            // Grows even when the clock stood still or went back.
            updated_at: now.max(self.updated_at.saturating_add(1)),
            revision: self.revision.saturating_add(1),
        };
        if is_session {
            draft::check_session(&changed.name, &changed.nodes)?;
        }
        Ok(changed)
    }

    /// The same workflow, switched on or off. Its definition, and so its revision, stay as they are.
    #[must_use]
    pub fn switched(&self, enabled: bool) -> Self {
        Self { enabled, ..self.clone() }
    }

    /// The ids of the hooks that its nodes name as modules.
    pub fn modules(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter_map(Node::module)
    }

    /// The JSON text of the definition alone, as `export` gives it and `import` takes it.
    pub fn export(&self) -> String {
        serde_json::to_string(&Definition::of(self)).expect("a definition is plain data")
    }

    /// The same as members. It is read list by list, so that one from before there was a limit is not too deep.
    pub fn definition(&self) -> Result<Map<String, Value>, WorkflowError> {
        let read = serde_json::to_value(Definition::of(self)).and_then(serde_json::from_value);
        read.map_err(|error| WorkflowError::new("body", format!("The definition cannot be read: {error}")))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Definition<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    workflow_type: &'a WorkflowType,
    nodes: &'a Written<Node>,
    edges: &'a Written<Edge>,
    #[serde(skip_serializing_if = "Option::is_none")]
    viewport: Option<&'a Viewport>,
    #[serde(flatten)]
    terms: &'a Terms,
}

impl<'a> Definition<'a> {
    fn of(workflow: &'a Workflow) -> Self {
        let Workflow { name, description, workflow_type, nodes, edges, viewport, terms, .. } = workflow;
        let (description, viewport) = (description.as_deref(), viewport.as_ref());
        Self { name, description, workflow_type, nodes, edges, viewport, terms }
    }
}

/// Terms with the fields that a patch names; null takes one away.
fn changed_terms(terms: &Terms, patch: Map<String, Value>) -> Result<Terms, WorkflowError> {
    let mut map = match serde_json::to_value(terms) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    };
    map.extend(patch);
    parse::terms(&map, "")
}

#[cfg(test)]
mod tests;
