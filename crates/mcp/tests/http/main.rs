//! Remote servers over real sockets: transports, eras, sessions, streams, limits and losses.

extern crate lockgate_mcp as mcp;

mod eras;
mod fake;
mod limits;
mod modern;
mod sessions;
mod streams;

use fake::{Answer, Fake, Seen, json, status};
use mcp::{Client, HandshakeError, Outcome, Remote, Said, Target};
use model::Address;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::mpsc;

/// Connects to `path` at a fake server.
async fn connect(fake: &Fake, path: &str) -> Result<(Remote, mpsc::Receiver<Box<Said>>), HandshakeError> {
    let (events, heard) = mpsc::channel(64);
    let address = Address::parse(&format!("{}{path}", fake.origin)).expect("an address");
    let headers = vec![("X-Key".to_owned(), "s3cret".to_owned())];
    let remote = mcp::connect(&Target { address, headers, admits: |_| true, tokens: None }, events).await?;
    Ok((remote, heard))
}

/// Why no connection could be made.
async fn refusal(fake: &Fake) -> String {
    match connect(fake, "/mcp").await {
        Ok(_) => panic!("the handshake went well"),
        Err(error) => error.to_string(),
    }
}

/// Sends a request and waits for what comes back, at most half a minute.
async fn ask(client: &Client, method: &str, params: &str) -> Result<Outcome, mcp::Gone> {
    let pending = client.request(method, |_, out| out.extend_from_slice(params.as_bytes()))?;
    tokio::time::timeout(Duration::from_secs(30), pending).await.expect("an outcome in time")
}

/// The outcome in one line.
async fn told(client: &Client, method: &str, params: &str) -> String {
    match ask(client, method, params).await {
        Ok(Outcome::Result(result)) => format!("result {}", result.get()),
        Ok(Outcome::Error(error, _)) => format!("error {}", error.get()),
        Ok(Outcome::Invalid) => "invalid".into(),
        Ok(Outcome::Failed(why)) => format!("failed: {why}"),
        Ok(Outcome::Unheard) => "unheard".into(),
        Err(mcp::Gone) => "gone".into(),
    }
}

fn initialized(seen: &Seen) -> String {
    seen.result(
        &json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "instructions": "hi"}),
    )
}

/// A legacy server over streamable HTTP; everything after the handshake is up to `rest`.
async fn legacy(rest: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Fake {
    Fake::start(move |seen| match (seen.verb.as_str(), seen.method()) {
        ("POST", "server/discover") => Answer::Whole(
            400,
            "application/json",
            json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": "no session"}})
                .to_string(),
        ),
        ("POST", "initialize") => Answer::With("Mcp-Session-Id: abc", initialized(seen)),
        ("POST", "notifications/initialized") => Answer::Whole(202, "text/plain", String::new()),
        _ => rest(seen),
    })
    .await
}

/// A modern server.
async fn modern(rest: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Fake {
    Fake::start(move |seen| match seen.method() {
        "server/discover" => json(seen.result(&discovery())),
        _ => rest(seen),
    })
    .await
}

fn discovery() -> Value {
    json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}})
}

/// Answers every request with its own method, and has no stream.
fn echo(seen: &Seen) -> Answer {
    match (seen.verb.as_str(), seen.body.get("id")) {
        ("POST", Some(_)) => json(seen.result(&json!({"echo": seen.method()}))),
        ("POST", None) => Answer::Whole(202, "text/plain", String::new()),
        _ => status(405),
    }
}
