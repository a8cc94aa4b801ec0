//! What clients see of workflows besides their replies: which tools, published activities, log messages, changes
//! of the list, and hooks around all of it (spec 4.2, 4.5, 4.6).

use super::*;

#[test]
fn tools_may_be_restricted_and_titled() {
    let few = with(
        workflow("few", &[json!("add")]),
        json!({"tools": {"expose": ["cancel"], "titles": {"start": "Begin", "cancel": "Stop it"}}}),
    );
    let gateway = builder(&standard(), &[few, calc()]).setting("tools: {expose: [status]}").start();
    let client = Client::legacy(gateway.http());
    let tools = own_tools(&gateway, &client);
    let shown: Vec<_> = tools.iter().map(|tool| (tool["name"].clone(), tool["title"].clone())).collect();
    let expected = [
        ("few_start", "Begin"),
        ("few_continue", "Continue few Workflow"),
        ("few_cancel", "Stop it"),
        ("calc_start", "Start calc Workflow"),
        ("calc_continue", "Continue calc Workflow"),
        ("calc_status", "Status of calc Workflow"),
    ];
    assert_eq!(shown, expected.map(|(name, title)| (json!(name), json!(title))));
    client.call_error("few_status", json!({"sessionId": "x"}));
}

#[test]
fn an_input_that_is_no_object_spoils_no_list() {
    let word =
        with(script("word", "return {data: context.input}"), json!({"inputSchema": {"type": "string"}}));
    let published = with(word.clone(), json!({"name": "published", "publish": true}));
    let steps = [json!({"activity": "word", "inputMapper": "input.text"})];
    let gateway = builder(&[word, published], &[workflow("w", &steps)]).start();
    let client = Client::legacy(gateway.http());
    for tool in own_tools(&gateway, &client) {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
    }
    assert_eq!(said(&client.call("w_start", json!({"text": "hi"})))["results"]["word"], "hi");
}

#[test]
fn a_published_workflow_is_run_anew_for_every_caller() {
    let published = json!({"name": "pub", "publish": true, "run": {"workflow": {"name": "inner"}}});
    let gateway = builder(
        &[script("got", "return {data: context.input}"), published],
        &[workflow("inner", &[json!("got")])],
    )
    .start();
    let [one, two] = clients(&gateway);
    for (client, q) in [(&one, 1), (&one, 2), (&two, 2)] {
        let reply = client.call("pub", json!({"q": q}));
        assert_eq!(reply["structuredContent"], json!({"q": q}), "{reply}");
    }
    let sessions = gateway.get("/api/sessions").body;
    let sessions = sessions.as_array().expect("a list");
    assert_eq!(sessions.len(), 3);
    for session in sessions {
        assert_ne!(session["clientId"], "", "it belongs to its caller: {session}");
        assert_eq!(session["parentSessionId"], Value::Null, "{session}");
    }
}

#[test]
fn a_published_activity_is_a_tool_of_its_own() {
    let see = with(
        script(
            "see",
            "if (context.input.fail) return {success: false, error: 'no'}; \
             return {data: {id: context.sessionId, of: context.metadata.workflowName, got: context.input}}",
        ),
        json!({"publish": true, "inputSchema": {"type": "object", "properties": {"q": {"type": "number"}}}}),
    );
    let gateway = builder(&[see], &[]).start();
    for client in clients(&gateway) {
        let tool = own_tools(&gateway, &client)[0].clone();
        assert_eq!((&tool["name"], &tool["description"]), (&json!("see"), &json!("Does see")));
        let reply = client.call("see", json!({"q": 1}));
        let data = json!({"id": "standalone", "of": "standalone", "got": {"q": 1}});
        assert_eq!((&reply["structuredContent"], &reply["isError"]), (&data, &json!(false)));
        let result: Value = serde_json::from_str(text(&reply)).expect("the result as JSON");
        assert_eq!((&result["success"], &result["data"]), (&json!(true), &data));
        assert!(result["metadata"]["executionTimeMs"].is_u64(), "{result}");
        let reply = client.call("see", json!({"fail": true}));
        let result: Value = serde_json::from_str(text(&reply)).expect("the result as JSON");
        assert_eq!((&reply["isError"], &result["error"]), (&json!(true), &json!("no")));
        let reply = client.call("see", json!({"q": "text"}));
        assert!(reply["isError"] == true && text(&reply).contains("q: "), "{reply}");
    }
    assert_eq!(gateway.get("/api/sessions/stats").body["total"], 0);
}

