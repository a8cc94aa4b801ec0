//! Requests that nobody waits for any more (spec 5.4).

use crate::caller::Caller;
use crate::hooks::{Late, Trace};
use crate::sight::Seen;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use workflow::NodeMark;

/// What is left of a request that nobody waited for: what it was for, which hooks ran, how long the server had it.
#[derive(Debug, Default)]
pub struct Footprint {
    gone: OnceLock<Gone>,
    nodes: OnceLock<Vec<NodeMark>>,
    hooks: OnceLock<Trace>,
    /// Those that were under way and will tell what they did.
    late: OnceLock<Arc<Late>>,
    /// In microseconds; 0 where no server was asked.
    server: AtomicU64,
}

#[derive(Debug)]
struct Gone {
    server: Option<String>,
    tool: Option<String>,
}

impl Footprint {
    /// The request as far as it is known, made by this caller.
    pub(crate) fn seen<'a>(&'a self, caller: Caller<'a>) -> Seen<'a> {
        let gone = self.gone.get();
        let (server, tool) =
            (gone.and_then(|gone| gone.server.as_deref()), gone.and_then(|gone| gone.tool.as_deref()));
        Seen { caller, server, tool, code: None, hooks: self.hooks.get() }
    }

    /// These nodes of a graph ran.
    pub(crate) fn keep_nodes(&self, nodes: Vec<NodeMark>) {
        let _ = self.nodes.set(nodes);
    }

    /// These hooks ran, and then the nodes.
    pub(crate) fn keep(&self, mut hooks: Trace) {
        self.nodes.get().into_iter().flatten().for_each(|node| hooks.add_late(node.clone().into()));
        let server = self.server.load(Relaxed);
        if server > 0 && hooks.spent().server.is_none() {
            hooks.add_server(Duration::from_micros(server));
        }
        let _ = self.hooks.set(hooks);
    }

    /// What another one has is left here.
    pub(crate) fn take_over(&self, other: Footprint) {
        let Footprint { gone, hooks, late, .. } = other;
        late.into_inner().into_iter().for_each(|late| _ = self.late.set(late));
        gone.into_inner().into_iter().for_each(|gone| _ = self.gone.set(gone));
        hooks.into_inner().into_iter().for_each(|hooks| _ = self.hooks.set(hooks));
    }

    /// Hooks are under way that nobody waits for: where they will tell what they did.
    pub(crate) fn late(&self) -> Arc<Late> {
        Arc::clone(self.late.get_or_init(Arc::default))
    }

    /// Has a record of the request kept with the hooks that ran, as soon as all of them are known.
    pub(crate) fn record(&self, keep: impl FnOnce(&Trace) + Send + 'static) {
        let mut hooks = self.hooks.get().cloned().unwrap_or_default();
        match self.late.get() {
            None => keep(&hooks),
            Some(late) => late.then(move |marks| {
                marks.iter().cloned().for_each(|mark| hooks.add_late(mark));
                keep(&hooks);
            }),
        }
    }

    /// The server has the request from now on.
    pub(crate) fn at_server(&self, began: Instant) -> AtServer<'_> {
        AtServer { footprint: self, began, over: false }
    }

    fn add_server(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.server.fetch_add(micros.max(1), Relaxed);
    }
}

/// A server has a request. Dropped before the reply, the request was there until then.
pub(crate) struct AtServer<'a> {
    footprint: &'a Footprint,
    began: Instant,
    over: bool,
}

impl AtServer<'_> {
    /// It was there for so long.
    pub(crate) fn over(mut self, took: Duration) {
        self.over = true;
        self.footprint.add_server(took);
    }
}

impl Drop for AtServer<'_> {
    fn drop(&mut self) {
        if !self.over {
            self.footprint.add_server(self.began.elapsed());
        }
    }
}

/// Somebody waits for a request. Dropped before the end of it, the log says that it was cancelled.
pub(crate) struct Waited<'a> {
    pub(crate) caller: Caller<'a>,
    pub(crate) method: &'a str,
    /// The server, where it is not for the gateway itself.
    pub(crate) server: Option<&'a str>,
    pub(crate) name: &'a str,
    /// Whether it has come to its end.
    pub(crate) over: bool,
}

impl Waited<'_> {
    /// The request has come to its end.
    pub(crate) fn over(mut self) {
        self.over = true;
    }
}

impl Drop for Waited<'_> {
    fn drop(&mut self) {
        if !self.over {
            let Waited { caller, method, server, name, .. } = *self;
            let (method, name, server) = (method.to_owned(), name.to_owned(), server.map(str::to_owned));
            let tool = (method == "tools/call").then(|| name.clone());
            let gone = Gone { server: server.clone(), tool };
            let say = move |hooks: &Trace| {
                let hooks = (!hooks.is_empty()).then(|| tracing::field::display(hooks));
                tracing::info!(method, server, name, hooks, "the request was cancelled");
            };
            let Some(left) = caller.footprint() else { return say(&Trace::default()) };
            // One that met no hook has only the time to tell.
            left.keep(Trace::default());
            let _ = left.gone.set(gone);
            left.record(say);
        }
    }
}
