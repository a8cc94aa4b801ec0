//! A modern server tells of changes only to those who listen; a stream that ends is opened again.

use mcp::{Client, Era, Outcome, RpcError};
use std::time::Duration;
use tokio::task::JoinHandle;

/// Waits before listening again: the first, and the longest.
const WAIT: Duration = Duration::from_secs(1);
const WAIT_MAX: Duration = Duration::from_secs(60);

const WANTED: &str =
    r#""notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}"#;

/// An open subscription; dropping it ends it.
pub(super) struct Subscription(JoinHandle<()>);

impl Drop for Subscription {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Subscription {
    /// Listens to a modern server; a legacy one speaks by itself.
    pub(super) fn open(client: &Client, era: Era) -> Option<Self> {
        let client = client.clone();
        (era == Era::Modern).then(|| Self(tokio::spawn(listen(client, era.params(WANTED)))))
    }
}

async fn listen(client: Client, params: String) {
    let mut wait = WAIT;
    while let Ok(request) =
        client.request("subscriptions/listen", |_, out| out.extend_from_slice(params.as_bytes()))
    {
        let began = tokio::time::Instant::now();
        match request.await {
            Err(_) => return,
            Ok(Outcome::Error(error)) if matches!(RpcError::read(&error).code, -32601 | -32602) => return,
            Ok(_) => {}
        }
        wait = if began.elapsed() > WAIT_MAX { WAIT } else { (wait * 2).min(WAIT_MAX) };
        tokio::time::sleep(wait).await;
    }
}