#[test]
fn steps_are_told_as_log_messages_to_clients_that_want_them() {
    let all: Vec<Value> = standard().into_iter().chain([script("long", "await sleep(20000)")]).collect();
    let steps = [json!("add"), json!({"activity": "bad", "optional": true}), json!("tag")];
    let late = with(workflow("late", &[json!("long")]), json!({"timeout": 300}));
    let gateway = builder(&all, &[workflow("w", &steps), late]).start();
    let hello = gateway.http().send(&Client::initialize("2025-11-25", &json!({})));
    assert_eq!(hello.body["result"]["capabilities"]["logging"], json!({}), "{}", hello.body);
    let client = Client::legacy(gateway.http());
    let start = json!({"name": "w_start", "arguments": {"a": 1, "b": 2}});
    assert_eq!(client.messages("tools/call", start).len(), 1, "nobody asked for logs");
    client.result("logging/setLevel", json!({"level": "info"}));
    let logs = |tool: &str, arguments: Value| {
        let messages = client.messages("tools/call", json!({"name": tool, "arguments": arguments}));
        let (reply, before) = messages.split_last().expect("a reply");
        let logs: Vec<(String, String)> = before
            .iter()
            .filter(|message| message["method"] == "notifications/message")
            .map(|message| {
                let word = |key: &str| message["params"][key].as_str().unwrap_or_default().to_owned();
                (word("level"), word("data"))
            })
            .collect();
        (reply["result"].clone(), logs)
    };
    let (reply, told) = logs("w_start", json!({"a": 1, "b": 2}));
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(told[0], ("info".to_owned(), "[add] began execution".to_owned()));
    assert!(told[1].0 == "info" && told[1].1.starts_with("[add] completed in "), "{told:?}");
    assert!(told[1].1.ends_with("ms"), "{told:?}");
    let (_, told) = logs("w_continue", json!({"sessionId": id(&reply)}));
    assert_eq!(told[1], ("error".to_owned(), "[bad] failed with error: nope".to_owned()));
    let (late, told) = logs("late_start", json!({}));
    assert_eq!(failure(&late), "Workflow failed at step 0 (long): Workflow timeout exceeded (300ms)");
    let error = "[long] failed with error: Workflow timeout exceeded (300ms)";
    assert_eq!(told[1..], [("error".to_owned(), error.to_owned())], "{told:?}");
    client.result("logging/setLevel", json!({"level": "emergency"}));
    assert_eq!(logs("w_continue", json!({"sessionId": id(&reply)})).1, []);
}

#[test]
fn a_change_of_a_definition_is_told_to_clients() {
    let gateway = start(&[calc()]);
    let client = Client::legacy(gateway.http());
    let mut events = client.listen();
    let body = with(workflow("more", &[json!("add")]), json!({"workflowType": "session", "enabled": true}));
    let made = gateway.post("/api/workflows", body);
    made.expect_status(201);
    events.until("notifications/tools/list_changed");
    assert!(client.tools().contains(&"more_start".to_owned()));
    gateway
        .delete(&format!("/api/workflows/{}", made.body["id"].as_str().expect("an id")))
        .expect_status(204);
    events.until("notifications/tools/list_changed");
    assert!(!client.tools().contains(&"more_start".to_owned()));
    let activity = with(script("fresh", "return {}"), json!({"publish": true}));
    gateway.post("/api/activities", activity).expect_status(201);
    events.until("notifications/tools/list_changed");
    assert!(client.tools().contains(&"fresh".to_owned()));
}

