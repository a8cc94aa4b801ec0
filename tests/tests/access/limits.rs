//! Limits: so many a second, so many at a time, and a server that fails is left alone.

use super::{CALLER, EDITOR, OPERATOR, builder, call, request};
use serde_json::json;
use testkit::{Client, Http, Reply, Request, TestGateway, eventually};

/// Asks until the answer is no success, which is the one that is wanted.
#[track_caller]
fn refused(ask: impl Fn() -> Reply) -> Reply {
    eventually("a refusal", || Some(ask()).filter(|reply| reply.status != 200))
}

/// Makes several long calls at once: how the luckiest and the unluckiest of them ended.
#[track_caller]
fn at_once(http: Http, ms: u64) -> (Reply, Reply) {
    let body = json!({"server": "test-server", "toolName": "sleep", "input": {"ms": ms}});
    let calls: Vec<_> = (0..6).map(|_| http.send_later(request("POST", "/mcp/call", &body))).collect();
    let mut replies: Vec<Reply> =
        calls.into_iter().map(|later| later.join().expect("joined").expect("answered")).collect();
    replies.sort_by_key(|reply| reply.status);
    (replies.remove(0), replies.pop().expect("there are six"))
}

#[test]
fn a_key_has_its_rate_whatever_the_way_in() {
    let keys = json!([
        {"name": "slow", "key": CALLER, "rate": {"perSecond": 1, "burst": 3}},
        {"name": "otto", "key": OPERATOR},
    ]);
    let gateway = builder(&keys).start();
    let http = gateway.http().with_key(CALLER);
    let client = Client::modern(http);
    assert_eq!(call(http, "test-server", "plain", json!({})).status, 200);
    assert_eq!(http.send(&Request::new("GET", "/mcp/tools")).status, 200);
    assert_eq!(client.call("plain", json!({}))["content"][0]["text"], "hello");
    let reply = refused(|| call(http, "test-server", "plain", json!({})));
    let fault = reply.expect_code(429, "RATE_LIMITED");
    assert_eq!((&fault.details["limit"], reply.header("retry-after")), (&json!("key"), "1"));
    refused(|| http.send(&Request::new("GET", "/mcp/tools"))).expect_code(429, "RATE_LIMITED");
    let legacy = Client::legacy(http);
    for client in [&client, &legacy] {
        let reply = eventually("a refusal over MCP", || {
            let reply = client.exchange(&client.request("tools/call", json!({"name": "plain"})).1);
            reply.body.get("error").is_some().then_some(reply)
        });
        let error = &reply.body["error"];
        assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32029), &json!("RATE_LIMITED")));
        assert_eq!((reply.status, reply.header("retry-after")), (200, "1"));
        let fine = client.exchange(&client.request("ping", json!({})).1);
        assert_eq!(fine.headers.get("retry-after"), None);
    }
    assert_eq!(call(gateway.http().with_key(OPERATOR), "test-server", "plain", json!({})).status, 200);
    eventually("the bucket fills again", || {
        (call(http, "test-server", "plain", json!({})).status == 200).then_some(())
    });
}

#[test]
fn a_key_has_so_many_requests_at_a_time() {
    let gateway = builder(&json!([{"name": "one", "key": CALLER, "concurrency": 1}])).start();
    let http = gateway.http().with_key(CALLER);
    let (lucky, unlucky) = at_once(http, 3000);
    assert_eq!(lucky.status, 200);
    assert_eq!(unlucky.expect_code(429, "RATE_LIMITED").details["limit"], "key");
    assert_eq!(call(http, "test-server", "plain", json!({})).status, 200, "and there is room again");
}

/// A gateway with one server under these limits.
fn limited(limits: &serde_json::Value) -> TestGateway {
    TestGateway::builder().server("test-server", |s| s.raw("limits", &limits.to_string())).start()
}

