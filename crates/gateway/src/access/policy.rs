//! What a key permits, on the road: asked before the hooks see a request, and again for what they left of it.
//!
//! What a key does not reach is not there for it: lists leave it out, and whoever asks for it by name hears what
//! they would hear of a name that nobody has.

use crate::caller::Caller;
use crate::endpoint::Catalog;
use crate::errand::Errand;
use crate::faults;
use crate::gateway::Gateway;
use crate::registry::Registry;
use crate::server::Server;
use bytes::Bytes;
use model::Fault;
use std::sync::Arc;

use super::Pass;

/// The name under which the gateway's own tools are in `servers` of a key.
pub(crate) const OWN: &str = model::PRODUCT;

impl Pass {
    /// Whether it reaches a tool of a server.
    pub(crate) fn permits(&self, server: &Server, tool: &str) -> bool {
        let read_only = || server.tools().is_some_and(|tools| tools.hints(tool).read_only_hint);
        self.reaches_tool(server.name(), tool, self.asks_for_hints() && read_only())
    }
}

impl<'a> Caller<'a> {
    /// The key, where it does not permit everything.
    pub(crate) fn limits(&self) -> Option<&'a Pass> {
        self.pass().filter(|pass| pass.is_restricted())
    }

    /// Whether a server is there for this caller.
    pub(crate) fn sees(&self, server: &str) -> bool {
        self.limits().is_none_or(|pass| pass.reaches(server))
    }
}

impl Gateway {
    /// The fault of a request for something that its caller's key does not reach, as if it were not there.
    pub(crate) fn permit(&self, errand: &Errand<'_>) -> Result<(), Fault> {
        let Some(pass) = errand.caller.limits() else { return Ok(()) };
        let (server, own) = (&errand.target.server, &*errand.target.own);
        if !pass.reaches(server.name()) {
            return Err(match errand.params.sent() {
                Err(_) => faults::server_not_found(server.name()),
                Ok(sent) => faults::unknown(errand.method, &sent.key().unwrap_or_default()),
            });
        }
        if errand.is_call() && !pass.permits(server, own) {
            return Err(faults::tool_not_found(server.name(), own));
        }
        Ok(())
    }

    /// Whether a tool that is not a server's is there for a caller.
    pub(crate) fn permits_own(&self, caller: &Caller<'_>, tool: &str) -> bool {
        let Some(pass) = caller.limits() else { return true };
        pass.reaches_tool(OWN, tool, self.sessions.own().get(tool).is_some_and(|own| own.is_read_only()))
    }

    /// The catalogue as a caller sees it.
    pub(crate) fn catalog_of(&self, caller: &Caller<'_>) -> Arc<Catalog> {
        let all = self.catalog();
        let Some(pass) = caller.limits() else { return all };
        pass.catalog.get(&all, || {
            let seen = self
                .registry()
                .servers()
                .iter()
                .filter(|server| pass.reaches(server.name()))
                .cloned()
                .collect();
            Catalog::new(Arc::new(Registry::new(seen)), &self.sessions.own(), &self.settings(), Some(pass))
        })
    }

    /// The body of `GET /mcp/tools` as a caller sees it.
    pub(crate) fn tools_of(&self, caller: &Caller<'_>, all: &Arc<Bytes>) -> Bytes {
        let Some(pass) = caller.limits() else { return Bytes::clone(all) };
        Bytes::clone(&pass.tools.get(all, || Bytes::from(self.write_tools(Some(pass)))))
    }
}
