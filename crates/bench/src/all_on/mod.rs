//! `bench all-on`: what keys, limits, audit and tracing cost together.
//!
//! Two Lockgates stand side by side: one as it comes, and one that asks for a key, counts every call against
//! limits that are never reached, writes every call into the audit log, and traces one in a hundred.

mod collector;
mod report;

use std::path::PathBuf;

use anyhow::ensure;
use serde_json::{Value, json};

use crate::admin::{ask, ask_as};
use crate::load::{Door, Mode};
use crate::rows::Rows;
use crate::run::{Lab, Place, Running, Spec, window};
use collector::Collector;

/// Concurrencies: alone, and with neighbours.
const CONNECTIONS: [usize; 3] = [1, 16, 64];

/// The ways in that are compared.
const WAYS: [(&str, Mode, &str); 2] =
    [("REST", Mode::Rest, "/mcp/call"), ("modern MCP", Mode::McpStateless, "/mcp")];

/// The one key; it opens nothing but the gateway of this run.
const KEY: &str = "bench-0123456789abcdef0123456789abcdef";

/// What `bench all-on` is told on its command line.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Rounds; every round measures both gateways at every concurrency.
    #[arg(long, default_value_t = 6)]
    rounds: usize,
    /// Length of each window in seconds.
    #[arg(long, default_value_t = 0.5)]
    secs: f64,
    /// The lockgate binary; by default the one beside this program.
    #[arg(long)]
    lockgate: Option<PathBuf>,
}

/// Everything that is measured.
#[derive(Default)]
struct Results {
    rows: Rows,
    /// Bytes of traces that came.
    traced: u64,
    /// What did not go as it should.
    notes: Vec<String>,
}

/// The row of one gateway at one way in.
fn row(way: &str, on: bool) -> String {
    format!("{way}, {}", if on { "all on" } else { "all off" })
}

/// Measures everything and prints the report.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let lab = Lab::with_lockgate(options.lockgate.as_deref())?;
    let collector = Collector::start()?;
    let mut gateways = Vec::new();
    for on in [false, true] {
        let settings = if on { everything(collector.port) } else { json!({}) };
        let spec = Spec::lockgate_with(&lab, &["echo".into()], &["echo"], settings)?;
        let key = on.then(|| KEY.to_owned());
        let doors = spec.doors.into_iter().map(|(name, door)| (name, Door { key: key.clone(), ..door }));
        let spec = Spec { name: row("lockgate", on), doors: doors.collect(), ..spec };
        gateways.push((on, Running::start(&spec, &lab)?));
    }
    let mut results = Results::default();
    for round in 1..=options.rounds {
        for connections in CONNECTIONS {
            eprintln!("round {round}/{}, concurrency {connections}", options.rounds);
            for (way, mode, path) in WAYS {
                for (on, running) in &gateways {
                    let known = &running.doors[0].1;
                    let door = Door { key: known.key.clone(), ..Door::to_echo(mode, known.port, path) };
                    let name = row(way, *on);
                    let place = Place(&name, round, connections);
                    results.rows.0.push(window(&place, running, &door, options.secs)?);
                }
            }
        }
        gateways.reverse();
    }
    for (_, running) in gateways.iter().filter(|(on, _)| *on) {
        check(running.doors[0].1.port, &mut results)?;
    }
    drop(gateways);
    results.traced = collector.bytes();
    report::print(&results);
    Ok(())
}

/// Settings that switch everything on, with limits that are never reached.
fn everything(collector: u16) -> Value {
    let rate = json!({"perSecond": 10_000_000, "burst": 10_000_000});
    json!({
        "keys": [{"name": "bench", "key": KEY, "role": "operator", "rate": rate, "concurrency": 10_000,
                  "servers": ["ech*"], "tools": ["ech*"]}],
        "limits": {"calls": {"rate": rate, "concurrency": 10_000, "queue": 10_000}},
        "audit": {"calls": true},
        "tracing": {"otlp": format!("http://127.0.0.1:{collector}/v1/traces"), "sample": 0.01},
    })
}

/// Makes sure that everything was on: the key is asked for, and calls are in the audit log.
fn check(port: u16, results: &mut Results) -> anyhow::Result<()> {
    ensure!(ask(port, "GET", "/mcp/tools", "").is_err(), "a client without a key was let in");
    let entries = |kind: &str| -> anyhow::Result<Vec<Value>> {
        let path = format!("/api/audit?kind={kind}&limit=1");
        Ok(ask_as(Some(KEY), port, "GET", &path, "")?.as_array().cloned().unwrap_or_default())
    };
    if entries("call")?.is_empty() {
        results.notes.push("no call is in the audit log".into());
    }
    if let Some(lost) = entries("lost")?.first() {
        results.notes.push(format!("not every call is in the audit log: {lost}"));
    }
    Ok(())
}
