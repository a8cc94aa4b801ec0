//! The admin routes of workflows and runs, and what activation does to requests (spec part 3).

mod activation;
mod broken;
mod definitions;
mod diagrams;
mod execution;
mod modules;
mod runs;

use serde_json::{Value, json};
use std::time::Duration;
use testkit::{Client, Reply, Request, TestGateway, eventually};

/// A gateway with the fixture as `test-server`.
fn start() -> TestGateway {
    TestGateway::with(|s| s)
}

fn node(id: &str, kind: &str) -> Value {
    json!({"id": id, "type": kind, "position": {"x": 1.5, "y": -20}, "data": {"label": id}})
}

/// A blocking hook that lets `stats` through, so that the server can always be asked what it got.
fn hook(id: &str, script: &str) -> Value {
    let script = format!("if (context.toolName === 'stats') return;\n{script}");
    let mut node = node(id, "hook");
    node["data"]["hook"] = json!({"id": id, "script": script, "blocking": true});
    node
}

/// The same, fire and forget.
fn beside(id: &str, script: &str) -> Value {
    let mut node = hook(id, script);
    node["data"]["hook"]["blocking"] = false.into();
    node
}

fn edge(source: &str, target: &str) -> Value {
    json!({"id": format!("{source}-{target}"), "source": source, "target": target})
}

/// Start, the pre hooks, the call, the post hooks, end.
fn graph(name: &str, pre: &[Value], post: &[Value]) -> Value {
    let mut nodes = vec![node("s", "start")];
    nodes.extend(pre.iter().cloned());
    nodes.push(node("c", "mcp-call"));
    nodes.extend(post.iter().cloned());
    nodes.push(node("e", "end"));
    let id = |node: &Value| node["id"].as_str().expect("an id").to_owned();
    let edges: Vec<_> = nodes.windows(2).map(|pair| edge(&id(&pair[0]), &id(&pair[1]))).collect();
    json!({"name": name, "workflowType": "tools/call", "enabled": false, "nodes": nodes, "edges": edges})
}

/// The graph with one more node that hangs off another; its edge is listed first.
fn with_side(mut graph: Value, from: &str, side: Value) -> Value {
    let edge = edge(from, side["id"].as_str().expect("an id"));
    graph["edges"].as_array_mut().expect("a list").insert(0, edge);
    graph["nodes"].as_array_mut().expect("a list").push(side);
    graph
}

#[track_caller]
fn create(gateway: &TestGateway, body: Value) -> String {
    let reply = gateway.post("/api/workflows", body);
    reply.expect_status(201);
    reply.body["id"].as_str().expect("a new workflow has an id").to_owned()
}

#[track_caller]
fn activate(gateway: &TestGateway, id: &str) -> Reply {
    gateway.post(&format!("/api/workflows/{id}/activate"), json!({}))
}

/// Creates a workflow and makes it active.
#[track_caller]
fn active(gateway: &TestGateway, body: Value) -> String {
    let id = create(gateway, body);
    activate(gateway, &id).expect_status(200);
    id
}

#[track_caller]
fn show(gateway: &TestGateway, id: &str) -> Value {
    let reply = gateway.get(&format!("/api/workflows/{id}"));
    reply.expect_status(200);
    reply.body
}

#[expect(clippy::needless_pass_by_value, reason = "callers write the body in place")]
fn patch(gateway: &TestGateway, id: &str, body: Value) -> Reply {
    let path = format!("/api/workflows/{id}");
    gateway.http().send(&Request::new("PATCH", &path).body("application/json", body.to_string()))
}

/// The reason why a workflow cannot be activated.
#[track_caller]
fn reason(gateway: &TestGateway, body: Value) -> String {
    let id = create(gateway, body);
    let message = activate(gateway, &id).expect_code(409, "CONFLICT").message;
    let view = show(gateway, &id);
    assert_eq!((&view["valid"], &view["enabled"]), (&json!(false), &json!(false)), "{view}");
    assert_eq!(view["reason"], json!(message), "{view}");
    message
}

/// The runs of a workflow, the newest first.
#[track_caller]
fn runs(gateway: &TestGateway, id: &str) -> Vec<Value> {
    let reply = gateway.get(&format!("/api/workflows/{id}/runs"));
    reply.expect_status(200);
    reply.body.as_array().expect("a list").clone()
}

/// What a node of the newest run did, once it is done.
#[track_caller]
fn done(gateway: &TestGateway, id: &str, node: &str) -> Value {
    eventually("the node is done", || {
        let result = runs(gateway, id).first()?["results"][node].clone();
        (result["state"] != "running" && result["state"] != "skipped").then_some(result)
    })
}

/// How many calls reached the server, that of the question left out.
#[track_caller]
fn counter(gateway: &TestGateway) -> u64 {
    gateway.stats("test-server")["calls"].as_u64().expect("stats has a counter") - 1
}
