//! Hooks as clients, operators and servers see them (spec part 2). The admin routes are in `hooks_api`.

mod captures;
mod context;
mod edits;
mod eras;
mod errors;
mod examples;
mod fidelity;
mod limits;
mod lists;
mod phases;
mod renames;
mod rounds;
mod storm;
mod told;
mod trace;
mod trials;
mod verdicts;
mod ways;

use serde_json::{Value, json};
use testkit::{Builder, Client, Reply, Request, TestGateway, conformance_fixture, eventually};

/// A gateway to be, whose only server is the fixture as `test-server`.
fn plan() -> Builder {
    TestGateway::builder().server("test-server", |s| s)
}

/// A hook that lets `stats` through, so that the server can always be asked what it got.
fn hook(kind: &str, name: &str, script: &str) -> Value {
    let script = format!("if (context.toolName === 'stats') return;\n{script}");
    json!({"name": name, "hookType": kind, "script": script})
}

#[track_caller]
fn create(gateway: &TestGateway, hook: Value) -> String {
    let reply = gateway.post("/api/hooks", hook);
    reply.expect_status(201);
    reply.body["id"].as_str().expect("a new hook has an id").to_owned()
}

/// Creates a pre hook of that name.
#[track_caller]
fn pre(gateway: &TestGateway, name: &str, script: &str) -> String {
    create(gateway, hook("pre", name, script))
}

/// Creates a post hook of that name.
#[track_caller]
fn post(gateway: &TestGateway, name: &str, script: &str) -> String {
    create(gateway, hook("post", name, script))
}

/// The same hook with `onError: stop`.
fn stopping(mut hook: Value) -> Value {
    hook["onError"] = "stop".into();
    hook
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "callers write the body in place")]
fn patch(gateway: &TestGateway, id: &str, body: Value) {
    let path = format!("/api/hooks/{id}");
    let request = Request::new("PATCH", &path).body("application/json", body.to_string());
    gateway.http().send(&request).expect_status(200);
}

#[track_caller]
fn delete(gateway: &TestGateway, id: &str) {
    gateway.delete(&format!("/api/hooks/{id}")).expect_status(204);
}

/// How many calls reached the server, that of the question left out.
#[track_caller]
fn counter(gateway: &TestGateway) -> u64 {
    gateway.stats("test-server")["calls"].as_u64().expect("stats has a counter") - 1
}

/// The first text of a result.
#[track_caller]
fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {result}"))
}

/// What `echo` got.
#[track_caller]
fn echoed(client: &Client, arguments: Value) -> Value {
    serde_json::from_str(text(&client.call("echo", arguments))).expect("echo answers with JSON")
}

/// `echo` over REST.
#[track_caller]
fn rest(gateway: &TestGateway, input: Value) -> Reply {
    gateway.call("test-server", "echo", input)
}

/// Both kinds of MCP clients.
#[track_caller]
fn clients(gateway: &TestGateway) -> [Client; 2] {
    [Client::legacy(gateway.http()), Client::modern(gateway.http())]
}
