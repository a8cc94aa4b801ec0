//! The report of `bench steps --store`, in Markdown, and its targets. Medians decide; of takeovers the worst does.

use super::calls::{CALLS, POSTGRES, SQLITE};
use super::takeover::LEASE;
use super::{CONNECTIONS, FLOOR, INSTANCES, ONE, Results, SESSIONS, THREE, WIDE};
use crate::report::{heading, show, targets, troubles};
use crate::rows::{CPU, LATENCY, Row, Rows, SPEED};
use crate::spread::{Figure, Spread};
use crate::verdict::{Verdict, at_least, at_most};

/// Prints the whole report.
pub(super) fn print(results: &Results) {
    println!(
        "\nOn {}. Median (least..most) of the rounds, {SESSIONS} sessions. A step is two commits. The floor has \
         {CONNECTIONS} connections, as one instance has at most, and that of three {}. What the database allows is \
         the faster of the two floors of the same round. CPU is that of the gateway and its workers, or of \
         the floor; \"the rest\" is everything else on the machine, the database among it.",
        results.server,
        CONNECTIONS * INSTANCES
    );
    steps(&results.steps);
    calls(&results.calls);
    heading("Takeover", &["kills", "lease ms", "kill to the new beginning ms"]);
    println!("| {} | {} | {} |", results.takeovers.len(), lease(), show(takeovers(results)));
    troubles(&results.steps.0.iter().chain(&results.calls.0).collect::<Vec<&Row>>());
    targets(&judged(results));
}

fn steps(rows: &Rows) {
    heading(
        "What a continue costs",
        &[
            "what",
            "steps/s",
            "× floor",
            "× allowed",
            "p50 µs",
            "p99 µs",
            "CPU µs per step",
            "the rest, processors",
            "errors",
            "wrong",
        ],
    );
    for name in [FLOOR, WIDE, ONE, THREE] {
        let own = |figure| show(rows.spread(name, SESSIONS, figure));
        let sum = |count: fn(&Row) -> u64| rows.of(name, SESSIONS).map(count).sum::<u64>();
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            own(SPEED),
            show(rows.ratio(name, FLOOR, SESSIONS, SPEED)),
            show(of_allowed(rows, name)),
            own(LATENCY),
            own(|sample| sample.p99_us),
            own(CPU),
            own(|sample| sample.others_cores),
            sum(|row| row.sample.errors),
            sum(|row| row.sample.wrong),
        );
    }
}

fn calls(rows: &Rows) {
    heading(
        "A call that needs no store",
        &["store of the instance", "at", "CPU µs per call", "× SQLite", "p50 µs", "calls/s", "errors"],
    );
    for name in [SQLITE, POSTGRES] {
        for at in CALLS {
            let own = |figure| show(rows.spread(name, at, figure));
            let ratio = show(rows.ratio(name, SQLITE, at, CPU));
            let errors: u64 = rows.of(name, at).map(|row| row.sample.errors + row.sample.wrong).sum();
            println!(
                "| {name} | {at} | {} | {ratio} | {} | {} | {errors} |",
                own(CPU),
                own(LATENCY),
                own(SPEED)
            );
        }
    }
}

/// Steps per second, over what the database allows: the faster of the two floors of the same round.
fn of_allowed(rows: &Rows, name: &str) -> Option<Spread> {
    Spread::of(rows.of(name, SESSIONS).filter_map(|row| {
        let floors = [FLOOR, WIDE].map(|floor| rows.of(floor, SESSIONS).find(|one| one.round == row.round));
        let allowed = floors.into_iter().flatten().map(|floor| floor.sample.rps).reduce(f64::max)?;
        Some(row.sample.rps / allowed)
    }))
}

fn takeovers(results: &Results) -> Option<Spread> {
    Spread::of(results.takeovers.iter().copied())
}

fn lease() -> Figure {
    Figure(LEASE.as_secs_f64() * 1e3)
}

fn judged(results: &Results) -> Vec<Verdict> {
    let (steps, calls) = (&results.steps, &results.calls);
    let one = steps.ratio(ONE, FLOOR, SESSIONS, SPEED);
    let three = of_allowed(steps, THREE);
    let mut all = vec![
        at_least("continues/s, one instance", "≥ 0.6 × floor", 0.6, one),
        at_least("continues/s, three instances", "≥ 0.9 × what the database allows", 0.9, three),
    ];
    for at in CALLS {
        let figure = format!("CPU per call that needs no store, at {at}");
        all.push(at_most(figure, "≤ 1.05 × with SQLite", 1.05, calls.ratio(POSTGRES, SQLITE, at, CPU)));
    }
    let worst = takeovers(results).and_then(|spread| Spread::of([spread.max]));
    let limit = (LEASE.as_secs_f64() + 1.0) * 1e3;
    all.push(at_most(
        format!("worst takeover with a lease of {} ms, ms", lease()),
        "≤ the lease + 1,000",
        limit,
        worst,
    ));
    let mistakes =
        steps.0.iter().chain(&calls.0).map(|row| row.sample.errors + row.sample.wrong).sum::<u64>();
    all.push(at_most("errors and wrong answers", "0", 0.0, Spread::of([mistakes as f64])));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Sample;

    #[test]
    fn what_the_database_allows_is_the_faster_floor_of_the_same_round() {
        let row = |name: &str, round, rps| {
            let sample = Sample { connections: SESSIONS, rps, ..Sample::default() };
            Row { name: name.into(), round, sample }
        };
        let rows = Rows(vec![
            row(FLOOR, 1, 100.0),
            row(WIDE, 1, 200.0),
            row(THREE, 1, 150.0),
            row(FLOOR, 2, 100.0),
            row(WIDE, 2, 50.0),
            row(THREE, 2, 50.0),
        ]);
        assert_eq!(of_allowed(&rows, THREE), Some(Spread { median: 0.625, min: 0.5, max: 0.75 }));
        assert_eq!(of_allowed(&rows, WIDE), Some(Spread { median: 0.75, min: 0.5, max: 1.0 }));
    }
}
