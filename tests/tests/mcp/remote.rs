//! Servers at an address that refuse, break off or forget (spec 5.4).

use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use testkit::{Answered, Client, Received, Served, TestGateway};

/// A legacy server with one session at a time, which answers calls as `act` says.
struct Far {
    served: Served,
    /// The number of the session that it knows.
    session: Arc<AtomicU64>,
}

impl Far {
    fn start(act: impl Fn(&Value) -> Answered + Send + Sync + 'static) -> Self {
        Self::forgetting(false, act)
    }

    /// The same, with a session that ends with each call where it forgets.
    fn forgetting(forgets: bool, act: impl Fn(&Value) -> Answered + Send + Sync + 'static) -> Self {
        let session = Arc::new(AtomicU64::new(0));
        let known = session.clone();
        let served = Served::start(move |request, _| {
            let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
            let with = |result: Value| {
                Answered::json(200, &json!({"jsonrpc": "2.0", "id": body["id"], "result": result}))
            };
            let method = body["method"].as_str().unwrap_or_default();
            match (request.method.as_str(), method) {
                ("POST", "server/discover") => Answered::json(400, &json!({})),
                ("POST", "initialize") => {
                    let number = known.fetch_add(1, SeqCst) + 1;
                    with(json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                        "serverInfo": {"name": "far", "version": "1"}}))
                    .header("Mcp-Session-Id", &number.to_string())
                }
                ("POST", _) if !knows(&known, request) => Answered::json(404, &json!({})),
                ("POST", "tools/list") => {
                    with(json!({"tools": [{"name": "act", "inputSchema": {"type": "object"}}]}))
                }
                ("POST", "tools/call") => {
                    known.fetch_add(u64::from(forgets), SeqCst);
                    act(&body)
                }
                ("POST", _) if body.get("id").is_none() => Answered::json(202, &Value::Null),
                ("POST", _) => with(json!({})),
                _ => Answered::json(405, &json!({})),
            }
        });
        Self { served, session }
    }

    fn gateway(&self) -> TestGateway {
        let url = json!(self.served.url()).to_string();
        TestGateway::builder().server("far", |s| s.raw("command", "").raw("url", &url)).start()
    }

    /// From now on no session is known.
    fn forget(&self) {
        self.session.fetch_add(1, SeqCst);
    }

    fn greetings(&self) -> usize {
        self.served.all().iter().filter(|one| one.body.contains("\"initialize\"")).count()
    }
}

fn knows(session: &AtomicU64, request: &Received) -> bool {
    request.header("mcp-session-id") == session.load(SeqCst).to_string()
}

fn done(body: &Value) -> Answered {
    Answered::json(200, &json!({"jsonrpc": "2.0", "id": body["id"], "result": {"content": []}}))
}

#[test]
fn a_failure_on_the_way_says_code_and_details_as_with_any_server() {
    let far = Far::start(|_| Answered::json(503, &json!({"busy": true})));
    let gateway = far.gateway();
    let details = json!({"server": "far", "serverName": "far", "toolName": "act"});
    for client in [Client::legacy(gateway.http()), Client::modern(gateway.http())] {
        let error = client.call_error("act", json!({}));
        assert_eq!(error["data"], json!({"code": "TOOL_EXECUTION_ERROR", "details": details}), "{error}");
        assert_eq!(error["message"], "Tool execution failed: the server answered with HTTP status 503");
    }
    let reply = gateway.call("far", "act", json!({}));
    reply.expect_status(500);
    assert_eq!(reply.body["error"]["details"], details, "{:?}", reply.body);
    assert_eq!(gateway.status("far"), "running");
}

#[test]
fn a_session_that_the_server_forgot_is_begun_anew_and_the_call_made_again() {
    let far = Far::start(done);
    let gateway = far.gateway();
    for client in [Client::legacy(gateway.http()), Client::modern(gateway.http())] {
        client.call("act", json!({}));
    }
    far.forget();
    assert_eq!(Client::legacy(gateway.http()).call("act", json!({})), json!({"content": []}));
    assert_eq!((far.greetings(), gateway.status("far")), (2, "running".to_owned()));
    let calls = far.served.all().iter().filter(|one| one.body.contains("tools/call")).count();
    assert_eq!(calls, 4, "the one that was not taken is made once more");
}

#[test]
fn a_call_that_is_not_found_concerns_no_other() {
    let far = Far::start(|body| match body["params"]["arguments"]["lost"].as_bool() {
        Some(true) => Answered::json(404, &json!({})),
        _ => done(body),
    });
    let gateway = far.gateway();
    let client = Client::legacy(gateway.http());
    for _ in 0..3 {
        let error = client.call_error("act", json!({"lost": true}));
        assert_eq!(error["data"]["code"], "TOOL_EXECUTION_ERROR", "{error}");
        assert_eq!(error["message"], "Tool execution failed: the server answered with HTTP status 404");
        assert_eq!(client.call("act", json!({})), json!({"content": []}));
    }
    assert_eq!((far.greetings(), gateway.status("far")), (1, "running".to_owned()));
}

#[test]
fn a_restart_by_hand_is_a_new_beginning_for_a_server_that_forgets() {
    let far = Far::start(done);
    let gateway = far.gateway();
    let client = Client::legacy(gateway.http());
    for _ in 0..2 {
        far.forget();
        assert_eq!(client.call("act", json!({})), json!({"content": []}));
        gateway.post("/api/servers/far/restart", json!({})).expect_status(200);
    }
    assert_eq!(gateway.status("far"), "running");
}

#[test]
fn a_server_that_forgets_again_and_again_has_crashed() {
    let far = Far::forgetting(true, |_| Answered::json(404, &json!({})));
    let gateway = far.gateway();
    let error = Client::legacy(gateway.http()).call_error("act", json!({}));
    assert_eq!(error["data"]["code"], "SERVER_CRASHED", "{error}");
    assert_eq!(gateway.status("far"), "crashed", "the reply tells what the server is");
    assert_eq!(far.greetings(), 2);
    let error = Client::legacy(gateway.http()).call_error("far__act", json!({}));
    assert_eq!(error["data"]["code"], "SERVER_CRASHED", "{error}");
}

#[test]
fn the_end_of_an_elicitation_is_told_on_the_stream_where_it_was_said_and_to_no_modern_client() {
    const COMPLETE: &str = "notifications/elicitation/complete";
    let far = Far::start(|body| {
        let complete = json!({"jsonrpc": "2.0", "method": COMPLETE, "params": {"elicitationId": "E"}});
        let reply = json!({"jsonrpc": "2.0", "id": body["id"], "result": {"content": []}});
        Answered::json(200, &json!([complete, reply]))
    });
    let gateway = far.gateway();
    let legacy = Client::legacy(gateway.http());
    let _listens = legacy.listen();
    for (client, expected) in [(legacy, &[COMPLETE][..]), (Client::modern(gateway.http()), &[])] {
        let mut messages = client.messages("tools/call", json!({"name": "act", "arguments": {}}));
        messages.pop();
        let heard: Vec<&str> = messages.iter().filter_map(|message| message["method"].as_str()).collect();
        assert_eq!(heard, expected, "{messages:?}");
    }
}
