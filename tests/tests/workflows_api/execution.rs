//! What an active graph does to calls: the worked examples of part 3.

use super::*;
use std::time::{Duration, Instant};

#[test]
fn a_pre_hook_changes_what_the_server_gets() {
    let gateway = start();
    active(&gateway, graph("w", &[hook("h", "context.request.params.arguments.v = 'pre'")], &[]));
    assert_eq!(gateway.call("test-server", "echo", json!({})).result()["v"], "pre");
}

#[test]
fn a_post_hook_that_throws_fails_the_call_once() {
    let gateway = start();
    let id = active(&gateway, graph("w", &[], &[hook("h", "throw new Error('boom')")]));
    let before = counter(&gateway);
    let reply = gateway.call("test-server", "echo", json!({}));
    assert!(reply.status >= 400, "{}", reply.text());
    assert_eq!(counter(&gateway), before + 2, "the call and the question before");
    let all = runs(&gateway, &id);
    let failed = all.iter().find(|run| run["status"] == "error").expect("a failed run");
    assert_eq!(
        (&failed["results"]["h"]["state"], &failed["results"]["e"]["state"]),
        (&json!("error"), &json!("skipped"))
    );
    assert!(failed["error"].as_str().is_some_and(|text| text.contains("boom")), "{failed}");
}

#[test]
fn with_bypass_a_graph_that_fails_before_the_call_is_gone_round() {
    let plan = TestGateway::builder().server("test-server", |s| s);
    let gateway = plan.setting("workflow: {onError: bypass}").start();
    active(&gateway, graph("w", &[hook("h", "throw new Error('boom')")], &[]));
    let before = counter(&gateway);
    assert_eq!(gateway.call("test-server", "echo", json!({"v": 1})).result()["v"], 1);
    assert_eq!(counter(&gateway), before + 2, "the call and the question before");
}

#[test]
fn a_graph_that_is_gone_round_leaves_nothing_behind_for_hooks_of_the_list() {
    let plan = TestGateway::builder().server("test-server", |s| s);
    let gateway = plan.setting("workflow: {onError: bypass}").start();
    let seen = "const {toolName, metadata, response} = context;
        return {response: {...response, content: [{type: 'text', text: JSON.stringify({toolName, shared: metadata.shared})}]}}";
    for (name, phase, script) in
        [("first", "pre", "context.metadata.shared.first = true"), ("seen", "post", seen)]
    {
        let hook = json!({"name": name, "hookType": phase, "script": script});
        gateway.post("/api/hooks", hook).expect_status(201);
    }
    let astray = hook("r", "context.request.params.name = 'plain'; context.metadata.shared.checked = true");
    let boom = hook("boom", "throw new Error('boom')");
    active(&gateway, graph("w", &[astray.clone(), boom.clone()], &[]));
    let result = |gateway: &TestGateway| gateway.call("test-server", "echo", json!({})).result().clone();
    let untouched = json!({"toolName": "echo", "shared": {"first": true}});
    assert_eq!(result(&gateway), untouched);
    let set = json!([{"name": "x", "value": 1}]);
    let apart = json!({"id": "v", "type": "variable", "data": {"label": "v", "set": set}});
    active(&gateway, graph("apart", &[astray, apart, boom], &[]));
    assert_eq!(result(&gateway), untouched);
}

#[test]
fn a_hook_beside_the_way_is_not_awaited() {
    let gateway = start();
    active(&gateway, with_side(graph("w", &[], &[]), "s", beside("f", "await sleep(4900)")));
    let began = Instant::now();
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    assert!(began.elapsed() < Duration::from_millis(4500), "{:?}", began.elapsed());
}

#[test]
fn a_hook_that_hangs_off_the_call_runs_after_it() {
    let gateway = start();
    let script = "console.log(JSON.stringify(context.response))";
    let id = active(&gateway, with_side(graph("w", &[], &[]), "c", beside("f", script)));
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    let result = done(&gateway, &id, "f");
    assert!(result["console"][0]["text"].as_str().is_some_and(|text| text.contains("hello")), "{result}");
}

