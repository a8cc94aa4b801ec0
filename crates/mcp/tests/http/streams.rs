//! Event streams: what is on the way to a reply, what a server says by itself, and streams taken up again.

use super::*;
use fake::{Piece, event};
use mcp::Listener;
use std::sync::atomic::{AtomicUsize, Ordering};

fn progress(token: u64, n: u64) -> String {
    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": n}})
        .to_string()
}

#[tokio::test]
async fn progress_and_requests_on_a_stream_reach_the_listener_before_the_reply() {
    let fake = legacy(|seen| match seen.method() {
        "tools/call" => {
            let token = seen.body["id"].as_u64().expect("an id");
            let ask =
                json!({"jsonrpc": "2.0", "id": "s1", "method": "sampling/createMessage", "params": {"a": 1}});
            Answer::Stream(vec![
                event(&progress(token, 1)),
                Piece::Wait(Duration::from_millis(20)),
                event(&ask.to_string()),
                // A reply over several lines of data is one message.
                Piece::Send(format!(
                    "id: 1\ndata: {{\ndata: {}\n\n",
                    &seen.result(&json!({"ok": true}))[1..]
                )),
            ])
        }
        _ => echo(seen),
    })
    .await;
    let (remote, mut events) = connect(&fake, "/mcp").await.expect("connected");
    let (listener, mut heard) = Listener::new(1, 16);
    let write = |_: u64, out: &mut Vec<u8>| out.extend_from_slice(br#"{"name":"t"}"#);
    let call = remote.client.request_for("tools/call", Some(listener), write).expect("sent");
    assert!(matches!(call.await, Ok(Outcome::Result(result)) if result.get() == r#"{"ok":true}"#));
    let said = [heard.recv().await.expect("said"), heard.recv().await.expect("said")];
    assert_eq!(
        said.each_ref().map(|said| said.method.as_str()),
        ["notifications/progress", "sampling/createMessage"]
    );
    remote.client.answer(said[1].id.as_deref().expect("asked"), r#""result":{"b":2}"#);
    let answer = fake.wait(|seen| seen.body["id"] == "s1").await;
    assert_eq!(answer.body, json!({"jsonrpc": "2.0", "id": "s1", "result": {"b": 2}}));
    assert!(events.try_recv().is_err());
}

#[tokio::test]
async fn what_a_server_says_by_itself_comes_over_its_own_stream_which_is_opened_again() {
    let opened = AtomicUsize::new(0);
    let fake = legacy(move |seen| match seen.verb.as_str() {
        "GET" => {
            let n = opened.fetch_add(1, Ordering::SeqCst);
            let changed = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/n{n}\"}}");
            let ping = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;
            Answer::Stream(vec![
                Piece::Send(format!("id: e{n}\nretry: 30\ndata: {changed}\n\n")),
                event(ping),
                if n < 2 { Piece::Wait(Duration::from_millis(1)) } else { Piece::Stay },
            ])
        }
        _ => echo(seen),
    })
    .await;
    let (_remote, mut events) = connect(&fake, "/mcp").await.expect("connected");
    for n in 0..3 {
        assert_eq!(events.recv().await.expect("said").method, format!("notifications/n{n}"));
    }
    let places: Vec<_> = fake.seen().into_iter().filter(|seen| seen.verb == "GET").collect();
    let places: Vec<_> = places.iter().map(|seen| seen.header("last-event-id")).collect();
    assert_eq!(places, [None, Some("e0"), Some("e1")]);
    fake.wait(|seen| seen.body["id"] == "p" && seen.body["result"] == json!({})).await;
}

#[tokio::test]
async fn a_reply_stream_that_ends_early_is_taken_up_after_the_time_the_server_asks_for() {
    for cut in [false, true] {
        let times = AtomicUsize::new(0);
        let fake = legacy(move |seen| match (seen.verb.as_str(), seen.header("last-event-id")) {
            ("POST", _) if seen.method() == "slow" => {
                let mut pieces = vec![Piece::Send("id: e1\nretry: 200\ndata:\n\n".into())];
                pieces.extend(cut.then_some(Piece::Cut));
                Answer::Stream(pieces)
            }
            ("GET", Some("e1")) => Answer::Stream(vec![Piece::Send("id: e2\ndata:\n\n".into())]),
            ("GET", Some("e2")) => match times.fetch_add(1, Ordering::SeqCst) {
                0 => status(503),
                // The id of the request is the third: discover and initialize came before.
                _ => Answer::Stream(vec![event(r#"{"jsonrpc":"2.0","id":3,"result":{"late":true}}"#)]),
            },
            _ => echo(seen),
        })
        .await;
        let (remote, _events) = connect(&fake, "/mcp").await.expect("connected");
        let began = std::time::Instant::now();
        assert_eq!(told(&remote.client, "slow", "{}").await, r#"result {"late":true}"#);
        assert!(began.elapsed() >= Duration::from_millis(600), "{:?}", began.elapsed());
        assert_eq!(told(&remote.client, "ping", "{}").await, r#"result {"echo":"ping"}"#);
    }
}

#[tokio::test]
async fn a_stream_that_cannot_be_taken_up_fails_its_request_only() {
    let fake = legacy(|seen| match seen.method() {
        "slow" => Answer::Stream(vec![event(&progress(3, 1))]),
        _ => echo(seen),
    })
    .await;
    let (remote, _events) = connect(&fake, "/mcp").await.expect("connected");
    assert_eq!(
        told(&remote.client, "slow", "{}").await,
        "failed: the server ended its answer without a reply"
    );
    assert_eq!(told(&remote.client, "ping", "{}").await, r#"result {"echo":"ping"}"#);
}

#[tokio::test]
async fn a_request_that_was_taken_is_not_unheard_though_its_session_is_forgotten() {
    let fake = legacy(|seen| match (seen.verb.as_str(), seen.method()) {
        ("POST", "slow") => Answer::Stream(vec![Piece::Send("id: 1\nretry: 50\ndata:\n\n".into())]),
        ("GET", _) => status(404),
        _ => echo(seen),
    })
    .await;
    let (remote, _events) = connect(&fake, "/mcp").await.expect("connected");
    let told = told(&remote.client, "slow", "{}").await;
    assert_eq!(told, "failed: the server ended its answer without a reply");
    assert_eq!(fake.with("slow").len(), 1);
}

#[tokio::test]
async fn a_reply_written_over_several_lines_is_one_line_afterwards() {
    let fake = legacy(|seen| match seen.method() {
        "pretty" => json(seen.result(&json!({"a": "x\ny"})).replace(',', ",\r\n  ")),
        _ => echo(seen),
    })
    .await;
    let (remote, _events) = connect(&fake, "/mcp").await.expect("connected");
    assert_eq!(told(&remote.client, "pretty", "{}").await, r#"result {"a":"x\ny"}"#);
}
