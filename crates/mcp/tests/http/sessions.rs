//! Legacy sessions: the id is kept and sent, its loss is the end, and closing says so.

use super::*;
use mcp::End;

#[tokio::test]
async fn a_session_is_kept_from_initialize_to_delete() {
    let fake = legacy(echo).await;
    let (remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
    assert_eq!(told(&remote.client, "tools/list", "{}").await, r#"result {"echo":"tools/list"}"#);
    let listed = &fake.with("tools/list")[0];
    assert_eq!(listed.header("mcp-session-id"), Some("abc"));
    assert_eq!(listed.header("mcp-protocol-version"), Some("2025-11-25"));
    assert_eq!((listed.header("mcp-method"), listed.header("mcp-name")), (None, None));
    let opened = fake.wait(|seen| seen.verb == "GET").await;
    assert_eq!(opened.header("mcp-session-id"), Some("abc"));
    assert_eq!(opened.header("accept"), Some("text/event-stream"));
    remote.client.close();
    remote.client.left().await;
    let last = fake.seen().pop().expect("seen");
    assert_eq!((last.verb.as_str(), last.header("mcp-session-id")), ("DELETE", Some("abc")));
    assert_eq!(told(&remote.client, "ping", "{}").await, "gone");
}

#[tokio::test]
async fn a_server_is_listened_to_before_its_first_call() {
    let fake = legacy(echo).await;
    let (_remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
    assert!(fake.seen().iter().any(|seen| seen.verb == "GET"), "{:?}", fake.seen());
}

#[tokio::test]
async fn a_server_that_does_not_answer_to_a_listener_is_used_all_the_same() {
    let fake = legacy(|seen| if seen.verb == "GET" { Answer::Silence } else { echo(seen) }).await;
    let (remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
    assert_eq!(told(&remote.client, "ping", "{}").await, r#"result {"echo":"ping"}"#);
}

#[tokio::test]
async fn dropping_the_hold_closes_the_connection() {
    let fake = legacy(echo).await;
    let (remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
    drop(remote);
    fake.wait(|seen| seen.verb == "DELETE").await;
}

#[tokio::test]
async fn a_session_that_is_not_found_is_lost() {
    let fake = legacy(|seen| match seen.method() {
        "ping" => status(404),
        "slow" => Answer::Silence,
        _ => echo(seen),
    })
    .await;
    let (remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
    let slow = remote.client.request("slow", |_, out| out.extend_from_slice(b"{}")).expect("sent");
    assert_eq!(told(&remote.client, "ping", "{}").await, "unheard", "it may be said again");
    assert!(matches!(slow.await, Err(mcp::Gone)), "nobody knows what became of it");
    assert_eq!(remote.client.ended().await, End::Forgotten);
}

#[tokio::test]
async fn a_request_that_is_answered_with_404_by_its_id_is_refused_and_the_session_stays() {
    let fake = legacy(|seen| match seen.method() {
        "odd" => {
            let error = json!({"code": -32602, "message": "no such thing"});
            let reply = json!({"jsonrpc": "2.0", "id": seen.body["id"], "error": error});
            Answer::Whole(404, "application/json", reply.to_string())
        }
        _ => echo(seen),
    })
    .await;
    let (remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
    assert_eq!(told(&remote.client, "odd", "{}").await, r#"error {"code":-32602,"message":"no such thing"}"#);
    assert_eq!(told(&remote.client, "ping", "{}").await, r#"result {"echo":"ping"}"#);
}

#[tokio::test]
async fn a_server_that_goes_away_is_lost_with_the_next_message() {
    let fake = legacy(echo).await;
    let (remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
    fake.stop().await;
    assert_eq!(told(&remote.client, "ping", "{}").await, "gone");
    assert_eq!(remote.client.ended().await, End::Eof);
}

#[tokio::test]
async fn a_refusal_concerns_its_own_request_only() {
    let fake = legacy(|seen| match seen.method() {
        "bad" => status(500),
        "rpc" => Answer::Whole(
            400,
            "application/json",
            json!({"jsonrpc": "2.0", "id": null, "error": {"code": -5, "message": "m"}}).to_string(),
        ),
        "other" => json(json!({"jsonrpc": "2.0", "id": 999, "result": {}}).to_string()),
        "cut" => Answer::Cut,
        _ => echo(seen),
    })
    .await;
    let (remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
    for (method, expected) in [
        ("bad", "failed: the server answered with HTTP status 500"),
        ("rpc", r#"error {"code":-5,"message":"m"}"#),
        ("other", "invalid"),
        ("cut", "failed: the connection broke before the reply was there"),
        ("ping", r#"result {"echo":"ping"}"#),
    ] {
        assert_eq!(told(&remote.client, method, "{}").await, expected);
    }
}

#[tokio::test]
async fn cancelling_a_legacy_request_is_said_and_its_reply_is_not_waited_for() {
    let fake = legacy(|seen| match seen.method() {
        "slow" => Answer::Silence,
        _ => echo(seen),
    })
    .await;
    let (remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
    let slow = remote.client.request("slow", |_, out| out.extend_from_slice(b"{}")).expect("sent");
    fake.wait(|seen| seen.method() == "slow").await;
    remote.client.cancel(slow.id(), "enough");
    let said = fake.wait(|seen| seen.method() == "notifications/cancelled").await;
    assert_eq!(said.body["params"], json!({"requestId": slow.id(), "reason": "enough"}));
}
