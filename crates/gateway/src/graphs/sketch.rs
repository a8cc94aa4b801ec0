//! Reading a definition that somebody is still drawing. What keeps it from being read is a problem too; it is mended in
//! the copy that is looked at, so that everything else that is wrong comes to light.

use model::{WorkflowDraft, WorkflowError, WorkflowSketch};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use workflow::{Problem, Rule};

/// The type of a node that stands in for one that cannot be read, and the activity of such a step.
const STAND_IN: &str = "stand-in";

/// How many bytes are read again at most, one time for each problem.
const BYTES_MAX: usize = 32 << 20;

/// How many problems are found that way.
const PROBLEMS_MAX: usize = 100;

/// What could be read of a definition.
#[derive(Default)]
pub(super) struct Sketch {
    /// The definition as far as it goes; nothing where no rule could be applied to it.
    pub(super) draft: Option<WorkflowDraft>,
    /// What kept it from being read as it is.
    pub(super) problems: Vec<Problem>,
    /// The nodes that only stand in for others. What is wrong with them was said.
    made_up: HashSet<String>,
    /// Its id, where it has one.
    pub(super) id: String,
    /// Whether it has a name: somebody still drawing has none yet, and wants to know of the rest.
    pub(super) is_named: bool,
}

impl Sketch {
    /// Reads a body.
    pub(super) fn read(body: &str) -> serde_json::Result<Self> {
        // Mostly it can be read as it is.
        if let Ok(WorkflowSketch { draft, id, is_named }) = WorkflowDraft::sketch(body) {
            let id = id.unwrap_or_default();
            return Ok(Self { draft: Some(draft), id, is_named, ..Self::default() });
        }
        let given: Map<String, Value> = serde_json::from_str(body)?;
        let id = given.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let is_named = given.get("name").is_some_and(|name| !name.is_null());
        Ok(Self { id, is_named, ..Self::default() }.mended(given))
    }

    /// Reads what is left of the members of a body when what is wrong is mended.
    fn mended(self, given: Map<String, Value>) -> Self {
        let mut reading = Reading::new(given);
        let mut draft = None;
        let mut bytes = 0;
        for _ in 0..PROBLEMS_MAX {
            let text = Value::Object(reading.given.clone()).to_string();
            bytes += text.len();
            match WorkflowDraft::sketch(&text) {
                Ok(read) => {
                    draft = Some(read.draft);
                    break;
                }
                Err(error) if reading.mend(&error) && bytes < BYTES_MAX => {}
                Err(_) => break,
            }
        }
        Self { draft, problems: reading.problems, made_up: reading.made_up, ..self }
    }

    /// Whether a problem is not one of a node that was made up here.
    pub(super) fn concerns(&self, problem: &Problem) -> bool {
        problem.node.as_ref().is_none_or(|node| !self.made_up.contains(node))
    }
}

struct Reading {
    given: Map<String, Value>,
    problems: Vec<Problem>,
    made_up: HashSet<String>,
    /// The places in the body of those edges that are still there.
    edges: Vec<usize>,
    /// The fields that were named already.
    seen: HashSet<String>,
}

impl Reading {
    fn new(given: Map<String, Value>) -> Self {
        let edges = given.get("edges").and_then(Value::as_array).map_or(0, Vec::len);
        Self {
            given,
            problems: Vec::new(),
            made_up: HashSet::new(),
            edges: (0..edges).collect(),
            seen: HashSet::new(),
        }
    }