#[test]
fn a_server_has_so_many_calls_at_a_time() {
    let gateway = limited(&json!({"concurrency": 1}));
    let (lucky, unlucky) = at_once(gateway.http(), 3000);
    assert_eq!(lucky.status, 200);
    let fault = unlucky.expect_code(503, "OVERLOADED");
    assert_eq!(
        (&fault.details["limit"], &fault.details["server"]),
        (&json!("server"), &json!("test-server"))
    );
    assert_eq!(unlucky.header("retry-after"), "1");
}

#[test]
fn a_tool_has_room_and_a_queue() {
    let gateway = limited(&json!({"tools": {"sleep": {"concurrency": 1, "queue": 1}}}));
    let first = gateway.call_later("test-server", "sleep", json!({"ms": 3000}));
    let (lucky, unlucky) = at_once(gateway.http(), 500);
    assert_eq!(lucky.status, 200, "one waited");
    assert_eq!(unlucky.expect_code(503, "OVERLOADED").details["limit"], "tool");
    assert_eq!(first.join().expect("joined").expect("answered").status, 200);
}

#[test]
fn a_call_waits_for_room_no_longer_than_its_time() {
    let one = json!({"concurrency": 1, "queue": 5});
    let tool = json!({"tools": {"sleep": one}});
    let calls = format!("limits: {{calls: {one}}}");
    let whole = TestGateway::builder().server("test-server", |s| s).setting(&calls).start();
    let sleep = |ms: u64, timeout: u64| {
        let body =
            json!({"server": "test-server", "toolName": "sleep", "input": {"ms": ms}, "timeout": timeout});
        request("POST", "/mcp/call", &body)
    };
    for (gateway, limit) in [(limited(&one), "server"), (limited(&tool), "tool"), (whole, "gateway")] {
        let first = gateway.http().send_later(sleep(25_000, 30_000));
        let reply = refused(|| gateway.http().send(&sleep(0, 200)));
        assert_eq!(reply.expect_code(503, "OVERLOADED").details["limit"], limit);
        assert_eq!(reply.header("retry-after"), "1");
        assert!(!first.is_finished(), "it was not waited for");
    }
}

#[test]
fn a_call_that_names_no_timeout_waits_for_room_no_longer_than_its_server_gives_it() {
    let gateway = TestGateway::builder()
        .server("test-server", |s| s.timeout(200))
        .setting("limits: {calls: {concurrency: 1, queue: 5}}")
        .start();
    let legacy = Client::legacy(gateway.http());
    let body =
        json!({"server": "test-server", "toolName": "sleep", "input": {"ms": 25_000}, "timeout": 30_000});
    let first = gateway.http().send_later(request("POST", "/mcp/call", &body));
    let reply = refused(|| gateway.call("test-server", "sleep", json!({"ms": 0})));
    assert_eq!(reply.expect_code(503, "OVERLOADED").details["limit"], "gateway");
    for client in [legacy, Client::modern(gateway.http())] {
        let reply = client.exchange(&client.request("tools/call", json!({"name": "plain"})).1);
        assert_eq!(reply.body["error"]["data"]["code"], "OVERLOADED", "{}", reply.body);
    }
    assert!(!first.is_finished(), "it was not waited for");
}

#[test]
fn a_tool_has_its_own_rate() {
    let gateway = limited(&json!({"tools": {"plain": {"rate": {"perSecond": 1, "burst": 1}}}}));
    assert_eq!(gateway.call("test-server", "plain", json!({})).status, 200);
    let fault = refused(|| gateway.call("test-server", "plain", json!({}))).expect_code(429, "RATE_LIMITED");
    assert_eq!((&fault.details["limit"], &fault.details["toolName"]), (&json!("tool"), &json!("plain")));
    assert!((0..10).all(|_| gateway.call("test-server", "echo", json!({})).status == 200));
}

#[test]
fn all_requests_together_have_a_rate_that_a_reload_changes() {
    let gateway = TestGateway::builder()
        .server("test-server", |s| s)
        .setting("limits: {calls: {rate: {perSecond: 1, burst: 2}}}")
        .start();
    let fault = refused(|| gateway.call("test-server", "plain", json!({}))).expect_code(429, "RATE_LIMITED");
    assert_eq!(fault.details["limit"], "gateway");
    gateway.rewrite(&testkit::Config::new().server("test-server", |s| s));
    gateway.post("/api/config/reload", json!({})).expect_status(200);
    assert!((0..20).all(|_| gateway.call("test-server", "plain", json!({})).status == 200));
}

