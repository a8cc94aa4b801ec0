//! A workflow as an SVG image.

use super::{States, edges, is_optional, line, notes, offers, shape};
use crate::kind::Shape;
use model::{Node, Workflow};
use std::collections::HashSet;
use std::fmt::Write;

const WIDTH: i64 = 160;
const HEIGHT: i64 = 48;
const MARGIN: i64 = 24;
const GAP: (i64, i64) = (64, 32);

/// The height of a line below a node.
const NOTE: i64 = 15;

/// The height of a tool that is offered, and the room above it.
const OFFER: (i64, i64) = (26, 18);

/// The farthest that a node may stand from the middle.
const FAR: f64 = 100_000.0;

/// The longest label that fits, in characters.
const LABEL: usize = 22;

const STYLE: &str = "\
text{font:13px system-ui,sans-serif;text-anchor:middle;fill:#1f2328}.small{font-size:11px;fill:#59636e}\
.node>:first-child{fill:#fff;stroke:#59636e;stroke-width:1.5}.side>:first-child{stroke-dasharray:5 4}\
.completed>:first-child{fill:#e6f4ea;stroke:#1e7e34}.error>:first-child{fill:#fdecea;stroke:#c62828}\
.optional>:first-child{stroke-dasharray:2 3}\
.offer rect{fill:#fff8e6;stroke:#9a6700}.offer path{stroke:#9a6700;stroke-dasharray:5 4}\
.running>:first-child{fill:#e8f0fe;stroke:#1a5fb4}.skipped{opacity:.55}\
path{fill:none;stroke:#59636e;stroke-width:1.5}.loose{stroke-dasharray:5 4}#tip path{fill:#59636e;stroke:none}";

/// The image. With the states of a run every node says what it did.
pub fn svg(workflow: &Workflow, run: Option<&States>) -> String {
    let places = places(workflow);
    let least = |axis: fn(&(i64, i64)) -> i64| places.iter().map(axis).min().unwrap_or(0) - MARGIN;
    let most = |axis: fn(&(i64, i64)) -> i64| places.iter().map(axis).max().unwrap_or(0) + MARGIN;
    let (x, y) = (least(|at| at.0), least(|at| at.1));
    let lowest = workflow.nodes.iter().zip(&places).map(|(node, at)| at.1 + below(node));
    let low = lowest.max().unwrap_or(0) + MARGIN;
    let (width, height) = (most(|at| at.0) + WIDTH - x, low.max(most(|at| at.1)) + HEIGHT - y);
    let title = escape(&line(&workflow.name));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"{x} {y} {width} {height}\" role=\"img\" aria-label=\"{title}\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n"
    );
    for (from, to, edge) in edges(workflow) {
        let loose = if shape(&workflow.nodes[to]) == Shape::Dashed { " class=\"loose\"" } else { "" };
        let (x1, y1) = (places[from].0 + WIDTH, places[from].1 + HEIGHT / 2);
        let (x2, y2) = (places[to].0, places[to].1 + HEIGHT / 2);
        let bend = ((x2 - x1).abs() / 2).clamp(24, 120);
        let _ = writeln!(
            out,
            "<path{loose} d=\"M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}\" marker-end=\"url(#tip)\"/>",
            x1 + bend,
            x2 - bend,
        );
        if let Some(way) = edge.way.as_deref().map(line).filter(|way| !way.is_empty()) {
            let (x, y) = ((x1 + x2) / 2, (y1 + y2) / 2 - 6);
            let way = escape(&shorten(&way));
            let _ = writeln!(out, "<text class=\"small\" x=\"{x}\" y=\"{y}\">{way}</text>");
        }
    }
    for (node, place) in workflow.nodes.iter().zip(&places) {
        draw(&mut out, node, *place, run);
        add_below(&mut out, node, *place);
    }
    out.push_str("</svg>\n");
    out
}

