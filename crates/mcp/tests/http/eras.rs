//! Era and transport are found by asking, in the order of the spec.

use super::*;
use fake::Piece;
use mcp::{Era, Transport};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

#[tokio::test]
async fn a_modern_server_is_known_by_its_first_answer() {
    let fake = modern(echo).await;
    let (remote, _heard) = connect(&fake, "/mcp?x=1").await.expect("connected");
    assert_eq!((remote.peer.era, remote.peer.transport), (Era::Modern, Transport::Streamable));
    assert_eq!(fake.seen().len(), 1);
    let first = &fake.seen()[0];
    assert_eq!((first.verb.as_str(), first.path.as_str()), ("POST", "/mcp?x=1"));
    assert_eq!(first.header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(first.header("mcp-method"), Some("server/discover"));
    assert_eq!(first.header("x-key"), Some("s3cret"));
    assert_eq!(first.header("accept"), Some("application/json, text/event-stream"));
}

#[tokio::test]
async fn whatever_is_no_modern_answer_leads_to_initialize() {
    type Refuse = fn(&Seen) -> Answer;
    let refusals: [Refuse; 7] = [
        |_| status(400),
        |_| status(404),
        |_| status(405),
        |_| status(500),
        |_| Answer::Cut,
        |seen| {
            json(
                json!({"jsonrpc": "2.0", "id": seen.body["id"], "error": {"code": -32601, "message": "?"}})
                    .to_string(),
            )
        },
        |seen| {
            let error = json!({"code": -32022, "message": "no", "data": {"supported": ["2025-11-25"]}});
            Answer::Whole(
                400,
                "application/json",
                json!({"jsonrpc": "2.0", "id": seen.body["id"], "error": error}).to_string(),
            )
        },
    ];
    for refuse in refusals {
        let fake = Fake::start(move |seen| match seen.method() {
            "server/discover" => refuse(seen),
            "initialize" => json(initialized(seen)),
            _ => echo(seen),
        })
        .await;
        let (remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
        assert_eq!((remote.peer.era, remote.peer.transport), (Era::Legacy, Transport::Streamable));
        assert_eq!((remote.peer.version.as_str(), remote.peer.can("tools")), ("2025-11-25", true));
        assert_eq!(fake.with("notifications/initialized").len(), 1);
        assert_eq!(fake.with("initialize")[0].header("mcp-protocol-version"), None);
    }
}

#[tokio::test]
async fn a_modern_server_that_refuses_once_and_names_our_revision_is_asked_again() {
    let refused = AtomicBool::new(false);
    let fake = modern_after(move |seen| {
        let error = json!({"code": -32022, "message": "no", "data": {"supported": ["2026-07-28"]}});
        let body = json!({"jsonrpc": "2.0", "id": seen.body["id"], "error": error}).to_string();
        (!refused.swap(true, Ordering::SeqCst)).then_some(Answer::Whole(400, "application/json", body))
    })
    .await;
    let (remote, _heard) = connect(&fake, "/mcp").await.expect("connected");
    assert_eq!((remote.peer.era, fake.seen().len()), (Era::Modern, 2));
}

async fn modern_after(first: impl Fn(&Seen) -> Option<Answer> + Send + Sync + 'static) -> Fake {
    Fake::start(move |seen| first(seen).unwrap_or_else(|| json(seen.result(&discovery())))).await
}

/// A server of 2024-11-05: its stream at `/sse` names `endpoint`, which takes the messages.
async fn old(endpoint: &'static str) -> Fake {
    let feed: Mutex<Option<mpsc::UnboundedSender<String>>> = Mutex::default();
    Fake::start(move |seen| match (seen.verb.as_str(), seen.path.as_str()) {
        ("GET", "/sse") => {
            let (send, receive) = mpsc::unbounded_channel();
            send.send(format!(": hello\n\nevent: endpoint\r\ndata: {endpoint}\r\n\r\n")).expect("open");
            *feed.lock().expect("unharmed") = Some(send);
            Answer::Feed(receive)
        }
        ("POST", "/messages?session=7") => {
            let reply = match seen.method() {
                "initialize" => {
                    Some(seen.result(&json!({"protocolVersion": "2024-11-05", "capabilities": {}})))
                }
                "quit" => {
                    *feed.lock().expect("unharmed") = None;
                    None
                }
                _ if seen.body.get("id").is_some() => Some(seen.result(&json!({"echo": seen.method()}))),
                _ => None,
            };
            if let (Some(reply), Some(feed)) = (reply, &*feed.lock().expect("unharmed")) {
                feed.send(format!("event: message\ndata: {reply}\n\n")).expect("open");
            }
            Answer::Whole(202, "text/plain", "Accepted".into())
        }
        _ => status(404),
    })
    .await
}

#[tokio::test]
async fn a_first_4xx_leads_to_the_older_transport() {
    let fake = old("/messages?session=7").await;
    let (remote, _heard) = connect(&fake, "/sse").await.expect("connected");
    assert_eq!((remote.peer.era, remote.peer.transport), (Era::Legacy, Transport::Sse));
    assert_eq!(remote.peer.version, "2024-11-05");
    let replies = (0..20).map(|_| told(&remote.client, "ping", "{}"));
    for reply in replies {
        assert_eq!(reply.await, r#"result {"echo":"ping"}"#);
    }
    assert_eq!(fake.with("ping")[0].header("x-key"), Some("s3cret"));
}

#[tokio::test]
async fn the_end_of_the_older_stream_is_the_end_of_the_connection() {
    let fake = old("/messages?session=7").await;
    let (remote, _heard) = connect(&fake, "/sse").await.expect("connected");
    assert_eq!(told(&remote.client, "quit", "{}").await, "gone");
    assert_eq!(remote.client.ended().await, mcp::End::Eof);
    assert_eq!(told(&remote.client, "ping", "{}").await, "gone");
}

#[tokio::test]
async fn an_endpoint_elsewhere_is_not_posted_to() {
    let fake = old("http://127.0.0.2:1/messages").await;
    let error = connect(&fake, "/sse").await.err().expect("refused").to_string();
    assert_eq!(error, "the server names no address for messages at its own origin");
}

#[tokio::test]
async fn a_server_that_cannot_be_spoken_to_says_why() {
    for (code, expected) in [
        (401, "the server answered with HTTP status 401"),
        (307, "the server answered with HTTP status 307"),
        (503, "the server answered with HTTP status 503"),
    ] {
        assert_eq!(refusal(&Fake::start(move |_| status(code)).await).await, expected);
    }
    let page = Fake::start(|_| Answer::Whole(200, "text/html", "<p>hello</p>".into())).await;
    assert_eq!(refusal(&page).await, "the server's answer is neither JSON nor an event stream");
    let picky = Fake::start(|seen| {
        let error = json!({"code": -32021, "message": "sampling is required"});
        Answer::Whole(
            400,
            "application/json",
            json!({"jsonrpc": "2.0", "id": seen.body["id"], "error": error}).to_string(),
        )
    });
    assert_eq!(refusal(&picky.await).await, "the server refused server/discover: sampling is required");
    let proxy =
        Fake::start(|_| Answer::Whole(404, "application/json", r#"{"error":{"message":"no route"}}"#.into()));
    assert_eq!(refusal(&proxy.await).await, "the server refused initialize: no route (HTTP status 404)");
    let gone = Fake::start(echo).await;
    let origin = gone.origin.clone();
    gone.stop().await;
    let address = Address::parse(&format!("{origin}/?s3cret")).expect("fine");
    let target = Target { address, headers: Vec::new(), admits: |_| true, tokens: None };
    let error = mcp::connect(&target, mpsc::channel(1).0).await.err().expect("refused").to_string();
    assert!(error.starts_with("the server cannot be reached: ") && !error.contains("s3cret"), "{error}");
    let guarded = Target { admits: |_| false, ..target };
    let error = mcp::connect(&guarded, mpsc::channel(1).0).await.err().expect("refused").to_string();
    assert!(error.contains("private"), "{error}");
}

#[tokio::test]
async fn a_stream_that_stays_open_does_not_hold_up_the_handshake() {
    let fake = Fake::start(|seen| match seen.method() {
        "server/discover" => Answer::Stream(vec![fake::event(&seen.result(&discovery())), Piece::Stay]),
        _ => echo(seen),
    })
    .await;
    let began = std::time::Instant::now();
    connect(&fake, "/mcp").await.expect("connected");
    assert!(began.elapsed() < Duration::from_millis(900));
}