#[test]
fn a_server_that_fails_again_and_again_is_left_alone_and_then_tried() {
    let limits = json!({"breaker": {"failures": 2, "openMs": 4000}});
    let gateway = TestGateway::builder()
        .server("test-server", |s| s.raw("limits", &limits.to_string()).raw("timeout", "1000"))
        .start();
    let slow = |timeout: Option<u64>| {
        let input = json!({"ms": 6000});
        let mut body = json!({"server": "test-server", "toolName": "sleep", "input": input});
        timeout.into_iter().for_each(|ms| body["timeout"] = json!(ms));
        gateway.post("/mcp/call", body).status
    };
    assert_eq!([slow(Some(50)), slow(Some(50)), slow(Some(50))], [408, 408, 408]);
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    // The time of the server itself, and more; what a client chose itself in between counts neither way.
    assert_eq!([slow(None), slow(Some(50)), slow(Some(1001))], [408, 408, 408]);
    let reply = gateway.call("test-server", "plain", json!({}));
    let fault = reply.expect_code(503, "CIRCUIT_OPEN");
    assert_eq!(reply.header("retry-after"), fault.details["retryAfter"].to_string());
    eventually("one call tries and closes it", || {
        (gateway.call("test-server", "plain", json!({})).status == 200).then_some(())
    });
    assert_eq!(gateway.call("test-server", "plain", json!({})).status, 200);
}

#[test]
fn requests_are_turned_away_when_too_many_are_under_way() {
    let gateway =
        TestGateway::builder().server("test-server", |s| s).setting("limits: {inFlight: 1}").start();
    let (lucky, unlucky) = at_once(gateway.http(), 3000);
    assert_eq!(lucky.status, 200);
    unlucky.expect_fault(
        503,
        "OVERLOADED",
        "The gateway has as many requests under way as it takes; try again in 1 s",
        json!({"limit": "inFlight", "retryAfter": 1}),
    );
    assert_eq!(gateway.health()["status"], "ok", "and its health is always told");
    let slow = json!({"server": "test-server", "toolName": "sleep", "input": {"ms": 3000}});
    let under_way = gateway.http().send_later(request("POST", "/mcp/call", &slow));
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let refused = eventually("an MCP client is turned away", || {
        Some(gateway.http().send(&request("POST", "/mcp", &ping))).filter(|reply| reply.status == 503)
    });
    let data = json!({"code": "OVERLOADED", "details": {"limit": "inFlight", "retryAfter": 1}});
    let (error, retry) = (&refused.body["error"], refused.header("retry-after"));
    assert_eq!((&error["code"], &error["data"], retry), (&json!(-32028), &data, "1"), "{}", refused.text());
    drop(under_way.join().expect("joined"));
}

/// A key whose client may change things, and call once at a time and once a second.
const SLOW: &str = EDITOR;

/// A gateway with a graph around calls, with a session workflow, and the paths that execute them.
fn with_workflows(key: &serde_json::Value) -> (TestGateway, [(String, serde_json::Value); 2]) {
    let activity = json!({"name": "say", "description": "Says", "run": {"script": "return {data: {}}"}});
    let talk = json!({"name": "talk", "description": "Talks", "steps": [{"activity": "say"}]});
    let gateway = builder(&json!([key, {"name": "otto", "key": OPERATOR, "role": "operator"}]))
        .setting(&format!("activities: {}", json!([activity])))
        .setting(&format!("workflows: {}", json!([talk])))
        .setting("audit: {calls: true}")
        .start();
    let node =
        |id: &str, kind: &str| json!({"id": id, "type": kind, "data": {}, "position": {"x": 0, "y": 0}});
    let edge = |from: &str, to: &str| json!({"id": format!("{from}-{to}"), "source": from, "target": to});
    let graph = json!({
        "name": "w", "workflowType": "tools/call", "enabled": false,
        "nodes": [node("s", "start"), node("c", "mcp-call"), node("e", "end")],
        "edges": [edge("s", "c"), edge("c", "e")],
    });
    let http = gateway.http().with_key(OPERATOR);
    let created = http.send(&request("POST", "/api/workflows", &graph));
    let id = created.expect_status(201).body["id"].as_str().expect("an id").to_owned();
    http.send(&request("POST", &format!("/api/workflows/{id}/activate"), &json!({}))).expect_status(200);
    let params = json!({"name": "plain", "arguments": {}});
    let context = json!({"serverName": "test-server", "request": {"params": params}});
    let graph = (format!("/api/workflows/{id}/execute"), json!({"context": context}));
    (gateway, [graph, ("/api/workflows/config:talk/execute".into(), json!({}))])
}

