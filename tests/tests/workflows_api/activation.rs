//! Which workflow is active, and which cannot be.

use super::*;

fn without_edge(mut graph: Value, id: &str) -> Value {
    graph["edges"].as_array_mut().expect("a list").retain(|edge| edge["id"] != id);
    graph
}

#[test]
fn a_workflow_that_cannot_run_is_not_activated_and_says_why() {
    let gateway = start();
    let mut no_call = graph("w", &[], &[]);
    no_call["nodes"].as_array_mut().expect("a list").remove(1);
    no_call["edges"] = json!([edge("s", "e")]);
    assert_eq!(reason(&gateway, no_call), "MCP Call node is missing");
    let plain = || graph("w", &[], &[]);
    assert_eq!(reason(&gateway, without_edge(plain(), "s-c")), "No path from Start to MCP Call");
    assert_eq!(reason(&gateway, without_edge(plain(), "c-e")), "No path from MCP Call to End");
    let mut cycle = graph("w", &[hook("a", "return"), hook("b", "return")], &[]);
    cycle["edges"].as_array_mut().expect("a list").push(edge("b", "a"));
    assert_eq!(reason(&gateway, cycle), "Workflow contains a cycle");

    let mut twice = with_side(plain(), "s", beside("f", "return"));
    twice["edges"].as_array_mut().expect("a list").push(edge("c", "f"));
    assert!(reason(&gateway, twice).contains("'f'"));
    let off = with_side(plain(), "c", hook("off", "return"));
    assert!(reason(&gateway, off).contains("'off'"));
    let broken = graph("w", &[hook("syntax", "return ((")], &[]);
    assert!(reason(&gateway, broken).contains("'syntax'"));
}

#[test]
fn one_workflow_of_a_type_is_active_and_stays_so_over_a_restart() {
    let gateway = start();
    let first = active(&gateway, graph("first", &[], &[]));
    let mut list = graph("list", &[], &[]);
    list["workflowType"] = "tools/list".into();
    let list = active(&gateway, list);
    let second = create(&gateway, graph("second", &[], &[]));
    let on = |gateway: &TestGateway| {
        [&first, &second, &list].map(|id| show(gateway, id)["enabled"].as_bool().expect("a flag"))
    };
    assert_eq!(on(&gateway), [true, false, true]);
    assert_eq!(activate(&gateway, &second).body["enabled"], true);
    assert_eq!(on(&gateway), [false, true, true]);
    let gateway = gateway.reopen();
    assert_eq!(on(&gateway), [false, true, true]);
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    assert_eq!((runs(&gateway, &first).len(), runs(&gateway, &second).len()), (0, 1));
    let off = gateway.post(&format!("/api/workflows/{second}/disable"), json!({}));
    assert_eq!((off.status, &off.body["enabled"]), (200, &json!(false)));
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    assert_eq!(runs(&gateway, &second).len(), 1);
    activate(&gateway, "nobody").expect_code(404, "NOT_FOUND");
}

#[test]
fn clients_hear_of_another_graph_for_lists_once() {
    let gateway = start();
    let module = gateway.post(
        "/api/hooks",
        json!({"name": "m", "hookType": "post", "enabled": false, "script": "context.response.tools.splice(3)"}),
    );
    let module = module.body["id"].as_str().expect("an id").to_owned();
    let client = Client::legacy(gateway.http());
    let mut events = client.listen();
    let mut once = |what: &str| {
        assert_eq!(events.message()["method"], "notifications/tools/list_changed", "{what}");
        assert!(events.event_within(Duration::from_millis(300)).is_none(), "{what} is told once");
    };
    let mut cut = node("h", "hook");
    cut["data"]["hook"] = json!({"id": "h", "hookModuleId": module, "blocking": true});
    let mut list = graph("list", &[], &[cut]);
    list["workflowType"] = "tools/list".into();
    let id = create(&gateway, list);
    activate(&gateway, &id).expect_status(200);
    once("its activation");
    assert_eq!(client.tools().len(), 3);
    let edit = Request::new("PATCH", &format!("/api/hooks/{module}"))
        .body("application/json", json!({"script": "context.response.tools.splice(2)"}).to_string());
    gateway.http().send(&edit).expect_status(200);
    once("an edit of the hook that it names");
    assert_eq!(client.tools().len(), 2);
    // A graph for calls changes no list; what follows is the first that is told.
    let call = active(&gateway, graph("call", &[], &[]));
    gateway.post(&format!("/api/workflows/{call}/disable"), json!({})).expect_status(200);
    gateway.post(&format!("/api/workflows/{id}/disable"), json!({})).expect_status(200);
    once("the end of it");
}

#[test]
fn enabled_in_a_body_is_the_same_as_activating() {
    let gateway = start();
    let first = active(&gateway, graph("first", &[], &[]));
    let mut body = graph("second", &[], &[]);
    body["enabled"] = true.into();
    let mut broken = without_edge(body.clone(), "s-c");
    let second = create(&gateway, body);
    assert_eq!(
        (&show(&gateway, &first)["enabled"], &show(&gateway, &second)["enabled"]),
        (&json!(false), &json!(true))
    );
    let fault = gateway.post("/api/workflows", broken.clone()).expect_code(409, "CONFLICT");
    assert_eq!(fault.message, "No path from Start to MCP Call");
    assert_eq!(gateway.get("/api/workflows").body.as_array().map(Vec::len), Some(2));

    patch(&gateway, &first, json!({"enabled": true})).expect_status(200);
    assert_eq!(show(&gateway, &second)["enabled"], false);
    let edges = broken["edges"].take();
    let fault = patch(&gateway, &first, json!({"edges": edges})).expect_code(409, "CONFLICT");
    assert_eq!(fault.message, "No path from Start to MCP Call");
    assert_eq!(
        (&show(&gateway, &first)["revision"], &show(&gateway, &first)["valid"]),
        (&json!(1), &json!(true))
    );
    patch(&gateway, &first, json!({"edges": edges, "enabled": false})).expect_status(200);
    patch(&gateway, &first, json!({"enabled": true})).expect_code(409, "CONFLICT");
}

