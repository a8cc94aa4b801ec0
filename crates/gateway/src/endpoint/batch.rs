//! Several messages in one array, as revision 2025-03-26 allows: worked on at once, answered together.

use super::message::{protocol_error, unreadable};
use super::{Guest, Notebook, Visitor};
use crate::caller::Caller;
use crate::gateway::Gateway;
use crate::sight::{Visit, Way};
use futures_util::stream::{FuturesOrdered, StreamExt};
use mcp::{Body, Message};
use serde_json::value::RawValue;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

/// The one revision that has batches.
const REVISION: &str = "2025-03-26";

/// Messages of one batch that are worked on at the same time.
const AT_ONCE: usize = 64;

/// The messages of a batch.
pub struct Batch<'a>(Vec<&'a RawValue>);

/// One message that is worked on.
type Work<'a> = Pin<Box<dyn Future<Output = Option<Vec<u8>>> + Send + 'a>>;

/// The headers of a request that tell of its trace.
pub(super) type Traced<'a> = (Option<&'a str>, Option<&'a str>);

impl<'a> Batch<'a> {
    /// Whether bytes are meant to be one.
    pub fn begins(bytes: &[u8]) -> bool {
        bytes.trim_ascii_start().starts_with(b"[")
    }

    /// Reads it; the refusal of bytes that are none.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Vec<u8>> {
        serde_json::from_slice(bytes).map(Self).map_err(|_| unreadable(bytes))
    }

    /// The refusal of one that this client must not send.
    pub fn check(&self, guest: &Guest) -> Result<(), Vec<u8>> {
        match (&*guest.version, self.0.is_empty()) {
            (REVISION, false) => Ok(()),
            (REVISION, true) => Err(protocol_error(None, -32600, "Invalid request: an empty batch")),
            _ => Err(Self::unknown()),
        }
    }

    /// The refusal of a batch where there are none.
    pub fn unknown() -> Vec<u8> {
        protocol_error(None, -32600, "This revision of MCP has no batches")
    }
}

impl Gateway {
    /// Takes what a client says over a connection that was greeted, one message or a batch, and notes each
    /// request. The reply, where there is one.
    pub async fn receive_bytes(
        self: &Arc<Self>,
        bytes: &[u8],
        visitor: Visitor<'_>,
        way: Way,
        traced: Traced<'_>,
    ) -> Option<Vec<u8>> {
        if !Batch::begins(bytes) {
            return self.receive_one(bytes, visitor, way, traced).await;
        }
        let batch = Batch::read(bytes).and_then(|batch| batch.check(visitor.guest).map(|()| batch));
        match batch {
            Ok(batch) => self.receive_batch(&batch, visitor, way, traced).await,
            Err(refusal) => Some(refusal),
        }
    }

    /// Takes a batch that was checked. The replies stand in the order of its messages.
    pub async fn receive_batch(
        self: &Arc<Self>,
        batch: &Batch<'_>,
        visitor: Visitor<'_>,
        way: Way,
        traced: Traced<'_>,
    ) -> Option<Vec<u8>> {
        let mut messages = batch.0.iter().map(|message| message.get().as_bytes());
        let mut work: FuturesOrdered<Work<'_>> = FuturesOrdered::new();
        let mut replies = Vec::new();
        loop {
            while work.len() < AT_ONCE
                && let Some(bytes) = messages.next()
            {
                work.push_back(Box::pin(self.part(bytes, visitor, way, traced)));
            }
            match work.next().await {
                Some(reply) => replies.extend(reply),
                None => break,
            }
        }
        (!replies.is_empty()).then(|| [b"[".to_vec(), replies.join(&b','), b"]".to_vec()].concat())
    }

    /// One message of a batch. A handshake says how to read what follows, so it stands alone.
    async fn part(
        self: &Arc<Self>,
        bytes: &[u8],
        visitor: Visitor<'_>,
        way: Way,
        traced: Traced<'_>,
    ) -> Option<Vec<u8>> {
        match Message::parse(bytes) {
            Some(Message { body: Body::Method(method, _), id, .. }) if method == "initialize" => {
                Some(protocol_error(id, -32600, "Invalid request: initialize must not be part of a batch"))
            }
            _ => self.receive_one(bytes, visitor, way, traced).await,
        }
    }

    async fn receive_one(
        self: &Arc<Self>,
        bytes: &[u8],
        visitor: Visitor<'_>,
        way: Way,
        traced: Traced<'_>,
    ) -> Option<Vec<u8>> {
        let Some(message) = Message::parse(bytes) else { return Some(unreadable(bytes)) };
        let note = Notebook::new(way, Instant::now());
        let visitor = Visitor { note: &note, ..visitor };
        let caller = Caller::guest(visitor.guest, visitor.name).leaving(&note.footprint);
        let caller = caller.with(visitor.pass.map(Arc::as_ref));
        let visit = self.visit_of(way, &message, traced, note.began).map(|visit| visit.by(caller));
        let received = std::pin::pin!(self.receive(visitor, &message));
        let reply = Visit::within(visit.as_ref(), received).await;
        if let Some(visit) = visit {
            visit.close_with(&note.seen(caller), reply.as_deref());
        }
        note.log();
        reply
    }
}
