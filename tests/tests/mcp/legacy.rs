//! Legacy clients over streamable HTTP.

use crate::{one, text};
use serde_json::{Value, json};
use testkit::{Client, Request, Signal, TestGateway, send_signal};

const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const CHANGED: &str = "notifications/tools/list_changed";

#[test]
fn each_revision_is_answered_in_kind_and_an_unknown_one_with_the_newest() {
    let gateway = one(|s| s);
    let answered = |version: &str| {
        let reply = gateway.http().send(&Client::initialize(version, &json!({})));
        reply.expect_status(200);
        assert!(reply.header("content-type").starts_with("application/json"), "{:?}", reply.headers);
        reply.body["result"].clone()
    };
    for version in REVISIONS {
        assert_eq!(answered(version)["protocolVersion"], version);
    }
    for version in ["2023-01-01", "2099-01-01", ""] {
        assert_eq!(answered(version)["protocolVersion"], "2025-11-25", "{version}");
    }
    let result = answered("2025-11-25");
    assert_eq!(result["capabilities"]["tools"], json!({"listChanged": true}));
    assert_eq!(result["serverInfo"]["name"], "lockgate");
}

#[test]
fn tools_of_all_servers_are_listed_in_config_order_and_called() {
    let gateway = TestGateway::builder()
        .server("zeta", |s| s.env("FX_LIST_CHANGED", "1"))
        .server("alpha", |s| s.env("FX_HOSTILE", "1").env("FX_PAGES", "3"))
        .start();
    let client = Client::legacy(gateway.http());
    assert_eq!(client.result("ping", json!({})), json!({}));
    let tools = client.tools();
    let (zeta, alpha) = tools.split_at(tools.iter().position(|name| name == "grow").expect("grow") + 1);
    assert!(zeta[..zeta.len() - 1].iter().all(|name| name.starts_with("zeta__")), "{zeta:?}");
    assert!(alpha[..alpha.len() - 1].iter().all(|name| name.starts_with("alpha__")), "{alpha:?}");
    assert_eq!(alpha.last().map(String::as_str), Some("bad"));
    assert_eq!(zeta.len(), alpha.len());
    assert_eq!(text(&client.call("alpha__echo", json!({"a": 1}))), r#"{"a":1}"#);
    assert_eq!(client.call("zeta__parts", json!({}))["content"].as_array().map(Vec::len), Some(2));
}

#[test]
fn the_id_of_a_request_comes_back_as_it_was_written() {
    let gateway = one(|s| s);
    let client = Client::legacy(gateway.http());
    for id in ["1", "0", "-7", "9007199254740993", r#""seven""#, r#""\u00e9\/x""#, r#""""#] {
        let reply = client.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
        assert_eq!(reply.text(), format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
}

#[test]
fn what_needs_no_answer_is_accepted_without_a_body() {
    let gateway = one(|s| s);
    let client = Client::legacy(gateway.http());
    let notifications = ["notifications/initialized", "notifications/roots/list_changed", "notifications/x"];
    for method in notifications {
        let reply = client.notify(method, json!({}));
        assert_eq!((reply.status, reply.bytes.len()), (202, 0), "{method}");
    }
    let stray = client.send(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#);
    assert_eq!(stray.status, 400, "an answer to nothing asked");
    assert!(stray.text().contains("Nobody here asked this"), "{}", stray.text());
}

#[test]
fn an_unknown_method_is_an_error_of_its_own() {
    let gateway = one(|s| s);
    let client = Client::legacy(gateway.http());
    for method in ["no/such", "server/tools", "subscriptions/x"] {
        assert_eq!(client.error(method, json!({}))["code"], -32601, "{method}");
    }
}

#[test]
fn a_client_that_listens_hears_that_a_list_grew() {
    let gateway = one(|s| s.env("FX_LIST_CHANGED", "1"));
    let client = Client::legacy(gateway.http());
    let (mut first, mut second) = (client.listen(), Client::legacy(gateway.http()).listen());
    client.call("grow", json!({"name": "later"}));
    for stream in [&mut first, &mut second] {
        assert_eq!(stream.until(CHANGED)["jsonrpc"], "2.0");
    }
    assert!(client.tools().contains(&"later".to_owned()));
    assert_eq!(client.call("later", json!({}))["structuredContent"], json!({"ok": true}));
}

#[test]
fn a_message_goes_to_one_stream_of_a_client_only() {
    let gateway = one(|s| s.env("FX_LIST_CHANGED", "1"));
    let client = Client::legacy(gateway.http());
    let mut streams = [client.listen(), client.listen()];
    client.call("grow", json!({"name": "later"}));
    let wait = std::time::Duration::from_millis(500);
    let heard = streams.iter_mut().filter_map(|stream| stream.event_within(wait)).count();
    assert_eq!(heard, 1);
}

#[test]
fn a_client_that_listens_hears_that_a_server_left_and_came_back() {
    let gateway = TestGateway::builder().server("one", |s| s).server("two", |s| s).start();
    let client = Client::legacy(gateway.http());
    assert_eq!(client.tools().iter().filter(|name| name.ends_with("echo")).count(), 2);
    let mut stream = client.listen();
    // What changed at the start may be told now; the last one that is told is of the list as it is then.
    let mut until_listed = |name: &str| loop {
        stream.until(CHANGED);
        if client.tools().iter().any(|tool| tool == name) {
            break;
        }
    };
    send_signal(gateway.server_pid("one"), Signal::KILL);
    // Only one is left, so its names are its own.
    until_listed("echo");
    gateway.post("/api/servers/one/restart", json!({})).expect_status(200);
    until_listed("one__echo");
}

#[test]
fn only_2025_03_26_has_batches() {
    let gateway = one(|s| s);
    let batch = json!([
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": "two", "method": "tools/call", "params": {"name": "plain"}},
    ]);
    for version in REVISIONS {
        let client = Client::legacy_with(gateway.http(), version, json!({}));
        let reply = client.send(&batch.to_string());
        if version != "2025-03-26" {
            assert_eq!((reply.status, &reply.body["error"]["code"]), (400, &json!(-32600)), "{version}");
            continue;
        }
        reply.expect_status(200);
        let ids: Vec<&Value> = reply.body.as_array().expect("an array").iter().map(|r| &r["id"]).collect();
        assert_eq!(ids, [&json!(1), &json!("two")]);
        assert_eq!(text(&reply.body[1]["result"]), "hello");
        let silent = json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}]);
        assert_eq!(client.send(&silent.to_string()).status, 202);
        assert_eq!(client.send("[]").body["error"]["code"], -32600, "a batch has a message");
        let reply = client.send(r#"[5,{"jsonrpc":"2.0","id":1,"method":"ping"}]"#);
        assert_eq!(reply.body[0]["error"]["code"], -32600, "what is no message is answered too");
        assert_eq!(reply.body[1]["result"], json!({}));
    }
    let request = Request::new("POST", "/mcp").header("MCP-Protocol-Version", "2026-07-28");
    let reply = gateway.http().send(&request.body("application/json", batch.to_string().into_bytes()));
    let error = &reply.body["error"];
    assert_eq!((reply.status, &error["code"]), (400, &json!(-32600)), "{error}");
    assert_eq!(error["message"], "This revision of MCP has no batches");
}

#[test]
fn what_is_no_message_is_a_parse_error() {
    let gateway = one(|s| s);
    let client = Client::legacy(gateway.http());
    for body in ["", "{", "nonsense", "{\"id\":1,}", "\u{feff}{}"] {
        let reply = client.send(body);
        assert_eq!((reply.status, &reply.body["error"]["code"]), (400, &json!(-32700)), "{body:?}");
        assert_eq!(reply.body["id"], Value::Null, "{body:?}");
    }
    let request = Request::new("POST", "/mcp").body("application/json", b"{\"method\":\"\xff\"}".to_vec());
    let reply = gateway.http().send(&request);
    assert_eq!((reply.status, &reply.body["error"]["code"]), (400, &json!(-32700)), "JSON is UTF-8");
    for body in ["42", "null", r#""text""#, r#"{"jsonrpc":"2.0","id":1,"method":5}"#] {
        let reply = client.send(body);
        assert_eq!((reply.status, &reply.body["error"]["code"]), (400, &json!(-32600)), "{body:?}");
        assert_eq!(reply.body["error"]["data"]["code"], "VALIDATION_ERROR", "{body:?}");
    }
    for (body, id) in [
        (r#"{"id":1,"method":"ping"}"#, json!(1)),
        (r#"{"jsonrpc":"2.0","id":"b","method":5}"#, json!("b")),
        (r#"{"jsonrpc":"2.0","id":[1],"method":5}"#, json!(null)),
        (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, json!("a")),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, json!(null)),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, json!(null)),
    ] {
        let reply = client.send(body);
        assert_eq!((&reply.body["error"]["code"], &reply.body["id"]), (&json!(-32600), &id), "{body}");
    }
    for (body, id) in [(r#"{"jsonrpc":"2.0","id":5}"#, json!(5)), ("{}", json!(null))] {
        let reply = client.send(body);
        let found = (reply.status, &reply.body["error"]["code"], &reply.body["id"]);
        assert_eq!(found, (400, &json!(-32600), &id), "{body}");
    }
    for params in ["5", "[]", r#""x""#, "true"] {
        for method in ["ping", "tools/list", "tools/call"] {
            let reply =
                client.send(&format!(r#"{{"jsonrpc":"2.0","id":6,"method":"{method}","params":{params}}}"#));
            let found = (&reply.body["error"]["code"], &reply.body["error"]["message"], &reply.body["id"]);
            let words = json!("Invalid params: they must be an object");
            assert_eq!(found, (&json!(-32602), &words, &json!(6)), "{method} {params}");
        }
    }
    assert_eq!(
        client.send(r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":null}"#).body["result"],
        json!({})
    );
    let greeting = r#"{"jsonrpc":"2.0","id":8,"method":"initialize","params":[]}"#;
    let reply = gateway.http().send(&Request::new("POST", "/mcp").body("application/json", greeting));
    assert_eq!((&reply.body["error"]["code"], reply.header("mcp-session-id")), (&json!(-32602), ""));
    assert_eq!(client.result("ping", json!({})), json!({}));
}

#[test]
fn without_a_session_only_post_is_served() {
    let gateway = one(|s| s);
    for method in ["GET", "DELETE"] {
        let reply = gateway.http().send(&Request::new(method, "/mcp"));
        assert_eq!((reply.status, reply.header("allow")), (405, "POST"), "{method}");
        reply.expect_code(405, "METHOD_NOT_ALLOWED");
    }
}

#[test]
fn a_method_that_is_not_served_is_refused_with_those_that_are() {
    let gateway = one(|s| s);
    let client = Client::legacy(gateway.http());
    for (method, path, allowed) in [
        ("HEAD", "/mcp", "DELETE,GET,POST"),
        ("PUT", "/mcp", "DELETE,GET,POST"),
        ("HEAD", "/sse", "GET"),
        ("POST", "/sse", "GET"),
    ] {
        let request = Request::new(method, path).header("Mcp-Session-Id", client.session());
        let reply = gateway.http().send(&request);
        assert_eq!((reply.status, reply.header("allow")), (405, allowed), "{method} {path}");
    }
    let reply = gateway.http().send(&Request::new("HEAD", "/mcp"));
    assert_eq!(reply.status, 405, "without a session too");
}

#[test]
fn messages_of_a_batch_are_worked_on_at_once() {
    let gateway = one(|s| s);
    let client = Client::legacy_with(gateway.http(), "2025-03-26", json!({}));
    let batch = json!([
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "sleep", "arguments": {"ms": 50_000}}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": {}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "plain"}},
    ]);
    let begin = std::time::Instant::now();
    let reply = client.send(&batch.to_string());
    assert!(begin.elapsed() < std::time::Duration::from_secs(20), "{:?}", begin.elapsed());
    let replies = reply.body.as_array().expect("an array");
    assert_eq!(replies.iter().map(|reply| &reply["id"]).collect::<Vec<_>>(), [2, 3], "{replies:?}");
    assert_eq!(replies[0]["error"]["code"], -32600, "a handshake stands alone");
    assert_eq!(text(&replies[1]["result"]), "hello");
}

#[test]
fn what_is_said_during_a_batch_comes_before_its_answer() {
    let gateway = one(|s| s.env("FX_PROGRESS_MS", "20"));
    let client = Client::legacy_with(gateway.http(), "2025-03-26", json!({}));
    let params = json!({"name": "sleep", "arguments": {"ms": 150}, "_meta": {"progressToken": "t"}});
    let batch = json!([
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params},
        {"jsonrpc": "2.0", "id": 2, "method": "ping"},
    ]);
    let reply = client.send(&batch.to_string());
    assert!(reply.header("content-type").starts_with("text/event-stream"), "{:?}", reply.headers);
    let events = testkit::events_in(&reply.text());
    let said: Vec<Value> = events.iter().map(|e| serde_json::from_str(&e.data).expect("JSON")).collect();
    assert_eq!(said[0]["params"]["progressToken"], "t", "{said:?}");
    let last = said.last().and_then(Value::as_array).expect("an array");
    assert_eq!(last.iter().map(|reply| &reply["id"]).collect::<Vec<_>>(), [1, 2]);
}