    /// Notes an error and takes it out of the copy; says whether it could.
    fn mend(&mut self, error: &WorkflowError) -> bool {
        let (list, place, rest) = parts(&error.field);
        let at = if list == "edges" { place.and_then(|at| self.edges.get(at).copied()) } else { place };
        let own = |text: &str| match (list, place, at) {
            ("edges", Some(place), Some(at)) => {
                text.replacen(&format!("edges[{place}]"), &format!("edges[{at}]"), 1)
            }
            _ => text.to_owned(),
        };
        let again = !self.seen.insert(own(&error.field));
        if !again {
            let problem = self.problem(list, place, own(&error.message));
            self.problems.push(problem);
        }
        match (list, place) {
            ("name", _) if !again => self.given.insert("name".into(), "draft".into()).is_some(),
            ("nodes", Some(place)) if !again => self.mend_node(place, rest),
            ("edges", None) if !again => {
                self.given.insert("edges".into(), json!([]));
                true
            }
            ("edges", Some(place)) if !again && at.is_some() => {
                self.edges.remove(place);
                self.list("edges").map(|edges| edges.remove(place)).is_some()
            }
            ("steps", None) if !again && self.list("nodes").is_some() => self.given.remove("steps").is_some(),
            ("steps", Some(place)) => self.mend_step(place, rest, again),
            ("workflowType" | "nodes" | "steps" | "body", _) => false,
            (member, _) => self.given.remove(member).is_some(),
        }
    }

    fn problem(&mut self, list: &str, place: Option<usize>, message: String) -> Problem {
        let has_steps =
            self.given.get("steps").and_then(Value::as_array).is_some_and(|list| !list.is_empty());
        let code = match (list, place) {
            ("name", _) => Rule::Name,
            ("steps", None) if !has_steps => Rule::StepMissing,
            _ => Rule::Data,
        };
        let item = place.and_then(|place| self.list(list)?.get(place));
        let id = item.and_then(|item| item.get("id")?.as_str().map(str::to_owned));
        let mut problem = Problem::new(code, message);
        match (list, place) {
            ("nodes", _) => problem.node = id,
            ("edges", _) => problem.edge = id,
            ("steps", Some(place)) => problem.node = Some(step_id(place)),
            _ => {}
        }
        problem
    }

    fn mend_node(&mut self, place: usize, rest: &str) -> bool {
        let Some(node) = self.list("nodes").and_then(|nodes| nodes.get_mut(place)) else { return false };
        let stand_in = format!("{STAND_IN} {place}");
        match (node.as_object_mut(), rest) {
            (Some(node), "data") => {
                node.remove("data");
            }
            (Some(node), "type") => {
                node.insert("type".into(), STAND_IN.into());
                let id = node.get("id").and_then(Value::as_str).map_or(stand_in, str::to_owned);
                self.made_up.insert(id);
            }
            (Some(node), "id") => {
                node.insert("id".into(), stand_in.as_str().into());
                self.made_up.insert(stand_in);
            }
            (Some(_), _) => return false,
            (None, _) => {
                *node = json!({"id": stand_in, "type": STAND_IN});
                self.made_up.insert(stand_in);
            }
        }
        true
    }

    /// Takes out the member that is wrong, or the whole step where it cannot do without.
    fn mend_step(&mut self, place: usize, rest: &str, again: bool) -> bool {
        let id = step_id(place);
        if self.made_up.contains(&id) {
            return false;
        }
        let Some(step) = self.list("steps").and_then(|steps| steps.get_mut(place)) else { return false };
        let plain = !again && !rest.contains(['.', '[']);
        if plain && step.as_object_mut().is_some_and(|step| step.remove(rest).is_some() && !step.is_empty()) {
            return true;
        }
        *step = json!({"activity": STAND_IN});
        self.made_up.insert(id);
        true
    }

    fn list(&mut self, name: &str) -> Option<&mut Vec<Value>> {
        self.given.get_mut(name)?.as_array_mut()
    }
}

/// The id of the node that a step in a list becomes.
fn step_id(place: usize) -> String {
    format!("step-{}", place + 1)
}

/// The first member of a path, the place in it, and what follows: `nodes[2].data` has `nodes`, 2 and `data`.
fn parts(field: &str) -> (&str, Option<usize>, &str) {
    let (first, rest) = field.split_once('.').unwrap_or((field, ""));
    match first.split_once('[') {
        Some((list, place)) => (list, place.trim_end_matches(']').parse().ok(), rest),
        None => (first, None, rest),
    }
}
