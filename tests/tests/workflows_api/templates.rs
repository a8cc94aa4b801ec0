//! The templates that come with the product: each is made, activated and passed through.

use super::*;
use testkit::Client;

/// Makes a workflow from a template and activates it.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "callers write the parameters in place")]
fn make(gateway: &TestGateway, template: &str, parameters: Value) -> String {
    let reply =
        gateway.post(&format!("/api/workflow-templates/{template}"), json!({"parameters": parameters}));
    reply.expect_status(201);
    assert_eq!(
        (&reply.body["enabled"], &reply.body["valid"]),
        (&json!(false), &json!(true)),
        "{}",
        reply.text()
    );
    let id = reply.body["id"].as_str().expect("an id").to_owned();
    activate(gateway, &id).expect_status(200);
    id
}

#[test]
fn templates_are_listed_with_what_they_ask_for() {
    let gateway = start();
    let list = gateway.get("/api/workflow-templates");
    let all = list.body.as_array().expect("a list");
    assert_eq!(all.len(), 8);
    let one = all.iter().find(|one| one["name"] == "slow-call-alarm").expect("a template");
    assert_eq!(
        (&one["parameters"][0]["name"], &one["parameters"][0]["default"]),
        (&json!("thresholdMs"), &json!(1000))
    );
    gateway.post("/api/workflow-templates/nothing", json!({})).expect_code(404, "NOT_FOUND");
    let fault =
        gateway.post("/api/workflow-templates/allow-list", json!({})).expect_code(400, "VALIDATION_ERROR");
    assert_eq!(fault.details["field"], "parameters.tools");
    let named = json!({"name": "Mine", "parameters": {"tools": ["echo"]}});
    assert_eq!(gateway.post("/api/workflow-templates/allow-list", named).body["name"], "Mine");
}

#[test]
fn templates_that_guard_calls_do_so() {
    let gateway = start();
    make(&gateway, "allow-list", json!({"tools": ["echo"]}));
    gateway.call("test-server", "echo", json!({})).expect_status(200);
    let refused = gateway.call("test-server", "plain", json!({})).text();
    assert!(refused.contains("Tool 'plain' is not on the allow-list"), "{refused}");

    make(&gateway, "guard-arguments", json!({"patterns": ["rm\\s+-rf"], "message": "Not here"}));
    gateway.call("test-server", "echo", json!({"cmd": "ls"})).expect_status(200);
    let refused = gateway.call("test-server", "echo", json!({"deep": [{"cmd": "RM  -rf /"}]})).text();
    assert!(refused.contains("Not here"), "{refused}");

    make(&gateway, "argument-defaults", json!({"tool": "echo", "defaults": {"a": 1, "b": 2}}));
    assert_eq!(gateway.call("test-server", "echo", json!({"b": 3})).result(), &json!({"a": 1, "b": 3}));
}

#[test]
fn templates_that_shape_replies_do_so() {
    let gateway = start();
    make(&gateway, "redact-secrets", json!({"replacement": "***"}));
    let reply = gateway.call("test-server", "echo", json!({"mail": "someone@example.com"}));
    assert_eq!(reply.result()["mail"], "***");
    make(&gateway, "shape-replies", json!({"maxCharacters": 10}));
    let client = Client::legacy(gateway.http());
    let result = client.call("echo", json!({"long": "x".repeat(50)}));
    let text = result["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("{\"long\":\"x") && text.ends_with("more characters]"), "{text}");
    make(&gateway, "hide-tools", json!({"tools": ["echo"]}));
    let names: Vec<_> = gateway.tools().into_iter().map(|(_, name)| name).collect();
    assert!(!names.contains(&"echo".to_owned()) && names.contains(&"plain".to_owned()), "{names:?}");
}

#[test]
fn templates_that_watch_write_to_the_log() {
    let gateway = start();
    let id = make(&gateway, "log-calls", json!({}));
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    let line = done(&gateway, &id, "hook")["console"][0]["text"].clone();
    assert!(line.as_str().is_some_and(|text| text.contains("called test-server/plain")), "{line}");
    let id = make(&gateway, "slow-call-alarm", json!({"thresholdMs": 100}));
    gateway.call("test-server", "sleep", json!({"ms": 150})).expect_status(200);
    let result = done(&gateway, &id, "hook");
    assert_eq!(result["console"][0]["level"], "warn", "{result}");
}
