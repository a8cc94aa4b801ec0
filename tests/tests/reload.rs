//! Reloading the config: by route, by signal, by watching (spec 1.11).

use serde_json::{Value, json};
use testkit::{Config, Folder, Signal, TestGateway, eventually, wait_gone};

fn started(config: &Config) -> TestGateway {
    TestGateway::builder().config_text(&config.yaml()).start()
}

fn reload(gateway: &TestGateway) -> testkit::Reply {
    gateway.post("/api/config/reload", json!({}))
}

fn names(gateway: &TestGateway) -> Vec<String> {
    gateway.health()["servers"].as_object().expect("a map").keys().cloned().collect()
}

#[test]
fn only_what_changed_is_started_stopped_or_restarted() {
    let gateway = started(&Config::new().server("same", |s| s).server("edited", |s| s).server("gone", |s| s));
    let pids = ["same", "edited", "gone"].map(|server| gateway.server_pid(server));
    gateway.rewrite(
        &Config::new().server("new", |s| s).server("edited", |s| s.env("EXTRA", "1")).server("same", |s| s),
    );
    assert_eq!(names(&gateway).len(), 3, "an edit alone has no effect");
    let reply = reload(&gateway);
    reply.expect_status(200);
    assert_eq!(reply.body, json!({"added": ["new"], "removed": ["gone"], "changed": ["edited"]}));
    for server in ["new", "edited", "same"] {
        gateway.wait_status(server, "running");
    }
    assert_eq!(gateway.server_pid("same"), pids[0], "untouched");
    assert_ne!(gateway.server_pid("edited"), pids[1]);
    assert_eq!(gateway.call("edited", "env", json!({})).result()["EXTRA"], "1");
    wait_gone(&pids[1..]);
    gateway.call("gone", "plain", json!({})).expect_code(404, "SERVER_NOT_FOUND");
    let mut servers: Vec<String> = gateway.tools().into_iter().map(|(server, _)| server).collect();
    servers.dedup();
    assert_eq!(servers, ["new", "edited", "same"], "the order of the new config");
}

#[test]
fn a_reload_without_a_change_does_nothing() {
    let gateway = started(&Config::new().server("same", |s| s.env("A", "b")));
    let pid = gateway.server_pid("same");
    assert_eq!(reload(&gateway).body, json!({"added": [], "removed": [], "changed": []}));
    assert_eq!(gateway.server_pid("same"), pid);
}

#[test]
fn a_file_that_does_not_validate_changes_nothing_and_says_why() {
    let gateway = started(&Config::new().server("same", |s| s));
    let pid = gateway.server_pid("same");
    let wrong = Config::new().server("other", |s| s).server("late", |s| s.timeout(400_000));
    gateway.rewrite(&wrong);
    let fault = reload(&gateway).expect_code(400, "VALIDATION_ERROR");
    assert!(fault.message.contains("servers[1].timeout exceeds maximum value (300000)"), "{}", fault.message);
    for text in ["servers: [", "servers: []", "restartPolicy: always\nservers: [{name: a, command: b}]"] {
        gateway.folder().write_config(text);
        reload(&gateway).expect_code(400, "VALIDATION_ERROR");
    }
    std::fs::remove_file(gateway.folder().config()).expect("the file is there");
    reload(&gateway).expect_code(400, "VALIDATION_ERROR");
    assert_eq!(names(&gateway), ["same"]);
    assert_eq!(gateway.server_pid("same"), pid);
}

#[test]
fn a_reload_reads_the_file_of_the_start_and_no_other() {
    let config = |name: &str| Config::new().server(name, |s| s).yaml();
    let folder = Folder::new();
    folder.write("config/config.yaml", &config("second"));
    let gateway = TestGateway::builder().seeking().start_in(folder);
    // A file that would be found first appears while it runs.
    let first = gateway.folder().write("lockgate.yaml", &config("first"));
    assert_eq!(reload(&gateway).body, json!({"added": [], "removed": [], "changed": []}));
    assert_eq!(gateway.get("/api/config").body["path"], "./config/config.yaml");
    let gateway = gateway.reopen();
    assert_eq!(names(&gateway), ["first"]);
    // The file goes away for a moment, and another one is still there.
    std::fs::rename(&first, gateway.folder().join("away.yaml")).expect("the file is there");
    let fault = reload(&gateway).expect_code(400, "VALIDATION_ERROR");
    assert_eq!(fault.message, "Config file not found: ./lockgate.yaml");
    gateway.get("/api/config").expect_code(400, "VALIDATION_ERROR");
    gateway.signal(Signal::HUP);
    eventually("the log says why", || {
        let told = |line: &&String| line.contains("Config file not found: ./lockgate.yaml");
        (gateway.log_lines().iter().filter(told).count() > 1).then_some(())
    });
    assert_eq!(names(&gateway), ["first"]);
}

