//! Events that the gateway raises itself for sessions that wait (spec 5.2): a server is in another status, its tools
//! changed, a session finished. Whoever waits takes each once; when nobody waits, one look at the store is all.

use super::listener::SessionMoved;
use crate::gateway::Gateway;
use crate::hub::{News, Numbered};
use serde_json::{Value, json};
use std::sync::{Arc, Weak};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc};
use workflow::session::{Error, Wake};

/// The names of the events.
const STATUS: &str = "server.status";
const TOOLS: &str = "tools.changed";
const FINISHED: &str = "session.finished";

impl Gateway {
    /// Listens from now on, for as long as there is a gateway.
    pub(super) fn raise_own_events(self: &Arc<Self>) {
        let finished = self.sessions.finished.lock().ok().and_then(|mut kept| kept.take());
        let Some(finished) = finished else { return };
        tokio::spawn(listen(Arc::downgrade(self), self.news(), finished));
    }
}

async fn listen(
    gateway: Weak<Gateway>,
    mut news: broadcast::Receiver<Numbered>,
    mut finished: mpsc::UnboundedReceiver<SessionMoved>,
) {
    // Steps that follow find every server tried once.
    if let Some(gateway) = gateway.upgrade() {
        gateway.ready.wait().await;
    }
    loop {
        let raised = tokio::select! {
            next = news.recv() => match next {
                Ok((_, news)) => of_news(&news),
                Err(RecvError::Lagged(count)) => {
                    tracing::warn!(count, "the gateway was too busy to raise some events for sessions");
                    None
                }
                Err(RecvError::Closed) => return,
            },
            next = finished.recv() => match next {
                Some(session) => Some((FINISHED, of_session(&session))),
                None => return,
            },
        };
        let Some(gateway) = gateway.upgrade() else { return };
        if let Some((FINISHED, data)) = &raised
            && let Some(id) = data["sessionId"].as_str()
        {
            gateway.feed.session_ended(id);
        }
        if let Some((event, data)) = raised {
            let engine = gateway.sessions.engine.clone();
            let wake = Wake { event: event.to_owned(), data, session: None };
            // The steps that follow may take long.
            tokio::spawn(async move {
                let done = engine.signal(&wake).await;
                // A store that was closed belongs to a process that is ending.
                if let Err(error) = done
                    && !matches!(error, Error::Store(store::Error::Closed))
                {
                    tracing::error!(event = wake.event, reason = %error, "an event could not be delivered");
                }
            });
        }
    }
}

fn of_news(news: &News) -> Option<(&'static str, Value)> {
    match news {
        News::Status(server, status) => Some((STATUS, json!({"server": &**server, "status": status}))),
        News::Tools(server) => Some((TOOLS, json!({"server": &**server}))),
        _ => None,
    }
}

fn of_session(session: &SessionMoved) -> Value {
    let SessionMoved { session_id, workflow_name, status, .. } = session;
    json!({"sessionId": session_id, "workflowName": workflow_name, "status": status})
}
