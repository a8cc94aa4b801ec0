//! Streamable HTTP: every message is a POST of its own, its reply is JSON or an event stream.

use super::agent::read;
use super::headers::{self, Agreement, JSON, LAST_EVENT, Outline, SESSION, STREAM};
use super::link::{Link, Outgoing};
use super::mirror::Mirror;
use super::stream::{Finish, Place, Stream, is_type, take};
use super::trouble::Trouble;
use crate::client::Client;
use crate::envelope::{Body, Message, RpcError};
use crate::era::Era;
use crate::lines::LINE_MAX;
use crate::pending::Outcome;
use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header::{HeaderMap, HeaderValue};
use hyper::{Method, Response, StatusCode};
use serde_json::value::RawValue;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;

/// The most bytes of a refusal that are looked at.
const REFUSAL_MAX: usize = 64 * 1024;

/// How long a server may take to say whether it knows a session.
const HOLDS_MAX: Duration = Duration::from_secs(5);

/// The code with which servers say that they do not know a session.
const NO_SESSION: i64 = -32001;

/// Attempts in a row to take up a stream that bring nothing.
const RESUME_MAX: u32 = 5;

/// What is known of a server that speaks streamable HTTP.
#[derive(Default)]
pub(super) struct Streamable {
    /// The session that the answer to `initialize` named.
    session: OnceLock<HeaderValue>,
    agreement: OnceLock<Agreement>,
    pub(super) mirror: Mirror,
}

impl Streamable {
    /// Keeps what the handshake agreed on.
    pub(super) fn agree(&self, era: Era, version: &str) {
        let session = self.session.get().cloned().filter(|_| era == Era::Legacy);
        let version = HeaderValue::from_str(version).unwrap_or(HeaderValue::from_static(""));
        let _ = self.agreement.set(Agreement { era, version, session });
    }

    /// The session, when there is one to end.
    pub(super) fn session(&self) -> Option<HeaderMap> {
        let agreement = self.agreement.get().filter(|agreement| agreement.session.is_some())?;
        let mut headers = HeaderMap::new();
        headers::agree(&mut headers, agreement);
        Some(headers)
    }

    /// The era, once it is known.
    pub(super) fn era(&self) -> Option<Era> {
        self.agreement.get().map(|agreement| agreement.era)
    }

    fn headers(&self, outline: Outline<'_>) -> HeaderMap {
        let mut headers = headers::of_post();
        match self.agreement.get() {
            Some(agreement) if agreement.era == Era::Legacy => headers::agree(&mut headers, agreement),
            None if outline.method != Some("server/discover") => {}
            _ => headers::outline(&mut headers, outline, &self.mirror),
        }
        headers
    }

    /// Posts one message and hands on everything that comes back, until the reply has come.
    pub(super) async fn post(&self, link: &Link, client: &Client, out: Outgoing) -> Result<(), Trouble> {
        let headers = self.headers(out.outline());
        let path = &link.agent.address.path;
        let response = link.agent.send(Method::POST, path, headers, out.message.clone()).await?;
        if let (Some("initialize"), Some(session)) = (out.method.as_deref(), response.headers().get(SESSION))
        {
            let _ = self.session.set(session.clone());
        }
        if !response.status().is_success() {
            let asked = Some(link).filter(|_| out.method.as_deref() != Some("ping"));
            return Err(Box::pin(self.refusal(response, out.id, asked)).await);
        }
        if is_type(&response, STREAM) {
            return Box::pin(self.stream(link, client, response, out.id)).await;
        }
        match out.id {
            Some(id) if is_type(&response, JSON) => {
                let body = read(response.into_body(), LINE_MAX).await?;
                reply(client, body, id);
                Ok(())
            }
            Some(_) if response.status() == StatusCode::OK => Err(Trouble::Foreign),
            Some(_) => Err(Trouble::Ended),
            None => Ok(()),
        }
    }

