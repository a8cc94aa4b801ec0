//! A session workflow as a graph: the line of nodes that a list of steps stands for, and back (spec 4.9). Conditions
//! may part the line into two ways, which come together again at the end at the latest (spec 5.1).

use super::{Edge, Node, Workflow, WorkflowDraft, WorkflowError, WorkflowType, Written, written};
use crate::session::{Fork, Onward, Procedure, Road, Step, Terms, parse};
use crate::text::shown;
use serde_json::{Value, json};
use std::collections::HashMap;

/// The labelled outputs of a condition.
const WAYS: [&str; 2] = ["true", "false"];

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

/// The steps of a graph, where it is one of a session workflow.
pub(super) fn steps_of(nodes: &Written<Node>, edges: &Written<Edge>) -> Option<Vec<Step>> {
    let draft = WorkflowDraft {
        name: String::new(),
        description: None,
        workflow_type: WorkflowType::Session,
        enabled: false,
        nodes: nodes.clone(),
        edges: edges.clone(),
        viewport: None,
        terms: Terms::default(),
    };
    Workflow::new(String::new(), draft, 0).steps()
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
    /// The id of the session workflow of that name in the config file.
    pub fn file_id(name: &str) -> String {
        format!("config:{name}")
    }

    /// A session workflow of the config file, which was read at that time, as the graph that its steps stand for.
    pub fn of_file(procedure: &Procedure, read_at: i64) -> Option<Self> {
        let mut body = serde_json::to_value(procedure).ok()?;
        body["workflowType"] = "session".into();
        let draft = WorkflowDraft::parse(&body.to_string(), &["start", "end", "activity"]).ok()?;
        Some(Self::new(Self::file_id(&procedure.name), draft, read_at).switched(true))
    }

    /// The session workflow that the graph stands for: a line from start through activities to end, in which
    /// conditions choose between two ways. The first rule broken is the error.
    pub fn procedure(&self) -> Result<Procedure, WorkflowError> {
        if self.workflow_type != WorkflowType::Session {
            let message = format!("workflowType is {}, which has no steps", self.workflow_type);
            return Err(WorkflowError::new("workflowType", message));
        }
        parse::check_procedure_name(&self.name)?;
        let Walk { steps, road } = self.walk()?;
        let steps = steps.into_iter().map(|(_, step)| step).collect();
        let description = self.description.clone().unwrap_or_default();
        Ok(Procedure { road, ..self.terms.clone().procedure(self.name.clone(), description, steps) })
    }

    /// The steps of a session workflow; none where its graph is not what it must be, and for graphs around requests.
    pub fn steps(&self) -> Option<Vec<Step>> {
        let walk = (self.workflow_type == WorkflowType::Session).then(|| self.walk().ok()).flatten()?;
        Some(walk.steps.into_iter().map(|(_, step)| step).collect())
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
        let steps = self.walk().map(|walk| walk.steps).unwrap_or_default();
        steps.into_iter().map(|(at, _)| &self.nodes[at]).collect()
    }

    /// The nodes that carry steps, with those that can be read: in their order, or as they are written where they make
    /// no line yet.
    pub fn steps_so_far(&self) -> Vec<(&Node, Step)> {
        let of_walk = |walk: Walk| walk.steps.into_iter().map(|(at, step)| (&self.nodes[at], step)).collect();
        let written = || {
            let all = self.nodes.iter().filter(|node| node.kind == "activity");
            all.filter_map(|node| Some((node, node.step("").ok()?))).take(parse::STEPS_MAX).collect()
        };
        self.walk().map_or_else(|_| written(), of_walk)
    }

    /// The steps in an order in which no way leads back, and where they lead.
    fn walk(&self) -> Result<Walk, WorkflowError> {
        let leads = self.leads(&self.places()?)?;
        let (start, _) = (self.only("start")?, self.only("end")?);
        let order = self.order(start, &leads)?;
        let mut steps = Vec::new();
        let mut forks = Vec::new();
        let mut onward = vec![Onward::End; self.nodes.len()];
        for &at in &order {
            let (node, path) = (&self.nodes[at], format!("nodes[{at}]"));
            match node.kind.as_str() {
                "activity" => {
                    onward[at] = Onward::Step(steps.len());
                    steps.push((at, node.step(&path)?));
                }
                "condition" => {
                    onward[at] = Onward::Fork(forks.len());
                    forks.push(at);
                }
                _ => {}
            }
        }
        match steps.len() {
            0 => return Err(parse::no_steps("nodes")),
            count if count > parse::STEPS_MAX => return Err(parse::too_many_steps("nodes")),
            _ => {}
        }
        let next = |at: usize, way: usize| onward[leads[at].to[way]];
        let fork = |&at: &usize| {
            let node = &self.nodes[at];
            let (expression, goes_on) = node.judged().map_err(|broken| {
                let path = format!("nodes[{at}]");
                WorkflowError::new(&path, format!("{path} {}", broken.join("; ")))
            })?;
            Ok(Fork {
                node: node.id.clone(),
                label: node.label().to_owned(),
                expression: expression.to_owned(),
                goes_on,
                yes: next(at, 0),
                no: next(at, 1),
            })
        };
        let forks = forks.iter().map(fork).collect::<Result<Vec<_>, WorkflowError>>()?;
        let after = steps.iter().map(|(at, _)| next(*at, 0)).collect();
        let road = (!forks.is_empty()).then(|| Road { start: next(start, 0), after, forks });
        Ok(Walk { steps, road })
    }

    /// All nodes from the start on, each after those that lead to it; of two ways that for true comes first.
    fn order(&self, start: usize, leads: &[Leads<'_>]) -> Result<Vec<usize>, WorkflowError> {
        let mut seen = vec![false; self.nodes.len()];
        let mut done = vec![false; self.nodes.len()];
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut open = vec![(start, 0)];
        while let Some((at, tried)) = open.last_mut() {
            let at = *at;
            if !std::mem::replace(&mut seen[at], true) {
                self.check_leads(at, &leads[at])?;
            }
            // From the last way to the first, since what is done first comes last.
            match leads[at].to.iter().rev().nth(*tried) {
                Some(&next) => {
                    *tried += 1;
                    if !seen[next] {
                        open.push((next, 0));
                    } else if !done[next] {
                        return Err(WorkflowError::new("edges", "Workflow contains a cycle"));
                    }
                }
                None => {
                    done[at] = true;
                    order.push(at);
                    open.pop();
                }
            }
        }
        order.reverse();
        match seen.iter().position(|seen| !seen) {
            Some(at) => Err(off(&format!("nodes[{at}]"), "is not on the line from start to end")),
            None => Ok(order),
        }
    }

    /// Whether a node leads where one of its kind must.
    fn check_leads(&self, at: usize, leads: &Leads<'_>) -> Result<(), WorkflowError> {
        let (kind, path) = (self.nodes[at].kind.as_str(), format!("nodes[{at}]"));
        if kind == "condition" {
            for way in WAYS {
                match leads.ways.iter().filter(|label| **label == Some(way)).count() {
                    0 => return Err(off(&path, &format!("needs a way for {way}"))),
                    1 => {}
                    _ => return Err(off(&path, &format!("has more than one way for {way}"))),
                }
            }
        }
        match (kind, leads.to.len()) {
            ("end", 0) | ("condition", 2) => Ok(()),
            ("condition", _) => Err(off(&path, "has an output that is neither true nor false")),
            ("end", _) => Err(off(&path, "is the end and leads on")),
            (_, 1) => Ok(()),
            (_, 0) => Err(off(&path, "leads nowhere")),
            _ => Err(off(&path, "has more than one output")),
        }
    }

    /// From ids to numbers of nodes, once every node is known to be of a fitting kind.
    fn places(&self) -> Result<HashMap<&str, usize>, WorkflowError> {
        let mut places = HashMap::with_capacity(self.nodes.len());
        for (i, node) in self.nodes.iter().enumerate() {
            let path = format!("nodes[{i}]");
            if !matches!(node.kind.as_str(), "start" | "end" | "activity" | "condition") {
                let kind = shown(&node.kind);
                let rule = format!(
                    "'{kind}' does not belong to a session workflow; use activity and condition nodes"
                );
                return Err(WorkflowError::at(&path, "type", &rule));
            }
            if places.insert(node.id.as_str(), i).is_some() {
                return Err(WorkflowError::at(&path, "id", "is that of another node"));
            }
        }
        Ok(places)
    }

    /// Where every node leads.
    fn leads(&self, places: &HashMap<&str, usize>) -> Result<Vec<Leads<'_>>, WorkflowError> {
        let mut leads: Vec<Leads<'_>> = Vec::new();
        leads.resize_with(self.nodes.len(), Leads::default);
        for (i, edge) in self.edges.iter().enumerate() {
            let find = |key: &str, id: &str| {
                let rule = || format!("names the node '{}', which does not exist", shown(id));
                let place = places.get(id).copied();
                place.ok_or_else(|| WorkflowError::at(&format!("edges[{i}]"), key, &rule()))
            };
            let (source, target) = (find("source", &edge.source)?, find("target", &edge.target)?);
            let (leads, way) = (&mut leads[source], edge.way.as_deref());
            // The way for true stands first, however the edges are written.
            let place = if way == Some(WAYS[0]) { 0 } else { leads.to.len() };
            leads.to.insert(place, target);
            leads.ways.insert(place, way);
        }
        Ok(leads)
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

/// What was found on the way from start to end.
struct Walk {
    /// The steps, each with the number of its node.
    steps: Vec<(usize, Step)>,
    /// Where they lead, where there are conditions.
    road: Option<Road>,
}

/// The nodes that one leads to, and the labels of the outputs.
#[derive(Default)]
struct Leads<'a> {
    to: Vec<usize>,
    ways: Vec<Option<&'a str>>,
}

/// An error of a node that keeps the graph from being what it must.
fn off(path: &str, what: &str) -> WorkflowError {
    let message = format!(
        "{path} {what}; a session workflow is one line from start through its steps to end, in which only a \
         condition has two ways"
    );
    WorkflowError::new(path, message)
}

#[cfg(test)]
mod tests;
