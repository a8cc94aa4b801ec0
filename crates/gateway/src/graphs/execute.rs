//! Executing a graph once, with a context that somebody wrote (spec 3.7). The request takes the road of every
//! other, hooks of the list included.

use super::faults;
use crate::access::Pass;
use crate::call::Failure;
use crate::caller::Caller;
use crate::endpoint::Target;
use crate::errand::{Errand, Params, read_input};
use crate::faults::server_not_found;
use crate::gateway::Gateway;
use crate::hooks::{Trace, hidden};
use crate::reply::fault_of;
use mcp::Kind;
use model::{Code, Fault, WorkflowType};
use serde_json::Value;
use serde_json::value::RawValue;

impl Gateway {
    /// Whether there is such a workflow, and whether it could be executed now.
    pub fn can_execute(&self, id: &str) -> Result<(), Fault> {
        self.graphs.shelf.row().get(id)?.graph.as_ref().map(drop).ok_or_else(|| faults::disabled(id))
    }

    /// Runs an active graph with the context of the body, the server being called, and gives the run as JSON.
    pub async fn execute_workflow(&self, pass: Option<&Pass>, id: &str, body: &str) -> Result<String, Fault> {
        let body: Value = serde_json::from_str(body)
            .map_err(|error| faults::wrong("body", format!("body must be a JSON object: {error}")))?;
        let kind = {
            let row = self.graphs.shelf.row();
            let entry = row.get(id)?;
            entry.graph.as_ref().ok_or_else(|| faults::disabled(id))?;
            entry.workflow.workflow_type
        };
        let context = body.get("context").filter(|context| context.is_object());
        let context = context.ok_or_else(|| faults::wrong("context", "context must be a JSON object"))?;
        let request = &context["request"];
        if let Some(method) = request.get("method").filter(|method| *method != kind.name()) {
            let message = format!("context.request.method must be {kind}, not {method}");
            return Err(faults::wrong("context.request.method", message));
        }
        let caller = Caller::new(context["metadata"]["clientId"].as_str()).with(pass).watching();
        let (trace, failure) = match kind {
            WorkflowType::ToolsList => {
                let (outcome, trace) = self.tools_json(caller).await;
                (trace, outcome.err())
            }
            _ => self.execute_call(context, caller).await?,
        };
        // A hook of the list may have stopped the request before the graph.
        match (trace.run(), failure) {
            (Some(run), _) if run.graph().workflow() == id => Ok(run.to_json(Some(hidden))),
            (_, Some(Failure::Fault(fault))) => Err(fault),
            (_, Some(Failure::Rpc(error))) => Err(fault_of(&error, "", "")),
            (_, None) => Err(faults::disabled(id)),
        }
    }

    async fn execute_call(
        &self,
        context: &Value,
        caller: Caller<'_>,
    ) -> Result<(Trace, Option<Failure>), Fault> {
        let params = RawValue::from_string(context["request"]["params"].to_string());
        let params = params.map_err(|_| faults::wrong("context.request.params", "params must be JSON"))?;
        let (name, input) = read_input(&params)?;
        let server = context.get("serverName").or_else(|| context["metadata"].get("serverName"));
        let target = match server.and_then(Value::as_str) {
            Some(server) => {
                let known = self.registry().get(server).cloned();
                Target { server: known.ok_or_else(|| server_not_found(server))?, own: name.into() }
            }
            None => self.catalog_of(&caller).target(Kind::Tools, &name).ok_or_else(|| {
                Fault::new(Code::ToolNotFound, format!("Tool '{name}' not found")).with("toolName", &*name)
            })?,
        };
        let (method, params) = ("tools/call", Params::Input(input));
        let errand = Errand { caller, method, target, params, timeout: None, key: None };
        let carried = self.carry(&errand, &self.settings(), None).await;
        Ok((carried.trace, carried.outcome.err()))
    }
}
