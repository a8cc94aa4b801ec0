//! The admin routes of templates (spec 5.1).

use crate::answer::{Refusal, json};
use crate::app::App;
use crate::call::ErrorReply;
use crate::hooks::finish;
use crate::workflows::{as_file, read, shown};
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gateway::{Template, TemplateView, WorkflowView};

/// A workflow to be saved as a template, or a template as `export` gives it.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "the gateway reads the body; this describes it")]
pub(crate) struct SavedTemplate {
    /// The workflow to be saved; without one `workflow` is.
    workflow_id: Option<String>,
    /// What people call it; by default the name of the workflow.
    name: Option<String>,
    /// What it does; by default the description of the workflow.
    description: Option<String>,
    /// What it asks for.
    parameters: Option<Vec<SavedParameter>>,
    /// The definition of a workflow, where no `workflowId` is given.
    #[schema(value_type = Option<Object>)]
    workflow: Option<serde_json::Value>,
}

/// Something that a template is to ask for.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "the gateway reads the body; this describes it")]
pub(crate) struct SavedParameter {
    /// Letters, digits and `_`, no digit first.
    name: String,
    /// `string`, `number`, `boolean`, `list` or `object`.
    r#type: String,
    /// What it is for.
    description: Option<String>,
    /// Whether it must be given; by default when it has no default.
    required: Option<bool>,
    /// What it is when it is left out.
    #[schema(value_type = Option<Value>)]
    default: Option<serde_json::Value>,
    /// Where its value stands in the definition, as JSON pointers such as `/nodes/1/data/label`. What stands there
    /// becomes the default.
    at: Option<Vec<String>>,
}

/// What a template is given.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "the gateway reads the body; this describes it")]
pub(crate) struct FromTemplate {
    /// The name of the new workflow; that of the template by default.
    name: Option<String>,
    /// The parameters, by their names.
    #[schema(value_type = Option<Object>)]
    parameters: Option<serde_json::Value>,
}

/// Lists the templates: those that come with the product, your own, and those of the catalogue.
#[utoipa::path(get, path = "/api/templates", tag = "templates", operation_id = "listTemplates",
    responses((status = 200, body = Vec<TemplateView>)))]
pub(crate) async fn list(State(app): State<App>) -> Result<Response, Refusal> {
    Ok(json(StatusCode::OK, &app.gateway().templates().await?))
}

/// Saves a template, of a workflow or of a definition in the body.
#[utoipa::path(post, path = "/api/templates", tag = "templates", operation_id = "saveTemplate",
    request_body = SavedTemplate,
    responses(
        (status = 201, body = TemplateView),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`: nothing was saved"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`: no such workflow"),
    ))]
pub(crate) async fn save(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    let body = read(request).await?;
    let view = finish(&app, |gateway| async move { gateway.save_template(&body).await }).await?;
    Ok(json(StatusCode::CREATED, &view))
}

/// Shows one template with the definition that it holds.
#[utoipa::path(get, path = "/api/templates/{id}", tag = "templates", operation_id = "getTemplate",
    params(("id" = String, Path)),
    responses(
        (status = 200, body = TemplateView),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn show(State(app): State<App>, Path(id): Path<String>) -> Result<Response, Refusal> {
    Ok(json(StatusCode::OK, &app.gateway().template(&id).await?))
}

/// Deletes a template of your own; workflows that were made from it stay.
#[utoipa::path(delete, path = "/api/templates/{id}", tag = "templates", operation_id = "deleteTemplate",
    params(("id" = String, Path)),
    responses(
        (status = 204),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
        (status = 409, body = ErrorReply, description = "`CONFLICT`: it is not your own"),
    ))]
pub(crate) async fn remove(State(app): State<App>, Path(id): Path<String>) -> Result<Response, Refusal> {
    finish(&app, |gateway| async move { gateway.remove_template(&id).await }).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Serves a template as a file.
#[utoipa::path(get, path = "/api/templates/{id}/export", tag = "templates", operation_id = "exportTemplate",
    params(("id" = String, Path)),
    responses(
        (status = 200, body = Template),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn export(State(app): State<App>, Path(id): Path<String>) -> Result<Response, Refusal> {
    Ok(as_file(app.gateway().export_template(&id).await?))
}

/// Keeps a template from such a file as your own.
#[utoipa::path(post, path = "/api/templates/import", tag = "templates", operation_id = "importTemplate",
    request_body = Template,
    responses(
        (status = 201, body = TemplateView),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`: nothing was imported"),
    ))]
pub(crate) async fn import(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    let body = read(request).await?;
    let view = finish(&app, |gateway| async move { gateway.import_template(&body).await }).await?;
    Ok(json(StatusCode::CREATED, &view))
}

/// Creates a workflow from a template; it is not active.
#[utoipa::path(post, path = "/api/templates/{id}/create", tag = "templates", operation_id = "createFromTemplate",
    params(("id" = String, Path)),
    request_body = FromTemplate,
    responses(
        (status = 201, body = WorkflowView),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`: no such template"),
    ))]
pub(crate) async fn create(
    State(app): State<App>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Refusal> {
    let body = read(request).await?;
    let work = finish(&app, |gateway| async move { gateway.create_from_template(&id, &body).await });
    Ok(shown(StatusCode::CREATED, &work.await?))
}
