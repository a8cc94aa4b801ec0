//! Progress and cancellation.

use crate::{in_modern, one};
use serde_json::{Value, json};
use testkit::{Client, Server, TestGateway, eventually};

const PROGRESS: &str = "notifications/progress";

fn reporting(edit: impl FnOnce(Server) -> Server) -> TestGateway {
    one(|s| edit(s.env("FX_PROGRESS_MS", "20")))
}

#[track_caller]
fn wait_cancelled(gateway: &TestGateway, count: usize) {
    eventually("the server hears of it", || {
        (gateway.stats("one")["cancelled"].as_array().map(Vec::len) == Some(count)).then_some(())
    });
}

/// A call that has reached the server by the time this returns, on its open connection.
fn begin(gateway: &TestGateway, client: &Client, ms: u64) -> (u64, std::net::TcpStream) {
    let (id, request) = client.request("tools/call", json!({"name": "sleep", "arguments": {"ms": ms}}));
    let connection = gateway.http().begin(&request).expect("the gateway takes requests");
    eventually("the call arrives", || (gateway.stats("one")["last"] == json!({"ms": ms})).then_some(()));
    (id, connection)
}

#[test]
fn progress_comes_under_the_clients_own_token_before_the_result() {
    for edit in [|s| s, in_modern] {
        let gateway = reporting(edit);
        for client in [Client::legacy(gateway.http()), Client::modern(gateway.http())] {
            for token in [json!("my \"token\""), json!(42), json!(0)] {
                let params =
                    json!({"name": "sleep", "arguments": {"ms": 150}, "_meta": {"progressToken": token}});
                let mut messages = client.messages("tools/call", params);
                let reply = messages.pop().expect("a reply");
                assert_eq!(reply["result"]["structuredContent"], json!({"slept": 150}));
                assert!(!messages.is_empty(), "nothing was reported");
                for (n, message) in messages.iter().enumerate() {
                    assert_eq!(
                        (&message["method"], &message["params"]["progressToken"]),
                        (&json!(PROGRESS), &token)
                    );
                    assert_eq!(message["params"]["progress"], n + 1);
                }
            }
        }
    }
}

#[test]
fn a_reply_is_plain_json_when_nothing_streams() {
    let gateway = reporting(|s| s);
    let client = Client::legacy(gateway.http());
    for (params, kind) in [
        (json!({"name": "sleep", "arguments": {"ms": 100}}), "application/json"),
        (json!({"name": "plain", "_meta": {"progressToken": 1}}), "application/json"),
        (
            json!({"name": "sleep", "arguments": {"ms": 100}, "_meta": {"progressToken": null}}),
            "application/json",
        ),
        (
            json!({"name": "sleep", "arguments": {"ms": 100}, "_meta": {"progressToken": 1}}),
            "text/event-stream",
        ),
    ] {
        let reply = gateway.http().send(&client.request("tools/call", params.clone()).1);
        assert!(reply.header("content-type").starts_with(kind), "{params}: {:?}", reply.headers);
    }
}

#[test]
fn two_calls_with_the_same_token_hear_only_of_themselves() {
    let gateway = reporting(|s| s);
    let calls = [300_u64, 60].map(|ms| {
        let client = Client::legacy(gateway.http());
        std::thread::spawn(move || {
            let params =
                json!({"name": "sleep", "arguments": {"ms": ms}, "_meta": {"progressToken": "same"}});
            client.messages("tools/call", params)
        })
    });
    for call in calls {
        let mut messages = call.join().expect("the client ends well");
        messages.pop();
        let steps: Vec<Option<u64>> = messages.iter().map(|m| m["params"]["progress"].as_u64()).collect();
        let expected: Vec<Option<u64>> = (1..=steps.len() as u64).map(Some).collect();
        assert_eq!(steps, expected);
    }
}

#[test]
fn a_legacy_client_cancels_by_saying_so() {
    for edit in [|s| s, in_modern] {
        let gateway = reporting(edit);
        let client = Client::legacy(gateway.http());
        let (id, _connection) = begin(&gateway, &client, 20_000);
        let stranger = Client::legacy(gateway.http());
        stranger.notify("notifications/cancelled", json!({"requestId": id})).expect_status(202);
        client.notify("notifications/cancelled", json!({"requestId": id + 1})).expect_status(202);
        assert_eq!(gateway.stats("one")["cancelled"], json!([]), "only its own client cancels a request");
        client.notify("notifications/cancelled", json!({"requestId": id, "reason": "no"})).expect_status(202);
        wait_cancelled(&gateway, 1);
    }
}

#[test]
fn whoever_hangs_up_cancels() {
    for edit in [|s| s, in_modern] {
        let gateway = reporting(edit);
        let clients: [(Client, u64); 2] =
            [(Client::legacy(gateway.http()), 20_001), (Client::modern(gateway.http()), 20_002)];
        for (n, (client, ms)) in clients.iter().enumerate() {
            drop(begin(&gateway, client, *ms));
            wait_cancelled(&gateway, 2 * n + 1);
            let params = json!({"name": "sleep", "arguments": {"ms": 20_000}, "_meta": {"progressToken": 1}});
            let (_, mut stream) = client.stream("tools/call", params);
            stream.until(PROGRESS);
            drop(stream);
            wait_cancelled(&gateway, 2 * n + 2);
        }
    }
}

#[test]
fn a_batch_ends_however_much_is_reported_meanwhile() {
    let gateway = one(|s| s.env("FX_PROGRESS_MS", "1").timeout(5000));
    let client = Client::legacy_with(gateway.http(), "2025-03-26", json!({}));
    let params = json!({"name": "sleep", "arguments": {"ms": 500}, "_meta": {"progressToken": 1}});
    let reply = client
        .send(&json!([{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}]).to_string());
    let events = testkit::events_in(&reply.text());
    let last: Value = serde_json::from_str(&events.last().expect("an event").data).expect("JSON");
    assert_eq!(last[0]["result"]["structuredContent"], json!({"slept": 500}), "{}", reply.text());
}

#[test]
fn progress_may_restart_the_clock_of_a_call() {
    let gateway = TestGateway::builder()
        .server("one", |s| s.env("FX_PROGRESS_MS", "100").timeout(1000))
        .setting("timeoutResetOnProgress: true")
        .start();
    for client in [Client::legacy(gateway.http()), Client::modern(gateway.http())] {
        let messages = client.messages("tools/call", json!({"name": "sleep", "arguments": {"ms": 1500}}));
        assert_eq!(messages.len(), 1, "the client did not ask for progress: {messages:?}");
        assert_eq!(messages[0]["result"]["structuredContent"], json!({"slept": 1500}), "{messages:?}");
    }
    let nothing: Value = gateway.stats("one")["cancelled"].clone();
    assert_eq!(nothing, json!([]));
}
