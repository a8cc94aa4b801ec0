//! How a request without a good key is answered, and what many of them lead to.

use super::{CALLER, EXPIRED, OPERATOR, WRONG, call, request, with_roles};
use serde_json::json;
use testkit::{Client, Request, TestGateway, eventually};

#[test]
fn a_refusal_has_the_form_of_its_route() {
    let gateway = with_roles().start();
    let http = gateway.http();
    let reply = call(http, "test-server", "plain", json!({}));
    reply.expect_fault(
        401,
        "UNAUTHORIZED",
        "A key is needed: send it as 'Authorization: Bearer <key>'",
        json!({}),
    );
    assert_eq!(reply.header("www-authenticate"), "Bearer");
    let reply = call(http.with_key(WRONG), "test-server", "plain", json!({}));
    reply.expect_fault(401, "UNAUTHORIZED", "This key is not known", json!({}));
    let reply = call(http.with_key(EXPIRED), "test-server", "plain", json!({}));
    reply.expect_fault(401, "UNAUTHORIZED", "This key has expired", json!({}));
    let basic = Request::new("GET", "/mcp/tools").header("Authorization", &format!("Basic {CALLER}"));
    http.send(&basic).expect_fault(
        401,
        "UNAUTHORIZED",
        "Authorization must be 'Bearer' and a key",
        json!({}),
    );

    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let reply = http.send(&request("POST", "/mcp", &ping));
    assert_eq!((reply.status, reply.header("www-authenticate")), (401, "Bearer"));
    assert_eq!(reply.body["error"]["code"], -32030);
    assert_eq!(reply.body["error"]["data"]["code"], "UNAUTHORIZED");
    assert_eq!((&reply.body["jsonrpc"], &reply.body["id"]), (&json!("2.0"), &json!(null)));
}

#[test]
fn a_good_key_opens_every_way_in() {
    let gateway = with_roles().start();
    let http = gateway.http().with_key(CALLER);
    assert_eq!(call(http, "test-server", "plain", json!({})).result()["content"][0]["text"], "hello");
    assert!(http.send(&Request::new("GET", "/mcp/tools")).status == 200);
    for client in [Client::legacy(http), Client::modern(http)] {
        assert_eq!(client.call("plain", json!({}))["content"][0]["text"], "hello");
    }
}

#[test]
fn a_key_with_nothing_but_a_name_opens_every_route() {
    let gateway = super::builder(&json!([{"name": "ann", "key": CALLER}])).start();
    let http = gateway.http().with_key(CALLER);
    let hook = json!({"name": "knows", "hookType": "pre", "script": "if (validateToken('x')) return {continue: false}"});
    http.send(&request("POST", "/api/hooks", &hook)).expect_status(201);
    for path in ["/api/hooks", "/api/keys", "/api/audit", "/metrics", "/mcp/tools"] {
        http.send(&Request::new("GET", path)).expect_status(200);
        gateway.http().send(&Request::new("GET", path)).expect_status(401);
    }
}

#[test]
fn many_wrong_keys_close_the_door_for_a_while_but_not_for_keys_that_were_here() {
    let gateway = with_roles().start();
    let http = gateway.http();
    assert_eq!(call(http.with_key(CALLER), "test-server", "plain", json!({})).status, 200);
    let statuses: Vec<u16> = (0..12)
        .map(|n| call(http.with_key(&format!("{WRONG}{n}")), "test-server", "plain", json!({})).status)
        .collect();
    assert_eq!(statuses[..10], [401; 10]);
    assert_eq!(statuses[10..], [429; 2]);
    let reply = call(http.with_key(WRONG), "test-server", "plain", json!({}));
    let fault = reply.expect_code(429, "RATE_LIMITED");
    assert_eq!(reply.header("retry-after"), fault.details["retryAfter"].to_string());
    // A key that was not seen from here is not looked at, right or wrong; one that was goes on.
    assert_eq!(call(http.with_key(OPERATOR), "test-server", "plain", json!({})).status, 429);
    assert_eq!(call(http.with_key(CALLER), "test-server", "plain", json!({})).status, 200);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let reply = http.with_key(WRONG).send(&request("POST", "/mcp", &ping));
    assert_eq!((reply.status, &reply.body["error"]["data"]["code"]), (429, &json!("RATE_LIMITED")));
    assert!(!reply.header("retry-after").is_empty());
    assert_eq!(http.send(&Request::new("GET", "/health")).status, 200);
    eventually("one line in the log", || {
        let about = |line: &&String| line.contains("many wrong keys");
        gateway.log_lines().iter().find(about).cloned()
    });
}

