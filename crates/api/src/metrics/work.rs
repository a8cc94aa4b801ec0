//! Hooks, graphs, sessions, and the store that keeps them.

use super::text::Text;
use gateway::Gateway;
use std::time::{Duration, Instant};

/// How long the store may take to be counted as up.
const PROBE_MAX: Duration = Duration::from_secs(2);

pub(super) async fn write(text: &mut Text, gateway: &Gateway) {
    hooks(text, gateway);
    graphs(text, gateway);
    nodes(text, gateway);
    sessions(text, gateway);
    store(text, gateway).await;
}

fn hooks(text: &mut Text, gateway: &Gateway) {
    let tallies = gateway.hook_tallies();
    let name = "lockgate_hook_executions_total";
    text.family(name, "counter", "Executions of hooks, by outcome.");
    for (hook, tally) in &tallies {
        for (outcome, count) in tally.outcomes() {
            text.sample(name, &[("hook", hook), ("outcome", outcome)], count);
        }
    }
    let name = "lockgate_hook_duration_seconds";
    text.family(name, "histogram", "Time of one execution of a hook.");
    for (hook, tally) in &tallies {
        text.histogram(name, &[("hook", hook)], tally.times());
    }
    let name = "lockgate_hook_peak_memory_bytes";
    text.family(name, "gauge", "The most memory that one execution of a hook used.");
    for (hook, tally) in &tallies {
        text.sample(name, &[("hook", hook)], tally.peak_memory());
    }
}

/// Scripts that nodes have of their own; those of hooks that they name count as the hooks'.
fn nodes(text: &mut Text, gateway: &Gateway) {
    let graphs: Vec<_> = gateway.active_graphs().collect();
    let nodes: Vec<_> = graphs
        .iter()
        .flat_map(|(method, graph)| {
            graph.node_tallies().map(|(node, tally)| (*method, graph.name(), node, tally))
        })
        .collect();
    let name = "lockgate_node_executions_total";
    text.family(name, "counter", "Executions of the scripts of nodes in active graphs, by outcome.");
    for (method, workflow, node, tally) in &nodes {
        for (outcome, count) in tally.outcomes() {
            let labels = [("method", *method), ("workflow", workflow), ("node", node), ("outcome", outcome)];
            text.sample(name, &labels, count);
        }
    }
    let name = "lockgate_node_duration_seconds";
    text.family(name, "summary", "Time of one execution of the script of a node, as a number and a sum.");
    for (method, workflow, node, tally) in &nodes {
        let count = tally.outcomes().iter().map(|(_, count)| count).sum();
        let labels = [("method", *method), ("workflow", workflow), ("node", node)];
        text.summary(name, &labels, count, tally.sum());
    }
}

fn graphs(text: &mut Text, gateway: &Gateway) {
    let tallies = gateway.run_tallies();
    let name = "lockgate_workflow_runs_total";
    text.family(name, "counter", "Runs of graphs, by outcome.");
    for (workflow, tally) in &tallies {
        for (outcome, count) in tally.outcomes() {
            text.sample(name, &[("workflow", workflow), ("outcome", outcome)], count);
        }
    }
    let name = "lockgate_workflow_run_duration_seconds";
    text.family(name, "histogram", "Time of one run of a graph, the call included.");
    for (workflow, tally) in &tallies {
        text.histogram(name, &[("workflow", workflow)], tally.times());
    }
}

fn sessions(text: &mut Text, gateway: &Gateway) {
    let tally = gateway.session_tally();
    let name = "lockgate_session_steps_total";
    text.family(name, "counter", "Steps of sessions, by outcome.");
    for (outcome, count) in tally.steps() {
        text.sample(name, &[("outcome", outcome)], count);
    }
    let name = "lockgate_session_step_duration_seconds";
    text.family(name, "summary", "Time of one step of a session, as a number and a sum.");
    text.summary(name, &[("kind", "step")], tally.times().count(), tally.times().sum());
    let name = "lockgate_sessions_ended_total";
    text.family(name, "counter", "Sessions that ended, by how.");
    for (status, count) in tally.ends() {
        text.sample(name, &[("status", status)], count);
    }
}

/// The store is asked for the number of sessions, which is worth knowing and takes as long as it takes.
async fn store(text: &mut Text, gateway: &Gateway) {
    let began = Instant::now();
    let answer = tokio::time::timeout(PROBE_MAX, gateway.session_stats()).await;
    let took = began.elapsed();
    let stats = answer.ok().and_then(Result::ok);
    text.family("lockgate_store_up", "gauge", "1 when the store answered just now.");
    text.sample("lockgate_store_up", &[], u8::from(stats.is_some()));
    text.family("lockgate_store_probe_seconds", "gauge", "How long it took the store to answer just now.");
    text.sample("lockgate_store_probe_seconds", &[], took.as_secs_f64());
    text.family("lockgate_sessions", "gauge", "Sessions that are kept, by status.");
    for (status, count) in stats.into_iter().flat_map(|stats| stats.by_status) {
        text.sample("lockgate_sessions", &[("status", status.name())], count);
    }
}
