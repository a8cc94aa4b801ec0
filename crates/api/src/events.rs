//! `GET /api/events`: what happens on any instance, as it happens.

use crate::app::App;
use crate::endpoint::events::{LAST_EVENT, alive, event, event_with, raw};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use futures_util::stream;
use gateway::RequestView;
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// Streams changes as they happen: `server` with name and status, `list` with the list that changed,
/// `hooks` and `workflows` when these were edited, `run` when a run has ended, `session` when a session moved,
/// with `requests=true` also `request` when a request of a client of this instance has ended, `lost` when this reader
/// missed something and should read everything again. Every event but `request` names the `instance` where it
/// happened, and has an id: a reader that comes back with it in `Last-Event-ID` hears what it missed.
#[utoipa::path(get, path = "/api/events", tag = "operations", operation_id = "events",
    params(("requests" = Option<bool>, Query, description = "`true`: requests of clients too.")),
    responses((status = 200, body = String, content_type = "text/event-stream")))]
pub(crate) async fn events(State(app): State<App>, uri: Uri, headers: HeaderMap) -> Response {
    let last = headers.get(LAST_EVENT).and_then(|id| id.to_str().ok());
    let feeding = app.gateway().feed(last);
    // Nobody pays for news that nobody asked for.
    let wanted = uri.query().is_some_and(|query| query.split('&').any(|pair| pair == "requests=true"));
    let requests = wanted.then(|| app.gateway().requests_finished());
    let state = (Some(Bytes::from_static(b": ready\n\n")), feeding, requests, app.stopping());
    let all = stream::unfold(state, |(hello, mut feeding, mut requests, mut stopping)| async move {
        if let Some(hello) = hello {
            return Some((Ok::<_, Infallible>(hello), (None, feeding, requests, stopping)));
        }
        let bytes = tokio::select! {
            next = feeding.next() => {
                let next = next?;
                event_with(&next.id, &next.name, next.data.as_bytes())
            }
            next = finished(&mut requests) => match next {
                Ok(view) => event("request", json!(*view).to_string().as_bytes()),
                Err(RecvError::Lagged(count)) => event("lost", json!({"events": count}).to_string().as_bytes()),
                Err(RecvError::Closed) => return None,
            },
            _ = stopping.wait_for(|stopping| *stopping) => return None,
            sign = alive() => sign,
        };
        Some((Ok(bytes), (None, feeding, requests, stopping)))
    });
    raw(all)
}

/// The next request that ends, where these are wanted.
async fn finished(requests: &mut Option<Receiver<Arc<RequestView>>>) -> Result<Arc<RequestView>, RecvError> {
    match requests {
        Some(requests) => requests.recv().await,
        None => std::future::pending().await,
    }
}
