//! The worked examples of spec part 2, by their numbers.

use super::*;
use std::time::{Duration, Instant};
use testkit::eventually;

#[test]
fn example_1_a_new_hook_has_what_the_gateway_gives_it() {
    let gateway = TestGateway::start();
    let body = json!({"name": "h", "hookType": "pre", "script": "return {continue:true}"});
    let hook = gateway.post("/api/hooks", body).expect_status(201).body.clone();
    assert!(hook["id"].is_string() && hook["executionOrder"].is_number(), "{hook}");
    assert_eq!((&hook["enabled"], &hook["createdAt"]), (&json!(true), &hook["updatedAt"]));
}

#[test]
fn example_2_a_blocked_request_reaches_no_server() {
    let gateway = TestGateway::start();
    pre(&gateway, "guard", r#"return {continue:false,error:{code:"NO",message:"blocked by test"}}"#);
    for client in clients(&gateway) {
        let before = counter(&gateway);
        assert_eq!(client.call_error("echo", json!({}))["message"], "blocked by test");
        assert_eq!(counter(&gateway), before + 1, "only the question itself");
    }
}

#[test]
fn example_3_a_changed_argument_reaches_the_server() {
    let gateway = TestGateway::start();
    pre(&gateway, "h", r#"context.request.params.arguments.lang="ja"; return {continue:true,context}"#);
    for client in clients(&gateway) {
        assert_eq!(text(&client.call("echo", json!({"q": 1}))), r#"{"q":1,"lang":"ja"}"#);
    }
}

#[test]
fn example_4_a_withheld_reply_was_made_all_the_same() {
    let gateway = TestGateway::start();
    post(&gateway, "h", r#"return {continue:false,error:{code:"X",message:"withheld"}}"#);
    for client in clients(&gateway) {
        let before = counter(&gateway);
        assert_eq!(client.call_error("plain", json!({}))["message"], "withheld");
        assert_eq!(counter(&gateway), before + 2, "the call and the question");
    }
}

#[test]
fn example_5_the_order_is_the_users() {
    let gateway = TestGateway::start();
    let first = pre(&gateway, "set", r#"context.request.params.arguments.v = "a""#);
    let second = pre(&gateway, "append", r#"context.request.params.arguments.v += "b""#);
    let client = Client::legacy(gateway.http());
    assert_eq!(echoed(&client, json!({"v": ""})), json!({"v": "ab"}));
    gateway.post("/api/hooks/reorder", json!({"ids": [second, first]})).expect_status(200);
    assert_eq!(echoed(&client, json!({"v": ""})), json!({"v": "a"}));
}

#[test]
fn example_6_a_hook_that_throws_is_logged_and_passed_over() {
    let gateway = TestGateway::start();
    pre(&gateway, "fragile", r#"throw Error("boom")"#);
    assert_eq!(echoed(&Client::legacy(gateway.http()), json!({"a": 1})), json!({"a": 1}));
    eventually("a line with the hook's name and its words", || {
        let found = |line: &String| line.contains("fragile") && line.contains("boom");
        gateway.log_lines().iter().any(found).then_some(())
    });
}

#[test]
fn example_7_a_hook_that_sleeps_too_long_is_ended() {
    let gateway = TestGateway::start();
    pre(&gateway, "sleeper", "await sleep(60000); return {continue:true}");
    let begin = Instant::now();
    assert_eq!(echoed(&Client::legacy(gateway.http()), json!({})), json!({}));
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
}

#[test]
fn example_8_nothing_is_left_behind_for_another_request() {
    let gateway = TestGateway::start();
    pre(&gateway, "writer", "Object.prototype.polluted=1; Array.prototype.map = null; globalThis.left = 1");
    let reader = "context.request.params.arguments.seen =
        `${({}).polluted} ${typeof [].map} ${typeof globalThis.left}`";
    pre(&gateway, "reader", reader);
    let client = Client::legacy(gateway.http());
    for _ in 0..5 {
        assert_eq!(echoed(&client, json!({})), json!({"seen": "undefined function undefined"}));
    }
}

#[test]
fn example_9_a_list_is_filtered() {
    let gateway = TestGateway::start();
    let script = "if (context.requestType !== 'ListTools') return;
        context.response.tools = context.response.tools.filter(tool => !tool.name.startsWith('internal_'));";
    post(&gateway, "filter", script);
    for client in clients(&gateway) {
        let tools = client.tools();
        assert!(
            !tools.contains(&"internal_x".to_owned()) && tools.contains(&"public_y".to_owned()),
            "{tools:?}"
        );
    }
}

#[test]
fn example_10_a_stored_hook_is_tried_without_a_server() {
    let gateway = TestGateway::start();
    let id = pre(&gateway, "h", "context.request.params.arguments.n += 1; return {continue:true, context}");
    let before = counter(&gateway);
    let sample =
        json!({"request": {"method": "tools/call", "params": {"name": "echo", "arguments": {"n": 1}}}});
    let reply = gateway.post(&format!("/api/hooks/{id}/test"), json!({"context": sample}));
    reply.expect_status(200);
    assert_eq!(reply.body["verdict"]["continue"], true, "{}", reply.body);
    assert_eq!(reply.body["context"]["request"]["params"]["arguments"], json!({"n": 2}));
    assert_eq!(counter(&gateway), before + 1, "only the question itself");
}

#[test]
fn example_11_a_block_over_rest_is_an_error_envelope() {
    let gateway = TestGateway::start();
    pre(&gateway, "guard", r#"return {continue:false,error:{code:"NO",message:"not today"}}"#);
    let details = json!({"hook": "guard", "code": "NO"});
    rest(&gateway, json!({})).expect_fault(400, "VALIDATION_ERROR", "not today", details);
}
