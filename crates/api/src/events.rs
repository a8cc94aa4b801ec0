//! `GET /api/events`: what happens, as it happens.

use crate::app::App;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use futures_util::stream;
use gateway::News;
use serde_json::json;
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;

/// How often a quiet stream shows that it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Streams changes as they happen: `server` with name and status, `list` with the list that changed,
/// `lost` when this reader was too slow and should read everything again.
#[utoipa::path(get, path = "/api/events", tag = "operations", operation_id = "events",
    responses((status = 200, body = String, content_type = "text/event-stream")))]
pub(crate) async fn events(State(app): State<App>) -> Response {
    let state = (Some(Bytes::from_static(b": ready\n\n")), app.gateway().news(), app.stopping());
    let all = stream::unfold(state, |(hello, mut news, mut stopping)| async move {
        if let Some(hello) = hello {
            return Some((Ok::<_, Infallible>(hello), (None, news, stopping)));
        }
        loop {
            let bytes = tokio::select! {
                next = news.recv() => match next {
                    Ok(News::Status(name, status)) => event("server", &json!({"name": &*name, "status": status})),
                    Ok(News::Changed(kind)) => event("list", &json!({"list": kind.member()})),
                    Ok(News::Said { .. }) => continue,
                    Err(RecvError::Lagged(count)) => event("lost", &json!({"events": count})),
                    Err(RecvError::Closed) => return None,
                },
                _ = stopping.wait_for(|stopping| *stopping) => return None,
                () = tokio::time::sleep(KEEP_ALIVE) => Bytes::from_static(b": alive\n\n"),
            };
            return Some((Ok(bytes), (None, news, stopping)));
        }
    });
    let mut response = Response::new(Body::from_stream(all));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn event(name: &str, data: &serde_json::Value) -> Bytes {
    format!("event: {name}\ndata: {data}\n\n").into()
}
