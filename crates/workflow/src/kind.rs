//! The kinds of nodes. Each is one file, and this is the one list of them.

mod activity;
mod condition;
mod end;
mod hook;
mod mcp_call;
mod start;
mod variable;

pub(crate) use hook::stops;
pub(crate) use mcp_call::{schema as call_schema, terms_of};

use crate::plan::Action;
use model::{Node, WorkflowType};
use sandbox::Phase;
use std::borrow::Cow;

/// Every kind, in the order in which messages name them.
static KINDS: [&dyn Kind; 7] = [
    &start::Start,
    &end::End,
    &mcp_call::McpCall,
    &hook::Hook,
    &condition::Condition,
    &variable::Variable,
    &activity::Activity,
];

/// The types that a node may have.
pub const KIND_NAMES: [&str; 7] = ["start", "end", "mcp-call", "hook", "condition", "variable", "activity"];

/// What is particular to one kind of node.
pub(crate) trait Kind: Sync {
    /// Its word in `type`.
    fn name(&self) -> &str;

    /// What people call it.
    fn title(&self) -> &str;

    /// Whether it belongs to workflows of that type.
    fn fits(&self, workflow: WorkflowType) -> bool {
        workflow != WorkflowType::Session
    }

    /// What it does when a run comes to it.
    fn role(&self, node: &Node) -> Role;

    /// How it looks in a diagram.
    fn shape(&self, node: &Node) -> Shape;

    /// What a diagram says below its label, a line each.
    fn notes(&self, _node: &Node) -> Vec<String> {
        Vec::new()
    }

    /// Whether a failure of it is passed over.
    fn is_optional(&self, _node: &Node) -> bool {
        false
    }

    /// What may be called after it, beside the way: when, and which tool.
    fn offers(&self, _node: &Node) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The rules that its `data` breaks, to be read after the name of the node.
    fn check(&self, _node: &Node) -> Vec<String> {
        Vec::new()
    }

    /// The script to be compiled, where it has one of its own.
    fn script<'a>(&self, _node: &'a Node) -> Option<Cow<'a, str>> {
        None
    }

    /// The expressions in that script, each of which must compile by itself too.
    fn expressions<'a>(&self, _node: &'a Node) -> Vec<&'a str> {
        Vec::new()
    }

    /// The most outputs of a node on the way, where there is such a number.
    fn most_outputs(&self) -> Option<usize> {
        None
    }

    /// The side of the call on which it must stand, where that matters.
    fn phase(&self) -> Option<Phase> {
        None
    }

    /// A further member of the context that its script sees, as text.
    fn top(&self, _node: &Node) -> Option<String> {
        None
    }

    /// The form in which a node that passed [`check`](Self::check) runs.
    fn action(&self, node: &Node) -> Action;
}

/// The place of a node in a graph, which decides its inputs and outputs (spec 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// No input; the one beginning.
    Start,
    /// One input, no output; the one end.
    End,
    /// The one call.
    Call,
    /// One input, many outputs; on the way from start to end.
    Step,
    /// One input, two labelled outputs; on the way from start to end.
    Choice,
    /// One input, no output; beside the way.
    Side,
}

/// The labelled outputs of a choice.
pub(crate) const WAYS: [&str; 2] = ["true", "false"];

/// How a node looks in a diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A pill: where a run begins and ends.
    Pill,
    /// A box with double sides: the call.
    Double,
    /// A box: a blocking hook, or variables that are set.
    Box,
    /// A rhombus: a condition.
    Rhombus,
    /// A box with a dashed border: beside the way.
    Dashed,
}

/// The kind of that name.
pub(crate) fn of(name: &str) -> Option<&'static dyn Kind> {
    KINDS.iter().find(|kind| kind.name() == name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_kinds() {
        assert_eq!(KINDS.map(|kind| kind.name()), KIND_NAMES);
        assert!(KIND_NAMES.iter().all(|name| of(name).is_some()));
        assert!(of("loop").is_none());
    }
}
