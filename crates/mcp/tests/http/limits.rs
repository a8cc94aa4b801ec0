//! Sizes, numbers and times are bounded, and one slow request holds up no other.

use super::*;
use fake::{Piece, event};
use mcp::{End, LINE_MAX};

#[tokio::test]
async fn an_oversized_message_ends_the_connection() {
    for streamed in [false, true] {
        let fake = legacy(move |seen| match (seen.method(), streamed) {
            ("big", false) => json(seen.result(&"x".repeat(LINE_MAX).into())),
            ("big", true) => Answer::Stream(vec![event(&seen.result(&"x".repeat(LINE_MAX).into()))]),
            _ => echo(seen),
        })
        .await;
        let (remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
        assert_eq!(told(&remote.client, "big", "{}").await, "gone");
        assert_eq!(remote.client.ended().await, End::Overrun);
    }
}

#[tokio::test]
async fn a_large_message_within_the_limit_passes_whole() {
    for streamed in [false, true] {
        let fake = legacy(move |seen| match (seen.method(), streamed) {
            ("big", false) => json(seen.result(&"x".repeat(LINE_MAX - 100).into())),
            ("big", true) => Answer::Stream(vec![event(&seen.result(&"x".repeat(LINE_MAX - 100).into()))]),
            _ => echo(seen),
        })
        .await;
        let (remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
        let big = told(&remote.client, "big", "{}").await;
        assert_eq!(big.len(), "result ".len() + LINE_MAX - 100 + 2);
    }
}

#[tokio::test]
async fn a_server_that_never_answers_holds_up_nobody_else() {
    let fake = legacy(|seen| match seen.method() {
        "slow" => Answer::Silence,
        "half" => Answer::Stream(vec![Piece::Send("data: {".into()), Piece::Stay]),
        _ => echo(seen),
    })
    .await;
    let (remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
    let write = |_: u64, out: &mut Vec<u8>| out.extend_from_slice(b"{}");
    let stuck: Vec<_> = ["slow", "half"].iter().cycle().take(40).collect();
    let mut stuck: Vec<_> =
        stuck.into_iter().map(|method| remote.client.request(method, write).expect("sent")).collect();
    for _ in 0..20 {
        assert_eq!(told(&remote.client, "ping", "{}").await, r#"result {"echo":"ping"}"#);
    }
    let one = stuck.pop().expect("there are some");
    assert!(tokio::time::timeout(Duration::from_millis(50), one).await.is_err());
    // Those that are taken no more are refused, until others are called back.
    while remote.client.request("slow", write).map(|pending| stuck.push(pending)).is_ok() {}
    assert!(stuck.len() <= 256, "{}", stuck.len());
    for pending in stuck {
        remote.client.cancel(pending.id(), "enough");
    }
    while told(&remote.client, "ping", "{}").await == "gone" {
        tokio::task::yield_now().await;
    }
    assert_eq!(told(&remote.client, "ping", "{}").await, r#"result {"echo":"ping"}"#);
}

#[tokio::test]
async fn an_endless_head_is_given_up() {
    let long = format!("X-Long: {}", "x".repeat(200_000));
    let long: &'static str = Box::leak(long.into_boxed_str());
    let fake = legacy(move |seen| match seen.method() {
        "head" => Answer::With(long, seen.result(&json!({}))),
        _ => echo(seen),
    })
    .await;
    let (remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
    let told = told(&remote.client, "head", "{}").await;
    assert!(told.starts_with("failed: "), "{told}");
}
