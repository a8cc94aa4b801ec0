//! The report of `bench graphs`, in Markdown, and its targets. Medians decide.

use super::large::NODES;
use super::{CONNECTIONS, LISTED, NODE, NONE, PLAIN, RECORDED, Results};
use crate::report::{heading, show, targets, trust};
use crate::rows::{CPU, LATENCY, Row, SPEED};
use crate::spread::Spread;
use crate::verdict::{Verdict, at_least, at_most};

/// Prints the whole report.
pub(super) fn print(results: &Results) {
    println!(
        "\nMedian (least..most) of the rounds, over REST. \"Added\" and × compare with no graph, the same \
         concurrency and round. CPU is that of the gateway and its guards."
    );
    heading(
        "What a graph adds",
        &["gateway", "at", "CPU µs per call", "added", "p50 µs", "added", "calls/s", "×", "errors"],
    );
    for name in [NONE, PLAIN, RECORDED, LISTED, NODE] {
        for at in CONNECTIONS {
            line(results, name, at);
        }
    }
    trust(&results.rows.0.iter().collect::<Vec<&Row>>());
    targets(&judged(results));
    for note in &results.notes {
        println!("\nNote: {note}");
    }
}

fn line(results: &Results, name: &str, at: usize) {
    let rows = &results.rows;
    let own = |figure| show(rows.spread(name, at, figure));
    let added = |figure| if name == NONE { "–".into() } else { show(rows.added(name, NONE, at, figure)) };
    let errors: u64 = rows.of(name, at).map(|row| row.sample.errors + row.sample.wrong).sum();
    println!(
        "| {name} | {at} | {} | {} | {} | {} | {} | {} | {errors} |",
        own(CPU),
        added(CPU),
        own(LATENCY),
        added(LATENCY),
        own(SPEED),
        show(rows.ratio(name, NONE, at, SPEED)),
    );
}

fn judged(results: &Results) -> Vec<Verdict> {
    let rows = &results.rows;
    let mut all = Vec::new();
    for at in CONNECTIONS {
        let figure = format!("CPU µs added per call at {at} by a graph, not recorded");
        all.push(at_most(figure, "≤ 4", 4.0, rows.added(PLAIN, NONE, at, CPU)));
    }
    for at in CONNECTIONS {
        let figure = format!("CPU of a call at {at} with a hook as a node");
        all.push(at_most(figure, "≤ 1.1 × in the list", 1.1, rows.ratio(NODE, LISTED, at, CPU)));
    }
    let speed = rows.ratio(RECORDED, PLAIN, 16, SPEED);
    all.push(at_least("calls/s at 16 with records", "≥ 0.85 × without", 0.85, speed));
    for (nodes, took) in results.large.figures() {
        let figure = format!("ms to validate {NODES} nodes {nodes}");
        all.push(at_most(figure, "≤ 10", 10.0, took));
    }
    let mistakes: u64 = rows.0.iter().map(|row| row.sample.errors + row.sample.wrong).sum();
    all.push(at_most("errors and wrong answers", "0", 0.0, Spread::of([mistakes as f64])));
    all
}
