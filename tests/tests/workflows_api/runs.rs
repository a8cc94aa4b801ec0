//! Records of runs.

use super::*;
use testkit::{Client, Config};

#[test]
fn a_run_names_every_node_with_its_state_and_times() {
    let gateway = start();
    let id = active(&gateway, graph("w", &[hook("a", "return")], &[hook("b", "return")]));
    gateway.call("test-server", "sleep", json!({"ms": 500})).expect_status(200);
    let all = runs(&gateway, &id);
    assert_eq!(all.len(), 1);
    let run = &all[0];
    assert_eq!((&run["status"], &run["error"]), (&json!("completed"), &Value::Null));
    let results = run["results"].as_object().expect("a map");
    assert_eq!(results.len(), 5);
    for node in ["s", "a", "c", "b", "e"] {
        assert_eq!(results[node]["state"], "completed", "{node}");
        assert!(results[node]["startedAt"].is_i64() && results[node]["completedAt"].is_i64(), "{node}");
    }
    let ends = |node: &str| results[node]["startedMicros"].as_u64().zip(results[node]["micros"].as_u64());
    for (before, after) in [("a", "c"), ("c", "b")] {
        let (began, took) = ends(before).expect("times");
        let (next, _) = ends(after).expect("times");
        assert!(began + took <= next, "{after} begins before the end of {before}: {results:?}");
    }
    assert!(results["c"]["durationMs"].as_u64().is_some_and(|ms| ms >= 500), "{run}");
    let one = gateway.get(&format!("/api/runs/{}", run["id"].as_str().expect("an id")));
    assert_eq!((one.status, &one.body), (200, run));
}

#[test]
fn a_run_has_what_each_hook_changed() {
    let gateway = start();
    let set = |n: u8| format!("context.request.params.arguments.n = {n}; context.metadata.shared.n = {n}");
    let pre = [hook("a", &set(1)), hook("b", "return"), hook("d", &set(2))];
    let post = [
        hook("f", "context.response.content[0].text = 'one'"),
        hook("g", "return {continue: true, response: {content: []}}"),
    ];
    let id = active(&gateway, graph("w", &pre, &post));
    gateway.call("test-server", "echo", json!({"password": "s3cret"})).expect_status(200);
    let run = &runs(&gateway, &id)[0];
    assert!(!run.to_string().contains("s3cret"), "{run}");
    let changes = |node: &str| run["results"][node]["changes"].clone();
    for (node, n) in [("a", 1), ("d", 2)] {
        assert_eq!(changes(node)["params"]["arguments"]["n"], n, "{run}");
        assert_eq!(changes(node)["shared"], json!({"n": n}), "{run}");
    }
    assert_eq!(changes("b"), Value::Null, "{run}");
    assert_eq!(changes("f")["response"]["content"][0]["text"], "one", "{run}");
    assert_eq!(changes("g"), json!({"response": {"content": []}}), "{run}");
}

#[test]
fn a_graph_of_nothing_but_the_call_leaves_a_whole_record() {
    let gateway = start();
    let id = active(&gateway, graph("w", &[], &[]));
    gateway.call("test-server", "echo", json!({"a": 1})).expect_status(200);
    let states = |run: &Value| ["s", "c", "e"].map(|node| run["results"][node]["state"].clone());
    let run = &runs(&gateway, &id)[0];
    assert_eq!((&run["status"], states(run)), (&json!("completed"), ["completed"; 3].map(Value::from)));
    assert_eq!(run["mcpResult"]["content"][0]["type"], "text");
    let context = &run["context"];
    assert_eq!((&context["requestType"], &context["toolName"]), (&json!("CallTool"), &json!("echo")));
    let request = json!({"method": "tools/call", "params": {"name": "echo", "arguments": {"a": 1}}});
    assert_eq!(context["request"], request);
    assert_eq!(context["metadata"]["serverName"], "test-server");
    assert!(run["results"]["c"]["micros"].is_u64(), "{run}");

    gateway.call("test-server", "rpc", json!({"code": -1, "message": "not today"}));
    let run = &runs(&gateway, &id)[0];
    assert_eq!((&run["status"], &run["mcpResult"]), (&json!("error"), &Value::Null));
    assert_eq!(states(run), ["completed", "error", "skipped"].map(Value::from));
    assert_eq!((&run["error"], &run["results"]["c"]["error"]), (&json!("not today"), &json!("not today")));

    gateway.call("test-server", "nothing", json!({})).expect_code(404, "TOOL_NOT_FOUND");
    assert_eq!(runs(&gateway, &id).len(), 2, "what could not be sent is no run");
}

