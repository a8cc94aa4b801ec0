//! The log of requests: over every way in, searched, and free of what was sent.

use serde_json::{Value, json};
use testkit::{Client, TestGateway, eventually};

#[track_caller]
fn found(gateway: &TestGateway, query: &str) -> Vec<Value> {
    let reply = gateway.get(&format!("/api/requests{query}"));
    reply.expect_status(200);
    reply.body["requests"].as_array().expect("a list").clone()
}

#[test]
fn requests_of_every_way_are_found_by_what_they_are() {
    let gateway = TestGateway::builder().server("one", |s| s).server("two", |s| s).start();
    gateway.call("one", "echo", json!({"key": "s3cret-input"})).expect_status(200);
    gateway.call("two", "no-such-tool", json!({})).expect_code(404, "TOOL_NOT_FOUND");
    gateway.get("/mcp/tools").expect_status(200);
    let client = Client::legacy(gateway.http());
    client.call("one__plain", json!({}));
    client.call_error("nothing", json!({}));

    let all = gateway.get("/api/requests");
    assert!(!all.text().contains("s3cret-input"), "{}", all.text());
    assert_eq!(all.body["next"], Value::Null);
    let echo = &found(&gateway, "?tool=echo")[0];
    assert_eq!(
        (&echo["way"], &echo["server"], &echo["outcome"]),
        (&json!("rest"), &json!("one"), &json!("ok"))
    );
    assert_eq!((&echo["method"], &echo["client"]), (&json!("tools/call"), &json!("anonymous")));
    assert!(echo["durationUs"].as_u64().is_some() && echo["at"].as_u64().is_some(), "{echo}");
    let outcomes = |query: &str| -> Vec<String> {
        found(&gateway, query)
            .iter()
            .map(|one| one["outcome"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(outcomes("?outcome=error"), ["TOOL_NOT_FOUND", "TOOL_NOT_FOUND"]);
    assert_eq!(outcomes("?way=http&method=tools/call&outcome=ok"), ["ok"]);
    assert_eq!(found(&gateway, "?method=tools/list").len(), 1);
    assert_eq!(found(&gateway, "?client=testkit&text=PLAIN").len(), 1);
    assert_eq!(found(&gateway, "?slower=60000").len(), 0);

    let first = gateway.get("/api/requests?limit=2");
    let next = first.body["next"].as_u64().expect("there are more");
    let rest = found(&gateway, &format!("?limit=500&before={next}"));
    assert_eq!(rest.len() + 2, found(&gateway, "?limit=500").len());
    gateway.get("/api/requests?limit=0").expect_code(400, "VALIDATION_ERROR");
    gateway.get("/api/requests?before=x").expect_code(400, "VALIDATION_ERROR");
    for (query, field) in [("way=foo", "way"), ("outcome=bogus", "outcome")] {
        let fault = gateway.get(&format!("/api/requests?{query}")).expect_code(400, "VALIDATION_ERROR");
        assert_eq!(fault.details["field"], field);
    }
}

#[test]
fn a_request_that_nobody_waits_for_is_cancelled_and_counted() {
    let gateway = TestGateway::builder().server("one", |s| s).start();
    let body = json!({"server": "one", "toolName": "sleep", "input": {"ms": 60_000}}).to_string();
    let request = testkit::Request::new("POST", "/mcp/call").body("application/json", body);
    let connection = gateway.http().begin(&request.header("X-Client-Id", "desk")).expect("a connection");
    eventually("the call is in flight", || {
        let metrics = gateway.get("/metrics").text();
        metrics.contains("lockgate_server_requests_in_flight{server=\"one\"} 1\n").then_some(())
    });
    assert!(gateway.get("/metrics").text().contains("lockgate_requests_in_flight 1\n"));
    drop(connection);
    let gone = eventually("the request is cancelled", || found(&gateway, "?outcome=CANCELLED").pop());
    assert_eq!((&gone["way"], &gone["method"]), (&json!("rest"), &json!("tools/call")));
    assert_eq!(gone["client"], "desk");
    assert_eq!((&gone["server"], &gone["tool"]), (&json!("one"), &json!("sleep")));
    let us = |part: &str| gone[part].as_u64().unwrap_or_else(|| panic!("no {part} in {gone}"));
    assert!(us("serverUs") > 0 && us("durationUs") >= us("serverUs"), "{gone}");
    let counted = "lockgate_requests_total{way=\"rest\",method=\"tools/call\",outcome=\"CANCELLED\"} 1\n";
    assert!(gateway.get("/metrics").text().contains(counted));
}

#[test]
fn a_request_that_its_client_cancels_is_shown_as_cancelled_with_what_it_was_for() {
    let gateway = TestGateway::builder().server("one", |s| s).start();
    let client = Client::legacy(gateway.http());
    let (id, request) = client.request("tools/call", json!({"name": "sleep", "arguments": {"ms": 60_000}}));
    let _waiting = gateway.http().begin(&request).expect("a connection");
    eventually("the call is in flight", || {
        let metrics = gateway.get("/metrics").text();
        metrics.contains("lockgate_server_requests_in_flight{server=\"one\"} 1\n").then_some(())
    });
    client.notify("notifications/cancelled", json!({"requestId": id}));
    let gone = eventually("the call has ended", || found(&gateway, "?way=http&method=tools/call").pop());
    assert_eq!(
        (&gone["outcome"], &gone["server"], &gone["tool"], &gone["client"]),
        (&json!("CANCELLED"), &json!("one"), &json!("sleep"), &json!("testkit"))
    );
}

#[test]
fn a_modern_client_that_hangs_up_leaves_what_its_request_was_for() {
    let gateway = TestGateway::builder().server("one", |s| s).setting("audit: {calls: true}").start();
    let hook = json!({"name": "guard", "hookType": "pre", "script": "return"});
    gateway.post("/api/hooks", hook).expect_status(201);
    let client = Client::modern(gateway.http());
    let (_, request) = client.request("tools/call", json!({"name": "sleep", "arguments": {"ms": 60_000}}));
    let connection = gateway.http().begin(&request).expect("a connection");
    eventually("the call is in flight", || {
        let metrics = gateway.get("/metrics").text();
        metrics.contains("lockgate_server_requests_in_flight{server=\"one\"} 1\n").then_some(())
    });
    drop(connection);
    let gone = eventually("the request is cancelled", || found(&gateway, "?outcome=CANCELLED").pop());
    assert_eq!((&gone["server"], &gone["tool"]), (&json!("one"), &json!("sleep")), "{gone}");
    assert_eq!(gone["hooks"][0]["hook"], "guard", "{gone}");
    assert!(gone["serverUs"].as_u64().is_some_and(|us| us > 0), "{gone}");
    let entry = eventually("it is in the audit log", || {
        gateway.get("/api/audit?kind=call").body.as_array().and_then(|all| all.first().cloned())
    });
    assert_eq!(entry["details"]["hooks"], "guard@1 pre continue", "{entry}");
}

#[test]
fn a_cancelled_request_names_the_hooks_that_ran() {
    let gateway = TestGateway::builder().server("one", |s| s).start();
    let hook = json!({"name": "guard", "hookType": "pre", "script": "return"});
    gateway.post("/api/hooks", hook).expect_status(201);
    let body = json!({"server": "one", "toolName": "sleep", "input": {"ms": 60_000}}).to_string();
    let request = testkit::Request::new("POST", "/mcp/call").body("application/json", body);
    let connection = gateway.http().begin(&request).expect("a connection");
    eventually("the call is in flight", || {
        let metrics = gateway.get("/metrics").text();
        metrics.contains("lockgate_server_requests_in_flight{server=\"one\"} 1\n").then_some(())
    });
    drop(connection);
    let gone = eventually("the request is cancelled", || found(&gateway, "?outcome=CANCELLED").pop());
    let ran = &gone["hooks"][0];
    assert_eq!((&ran["hook"], &ran["verdict"]), (&json!("guard"), &json!("continue")), "{gone}");
    let line = eventually("the log says so", || {
        gateway.log().into_iter().find(|line| line["message"] == "the request was cancelled")
    });
    assert_eq!(line["hooks"], "guard@1 pre continue", "{line}");
}

#[test]
fn what_a_hook_wrote_is_in_the_log_though_its_client_left() {
    let gateway = TestGateway::builder().server("one", |s| s).start();
    let script = "console.log('first')";
    gateway
        .post("/api/hooks", json!({"name": "quick", "hookType": "pre", "script": script}))
        .expect_status(201);
    let script = "if (context.toolName !== 'echo') return; console.log('second'); await sleep(5000)";
    gateway
        .post("/api/hooks", json!({"name": "slow", "hookType": "pre", "script": script}))
        .expect_status(201);
    gateway.call("one", "plain", json!({})).expect_status(200);
    let body = json!({"server": "one", "toolName": "echo", "input": {}}).to_string();
    let request = testkit::Request::new("POST", "/mcp/call").body("application/json", body);
    let in_flight = |count: u8| {
        let metric = format!("lockgate_requests_in_flight {count}\n");
        eventually("it comes or goes", || gateway.get("/metrics").text().contains(&metric).then_some(()));
    };
    // Whoever leaves before the hook has begun is followed by another.
    let line = eventually("the log has what it wrote", || {
        let connection = gateway.http().begin(&request).expect("a connection");
        in_flight(1);
        drop(connection);
        in_flight(0);
        gateway.log().into_iter().find(|line| line["message"] == "console" && line["text"] == "second")
    });
    assert_eq!((&line["hook"], &line["level"]), (&json!("slow"), &json!("info")), "{line}");
    // One that was broken off has decided nothing, and nothing of it counts; the one before it has.
    let stats = |name: &str| {
        let all = gateway.get("/api/hooks").body;
        let hook = all.as_array().and_then(|all| all.iter().find(|hook| hook["name"] == name).cloned());
        hook.map(|hook| json!([hook["stats"]["executions"], hook["stats"]["errors"]]))
    };
    assert_eq!(stats("slow"), Some(json!([1, 0])));
    // What came of the last one may still be on its way.
    eventually("every line of the hook before it is an execution that counts", || {
        let first = gateway.log().iter().filter(|line| line["text"] == "first").count();
        (first >= 2 && stats("quick") == Some(json!([first, 0]))).then_some(())
    });
}

#[test]
fn a_request_that_is_cancelled_among_its_hooks_names_those_that_ran_and_the_one_under_way() {
    let gateway = TestGateway::builder().server("one", |s| s).setting("audit: {calls: true}").start();
    let scripts =
        [("quick", "return"), ("slow", "console.log('begun'); await sleep(5000)"), ("never", "return")];
    for (name, script) in scripts {
        let hook = json!({"name": name, "hookType": "pre", "script": script});
        gateway.post("/api/hooks", hook).expect_status(201);
    }
    let body = json!({"server": "one", "toolName": "echo", "input": {}}).to_string();
    let request = testkit::Request::new("POST", "/mcp/call").body("application/json", body);
    let in_flight = |count: u8| {
        let metric = format!("lockgate_requests_in_flight {count}\n");
        eventually("it comes or goes", || gateway.get("/metrics").text().contains(&metric).then_some(()));
    };
    // Whoever leaves before the hook has begun is followed by another.
    let gone = eventually("one is cancelled while its hook sleeps", || {
        let connection = gateway.http().begin(&request).expect("a connection");
        in_flight(1);
        drop(connection);
        in_flight(0);
        found(&gateway, "?outcome=CANCELLED")
            .into_iter()
            .find(|one| one["hooks"].as_array().is_some_and(|all| !all.is_empty()))
    });
    let hooks = gone["hooks"].as_array().expect("a list");
    let told: Vec<String> = hooks.iter().map(|one| format!("{} {}", one["hook"], one["verdict"])).collect();
    assert_eq!(told, [r#""quick" "continue""#, r#""slow" "cancelled""#], "{gone}");
    assert_eq!((&gone["server"], &gone["tool"]), (&json!("one"), &json!("echo")), "{gone}");
    assert!(gone["hooksUs"].as_u64() >= hooks[1]["durationUs"].as_u64(), "{gone}");
    let ran = "quick@1 pre continue; slow@1 pre cancelled";
    eventually("the audit log says so", || {
        let all = gateway.get("/api/audit?kind=call").body;
        let all = all.as_array().expect("a list").clone();
        all.into_iter()
            .find(|entry| entry["details"]["hooks"] == ran && entry["details"]["outcome"] == "CANCELLED")
    });
    let line = |line: &Value| line["message"] == "the request was cancelled" && line["hooks"] == ran;
    eventually("the log says so", || gateway.log().iter().any(line).then_some(()));
}

#[test]
fn only_as_many_are_kept_as_the_setting_says() {
    let gateway = TestGateway::builder().server("one", |s| s).setting("requests: {keep: 2}").start();
    (0..5).for_each(|_| _ = gateway.call("one", "plain", json!({})));
    let kept: Vec<u64> = found(&gateway, "").iter().filter_map(|one| one["id"].as_u64()).collect();
    assert_eq!(kept, [5, 4]);
    let off = TestGateway::builder().server("one", |s| s).setting("requests: {keep: 0}").start();
    off.call("one", "plain", json!({})).expect_status(200);
    assert_eq!(found(&off, ""), Vec::<Value>::new());
}

#[test]
fn those_who_ask_for_it_hear_of_every_request() {
    let gateway = TestGateway::builder().server("one", |s| s).start();
    let request = testkit::Request::new("GET", "/api/events?requests=true");
    let mut events = testkit::Events::open(gateway.http(), &request);
    gateway.call("one", "plain", json!({})).expect_status(200);
    let heard =
        std::iter::from_fn(|| events.event()).find(|event| event.name == "request").expect("an event");
    let told: Value = serde_json::from_str(&heard.data).expect("JSON");
    assert_eq!((&told["tool"], &told["outcome"]), (&json!("plain"), &json!("ok")));
}

/// Where the time of a request went is told of each by itself, whatever goes on besides.
#[test]
fn the_times_of_server_and_hooks_are_told_apart() {
    let gateway = TestGateway::builder().server("one", |s| s).start();
    gateway.call("one", "sleep", json!({"ms": 40})).expect_status(200);
    let plain = &found(&gateway, "?tool=sleep")[0];
    let us = |view: &Value, part: &str| view[part].as_u64().unwrap_or_else(|| panic!("no {part} in {view}"));
    assert!(us(plain, "serverUs") >= 40_000 && us(plain, "durationUs") >= us(plain, "serverUs"), "{plain}");
    assert_eq!((us(plain, "hooksUs"), &plain["hooks"]), (0, &json!([])));

    for (name, script) in [("slow", "await sleep(30)"), ("quick", "return")] {
        let hook = json!({"name": name, "hookType": "pre", "script": script});
        gateway.post("/api/hooks", hook).expect_status(201);
    }
    gateway.call("one", "sleep", json!({"ms": 20})).expect_status(200);
    let hooked = &found(&gateway, "?tool=sleep")[0];
    assert!(us(hooked, "serverUs") >= 20_000 && us(hooked, "hooksUs") >= 30_000, "{hooked}");
    assert!(us(hooked, "durationUs") >= us(hooked, "serverUs") + us(hooked, "hooksUs"), "{hooked}");
    let hooks = hooked["hooks"].as_array().expect("hooks");
    assert_eq!((&hooks[0]["hook"], &hooks[1]["hook"]), (&json!("slow"), &json!("quick")));
    assert!(us(&hooks[0], "durationUs") >= 30_000, "{hooked}");
    assert!(us(&hooks[1], "durationUs") < us(&hooks[0], "durationUs"), "{hooked}");

    // One that a hook answers asks no server.
    let answer = json!({"name": "answers", "hookType": "pre", "script": "return {response: {content: []}}"});
    gateway.post("/api/hooks", answer).expect_status(201);
    gateway.call("one", "plain", json!({})).expect_status(200);
    let answered = &found(&gateway, "?tool=plain")[0];
    assert_eq!(answered["serverUs"], Value::Null, "{answered}");
}

#[test]
fn a_server_that_is_down_took_no_time() {
    let gateway = TestGateway::builder().server("one", |s| s).start();
    gateway.call("one", "crash", json!({"code": 1})).expect_code(502, "SERVER_CRASHED");
    assert!(found(&gateway, "?tool=crash")[0]["serverUs"].is_u64(), "it was asked");
    let down = || {
        gateway.call("one", "plain", json!({})).expect_code(502, "SERVER_CRASHED");
        let told = &found(&gateway, "?tool=plain")[0];
        assert_eq!(told["serverUs"], Value::Null, "{told}");
    };
    down();
    let hook = json!({"name": "h", "hookType": "pre", "script": "return"});
    gateway.post("/api/hooks", hook).expect_status(201);
    down();
}

#[test]
fn a_request_is_found_by_the_trace_that_its_client_named() {
    let gateway = TestGateway::builder().server("one", |s| s).start();
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let body = json!({"server": "one", "toolName": "plain", "input": {}}).to_string();
    for flags in ["00", "01"] {
        let request = testkit::Request::new("POST", "/mcp/call")
            .header("traceparent", &format!("00-{trace}-00f067aa0ba902b7-{flags}"))
            .body("application/json", body.clone());
        gateway.http().send(&request).expect_status(200);
    }
    gateway.call("one", "plain", json!({})).expect_status(200);
    let mine = found(&gateway, &format!("?traceId={trace}"));
    assert_eq!(mine.len(), 2, "{mine:?}");
    assert_eq!((&mine[0]["tool"], &mine[0]["traceId"]), (&json!("plain"), &json!(trace)));
    assert_eq!(found(&gateway, "?tool=plain").len(), 3);
}

#[test]
fn what_is_done_with_a_session_over_the_api_is_found_by_its_trace_too() {
    let step = json!({"name": "go", "run": {"script": "return {data: {}}"}});
    let steps = json!([{"activity": "go"}, {"activity": "go", "approve": true}]);
    let workflow = json!({"name": "w", "description": "w", "steps": steps});
    let definitions = format!("activities: {}\nworkflows: {}", json!([step]), json!([workflow]));
    let gateway = TestGateway::builder().server("one", |s| s).setting(&definitions).start();
    let client = Client::legacy(gateway.http());
    let started = || {
        let reply = client.call("w_start", json!({}));
        reply["structuredContent"]["sessionId"].as_str().unwrap_or_else(|| panic!("{reply}")).to_owned()
    };
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let post = |session: &str, what: &str, body: Value| {
        let request = testkit::Request::new("POST", &format!("/api/sessions/{session}/{what}"))
            .header("traceparent", &format!("00-{trace}-00f067aa0ba902b7-00"))
            .body("application/json", body.to_string());
        gateway.http().send(&request).expect_status(200);
    };
    let (first, second) = (started(), started());
    post(&first, "continue", json!({}));
    let digest = gateway.get(&format!("/api/sessions/{first}")).body["waiting"]["digest"].clone();
    post(&first, "approve", json!({"digest": digest, "allow": true}));
    post(&second, "pause", json!({}));
    post(&second, "cancel", json!({}));
    let mine = found(&gateway, &format!("?traceId={trace}"));
    let tools: Vec<&Value> = mine.iter().map(|request| &request["tool"]).collect();
    assert_eq!(tools, ["w_cancel", "w_pause", "w_continue", "w_continue"], "{mine:?}");
}
