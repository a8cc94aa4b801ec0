//! The versions of workflows: numbered, listed, compared, made current again, deleted when nobody uses them (spec 5.2).

use serde_json::{Value, json};
use testkit::{Client, Config, Reply, Request, TestGateway};

fn node(id: &str, kind: &str) -> Value {
    json!({"id": id, "type": kind, "position": {"x": 0, "y": 0}, "data": {"label": id}})
}

fn edge(source: &str, target: &str) -> Value {
    json!({"id": format!("{source}-{target}"), "source": source, "target": target})
}

/// Start, a hook that sets the argument `v`, the call, end.
fn graph(name: &str, value: &str) -> Value {
    let mut hook = node("h", "hook");
    let script = format!("context.request.params.arguments.v = '{value}'");
    hook["data"]["hook"] = json!({"id": "h", "script": script, "blocking": true});
    json!({
        "name": name,
        "workflowType": "tools/call",
        "nodes": [node("s", "start"), hook, node("c", "mcp-call"), node("e", "end")],
        "edges": [edge("s", "h"), edge("h", "c"), edge("c", "e")],
    })
}

/// A session workflow of these activities.
fn procedure(name: &str, activities: &[&str]) -> Value {
    let steps: Vec<Value> = activities.iter().map(|activity| json!({"activity": activity})).collect();
    json!({"name": name, "workflowType": "session", "enabled": true, "steps": steps})
}

/// A gateway with the activities `one`, `two` and `three`.
fn with_activities() -> TestGateway {
    let script =
        |name: &str| json!({"name": name, "run": {"script": format!("return {{data: {{at: '{name}'}}}}")}});
    let activities = json!([script("one"), script("two"), script("three")]);
    TestGateway::builder().server("test-server", |s| s).setting(&format!("activities: {activities}")).start()
}

#[track_caller]
fn create(gateway: &TestGateway, body: Value) -> String {
    let reply = gateway.post("/api/workflows", body);
    reply.expect_status(201);
    reply.body["id"].as_str().expect("a new workflow has an id").to_owned()
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "callers write the body in place")]
fn patch(gateway: &TestGateway, id: &str, body: Value) -> Reply {
    let path = format!("/api/workflows/{id}");
    let reply = gateway.http().send(&Request::new("PATCH", &path).body("application/json", body.to_string()));
    reply.expect_status(200);
    reply
}

/// The numbers of the versions, newest first.
#[track_caller]
fn numbers(gateway: &TestGateway, id: &str) -> Vec<u64> {
    let reply = gateway.get(&format!("/api/workflows/{id}/versions"));
    reply.expect_status(200);
    let all = reply.body.as_array().expect("a list").clone();
    let current: Vec<bool> = all.iter().map(|one| one["current"] == true).collect();
    assert!(current[0] && !current[1..].contains(&true), "the newest is the current one: {all:?}");
    all.iter().map(|one| one["version"].as_u64().expect("a number")).collect()
}

fn restore(gateway: &TestGateway, id: &str, version: u64) -> Reply {
    gateway.post(&format!("/api/workflows/{id}/versions/{version}/restore"), json!({}))
}

#[test]
fn every_change_of_a_definition_leaves_the_one_before_as_a_version() {
    let gateway = TestGateway::start();
    let first = graph("first", "a");
    let id = create(&gateway, first.clone());
    assert_eq!(numbers(&gateway, &id), [1]);
    patch(&gateway, &id, json!({"name": "second"}));
    patch(&gateway, &id, json!({"enabled": true}));
    patch(&gateway, &id, graph("third", "b"));
    assert_eq!(numbers(&gateway, &id), [3, 2, 1], "switching it on is no change of the definition");

    let gateway = gateway.reopen();
    assert_eq!(numbers(&gateway, &id), [3, 2, 1]);
    let page = gateway.get(&format!("/api/workflows/{id}/versions?limit=1&offset=1")).body;
    assert_eq!(
        (&page[0]["version"], &page[0]["name"], &page[1]),
        (&json!(2), &json!("second"), &Value::Null)
    );
    let old = gateway.get(&format!("/api/workflows/{id}/versions/1"));
    assert_eq!(old.expect_status(200).body, first);
    let now = gateway.get(&format!("/api/workflows/{id}/versions/3")).body;
    assert_eq!(now, gateway.get(&format!("/api/workflows/{id}/export")).body);
    gateway.post("/api/workflows/import", old.body).expect_status(201);

    for path in ["versions/9", "versions/x", "versions/1/diff/9"] {
        gateway.get(&format!("/api/workflows/{id}/{path}")).expect_code(404, "NOT_FOUND");
    }
    gateway.get("/api/workflows/nobody/versions").expect_code(404, "NOT_FOUND");
    gateway.get(&format!("/api/workflows/{id}/versions?limit=0")).expect_code(400, "VALIDATION_ERROR");

    gateway.delete(&format!("/api/workflows/{id}")).expect_status(204);
    gateway.get(&format!("/api/workflows/{id}/versions")).expect_code(404, "NOT_FOUND");
    gateway.get(&format!("/api/workflows/{id}/versions/1")).expect_code(404, "NOT_FOUND");
}

