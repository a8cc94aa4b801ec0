//! `bench graphs`: what an active graph adds to a call, what a hook costs in it and in the list, what recording the
//! runs adds, and how long a large graph takes to be validated.
//!
//! One Lockgate has the smallest graph there is, one with a hook, and the same hook in the list switched off and on from
//! window to window, and keeps no records: two processes are never as fast as each other, and a graph costs less than
//! they differ. Another one beside it has the smallest graph and keeps a record of every run.

mod large;
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

/// The rows: no graph, a graph whose runs are not recorded, and one whose runs are; a hook in the list, and the same as a
/// blocking node.
const NONE: &str = "no graph";
const PLAIN: &str = "graph, not recorded";
const RECORDED: &str = "graph, recorded";
const LISTED: &str = "hook in the list";
const NODE: &str = "hook as a node";

/// What the hook does: as little as a guard can.
const SCRIPT: &str = "if (context.toolName === 'no such tool') return {continue: false}";

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
    large: large::Large,
    /// What did not go as it should.
    notes: Vec<String>,
}

/// Measures everything and prints the report.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let lab = Lab::with_lockgate(options.lockgate.as_deref())?;
    let [plain, recorded] = [0, 10_000].map(|keep| Gateway::start(&lab, keep));
    let (plain, recorded) = (plain?, recorded?);
    let mut places =
        vec![(NONE, &plain), (PLAIN, &plain), (LISTED, &plain), (NODE, &plain), (RECORDED, &recorded)];
    let mut results = Results::default();
    for round in 1..=options.rounds {
        for connections in CONNECTIONS {
            eprintln!("round {round}/{}, concurrency {connections}", options.rounds);
            for (name, gateway) in &places {
                gateway.arrange(name)?;
                let place = Place(name, round, connections);
                results.rows.0.push(window(&place, &gateway.running, gateway.door(), options.secs)?);
            }
        }
        results.large.measure(plain.door().port, round)?;
        places.reverse();
    }
    for (name, gateway) in [(PLAIN, &plain), (RECORDED, &recorded)] {
        check(name, gateway.door().port, &mut results)?;
    }
    report::print(&results);
    Ok(())
}

/// A gateway, its graphs and its hook.
struct Gateway {
    running: Running,
    graph: String,
    hooked: String,
    hook: String,
}

impl Gateway {
    /// Starts one that keeps so many records.
    fn start(lab: &Lab, keep: u32) -> anyhow::Result<Self> {
        eprintln!("starting a gateway that keeps {keep} runs");
        let settings = json!({"runs": {"keep": keep}});
        let spec = Spec::lockgate_with(lab, &["echo".into()], &["echo"], settings)?;
        let running = Running::start(&spec, lab)?;
        let port = running.doors[0].1.port;
        let graph = activate(port)?;
        let hooked = make(port, "hooked", true)?;
        let hook = json!({"name": "bench", "hookType": "pre", "script": SCRIPT, "enabled": false});
        let hook = id(&ask(port, "POST", "/api/hooks", &hook.to_string())?)?;
        Ok(Self { running, graph, hooked, hook })
    }

    /// Switches on what a row is about, and the rest off.
    fn arrange(&self, row: &str) -> anyhow::Result<()> {
        let graphs = [(&self.graph, [PLAIN, RECORDED].contains(&row)), (&self.hooked, row == NODE)];
        for (graph, _) in graphs.iter().filter(|(_, on)| !on) {
            self.switch(&format!("workflows/{graph}"), false)?;
        }
        for (graph, _) in graphs.iter().filter(|(_, on)| *on) {
            self.switch(&format!("workflows/{graph}"), true)?;
        }
        self.switch(&format!("hooks/{}", self.hook), row == LISTED)
    }

    fn switch(&self, what: &str, on: bool) -> anyhow::Result<()> {
        let change = json!({"enabled": on}).to_string();
        ask(self.door().port, "PATCH", &format!("/api/{what}"), &change).map(drop)
    }

    fn door(&self) -> &Door {
        &self.running.doors[0].1
    }
}

/// Makes the graph start, call, end and switches it on; gives its id.
pub(crate) fn activate(port: u16) -> anyhow::Result<String> {
    let id = make(port, "bench", false)?;
    ask(port, "POST", &format!("/api/workflows/{id}/activate"), "")?;
    Ok(id)
}

/// Makes a graph, with a hook before the call or without; gives its id.
fn make(port: u16, name: &str, hooked: bool) -> anyhow::Result<String> {
    let node = |id: &str, kind: &str| json!({"id": id, "type": kind, "position": {"x": 0, "y": 0}, "data": {"label": id}});
    let edge = |from: &str, to: &str| json!({"id": format!("{from}-{to}"), "source": from, "target": to});
    let mut nodes = vec![node("s", "start"), node("c", "mcp-call"), node("e", "end")];
    let mut edges = vec![edge("c", "e")];
    if hooked {
        let mut hook = node("h", "hook");
        hook["data"]["hook"] = json!({"script": SCRIPT, "blocking": true});
        nodes.push(hook);
        edges.extend([edge("s", "h"), edge("h", "c")]);
    } else {
        edges.push(edge("s", "c"));
    }
    let graph = json!({
        "name": name, "workflowType": "tools/call", "enabled": false, "nodes": nodes, "edges": edges,
    });
    id(&ask(port, "POST", "/api/workflows", &graph.to_string())?)
}

fn id(made: &Value) -> anyhow::Result<String> {
    Ok(made["id"].as_str().context("something without an id was made")?.to_owned())
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
