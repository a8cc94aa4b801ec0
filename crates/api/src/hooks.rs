//! The admin routes of hooks (spec 2.8).

use crate::answer::{Refusal, json};
use crate::app::App;
use crate::body;
use crate::call::ErrorReply;
use crate::workflows::{revision, tagged};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gateway::{Gateway, HookView, Validity};
use model::{Code, Fault, FieldError, HookDraft, HookPatch};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

/// The largest body with one script: 1 MiB of it may be six times as long when every character is escaped.
pub(crate) const BODY_MAX: u64 = 8 * 1024 * 1024;

/// The largest import.
const IMPORT_BODY_MAX: u64 = 32 * 1024 * 1024;

/// An order of all hooks.
#[derive(Deserialize, utoipa::ToSchema)]
pub(crate) struct Order {
    /// Every id exactly once, in the order in which the hooks shall run.
    pub(crate) ids: Vec<String>,
}

/// A script to be checked.
#[derive(Deserialize, utoipa::ToSchema)]
pub(crate) struct Source {
    /// The body of an async function.
    pub(crate) script: String,
}

/// Lists the hooks in the order in which they run.
#[utoipa::path(get, path = "/api/hooks", tag = "hooks", operation_id = "listHooks",
    responses((status = 200, body = Vec<HookView>)))]
pub(crate) async fn list(State(app): State<App>) -> Response {
    json(StatusCode::OK, &app.gateway().hooks())
}

/// Creates a hook; its script is checked first.
#[utoipa::path(post, path = "/api/hooks", tag = "hooks", operation_id = "createHook",
    request_body = HookDraft,
    responses(
        (status = 201, body = HookView),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
        (status = 409, body = ErrorReply, description = "`CONFLICT`: the name is taken"),
    ))]
pub(crate) async fn create(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    let draft = HookDraft::parse(&read(request, BODY_MAX).await?).map_err(Fault::from)?;
    let view = finish(&app, |gateway| async move { gateway.create_hook(draft).await }).await?;
    Ok(shown(StatusCode::CREATED, &view))
}

/// Shows one hook; its version is the `ETag`.
#[utoipa::path(get, path = "/api/hooks/{id}", tag = "hooks", operation_id = "getHook",
    params(("id" = String, Path)),
    responses(
        (status = 200, body = HookView),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn show(State(app): State<App>, Path(id): Path<String>) -> Result<Response, Refusal> {
    Ok(shown(StatusCode::OK, &app.gateway().hook(&id)?))
}

/// Changes the fields that the body names.
#[utoipa::path(patch, path = "/api/hooks/{id}", tag = "hooks", operation_id = "changeHook",
    params(
        ("id" = String, Path),
        ("If-Match" = Option<String>, Header, description = "Change it only if it is at this version"),
    ),
    request_body = HookPatch,
    responses(
        (status = 200, body = HookView),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
        (status = 409, body = ErrorReply,
            description = "`CONFLICT`: the name is taken, or the hook is at another version"),
    ))]
pub(crate) async fn change(
    State(app): State<App>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Refusal> {
    let version = revision(request.headers())?;
    let patch = HookPatch::parse(&read(request, BODY_MAX).await?).map_err(Fault::from)?;
    let work = finish(&app, |gateway| async move { gateway.change_hook(&id, patch, version).await });
    Ok(shown(StatusCode::OK, &work.await?))
}

/// Deletes a hook.
#[utoipa::path(delete, path = "/api/hooks/{id}", tag = "hooks", operation_id = "deleteHook",
    params(
        ("id" = String, Path),
        ("If-Match" = Option<String>, Header, description = "Delete it only if it is at this version"),
    ),
    responses(
        (status = 204),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
        (status = 409, body = ErrorReply,
            description = "`CONFLICT`: a workflow uses the hook, or it is at another version"),
    ))]
