//! The admin routes of servers and of the config file.

use crate::answer::{Refusal, json};
use crate::app::App;
use crate::body;
use crate::call::ErrorReply;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gateway::{Changes, ServerView};
use model::{Code, Fault, FieldError, ServerEntry};

/// Lists the servers with their status and last error.
#[utoipa::path(get, path = "/api/servers", tag = "servers", operation_id = "listServers",
    responses((status = 200, body = Vec<ServerView>)))]
pub(crate) async fn list(State(app): State<App>) -> Response {
    let views: Vec<_> = app.gateway().registry().servers().iter().map(|server| server.view()).collect();
    json(StatusCode::OK, &views)
}

/// Adds a server, keeps it in the store and starts it.
#[utoipa::path(post, path = "/api/servers", tag = "servers", operation_id = "addServer",
    request_body = ServerEntry,
    responses(
        (status = 201, body = ServerView, description = "Kept; `status` says whether it runs"),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
        (status = 409, body = ErrorReply, description = "`CONFLICT`: the name is taken"),
    ))]
pub(crate) async fn add(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    let settings = app.gateway().settings();
    let (head, body) = request.into_parts();
    let bytes = body::read(&head.headers, body, settings.limits.body).await?;
    let value = body::value(&bytes)?;
    let entry = config::server_entry(&value, settings.max_timeout).map_err(|error| {
        // What concerns no field concerns the whole.
        let path = if error.path.is_empty() { "body".to_owned() } else { error.path };
        Fault::from(FieldError::new(path, error.message))
    })?;
    // A client that goes away does not leave a server half added.
    let gateway = app.gateway().clone();
    let added = tokio::spawn(async move { gateway.add(entry).await }).await;
    let view = added.map_err(|_| Fault::new(Code::InternalError, "Internal error"))??;
    Ok(json(StatusCode::CREATED, &view))
}

/// Stops and removes a server that was added over the API.
#[utoipa::path(delete, path = "/api/servers/{name}", tag = "servers", operation_id = "removeServer",
    params(("name" = String, Path)),
    responses(
        (status = 204),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
        (status = 409, body = ErrorReply, description = "`CONFLICT`: it stands in the config file"),
    ))]
pub(crate) async fn remove(State(app): State<App>, Path(name): Path<String>) -> Result<Response, Refusal> {
    let gateway = app.gateway().clone();
    let removed = tokio::spawn(async move { gateway.remove(&name).await }).await;
    removed.map_err(|_| Fault::new(Code::InternalError, "Internal error"))??;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Restarts a server by hand, in any status and under any restart policy.
#[utoipa::path(post, path = "/api/servers/{name}/restart", tag = "servers", operation_id = "restartServer",
    params(("name" = String, Path)),
    responses(
        (status = 200, body = ServerView, description = "`status` says whether it runs"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn restart(State(app): State<App>, Path(name): Path<String>) -> Result<Response, Refusal> {
    let server = app.gateway().server(&name)?;
    server.restart().await;
    Ok(json(StatusCode::OK, &server.view()))
}

/// Shows the last lines of a server's standard error; values of its environment are masked.
#[utoipa::path(get, path = "/api/servers/{name}/logs", tag = "servers", operation_id = "serverLogs",
    params(("name" = String, Path)),
    responses(
        (status = 200, body = Vec<String>),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn logs(State(app): State<App>, Path(name): Path<String>) -> Result<Response, Refusal> {
    Ok(json(StatusCode::OK, &app.gateway().server(&name)?.logs()))
}

/// Reads the config file again; one that does not validate changes nothing.
#[utoipa::path(post, path = "/api/config/reload", tag = "config", operation_id = "reloadConfig",
    responses(
        (status = 200, body = Changes),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`: what is wrong with the file"),
    ))]
pub(crate) async fn reload(State(app): State<App>) -> Result<Response, Refusal> {
    let reloading = tokio::spawn(async move { app.reload().await }).await;
    let changes = reloading.map_err(|_| Fault::new(Code::InternalError, "Internal error"))??;
    Ok(json(StatusCode::OK, &changes))
}
