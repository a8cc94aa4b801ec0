//! Timeouts, cancellation and progress (spec 1.10; examples 21 to 23).

use serde_json::{Value, json};
use std::io::Write;
use std::time::Duration;
use testkit::{Builder, Client, Reply, Request, TestGateway, eventually};

fn timed_out(reply: &Reply, after: u64) {
    reply.expect_fault(
        408,
        "TIMEOUT_ERROR",
        &format!("Tool execution timed out after {after}ms"),
        json!({"toolName": "sleep", "server": "test-server", "serverName": "test-server", "timeout": after}),
    );
}

fn sleep(gateway: &TestGateway, ms: u64) -> Reply {
    gateway.call("test-server", "sleep", json!({"ms": ms}))
}

fn sleep_with(gateway: &TestGateway, ms: u64, timeout: u64) -> Reply {
    let body = json!({"server": "test-server", "toolName": "sleep", "input": {"ms": ms}, "timeout": timeout});
    gateway.post("/mcp/call", body)
}

fn with_timeout(ms: u64) -> Builder {
    TestGateway::builder().server("test-server", |s| s.timeout(ms))
}

fn cancelled(gateway: &TestGateway) -> Vec<Value> {
    gateway.stats("test-server")["cancelled"].as_array().cloned().expect("a list")
}

#[test]
fn a_call_ends_at_the_servers_timeout_and_the_server_is_told() {
    let gateway = with_timeout(500).start();
    let reply = sleep(&gateway, 20_000);
    timed_out(&reply, 500);
    assert!(
        (Duration::from_millis(500)..Duration::from_secs(15)).contains(&reply.elapsed),
        "{:?}",
        reply.elapsed
    );
    assert_eq!(cancelled(&gateway).len(), 1);
    assert_eq!(gateway.status("test-server"), "running");
    assert_eq!(gateway.call("test-server", "echo", json!({"a": 1})).result(), &json!({"a": 1}));
}

#[test]
fn the_server_is_not_told_when_the_setting_says_so() {
    let gateway = with_timeout(200).setting("mcp: { cancelOnTimeout: false }").start();
    timed_out(&sleep(&gateway, 2000), 200);
    assert_eq!(cancelled(&gateway), Vec::<Value>::new());
}

#[test]
fn the_servers_timeout_goes_before_the_default_and_the_default_before_none() {
    let gateway = with_timeout(300).env("DEFAULT_TIMEOUT", "700").start();
    timed_out(&sleep(&gateway, 3000), 300);
    let gateway = TestGateway::builder().server("test-server", |s| s).env("DEFAULT_TIMEOUT", "400").start();
    timed_out(&sleep(&gateway, 3000), 400);
}

#[test]
fn the_timeout_of_one_call_may_be_lower_or_higher() {
    let gateway = with_timeout(600).start();
    timed_out(&sleep_with(&gateway, 3000, 150), 150);
    assert_eq!(sleep_with(&gateway, 900, 5000).result(), &json!({"slept": 900}));
    timed_out(&sleep(&gateway, 3000), 600);
}

#[test]
fn nothing_exceeds_the_maximum() {
    let gateway = TestGateway::builder()
        .server("test-server", |s| s)
        .env("DEFAULT_TIMEOUT", "5000")
        .env("MAX_TIMEOUT", "400")
        .start();
    timed_out(&sleep(&gateway, 3000), 400);
    sleep_with(&gateway, 1, 400).expect_status(200);
    sleep_with(&gateway, 1, 401).expect_fault(
        400,
        "VALIDATION_ERROR",
        "timeout exceeds maximum value (400)",
        json!({"field": "timeout", "max": 400}),
    );
}

#[test]
fn a_reply_that_comes_too_late_is_dropped() {
    let gateway = with_timeout(200).start();
    timed_out(&sleep(&gateway, 500), 200);
    // The late reply arrives while this call is open.
    assert_eq!(sleep_with(&gateway, 700, 5000).result(), &json!({"slept": 700}));
    assert_eq!(gateway.call("test-server", "echo", json!({"a": 1})).result(), &json!({"a": 1}));
}

