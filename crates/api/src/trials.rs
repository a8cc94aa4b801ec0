//! Trying scripts, and the captured requests they can be tried on (spec 2.8).

use crate::answer::{Refusal, json};
use crate::app::App;
use crate::body;
use crate::call::ErrorReply;
use crate::hooks::BODY_MAX;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use gateway::{Capture, Draft, Trial};
use model::{Code, Fault, FieldError};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// What a kept hook made of a sample.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct HookTrial {
    /// The context as the hook left it; the same as `after`.
    #[schema(value_type = Value)]
    context: Box<RawValue>,
    #[serde(flatten)]
    trial: Trial,
}

/// Tries a draft on a sample context or on a captured request; no server is called.
#[utoipa::path(post, path = "/api/hooks/test", tag = "hooks", operation_id = "testDraft",
    request_body = Draft,
    responses(
        (status = 200, body = Trial, description = "Also when the script fails: then with `error`"),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`: no such capture"),
        (status = 409, body = ErrorReply, description = "`CONFLICT`: the capture does not hold what the phase needs"),
    ))]
pub(crate) async fn draft(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    let draft = read(request).await?;
    Ok(json(StatusCode::OK, &app.gateway().try_draft(draft).await?))
}

/// Tries a kept hook on a sample context or on a captured request; no server is called.
#[utoipa::path(post, path = "/api/hooks/{id}/test", tag = "hooks", operation_id = "testHook",
    params(("id" = String, Path)),
    request_body = Draft,
    responses(
        (status = 200, body = HookTrial, description = "Also when the script fails: then with `error`"),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`: no such hook or capture"),
        (status = 409, body = ErrorReply, description = "`CONFLICT`: the capture does not hold what the phase needs"),
    ))]
pub(crate) async fn hook(
    State(app): State<App>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Refusal> {
    let draft = read(request).await?;
    let trial = app.gateway().try_hook(&id, &draft).await?;
    Ok(json(StatusCode::OK, &HookTrial { context: trial.after.clone(), trial }))
}

/// Lists the requests that passed lately, the newest first; values of secret-looking keys are masked.
#[utoipa::path(get, path = "/api/captures", tag = "hooks", operation_id = "listCaptures",
    responses((status = 200, body = Vec<Capture>)))]
pub(crate) async fn captures(State(app): State<App>) -> Response {
    json(StatusCode::OK, &app.gateway().captures())
}

async fn read(request: Request) -> Result<Draft, Fault> {
    let (head, body) = request.into_parts();
    parse(&body::read(&head.headers, body, BODY_MAX).await?)
}

/// The sample is not read here: what a script is to see is what was written.
fn parse(body: &[u8]) -> Result<Draft, Fault> {
    let refuse = |text: String| Fault::new(Code::ValidationError, text).with("field", "body");
    let broken = |error: serde_json::Error| refuse(error.to_string());
    if !body.trim_ascii_start().starts_with(b"{") {
        serde_json::from_slice::<Value>(body).map_err(broken)?;
        return Err(refuse("request body must be a JSON object".into()));
    }
    let members: HashMap<String, &RawValue> = serde_json::from_slice(body).map_err(broken)?;
    let is_text = |value: &RawValue| value.get() == "null" || value.get().starts_with('"');
    let wrong = |name: &&str| members.get(*name).is_some_and(|value| !is_text(value));
    if let Some(name) = ["script", "phase", "captureId"].into_iter().find(wrong) {
        return Err(FieldError::new(name, "must be a string").into());
    }
    serde_json::from_slice(body).map_err(broken)
}
