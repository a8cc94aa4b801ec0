//! Events that the gateway raises itself, as sessions that wait for them see them (spec 5.2).

use serde_json::{Value, json};
use testkit::{Builder, Client, Signal, TestGateway, eventually, send_signal};

/// A gateway with a workflow `w` whose second step waits like this, and a workflow `other` of one step.
#[expect(clippy::needless_pass_by_value, reason = "callers write the wait in place")]
fn builder(wait: Value) -> Builder {
    let take = json!({"name": "take", "run": {"script": "return {data: {got: context.input}}"}});
    let go = json!({"name": "go", "run": {"script": "return {data: {}}"}});
    let workflows = json!([
        {"name": "w", "description": "w", "steps": [{"activity": "go"}, {"activity": "take", "waitFor": wait}]},
        {"name": "other", "description": "o", "steps": [{"activity": "go"}]},
    ]);
    TestGateway::builder()
        .server("test-server", |s| s)
        .setting(&format!("activities: {}\nworkflows: {workflows}", json!([take, go])))
}

/// A session of `w` that waits.
#[track_caller]
fn waiting(gateway: &TestGateway) -> String {
    let reply = Client::legacy(gateway.http()).call("w_start", json!({"maxSteps": "all"}));
    let id = reply["structuredContent"]["sessionId"].as_str().unwrap_or_else(|| panic!("{reply}")).to_owned();
    eventually("the session waits", || {
        let session = gateway.get(&format!("/api/sessions/{id}")).body;
        (session["waiting"]["for"] == "event").then_some(())
    });
    id
}

/// What the event brought.
#[track_caller]
fn brought(gateway: &TestGateway, session: &str) -> Value {
    eventually("the event came", || {
        let session = gateway.get(&format!("/api/sessions/{session}")).body;
        (session["status"] == "completed").then(|| session["memory"]["take"]["got"].clone())
    })
}

#[test]
fn a_server_in_another_status_is_an_event() {
    let filter = "event.server === 'test-server' && event.status !== 'running'";
    let gateway = builder(json!({"event": "server.status", "filter": filter})).start();
    gateway.wait_status("test-server", "running");
    let session = waiting(&gateway);
    send_signal(gateway.server_pid("test-server"), Signal::KILL);
    let event = brought(&gateway, &session);
    assert_eq!(event, json!({"server": "test-server", "status": "crashed"}));
}

#[test]
fn a_session_that_finished_is_an_event_for_others() {
    let gateway =
        builder(json!({"event": "session.finished", "filter": "event.workflowName === 'other'"})).start();
    let session = waiting(&gateway);
    Client::modern(gateway.http()).call("other_start", json!({}));
    let other = gateway.get("/api/sessions?workflowName=other").body[0]["sessionId"].clone();
    let event = brought(&gateway, &session);
    assert_eq!(event, json!({"sessionId": other, "workflowName": "other", "status": "completed"}));
}

#[test]
fn tools_that_changed_are_an_event_that_names_their_server() {
    let gateway = builder(json!({"event": "tools.changed"})).start();
    gateway.wait_status("test-server", "running");
    let session = waiting(&gateway);
    let activity = json!({"name": "shown", "publish": true, "run": {"script": "return {data: {}}"}});
    gateway.post("/api/activities", activity).expect_status(201);
    assert_eq!(brought(&gateway, &session), json!({"server": "lockgate"}));
    let session = waiting(&gateway);
    send_signal(gateway.server_pid("test-server"), Signal::KILL);
    assert_eq!(brought(&gateway, &session), json!({"server": "test-server"}));
}
