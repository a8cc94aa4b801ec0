//! OAuth, both sides: tokens of an issuer that open the gateway, and remote servers that want the gateway to sign in.

mod sign_in;
mod tokens;

use serde_json::{Value, json};
use testkit::{Builder, Http, Issuer, Reply, Request, Signature, TestGateway, lockgate};

/// Where the gateway says that it is.
const PUBLIC: &str = "https://gate.example";

/// What tokens for it must name.
const AUDIENCE: &str = "https://gate.example/mcp";

/// A key that is in force beside the tokens.
const OPERATOR: &str = "operator-0123456789-0123456789-0123456789";

/// A gateway that takes tokens of an issuer, with the fixture and the demo server.
fn builder(issuer: &Issuer) -> Builder {
    let program = lockgate();
    let oauth = json!({"issuer": issuer.url(), "scopes": {
        "plain": {"servers": ["test-*"], "tools": ["plain", "echo"]},
        "demo": {"servers": ["demo"]},
        "slow": {"tools": ["plain"], "rate": {"perSecond": 1, "burst": 2}},
        "slower": {"tools": ["plain"], "rate": {"perSecond": 1, "burst": 1}},
        "admin": {"role": "operator"},
    }});
    TestGateway::builder()
        .setting(&format!("oauth: {oauth}"))
        .setting(&format!("http: {{publicUrl: '{PUBLIC}'}}"))
        .setting(&format!("keys: {}", json!([{"name": "otto", "key": OPERATOR, "role": "operator"}])))
        .server("test-server", |s| s)
        .server("demo", |s| s.command(program.to_str().expect("UTF-8")).args(&["demo-server"]))
}

/// A token for the gateway with these scopes.
fn token(issuer: &Issuer, scope: &str) -> String {
    issuer.token(Signature::Elliptic, &json!({"aud": AUDIENCE, "scope": scope}))
}

/// A request for JSON.
fn request(method: &str, path: &str, body: &Value) -> Request {
    Request::new(method, path).body("application/json", body.to_string())
}

/// A call over REST.
#[expect(clippy::needless_pass_by_value, reason = "callers write the input in place")]
fn call(http: Http, server: &str, tool: &str, input: Value) -> Reply {
    http.send(&request("POST", "/mcp/call", &json!({"server": server, "toolName": tool, "input": input})))
}
