//! Modern clients: no handshake, and every request says all about itself.

use crate::{in_modern, one, text};
use serde_json::{Value, json};
use testkit::{Client, Events, MODERN, Reply, Request, Signal, TestGateway, modern_meta};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT: &str = "io.modelcontextprotocol/clientInfo";
const INFO: &str = "io.modelcontextprotocol/serverInfo";
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Sends a request with these headers instead of those that belong to it.
fn send(gateway: &TestGateway, method: &str, params: &Value, headers: &[(&str, &str)]) -> Reply {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let request = Request::new("POST", "/mcp").body("application/json", body);
    gateway.http().send(&headers.iter().fold(request, |request, (name, value)| request.header(name, value)))
}

fn call() -> Value {
    json!({"name": "plain", "_meta": modern_meta(&json!({}))})
}

#[test]
fn discovery_tells_what_there_is() {
    let gateway = one(in_modern);
    let result = Client::modern(gateway.http()).result("server/discover", json!({}));
    assert_eq!(result["supportedVersions"], json!([MODERN]));
    assert_eq!(result["resultType"], "complete");
    assert!(result["ttlMs"].is_u64() && result["cacheScope"].is_string(), "{result}");
    assert_eq!(result["capabilities"]["tools"]["listChanged"], true);
    assert_eq!(result["_meta"][INFO]["name"], "lockgate");
}

#[test]
fn both_eras_of_servers_are_listed_and_called() {
    let gateway = TestGateway::builder().server("old", |s| s).server("new", in_modern).start();
    let client = Client::modern(gateway.http());
    let list = client.result("tools/list", json!({}));
    assert_eq!(list["resultType"], "complete");
    assert!(list["ttlMs"].is_u64() && list["cacheScope"].is_string(), "{list}");
    assert_eq!(list["_meta"][INFO]["name"], "lockgate", "{list}");
    for server in ["old", "new"] {
        let result = client.call(&format!("{server}__plain"), json!({}));
        assert_eq!((text(&result), &result["resultType"]), ("hello", &json!("complete")), "{server}");
        assert!(result["_meta"][INFO]["name"].is_string(), "{server}: {result}");
    }
}

#[test]
fn a_modern_server_that_is_slow_to_start_is_found_all_the_same() {
    let gateway = one(|s| in_modern(s).env("FX_START_DELAY", "3000"));
    assert_eq!(text(&Client::modern(gateway.http()).call("plain", json!({}))), "hello");
}

#[test]
fn no_session_is_made() {
    let gateway = one(in_modern);
    let client = Client::modern(gateway.http());
    let reply = gateway.http().send(&client.request("tools/list", json!({})).1);
    assert_eq!(reply.header("mcp-session-id"), "");
    assert!(reply.header("content-type").starts_with("application/json"));
}

#[test]
fn a_request_without_its_meta_is_refused() {
    let gateway = one(|s| s);
    let headers = [("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/call"), ("Mcp-Name", "plain")];
    for missing in [&[VERSION][..], &[CAPABILITIES], &[VERSION, CAPABILITIES]] {
        let mut params = call();
        let meta = params["_meta"].as_object_mut().expect("an object");
        missing.iter().for_each(|key| drop(meta.remove(*key)));
        let reply = send(&gateway, "tools/call", &params, &headers);
        assert_eq!((reply.status, &reply.body["error"]["code"]), (400, &json!(-32602)), "{missing:?}");
    }
    for wrong in [json!(null), json!(20_260_728), json!({})] {
        let mut params = call();
        params["_meta"][VERSION] = wrong;
        let reply = send(&gateway, "tools/call", &params, &headers);
        assert_eq!((reply.status, &reply.body["error"]["code"]), (400, &json!(-32602)), "{params}");
    }
    for wrong in [json!("x"), json!(["x"]), json!(5)] {
        let mut params = call();
        params["_meta"][CLIENT] = wrong;
        let reply = send(&gateway, "tools/call", &params, &headers);
        assert_eq!((reply.status, &reply.body["error"]["code"]), (400, &json!(-32602)), "{params}");
    }
    let reply = send(&gateway, "tools/call", &json!({"name": "plain"}), &headers);
    assert_eq!((reply.status, &reply.body["error"]["code"]), (400, &json!(-32602)));
    assert_eq!(gateway.stats("one")["calls"], 1, "only this call reached the server");
}

#[test]
fn an_unsupported_revision_names_those_there_are() {
    let gateway = one(|s| s);
    let mut params = call();
    params["_meta"][VERSION] = "2099-01-01".into();
    let headers =
        [("MCP-Protocol-Version", "2099-01-01"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "plain")];
    let reply = send(&gateway, "tools/call", &params, &headers);
    assert_eq!((reply.status, &reply.body["error"]["code"]), (400, &json!(-32022)), "{}", reply.text());
    let data = &reply.body["error"]["data"];
    assert_eq!(data["requested"], "2099-01-01");
    assert!(data["supported"].as_array().is_some_and(|all| all.contains(&json!(MODERN))), "{data}");
    assert_eq!(
        (&data["code"], &data["details"]["requested"]),
        (&json!("VALIDATION_ERROR"), &json!("2099-01-01"))
    );
    assert_eq!(reply.body["id"], 1);
}

