//! What one step of a session took and gave, for those who look closer than its history.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One step of a session, with every time that it ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepDetail {
    /// Which step.
    pub step_index: usize,
    /// Who allowed it, where somebody had to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_by: Option<String>,
    /// What ran, in order: one of each member of a group, and what undid them.
    pub executions: Vec<ExecutionDetail>,
}

/// One run of an activity, with what it was given and what it gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionDetail {
    /// Its activity; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activity_name: Option<String>,
    /// When it began.
    pub started_at: i64,
    /// When it ended; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<i64>,
    /// How often it was tried.
    pub attempts: u32,
    /// What it was given; absent where that was not recorded, which is so for a step that only runs a script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub input: Option<Value>,
    /// What it gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub output: Option<Value>,
    /// What it wrote to the memory besides; `null` for a key that it took out.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object)]
    pub memory: Map<String, Value>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether it undid the step.
    #[serde(default, skip_serializing_if = "super::activity::is_false")]
    pub compensation: bool,
}
