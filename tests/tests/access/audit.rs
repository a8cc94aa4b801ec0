//! The audit log: who did what, in a chain.

use super::{CALLER, EDITOR, EXPIRED, OPERATOR, WRONG, builder, call, request, with_roles};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::io::Write;
use testkit::{Client, Folder, Request, Signal, TestGateway, eventually, fixture};

fn entries(gateway: &TestGateway, query: &str) -> Vec<Value> {
    let reply = gateway.http().with_key(OPERATOR).send(&Request::new("GET", &format!("/api/audit{query}")));
    reply.expect_status(200);
    reply.body.as_array().expect("a list").clone()
}

fn digest(text: &str) -> String {
    let bytes = Sha256::digest(text.as_bytes());
    bytes.iter().fold("sha256:".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

#[test]
fn changes_are_always_recorded_and_calls_only_where_it_is_asked_for() {
    let gateway = with_roles().start();
    let http = gateway.http();
    let hook = json!({"name": "h", "hookType": "pre", "script": "return {continue: true};"});
    http.with_key(EDITOR).send(&request("POST", "/api/hooks", &hook)).expect_status(201);
    http.with_key(EDITOR).send(&Request::new("POST", "/api/config/reload")).expect_status(403);
    http.with_key(EDITOR).send(&request("POST", "/api/hooks", &json!({}))).expect_status(400);
    // What is only checked or tried changes nothing.
    let draft = json!({"script": hook["script"], "phase": "pre", "context": {}});
    http.with_key(EDITOR).send(&request("POST", "/api/hooks/test", &draft)).expect_status(200);
    http.with_key(EDITOR).send(&request("POST", "/api/hooks/validate", &hook)).expect_status(200);
    call(http.with_key(CALLER), "test-server", "plain", json!({})).expect_status(200);
    let found = entries(&gateway, "");
    let told: Vec<Value> = found
        .iter()
        .map(|entry| {
            json!([
                entry["kind"],
                entry["who"],
                entry["subject"],
                entry["details"]["method"],
                entry["details"]["status"]
            ])
        })
        .collect();
    assert_eq!(
        told,
        [
            json!(["refusal", "edda", "/api/config/reload", "POST", 403]),
            json!(["change", "edda", "/api/hooks", "POST", 201]),
        ]
    );
    assert_eq!(found[0]["details"]["source"], "127.0.0.1");
    assert_eq!(found[0]["previous"], found[1]["hash"]);
}

#[test]
fn a_change_whose_client_leaves_before_the_answer_is_recorded_too() {
    let gateway = with_roles().start();
    let http = gateway.http().with_key(OPERATOR);
    // Of a sign-in, which anybody may begin, nothing goes on.
    let begun = "POST /api/session HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{";
    http.connect().and_then(|mut stream| stream.write_all(begun.as_bytes())).expect("sent");
    let slow = json!({"name": "slow", "command": fixture(), "env": {"FX_HANG_INIT": "1"}});
    let connection = http.begin(&request("POST", "/api/servers", &slow)).expect("sent");
    eventually("the server is there", || {
        let servers = http.send(&Request::new("GET", "/api/servers")).body;
        servers.as_array()?.iter().any(|server| server["name"] == "slow").then_some(())
    });
    drop(connection);
    let change = eventually("it is recorded", || entries(&gateway, "?kind=change").pop());
    assert_eq!(entries(&gateway, "?kind=change").len(), 1);
    assert_eq!(json!([change["who"], change["subject"]]), json!(["otto", "/api/servers"]));
    assert_eq!((&change["details"]["method"], &change["details"]["status"]), (&json!("POST"), &json!(499)));
}

#[test]
fn a_call_leaves_its_outcome_its_hooks_and_a_digest_of_its_arguments() {
    let gateway = with_roles().setting("audit: {calls: true}").start();
    let http = gateway.http().with_key(CALLER);
    let hook = json!({"name": "guard", "hookType": "pre", "script": "return {continue: true};"});
    gateway.http().with_key(OPERATOR).send(&request("POST", "/api/hooks", &hook)).expect_status(201);
    call(http, "test-server", "echo", json!({"secret": "s3cret-argument"})).expect_status(200);
    call(http, "test-server", "nono", json!({})).expect_status(404);
    Client::modern(http).call("echo", json!({"a": 1}));
    let found = entries(&gateway, "?kind=call");
    let told: Vec<Value> = found
        .iter()
        .map(|entry| json!([entry["who"], entry["subject"], entry["details"]["outcome"]]))
        .collect();
    assert_eq!(
        told,
        [
            json!(["carl", "test-server/echo", "OK"]),
            json!(["carl", "test-server/nono", "TOOL_NOT_FOUND"]),
            json!(["carl", "test-server/echo", "OK"]),
        ]
    );
    assert_eq!(found[2]["details"]["arguments"], digest(r#"{"secret":"s3cret-argument"}"#));
    assert_eq!(found[0]["details"]["arguments"], digest(r#"{"a":1}"#));
    assert_eq!(found[2]["details"]["hooks"], "guard@1 pre continue");
    assert!(!json!(found).to_string().contains("s3cret"));
    assert_eq!(entries(&gateway, "?who=carl&subject=test-server/nono").len(), 1);
    let last = &found[1]["number"];
    assert_eq!(entries(&gateway, &format!("?kind=call&before={last}&limit=5")).len(), 1);
    for (query, field, rule) in [
        ("limit=0", "limit", "must be an integer between 1 and 1000"),
        ("before=x", "before", "must be the number of an entry"),
        ("kind=calls", "kind", "must be one of call, change, refusal, lost, trim"),
    ] {
        let path = format!("/api/audit?{query}");
        let wrong = gateway.http().with_key(OPERATOR).send(&Request::new("GET", &path));
        wrong.expect_fault(400, "VALIDATION_ERROR", &format!("{field} {rule}"), json!({"field": field}));
    }
}

#[test]
fn of_many_calls_at_once_each_entry_has_the_digest_of_its_own_arguments() {
    let gateway = with_roles().setting("audit: {calls: true}").start();
    // Short ones and long ones, which take different ways to the log.
    let inputs: Vec<Value> = (0..40_usize).map(|n| json!({"n": n, "text": "x".repeat(n * n)})).collect();
    std::thread::scope(|scope| {
        for inputs in inputs.chunks(5) {
            let http = gateway.http().with_key(CALLER);
            scope.spawn(move || {
                for input in inputs {
                    call(http, "test-server", "echo", input.clone()).expect_status(200);
                }
            });
        }
    });
    let found = entries(&gateway, "?kind=call&limit=100");
    let told = |entry: &Value| entry["details"]["arguments"].as_str().expect("a digest").to_owned();
    let mut told: Vec<String> = found.iter().map(told).collect();
    let mut meant: Vec<String> = inputs.iter().map(|input| digest(&input.to_string())).collect();
    told.sort();
    meant.sort();
    assert_eq!(told, meant);
}

#[test]
fn a_session_that_is_started_as_a_task_is_a_call_like_any_other() {
    let step = json!({"name": "add", "description": "Adds", "run": {"script": "return {data: {}};"}});
    let workflow = json!({"name": "w", "description": "Adds", "steps": [{"activity": "add"}]});
    let gateway = with_roles()
        .setting("audit: {calls: true}")
        .setting(&format!("activities: {}", json!([step])))
        .setting(&format!("workflows: {}", json!([workflow])))
        .start();
    let extensions = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let client = Client::modern_with(gateway.http().with_key(CALLER), extensions);
    assert_eq!(client.call("w_start", json!({"maxSteps": "all"}))["resultType"], "task");
    let chosen = json!({"maxSteps": "all", "sessionId": "nobody's"});
    assert_eq!(client.call("w_start", chosen)["isError"], true);
    let found = entries(&gateway, "?kind=call");
    let told = |entry: &Value| json!([entry["who"], entry["subject"], entry["details"]["outcome"]]);
    assert_eq!(
        found.iter().map(told).collect::<Vec<_>>(),
        [
            json!(["carl", "lockgate/w_start", "TOOL_EXECUTION_ERROR"]),
            json!(["carl", "lockgate/w_start", "OK"]),
        ]
    );
    assert_eq!(found[1]["details"]["arguments"], digest(r#"{"maxSteps":"all"}"#));
    let list = Request::new("GET", "/api/requests?client=carl&method=tools/call");
    let list = gateway.http().with_key(OPERATOR).send(&list).body["requests"].clone();
    let told = list.as_array().expect("a list").iter().map(|one| json!([one["tool"], one["outcome"]]));
    assert_eq!(
        told.collect::<Vec<_>>(),
        [json!(["w_start", "TOOL_EXECUTION_ERROR"]), json!(["w_start", "ok"])]
    );
}

/// Of every entry who, what and which outcome, and how often all of them together were refused.
fn refusals(found: &[Value]) -> (Vec<Value>, u64) {
    let told = found.iter().map(|entry| json!([entry["who"], entry["subject"], entry["details"]["outcome"]]));
    (told.collect(), found.iter().filter_map(|entry| entry["details"]["count"].as_u64()).sum())
}

#[test]
fn calls_that_are_refused_before_they_get_anywhere_leave_entries() {
    let keys = json!([
        {"name": "carl", "key": CALLER, "tools": ["echo"]},
        {"name": "slow", "key": EDITOR, "rate": {"perSecond": 1, "burst": 1}},
        {"name": "otto", "key": OPERATOR, "role": "operator"},
    ]);
    let gateway = builder(&keys).setting("audit: {calls: true}").start();
    let http = gateway.http().with_key(CALLER);
    Client::modern(http).call_error("nono", json!({}));
    Client::modern(http).call_error("plain", json!({}));
    call(http, "nowhere", "plain", json!({})).expect_status(404);
    let (told, count) = refusals(&entries(&gateway, "?kind=call&who=carl"));
    assert!(told.contains(&json!(["carl", "nono", "TOOL_NOT_FOUND"])), "{told:?}");
    assert!(told.contains(&json!(["carl", "nowhere/plain", "SERVER_NOT_FOUND"])), "{told:?}");
    assert_eq!(count, 3, "the denied one too");

    let slow = gateway.http().with_key(EDITOR);
    let sent = 40;
    let passed = (0..sent).filter(|n| match n % 2 {
        0 => call(slow, "test-server", "plain", json!({})).status == 200,
        _ => Client::modern(slow)
            .ask("tools/call", json!({"name": "plain", "arguments": {}}))
            .get("error")
            .is_none(),
    });
    let passed = passed.count();
    let (told, count) = refusals(&entries(&gateway, "?kind=call&who=slow"));
    let limited = json!(["slow", "test-server/plain", "RATE_LIMITED"]);
    assert_eq!(count, sent - passed as u64, "none is left out");
    let folded = told.iter().filter(|one| **one == limited).count();
    assert!(folded < sent as usize / 2, "and many are one entry: {told:?}");
    assert_eq!(told.len(), folded + passed);
}

#[test]
fn calls_that_limits_of_a_server_turn_away_are_counted_in_few_entries() {
    let breaker = json!({"breaker": {"failures": 1, "openMs": 60_000}}).to_string();
    let gateway = TestGateway::builder()
        .server("test-server", |s| s.raw("limits", &breaker).raw("timeout", "500"))
        .setting("audit: {calls: true}")
        .start();
    gateway.call("test-server", "sleep", json!({"ms": 3000})).expect_status(408);
    for _ in 0..20 {
        gateway.call("test-server", "plain", json!({})).expect_code(503, "CIRCUIT_OPEN");
    }
    let found = gateway.get("/api/audit?kind=call").body;
    let (told, count) = refusals(found.as_array().expect("a list"));
    assert_eq!(count, 20);
    assert!(told.len() < 20, "{told:?}");
    assert!(told.contains(&json!(["anonymous", "test-server/plain", "CIRCUIT_OPEN"])), "{told:?}");
}

#[test]
fn wrong_keys_are_recorded_with_their_source_and_nothing_of_the_key() {
    let gateway = with_roles().start();
    entries(&gateway, "");
    for key in [WRONG; 12].into_iter().chain([EXPIRED]) {
        assert_ne!(call(gateway.http().with_key(key), "test-server", "plain", json!({})).status, 200);
    }
    gateway.http().send(&request("POST", "/api/session", &json!({"key": WRONG}))).expect_status(429);
    call(gateway.http(), "test-server", "plain", json!({})).expect_status(401);
    let found = entries(&gateway, "?kind=refusal");
    let (told, count) = refusals(&found);
    assert_eq!(count, 14, "a request without a key is no attempt: {told:?}");
    assert!(told.contains(&json!(["", "/mcp/call", "UNAUTHORIZED"])), "{told:?}");
    assert!(told.iter().any(|one| one[2] == "RATE_LIMITED"), "{told:?}");
    assert!(found.iter().all(|entry| entry["details"]["source"] == "127.0.0.1"));
    assert!(!json!(found).to_string().contains("0123456789-"));
}

#[test]
fn a_key_that_has_expired_is_recorded_by_its_name() {
    let gateway = with_roles().start();
    call(gateway.http().with_key(EXPIRED), "test-server", "plain", json!({})).expect_status(401);
    gateway.http().send(&request("POST", "/api/session", &json!({"key": EXPIRED}))).expect_status(401);
    let (mut told, _) = refusals(&entries(&gateway, "?kind=refusal&who=eve"));
    told.dedup();
    assert!(told.contains(&json!(["eve", "/mcp/call", "UNAUTHORIZED"])), "{told:?}");
    assert!(entries(&gateway, "?kind=refusal").iter().all(|entry| entry["who"] == "eve"));
}

#[test]
fn requests_that_are_turned_away_at_the_door_leave_an_entry() {
    let gateway = with_roles().setting("audit: {calls: true}\nlimits: {inFlight: 1}").start();
    let slow = json!({"server": "test-server", "toolName": "sleep", "input": {"ms": 2000}});
    let http = gateway.http().with_key(CALLER);
    let calls: Vec<_> = (0..6).map(|_| http.send_later(request("POST", "/mcp/call", &slow))).collect();
    let statuses = calls.into_iter().map(|later| later.join().expect("joined").expect("answered").status);
    let away = statuses.filter(|status| *status == 503).count();
    assert!(away > 0, "six at once are too many");
    let (told, count) = refusals(&entries(&gateway, "?kind=refusal"));
    assert!(told.iter().all(|one| *one == json!(["", "/mcp/call", "OVERLOADED"])), "{told:?}");
    assert_eq!(count, away as u64);
}

#[test]
fn a_reload_by_signal_is_a_change_like_any_other() {
    let gateway = with_roles().start();
    gateway.signal(Signal::HUP);
    let entry = eventually("it is recorded", || entries(&gateway, "?kind=change").into_iter().next());
    assert_eq!((&entry["who"], &entry["subject"]), (&json!("SIGHUP"), &json!("/api/config/reload")));
}

#[test]
fn the_log_is_exported_and_verified() {
    let builder = with_roles().setting("audit: {calls: true}");
    let folder = Folder::new();
    let gateway = builder.clone().start_in(folder);
    let http = gateway.http().with_key(CALLER);
    (0..20).for_each(|_| _ = call(http, "test-server", "plain", json!({})));
    let export = gateway.http().with_key(OPERATOR).send(&Request::new("GET", "/api/audit/export"));
    assert_eq!(export.header("content-type"), "application/x-ndjson");
    let lines: Vec<Value> =
        export.text().lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    assert_eq!(lines.len(), 20);
    assert!(lines.windows(2).all(|pair| pair[1]["previous"] == pair[0]["hash"]));
    assert!(lines.iter().zip(1..).all(|(line, number)| line["number"] == number));
    let run = |words: &[&str]| {
        let mut command = builder.command(gateway.folder());
        command.args(&words[..2]).arg("--config").arg(gateway.folder().config());
        command.arg("--data").arg(gateway.folder().data()).args(&words[2..]);
        let output = command.output().expect("it runs");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (fine, said) = run(&["audit", "verify"]);
    assert!(fine && said.contains("holds: 20 entries, the last is number 20"), "{said}");
    assert!(said.contains(lines[19]["hash"].as_str().expect("a hash")), "{said}");
    let (fine, printed) = run(&["audit", "export", "--after", "15"]);
    assert!(fine && printed.lines().count() == 5, "{printed}");
}

#[test]
fn what_a_change_made_is_named_whatever_its_name_is() {
    let gateway = with_roles().start();
    let http = gateway.http().with_key(OPERATOR);
    // These are words of routes that only try something, too.
    for name in ["test", "validate"] {
        http.send(&request("POST", "/api/keys", &json!({"name": name}))).expect_status(201);
        http.send(&Request::new("DELETE", &format!("/api/keys/{name}"))).expect_status(204);
    }
    let hook = |name: &str| json!({"name": name, "hookType": "pre", "script": "return {continue: true};"});
    let imported = http.send(&request("POST", "/api/hooks/import", &json!([hook("a"), hook("b")])));
    imported.expect_status(201);
    let ids: Vec<&Value> = imported.body.as_array().expect("hooks").iter().map(|hook| &hook["id"]).collect();
    let found = entries(&gateway, "?kind=change");
    let told = found.iter().rev().map(|entry| json!([entry["subject"], entry["details"]["made"]]));
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            json!(["/api/keys", ["test"]]),
            json!(["/api/keys/test", null]),
            json!(["/api/keys", ["validate"]]),
            json!(["/api/keys/validate", null]),
            json!(["/api/hooks/import", ids]),
        ]
    );
}

#[test]
fn a_call_of_the_command_line_is_in_the_log_that_lasts() {
    let builder = TestGateway::builder().server("one", |s| s).setting("audit: {calls: true}");
    let folder = Folder::new();
    let called = builder.run_in(&folder, &["call", "one", "plain", "{}"]);
    assert_eq!(called.code, Some(0), "{}", called.stderr);
    let mut command = builder.command(&folder);
    command.args(["audit", "export", "--config"]).arg(folder.config()).arg("--data").arg(folder.data());
    let export = command.output().expect("it runs").stdout;
    let lines: Vec<Value> = String::from_utf8_lossy(&export)
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect();
    let told: Vec<_> =
        lines.iter().map(|line| [&line["kind"], &line["subject"], &line["details"]["outcome"]]).collect();
    assert_eq!(told, [[&json!("call"), &json!("one/plain"), &json!("OK")]], "{lines:#?}");
}
