//! Signing in to the web page: a cookie instead of a header, and what guards it.

use super::{CALLER, EDITOR, OPERATOR, VIEWER, WRONG, request, with_roles};
use serde_json::{Value, json};
use testkit::{Http, Reply, Request, TestGateway};

#[track_caller]
fn sign_in(http: Http, key: &str) -> (Reply, String) {
    let reply = http.send(&request("POST", "/api/session", &json!({"key": key})));
    let cookie = reply.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
    (reply, cookie)
}

/// A request as the page itself sends it.
fn from_page(request: Request, cookie: &str) -> Request {
    request.header("Cookie", cookie).header("Sec-Fetch-Site", "same-origin").header("X-Lockgate-UI", "1")
}

#[test]
fn a_key_becomes_a_cookie_that_scripts_and_other_sites_do_not_get() {
    let gateway = with_roles().start();
    let http = gateway.http();
    let (reply, cookie) = sign_in(http, EDITOR);
    assert_eq!(reply.body, json!({"keys": true, "name": "edda", "role": "editor"}));
    let set = reply.header("set-cookie");
    assert!(set.contains("HttpOnly") && set.contains("SameSite=Strict") && set.contains("Path=/"), "{set}");
    assert!(!set.contains("Secure") && !set.contains(EDITOR), "{set}");
    let me = http.send(&Request::new("GET", "/api/session").header("Cookie", &cookie));
    assert_eq!(me.body, json!({"keys": true, "name": "edda", "role": "editor"}));
    assert_eq!(http.send(&Request::new("GET", "/api/hooks").header("Cookie", &cookie)).status, 200);
    let secure =
        request("POST", "/api/session", &json!({"key": EDITOR})).header("X-Forwarded-Proto", "https");
    assert!(http.send(&secure).header("set-cookie").contains("Secure"));
    let out = http.send(&from_page(Request::new("DELETE", "/api/session"), &cookie));
    assert!(out.status == 204 && out.header("set-cookie").contains("Max-Age=0"), "{:?}", out.headers);
}

#[test]
fn a_wrong_key_signs_nobody_in() {
    let gateway = with_roles().start();
    let http = gateway.http();
    let (reply, cookie) = sign_in(http, WRONG);
    reply.expect_code(401, "UNAUTHORIZED");
    assert!(cookie.is_empty());
    http.send(&request("POST", "/api/session", &json!({}))).expect_code(400, "VALIDATION_ERROR");
    http.send(&Request::new("GET", "/api/session")).expect_code(401, "UNAUTHORIZED");
    let (_, good) = sign_in(http, VIEWER);
    let (name, _) = good.split_once('=').expect("a name and a value");
    let forged = Request::new("GET", "/api/hooks").header("Cookie", &format!("{name}=AAAAAAAA"));
    http.send(&forged).expect_code(401, "UNAUTHORIZED");
    (0..9).for_each(|_| _ = sign_in(http, WRONG));
    assert_eq!(sign_in(http, WRONG).0.status, 429, "the same back-off as anywhere");
}

#[test]
fn a_change_by_cookie_comes_from_the_page_itself() {
    let gateway = with_roles().start();
    let http = gateway.http();
    let (_, cookie) = sign_in(http, EDITOR);
    let post =
        || request("POST", "/api/hooks/validate", &json!({"script": "return {};"})).header("Cookie", &cookie);
    let host = format!("127.0.0.1:{}", http.port);
    let local = format!("http://{host}");
    for (headers, expected) in [
        (&[][..], 403),
        (&[("X-Lockgate-UI", "1")], 403),
        (&[("Sec-Fetch-Site", "same-origin")], 403),
        (&[("X-Lockgate-UI", "1"), ("Sec-Fetch-Site", "cross-site")], 403),
        (&[("X-Lockgate-UI", "1"), ("Sec-Fetch-Site", "same-site")], 403),
        (&[("X-Lockgate-UI", "1"), ("Host", &host), ("Origin", "http://localhost:1")], 403),
        (&[("X-Lockgate-UI", "1"), ("Host", &host), ("Origin", &local)], 200),
        (&[("X-Lockgate-UI", "1"), ("Sec-Fetch-Site", "same-origin")], 200),
    ] {
        let sent = headers.iter().fold(post(), |request, (name, value)| request.header(name, value));
        assert_eq!(http.send(&sent).status, expected, "{headers:?}");
    }
    let refusals = Request::new("GET", "/api/audit?kind=refusal");
    let entries = http.with_key(OPERATOR).send(&refusals).expect_status(200).body.clone();
    let entries = entries.as_array().expect("a list");
    let about = json!(["edda", "/api/hooks/validate", "FORBIDDEN", "127.0.0.1"]);
    let told = |entry: &Value| {
        let details = &entry["details"];
        json!([entry["who"], entry["subject"], details["outcome"], details["source"]])
    };
    assert!(entries.iter().all(|entry| told(entry) == about), "{entries:?}");
    let counts = entries.iter().filter_map(|entry| entry["details"]["count"].as_u64());
    assert_eq!(counts.sum::<u64>(), 6, "each of them is in the audit log");
}

