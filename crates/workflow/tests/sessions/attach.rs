//! A workflow on a server that is built on `rmcp`, spoken to in plain lines.

use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{LibraryError, Workflow};
use rmcp::handler::server::router::Router;
use rmcp::{ServerHandler, ServiceExt};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};

struct Plain;

impl ServerHandler for Plain {}

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        once("a_workflow_shows_its_tools_on_a_server_of_its_author", shown),
        once("a_workflow_is_attached_once", attached_once),
        once("what_stands_in_the_metadata_of_a_call_counts_there_too", metadata),
    ]
}

/// A client of few words.
struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
    sent: u64,
}

impl Client {
    async fn of(workflow: &Workflow) -> Self {
        let (near, far) = tokio::io::duplex(65_536);
        let mut server = Router::new(Plain);
        workflow.attach(&mut server.tool_router).unwrap();
        tokio::spawn(async move { server.serve(far).await.unwrap().waiting().await.unwrap() });
        let (read, write) = tokio::io::split(near);
        let mut client = Self { lines: BufReader::new(read).lines(), write, sent: 0 };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}});
        client.ask("initialize", hello).await;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    async fn send(&mut self, message: &Value) {
        self.write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        let id = self.sent;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        loop {
            let line = self.lines.next_line().await.unwrap().unwrap();
            let reply: Value = serde_json::from_str(&line).unwrap();
            if reply["id"] == json!(id) {
                return reply["result"].clone();
            }
        }
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await
    }
}

async fn shown() {
    let desk = Desk::open(Kind::Memory).await;
    let mut client = Client::of(&desk.build(calc())).await;
    let tools = client.ask("tools/list", json!({})).await;
    let tools = tools["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 5);
    let start = tools.iter().find(|tool| tool["name"] == "calc_start").unwrap();
    assert_eq!(start["title"], "Start calc Workflow");
    assert_eq!(start["inputSchema"]["required"], json!(["a", "b"]));
    let first = client.call("calc_start", json!({"a": 5, "b": 3})).await;
    assert_eq!(first["structuredContent"]["stepResult"], json!({"result": 8}), "{first}");
    assert_eq!(first["_meta"]["suggestedNextTool"], "calc_continue");
    let option = &first["structuredContent"]["nextStepOptions"][0];
    let next = client.call(option["toolName"].as_str().unwrap(), option["parameters"].clone()).await;
    assert_eq!(next["structuredContent"]["stepResult"], json!({"result": 16}));
    let again = client.call(option["toolName"].as_str().unwrap(), option["parameters"].clone()).await;
    assert_eq!(again["structuredContent"], next["structuredContent"], "a repetition runs nothing");
    let last = client.call("calc_continue", json!({})).await;
    assert_eq!(last["structuredContent"]["status"], "completed");
    let unknown = client.call("calc_status", json!({"sessionId": "none"})).await;
    assert_eq!(unknown["isError"], true);
    assert_eq!(unknown["content"][0]["text"], "Workflow session none not found");
}

async fn attached_once() {
    let desk = Desk::open(Kind::Memory).await;
    let workflow = desk.build(calc());
    let mut server = Router::new(Plain);
    workflow.attach(&mut server.tool_router).unwrap();
    let mut other = Router::new(Plain);
    let error = workflow.attach(&mut other.tool_router).unwrap_err();
    assert!(matches!(&error, LibraryError::Refused(_)));
    assert_eq!(error.to_string(), "Workflow \"calc\" is already registered with a server");
}

async fn metadata() {
    let desk = Desk::open(Kind::Memory).await;
    let mut client = Client::of(&desk.build(calc())).await;
    let meta = json!({"lockgate/idempotencyKey": "k", "lockgate/maxSteps": 2});
    let start = json!({"name": "calc_start", "arguments": {"a": 5, "b": 3}, "_meta": meta});
    let first = client.ask("tools/call", start.clone()).await;
    assert_eq!(first["structuredContent"]["stepResult"], json!({"result": 16}), "{first}");
    let again = client.ask("tools/call", start).await;
    assert_eq!(again["structuredContent"]["sessionId"], first["structuredContent"]["sessionId"]);
    let session = &first["structuredContent"]["sessionId"];
    let late = client.call("calc_pause", json!({"sessionId": session, "expectedStep": 1})).await;
    assert_eq!(late["isError"], true, "{late}");
}
