//! The report: Markdown tables of what was measured, and which targets it meets.

use crate::rows::{CPU, LATENCY, Row, Rows, SPEED};
use crate::run::{ALL_OF_MANY, ONE, ONE_OF_MANY, READY, Results, TOOLS};
use crate::spread::{Figure, Spread};
use crate::verdict::{self, Verdict};

/// What every ratio is taken to.
pub(crate) const BASE: &str = "floor_rest";

/// Up to so many processors other work may use before the report warns.
const QUIET: f64 = 0.2;

/// Prints the whole report.
pub(crate) fn print(results: &Results) {
    load(&results.rows);
    endpoint(results);
    many(results);
    trust(&results.windows().collect::<Vec<_>>());
    memory(results);
    times(results);
    verdicts(results);
    for note in &results.notes {
        println!("\nNote: {note}");
    }
}

/// A spread, or a dash where there is none.
pub(crate) fn show(spread: Option<Spread>) -> String {
    spread.map_or_else(|| "–".into(), |spread| spread.to_string())
}

/// The beginning of a section with one table.
pub(crate) fn heading(title: &str, columns: &[&str]) {
    println!("\n## {title}\n\n| {} |\n|{}", columns.join(" | "), " --- |".repeat(columns.len()));
}

fn load(rows: &Rows) {
    println!(
        "\nMedian (least..most) of the rounds. × is the ratio to `{BASE}` of the same round and concurrency."
    );
    heading(
        "Load",
        &[
            "gateway",
            "at",
            "calls/s",
            "×",
            "p50 µs",
            "×",
            "p99 µs",
            "CPU µs per call",
            "×",
            "errors",
            "wrong",
        ],
    );
    for (name, at) in rows.lines() {
        let own = |figure| show(rows.spread(name, at, figure));
        let ratio = |figure| show(rows.ratio(name, BASE, at, figure));
        let (errors, wrong) = rows
            .of(name, at)
            .fold((0, 0), |(errors, wrong), row| (errors + row.sample.errors, wrong + row.sample.wrong));
        println!(
            "| {name} | {at} | {} | {} | {} | {} | {} | {} | {} | {errors} | {wrong} |",
            own(SPEED),
            ratio(SPEED),
            own(LATENCY),
            ratio(LATENCY),
            own(|sample| sample.p99_us),
            own(CPU),
            ratio(CPU),
        );
    }
}

fn endpoint(results: &Results) {
    if results.lists.0.is_empty() {
        return;
    }
    heading("The MCP endpoint beside its calls", &["what", "measured"]);
    for (name, at) in results.lists.lines() {
        println!("| CPU µs per {name} | {} |", show(results.lists.spread(name, at, CPU)));
    }
    for (era, bytes) in &results.clients {
        println!("| bytes of memory for an idle {era} client | {} |", Figure(*bytes));
    }
    let peaks = show(Spread::of(results.peaks.iter().copied()));
    println!("| memory while 1 MiB of result passes, × its size | {peaks} |");
}

fn many(results: &Results) {
    if results.many.0.is_empty() {
        return;
    }
    heading("Many servers", &["work", "at", "CPU µs per call", "×", "p50 µs", "×", "of"]);
    let rows = &results.many;
    for (name, base) in [(ONE, ONE), (ONE_OF_MANY, ONE), (ALL_OF_MANY, ONE), (READY, READY), (TOOLS, READY)] {
        for (_, at) in rows.lines().into_iter().filter(|(line, _)| *line == name) {
            let own = |figure| show(rows.spread(name, at, figure));
            let ratio = |figure| show(rows.ratio(name, base, at, figure));
            println!(
                "| {name} | {at} | {} | {} | {} | {} | {base} |",
                own(CPU),
                ratio(CPU),
                own(LATENCY),
                ratio(LATENCY)
            );
        }
    }
}

/// How far the figures can be trusted: what went wrong, the generator's own cost, and what else ran.
pub(crate) fn trust(rows: &[&Row]) {
    troubles(rows);
    let generator = Spread::of(rows.iter().map(|row| row.sample.generator_us * row.sample.rps / 1e6));
    let others = Spread::of(rows.iter().map(|row| row.sample.others_cores));
    println!(
        "\nThe generator kept {} of its one processor busy, everything else on the machine {} processors.",
        show(generator),
        show(others)
    );
    if others.is_some_and(|others| others.median > QUIET) {
        println!(
            "That is not a quiet machine: trust the ratios of CPU more than the rest, and take more rounds."
        );
    }
}

/// The first trouble of every row.
pub(crate) fn troubles(rows: &[&Row]) {
    for (index, row) in rows.iter().enumerate() {
        let Some(trouble) = &row.sample.trouble else { continue };
        if !rows[..index].iter().any(|before| before.name == row.name && before.sample.trouble.is_some()) {
            println!("\n{} at {} in round {}: {trouble}", row.name, row.sample.connections, row.round);
        }
    }
}

fn memory(results: &Results) {
    heading("Memory", &["gateway", "moment", "gateway MiB", "guards MiB", "workers MiB"]);
    let mebibytes = |bytes: u64| Figure(bytes as f64 / f64::from(1 << 20));
    for memory in &results.memory {
        let [gateway, guards, workers] = [memory.gateway, memory.guards, memory.workers].map(mebibytes);
        println!("| {} | {} | {gateway} | {guards} | {workers} |", memory.name, memory.moment);
    }
}

fn times(results: &Results) {
    heading(
        "Start and overlap",
        &[
            "gateway",
            "start to first answer ms",
            "last server ready to first answer ms",
            "64 calls of 20 ms each, ms",
        ],
    );
    let mut names: Vec<&str> = results.starts.iter().map(|start| start.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let starts = || results.starts.iter().filter(|start| start.name == name);
        let cold = show(Spread::of(starts().map(|start| start.cold)));
        println!(
            "| {name} | {cold} | {} | {} |",
            show(results.after_ready(name)),
            show(results.overlap(name))
        );
    }
}

fn verdicts(results: &Results) {
    if results.rows.0.iter().any(|row| row.name == verdict::REST) {
        targets(&verdict::all(results));
    }
}

/// The table of targets and whether they are met.
pub(crate) fn targets(verdicts: &[Verdict]) {
    heading("Targets", &["figure", "target", "measured", "met"]);
    for verdict in verdicts {
        let met = match verdict.met {
            Some(true) => "yes",
            Some(false) => "**no**",
            None => "not measured",
        };
        println!("| {} | {} | {} | {met} |", verdict.figure, verdict.target, show(verdict.measured));
    }
}
