//! Responses: JSON, and the error envelope of spec 1.6.

use crate::record::{Made, RefusedWith};
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::{Code, Fault};
use serde::Serialize;
use std::sync::LazyLock;

/// The headers of every JSON response, made once: a copy costs less than putting one into a new map.
static JSON: LazyLock<HeaderMap> = LazyLock::new(|| {
    let json = HeaderValue::from_static("application/json");
    HeaderMap::from_iter([(header::CONTENT_TYPE, json)])
});

/// A JSON response from bytes that are JSON already.
pub(crate) fn json_bytes(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().clone_from(&JSON);
    response
}

/// A resource.
pub(crate) fn json<T: Serialize>(status: StatusCode, value: &T) -> Response {
    match serde_json::to_vec(value) {
        Ok(body) => {
            let made = (status == StatusCode::CREATED).then(|| Made::in_answer(&body));
            let mut response = json_bytes(status, body);
            made.and_then(|made| response.extensions_mut().insert(made));
            response
        }
        Err(error) => {
            tracing::error!(reason = %error, "a reply could not be written");
            Refusal::from(Fault::new(Code::InternalError, "Internal error")).into_response()
        }
    }
}

/// Says in a header when it is worth trying again, where the fault knows.
pub(crate) fn retry_after(fault: &Fault, response: &mut Response) {
    if let Some(seconds) = fault.details.get("retryAfter").and_then(serde_json::Value::as_u64) {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
}

/// Tells everybody on the way to keep no copy of a response.
pub(crate) fn never_keep(response: &mut Response) {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
}

/// A fault on its way out, with the HTTP status of its code unless told otherwise.
pub(crate) struct Refusal {
    fault: Fault,
    status: u16,
}

impl Refusal {
    /// With `http.timeoutStatus` in place of the status of a timeout.
    pub(crate) fn of_call(fault: Fault, timeout_status: u16) -> Self {
        let status = if fault.code == Code::TimeoutError { timeout_status } else { fault.code.http() };
        Self { fault, status }
    }
}

impl Refusal {
    /// With another status than that of its code.
    pub(crate) fn with_status(fault: Fault, status: StatusCode) -> Self {
        Self { fault, status: status.as_u16() }
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self { status: fault.code.http(), fault }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = json_bytes(status, self.fault.envelope().to_string());
        retry_after(&self.fault, &mut response);
        response.extensions_mut().insert(RefusedWith(self.fault.code));
        response
    }
}
