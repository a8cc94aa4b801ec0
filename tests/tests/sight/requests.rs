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
}

#[test]
fn a_request_that_nobody_waits_for_is_cancelled_and_counted() {
    let gateway = TestGateway::builder().server("one", |s| s).start();
    let body = json!({"server": "one", "toolName": "sleep", "input": {"ms": 60_000}}).to_string();
    let request = testkit::Request::new("POST", "/mcp/call").body("application/json", body);
    let connection = gateway.http().begin(&request).expect("a connection");
    eventually("the call is in flight", || {
        let metrics = gateway.get("/metrics").text();
        metrics.contains("lockgate_server_requests_in_flight{server=\"one\"} 1\n").then_some(())
    });
    assert!(gateway.get("/metrics").text().contains("lockgate_requests_in_flight 1\n"));
    drop(connection);
    let gone = eventually("the request is cancelled", || found(&gateway, "?outcome=CANCELLED").pop());
    assert_eq!((&gone["way"], &gone["method"]), (&json!("rest"), &json!("tools/call")));
    let counted = "lockgate_requests_total{way=\"rest\",method=\"tools/call\",outcome=\"CANCELLED\"} 1\n";
    assert!(gateway.get("/metrics").text().contains(counted));
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
