//! Telling Restate where it finds this instance.

use crate::client::Client;
use serde_json::json;
use std::time::Duration;

/// How long Restate is left alone after it did not answer: at first, and at most.
const WAIT: Duration = Duration::from_millis(200);
const WAIT_MAX: Duration = Duration::from_secs(5);

impl Client {
    /// Registers the address until Restate takes it.
    pub(crate) async fn register(&self, uri: &str) {
        let (mut wait, mut told) = (WAIT, false);
        // The same address is registered by every start of the gateway, and by every instance behind it.
        let deployment = json!({"uri": uri, "force": true});
        loop {
            match self.administer("/deployments", &deployment).await {
                Ok(_) => break,
                Err(reason) if !told => {
                    tracing::warn!(reason, "sessions cannot be used until Restate answers; trying again");
                    told = true;
                }
                Err(reason) => tracing::debug!(reason, "Restate does not answer"),
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(WAIT_MAX);
        }
        tracing::info!(endpoint = uri, "sessions run on Restate");
    }
}
