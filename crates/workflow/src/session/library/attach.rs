//! The tools of a workflow on a server that is built on the `rmcp` SDK.

use super::{Call, LOCAL, LibraryError, ToolShown, Workflow};
use crate::session::reply::Reply;
use rmcp::handler::server::tool::{ToolCallContext, ToolRoute, ToolRouter};
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, Tool};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Says who makes a request.
type Client = Arc<dyn Fn(&RequestContext<RoleServer>) -> String + Send + Sync>;

impl Workflow {
    /// Shows its tools on a server for one client, such as one on standard input and output. A workflow is
    /// attached once.
    pub fn attach<S>(&self, server: &mut ToolRouter<S>) -> Result<(), LibraryError>
    where
        S: Send + Sync + 'static,
    {
        self.attach_for(server, |_| LOCAL.to_owned())
    }

    /// Shows its tools on a server for several clients, which `client` tells apart: a session belongs to the client
    /// that started it.
    pub fn attach_for<S>(
        &self,
        server: &mut ToolRouter<S>,
        client: impl Fn(&RequestContext<RoleServer>) -> String + Send + Sync + 'static,
    ) -> Result<(), LibraryError>
    where
        S: Send + Sync + 'static,
    {
        let tools = self.tools();
        let taken = tools.iter().any(|tool| server.map.contains_key(tool.name.as_str()));
        if taken || self.attached.swap(true, Ordering::AcqRel) {
            let message = format!("Workflow \"{}\" is already registered with a server", self.name());
            return Err(LibraryError::Refused(message));
        }
        let client: Client = Arc::new(client);
        for tool in tools {
            server.add_route(self.route(tool, Arc::clone(&client)));
        }
        Ok(())
    }

    fn route<S: Send + Sync + 'static>(&self, tool: ToolShown, client: Client) -> ToolRoute<S> {
        let (workflow, face) = (self.clone(), tool.face);
        let schema = match tool.input_schema {
            Value::Object(schema) => schema,
            _ => serde_json::Map::new(),
        };
        let shown = Tool::new(tool.name, tool.description, Arc::new(schema)).with_title(tool.title);
        ToolRoute::new_dyn(shown, move |context: ToolCallContext<'_, S>| {
            let workflow = workflow.clone();
            let client_id = client(&context.request_context);
            let call = Call { face, client_id, arguments: context.arguments.unwrap_or_default() };
            let meta = context.request_context.meta;
            Box::pin(
                async move { Ok::<_, ErrorData>(as_result(workflow.call_with(call, &meta).await).into()) },
            )
        })
    }
}

fn as_result(reply: Reply) -> CallToolResult {
    let content = vec![ContentBlock::text(reply.text)];
    let mut result = match reply.is_error {
        true => CallToolResult::error(content),
        false => CallToolResult::success(content),
    };
    result.structured_content = reply.structured;
    if let Some(Value::Object(meta)) = reply.meta {
        result.meta = Some(MetaObject(meta));
    }
    result
}
