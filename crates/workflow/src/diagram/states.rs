//! What a run did, as a diagram shows it.

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

    pub(super) fn of(&self, node: &str) -> Option<&State> {
        self.0.get(node)
    }
}

impl State {
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