#[test]
fn a_legacy_session_belongs_to_the_key_with_which_it_began() {
    let gateway = with_roles().start();
    let http = gateway.http();
    let client = Client::legacy(http.with_key(CALLER));
    let stolen = Client::resume(http.with_key(OPERATOR), client.session(), json!({}));
    let (_, ask) = stolen.request("tools/list", json!({}));
    assert_eq!(stolen.exchange(&ask).status, 404);
    assert!(!client.tools().is_empty());
    assert_eq!(stolen.exchange(&ask).status, 404, "also when the session was seen lately");
    let (_, ask) = Client::resume(http, client.session(), json!({})).request("tools/list", json!({}));
    assert_eq!(http.send(&ask).status, 401);
}

#[test]
fn the_name_of_the_key_is_the_client_id_whatever_the_client_says() {
    let gateway = with_roles().start();
    let script = "return {continue: false, error: {code: 'SEEN', message: context.metadata.clientId}};";
    let hook = json!({"name": "who", "hookType": "pre", "script": script});
    let http = gateway.http();
    http.with_key(OPERATOR).send(&request("POST", "/api/hooks", &hook)).expect_status(201);
    let body = json!({"server": "test-server", "toolName": "plain", "input": {}});
    let said =
        http.with_key(CALLER).send(&request("POST", "/mcp/call", &body).header("X-Client-Id", "mallory"));
    assert_eq!(said.fault().message, "carl");
    for client in [Client::legacy(http.with_key(CALLER)), Client::modern(http.with_key(CALLER))] {
        assert_eq!(client.call_error("plain", json!({}))["message"], "carl");
    }
}

#[test]
fn a_script_can_tell_a_key_from_other_texts() {
    let gateway = with_roles().start();
    let script = format!(
        "return {{continue: false, error: {{code: 'SEEN', message: JSON.stringify([\
         await validateToken('{CALLER}'), await validateToken('{EXPIRED}'), await validateToken('{WRONG}')])}}}};"
    );
    let hook = json!({"name": "tokens", "hookType": "pre", "script": script});
    let http = gateway.http().with_key(OPERATOR);
    http.send(&request("POST", "/api/hooks", &hook)).expect_status(201);
    assert_eq!(call(http, "test-server", "plain", json!({})).fault().message, "[true,false,false]");
}

#[test]
fn a_gateway_is_open_without_keys_only() {
    let without = TestGateway::builder().server("test-server", |s| s).flag("--host").flag("0.0.0.0").start();
    assert_eq!(without.health()["open"], true);
    let with = with_roles().flag("--host").flag("0.0.0.0").start();
    assert_eq!(with.health().get("open"), None);
    assert!(!with.log_lines().iter().any(|line| line.contains("no keys are set")));
}

#[test]
fn a_short_key_is_refused_at_the_start_without_being_shown() {
    let builder =
        TestGateway::builder().server("test-server", |s| s).setting("keys: [{name: a, key: s3cret}]");
    let output = builder.expect_failure();
    output.expect_code(1);
    output.expect_text("Error: Invalid config.yaml: keys[0].key must have at least 32 characters");
    output.refuse_text("s3cret");
}
