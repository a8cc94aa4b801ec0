//! The members of a body, read one by one under the rules of spec 3.3 and 4.9.

use super::draft::{WORKFLOW_DEPTH_MAX, no_name, no_nodes, no_type};
use super::written::{self, Item};
use super::{
    Edge, Node, Viewport, WORKFLOW_BYTES_MAX, WORKFLOW_NODES_MAX, WorkflowError, WorkflowType, Written, line,
};
use crate::session::parse;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// What a body may say of a session workflow besides its terms.
const FIELDS: [&str; 8] =
    ["name", "description", "workflowType", "enabled", "steps", "nodes", "edges", "viewport"];

/// What the gateway shows besides, which can be sent back as it is and says nothing.
const SHOWN: [&str; 8] = ["id", "createdAt", "updatedAt", "revision", "source", "valid", "reason", "problem"];

/// The members of a body. In a graph around calls those that no rule names are passed over.
pub(super) struct Given<'a> {
    members: HashMap<String, &'a RawValue>,
    /// In a draft null stands for a field that was left out, in a patch it is a value.
    null_is_absent: bool,
}

impl<'a> Given<'a> {
    pub(super) fn read(body: &'a str, null_is_absent: bool) -> Result<Self, WorkflowError> {
        if body.len() > WORKFLOW_BYTES_MAX {
            let message = format!("Workflow is too large (at most {WORKFLOW_BYTES_MAX} bytes)");
            return Err(WorkflowError::new("body", message));
        }
        let members = serde_json::from_str(body);
        let members = members.map_err(|_| WorkflowError::new("body", "body must be a JSON object"))?;
        Ok(Self { members, null_is_absent })
    }

