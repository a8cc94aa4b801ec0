//! Hooks that nodes of a graph run: how they are named, and that they are counted.

use super::*;

/// Switches the trace on, and makes a hook for nodes only that was edited once.
fn module(script: &str) -> (TestGateway, String) {
    let gateway =
        TestGateway::builder().server("test-server", |s| s).setting("hooks: {trace: reply}").start();
    let body = json!({"name": "mod", "hookType": "pre", "enabled": false, "script": "return"});
    let id = gateway.post("/api/hooks", body).body["id"].as_str().expect("an id").to_owned();
    let edit = Request::new("PATCH", &format!("/api/hooks/{id}"))
        .body("application/json", json!({"script": script}).to_string());
    gateway.http().send(&edit).expect_status(200);
    (gateway, id)
}

/// A node with another label that runs it.
fn running(id: &str, module: &str, blocking: bool) -> Value {
    let mut node = node(id, "hook");
    node["data"]["hook"] = json!({"id": id, "hookModuleId": module, "blocking": blocking});
    node
}

fn trace(reply: &Reply) -> Value {
    serde_json::from_str(reply.header("lockgate-hooks")).expect("JSON")
}

#[test]
fn a_hook_that_a_node_runs_is_counted_and_named_with_its_own_version() {
    let (gateway, id) =
        module("console.log('here'); if (context.toolName === 'plain') throw new Error('why')");
    active(&gateway, graph("w", &[running("h", &id, true), hook("own", "return")], &[]));
    let reply = gateway.call("test-server", "echo", json!({}));
    reply.expect_status(200);
    let expected = json!([
        {"hook": "mod", "version": 2, "phase": "pre", "verdict": "continue"},
        {"hook": "own", "version": 1, "phase": "pre", "verdict": "continue"},
    ]);
    assert_eq!(trace(&reply), expected);
    let fault = gateway.call("test-server", "plain", json!({})).expect_code(500, "TOOL_EXECUTION_ERROR");
    assert!(fault.message.contains("'mod'") && fault.message.contains("why"), "{}", fault.message);
    assert_eq!(fault.details["hook"], "mod");

    let view = gateway.get(&format!("/api/hooks/{id}")).body;
    assert_eq!((&view["stats"]["executions"], &view["stats"]["errors"]), (&json!(2), &json!(1)), "{view}");
    assert_eq!((&view["tripped"], &view["lastError"]["code"]), (&json!(false), &json!("SCRIPT_ERROR")));
    let metrics = gateway.get("/metrics").text();
    for (outcome, count) in [("ok", 1), ("error", 1)] {
        let line = format!("lockgate_hook_executions_total{{hook=\"mod\",outcome=\"{outcome}\"}} {count}\n");
        assert!(metrics.contains(&line), "{line}{metrics}");
    }
    let line = eventually("what it wrote", || gateway.log().into_iter().find(|line| line["text"] == "here"));
    assert_eq!((&line["hookId"], &line["hook"], &line["node"]), (&json!(id), &json!("mod"), &json!("h")));
}

#[test]
fn a_block_carries_the_name_of_the_hook_that_a_node_runs() {
    let (gateway, id) = module("return {continue: false, error: {code: 'NO', message: 'not now'}}");
    active(&gateway, graph("w", &[running("h", &id, true)], &[]));
    let fault = gateway.call("test-server", "echo", json!({})).expect_code(400, "VALIDATION_ERROR");
    assert_eq!((&fault.details["hook"], &fault.details["code"]), (&json!("mod"), &json!("NO")));
}

#[test]
fn a_hook_beside_the_way_is_in_the_trace_and_counted() {
    let (gateway, id) = module("return");
    active(&gateway, with_side(graph("w", &[], &[]), "s", running("f", &id, false)));
    let reply = gateway.call("test-server", "echo", json!({}));
    reply.expect_status(200);
    let expected = json!([{"hook": "mod", "version": 2, "phase": "pre", "verdict": "launched"}]);
    assert_eq!(trace(&reply), expected);
    let line = eventually("the line of the call", || {
        gateway.log().into_iter().find(|line| line["path"] == "/mcp/call" && line["tool"] == "echo")
    });
    assert_eq!(line["hooks"], "mod@2 pre launched");
    eventually("its end", || {
        let view = gateway.get(&format!("/api/hooks/{id}")).body;
        (view["stats"]["executions"] == 1).then_some(())
    });
}
