//! The OpenAPI document of this API.

use crate::answer::json_bytes;
use axum::http::StatusCode;
use axum::response::Response;

/// The document as the test of it keeps it.
const TEXT: &str = include_str!("../tests/golden/openapi.json");

/// Serves the description of this API.
#[utoipa::path(get, path = "/api/openapi.json", tag = "operations", operation_id = "openapi",
    responses((status = 200, content_type = "application/json")))]
pub(crate) async fn openapi() -> Response {
    json_bytes(StatusCode::OK, TEXT)
}
