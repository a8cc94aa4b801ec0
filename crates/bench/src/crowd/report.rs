//! The report of `bench crowd`, in Markdown, and its targets. Medians decide.

use super::hostile::ATTACKS;
use super::{Assault, CROWD, Gathering, Overload, Results, alone};
use crate::report::{heading, show, targets};
use crate::rows::{Figure as Of, LATENCY, SPEED};
use crate::spread::{Figure, Spread, percentile};
use crate::verdict::{Verdict, at_least, at_most};

const MIB: f64 = (1 << 20) as f64;

/// The latency that all but one in a hundred calls stay below.
const SLOWEST: Of = |sample| if sample.calls == 0 { f64::NAN } else { sample.p99_us };

/// Prints the whole report.
pub(super) fn print(results: &Results) {
    if let Some(gathering) = &results.gathering {
        crowd(gathering);
    }
    overload(&results.overloads);
    beside(results);
    targets(&judged(results));
    let troubles = results.overloads.iter().map(|overload| ("overload", &overload.flow.trouble));
    let crowd = results.gathering.iter().map(|gathering| (CROWD, &gathering.flow.trouble));
    for (name, trouble) in crowd.chain(troubles).filter_map(|(name, why)| Some((name, why.as_ref()?))).take(3)
    {
        println!("\nNote: {name}: {trouble}");
    }
}

fn crowd(gathering: &Gathering) {
    heading("The crowd", &["what", "measured"]);
    let Gathering { connections, memory, flow } = gathering;
    let moments = ["before", "all connected", "all have called", "all gone"];
    println!("| connections | {} |", Figure(*connections as f64));
    for (moment, bytes) in moments.iter().zip(memory) {
        println!("| memory of the gateway, {moment}, MiB | {} |", Figure(*bytes as f64 / MIB));
    }
    let each = (memory[2] as f64 - memory[0] as f64) / *connections as f64 / 1024.0;
    println!("| for each connection that has called, KiB | {} |", Figure(each));
    println!("| calls per second | {} |", Figure(flow.sent as f64 / flow.seconds));
    println!("| p50, p99 ms | {}, {} |", wait(&flow.served, 0.5), wait(&flow.served, 0.99));
    println!("| errors; refused; closed while idle | {}; {}; {} |", flow.errors, flow.shed, flow.closed);
}

/// A quantile of latencies, in milliseconds.
fn wait(served: &[u32], quantile: f64) -> Figure {
    Figure(at(served, quantile) / 1e3)
}

/// A quantile of latencies, in microseconds.
fn at(served: &[u32], quantile: f64) -> f64 {
    let mut sorted = served.to_vec();
    sorted.sort_unstable();
    f64::from(percentile(&sorted, quantile))
}

/// One figure of every round of overload.
fn of(overloads: &[Overload], figure: impl Fn(&Overload) -> f64) -> Option<Spread> {
    Spread::of(overloads.iter().map(figure))
}

/// Calls that were asked for, whether a connection was free or not.
fn offered(overload: &Overload) -> f64 {
    (overload.flow.sent + overload.flow.missed) as f64 / overload.flow.seconds / overload.capacity.rps
}

fn slower(overload: &Overload) -> f64 {
    at(&overload.flow.served, 0.99) / overload.capacity.p99_us
}

fn overload(overloads: &[Overload]) {
    heading("Three times what it can serve", &["what", "measured"]);
    let line =
        |what: &str, figure: fn(&Overload) -> f64| println!("| {what} | {} |", show(of(overloads, figure)));
    line("served at 64 connections, calls/s", |overload| overload.capacity.rps);
    line("p99 there, ms", |overload| overload.capacity.p99_us / 1e3);
    line("offered, × that", offered);
    line("sent, × that", |overload| {
        overload.flow.sent as f64 / overload.flow.seconds / overload.capacity.rps
    });
    line("served, × that", |overload| {
        overload.flow.served.len() as f64 / overload.flow.seconds / overload.capacity.rps
    });
    line("share of the sent that was refused (429, 503)", |overload| {
        overload.flow.shed as f64 / overload.flow.sent as f64
    });
    line("p50 of the served, ms", |overload| at(&overload.flow.served, 0.5) / 1e3);
    line("p99 of the served, ms", |overload| at(&overload.flow.served, 0.99) / 1e3);
    line("errors", |overload| overload.flow.errors as f64);
}

