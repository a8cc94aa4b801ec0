//! The connection that a request takes: the one all callers share, or that of the client's own process.

use super::Guest;
use crate::call::running;
use crate::gateway::Gateway;
use crate::hub::News;
use crate::server::{Connection, Link, Server, Wanted};
use model::{Fault, Status};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Gateway {
    /// The connection for a request of that client. Callers without a session share one process, whatever
    /// the server's scope is.
    pub(crate) async fn link(&self, server: &Arc<Server>, client: Option<&Guest>) -> Result<Link, Fault> {
        let client = client.filter(|client| client.session().is_some());
        let (Some(clients), Some(client)) = (server.clients(), client) else {
            return running(server).map(Link::shared);
        };
        // In a box of its own, so that calls to shared servers carry nothing of it.
        Box::pin(clients.link(server, client, || self.said_before(server, client.number))).await
    }

    /// The connection that takes the place of one whose session was forgotten, once it is there.
    pub(crate) async fn link_again(
        &self,
        server: &Arc<Server>,
        client: Option<&Guest>,
        forgotten: &Connection,
    ) -> Result<Link, Fault> {
        forgotten.ended.wait().await;
        let (_, mut news) = self.around.hub.listen();
        loop {
            match self.link(server, client).await {
                Err(_) if matches!(server.status(), Status::Starting | Status::Restarting) => {}
                linked => return linked,
            }
            // Whoever missed something looks again.
            while let Ok((_, news)) = news.recv().await {
                if matches!(&news, News::Status(name, _) if **name == *server.name()) {
                    break;
                }
            }
        }
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