#[test]
fn an_address_of_a_store_that_no_start_would_take_is_refused() {
    let gateway = started(&Config::new().server("same", |s| s));
    for (url, says) in [
        ("postgres://u@h/d?sslmode=bogus", "store.url "),
        ("postgres://h:notaport/d", "store.url "),
        ("redis://h:x", "store.url "),
        ("redis://h/notadb", "store.url "),
    ] {
        let file = Config::new().server("late", |s| s).setting(&format!("store: {{url: {}}}", json!(url)));
        gateway.rewrite(&file);
        let fault = reload(&gateway).expect_code(400, "VALIDATION_ERROR");
        assert!(fault.message.contains(says), "{url}: {}", fault.message);
        assert_eq!(fault.details["field"], "store.url", "{url}");
        gateway.get("/api/config").expect_code(400, "VALIDATION_ERROR");
    }
    assert_eq!(names(&gateway), ["same"]);
    // A good one is taken, and holds from the next start on.
    gateway.rewrite(&Config::new().server("same", |s| s).setting("store: {url: 'redis://127.0.0.1:1'}"));
    reload(&gateway).expect_status(200);
}

#[test]
fn a_hangup_signal_reloads_and_an_invalid_file_is_said_in_the_log() {
    let gateway = started(&Config::new().server("same", |s| s));
    let pid = gateway.server_pid("same");
    gateway.rewrite(&Config::new().server("same", |s| s).server("late", |s| s.timeout(400_000)));
    gateway.signal(Signal::HUP);
    eventually("the log says why", || {
        let lines = gateway.log_lines();
        lines.iter().any(|line| line.contains("servers[1].timeout")).then_some(())
    });
    assert_eq!(names(&gateway), ["same"]);
    gateway.rewrite(&Config::new().server("same", |s| s).server("late", |s| s));
    gateway.signal(Signal::HUP);
    eventually("the new server runs", || (gateway.status("late") == "running").then_some(()));
    assert_eq!(gateway.server_pid("same"), pid);
}

#[test]
fn a_watched_file_is_reloaded_when_it_changes() {
    let config = || Config::new().setting("config: { watch: true }").server("same", |s| s);
    let gateway = started(&config());
    let pid = gateway.server_pid("same");
    gateway.rewrite(&config().server("late", |s| s));
    eventually("the new server runs", || (gateway.status("late") == "running").then_some(()));
    assert_eq!(gateway.server_pid("same"), pid);
    std::fs::write(gateway.folder().config(), config().yaml()).expect("the file can be written in place");
    eventually("the server is gone again", || (names(&gateway) == ["same"]).then_some(()));
}

#[test]
fn a_server_that_fails_to_start_in_a_reload_never_ends_the_gateway() {
    let gateway = started(&Config::new().server("same", |s| s));
    gateway.rewrite(
        &Config::new()
            .server("same", |s| s)
            .server("broken", |s| s.env("FX_EXIT_AT_START", "2").required(true)),
    );
    reload(&gateway).expect_status(200);
    gateway.wait_status("broken", "stopped");
    gateway.call("same", "plain", json!({})).expect_status(200);
}

