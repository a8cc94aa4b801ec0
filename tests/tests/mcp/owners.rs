//! Whose a task is: the caller's that began it, at the server that gave it. What nobody remembers belongs to nobody.

use crate::said::script;
use crate::scripted;
use crate::tasks::{KEYED, KEYS, clients, modern, server_with_tasks};
use serde_json::{Value, json};
use testkit::{Builder, Client, Folder, Server, TestGateway};

/// A server that knows the task `t1`, which its tool gives every time, from before it was started too.
const KNOWS: &str = r#"*'"act"'*) reply "$id" '{"task":{"taskId":"t1","status":"working"}}' ;;
    *'"tasks/get"'*) reply "$id" '{"taskId":"t1","status":"working"}' ;;
    *'"tasks/result"'*) reply "$id" '{"content":[{"type":"text","text":"secret"}]}' ;;
    *'"tasks/cancel"'*) reply "$id" '{"taskId":"t1","status":"cancelled"}' ;;
    *'"tasks/list"'*) reply "$id" '{"tasks":[{"taskId":"t1","status":"working"}]}' ;;"#;

fn knowing(more: impl FnOnce(Builder) -> Builder) -> TestGateway {
    scripted(&[("one", script(KNOWS))], more)
}

#[track_caller]
fn begin(client: &Client, tool: &str) {
    let begun = client.result("tools/call", json!({"name": tool, "arguments": {}, "task": {}}));
    assert_eq!(begun["task"]["taskId"], "t1", "{begun}");
}

const ABOUT: [&str; 3] = ["tasks/get", "tasks/result", "tasks/cancel"];

#[track_caller]
fn refused(client: &Client, methods: &[&str], why: &str) {
    for method in methods {
        let error = client.error(method, json!({"taskId": "t1"}));
        assert_eq!((&error["code"], &error["message"]), (&json!(-32602), &json!(why)), "{method}");
    }
}

const UNKNOWN: &str = "Task not found";
const SEVERAL: &str = "Several servers have a task of this id";

fn tasks_of(client: &Client) -> Value {
    client.result("tasks/list", json!({}))["tasks"].clone()
}

#[test]
fn a_task_that_nobody_remembers_is_nobodys_where_there_are_keys() {
    let gateway = knowing(|builder| builder.setting(KEYS));
    let [alice, _] = clients(&gateway);
    begin(&alice, "act");
    let gateway = gateway.reopen();
    let [alice, bob] = clients(&gateway);
    for client in [&bob, &alice] {
        refused(client, &ABOUT, UNKNOWN);
        assert_eq!(tasks_of(client), json!([]));
    }
    begin(&bob, "act");
    assert_eq!(tasks_of(&bob)[0]["taskId"], "t1");
    refused(&alice, &ABOUT, UNKNOWN);
}

#[test]
fn a_modern_clients_task_that_nobody_remembers_is_nobodys_where_there_are_keys() {
    let asked = r#"*'"tasks/get"'*) reply "$id" '"complete","taskId":"t1","status":"working"}' ;;
    *'"taskIds":["t1"]'*) acknowledge '{"taskIds":["t1"]}' ;;"#;
    let servers = [("one", server_with_tasks(asked))];
    let gateway = scripted(&servers, |builder| builder.setting(KEYS));
    let extension = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let client = Client::modern_with(gateway.http().with_key(KEYED[1]), extension);
    refused(&client, &["tasks/get", "tasks/cancel", "tasks/update"], UNKNOWN);
    let filter = json!({"notifications": {"taskIds": ["t1"]}});
    let (_, mut stream) = client.stream("subscriptions/listen", filter);
    assert_eq!(stream.message()["params"]["notifications"]["taskIds"], Value::Null);
    assert_eq!(client.call("act", json!({"begin": 1}))["taskId"], "t1");
    assert_eq!(client.result("tasks/get", json!({"taskId": "t1"}))["status"], "working");
}

