//! The road of a call, from its request to the server's result.

use crate::faults;
use crate::gateway::Gateway;
use crate::metrics::ToolStats;
use crate::request::ToolCall;
use crate::scan::scan;
use crate::server::{Connection, Server};
use mcp::{Era, Gone, Outcome, Pending};
use model::{Code, Fault, Settings, Status};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// The most bytes of a result.
const RESULT_MAX: usize = 1_048_576;

/// How long a call whose connection broke waits to learn why.
const WHY_MAX: Duration = Duration::from_secs(1);

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
    /// Carries one call to its server and brings the result back. On return `call` names the server.
    pub async fn call(&self, call: &mut ToolCall<'_>) -> Result<Box<RawValue>, Failure> {
        let settings = self.settings();
        let server = self.route(call)?;
        let stats = tool_stats(&server, &call.tool)?;
        let connection = running(&server)?;
        let began = Instant::now();
        let outcome = exchange(&server, &connection, call, &settings).await;
        let outcome = outcome.and_then(|outcome| check(outcome, &server, call, &settings));
        server.times().record(began.elapsed());
        if let Some(stats) = stats {
            stats.record(code_of(&outcome));
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

fn running(server: &Server) -> Result<Arc<Connection>, Fault> {
    server.connection().ok_or_else(|| match server.status() {
        Status::Crashed => faults::crashed(server.name(), server.exit_code()),
        // The child became ready, or died, between two looks.
        Status::Running => faults::not_running(server.name(), Status::Starting),
        status => faults::not_running(server.name(), status),
    })
}

async fn exchange(
    server: &Server,
    connection: &Arc<Connection>,
    call: &ToolCall<'_>,
    settings: &Settings,
) -> Result<Outcome, Failure> {
    let progress = settings.timeout_reset_on_progress.then(|| Arc::new(Notify::new()));
    let sent = connection.client.request_with_progress("tools/call", progress.clone(), |id, out| {
        write_params(call, connection.peer.era, progress.is_some().then_some(id), out);
    });
    let Ok(pending) = sent else {
        return Err(why(server, connection, call).await);
    };
    let mut flight = Flight { pending, connection, cancel: true };
    let ms = call.timeout.unwrap_or_else(|| server.timeout(settings));
    let reply = match progress {
        None => tokio::time::timeout(Duration::from_millis(ms), &mut flight.pending).await.ok(),
        Some(progress) => with_progress(&mut flight.pending, &progress, ms, settings.max_timeout).await,
    };
    match reply {
        Some(Ok(outcome)) => Ok(outcome),
        Some(Err(Gone)) => Err(why(server, connection, call).await),
        None => {
            flight.cancel = settings.mcp.cancel_on_timeout;
            Err(faults::timed_out(server.name(), &call.tool, ms).into())
        }
    }
}

/// Each progress notification restarts the clock; the call as a whole ends at the maximum.
async fn with_progress(
    pending: &mut Pending,
    progress: &Notify,
    ms: u64,
    max: u64,
) -> Option<Result<Outcome, Gone>> {
    let last = tokio::time::Instant::now() + Duration::from_millis(max);
    loop {
        let deadline = (tokio::time::Instant::now() + Duration::from_millis(ms)).min(last);
        tokio::select! {
            reply = &mut *pending => return Some(reply),
            () = progress.notified() => {}
            () = tokio::time::sleep_until(deadline) => return None,
        }
    }
}

/// A request in flight; the server is told when nobody waits for it any more.
struct Flight<'a> {
    pending: Pending,
    connection: &'a Connection,
    cancel: bool,
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        if self.cancel && !self.pending.is_done() {
            self.connection.client.cancel(self.pending.id(), "the call was given up");
        }
    }
}

fn write_params(call: &ToolCall<'_>, era: Era, progress: Option<u64>, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"name":"#);
    mcp::quote(&call.tool, out);
    out.extend_from_slice(br#","arguments":"#);
    let input = call.input.get();
    match input.contains(['\n', '\r']) {
        false => out.extend_from_slice(input.as_bytes()),
        // The one rewrite of the input: a line break between its tokens would end the message.
        true => out.extend(input.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r'))),
    }
    if era == Era::Modern || progress.is_some() {
        out.extend_from_slice(br#","_meta":{"#);
        out.extend_from_slice(era.meta().as_bytes());
        if let Some(token) = progress {
            let separator = if era == Era::Modern { "," } else { "" };
            out.extend_from_slice(format!(r#"{separator}"progressToken":{token}"#).as_bytes());
        }
        out.push(b'}');
    }
    out.push(b'}');
}

/// Why the connection ended. A server that is still there did not take the request.
async fn why(server: &Server, connection: &Connection, call: &ToolCall<'_>) -> Failure {
    let ending = tokio::time::timeout(WHY_MAX, connection.ended.wait()).await;
    let fault = match ending {
        Ok(ending) => ending.fault(server.name(), &call.tool),
        Err(_) => faults::unsent(server.name(), &call.tool),
    };
    fault.into()
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

fn code_of(outcome: &Result<Box<RawValue>, Failure>) -> Option<Code> {
    match outcome {
        Ok(_) => None,
        Err(Failure::Fault(fault)) => Some(fault.code),
        Err(Failure::Rpc(_)) => Some(Code::ToolExecutionError),
    }
}
