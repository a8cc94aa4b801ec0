//! The admin routes of sessions (spec 4.5, 4.8, 5.2).

use crate::access::Who;
use crate::answer::{Refusal, json, json_bytes};
use crate::app::App;
use crate::body;
use crate::call::{ErrorReply, carrier, tell_hooks};
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gateway::{ApprovalBody, Driven, EventBody, SessionQuery};
use hyper::body::Body as _;
use model::session::{SessionStats, StepDetail, WorkflowSession};
use model::{Code, Fault};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The reply of a tool.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "the engine makes it; this describes it")]
pub(crate) struct ToolReply {
    /// Its content: one text part.
    #[schema(value_type = Vec<Object>)]
    content: serde_json::Value,
    /// What it says, as data.
    #[schema(value_type = Option<Object>)]
    structured_content: serde_json::Value,
    /// Whether it is an error.
    is_error: Option<bool>,
}

/// How many sessions took an event.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub(crate) struct Delivered {
    delivered: usize,
}

/// Lists sessions, the newest first; `X-Total-Count` says how many there are.
#[utoipa::path(get, path = "/api/sessions", tag = "sessions", operation_id = "listSessions",
    params(
        ("workflowName" = Option<String>, Query, description = "Those of this workflow"),
        ("status" = Option<String>, Query, description = "Those in this status"),
        ("clientId" = Option<String>, Query, description = "Those that this client started"),
        ("parent" = Option<String>, Query, description = "Those that run as steps of this session"),
        ("waiting" = Option<String>, Query,
            description = "Those that wait for `approval`, `event`, `session` or `uncertain`; `step`: those at work"),
        ("brief" = Option<bool>, Query, description = "`true`: without what they remember"),
        ("limit" = Option<usize>, Query, description = "1 to 1000, 50 by default"),
        ("offset" = Option<usize>, Query, description = "Without so many of the newest"),
    ),
    responses(
        (status = 200, body = Vec<WorkflowSession>),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
    ))]
pub(crate) async fn list(
    State(app): State<App>,
    Query(query): Query<SessionQuery>,
) -> Result<Response, Refusal> {
    let (sessions, count) = app.gateway().list_sessions(&query).await?;
    let mut response = json_bytes(StatusCode::OK, app.gateway().shown(json!(sessions).to_string()).await);
    response.headers_mut().insert("x-total-count", HeaderValue::from(count));
    Ok(response)
}

/// Counts sessions by status and by workflow.
#[utoipa::path(get, path = "/api/sessions/stats", tag = "sessions", operation_id = "sessionStats",
    responses((status = 200, body = SessionStats)))]
pub(crate) async fn stats(State(app): State<App>) -> Result<Response, Refusal> {
    Ok(json(StatusCode::OK, &app.gateway().session_stats().await?))
}

