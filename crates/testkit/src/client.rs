//! MCP clients of both eras over streamable HTTP, which hide nothing: one request, one connection.

use crate::{Events, Http, Reply, Request, events_in};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

/// The revision of the modern era.
pub const MODERN: &str = "2026-07-28";

/// The newest revision of the legacy era.
const LEGACY: &str = "2025-11-25";
const PATH: &str = "/mcp";

/// A client of one gateway.
pub struct Client {
    http: Http,
    /// The session id of a legacy client.
    session: Option<String>,
    capabilities: Value,
    next: AtomicU64,
}

impl Client {
    /// A legacy client after its handshake.
    #[track_caller]
    pub fn legacy(http: Http) -> Self {
        Self::legacy_with(http, LEGACY, json!({}))
    }

    /// A legacy client of that revision and those capabilities, after its handshake.
    #[track_caller]
    pub fn legacy_with(http: Http, version: &str, capabilities: Value) -> Self {
        let reply = http.send(&Self::initialize(version, &capabilities));
        reply.expect_status(200);
        let session = reply.header("mcp-session-id").to_owned();
        assert!(!session.is_empty(), "{:?}", reply.headers);
        let client = Self::resume(http, &session, capabilities);
        client.notify("notifications/initialized", json!({})).expect_status(202);
        client
    }

    /// A legacy client with a session id it has from elsewhere.
    pub fn resume(http: Http, session: &str, capabilities: Value) -> Self {
        Self { http, session: Some(session.to_owned()), capabilities, next: AtomicU64::new(1) }
    }

    /// A modern client, which needs no handshake.
    pub fn modern(http: Http) -> Self {
        Self::modern_with(http, json!({}))
    }

    /// A modern client of those capabilities.
    pub fn modern_with(http: Http, capabilities: Value) -> Self {
        Self { http, session: None, capabilities, next: AtomicU64::new(1) }
    }

    /// The request of a handshake.
    pub fn initialize(version: &str, capabilities: &Value) -> Request {
        let info = json!({"name": "testkit", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": info});
        post(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).to_string())
    }

    /// The session id; empty for a modern client.
    pub fn session(&self) -> &str {
        self.session.as_deref().unwrap_or_default()
    }

    /// Sends any text as this client.
    #[track_caller]
    pub fn send(&self, text: &str) -> Reply {
        self.http.send(&self.dress(post(text)))
    }

    /// Sends a notification.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "callers write the parameters in place")]
    pub fn notify(&self, method: &str, params: Value) -> Reply {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string())
    }

    /// Answers a question of the gateway.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "callers write the result in place")]
    pub fn answer(&self, question: &Value, result: Value) {
        let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": result});
        self.send(&answer.to_string()).expect_status(202);
    }

    /// A request with a fresh id, which is given too. What the era demands is added to the parameters.
    pub fn request(&self, method: &str, mut params: Value) -> (u64, Request) {
        if self.session.is_none() {
            let mut meta = modern_meta(&self.capabilities);
            if let (Some(all), Some(own)) = (meta.as_object_mut(), params["_meta"].as_object()) {
                all.extend(own.clone());
            }
            params["_meta"] = meta;
        }
        self.request_raw(method, &params.to_string())
    }

    /// A request with exactly these parameters.
    pub fn request_raw(&self, method: &str, params: &str) -> (u64, Request) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut request =
            post(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#));
        if self.session.is_none() {
            request = request.header("MCP-Protocol-Version", MODERN).header("Mcp-Method", method);
            let params: Value = serde_json::from_str(params).unwrap_or_default();
            if let Some(name) = ["name", "uri", "taskId"].iter().find_map(|key| params[key].as_str()) {
                request = request.header("Mcp-Name", name);
            }
        }
        (id, self.dress(request))
    }

    /// Sends a request that was made with `request` and gives the HTTP answer.
    #[track_caller]
    pub fn exchange(&self, request: &Request) -> Reply {
        self.http.send(request)
    }

    /// Sends a request and gives all messages of its answer; the last is the reply.
    #[track_caller]
    pub fn messages(&self, method: &str, params: Value) -> Vec<Value> {
        let (id, request) = self.request(method, params);
        let messages = messages(&self.http.send(&request));
        assert_eq!(messages.last().map(|reply| &reply["id"]), Some(&json!(id)), "{messages:?}");
        messages
    }

    /// Sends a request and gives the whole reply.
    #[track_caller]
    pub fn ask(&self, method: &str, params: Value) -> Value {
        self.messages(method, params).pop().expect("there is a reply")
    }

    /// Sends a request and gives its result.
    #[track_caller]
    pub fn result(&self, method: &str, params: Value) -> Value {
        let reply = self.ask(method, params);
        assert!(reply.get("error").is_none(), "{reply}");
        reply["result"].clone()
    }

    /// Sends a request and gives its error.
    #[track_caller]
    pub fn error(&self, method: &str, params: Value) -> Value {
        let reply = self.ask(method, params);
        assert!(reply.get("result").is_none(), "{reply}");
        reply["error"].clone()
    }

    /// Calls a tool and gives its result.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "callers write the arguments in place")]
    pub fn call(&self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Calls a tool and gives its error.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "callers write the arguments in place")]
    pub fn call_error(&self, tool: &str, arguments: Value) -> Value {
        self.error("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The names of the tools.
    #[track_caller]
    pub fn tools(&self) -> Vec<String> {
        let result = self.result("tools/list", json!({}));
        let tools = result["tools"].as_array().expect("tools is an array");
        tools.iter().map(|tool| tool["name"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Sends a request and reads its answer as it comes; the id is given too.
    #[track_caller]
    pub fn stream(&self, method: &str, params: Value) -> (u64, Events) {
        let (id, request) = self.request(method, params);
        (id, Events::open(self.http, &request))
    }

    /// A legacy client's stream for what concerns no request.
    #[track_caller]
    pub fn listen(&self) -> Events {
        self.listen_with(&[])
    }

    /// The same, taken up after the event of that id.
    #[track_caller]
    pub fn listen_after(&self, id: &str) -> Events {
        self.listen_with(&[("Last-Event-ID", id)])
    }

    #[track_caller]
    fn listen_with(&self, headers: &[(&str, &str)]) -> Events {
        let request = Request::new("GET", PATH).header("Accept", "text/event-stream");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(name, value));
        let events = Events::open(self.http, &self.dress(request));
        assert_eq!(events.status, 200, "{:?}", events.headers);
        events
    }

    /// Says goodbye, as a legacy client.
    #[track_caller]
    pub fn leave(&self) -> Reply {
        self.http.send(&self.dress(Request::new("DELETE", PATH)))
    }

    fn dress(&self, request: Request) -> Request {
        match &self.session {
            Some(session) => request.header("Mcp-Session-Id", session),
            None => request,
        }
    }
}

/// The `_meta` of a modern request.
pub fn modern_meta(capabilities: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "testkit", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

fn post(text: &str) -> Request {
    let request = Request::new("POST", PATH).header("Accept", "application/json, text/event-stream");
    request.body("application/json", text)
}

/// The JSON-RPC messages of an answer, plain or streamed.
fn messages(reply: &Reply) -> Vec<Value> {
    match reply.header("content-type").starts_with("text/event-stream") {
        true => events_in(&reply.text())
            .iter()
            .map(|event| serde_json::from_str(&event.data).expect("each event is a message"))
            .collect(),
        false => vec![reply.body.clone()],
    }
}
