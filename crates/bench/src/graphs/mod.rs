//! `bench graphs`: what an active graph adds to a call, and what recording its runs adds to that.
//!
//! One Lockgate has the smallest graph there is switched off and on from window to window, and keeps no records: two
//! processes are never as fast as each other, and a graph costs less than they differ. Another one beside it has the
//! same graph and keeps a record of every run.

mod report;

use std::path::PathBuf;

use anyhow::Context;
use serde_json::{Value, json};

use crate::admin::ask;
use crate::load::Door;
use crate::rows::Rows;
use crate::run::{Lab, Place, Running, Spec, window};

/// Concurrencies: alone, and with neighbours.
const CONNECTIONS: [usize; 2] = [1, 16];

/// The rows: no graph, a graph whose runs are not recorded, and one whose runs are.
const NONE: &str = "no graph";
const PLAIN: &str = "graph, not recorded";
const RECORDED: &str = "graph, recorded";

/// What `bench graphs` is told on its command line.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Rounds; every round measures every gateway at every concurrency.
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
    /// What did not go as it should.
    notes: Vec<String>,
}

/// Measures everything and prints the report.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let lab = Lab::with_lockgate(options.lockgate.as_deref())?;
    let [plain, recorded] = [0, 10_000].map(|keep| Gateway::start(&lab, keep));
    let (plain, recorded) = (plain?, recorded?);
    let mut places = vec![(NONE, &plain), (PLAIN, &plain), (RECORDED, &recorded)];
    let mut results = Results::default();
    for round in 1..=options.rounds {
        for connections in CONNECTIONS {
            eprintln!("round {round}/{}, concurrency {connections}", options.rounds);
            for (name, gateway) in &places {
                switch(gateway.door().port, &gateway.graph, *name != NONE)?;
                let place = Place(name, round, connections);
                results.rows.0.push(window(&place, &gateway.running, gateway.door(), options.secs)?);
            }
        }
        places.reverse();
    }
    for (name, gateway) in [(PLAIN, &plain), (RECORDED, &recorded)] {
        check(name, gateway.door().port, &mut results)?;
    }
    report::print(&results);
    Ok(())
}

/// A gateway and its graph.
struct Gateway {
    running: Running,
    graph: String,
}

impl Gateway {
    /// Starts one that keeps so many records.
    fn start(lab: &Lab, keep: u32) -> anyhow::Result<Self> {
        eprintln!("starting a gateway that keeps {keep} runs");
        let settings = json!({"runs": {"keep": keep}});
        let spec = Spec::lockgate_with(lab, &["echo".into()], &["echo"], settings)?;
        let running = Running::start(&spec, lab)?;
        let graph = activate(running.doors[0].1.port)?;
        Ok(Self { running, graph })
    }

    fn door(&self) -> &Door {
        &self.running.doors[0].1
    }
}

/// Switches a graph on or off.
fn switch(port: u16, graph: &str, on: bool) -> anyhow::Result<()> {
    let change = json!({"enabled": on}).to_string();
    ask(port, "PATCH", &format!("/api/workflows/{graph}"), &change).map(drop)
}

/// Makes the graph start, call, end and switches it on; gives its id.
pub(crate) fn activate(port: u16) -> anyhow::Result<String> {
    let node = |id: &str, kind: &str| json!({"id": id, "type": kind, "position": {"x": 0, "y": 0}, "data": {"label": id}});
    let edge = |from: &str, to: &str| json!({"id": format!("{from}-{to}"), "source": from, "target": to});
    let graph = json!({
        "name": "bench", "workflowType": "tools/call", "enabled": false,
        "nodes": [node("s", "start"), node("c", "mcp-call"), node("e", "end")],
        "edges": [edge("s", "c"), edge("c", "e")],
    });
    let made = ask(port, "POST", "/api/workflows", &graph.to_string())?;
    let id = made["id"].as_str().context("a workflow without an id")?;
    ask(port, "POST", &format!("/api/workflows/{id}/activate"), "")?;
    Ok(id.to_owned())
}

/// Makes sure that runs were recorded where they should be, and only there.
fn check(name: &str, port: u16, results: &mut Results) -> anyhow::Result<()> {
    let runs = ask(port, "GET", "/api/runs?limit=1", "")?;
    let list = runs.as_array().or_else(|| runs["runs"].as_array()).map_or(0, Vec::len);
    if (list > 0) != (name == RECORDED) {
        let found = if list > 0 { "runs were recorded" } else { "no run was recorded" };
        results.notes.push(format!("{name}: {found}: {}", runs.get("total").unwrap_or(&Value::Null)));
    }
    Ok(())
}
