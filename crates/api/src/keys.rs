//! The admin routes of keys.

use crate::answer::{Refusal, json};
use crate::app::App;
use crate::body;
use crate::call::ErrorReply;
use crate::hooks::{finish, read};
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gateway::{KeyView, NewKey};
use model::Fault;
use model::access::{Grant, check_key_name};
use serde_json::Value;

/// The largest body.
const BODY_MAX: u64 = 256 * 1024;

/// A key to be made.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "the config reader checks the body; this describes it")]
pub(crate) struct KeyDraft {
    /// Its name, which is the client id of whoever uses it.
    #[schema(max_length = 50, pattern = "^[a-zA-Z0-9-_]+$")]
    name: String,
    /// What it permits.
    #[schema(inline)]
    #[serde(flatten)]
    grant: Grant,
}

/// Lists the keys in force, without the keys themselves.
#[utoipa::path(get, path = "/api/keys", tag = "access", operation_id = "listKeys",
    responses((status = 200, body = Vec<KeyView>)))]
pub(crate) async fn list(State(app): State<App>) -> Response {
    json(StatusCode::OK, &app.gateway().keys())
}

/// Makes a key. This answer is the only one that shows it. With the first key every route needs one.
#[utoipa::path(post, path = "/api/keys", tag = "access", operation_id = "createKey",
    request_body = KeyDraft,
    responses(
        (status = 201, body = NewKey),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
        (status = 409, body = ErrorReply, description = "`CONFLICT`: the name is taken, or it is the first key and no operator"),
    ))]
pub(crate) async fn create(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    let body = body::object(read(request, BODY_MAX).await?)?;
    let grant = config::grant(&body).map_err(Fault::from)?;
    let name = body.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    check_key_name(&name).map_err(Fault::from)?;
    let made = finish(&app, |gateway| async move { gateway.create_key(&name, grant).await }).await?;
    let mut response = json(StatusCode::CREATED, &made);
    crate::answer::never_keep(&mut response);
    Ok(response)
}

/// Revokes a key that the gateway made, at once.
#[utoipa::path(delete, path = "/api/keys/{name}", tag = "access", operation_id = "revokeKey",
    params(("name" = String, Path)),
    responses(
        (status = 204),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
        (status = 409, body = ErrorReply, description = "`CONFLICT`: it stands in the config file"),
    ))]
pub(crate) async fn revoke(State(app): State<App>, Path(name): Path<String>) -> Result<Response, Refusal> {
    finish(&app, |gateway| async move { gateway.revoke_key(&name).await }).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
