//! What activities reach outside: tools on the road of every call, and HTTP where it is allowed.

use crate::caller::Caller;
use crate::carried::Failure;
use crate::gateway::Gateway;
use crate::outbound;
use crate::reply::{fault_of, value_of};
use crate::request::ToolCall;
use crate::waited::Footprint;
use model::Address;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Weak;
use std::time::Duration;
use workflow::session::{CallHttp, CallTool, Effect, HttpReply, HttpRequest, Running, ToolRequest};

/// The largest answer of an HTTP request.
const ANSWER_MAX: usize = 4 << 20;

/// An activity's own timeout is to be noticed before that of its call.
const GRACE: Duration = Duration::from_millis(1000);

/// The gateway, for activities.
pub(super) struct Road(Weak<Gateway>);

impl Road {
    pub(super) const fn new(gateway: Weak<Gateway>) -> Self {
        Self(gateway)
    }

    async fn call_tool(&self, request: ToolRequest<'_>) -> Result<Value, String> {
        let gateway = self.0.upgrade().ok_or("The gateway is stopping")?;
        let input =
            RawValue::from_string(request.arguments.to_string()).map_err(|error| error.to_string())?;
        let timeout = request.timeout.map(|limit| limit.saturating_add(GRACE).as_millis());
        let mut call = ToolCall {
            server: Some(request.server.into()),
            tool: request.tool.into(),
            input: &input,
            timeout: timeout.map(|ms| u64::try_from(ms).unwrap_or(u64::MAX)),
            key: Some(request.key),
        };
        let footprint = Footprint::default();
        let caller = Caller::step(request.client_id, request.session_id).leaving(&footprint);
        let carried = gateway.call(caller, &mut call).await;
        let (server, tool) = (request.server, request.tool);
        let result = match carried.outcome {
            Ok(result) => result,
            Err(Failure::Fault(fault)) => return Err(fault.message),
            Err(Failure::Rpc(error)) => return Err(fault_of(&error, server, tool).message),
        };
        let value = value_of(&result, false, server, tool).map_err(|fault| fault.message)?;
        serde_json::from_str(&value).map_err(|error| error.to_string())
    }

    async fn request(&self, request: HttpRequest) -> Result<HttpReply, String> {
        let gateway = self.0.upgrade().ok_or("The gateway is stopping")?;
        let allow = &gateway.settings().outbound.allow;
        let reach = outbound::permits(allow, &request.url).map_err(|refusal| format!("url {refusal}"))?;
        let address = Address::parse(&request.url).map_err(|rule| format!("url {rule}"))?;
        let target = mcp::Target { address, headers: Vec::new(), admits: reach.admits(), tokens: None };
        let limit = request.timeout;
        let sent = mcp::Request {
            method: request.method,
            headers: request.headers,
            body: request.body.unwrap_or_default(),
        };
        match tokio::time::timeout(limit, mcp::send(&target, sent, ANSWER_MAX)).await {
            Ok(Ok((status, body))) => Ok(HttpReply { status, body: body.to_vec() }),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!("Request timed out after {}ms", limit.as_millis())),
        }
    }
}

impl CallTool for Road {
    fn call<'a>(&'a self, request: ToolRequest<'a>) -> Running<'a, Result<Value, String>> {
        Box::pin(self.call_tool(request))
    }

    fn effect(&self, server: &str, tool: &str) -> Effect {
        let hints = || Some(self.0.upgrade()?.registry().get(server)?.tools()?.hints(tool));
        match hints() {
            Some(hints) if hints.read_only_hint || hints.idempotent_hint => Effect::Repeatable,
            _ => Effect::Once,
        }
    }
}

impl CallHttp for Road {
    fn send<'a>(&'a self, request: HttpRequest) -> Running<'a, Result<HttpReply, String>> {
        Box::pin(self.request(request))
    }
}
