//! Successful calls: results, modes, routing, concurrency (spec 1.5; examples 1 to 5, 12, 24).

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::{Request, TestGateway};

fn bmi() -> Value {
    json!({"weight_kg": 70, "height_m": 1.75})
}

fn whole_bmi() -> Value {
    json!({
        "content": [{"type": "text", "text": "{\"result\":22.857142857142858}"}],
        "structuredContent": {"result": 22.857142857142858},
    })
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

#[test]
fn a_result_is_structured_content_or_the_json_of_one_text_part_or_the_whole() {
    let gateway = TestGateway::start();
    let call = |tool: &str, input: Value| gateway.call("test-server", tool, input).result().clone();
    assert_eq!(call("calculate-bmi", bmi()), json!({"result": 22.857142857142858}));
    let input = json!({
        "city": "Tokyo", "units": "metric",
        "options": {"includeHourly": true, "includeForecast": false},
    });
    assert_eq!(call("echo", input.clone()), input);
    assert_eq!(call("echo", json!({})), json!({}));
    assert_eq!(call("plain", json!({})), text("hello"));
    let two = json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]});
    assert_eq!(call("parts", json!({})), two);
    assert_eq!(call("noise", json!({})), json!({"ok": true}));
    assert_eq!(call("fetch-weather", json!({"city": "tokyo"}))["city"], "tokyo");
    assert_eq!(call("public_y", json!({})), json!({"ok": true}));
    assert_eq!(call("internal_x", json!({})), json!({"ok": true}));
    let spoken = json!({"text": "the constructor of __proto__", "list": ["prototype"]});
    assert_eq!(call("echo", spoken.clone()), spoken, "only keys are forbidden");
}

#[test]
fn values_arrive_at_the_server_as_they_were_sent() {
    let gateway = TestGateway::start();
    for input in [
        json!({"text": "日本語 é 😀 \u{0} \u{7f} \" \\ / \n"}),
        json!({"numbers": [0, -1, 1.5, 1e300, u64::MAX, i64::MIN]}),
        json!({"nested": {"null": null, "list": [[], {}], "": "empty key"}}),
        json!({"z": 1, "a": 2, "m": 3}),
    ] {
        let reply = gateway.call("test-server", "echo", input.clone());
        assert_eq!(reply.result(), &input);
        assert_eq!(reply.result().to_string(), input.to_string(), "the order of fields is kept");
        assert_eq!(gateway.stats("test-server")["last"], input);
    }
}

