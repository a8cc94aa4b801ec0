//! A session as clients see it (spec 4.8).

use super::Trail;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The key of the start input in the memory.
pub const INPUT_KEY: &str = "__workflow_input__";

/// Where a session stands.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum SessionStatus {
    /// No step was begun.
    #[default]
    Pending,
    /// It goes on with the next continue.
    Running,
    /// It is held.
    Paused,
    /// All steps are done.
    Completed,
    /// A required step failed, or time ran out.
    Failed,
    /// Somebody ended it.
    Cancelled,
}

impl SessionStatus {
    /// All of them.
    pub const ALL: [SessionStatus; 6] =
        [Self::Pending, Self::Running, Self::Paused, Self::Completed, Self::Failed, Self::Cancelled];

    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            SessionStatus::Pending => "pending",
            SessionStatus::Running => "running",
            SessionStatus::Paused => "paused",
            SessionStatus::Completed => "completed",
            SessionStatus::Failed => "failed",
            SessionStatus::Cancelled => "cancelled",
        }
    }

    /// The status of that word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == word)
    }

    /// Whether it can still go on.
    pub const fn is_open(self) -> bool {
        matches!(self, SessionStatus::Pending | SessionStatus::Running | SessionStatus::Paused)
    }
}

impl std::fmt::Display for SessionStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// One execution of a session workflow. What only grows is shared, so that a copy costs little however long it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowSession {
    /// Its id.
    pub session_id: String,
    /// The name of the workflow.
    pub workflow_name: String,
    /// Who started it.
    pub client_id: String,
    /// Where it stands.
    pub status: SessionStatus,
    /// The index of the last step that was run.
    pub current_step: usize,
    /// The number of steps.
    pub total_steps: usize,
    /// What was remembered.
    #[schema(value_type = Object)]
    pub memory: Arc<Map<String, Value>>,
    /// When it was started, in milliseconds since 1970.
    pub started_at: i64,
    /// When it was finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<i64>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The steps that were run.
    #[schema(value_type = Vec<StepExecution>)]
    pub history: Trail<StepExecution>,
    /// The tools that were chosen.
    #[schema(value_type = Vec<BranchDecision>)]
    pub branch_history: Trail<BranchDecision>,
    /// Which way was taken at each condition of its graph.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Decision>)]
    pub decisions: Vec<Arc<Decision>>,
    /// What it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Waiting>,
    /// The step that runs now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<RunningStep>,
    /// The session that runs it as a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<String>,
    /// The schedule that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule_id: Option<String>,
    /// The version of the workflow that it stays on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_version: Option<u64>,
    /// What was undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compensation: Option<Compensation>,
}

/// The way that was taken at a condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// The id of the node.
    pub node_id: String,
    /// Whether it was the way for true. None was taken when the session failed here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way: Option<bool>,
    /// Why the expression has no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The steps that are passed over for it: those to which only the other way leads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_steps: Vec<usize>,
    /// When it was decided, in milliseconds since 1970.
    pub timestamp: i64,
}

/// A step that was begun and has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunningStep {
    /// Which step.
    pub step_index: usize,
    /// When it began.
    pub since: i64,
}

/// One step that was run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepExecution {
    /// Which step.
    pub step_index: usize,
    /// Its activity.
    pub activity_name: String,
    /// When it began.
    pub started_at: i64,
    /// When it ended.
    pub completed_at: i64,
    /// Whether it succeeded.
    pub success: bool,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The options that were offered after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_options: Option<Vec<BranchOption>>,
    /// Whether it undid the step.
    #[serde(default, skip_serializing_if = "super::activity::is_false")]
    pub compensation: bool,
}

/// A tool that a client may call next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchOption {
    /// The tool.
    pub tool_name: String,
    /// What it is to be called with.
    #[serde(default, deserialize_with = "or_none")]
    #[schema(value_type = Object, required = true)]
    pub parameters: Map<String, Value>,
    /// When it is meant to be called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Higher goes first; none counts as 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>)]
    pub priority: Option<serde_json::Number>,
    /// Whatever else the activity says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub metadata: Option<Value>,
}

