//! Requests that nobody waits for any more (spec 5.4).

use crate::caller::Caller;
use crate::hooks::Trace;
use crate::sight::Seen;
use std::sync::OnceLock;

/// What is left of a request that nobody waited for: what it was for, and which hooks of the list ran.
#[derive(Debug, Default)]
pub struct Footprint {
    gone: OnceLock<Gone>,
    hooks: OnceLock<Trace>,
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

    /// These hooks ran.
    pub(crate) fn keep(&self, hooks: Trace) {
        if !hooks.is_empty() {
            let _ = self.hooks.set(hooks);
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
            let footprint = caller.footprint();
            let hooks = footprint.and_then(|left| left.hooks.get()).map(tracing::field::display);
            tracing::info!(method, server, name, hooks, "the request was cancelled");
            if let Some(left) = footprint {
                let tool = (method == "tools/call").then(|| name.to_owned());
                let _ = left.gone.set(Gone { server: server.map(str::to_owned), tool });
            }
        }
    }
}
