//! What goes wrong, and how a client hears of it (spec 1.4 and 1.6).

use crate::{in_modern, one, text};
use serde_json::{Value, json};
use testkit::{Client, Signal, TestGateway, eventually, send_signal};

/// Both clients of a gateway.
fn clients(gateway: &TestGateway) -> [Client; 2] {
    [Client::legacy(gateway.http()), Client::modern(gateway.http())]
}

#[track_caller]
fn check(error: &Value, number: i64, code: &str) {
    assert_eq!((&error["code"], &error["data"]["code"]), (&json!(number), &json!(code)), "{error}");
    assert!(error["data"]["details"].is_object(), "{error}");
    assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
}

#[test]
fn an_unknown_tool_is_an_invalid_parameter() {
    let gateway = one(|s| s);
    for client in clients(&gateway) {
        let error = client.call_error("no-such", json!({}));
        check(&error, -32602, "TOOL_NOT_FOUND");
        assert_eq!(error["data"]["details"]["toolName"], "no-such");
        check(&client.call_error("one__no-such", json!({})), -32602, "TOOL_NOT_FOUND");
        assert_eq!(client.error("tools/call", json!({}))["code"], -32602);
    }
}

#[test]
fn the_errors_of_a_server_pass_unchanged() {
    for edit in [|s| s, in_modern] {
        let gateway = one(edit);
        for client in clients(&gateway) {
            let failed = client.call("err-image", json!({}));
            assert_eq!(failed["isError"], true);
            assert_eq!(
                failed["content"],
                json!([{"type": "image", "data": "AA==", "mimeType": "image/png"}])
            );
            assert_eq!(text(&client.call("fetch-weather", json!({"city": "x"}))), "Invalid city.");
            let arguments = json!({"code": -31999, "message": "not today", "data": {"x": [1, null]}});
            assert_eq!(client.call_error("rpc", arguments.clone()), arguments);
            let bare = json!({"code": -32603, "message": "m"});
            assert_eq!(client.call_error("rpc", bare.clone()), bare);
        }
    }
}

#[test]
fn a_call_whose_server_crashes_ends_with_an_error_that_says_so() {
    let gateway = TestGateway::builder().server("one", |s| s).server("two", |s| s).start();
    let client = Client::legacy(gateway.http());
    check(&client.call_error("one__crash", json!({"code": 3})), -32603, "SERVER_CRASHED");
    gateway.wait_status("one", "crashed");
    check(&client.call_error("one__plain", json!({})), -32603, "SERVER_CRASHED");
    assert_eq!(text(&client.call("plain", json!({}))), "hello", "the other server goes on");
}

#[test]
fn a_tool_of_a_server_that_is_down_is_known_by_every_name_and_its_server_named() {
    for edit in [|s| s, in_modern] {
        let gateway = one(edit);
        for client in clients(&gateway) {
            client.call_error("crash", json!({"code": 3}));
            gateway.wait_status("one", "crashed");
            eventually("it is left out", || (!client.tools().contains(&"plain".to_owned())).then_some(()));
            for name in ["plain", "one__plain"] {
                let error = client.call_error(name, json!({}));
                check(&error, -32603, "SERVER_CRASHED");
                assert_eq!(error["message"], "MCP Server 'one' has crashed");
            }
            check(&client.call_error("no-such", json!({})), -32602, "TOOL_NOT_FOUND");
            gateway.post("/api/servers/one/restart", json!({})).expect_status(200);
            gateway.wait_status("one", "running");
            assert_eq!(text(&client.call("plain", json!({}))), "hello");
        }
    }
}

#[test]
fn every_error_of_the_gateway_has_its_code_and_details() {
    let gateway = one(|s| s);
    for client in clients(&gateway) {
        for (method, params, number, code) in [
            ("tools/call", json!({}), -32602, "VALIDATION_ERROR"),
            ("tools/list", json!({"cursor": "nonsense"}), -32602, "VALIDATION_ERROR"),
            ("prompts/get", json!({"name": "none"}), -32602, "NOT_FOUND"),
            ("completion/complete", json!({}), -32602, "VALIDATION_ERROR"),
            ("nobody/knows", json!({}), -32601, "NOT_FOUND"),
        ] {
            check(&client.error(method, params), number, code);
        }
    }
}

