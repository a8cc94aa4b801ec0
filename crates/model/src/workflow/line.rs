//! A session workflow as a graph: the line of nodes that a list of steps stands for, and back (spec 4.9).

use super::{Edge, Node, Workflow, WorkflowError, WorkflowType, Written, written};
use crate::session::{Procedure, Step, parse};
use crate::text::shown;
use serde_json::{Value, json};
use std::collections::HashMap;

/// The nodes and the edges of a line.
pub(super) type Line = (Written<Node>, Written<Edge>);

/// How far apart the nodes of a line stand.
const APART: usize = 200;

/// The linear graph of steps. `written` are the same steps as they were written.
pub(super) fn graph(written: &[Value], steps: &[Step]) -> Result<Line, WorkflowError> {
    let place = |number: usize| json!({"x": number * APART, "y": 0});
    let end = |id: &str, label: &str, number| json!({"id": id, "type": id, "position": place(number), "data": {"label": label}});
    let mut nodes = vec![end("start", "Start", 0)];
    for (i, (step, value)) in steps.iter().zip(written).enumerate() {
        let data = json!({"label": step.name(), "step": value});
        let id = format!("step-{}", i + 1);
        nodes.push(json!({"id": id, "type": "activity", "position": place(i + 1), "data": data}));
    }
    nodes.push(end("end", "End", steps.len() + 1));
    let edge = |pair: &[Value]| {
        let (source, target) = (pair[0]["id"].as_str(), pair[1]["id"].as_str());
        let id = format!("{}-{}", source.unwrap_or_default(), target.unwrap_or_default());
        json!({"id": id, "source": source, "target": target})
    };
    let edges: Vec<Value> = nodes.windows(2).map(edge).collect();
    Ok((written::parse(&Value::Array(nodes).to_string())?, written::parse(&Value::Array(edges).to_string())?))
}

/// Checks the steps that are there. A node still without one can be saved, and not be activated.
pub(super) fn check_steps(nodes: &[Node]) -> Result<(), WorkflowError> {
    for (i, node) in nodes.iter().enumerate() {
        if node.kind == "activity" && node.data.get("step").is_some_and(|step| !step.is_null()) {
            node.step(&format!("nodes[{i}]"))?;
        }
    }
    Ok(())
}

impl Workflow {
    /// The session workflow that the graph stands for: one line from start through activities to end. The first
    /// rule broken is the error.
    pub fn procedure(&self) -> Result<Procedure, WorkflowError> {
        if self.workflow_type != WorkflowType::Session {
            let message = format!("workflowType is {}, which has no steps", self.workflow_type);
            return Err(WorkflowError::new("workflowType", message));
        }
        parse::check_procedure_name(&self.name)?;
        let steps = self.walk()?.into_iter().map(|(_, step)| step).collect();
        let description = self.description.clone().unwrap_or_default();
        Ok(self.terms.clone().procedure(self.name.clone(), description, steps))
    }

    /// The steps of a session workflow; none where its graph is not the line that it must be, and for graphs
    /// around requests.
    pub fn steps(&self) -> Option<Vec<Step>> {
        let walk = (self.workflow_type == WorkflowType::Session).then(|| self.walk().ok()).flatten()?;
        Some(walk.into_iter().map(|(_, step)| step).collect())
    }

    /// Whether it is still being drawn: its nodes are those of a session workflow, some of them steps, and only do not
    /// make a line yet, or lack what they run.
    pub fn is_unfinished(&self) -> bool {
        let steps = self.nodes.iter().filter(|node| node.kind == "activity").count();
        (1..=parse::STEPS_MAX).contains(&steps)
            && parse::check_procedure_name(&self.name).is_ok()
            && self.places().is_ok()
            && self.walk().is_err()
    }

    /// The nodes that carry these steps, in their order.
    pub fn step_nodes(&self) -> Vec<&Node> {
        let walk = self.walk().unwrap_or_default();
        walk.into_iter().map(|(at, _)| &self.nodes[at]).collect()
    }

    /// The steps along the line, each with the number of its node.
    fn walk(&self) -> Result<Vec<(usize, Step)>, WorkflowError> {
        let places = self.places()?;
        let onward = self.onward(&places)?;
        let mut at = self.only("start")?;
        self.only("end")?;
        let mut seen = vec![false; self.nodes.len()];
        let mut steps = Vec::new();
        loop {
            let (node, path) = (&self.nodes[at], format!("nodes[{at}]"));
            if std::mem::replace(&mut seen[at], true) {
                return Err(WorkflowError::new("edges", "Workflow contains a cycle"));
            }
            if node.kind == "activity" {
                steps.push((at, node.step(&path)?));
            }
            let is_end = node.kind == "end";
            at = match onward[at][..] {
                [] if is_end => break,
                _ if is_end => return Err(off(&path, "is the end and leads on")),
                [next] => next,
                [] => return Err(off(&path, "leads nowhere")),
                _ => return Err(off(&path, "has more than one output")),
            };
        }
        if let Some(at) = seen.iter().position(|seen| !seen) {
            return Err(off(&format!("nodes[{at}]"), "is not on the line from start to end"));
        }
        match steps.len() {
            0 => Err(parse::no_steps("nodes")),
            count if count > parse::STEPS_MAX => Err(parse::too_many_steps("nodes")),
            _ => Ok(steps),
        }
    }

    /// From ids to numbers of nodes, once every node is known to be of a fitting kind.
    fn places(&self) -> Result<HashMap<&str, usize>, WorkflowError> {
        let mut places = HashMap::with_capacity(self.nodes.len());
        for (i, node) in self.nodes.iter().enumerate() {
            let path = format!("nodes[{i}]");
            if !matches!(node.kind.as_str(), "start" | "end" | "activity") {
                let kind = shown(&node.kind);
                let rule = format!("'{kind}' does not belong to a session workflow; use activity nodes");
                return Err(WorkflowError::at(&path, "type", &rule));
            }
            if places.insert(node.id.as_str(), i).is_some() {
                return Err(WorkflowError::at(&path, "id", "is that of another node"));
            }
        }
        Ok(places)
    }

    /// Where every node leads.
    fn onward(&self, places: &HashMap<&str, usize>) -> Result<Vec<Vec<usize>>, WorkflowError> {
        let mut onward = vec![Vec::new(); self.nodes.len()];
        for (i, edge) in self.edges.iter().enumerate() {
            let find = |key: &str, id: &str| {
                let rule = || format!("names the node '{}', which does not exist", shown(id));
                let place = places.get(id).copied();
                place.ok_or_else(|| WorkflowError::at(&format!("edges[{i}]"), key, &rule()))
            };
            onward[find("source", &edge.source)?].push(find("target", &edge.target)?);
        }
        Ok(onward)
    }

    /// The number of the one node of that kind.
    fn only(&self, kind: &str) -> Result<usize, WorkflowError> {
        let article = if kind == "end" { "an" } else { "a" };
        let mut all = (0..self.nodes.len()).filter(|&at| self.nodes[at].kind == kind);
        match (all.next(), all.next()) {
            (Some(at), None) => Ok(at),
            (None, _) => {
                Err(WorkflowError::new("nodes", format!("Workflow must have {article} {kind} node")))
            }
            (Some(_), Some(at)) => Err(off(&format!("nodes[{at}]"), &format!("is a second {kind} node"))),
        }
    }
}

/// An error of a node that keeps the graph from being one line.
fn off(path: &str, what: &str) -> WorkflowError {
    let message =
        format!("{path} {what}; a session workflow is one line from start through its steps to end");
    WorkflowError::new(path, message)
}

#[cfg(test)]
mod tests;
