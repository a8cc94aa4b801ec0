//! Streamable HTTP at `/mcp`: the SDK's own, behind the refusal of the other era.

use crate::era::Era;
use crate::fixture::Fixture;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use std::io;
use std::sync::Arc;

const LARGEST: usize = 4 << 20;

pub(crate) async fn serve(fixture: Fixture, port: u16) -> io::Result<()> {
    let era = fixture.era;
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(era != Era::Modern)
        .with_stateless_protocol_metadata_required(era == Era::Modern);
    let service = StreamableHttpService::new(
        move || Ok(fixture.connect()),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let router = Router::new().route_service("/mcp", service);
    super::listen(router.layer(middleware::from_fn_with_state(era, refuse)), port).await
}

/// Answers what belongs to the other era, and lets the rest pass.
async fn refuse(State(era): State<Era>, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, LARGEST).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let version = head.headers.get("mcp-protocol-version").and_then(|value| value.to_str().ok());
    let message: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    match era.refusal(version, &message) {
        Some(refusal) => {
            let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST);
            let json = [(header::CONTENT_TYPE, "application/json")];
            (status, json, Bytes::from(refusal.body.to_string())).into_response()
        }
        None => next.run(Request::from_parts(head, Body::from(bytes))).await,
    }
}
