//! The admin routes of workflows (spec 3.7).

use crate::answer::{Refusal, json, json_bytes};
use crate::app::App;
use crate::body;
use crate::call::ErrorReply;
use crate::hooks::finish;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gateway::{Verdict, WorkflowView};
use model::{Code, Fault, WORKFLOW_BYTES_MAX, WorkflowDraft, WorkflowPatch};
use serde::Deserialize;
use utoipa::Modify;
use utoipa::openapi::{ObjectBuilder, OpenApi, Type};

/// The largest body: a workflow with blanks between its tokens.
const BODY_MAX: u64 = 2 * WORKFLOW_BYTES_MAX as u64;

/// How a workflow is drawn.
#[derive(Deserialize)]
pub(crate) struct Drawing {
    format: Option<String>,
    run: Option<String>,
    session: Option<String>,
}

/// One kind of node.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "the gateway lists them; this describes one")]
pub(crate) struct NodeType {
    /// Its word in `type`.
    name: String,
    /// What people call it.
    label: String,
    /// What it does.
    description: String,
    /// How many edges lead to it.
    inputs: u8,
    /// How many edges may leave it: a number, or `many`.
    #[schema(value_type = Value)]
    outputs: serde_json::Value,
    /// The JSON Schema of its `data`.
    #[schema(value_type = Object)]
    schema: serde_json::Value,
    /// Whether a plug-in adds it.
    plugin: bool,
}

/// Describes the kinds that are built in, so that whoever draws nodes learns of a new one from the document.
pub(crate) struct NodeKinds;

impl Modify for NodeKinds {
    fn modify(&self, document: &mut OpenApi) {
        let kinds = ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(gateway::KIND_NAMES))
            .description(Some("The kinds of nodes that are built in; plug-ins add others."));
        document.components.get_or_insert_default().schemas.insert("NodeKind".into(), kinds.into());
    }
}

/// Lists the kinds of nodes, those of plug-ins included.
#[utoipa::path(get, path = "/api/node-types", tag = "workflows", operation_id = "listNodeTypes",
    responses((status = 200, body = Vec<NodeType>)))]
pub(crate) async fn node_types(State(app): State<App>) -> Response {
    json(StatusCode::OK, &app.gateway().node_types())
}

/// Lists the workflows in the order of their creation.
#[utoipa::path(get, path = "/api/workflows", tag = "workflows", operation_id = "listWorkflows",
    responses((status = 200, body = Vec<WorkflowView>)))]
pub(crate) async fn list(State(app): State<App>) -> Response {
    json(StatusCode::OK, &app.gateway().workflows().await)
}

/// Creates a workflow; with `enabled` it is activated too.
#[utoipa::path(post, path = "/api/workflows", tag = "workflows", operation_id = "createWorkflow",
    request_body = WorkflowDraft,
    responses(
        (status = 201, body = WorkflowView),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`: nothing was stored"),
        (status = 409, body = ErrorReply, description = "`CONFLICT`: it cannot be activated; nothing was stored"),
    ))]
pub(crate) async fn create(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    let body = read(request).await?;
    let view = finish(&app, |gateway| async move { gateway.create_workflow(&body).await }).await?;
    Ok(shown(StatusCode::CREATED, &view))
}

/// Shows one workflow; its revision is the `ETag`.
#[utoipa::path(get, path = "/api/workflows/{id}", tag = "workflows", operation_id = "getWorkflow",
    params(("id" = String, Path)),
    responses(
        (status = 200, body = WorkflowView),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn show(State(app): State<App>, Path(id): Path<String>) -> Result<Response, Refusal> {
    Ok(shown(StatusCode::OK, &app.gateway().workflow(&id).await?))
}

/// Changes the fields that the body names.
#[utoipa::path(patch, path = "/api/workflows/{id}", tag = "workflows", operation_id = "changeWorkflow",
    params(
        ("id" = String, Path),
        ("If-Match" = Option<String>, Header, description = "Change it only if it is at this revision"),
    ),
    request_body = WorkflowPatch,
    responses(
        (status = 200, body = WorkflowView),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
        (status = 409, body = ErrorReply,
            description = "`CONFLICT`: it is active and could not be any more, or is at another revision"),
    ))]
pub(crate) async fn change(
    State(app): State<App>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Refusal> {
    let revision = revision(request.headers())?;
    let body = read(request).await?;
    let work = finish(&app, |gateway| async move { gateway.change_workflow(&id, &body, revision).await });
    Ok(shown(StatusCode::OK, &work.await?))
}

/// Deletes a workflow; its runs stay until they are trimmed.
#[utoipa::path(delete, path = "/api/workflows/{id}", tag = "workflows", operation_id = "deleteWorkflow",
    params(
        ("id" = String, Path),
        ("If-Match" = Option<String>, Header, description = "Delete it only if it is at this revision"),
    ),
    responses(
        (status = 204),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
        (status = 409, body = ErrorReply,
            description = "`CONFLICT`: it is at another revision, an activity runs it, or open sessions use it; \
                `sessions` says how many"),
    ))]
pub(crate) async fn remove(
    State(app): State<App>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let revision = revision(&headers)?;
    finish(&app, |gateway| async move { gateway.remove_workflow(&id, revision).await }).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Activates a workflow; the others of its type are turned off.
#[utoipa::path(post, path = "/api/workflows/{id}/activate", tag = "workflows", operation_id = "activateWorkflow",
    params(("id" = String, Path)),
    responses(
        (status = 200, body = WorkflowView),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
        (status = 409, body = ErrorReply, description = "`CONFLICT` with the reason why it cannot be"),
    ))]
pub(crate) async fn activate(State(app): State<App>, Path(id): Path<String>) -> Result<Response, Refusal> {
    let view = finish(&app, |gateway| async move { gateway.switch_workflow(&id, true).await }).await?;
    Ok(shown(StatusCode::OK, &view))
}

/// Turns a workflow off; the next request goes without it.
#[utoipa::path(post, path = "/api/workflows/{id}/disable", tag = "workflows", operation_id = "disableWorkflow",
    params(("id" = String, Path)),
    responses(
        (status = 200, body = WorkflowView),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn disable(State(app): State<App>, Path(id): Path<String>) -> Result<Response, Refusal> {
    let view = finish(&app, |gateway| async move { gateway.switch_workflow(&id, false).await }).await?;
    Ok(shown(StatusCode::OK, &view))
}

/// Serves the definition of a workflow as a file.
#[utoipa::path(get, path = "/api/workflows/{id}/export", tag = "workflows", operation_id = "exportWorkflow",
    params(("id" = String, Path)),
    responses(
        (status = 200, body = WorkflowDraft),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn export(State(app): State<App>, Path(id): Path<String>) -> Result<Response, Refusal> {
    Ok(as_file(app.gateway().export_workflow(&id)?))
}

/// JSON text to be saved under a name.
pub(crate) fn as_file((text, file): (String, String)) -> Response {
    let mut response = json_bytes(StatusCode::OK, text);
    if let Ok(value) = HeaderValue::try_from(format!("attachment; filename=\"{file}\"")) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    }
    response
}

/// Creates a workflow from an exported definition; it is not active.
#[utoipa::path(post, path = "/api/workflows/import", tag = "workflows", operation_id = "importWorkflow",
    request_body = WorkflowDraft,
    responses(
        (status = 201, body = WorkflowView),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`: nothing was imported"),
    ))]
