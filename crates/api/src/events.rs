//! `GET /api/events`: what happens on any instance, as it happens.

use crate::app::App;
use crate::endpoint::events::{LAST_EVENT, alive, event, event_with, raw};
use axum::body::Bytes;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use futures_util::stream;
use gateway::{Feeding, Pass, RequestView, Running, Told};
use model::access::Role;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;

/// Streams changes as they happen: `server` with name and status, `list` with the list that changed,
/// `hooks` and `workflows` when these were edited, `run` when a run has ended, `session` when a session moved,
/// with `requests=true` also `request` when a request of a client of this instance has ended, with `running=true` also
/// `running` when a run that is under way on this instance has come to another node, `lost` when this reader
/// missed something and should read everything again. Every event but `request` and `running` names the `instance`
/// where it happened, and has an id: a reader that comes back with it in `Last-Event-ID` hears what it missed.
#[utoipa::path(get, path = "/api/events", tag = "operations", operation_id = "events",
    params(
        ("requests" = Option<bool>, Query, description = "`true`: requests of clients too."),
        ("running" = Option<bool>, Query, description = "`true`: runs while they are under way too."),
    ),
    responses((status = 200, body = String, content_type = "text/event-stream")))]
pub(crate) async fn events(
    State(app): State<App>,
    pass: Option<Extension<Arc<Pass>>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let last = headers.get(LAST_EVENT).and_then(|id| id.to_str().ok());
    let feeding = app.gateway().feed(last);
    // Nobody pays for news that nobody asked for.
    let wants = |wish: &str| uri.query().is_some_and(|query| query.split('&').any(|pair| pair == wish));
    let requests = wants("requests=true").then(|| app.gateway().requests_finished());
    let running = wants("running=true").then(|| app.gateway().running());
    let stopping = app.stopping();
    let reader = Reader { feeding, requests, running, stopping, pass: pass.map(|Extension(pass)| pass), app };
    let all = stream::unfold((Some(HELLO), reader), |(hello, mut reader)| async move {
        let bytes = match hello {
            Some(hello) => Bytes::from_static(hello),
            None => reader.next().await?,
        };
        Some((Ok::<_, Infallible>(bytes), (None, reader)))
    });
    raw(all)
}

/// Headers go out with the first bytes.
const HELLO: &[u8] = b": ready\n\n";

/// One who reads events, with what was asked for.
struct Reader {
    feeding: Feeding,
    requests: Option<Receiver<Finished>>,
    running: Option<Running>,
    stopping: watch::Receiver<bool>,
    pass: Option<Arc<Pass>>,
    app: App,
}

impl Reader {
    /// The next event, ready to be sent; nothing when the gateway stops, or for a key that is no longer good.
    async fn next(&mut self) -> Option<Bytes> {
        let bytes = tokio::select! {
            next = self.feeding.next() => {
                let next = next?;
                // Of very many readers all but the first share its bytes.
                next.written(|next| event_with(&next.id, &next.name, next.data.as_bytes()))
            }
            next = finished(&mut self.requests) => match next {
                Ok(view) => view.written(|view| event("request", json!(**view).to_string().as_bytes())),
                Err(RecvError::Lagged(count)) => event("lost", json!({"events": count}).to_string().as_bytes()),
                Err(RecvError::Closed) => return None,
            },
            progress = moved(&mut self.running) => event("running", progress.to_string().as_bytes()),
            _ = self.stopping.wait_for(|stopping| *stopping) => return None,
            sign = alive() => sign,
        };
        let access = self.app.gateway().access();
        self.pass.as_ref().is_none_or(|pass| access.still_may(pass, Role::Viewer)).then_some(bytes)
    }
}

type Finished = Arc<Told<Arc<RequestView>>>;

/// The next request that ends, where these are wanted.
async fn finished(requests: &mut Option<Receiver<Finished>>) -> Result<Finished, RecvError> {
    match requests {
        Some(requests) => requests.recv().await,
        None => std::future::pending().await,
    }
}

/// The next run that comes to another node, where these are wanted.
async fn moved(running: &mut Option<Running>) -> Value {
    match running {
        Some(running) => running.next().await,
        None => std::future::pending().await,
    }
}
