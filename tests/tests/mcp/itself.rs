//! A gateway that is given as its own server, and one in front of another.

use crate::{one, text};
use serde_json::json;
use testkit::{Answered, Config};
use testkit::{Client, Request, Served, TestGateway, within};

/// A server of the config file at that path of that port.
fn at(port: u16, path: &str) -> Config {
    let url = json!(format!("http://127.0.0.1:{port}{path}")).to_string();
    Config::new().server("one", |s| s).server("again", |s| s.raw("command", "").raw("url", &url))
}

#[test]
fn a_gateway_does_not_become_its_own_server() {
    let gateway = one(|s| s);
    let tools = gateway.tools();
    for path in ["/mcp", "/sse"] {
        gateway.rewrite(&at(gateway.http().port, path));
        gateway.post("/api/config/reload", json!({})).expect_status(200);
        let view = gateway.get("/api/servers").body[1].clone();
        assert_eq!((&view["name"], &view["status"]), (&json!("again"), &json!("stopped")), "{path}: {view}");
        let reason = view["lastError"].as_str().unwrap_or_default();
        assert!(reason.contains("This is Lockgate itself"), "{path}: {view}");
        assert_eq!(gateway.tools(), tools, "{path}");
    }
    assert_eq!(text(&Client::legacy(gateway.http()).call("echo", json!({"a": 1}))), r#"{"a":1}"#);
}

#[test]
fn every_way_in_knows_the_gateway_that_it_belongs_to() {
    let gateway = one(|s| s);
    let elsewhere = Served::start(|_, _| Answered::json(404, &json!({})));
    let url = json!(elsewhere.url()).to_string();
    gateway.rewrite(
        &Config::new().server("one", |s| s).server("far", |s| s.raw("command", "").raw("url", &url)),
    );
    gateway.post("/api/config/reload", json!({})).expect_status(200);
    let id = within(std::time::Duration::from_secs(10), || {
        elsewhere.all().first().map(|first| first.header("lockgate-instance").to_owned())
    });
    let id = id.expect("the server was asked");
    assert!(!id.is_empty(), "the gateway says which one it is");
    let discover = Client::modern(gateway.http()).request("server/discover", json!({})).1;
    for request in [
        Client::initialize("2025-11-25", &json!({})),
        discover,
        Request::new("GET", "/sse"),
        Request::new("POST", "/messages?sessionId=x").body("application/json", "{}"),
    ] {
        let reply = gateway.http().send(&request.header("lockgate-instance", &id));
        let message = reply.body["error"]["message"].as_str().unwrap_or_default();
        assert_eq!(reply.status, 508, "{}", reply.text());
        assert!(message.starts_with("This is Lockgate itself"), "{}", reply.text());
    }
    let other = Client::initialize("2025-11-25", &json!({})).header("lockgate-instance", "another");
    gateway.http().send(&other).expect_status(200);
    let rest = Request::new("GET", "/api/servers").header("lockgate-instance", &id);
    gateway.http().send(&rest).expect_status(200);
}

#[test]
fn a_gateway_in_front_of_another_works() {
    let behind = one(|s| s);
    for path in ["/mcp", "/sse"] {
        let url = json!(format!("http://127.0.0.1:{}{path}", behind.http().port)).to_string();
        let front =
            TestGateway::builder().server("behind", |s| s.raw("command", "").raw("url", &url)).start();
        for client in [Client::legacy(front.http()), Client::modern(front.http())] {
            assert_eq!(text(&client.call("echo", json!({"a": 1}))), r#"{"a":1}"#, "{path}");
        }
    }
}
