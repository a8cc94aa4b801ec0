//! What the gateway offers as a whole, and who is told when that changes.

use crate::access::Pass;
use crate::call::Failure;
use crate::caller::Caller;
use crate::endpoint::Catalog;
use crate::gateway::Gateway;
use crate::hooks::Trace;
use crate::hub::News;
use bytes::Bytes;
use mcp::Kind;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::Notify;

/// How long a burst of changes may go on before listeners are told.
const BURST: Duration = Duration::from_millis(20);

/// Wakes whoever compares the lists, and keeps which of them a server said are others.
#[derive(Default)]
pub(crate) struct Stale {
    wake: Notify,
    said: Mutex<Vec<Kind>>,
}

impl Stale {
    /// Something may have changed.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// A server said that such a list changed.
    pub(crate) fn add(&self, kind: Kind) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if !said.contains(&kind) {
            said.push(kind);
        }
    }

    fn take(&self) -> Vec<Kind> {
        std::mem::take(&mut self.said.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Gateway {
    /// The body of `GET /mcp/tools`: made when something changed, then served as it stands, unless hooks
    /// want to see it.
    pub async fn tools_json(&self, caller: Caller<'_>) -> (Result<Bytes, Failure>, Trace) {
        let _entered = match self.enter(&caller).await {
            Ok(entered) => entered,
            Err(fault) => return (Err(fault.into()), Trace::default()),
        };
        let ready = self.tools_json.get(|| Bytes::from(self.write_tools(None)));
        let ready = self.tools_of(&caller, &ready);
        match self.hooked_tools(caller, &ready).await {
            Some((outcome, trace)) => (outcome.map(Bytes::from), trace),
            None => (Ok(ready), Trace::default()),
        }
    }

    /// All entries of all servers, with the names under which clients know them.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        self.catalog.get(|| Catalog::new(self.registry(), &self.sessions.own(), &self.settings(), None))
    }

    /// Has listeners told when a list of the gateway is no longer what it was.
    pub(crate) async fn herald(gateway: Weak<Self>, stale: Arc<Stale>) {
        loop {
            stale.wake.notified().await;
            // Changes come in bursts, as when several servers start.
            tokio::time::sleep(BURST).await;
            let Some(gateway) = gateway.upgrade() else { return };
            // What clients find from the beginning is not told to them.
            if gateway.ready.get().is_some() {
                gateway.compare_lists();
            }
        }
    }

    /// Tells listeners, once, which lists are no longer what they were when this was asked last, or are said to
    /// be others by a server.
    pub(crate) fn compare_lists(&self) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.catalog();
        self.renew_wishes(&now);
        let said = self.stale.take();
        let Some(before) = known.replace(now.clone()) else { return };
        let differs = |kind| before.text(kind) != now.text(kind);
        for kind in [Kind::Tools, Kind::Prompts, Kind::Resources] {
            // Clients have one word for resources and templates.
            let templates = kind == Kind::Resources && differs(Kind::Templates);
            if said.contains(&kind) || differs(kind) || templates {
                self.around.hub.tell(News::Changed(kind));
            }
        }
    }

    pub(crate) fn write_tools(&self, pass: Option<&Pass>) -> Vec<u8> {
        let settings = self.settings();
        let mut out = br#"{"success":true,"tools":["#.to_vec();
        for server in self.registry().servers() {
            let Some(tools) = server.tools() else { continue };
            let seen = |tool: &str| pass.is_none_or(|pass| pass.permits(server, tool));
            tools.write_rest(server.name(), server.timeout(&settings), seen, &mut out);
        }
        out.extend_from_slice(b"]}");
        out
    }
}
