//! The report of `bench steps`, in Markdown, and its targets. Medians decide.

use super::idle::Idle;
use super::{CONTINUE, FLOOR, Results, SESSIONS};
use crate::report::{heading, show, targets, trust};
use crate::rows::{CPU, LATENCY, Row, SPEED};
use crate::spread::{Figure, Spread};
use crate::verdict::{Verdict, at_least, at_most};

const MIB: f64 = (1 << 20) as f64;

/// Prints the whole report.
pub(super) fn print(results: &Results) {
    println!(
        "\nMedian (least..most) of the rounds. × compares with the floor, the same number of sessions and \
         round. CPU is that of the gateway and its workers, or of the floor."
    );
    heading(
        "What a continue costs",
        &["what", "sessions", "steps/s", "×", "p50 µs", "×", "p99 µs", "CPU µs per step", "errors", "wrong"],
    );
    for name in [FLOOR, CONTINUE] {
        for at in SESSIONS {
            line(results, name, at);
        }
    }
    trust(&results.rows.0.iter().filter(|row| row.name == CONTINUE).collect::<Vec<&Row>>());
    if alone(results).is_some_and(impossible) {
        println!(
            "\nA continue waits for a commit and cannot be faster than one: the two were not measured under the \
             same conditions, so the latency of one session is not judged."
        );
    }
    if let Some(idle) = &results.idle {
        idle_sessions(idle);
    }
    targets(&judged(results));
}

/// The p50 of a continue, over that of one commit.
fn alone(results: &Results) -> Option<Spread> {
    results.rows.ratio(CONTINUE, FLOOR, 1, LATENCY)
}

/// Whether the part took longer than the whole, so that the two were not measured under the same conditions.
fn impossible(ratio: Spread) -> bool {
    ratio.median < 1.0
}

fn line(results: &Results, name: &str, at: usize) {
    let rows = &results.rows;
    let own = |figure| show(rows.spread(name, at, figure));
    let ratio = |figure| if name == FLOOR { "–".into() } else { show(rows.ratio(name, FLOOR, at, figure)) };
    let sum = |count: fn(&Row) -> u64| rows.of(name, at).map(count).sum::<u64>();
    println!(
        "| {name} | {at} | {} | {} | {} | {} | {} | {} | {} | {} |",
        own(SPEED),
        ratio(SPEED),
        own(LATENCY),
        ratio(LATENCY),
        own(|sample| sample.p99_us),
        own(CPU),
        sum(|row| row.sample.errors),
        sum(|row| row.sample.wrong),
    );
}

fn idle_sessions(idle: &Idle) {
    heading("Sessions that nobody continues", &["open", "gateway MiB", "workers MiB"]);
    for (open, memory) in &idle.memory {
        let [gateway, workers] = [memory.gateway, memory.workers].map(|bytes| Figure(bytes as f64 / MIB));
        println!("| {} | {gateway} | {workers} |", Figure(*open as f64));
    }
    println!("\nOpened per second: {}; errors: {}.", show(idle.speed), idle.errors);
}

fn judged(results: &Results) -> Vec<Verdict> {
    let rows = &results.rows;
    let speed = rows.ratio(CONTINUE, FLOOR, 64, SPEED);
    let mut all = vec![at_least("continues/s, 64 sessions", "≥ 0.4 × floor", 0.4, speed)];
    let possible = alone(results).filter(|ratio| !impossible(*ratio));
    all.push(at_most("p50 of a continue, one session", "≤ 3 × one commit", 3.0, possible));
    for at in SESSIONS {
        let figure = format!("CPU µs per continue, {at} at once");
        all.push(at_most(figure, "≤ 300", 300.0, rows.spread(CONTINUE, at, CPU)));
    }
    let idle = results.idle.as_ref();
    let growth = idle.and_then(|idle| {
        let ((_, first), (_, last)) = (idle.memory.first()?, idle.memory.last()?);
        Spread::of([(last.gateway as f64 - first.gateway as f64) / MIB])
    });
    all.push(at_most("growth of the gateway with idle sessions, MiB", "flat: ≤ 4", 4.0, growth));
    all.push(at_most("first page of the list, ms", "≤ 50", 50.0, idle.and_then(|idle| idle.list)));
    all.push(at_most("stats, ms", "≤ 50", 50.0, idle.and_then(|idle| idle.stats)));
    let mistakes: u64 = rows.0.iter().map(|row| row.sample.errors + row.sample.wrong).sum();
    let mistakes = mistakes + idle.map_or(0, |idle| idle.errors);
    all.push(at_most("errors and wrong answers", "0", 0.0, Spread::of([mistakes as f64])));
    all
}