#[test]
fn twenty_calls_at_once_do_not_see_each_other() {
    let gateway = start();
    let pre = "const {own} = context.request.params.arguments; context.metadata.shared = {own}; \
               await sleep(own % 7 * 10); context.request.params.arguments.pre = own";
    let mut set = node("v", "variable");
    set["data"]["set"] = json!([{"name": "own", "expression": "context.request.params.arguments.own"}]);
    let post = "const {own, pre} = JSON.parse(context.response.content[0].text); await sleep(own % 5 * 10); \
                const all = [own, pre, context.variables.own, context.metadata.shared.own, context.request.params.arguments.own]; \
                return {response: {content: [{type: 'text', text: JSON.stringify(all)}]}}";
    let line = graph("w", &[hook("p", pre), set], &[hook("q", post)]);
    let side = beside("f", "await sleep(context.variables.own % 3 * 10); console.log(context.variables.own)");
    let id = active(&gateway, with_side(line, "v", side));
    let call = |own: u64| {
        let body = json!({"server": "test-server", "toolName": "echo", "input": {"own": own}}).to_string();
        gateway.http().send_later(Request::new("POST", "/mcp/call").body("application/json", body))
    };
    let calls: Vec<_> = (0..20).map(call).collect();
    for (own, call) in calls.into_iter().enumerate() {
        let reply = call.join().expect("no panic").expect("a reply");
        assert_eq!(reply.result(), &json!([own, own, own, own, own]));
    }
    let all = eventually("all runs and what hangs off them are recorded", || {
        let all = runs(&gateway, &id);
        let done = all.iter().filter(|run| run["results"]["f"]["state"] == "completed").count();
        (done == 20).then_some(all)
    });
    for run in all {
        let own = &run["context"]["request"]["params"]["arguments"]["own"];
        let (variables, side) =
            (&run["results"]["v"]["result"]["variables"], &run["results"]["f"]["console"]);
        assert_eq!((&variables["own"], &side[0]["text"]), (own, &json!(own.to_string())), "{run}");
        let answered = json!({"own": own, "pre": own}).to_string();
        assert_eq!(run["mcpResult"]["content"][0]["text"], answered);
    }
}