#[test]
fn runs_are_listed_by_pages_and_outlive_a_restart() {
    let gateway = start();
    let id = active(&gateway, graph("w", &[], &[]));
    for n in 0..5 {
        gateway.call("test-server", "echo", json!({"n": n, "password": "s3cret"})).expect_status(200);
    }
    let gateway = gateway.reopen();
    let all = runs(&gateway, &id);
    let argument = |run: &Value| run["context"]["request"]["params"]["arguments"]["n"].as_i64();
    assert_eq!(all.iter().map(argument).collect::<Vec<_>>(), [4, 3, 2, 1, 0].map(Some));
    assert!(!json!(all).to_string().contains("s3cret"));
    let page = gateway.get(&format!("/api/runs?workflowId={id}&limit=2&offset=1"));
    assert_eq!(page.body, json!(&all[1..3]));
    assert_eq!(gateway.get("/api/runs?workflowId=other").body, json!([]));
    assert_eq!(gateway.get("/api/runs").body, json!(all));
    for (wrong, field) in [("limit=x", "limit"), ("offset=-1", "offset"), ("brief=maybe", "brief")] {
        let fault = gateway.get(&format!("/api/runs?{wrong}")).expect_code(400, "VALIDATION_ERROR");
        assert_eq!(fault.details["field"], field, "{wrong}");
    }
    for wrong in ["limit=0", "limit=501", "limit=x", "offset=-1"] {
        gateway.get(&format!("/api/runs?{wrong}")).expect_code(400, "VALIDATION_ERROR");
    }
    gateway.get("/api/runs/nothing").expect_code(404, "NOT_FOUND");
    gateway.get("/api/workflows/nothing/runs").expect_code(404, "NOT_FOUND");
}

#[test]
fn runs_are_found_by_status_and_tool_however_old_they_are() {
    let gateway = start();
    let script = "if (context.toolName === 'plain') throw new Error('not today')";
    let id = active(&gateway, graph("w", &[hook("a", script)], &[]));
    gateway.call("test-server", "plain", json!({}));
    for n in 0..3 {
        gateway.call("test-server", "echo", json!({"n": n})).expect_status(200);
    }
    let list = |query: &str| gateway.get(&format!("/api/runs?{query}")).body;
    let tools = |found: &Value| -> Vec<String> {
        let runs = found.as_array().expect("a list").iter();
        runs.map(|run| run["context"]["toolName"].as_str().unwrap_or_default().to_owned()).collect()
    };
    runs(&gateway, &id);
    assert_eq!(tools(&list("status=error&limit=1")), ["plain"]);
    assert_eq!(tools(&list("tool=ECH")), ["echo"; 3]);
    assert_eq!(list("tool=ech&limit=1&offset=1"), json!([list("tool=ech")[1]]));
    assert_eq!(list("status=error&tool=echo"), json!([]));
    gateway.get("/api/runs?status=done").expect_code(400, "VALIDATION_ERROR");
    gateway.get("/api/runs?brief=maybe").expect_code(400, "VALIDATION_ERROR");
    let short = &list("brief=true&tool=echo&limit=1")[0];
    assert_eq!((&short["mcpResult"], &short["context"]["request"]["params"]), (&Value::Null, &Value::Null));
    assert_eq!(
        (&short["results"]["a"]["state"], &short["context"]["toolName"]),
        (&json!("completed"), &json!("echo"))
    );
}

