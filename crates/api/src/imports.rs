//! Servers brought over from a desktop client: what would happen to each, and doing it. Also the demo server.

use crate::answer::{Refusal, json};
use crate::app::App;
use crate::body;
use crate::call::ErrorReply;
use axum::extract::{Query, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use config::import::{Planned, Target, Values, Verdict, plan};
use gateway::ServerView;
use model::{Args, Code, Fault, ServerEntry};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The name under which the demo server is added.
const DEMO: &str = "demo";

/// Whether to look first.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct How {
    #[serde(default)]
    dry_run: bool,
}

/// A configuration of a desktop client.
#[derive(Deserialize, utoipa::ToSchema)]
pub(crate) struct ClientConfig {
    /// The text of its file: JSON with `mcpServers` or `servers`, or TOML with `mcp_servers`.
    text: String,
}

/// What happens to one entry.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ImportedServer {
    /// Its name here.
    name: String,
    /// Where it stands in the text.
    at: String,
    /// `new`, `exists`, `invalid` or `skipped`.
    verdict: &'static str,
    /// Why it is not added, with the exact field.
    reason: Option<String>,
    /// What is not carried over as it stands.
    notes: Vec<String>,
    /// The entry, secrets masked.
    #[schema(value_type = Option<Object>)]
    server: Option<Value>,
    /// The server that was added; absent from a dry run.
    added: Option<ServerView>,
}

/// Adds the servers of a desktop client's configuration and starts them. With `dryRun=true` it only says what
/// would happen to each.
#[utoipa::path(post, path = "/api/servers/import", tag = "servers", operation_id = "importServers",
    params(("dryRun" = Option<bool>, Query, description = "Change nothing")),
    request_body = ClientConfig,
    responses(
        (status = 200, body = Vec<ImportedServer>),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`: the text is no such configuration"),
    ))]
pub(crate) async fn import(
    State(app): State<App>,
    Query(how): Query<How>,
    request: Request,
) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    let bytes = body::read(&head.headers, body, app.gateway().settings().limits.body).await?;
    let body = body::object(body::value(&bytes)?)?;
    let ClientConfig { text } = ClientConfig::deserialize(&body).map_err(|_| body::no_text(&body, "text"))?;
    let existing: Vec<ServerEntry> =
        app.gateway().registry().servers().iter().map(|server| server.entry().clone()).collect();
    let target = Target { port: app.address().port(), values: Values::Kept };
    let wrong = |error: config::import::Error| {
        Fault::new(Code::ValidationError, error.to_string()).with("field", "text")
    };
    let mut planned = plan(&text, &existing, target).map_err(wrong)?.entries;
    planned.iter_mut().for_each(|entry| check(&app, entry));
    let added = if how.dry_run { Vec::new() } else { add(&app, &planned).await? };
    Ok(json(StatusCode::OK, &told(planned, added)))
}

/// What the file may hold is not always what may be added over the API.
fn check(app: &App, planned: &mut Planned) {
    let refused = planned.server.as_ref().and_then(|server| app.gateway().permits(server).err());
    if let Some(fault) = refused {
        planned.verdict = Verdict::Invalid;
        planned.reason = Some(format!("{}.{}", planned.at, fault.message));
    }
}

async fn add(app: &App, planned: &[Planned]) -> Result<Vec<Result<ServerView, Fault>>, Fault> {
    let new = planned.iter().filter(|entry| entry.verdict == Verdict::New);
    let entries: Vec<ServerEntry> = new.filter_map(|entry| entry.server.clone()).collect();
    let gateway = app.gateway().clone();
    // A client that goes away does not leave servers half added.
    let adding = tokio::spawn(async move { gateway.add_all(entries).await }).await;
    adding.map_err(|_| Fault::new(Code::InternalError, "Internal error"))
}

/// Joins the plan with what became of the new ones, which come in the same order.
fn told(planned: Vec<Planned>, added: Vec<Result<ServerView, Fault>>) -> Vec<ImportedServer> {
    let mut added = added.into_iter();
    let lines = planned.into_iter().map(|entry| {
        let outcome = if entry.verdict == Verdict::New { added.next() } else { None };
        let shown = serde_json::to_value(&entry).unwrap_or_default();
        let mut line = ImportedServer {
            name: entry.name,
            at: entry.at,
            verdict: word(entry.verdict),
            reason: entry.reason,
            notes: entry.notes,
            server: shown.get("server").cloned(),
            added: None,
        };
        match outcome {
            Some(Ok(view)) => line.added = Some(view),
            Some(Err(fault)) => (line.verdict, line.reason) = ("invalid", Some(fault.message)),
            None => {}
        }
        line
    });
    lines.collect()
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::New => "new",
        Verdict::Exists => "exists",
        Verdict::Invalid => "invalid",
        Verdict::Skipped => "skipped",
    }
}

/// Adds the demo server that is built into this binary, as `demo`, and starts it.
#[utoipa::path(post, path = "/api/demo-server", tag = "servers", operation_id = "addDemoServer",
    responses(
        (status = 201, body = ServerView, description = "Kept; `status` says whether it runs"),
        (status = 409, body = ErrorReply, description = "`CONFLICT`: it is there already"),
    ))]
pub(crate) async fn demo(State(app): State<App>) -> Result<Response, Refusal> {
    let this = std::env::current_exe().map_err(|error| {
        tracing::error!(reason = %error, "this program's own file is not known");
        Fault::new(Code::InternalError, "The demo server cannot be found")
    })?;
    let entry = ServerEntry {
        name: DEMO.into(),
        command: Some(this.to_string_lossy().into_owned()),
        args: Args::List(vec!["demo-server".into()]),
        ..ServerEntry::default()
    };
    let gateway = app.gateway().clone();
    let added = tokio::spawn(async move { gateway.add(entry).await }).await;
    let view = added.map_err(|_| Fault::new(Code::InternalError, "Internal error"))??;
    Ok(json(StatusCode::CREATED, &view))
}