#[test]
fn what_a_graph_is_executed_with_arrives_as_it_is_written() {
    let gateway = TestGateway::with(|s| s.env("FX_FIDELITY", "1"));
    let id = active(&gateway, graph("w", &[hook("h", "return")], &[]));
    let arguments = r#"{"z":1.50,"big":12345678901234567890123,"e":1E+2}"#;
    let context = format!(r#"{{"request":{{"params":{{"name":"raw-params","arguments":{arguments}}}}}}}"#);
    let request = Request::new("POST", &format!("/api/workflows/{id}/execute"));
    let reply = gateway.http().send(&request.body("application/json", format!(r#"{{"context":{context}}}"#)));
    reply.expect_status(200);
    // The server tells in a text what it got.
    let told = json!(arguments).to_string();
    assert!(reply.text().contains(told.trim_matches('"')), "{}", reply.text());
}

#[test]
fn a_graph_is_executed_once_over_the_api() {
    let gateway = start();
    let id = create(&gateway, graph("w", &[hook("h", "context.request.params.arguments.v = 'pre'")], &[]));
    let path = format!("/api/workflows/{id}/execute");
    let body = json!({"context": {"request": {"method": "tools/call", "params": {"name": "echo", "arguments": {}}}}});
    let fault = gateway.post(&path, body.clone()).expect_code(409, "CONFLICT");
    assert_eq!(fault.message, format!("Workflow is disabled: {id}"));
    gateway.http().send(&testkit::Request::new("POST", &path)).expect_code(409, "CONFLICT");
    activate(&gateway, &id).expect_status(200);
    let reply = gateway.post(&path, body);
    reply.expect_status(200);
    let run = &reply.body;
    assert_eq!(
        (&run["status"], &run["workflowId"], &run["workflowName"]),
        (&json!("completed"), &json!(id), &json!("w"))
    );
    assert!(run["mcpResult"].to_string().contains("pre"), "{run}");
    assert_eq!(runs(&gateway, &id)[0]["id"], run["id"]);
    for (body, field) in [
        (json!({}), "context"),
        (json!({"context": {"request": {"method": "tools/list"}}}), "context.request.method"),
    ] {
        assert_eq!(gateway.post(&path, body).expect_code(400, "VALIDATION_ERROR").details["field"], field);
    }
    let long = json!({"context": {"request": {"params": {"name": "echo", "arguments": {"v": "x".repeat(1 << 20)}}}}});
    let fault = gateway.post(&path, long).expect_code(400, "VALIDATION_ERROR");
    assert_eq!(fault.message, "request body exceeds maximum size (1048576 bytes)");
    for (context, field) in [
        (json!({"serverName": 5}), "context.serverName"),
        (json!({"metadata": {"serverName": ["test-server"]}}), "context.metadata.serverName"),
    ] {
        let mut body = json!({"context": {"request": {"params": {"name": "plain"}}}});
        body["context"].as_object_mut().expect("a map").extend(context.as_object().expect("a map").clone());
        let fault = gateway.post(&path, body).expect_code(400, "VALIDATION_ERROR");
        assert_eq!(
            (fault.message, &fault.details["field"]),
            (format!("{field} must be a string"), &json!(field))
        );
    }
    let unknown = json!({"context": {"request": {"params": {"name": "no-such-tool"}}}});
    gateway.post(&path, unknown).expect_code(404, "TOOL_NOT_FOUND");
    gateway.post("/api/workflows/nobody/execute", json!({"context": {}})).expect_code(404, "NOT_FOUND");
    let elsewhere = json!({"serverName": "zz", "request": {"params": {"name": "echo", "arguments": {}}}});
    let fault = gateway.post(&path, json!({"context": elsewhere})).expect_code(404, "SERVER_NOT_FOUND");
    assert_eq!(fault.message, "MCP Server 'zz' not found");
}

#[test]
fn a_graph_is_executed_for_the_client_of_its_context_or_of_its_request() {
    let tell = hook("h", "context.request.params.arguments.who = context.metadata.clientId");
    let key = "somebody-0123456789-0123456789-0123456789";
    let keys = json!([{"name": "keyed", "key": key, "role": "operator"}]);
    let plan = || TestGateway::builder().server("test-server", |s| s);
    for (gateway, keyed) in
        [(plan().start(), false), (plan().setting(&format!("keys: {keys}")).start(), true)]
    {
        let http = if keyed { gateway.http().with_key(key) } else { gateway.http() };
        let send = |path: &str, client: Option<&str>, body: &Value| {
            let request = Request::new("POST", path).body("application/json", body.to_string());
            http.send(&client.into_iter().fold(request, |request, name| request.header("X-Client-Id", name)))
        };
        let made = send("/api/workflows", None, &graph("w", std::slice::from_ref(&tell), &[]));
        let path = format!("/api/workflows/{}", made.body["id"].as_str().expect("an id"));
        send(&format!("{path}/activate"), None, &json!({})).expect_status(200);
        for (header, context, expected) in [
            (None, json!({}), "anonymous"),
            (Some("ann"), json!({}), "ann"),
            (Some("ann"), json!({"clientId": ""}), "ann"),
            (Some("ann"), json!({"clientId": "bob"}), "bob"),
        ] {
            let expected = if keyed { "keyed" } else { expected };
            let params = json!({"name": "echo", "arguments": {}});
            let body = json!({"context": {"request": {"params": params}, "metadata": context}});
            let run = send(&format!("{path}/execute"), header, &body);
            run.expect_status(200);
            let text = run.body["mcpResult"]["content"][0]["text"].as_str().unwrap_or_default();
            assert_eq!(text, json!({"who": expected}).to_string(), "{}", run.text());
            let newest = http.send(&Request::new("GET", "/api/requests?limit=1")).body;
            assert_eq!(newest["requests"][0]["client"], expected, "{newest}");
        }
    }
}

#[test]
fn a_graph_of_lists_shapes_lists_and_leaves_calls_alone() {
    let gateway = start();
    let mut body = graph("w", &[], &[hook("h", "context.response.tools = []")]);
    body["workflowType"] = "tools/list".into();
    let id = active(&gateway, body);
    assert_eq!(gateway.tools(), []);
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    assert_eq!(runs(&gateway, &id).len(), 1);
    let run = gateway.post(&format!("/api/workflows/{id}/execute"), json!({"context": {}}));
    assert_eq!((run.status, &run.body["status"]), (200, &json!("completed")), "{}", run.text());
}

#[test]
fn the_command_line_passes_through_the_active_graph_too() {
    let gateway = start();
    active(&gateway, graph("w", &[hook("h", "context.request.params.arguments.v = 'pre'")], &[]));
    let plan = TestGateway::builder().server("test-server", |s| s);
    let out = plan.run_in(gateway.folder(), &["call", "test-server", "echo", "{}"]);
    assert!(out.code == Some(0) && out.stdout.contains(r#""v":"pre""#), "{out:?}");
}

#[test]
fn a_blocked_request_never_reaches_the_server_and_its_run_says_why() {
    let gateway = start();
    let script = "return {continue: false, error: {code: 'NO', message: 'Not today'}}";
    let id = active(&gateway, graph("w", &[hook("h", script)], &[]));
    let before = counter(&gateway);
    let reply = gateway.call("test-server", "echo", json!({}));
    assert!(reply.status >= 400 && reply.text().contains("Not today"), "{}", reply.text());
    assert_eq!(counter(&gateway), before + 1, "the question before, and nothing else");
    let all = runs(&gateway, &id);
    let run = all.iter().find(|run| run["status"] == "error").expect("a run that was stopped");
    assert_eq!((&run["error"], &run["results"]["c"]["state"]), (&json!("Not today"), &json!("skipped")));
}

#[test]
fn a_reply_that_reads_in_two_ways_is_shown_to_no_script() {
    let gateway = TestGateway::with(|s| s.env("FX_FIDELITY", "1"));
    let input = json!({"text": r#"{"content":[],"a":{"secret":"s","secret":"none"}}"#});
    active(&gateway, graph("plain", &[], &[]));
    gateway.call("test-server", "raw-result", input.clone()).expect_status(200);
    active(&gateway, graph("scripted", &[], &[hook("h", "return")]));
    let reply = gateway.call("test-server", "raw-result", input);
    let message = reply.expect_code(500, "TOOL_EXECUTION_ERROR").message;
    assert!(message.contains("it has the member 'secret' twice"), "{message}");
}
