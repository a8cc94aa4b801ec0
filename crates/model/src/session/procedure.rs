//! A session workflow as an ordered list of steps (spec 4.4).

use super::{Road, Step};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A session workflow.
#[derive(Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Procedure {
    /// Unique among session workflows; the tools are named after it.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its steps, in order.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// Where they lead, where that is not simply from each to the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub road: Option<Road>,
    /// Milliseconds for the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// Which time counts for `timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_scope: Option<TimeoutScope>,
    /// How its tools are shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Tools>,
    /// A script that runs when it has succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_success: Option<String>,
    /// A script that runs when it has failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_failure: Option<String>,
    /// A script that runs last, whatever came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_complete: Option<String>,
}

impl Procedure {
    /// One of this name, without steps.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: String::new(),
            steps: Vec::new(),
            road: None,
            timeout: None,
            timeout_scope: None,
            tools: None,
            on_success: None,
            on_failure: None,
            on_complete: None,
        }
    }
}

/// Scripts may hold secrets and are long, so only the rest is shown.
impl std::fmt::Debug for Procedure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Procedure").field("name", &self.name).field("steps", &self.steps.len()).finish()
    }
}

/// Which time counts for the timeout of a session workflow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TimeoutScope {
    /// All time since the start, paused time left out.
    #[default]
    Wall,
    /// Only the time in which a step was running.
    Active,
}

/// How the tools of a session workflow are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SessionTools)]
pub struct Tools {
    /// Those that are shown; `start` and `continue` always are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expose: Option<Vec<Face>>,
    /// Other titles.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub titles: BTreeMap<Face, String>,
}

/// One of the five tools of a session workflow.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Face {
    /// Begins a session.
    Start,
    /// Runs the next step.
    Continue,
    /// Shows a session.
    Status,
    /// Holds a session.
    Pause,
    /// Ends a session.
    Cancel,
}

impl Face {
    /// The words of all five.
    pub const WORDS: [&str; 5] = ["start", "continue", "status", "pause", "cancel"];

    /// The tool of that word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|face| face.word() == word)
    }

    /// All five, in the order in which they are listed.
    pub const ALL: [Face; 5] = [Face::Start, Face::Continue, Face::Status, Face::Pause, Face::Cancel];

    /// Its word, which ends the name of the tool.
    pub const fn word(self) -> &'static str {
        match self {
            Face::Start => "start",
            Face::Continue => "continue",
            Face::Status => "status",
            Face::Pause => "pause",
            Face::Cancel => "cancel",
        }
    }

    /// The name of the tool of a workflow.
    pub fn tool(self, workflow: &str) -> String {
        format!("{workflow}_{}", self.word())
    }
}

/// What holds for a session workflow as a whole, besides its name and its steps.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Terms {
    /// Milliseconds for the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// Which time counts for `timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_scope: Option<TimeoutScope>,
    /// How its tools are shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Tools>,
    /// A script that runs when it has succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_success: Option<String>,
    /// A script that runs when it has failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_failure: Option<String>,
    /// A script that runs last, whatever came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_complete: Option<String>,
}

/// Scripts may hold secrets and are long, so only the rest is shown.
impl std::fmt::Debug for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Terms").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

impl Terms {
    /// The session workflow of these terms.
    pub fn procedure(self, name: String, description: String, steps: Vec<Step>) -> Procedure {
        let Self { timeout, timeout_scope, tools, on_success, on_failure, on_complete } = self;
        Procedure {
            name,
            description,
            steps,
            road: None,
            timeout,
            timeout_scope,
            tools,
            on_success,
            on_failure,
            on_complete,
        }
    }
}

impl Procedure {
    /// The most characters of a name, so that the name of every tool has at most 100.
    pub const NAME_MAX: usize = 91;

    /// The tools that are shown. `all` holds for workflows that do not say.
    pub fn faces(&self, all: &[Face]) -> Vec<Face> {
        let exposed = self.tools.as_ref().and_then(|tools| tools.expose.as_deref()).unwrap_or(all);
        let always = |face: &Face| matches!(face, Face::Start | Face::Continue);
        Face::ALL.into_iter().filter(|face| always(face) || exposed.contains(face)).collect()
    }

    /// The name of one of its tools.
    pub fn tool(&self, face: Face) -> String {
        face.tool(&self.name)
    }
}
