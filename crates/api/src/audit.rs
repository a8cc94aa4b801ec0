//! The admin routes of the audit log.

use crate::answer::{Refusal, json};
use crate::app::App;
use crate::call::ErrorReply;
use axum::body::{Body, Bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use gateway::{AuditQuery, AuditView};
use model::{Code, Fault};
use serde::Deserialize;

/// Lists entries of the audit log, the newest first. For the next page give the last number as `before`.
#[utoipa::path(get, path = "/api/audit", tag = "access", operation_id = "listAudit",
    params(
        ("kind" = Option<String>, Query, description = "`call`, `change`, `refusal`, `lost` or `trim`"),
        ("who" = Option<String>, Query, description = "Those of this client"),
        ("subject" = Option<String>, Query, description = "Those done to this: `server/tool`, or a path"),
        ("before" = Option<u64>, Query, description = "Those before this number"),
        ("limit" = Option<usize>, Query, description = "1 to 1000, 100 by default"),
    ),
    responses(
        (status = 200, body = Vec<AuditView>),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
    ))]
pub(crate) async fn list(
    State(app): State<App>,
    query: Result<Query<AuditQuery>, QueryRejection>,
) -> Result<Response, Refusal> {
    let Query(query) = query.map_err(|error| Fault::new(Code::ValidationError, error.body_text()))?;
    Ok(json(StatusCode::OK, &app.gateway().audit_list(&query).await?))
}

/// Where an export begins.
#[derive(Deserialize)]
pub(crate) struct From {
    after: Option<u64>,
}

/// Streams the audit log, the oldest entry first, one JSON object a line.
#[utoipa::path(get, path = "/api/audit/export", tag = "access", operation_id = "exportAudit",
    params(("after" = Option<u64>, Query, description = "Those after this number")),
    responses(
        (status = 200, body = String, content_type = "application/x-ndjson"),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
    ))]
pub(crate) async fn export(
    State(app): State<App>,
    from: Result<Query<From>, QueryRejection>,
) -> Result<Response, Refusal> {
    let wrong =
        |_| Fault::new(Code::ValidationError, "after must be the number of an entry").with("field", "after");
    let Query(From { after }) = from.map_err(wrong)?;
    // The first are read before the status goes out: a store that does not answer is told like anywhere else.
    let first = app.gateway().audit_after(after.unwrap_or(0)).await?;
    let lines = stream::try_unfold((app, Ok(first)), |(app, next)| async move {
        let entries = match next {
            Ok(first) => first,
            Err(after) => app.gateway().audit_after(after).await?,
        };
        let Some(last) = entries.last().map(|entry| entry.number) else { return Ok::<_, Fault>(None) };
        let mut text = Vec::new();
        for entry in &entries {
            serde_json::to_writer(&mut text, entry)
                .map_err(|error| Fault::new(Code::InternalError, error.to_string()))?;
            text.push(b'\n');
        }
        Ok(Some((Bytes::from(text), (app, Err(last)))))
    });
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines)).into_response())
}