pub(crate) async fn remove(
    State(app): State<App>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let version = revision(&headers)?;
    finish(&app, |gateway| async move { gateway.remove_hook(&id, version).await }).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Numbers all hooks anew, in the given order.
#[utoipa::path(post, path = "/api/hooks/reorder", tag = "hooks", operation_id = "reorderHooks",
    request_body = Order,
    responses(
        (status = 200, body = Vec<HookView>, description = "All hooks in their new order"),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`: not every id exactly once"),
    ))]
pub(crate) async fn reorder(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    let body = read(request, BODY_MAX).await?;
    let wrong = || Fault::from(FieldError::new("ids", "must be an array with the id of every hook"));
    let order = Some(&body).filter(|body| body.is_object()).and_then(|body| Order::deserialize(body).ok());
    let Order { ids } = order.ok_or_else(wrong)?;
    let views = finish(&app, |gateway| async move { gateway.reorder_hooks(&ids).await }).await?;
    Ok(json(StatusCode::OK, &views))
}

/// Checks whether a script compiles in the form in which it runs.
#[utoipa::path(post, path = "/api/hooks/validate", tag = "hooks", operation_id = "validateHook",
    request_body = Source,
    responses(
        (status = 200, body = Validity),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`: there is no script"),
    ))]
pub(crate) async fn validate(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    let body = body::object(read(request, BODY_MAX).await?)?;
    let Source { script } = Source::deserialize(&body).map_err(|_| body::no_text(&body, "script"))?;
    Ok(json(StatusCode::OK, &app.gateway().validate_script(&script).await?))
}

/// Creates hooks, all or none; a name that is taken becomes `name_1`, `name_2`, …
#[utoipa::path(post, path = "/api/hooks/import", tag = "hooks", operation_id = "importHooks",
    request_body(content = Vec<HookDraft>, description = "Hooks in an array, under `hooks`, or one alone"),
    responses(
        (status = 201, body = Vec<HookView>, description = "The new hooks, in the order of the body"),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`: nothing was imported"),
    ))]
pub(crate) async fn import(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    let body = read(request, IMPORT_BODY_MAX).await?;
    let (drafts, alone) = (HookDraft::parse_all(&body).map_err(Fault::from)?, HookDraft::is_alone(&body));
    let views = finish(&app, move |gateway| async move { gateway.import_hooks(drafts, alone).await }).await?;
    Ok(json(StatusCode::CREATED, &views))
}

/// Forgets the failures of a hook, which then runs again where it was passed over.
#[utoipa::path(post, path = "/api/hooks/{id}/reset", tag = "hooks", operation_id = "resetHook",
    params(("id" = String, Path)),
    responses(
        (status = 200, body = HookView),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn reset(State(app): State<App>, Path(id): Path<String>) -> Result<Response, Refusal> {
    Ok(json(StatusCode::OK, &app.gateway().reset_hook(&id)?))
}

/// Serves the types of everything that a script has, for editors.
#[utoipa::path(get, path = "/api/hooks/types.d.ts", tag = "hooks", operation_id = "hookTypes",
    responses((status = 200, body = String, content_type = "application/typescript")))]
pub(crate) async fn types() -> Response {
    ([(header::CONTENT_TYPE, "application/typescript; charset=utf-8")], Gateway::hook_types()).into_response()
}

/// A hook with its version as the `ETag`.
fn shown(status: StatusCode, view: &HookView) -> Response {
    tagged(json(status, view), view.hook.version)
}

pub(crate) async fn read(request: Request, max: u64) -> Result<Value, Fault> {
    let (head, body) = request.into_parts();
    body::value(&body::read(&head.headers, body, max).await?)
}

/// Runs a change to its end, also when the client goes away: store and memory must agree.
pub(crate) async fn finish<T, F>(app: &App, work: impl FnOnce(Arc<Gateway>) -> F) -> Result<T, Fault>
where
    T: Send + 'static,
    F: Future<Output = Result<T, Fault>> + Send + 'static,
{
    let done = tokio::spawn(work(app.gateway().clone())).await;
    done.map_err(|_| Fault::new(Code::InternalError, "Internal error"))?
}
