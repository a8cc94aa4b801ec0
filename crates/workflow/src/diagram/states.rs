//! What a run or a session did, as a diagram shows it.

use model::Workflow;
use model::session::{SessionStatus, WorkflowSession};
use serde::Deserialize;
use std::collections::HashMap;

/// The states of nodes in one run, by their ids.
#[derive(Debug, Default, Deserialize)]
pub struct States(HashMap<String, State>);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct State {
    pub(super) state: String,
    duration_ms: Option<u64>,
}

/// What a diagram takes from the record of a run.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DrawnRun {
    /// The id of the workflow that it passed.
    pub workflow_id: String,
    /// Which version of it, where the record says so.
    pub version: Option<u64>,
    /// What it did there.
    #[serde(rename = "results")]
    pub states: States,
}

impl DrawnRun {
    /// Reads it from the JSON text of the record.
    pub fn parse(record: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(record)
    }
}

impl States {
    /// What a session did so far in its workflow.
    pub fn of_session(workflow: &Workflow, session: &WorkflowSession) -> Self {
        let is_over = session.status == SessionStatus::Completed;
        let mut all = HashMap::new();
        for node in workflow.nodes.iter() {
            let done = node.kind == "start" || (node.kind == "end" && is_over);
            // What may still come has no state yet.
            if done || !session.status.is_open() {
                all.insert(node.id.clone(), State::new(if done { "completed" } else { "skipped" }, None));
            }
        }
        for one in &session.decisions {
            let word = if one.error.is_some() { "error" } else { "completed" };
            all.insert(one.node_id.clone(), State::new(word, None));
        }
        for (index, node) in workflow.step_nodes().into_iter().enumerate() {
            let state = step(session, index);
            let passed = index < reached(session) || passed_over(session, index);
            if state.state != "skipped" || !session.status.is_open() || passed {
                all.insert(node.id.clone(), state);
            }
        }
        Self(all)
    }

    pub(super) fn of(&self, node: &str) -> Option<&State> {
        self.0.get(node)
    }
}

/// The step that a session has come to: those before it that did not run were passed over.
fn reached(session: &WorkflowSession) -> usize {
    let ran = session.history.iter().map(|one| one.step_index);
    let now = session.running.iter().map(|one| one.step_index).chain(waits_at(session));
    ran.chain(now).max().unwrap_or(0)
}

/// Whether a condition led past a step.
fn passed_over(session: &WorkflowSession, index: usize) -> bool {
    session.decisions.iter().any(|one| one.passed_steps.contains(&index))
}

fn waits_at(session: &WorkflowSession) -> Option<usize> {
    session.waiting.as_ref().map(model::session::Waiting::step_index)
}

/// The step at which a session failed without its having an entry in the history, as when its time is over.
fn failed_at(session: &WorkflowSession) -> Option<usize> {
    let failed = session.status == SessionStatus::Failed
        && session.history.iter().all(|one| one.success)
        && session.decisions.iter().all(|one| one.error.is_none());
    let next = || session.history.iter().map(|one| one.step_index + 1).max().unwrap_or(0);
    failed.then(|| (next()..).find(|index| !passed_over(session, *index)).unwrap_or_default())
}

/// What a session did in one step: its members, where it is a group, count as one.
fn step(session: &WorkflowSession, index: usize) -> State {
    let running = session.running.as_ref().map(|running| running.step_index);
    if [running, waits_at(session)].contains(&Some(index)) {
        return State::new("running", None);
    }
    if failed_at(session) == Some(index) {
        return State::new("error", None);
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
