//! The old HTTP+SSE transport: `GET /sse` opens the one stream, `POST /messages` takes what the client says.

use super::{LINE_MAX, MESSAGES, Refused, events, refused, session};
use crate::access::Who;
use crate::app::App;
use crate::overload::Reserve;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use gateway::{Batch, Guest, Line, Notebook, Pass, Visitor, Way};
use mcp::Message;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Streams that are open now.
#[derive(Clone, Default)]
pub(crate) struct Streams {
    open: Arc<Mutex<HashMap<u64, Stream>>>,
}

struct Stream {
    line: Line,
    guest: Arc<Guest>,
}

impl Streams {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Stream>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes the stream's books when the client goes.
struct Open {
    streams: Streams,
    number: u64,
    app: App,
    guest: Arc<Guest>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.streams.lock().remove(&self.number);
        self.app.gateway().leave(&self.guest);
    }
}

/// `GET /sse`.
pub(crate) async fn sse(State(app): State<App>, who: Who) -> Result<Response, Refused> {
    if !app.gateway().settings().mcp.sse {
        return Err(refused(
            StatusCode::NOT_FOUND,
            -32600,
            "The HTTP+SSE transport is switched off (mcp.sse)",
        ));
    }
    let guest = Arc::new(Guest::from_initialize("{}"));
    let (line, said) = mcp::mail(LINE_MAX);
    let id = session::seal(&app, who.pass.as_deref(), &guest);
    let hello = events::event("endpoint", format!("/messages?sessionId={id}").as_bytes());
    app.streams().lock().insert(guest.number, Stream { line, guest: guest.clone() });
    let subscription = app.gateway().listen(&guest, who.pass);
    let open = Open { streams: app.streams().clone(), number: guest.number, app: app.clone(), guest };
    let state = (Some(hello), said, subscription, app.stopping(), open);
    Ok(events::raw(stream::unfold(state, |(hello, mut said, mut news, mut stopping, open)| async move {
        let bytes = match hello {
            Some(hello) => hello,
            None => tokio::select! {
                biased;
                message = said.recv() => events::event("message", &message?),
                message = news.next() => events::event("message", &message?),
                _ = stopping.wait_for(|stopping| *stopping) => return None,
                sign = events::alive() => sign,
            },
        };
        // What is said on calls of its own may never leave a pause, so every message asks.
        news.may_stay().then_some((Ok(bytes), (None, said, news, stopping, open)))
    })))
}

/// `POST /messages?sessionId=…`: 202, and the reply comes on the stream.
pub(crate) async fn messages(State(app): State<App>, request: Request) -> Result<Response, Refused> {
    let (head, body) = request.into_parts();
    let query = head.uri.query().unwrap_or_default();
    let id = query.split('&').find_map(|pair| pair.strip_prefix("sessionId=")).unwrap_or_default();
    let gone = |text| refused(StatusCode::NOT_FOUND, -32001, text);
    let pass = head.extensions.get::<Arc<Pass>>().cloned();
    let guest =
        session::open(&app, pass.as_deref(), id).ok_or_else(|| gone("Session not found; open /sse again"))?;
    let bytes = super::read(&app, &head.headers, body).await?;
    let reserve = head.extensions.get::<Reserve>();
    if let Some(Err(response)) = reserve.map(|reserve| reserve.check(&app, MESSAGES, &bytes)) {
        return Ok(*response);
    }
    let message = Message::parse(&bytes);
    if message.is_none() && !Batch::begins(&bytes) {
        return Ok(super::json(StatusCode::BAD_REQUEST, gateway::unreadable(&bytes)));
    }
    let (line, guest) = on_stream(&app, guest.number, message.as_ref())
        .ok_or_else(|| gone("The stream of this session is not open here"))?;
    if message.is_none()
        && let Err(reply) = Batch::read(&bytes).and_then(|batch| batch.check(&guest))
    {
        return Ok(super::json(StatusCode::BAD_REQUEST, reply));
    }
    tokio::spawn(async move {
        let notebook = Notebook::new(Way::Sse, Instant::now());
        let name = crate::call::client_id(&head.headers);
        let name = name.as_deref();
        let visitor =
            Visitor { guest: &guest, name, pass: pass.as_ref(), line: &line, note: &notebook, cancel: None };
        let work = app.gateway().receive_bytes(&bytes, visitor, Way::Sse, crate::call::traced(&head.headers));
        tokio::select! {
            reply = work => {
                if let Some(reply) = reply {
                    let _ = line.send(reply).await;
                }
            }
            // A client that goes away takes its requests with it.
            () = line.closed() => {}
        }
    });
    Ok(StatusCode::ACCEPTED.into_response())
}

/// The stream of a client; its handshake fills in who it is.
fn on_stream(app: &App, number: u64, message: Option<&Message<'_>>) -> Option<(Line, Arc<Guest>)> {
    let mut open = app.streams().lock();
    let stream = open.get_mut(&number)?;
    if let Some(greeted) = message.and_then(Guest::greeting) {
        stream.guest = Arc::new(Guest { number, ..greeted });
        app.gateway().greeted(&stream.guest);
    }
    Some((stream.line.clone(), stream.guest.clone()))
}
