//! The server itself: what it is able to do, and where each request goes.

use crate::call::{Answer, Call, from_json};
use crate::era::Era;
use crate::{prompts, resources, tools};
use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::task_manager::TaskManager;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::broadcast;

/// Seals `requestState`. Nothing here is secret.
const KEY: [u8; 32] = *b"a key for tests, of 32 bytes min";

/// A list that has changed, or the resource that can be watched.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Tools,
    Prompts,
    Resource,
}

/// One connection to the server; what belongs to all of them is shared.
#[derive(Clone)]
pub(crate) struct Fixture {
    pub(crate) era: Era,
    pub(crate) tasks: TaskManager,
    pub(crate) states: RequestStateCodec,
    pub(crate) changes: broadcast::Sender<Change>,
    level: Arc<Mutex<LoggingLevel>>,
}

impl Fixture {
    pub(crate) fn new(era: Era) -> Self {
        Self {
            era,
            tasks: TaskManager::new(),
            states: RequestStateCodec::try_new(KEY).expect("the key is long enough"),
            changes: broadcast::channel(16).0,
            level: first_level(),
        }
    }

    /// The same server for another connection.
    pub(crate) fn connect(&self) -> Self {
        Self { level: first_level(), ..self.clone() }
    }

    /// The level that a legacy client has set.
    pub(crate) fn level(&self) -> LoggingLevel {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a client gets that sets no level.
fn first_level() -> Arc<Mutex<LoggingLevel>> {
    Arc::new(Mutex::new(LoggingLevel::Info))
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = json!({
            "tools": {"listChanged": true},
            "prompts": {"listChanged": true},
            "resources": {"subscribe": true, "listChanged": true},
            "completions": {},
            "logging": {},
        });
        if self.era != Era::Legacy {
            capabilities["extensions"] = json!({"io.modelcontextprotocol/tasks": {}});
        }
        from_json(json!({
            "protocolVersion": self.era.versions().last(),
            "capabilities": capabilities,
            "serverInfo": {"name": "conformance-fixture", "version": env!("CARGO_PKG_VERSION")},
            "instructions": "Offers what the conformance suite asks for.",
        }))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(self.era.versions())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::list().into_iter().find(|tool| tool.name == name)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list()))
    }

    async fn call_tool(&self, params: CallToolRequestParams, context: RequestContext<RoleServer>) -> Answer {
        let call = Call {
            fixture: self,
            arguments: params.arguments.unwrap_or_default(),
            responses: params.input_responses.unwrap_or_default(),
            state: params.request_state,
            context,
        };
        tools::call(&params.name, &call).await
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let call = Call {
            fixture: self,
            arguments: params.arguments.unwrap_or_default(),
            responses: params.input_responses.unwrap_or_default(),
            state: params.request_state,
            context,
        };
        prompts::get(&params.name, &call).await
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(prompts::complete(&params.argument.value))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::list()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&params.uri)
    }

    async fn set_level(
        &self,
        params: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = params.level;
        Ok(())
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        tools::changes::forward(self.changes.subscribe(), &subscription).await;
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        tokio::spawn(tools::changes::announce(self.changes.subscribe(), context.peer));
    }

    async fn get_task(
        &self,
        params: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.tasks.get_task(&params.task_id).map(GetTaskResult::new)
    }

    async fn update_task(
        &self,
        params: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.update_task(&params.task_id, params.input_responses)
    }

    async fn cancel_task(
        &self,
        params: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.cancel_task(&params.task_id)
    }
}
