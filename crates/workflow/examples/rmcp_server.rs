//! A server of one's own, built on `rmcp`, with a workflow among its tools:
//! `cargo run -p lockgate-workflow --features rmcp --example rmcp_server`, then speak MCP to it on standard input.

use lockgate_workflow::session::{
    ActivityBuilder, ActivityResult, Effect, LibraryError, SessionManager, Step, Workflow,
};
use rmcp::handler::server::router::Router;
use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::{ServerHandler, ServiceExt};
use serde_json::json;

/// A server without tools of its own.
struct Desk;

impl ServerHandler for Desk {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::default();
        info.capabilities = ServerCapabilities::builder().enable_tools().build();
        info
    }
}

fn greeting(manager: &SessionManager) -> Result<Workflow, LibraryError> {
    let greet = ActivityBuilder::new("greet")
        .input_schema(
            json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}),
        )
        .effect(Effect::None)
        .compute(|context| match &context.input {
            Some(input) => {
                let name = input["name"].as_str().unwrap_or("you");
                ActivityResult::success(json!({"said": format!("Hello {name}")}))
            }
            None => ActivityResult::failure("Nobody is there"),
        })?;
    let bow = ActivityBuilder::new("bow")
        .effect(Effect::None)
        .compute(|_| ActivityResult::success(json!({"bowed": true})))?;
    let steps = Workflow::builder("welcome").description("Welcomes a guest");
    steps.step(Step::new(greet)).step(Step::new(bow)).build(manager)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let manager = SessionManager::default();
    let workflow = greeting(&manager)?;
    let mut server = Router::new(Desk);
    workflow.attach(&mut server.tool_router)?;
    server.serve((tokio::io::stdin(), tokio::io::stdout())).await?.waiting().await?;
    Ok(())
}
