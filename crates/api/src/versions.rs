//! The admin routes of the versions of workflows (spec 5.2).

use crate::answer::{Refusal, json, json_bytes};
use crate::app::App;
use crate::call::ErrorReply;
use crate::hooks::finish;
use crate::workflows::{revision, shown};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use gateway::{VersionDiff, VersionQuery, VersionView, WorkflowView};
use model::{Code, Fault, WorkflowDraft};

/// Lists the versions of a workflow, the newest first.
#[utoipa::path(get, path = "/api/workflows/{id}/versions", tag = "workflows", operation_id = "listVersions",
    params(("id" = String, Path), VersionQuery),
    responses(
        (status = 200, body = Vec<VersionView>),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn list(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<VersionQuery>,
) -> Result<Response, Refusal> {
    Ok(json(StatusCode::OK, &app.gateway().versions(&id, query).await?))
}

/// Serves the definition of a version, as an export has it.
#[utoipa::path(get, path = "/api/workflows/{id}/versions/{version}", tag = "workflows", operation_id = "getVersion",
    params(("id" = String, Path), ("version" = u64, Path)),
    responses(
        (status = 200, body = WorkflowDraft),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`: no such workflow or version"),
    ))]
pub(crate) async fn show(
    State(app): State<App>,
    Path((id, version)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    Ok(json_bytes(StatusCode::OK, app.gateway().version(&id, number(&version)?).await?))
}

/// Compares two versions: what is new, gone and another in the second.
#[utoipa::path(get, path = "/api/workflows/{id}/versions/{version}/diff/{other}", tag = "workflows",
    operation_id = "compareVersions",
    params(("id" = String, Path), ("version" = u64, Path), ("other" = u64, Path)),
    responses(
        (status = 200, body = VersionDiff),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`: no such workflow or version"),
    ))]
pub(crate) async fn compare(
    State(app): State<App>,
    Path((id, version, other)): Path<(String, String, String)>,
) -> Result<Response, Refusal> {
    let (version, other) = (number(&version)?, number(&other)?);
    Ok(json(StatusCode::OK, &app.gateway().compare_versions(&id, version, other).await?))
}

/// Makes the definition of a version current again, as a new version.
#[utoipa::path(post, path = "/api/workflows/{id}/versions/{version}/restore", tag = "workflows",
    operation_id = "restoreVersion",
    params(
        ("id" = String, Path),
        ("version" = u64, Path),
        ("If-Match" = Option<String>, Header, description = "Change it only if it is at this revision"),
    ),
    responses(
        (status = 200, body = WorkflowView),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`: it could not be stored any more"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`: no such workflow or version"),
        (status = 409, body = ErrorReply,
            description = "`CONFLICT`: it is the current one, it could not be active any more, or the workflow is at \
                           another revision"),
    ))]
pub(crate) async fn restore(
    State(app): State<App>,
    Path((id, version)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (at, version) = (revision(&headers)?, number(&version)?);
    let work = finish(&app, |gateway| async move { gateway.restore_version(&id, version, at).await });
    Ok(shown(StatusCode::OK, &work.await?))
}

/// Deletes a version that is not the current one and that no open session uses.
#[utoipa::path(delete, path = "/api/workflows/{id}/versions/{version}", tag = "workflows",
    operation_id = "deleteVersion",
    params(("id" = String, Path), ("version" = u64, Path)),
    responses(
        (status = 204),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`: no such workflow or version"),
        (status = 409, body = ErrorReply,
            description = "`CONFLICT`: it is the current one, or open sessions use it; `sessions` says how many"),
    ))]
pub(crate) async fn remove(
    State(app): State<App>,
    Path((id, version)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let version = number(&version)?;
    finish(&app, |gateway| async move { gateway.remove_version(&id, version).await }).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// The number of a version.
fn number(text: &str) -> Result<u64, Fault> {
    text.parse().map_err(|_| {
        Fault::new(Code::NotFound, format!("There is no version '{text}'; versions are numbers"))
    })
}
