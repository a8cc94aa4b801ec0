//! A remote MCP server that lets nobody in without a token of its issuer.

use crate::issuer::Issuer;
use crate::served::{Answered, Received, Served};
use serde_json::{Value, json};
use std::sync::Arc;

/// The server, on a port of its own.
pub struct Protected {
    served: Served,
}

impl Protected {
    /// A server whose tokens come from that issuer. Its tool `whoami` tells the `Authorization` that it saw.
    #[track_caller]
    pub fn start(issuer: &Issuer) -> Self {
        let (judge, issuer) = (issuer.judge(), issuer.url());
        let judge: Arc<dyn Fn(&str) -> bool + Send + Sync> = Arc::new(judge);
        Self { served: Served::start(move |request, own| answer(request, own, &issuer, &*judge)) }
    }

    /// The address of its endpoint.
    pub fn url(&self) -> String {
        format!("{}/mcp", self.served.url())
    }

    /// Every request to the endpoint so far.
    pub fn received(&self) -> Vec<Received> {
        self.served.received("/mcp")
    }
}

const METADATA: &str = "/.well-known/oauth-protected-resource/mcp";

fn answer(request: &Received, own: &str, issuer: &str, judge: &dyn Fn(&str) -> bool) -> Answered {
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", METADATA) => {
            let resource = json!({"resource": format!("{own}/mcp"), "authorization_servers": [issuer]});
            Answered::json(200, &resource)
        }
        ("POST", "/mcp") => {
            let token = request.header("authorization").strip_prefix("Bearer ").unwrap_or_default();
            let challenge = |extra: &str| format!("Bearer resource_metadata=\"{own}{METADATA}\"{extra}");
            match judge(token) {
                true => reply(request),
                false => Answered::json(401, &json!({"error": "invalid_token"}))
                    .header("WWW-Authenticate", &challenge(", scope=\"read\"")),
            }
        }
        _ => Answered::json(405, &json!({})),
    }
}

fn reply(request: &Received) -> Answered {
    let message: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let Some(id) = message.get("id") else {
        return Answered { status: 202, headers: Vec::new(), body: String::new() };
    };
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "protected", "version": "1"}}),
        "tools/list" => json!({"tools": [tool("whoami")]}),
        "tools/call" => json!({"content": [{"type": "text", "text": request.header("authorization")}]}),
        "ping" => json!({}),
        _ => {
            let error = json!({"code": -32601, "message": "Method not found"});
            return Answered::json(200, &json!({"jsonrpc": "2.0", "id": id, "error": error}));
        }
    };
    Answered::json(200, &json!({"jsonrpc": "2.0", "id": id, "result": result}))
}
