//! The floor: the least a gateway can be, as the yardstick of every ratio. Not a product.
//!
//! axum in front of one multiplexed stdio child. `POST /mcp/call` is the REST door, `POST /mcp` the MCP
//! door of both eras, `GET /mcp/tools` gives ready bytes. No limits, no checks, no log, no restarts.

mod upstream;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use serde::Deserialize;
use serde_json::value::RawValue;
use upstream::Upstream;

/// What the floor gateway is told on its command line.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Port on 127.0.0.1.
    #[arg(long)]
    port: u16,
    /// Size of what `GET /mcp/tools` gives.
    #[arg(long, default_value_t = 0)]
    ready_bytes: usize,
    /// The stdio server and its arguments.
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

#[derive(Deserialize)]
struct RestCall<'a> {
    #[serde(borrow, rename = "toolName")]
    tool: Cow<'a, str>,
    #[serde(borrow)]
    input: &'a RawValue,
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    arguments: &'a RawValue,
}

/// Serves until the process that started it ends.
pub(crate) fn serve(options: &Options) -> anyhow::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM))?;
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(listen(options))
}

async fn listen(options: &Options) -> anyhow::Result<()> {
    let upstream = Upstream::start(&options.command).await?;
    let ready = Bytes::from(vec![b'x'; options.ready_bytes]);
    let router = Router::new()
        .route("/mcp/call", post(rest))
        .route("/mcp", post(mcp))
        .route("/mcp/tools", get(move || std::future::ready(json(ready.clone()))))
        .with_state(upstream);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", options.port)).await.context("listening")?;
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    Ok(axum::serve(listener, router).await?)
}

fn json(body: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body.into()).into_response()
}

async fn rest(State(upstream): State<Arc<Upstream>>, body: Bytes) -> Response {
    let Ok(RestCall { tool, input }) = serde_json::from_slice(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    match upstream.call_tool(&tool, input).await {
        Ok(result) => json(format!(r#"{{"success":true,"result":{result}}}"#)),
        Err(error) => {
            (StatusCode::BAD_GATEWAY, format!(r#"{{"success":false,"error":{error}}}"#)).into_response()
        }
    }
}

async fn mcp(State(upstream): State<Arc<Upstream>>, body: Bytes) -> Response {
    let Ok(Request { id, method, params }) = serde_json::from_slice(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let Some(id) = id else { return StatusCode::ACCEPTED.into_response() };
    match &*method {
        "tools/call" => {
            let Some(Call { name, arguments }) = params.and_then(|p| serde_json::from_str(p.get()).ok())
            else {
                return StatusCode::BAD_REQUEST.into_response();
            };
            match upstream.call_tool(&name, arguments).await {
                Ok(result) => json(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)),
                Err(error) => json(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)),
            }
        }
        "initialize" => initialize(id),
        _ => json(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found"}}}}"#
        )),
    }
}

fn initialize(id: &RawValue) -> Response {
    static SESSIONS: AtomicU64 = AtomicU64::new(1);
    let session = format!("floor-{}", SESSIONS.fetch_add(1, Ordering::Relaxed));
    let body = json(format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"floor","version":"0"}}}}}}"#
    ));
    ([(HeaderName::from_static("mcp-session-id"), session)], body).into_response()
}
