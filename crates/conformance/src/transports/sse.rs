//! The HTTP+SSE transport of 2024-11-05: a stream of events at `GET /sse`, messages at `POST /messages`.

use super::lines;
use crate::fixture::Fixture;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::{get, post};
use futures_util::{Stream, stream};
use serde::Deserialize;
use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;

type Inboxes = HashMap<u64, mpsc::Sender<String>>;

struct Connections {
    fixture: Fixture,
    next: AtomicU64,
    inboxes: Mutex<Inboxes>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Address {
    session_id: u64,
}

pub(crate) async fn serve(fixture: Fixture, port: u16) -> io::Result<()> {
    let connections = Connections { fixture, next: AtomicU64::new(1), inboxes: Mutex::default() };
    let router = Router::new().route("/sse", get(open)).route("/messages", post(receive));
    super::listen(router.with_state(Arc::new(connections)), port).await
}

async fn open(
    State(connections): State<Arc<Connections>>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let id = connections.next.fetch_add(1, Ordering::Relaxed);
    let (inbox, incoming) = mpsc::channel(16);
    let (outgoing, to_send) = mpsc::channel::<String>(16);
    connections.inboxes().insert(id, inbox);
    let gone = outgoing.clone();
    let serving = lines::serve(connections.fixture.connect(), incoming, outgoing);
    tokio::spawn(async move {
        tokio::select! {
            () = serving => {}
            () = gone.closed() => {}
        }
        connections.inboxes().remove(&id);
    });
    let first = Event::default().event("endpoint").data(format!("/messages?sessionId={id}"));
    let messages = stream::unfold(to_send, |mut to_send| async move {
        let line = to_send.recv().await?;
        Some((Ok(Event::default().event("message").data(line)), to_send))
    });
    let events = stream::StreamExt::chain(stream::iter([Ok(first)]), messages);
    Sse::new(events).keep_alive(KeepAlive::default())
}

async fn receive(
    State(connections): State<Arc<Connections>>,
    Query(address): Query<Address>,
    message: String,
) -> StatusCode {
    let inbox = connections.inboxes().get(&address.session_id).cloned();
    let Some(inbox) = inbox else { return StatusCode::NOT_FOUND };
    // A message may be written over several lines; a line is what the connection is made of.
    match inbox.send(message.replace(['\r', '\n'], " ")).await {
        Ok(()) => StatusCode::ACCEPTED,
        Err(_) => StatusCode::NOT_FOUND,
    }
}

impl Connections {
    fn inboxes(&self) -> MutexGuard<'_, Inboxes> {
        self.inboxes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