fn draw(out: &mut String, node: &Node, (x, y): (i64, i64), run: Option<&States>) {
    let state = run.and_then(|run| run.of(&node.id));
    let side = if shape(node) == Shape::Dashed { " side" } else { "" };
    let side = if is_optional(node) { " optional" } else { side };
    let class = state.map(|state| format!(" {}", state.class())).unwrap_or_default();
    let full = line(node.label());
    let _ = write!(out, "<g class=\"node{side}{class}\">");
    let (right, bottom) = (x + WIDTH, y + HEIGHT);
    let (middle, half) = (x + WIDTH / 2, y + HEIGHT / 2);
    let _ = match shape(node) {
        Shape::Rhombus => {
            let edge = 12;
            write!(
                out,
                "<polygon points=\"{x},{half} {},{y} {},{y} {right},{half} {},{bottom} {},{bottom}\"/>",
                x + edge,
                right - edge,
                right - edge,
                x + edge,
            )
        }
        shape => {
            let round = if shape == Shape::Pill { HEIGHT / 2 } else { 8 };
            write!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"{round}\"/>")
        }
    };
    if shape(node) == Shape::Double {
        let (left, right) = (x + 8, right - 8);
        let _ = write!(out, "<path d=\"M{left} {y}V{bottom}M{right} {y}V{bottom}\"/>");
    }
    let _ = write!(out, "<title>{}</title>", escape(&full));
    let above = if state.is_some() { half - 3 } else { half + 5 };
    let _ = write!(out, "<text x=\"{middle}\" y=\"{above}\">{}</text>", escape(&shorten(&full)));
    if let Some(state) = state {
        let y = half + 14;
        let _ = write!(out, "<text class=\"small\" x=\"{middle}\" y=\"{y}\">{}</text>", state.words());
    }
    out.push_str("</g>\n");
}

/// The room that what stands below a node takes.
fn below(node: &Node) -> i64 {
    let count = |items: usize| items as i64;
    count(notes(node).len()) * NOTE + count(offers(node).len()) * (OFFER.0 + OFFER.1)
}

/// What stands below a node: its notes, and the tools that it offers.
fn add_below(out: &mut String, node: &Node, (x, y): (i64, i64)) {
    let (middle, left) = (x + WIDTH / 2, x + 8);
    let mut y = y + HEIGHT;
    for note in notes(node) {
        y += NOTE;
        let (full, note) = (escape(&note), escape(&shorten(&note)));
        let _ = writeln!(
            out,
            "<text class=\"small\" x=\"{middle}\" y=\"{y}\"><title>{full}</title>{note}</text>"
        );
    }
    let (height, above) = OFFER;
    for (when, tool) in offers(node) {
        let (top, words) = (y + above, y + above + 17);
        let full = escape(&format!("{when}: {tool}"));
        let (when, tool) = (escape(&shorten(&when)), escape(&shorten(&tool)));
        let _ = writeln!(
            out,
            "<g class=\"offer\"><title>{full}</title><path d=\"M{left} {y}V{top}\"/>\
             <text class=\"small\" x=\"{middle}\" y=\"{}\">{when}</text>\
             <rect x=\"{x}\" y=\"{top}\" width=\"{WIDTH}\" height=\"{height}\" rx=\"3\"/>\
             <text class=\"small\" x=\"{middle}\" y=\"{words}\">{tool}</text></g>",
            top - 5,
        );
        y = top + height;
    }
}

/// Where the nodes stand: as the editor placed them, or in columns when one has no place of its own.
fn places(workflow: &Workflow) -> Vec<(i64, i64)> {
    let round = |at: f64| at.clamp(-FAR, FAR).round() as i64;
    let placed = workflow.nodes.iter().map(|node| node.position.map(|(x, y)| (round(x), round(y))));
    let placed: Option<Vec<(i64, i64)>> = placed.collect();
    let apart = |all: &Vec<_>| all.iter().collect::<HashSet<_>>().len() == all.len();
    placed.filter(apart).unwrap_or_else(|| columns(workflow))
}

/// Every node one column to the right of the last that leads to it.
fn columns(workflow: &Workflow) -> Vec<(i64, i64)> {
    let edges = edges(workflow);
    let count = workflow.nodes.len();
    let mut waits = vec![0_usize; count];
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to, _) in &edges {
        waits[*to] += 1;
        next[*from].push(*to);
    }
    let mut column = vec![0_usize; count];
    let mut ready: Vec<usize> = (0..count).filter(|at| waits[*at] == 0).collect();
    while let Some(at) = ready.pop() {
        for &to in &next[at] {
            column[to] = column[to].max(column[at] + 1);
            waits[to] -= 1;
            if waits[to] == 0 {
                ready.push(to);
            }
        }
    }
    let mut rows = vec![0_i64; count + 1];
    let place = |column: usize| {
        let row = rows[column];
        rows[column] += 1;
        (column as i64 * (WIDTH + GAP.0), row * (HEIGHT + GAP.1))
    };
    column.into_iter().map(place).collect()
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(LABEL) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Not a character of XML.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}
