//! Definitions of the API, what is refused, and what a change does (spec 4.4, 4.9).

use super::*;

/// A gateway without definitions.
fn empty() -> TestGateway {
    TestGateway::start()
}

/// Creates an activity over the API.
#[track_caller]
fn create_activity(gateway: &TestGateway, body: Value) -> Value {
    let reply = gateway.post("/api/activities", body);
    reply.expect_status(201);
    reply.body
}

/// Creates an active session workflow over the API and gives its id.
#[track_caller]
fn create(gateway: &TestGateway, body: Value) -> String {
    let reply =
        gateway.post("/api/workflows", with(body, json!({"workflowType": "session", "enabled": true})));
    reply.expect_status(201);
    reply.body["id"].as_str().expect("an id").to_owned()
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "callers write the value in place")]
fn refused(gateway: &TestGateway, path: &str, body: Value, words: &str) {
    let message = gateway.post(path, body.clone()).expect_code(400, "VALIDATION_ERROR").message;
    assert!(message.contains(words), "{body}: {message}");
}

#[test]
fn definitions_of_the_api_work_as_those_of_the_file() {
    let gateway = empty();
    for activity in standard() {
        create_activity(&gateway, activity);
    }
    let workflow = create(&gateway, calc());
    for client in clients(&gateway) {
        let session = id(&client.call("calc_start", json!({"a": 5, "b": 3})));
        client.call("calc_continue", json!({"sessionId": session}));
        let done = said(&client.call("calc_continue", json!({"sessionId": session})));
        assert_eq!(done["results"]["double"], json!({"result": 16}));
    }
    let gateway = gateway.reopen();
    let client = Client::legacy(gateway.http());
    assert_eq!(own_names(&gateway, &client).len(), 5, "they outlive the gateway");
    gateway.delete(&format!("/api/workflows/{workflow}")).expect_status(204);
    assert!(own_names(&gateway, &client).is_empty());
    client.call_error("calc_start", json!({"a": 1, "b": 2}));
}

#[test]
fn a_graph_in_one_line_is_the_same_as_its_list_of_steps() {
    let gateway = empty();
    for activity in standard() {
        create_activity(&gateway, activity);
    }
    let node = |id: &str, kind: &str, data: Value| json!({"id": id, "type": kind, "position": {"x": 0, "y": 0}, "data": data});
    let activity = |id: &str, step: Value| node(id, "activity", json!({"label": id, "step": step}));
    let graph = json!({"name": "g", "workflowType": "session", "enabled": true,
        "nodes": [node("s", "start", json!({"label": "s"})), activity("a", json!({"activity": "add"})),
            activity("b", json!({"activity": "bad", "optional": true})), activity("c", json!({"activity": "tag"})),
            node("e", "end", json!({"label": "e"}))],
        "edges": [{"source": "s", "target": "a"}, {"source": "a", "target": "b"}, {"source": "b", "target": "c"},
            {"source": "c", "target": "e"}]});
    let reply = gateway.post("/api/workflows", graph);
    reply.expect_status(201);
    let steps = json!([{"activity": "add"}, {"activity": "bad", "optional": true}, {"activity": "tag"}]);
    assert_eq!(reply.body["steps"], steps, "{}", reply.body);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("g_start", json!({"a": 1, "b": 2})));
    let second = client.call("g_continue", json!({"sessionId": session}));
    assert_eq!(second["structuredContent"]["stepError"], "nope");
    said(&client.call("g_continue", json!({"sessionId": session})));
}