/// Members of an object; null stands for none.
pub(super) fn or_none<'de, D: Deserializer<'de>>(members: D) -> Result<Map<String, Value>, D::Error> {
    Option::deserialize(members).map(Option::unwrap_or_default)
}

/// A tool that an activity suggests; the same shape as an option.
pub type ToolCallSuggestion = BranchOption;

/// A tool that was chosen among those that a step offered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchDecision {
    /// The step that offered it.
    pub step_index: usize,
    /// The pattern that offered it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_pattern: Option<String>,
    /// The tool.
    pub tool_name: String,
    /// When it was called.
    pub timestamp: i64,
}

/// What an open session waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "for", rename_all = "camelCase")]
pub enum Waiting {
    /// Somebody who allows or refuses a step.
    #[serde(rename_all = "camelCase")]
    Approval {
        /// Which step.
        step_index: usize,
        /// Its activity.
        activity_name: String,
        /// What it would be run with.
        #[schema(value_type = Object)]
        input: Value,
        /// Names exactly this question; an answer carries it.
        digest: String,
        /// What the one who decides is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// When the question was asked.
        since: i64,
        /// When it is void.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expires_at: Option<i64>,
        /// Whether it is answered over the API or in the web UI only.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        api_only: bool,
    },
    /// An event.
    #[serde(rename_all = "camelCase")]
    Event {
        /// Which step.
        step_index: usize,
        /// Its activity.
        activity_name: String,
        /// The name of the event.
        event: String,
        /// Since when.
        since: i64,
        /// When the waiting is over.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<i64>,
    },
    /// A session that runs as its step.
    #[serde(rename_all = "camelCase")]
    Session {
        /// Which step.
        step_index: usize,
        /// Its activity.
        activity_name: String,
        /// That session; of several, the first that has not ended.
        session_id: String,
        /// All that have not ended, where they are several: members of a group.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        session_ids: Vec<String>,
    },
    /// Somebody who says what became of a step that was under way when the process died.
    #[serde(rename_all = "camelCase")]
    Uncertain {
        /// Which step.
        step_index: usize,
        /// Its activity.
        activity_name: String,
        /// What it was run with; of a group, the first member that is uncertain.
        #[schema(value_type = Object)]
        input: Value,
        /// The members that are uncertain, where the step is a group.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        members: Vec<UncertainMember>,
        /// What may be chosen.
        choices: Vec<String>,
        /// Since when; names exactly this doubt, and an answer may carry it.
        #[serde(default)]
        since: i64,
    },
}

impl Waiting {
    /// Which step waits.
    pub const fn step_index(&self) -> usize {
        match self {
            Self::Approval { step_index, .. }
            | Self::Event { step_index, .. }
            | Self::Session { step_index, .. }
            | Self::Uncertain { step_index, .. } => *step_index,
        }
    }
}

/// A member of a group of which nobody knows whether it took effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UncertainMember {
    /// Its activity.
    pub activity_name: String,
    /// What it was run with.
    #[schema(value_type = Object)]
    pub input: Value,
}

impl UncertainMember {
    /// What may have taken effect, in words: these members of a group, or the step as a whole.
    pub fn words(all: &[Self]) -> String {
        if all.is_empty() {
            return "it".to_owned();
        }
        all.iter().map(|one| one.activity_name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// What was undone after a failure or a cancel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Compensation {
    /// Whether every step that had to be undone was.
    pub complete: bool,
    /// The steps that were undone; a group is when all of its members are.
    pub undone: Vec<usize>,
    /// The steps whose undoing failed.
    pub failed: Vec<usize>,
}

/// How many sessions there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionStats {
    /// All of them.
    pub total: u64,
    /// By status; those without sessions are 0.
    pub by_status: BTreeMap<SessionStatus, u64>,
    /// By the name of the workflow.
    pub by_workflow: BTreeMap<String, u64>,
}