#[test]
fn nothing_is_recorded_when_recording_is_off() {
    let gateway = TestGateway::builder().server("test-server", |s| s).setting("runs: {keep: 0}").start();
    let id = active(&gateway, graph("w", &[], &[]));
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    let params = json!({"name": "echo", "arguments": {"a": 1}});
    let context = json!({"serverName": "test-server", "request": {"params": params}});
    let run = gateway.post(&format!("/api/workflows/{id}/execute"), json!({"context": context})).body;
    for node in ["s", "c", "e"] {
        assert_eq!(run["results"][node]["state"], "completed", "whoever asked gets to see it: {run}");
    }
    assert_eq!(
        (&run["context"]["request"]["params"], &run["context"]["toolName"]),
        (&params, &json!("echo"))
    );
    assert_eq!(run["context"]["metadata"]["serverName"], "test-server", "{run}");
    assert!(
        run["mcpResult"]["content"][0]["text"].as_str().is_some_and(|text| text.contains("\"a\"")),
        "{run}"
    );
    assert_eq!(runs(&gateway, &id), Vec::<Value>::new());
    gateway.call("test-server", "rpc", json!({"code": -1, "message": "no"}));
    let counted = gateway.get("/metrics").text();
    for (outcome, times) in [("ok", 2), ("error", 1)] {
        let line = format!("lockgate_workflow_runs_total{{workflow=\"w\",outcome=\"{outcome}\"}} {times}\n");
        assert!(counted.contains(&line), "runs count all the same: {counted}");
    }
}

#[test]
fn how_many_runs_are_kept_can_be_changed_by_a_reload() {
    let gateway = start();
    let id = active(&gateway, graph("w", &[], &[]));
    let call = |n: u64| {
        gateway.call("test-server", "echo", json!({"n": n})).expect_status(200);
    };
    (0..6).for_each(call);
    let limit = |setting: &str| {
        gateway.rewrite(&Config::new().server("test-server", |s| s).setting(setting));
        gateway.post("/api/config/reload", json!({})).expect_status(200);
    };
    limit("runs: {keep: 2}");
    eventually("old runs go", || (runs(&gateway, &id).len() == 2).then_some(()));
    limit("runs: {keep: 0}");
    call(6);
    limit("runs: {keep: 10}");
    call(7);
    let argument = |run: &Value| run["context"]["request"]["params"]["arguments"]["n"].as_i64();
    assert_eq!(runs(&gateway, &id).iter().map(argument).collect::<Vec<_>>(), [7, 5, 4].map(Some));
}

/// The only run, once it is cancelled.
#[track_caller]
fn cancelled(gateway: &TestGateway, id: &str) -> Value {
    eventually("the run is cancelled", || {
        runs(gateway, id).into_iter().find(|run| run["status"] == "cancelled")
    })
}