#[test]
fn an_activity_that_is_not_whole_is_refused() {
    let gateway = empty();
    let bad = |fields: Value| with(json!({"name": "x", "description": "d"}), fields);
    let script = json!({"script": "return {}"});
    let path = "/api/activities";
    refused(&gateway, path, bad(json!({})), "run");
    refused(&gateway, path, bad(json!({"run": {}})), "run");
    let two = json!({"run": {"script": "return {}", "tool": {"server": "s", "name": "t"}}});
    refused(&gateway, path, bad(two), "run");
    refused(&gateway, path, bad(json!({"run": {"shell": "ls"}})), "shell");
    refused(&gateway, path, bad(json!({"run": {"script": "return {"}})), "run.script");
    refused(&gateway, path, bad(json!({"run": script, "onSuccess": "}{"})), "onSuccess");
    refused(&gateway, path, bad(json!({"run": script, "name": "a b"})), "name");
    refused(&gateway, path, bad(json!({"run": script, "name": "a".repeat(101)})), "name");
    refused(
        &gateway,
        path,
        bad(json!({"run": script, "inputSchema": {"type": "no such type"}})),
        "inputSchema",
    );
    refused(&gateway, path, bad(json!({"run": script, "timeot": 5})), "did you mean 'timeout'?");
    refused(&gateway, path, bad(json!({"run": script, "retry": {"maxAttempts": 0}})), "maxAttempts");
    refused(&gateway, path, bad(json!({"run": {"workflow": {"name": "nowhere"}}})), "nowhere");
    assert_eq!(gateway.get(path).body, json!([]), "nothing was stored");
}

#[test]
fn a_workflow_that_is_not_whole_is_refused() {
    let gateway = empty();
    create_activity(&gateway, script("a", "return {}"));
    let of = |name: &str, steps: Value| json!({"name": name, "workflowType": "session", "enabled": true, "steps": steps});
    let path = "/api/workflows";
    let step = json!([{"activity": "a"}]);
    refused(&gateway, path, of("w", json!([])), "Workflow must have at least one step");
    refused(&gateway, path, of("w", json!([{"activity": "nobody"}])), "nobody");
    refused(&gateway, path, of("w", json!([{"activity": "a", "condition": "1 +"}])), "condition");
    refused(&gateway, path, of("w", json!([{"activity": "a", "inputMapper": "({"}])), "inputMapper");
    let branch = json!([{"activity": "a", "branches": [{"when": "=>", "call": "b"}]}]);
    refused(&gateway, path, of("w", branch), "when");
    refused(&gateway, path, of("a b", step.clone()), "name");
    refused(&gateway, path, of(&"a".repeat(92), step.clone()), "name");
    refused(&gateway, path, with(of("w", step.clone()), json!({"onFailure": "{{"})), "onFailure");
    refused(
        &gateway,
        path,
        of("w", json!([{"parallel": [{"activity": "a"}, {"activity": "a"}]}])),
        "another member",
    );
    refused(&gateway, path, of("w", json!([{"activity": "a", "compensate": "nobody"}])), "nobody");
    assert!(own_names(&gateway, &Client::legacy(gateway.http())).is_empty());
    gateway.post(path, of(&"a".repeat(91), step)).expect_status(201);
    assert!(Client::legacy(gateway.http()).tools().iter().all(|name| name.len() <= 100));
}

#[test]
fn a_workflow_that_contains_itself_is_refused() {
    let gateway = empty();
    create_activity(&gateway, script("a", "return {}"));
    let inner = create(&gateway, workflow("inner", &[json!("a")]));
    create_activity(&gateway, json!({"name": "nest", "run": {"workflow": {"name": "inner"}}}));
    create(&gateway, workflow("outer", &[json!("nest")]));
    let path = format!("/api/workflows/{inner}");
    let steps = json!({"steps": [{"activity": "nest"}]});
    let message = patch(&gateway, &path, steps).expect_code(400, "VALIDATION_ERROR").message;
    assert!(message.contains("contains itself"), "{message}");
}

#[test]
fn a_change_does_not_reach_sessions_that_are_open() {
    let gateway = empty();
    create_activity(&gateway, script("one", "return {data: {v: 'old'}}"));
    create_activity(&gateway, script("two", "return {data: {v: 'old'}}"));
    let workflow = create(&gateway, workflow("w", &[json!("one"), json!("two")]));
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("w_start", json!({})));
    patch(&gateway, "/api/activities/two", json!({"run": {"script": "return {data: {v: 'new'}}"}}))
        .expect_status(200);
    let steps = json!({"steps": [{"activity": "one"}, {"activity": "two"}, {"activity": "two"}]});
    patch(&gateway, &format!("/api/workflows/{workflow}"), steps).expect_status(200);
    let gateway = gateway.reopen();
    let client = Client::legacy(gateway.http());
    let done = said(&client.call("w_continue", json!({"sessionId": session})));
    assert_eq!(done["results"]["two"], json!({"v": "old"}), "it stays on what it was started with");
    let new = id(&client.call("w_start", json!({})));
    let reply = client.call("w_continue", json!({"sessionId": new}));
    assert_eq!(reply["structuredContent"]["stepResult"], json!({"v": "new"}));
}

