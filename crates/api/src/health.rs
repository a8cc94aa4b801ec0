//! `GET /health`: always 200, from memory alone.

use crate::answer::json;
use crate::app::App;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use model::Status;
use serde::Serialize;
use serde_json::{Map, Value};

/// How the gateway and its servers are.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Health {
    /// `ok` when every server is running and the store has its data, else `degraded`.
    status: &'static str,
    /// Seconds since the start.
    uptime: f64,
    /// Every server with its status word, in config order.
    servers: Map<String, Value>,
    /// True when the gateway listens on another address than loopback without keys.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    open: bool,
    /// True when the store lost its data while the gateway ran: what is known here stays in force until it is restarted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    store_lost: bool,
    /// The methods whose requests all fail because the active workflow around them cannot run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failing: Vec<&'static str>,
    /// True when `DISABLE_VALIDATION` is on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    validation_disabled: bool,
}

/// Where the state of the gateway is shown.
pub(crate) const PATH: &str = "/health";

/// Tells how the gateway and its servers are.
#[utoipa::path(get, path = "/health", tag = "operations", operation_id = "health",
    responses((status = 200, body = Health)))]
pub(crate) async fn health(State(app): State<App>) -> Response {
    let registry = app.gateway().registry();
    let servers: Vec<_> = registry.servers().iter().map(|s| (s.name().to_owned(), s.status())).collect();
    let store_lost = app.gateway().store_lost();
    let ok = !store_lost && servers.iter().all(|(_, status)| *status == Status::Running);
    let health = Health {
        status: if ok { "ok" } else { "degraded" },
        uptime: app.gateway().uptime().as_secs_f64(),
        servers: servers.into_iter().map(|(name, status)| (name, status.as_str().into())).collect(),
        open: app.open(),
        store_lost,
        failing: app.gateway().failing_methods(),
        validation_disabled: app.gateway().settings().validation_disabled,
    };
    json(StatusCode::OK, &health)
}
