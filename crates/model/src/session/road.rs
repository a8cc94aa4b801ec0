//! Where the steps of a session workflow lead, when conditions part their ways (spec 5.1).

use serde::{Deserialize, Serialize};

/// The ways of a graph: from its start, and from each step. Steps stand in an order in which no way leads back.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Road {
    /// Where the start leads.
    pub start: Onward,
    /// Where each step leads.
    pub after: Vec<Onward>,
    /// The conditions.
    pub forks: Vec<Fork>,
}

/// What comes next on a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Onward {
    /// The step of that index.
    Step(usize),
    /// The condition of that index.
    Fork(usize),
    /// The end.
    End,
}

/// A condition, which has one way in and two ways out.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fork {
    /// The id of its node.
    pub node: String,
    /// What people call it.
    pub label: String,
    /// An expression over `memory`, `input` and `previous`.
    pub expression: String,
    /// Whether an expression that throws counts as false; else it fails the session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub goes_on: bool,
    /// Where it leads when the expression is true.
    pub yes: Onward,
    /// Where it leads when it is not.
    pub no: Onward,
}
