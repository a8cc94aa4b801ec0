//! The targets Lockgate is held to, and whether a run meets them. Medians decide.

mod endpoint;

use crate::report::BASE;
use crate::rows::{CPU, LATENCY, SPEED};
use crate::run::{Memory, Moment, ONE, ONE_OF_MANY, READY, Results, TOOLS};
use crate::spread::Spread;

/// The row that is held to the targets.
pub(crate) const REST: &str = "lockgate_rest";

/// One target and what was measured.
pub(crate) struct Verdict {
    pub(crate) figure: String,
    pub(crate) target: &'static str,
    pub(crate) measured: Option<Spread>,
    /// None when it was not measured.
    pub(crate) met: Option<bool>,
}

/// Judges every target.
pub(crate) fn all(results: &Results) -> Vec<Verdict> {
    let ratio = |base, at, figure| results.rows.ratio(REST, base, at, figure);
    let many = |name, base, at| results.many.ratio(name, base, at, CPU);
    let mut all = Vec::new();
    for at in [1, 16, 64] {
        all.push(at_most(format!("CPU per REST call at {at}"), "≤ 1.5 × floor", 1.5, ratio(BASE, at, CPU)));
    }
    for at in [16, 64] {
        all.push(at_least(format!("calls/s at {at}"), "≥ 0.75 × floor", 0.75, ratio(BASE, at, SPEED)));
        all.push(at_least(format!("calls/s at {at}"), "≥ 40 × mcpo", 40.0, ratio("mcpo", at, SPEED)));
    }
    all.push(at_most("p50 at 1", "≤ 1.4 × floor", 1.4, ratio(BASE, 1, LATENCY)));
    all.push(at_most("64 overlapping calls of 20 ms each, ms", "≤ 60", 60.0, results.overlap("lockgate")));
    for at in [1, 16] {
        let figure = format!("CPU per call with 100 servers at {at}");
        all.push(at_most(figure, "≤ 1.1 × one server", 1.1, many(ONE_OF_MANY, ONE, at)));
    }
    let tools =
        format!("CPU per GET /mcp/tools of {:.1} MiB", results.tools_bytes as f64 / f64::from(1 << 20));
    all.push(at_most(tools, "≤ 1.5 × ready bytes from the floor", 1.5, many(TOOLS, READY, 1)));
    all.push(at_most("memory idle, MiB", "≤ 15", 15.0, memory(results, Moment::Idle)));
    all.push(at_most("memory after the load, MiB", "≤ 30", 30.0, memory(results, Moment::AfterLoad)));
    all.push(at_most("growth over a million calls, MiB", "flat: ≤ 1", 1.0, growth(results)));
    for name in ["lockgate", "lockgate, 100 servers"] {
        let figure = format!("{name}: last server ready to first answer, ms");
        all.push(at_most(figure, "≤ 50", 50.0, results.after_ready(name)));
    }
    endpoint::judge(results, &mut all);
    all.push(at_most("errors and wrong answers", "0", 0.0, mistakes(results)));
    all
}

/// Met when the median is at most the limit.
pub(crate) fn at_most(
    figure: impl Into<String>,
    target: &'static str,
    limit: f64,
    measured: Option<Spread>,
) -> Verdict {
    let met = measured.map(|spread| spread.median <= limit);
    Verdict { figure: figure.into(), target, measured, met }
}

/// Met when the median is at least the limit.
pub(crate) fn at_least(
    figure: impl Into<String>,
    target: &'static str,
    limit: f64,
    measured: Option<Spread>,
) -> Verdict {
    let met = measured.map(|spread| spread.median >= limit);
    Verdict { figure: figure.into(), target, measured, met }
}

/// Gateway, guards and workers together, in MiB.
fn memory(results: &Results, moment: Moment) -> Option<Spread> {
    let ours = results.memory.iter().filter(|memory| memory.name == "lockgate" && memory.moment == moment);
    Spread::of(ours.map(Memory::total))
}

/// From the first hundred thousand calls to the last, in MiB.
fn growth(results: &Results) -> Option<Spread> {
    let first = memory(results, Moment::AfterCalls(100_000))?;
    let last = memory(results, Moment::AfterCalls(1_000_000))?;
    Spread::of([last.median - first.median])
}

/// Over every window that loaded Lockgate.
fn mistakes(results: &Results) -> Option<Spread> {
    let others = results.rows.0.iter().filter(|row| !row.name.starts_with("lockgate"));
    let others: Vec<&str> = others.map(|row| row.name.as_str()).chain([READY]).collect();
    let ours = results.windows().filter(|row| !others.contains(&row.name.as_str()));
    let mistakes = ours.map(|row| row.sample.errors + row.sample.wrong).reduce(|sum, more| sum + more);
    Spread::of(mistakes.map(|sum| sum as f64))
}
