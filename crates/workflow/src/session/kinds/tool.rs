//! An activity that calls a tool of a server.

use crate::session::activity::{Activity, ActivityContext, ActivityResult, Effect, Running};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// Calls tools of servers, with the checks, hooks and graph of any other call.
pub trait CallTool: Send + Sync {
    /// Makes one call: the tool's value, or the message of its error.
    fn call<'a>(&'a self, request: ToolRequest<'a>) -> Running<'a, Result<Value, String>>;

    /// What a second call of that tool would do, as far as its annotations say.
    fn effect(&self, server: &str, tool: &str) -> Effect;
}

/// One call.
#[derive(Clone, Copy, Debug)]
pub struct ToolRequest<'a> {
    /// The name of the server.
    pub server: &'a str,
    /// The name of its tool.
    pub tool: &'a str,
    /// The arguments: an object.
    pub arguments: &'a Value,
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// The same at every repetition; goes along as `lockgate/idempotencyKey`.
    pub key: &'a str,
    /// Who started the session.
    pub client_id: &'a str,
    /// The session whose step it is; `standalone` where there is none.
    pub session_id: &'a str,
}

/// Calls a server's tool with the step's input as arguments.
pub struct ToolActivity {
    name: String,
    server: String,
    tool: String,
    timeout: Option<Duration>,
    tools: Arc<dyn CallTool>,
}

impl ToolActivity {
    /// The activity of this name that calls this tool.
    pub fn new(
        name: &str,
        server: &str,
        tool: &str,
        timeout: Option<Duration>,
        tools: Arc<dyn CallTool>,
    ) -> Self {
        Self { name: name.to_owned(), server: server.to_owned(), tool: tool.to_owned(), timeout, tools }
    }
}

impl Activity for ToolActivity {
    fn name(&self) -> &str {
        &self.name
    }

    fn effect(&self) -> Effect {
        self.tools.effect(&self.server, &self.tool)
    }

    fn run<'a>(&'a self, context: &'a mut ActivityContext) -> Running<'a, ActivityResult> {
        Box::pin(async move {
            let nothing = Value::Object(Map::new());
            let arguments = context.input.as_ref().unwrap_or(&nothing);
            if !arguments.is_object() {
                return ActivityResult::failure("The input of a tool must be a JSON object");
            }
            let request = ToolRequest {
                server: &self.server,
                tool: &self.tool,
                arguments,
                timeout: self.timeout,
                key: &context.key,
                client_id: &context.client_id,
                session_id: &context.session_id,
            };
            let called = self.tools.call(request).await;
            called.map_or_else(ActivityResult::failure, ActivityResult::success)
        })
    }
}