#[test]
fn other_settings_take_effect_for_requests_that_begin_afterwards() {
    let gateway = started(&Config::new().server("same", |s| s.timeout(300)));
    let sleep = || gateway.call("same", "sleep", json!({"ms": 3000})).status;
    assert_eq!(sleep(), 408);
    gateway.rewrite(
        &Config::new()
            .server("same", |s| s.timeout(300))
            .setting("http: { timeoutStatus: 504, resultMode: raw }\nlimits: { depth: 2 }"),
    );
    reload(&gateway).expect_status(200);
    assert_eq!(sleep(), 504);
    let raw = gateway.call("same", "echo", json!({"a": 1}));
    assert_eq!(raw.result()["content"][0]["text"], r#"{"a":1}"#);
    gateway.call("same", "echo", json!({"a": {"b": {}}})).expect_code(400, "VALIDATION_ERROR");
}

#[test]
fn calls_to_an_untouched_server_go_on_through_a_reload() {
    let gateway = started(&Config::new().server("same", |s| s));
    let call = gateway.call_later("same", "sleep", json!({"ms": 1000}));
    gateway.rewrite(&Config::new().server("same", |s| s).server("new", |s| s));
    reload(&gateway).expect_status(200);
    assert_eq!(call.join().expect("no panic").expect("an answer").result(), &json!({"slept": 1000}));
}

#[test]
fn an_added_server_is_not_touched_by_a_reload() {
    let gateway = started(&Config::new().server("same", |s| s));
    let entry = json!({"name": "added", "command": testkit::fixture()});
    gateway.post("/api/servers", entry).expect_status(201);
    gateway.wait_status("added", "running");
    let pid = gateway.server_pid("added");
    gateway.rewrite(&Config::new().server("same", |s| s).server("new", |s| s));
    assert_eq!(reload(&gateway).body, json!({"added": ["new"], "removed": [], "changed": []}));
    assert_eq!(gateway.server_pid("added"), pid);
}

#[test]
fn a_name_that_the_file_gives_up_belongs_to_the_server_of_the_api_again() {
    let gateway = started(&Config::new().server("same", |s| s));
    let entry = json!({"name": "y", "command": testkit::fixture(), "env": {"FROM": "api"}});
    gateway.post("/api/servers", entry).expect_status(201);
    gateway.rewrite(&Config::new().server("same", |s| s).server("y", |s| s.env("FROM", "file")));
    let gateway = gateway.reopen();
    assert_eq!(gateway.call("y", "env", json!({})).result()["FROM"], "file");
    gateway.rewrite(&Config::new().server("same", |s| s));
    assert_eq!(reload(&gateway).body, json!({"added": [], "removed": [], "changed": ["y"]}));
    gateway.wait_status("y", "running");
    assert_eq!(gateway.call("y", "env", json!({})).result()["FROM"], "api");
    assert_eq!(reload(&gateway).body, json!({"added": [], "removed": [], "changed": []}));
}

#[test]
fn an_address_that_is_no_longer_permitted_is_left_at_once() {
    let far = testkit::Served::start(|request, _| {
        let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let result = match body["method"].as_str() {
            Some("initialize") => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "far", "version": "1"}}),
            Some("tools/list") => json!({"tools": [{"name": "act", "inputSchema": {"type": "object"}}]}),
            Some("tools/call") => json!({"content": []}),
            _ => return testkit::Answered::json(400, &json!({})),
        };
        testkit::Answered::json(200, &json!({"jsonrpc": "2.0", "id": body["id"], "result": result}))
    });
    let origin = far.url().trim_end_matches("/mcp").to_owned();
    let file =
        |allow: &str| Config::new().server("same", |s| s).setting(&format!("outbound: {{allow: [{allow}]}}"));
    let permitted = file(&json!(origin).to_string());
    let gateway = started(&permitted);
    gateway.post("/api/servers", json!({"name": "far", "url": far.url()})).expect_status(201);
    gateway.wait_status("far", "running");
    gateway.rewrite(&file(""));
    reload(&gateway).expect_status(200);
    let calls = far.all().len();
    assert_ne!(gateway.call("far", "act", json!({})).status, 200);
    assert_eq!(far.all().len(), calls, "nothing goes there any more");
    let servers = gateway.get("/api/servers").body;
    assert!(servers.to_string().contains("its url is not permitted by outbound.allow"), "{servers}");
    gateway.rewrite(&permitted);
    reload(&gateway).expect_status(200);
    gateway.call("far", "act", json!({})).expect_status(200);
}

#[test]
fn a_script_of_the_file_that_does_not_compile_is_told_like_everything_else_in_it() {
    let gateway = started(&Config::new().server("same", |s| s));
    let text = "activities: [{name: a, run: {script: 'return (('}}]";
    gateway.rewrite(&Config::new().server("same", |s| s).setting(text));
    let fault = reload(&gateway).expect_code(400, "VALIDATION_ERROR");
    let begins = "Error: Invalid config.yaml: activities[0].run.script does not compile";
    assert!(fault.message.starts_with(begins), "{}", fault.message);
    // Whoever sends a signal reads the log.
    let told =
        |gateway: &TestGateway| gateway.log_lines().iter().filter(|line| line.contains(begins)).count();
    let before = told(&gateway);
    gateway.signal(Signal::HUP);
    eventually("the log says why", || (told(&gateway) > before).then_some(()));
}

#[test]
fn expanded_values_are_read_again() {
    let gateway = started(&Config::new().server("same", |s| s.env("V", "${NOT_SET}x")));
    assert_eq!(gateway.call("same", "env", json!({})).result()["V"], Value::from("x"));
    gateway.rewrite(&Config::new().server("same", |s| s.env("V", "y")));
    assert_eq!(reload(&gateway).body["changed"], json!(["same"]));
    gateway.wait_status("same", "running");
    assert_eq!(gateway.call("same", "env", json!({})).result()["V"], Value::from("y"));
}