#[test]
fn a_request_that_is_cancelled_leaves_a_run_that_says_so() {
    let gateway = start();
    let id = active(&gateway, graph("w", &[], &[hook("b", "return")]));
    let body = json!({"server": "test-server", "toolName": "sleep", "input": {"ms": 60_000}}).to_string();
    let begin = || {
        let request = Request::new("POST", "/mcp/call").body("application/json", body.clone());
        gateway.http().begin(&request).expect("connected")
    };
    let running = || {
        eventually("the call is on its way", || {
            let all = runs(&gateway, &id);
            all.iter().any(|run| run["results"]["c"]["state"] == "running").then_some(())
        });
    };
    let hung_up = begin();
    running();
    drop(hung_up);
    let run = cancelled(&gateway, &id);
    assert_eq!(run["error"], "The request was cancelled before the run ended");
    assert_eq!(
        (&run["results"]["c"]["state"], &run["results"]["b"]["state"]),
        (&json!("error"), &json!("skipped"))
    );
    eventually("the log says so", || {
        let log = gateway.log();
        let has = |message: &str| log.iter().any(|line| line["message"] == message);
        (has("the request was cancelled") && has("the run was cancelled")).then_some(())
    });
    assert_eq!(gateway.stats("test-server")["cancelled"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_call_that_its_client_cancels_leaves_a_run_that_says_so() {
    let gateway = start();
    let id = active(&gateway, graph("w", &[hook("a", "await sleep(5000)")], &[]));
    let client = Client::legacy(gateway.http());
    let (call, request) = client.request("tools/call", json!({"name": "plain", "arguments": {}}));
    let _waiting = gateway.http().begin(&request).expect("connected");
    eventually("the hook runs", || {
        (runs(&gateway, &id).first()?["results"]["a"]["state"] == "running").then_some(())
    });
    client.notify("notifications/cancelled", json!({"requestId": call}));
    let run = cancelled(&gateway, &id);
    assert_eq!(
        (&run["results"]["a"]["state"], &run["results"]["c"]["state"]),
        (&json!("error"), &json!("skipped"))
    );
    assert_eq!(counter(&gateway), 0, "the server was never called");
}

/// A call that sleeps at the server, until its client hangs up.
fn hang_up_at_the_server(gateway: &TestGateway) {
    let body = json!({"server": "test-server", "toolName": "sleep", "input": {"ms": 60_000}}).to_string();
    let request = Request::new("POST", "/mcp/call").body("application/json", body);
    let connection = gateway.http().begin(&request).expect("connected");
    eventually("the call is in flight", || {
        let metrics = gateway.get("/metrics").text();
        metrics.contains("lockgate_server_requests_in_flight{server=\"test-server\"} 1\n").then_some(())
    });
    drop(connection);
}

#[test]
fn a_cancelled_request_names_the_nodes_that_ran_as_one_that_ended_does() {
    let gateway = TestGateway::builder().server("test-server", |s| s).setting("audit: {calls: true}").start();
    let module = json!({"name": "module", "hookType": "pre", "enabled": false, "script": "return"});
    let module = gateway.post("/api/hooks", module).body["id"].clone();
    let guard = json!({"name": "guard", "hookType": "pre", "script": "return"});
    gateway.post("/api/hooks", guard).expect_status(201);
    let mut named = hook("b", "");
    named["data"]["hook"] = json!({"id": "b", "hookModuleId": module, "blocking": true});
    active(&gateway, graph("w", &[hook("a", "await sleep(50)"), named], &[]));
    gateway.call("test-server", "sleep", json!({"ms": 1})).expect_status(200);
    hang_up_at_the_server(&gateway);

    let view = |outcome: &str| {
        let all = gateway.get(&format!("/api/requests?tool=sleep&outcome={outcome}")).body;
        all["requests"].as_array().and_then(|all| all.first().cloned())
    };
    let gone = eventually("the request is cancelled", || view("CANCELLED"));
    let marks = |view: &Value| -> Vec<Value> {
        let hooks = view["hooks"].as_array().expect("hooks").iter();
        hooks.map(|mark| json!([mark["hook"], mark["version"], mark["phase"], mark["verdict"]])).collect()
    };
    let ended = marks(&view("ok").expect("the one before"));
    assert_eq!(ended.len(), 3, "{ended:?}");
    assert_eq!(marks(&gone), ended);
    let us = |part: &str| gone[part].as_u64().unwrap_or_else(|| panic!("no {part} in {gone}"));
    assert!(us("serverUs") > 0 && us("durationUs") >= us("serverUs") + us("hooksUs"), "{gone}");
    let nodes = gone["hooks"].as_array().into_iter().flatten().filter_map(|mark| mark["durationUs"].as_u64());
    assert!(us("hooksUs") >= nodes.sum::<u64>().max(50_000), "{gone}");

    let entries = eventually("both are in the audit log", || {
        let all = gateway.get("/api/audit?kind=call").body.as_array().cloned().expect("a list");
        (all.len() == 2).then_some(all)
    });
    assert_eq!(entries[0]["details"]["outcome"], "CANCELLED");
    assert_eq!(entries[0]["details"]["hooks"], entries[1]["details"]["hooks"]);
    let line = eventually("the log says so", || {
        gateway.log().into_iter().find(|line| line["message"] == "the request was cancelled")
    });
    assert_eq!(line["hooks"], entries[0]["details"]["hooks"], "{line}");
}

/// Has a client leave while the node `a` runs, and gives the line that it wrote.
#[track_caller]
fn written_when_the_client_leaves(script: &str) -> Value {
    let gateway = start();
    let script = format!("if (context.toolName === 'plain') return;\nconsole.warn('written');\n{script}");
    let id = active(&gateway, graph("w", &[hook("a", &script)], &[]));
    // A worker is awake from here on, so that a node that runs has one.
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    let body = json!({"server": "test-server", "toolName": "echo", "input": {}}).to_string();
    let request = Request::new("POST", "/mcp/call").body("application/json", body);
    let connection = gateway.http().begin(&request).expect("connected");
    eventually("the hook runs", || {
        let all = runs(&gateway, &id);
        all.iter().any(|run| run["results"]["a"]["state"] == "running").then_some(())
    });
    drop(connection);
    eventually("the log has what it wrote", || {
        gateway.log().into_iter().find(|line| line["message"] == "console" && line["text"] == "written")
    })
}

#[test]
fn what_a_node_wrote_is_in_the_log_though_its_client_left() {
    for script in ["await sleep(5000)", "for (;;);"] {
        let line = written_when_the_client_leaves(script);
        assert_eq!((&line["nodeId"], &line["level"]), (&json!("a"), &json!("warn")), "{line}");
    }
}

#[test]
fn the_end_of_a_worker_for_which_nobody_waits_is_no_warning() {
    let gateway = TestGateway::builder().server("test-server", |s| s).env("LOG_LEVEL", "debug").start();
    let script = "if (context.request.params.arguments.slow) await sleep(5000)";
    let id = active(&gateway, graph("w", &[hook("a", script)], &[]));
    // A worker is awake from here on, so that a node that runs has one.
    gateway.call("test-server", "echo", json!({})).expect_status(200);
    let body = json!({"server": "test-server", "toolName": "echo", "input": {"slow": true}}).to_string();
    let request = Request::new("POST", "/mcp/call").body("application/json", body);
    let connection = gateway.http().begin(&request).expect("connected");
    eventually("the hook runs", || {
        let all = runs(&gateway, &id);
        all.iter().any(|run| run["results"]["a"]["state"] == "running").then_some(())
    });
    drop(connection);
    let said = |word: &str| {
        let starts = |line: &Value| line["message"].as_str().is_some_and(|text| text.starts_with(word));
        gateway.log().into_iter().find(starts)
    };
    let line = eventually("its worker is ended", || said("nobody waits for the script of a sandbox worker"));
    assert_eq!(line["level"], "debug", "{line}");
    assert_eq!(said("a sandbox worker is lost"), None);
}

#[test]
fn the_log_of_requests_tells_the_time_in_nodes_from_the_time_at_the_server() {
    let gateway = start();
    active(&gateway, graph("w", &[hook("a", "await sleep(30)")], &[]));
    gateway.call("test-server", "sleep", json!({"ms": 100})).expect_status(200);
    let view = &gateway.get("/api/requests?tool=sleep").body["requests"][0];
    let us = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("no time in {view}"));
    let (whole, server, nodes) = (us(&view["durationUs"]), us(&view["serverUs"]), us(&view["hooksUs"]));
    assert!(server >= 100_000 && nodes >= 30_000 && whole >= server + nodes, "{view}");
    assert!(us(&view["hooks"][0]["durationUs"]) >= 30_000, "{view}");
}

#[test]
fn a_hook_that_was_under_way_when_the_gateway_was_killed_is_broken_off() {
    let plan = TestGateway::builder().server("test-server", |s| s);
    let gateway = plan.setting("hooks: {timeoutMs: 3600000}").start();
    let side = beside("late", "await sleep(3000000)");
    let id = active(&gateway, with_side(graph("w", &[], &[]), "s", side));
    gateway.call("test-server", "echo", json!({})).expect_status(200);
    assert_eq!(runs(&gateway, &id)[0]["results"]["late"]["state"], "running", "and it is written now");
    gateway.kill9();
    let gateway = gateway.revive();
    let run = eventually("it is known that nobody else is there", || {
        let run = runs(&gateway, &id)[0].clone();
        (run["results"]["late"]["state"] != "running").then_some(run)
    });
    assert_eq!((&run["status"], &run["error"]), (&json!("completed"), &Value::Null), "{run}");
    let late = &run["results"]["late"];
    assert_eq!(late["state"], "error", "{run}");
    assert_eq!(late["error"], "The gateway stopped before the run ended");
}

#[test]
fn values_of_secret_looking_keys_are_masked_wherever_a_script_says_them() {
    let gateway = start();
    let say = "const {arguments: given} = context.request.params;
        console.log('got', given); console.warn(JSON.stringify(given));";
    let throw = format!("{say} throw new Error('not with ' + JSON.stringify(given))");
    let block = format!(
        "{say} return {{continue: false, error: {{code: given, message: 'm ' + JSON.stringify(given)}}}}"
    );
    for (name, script) in [("throws", throw), ("blocks", block)] {
        let sides = with_side(graph(name, &[hook("h", &script)], &[]), "s", beside("f", &script));
        let id = active(&gateway, sides);
        let input = json!({"password": "hunter2", "n": 41});
        gateway.call("test-server", "echo", input);
        done(&gateway, &id, "f");
        let run = runs(&gateway, &id)[0].clone();
        assert!(!run.to_string().contains("hunter2"), "{run}");
        let (told, both) = (&run["results"]["h"], [&run["results"]["h"], &run["results"]["f"]]);
        for did in both {
            let lines = [&did["console"][0]["text"], &did["console"][1]["text"]];
            assert_eq!(lines, [r#"got {"password":"[masked]","n":41}"#, r#"{"password":"[masked]","n":41}"#]);
        }
        assert!(run["error"].as_str().is_some_and(|text| text.contains("[masked]")), "{run}");
        let said =
            if name == "throws" { &told["error"] } else { &told["result"]["error"]["code"]["password"] };
        assert!(said.as_str().is_some_and(|text| text.contains("[masked]")), "{run}");
    }
}

#[test]
fn what_a_server_knows_as_a_secret_is_masked_in_its_runs_and_given_to_its_callers() {
    let secret = "v3ry-0wn-value";
    let gateway = TestGateway::with(|s| s.env("FX_SOME", secret).env("FX_NAME", "completed"));
    let script = "console.log('saw', context.request.params.arguments.x); context.metadata.shared.x = 1";
    let id = active(&gateway, graph("completed", &[hook("a", script)], &[]));
    let text = |word: &str| format!(r#"{{"k":"{word}"}}"#);
    let input = json!({"x": format!("a {secret}"), secret: 12345678901234567890_u64, "s": "completed",
        "text": text(r"\u00763ry-0wn\u002dvalue"), "y": {"completed": 1, secret: 2}});
    let reply = gateway.call("test-server", "echo", input.clone());
    assert_eq!(reply.expect_status(200).body["result"], input);
    let run = &runs(&gateway, &id)[0];
    let shown = json!({"x": "a ***", "***": 12345678901234567890_u64, "s": "***",
        "text": text("***"), "y": {"***": 1, "*** (2)": 2}});
    assert_eq!(run["context"]["request"]["params"]["arguments"], shown, "{run}");
    assert_eq!(run["results"]["a"]["console"][0]["text"], "saw a ***", "{run}");
    assert_eq!((&run["status"], &run["workflowName"]), (&json!("completed"), &json!("completed")), "{run}");
    assert_eq!(run["results"]["c"]["state"], "completed", "{run}");
    let one = format!("/api/runs/{}", run["id"].as_str().expect("an id"));
    let context = json!({"request": {"params": {"name": "echo", "arguments": input}}});
    let ran = gateway.post(&format!("/api/workflows/{id}/execute"), json!({"context": context}));
    for reply in [ran, gateway.get(&one), gateway.get("/api/runs"), gateway.get("/api/runs?brief=true")] {
        let text = reply.expect_status(200).text();
        assert!(!text.contains(secret), "{text}");
    }
}