#[test]
fn a_call_that_takes_too_long_ends_and_the_server_is_told() {
    for edit in [|s| s, in_modern] {
        let gateway = one(|s| edit(s.timeout(1000)));
        for (n, client) in clients(&gateway).iter().enumerate() {
            let error = client.call_error("sleep", json!({"ms": 20_000}));
            check(&error, -32603, "TIMEOUT_ERROR");
            eventually("the server is told", || {
                (gateway.stats("one")["cancelled"].as_array().map(Vec::len) == Some(n + 1)).then_some(())
            });
            assert_eq!(text(&client.call("plain", json!({}))), "hello");
        }
    }
}

#[test]
fn a_server_that_is_down_is_left_out_and_comes_back() {
    let gateway = TestGateway::builder()
        .server("one", |s| s)
        .server("two", |s| s.env("FX_HOSTILE", "1"))
        .setting("restartPolicy: on-failure")
        .start();
    for client in clients(&gateway) {
        assert!(client.tools().contains(&"bad".to_owned()));
        send_signal(gateway.server_pid("two"), Signal::KILL);
        eventually("it is left out", || (!client.tools().contains(&"bad".to_owned())).then_some(()));
        eventually("it comes back", || client.tools().contains(&"bad".to_owned()).then_some(()));
        assert_eq!(text(&client.call("two__plain", json!({}))), "hello");
    }
}

#[test]
fn an_invalid_cursor_is_refused() {
    let gateway = one(|s| s);
    for client in clients(&gateway) {
        for cursor in [json!("nonsense"), json!(""), json!("999"), json!(5)] {
            let reply = client.ask("tools/list", json!({"cursor": cursor}));
            check(&reply["error"], -32602, "VALIDATION_ERROR");
        }
    }
}

#[test]
fn a_result_that_is_no_object_is_the_gateways_error() {
    let gateway = one(|s| s.env("FX_HOSTILE", "1"));
    let client = Client::legacy(gateway.http());
    for kind in ["no-jsonrpc", "wrong-version", "neither"] {
        check(&client.call_error("bad", json!({"kind": kind})), -32603, "INTERNAL_ERROR");
    }
    assert_eq!(text(&client.call("plain", json!({}))), "hello");
}

#[test]
fn a_missing_resource_has_the_code_of_the_clients_era() {
    for edit in [|s| s, in_modern] {
        let gateway = one(|s| edit(s.env("FX_RESOURCES", "r://a")));
        for (client, code) in clients(&gateway).into_iter().zip([-32002, -32602]) {
            let error = client.error("resources/read", json!({"uri": "r://none"}));
            assert_eq!(
                (&error["code"], &error["data"]["uri"]),
                (&json!(code), &json!("r://none")),
                "{error}"
            );
            assert_eq!(client.error("resources/read", json!({}))["code"], -32602);
        }
    }
}

#[test]
fn the_code_of_any_other_error_is_the_servers() {
    for edit in [|s| s, in_modern] {
        let gateway = one(edit);
        for client in clients(&gateway) {
            for code in [-32002, -32602] {
                let error = client.call_error("rpc", json!({"code": code, "message": "Resource not found"}));
                assert_eq!(error, json!({"code": code, "message": "Resource not found"}));
            }
        }
    }
}

#[test]
fn a_modern_client_that_does_not_know_tasks_is_told_what_it_lacks() {
    let gateway = one(|s| s);
    let client = Client::modern(gateway.http());
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let (_, request) = client.request(method, json!({"taskId": "t"}));
        let reply = client.exchange(&request.header("Mcp-Name", "t"));
        let error = &reply.body["error"];
        assert_eq!((reply.status, &error["code"]), (400, &json!(-32021)), "{method}: {error}");
        let needed = &error["data"]["requiredCapabilities"]["extensions"];
        assert_eq!(*needed, json!({"io.modelcontextprotocol/tasks": {}}), "{error}");
    }
}
