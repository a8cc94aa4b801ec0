//! Replies as a stream of server-sent events.

use crate::app::App;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use futures_util::stream;
use gateway::{Guest, Pass, Subscription};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The id of the last event that a client got, when it comes back.
pub(crate) const LAST_EVENT: &str = "last-event-id";

/// How often a quiet stream shows that it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// One event. Messages hold no line breaks.
pub(crate) fn event(name: &str, data: &[u8]) -> Bytes {
    [b"event: ", name.as_bytes(), b"\ndata: ", data, b"\n\n"].concat().into()
}

/// One event with the id under which a reader may come back after it; one without leaves the last id as it is.
pub(crate) fn event_with(id: &str, name: &str, data: &[u8]) -> Bytes {
    if id.is_empty() {
        return event(name, data);
    }
    [b"id: ", id.as_bytes(), b"\nevent: ", name.as_bytes(), b"\ndata: ", data, b"\n\n"].concat().into()
}

/// A message, with the id under which a client may come back after it.
fn event_at(id: Option<&str>, message: &[u8]) -> Bytes {
    match id {
        Some(id) => event_with(id, "message", message),
        None => event("message", message),
    }
}

/// After a while of silence, a sign that the stream is alive.
pub(crate) async fn alive() -> Bytes {
    tokio::time::sleep(KEEP_ALIVE).await;
    Bytes::from_static(b": alive\n\n")
}

fn streaming(body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::OK;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// What is said while `work` goes on, then its reply. Dropping the stream drops the work.
pub(super) fn finish<F>(first: Vec<u8>, said: mcp::Receiver<Vec<u8>>, work: F) -> Response
where
    F: Future<Output = Option<Vec<u8>>> + Send + 'static,
{
    enum Step<F> {
        Going(std::pin::Pin<Box<F>>, mcp::Receiver<Vec<u8>>, Option<Vec<u8>>),
        Ending(mcp::Receiver<Vec<u8>>, Option<Vec<u8>>),
    }
    let steps = stream::unfold(Step::Going(Box::pin(work), said, Some(first)), |step| async move {
        let (message, next) = match step {
            Step::Going(work, said, Some(first)) => (first, Step::Going(work, said, None)),
            Step::Going(mut work, mut said, None) => tokio::select! {
                biased;
                Some(message) = said.recv() => (message, Step::Going(work, said, None)),
                reply = &mut work => match said.try_recv() {
                    Some(message) => (message, Step::Ending(said, reply)),
                    None => (reply?, Step::Ending(said, None)),
                },
            },
            Step::Ending(mut said, reply) => match said.try_recv() {
                Some(message) => (message, Step::Ending(said, reply)),
                None => (reply?, Step::Ending(said, None)),
            },
        };
        Some((Ok::<_, Infallible>(event("message", &message)), next))
    });
    streaming(Body::from_stream(steps))
}

/// A legacy client's stream for what concerns no request. Its events have ids, and a client that comes back
/// with the id of the last one that it got hears first what it missed.
pub(super) fn listen(app: &App, guest: &Guest, pass: Option<Arc<Pass>>, headers: &HeaderMap) -> Response {
    let last = headers.get(LAST_EVENT).and_then(|id| id.to_str().ok());
    let subscription = match last {
        Some(id) => app.gateway().listen_after(guest, pass, id),
        None => app.gateway().listen(guest, pass),
    };
    // Where to come back to is told at once, to clients of the revision that knows an event without data.
    let primer = subscription.event_id().filter(|_| guest.version == mcp::LEGACY[0]);
    let hello = match primer {
        Some(id) => Bytes::from(format!("id: {id}\ndata:\n\n")),
        // Headers go out with the first bytes.
        None => Bytes::from_static(b": ready\n\n"),
    };
    stream_of(hello, subscription, app.stopping())
}

/// What a modern client listens to: the acknowledgement, and what follows it.
pub(super) fn follow(app: &App, first: &[u8], subscription: Subscription) -> Response {
    stream_of(event("message", first), subscription, app.stopping())
}

/// A stream that goes on until the client leaves, its key is no longer good, or the gateway stops, which a modern client
/// is told.
fn stream_of(hello: Bytes, subscription: Subscription, stopping: watch::Receiver<bool>) -> Response {
    let state = Some((Some(hello), subscription, stopping));
    let events = stream::unfold(state, |state| async move {
        let (hello, mut subscription, mut stopping) = state?;
        let bytes = match hello {
            Some(hello) => hello,
            None => tokio::select! {
                message = subscription.next() => {
                    let message = message?;
                    event_at(subscription.event_id().as_deref(), &message)
                }
                _ = stopping.wait_for(|stopping| *stopping) => {
                    return Some((Ok(event("message", &subscription.farewell()?)), None));
                }
                sign = alive() => subscription.may_stay().then_some(sign)?,
            },
        };
        Some((Ok::<_, Infallible>(bytes), Some((None, subscription, stopping))))
    });
    streaming(Body::from_stream(events))
}

/// A stream of ready events.
pub(crate) fn raw(
    events: impl futures_util::Stream<Item = Result<Bytes, Infallible>> + Send + 'static,
) -> Response {
    streaming(Body::from_stream(events))
}
