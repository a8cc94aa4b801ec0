//! What is wrong with a workflow, said so that an editor can show it where it is.

use serde::Serialize;

/// How much a problem matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The workflow cannot be activated.
    Error,
    /// It can be, but surely something else was meant.
    Warning,
}

/// Which rule is broken, in the order in which reasons are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// There must be a start.
    StartMissing,
    /// There must be a call.
    CallMissing,
    /// There must be an end.
    EndMissing,
    /// A session workflow has a step.
    StepMissing,
    /// A way leads from start to the call.
    NoPathToCall,
    /// A way leads from the call to end.
    NoPathToEnd,
    /// Nothing comes back to where it was.
    Cycle,
    /// The type of a node is known.
    UnknownType,
    /// A node belongs to workflows of this type.
    Misplaced,
    /// A node has as many inputs as its type says.
    Inputs,
    /// A node has as many outputs as its type says.
    Outputs,
    /// Ids are unique.
    SameId,
    /// Edges name nodes that exist.
    LooseEdge,
    /// There is one start, one call and one end.
    MoreThanOne,
    /// What is awaited stands on the way from start to end.
    OffPath,
    /// Only a condition has several ways to end.
    Split,
    /// Every way to end passes the call.
    AroundCall,
    /// The name keeps the rule for names of session workflows.
    Name,
    /// No other session workflow has the name.
    NameTaken,
    /// The activities that steps run exist, and lead to no workflow that would contain itself.
    Activity,
    /// The data of a node is as its type says.
    Data,
    /// Scripts compile, and the hooks that nodes name exist.
    Script,
    /// What a fire-and-forget hook says of errors has no effect.
    NoEffect,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Which rule is broken.
    pub code: Rule,
    /// How much it matters.
    pub severity: Severity,
    /// One sentence for people.
    pub message: String,
    /// The id of the node that it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The name of the edge that it concerns: its id, or where it leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge: Option<String>,
}

impl Problem {
    /// A problem of the whole.
    pub fn new(code: Rule, message: impl Into<String>) -> Self {
        let severity = if code == Rule::NoEffect { Severity::Warning } else { Severity::Error };
        Self { code, severity, message: message.into(), node: None, edge: None }
    }

    /// A problem of one node; `rest` is read after its name.
    pub(crate) fn of(code: Rule, node: &model::Node, rest: &str) -> Self {
        let name = match node.label() {
            label if label == node.id => format!("Node '{label}'"),
            label => format!("Node '{}' ({label})", node.id),
        };
        Self { node: Some(node.id.clone()), ..Self::new(code, format!("{name} {rest}")) }
    }

    /// Puts problems into the order in which reasons are given, whatever the order of nodes and edges was.
    pub(crate) fn sort(problems: &mut [Self]) {
        problems.sort_by(|a, b| {
            let key = |p: &'_ Self| (p.code, p.node.clone(), p.edge.clone(), p.message.clone());
            key(a).cmp(&key(b))
        });
    }
}

/// Why a workflow with these problems cannot be activated: the first error.
pub fn reason(problems: &[Problem]) -> Option<&str> {
    let first = problems.iter().find(|problem| problem.severity == Severity::Error);
    first.map(|problem| problem.message.as_str())
}