fn beside(results: &Results) {
    heading(
        "One well-behaved client beside the others",
        &[
            "beside",
            "calls/s",
            "× alone",
            "p50 ×",
            "p99 ms",
            "p99 ×",
            "errors",
            "memory +MiB",
            "what became of them",
        ],
    );
    for name in names() {
        let rows = &results.control;
        let ratio = |figure| show(compared(results, name, figure));
        let errors: u64 = rows.of(name, 1).map(|row| row.sample.errors + row.sample.wrong).sum();
        let assaults = || results.assaults.iter().filter(|assault| assault.name == name);
        let grown = |assault: &Assault| (assault.memory[1] as f64 - assault.memory[0] as f64) / MIB;
        println!(
            "| {name} | {} | {} | {} | {} | {} | {errors} | {} | {} |",
            show(rows.spread(name, 1, SPEED)),
            ratio(SPEED),
            ratio(LATENCY),
            show(Spread::of(rows.of(name, 1).map(|row| row.sample.p99_us / 1e3))),
            ratio(SLOWEST),
            show(Spread::of(assaults().map(grown))),
            assaults().map(fate).next().unwrap_or_default(),
        );
    }
}

fn fate(assault: &Assault) -> String {
    let tally = &assault.tally;
    let answers = tally.answers.iter().map(|(status, count)| format!("{count} × {status}"));
    let answers = answers.collect::<Vec<_>>().join(", ");
    let sent = Figure(tally.bytes as f64 / MIB);
    format!(
        "{} opened, {} closed by the gateway, answers: {answers}; {sent} MiB sent",
        tally.opened, tally.ended
    )
}

/// Everything that the well-behaved client is beside of.
fn names() -> impl Iterator<Item = &'static str> {
    [CROWD].into_iter().chain(ATTACKS.iter().map(|attack| attack.name))
}

/// A figure of the well-behaved client beside the others, over the same alone in the window before.
fn compared(results: &Results, name: &str, figure: Of) -> Option<Spread> {
    results.control.ratio(name, &alone(name), 1, figure)
}

fn judged(results: &Results) -> Vec<Verdict> {
    let mut all = Vec::new();
    let gathering = results.gathering.as_ref();
    let failed = gathering.and_then(|gathering| Spread::of([gathering.flow.errors as f64]));
    all.push(at_most("errors in the crowd", "0", 0.0, failed));
    let overloads = &results.overloads;
    all.push(at_least("calls offered, × what can be served", "≥ 2.5", 2.5, of(overloads, offered)));
    all.push(at_most("p99 of the served when overloaded", "≤ 10 × at capacity", 10.0, of(overloads, slower)));
    let errors = of(overloads, |overload| overload.flow.errors as f64);
    all.push(at_most("errors when overloaded, besides 429 and 503", "0", 0.0, errors));
    for name in names() {
        let figure = format!("p50 beside {name}");
        all.push(at_most(figure, "≤ 3 × alone", 3.0, compared(results, name, LATENCY)));
        let figure = format!("p99 beside {name}");
        all.push(at_most(figure, "≤ 10 × alone", 10.0, compared(results, name, SLOWEST)));
    }
    let mistakes: u64 = results.control.0.iter().map(|row| row.sample.errors + row.sample.wrong).sum();
    all.push(at_most("errors of the well-behaved client", "0", 0.0, Spread::of([mistakes as f64])));
    let grown =
        results.assaults.iter().map(|assault| (assault.memory[1] as f64 - assault.memory[0] as f64) / MIB);
    let most = grown.fold(f64::NAN, f64::max);
    all.push(at_most("most memory that hostile clients took, MiB", "≤ 32", 32.0, Spread::of([most])));
    let [before, after] = results.descriptors.map(|count| count as f64);
    all.push(at_most("descriptors left when all are gone", "≤ 8", 8.0, Spread::of([after - before])));
    all
}
