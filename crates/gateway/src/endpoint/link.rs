//! The connection that a request takes: the one all callers share, or that of the client's own process.

use crate::call::running;
use crate::gateway::Gateway;
use crate::server::{Link, Server, Wanted};
use model::Fault;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Gateway {
    /// The connection for a request of that session. Callers without a session share one process, whatever
    /// the server's scope is.
    pub(crate) async fn link(&self, server: &Arc<Server>, session: Option<u64>) -> Result<Link, Fault> {
        let (Some(clients), Some(session)) = (server.clients(), session) else {
            return running(server).map(Link::shared);
        };
        // In a box of its own, so that calls to shared servers carry nothing of it.
        Box::pin(clients.link(server, session, || self.said_before(server, session))).await
    }

    /// What a client said before its process was there.
    fn said_before(&self, server: &Arc<Server>, session: u64) -> Wanted {
        let catalog = self.catalog();
        let mut uris = BTreeSet::new();
        for uri in self.endpoint.subscriptions.of(session) {
            let target = catalog.find_resource(&uri).into_iter().next();
            uris.extend(
                target.filter(|found| Arc::ptr_eq(&found.server, server)).map(|found| found.own.to_string()),
            );
        }
        Wanted { level: self.endpoint.levels.said(session), uris }
    }
}
