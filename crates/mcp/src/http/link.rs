//! The way to one remote server, whichever of the two HTTP transports it speaks.

use super::Target;
use super::agent::Agent;
use super::flights::Flights;
use super::headers::Outline;
use super::mirror::Mirror;
use super::sse::Sse;
use super::streamable::Streamable;
use super::trouble::Trouble;
use crate::client::{Client, End};
use crate::era::Era;
use bytes::Bytes;
use hyper::Method;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{SetOnce, oneshot};

/// How long a server may take to hear that its session is over.
const FAREWELL_MAX: Duration = Duration::from_secs(2);

/// How long a server may take to answer that it can be listened to.
const LISTENING_MAX: Duration = Duration::from_millis(500);

/// How often a request that is under way looks whether anybody still waits for it.
const LOOK: Duration = Duration::from_secs(60);

/// The way to one remote server.
pub(crate) struct Link {
    pub(super) agent: Agent,
    pub(super) talk: Talk,
    flights: Flights,
    /// Set when the server has been told that the connection is over.
    left: SetOnce<()>,
}

/// The transport.
pub(super) enum Talk {
    Streamable(Streamable),
    Sse(Sse),
}

/// A message on its way.
#[derive(Clone)]
pub(crate) struct Outgoing {
    /// The id of a request.
    pub(crate) id: Option<u64>,
    /// The method; `None` for a reply.
    pub(crate) method: Option<String>,
    /// The whole message.
    pub(crate) message: Bytes,
    /// Where its `params` stand.
    pub(crate) params: Range<usize>,
}

impl Outgoing {
    pub(super) fn outline(&self) -> Outline<'_> {
        let params = self.message.get(self.params.clone()).unwrap_or_default();
        Outline { method: self.method.as_deref(), params: std::str::from_utf8(params).unwrap_or_default() }
    }
}

impl Link {
    pub(super) fn new(target: &Target, talk: Talk) -> Arc<Self> {
        Arc::new(Self { agent: Agent::new(target), talk, flights: Flights::default(), left: SetOnce::new() })
    }

    /// Sends a message on a task of its own; `false` when it was not taken. A task is moved several times before it
    /// begins, so everything but the plain road to a reply is in boxes.
    pub(crate) fn send(self: &Arc<Self>, client: &Client, out: Outgoing) -> bool {
        let (link, client, id) = (self.clone(), client.clone(), out.id);
        let work = otlp::inherit(async move {
            let sent = tokio::select! {
                sent = link.post(&client, out) => sent,
                () = forgotten(&client, id) => Ok(()),
            };
            if let Err(trouble) = sent {
                Box::pin(link.report(&client, id, trouble)).await;
            }
        });
        self.flights.launch(id, work).is_ok()
    }

    /// Sends a message and waits until it was taken and, over streamable HTTP, answered.
    pub(super) async fn post(&self, client: &Client, out: Outgoing) -> Result<(), Trouble> {
        match &self.talk {
            Talk::Streamable(streamable) => streamable.post(self, client, out).await,
            Talk::Sse(sse) => Box::pin(sse.post(self, out)).await,
        }
    }

    /// What a message that failed means: for its request, or for the connection as a whole.
    async fn report(&self, client: &Client, id: Option<u64>, trouble: Trouble) {
        let lost = match &trouble {
            Trouble::Unreachable(_) => Some(End::Eof),
            Trouble::SessionLost => Some(End::Forgotten),
            Trouble::Overrun => Some(End::Overrun),
            Trouble::Broken if !self.agent.reaches().await => Some(End::Eof),
            _ => None,
        };
        tracing::debug!(reason = %trouble, "a message to a remote server failed");
        // What the server did not take can be said again; of everything else in flight nobody knows.
        if let Some(id) = id.filter(|_| matches!(lost, None | Some(End::Forgotten))) {
            client.settle(id, trouble.into_outcome());
        }
        if let Some(end) = lost {
            client.over(end);
        }
    }

    /// Runs `work` until the connection ends.
    pub(super) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.flights.spawn(work);
    }

    /// Opens the stream on which a legacy server speaks by itself, and waits until the server has answered: one
    /// that asks its client in the middle of the first call finds nobody otherwise. Some answer only with their
    /// first message, so the wait is short.
    pub(super) async fn listen(self: &Arc<Self>, client: &Client) {
        let (link, client) = (self.clone(), client.clone());
        let (answered, answer) = oneshot::channel();
        self.spawn(async move {
            if let Talk::Streamable(streamable) = &link.talk {
                match streamable.listen(&link, &client, answered).await {
                    Err(Trouble::Overrun) => client.over(End::Overrun),
                    Err(Trouble::SessionLost) => client.over(End::Forgotten),
                    Err(_) => client.over(End::Eof),
                    Ok(()) => {}
                }
            }
        });
        let _ = tokio::time::timeout(LISTENING_MAX, answer).await;
    }

    /// Calls a request back. For a modern server that is its cancellation; `true` when nothing more
    /// has to be said.
    pub(crate) fn call_back(&self, id: u64) -> bool {
        self.flights.call_back(id);
        matches!(&self.talk, Talk::Streamable(streamable) if streamable.era() == Some(Era::Modern))
    }

    /// What the tool list says about headers.
    pub(crate) fn mirror(&self) -> Option<&Mirror> {
        match &self.talk {
            Talk::Streamable(streamable) => Some(&streamable.mirror),
            Talk::Sse(_) => None,
        }
    }

    /// Ends everything on its way.
    pub(crate) fn end(&self, end: End) {
        self.flights.end(end);
    }

    /// Waits until the connection has ended.
    pub(crate) async fn ended(&self) -> End {
        self.flights.ended().await
    }

    /// Ends everything on its way and tells the server that its session is over.
    pub(crate) fn close(self: &Arc<Self>) {
        let lost = !self.flights.end(End::Eof);
        let session = match &self.talk {
            Talk::Streamable(streamable) if !lost => streamable.session(),
            _ => None,
        };
        match (session, tokio::runtime::Handle::try_current()) {
            (Some(headers), Ok(runtime)) => {
                let link = self.clone();
                runtime.spawn(async move {
                    let path = &link.agent.address.path;
                    let farewell = link.agent.send(Method::DELETE, path, headers, Bytes::new());
                    let _ = tokio::time::timeout(FAREWELL_MAX, farewell).await;
                    let _ = link.left.set(());
                });
            }
            _ => {
                let _ = self.left.set(());
            }
        }
    }

    /// Waits until a connection that was closed has said its farewell.
    pub(crate) async fn left(&self) {
        self.left.wait().await;
    }
}

/// Comes when nobody waits for the request any more. Nobody waits for a message without a reply.
async fn forgotten(client: &Client, id: Option<u64>) {
    loop {
        tokio::time::sleep(LOOK).await;
        if id.is_none_or(|id| !client.waits(id)) {
            return;
        }
    }
}