#[test]
fn a_workflow_that_is_not_active_shows_no_tools_and_its_sessions_go_on() {
    let gateway = empty();
    for activity in standard() {
        create_activity(&gateway, activity);
    }
    let workflow = create(&gateway, calc());
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("calc_start", json!({"a": 1, "b": 2})));
    gateway.post(&format!("/api/workflows/{workflow}/disable"), json!({})).expect_status(200);
    assert!(own_names(&gateway, &client).is_empty());
    let reply = gateway.post(&format!("/api/sessions/{session}/continue"), json!({}));
    assert_eq!(said(&reply.expect_status(200).body)["result"], json!({"result": 6}));
    gateway
        .post(&format!("/api/workflows/{workflow}/execute"), json!({"a": 1, "b": 2}))
        .expect_code(409, "CONFLICT");
    gateway.post(&format!("/api/workflows/{workflow}/activate"), json!({})).expect_status(200);
    said(&client.call("calc_continue", json!({"sessionId": session})));
}

#[test]
fn an_activity_in_use_cannot_be_deleted_and_a_change_needs_the_right_revision() {
    let gateway = empty();
    let made = create_activity(&gateway, script("a", "return {}"));
    assert_eq!((&made["revision"], &made["source"]), (&json!(1), &json!("api")));
    let workflow = create(&gateway, workflow("w", &[json!("a")]));
    let message = gateway.delete("/api/activities/a").expect_code(409, "CONFLICT").message;
    assert!(message.contains("'w'"), "{message}");
    let request = Request::new("PATCH", "/api/activities/a").header("If-Match", "\"7\"");
    let request = request.body("application/json", json!({"timeout": 9}).to_string());
    gateway.http().send(&request).expect_code(409, "CONFLICT");
    let changed = patch(&gateway, "/api/activities/a", json!({"timeout": 9})).body;
    assert_eq!((&changed["timeout"], &changed["revision"]), (&json!(9), &json!(2)));
    let changed = patch(&gateway, "/api/activities/a", json!({"timeout": null})).body;
    assert!(changed.get("timeout").is_none(), "{changed}");
    assert_eq!(changed["usedBy"], json!(["w"]));
    gateway.delete(&format!("/api/workflows/{workflow}")).expect_status(204);
    gateway.delete("/api/activities/a").expect_status(204);
    gateway.get("/api/activities/a").expect_code(404, "NOT_FOUND");
}

#[test]
fn a_sub_workflow_that_is_off_keeps_nobody_from_changing_other_definitions() {
    let gateway = empty();
    create_activity(&gateway, script("a", "return {}"));
    let inner = create(&gateway, workflow("inner", &[json!("a")]));
    create_activity(&gateway, json!({"name": "nest", "run": {"workflow": {"name": "inner"}}}));
    let outer = create(&gateway, workflow("outer", &[json!("nest")]));
    gateway.post(&format!("/api/workflows/{inner}/disable"), json!({})).expect_status(200);
    create(&gateway, workflow("second", &[json!("a")]));
    let steps = json!({"steps": [{"activity": "nest"}]});
    let path = format!("/api/workflows/{inner}");
    let told = patch(&gateway, &path, steps).expect_code(400, "VALIDATION_ERROR").message;
    assert_eq!(told, "Workflow contains itself: inner > inner");
    create(&gateway, workflow("third", &[json!("a")]));
    create_activity(&gateway, script("b", "return {}"));
    patch(&gateway, &format!("/api/workflows/{outer}"), json!({"description": "Still here"}))
        .expect_status(200);
    let lost = json!({"name": "lost", "run": {"workflow": {"name": "nowhere"}}});
    let told = gateway.post("/api/activities", lost).expect_code(400, "VALIDATION_ERROR").message;
    assert_eq!(told, "run.workflow.name names the workflow 'nowhere', which does not exist");
}

