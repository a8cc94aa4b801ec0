//! The admin routes of servers (spec 1.3).

use serde_json::{Value, json};
use testkit::{TestGateway, eventually, wait_gone};

fn entry(name: &str) -> Value {
    json!({"name": name, "command": testkit::fixture()})
}

fn names(gateway: &TestGateway) -> Vec<(String, String)> {
    let reply = gateway.get("/api/servers");
    reply.expect_status(200);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let servers = reply.body.as_array().expect("an array").clone();
    servers.iter().map(|server| (text(&server["name"]), text(&server["status"]))).collect()
}

fn pair(name: &str, status: &str) -> (String, String) {
    (name.to_owned(), status.to_owned())
}

#[test]
fn servers_are_listed_with_status_and_last_error_and_without_secrets() {
    let gateway =
        TestGateway::builder().server("s1", |s| s.env("API_KEY", "s3cret-value")).server("s2", |s| s).start();
    assert_eq!(names(&gateway), [pair("s1", "running"), pair("s2", "running")]);
    gateway.call("s2", "crash", json!({"code": 9})).expect_code(502, "SERVER_CRASHED");
    assert_eq!(names(&gateway), [pair("s1", "running"), pair("s2", "crashed")]);
    let reply = gateway.get("/api/servers");
    let error = &reply.body[1]["lastError"];
    assert!(error.as_str().is_some_and(|text| !text.is_empty()), "{}", reply.text());
    assert!(reply.body[0]["lastError"].is_null(), "{}", reply.text());
    assert!(!reply.text().contains("s3cret-value"));
}

#[test]
fn why_a_server_does_not_start_is_told_without_its_command() {
    let gateway = TestGateway::start();
    for (name, command, why) in [
        ("gone", "/opt/zq/c2", "command does not exist"),
        ("nowhere", "zq-c2", "command not found on PATH; install it or give its full path"),
    ] {
        let reply = gateway.post("/api/servers", json!({"name": name, "command": command}));
        reply.expect_status(201);
        assert_eq!(reply.body["lastError"], why);
        assert!(!gateway.get("/api/servers").text().contains(command));
        let told = |line: &String| line.contains("could not be started") && line.contains(command);
        eventually("the log names it", || gateway.log_lines().iter().any(told).then_some(()));
    }
}

#[test]
fn a_server_can_be_added_called_and_removed() {
    let gateway = TestGateway::start();
    let mut added = entry("added");
    added["env"] = json!({"API_KEY": "s3cret-value"});
    let reply = gateway.post("/api/servers", added);
    reply.expect_status(201);
    assert_eq!(reply.body["name"], "added");
    assert!(!reply.text().contains("s3cret-value"), "{}", reply.text());
    gateway.wait_status("added", "running");
    assert_eq!(names(&gateway), [pair("test-server", "running"), pair("added", "running")]);
    assert_eq!(gateway.call("added", "env", json!({})).result()["API_KEY"], "s3cret-value");
    let servers: Vec<String> = gateway.tools().into_iter().map(|(server, _)| server).collect();
    assert_eq!((servers.len(), servers[0].as_str(), servers[39].as_str()), (40, "test-server", "added"));

    let pid = gateway.server_pid("added");
    let reply = gateway.delete("/api/servers/added");
    reply.expect_status(204);
    assert!(reply.bytes.is_empty());
    wait_gone(&[pid]);
    gateway.call("added", "plain", json!({})).expect_code(404, "SERVER_NOT_FOUND");
    assert_eq!(names(&gateway), [pair("test-server", "running")]);
    assert_eq!(gateway.tools().len(), 20);
    assert_eq!(gateway.health()["servers"], json!({"test-server": "running"}));
    gateway.delete("/api/servers/added").expect_code(404, "NOT_FOUND");
    gateway.post("/api/servers", entry("added")).expect_status(201);
}

#[test]
fn a_server_that_is_starting_says_so() {
    let gateway = TestGateway::start();
    let mut slow = entry("slow");
    slow["envs"] = json!([{"name": "FX_START_DELAY", "value": "1500"}]);
    let later = gateway
        .http()
        .send_later(testkit::Request::new("POST", "/api/servers").body("application/json", slow.to_string()));
    gateway.wait_status("slow", "starting");
    gateway.call("slow", "anything", json!({})).expect_fault(
        503,
        "SERVER_NOT_RUNNING",
        "MCP Server 'slow' is not running",
        json!({"server": "slow", "serverName": "slow", "status": "starting"}),
    );
    assert_eq!(gateway.health()["status"], "degraded");
    later.join().expect("no panic").expect("an answer").expect_status(201);
    gateway.wait_status("slow", "running");
}

#[test]
fn an_added_server_that_cannot_start_never_ends_the_gateway() {
    let gateway = TestGateway::start();
    let broken = json!({"name": "broken", "command": "/no/such/program", "required": true});
    gateway.post("/api/servers", broken).expect_status(201);
    gateway.wait_status("broken", "stopped");
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    let gateway = gateway.reopen();
    assert_eq!(gateway.status("broken"), "stopped");
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    gateway.delete("/api/servers/broken").expect_status(204);
}

#[test]
fn a_name_must_be_free() {
    let gateway = TestGateway::start();
    gateway.post("/api/servers", entry("test-server")).expect_code(409, "CONFLICT");
    gateway.post("/api/servers", entry("added")).expect_status(201);
    gateway.post("/api/servers", entry("added")).expect_code(409, "CONFLICT");
    assert_eq!(names(&gateway).len(), 2);
}