#[test]
fn two_versions_are_compared_by_their_parts() {
    let gateway = with_activities();
    let id = create(&gateway, graph("g", "a"));
    let mut changed = graph("G", "b");
    changed["nodes"].as_array_mut().expect("a list").push(node("x", "hook"));
    changed["edges"][0]["id"] = json!("other");
    changed["description"] = json!("With more");
    patch(&gateway, &id, changed);
    let diff = gateway.get(&format!("/api/workflows/{id}/versions/1/diff/2"));
    let diff = &diff.expect_status(200).body;
    assert_eq!((&diff["from"], &diff["to"]), (&json!(1), &json!(2)));
    assert_eq!(diff["fields"][0], json!({"field": "name", "from": "g", "to": "G"}));
    assert_eq!(diff["fields"][1], json!({"field": "description", "to": "With more"}));
    assert_eq!((&diff["nodes"]["added"][0]["id"], &diff["nodes"]["removed"]), (&json!("x"), &json!([])));
    let node = &diff["nodes"]["changed"][0];
    assert_eq!((&node["id"], &node["fields"][0]["field"]), (&json!("h"), &json!("data.hook.script")));
    assert_eq!(
        (&diff["edges"]["added"][0]["id"], &diff["edges"]["removed"][0]["id"]),
        (&json!("other"), &json!("s-h"))
    );
    assert!(diff.get("steps").is_none(), "{diff}");

    let id = create(&gateway, procedure("p", &["one", "two"]));
    patch(&gateway, &id, json!({"steps": [{"activity": "two"}, {"activity": "three", "optional": true}]}));
    let steps = &gateway.get(&format!("/api/workflows/{id}/versions/1/diff/2")).body["steps"];
    assert_eq!(steps["added"], json!([{"activity": "three", "optional": true}]));
    assert_eq!((&steps["removed"], &steps["changed"]), (&json!([{"activity": "one"}]), &json!([])));
}

#[test]
fn an_old_version_is_made_current_again_as_a_new_one() {
    let gateway = TestGateway::with(|server| server);
    let id = create(&gateway, graph("g", "old"));
    patch(&gateway, &id, json!({"enabled": true}));
    patch(&gateway, &id, graph("g", "new"));
    let echo = || gateway.call("test-server", "echo", json!({})).result()["v"].clone();
    assert_eq!(echo(), "new");

    let path = format!("/api/workflows/{id}/versions/1/restore");
    let stale = Request::new("POST", &path).header("If-Match", "\"1\"");
    gateway.http().send(&stale).expect_code(409, "CONFLICT");
    assert_eq!(numbers(&gateway, &id), [2, 1]);
    let fresh = Request::new("POST", &path).header("If-Match", "\"2\"");
    let reply = gateway.http().send(&fresh);
    assert_eq!((reply.expect_status(200).header("etag"), &reply.body["enabled"]), ("\"3\"", &json!(true)));
    assert_eq!(echo(), "old");
    assert_eq!(numbers(&gateway, &id), [3, 2, 1]);
    let same = gateway.get(&format!("/api/workflows/{id}/versions/1/diff/3")).body;
    assert_eq!((&same["fields"], &same["nodes"]["changed"]), (&json!([]), &json!([])));
    restore(&gateway, &id, 3).expect_code(409, "CONFLICT");
    restore(&gateway, &id, 7).expect_code(404, "NOT_FOUND");
}