#[test]
fn a_field_that_a_workflow_does_not_have_is_refused_and_what_is_shown_can_be_sent_back() {
    let gateway = empty();
    create_activity(&gateway, script("a", "return {}"));
    let body = with(workflow("w", &[json!("a")]), json!({"workflowType": "session"}));
    let shown = gateway.post("/api/workflows", body.clone()).expect_status(201).body.clone();
    let path = format!("/api/workflows/{}", shown["id"].as_str().expect("an id"));
    for (field, hint) in
        [("onFail", "; known are name"), ("timeOut", " (did you mean 'timeout'?)"), ("zzz", "; known")]
    {
        let extra = json!({field: 50});
        let expected = format!("{field} is not a known field{hint}");
        let created = gateway.post("/api/workflows", with(body.clone(), extra.clone()));
        let imported = gateway.post("/api/workflows/import", with(body.clone(), extra.clone()));
        for refused in [created, imported, patch(&gateway, &path, extra)] {
            let fault = refused.expect_code(400, "VALIDATION_ERROR");
            assert!(fault.message.starts_with(&expected), "{}", fault.message);
            assert_eq!(fault.details["field"], field);
        }
    }
    patch(&gateway, &path, shown.clone()).expect_status(200);
    let exported = gateway.get(&format!("{path}/export")).body;
    for (name, again) in [("shown", shown), ("exported", exported)] {
        gateway.post("/api/workflows/import", with(again, json!({"name": name}))).expect_status(201);
    }
}

#[test]
fn code_that_closes_what_stands_around_it_does_not_compile() {
    let gateway = empty();
    create_activity(&gateway, script("a", "return {}"));
    for source in ["}); (() => {", "} , function () {", "}, async () => {"] {
        gateway.post("/api/activities", script("b", source)).expect_code(400, "VALIDATION_ERROR");
        let callback = with(script("b", "return {}"), json!({"onSuccess": source}));
        gateway.post("/api/activities", callback).expect_code(400, "VALIDATION_ERROR");
    }
    for expression in ["1) + (2", "1) || (2", "1], [2"] {
        let step = json!({"activity": "a", "condition": expression});
        let body = with(workflow("w", &[step]), json!({"workflowType": "session"}));
        let told = gateway.post("/api/workflows", body).expect_code(400, "VALIDATION_ERROR").message;
        assert!(told.starts_with("steps[0].condition does not compile: "), "{told}");
    }
    let sound = json!({"activity": "a", "condition": "(1, true) // ])", "inputMapper": "{a: [1, 2]}"});
    create(&gateway, workflow("w", &[sound]));
}

#[test]
fn a_published_activity_and_a_tool_of_a_workflow_never_have_one_name() {
    let named = |name: &str| with(script(name, "return {}"), json!({"publish": true}));
    let words = "The published activity 'w_start' has the name of a tool of the workflow 'w'";
    builder(&[script("a", "return {}"), named("w_start")], &[workflow("w", &[json!("a")])])
        .expect_failure()
        .expect_code(1)
        .expect_text(words);
    let gateway = builder(&[script("a", "return {}")], &[workflow("w", &[json!("a")])]).start();
    let refused = |reply: &Reply, words: &str| {
        reply.expect_status(409);
        assert_eq!(reply.body["error"]["message"], words, "{}", reply.body);
    };
    refused(&gateway.post("/api/activities", named("w_start")), words);
    create_activity(&gateway, script("w_start", "return {}"));
    refused(&patch(&gateway, "/api/activities/w_start", json!({"publish": true})), words);
    create_activity(&gateway, named("x_status"));
    let flow = |name: &str| with(workflow(name, &[json!("a")]), json!({"workflowType": "session"}));
    let words = "The published activity 'x_status' has the name of a tool of the workflow 'x'";
    refused(&gateway.post("/api/workflows", flow("x")), words);
    let found = gateway.post("/api/workflows/validate", flow("x")).body;
    assert_eq!(found["valid"], false, "{found}");
    let hidden = with(flow("x"), json!({"tools": {"expose": ["start"]}}));
    gateway.post("/api/workflows", hidden).expect_status(201);
}

