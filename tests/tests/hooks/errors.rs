//! Scripts that fail (spec 2.7).

use super::*;
use testkit::eventually;

/// Scripts that fail, their code, and how their message ends.
const FAILURES: [(&str, &str, &str); 8] = [
    ("throw new Error('boom')", "SCRIPT_ERROR", "boom"),
    ("throw 'plain text'", "SCRIPT_ERROR", "plain text"),
    ("null.x", "SCRIPT_ERROR", ""),
    ("return Promise.reject(new TypeError('later'))", "SCRIPT_ERROR", "later"),
    ("return 5", "SCRIPT_ERROR", ""),
    ("return 'yes'", "SCRIPT_ERROR", ""),
    ("return {continue: 'yes'}", "SCRIPT_ERROR", ""),
    ("while (true) {}", "TIMEOUT", "Script execution timed out"),
];

#[test]
fn a_failing_hook_is_as_if_it_were_absent_unless_it_stops() {
    let gateway = plan().setting("hooks: {timeoutMs: 1000}").start();
    for kind in ["pre", "post"] {
        for (n, (script, _, _)) in FAILURES.iter().enumerate() {
            let script =
                format!("context.request.params.arguments.half = 1; context.response = {{}}; {script}");
            let id = create(&gateway, hook(kind, &format!("h{n}"), &script));
            assert_eq!(rest(&gateway, json!({"a": 1})).result(), &json!({"a": 1}), "{kind}: {script}");
            let client = Client::legacy(gateway.http());
            assert_eq!(echoed(&client, json!({"a": 1})), json!({"a": 1}), "{kind}: {script}");
            delete(&gateway, &id);
        }
    }
}

#[test]
fn a_guard_that_fails_stops_the_request_and_says_so() {
    let gateway = plan().setting("hooks: {timeoutMs: 1000}").start();
    for kind in ["pre", "post"] {
        for (script, code, end) in FAILURES {
            let id = create(&gateway, stopping(hook(kind, "guard", script)));
            let before = counter(&gateway);
            let fault = rest(&gateway, json!({})).expect_code(500, "TOOL_EXECUTION_ERROR");
            assert!(fault.message.contains("guard") && fault.message.ends_with(end), "{}", fault.message);
            assert_eq!((&fault.details["hook"], &fault.details["code"]), (&json!("guard"), &json!(code)));
            let error = Client::legacy(gateway.http()).call_error("echo", json!({}));
            assert_eq!(
                (&error["code"], &error["data"]["code"]),
                (&json!(-32603), &json!("TOOL_EXECUTION_ERROR"))
            );
            assert_eq!(error["data"]["details"]["code"], code, "{error}");
            assert_eq!(error["data"]["details"]["hook"], "guard", "{error}");
            assert!(error["message"].as_str().is_some_and(|text| text.ends_with(end)), "{error}");
            let called = if kind == "pre" { 1 } else { 3 };
            assert_eq!(counter(&gateway), before + called, "{kind}: {script}");
            delete(&gateway, &id);
        }
    }
}

#[test]
fn a_block_is_a_verdict_whatever_on_error_says() {
    let gateway = TestGateway::start();
    let id = pre(&gateway, "guard", "return {continue: false, error: {message: 'no'}}");
    for on_error in ["continue", "stop"] {
        patch(&gateway, &id, json!({"onError": on_error}));
        assert_eq!(rest(&gateway, json!({})).expect_code(400, "VALIDATION_ERROR").message, "no");
    }
}

#[test]
fn a_failure_is_logged_with_the_hook_and_its_place_in_the_script() {
    let gateway = TestGateway::start();
    let body =
        json!({"name": "fragile", "hookType": "pre", "script": "const a = 1;\nthrow new Error('boom')"});
    let id = create(&gateway, body);
    rest(&gateway, json!({})).expect_status(200);
    let line = eventually("the line in the log", || {
        gateway.log().into_iter().find(|line| line["hookId"] == id.as_str() && line["code"] == "SCRIPT_ERROR")
    });
    assert_eq!((&line["hook"], &line["line"]), (&json!("fragile"), &json!(2)), "{line}");
    assert!(line.to_string().contains("boom"), "{line}");
}

#[test]
fn post_hooks_see_why_a_call_failed_and_cannot_change_it() {
    let gateway = TestGateway::with(|s| s.timeout(300));
    let id = post(&gateway, "h", "");
    let behind = post(&gateway, "behind", "");
    for verdict in [
        "",
        "return {continue: false, error: {code: 'X', message: 'mine'}}",
        "return {continue: true, response: {content: []}}",
        "context.response = {content: []}; return {context}",
        "throw new Error('mine')",
    ] {
        let script =
            format!("console.log(JSON.stringify([context.metadata.error, context.response])); {verdict}");
        patch(&gateway, &id, json!({"script": script, "onError": "stop"}));
        let failing = json!({"code": -32050, "message": "theirs", "data": {"a": 1}});
        let error = Client::legacy(gateway.http()).call_error("rpc", failing.clone());
        assert_eq!(error, failing, "{verdict}");
        let fault =
            gateway.call("test-server", "sleep", json!({"ms": 5000})).expect_code(408, "TIMEOUT_ERROR");
        assert!(fault.message.contains("timed out"), "{}", fault.message);
    }
    let told = gateway.get(&format!("/api/hooks/{behind}")).body;
    assert_eq!(told["stats"]["executions"], 10, "the hook behind it ran each time: {told}");
    for part in
        [r#"{\"code\":-32050,\"message\":\"theirs\",\"data\":{\"a\":1}}"#, r#"\"code\":\"TIMEOUT_ERROR\""#]
    {
        eventually("the errors are in the log", || {
            gateway.log_lines().iter().any(|line| line.contains(part)).then_some(())
        });
    }
}

#[test]
fn a_tool_that_says_it_failed_has_a_reply_like_any_other() {
    let gateway = TestGateway::start();
    post(
        &gateway,
        "h",
        "if (context.response.isError && !context.metadata.error) context.response.content[0].text += ' Try tokyo.'",
    );
    let fault = gateway
        .call("test-server", "fetch-weather", json!({"city": "x"}))
        .expect_code(500, "TOOL_EXECUTION_ERROR");
    assert_eq!(fault.message, "Invalid city. Try tokyo.");
}

#[test]
fn what_cannot_be_sent_runs_no_hook() {
    let gateway = TestGateway::start();
    let id = pre(&gateway, "h", "return {response: {content: []}}");
    gateway.call("nobody", "echo", json!({})).expect_code(404, "SERVER_NOT_FOUND");
    gateway.call("test-server", "nothing", json!({})).expect_code(404, "TOOL_NOT_FOUND");
    gateway.call("test-server", "echo", json!({"__proto__": 1})).expect_code(400, "VALIDATION_ERROR");
    assert_eq!(gateway.get(&format!("/api/hooks/{id}")).body["stats"]["executions"], 0);
}