#[test]
fn what_is_executed_over_the_api_is_limited_recorded_and_listed_as_any_call() {
    let key = json!({"name": "slow", "key": SLOW, "role": "operator", "rate": {"perSecond": 1, "burst": 1}});
    let (gateway, ways) = with_workflows(&key);
    let http = gateway.http().with_key(SLOW);
    let operator = gateway.http().with_key(OPERATOR);
    for ((path, body), subject) in ways.iter().zip(["test-server/plain", "lockgate/talk_start"]) {
        let reply = refused(|| http.send(&request("POST", path, body)));
        let fault = reply.expect_code(429, "RATE_LIMITED");
        assert_eq!((&fault.details["limit"], reply.header("retry-after")), (&json!("key"), "1"), "{path}");
        let query = "/api/audit?kind=call&who=slow";
        // Refusals within a second are one entry, which names what each was for.
        eventually("the refusal is recorded", || {
            let entries = operator.send(&Request::new("GET", query)).body;
            let mut all = entries.as_array().expect("a list").iter();
            let of = |one: &serde_json::Value| {
                let (first, more) = (&one["subject"], one["details"]["subjects"].as_array());
                first == subject || more.is_some_and(|more| more.contains(&json!(subject)))
            };
            all.any(|one| of(one) && one["details"]["outcome"] == "RATE_LIMITED").then_some(())
        });
        let list = operator.send(&Request::new("GET", "/api/requests")).body["requests"].clone();
        let tool = subject.split('/').next_back();
        let seen = |outcome: &str| {
            let one = |one: &serde_json::Value| {
                let of = (one["way"].as_str(), one["tool"].as_str(), one["client"].as_str());
                of == (Some("rest"), tool, Some("slow")) && one["outcome"] == outcome
            };
            list.as_array().expect("a list").iter().any(one)
        };
        assert!(seen("RATE_LIMITED"), "{list:#}");
        eventually("it is executed again", || {
            (http.send(&request("POST", path, body)).status == 200).then_some(())
        });
    }
}

#[test]
fn a_full_gateway_still_hears_that_a_call_is_cancelled() {
    let gateway = TestGateway::builder().server("one", |s| s).setting("limits: {inFlight: 1}").start();
    let client = Client::legacy(gateway.http());
    let (id, asked) = client.request("tools/call", json!({"name": "sleep", "arguments": {"ms": 60_000}}));
    let _connection = gateway.http().begin(&asked).expect("the gateway takes requests");
    let ping = || gateway.http().send(&client.request("ping", json!({})).1);
    eventually("the gateway is full", || (ping().status == 503).then_some(()));
    gateway.get("/metrics").expect_status(200);
    let stats = json!({"server": "one", "toolName": "stats", "input": {}});
    eventually("the call is cancelled", || {
        client.notify("notifications/cancelled", json!({"requestId": id})).expect_status(202);
        let stats = gateway.http().send(&request("POST", "/mcp/call", &stats));
        let cancelled = stats.body["result"]["cancelled"].as_array().map(Vec::len);
        (stats.status == 200 && cancelled == Some(1)).then_some(())
    });
    assert_eq!(ping().status, 200);
}
