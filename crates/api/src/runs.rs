//! The admin routes of runs (spec 3.6, 3.7).

use crate::access::Who;
use crate::answer::{Refusal, json_bytes};
use crate::app::App;
use crate::body;
use crate::call::{ErrorReply, carrier};
use crate::sessions::{driven, maybe};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use gateway::RunQuery;
use model::{Code, Fault};

/// A context to be executed with.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "the gateway reads the body; this describes it")]
pub(crate) struct Execution {
    /// `request.params` of a call, as a client would send them; `serverName` where the tool's name alone does
    /// not say which server is meant.
    #[schema(value_type = Object)]
    context: serde_json::Value,
}

/// One pass of a request through a graph (spec 3.6).
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "the recorder writes it; this describes it")]
pub(crate) struct RunRecord {
    id: String,
    /// The workflow whose graph it passed.
    workflow_id: String,
    workflow_name: String,
    status: RunStatus,
    /// When it began, in milliseconds since 1970.
    executed_at: i64,
    /// How long it took, or takes so far.
    duration_ms: u64,
    /// The revision of the workflow that it passed.
    version: u64,
    /// The context with which it began, secrets masked.
    #[schema(value_type = Object)]
    context: serde_json::Value,
    /// What the call brought back, secrets masked.
    #[schema(value_type = Value)]
    mcp_result: serde_json::Value,
    /// Why it failed.
    #[schema(required)]
    error: Option<String>,
    /// Whether the plain request was made in the place of a graph that failed.
    bypassed: Option<bool>,
    /// What every node did, by its id.
    results: std::collections::HashMap<String, NodeRun>,
}

/// How far a run is.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "the recorder writes it; this describes it")]
pub(crate) enum RunStatus {
    Running,
    Completed,
    Error,
    /// The client went away before the end.
    Cancelled,
}

/// How far a node of a run is; `skipped` is one that was not run.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "the recorder writes it; this describes it")]
pub(crate) enum NodeState {
    Running,
    Completed,
    Error,
    Skipped,
}

/// What one node of a run did.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "the recorder writes it; this describes it")]
pub(crate) struct NodeRun {
    state: NodeState,
    #[schema(required)]
    started_at: Option<i64>,
    #[schema(required)]
    completed_at: Option<i64>,
    #[schema(required)]
    duration_ms: Option<u64>,
    /// When it began, in microseconds after the run did.
    started_micros: Option<u64>,
    /// How long it took, in microseconds.
    micros: Option<u64>,
    /// Whether the reply came from the cache, of a call on terms.
    cached: Option<bool>,
    /// How often the call was made, of a call on terms.
    attempts: Option<u32>,
    /// What came of it.
    #[schema(value_type = Value)]
    result: serde_json::Value,
    /// Why it failed.
    #[schema(required)]
    error: Option<String>,
    /// What its script wrote.
    console: Option<Vec<gateway::ConsoleLine>>,
    /// What it changed: `params`, `response`, `shared`, `variables`.
    #[schema(value_type = Option<Object>)]
    changes: serde_json::Value,
}

/// Runs an active workflow once, the server being called, and answers with the run. Of a session workflow it starts
/// a session: the body is the start input, and the answer that of its start tool.
#[utoipa::path(post, path = "/api/workflows/{id}/execute", tag = "workflows", operation_id = "executeWorkflow",
    params(("id" = String, Path)),
    request_body = Execution,
    responses(
        (status = 200, body = Object, description = "The run, also when it ended in an error"),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`, `SERVER_NOT_FOUND` or `TOOL_NOT_FOUND`"),
        (status = 409, body = ErrorReply, description = "`CONFLICT`: it is not active"),
    ))]
pub(crate) async fn execute(
    State(app): State<App>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    let (who, headers) = (Who::of(&head), head.headers.clone());
    if app.gateway().is_session_workflow(&id) {
        let body = maybe(&app, Request::from_parts(head, body)).await?;
        let started = app.gateway().start_session(who.caller(), &id, &body, carrier(&headers)).await;
        return Ok(driven(&app, started));
    }
    app.gateway().can_execute(&id)?;
    let body = body::text(body::read(&headers, body, app.gateway().settings().limits.body).await?)?;
    let carrier = carrier(&headers);
    let run = app.gateway().execute_workflow(who.caller(), &id, &body, carrier).await?;
    Ok(json_bytes(StatusCode::OK, run))
}

/// Lists the runs of one workflow, the newest first.
#[utoipa::path(get, path = "/api/workflows/{id}/runs", tag = "runs", operation_id = "listWorkflowRuns",
    params(
        ("id" = String, Path),
        ("limit" = Option<usize>, Query, description = "1 to 500, 50 by default"),
        ("offset" = Option<usize>, Query, description = "Without so many of the newest"),
        ("status" = Option<String>, Query, description = "`running`, `completed`, `error` or `cancelled`"),
        ("tool" = Option<String>, Query, description = "Only calls of tools with this text in their name"),
        ("brief" = Option<bool>, Query, description = "`true`: without what was sent, answered and changed"),
    ),
    responses(
        (status = 200, body = Vec<RunRecord>),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn of_workflow(
    State(app): State<App>,
    Path(id): Path<String>,
    query: Result<Query<RunQuery>, QueryRejection>,
) -> Result<Response, Refusal> {
    Ok(json_bytes(StatusCode::OK, app.gateway().runs_of(&id, asked(query)?).await?))
}

/// Lists the runs of all workflows or of one, the newest first.
#[utoipa::path(get, path = "/api/runs", tag = "runs", operation_id = "listRuns",
    params(RunQuery),
    responses(
        (status = 200, body = Vec<RunRecord>),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
    ))]
pub(crate) async fn list(
    State(app): State<App>,
    query: Result<Query<RunQuery>, QueryRejection>,
) -> Result<Response, Refusal> {
    Ok(json_bytes(StatusCode::OK, app.gateway().runs(&asked(query)?).await?))
}

/// Shows one run.
#[utoipa::path(get, path = "/api/runs/{id}", tag = "runs", operation_id = "getRun",
    params(("id" = String, Path)),
    responses(
        (status = 200, body = RunRecord),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
    ))]
pub(crate) async fn show(State(app): State<App>, Path(id): Path<String>) -> Result<Response, Refusal> {
    Ok(json_bytes(StatusCode::OK, app.gateway().run(&id).await?))
}

fn asked(query: Result<Query<RunQuery>, QueryRejection>) -> Result<RunQuery, Fault> {
    query.map(|Query(query)| query).map_err(|rejection| {
        let message = "limit and offset must be integers that are not negative, and brief true or false";
        let told = rejection.body_text();
        let field = ["offset", "brief"].into_iter().find(|field| told.contains(&format!(": {field}: ")));
        Fault::new(Code::ValidationError, message).with("field", field.unwrap_or("limit"))
    })
}
