//! The log: shape, levels, and what is never in it (spec 1.3, 1.15).

use serde_json::{Value, json};
use testkit::{Client, TestGateway, eventually};

/// The log line of a request to this path, once it is there.
#[track_caller]
fn line_of(gateway: &TestGateway, path: &str, test: impl Fn(&Value) -> bool) -> Value {
    eventually(&format!("a log line for {path}"), || {
        gateway.log().into_iter().find(|line| line["path"] == path && test(line))
    })
}

fn has_value(line: &Value, wanted: &str) -> bool {
    match line {
        Value::Object(fields) => fields.values().any(|value| has_value(value, wanted)),
        other => other == wanted,
    }
}

#[test]
fn every_line_is_one_json_object_with_a_time_and_a_level() {
    let gateway = TestGateway::builder().server("test-server", |s| s).env("LOG_LEVEL", "debug").start();
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    gateway.call("test-server", "noise", json!({})).expect_status(200);
    gateway.call("test-server", "crash", json!({"code": 1})).expect_code(502, "SERVER_CRASHED");
    line_of(&gateway, "/mcp/call", |line| has_value(line, "SERVER_CRASHED"));
    for text in gateway.log_lines() {
        let line: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
        assert!(line.is_object(), "{text}");
        assert!(["time", "timestamp", "ts"].iter().any(|key| line.get(key).is_some()), "{text}");
        assert!(line["level"].is_string(), "{text}");
    }
}

#[test]
fn every_request_is_logged_with_method_path_tool_server_and_error_code() {
    let gateway = TestGateway::start();
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    let line = line_of(&gateway, "/mcp/call", |line| line["tool"] == "plain");
    assert_eq!((&line["method"], &line["server"]), (&json!("POST"), &json!("test-server")));
    gateway.call("test-server", "fetch-weather", json!({"city": "x"})).expect_status(500);
    let line = line_of(&gateway, "/mcp/call", |line| line["tool"] == "fetch-weather");
    assert!(has_value(&line, "TOOL_EXECUTION_ERROR"), "{line}");
    gateway.post("/mcp/call", json!({})).expect_status(400);
    line_of(&gateway, "/mcp/call", |line| has_value(line, "VALIDATION_ERROR"));
    gateway.get("/nowhere").expect_status(404);
    let line = line_of(&gateway, "/nowhere", |_| true);
    assert_eq!(line["method"], "GET");
    assert!(has_value(&line, "NOT_FOUND"), "{line}");
    gateway.delete("/health").expect_status(405);
    line_of(&gateway, "/health", |line| line["method"] == "DELETE");
    gateway.get("/api/servers").expect_status(200);
    line_of(&gateway, "/api/servers", |line| line["method"] == "GET");
}

#[test]
fn inputs_results_and_environment_values_are_never_logged() {
    let secret = |what: &str| format!("s3cr3t-{what}");
    let gateway = TestGateway::builder()
        .server("test-server", |s| {
            s.env("API_KEY", "s3cr3t-env")
                .env("FROM_OUTSIDE", "${OUTSIDE}")
                .env("FX_HOSTILE", "1")
                .timeout(300)
        })
        .env("OUTSIDE", "s3cr3t-outside")
        .env("LOG_LEVEL", "debug")
        .env("LOG_INCLUDE_STACK", "true")
        .start();
    let call = |tool: &str, input: Value| gateway.call("test-server", tool, input);
    call("echo", json!({"a": secret("input")})).expect_status(200);
    call("env", json!({})).expect_status(200);
    call("fetch-weather", json!({"city": secret("city")})).expect_status(500);
    call("rpc", json!({"code": -32602, "message": secret("message"), "data": {"field": secret("data")}}))
        .expect_status(400);
    call("rpc", json!({"code": -32603, "message": secret("message")})).expect_status(500);
    call("sleep", json!({"ms": 2000, "note": secret("note")})).expect_status(408);
    call("noise", json!({})).expect_status(200);
    call("bad", json!({"kind": "neither", "x": secret("bad")})).expect_status(500);
    call("echo", json!({"constructor": secret("forbidden")})).expect_status(400);
    gateway
        .post_raw("/mcp/call", "application/json", format!("{{\"server\": {}", secret("body")))
        .expect_status(400);
    call("crash", json!({"code": 1, "note": secret("crash")})).expect_status(502);
    gateway.get("/nowhere").expect_status(404);
    line_of(&gateway, "/nowhere", |_| true);
    let log = gateway.log_lines().join("\n");
    let leaks: Vec<&str> = log.lines().filter(|line| line.contains("s3cr3t")).collect();
    assert!(leaks.is_empty(), "secrets are in the log: {leaks:#?}");
    assert!(!log.contains("this line is noise"), "noise is noted without its text");
}

#[test]
fn what_an_added_server_is_given_is_never_logged() {
    let gateway = TestGateway::builder().server("test-server", |s| s).env("LOG_LEVEL", "debug").start();
    let entry = json!({"name": "added", "command": testkit::fixture(), "env": {"API_KEY": "s3cr3t-env"}});
    gateway.post("/api/servers", entry).expect_status(201);
    gateway.wait_status("added", "running");
    gateway.delete("/api/servers/added").expect_status(204);
    line_of(&gateway, "/api/servers/added", |_| true);
    assert!(!gateway.log_lines().join("\n").contains("s3cr3t"));
}

#[test]
fn the_level_is_taken_in_any_case() {
    for (level, logged) in
        [("info", true), ("INFO", true), ("Debug", true), ("ERROR", false), ("warn", false)]
    {
        let gateway = TestGateway::builder().server("test-server", |s| s).env("LOG_LEVEL", level).start();
        gateway.call("test-server", "plain", json!({})).expect_status(200);
        if logged {
            line_of(&gateway, "/mcp/call", |_| true);
            continue;
        }
        // An error is logged at these levels too, and comes after the call.
        gateway.call("test-server", "crash", json!({"code": 1})).expect_status(502);
        eventually("the crash is in the log", || (!gateway.log().is_empty()).then_some(()));
        assert!(!gateway.log().iter().any(|line| line["tool"] == "plain"), "{level}");
    }
}

#[test]
fn a_crash_is_logged_with_the_name_of_the_server() {
    let gateway = TestGateway::start();
    gateway.call("test-server", "crash", json!({"code": 1})).expect_status(502);
    eventually("the crash is in the log", || {
        let error = |line: &Value| {
            line["level"].as_str().is_some_and(|level| level.eq_ignore_ascii_case("error"))
                && has_value(line, "test-server")
        };
        gateway.log().iter().any(error).then_some(())
    });
}

#[test]
fn a_request_to_the_endpoint_that_is_refused_is_logged_with_its_code() {
    let gateway = TestGateway::start();
    let client = Client::modern(gateway.http());
    client.call_error("nono", json!({}));
    let line = line_of(&gateway, "/mcp", |line| line["code"] == "TOOL_NOT_FOUND");
    assert_eq!(line["tool"], "nono");
    client.call_error("s3cr3t/no name", json!({}));
    client.error("no/such", json!({}));
    line_of(&gateway, "/mcp", |line| line["code"] == "NOT_FOUND");
    gateway.post_raw("/mcp", "application/json", "{ s3cr3t").expect_status(400);
    line_of(&gateway, "/mcp", |line| line["code"] == "VALIDATION_ERROR" && line["status"] == 400);
    assert!(!gateway.log_lines().iter().any(|line| line.contains("s3cr3t")));
}
