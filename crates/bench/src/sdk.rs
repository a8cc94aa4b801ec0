//! A gateway that is nothing but the official Rust SDK on both sides: its client before the stdio server,
//! its service at `/mcp`. It shows what a gateway costs that reads every message into types.

use std::process::Stdio;
use std::sync::Arc;

use anyhow::Context;
use axum::Router;
use axum::serve::ListenerExt;
use rmcp::model::{CallToolRequestParams, CallToolResponse, ServerCapabilities, ServerConfig};
use rmcp::service::{Peer, RequestContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleClient, RoleServer, ServerHandler, ServiceExt};

/// What the gateway is told on its command line.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Port on 127.0.0.1.
    #[arg(long)]
    port: u16,
    /// The stdio server and its arguments.
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

/// Serves until the process that started it ends.
pub(crate) fn serve(options: &Options) -> anyhow::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM))?;
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(listen(options))
}

async fn listen(options: &Options) -> anyhow::Result<()> {
    let mut child = tokio::process::Command::new(&options.command[0])
        .args(&options.command[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .context("starting the stdio server")?;
    let stdin = child.stdin.take().context("standard input is a pipe")?;
    let stdout = child.stdout.take().context("standard output is a pipe")?;
    let client = ().serve((stdout, stdin)).await.context("shaking hands with the server")?;
    let forward = Forward(client.peer().clone());
    let service = StreamableHttpService::new(
        move || Ok(forward.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", options.port)).await.context("listening")?;
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    Ok(axum::serve(listener, Router::new().nest_service("/mcp", service)).await?)
}

/// Sends every call to the one server.
#[derive(Clone)]
struct Forward(Peer<RoleClient>);

impl ServerHandler for Forward {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::default();
        info.capabilities = ServerCapabilities::builder().enable_tools().build();
        info
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.0.call_tool_once(call).await.map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}