    /// Whether the server still knows the session.
    async fn holds(&self, link: &Link) -> bool {
        let headers = self.headers(Outline { method: Some("ping"), params: "" });
        // No two requests of a session have the same id.
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let ping = format!(r#"{{"jsonrpc":"2.0","id":"session-{number}","method":"ping"}}"#);
        let asked = link.agent.send(Method::POST, &link.agent.address.path, headers, ping.into());
        let answer = tokio::time::timeout(HOLDS_MAX, asked).await;
        matches!(answer, Ok(Ok(response)) if response.status().is_success())
    }

    /// What a status means that is not good; the body is read as far as it explains itself. Where the server can be asked
    /// again, it says whether what is not there is the session.
    async fn refusal(&self, response: Response<Incoming>, id: Option<u64>, again: Option<&Link>) -> Trouble {
        let status = response.status();
        let body = read(response.into_body(), REFUSAL_MAX).await.unwrap_or_default();
        // Whoever answers the request by its id has not lost the session.
        let named = id.is_some() && Message::parse(&body).and_then(|message| message.own_id()) == id;
        let error = error_in(&body);
        if status == StatusCode::NOT_FOUND && !named && self.session().is_some() {
            let says_so = error.as_ref().is_some_and(|error| RpcError::read(error).code == NO_SESSION);
            let holds = match again {
                Some(link) if !says_so => self.holds(link).await,
                _ => false,
            };
            if !holds {
                return Trouble::SessionLost;
            }
        }
        Trouble::Status(status, error)
    }

    /// Reads the stream of a reply, over several connections where the server wants it so (SEP-1699).
    async fn stream(
        &self,
        link: &Link,
        client: &Client,
        response: Response<Incoming>,
        id: Option<u64>,
    ) -> Result<(), Trouble> {
        let mut place = Place::default();
        let mut finish = Stream::new(response)?.follow(client, id, &mut place).await?;
        let mut idle = 0;
        loop {
            let Finish::Ended { moved, broken } = finish else { return Ok(()) };
            let Some(id) = id.filter(|id| client.waits(*id)) else { return Ok(()) };
            // A server that is gone cannot go on, and its callers need not wait to learn that.
            if broken && !link.agent.reaches().await {
                return Err(Trouble::Broken);
            }
            idle = if moved { 0 } else { idle + 1 };
            if self.era() == Some(Era::Modern) || place.last_id.is_none() || idle > RESUME_MAX {
                return Err(if broken { Trouble::Broken } else { Trouble::Ended });
            }
            tokio::time::sleep(place.wait()).await;
            finish = match self.open(link, &place).await {
                Ok(mut stream) => stream.follow(client, Some(id), &mut place).await?,
                Err(Trouble::Status(status, _)) if status.is_client_error() => return Err(Trouble::Ended),
                // The request was taken, so it must not be made again.
                Err(Trouble::SessionLost) => return Err(Trouble::Ended),
                Err(Trouble::Status(..) | Trouble::Broken) => Finish::Ended { moved: false, broken: true },
                Err(trouble) => return Err(trouble),
            };
        }
    }

    /// Opens a stream of the server's own, or takes up one at its place.
    async fn open(&self, link: &Link, place: &Place) -> Result<Stream, Trouble> {
        let mut headers = headers::of_stream();
        if let Some(agreement) = self.agreement.get() {
            headers::agree(&mut headers, agreement);
        }
        if let Some(id) = place.last_id.as_deref().and_then(|id| HeaderValue::from_str(id).ok()) {
            headers.insert(LAST_EVENT, id);
        }
        let path = &link.agent.address.path;
        let response = link.agent.send(Method::GET, path, headers, Bytes::new()).await?;
        match response.status().is_success() {
            true => Stream::new(response),
            false => Err(self.refusal(response, None, None).await),
        }
    }

    /// Listens to what a legacy server says outside of any request, as long as it offers a stream for
    /// that. Ends only when there is none, or the session is over. `answered` is dropped with the first answer.
    pub(super) async fn listen(
        &self,
        link: &Link,
        client: &Client,
        answered: oneshot::Sender<()>,
    ) -> Result<(), Trouble> {
        let mut place = Place::default();
        let (mut idle, mut opened) = (0, false);
        let mut answered = Some(answered);
        loop {
            let stream = self.open(link, &place).await;
            answered.take();
            let moved = match stream {
                Ok(mut stream) => {
                    opened = true;
                    match stream.follow(client, None, &mut place).await? {
                        Finish::Ended { moved, .. } => moved,
                        Finish::Replied => true,
                    }
                }
                // The session has only just begun, so it is the stream that is not there.
                Err(Trouble::SessionLost) if !opened => return Ok(()),
                // No such stream: the server says nothing by itself.
                Err(Trouble::Status(status, _)) if status.is_client_error() => return Ok(()),
                Err(trouble @ (Trouble::SessionLost | Trouble::Overrun)) => return Err(trouble),
                Err(Trouble::Foreign) => return Ok(()),
                Err(_) => false,
            };
            idle = if moved { 0 } else { (idle + 1).min(RESUME_MAX) };
            tokio::time::sleep(place.wait_longer(idle)).await;
        }
    }
}

/// Hands on a body; a reply that does not name its request is still the reply to it.
fn reply(client: &Client, body: Bytes, id: u64) {
    let error = error_in(&body);
    if !take(client, body.into(), Some(id)) {
        client.settle(id, error.map_or(Outcome::Invalid, |error| Outcome::Error(error, None)));
    }
}

/// The JSON-RPC error of a body, when it is one.
fn error_in(body: &[u8]) -> Option<Box<RawValue>> {
    match Message::parse(body)?.body {
        Body::Error(error) => Some(error.to_owned()),
        _ => None,
    }
}
