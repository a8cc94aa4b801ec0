//! How long a large graph takes to be validated, from the request to the last byte of the answer.

use std::time::Instant;

use anyhow::ensure;
use serde_json::{Value, json};

use crate::admin::ask;
use crate::spread::Spread;

/// How many nodes it has.
pub(super) const NODES: usize = 1000;

/// The graphs: what all nodes but the ends and the call are, and how long each took, in milliseconds.
#[derive(Default)]
pub(super) struct Large {
    scripts: Vec<f64>,
    values: Vec<f64>,
}

impl Large {
    /// Validates both graphs once. No script of a round was there before.
    pub(super) fn measure(&mut self, port: u16, round: usize) -> anyhow::Result<()> {
        self.scripts.push(validate(port, |at| {
            let script = format!("if (context.toolName === 'none {round} {at}') return {{continue: false}}");
            ("hook", json!({"label": format!("hook {at}"), "hook": {"script": script, "blocking": true}}))
        })?);
        self.values.push(validate(port, |at| {
            let set = json!([{"name": format!("v{at}"), "value": round}]);
            ("variable", json!({"label": format!("variable {at}"), "set": set}))
        })?);
        Ok(())
    }

    /// What was measured, with what it is called.
    pub(super) fn figures(&self) -> [(&'static str, Option<Spread>); 2] {
        let spread = |times: &[f64]| Spread::of(times.iter().copied());
        [("with a script each", spread(&self.scripts)), ("without scripts", spread(&self.values))]
    }
}

/// The milliseconds that it takes to validate a graph with these nodes before its call.
fn validate(port: u16, node: impl Fn(usize) -> (&'static str, Value)) -> anyhow::Result<f64> {
    let mut nodes = vec![("start", json!({"label": "Start"}))];
    nodes.extend((3..NODES).map(node));
    nodes.extend([("mcp-call", json!({"label": "Call"})), ("end", json!({"label": "End"}))]);
    let edges: Vec<Value> = (1..NODES)
        .map(|at| json!({"id": format!("e{at}"), "source": format!("n{}", at - 1), "target": format!("n{at}")}))
        .collect();
    let nodes: Vec<Value> = nodes
        .into_iter()
        .enumerate()
        .map(|(at, (kind, data))| {
            json!({"id": format!("n{at}"), "type": kind, "position": {"x": 120 * at, "y": 0}, "data": data})
        })
        .collect();
    let graph =
        json!({"name": "large", "workflowType": "tools/call", "nodes": nodes, "edges": edges}).to_string();
    let begun = Instant::now();
    let verdict = ask(port, "POST", "/api/workflows/validate", &graph)?;
    let took = begun.elapsed();
    ensure!(verdict["valid"] == true, "a large graph is not valid: {verdict}");
    Ok(took.as_secs_f64() * 1000.0)
}