#[test]
fn a_hook_that_a_workflow_uses_cannot_be_deleted() {
    let gateway = start();
    let script = "context.request.params.arguments = {v: 'module'}";
    let module = json!({"name": "m", "hookType": "pre", "enabled": false, "script": script});
    let module = gateway.post("/api/hooks", module).body["id"].clone();
    let mut own = node("h", "hook");
    own["data"]["hook"] = json!({"id": "h", "hookModuleId": module, "blocking": true});
    let id = active(&gateway, graph("Uses it", &[own], &[]));
    let reply = gateway.call("test-server", "echo", json!({}));
    assert_eq!(reply.result()["v"], "module", "{}", reply.text());
    let path = format!("/api/hooks/{}", module.as_str().expect("an id"));
    let fault = gateway.delete(&path).expect_code(409, "CONFLICT");
    assert!(fault.message.contains("'Uses it'"), "{}", fault.message);
    gateway.delete(&format!("/api/workflows/{id}")).expect_status(204);
    gateway.delete(&path).expect_status(204);

    let mut gone = node("h", "hook");
    gone["data"]["hook"] = json!({"id": "h", "hookModuleId": module, "blocking": true});
    assert!(reason(&gateway, graph("w", &[gone], &[])).contains("does not exist"));
}

#[test]
fn changes_of_workflows_and_ends_of_runs_are_told() {
    let gateway = start();
    let mut events = testkit::Events::open(gateway.http(), &Request::new("GET", "/api/events"));
    let id = active(&gateway, graph("w", &[], &[]));
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    let mut names = Vec::new();
    loop {
        let event = events.event().expect("the stream goes on");
        names.push(event.name.clone());
        if event.name == "run" {
            let data: Value = serde_json::from_str(&event.data).expect("JSON");
            assert_eq!((&data["workflowId"], &data["id"]), (&json!(id), &runs(&gateway, &id)[0]["id"]));
            break;
        }
    }
    assert!(names.iter().any(|name| name == "workflows"), "{names:?}");
}

#[test]
fn a_run_is_told_node_by_node_while_it_is_under_way() {
    let gateway = start();
    let id = active(&gateway, graph("w", &[hook("h", "")], &[]));
    let asking = Request::new("GET", "/api/events?running=true");
    let mut events = testkit::Events::open(gateway.http(), &asking);
    let called = gateway.call_later("test-server", "sleep", json!({"ms": 6000, "word": "unsaid"}));
    let mut next = |name: &str| {
        let event = std::iter::from_fn(|| events.event()).find(|event| event.name == name);
        serde_json::from_str::<Value>(&event.expect("the stream goes on").data).expect("JSON")
    };
    let progress = loop {
        let progress = next("running");
        if progress["results"]["c"]["state"] == "running" {
            break progress;
        }
    };
    assert!(!called.is_finished(), "the call is under way");
    assert_eq!(progress["workflowId"], json!(id));
    assert_eq!(progress["results"]["h"]["state"], "completed");
    assert_eq!(progress["results"].get("e"), None, "the run has not come to it");
    assert!(!progress.to_string().contains("unsaid"), "nothing of the request is in it: {progress}");
    // Runs of `stats`, which was asked whether the call has come, may be told before it.
    while next("run")["id"] != progress["id"] {}
    called.join().expect("a reply").expect("a reply").expect_status(200);
}

#[test]
fn runs_under_way_are_told_to_nobody_who_did_not_ask() {
    let gateway = start();
    active(&gateway, graph("w", &[], &[]));
    let mut events = testkit::Events::open(gateway.http(), &Request::new("GET", "/api/events"));
    gateway.call("test-server", "sleep", json!({"ms": 400})).expect_status(200);
    let told = std::iter::from_fn(|| events.event()).map(|event| event.name);
    let told: Vec<String> = told.take_while(|name| name != "run").collect();
    assert!(!told.iter().any(|name| name == "running"), "{told:?}");
}

#[test]
fn nodes_and_hooks_after_a_node_that_renames_see_the_new_name() {
    let gateway = TestGateway::builder().server("one", |s| s).server("two", |s| s).start();
    let seen = "[context.toolName, context.serverName, context.metadata.serverId]";
    let rename = "if (context.serverName === 'one') context.request.params.name = 'two__plain'";
    let note = |name: &str| format!("context.metadata.shared.{name} = {seen}");
    let (before, after) = (hook("r", rename), hook("n", &note("pre")));
    let body = graph("names", &[before, after], &[hook("p", &note("post"))]);
    active(&gateway, body);
    let tell = format!("context.response.seen = [context.metadata.shared, {seen}]");
    gateway
        .post("/api/hooks", json!({"name": "tell", "hookType": "post", "script": tell}))
        .expect_status(201);
    let reply = Client::legacy(gateway.http()).call("one__echo", json!({}));
    let two = json!(["plain", "two", "two"]);
    assert_eq!(reply["seen"], json!([{"pre": two, "post": two}, two]), "{reply}");
}