#[test]
fn the_diagram_of_a_session_shows_what_it_did() {
    let gateway = empty();
    create_activity(&gateway, script("a", "return {}"));
    create_activity(&gateway, script("b", "return {success: false, error: 'no'}"));
    let skipped = json!({"activity": "a", "condition": "false"});
    let id = create(&gateway, workflow("w", &[json!("a"), skipped, json!("b")]));
    let other = create(&gateway, workflow("other", &[json!("a"), json!("a")]));
    let client = Client::legacy(gateway.http());
    let session = super::id(&client.call("w_start", json!({})));
    client.call("w_continue", json!({"sessionId": session}));
    patch(&gateway, &format!("/api/workflows/{id}"), json!({"steps": [{"activity": "a"}]}))
        .expect_status(200);
    let drawn =
        |id: &str| gateway.get(&format!("/api/workflows/{id}/diagram?format=mermaid&session={session}"));
    let text = drawn(&id).text();
    for line in ["class n0,n1 completed", "class n3 error", "class n2,n4 skipped"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    drawn(&other).expect_code(404, "NOT_FOUND");
    let draw =
        |words: &[&str]| TestGateway::builder().server("test-server", |s| s).run_in(gateway.folder(), words);
    let out = draw(&["diagram", "w", "--session", &session]);
    assert_eq!((out.code, out.stdout.trim_end()), (Some(0), text.trim_end()), "{out:?}");
    for (words, message) in [
        (["diagram", "other", "--session", &session], "is one of another workflow"),
        (["diagram", "w", "--session", "none"], "not found"),
    ] {
        let out = draw(&words);
        assert!(out.code == Some(1) && out.stderr.contains(message), "{words:?}: {out:?}");
    }
    // What may still come is not called skipped.
    let open = super::id(&client.call("other_start", json!({})));
    let path = format!("/api/workflows/{other}/diagram?format=mermaid&session={open}");
    assert!(!gateway.get(&path).text().contains("skipped"), "{}", gateway.get(&path).text());
    gateway.get(&format!("/api/workflows/{id}/diagram?session=none")).expect_code(404, "NOT_FOUND");
}

#[test]
fn what_is_still_being_drawn_is_kept_and_not_offered() {
    let gateway = empty();
    create_activity(&gateway, script("a", "return {data: {}}"));
    let node = |id: &str, kind: &str, data: Value| json!({"id": id, "type": kind, "position": {"x": 0, "y": 0}, "data": data});
    let step = json!({"step": {"activity": "a"}});
    let drawn = |nodes: Value, edges: Value| json!({"name": "drawn", "workflowType": "session", "enabled": false, "nodes": nodes, "edges": edges});
    let nodes =
        json!([node("s", "start", json!({})), node("n", "activity", step), node("e", "end", json!({}))]);
    let edge = |from: &str, to: &str| json!({"id": format!("{from}{to}"), "source": from, "target": to});
    let kept = gateway.post("/api/workflows", drawn(nodes, json!([edge("s", "n")])));
    kept.expect_status(201);
    assert_eq!(
        (&kept.body["valid"], &kept.body["enabled"]),
        (&json!(false), &json!(false)),
        "{}",
        kept.text()
    );
    assert!(kept.body["reason"].is_string(), "{}", kept.text());
    let path = format!("/api/workflows/{}", kept.body["id"].as_str().expect("an id"));
    gateway.post(&format!("{path}/activate"), json!({})).expect_code(409, "CONFLICT");
    assert!(!Client::legacy(gateway.http()).tools().contains(&"drawn_start".to_owned()));
    // Others are saved and offered meanwhile.
    create(&gateway, workflow("other", &[json!("a")]));

    let done = patch(&gateway, &path, json!({"edges": [edge("s", "n"), edge("n", "e")]}));
    done.expect_status(200);
    assert_eq!((&done.body["valid"], &done.body["reason"]), (&json!(true), &Value::Null), "{}", done.text());
    gateway.post(&format!("{path}/activate"), json!({})).expect_status(200);
    assert!(Client::legacy(gateway.http()).tools().contains(&"drawn_start".to_owned()));
    // One that is active stays a line.
    patch(&gateway, &path, json!({"edges": [edge("s", "n")]})).expect_code(409, "CONFLICT");

    // What never becomes a line of steps is refused at once.
    let strange =
        json!([node("s", "start", json!({})), node("h", "hook", json!({})), node("e", "end", json!({}))]);
    for nodes in [strange, json!([node("s", "start", json!({})), node("e", "end", json!({}))])] {
        gateway.post("/api/workflows", drawn(nodes, json!([]))).expect_code(400, "VALIDATION_ERROR");
    }
}