#[test]
fn headers_that_differ_from_the_body_are_refused() {
    let gateway = one(|s| s);
    let good = [("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/call"), ("Mcp-Name", "plain")];
    send(&gateway, "tools/call", &call(), &good).expect_status(200);
    for at in 0..good.len() {
        for wrong in [None, Some("other")] {
            let mut headers = good.to_vec();
            match wrong {
                None => drop(headers.remove(at)),
                Some(value) => headers[at].1 = value,
            }
            let reply = send(&gateway, "tools/call", &call(), &headers);
            let found = (reply.status, &reply.body["error"]["code"]);
            assert_eq!(found, (400, &json!(-32020)), "{headers:?}: {}", reply.text());
        }
    }
    for (name, _) in good {
        let headers = [&good[..], &[(name, "other")]].concat();
        let reply = send(&gateway, "tools/call", &call(), &headers);
        assert_eq!(reply.body["error"]["code"], -32020, "{headers:?}: {}", reply.text());
    }
    let calls = &gateway.stats("one")["calls"];
    assert_eq!(calls, 2, "the good call and this one");
}

#[test]
fn a_name_outside_of_ascii_is_encoded_in_its_header() {
    let gateway = one(|s| s.env("FX_LIST_CHANGED", "1"));
    let client = Client::modern(gateway.http());
    client.call("grow", json!({"name": "été"}));
    testkit::eventually("the new tool", || client.tools().contains(&"été".to_owned()).then_some(()));
    let params = json!({"name": "été", "_meta": modern_meta(&json!({}))});
    let version = ("MCP-Protocol-Version", MODERN);
    let headers = [version, ("Mcp-Method", "tools/call"), ("Mcp-Name", "=?base64?w6l0w6k=?=")];
    send(&gateway, "tools/call", &params, &headers).expect_status(200);
}

#[test]
fn an_unknown_method_is_not_found() {
    let gateway = one(|s| s);
    let client = Client::modern(gateway.http());
    for method in ["no/such", "initialize", "ping", "logging/setLevel", "resources/subscribe"] {
        let reply = gateway.http().send(&client.request(method, json!({})).1);
        let found = (reply.status, &reply.body["error"]["code"]);
        assert_eq!(found, (404, &json!(-32601)), "{method}: {}", reply.text());
    }
}

#[test]
fn a_result_that_holds_the_word_error_is_a_result() {
    let gateway = one(|s| in_modern(s).env("FX_FIDELITY", "1"));
    let client = Client::modern(gateway.http());
    let result = r#"{"resultType":"complete","error":{"code":-32601,"message":"m"},"content":[]}"#;
    let params = json!({"name": "raw-result", "arguments": {"text": result}});
    client.exchange(&client.request("tools/call", params).1).expect_status(200);
}

#[test]
fn a_listener_is_acknowledged_and_hears_what_it_asked_for() {
    for modern in ["", "modern"] {
        let gateway = one(|s| s.env("FX_ERA", modern).env("FX_LIST_CHANGED", "1"));
        let client = Client::modern(gateway.http());
        let (id, mut wanted) =
            client.stream("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
        let (other, mut unwanted) =
            client.stream("subscriptions/listen", json!({"notifications": {"promptsListChanged": true}}));
        assert_eq!(wanted.headers["content-type"], "text/event-stream");
        for (stream, id) in [(&mut wanted, id), (&mut unwanted, other)] {
            let first = stream.message();
            assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
            assert_eq!(first["params"]["_meta"][SUBSCRIPTION], id, "{first}");
        }
        client.call("grow", json!({"name": "later"}));
        let changed = wanted.until("notifications/tools/list_changed");
        assert_eq!(changed["params"]["_meta"][SUBSCRIPTION], id, "{changed}");
        assert!(client.tools().contains(&"later".to_owned()));
        let silence = unwanted.event_within(std::time::Duration::from_millis(100));
        assert_eq!(silence, None);
    }
}

#[test]
fn a_listener_says_for_what() {
    let gateway = one(|s| s);
    let client = Client::modern(gateway.http());
    for params in
        [json!({}), json!({"notifications": []}), json!({"notifications": {"toolsListChanged": "yes"}})]
    {
        let reply = client.exchange(&client.request("subscriptions/listen", params.clone()).1);
        let found = (reply.status, &reply.body["error"]["code"]);
        assert_eq!(found, (400, &json!(-32602)), "{params}: {}", reply.text());
    }
}

#[test]
fn a_listening_that_is_not_written_as_a_request_is_refused() {
    let gateway = one(|s| s);
    let params = json!({"notifications": {"toolsListChanged": true}, "_meta": modern_meta(&json!({}))});
    for head in [r#""jsonrpc":"2.0","id":[1]"#, r#""jsonrpc":"2.0","id":true"#, r#""jsonrpc":"1.0","id":1"#] {
        let body = format!(r#"{{{head},"method":"subscriptions/listen","params":{params}}}"#);
        let request = Request::new("POST", "/mcp").body("application/json", body);
        let request =
            request.header("MCP-Protocol-Version", MODERN).header("Mcp-Method", "subscriptions/listen");
        assert_eq!(Events::open(gateway.http(), &request).status, 400, "{head}");
    }
}

#[test]
fn get_and_delete_are_not_for_modern_clients() {
    let gateway = one(|s| s);
    for method in ["GET", "DELETE"] {
        let request = Request::new(method, "/mcp").header("MCP-Protocol-Version", MODERN);
        assert_eq!(gateway.http().send(&request).status, 405, "{method}");
    }
}

#[test]
fn a_gateway_that_stops_ends_a_subscription_with_its_result() {
    let gateway = one(|s| s);
    let client = Client::modern(gateway.http());
    let (id, mut stream) =
        client.stream("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    stream.until("notifications/subscriptions/acknowledged");
    gateway.signal(Signal::TERM);
    let reply = stream.reply(id);
    assert_eq!(reply["result"]["resultType"], "complete", "{reply}");
    assert_eq!(reply["result"]["_meta"][SUBSCRIPTION], id, "{reply}");
    assert!(stream.event().is_none(), "it is the end");
    assert_eq!(gateway.wait_exit(), Some(0));
}
