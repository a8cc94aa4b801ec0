//! `GET /api/requests`: the last requests of clients, searched.

use crate::answer::{Refusal, json};
use crate::app::App;
use crate::call::ErrorReply;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use gateway::{RequestPage, RequestQuery};
use model::{Code, Fault};

/// Lists the last requests of clients that fit, the newest first: who asked for what, when, and what came of it,
/// never what was sent or answered. How many there are is for `requests.keep` to say.
#[utoipa::path(get, path = "/api/requests", tag = "operations", operation_id = "listRequests",
    params(RequestQuery),
    responses(
        (status = 200, body = RequestPage),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
    ))]
pub(crate) async fn list(
    State(app): State<App>,
    query: Result<Query<RequestQuery>, QueryRejection>,
) -> Result<Response, Refusal> {
    let Query(query) = query.map_err(|_| {
        let message = "limit, before and slower must be integers that are not negative";
        Fault::new(Code::ValidationError, message).with("field", "limit")
    })?;
    Ok(json(StatusCode::OK, &app.gateway().requests(&query)?))
}