/// Shows one session.
#[utoipa::path(get, path = "/api/sessions/{id}", tag = "sessions", operation_id = "getSession",
    params(("id" = String, Path)),
    responses(
        (status = 200, body = WorkflowSession),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn show(State(app): State<App>, Path(id): Path<String>) -> Result<Response, Refusal> {
    let session = app.gateway().show_session(&id).await?;
    Ok(json_bytes(StatusCode::OK, app.gateway().shown(json!(session).to_string()).await))
}

/// Shows what one step of a session was given and what it gave, as far as it is recorded; secrets are masked.
#[utoipa::path(get, path = "/api/sessions/{id}/steps/{index}", tag = "sessions", operation_id = "getSessionStep",
    params(("id" = String, Path), ("index" = usize, Path, description = "Which step; the first is 0")),
    responses(
        (status = 200, body = StepDetail),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`: no such session, or no such step"),
    ))]
pub(crate) async fn step(
    State(app): State<App>,
    Path((id, index)): Path<(String, usize)>,
) -> Result<Response, Refusal> {
    Ok(json_bytes(StatusCode::OK, app.gateway().show_step(&id, index).await?))
}

/// Runs the next step of a session; the body has the arguments of the tool without `sessionId`.
#[utoipa::path(post, path = "/api/sessions/{id}/continue", tag = "sessions", operation_id = "continueSession",
    params(("id" = String, Path)),
    request_body = Object,
    responses(
        (status = 200, body = ToolReply, description = "The reply of the tool, also when it is an error"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn proceed(
    State(app): State<App>,
    Path(id): Path<String>,
    who: Who,
    request: Request,
) -> Result<Response, Refusal> {
    let headers = request.headers().clone();
    let body = maybe(&app, request).await?;
    let continued = app.gateway().continue_session(who.caller(), &id, &body, carrier(&headers)).await;
    Ok(driven(&app, continued))
}

/// Holds a session until it is continued; with `expectedStep` only if it stands at that step.
#[utoipa::path(post, path = "/api/sessions/{id}/pause", tag = "sessions", operation_id = "pauseSession",
    params(("id" = String, Path)),
    request_body = Option<Object>,
    responses(
        (status = 200, body = ToolReply, description = "The reply of the tool, also when it is an error"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn pause(
    State(app): State<App>,
    Path(id): Path<String>,
    who: Who,
    request: Request,
) -> Result<Response, Refusal> {
    let headers = request.headers().clone();
    let body = maybe(&app, request).await?;
    Ok(driven(&app, app.gateway().pause_session(who.caller(), &id, &body, carrier(&headers)).await))
}

/// Ends a session; with `compensate` its steps are undone.
#[utoipa::path(post, path = "/api/sessions/{id}/cancel", tag = "sessions", operation_id = "cancelSession",
    params(("id" = String, Path)),
    request_body = Object,
    responses(
        (status = 200, body = ToolReply, description = "The reply of the tool, also when it is an error"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn cancel(
    State(app): State<App>,
    Path(id): Path<String>,
    who: Who,
    request: Request,
) -> Result<Response, Refusal> {
    let headers = request.headers().clone();
    let body = maybe(&app, request).await?;
    Ok(driven(&app, app.gateway().cancel_session(who.caller(), &id, &body, carrier(&headers)).await))
}

/// Allows or refuses the step that a session waits to be allowed.
#[utoipa::path(post, path = "/api/sessions/{id}/approve", tag = "sessions", operation_id = "approveSession",
    params(("id" = String, Path)),
    request_body = ApprovalBody,
    responses(
        (status = 200, body = ToolReply, description = "The reply of the step, also when it is an error"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
        (status = 409, body = ErrorReply, description = "`CONFLICT`: it is paused"),
    ))]
pub(crate) async fn approve(
    State(app): State<App>,
    Path(id): Path<String>,
    who: Who,
    request: Request,
) -> Result<Response, Refusal> {
    let headers = request.headers().clone();
    let body: ApprovalBody = typed(&app, request).await?;
    Ok(driven(&app, app.gateway().decide_session(who.caller(), &id, body, carrier(&headers)).await))
}

/// Brings an event to the sessions that wait for it.
#[utoipa::path(post, path = "/api/sessions/events", tag = "sessions", operation_id = "raiseEvent",
    request_body = EventBody,
    responses(
        (status = 200, body = Delivered),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
    ))]
pub(crate) async fn raise(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    let body: EventBody = typed(&app, request).await?;
    let delivered = app.gateway().raise_event(body).await?;
    Ok(json(StatusCode::OK, &json!(Delivered { delivered })))
}

/// The answer to a call of a session's tool, with the hooks that ran where that is wanted.
pub(crate) fn driven(app: &App, driven: Driven) -> Response {
    let mut response = match driven.outcome {
        Ok(reply) => json(StatusCode::OK, &reply),
        Err(fault) => Refusal::from(fault).into_response(),
    };
    tell_hooks(&app.gateway().settings(), &driven.hooks, &mut response);
    response
}

/// The text of a body that may be left out.
pub(crate) async fn maybe(app: &App, request: Request) -> Result<String, Fault> {
    let (head, body) = request.into_parts();
    if body.is_end_stream() && !head.headers.contains_key(header::CONTENT_TYPE) {
        return Ok(String::new());
    }
    body::text(body::read(&head.headers, body, app.gateway().settings().limits.body).await?)
}

async fn typed<T: DeserializeOwned>(app: &App, request: Request) -> Result<T, Fault> {
    let (head, body) = request.into_parts();
    let bytes = body::read(&head.headers, body, app.gateway().settings().limits.body).await?;
    read(&bytes)
}

/// What a body says, which is an object.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fault> {
    let wrong = |message: String| Fault::new(Code::ValidationError, message).with("field", "body");
    let value: Value = serde_json::from_slice(bytes).map_err(|error| wrong(format!("body: {error}")))?;
    body::unambiguous(&String::from_utf8_lossy(bytes))?;
    serde_json::from_value(body::object(value)?).map_err(|error| wrong(format!("body: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_is_no_object_is_refused() {
        for list in ["[]", r#"["paid"]"#, r#""paid""#, "null"] {
            let fault = read::<EventBody>(list.as_bytes()).expect_err(list);
            assert_eq!(fault.message, "body must be a JSON object", "{list}");
        }
        assert_eq!(read::<EventBody>(br#"{"event":"paid"}"#).expect("an event").event, "paid");
        let fault = read::<EventBody>(b"{}").expect_err("no name");
        assert_eq!(fault.message, "body: missing field `event`");
    }
}
