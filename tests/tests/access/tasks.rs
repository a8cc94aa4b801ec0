//! Tasks, and what a key may do with those that it started.

use super::{CALLER, OPERATOR, VIEWER, builder, request};
use serde_json::{Value, json};
use testkit::{Client, Request, TestGateway, eventually};

/// A gateway with a workflow whose second step must be allowed, a key that may only start it, one that reaches all of
/// it, and one that reaches everything.
fn approving() -> TestGateway {
    let step = json!({"name": "add", "description": "Adds", "run": {"script": "return {data: {n: 1}};"}});
    let steps = json!([{"activity": "add"}, {"activity": "add", "approve": true}]);
    let workflows = json!([{"name": "buy", "description": "Buys", "steps": steps},
        {"name": "other", "description": "Counts", "steps": [{"activity": "add"}]}]);
    let keys = json!([
        {"name": "starts", "key": CALLER, "servers": ["lockgate"], "tools": ["buy_start"]},
        {"name": "buys", "key": VIEWER, "servers": ["lockgate"], "tools": ["buy_*"]},
        {"name": "otto", "key": OPERATOR, "role": "operator"},
    ]);
    builder(&keys)
        .setting(&format!("activities: {}", json!([step])))
        .setting(&format!("workflows: {workflows}"))
        .start()
}

/// A session of `buy` as a task of a client with that key, which may be asked, once it waits for its approval: the
/// client, its id, and the answer that allows the step.
#[track_caller]
fn task(gateway: &TestGateway, key: &str) -> (Client, String, Value) {
    let offers = json!({"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}});
    let client = Client::modern_with(gateway.http().with_key(key), offers);
    let task = client.call("buy_start", json!({"maxSteps": "all"}));
    let id = task["taskId"].as_str().expect("an id").to_owned();
    let digest = eventually("it waits for its approval", || {
        show(gateway, &id)["waiting"]["digest"].as_str().map(str::to_owned)
    });
    let allowed = json!({"action": "accept", "content": {"allow": true}});
    let answer = json!({"taskId": id, "inputResponses": {format!("approval-{}", &digest[..16]): allowed}});
    (client, id, answer)
}

/// A session as an operator sees it.
#[track_caller]
fn show(gateway: &TestGateway, id: &str) -> Value {
    let path = format!("/api/sessions/{id}");
    gateway.http().with_key(OPERATOR).send(&Request::new("GET", &path)).body
}

#[test]
fn a_task_is_answered_and_cancelled_only_with_a_key_that_reaches_those_tools() {
    let gateway = approving();
    let (client, id, answer) = task(&gateway, CALLER);
    let told = client.result("tasks/get", json!({"taskId": id}));
    assert_eq!((&told["status"], told.get("inputRequests")), (&json!("working"), None), "{told}");
    client.result("tasks/update", answer);
    let refused = client.error("tasks/cancel", json!({"taskId": id}));
    let direct = client.call_error("buy_cancel", json!({"sessionId": id}));
    assert_eq!((&refused["code"], &refused["data"]), (&direct["code"], &direct["data"]), "{refused}");
    let session = show(&gateway, &id);
    assert_eq!((&session["status"], &session["waiting"]["for"]), (&json!("running"), &json!("approval")));
    let allow = json!({"digest": session["waiting"]["digest"], "allow": true});
    let path = format!("/api/sessions/{id}/approve");
    let done = gateway.http().with_key(OPERATOR).send(&request("POST", &path, &allow));
    assert_eq!((done.status, &done.body["isError"]), (200, &json!(null)), "nobody has answered before");

    let (client, id, answer) = task(&gateway, VIEWER);
    let told = client.result("tasks/get", json!({"taskId": id}));
    assert_eq!(told["status"], "input_required", "{told}");
    client.result("tasks/update", answer);
    eventually("the step has run", || (show(&gateway, &id)["status"] == "completed").then_some(()));
    let (client, id, _) = task(&gateway, VIEWER);
    client.result("tasks/cancel", json!({"taskId": id}));
    assert_eq!(show(&gateway, &id)["status"], "cancelled");
    let list = Request::new("GET", "/api/requests?client=buys");
    let list = gateway.http().with_key(OPERATOR).send(&list).body["requests"].clone();
    let tool = |one: &&Value| one["tool"] == "buy_cancel";
    let cancelled: Vec<&Value> = list.as_array().expect("a list").iter().filter(tool).collect();
    assert_eq!(cancelled.len(), 1, "it was one request: {list:#}");
    assert_eq!((&cancelled[0]["way"], &cancelled[0]["method"]), (&json!("http"), &json!("tasks/cancel")));
}

#[test]
fn a_hook_leads_a_task_that_is_cancelled_to_no_tool_that_its_key_does_not_reach() {
    let gateway = approving();
    let (client, id, _) = task(&gateway, VIEWER);
    let script = "if (context.toolName === 'buy_cancel') context.request.params.name = 'other_start'";
    let hook = json!({"name": "lure", "hookType": "pre", "script": script});
    let operator = gateway.http().with_key(OPERATOR);
    operator.send(&request("POST", "/api/hooks", &hook)).expect_status(201);
    let refused = client.error("tasks/cancel", json!({"taskId": id}));
    assert_eq!(refused["data"]["code"], "TOOL_NOT_FOUND", "{refused}");
    let begun = operator.send(&Request::new("GET", "/api/sessions?workflowName=other"));
    assert_eq!(begun.body, json!([]));
}
