//! What a key that is limited in its tools may do with sessions over the admin routes.

use super::{CALLER, EDITOR, OPERATOR, builder, request};
use serde_json::{Value, json};
use testkit::{Reply, Request, TestGateway, eventually};

/// A gateway with a workflow whose second step must be allowed and whose third waits, an operator that may only cancel
/// it, one that changes nothing, and one that reaches everything.
fn start() -> TestGateway {
    let step = json!({"name": "add", "description": "Adds", "run": {"script": "return {data: {n: 1}};"}});
    let steps = json!([{"activity": "add"}, {"activity": "add", "approve": true}, {"activity": "add"}]);
    let workflows = json!([{"name": "buy", "description": "Buys", "steps": steps}]);
    let keys = json!([
        {"name": "ends", "key": CALLER, "role": "operator", "servers": ["lockgate"], "tools": ["buy_cancel"]},
        {"name": "reads", "key": EDITOR, "role": "operator", "readOnly": true},
        {"name": "otto", "key": OPERATOR, "role": "operator"},
    ]);
    builder(&keys)
        .setting(&format!("activities: {}", json!([step])))
        .setting(&format!("workflows: {workflows}"))
        .start()
}

#[expect(clippy::needless_pass_by_value, reason = "callers write the body in place")]
fn send(gateway: &TestGateway, key: &str, method: &str, path: &str, body: Value) -> Reply {
    gateway.http().with_key(key).send(&request(method, path, &body))
}

#[track_caller]
fn show(gateway: &TestGateway, id: &str) -> Value {
    gateway.http().with_key(OPERATOR).send(&Request::new("GET", &format!("/api/sessions/{id}"))).body
}

/// A session that stands at its question, and the answer.
#[track_caller]
fn asked(gateway: &TestGateway) -> (String, Value) {
    let reply = send(gateway, OPERATOR, "POST", "/api/workflows/config:buy/execute", json!({"maxSteps": 2}));
    let id = reply.body["structuredContent"]["sessionId"].as_str().expect("an id").to_owned();
    let digest =
        eventually("it asks", || show(gateway, &id)["waiting"]["digest"].as_str().map(str::to_owned));
    (id, json!({"digest": digest, "allow": true}))
}

#[test]
fn a_workflow_is_run_over_rest_only_with_a_key_that_reaches_its_tool() {
    let gateway = start();
    let (id, allow) = asked(&gateway);
    let session = |verb: &str| format!("/api/sessions/{id}/{verb}");
    let schedule = json!({"workflowName": "buy", "everyMs": 60_000});
    for key in [CALLER, EDITOR] {
        for (path, body, tool) in [
            ("/api/workflows/config:buy/execute".to_owned(), json!({}), "buy_start"),
            ("/api/schedules".to_owned(), schedule.clone(), "buy_start"),
            (session("continue"), json!({}), "buy_continue"),
            (session("approve"), allow.clone(), "buy_continue"),
        ] {
            let fault = send(&gateway, key, "POST", &path, body).expect_code(404, "TOOL_NOT_FOUND");
            assert_eq!(fault.message, format!("Tool '{tool}' not found"), "{path}");
        }
        let paused = send(&gateway, key, "POST", &session("pause"), json!({}));
        assert_eq!((paused.status, paused.body.get("isError")), (200, None), "{:?}", paused.body);
        send(&gateway, OPERATOR, "POST", &session("continue"), json!({})).expect_status(200);
    }
    let shown = show(&gateway, &id);
    assert_eq!((&shown["currentStep"], &shown["waiting"]["for"]), (&json!(0), &json!("approval")), "{shown}");
    let all = gateway.http().with_key(OPERATOR).send(&Request::new("GET", "/api/sessions?workflowName=buy"));
    assert_eq!(all.body.as_array().map(Vec::len), Some(1), "nothing was started");
    send(&gateway, EDITOR, "POST", &session("cancel"), json!({})).expect_status(200);
    assert_eq!(show(&gateway, &id)["status"], "cancelled");
    let (id, allow) = asked(&gateway);
    send(&gateway, OPERATOR, "POST", &format!("/api/sessions/{id}/approve"), allow).expect_status(200);
    assert_eq!(show(&gateway, &id)["currentStep"], 1);
}

#[test]
fn a_schedule_is_held_but_not_let_go_with_a_key_that_does_not_reach_its_workflow() {
    let gateway = start();
    let schedule = json!({"workflowName": "buy", "everyMs": 1000});
    let made = send(&gateway, OPERATOR, "POST", "/api/schedules", schedule);
    let path = format!("/api/schedules/{}", made.expect_status(201).body["id"].as_str().expect("an id"));
    let change = |body: Value| send(&gateway, EDITOR, "PATCH", &path, body);
    change(json!({"everyMs": 2000})).expect_code(404, "TOOL_NOT_FOUND");
    change(json!({"paused": true, "input": {"n": 9}})).expect_code(404, "TOOL_NOT_FOUND");
    eventually("it fires for nobody", || {
        let all =
            gateway.http().with_key(OPERATOR).send(&Request::new("GET", "/api/sessions?workflowName=buy"));
        (all.body.as_array().map(Vec::len) == Some(1)).then_some(())
    });
    change(json!({"paused": true})).expect_status(200);
    change(json!({"paused": true})).expect_status(200);
    for body in [
        json!({"paused": false}),
        json!({"input": {"n": 9}}),
        json!({"everyMs": 2000}),
        json!({"overlap": true}),
        json!({"missed": "once"}),
        json!({"workflowName": "other"}),
    ] {
        change(body.clone()).expect_code(404, "TOOL_NOT_FOUND");
        let shown = gateway.http().with_key(OPERATOR).send(&Request::new("GET", &path)).body;
        assert_eq!((&shown["paused"], &shown["input"]), (&json!(true), &json!({})), "{body}: {shown}");
    }
}
