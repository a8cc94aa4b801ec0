//! Finding out how a remote server wants to be spoken to: a modern request first, then `initialize`, then
//! the older HTTP+SSE at the same address (spec 6.2).

use super::Target;
use super::link::{Link, Talk};
use super::sse::Sse;
use super::streamable::Streamable;
use super::trouble::Trouble;
use crate::client::Client;
use crate::envelope::RpcError;
use crate::era::{
    Era, HandshakeError, LEGACY, MODERN, Peer, Transport, agreed, discovered, initialize_params,
};
use crate::pending::Outcome;
use crate::said::Said;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// How long a server may think about `server/discover` before it counts as legacy.
const PROBE_MAX: Duration = Duration::from_secs(3);

/// How long it may take to hear that it is initialized.
const INITIALIZED_MAX: Duration = Duration::from_secs(3);

/// A connection to a remote server after the handshake.
pub struct Remote {
    /// The connection.
    pub client: Client,
    /// What the handshake told.
    pub peer: Peer,
    /// Keeps the connection; dropping it closes it.
    pub hold: Hold,
}

/// Closes its connection when it is dropped.
pub struct Hold(Client);

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Finds transport and era of a server and shakes hands. Dropping the future leaves nothing behind.
pub async fn connect(target: &Target, events: mpsc::Sender<Box<Said>>) -> Result<Remote, HandshakeError> {
    let streamable = Attempt::new(target, Talk::Streamable(Streamable::default()), &events);
    if let Some(peer) = streamable.discover().await? {
        return Ok(streamable.done(peer, Transport::Streamable));
    }
    let refused = match streamable.initialize().await {
        Ok(peer) => {
            streamable.link.listen(&streamable.client).await;
            return Ok(streamable.done(peer, Transport::Streamable));
        }
        Err(Failure::Trouble(Trouble::Status(status, error))) if status.is_client_error() => {
            Trouble::Status(status, error)
        }
        Err(failure) => return Err(failure.into()),
    };
    drop(streamable);
    let sse = Attempt::new(target, Talk::Sse(Sse::default()), &events);
    match sse.open().await {
        Ok(()) => {}
        // There is no such stream either, so the first refusal tells more.
        Err(Trouble::Status(..) | Trouble::Foreign | Trouble::Ended) => return Err(explain(&refused)),
        Err(trouble) => return Err(explain(&trouble)),
    }
    let peer = sse.initialize().await?;
    Ok(sse.done(peer, Transport::Sse))
}

/// One transport being tried.
struct Attempt {
    link: Arc<Link>,
    client: Client,
    hold: Hold,
}

/// What a modern request brought back.
enum Found {
    Peer(Box<Peer>),
    Error(RpcError),
    Nothing,
}

enum Failure {
    Trouble(Trouble),
    Handshake(HandshakeError),
}

impl From<Failure> for HandshakeError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Trouble(trouble) => explain(&trouble),
            Failure::Handshake(error) => error,
        }
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        Failure::Trouble(trouble)
    }
}

impl Attempt {
    fn new(target: &Target, talk: Talk, events: &mpsc::Sender<Box<Said>>) -> Self {
        let link = Link::new(target, talk);
        let client = Client::remote(link.clone(), events.clone());
        Self { link, hold: Hold(client.clone()), client }
    }

    fn done(self, mut peer: Peer, transport: Transport) -> Remote {
        peer.transport = transport;
        Remote { client: self.client, peer, hold: self.hold }
    }

    /// Asks in the modern way; `None` when the server is not a modern one.
    async fn discover(&self) -> Result<Option<Peer>, HandshakeError> {
        let error = match self.discover_once().await? {
            // A server may refuse a revision once and name the same one as its own.
            Found::Error(error) if is_modern(&error) && supports(&error, &[MODERN]) => {
                self.discover_once().await?
            }
            other => other,
        };
        match error {
            Found::Peer(peer) => Ok(Some(*peer)),
            Found::Error(error) if is_modern(&error) && !supports(&error, &LEGACY) => {
                Err(HandshakeError::Refused("server/discover", error.message))
            }
            Found::Error(_) | Found::Nothing => Ok(None),
        }
    }

    async fn discover_once(&self) -> Result<Found, HandshakeError> {
        let params = Era::Modern.params("");
        let asked = tokio::time::timeout(PROBE_MAX, self.ask("server/discover", &params)).await;
        Ok(match asked {
            Ok(Ok(Outcome::Result(result))) => {
                let peer = discovered(&result);
                if let (Some(peer), Talk::Streamable(streamable)) = (&peer, &self.link.talk) {
                    streamable.agree(Era::Modern, &peer.version);
                }
                peer.map_or(Found::Nothing, |peer| Found::Peer(Box::new(peer)))
            }
            Ok(Ok(Outcome::Error(error, _)) | Err(Trouble::Status(_, Some(error)))) => {
                Found::Error(RpcError::read(&error))
            }
            Ok(Err(trouble @ (Trouble::Unreachable(_) | Trouble::Overrun))) => return Err(explain(&trouble)),
            Ok(Ok(_) | Err(_)) | Err(_) => Found::Nothing,
        })
    }

    /// Shakes hands in the legacy way.
    async fn initialize(&self) -> Result<Peer, Failure> {
        let reply = self.ask("initialize", &initialize_params()).await?;
        let peer = agreed(&reply).map_err(Failure::Handshake)?;
        if let Talk::Streamable(streamable) = &self.link.talk {
            streamable.agree(Era::Legacy, &peer.version);
        }
        // Requests must not overtake this, so it is waited for.
        let initialized = self.client.prepare_notice("notifications/initialized", "{}");
        match tokio::time::timeout(INITIALIZED_MAX, self.link.post(&self.client, initialized)).await {
            Ok(Err(trouble @ (Trouble::Unreachable(_) | Trouble::SessionLost))) => Err(trouble.into()),
            _ => Ok(peer),
        }
    }

    /// Sends one request and waits for its reply, with the transport's own trouble.
    async fn ask(&self, method: &str, params: &str) -> Result<Outcome, Trouble> {
        let (mut pending, out) = self.client.prepare(method, params).map_err(|_| Trouble::Broken)?;
        let outcome = tokio::select! {
            biased;
            // The stream of the reply may stay open.
            outcome = &mut pending => outcome,
            sent = self.link.post(&self.client, out) => {
                sent?;
                pending.await
            }
        };
        outcome.map_err(|_| Trouble::Broken)
    }

    async fn open(&self) -> Result<(), Trouble> {
        match &self.link.talk {
            Talk::Sse(sse) => sse.open(&self.link, &self.client).await,
            Talk::Streamable(_) => Ok(()),
        }
    }
}

/// Whether only a modern server gives that error.
fn is_modern(error: &RpcError) -> bool {
    matches!(error.code, -32022..=-32020)
}

/// Whether a server that refuses a revision says that it knows one of these.
fn supports(error: &RpcError, revisions: &[&str]) -> bool {
    let supported = error.data.as_ref().and_then(|data| data.get("supported")).and_then(Value::as_array);
    supported.is_some_and(|list| list.iter().filter_map(Value::as_str).any(|v| revisions.contains(&v)))
}

fn explain(trouble: &Trouble) -> HandshakeError {
    match trouble {
        Trouble::Status(status, Some(error)) => match RpcError::read(error) {
            error if error.message.is_empty() => HandshakeError::Remote(trouble.to_string()),
            error => HandshakeError::Refused("initialize", error.with_status(Some(status.as_u16()))),
        },
        _ => HandshakeError::Remote(trouble.to_string()),
    }
}
