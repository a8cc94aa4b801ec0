//! An open event stream of a server, and its messages on their way to whoever waits for them.

use super::events::{Event, Events, Overrun};
use super::headers::STREAM;
use super::trouble::Trouble;
use crate::client::Client;
use crate::lines::LINE_MAX;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::Response;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use std::time::Duration;

/// How long a stream is read on after its reply, so that the connection can be used again.
const TRAILING: Duration = Duration::from_secs(1);

/// Waits between two connections, unless the server says otherwise, and the bounds of what it may say.
const RETRY: Duration = Duration::from_secs(1);
const RETRY_MIN: Duration = Duration::from_millis(50);
const RETRY_MAX: Duration = Duration::from_secs(60);

/// A stream that is being read.
pub(super) struct Stream {
    body: Incoming,
    chunk: Bytes,
    events: Events,
}

/// Where a stream that ended can be taken up again.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) last_id: Option<String>,
    pub(super) retry: Option<Duration>,
}

/// How a stream ended.
#[derive(Debug)]
pub(super) enum Finish {
    /// The reply was on it.
    Replied,
    /// It ended, whole or broken; `moved` when anything was on it.
    Ended { moved: bool, broken: bool },
}

impl Place {
    /// How long to wait before the next connection.
    pub(super) fn wait(&self) -> Duration {
        self.retry.unwrap_or(RETRY).clamp(RETRY_MIN, RETRY_MAX)
    }

    /// The same, doubled with each connection in a row that brought nothing.
    pub(super) fn wait_longer(&self, idle: u32) -> Duration {
        self.wait().saturating_mul(2u32.saturating_pow(idle)).min(RETRY_MAX)
    }
}

/// Whether a response has a body of that type.
pub(super) fn is_type(response: &Response<Incoming>, expected: &str) -> bool {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = value.unwrap_or_default().split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case(expected)
}

impl Stream {
    pub(super) fn new(response: Response<Incoming>) -> Result<Self, Trouble> {
        match is_type(&response, STREAM) {
            true => {
                Ok(Self { body: response.into_body(), chunk: Bytes::new(), events: Events::new(LINE_MAX) })
            }
            false => Err(Trouble::Foreign),
        }
    }

    /// The next event; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Event>, Trouble> {
        loop {
            match self.events.next(&mut self.chunk) {
                Ok(Some(event)) => return Ok(Some(event)),
                Ok(None) => {}
                Err(Overrun) => return Err(Trouble::Overrun),
            }
            match self.body.frame().await {
                None => return Ok(None),
                Some(Err(_)) => return Err(Trouble::Broken),
                Some(Ok(frame)) => self.chunk = frame.into_data().unwrap_or_default(),
            }
        }
    }

    /// Hands on every message until the reply to `via` has come or the stream ends. What is needed to
    /// take it up again is kept in `place`.
    pub(super) async fn follow(
        &mut self,
        client: &Client,
        via: Option<u64>,
        place: &mut Place,
    ) -> Result<Finish, Trouble> {
        let mut moved = false;
        loop {
            let next = self.next().await;
            if let Some(id) = self.events.last_id() {
                place.last_id = Some(id.to_owned());
            }
            place.retry = self.events.retry().map(Duration::from_millis).or(place.retry);
            let event = match next {
                Ok(Some(event)) => event,
                Ok(None) => return Ok(Finish::Ended { moved, broken: false }),
                Err(Trouble::Broken) => return Ok(Finish::Ended { moved, broken: true }),
                Err(trouble) => return Err(trouble),
            };
            moved = true;
            if matches!(event.kind.as_str(), "" | "message") && take(client, event.data, via) {
                let _ = tokio::time::timeout(TRAILING, self.trail(client, via)).await;
                return Ok(Finish::Replied);
            }
        }
    }

    /// What comes after the reply.
    async fn trail(&mut self, client: &Client, via: Option<u64>) {
        while let Ok(Some(event)) = self.next().await {
            take(client, event.data, via);
        }
    }
}

/// Hands on one message; whether it is the reply to `via`. A line break can only stand between its
/// tokens, and is left out so that the message fits on a line.
pub(super) fn take(client: &Client, mut message: Vec<u8>, via: Option<u64>) -> bool {
    if memchr::memchr2(b'\n', b'\r', &message).is_some() {
        message.retain(|byte| !matches!(byte, b'\n' | b'\r'));
    }
    client.take(&message, via)
}
