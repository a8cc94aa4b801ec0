//! A workflow as Mermaid text.

use super::{States, edges, is_optional, line, notes, offers, shape};
use crate::kind::Shape;
use model::Workflow;
use std::fmt::Write;

const CLASSES: [(&str, &str); 6] = [
    ("side", "stroke-dasharray:5 4"),
    ("optional", "stroke-dasharray:2 3"),
    ("completed", "fill:#e6f4ea,stroke:#1e7e34"),
    ("error", "fill:#fdecea,stroke:#c62828"),
    ("running", "fill:#e8f0fe,stroke:#1a5fb4"),
    ("skipped", "fill:#f3f3f3,stroke:#9e9e9e,color:#757575"),
];

/// The text of a flow chart. With the states of a run every node says what it did.
pub fn mermaid(workflow: &Workflow, run: Option<&States>) -> String {
    let mut out = String::from("flowchart LR\n");
    for (number, node) in workflow.nodes.iter().enumerate() {
        let state = run.and_then(|run| run.of(&node.id));
        let label = escape(&line(node.label()));
        let notes: String = notes(node).iter().map(|note| format!("<br/>{}", escape(note))).collect();
        let words = state.map(|state| format!("<br/>{}", state.words())).unwrap_or_default();
        let (open, close) = match shape(node) {
            Shape::Pill => ("([", "])"),
            Shape::Double => ("[[", "]]"),
            Shape::Box | Shape::Dashed => ("[", "]"),
            Shape::Rhombus => ("{", "}"),
        };
        let _ = writeln!(out, "  n{number}{open}\"{label}{notes}{words}\"{close}");
    }
    for (from, to, edge) in edges(workflow) {
        let arrow = if shape(&workflow.nodes[to]) == Shape::Dashed { "-.->" } else { "-->" };
        let way = match edge.way.as_deref().map(line).filter(|way| !way.is_empty()) {
            Some(way) => format!("|\"{}\"|", escape(&way)),
            None => String::new(),
        };
        let _ = writeln!(out, "  n{from} {arrow}{way} n{to}");
    }
    for (number, node) in workflow.nodes.iter().enumerate() {
        for (offer, (when, tool)) in offers(node).iter().enumerate() {
            let (when, tool) = (escape(when), escape(tool));
            let _ = writeln!(
                out,
                "  n{number}b{offer}>\"{tool}\"]\n  n{number} -.->|\"{when}\"| n{number}b{offer}"
            );
        }
    }
    for (class, style) in CLASSES {
        let of_class = workflow.nodes.iter().enumerate().filter(|(_, node)| {
            let state = run.and_then(|run| run.of(&node.id)).map(|state| state.class());
            match class {
                "side" => shape(node) == Shape::Dashed,
                "optional" => is_optional(node),
                _ => state == Some(class),
            }
        });
        let names: Vec<String> = of_class.map(|(number, _)| format!("n{number}")).collect();
        if !names.is_empty() {
            let _ = writeln!(out, "  classDef {class} {style}\n  class {} {class}", names.join(","));
        }
    }
    out
}

/// Letters that could end a label or mean something in it become entities of Mermaid.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '#' | '<' | '>' | '&' | '`' | '|' | '\\' | ';' | '{' | '}' | '[' | ']' | '(' | ')' => {
                let _ = write!(out, "#{};", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}
