//! The report of `bench hooks`, in Markdown.

use super::cases::{NONE, PAYLOADS, row};
use super::results::{Results, Workers};
use super::{CONNECTIONS, FLOOR, targets};
use crate::report::{heading, show, targets as print_targets, trust};
use crate::rows::{CPU, LATENCY, Row, SPEED};
use crate::spread::{Figure, Spread};

/// Prints the whole report.
pub(super) fn print(results: &Results) {
    println!(
        "\nMedian (least..most) of the rounds, over REST. \"Added\" and × compare with no hook, the same \
         payload, concurrency and round. CPU is that of the gateway, its guards and its workers."
    );
    costs(results);
    let floor = |at| show(results.rows.spread(FLOOR, at, CPU));
    println!(
        "\nTo compare machines: a call through the floor, REST, took {} µs of CPU at 1 and {} at 16; a message to a \
         process that waits, and its answer, took {} with nothing else done.",
        floor(1),
        floor(16),
        show(Spread::of(results.hops.iter().copied()))
    );
    trust(&results.rows.0.iter().chain(&results.million.0).collect::<Vec<&Row>>());
    workers(results);
    print_targets(&targets::all(results));
    for note in &results.notes {
        println!("\nNote: {note}");
    }
}

fn costs(results: &Results) {
    heading(
        "What hooks add",
        &["payload", "hooks", "at", "CPU µs per call", "added", "p50 µs", "added", "calls/s", "×", "errors"],
    );
    let rows = &results.rows;
    for payload in &PAYLOADS {
        for case in payload.cases {
            for at in CONNECTIONS {
                let (name, base) = (payload.row(case), row(payload.name, NONE.name));
                let own = |figure| show(rows.spread(&name, at, figure));
                let added = |figure| match case.count {
                    0 => "–".into(),
                    _ => show(rows.added(&name, &base, at, figure)),
                };
                let errors: u64 = rows.of(&name, at).map(|row| row.sample.errors + row.sample.wrong).sum();
                println!(
                    "| {} | {} | {at} | {} | {} | {} | {} | {} | {} | {errors} |",
                    payload.name,
                    case.name,
                    own(CPU),
                    added(CPU),
                    own(LATENCY),
                    added(LATENCY),
                    own(SPEED),
                    show(rows.ratio(&name, &base, at, SPEED)),
                );
            }
        }
    }
}

fn workers(results: &Results) {
    heading("Workers", &["moment", "gateway MiB", "workers", "MiB each", "of that its own"]);
    line("after the load", &results.workers);
    for (index, workers) in results.growth.iter().enumerate() {
        line(&format!("after {} executions more", Figure((index + 1) as f64 * 1e5)), workers);
    }
    let killed = |figure: fn(&super::results::Killed) -> f64| Spread::of(results.killed.iter().map(figure));
    println!(
        "\nA worker was killed {} times: the next call took {} ms, another worker was ready after {} ms.",
        results.killed.len(),
        show(killed(|killed| killed.next)),
        show(killed(|killed| killed.replaced)),
    );
}

fn line(moment: &str, workers: &Workers) {
    println!(
        "| {moment} | {} | {} | {} | {} |",
        Figure(workers.gateway as f64 / f64::from(1 << 20)),
        workers.resident.len(),
        show(targets::resident(workers)),
        show(targets::own(workers)),
    );
}
