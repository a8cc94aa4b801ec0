//! The targets that hooks are held to. Medians decide.

use super::cases::{BRANCH, FIVE, HELPER, MODIFY, NO_OP, NONE, SMALL, TEXT, row};
use super::results::{Results, Workers};
use crate::rows::{CPU, Figure, LATENCY, SPEED};
use crate::spread::Spread;
use crate::verdict::{Verdict, at_least, at_most};

const MIB: f64 = (1 << 20) as f64;

/// Judges every target.
pub(super) fn all(results: &Results) -> Vec<Verdict> {
    let mut all = Vec::new();
    let costs = [
        (SMALL, NO_OP, "≤ 20", 20.0),
        (SMALL, BRANCH.name, "≤ 28", 28.0),
        (SMALL, MODIFY, "≤ 35", 35.0),
        (SMALL, FIVE, "≤ 30", 30.0),
        (TEXT, HELPER, "≤ 80", 80.0),
    ];
    for (payload, hooks, target, limit) in costs {
        for at in [1, 16] {
            let figure = format!("CPU µs added per call at {at}, {payload}, {hooks}");
            all.push(at_most(figure, target, limit, added(results, payload, hooks, at, CPU)));
        }
    }
    for hooks in [NO_OP, BRANCH.name] {
        let figure = format!("p50 µs added at 1, {SMALL}, {hooks}");
        all.push(at_most(figure, "≤ 60", 60.0, added(results, SMALL, hooks, 1, LATENCY)));
    }
    let speed = results.rows.ratio(&row(SMALL, BRANCH.name), &row(SMALL, NONE.name), 16, SPEED);
    all.push(at_least(format!("calls/s at 16, {SMALL}, {}", BRANCH.name), "≥ 0.5 × none", 0.5, speed));
    all.push(at_most("memory of a worker, MiB", "≤ 6", 6.0, resident(&results.workers)));
    let growth = |figure: fn(&Workers) -> f64| {
        let (first, last) = (results.growth.first()?, results.growth.last()?);
        Spread::of([figure(last) - figure(first)])
    };
    let largest = |workers: &Workers| workers.resident.iter().copied().max().unwrap_or_default() as f64 / MIB;
    let figure = "growth of the largest worker over a million executions, MiB";
    all.push(at_most(figure, "flat: ≤ 1", 1.0, growth(largest)));
    let figure = "growth of the gateway over a million executions, MiB";
    all.push(at_most(figure, "flat: ≤ 1", 1.0, growth(|workers| workers.gateway as f64 / MIB)));
    let next = Spread::of(results.killed.iter().map(|killed| killed.next));
    all.push(at_most("the call after a worker was killed, ms", "at once: ≤ 5", 5.0, next));
    let replaced = Spread::of(results.killed.iter().map(|killed| killed.replaced));
    all.push(at_most("a killed worker to the next one ready, ms", "≤ 50", 50.0, replaced));
    let windows = results.rows.0.iter().chain(&results.million.0);
    let mistakes: u64 = windows.map(|row| row.sample.errors + row.sample.wrong).sum();
    all.push(at_most("errors and wrong answers", "0", 0.0, Spread::of([mistakes as f64])));
    all
}

/// What hooks add to a figure.
fn added(results: &Results, payload: &str, hooks: &str, at: usize, figure: Figure) -> Option<Spread> {
    results.rows.added(&row(payload, hooks), &row(payload, NONE.name), at, figure)
}

/// Resident memory of the workers, in MiB.
pub(super) fn resident(workers: &Workers) -> Option<Spread> {
    Spread::of(workers.resident.iter().map(|bytes| *bytes as f64 / MIB))
}

/// Memory that each worker has for itself, in MiB.
pub(super) fn own(workers: &Workers) -> Option<Spread> {
    Spread::of(workers.own.iter().map(|bytes| *bytes as f64 / MIB))
}
