//! `GET /api/stats`: counts and times of servers, tools and hooks.

use crate::answer::json;
use crate::app::App;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use gateway::Figures;

/// Shows counts and times of servers, tools and hooks since the start.
#[utoipa::path(get, path = "/api/stats", tag = "operations", operation_id = "stats",
    responses((status = 200, body = Figures)))]
pub(crate) async fn stats(State(app): State<App>) -> Response {
    json(StatusCode::OK, &app.gateway().figures())
}
