//! MCP clients of both eras, over every transport.

use super::house::House;
use super::http::{Events, Http};
use super::program::Program;
use anyhow::{Context, ensure};
use serde_json::{Value, json};

const ACCEPT: (&str, &str) = ("Accept", "application/json, text/event-stream");

/// A client.
pub(super) struct Client {
    /// What it calls itself, and what hooks see as its id.
    pub(super) name: &'static str,
    line: Line,
    next: u64,
}

/// How a client is connected.
enum Line {
    Legacy { http: Http, session: String, batch: bool },
    Modern(Http),
    Sse { http: Http, path: String, events: Events },
    Pipes { program: Program, modern: bool },
}

impl Client {
    /// Streamable HTTP, with a handshake of that revision.
    pub(super) async fn legacy(
        house: &House,
        name: &'static str,
        version: &str,
        batch: bool,
    ) -> anyhow::Result<Self> {
        let http = house.http;
        let hello = hello(name, version).to_string();
        let answer = http.send("POST", "/mcp", &[ACCEPT], Some(&hello)).await?;
        let session = answer.header("mcp-session-id").to_owned();
        ensure!(!session.is_empty(), "no session: {}", answer.body);
        Ok(Self::new(name, Line::Legacy { http, session, batch }))
    }

    /// Streamable HTTP without a handshake.
    pub(super) fn modern(house: &House, name: &'static str) -> Self {
        Self::new(name, Line::Modern(house.http))
    }

    /// The old transport: one stream, and a route to talk to.
    pub(super) async fn sse(house: &House, name: &'static str) -> anyhow::Result<Self> {
        let http = house.http;
        let mut events = http.events("/sse").await?;
        let path = events.data_with("sessionId=").await?;
        let hello = hello(name, "2024-11-05").to_string();
        http.send("POST", &path, &[], Some(&hello)).await?;
        events.data_with("\"id\":0").await?;
        Ok(Self::new(name, Line::Sse { http, path, events }))
    }

    /// `lockgate stdio`, as a desktop client starts it.
    pub(super) async fn stdio(house: &House, name: &'static str, modern: bool) -> anyhow::Result<Self> {
        let mut program = house.start(&["stdio"]).await?;
        if !modern {
            program.say(&hello(name, "2025-11-25").to_string()).await?;
            program.line_with("\"id\":0").await?;
        }
        Ok(Self::new(name, Line::Pipes { program, modern }))
    }

    fn new(name: &'static str, line: Line) -> Self {
        Self { name, line, next: 1 }
    }

    /// Makes a request and gives the text of its reply.
    pub(super) async fn ask(&mut self, method: &str, params: &Value) -> anyhow::Result<String> {
        let id = self.next;
        self.next += 1;
        let own = format!("\"id\":{id}");
        let mut message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        if matches!(self.line, Line::Modern(_) | Line::Pipes { modern: true, .. }) {
            message["params"]["_meta"] = meta(self.name);
        }
        let text = message.to_string();
        match &mut self.line {
            Line::Legacy { http, session, batch } => {
                let text = if *batch { format!("[{text}]") } else { text };
                let headers = [ACCEPT, ("Mcp-Session-Id", session)];
                Ok(http.send("POST", "/mcp", &headers, Some(&text)).await?.body)
            }
            Line::Modern(http) => {
                let mut headers = vec![ACCEPT, ("MCP-Protocol-Version", mcp::MODERN), ("Mcp-Method", method)];
                let subject = params["name"].as_str().or(params["uri"].as_str());
                headers.extend(subject.map(|name| ("Mcp-Name", name)));
                Ok(http.send("POST", "/mcp", &headers, Some(&text)).await?.body)
            }
            Line::Sse { http, path, events } => {
                let answer = http.send("POST", path, &[], Some(&text)).await?;
                ensure!(answer.status == 202, "{}", answer.body);
                events.data_with(&own).await
            }
            Line::Pipes { program, .. } => {
                program.say(&text).await?;
                program.line_with(&own).await
            }
        }
    }

    /// Waits until the log of the gateway that it talks to has this text.
    pub(super) async fn logged(&self, house: &House, text: &str) -> anyhow::Result<()> {
        match &self.line {
            Line::Pipes { program, .. } => program.logged(text).await,
            _ => house.logged(text).await,
        }
    }

    /// Says goodbye.
    pub(super) async fn leave(self) -> anyhow::Result<()> {
        if let Line::Pipes { program, .. } = self.line {
            program.finish().await.context("ending lockgate stdio")?;
        }
        Ok(())
    }
}

/// The handshake of a legacy client.
fn hello(name: &str, version: &str) -> Value {
    let info = json!({"name": name, "version": "1"});
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": info});
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
}

/// What a modern client says with every request.
fn meta(name: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": mcp::MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}
