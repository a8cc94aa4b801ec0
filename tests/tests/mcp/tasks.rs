//! Tasks pass between peers of one era; between eras they are refused with words that say why (spec 6.3).

use crate::said::{gateway_with, script};
use serde_json::{Value, json};
use testkit::{Builder, Client, Folder, Server, TestGateway, conformance_fixture};

const BEGUN: &str = r#"*'"act"'*) reply "$id" '{"task":{"taskId":"t1","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":null}}' ;;
    *'"tasks/get"'*) reply "$id" '{"taskId":"t1","status":"working"}' ;;
    *'"tasks/list"'*) reply "$id" '{"tasks":[]}' ;;"#;

fn gateway() -> TestGateway {
    let program = conformance_fixture();
    let program = program.to_str().expect("the path of the build is UTF-8");
    let modern = |s: Server| s.command(program).args(&["--stdio", "--era", "modern"]);
    gateway_with(BEGUN, |builder| builder.server("new", modern))
}

fn modern(gateway: &TestGateway) -> Client {
    Client::modern_with(gateway.http(), json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}))
}

#[track_caller]
fn refused(error: &Value) {
    assert_eq!(error["code"], -32602, "{error}");
    let text = error["message"].as_str().unwrap_or_default();
    assert!(text.contains("2026-07-28") && text.contains("tasks cannot be translated"), "{error}");
}

#[test]
fn a_task_is_known_to_clients_of_its_own_era_only() {
    let gateway = gateway();
    let (old, new) = (Client::legacy(gateway.http()), modern(&gateway));
    let begun = old.result("tools/call", json!({"name": "act", "arguments": {}, "task": {}}));
    assert_eq!(begun["task"]["taskId"], "t1", "{begun}");
    assert_eq!(old.result("tasks/get", json!({"taskId": "t1"}))["status"], "working");
    refused(&new.error("tasks/get", json!({"taskId": "t1"})));
    let begun = new.call("slow_compute", json!({"seconds": 60}));
    let id = &begun["taskId"];
    assert!(id.is_string(), "{begun}");
    assert_eq!(new.result("tasks/get", json!({"taskId": id}))["taskId"], *id);
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        refused(&old.error(method, json!({"taskId": id})));
    }
}

#[test]
fn a_task_that_nobody_knows_is_looked_for_in_the_era_of_its_client() {
    let gateway = gateway();
    let (old, new) = (Client::legacy(gateway.http()), modern(&gateway));
    assert_eq!(old.result("tasks/get", json!({"taskId": "earlier"}))["status"], "working");
    assert_eq!(old.result("tasks/list", json!({})), json!({"tasks": []}));
    assert_eq!(new.error("tasks/get", json!({"taskId": "earlier"}))["code"], -32602);
}

#[test]
fn a_call_that_is_to_become_a_task_of_the_other_era_is_refused() {
    let gateway = gateway();
    let call = json!({"name": "slow_compute", "arguments": {}, "task": {"ttl": 1000}});
    refused(&Client::legacy(gateway.http()).error("tools/call", call));
}

const KEYS: &str = "keys: [{name: alice, key: alice-alice-alice-alice-alice-al}, {name: bob, key: bob-bob-bob-bob-bob-bob-bob-bob-b}]";

/// Clients of alice and bob.
fn clients(gateway: &TestGateway) -> [Client; 2] {
    ["alice-alice-alice-alice-alice-al", "bob-bob-bob-bob-bob-bob-bob-bob-b"]
        .map(|key| Client::legacy(gateway.http().with_key(key)))
}

#[test]
fn a_list_of_tasks_has_those_of_the_caller_alone() {
    let gateway = gateway_with(
        r#"*'"act"'*) n=$((n+1)); reply "$id" "{\"task\":{\"taskId\":\"t$n\",\"status\":\"working\"}}" ;;
    *'"tasks/list"'*) reply "$id" '{ "tasks":[{"taskId":"t1", "x":1.0},{"taskId":"t2"},{"taskId":"t3"},{"taskId":"earlier"}], "nextCursor":"c" }' ;;"#,
        |builder| builder.setting(KEYS),
    );
    let [alice, bob] = clients(&gateway);
    for client in [&alice, &bob, &alice] {
        client.result("tools/call", json!({"name": "act", "arguments": {}, "task": {}}));
    }
    let listed = |client: &Client| {
        let (id, request) = client.request("tasks/list", json!({}));
        (id, client.exchange(&request).text())
    };
    for (client, tasks) in
        [(&alice, r#"{"taskId":"t1", "x":1.0},{"taskId":"t3"}"#), (&bob, r#"{"taskId":"t2"}"#)]
    {
        let (id, text) = listed(client);
        let result = format!(r#"{{ "tasks":[{tasks}], "nextCursor":"c" }}"#);
        assert_eq!(text, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
    }
}

#[test]
fn a_task_belongs_to_the_caller_that_began_it() {
    let folder = Folder::new();
    let path = folder.write(
        "other.sh",
        &script(&BEGUN.replace(r#""status":"working"}' ;;"#, r#""status":"completed"}' ;;"#)),
    );
    let path = path.to_str().expect("the path of a folder is UTF-8").to_owned();
    let two = |builder: Builder| builder.server("two", |s| s.command("sh").args(&[&path])).setting(KEYS);
    let gateway = gateway_with(BEGUN, two);
    let [alice, bob] = clients(&gateway);
    let begin = |client: &Client, name: &str| {
        client.result("tools/call", json!({"name": name, "arguments": {}, "task": {}}))
    };
    assert_eq!(begin(&alice, "one__act")["task"]["taskId"], "t1");
    assert_eq!(bob.error("tasks/get", json!({"taskId": "t1"}))["message"], "Task not found");
    assert_eq!(begin(&bob, "two__act")["task"]["taskId"], "t1", "another server gives the same id");
    assert_eq!(alice.result("tasks/get", json!({"taskId": "t1"}))["status"], "working");
    assert_eq!(bob.result("tasks/get", json!({"taskId": "t1"}))["status"], "completed");
}