/// Creates a hook of the list.
#[track_caller]
fn hook(gateway: &TestGateway, phase: &str, script: &str) {
    let body = json!({"name": format!("{phase} hook"), "hookType": phase, "script": script});
    gateway.post("/api/hooks", body).expect_status(201);
}

#[test]
fn hooks_run_around_the_tools_of_workflows_whichever_way_they_are_called() {
    let gateway = start(&[calc()]);
    hook(
        &gateway,
        "pre",
        "if (context.toolName === 'calc_start') context.request.params.arguments.b = 10; \
        if (context.toolName === 'calc_cancel') return {continue: false, error: {code: 'NO', message: 'not now'}};",
    );
    hook(&gateway, "post", "console.log('after ' + context.toolName)");
    for client in clients(&gateway) {
        let reply = client.call("calc_start", json!({"a": 1, "b": 2}));
        assert_eq!(reply["structuredContent"]["stepResult"], json!({"result": 11}));
        let error = client.call_error("calc_cancel", json!({"sessionId": id(&reply)}));
        assert_eq!(error["message"], "not now");
    }
    let path = "/api/workflows/config:calc/execute";
    let reply = gateway.post(path, json!({"a": 1, "b": 2}));
    assert_eq!(reply.expect_status(200).body["structuredContent"]["stepResult"], json!({"result": 11}));
    let session = id(&reply.body);
    let fault = gateway
        .post(&format!("/api/sessions/{session}/cancel"), json!({}))
        .expect_code(400, "VALIDATION_ERROR");
    assert_eq!(fault.message, "not now");
    said(&gateway.post(&format!("/api/sessions/{session}/continue"), json!({})).body);
    let after = |tool: &str| {
        let text = format!("after {tool}");
        gateway.log().iter().filter(|line| line["text"] == text.as_str()).count()
    };
    eventually("the post hook ran after each", || {
        (after("calc_start") == 3 && after("calc_continue") == 1).then_some(())
    });
}

/// A gateway whose published activity `review` runs `inner`, a workflow of one step.
fn reviewing(rules: Value, step: &Value) -> TestGateway {
    let review = json!({"name": "review", "publish": true, "run": {"workflow": {"name": "inner"}}});
    let nap = with(script("nap", "await sleep(20000); return {}"), json!({"timeout": 30000}));
    let all = [standard(), vec![with(review, rules), nap]].concat();
    builder(&all, &[workflow("inner", std::slice::from_ref(step))]).start()
}

#[test]
fn a_published_workflow_that_waits_is_not_tried_again() {
    for per_attempt in [false, true] {
        let retry = json!({"maxAttempts": 3, "backoffMs": 1, "hooksPerAttempt": per_attempt});
        let rules = json!({"retry": retry, "onComplete": "console.log('over')"});
        let gateway = reviewing(rules, &json!({"activity": "add", "approve": true}));
        let reply = Client::legacy(gateway.http()).call("review", json!({"a": 1, "b": 2}));
        let result: Value = serde_json::from_str(failure(&reply)).expect("a result");
        let session = only(&gateway, "inner");
        let waits = format!("Session {} waits", session["sessionId"].as_str().expect("an id"));
        assert_eq!(result["error"], waits, "{reply}");
        assert_eq!(result["metadata"]["attempts"], 1, "{reply}");
        expect_times(&gateway, "over", 1);
    }
}

#[test]
fn the_session_of_a_published_workflow_ends_with_its_time() {
    for (retry, attempts) in [(json!({}), 1), (json!({"retry": {"maxAttempts": 2, "backoffMs": 1}}), 2)] {
        let gateway = reviewing(with(json!({"timeout": 1000}), retry), &json!("nap"));
        let reply = Client::legacy(gateway.http()).call("review", json!({}));
        assert!(failure(&reply).contains("Activity timed out after 1000ms"), "{reply}");
        let all = gateway.get("/api/sessions?workflowName=inner").body;
        let all = all.as_array().expect("a list");
        assert_eq!(all.len(), attempts, "{all:?}");
        for one in all {
            let ended = wait_status(&gateway, one["sessionId"].as_str().expect("an id"), "failed");
            assert_eq!(ended["error"], "Activity timed out after 1000ms", "{ended}");
        }
    }
}