#[test]
fn a_task_that_nobody_remembers_goes_round_no_hook_and_no_graph() {
    let gateway = knowing(|builder| builder);
    let client = Client::legacy(gateway.http());
    assert_eq!(client.result("tasks/get", json!({"taskId": "t1"}))["status"], "working");
    let script =
        "if (context.toolName === 'act') for (const part of context.response.content ?? []) part.text = ''";
    let hook = gateway.post("/api/hooks", json!({"name": "h", "hookType": "post", "script": script}));
    hook.expect_status(201);
    refused(&client, &ABOUT, UNKNOWN);
    begin(&client, "act");
    let result = client.result("tasks/result", json!({"taskId": "t1"}));
    assert_eq!(result["content"][0]["text"], "", "{result}");
    let gateway = gateway.reopen();
    let client = Client::legacy(gateway.http());
    refused(&client, &ABOUT, UNKNOWN);
    let hook = hook.body["id"].as_str().expect("an id");
    gateway.delete(&format!("/api/hooks/{hook}")).expect_status(204);
    assert_eq!(client.result("tasks/get", json!({"taskId": "t1"}))["status"], "working");
    let node = |id: &str, kind: &str| json!({"id": id, "type": kind, "position": {"x": 0, "y": 0}, "data": {"label": id}});
    let nodes = [node("s", "start"), node("c", "mcp-call"), node("e", "end")];
    let edges = [("s", "c"), ("c", "e")]
        .map(|(source, target)| json!({"id": source, "source": source, "target": target}));
    let graph =
        json!({"name": "g", "workflowType": "tools/call", "enabled": false, "nodes": nodes, "edges": edges});
    let graph = gateway.post("/api/workflows", graph);
    let id = graph.body["id"].as_str().unwrap_or_else(|| panic!("no graph: {}", graph.text()));
    gateway.post(&format!("/api/workflows/{id}/activate"), json!({})).expect_status(200);
    refused(&client, &ABOUT, UNKNOWN);
}

#[test]
fn whoever_asks_for_a_task_that_nobody_remembers_does_not_become_its_owner() {
    let gateway = knowing(|builder| builder);
    let client = Client::legacy(gateway.http());
    for method in ABOUT {
        assert!(client.result(method, json!({"taskId": "t1"})).is_object());
        assert_eq!(tasks_of(&client), json!([]), "{method}");
    }
}

#[test]
fn a_task_is_known_that_post_hooks_hide_from_its_client() {
    let gateway = knowing(|builder| builder);
    let script = "if (context.response.task) return {response: {content: [], task: {taskId: 'other'}}};
        for (const part of context.response.content ?? []) part.text = `${context.toolName}: hidden`";
    gateway.post("/api/hooks", json!({"name": "h", "hookType": "post", "script": script})).expect_status(201);
    let client = Client::legacy(gateway.http());
    let begun = client.result("tools/call", json!({"name": "act", "arguments": {}, "task": {}}));
    assert_eq!(begun["task"]["taskId"], "other", "{begun}");
    assert_eq!(client.error("tasks/get", json!({"taskId": "other"}))["message"], UNKNOWN);
    let result = client.result("tasks/result", json!({"taskId": "t1"}));
    assert_eq!(result["content"][0]["text"], "act: hidden", "{result}");
}

#[test]
fn an_id_that_a_server_gives_again_is_the_last_callers() {
    let gateway = knowing(|builder| builder.setting(KEYS));
    let [alice, bob] = clients(&gateway);
    begin(&alice, "act");
    assert_eq!(alice.result("tasks/get", json!({"taskId": "t1"}))["status"], "working");
    begin(&bob, "act");
    refused(&alice, &ABOUT, UNKNOWN);
    assert_eq!(tasks_of(&alice), json!([]));
    assert_eq!(bob.result("tasks/get", json!({"taskId": "t1"}))["status"], "working");
}

