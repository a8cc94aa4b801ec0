//! The modern era over HTTP: headers that tell what a message is, cancellation, subscriptions.

use super::*;
use fake::{Piece, event};
use mcp::{Era, Kind};

#[tokio::test]
async fn a_call_shows_its_name_and_its_marked_arguments() {
    let fake = modern(|seen| match seen.method() {
        "tools/list" => json(seen.result(&json!({"tools": [
            {"name": "good", "inputSchema": {"type": "object", "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"}, "q": {"type": "string"}}}},
            {"name": "bad", "inputSchema": {"type": "object", "properties": {
                "n": {"type": "number", "x-mcp-header": "N"}}}},
            {"name": "plain", "inputSchema": {"type": "object"}},
        ]}))),
        _ => echo(seen),
    })
    .await;
    let (remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
    let tools = mcp::list(&remote.client, Era::Modern, Kind::Tools).await.expect("a list");
    assert_eq!(tools.iter().map(|tool| tool.key.as_str()).collect::<Vec<_>>(), ["good", "plain"]);
    let params = r#"{"name":"good","arguments":{"region":"東京","q":"x"}}"#;
    told(&remote.client, "tools/call", params).await;
    let call = &fake.with("tools/call")[0];
    for (name, value) in [
        ("mcp-protocol-version", Some("2026-07-28")),
        ("mcp-method", Some("tools/call")),
        ("mcp-name", Some("good")),
        ("mcp-param-region", Some("=?base64?5p2x5Lqs?=")),
        ("mcp-param-q", None),
        ("mcp-session-id", None),
        ("x-key", Some("s3cret")),
    ] {
        assert_eq!(call.header(name), value, "{name}");
    }
    told(&remote.client, "resources/read", r#"{"uri":"test://a/b"}"#).await;
    assert_eq!(fake.with("resources/read")[0].header("mcp-name"), Some("test://a/b"));
}

#[tokio::test]
async fn a_request_that_is_traced_says_which_span_asks() {
    let fake = modern(echo).await;
    let (remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
    let (tracer, _spans) = otlp::Tracer::new(0.0, std::sync::Arc::default());
    let context = otlp::Context::read("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", Some("a=1"));
    let span = tracer.begin(context, || "call".into()).expect("it is traced");
    span.within(told(&remote.client, "tools/call", r#"{"name":"a"}"#)).await;
    told(&remote.client, "tools/call", r#"{"name":"b"}"#).await;
    let calls = fake.with("tools/call");
    assert_eq!(calls[0].header("traceparent"), Some(span.context().parent().as_str()));
    assert_eq!((calls[0].header("tracestate"), calls[1].header("traceparent")), (Some("a=1"), None));
}

#[tokio::test]
async fn cancelling_a_modern_request_drops_it_and_says_nothing() {
    let (closed, mut seen_closed) = mpsc::unbounded_channel();
    let fake = modern(move |seen| match seen.method() {
        "slow" => {
            // The server notices when it writes to a stream that nobody reads.
            let (send, receive) = mpsc::unbounded_channel();
            let closed = closed.clone();
            tokio::spawn(async move {
                while send.send(": tick\n\n".into()).is_ok() {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                let _ = closed.send(());
            });
            Answer::Feed(receive)
        }
        _ => echo(seen),
    })
    .await;
    let (remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
    let slow = remote.client.request("slow", |_, out| out.extend_from_slice(b"{}")).expect("sent");
    fake.wait(|seen| seen.method() == "slow").await;
    remote.client.cancel(slow.id(), "enough");
    let noticed = tokio::time::timeout(Duration::from_secs(5), seen_closed.recv()).await;
    assert_eq!(noticed, Ok(Some(())));
    assert!(fake.with("notifications/cancelled").is_empty());
    assert_eq!(told(&remote.client, "x", "{}").await, r#"result {"echo":"x"}"#);
}

#[tokio::test]
async fn a_subscription_is_heard_and_no_stream_of_its_own_is_opened() {
    let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    let fake = modern(move |seen| match seen.method() {
        "subscriptions/listen" => Answer::Stream(vec![event(changed), Piece::Stay]),
        _ => echo(seen),
    })
    .await;
    let (remote, mut events) = connect(&fake, "/mcp").await.expect("connected");
    let listen = remote.client.request("subscriptions/listen", |_, out| out.extend_from_slice(b"{}"));
    assert_eq!(events.recv().await.expect("said").method, "notifications/tools/list_changed");
    drop(listen);
    assert_eq!(told(&remote.client, "x", "{}").await, r#"result {"echo":"x"}"#);
    remote.client.close();
    remote.client.left().await;
    assert!(fake.seen().iter().all(|seen| seen.verb == "POST"));
}

#[tokio::test]
async fn an_unknown_method_is_an_error_and_no_lost_session() {
    let fake = modern(|seen| {
        let error =
            json!({"jsonrpc": "2.0", "id": seen.body["id"], "error": {"code": -32601, "message": "?"}});
        Answer::Whole(404, "application/json", error.to_string())
    })
    .await;
    let (remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
    assert_eq!(told(&remote.client, "x", "{}").await, r#"error {"code":-32601,"message":"?"}"#);
}