#[test]
fn an_entry_that_breaks_a_rule_is_refused_whole() {
    let gateway = TestGateway::start();
    let with = |field: &str, value: Value| {
        let mut entry = entry("added");
        entry[field] = value;
        entry
    };
    for wrong in [
        json!({}),
        json!([]),
        json!({"name": "added"}),
        json!({"command": "x"}),
        with("name", json!("a.b")),
        with("name", json!("a".repeat(51))),
        with("name", json!(7)),
        with("timeout", json!(0)),
        with("timeout", json!(300_001)),
        with("timeout", json!("5000")),
        with("envs", json!({"A": "b"})),
        with("envs", json!([{"name": "lower", "value": "x"}])),
        with("args", json!(["x".repeat(1001)])),
        with("url", json!("http://127.0.0.1:9/mcp")),
        json!({"name": "added", "url": "http://127.0.0.1:9/mcp"}),
    ] {
        let reply = gateway.post("/api/servers", wrong.clone());
        assert_eq!(reply.expect_code(400, "VALIDATION_ERROR").status, 400, "{wrong}");
    }
    let neither = json!({"name": "added"});
    for wrong in [json!([]), json!(null), neither, with("url", json!("http://127.0.0.1:9/mcp"))] {
        let fault = gateway.post("/api/servers", wrong).expect_code(400, "VALIDATION_ERROR");
        assert_eq!(fault.details["field"], "body");
        assert!(fault.message.starts_with("body must "), "{}", fault.message);
    }
    gateway.post_raw("/api/servers", "application/json", "{").expect_code(400, "VALIDATION_ERROR");
    assert_eq!(names(&gateway), [pair("test-server", "running")]);
    assert_eq!(gateway.reopen().health()["servers"], json!({"test-server": "running"}));
}

#[test]
fn a_server_of_the_config_cannot_be_removed_and_an_unknown_one_is_not_found() {
    let gateway = TestGateway::start();
    gateway.delete("/api/servers/test-server").expect_code(409, "CONFLICT");
    gateway.delete("/api/servers/nobody").expect_code(404, "NOT_FOUND");
    gateway.post("/api/servers/nobody/restart", json!({})).expect_code(404, "NOT_FOUND");
    gateway.get("/api/servers/nobody/logs").expect_code(404, "NOT_FOUND");
    gateway.call("test-server", "plain", json!({})).expect_status(200);
}

#[test]
fn added_servers_come_back_with_the_gateway() {
    let gateway = TestGateway::start();
    let mut added = entry("added");
    added["env"] = json!({"WHO": "me"});
    added["timeout"] = json!(1234);
    gateway.post("/api/servers", added).expect_status(201);
    gateway.wait_status("added", "running");
    assert!(gateway.folder().data().join("lockgate.db").exists());
    let gateway = gateway.reopen();
    gateway.wait_status("added", "running");
    assert_eq!(gateway.call("added", "env", json!({})).result()["WHO"], "me");
    let timeout = gateway.get("/mcp/tools").body["tools"][39]["timeout"].clone();
    assert_eq!(timeout, 1234);
    gateway.delete("/api/servers/added").expect_status(204);
    let gateway = gateway.reopen();
    assert_eq!(gateway.health()["servers"], json!({"test-server": "running"}));
}

#[test]
fn a_store_in_memory_forgets_added_servers() {
    let gateway =
        TestGateway::builder().server("test-server", |s| s).setting("store: { url: \"memory:\" }").start();
    gateway.post("/api/servers", entry("added")).expect_status(201);
    gateway.wait_status("added", "running");
    assert!(!gateway.folder().data().join("lockgate.db").exists());
    assert_eq!(gateway.reopen().health()["servers"], json!({"test-server": "running"}));
}

#[test]
fn the_store_may_be_another_sqlite_file() {
    let gateway = TestGateway::builder()
        .server("test-server", |s| s)
        .setting("store: { url: \"sqlite:./other.db\" }")
        .start();
    gateway.post("/api/servers", entry("added")).expect_status(201);
    assert!(gateway.folder().join("other.db").exists());
    let gateway = gateway.reopen();
    gateway.wait_status("added", "running");
}

#[test]
fn the_logs_are_the_last_lines_of_standard_error_with_values_masked() {
    let script = "echo 'first words' >&2; echo \"the key is $API_KEY.\" >&2; exec FIXTURE";
    let gateway = TestGateway::with(|s| s.shell(script).env("API_KEY", "s3cret-value"));
    let lines = eventually("both lines are there", || {
        let reply = gateway.get("/api/servers/test-server/logs");
        reply.expect_status(200);
        let lines: Vec<String> = serde_json::from_value(reply.body).expect("an array of strings");
        (lines.len() >= 2).then_some(lines)
    });
    assert_eq!(lines[0], "first words");
    assert!(lines[1].starts_with("the key is ") && lines[1].ends_with('.'), "{lines:?}");
    assert!(!lines.concat().contains("s3cret-value"), "{lines:?}");
    let quiet = TestGateway::start().get("/api/servers/test-server/logs");
    assert_eq!((quiet.status, quiet.body), (200, json!([])));
}

#[test]
fn the_logs_of_a_server_that_could_not_start_are_kept() {
    let gateway = TestGateway::builder()
        .server("good", |s| s)
        .server("broken", |s| s.shell("echo no luck >&2; exit 1").required(false))
        .start();
    let logs = gateway.get("/api/servers/broken/logs").body;
    let lines = logs.as_array().expect("an array");
    assert!(!lines.is_empty() && lines.iter().all(|line| line == "no luck"), "{lines:?}");
    let error = gateway.get("/api/servers").body[1]["lastError"].clone();
    assert!(error.is_string(), "{error}");
}
