//! What the gateway offers as a whole, and who is told when that changes.

use crate::access::Pass;
use crate::caller::Caller;
use crate::carried::Failure;
use crate::endpoint::Catalog;
use crate::gateway::Gateway;
use crate::hooks::Trace;
use crate::hub::News;
use bytes::Bytes;
use mcp::Kind;
use model::OnError;
use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::Notify;

/// How long a burst of changes may go on before listeners are told.
const BURST: Duration = Duration::from_millis(20);

/// What ends the body of `GET /mcp/tools`.
const END: &[u8] = b"]}";

/// Wakes whoever compares the lists, and keeps which of theirs servers said are others.
#[derive(Default)]
pub(crate) struct Stale {
    wake: Notify,
    said: Mutex<HashSet<(Kind, Box<str>)>>,
}

impl Stale {
    /// Something may have changed.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// A server said that its list of such a kind changed.
    pub(crate) fn add(&self, server: &str, kind: Kind) {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).insert((kind, server.into()));
    }

    fn take(&self) -> HashSet<(Kind, Box<str>)> {
        std::mem::take(&mut self.said.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The graph that the list of tools passes through: its workflow, revision, the scripts of hooks that it names, and
/// whether it can run.
type ListedGraph = (String, u64, Vec<Arc<str>>, bool);

/// What listeners know of the lists, and of what lists pass through.
pub(crate) struct Known {
    catalog: Arc<Catalog>,
    /// Before and after.
    hooks: [Vec<(Arc<str>, OnError)>; 2],
    graph: Option<ListedGraph>,
}

impl Known {
    /// Whether a list is another than it was.
    fn differs(&self, before: &Self, kind: Kind) -> bool {
        self.catalog.text(kind) != before.catalog.text(kind)
    }

    /// Whether a list passes through other scripts than it did. Hooks see every list, a graph that of tools only.
    fn passes_elsewhere(&self, before: &Self, kind: Kind) -> bool {
        let hooks = self.hooks != before.hooks;
        match kind {
            Kind::Tools => hooks || self.graph != before.graph,
            _ => hooks && !self.catalog.text(kind).is_empty(),
        }
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

    /// The same with the gateway's own tools, under its own name.
    pub async fn every_tool_json(&self, caller: Caller<'_>) -> (Result<Bytes, Failure>, Trace) {
        let mut all = self.write_tools(None);
        all.truncate(all.len() - END.len());
        self.write_own_tools(&mut all);
        all.extend_from_slice(END);
        match self.hooked_tools(caller, &all).await {
            Some((outcome, trace)) => (outcome.map(Bytes::from), trace),
            None => (Ok(all.into()), Trace::default()),
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

    /// Tells listeners, once, which lists are no longer what they were when this was asked last, are said to be others
    /// by a server, or may be others because they pass through other scripts.
    pub(crate) fn compare_lists(&self) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Known { catalog: self.catalog(), hooks: self.listed_hooks(), graph: self.listed_graph() };
        self.renew_wishes(&now.catalog);
        let said = self.stale.take();
        if let Some(before) = &*known {
            for server in now.catalog.changed_since(&before.catalog, Kind::Tools) {
                self.around.hub.tell(News::Tools(server.into()));
            }
            for kind in [Kind::Tools, Kind::Prompts, Kind::Resources] {
                // Clients have one word for resources and templates.
                let kinds = if kind == Kind::Resources { &[kind, Kind::Templates][..] } else { &[kind] };
                let rerouted = kinds.iter().any(|kind| now.passes_elsewhere(before, *kind));
                let mut servers: BTreeSet<&str> =
                    said.iter().filter(|(of, _)| *of == kind).map(|(_, server)| &**server).collect();
                if !servers.is_empty() || kinds.iter().any(|kind| now.differs(before, *kind)) {
                    let changed =
                        kinds.iter().flat_map(|kind| now.catalog.changed_since(&before.catalog, *kind));
                    servers.extend(changed);
                    // Another way concerns whoever sees the list at all.
                    servers.retain(|_| !rerouted);
                    self.around.hub.tell(News::Changed(kind, servers.into_iter().map(Box::from).collect()));
                } else if rerouted {
                    self.around.hub.tell(News::Rerouted(kind));
                }
            }
        }
        *known = Some(now);
    }

    /// The scripts of the hooks that lists pass through, in their order.
    fn listed_hooks(&self) -> [Vec<(Arc<str>, OnError)>; 2] {
        if !self.settings().hooks.list.enabled {
            return Default::default();
        }
        let page = self.hooks.book.page();
        [page.pre(), page.post()]
            .map(|all| all.iter().map(|one| (one.script.source.clone(), one.hook.on_error)).collect())
    }

    fn listed_graph(&self) -> Option<ListedGraph> {
        let (workflow, runs) = self.graphs.lister()?;
        let page = self.hooks.book.page();
        let scripts = workflow.modules().filter_map(|id| Some(page.get(id)?.script.source.clone()));
        let scripts = scripts.collect();
        Some((workflow.id, workflow.revision, scripts, runs))
    }

    pub(crate) fn write_tools(&self, pass: Option<&Pass>) -> Vec<u8> {
        let settings = self.settings();
        let mut out = br#"{"success":true,"tools":["#.to_vec();
        for server in self.registry().servers() {
            let Some(tools) = server.tools() else { continue };
            let seen = |tool: &str| pass.is_none_or(|pass| pass.permits(server, tool));
            tools.write_rest(server.name(), server.timeout(&settings), seen, &mut out);
        }
        out.extend_from_slice(END);
        out
    }
}
