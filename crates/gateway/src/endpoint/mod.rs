//! The gateway as one MCP server: all servers behind it appear as one, to clients of either era.
//! Transports only move bytes; what a message means is decided here.

mod catalog;
mod flights;
mod forward;
mod guest;
mod levels;
mod listen;
mod lists;
mod message;
mod names;
mod park;
mod questions;
mod rounds;
mod tasks;

pub(crate) use catalog::Catalog;
pub use guest::Guest;
pub use listen::Subscription;

use crate::gateway::Gateway;
use flights::Flights;
use mcp::{Body, Era, Kind, MODERN, Message};
use model::Code;
use questions::{Answer, Questions};
use serde_json::json;
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Where messages for a client go while its request is worked on.
pub type Line = mpsc::Sender<Vec<u8>>;

/// What the endpoint remembers of its clients.
#[derive(Default)]
pub(crate) struct Endpoint {
    questions: Questions,
    flights: Flights,
    subscriptions: listen::Subscriptions,
    parking: park::Parking,
    levels: levels::Levels,
    tasks: tasks::Tasks,
}

impl Gateway {
    /// The reply to `initialize`, without its envelope.
    fn welcome(&self, guest: &Guest) -> String {
        let mut welcome = json!({
            "protocolVersion": guest.version,
            "capabilities": self.capabilities(Era::Legacy),
            "serverInfo": {"name": model::PRODUCT, "title": "Lockgate", "version": model::VERSION},
        });
        if let Some(text) = self.catalog().instructions() {
            welcome["instructions"] = text.into();
        }
        welcome.to_string()
    }

    /// The reply to `server/discover`, as members.
    fn introduction(&self) -> String {
        let mut members = format!(
            r#""supportedVersions":["{MODERN}"],"capabilities":{},"ttlMs":{},"cacheScope":"{}","_meta":{{{}}}"#,
            self.capabilities(Era::Modern),
            lists::TTL_MS,
            lists::SCOPE,
            SERVER_INFO,
        );
        if let Some(text) = self.catalog().instructions() {
            members += &format!(r#","instructions":{}"#, json!(text));
        }
        members
    }

    fn capabilities(&self, era: Era) -> serde_json::Value {
        let catalog = self.catalog();
        // Until every server has been tried, nobody knows what they can do together.
        let can = |capability| !self.ready.initialized() || catalog.can(capability);
        let mut all = json!({"tools": {"listChanged": true}});
        if can("prompts") {
            all["prompts"] = json!({"listChanged": true});
        }
        if can("resources") {
            all["resources"] = json!({"subscribe": true, "listChanged": true});
        }
        if can("completions") {
            all["completions"] = json!({});
        }
        if era == Era::Legacy && can("logging") {
            all["logging"] = json!({});
        }
        match era {
            Era::Legacy => catalog.announced("tasks").into_iter().for_each(|tasks| all["tasks"] = tasks),
            Era::Modern => {
                catalog.announced("extensions").into_iter().for_each(|found| all["extensions"] = found)
            }
        }
        all
    }

    /// Takes one message of a client whose connection was greeted. The reply, where there is one.
    pub async fn receive(
        self: &Arc<Self>,
        guest: &Guest,
        message: &Message<'_>,
        line: &Line,
    ) -> Option<Vec<u8>> {
        match (&message.body, message.id) {
            (Body::Method(method, params), Some(id)) => {
                let asked = Asked { guest, id, method, params: *params, line };
                self.endpoint.flights.fly(guest, id, self.answer(&asked)).await
            }
            (Body::Method(method, params), None) => {
                self.told(guest, method, *params);
                None
            }
            (Body::Result(raw), _) => self.answered(guest, message, Ok((*raw).to_owned())),
            (Body::Error(raw), _) => self.answered(guest, message, Err((*raw).to_owned())),
            (Body::Nothing, id) => {
                Some(message::error(id.unwrap_or(RawValue::NULL), -32600, "Invalid request", None))
            }
        }
    }

    fn answered(&self, guest: &Guest, message: &Message<'_>, answer: Answer) -> Option<Vec<u8>> {
        if let Some(id) = message.own_id() {
            self.endpoint.questions.answer(guest.number, id, answer);
        }
        None
    }

    /// The headers that a modern `tools/call` must carry besides, each with its value.
    pub fn mirrored(&self, params: &str) -> Vec<(String, Option<String>)> {
        let name =
            mcp::member_at(params, "name").and_then(|at| serde_json::from_str::<String>(&params[at]).ok());
        let target = name.and_then(|name| self.catalog().find(Kind::Tools, &name));
        let tools = target.and_then(|target| Some((target.server.tools()?, target.own)));
        let Some((tools, own)) = tools else { return Vec::new() };
        tools.with_headers(&own).map(|tool| mcp::mirrored(tool, params)).unwrap_or_default()
    }

    /// A notification of a client.
    fn told(&self, guest: &Guest, method: &str, params: Option<&RawValue>) {
        if method == "notifications/cancelled"
            && let Some(params) = params
            && let Some(at) = mcp::member_at(params.get(), "requestId")
        {
            self.endpoint.flights.cancel(guest, &params.get()[at]);
        }
    }

    /// A request of a client.
    async fn answer(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        let era = asked.guest.era();
        if !matches!(asked.method, "initialize" | "server/discover" | "ping") {
            self.ready.wait().await;
        }
        match asked.method {
            "tools/call" => self.call_tool(asked).await,
            "tools/list" => self.page(asked, Kind::Tools),
            "prompts/list" => self.page(asked, Kind::Prompts),
            "resources/list" => self.page(asked, Kind::Resources),
            "resources/templates/list" => self.page(asked, Kind::Templates),
            "prompts/get" => self.get_prompt(asked).await,
            "resources/read" => self.read_resource(asked).await,
            "completion/complete" => self.complete(asked).await,
            "tasks/get" | "tasks/cancel" => self.ask_about_task(asked).await,
            "tasks/result" if era == Era::Legacy => self.ask_about_task(asked).await,
            "tasks/list" if era == Era::Legacy => self.list_tasks(asked).await,
            "tasks/update" if era == Era::Modern => self.ask_about_task(asked).await,
            "initialize" if era == Era::Legacy => message::result(asked.id, &self.welcome(asked.guest)),
            "ping" if era == Era::Legacy => message::own(asked.id, "", era),
            "logging/setLevel" if era == Era::Legacy => self.set_level(asked),
            "resources/subscribe" if era == Era::Legacy => self.subscribe(asked, true).await,
            "resources/unsubscribe" if era == Era::Legacy => self.subscribe(asked, false).await,
            "server/discover" if era == Era::Modern => message::own(asked.id, &self.introduction(), era),
            method => {
                let text = format!("Method not found: {method}");
                message::error(asked.id, Code::NotFound.jsonrpc(), &text, None)
            }
        }
    }
}

/// A request of a client, with everything that is needed to answer it.
struct Asked<'a> {
    guest: &'a Guest,
    id: &'a RawValue,
    method: &'a str,
    params: Option<&'a RawValue>,
    line: &'a Line,
}

