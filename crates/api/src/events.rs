//! `GET /api/events`: what happens, as it happens.

use crate::app::App;
use crate::endpoint;
use crate::endpoint::events::{alive, raw};
use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use futures_util::stream;
use gateway::News;
use serde_json::json;
use std::convert::Infallible;
use tokio::sync::broadcast::error::RecvError;

/// Streams changes as they happen: `server` with name and status, `list` with the list that changed,
/// `hooks` and `workflows` when these were edited, `run` when a run has ended, `session` when a session moved,
/// `lost` when this reader was too slow and should read everything again.
#[utoipa::path(get, path = "/api/events", tag = "operations", operation_id = "events",
    responses((status = 200, body = String, content_type = "text/event-stream")))]
pub(crate) async fn events(State(app): State<App>) -> Response {
    let heard = (app.gateway().news(), app.gateway().runs_ended(), app.gateway().sessions_moved());
    let state = (Some(Bytes::from_static(b": ready\n\n")), heard, app.stopping());
    let all = stream::unfold(state, |(hello, mut heard, mut stopping)| async move {
        if let Some(hello) = hello {
            return Some((Ok::<_, Infallible>(hello), (None, heard, stopping)));
        }
        let (news, runs, sessions) = &mut heard;
        loop {
            let bytes = tokio::select! {
                next = news.recv() => match next.map(|(_, news)| news) {
                    Ok(News::Status(name, status)) => event("server", &json!({"name": &*name, "status": status})),
                    Ok(News::Changed(kind)) => event("list", &json!({"list": kind.member()})),
                    Ok(News::Hooks) => event("hooks", &json!({})),
                    Ok(News::Workflows) => event("workflows", &json!({})),
                    Ok(News::Said { .. }) => continue,
                    Err(RecvError::Lagged(count)) => event("lost", &json!({"events": count})),
                    Err(RecvError::Closed) => return None,
                },
                next = runs.recv() => match next {
                    Ok(ended) => event("run", &json!({"id": ended.id, "workflowId": ended.graph.workflow()})),
                    Err(RecvError::Lagged(count)) => event("lost", &json!({"events": count})),
                    Err(RecvError::Closed) => return None,
                },
                next = sessions.recv() => match next {
                    Ok(moved) => event("session", &json!(moved)),
                    Err(RecvError::Lagged(count)) => event("lost", &json!({"events": count})),
                    Err(RecvError::Closed) => return None,
                },
                _ = stopping.wait_for(|stopping| *stopping) => return None,
                sign = alive() => sign,
            };
            return Some((Ok(bytes), (None, heard, stopping)));
        }
    });
    raw(all)
}

fn event(name: &str, data: &serde_json::Value) -> Bytes {
    endpoint::events::event(name, data.to_string().as_bytes())
}
