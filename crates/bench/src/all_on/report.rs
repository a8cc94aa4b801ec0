//! The report of `bench all-on`, in Markdown, and its targets. Medians decide.

use super::{CONNECTIONS, Results, WAYS, row};
use crate::report::{heading, show, targets, trust};
use crate::rows::{CPU, LATENCY, Row, SPEED};
use crate::spread::{Figure, Spread};
use crate::verdict::{Verdict, at_least, at_most};

/// Prints the whole report.
pub(super) fn print(results: &Results) {
    println!(
        "\nMedian (least..most) of the rounds. \"Added\" and × compare with all off, the same way in, \
         concurrency and round. CPU is that of the gateway and its guards."
    );
    heading(
        "Keys, limits, audit and tracing",
        &["gateway", "at", "calls/s", "×", "CPU µs per call", "added", "p50 µs", "added", "errors"],
    );
    for (way, _, _) in WAYS {
        for at in CONNECTIONS {
            line(results, way, false, at);
            line(results, way, true, at);
        }
    }
    println!("\nTraces that came: {} KiB.", Figure(results.traced as f64 / 1024.0));
    trust(&results.rows.0.iter().collect::<Vec<&Row>>());
    targets(&judged(results));
    for note in &results.notes {
        println!("\nNote: {note}");
    }
}

fn line(results: &Results, way: &str, on: bool, at: usize) {
    let (rows, name, base) = (&results.rows, row(way, on), row(way, false));
    let own = |figure| show(rows.spread(&name, at, figure));
    let added = |figure| if on { show(rows.added(&name, &base, at, figure)) } else { "–".into() };
    let ratio = if on { show(rows.ratio(&name, &base, at, SPEED)) } else { "–".into() };
    let errors: u64 = rows.of(&name, at).map(|row| row.sample.errors + row.sample.wrong).sum();
    println!(
        "| {name} | {at} | {} | {ratio} | {} | {} | {} | {} | {errors} |",
        own(SPEED),
        own(CPU),
        added(CPU),
        own(LATENCY),
        added(LATENCY),
    );
}

fn judged(results: &Results) -> Vec<Verdict> {
    let rows = &results.rows;
    let mut all = Vec::new();
    for (way, _, _) in WAYS {
        for at in [16, 64] {
            let speed = rows.ratio(&row(way, true), &row(way, false), at, SPEED);
            all.push(at_least(format!("{way} calls/s at {at}, all on"), "≥ 0.85 × all off", 0.85, speed));
        }
    }
    let traced = Spread::of([results.traced as f64]);
    all.push(at_least("bytes of traces that came", "≥ 1", 1.0, traced));
    let mistakes: u64 = rows.0.iter().map(|row| row.sample.errors + row.sample.wrong).sum();
    all.push(at_most("errors and wrong answers", "0", 0.0, Spread::of([mistakes as f64])));
    all
}