impl Asked<'_> {
    /// Where the parameters name what is asked for.
    fn key_path(&self) -> &'static [&'static str] {
        match self.method {
            "tools/call" | "prompts/get" => &["name"],
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => &["uri"],
            "tasks/get" | "tasks/result" | "tasks/update" | "tasks/cancel" => &["taskId"],
            _ => &[],
        }
    }
}

/// How `_meta` of a result names the server that gave it, as a member without braces.
const SERVER_INFO: &str = concat!(
    r#""io.modelcontextprotocol/serverInfo":{"name":"lockgate","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#""}"#
);

/// The revision that a request names in its `_meta`; only modern requests do.
pub fn modern_version(message: &Message<'_>) -> Option<String> {
    let Body::Method(_, Some(params)) = &message.body else { return None };
    let meta = mcp::member_at(params.get(), "_meta").map(|at| &params.get()[at])?;
    let version = mcp::member_at(meta, "io.modelcontextprotocol/protocolVersion").map(|at| &meta[at])?;
    Some(serde_json::from_str(version).unwrap_or_default())
}

/// Recognises a modern request by its `_meta` and checks what the revision demands of it.
/// `Ok(None)` is a request of the legacy era.
pub fn modern_guest(message: &Message<'_>) -> Result<Option<Guest>, Vec<u8>> {
    const PREFIX: &str = "io.modelcontextprotocol/";
    let Body::Method(method, params) = &message.body else { return Ok(None) };
    let id = message.id.unwrap_or(RawValue::NULL);
    let sent = crate::sent::Sent::new(*params, &[]);
    let version = sent.meta(&format!("{PREFIX}protocolVersion"));
    let modern_method = matches!(&**method, "server/discover" | "subscriptions/listen");
    let Some(version) = version else {
        return match modern_method {
            true => {
                Err(message::error(id, -32602, "Missing _meta io.modelcontextprotocol/protocolVersion", None))
            }
            false => Ok(None),
        };
    };
    let requested: String = serde_json::from_str(version).unwrap_or_default();
    if requested != MODERN {
        let data = json!({"supported": [MODERN], "requested": requested});
        return Err(message::error(id, -32022, "Unsupported protocol version", Some(&data)));
    }
    let capabilities = sent.meta(&format!("{PREFIX}clientCapabilities")).filter(|text| text.starts_with('{'));
    match capabilities {
        Some(text) => Ok(Some(Guest::from_meta(text, sent.meta(&format!("{PREFIX}clientInfo"))))),
        None => {
            Err(message::error(id, -32602, "Missing _meta io.modelcontextprotocol/clientCapabilities", None))
        }
    }
}
