//! A workflow as a picture, alone or with what one run did in it. The same definition gives the same text.

mod mermaid;
mod states;
mod svg;

pub use mermaid::mermaid;
pub use states::{DrawnRun, States};
pub use svg::svg;

use crate::kind::{self, Shape};
use model::{Edge, Node, Workflow};
use std::collections::HashMap;

/// How a node looks; one of an unknown kind looks like a plain box.
fn shape(node: &Node) -> Shape {
    kind::of(&node.kind).map_or(Shape::Box, |kind| kind.shape(node))
}

/// What a diagram says below the label of a node, a line each.
fn notes(node: &Node) -> Vec<String> {
    let notes = kind::of(&node.kind).map(|kind| kind.notes(node)).unwrap_or_default();
    notes.iter().map(|note| line(note)).collect()
}

/// Whether a failure of the node is passed over.
fn is_optional(node: &Node) -> bool {
    kind::of(&node.kind).is_some_and(|kind| kind.is_optional(node))
}

/// What may be called after the node, beside the way: when, and which tool.
fn offers(node: &Node) -> Vec<(String, String)> {
    let offers = kind::of(&node.kind).map(|kind| kind.offers(node)).unwrap_or_default();
    offers.iter().map(|(when, tool)| (line(when), line(tool))).collect()
}

/// The edges between nodes that exist, as numbers of nodes, in the order of the definition.
fn edges(workflow: &Workflow) -> Vec<(usize, usize, &Edge)> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for (number, node) in workflow.nodes.iter().enumerate() {
        numbers.entry(&node.id).or_insert(number);
    }
    let find = |id: &String| numbers.get(id.as_str()).copied();
    let ends = |edge: &Edge| find(&edge.source).zip(find(&edge.target));
    workflow.edges.iter().filter_map(|edge| ends(edge).map(|(from, to)| (from, to, edge))).collect()
}

/// A label on one line.
fn line(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests;
