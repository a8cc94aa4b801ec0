//! A connection made of messages, one line each, whatever carries them.

use crate::fixture::Fixture;
use rmcp::ServiceExt;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

const BUFFER: usize = 64 << 10;
/// How long replies may still come when the other side says nothing more.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Serves one connection until either side ends it.
pub(super) async fn serve(
    fixture: Fixture,
    mut incoming: mpsc::Receiver<String>,
    outgoing: mpsc::Sender<String>,
) {
    let era = fixture.era;
    let (ours, theirs) = tokio::io::duplex(BUFFER);
    let (from_server, mut to_server) = tokio::io::split(ours);
    let server = tokio::spawn(async move {
        if let Ok(running) = fixture.serve(theirs).await {
            let _ = running.waiting().await;
        }
    });
    let replies = outgoing.clone();
    let writer = tokio::spawn(async move {
        let mut lines = BufReader::new(from_server).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            if replies.send(line).await.is_err() {
                return;
            }
        }
    });
    while let Some(line) = incoming.recv().await {
        let message = serde_json::from_str(&line).unwrap_or_default();
        let passed = match era.refusal(None, &message) {
            Some(refusal) => outgoing.send(refusal.body.to_string()).await.is_ok(),
            None => to_server.write_all(format!("{line}\n").as_bytes()).await.is_ok(),
        };
        if !passed {
            break;
        }
    }
    let _ = to_server.shutdown().await;
    // What is still open then, such as a subscription, has nobody to answer to.
    for mut task in [server, writer] {
        if tokio::time::timeout(LAST_WORDS, &mut task).await.is_err() {
            task.abort();
        }
    }
}