#[test]
fn a_cookie_has_the_rights_of_its_key() {
    let gateway = with_roles().start();
    let http = gateway.http();
    let (_, cookie) = sign_in(http, VIEWER);
    let change = from_page(request("POST", "/api/hooks", &json!({})), &cookie);
    http.send(&change).expect_code(403, "FORBIDDEN");
    let call = json!({"server": "test-server", "toolName": "plain", "input": {}});
    assert_eq!(http.send(&from_page(request("POST", "/mcp/call", &call), &cookie)).status, 200);
    let (reply, cookie) = sign_in(http, CALLER);
    assert_eq!(reply.body, json!({"keys": true, "name": "carl", "role": null}));
    http.send(&Request::new("GET", "/api/hooks").header("Cookie", &cookie)).expect_code(403, "FORBIDDEN");
}

/// Browsers keep the cookies of all ports of a host together.
#[test]
fn two_gateways_on_one_host_leave_each_others_cookies_alone() {
    let gateways = [with_roles().start(), with_roles().start()];
    let [one, other] = gateways.each_ref().map(|gateway| sign_in(gateway.http(), EDITOR).1);
    let name = |cookie: &str| cookie.split('=').next().unwrap_or_default().to_owned();
    assert_ne!(name(&one), name(&other));
    let both = format!("{one}; {other}");
    for gateway in &gateways {
        let me = gateway.http().send(&Request::new("GET", "/api/session").header("Cookie", &both));
        assert_eq!(me.body["name"], "edda", "{both}");
    }
    let out = gateways[0].http().send(&from_page(Request::new("DELETE", "/api/session"), &both));
    assert_eq!(name(out.header("set-cookie")), name(&one));
    assert_eq!(name(&sign_in(gateways[1].http(), VIEWER).1), name(&other), "a name stays");
}

/// `tools/list` as a client without a session sends it.
fn listing() -> Request {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "page", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
    let accept = "application/json, text/event-stream";
    let request = request("POST", "/mcp", &body).header("Accept", accept);
    request.header("MCP-Protocol-Version", "2026-07-28").header("Mcp-Method", "tools/list")
}

#[test]
fn the_page_speaks_mcp_by_cookie_and_no_other_page_does() {
    let gateway = with_roles().start();
    let http = gateway.http();
    let (_, cookie) = sign_in(http, CALLER);
    let reply = http.send(&from_page(listing(), &cookie));
    assert!(reply.status == 200 && reply.body["result"]["tools"].is_array(), "{}", reply.text());
    let with = |request: Request, headers: &[(&str, &str)]| {
        let request = request.header("Cookie", &cookie);
        headers.iter().fold(request, |request, (name, value)| request.header(name, value))
    };
    let (own, site) = ("X-Lockgate-UI", "Sec-Fetch-Site");
    for headers in [
        &[][..],
        &[(own, "1")],
        &[(site, "same-origin")],
        &[(own, "1"), (site, "cross-site")],
        &[(own, "1"), (site, "same-site")],
        &[(own, "1"), (site, "none")],
        &[(own, "1"), ("Origin", "http://localhost:1")],
    ] {
        assert_eq!(http.send(&with(listing(), headers)).status, 403, "{headers:?}");
        // A stream is no less than a change.
        assert_eq!(http.send(&with(Request::new("GET", "/mcp"), headers)).status, 403, "{headers:?}");
    }
    let signed_out = listing().header(own, "1").header(site, "same-origin");
    assert_eq!(http.send(&signed_out).status, 401, "without the cookie");
    for request in [Request::new("GET", "/sse"), request("POST", "/messages", &json!({}))] {
        assert_eq!(
            http.send(&from_page(request, &cookie)).status,
            401,
            "the older transport takes keys alone"
        );
    }
}

#[test]
fn without_keys_everybody_is_at_home() {
    let gateway = TestGateway::start();
    let me = gateway.get("/api/session");
    assert_eq!(me.body, json!({"keys": false, "name": null, "role": "operator"}));
    let reply = gateway.post("/api/session", json!({"key": "anything"}));
    assert_eq!((reply.status, reply.header("set-cookie")), (200, ""));
}

#[test]
fn a_page_whose_key_was_revoked_is_no_attempt_to_guess_one() {
    let gateway = with_roles().start();
    let operator = gateway.http().with_key(OPERATOR);
    let made = operator.send(&request("POST", "/api/keys", &json!({"name": "page", "role": "viewer"})));
    let (_, cookie) = sign_in(gateway.http(), made.body["key"].as_str().expect("a key"));
    let look = || gateway.http().send(&Request::new("GET", "/api/hooks").header("Cookie", &cookie));
    look().expect_status(200);
    operator.send(&Request::new("DELETE", "/api/keys/page")).expect_status(204);
    for _ in 0..20 {
        let fault = look().expect_code(401, "UNAUTHORIZED");
        assert!(fault.message.contains("not known any more"), "{}", fault.message);
    }
    // A key that never came from this address before.
    sign_in(gateway.http(), VIEWER).0.expect_status(200);
}