#[test]
fn of_tasks_with_one_id_a_session_means_its_own() {
    let other = KNOWS.replace(r#""status":"working""#, r#""status":"input_required""#);
    let servers = [("one", script(KNOWS)), ("two", script(&other))];
    let gateway = scripted(&servers, |builder| builder);
    // One caller: the same name and no key.
    let [first, second, third] = [(); 3].map(|()| Client::legacy(gateway.http()));
    begin(&first, "one__act");
    begin(&second, "two__act");
    for (client, status) in [(&first, "working"), (&second, "input_required")] {
        assert_eq!(client.result("tasks/get", json!({"taskId": "t1"}))["status"], status);
    }
    refused(&third, &ABOUT, SEVERAL);
    begin(&first, "two__act");
    refused(&first, &ABOUT, SEVERAL);
    refused(&second, &ABOUT, SEVERAL);
}

#[test]
fn of_tasks_with_one_id_a_modern_client_gets_none() {
    let asked = r#"*'"tasks/get"'*) reply "$id" '"complete","taskId":"t1","status":"working"}' ;;"#;
    let servers = ["one", "two"].map(|name| (name, server_with_tasks(asked)));
    let gateway = scripted(&servers, |builder| builder);
    let client = modern(&gateway);
    assert_eq!(client.call("one__act", json!({"begin": 1}))["taskId"], "t1");
    assert_eq!(client.result("tasks/get", json!({"taskId": "t1"}))["status"], "working");
    assert_eq!(client.call("two__act", json!({"begin": 1}))["taskId"], "t1");
    refused(&client, &["tasks/get", "tasks/cancel", "tasks/update"], SEVERAL);
}

#[test]
fn ids_of_a_clients_own_process_are_told_from_those_of_anothers() {
    let folder = Folder::new();
    let path = folder.write("server.sh", &script(KNOWS));
    let path = path.to_str().expect("the path of a folder is UTF-8").to_owned();
    let server = |s: Server| s.command("sh").args(&[&path]).raw("scope", "client");
    let gateway = TestGateway::builder().server("one", server).setting(KEYS).start_in(folder);
    let [alice, bob] = clients(&gateway);
    begin(&alice, "act");
    begin(&bob, "act");
    for client in [&alice, &bob] {
        assert_eq!(client.result("tasks/get", json!({"taskId": "t1"}))["status"], "working");
        assert_eq!(tasks_of(client)[0]["taskId"], "t1");
    }
    let [again, _] = clients(&gateway);
    refused(&again, &ABOUT, UNKNOWN);
}

#[test]
fn of_tasks_with_one_id_the_one_from_which_something_is_still_to_come_is_meant() {
    // Both count their tasks from 1; only what they say tells them apart.
    let other = KNOWS.replace("secret", "other").replace("working", "input_required");
    let servers = [("one", script(KNOWS)), ("two", script(&other))];
    let gateway = scripted(&servers, |builder| builder);
    let client = Client::legacy(gateway.http());
    let about = |method: &str| client.result(method, json!({"taskId": "t1"}));
    begin(&client, "one__act");
    assert_eq!(about("tasks/result")["content"][0]["text"], "secret");
    assert_eq!(about("tasks/result")["content"][0]["text"], "secret", "it may be read again");
    begin(&client, "two__act");
    assert_eq!(about("tasks/get")["status"], "input_required");
    assert_eq!(about("tasks/cancel")["status"], "cancelled");
    begin(&client, "one__act");
    assert_eq!(about("tasks/get")["status"], "working");
    begin(&client, "two__act");
    refused(&client, &ABOUT, SEVERAL);
}

#[test]
fn of_tasks_with_one_id_the_one_that_its_server_still_keeps_is_meant() {
    let past = KNOWS.replacen(r#""status":"working""#, r#""status":"working","ttl":0"#, 1);
    let other = KNOWS.replacen(r#""status":"working""#, r#""status":"working","ttl":3600000"#, 1);
    let other = other.replace("secret", "other");
    let servers = [("one", script(&past)), ("two", script(&other))];
    let gateway = scripted(&servers, |builder| builder);
    let client = Client::legacy(gateway.http());
    let result = || client.result("tasks/result", json!({"taskId": "t1"}))["content"][0]["text"].clone();
    begin(&client, "one__act");
    assert_eq!(result(), "secret", "the only one is meant though its time is over");
    begin(&client, "two__act");
    begin(&client, "one__act");
    assert_eq!((result(), result()), (json!("other"), json!("other")));
}

/// A graph whose nodes before the call answer nothing and whose node after it does this.
fn graph_with(gateway: &TestGateway, after: &str) {
    let plain = |id: &str, kind: &str| json!({"id": id, "type": kind, "data": {}});
    let hook = |id: &str, script: &str| json!({"id": id, "type": "hook", "data": {"hook": {"id": id, "script": script, "blocking": true}}});
    let before = "if (context.metadata.shared?.began) throw Error('again'); (context.metadata.shared ??= {}).began = 1";
    let nodes =
        [plain("s", "start"), hook("b", before), plain("c", "mcp-call"), hook("a", after), plain("e", "end")];
    let edges = ["s", "b", "c", "a", "e"];
    let edges: Vec<Value> =
        edges.windows(2).map(|pair| json!({"source": pair[0], "target": pair[1]})).collect();
    let graph =
        json!({"name": "g", "workflowType": "tools/call", "enabled": true, "nodes": nodes, "edges": edges});
    gateway.post("/api/workflows", graph).expect_status(201);
}

const REDACT: &str = "for (const part of context.response.content ?? []) \
                      part.text = `${context.toolName} ${context.metadata.shared.began}: hidden`";

#[test]
fn the_result_of_a_task_passes_the_nodes_after_the_call() {
    let gateway = knowing(|builder| builder.setting("hooks: {trace: reply}"));
    graph_with(&gateway, REDACT);
    let client = Client::legacy(gateway.http());
    begin(&client, "act");
    for _ in 0..2 {
        let result = client.result("tasks/result", json!({"taskId": "t1"}));
        assert_eq!(result["content"][0]["text"], "act 1: hidden", "{result}");
        let told = &result["_meta"]["lockgate/hooks"];
        assert_eq!((&told[0]["hook"], told.as_array().map(Vec::len)), (&json!("a"), Some(1)), "{result}");
    }
    assert_eq!(client.result("tasks/get", json!({"taskId": "t1"}))["status"], "working");
}

#[test]
fn the_result_of_a_task_that_the_graph_withholds_is_not_given() {
    let gateway = knowing(|builder| builder);
    graph_with(
        &gateway,
        "if (context.response.content) return {continue: false, error: {message: 'withheld'}}",
    );
    let client = Client::legacy(gateway.http());
    begin(&client, "act");
    let error = client.error("tasks/result", json!({"taskId": "t1"}));
    assert_eq!((&error["code"], &error["message"]), (&json!(-32603), &json!("withheld")));
}

#[test]
fn the_result_of_a_modern_task_passes_the_nodes_after_the_call() {
    let asked = r#"*'"tasks/get"'*) reply "$id" '"complete","taskId":"t1","status":"completed","result":{"content":[{"type":"text","text":"secret"}]}}' ;;"#;
    let gateway = scripted(&[("one", server_with_tasks(asked))], |builder| builder);
    graph_with(&gateway, REDACT);
    let client = modern(&gateway);
    assert_eq!(client.call("act", json!({"begin": 1}))["taskId"], "t1");
    let task = client.result("tasks/get", json!({"taskId": "t1"}));
    assert_eq!(task["result"]["content"][0]["text"], "act 1: hidden", "{task}");
}

#[test]
fn a_task_that_its_client_cannot_have_hides_no_other_of_that_id() {
    let begun = r#"*'"act"'*) reply "$id" '{"task":{"taskId":"t1","status":"working"}}' ;;
    *'"tasks/get"'*) reply "$id" '{"taskId":"t1","status":"working"}' ;;"#;
    let foreign = r#"*'"act"'*) reply "$id" '"task","taskId":"t1","status":"working"}' ;;"#;
    let servers = [("one", crate::said::script(begun)), ("two", crate::sparse::script(foreign))];
    let gateway = crate::scripted(&servers, |builder| builder);
    let client = Client::legacy(gateway.http());
    let call = |name: &str| json!({"name": name, "arguments": {}});
    let error = client.error("tools/call", call("two__act"));
    assert!(error["message"].as_str().is_some_and(|text| text.contains("cannot be translated")), "{error}");
    let mut task = call("one__act");
    task["task"] = json!({});
    assert_eq!(client.result("tools/call", task)["task"]["taskId"], "t1");
    assert_eq!(client.result("tasks/get", json!({"taskId": "t1"}))["status"], "working");
}