#[test]
fn data_that_is_no_object_is_structured_content_only_for_who_knows_that() {
    let gives = |name: &str, data: &str| {
        with(script(name, &format!("return {{data: {data}}}")), json!({"publish": true}))
    };
    let gateway = builder(&[gives("five", "5"), gives("list", "[1]"), gives("map", "{n: 1}")], &[]).start();
    let [legacy, modern] = clients(&gateway);
    for (name, data) in [("five", json!(5)), ("list", json!([1])), ("map", json!({"n": 1}))] {
        let (old, new) = (legacy.call(name, json!({})), modern.call(name, json!({})));
        assert_eq!(old.get("structuredContent"), Some(&data).filter(|data| data.is_object()), "{old}");
        assert_eq!(new["structuredContent"], data, "{new}");
        assert_eq!((&said(&old)["data"], &said(&new)["data"]), (&data, &data), "the text has it");
    }
}

#[test]
fn an_argument_of_the_activity_itself_says_nothing_about_steps() {
    let own = json!({"inputSchema": {"type": "object", "properties": {"maxSteps": {}}}});
    let got =
        |name: &str| with(script(name, "return {data: {got: context.input.maxSteps ?? null}}"), own.clone());
    let all =
        [got("first"), got("second"), script("last", "return {data: {keys: Object.keys(context.input)}}")];
    let steps = [json!("first"), json!("second"), json!("last"), json!("last")];
    let gateway = builder(&all, &[workflow("w", &steps)]).start();
    for client in clients(&gateway) {
        let reply = client.call("w_start", json!({"maxSteps": "many"}));
        assert_eq!(reply["structuredContent"]["stepResult"], json!({"got": "many"}), "{reply}");
        let session = id(&reply);
        let reply = client.call("w_continue", json!({"sessionId": session, "maxSteps": 7}));
        assert_eq!(reply["structuredContent"]["stepResult"], json!({"got": 7}), "{reply}");
        let wrong = client.call("w_continue", json!({"sessionId": session, "maxSteps": "many"}));
        assert_eq!(failure(&wrong), "maxSteps must be an integer from 1, or all.");
        let reply = client.call("w_continue", json!({"sessionId": session, "maxSteps": 2}));
        assert_eq!(said(&reply)["results"]["last"], json!({"keys": ["keys"]}), "two steps ran: {reply}");
    }
    let client = Client::legacy(gateway.http());
    let call = json!({"name": "w_start", "arguments": {"maxSteps": 1}, "_meta": {"lockgate/maxSteps": 2}});
    let reply = client.result("tools/call", call);
    assert_eq!(reply["structuredContent"]["nextActivity"], "last", "{reply}");
    assert_eq!(session(&gateway, &id(&reply))["memory"]["first"], json!({"got": 1}));
    // The same over REST.
    let reply = gateway.post("/api/workflows/config:w/execute", json!({"maxSteps": "many"})).body;
    assert_eq!(reply["structuredContent"]["stepResult"], json!({"got": "many"}), "{reply}");
    let session = id(&reply);
    let go = |steps: Value| {
        gateway.post(&format!("/api/sessions/{session}/continue"), json!({"maxSteps": steps})).body
    };
    assert_eq!(go(json!(7))["structuredContent"]["stepResult"], json!({"got": 7}));
    assert_eq!(failure(&go(json!("many"))), "maxSteps must be an integer from 1, or all.");
    assert_eq!(said(&go(json!("all")))["results"]["last"], json!({"keys": ["keys"]}));
    wait_status(&gateway, &session, "completed");
}
