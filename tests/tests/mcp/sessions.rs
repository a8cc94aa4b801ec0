//! Session ids of legacy clients: sealed tokens that any instance with the key can read.

use crate::one;
use serde_json::json;
use testkit::{Client, Http, Reply, Request, TestGateway};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

fn ping(http: Http, session: Option<&str>) -> Reply {
    let mut request = Request::new("POST", "/mcp").body("application/json", PING);
    if let Some(session) = session {
        request = request.header("Mcp-Session-Id", session);
    }
    http.send(&request)
}

#[test]
fn a_session_id_is_visible_ascii_and_needed() {
    let gateway = one(|s| s);
    let client = Client::legacy(gateway.http());
    assert!(client.session().bytes().all(|byte| (0x21..=0x7e).contains(&byte)), "{}", client.session());
    assert_ne!(client.session(), Client::legacy(gateway.http()).session());
    ping(gateway.http(), Some(client.session())).expect_status(200);
    ping(gateway.http(), None).expect_status(400);
}

#[test]
fn a_greeting_that_is_refused_begins_no_session() {
    let gateway = one(|s| s);
    let long = "x".repeat(5000);
    for (refused, status) in [
        (format!(r#"{{"id":"{long}","method":"initialize","params":{{}}}}"#), 200),
        (format!(r#"{{"jsonrpc":"2.0","id":"{long}","method":"initialize","params":[]}}"#), 200),
        (r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":[]}"#.to_owned(), 200),
        // Nobody waits for a reply to it.
        (r#"{"jsonrpc":"2.0","method":"initialize","params":{}}"#.to_owned(), 202),
    ] {
        let reply = gateway.http().send(&Request::new("POST", "/mcp").body("application/json", refused));
        let begins = reply.text().chars().take(60).collect::<String>();
        assert_eq!((reply.status, reply.header("mcp-session-id")), (status, ""), "{begins}");
    }
    let good =
        format!(r#"{{"jsonrpc":"2.0","id":"{long}\",\"error\":","method":"initialize","params":{{}}}}"#);
    let reply = gateway.http().send(&Request::new("POST", "/mcp").body("application/json", good));
    ping(gateway.http(), Some(reply.header("mcp-session-id"))).expect_status(200);
}

#[test]
fn a_forged_or_garbled_session_id_is_not_found() {
    let gateway = one(|s| s);
    let good = Client::legacy(gateway.http()).session().to_owned();
    let middle = good.len() / 2;
    let flipped = if good.as_bytes()[middle] == b'A' { "B" } else { "A" };
    let mut forged = good.clone();
    forged.replace_range(middle..=middle, flipped);
    let (short, long, twice) = (&good[..middle], format!("{good}A"), format!("{good}{good}"));
    for bad in [&forged, short, &long, &twice, "x", "00000000-0000-0000-0000-000000000000", "%00"] {
        let reply = ping(gateway.http(), Some(bad));
        assert_eq!(reply.status, 404, "{bad}: {}", reply.text());
        let listen = Request::new("GET", "/mcp").header("Mcp-Session-Id", bad);
        assert_eq!(gateway.http().send(&listen).status, 404, "{bad}");
    }
    ping(gateway.http(), Some(&good)).expect_status(200);
}

#[test]
fn a_session_ends_with_delete_and_no_other_does() {
    let gateway = one(|s| s);
    let (client, other) = (Client::legacy(gateway.http()), Client::legacy(gateway.http()));
    let mut stream = client.listen();
    let goodbye = Request::new("DELETE", "/mcp").header("Mcp-Session-Id", client.session());
    let reply = gateway.http().send(&goodbye);
    assert!(matches!(reply.status, 200 | 204), "{}", reply.status);
    ping(gateway.http(), Some(client.session())).expect_status(404);
    assert_eq!(gateway.http().send(&goodbye).status, 404);
    // Its stream ends too, with nothing but where it began.
    while let Some(event) = stream.event() {
        assert_eq!(event.data, "");
    }
    ping(gateway.http(), Some(other.session())).expect_status(200);
}

#[test]
fn a_client_that_says_too_much_of_itself_gets_no_session() {
    let gateway = one(|s| s);
    let much = |bytes: usize| json!({"experimental": {"x": {"text": "y".repeat(bytes)}}});
    let greet = |bytes| gateway.http().send(&Client::initialize("2025-11-25", &much(bytes)));
    let fine = greet(4000);
    fine.expect_status(200);
    assert!(fine.header("mcp-session-id").len() <= 8192);
    let reply = greet(60_000);
    reply.expect_status(400);
    assert_eq!(reply.body["error"]["code"], -32602, "{}", reply.body);
    assert!(!reply.headers.contains_key("mcp-session-id"));
}

#[test]
fn a_revision_in_the_header_must_be_one_there_is() {
    let gateway = one(|s| s);
    let client = Client::legacy(gateway.http());
    for (version, status) in [("2025-11-25", 200), ("2025-06-18", 200), ("1999-01-01", 400), ("x", 400)] {
        let request = Request::new("POST", "/mcp").body("application/json", PING);
        let request = request.header("Mcp-Session-Id", client.session());
        let reply = gateway.http().send(&request.header("MCP-Protocol-Version", version));
        assert_eq!(reply.status, status, "{version}");
    }
}

#[test]
fn a_session_goes_on_at_any_instance_with_the_same_key() {
    let keyed = |key: &str| {
        let setting = format!("mcp: {{sessionKey: {key}-0123456789-0123456789-0123456789}}");
        TestGateway::builder().server("one", |s| s).setting(&setting).start()
    };
    let (first, second, stranger) = (keyed("k-one"), keyed("k-one"), keyed("k-two"));
    let session = Client::legacy(first.http()).session().to_owned();
    let there = Client::resume(second.http(), &session, json!({}));
    assert_eq!(there.call("plain", json!({}))["content"][0]["text"], "hello");
    ping(stranger.http(), Some(&session)).expect_status(404);
}

#[test]
fn a_session_outlives_the_gateway() {
    let gateway = one(|s| s);
    let session = Client::legacy(gateway.http()).session().to_owned();
    let gateway = gateway.reopen();
    ping(gateway.http(), Some(&session)).expect_status(200);
}

#[test]
fn a_thousand_idle_sessions_cost_next_to_nothing() {
    let gateway = one(|s| s);
    let greet = |times: usize| {
        (0..times).for_each(|_| drop(gateway.http().send(&Client::initialize("2025-11-25", &json!({})))));
    };
    greet(200);
    let before = resident(gateway.pid());
    greet(1000);
    let grown = resident(gateway.pid()).saturating_sub(before);
    assert!(grown < 4 << 10, "1,000 sessions cost {grown} KiB");
}

/// Memory in KiB.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the process is there");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("VmRSS");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}
