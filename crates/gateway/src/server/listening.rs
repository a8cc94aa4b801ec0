//! One `subscriptions/listen` of the gateway's own, from its request to its end.

use crate::hub::Hub;
use mcp::{Client, Era, Listener, Outcome, Pending, Receiver, RpcError, Said, member_at};
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// How long a server may take to acknowledge before it is taken to listen.
const ACKNOWLEDGE_MAX: Duration = Duration::from_secs(5);

/// How much a server may say besides before it is taken.
const HEARD_MAX: usize = 256;

/// The number under which the gateway itself listens; no client has it.
const NOBODY: u64 = 0;

/// What a server answers when it does not listen, or stops to.
#[derive(Debug)]
pub(super) struct Refused(Option<Arc<RawValue>>);

impl Refused {
    /// Whether asking again is of no use.
    pub(super) fn is_final(&self) -> bool {
        self.0.as_ref().is_some_and(|error| matches!(RpcError::read(error).code, -32601 | -32602))
    }

    /// The error, where there is one.
    pub(super) fn error(&self) -> Option<Arc<RawValue>> {
        self.0.clone()
    }
}

/// A request that stays open; dropping it ends it, and the server is told.
pub(super) struct Listen {
    client: Client,
    pending: Pending,
    heard: Receiver<Box<Said>>,
}

impl Drop for Listen {
    fn drop(&mut self) {
        if !self.pending.is_done() {
            self.client.cancel(self.pending.id(), "nobody listens any more");
        }
    }
}

impl Listen {
    /// Asks to listen for what `filter`, a member without braces, names; `None` when the connection is gone.
    pub(super) fn send(client: &Client, filter: &str) -> Option<Self> {
        let (listener, heard) = Listener::new(NOBODY, HEARD_MAX);
        // A question that names no request is never meant for the gateway.
        listener.waiting.store(true, std::sync::atomic::Ordering::Relaxed);
        let params = Era::Modern.params(filter);
        let write = |_: u64, out: &mut Vec<u8>| out.extend_from_slice(params.as_bytes());
        let pending = client.request_heard("subscriptions/listen", listener, write).ok()?;
        Some(Self { client: client.clone(), pending, heard })
    }

    /// Waits for the acknowledgement: the resources that it names, `None` when it does not come in time.
    /// `Err(None)` when the connection is gone.
    pub(super) async fn accepted(
        &mut self,
        server: &str,
        hub: &Hub,
    ) -> Result<Option<HashSet<String>>, Option<Refused>> {
        let late = tokio::time::sleep(ACKNOWLEDGE_MAX);
        tokio::pin!(late);
        loop {
            tokio::select! {
                biased;
                Some(said) = self.heard.recv() => match accepted_in(&said) {
                    Some(accepted) => return Ok(Some(accepted)),
                    None if said.method == "notifications/cancelled" => return Err(Some(Refused(None))),
                    None => hub.heard(server, *said),
                },
                reply = &mut self.pending => return Err(refusal(reply)),
                () = &mut late => return Ok(None),
            }
        }
    }

    /// Waits for the end, while everything that the server says goes to all who listen; `None` when the
    /// connection is gone.
    pub(super) async fn end(&mut self, server: &str, hub: &Hub) -> Option<Refused> {
        loop {
            tokio::select! {
                biased;
                // Over pipes a server may end it this way.
                Some(said) = self.heard.recv() => match &*said.method {
                    "notifications/cancelled" => return Some(Refused(None)),
                    _ => hub.heard(server, *said),
                },
                reply = &mut self.pending => return refusal(reply),
            }
        }
    }
}

fn refusal(reply: Result<Outcome, mcp::Gone>) -> Option<Refused> {
    match reply {
        Err(_) => None,
        Ok(Outcome::Error(error)) => Some(Refused(Some(error.into()))),
        Ok(_) => Some(Refused(None)),
    }
}

/// The resources that an acknowledgement names; `None` when it is something else.
fn accepted_in(said: &Said) -> Option<HashSet<String>> {
    if said.method != "notifications/subscriptions/acknowledged" {
        return None;
    }
    let params = said.params.as_deref().map_or("{}", RawValue::get);
    let filter = member_at(params, "notifications").map_or("{}", |at| &params[at]);
    let uris = member_at(filter, "resourceSubscriptions").map(|at| &filter[at]);
    Some(uris.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default())
}
