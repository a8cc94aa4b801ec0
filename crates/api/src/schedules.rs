//! The admin routes of schedules (spec 5.2).

use crate::access::Who;
use crate::answer::{Refusal, json};
use crate::app::App;
use crate::call::ErrorReply;
use crate::hooks::finish;
use crate::workflows::read;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gateway::{Schedule, ScheduleView};

/// Lists the schedules in the order of their creation.
#[utoipa::path(get, path = "/api/schedules", tag = "schedules", operation_id = "listSchedules",
    responses((status = 200, body = Vec<ScheduleView>)))]
pub(crate) async fn list(State(app): State<App>) -> Result<Response, Refusal> {
    Ok(json(StatusCode::OK, &app.gateway().schedules().await?))
}

/// Creates a schedule: one of `at`, `everyMs` and `cron`.
#[utoipa::path(post, path = "/api/schedules", tag = "schedules", operation_id = "createSchedule",
    request_body = Schedule,
    responses(
        (status = 201, body = ScheduleView),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`: nothing was stored"),
        (status = 404, body = ErrorReply, description = "`TOOL_NOT_FOUND`: the key does not reach the workflow"),
        (status = 409, body = ErrorReply, description = "`CONFLICT`: there are as many as there may be"),
    ))]
pub(crate) async fn create(State(app): State<App>, who: Who, request: Request) -> Result<Response, Refusal> {
    let body = read(request).await?;
    let work = finish(&app, |gateway| async move { gateway.create_schedule(who.caller(), &body).await });
    Ok(json(StatusCode::CREATED, &work.await?))
}

/// Shows one schedule with its next times.
#[utoipa::path(get, path = "/api/schedules/{id}", tag = "schedules", operation_id = "getSchedule",
    params(("id" = String, Path)),
    responses(
        (status = 200, body = ScheduleView),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn show(State(app): State<App>, Path(id): Path<String>) -> Result<Response, Refusal> {
    Ok(json(StatusCode::OK, &app.gateway().schedule(&id).await?))
}

/// Changes the fields that the body names; null takes one away. `paused` holds a schedule and lets it go on.
#[utoipa::path(patch, path = "/api/schedules/{id}", tag = "schedules", operation_id = "changeSchedule",
    params(("id" = String, Path)),
    request_body = Object,
    responses(
        (status = 200, body = ScheduleView),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`: nothing was changed"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn change(
    State(app): State<App>,
    Path(id): Path<String>,
    who: Who,
    request: Request,
) -> Result<Response, Refusal> {
    let body = read(request).await?;
    let work = finish(&app, |gateway| async move { gateway.change_schedule(who.caller(), &id, &body).await });
    Ok(json(StatusCode::OK, &work.await?))
}

/// Deletes a schedule; the sessions that it started stay.
#[utoipa::path(delete, path = "/api/schedules/{id}", tag = "schedules", operation_id = "deleteSchedule",
    params(("id" = String, Path)),
    responses(
        (status = 204),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn remove(State(app): State<App>, Path(id): Path<String>) -> Result<Response, Refusal> {
    finish(&app, |gateway| async move { gateway.remove_schedule(&id).await }).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
