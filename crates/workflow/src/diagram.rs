//! A workflow as a picture, alone or with what one run did in it. The same definition gives the same text.

mod mermaid;
mod states;
mod svg;

pub use mermaid::mermaid;
pub use states::States;
pub use svg::svg;

use crate::kind::{self, Shape};
use model::{Edge, Node, Workflow};
use std::collections::HashMap;

/// How a node looks; one of an unknown kind looks like a plain box.
fn shape(node: &Node) -> Shape {
    kind::of(&node.kind).map_or(Shape::Box, |kind| kind.shape(node))
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
