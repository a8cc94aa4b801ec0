//! Keys, roles, limits and the audit log as clients see them (spec 5.4 and 1.2).

mod audit;
mod denied;
mod desk;
mod door;
mod keys;
mod limits;
mod listening;
mod parked;
mod routes;
mod secrets;
mod sign_in;
mod tasks;

use serde_json::json;
use testkit::{Builder, Http, Request, TestGateway, lockgate};

/// One key for each role, one without, one that ended and one that is nobody's.
const VIEWER: &str = "viewer-0123456789-0123456789-0123456789";
const EDITOR: &str = "editor-0123456789-0123456789-0123456789";
const OPERATOR: &str = "operator-0123456789-0123456789-0123456789";
const CALLER: &str = "caller-0123456789-0123456789-0123456789";
const EXPIRED: &str = "expired-0123456789-0123456789-0123456789";
const WRONG: &str = "wrong-0123456789-0123456789-0123456789";

/// A gateway with the fixture, the demo server and these keys, as they are under `keys` in the config file.
fn builder(keys: &serde_json::Value) -> Builder {
    let program = lockgate();
    TestGateway::builder()
        .setting(&format!("keys: {keys}"))
        .server("test-server", |s| s)
        .server("demo", |s| s.command(program.to_str().expect("UTF-8")).args(&["demo-server"]))
}

/// The same with a key for each role.
fn with_roles() -> Builder {
    builder(&json!([
        {"name": "vera", "key": VIEWER, "role": "viewer"},
        {"name": "edda", "key": EDITOR, "role": "editor"},
        {"name": "otto", "key": OPERATOR, "role": "operator"},
        {"name": "carl", "key": CALLER, "role": "none"},
        {"name": "eve", "key": EXPIRED, "role": "operator", "expires": "2020-01-01T00:00:00Z"},
    ]))
}

/// A request for JSON.
fn request(method: &str, path: &str, body: &serde_json::Value) -> Request {
    Request::new(method, path).body("application/json", body.to_string())
}

/// A call over REST.
#[expect(clippy::needless_pass_by_value, reason = "callers write the input in place")]
fn call(http: Http, server: &str, tool: &str, input: serde_json::Value) -> testkit::Reply {
    http.send(&request("POST", "/mcp/call", &json!({"server": server, "toolName": tool, "input": input})))
}