#[test]
fn raw_gives_the_whole_result_for_one_call() {
    let gateway = TestGateway::start();
    let post = |path: &str, tool: &str, input: Value| {
        gateway.post(path, json!({"server": "test-server", "toolName": tool, "input": input}))
    };
    assert_eq!(post("/mcp/call?raw=true", "calculate-bmi", bmi()).result(), &whole_bmi());
    assert_eq!(post("/mcp/call?raw=true", "echo", json!({"a": 1})).result(), &text(r#"{"a":1}"#));
    assert_eq!(post("/mcp/call?x=1&raw=true", "plain", json!({})).result(), &text("hello"));
    assert_eq!(post("/mcp/call?raw=false", "echo", json!({"a": 1})).result(), &json!({"a": 1}));
    post("/mcp/call?raw=true", "err-empty", json!({})).expect_code(500, "TOOL_EXECUTION_ERROR");
}

#[test]
fn result_mode_raw_gives_the_whole_result_for_every_call() {
    let gateway =
        TestGateway::builder().server("test-server", |s| s).setting("http: { resultMode: raw }").start();
    assert_eq!(gateway.call("test-server", "calculate-bmi", bmi()).result(), &whole_bmi());
    assert_eq!(gateway.call("test-server", "echo", json!({"a": 1})).result(), &text(r#"{"a":1}"#));
}

#[test]
fn other_fields_of_the_request_are_ignored() {
    let gateway = TestGateway::start();
    let reply = gateway.post(
        "/mcp/call",
        json!({
            "server": "test-server", "toolName": "echo", "input": {"a": 1},
            "extra": {"__proto__": [[[[[[[[[[[[1]]]]]]]]]]]]}, "id": 7,
        }),
    );
    assert_eq!(reply.result(), &json!({"a": 1}));
}

#[test]
fn a_body_in_chunks_is_read_like_any_other() {
    let gateway = TestGateway::start();
    let body = json!({"server": "test-server", "toolName": "echo", "input": {"a": 1}}).to_string();
    let (first, second) = body.split_at(20);
    let request = format!(
        "POST /mcp/call HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{first}\r\n{:x}\r\n{second}\r\n0\r\n\r\n",
        first.len(),
        second.len(),
    );
    let answer = String::from_utf8(gateway.raw(request.as_bytes())).expect("the answer is text");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains(r#""result":{"a":1}"#), "{answer}");
}

#[test]
fn many_calls_to_one_server_are_in_flight_at_once_and_told_apart() {
    let gateway = TestGateway::start();
    let start = Instant::now();
    let calls: Vec<_> = (0..30)
        .map(|n| {
            let body =
                json!({"server": "test-server", "toolName": "sleep", "input": {"ms": 400 + n}}).to_string();
            gateway.http().send_later(Request::new("POST", "/mcp/call").body("application/json", body))
        })
        .collect();
    for (n, call) in calls.into_iter().enumerate() {
        let reply = call.join().expect("no panic").expect("an answer");
        assert_eq!(reply.result(), &json!({"slept": 400 + n}));
    }
    assert!(start.elapsed() < Duration::from_secs(12), "one after the other it is 12 s");
}

#[test]
fn a_slow_server_does_not_hold_up_another() {
    let gateway = TestGateway::builder().server("s1", |s| s).server("s2", |s| s).start();
    let slow = gateway.call_later("s1", "sleep", json!({"ms": 2000}));
    let quick = gateway.call("s2", "calculate-bmi", bmi());
    assert_eq!(quick.result(), &json!({"result": 22.857142857142858}));
    assert!(quick.elapsed < Duration::from_millis(500), "{:?}", quick.elapsed);
    assert!(!slow.is_finished());
    assert_eq!(slow.join().expect("no panic").expect("an answer").result(), &json!({"slept": 2000}));
}

#[test]
fn two_servers_may_have_one_tool_name() {
    let gateway = TestGateway::builder()
        .server("s1", |s| s.env("WHO", "one"))
        .server("s2", |s| s.env("WHO", "two"))
        .start();
    for (server, who) in [("s1", "one"), ("s2", "two")] {
        assert_eq!(gateway.call(server, "env", json!({})).result()["WHO"], who);
    }
}

#[test]
fn the_server_may_be_left_out_when_one_server_has_the_tool_and_the_setting_allows_it() {
    let gateway = TestGateway::builder()
        .server("s1", |s| s)
        .server("s2", |s| s.env("FX_HOSTILE", "1"))
        .setting("routing: { allowToolOnly: true }")
        .start();
    let post = |body: Value| gateway.post("/mcp/call", body);
    let unique = post(json!({"toolName": "bad", "input": {"kind": "none"}}));
    assert_eq!(unique.result(), &json!({"ok": true}));
    post(json!({"toolName": "echo", "input": {}})).expect_fault(
        400,
        "VALIDATION_ERROR",
        "server is required",
        json!({"field": "server", "toolName": "echo", "servers": ["s1", "s2"]}),
    );
    assert_eq!(
        post(json!({"server": "s1", "toolName": "echo", "input": {"a": 1}})).result(),
        &json!({"a": 1})
    );
    post(json!({"toolName": "nowhere", "input": {}})).expect_code(404, "TOOL_NOT_FOUND");
    post(json!({"server": "", "toolName": "bad", "input": {"kind": "none"}})).expect_fault(
        400,
        "VALIDATION_ERROR",
        "server is required",
        json!({"field": "server"}),
    );
    post(json!({"input": {}})).expect_fault(
        400,
        "VALIDATION_ERROR",
        "toolName is required",
        json!({"field": "toolName"}),
    );
}

#[test]
fn without_the_setting_the_server_is_required() {
    let gateway = TestGateway::start();
    gateway.post("/mcp/call", json!({"toolName": "echo", "input": {}})).expect_fault(
        400,
        "VALIDATION_ERROR",
        "server is required",
        json!({"field": "server"}),
    );
}

#[test]
fn a_modern_server_is_called_like_a_legacy_one() {
    let gateway = TestGateway::with(|s| s.env("FX_ERA", "modern"));
    assert_eq!(gateway.call("test-server", "calculate-bmi", bmi()).result()["result"], 22.857142857142858);
    assert_eq!(gateway.call("test-server", "echo", json!({"a": 1})).result(), &json!({"a": 1}));
    gateway.call("test-server", "fetch-weather", json!({"city": "x"})).expect_fault(
        500,
        "TOOL_EXECUTION_ERROR",
        "Invalid city.",
        json!({"toolName": "fetch-weather", "server": "test-server", "serverName": "test-server"}),
    );
    assert_eq!(gateway.tools().len(), 20);
}
