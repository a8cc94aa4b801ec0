//! Trying scripts, and the captured requests they can be tried on (spec 2.8).

use crate::answer::{Refusal, json};
use crate::app::App;
use crate::call::ErrorReply;
use crate::hooks::{BODY_MAX, read};
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use gateway::{Capture, Draft, Trial};
use model::{Code, Fault, FieldError};
use serde::Serialize;
use serde_json::Value;

/// What a kept hook made of a sample.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct HookTrial {
    /// The context as the hook left it; the same as `after`.
    context: Value,
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
    ))]
pub(crate) async fn draft(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    let draft = parse(read(request, BODY_MAX).await?)?;
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
    ))]
pub(crate) async fn hook(
    State(app): State<App>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Refusal> {
    let draft = parse(read(request, BODY_MAX).await?)?;
    let trial = app.gateway().try_hook(&id, &draft).await?;
    Ok(json(StatusCode::OK, &HookTrial { context: trial.after.clone(), trial }))
}

/// Lists the requests that passed lately, the newest first; values of secret-looking keys are masked.
#[utoipa::path(get, path = "/api/captures", tag = "hooks", operation_id = "listCaptures",
    responses((status = 200, body = Vec<Capture>)))]
pub(crate) async fn captures(State(app): State<App>) -> Response {
    json(StatusCode::OK, &app.gateway().captures())
}

fn parse(body: Value) -> Result<Draft, Fault> {
    let refuse = |text: String| Fault::new(Code::ValidationError, text).with("field", "body");
    if !body.is_object() {
        return Err(refuse("request body must be a JSON object".into()));
    }
    let wrong = |name: &&str| !matches!(body.get(*name), None | Some(Value::Null | Value::String(_)));
    if let Some(name) = ["script", "phase", "captureId"].into_iter().find(wrong) {
        return Err(FieldError::new(name, "must be a string").into());
    }
    serde_json::from_value(body).map_err(|error| refuse(error.to_string()))
}
