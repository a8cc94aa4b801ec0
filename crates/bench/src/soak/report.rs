//! The report of `bench soak`, in Markdown, and what it is held to.

use std::collections::BTreeMap;

use super::Results;
use crate::report::{heading, show, targets};
use crate::run::Memory;
use crate::spread::{Figure, Spread, percentile};
use crate::verdict::{Verdict, at_most};

const MIB: f64 = (1 << 20) as f64;

/// Prints the whole report.
pub(super) fn print(results: &Results<'_>) {
    heading("Soak", &["what", "measured"]);
    for (what, measured) in figures(results) {
        println!("| {what} | {measured} |");
    }
    heading("Memory of the instances, MiB", &["after s", "gateways", "workers"]);
    for (seconds, held) in &results.fleet.marks {
        let each = |part: fn(&Memory) -> u64| {
            held.iter().map(|held| Figure(part(held) as f64 / MIB).to_string()).collect::<Vec<_>>().join(", ")
        };
        let (gateways, workers) = (each(|held| held.gateway), each(|held| held.workers));
        println!("| {} | {gateways} | {workers} |", Figure(*seconds));
    }
    targets(&judged(results));
    for (why, count) in reasons(results) {
        println!("\nAsked again {count} times: {why}");
    }
    let troubles = results.diaries.iter().filter_map(|diary| diary.trouble.as_ref());
    for trouble in results.losses.first.iter().chain(troubles).take(3) {
        println!("\nNote: {trouble}");
    }
}

fn figures(results: &Results<'_>) -> Vec<(&'static str, String)> {
    let count = |of: fn(&super::client::Diary) -> u64| {
        Figure(results.diaries.iter().map(of).sum::<u64>() as f64).to_string()
    };
    let mut waits: Vec<u32> = results.diaries.iter().flat_map(|diary| &diary.waits).copied().collect();
    waits.sort_unstable();
    let wait = |quantile| Figure(f64::from(percentile(&waits, quantile)) / 1e3).to_string();
    let back = show(Spread::of(results.fleet.back.iter().copied()));
    vec![
        ("seconds", Figure(results.seconds).to_string()),
        ("sessions", count(|diary| diary.walked.len() as u64)),
        ("steps acknowledged", Figure(waits.len() as f64).to_string()),
        ("of them read back", Figure(results.losses.steps as f64).to_string()),
        ("steps per second", Figure(waits.len() as f64 / results.seconds).to_string()),
        ("ms until a step was acknowledged, p50", wait(0.5)),
        ("p99", wait(0.99)),
        ("most", wait(1.0)),
        ("instances killed", results.fleet.back.len().to_string()),
        ("ms from start to first answer", back),
        ("attempts that were not acknowledged", count(|diary| diary.retries)),
    ]
}

fn judged(results: &Results<'_>) -> Vec<Verdict> {
    let sum = |of: fn(&super::client::Diary) -> u64| results.diaries.iter().map(of).sum::<u64>();
    let none = |what: &str, count: u64| at_most(what, "0", 0.0, Spread::of([count as f64]));
    let mean =
        |held: &[Memory]| held.iter().map(|held| held.gateway as f64).sum::<f64>() / held.len() as f64 / MIB;
    let marks = &results.fleet.marks;
    let growth = match (marks.first(), marks.last()) {
        (Some((_, first)), Some((_, last))) if marks.len() > 1 => Spread::of([mean(last) - mean(first)]),
        _ => None,
    };
    vec![
        none("acknowledged steps that are lost", results.losses.lost),
        none("steps that count twice", results.losses.doubled),
        none("sessions that nobody asked for", results.losses.strangers),
        none("answers that do not fit", sum(|diary| diary.wrong)),
        none("sessions given up after 60 s", sum(|diary| diary.stuck)),
        none("processes that outlived a killed instance", results.fleet.orphans as u64),
        at_most("growth of a gateway from the first mark to the last, MiB", "flat: ≤ 8", 8.0, growth),
    ]
}

/// Why clients had to ask again, the most frequent first.
fn reasons(results: &Results<'_>) -> Vec<(String, u64)> {
    let mut all: BTreeMap<&str, u64> = BTreeMap::new();
    for (why, count) in results.diaries.iter().flat_map(|diary| &diary.reasons) {
        *all.entry(why).or_default() += count;
    }
    let mut all: Vec<(String, u64)> = all.into_iter().map(|(why, count)| (why.to_owned(), count)).collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all.truncate(6);
    all
}
