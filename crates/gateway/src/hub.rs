//! Where servers are heard when they speak outside of any request, and where clients listen.

use mcp::{Kind, Said};
use model::Status;
use std::sync::Arc;
use tokio::sync::broadcast;

/// How much a slow listener may lag behind before it loses something.
const LAG_MAX: usize = 256;

/// Something that concerns more than one client.
#[derive(Clone, Debug)]
pub enum News {
    /// A list of the gateway changed.
    Changed(Kind),
    /// A server is now in another status.
    Status(Arc<str>, Status),
    /// A server said something: a log message, a resource that was updated, a task that moved.
    Said {
        /// The server.
        server: Arc<str>,
        /// The method of its notification.
        method: Arc<str>,
        /// Its parameters, as they were written.
        params: Arc<str>,
    },
}

/// One sender, any number of listeners; nobody waits for anybody.
pub(crate) struct Hub {
    news: broadcast::Sender<News>,
}

impl Default for Hub {
    fn default() -> Self {
        Self { news: broadcast::channel(LAG_MAX).0 }
    }
}

impl Hub {
    /// A server said something that belongs to no request.
    pub(crate) fn heard(&self, server: &str, said: Said) {
        match said.id {
            Some(id) => said.from.answer(&id, NOBODY),
            // The answer to the gateway's own subscription concerns nobody else.
            None if said.method == "notifications/subscriptions/acknowledged" => {}
            None => {
                let params = said.params.map_or_else(|| "{}".into(), |raw| raw.get().into());
                self.tell(News::Said { server: server.into(), method: said.method.into(), params });
            }
        }
    }

    /// Tells everybody who listens.
    pub(crate) fn tell(&self, news: News) {
        // Nobody listening is fine.
        let _ = self.news.send(news);
    }

    /// Listens from now on.
    pub(crate) fn listen(&self) -> broadcast::Receiver<News> {
        self.news.subscribe()
    }
}

/// The answer to a server that asks a client while no client, or more than one, could be meant.
pub(crate) const NOBODY: &str = r#""error":{"code":-32603,"message":"No single client can be asked now: none or several have requests in flight on this server"}"#;
