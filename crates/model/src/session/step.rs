//! One step of a procedure (spec 4.3, 4.7 and 5.2).

use super::OnUnknown;
use super::activity::is_false;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One step: an activity, or a group of steps that run at the same time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Step {
    /// The name of the activity; empty for a group.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub activity: String,
    /// The members of a group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(no_recursion)]
    pub parallel: Vec<Step>,
    /// Constant input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub input: Option<Value>,
    /// Whether its failure is passed over.
    #[serde(default, skip_serializing_if = "is_false")]
    pub optional: bool,
    /// An expression over `memory` and `input`; false passes the step over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// An expression over `previous`, `memory` and `input` that gives the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_mapper: Option<String>,
    /// What else may be called after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branches: Option<Branches>,
    /// Whether somebody must allow it first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approve: Option<Approve>,
    /// The event that lets it run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_for: Option<WaitFor>,
    /// The activity that undoes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compensate: Option<String>,
    /// What happens when it was under way as the process died; goes before that of the activity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_unknown: Option<OnUnknown>,
}

impl Step {
    /// What messages call it: its activity, or `parallel`.
    pub fn name(&self) -> &str {
        if self.parallel.is_empty() { &self.activity } else { "parallel" }
    }

    /// The steps that run: its members, or itself.
    pub fn members(&self) -> &[Step] {
        if self.parallel.is_empty() { std::slice::from_ref(self) } else { &self.parallel }
    }
}

/// What may be called after a step, in one of two forms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum Branches {
    /// `key:value` patterns over the data of the step, in the order written.
    #[schema(value_type = Object)]
    Patterns(Map<String, Value>),
    /// Expressions over `result`, `memory` and `input`.
    Predicates(Vec<PredicateBranch>),
}

/// The target of a pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PatternBranch {
    /// The tool that is offered.
    pub tool_name: String,
    /// What it is to be called with.
    #[serde(default, deserialize_with = "super::record::or_none", skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
}

/// A branch that an expression decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PredicateBranch {
    /// The expression.
    pub when: String,
    /// The tool that is offered.
    pub call: String,
    /// What it is to be called with.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object)]
    pub with: Map<String, Value>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Whether somebody must allow a step before it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum Approve {
    /// Yes or no.
    Flag(bool),
    /// Yes, with more to say.
    Rules(Approvers),
}

/// How a step is allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Approvers {
    /// What the one who decides is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Milliseconds after which the question is void and the step fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_ms: Option<u64>,
    /// Whether only the API and the UI may decide, not a tool call.
    #[serde(default, skip_serializing_if = "is_false")]
    pub api_only: bool,
}

impl Approve {
    /// The rules, where somebody must allow the step.
    pub fn rules(&self) -> Option<Approvers> {
        match self {
            Approve::Flag(false) => None,
            Approve::Flag(true) => Some(Approvers::default()),
            Approve::Rules(rules) => Some(rules.clone()),
        }
    }
}

/// The event that lets a step run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WaitFor {
    /// Its name.
    pub event: String,
    /// An expression over `event`, `memory` and `input`; without one every event of the name will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// Milliseconds of waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// What happens when they are over.
    #[serde(default)]
    pub on_timeout: OnTimeout,
}

/// What happens when a wait is over without its event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnTimeout {
    /// The step fails.
    #[default]
    Fail,
    /// The step runs without the event.
    Continue,
}
