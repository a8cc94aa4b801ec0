//! `/.well-known/oauth-protected-resource`: who gives tokens for this gateway (RFC 9728).

use crate::answer::{Refusal, json};
use crate::app::App;
use crate::call::ErrorReply;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use model::{Code, Fault};

/// Tells who gives tokens for the MCP endpoint, and which scopes there are.
#[utoipa::path(get, path = "/.well-known/oauth-protected-resource/mcp", tag = "access",
    operation_id = "resourceMetadata",
    responses(
        (status = 200, body = serde_json::Value, description = "RFC 9728"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`: no tokens are taken here"),
    ))]
pub(crate) async fn of_endpoint(State(app): State<App>) -> Result<Response, Refusal> {
    let document = app.gateway().access().resource().ok_or_else(|| {
        Fault::new(
            Code::NotFound,
            "This gateway takes no tokens; set oauth in its config file to change that",
        )
    })?;
    Ok(json(StatusCode::OK, &document))
}

/// The same for clients that look at the root.
#[utoipa::path(get, path = "/.well-known/oauth-protected-resource", tag = "access",
    operation_id = "resourceMetadataAtRoot",
    responses(
        (status = 200, body = serde_json::Value, description = "RFC 9728"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`: no tokens are taken here"),
    ))]
pub(crate) async fn of_origin(state: State<App>) -> Result<Response, Refusal> {
    of_endpoint(state).await
}
