//! Requests that nobody waits for any more (spec 5.4).

use crate::caller::Caller;
use std::sync::OnceLock;

/// Where it is left what a request was for that nobody waited for.
#[derive(Debug, Default)]
pub struct Footprint(OnceLock<Gone>);

#[derive(Debug)]
struct Gone {
    server: Option<String>,
    tool: Option<String>,
}

impl Footprint {
    /// The server it was for.
    pub(crate) fn server(&self) -> Option<&str> {
        self.0.get()?.server.as_deref()
    }

    /// The tool that was called.
    pub(crate) fn tool(&self) -> Option<&str> {
        self.0.get()?.tool.as_deref()
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
            tracing::info!(method, server, name, "the request was cancelled");
            let Some(footprint) = caller.footprint() else { return };
            let tool = (method == "tools/call").then(|| name.to_owned());
            let _ = footprint.0.set(Gone { server: server.map(str::to_owned), tool });
        }
    }
}
