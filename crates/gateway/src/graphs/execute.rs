//! Executing a graph once, with a context that somebody wrote (spec 3.7). The request takes the road of every
//! other, hooks of the list included.

use super::shelf::Entry;
use super::{Active, faults};
use crate::called::member;
use crate::caller::Caller;
use crate::carried::Failure;
use crate::endpoint::Target;
use crate::errand::{Errand, Params, read_input};
use crate::faults::server_not_found;
use crate::gateway::Gateway;
use crate::hooks::{Trace, hidden};
use crate::reply::fault_of;
use crate::sight::{Carrier, Seen, Visit, Way};
use crate::waited::Footprint;
use mcp::Kind;
use model::{Code, Fault, WorkflowType};
use serde_json::value::RawValue;
use std::time::Instant;

impl Gateway {
    /// Whether there is such a workflow, and whether it could be executed now.
    pub fn can_execute(&self, id: &str) -> Result<(), Fault> {
        runs(self.graphs.shelf.row().get(id)?)
    }

    /// Runs an active graph with the context of the body, the server being called, and gives the run as JSON.
    pub async fn execute_workflow(
        &self,
        caller: Caller<'_>,
        id: &str,
        body: &str,
        carrier: Carrier<'_>,
    ) -> Result<String, Fault> {
        let body: &RawValue = serde_json::from_str(body)
            .map_err(|error| faults::wrong("body", format!("body must be a JSON object: {error}")))?;
        let kind = {
            let row = self.graphs.shelf.row();
            let entry = row.get(id)?;
            runs(entry)?;
            entry.workflow.workflow_type
        };
        let context = part(body.get(), "context").filter(|context| context.starts_with('{'));
        let context = context.ok_or_else(|| faults::wrong("context", "context must be a JSON object"))?;
        let [request, metadata] = ["request", "metadata"].map(|name| part(context, name).unwrap_or("{}"));
        if let Some(method) = part(request, "method")
            && member(request, "method").as_deref() != Some(kind.name())
        {
            let message = format!("context.request.method must be {kind}, not {method}");
            return Err(faults::wrong("context.request.method", message));
        }
        let server = part(context, "serverName").map_or((metadata, "metadata."), |_| (context, ""));
        let server = server_in(server)?;
        let footprint = Footprint::default();
        let client = member(metadata, "clientId");
        let caller = caller.named(client.as_deref()).watching().leaving(&footprint);
        let visit = self.visit(Way::Rest, kind.name(), carrier, Instant::now()).by(caller);
        let work = async {
            match kind {
                WorkflowType::ToolsList => {
                    let (outcome, trace) = self.tools_json(caller).await;
                    Executed::of(trace, outcome.err())
                }
                _ => self.execute_call(request, server.as_deref(), caller).await,
            }
        };
        let Executed { trace, code, fault, server, tool } = Visit::within(Some(&visit), work).await;
        let (server, tool) = (server.as_deref(), tool.as_deref());
        visit.close(&Seen { caller, server, tool, code, hooks: Some(&trace) });
        // A hook of the list may have stopped the request before the graph.
        match trace.run() {
            Some(run) if run.graph().workflow() == id => Ok(self.shown(run.to_json(Some(hidden))).await),
            _ => Err(fault.unwrap_or_else(|| faults::disabled(id))),
        }
    }

    /// The parameters go on as they are written.
    async fn execute_call(&self, request: &str, server: Option<&str>, caller: Caller<'_>) -> Executed {
        let params = part(request, "params").and_then(|params| serde_json::from_str(params).ok());
        let (name, input) = match read_input(params.unwrap_or(RawValue::NULL)) {
            Ok(read) => read,
            Err(fault) => return Executed::refused(fault),
        };
        let refused = |fault: Fault| {
            let subject = || format!("{}/{name}", server.unwrap_or_default());
            self.refuse_call(&caller, "tools/call", fault.code, subject);
            let (server, tool) = (server.map(str::to_owned), Some(name.to_string()));
            Executed { server, tool, ..Executed::refused(fault) }
        };
        let _entered = match self.enter(&caller).await {
            Ok(entered) => entered,
            Err(fault) => return refused(fault),
        };
        let target = match self.meant(&caller, server, &name) {
            Ok(target) => target,
            Err(fault) => return refused(fault),
        };
        let (method, params) = ("tools/call", Params::Input(input));
        let errand = Errand { caller, method, target, params, timeout: None, key: None };
        let carried = self.carry(&errand, &self.settings(), None).await;
        let target = errand.target;
        let (server, tool) = (Some(target.server.name().to_owned()), Some(target.own.to_string()));
        let code = carried.code;
        Executed { server, tool, code, ..Executed::of(carried.trace, carried.outcome.err()) }
    }

    /// The tool of the server that a context names, or of whichever has it.
    fn meant(&self, caller: &Caller<'_>, server: Option<&str>, tool: &str) -> Result<Target, Fault> {
        match server {
            Some(server) => {
                let known = self.registry().get(server).cloned();
                Ok(Target { server: known.ok_or_else(|| server_not_found(server))?, own: tool.into() })
            }
            None => self.catalog_of(caller).target(Kind::Tools, tool).ok_or_else(|| {
                Fault::new(Code::ToolNotFound, format!("Tool '{tool}' not found")).with("toolName", tool)
            }),
        }
    }
}

/// The text of a member of an object.
fn part<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    mcp::member_at(object, name).map(|at| &object[at])
}

/// The server that a part of a context names. A name that is none must not lead to whichever server has the tool.
fn server_in((object, place): (&str, &str)) -> Result<Option<String>, Fault> {
    let name = member(object, "serverName");
    match part(object, "serverName") {
        Some(text) if text != "null" && name.is_none() => {
            let field = format!("context.{place}serverName");
            Err(faults::wrong(&field, format!("{field} must be a string")))
        }
        _ => Ok(name),
    }
}

/// Whether the graph of a workflow would run.
fn runs(entry: &Entry) -> Result<(), Fault> {
    match &entry.active {
        Some(Active::Graph(_)) => Ok(()),
        Some(Active::Broken(broken)) => Err(faults::broken(broken)),
        None => Err(faults::disabled(&entry.workflow.id)),
    }
}

/// What came of a request that was executed.
struct Executed {
    trace: Trace,
    /// How it counts; `None` is a success.
    code: Option<Code>,
    /// Why it has no result.
    fault: Option<Fault>,
    server: Option<String>,
    tool: Option<String>,
}

impl Executed {
    fn of(trace: Trace, failure: Option<Failure>) -> Self {
        let fault = failure.map(|failure| match failure {
            Failure::Fault(fault) => fault,
            Failure::Rpc(error) => fault_of(&error, "", ""),
        });
        Self { trace, code: fault.as_ref().map(|fault| fault.code), fault, server: None, tool: None }
    }

    fn refused(fault: Fault) -> Self {
        Self::of(Trace::default(), Some(fault.into()))
    }
}