#[test]
fn a_session_stays_on_its_version_and_keeps_it_from_being_deleted() {
    let gateway = with_activities();
    let id = create(&gateway, procedure("p", &["one", "two"]));
    let client = Client::legacy(gateway.http());
    let reply = client.call("p_start", json!({}));
    let session = reply["structuredContent"]["sessionId"].as_str().expect("a session").to_owned();
    patch(&gateway, &id, json!({"steps": [{"activity": "three"}, {"activity": "one"}]}));

    let version = format!("/api/workflows/{id}/versions/1");
    let fault = gateway.delete(&version).expect_code(409, "CONFLICT");
    assert_eq!(fault.message, "Version 1 cannot be deleted: 1 open session uses it");
    assert_eq!(fault.details["sessions"], 1);
    let whole = format!("/api/workflows/{id}");
    let fault = gateway.delete(&whole).expect_code(409, "CONFLICT");
    assert_eq!(fault.message, "Workflow 'p' cannot be deleted: 1 open session uses it");
    assert_eq!(fault.details["sessions"], 1);
    let reply = client.call("p_continue", json!({"sessionId": session}));
    assert_eq!(reply["structuredContent"]["results"]["two"], json!({"at": "two"}), "{reply}");
    assert_eq!(gateway.get(&format!("/api/sessions/{session}")).body["workflowVersion"], 1);
    let newer = client.call("p_start", json!({}));
    let newer = newer["structuredContent"]["sessionId"].as_str().expect("a session");
    assert_eq!(gateway.get(&format!("/api/sessions/{newer}")).body["workflowVersion"], 2);

    gateway.delete(&version).expect_status(204);
    assert_eq!(numbers(&gateway, &id), [2]);
    gateway.delete(&version).expect_code(404, "NOT_FOUND");
    let current = gateway.delete(&format!("/api/workflows/{id}/versions/2")).expect_code(409, "CONFLICT");
    assert_eq!(current.message, "Version 2 is the current one and cannot be deleted");

    gateway.delete(&whole).expect_code(409, "CONFLICT");
    gateway.post(&format!("/api/sessions/{newer}/cancel"), json!({})).expect_status(200);
    gateway.delete(&whole).expect_status(204);
}

#[test]
fn a_workflow_of_the_config_file_has_the_version_that_stands_there() {
    let script = json!([{"name": "one", "run": {"script": "return {data: {}}"}}]);
    let workflows = json!([{"name": "w", "description": "d", "steps": [{"activity": "one"}]}]);
    let gateway = TestGateway::builder()
        .server("test-server", |s| s)
        .setting(&format!("activities: {script}\nworkflows: {workflows}"))
        .start();
    assert_eq!(numbers(&gateway, "config:w"), [1]);
    restore(&gateway, "config:w", 1).expect_code(409, "CONFLICT");
    gateway.delete("/api/workflows/config:w/versions/1").expect_code(409, "CONFLICT");
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = std::time::UNIX_EPOCH.elapsed().expect("a clock after 1970");
    u64::try_from(since.as_millis()).expect("not that late")
}

#[test]
fn a_workflow_of_the_config_file_is_as_old_as_what_the_file_says() {
    let definitions = |name: &str| {
        let script = json!([{"name": "one", "run": {"script": "return {data: {}}"}}]);
        let workflows = json!([{"name": name, "description": "d", "steps": [{"activity": "one"}]}]);
        format!("activities: {script}\nworkflows: {workflows}")
    };
    let began = now();
    let gateway = TestGateway::builder().server("test-server", |s| s).setting(&definitions("w")).start();
    let read = |name: &str| {
        gateway.rewrite(&Config::new().setting(&definitions(name)).server("test-server", |s| s));
        gateway.post("/api/config/reload", json!({})).expect_status(200);
        let path = format!("/api/workflows/config:{name}");
        let (shown, versions) = (gateway.get(&path).body, gateway.get(&format!("{path}/versions")).body);
        let made = &versions[0]["madeAt"];
        assert_eq!((&shown["createdAt"], &shown["updatedAt"]), (made, made), "{shown}");
        made.as_u64().expect("a time")
    };
    let first = read("w");
    assert!((began..=now()).contains(&first), "{first}");
    assert_eq!(read("w"), first, "it says the same");
    let later = now();
    assert!(read("other") >= later, "it says something else");
}