    fn text(&self, field: &str) -> Option<&'a str> {
        let text = self.members.get(field)?.get();
        (!self.null_is_absent || text != "null").then_some(text)
    }

    /// The text of a field that is not nested too deeply.
    fn kept(&self, field: &str) -> Result<Option<&'a str>, WorkflowError> {
        let Some(text) = self.text(field) else { return Ok(None) };
        // A step becomes the data of a node, which is two levels more.
        let most = if field == "steps" { WORKFLOW_DEPTH_MAX - 2 } else { WORKFLOW_DEPTH_MAX };
        let Some(place) = written::below(text, most - 1) else { return Ok(Some(text)) };
        let path = if text.starts_with('[') { format!("{field}[{place}]") } else { field.to_owned() };
        let message = format!("{path} is nested too deeply; a workflow has at most {most} levels");
        Err(WorkflowError::new(&path, message))
    }

    fn value(&self, field: &str) -> Result<Option<Value>, WorkflowError> {
        let read = |text| serde_json::from_str(text);
        let wrong = |error| WorkflowError::new(field, format!("{field} cannot be read: {error}"));
        self.kept(field)?.map(read).transpose().map_err(wrong)
    }

    /// The id of a workflow that was shown, where there is one.
    pub(super) fn id(&self) -> Result<Option<String>, WorkflowError> {
        Ok(self.value("id")?.and_then(|id| id.as_str().map(str::to_owned)))
    }

    pub(super) fn name(&self) -> Result<Option<String>, WorkflowError> {
        match self.value("name")? {
            None => Ok(None),
            Some(Value::String(name)) if !name.trim().is_empty() => Ok(Some(name)),
            Some(Value::String(_) | Value::Null) => Err(no_name()),
            Some(_) => Err(WorkflowError::new("name", "name must be a string")),
        }
    }

    pub(super) fn description(&self) -> Result<Option<Option<String>>, WorkflowError> {
        match self.value("description")? {
            None => Ok(None),
            Some(Value::Null) => Ok(Some(None)),
            Some(Value::String(text)) => Ok(Some(Some(text))),
            Some(_) => Err(WorkflowError::new("description", "description must be a string")),
        }
    }

    pub(super) fn enabled(&self) -> Result<Option<bool>, WorkflowError> {
        match self.value("enabled")? {
            None => Ok(None),
            Some(Value::Bool(enabled)) => Ok(Some(enabled)),
            Some(_) => Err(WorkflowError::new("enabled", "enabled must be true or false")),
        }
    }

    pub(super) fn workflow_type(&self) -> Result<Option<WorkflowType>, WorkflowError> {
        let wrong = |message: &str| Err(WorkflowError::new("workflowType", message));
        let word = match self.value("workflowType")? {
            None => return Ok(None),
            Some(Value::Null) => return Err(no_type()),
            Some(Value::String(word)) if word.trim().is_empty() => return Err(no_type()),
            Some(word) => word,
        };
        match word.as_str().and_then(WorkflowType::of) {
            Some(known) => Ok(Some(known)),
            None => wrong("workflowType must be one of tools/list, tools/call, session"),
        }
    }

    fn list<T: Item>(&self) -> Result<Option<Written<T>>, WorkflowError> {
        self.kept(T::LIST)?.map(written::parse).transpose()
    }

    /// The nodes, of these kinds; without kinds they are those that somebody is still drawing.
    pub(super) fn nodes(&self, kinds: Option<&[&str]>) -> Result<Option<Written<Node>>, WorkflowError> {
        let Some(nodes) = self.list::<Node>()? else { return Ok(None) };
        let has = |kind: &str| nodes.iter().any(|node| node.kind == kind);
        let wrong = |message: &str| Err(WorkflowError::new("nodes", message));
        if nodes.len() > WORKFLOW_NODES_MAX {
            return wrong(&format!("Workflow has too many nodes (at most {WORKFLOW_NODES_MAX})"));
        }
        let Some(kinds) = kinds else { return Ok(Some(nodes)) };
        if nodes.is_empty() {
            return Err(no_nodes());
        }
        if !has("start") {
            return wrong("Workflow must have a start node");
        }
        if !has("end") {
            return wrong("Workflow must have an end node");
        }
        let unknown = nodes.iter().enumerate().find(|(_, node)| !kinds.contains(&node.kind.as_str()));
        if let Some((i, node)) = unknown {
            let rule = format!("'{}' is not known; use one of {}", node.kind, kinds.join(", "));
            return Err(WorkflowError::at(&format!("nodes[{i}]"), "type", &rule));
        }
        Ok(Some(nodes))
    }

    pub(super) fn edges(&self) -> Result<Option<Written<Edge>>, WorkflowError> {
        self.list()
    }

    pub(super) fn viewport(&self) -> Result<Option<Option<Viewport>>, WorkflowError> {
        let wrong =
            || WorkflowError::new("viewport", "viewport must be an object with the numbers x, y and zoom");
        match self.value("viewport")? {
            None => Ok(None),
            Some(Value::Null) => Ok(Some(None)),
            Some(map @ Value::Object(_)) => serde_json::from_value(map).map(Some).map_err(|_| wrong()),
            Some(_) => Err(wrong()),
        }
    }

    /// Whether a list of steps is given.
    pub(super) fn has_steps(&self) -> bool {
        self.text("steps").is_some_and(|text| text != "null")
    }

    /// Whether there is a list of nodes with something in it, or something else in its place.
    pub(super) fn has_nodes(&self) -> bool {
        let inside = |text: &'a str| text.strip_prefix('[')?.strip_suffix(']');
        let is_empty = |text| inside(text).is_some_and(|items| items.trim().is_empty());
        self.text("nodes").is_some_and(|text| text != "null" && !is_empty(text))
    }

    /// The linear graph of the steps; nodes go before them.
    pub(super) fn line(&self) -> Result<Option<line::Line>, WorkflowError> {
        if self.has_nodes() || !self.has_steps() {
            return Ok(None);
        }
        let given = self.value("steps")?;
        let steps = parse::steps(given.as_ref(), "steps")?;
        let written = given.as_ref().and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        line::graph(written, &steps).map(Some)
    }

    /// Where a list of steps is given besides nodes, as in what the API shows, it must be theirs.
    pub(super) fn check_both(
        &self,
        nodes: &Written<Node>,
        edges: Option<&Written<Edge>>,
    ) -> Result<(), WorkflowError> {
        if !self.has_nodes() || !self.has_steps() {
            return Ok(());
        }
        let steps = parse::steps(self.value("steps")?.as_ref(), "steps")?;
        match edges.and_then(|edges| line::steps_of(nodes, edges)) {
            Some(own) if own == steps => Ok(()),
            _ => {
                Err(WorkflowError::new("steps", "steps are others than those of nodes; give one of the two"))
            }
        }
    }

    /// Refuses a member that a session workflow does not have, as the config file does: whoever wrote it would miss it.
    pub(super) fn check_known(&self) -> Result<(), WorkflowError> {
        let known: Vec<&str> = FIELDS.into_iter().chain(parse::TERMS).collect();
        let others = self.members.keys().map(String::as_str);
        let others = others.filter(|key| !known.contains(key) && !SHOWN.contains(key));
        // The members are in no order; the first one in the alphabet is the error.
        match others.min() {
            None => Ok(()),
            Some(key) => Err(parse::unknown("", key, &known)),
        }
    }

    /// The members that are terms of a session workflow, checked.
    pub(super) fn terms(&self) -> Result<Map<String, Value>, WorkflowError> {
        let mut map = Map::new();
        for key in parse::TERMS {
            map.extend(self.value(key)?.map(|value| (key.to_owned(), value)));
        }
        parse::terms(&map, "")?;
        Ok(map)
    }
}
