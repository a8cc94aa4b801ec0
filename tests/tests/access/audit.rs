//! The audit log: who did what, in a chain.

use super::{CALLER, EDITOR, OPERATOR, call, request, with_roles};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use testkit::{Client, Folder, Request, TestGateway};

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
    let wrong = gateway.http().with_key(OPERATOR).send(&Request::new("GET", "/api/audit?limit=0"));
    wrong.expect_fault(
        400,
        "VALIDATION_ERROR",
        "limit must be an integer between 1 and 1000",
        json!({"field": "limit"}),
    );
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
