//! The admin routes of activities (spec 4.9).

use crate::answer::{Refusal, json};
use crate::app::App;
use crate::call::ErrorReply;
use crate::hooks::finish;
use crate::workflows::{read, revision};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gateway::ActivityView;
use model::session::Activity;

/// Lists the activities by name.
#[utoipa::path(get, path = "/api/activities", tag = "activities", operation_id = "listActivities",
    responses((status = 200, body = Vec<ActivityView>)))]
pub(crate) async fn list(State(app): State<App>) -> Response {
    json(StatusCode::OK, &app.gateway().activities())
}

/// Creates an activity.
#[utoipa::path(post, path = "/api/activities", tag = "activities", operation_id = "createActivity",
    request_body = Activity,
    responses(
        (status = 201, body = ActivityView),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`: nothing was stored"),
        (status = 409, body = ErrorReply, description = "`CONFLICT`: the name is taken"),
    ))]
pub(crate) async fn create(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    let body = read(request).await?;
    let view = finish(&app, |gateway| async move { gateway.create_activity(&body).await }).await?;
    Ok(shown(StatusCode::CREATED, &view))
}

/// Shows one activity.
#[utoipa::path(get, path = "/api/activities/{name}", tag = "activities", operation_id = "getActivity",
    params(("name" = String, Path)),
    responses(
        (status = 200, body = ActivityView),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn show(State(app): State<App>, Path(name): Path<String>) -> Result<Response, Refusal> {
    Ok(shown(StatusCode::OK, &app.gateway().activity(&name)?))
}

/// Changes the fields that the body names; null takes one away.
#[utoipa::path(patch, path = "/api/activities/{name}", tag = "activities", operation_id = "changeActivity",
    params(
        ("name" = String, Path),
        ("If-Match" = Option<String>, Header, description = "Change it only if it is at this revision"),
    ),
    request_body = Object,
    responses(
        (status = 200, body = ActivityView),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
        (status = 409, body = ErrorReply,
            description = "`CONFLICT`: it stands in the config file, or is at another revision"),
    ))]
pub(crate) async fn change(
    State(app): State<App>,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, Refusal> {
    let at = revision(request.headers())?;
    let body = read(request).await?;
    let work = finish(&app, |gateway| async move { gateway.change_activity(&name, &body, at).await });
    Ok(shown(StatusCode::OK, &work.await?))
}

/// Deletes an activity that no workflow uses.
#[utoipa::path(delete, path = "/api/activities/{name}", tag = "activities", operation_id = "deleteActivity",
    params(("name" = String, Path)),
    responses(
        (status = 204),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
        (status = 409, body = ErrorReply, description = "`CONFLICT`: it stands in the config file, or is in use"),
    ))]
pub(crate) async fn remove(State(app): State<App>, Path(name): Path<String>) -> Result<Response, Refusal> {
    finish(&app, |gateway| async move { gateway.remove_activity(&name).await }).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// An activity with its revision as the `ETag`.
fn shown(status: StatusCode, view: &ActivityView) -> Response {
    let mut response = json(status, view);
    let tag = view.revision.and_then(|at| HeaderValue::try_from(format!("\"{at}\"")).ok());
    if let Some(tag) = tag {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}
