//! Who may come in, and how much may be brought.

use crate::one;
use serde_json::json;
use testkit::{Client, Http, Request, TestGateway};

fn knock(http: Http, header: &str, value: &str) -> u16 {
    http.send(&Client::initialize("2025-11-25", &json!({})).header(header, value)).status
}

#[test]
fn a_strange_host_or_origin_is_forbidden_on_every_path() {
    let gateway = one(|s| s);
    for origin in ["http://evil.example", "https://localhost.evil.example", "null", "file://"] {
        assert_eq!(knock(gateway.http(), "Origin", origin), 403, "{origin}");
    }
    let twice = Client::initialize("2025-11-25", &json!({})).header("Origin", "http://localhost");
    assert_eq!(gateway.http().send(&twice.header("Origin", "http://evil.example")).status, 403);
    for host in ["evil.example", "evil.example:3001", "127.0.0.1.evil.example", "192.168.0.1"] {
        assert_eq!(knock(gateway.http(), "Host", host), 403, "{host}");
    }
    for (method, path) in [("GET", "/mcp"), ("DELETE", "/mcp"), ("GET", "/sse"), ("POST", "/messages")] {
        for (header, value) in [("Origin", "http://evil.example"), ("Host", "evil.example")] {
            let request = Request::new(method, path).header(header, value);
            assert_eq!(gateway.http().send(&request).status, 403, "{method} {path} {header}");
        }
    }
}

#[test]
fn a_strange_host_reaches_no_other_route_either_where_no_key_is_needed() {
    let paths = [
        ("POST", "/mcp/call"),
        ("GET", "/mcp/tools"),
        ("GET", "/api/servers"),
        ("POST", "/api/hooks"),
        ("GET", "/metrics"),
        ("GET", "/"),
    ];
    let knock = |gateway: &TestGateway, method: &str, path: &str, host: &str| {
        let request = Request::new(method, path).body("application/json", "{}").header("Host", host);
        gateway.http().send(&request)
    };
    let open =
        TestGateway::builder().server("one", |s| s).setting("http: {allowedHosts: [gate.example]}").start();
    for (method, path) in paths {
        let reply = knock(&open, method, path, "evil.example:3001");
        assert_eq!(reply.status, 403, "{method} {path}");
        assert_eq!(reply.fault().details["field"], "Host");
        for host in ["gate.example", "localhost:3001"] {
            assert_ne!(knock(&open, method, path, host).status, 403, "{method} {path} {host}");
        }
    }
    assert_eq!(knock(&open, "GET", "/health", "evil.example").status, 200, "a probe may use any name");
    let probe = Request::new("GET", "/health").header("Origin", "http://evil.example");
    assert_eq!(open.http().send(&probe).status, 200, "and come from any page");
    // With a key a page has nothing to come in with, and elsewhere than on loopback names cannot be listed.
    let keyed = TestGateway::builder()
        .server("one", |s| s)
        .setting("keys: [{name: a, key: 'a-0123456789-0123456789-0123456789'}]")
        .start();
    assert_eq!(knock(&keyed, "GET", "/mcp/tools", "gate.example").status, 401);
    let wide = TestGateway::builder().server("one", |s| s).flag("--host").flag("0.0.0.0").start();
    assert_eq!(knock(&wide, "GET", "/mcp/tools", "gate.example").status, 200);
    // The MCP endpoint wants to know the name even so, of those who are let in.
    for (method, path) in [("POST", "/mcp"), ("GET", "/mcp"), ("GET", "/sse"), ("POST", "/messages")] {
        assert_eq!(knock(&wide, method, path, "gate.example").status, 403, "{method} {path}");
        assert_eq!(knock(&keyed, method, path, "gate.example").status, 401, "{method} {path}");
        let request = Request::new(method, path).header("Host", "gate.example");
        let request = request.header("Authorization", "Bearer a-0123456789-0123456789-0123456789");
        assert_eq!(keyed.http().send(&request).status, 403, "{method} {path}");
    }
}

