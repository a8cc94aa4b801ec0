//! What a run or a session did, as a diagram shows it.

use model::Workflow;
use model::session::{SessionStatus, WorkflowSession};
use serde::Deserialize;
use std::collections::HashMap;

/// The states of nodes in one run, by their ids.
#[derive(Debug, Default)]
pub struct States(HashMap<String, State>);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct State {
    pub(super) state: String,
    duration_ms: Option<u64>,
}

#[derive(Deserialize)]
struct Record {
    results: HashMap<String, State>,
}

impl States {
    /// Reads them from the JSON text of a run.
    pub fn parse(run: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(run).map(|record: Record| Self(record.results))
    }

    /// What a session did so far in its workflow.
    pub fn of_session(workflow: &Workflow, session: &WorkflowSession) -> Self {
        let is_over = session.status == SessionStatus::Completed;
        let mut all = HashMap::new();
        for node in workflow.nodes.iter() {
            let done = node.kind == "start" || (node.kind == "end" && is_over);
            all.insert(node.id.clone(), State::new(if done { "completed" } else { "skipped" }, None));
        }
        for one in &session.decisions {
            let word = if one.error.is_some() { "error" } else { "completed" };
            all.insert(one.node_id.clone(), State::new(word, None));
        }
        for (index, node) in workflow.step_nodes().into_iter().enumerate() {
            all.insert(node.id.clone(), step(session, index));
        }
        Self(all)
    }

    pub(super) fn of(&self, node: &str) -> Option<&State> {
        self.0.get(node)
    }
}

/// What a session did in one step: its members, where it is a group, count as one.
fn step(session: &WorkflowSession, index: usize) -> State {
    if session.running.as_ref().is_some_and(|running| running.step_index == index) {
        return State::new("running", None);
    }
    let ran = session.history.iter().filter(|one| one.step_index == index && !one.compensation);
    let ran: Vec<_> = ran.collect();
    let began = ran.iter().map(|one| one.started_at).min();
    let ended = ran.iter().map(|one| one.completed_at).max();
    let took = began.zip(ended).map(|(began, ended)| u64::try_from(ended - began).unwrap_or(0));
    let word = match ran.iter().all(|one| one.success) {
        _ if ran.is_empty() => "skipped",
        true => "completed",
        false => "error",
    };
    State::new(word, took)
}

impl State {
    fn new(state: &str, duration_ms: Option<u64>) -> Self {
        Self { state: state.to_owned(), duration_ms }
    }

    /// The word for the class of a node: only words that are known.
    pub(super) fn class(&self) -> &'static str {
        ["completed", "error", "running"].into_iter().find(|word| *word == self.state).unwrap_or("skipped")
    }

    /// State and time, in words.
    pub(super) fn words(&self) -> String {
        match self.duration_ms {
            Some(ms) => format!("{}, {ms} ms", self.class()),
            None => self.class().to_owned(),
        }
    }
}
