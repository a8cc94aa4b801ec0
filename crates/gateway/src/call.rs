//! The road of a call, from its request to the server's result.

use crate::exchange::{Ask, Hearing, exchange};
use crate::faults;
use crate::gateway::Gateway;
use crate::hub::NOBODY;
use crate::metrics::ToolStats;
use crate::reply::code_of;
use crate::request::ToolCall;
use crate::scan::scan;
use crate::server::{Connection, Server};
use mcp::{Era, Outcome, Said};
use model::{Code, Fault, Settings, Status};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{Notify, mpsc};

/// The most bytes of a result.
const RESULT_MAX: usize = 1_048_576;

/// Why a call has no result.
#[derive(Debug)]
pub enum Failure {
    /// The gateway says so.
    Fault(Fault),
    /// The server answered with a JSON-RPC error, given as it was written.
    Rpc(Box<RawValue>),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Failure::Fault(fault)
    }
}

impl Gateway {
    /// Carries one call to its server and brings the result back, for a caller that hears nothing
    /// meanwhile. On return `call` names the server.
    pub async fn call(&self, call: &mut ToolCall<'_>) -> Result<Box<RawValue>, Failure> {
        let settings = self.settings();
        if !settings.timeout_reset_on_progress {
            return self.carry(call, &settings, None).await;
        }
        let (hearing, heard) = Hearing::new(0, &settings);
        let ticks = hearing.ticks.clone().unwrap_or_default();
        tokio::select! {
            outcome = self.carry(call, &settings, Some(&hearing)) => outcome,
            never = count(heard, &ticks) => match never {},
        }
    }

    /// The one road: every way in takes it.
    pub(crate) async fn carry(
        &self,
        call: &mut ToolCall<'_>,
        settings: &Settings,
        hearing: Option<&Hearing>,
    ) -> Result<Box<RawValue>, Failure> {
        let server = self.route(call)?;
        let stats = tool_stats(&server, &call.tool)?;
        let connection = running(&server)?;
        let began = Instant::now();
        let ms = call.timeout.unwrap_or_else(|| server.timeout(settings));
        let ask = Ask { method: "tools/call", subject: &call.tool, ms };
        let wants_progress = hearing.is_some_and(|hearing| hearing.ticks.is_some());
        let era = connection.peer.era;
        let outcome = exchange(&server, &connection, &ask, settings, hearing, |id, out| {
            write_params(call, era, wants_progress, id, out);
        });
        let outcome = outcome.await.and_then(|outcome| check(outcome, &server, call, settings));
        server.times().record(began.elapsed());
        let code = code_of(&outcome, &call.tool);
        if let Some(stats) = stats {
            stats.record(code);
        }
        if call.sent.is_some() {
            // REST logs its calls with the request; over MCP many calls may share one.
            tracing::info!(
                server = server.name(),
                tool = &*call.tool,
                code = code.map(Code::name),
                duration_us = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX),
                "call"
            );
        }
        outcome
    }

    /// Finds the server; where it may be left out, by its tool.
    fn route(&self, call: &mut ToolCall<'_>) -> Result<Arc<Server>, Fault> {
        let registry = self.registry();
        if let Some(name) = &call.server {
            return registry.get(name).cloned().ok_or_else(|| faults::server_not_found(name));
        }
        match registry.with_tool(&call.tool)[..] {
            [only] => {
                call.server = Some(only.name().to_owned().into());
                Ok(only.clone())
            }
            [] => Err(Fault::new(Code::ToolNotFound, format!("Tool '{}' not found", call.tool))
                .with("toolName", &*call.tool)),
            ref several => {
                let names: Vec<_> = several.iter().map(|server| server.name()).collect();
                Err(Fault::new(Code::ValidationError, "server is required")
                    .with("field", "server")
                    .with("toolName", &*call.tool)
                    .with("servers", names))
            }
        }
    }
}

/// Counts progress for a caller that cannot be asked anything.
async fn count(mut heard: mpsc::Receiver<Box<Said>>, ticks: &Notify) -> std::convert::Infallible {
    loop {
        match heard.recv().await {
            Some(said) => match &said.id {
                Some(id) => said.from.answer(id, NOBODY),
                None => ticks.notify_one(),
            },
            None => std::future::pending().await,
        }
    }
}

/// The tool must be in the cache; a server that was never listed is asked all the same.
fn tool_stats(server: &Server, tool: &str) -> Result<Option<Arc<ToolStats>>, Fault> {
    match server.tools() {
        None => Ok(None),
        Some(tools) => match tools.get(tool) {
            Some(stats) => Ok(Some(stats.clone())),
            None => Err(faults::tool_not_found(server.name(), tool)),
        },
    }
}

/// The connection of a running server, or why there is none.
pub(crate) fn running(server: &Server) -> Result<Arc<Connection>, Fault> {
    server.connection().ok_or_else(|| match server.status() {
        Status::Crashed => faults::crashed(server.name(), server.exit_code()),
        // The child became ready, or died, between two looks.
        Status::Running => faults::not_running(server.name(), Status::Starting),
        status => faults::not_running(server.name(), status),
    })
}

fn write_params(call: &ToolCall<'_>, era: Era, progress: bool, id: u64, out: &mut Vec<u8>) {
    if let Some((sent, needs)) = &call.sent {
        return sent.write(&call.tool, id, needs, out);
    }
    out.extend_from_slice(br#"{"name":"#);
    mcp::quote(&call.tool, out);
    out.extend_from_slice(br#","arguments":"#);
    // A line break between the tokens of the input would end the message.
    mcp::Splice::new(call.input.get()).write(out);
    if era == Era::Modern || progress {
        out.extend_from_slice(br#","_meta":{"#);
        out.extend_from_slice(era.meta().as_bytes());
        if progress {
            let separator = if era == Era::Modern { "," } else { "" };
            out.extend_from_slice(format!(r#"{separator}"progressToken":{id}"#).as_bytes());
        }
        out.push(b'}');
    }
    out.push(b'}');
}

/// The checks of spec 1.5 on what came back.
fn check(
    outcome: Outcome,
    server: &Server,
    call: &ToolCall<'_>,
    settings: &Settings,
) -> Result<Box<RawValue>, Failure> {
    let result = match outcome {
        Outcome::Result(result) => result,
        Outcome::Error(error) => return Err(Failure::Rpc(error)),
        Outcome::Invalid => return Err(faults::internal().into()),
    };
    if settings.validation_disabled {
        return Ok(result);
    }
    let text = result.get();
    if text == "null" {
        let message = "Tool execution failed: the result is null";
        return Err(faults::execution(server.name(), &call.tool, message).into());
    }
    if text.len() > RESULT_MAX && scan(text).size > RESULT_MAX {
        let message = format!("Tool execution failed: result exceeds maximum size ({RESULT_MAX} bytes)");
        return Err(faults::execution(server.name(), &call.tool, message).into());
    }
    Ok(result)
}