#[test]
fn loopback_is_welcome_under_every_name() {
    let gateway = one(|s| s);
    for origin in ["http://localhost", "http://127.0.0.1:8080", "https://[::1]:3000"] {
        assert_eq!(knock(gateway.http(), "Origin", origin), 200, "{origin}");
    }
    for host in ["localhost:3001", "127.0.0.1", "[::1]:3001"] {
        assert_eq!(knock(gateway.http(), "Host", host), 200, "{host}");
    }
}

#[test]
fn settings_let_others_in() {
    let gateway = TestGateway::builder()
        .server("one", |s| s)
        .setting(
            "http: {allowedHosts: [gate.example, 'tls.example:443'], allowedOrigins: ['https://ui.example'], \
             publicUrl: 'https://public.example:443'}",
        )
        .start();
    for (header, value, status) in [
        ("Origin", "https://ui.example", 200),
        ("Origin", "http://ui.example", 403),
        ("Origin", "https://ui.example.evil", 403),
        ("Origin", "https://ui.example:8443", 403),
        ("Origin", "https://ui.example:443", 200),
        ("Host", "gate.example", 200),
        ("Host", "gate.example:8443", 200),
        ("Host", "x.gate.example", 403),
        ("Host", "tls.example", 200),
        ("Host", "tls.example:8443", 403),
        ("Host", "public.example", 200),
        ("Host", "public.example:443", 200),
        ("Host", "public.example:80", 403),
        ("Origin", "https://public.example", 200),
    ] {
        assert_eq!(knock(gateway.http(), header, value), status, "{header}: {value}");
    }
}

#[test]
fn oversized_headers_and_bodies_are_refused_and_nothing_else() {
    let gateway = one(|s| s);
    let client = Client::legacy(gateway.http());
    let huge = "x".repeat(2 << 20);
    let request = Client::initialize("2025-11-25", &json!({})).header("X-Huge", &huge);
    // The connection may be closed before all of the header was read.
    if let Ok(reply) = gateway.http().try_send(&request) {
        assert!(matches!(reply.status, 400 | 431), "{}", reply.status);
    }
    let reply = client.send(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":"{huge}"}}"#));
    assert!(matches!(reply.status, 400 | 413), "{}", reply.status);
    assert!(
        reply.body["error"]["message"].as_str().is_some_and(|text| text.contains("1048576")),
        "{}",
        reply.text()
    );
    assert_eq!(client.result("ping", json!({})), json!({}));
}

#[test]
fn a_body_must_be_json_by_its_type() {
    let gateway = one(|s| s);
    for content_type in ["text/plain", "", "application/x-www-form-urlencoded"] {
        let request =
            Request::new("POST", "/mcp").body(content_type, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
        let status = gateway.http().send(&request).status;
        assert!(matches!(status, 400 | 415), "{content_type}: {status}");
    }
}

#[test]
fn a_request_that_names_two_hosts_is_refused() {
    let gateway = one(|s| s);
    let port = gateway.http().port;
    for (target, hosts, status) in [
        ("/health", &["127.0.0.1"][..], 200),
        ("/health", &["127.0.0.1", "evil.example"], 400),
        ("/api/servers", &["127.0.0.1", "127.0.0.1"], 400),
        ("http://127.0.0.1/api/servers", &["127.0.0.1"], 200),
        ("http://evil.example/api/servers", &["127.0.0.1"], 400),
        ("http://evil.example/mcp", &["127.0.0.1"], 400),
    ] {
        let hosts: String = hosts.iter().map(|host| format!("Host: {host}\r\n")).collect();
        let text = format!("GET {target} HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n");
        let answer = Http::at(port).raw(text.as_bytes()).expect("an answer");
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{target} {hosts}: {answer}");
        assert_eq!(answer.contains("names more than one host"), status == 400, "{target}: {answer}");
    }
}
