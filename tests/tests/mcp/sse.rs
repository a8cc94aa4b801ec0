//! The old HTTP+SSE transport.

use crate::{one, text};
use serde_json::{Value, json};
use testkit::{Client, Events, Http, Request, TestGateway, eventually};

/// A client with its one stream.
pub(crate) struct Old {
    http: Http,
    pub(crate) events: Events,
    path: String,
}

impl Old {
    /// Opens the stream and shakes hands.
    #[track_caller]
    pub(crate) fn greet(http: Http) -> Self {
        Self::greet_as(http, "2024-11-05")
    }

    /// The same with that revision.
    #[track_caller]
    fn greet_as(http: Http, version: &str) -> Self {
        Self::greet_with(http, version, json!({}))
    }

    /// The same with these capabilities.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "callers write the value in place")]
    pub(crate) fn greet_with(http: Http, version: &str, capabilities: Value) -> Self {
        let mut old = Self::open(http);
        let info = json!({"name": "old", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": info});
        let welcome = old.ask(0, "initialize", params);
        assert_eq!(welcome["result"]["protocolVersion"], version);
        old.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        old
    }

    #[track_caller]
    pub(crate) fn open(http: Http) -> Self {
        let mut events =
            Events::open(http, &Request::new("GET", "/sse").header("Accept", "text/event-stream"));
        assert_eq!((events.status, events.headers["content-type"].as_str()), (200, "text/event-stream"));
        let first = events.event().expect("an event");
        assert_eq!(first.name, "endpoint");
        // Simple clients put it behind the origin as it is.
        assert!(first.data.starts_with("/messages?sessionId="), "{}", first.data);
        Self { http, events, path: first.data }
    }

    #[track_caller]
    pub(crate) fn say(&self, message: &Value) {
        let reply =
            self.http.send(&Request::new("POST", &self.path).body("application/json", message.to_string()));
        assert_eq!(reply.status, 202, "{}", reply.text());
    }

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "callers write the parameters in place")]
    pub(crate) fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.events.reply(id)
    }
}

fn called(gateway: &TestGateway, path: &str) -> u16 {
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    gateway.http().send(&Request::new("POST", path).body("application/json", ping)).status
}

#[test]
fn everything_is_answered_on_the_one_stream() {
    let gateway = one(|s| s.env("FX_PROGRESS_MS", "20"));
    let mut old = Old::greet(gateway.http());
    assert_eq!(old.ask(1, "ping", json!({}))["result"], json!({}));
    let tools = old.ask(2, "tools/list", json!({}));
    assert!(tools["result"]["tools"].as_array().is_some_and(|tools| tools.len() > 10), "{tools}");
    let reply = old.ask(3, "tools/call", json!({"name": "echo", "arguments": {"a": 1}}));
    assert_eq!(text(&reply["result"]), r#"{"a":1}"#);
    let params = json!({"name": "sleep", "arguments": {"ms": 100}, "_meta": {"progressToken": "t"}});
    old.say(&json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": params}));
    assert_eq!(old.events.message()["params"]["progressToken"], "t");
    assert_eq!(old.events.reply(4)["result"]["structuredContent"], json!({"slept": 100}));
}

#[test]
fn the_stream_tells_that_a_list_changed() {
    let gateway = one(|s| s.env("FX_LIST_CHANGED", "1"));
    let mut old = Old::greet(gateway.http());
    Client::legacy(gateway.http()).call("grow", json!({"name": "later"}));
    old.events.until("notifications/tools/list_changed");
    let tools = old.ask(1, "tools/list", json!({}));
    assert!(tools.to_string().contains(r#""name":"later""#), "{tools}");
}

#[test]
fn a_closed_stream_cancels_its_requests_and_ends_its_session() {
    let gateway = one(|s| s);
    let old = Old::greet(gateway.http());
    let params = json!({"name": "sleep", "arguments": {"ms": 20_000}});
    old.say(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
    eventually("the call arrives", || (gateway.stats("one")["last"] == json!({"ms": 20_000})).then_some(()));
    let path = old.path.clone();
    drop(old);
    eventually("the server hears of it", || {
        (gateway.stats("one")["cancelled"].as_array().map(Vec::len) == Some(1)).then_some(())
    });
    eventually("the session is gone", || (called(&gateway, &path) == 404).then_some(()));
}

#[test]
fn two_streams_do_not_hear_of_each_other() {
    let gateway = one(|s| s);
    let (mut first, mut second) = (Old::greet(gateway.http()), Old::greet(gateway.http()));
    let call = |n: u64| {
        json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
        "params": {"name": "echo", "arguments": {"n": n}}})
    };
    for n in 0..20 {
        first.say(&call(n));
        second.say(&call(n + 1000));
        assert_eq!(text(&first.events.reply(7)["result"]), format!(r#"{{"n":{n}}}"#));
        assert_eq!(text(&second.events.reply(7)["result"]), format!(r#"{{"n":{}}}"#, n + 1000));
    }
}

#[test]
fn messages_need_a_session_that_is_open() {
    let gateway = one(|s| s);
    let elsewhere = Client::legacy(gateway.http());
    for path in ["/messages", "/messages?sessionId=", "/messages?sessionId=forged"] {
        let status = called(&gateway, path);
        assert!(matches!(status, 400 | 404), "{path}: {status}");
    }
    let path = format!("/messages?sessionId={}", elsewhere.session());
    assert_eq!(called(&gateway, &path), 404, "a session without a stream");
    let old = Old::greet(gateway.http());
    let reply = gateway.http().send(&Request::new("POST", &old.path).body("application/json", "{"));
    assert_eq!((reply.status, &reply.body["error"]["code"]), (400, &json!(-32700)));
}

#[test]
fn a_setting_takes_the_transport_away() {
    let gateway = TestGateway::builder().server("one", |s| s).setting("mcp: {sse: false}").start();
    let gone = gateway.get("/sse");
    assert_eq!((gone.status, &gone.body["error"]["data"]["code"]), (404, &json!("NOT_FOUND")));
    assert_eq!(called(&gateway, "/messages?sessionId=x"), 404);
    assert_eq!(text(&Client::legacy(gateway.http()).call("plain", json!({}))), "hello");
}

#[test]
fn a_batch_is_answered_on_the_stream() {
    let gateway = one(|s| s);
    let batch = json!([
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "plain"}},
    ]);
    let mut old = Old::greet_as(gateway.http(), "2025-03-26");
    old.say(&batch);
    let replies = old.events.message();
    assert_eq!((&replies[0]["id"], &replies[1]["id"]), (&json!(1), &json!(2)), "{replies}");
    assert_eq!(text(&replies[1]["result"]), "hello");
    let other = Old::greet(gateway.http());
    let request = Request::new("POST", &other.path).body("application/json", batch.to_string());
    let reply = gateway.http().send(&request);
    assert_eq!((reply.status, &reply.body["error"]["code"]), (400, &json!(-32600)));
}