pub(crate) async fn import(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    let body = read(request).await?;
    let view = finish(&app, |gateway| async move { gateway.import_workflow(&body).await }).await?;
    Ok(shown(StatusCode::CREATED, &view))
}

/// Finds everything that keeps a definition from being activated; nothing is stored.
#[utoipa::path(post, path = "/api/workflows/validate", tag = "workflows", operation_id = "validateWorkflow",
    request_body = WorkflowDraft,
    responses(
        (status = 200, body = Verdict),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`: the body is no JSON object"),
    ))]
pub(crate) async fn validate(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    let body = read(request).await?;
    Ok(json(StatusCode::OK, &app.gateway().validate_workflow(&body).await?))
}

/// Draws a workflow, alone or with what one run or session did in it.
#[utoipa::path(get, path = "/api/workflows/{id}/diagram", tag = "workflows", operation_id = "drawWorkflow",
    params(
        ("id" = String, Path),
        ("format" = Option<String>, Query, description = "`svg` (the default) or `mermaid`"),
        ("run" = Option<String>, Query, description = "The id of a run"),
        ("session" = Option<String>, Query, description = "The id of a session"),
    ),
    responses(
        (status = 200, content((String = "image/svg+xml"), (String = "text/plain"))),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`: no such workflow, run or session"),
    ))]
pub(crate) async fn diagram(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(drawing): Query<Drawing>,
) -> Result<Response, Refusal> {
    let format = drawing.format.as_deref().unwrap_or("svg");
    let (run, session) = (drawing.run.as_deref(), drawing.session.as_deref());
    let text = app.gateway().draw_workflow(&id, format, run, session).await?;
    let kind = if format == "svg" { "image/svg+xml" } else { "text/plain; charset=utf-8" };
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

/// A workflow with its revision as the `ETag`.
pub(crate) fn shown(status: StatusCode, view: &WorkflowView) -> Response {
    tagged(json(status, view), view.workflow.revision)
}

/// An answer with the number of a version as its `ETag`.
pub(crate) fn tagged(mut response: Response, version: u64) -> Response {
    if let Ok(tag) = HeaderValue::try_from(format!("\"{version}\"")) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// The revision that a change is meant for; `*` is any.
pub(crate) fn revision(headers: &HeaderMap) -> Result<Option<u64>, Fault> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let plain = text.strip_prefix("W/").unwrap_or(text).trim_matches('"');
    let wrong = || Fault::new(Code::ValidationError, "If-Match must be the ETag that was read, or *");
    plain.parse().map(Some).map_err(|_| wrong().with("field", "If-Match"))
}

/// The text of a body. Definitions come back as they were written, so it is not read into values here.
pub(crate) async fn read(request: Request) -> Result<String, Fault> {
    let (head, body) = request.into_parts();
    body::text(body::read(&head.headers, body, BODY_MAX).await?)
}