#[test]
fn a_timeout_of_one_call_leaves_the_others_alone() {
    let gateway = TestGateway::start();
    let other = gateway.call_later("test-server", "sleep", json!({"ms": 900}));
    timed_out(&sleep_with(&gateway, 5000, 200), 200);
    assert_eq!(other.join().expect("no panic").expect("an answer").result(), &json!({"slept": 900}));
}

#[test]
fn the_status_of_a_timeout_can_be_504() {
    let gateway = with_timeout(200).setting("http: { timeoutStatus: 504 }").start();
    let fault = sleep(&gateway, 2000).expect_code(504, "TIMEOUT_ERROR");
    assert_eq!(fault.message, "Tool execution timed out after 200ms");
}

#[test]
fn progress_restarts_the_clock_only_when_the_setting_says_so() {
    let builder =
        || TestGateway::builder().server("test-server", |s| s.timeout(600).env("FX_PROGRESS_MS", "100"));
    timed_out(&sleep(&builder().start(), 1800), 600);
    let gateway = builder().setting("timeoutResetOnProgress: true").start();
    assert_eq!(sleep(&gateway, 1800).result(), &json!({"slept": 1800}));
}

#[test]
fn progress_does_not_carry_a_call_past_the_maximum() {
    let gateway = TestGateway::builder()
        .server("test-server", |s| s.timeout(600).env("FX_PROGRESS_MS", "100"))
        .setting("timeoutResetOnProgress: true")
        .env("MAX_TIMEOUT", "1200")
        .start();
    let reply = sleep(&gateway, 10_000);
    timed_out(&reply, 1200);
    assert!(
        (Duration::from_millis(1200)..Duration::from_millis(4000)).contains(&reply.elapsed),
        "{:?}",
        reply.elapsed
    );
}

#[test]
fn without_progress_the_clock_runs_out_under_the_setting_too() {
    let gateway = with_timeout(300).setting("timeoutResetOnProgress: true").start();
    timed_out(&sleep(&gateway, 3000), 300);
}

#[test]
fn a_client_that_leaves_bytes_behind_its_request_cancels_it_as_any_other() {
    const NEXT: &[u8] = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    let gateway = TestGateway::start();
    let input = json!({"ms": 60_000});
    let body = json!({"server": "test-server", "toolName": "sleep", "input": input}).to_string();
    let rest = Request::new("POST", "/mcp/call").body("application/json", body);
    let call = json!({"name": "sleep", "arguments": input});
    let (_, legacy) = Client::legacy(gateway.http()).request("tools/call", call.clone());
    let (_, modern) = Client::modern(gateway.http()).request("tools/call", call);
    let much = NEXT.repeat(1000);
    let behind = [&b"\r\n"[..], &NEXT[..20], NEXT, &much];
    let each =
        [rest, legacy, modern].into_iter().flat_map(|request| behind.map(|bytes| (request.clone(), bytes)));
    for (n, (request, bytes)) in each.enumerate() {
        let mut stream = gateway.http().begin(&request).expect("connected");
        stream.write_all(bytes).expect("the gateway takes it");
        let calls = "lockgate_server_requests_in_flight{server=\"test-server\"} 1\n";
        eventually("the call is at the server", || {
            gateway.get("/metrics").text().contains(calls).then_some(())
        });
        drop(stream);
        eventually(&format!("call {n} is cancelled"), || (cancelled(&gateway).len() == n + 1).then_some(()));
    }
}

#[test]
fn requests_that_come_behind_each_other_are_all_answered_in_their_order() {
    let gateway = TestGateway::start();
    let call = |n: usize, close: &str| {
        let input = json!({"n": n, "text": "x".repeat(if n == 1 { 90_000 } else { 10 })});
        let body = json!({"server": "test-server", "toolName": "echo", "input": input}).to_string();
        format!(
            "POST /mcp/call HTTP/1.1\r\nHost: 127.0.0.1\r\n{close}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let last = 300;
    let all: String = (0..last).map(|n| call(n, "")).collect();
    let replies = gateway.raw((all + &call(last, "Connection: close\r\n")).as_bytes());
    let replies = String::from_utf8(replies).expect("UTF-8");
    let numbers: Vec<&str> =
        replies.split("{\"n\":").skip(1).filter_map(|rest| rest.split(',').next()).collect();
    assert_eq!(numbers, (0..=last).map(|n| n.to_string()).collect::<Vec<_>>());
}
