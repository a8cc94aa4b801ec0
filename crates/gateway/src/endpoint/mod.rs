//! The gateway as one MCP server: all servers behind it appear as one, to clients of either era.
//! Transports only move bytes; what a message means is decided here.

mod batch;
mod begun;
mod catalog;
mod early;
mod elicited;
mod faces;
mod flights;
mod following;
mod forward;
mod guest;
mod holders;
mod levels;
mod link;
mod listen;
mod lists;
mod message;
mod modern;
mod moves;
mod names;
mod note;
mod own;
mod park;
mod put;
mod questions;
mod reached;
mod relay;
mod roots;
mod rounds;
mod session_tasks;
mod streams;
mod subscriptions;
mod talks;
mod tasks;

pub use batch::Batch;
pub(crate) use begun::task_in;
pub(crate) use catalog::{Catalog, Target};
pub use flights::Cancel;
pub use guest::Guest;
pub use listen::Subscription;
pub use message::{is_error, protocol_error, refusal, too_long, unreadable};
pub use modern::Claim;
pub use note::{Note, Notebook};
pub(crate) use tasks::no_foreign_task;

use crate::access::{Entered, Pass};
use crate::caller::Caller;
use crate::gateway::Gateway;
use crate::sent::Sent;
use crate::talk::Talk;
use flights::Flights;
use mcp::{Body, Era, Kind, MODERN, Message, Word};
use model::Code;
use questions::{Answer, Questions};
use serde_json::json;
use serde_json::value::RawValue;
use std::sync::Arc;

/// Where messages for a client go while its request is worked on.
pub type Line = mcp::Sender<Vec<u8>>;

/// What the endpoint remembers of its clients.
#[derive(Default)]
pub(crate) struct Endpoint {
    questions: Questions,
    roots: roots::Roots,
    flights: Flights,
    subscriptions: subscriptions::Subscriptions,
    streams: streams::Streams,
    parking: park::Parking,
    levels: levels::Levels,
    tasks: begun::Tasks,
    elicited: elicited::Elicited,
    /// Whether all that comes is from one client.
    alone: bool,
}

impl Endpoint {
    /// Nothing is known of any client yet; whether there will be one only.
    pub(crate) fn new(alone: bool) -> Self {
        Self { alone, ..Self::default() }
    }

    /// The one client that something said by a server concerns, though it belongs to no request: `None` when it
    /// concerns all, `Some(None)` when nobody knows whom.
    fn concerns(&self, server: &str, method: &str, params: &str) -> Option<Option<u64>> {
        match method {
            "notifications/tasks/status" => Some(self.tasks.client(server, params)),
            mcp::COMPLETE => Some(self.elicited.client(params)),
            _ => None,
        }
    }
}

/// Whether a request may have this id.
fn is_id(id: &RawValue) -> bool {
    !id.get().starts_with(['{', '[', 'n', 't', 'f'])
}

/// The refusal of a request that is not written as one.
fn malformed(message: &Message<'_>) -> Option<Vec<u8>> {
    static META: Word = Word::new("_meta");
    static TOKEN: Word = Word::new("progressToken");
    let (Body::Method(_, params), Some(id)) = (&message.body, message.id) else { return None };
    let params = params.map_or("{}", RawValue::get);
    let no_object = params != "null" && !params.starts_with('{');
    let (id, rule) = if !is_id(id) {
        (RawValue::NULL, "the id must be a string or a number")
    } else if !message.versioned {
        (id, "jsonrpc must be \"2.0\"")
    } else if no_object {
        return Some(message::error(id, -32602, "Invalid params: they must be an object", None));
    } else if mcp::repeats(params, &META) {
        // A server could take the one that was not looked at.
        (id, "the parameters have the member '_meta' twice")
    } else if mcp::repeats_within(params, META.text(), &TOKEN) {
        // A token that is not replaced could be another client's.
        (id, "'_meta' has the member 'progressToken' twice")
    } else {
        return None;
    };
    Some(message::error(id, -32600, &format!("Invalid request: {rule}"), None))
}

impl Gateway {
    /// The reply to `initialize`, without its envelope.
    fn welcome(&self, asked: &Asked<'_>) -> String {
        let mut welcome = json!({
            "protocolVersion": asked.guest.version,
            "capabilities": self.capabilities(asked, Era::Legacy),
            "serverInfo": {"name": model::PRODUCT, "title": "Lockgate", "version": model::VERSION},
        });
        if let Some(text) = self.catalog_of(&asked.caller()).instructions() {
            welcome["instructions"] = text.into();
        }
        welcome.to_string()
    }

    /// The reply to `server/discover`, as members.
    fn introduction(&self, asked: &Asked<'_>) -> String {
        let mut members = format!(
            r#""supportedVersions":["{MODERN}"],"capabilities":{},"ttlMs":{},"cacheScope":"{}","_meta":{{{}}}"#,
            self.capabilities(asked, Era::Modern),
            lists::TTL_MS,
            lists::SCOPE,
            SERVER_INFO,
        );
        if let Some(text) = self.catalog_of(&asked.caller()).instructions() {
            members += &format!(r#","instructions":{}"#, json!(text));
        }
        members
    }

    fn capabilities(&self, asked: &Asked<'_>, era: Era) -> serde_json::Value {
        let catalog = self.catalog_of(&asked.caller());
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
        // What sessions do is told as log messages too.
        if can("logging") || !self.sessions.own().is_empty() {
            all["logging"] = json!({});
        }
        let mut extensions = catalog.announced("extensions").unwrap_or_default();
        if era == Era::Legacy {
            if let Some(mut tasks) = catalog.announced("tasks") {
                if catalog.only_with_tasks(era).is_none() {
                    tasks.shift_remove("list");
                }
                all["tasks"] = tasks.into();
            }
            // Tasks of the modern era are none that it could use.
            extensions.shift_remove(tasks::EXTENSION);
        } else if !self.sessions.own().is_empty() {
            // A session may be started as one.
            extensions.entry(tasks::EXTENSION).or_insert_with(|| json!({}));
        }
        if !extensions.is_empty() {
            all["extensions"] = extensions.into();
        }
        all
    }

    /// Takes one message of a client whose connection was greeted. The reply, where there is one.
    pub async fn receive(self: &Arc<Self>, visitor: Visitor<'_>, message: &Message<'_>) -> Option<Vec<u8>> {
        let Visitor { guest, name, pass, line, note, cancel } = visitor;
        match (&message.body, message.id) {
            (Body::Method(..), Some(_)) if let Some(refusal) = malformed(message) => Some(refusal),
            (Body::Method(method, params), Some(id)) => {
                let flight = self.endpoint.flights.begin(guest, id, cancel);
                let cancel = flight.cancel();
                let params = *params;
                let (talk, entered) = (None, None);
                let asked =
                    Asked { guest, name, pass, id, method, params, talk, line, note, cancel, entered };
                let work = std::pin::pin!(self.answer(&asked));
                flight.fly(work).await
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
        let asked = |id| self.endpoint.answer(guest.number, id, answer);
        if message.own_id().is_some_and(asked) {
            return None;
        }
        let text =
            "Nobody here asked this: the answer belongs to another instance of the gateway, or to nothing";
        Some(message::protocol_error(None, -32600, text))
    }

    /// The headers that a modern `tools/call` must carry besides, each with its value.
    pub fn mirrored(
        &self,
        pass: Option<&Pass>,
        name: &str,
        params: &str,
    ) -> Vec<(String, Option<mcp::Repeated>)> {
        let caller = Caller::new(None).with(pass);
        let target = self.catalog_of(&caller).find(Kind::Tools, name);
        let target = target
            .filter(|target| caller.limits().is_none_or(|pass| pass.permits(&target.server, &target.own)));
        let tools = target.and_then(|target| Some((target.server.tools()?, target.own)));
        let Some((tools, own)) = tools else { return Vec::new() };
        tools.with_headers(&own).map(|tool| mcp::mirrored(tool, params)).unwrap_or_default()
    }

    /// A notification of a client.
    fn told(&self, guest: &Guest, method: &str, params: Option<&RawValue>) {
        if method == "notifications/roots/list_changed" && guest.era() == Era::Legacy {
            let params = params.map(RawValue::get);
            self.endpoint.roots.knowing(guest.number).iter().for_each(|server| server.notify(method, params));
        }
        if method == "notifications/initialized" {
            self.endpoint.ready(guest.number);
        }
        if method == "notifications/progress"
            && let Some(params) = params
        {
            self.endpoint.questions.progress(guest.number, params.get());
        }
        if method == "notifications/cancelled"
            && let Some(params) = params
            && let Some(at) = mcp::member_at(params.get(), "requestId")
        {
            self.endpoint.flights.cancel(guest, &params.get()[at], params.get());
        }
    }

    /// A request of a client.
    async fn answer(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        if self.ready.get().is_none() && self.needs_servers(asked) {
            Box::pin(self.tried_for(asked)).await;
        }
        let entered = match asked.method {
            "initialize" | "server/discover" | "ping" => Ok(Entered::default()),
            _ if self.goes_on(asked) => self.let_back(&asked.caller()).await,
            _ => self.enter_within(&asked.caller(), || self.time_of(asked)).await,
        };
        let entered = match &entered {
            Ok(entered) => Some(entered),
            Err(fault) => {
                self.refuse_call(&asked.caller(), asked.method, fault.code, || self.subject_of(asked));
                return message::refusal(asked.id, fault);
            }
        };
        let asked = &Asked { entered, ..*asked };
        match self.talk_in(asked) {
            None => self.answer_entered(asked).await,
            Some((talk, params)) => {
                let asked = Asked { talk: Some(&talk), params: Some(&params), ..*asked };
                Box::pin(self.answer_entered(&asked)).await
            }
        }
    }

    /// The same once it was let in.
    async fn answer_entered(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        match asked.method {
            "tools/call" => self.call_tool(asked).await,
            // In a box, so that calls carry nothing of the rest.
            _ => Box::pin(self.answer_other(asked)).await,
        }
    }

    async fn answer_other(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        let era = asked.guest.era();
        match asked.method {
            "tools/list" => self.page(asked, Kind::Tools).await,
            "prompts/list" => self.page(asked, Kind::Prompts).await,
            "resources/list" => self.page(asked, Kind::Resources).await,
            "resources/templates/list" => self.page(asked, Kind::Templates).await,
            "prompts/get" => self.get_prompt(asked).await,
            "resources/read" => self.read_resource(asked).await,
            "completion/complete" => self.complete(asked).await,
            "tasks/get" | "tasks/cancel" => self.ask_about_task(asked).await,
            "tasks/result" if era == Era::Legacy => self.ask_about_task(asked).await,
            "tasks/list" if era == Era::Legacy => self.list_tasks(asked).await,
            "tasks/update" if era == Era::Modern => self.ask_about_task(asked).await,
            "initialize" if era == Era::Legacy => message::result(asked.id, &self.welcome(asked)),
            "ping" if era == Era::Legacy => message::own(asked.id, "", era),
            "logging/setLevel" if era == Era::Legacy => self.set_level(asked).await,
            "resources/subscribe" if era == Era::Legacy => self.subscribe(asked, true).await,
            "resources/unsubscribe" if era == Era::Legacy => self.subscribe(asked, false).await,
            "server/discover" if era == Era::Modern => message::own(asked.id, &self.introduction(asked), era),
            method => {
                let text = format!("Method not found: {method}");
                message::error(asked.id, Code::NotFound.jsonrpc(), &text, None)
            }
        }
    }
}

/// Who sends a message, over what, and where its note is left.
#[derive(Clone, Copy)]
pub struct Visitor<'a> {
    /// The client as its handshake or its request shows it.
    pub guest: &'a Guest,
    /// The name that the transport gives it, such as the header `X-Client-Id`.
    pub name: Option<&'a str>,
    /// The key that it gave; nothing where there are no keys.
    pub pass: Option<&'a Arc<Pass>>,
    /// Where messages for it go meanwhile.
    pub line: &'a Line,
    /// Where it is noted what the request was.
    pub note: &'a Notebook,
    /// How the transport ends the request when the client says so; without it the client's session knows its requests.
    pub cancel: Option<&'a Cancel>,
}

/// A request of a client, with everything that is needed to answer it.
struct Asked<'a> {
    guest: &'a Guest,
    name: Option<&'a str>,
    pass: Option<&'a Arc<Pass>>,
    id: &'a RawValue,
    method: &'a str,
    params: Option<&'a RawValue>,
    /// What earlier rounds of it brought; the parameters then have all that hooks see of it.
    talk: Option<&'a Talk>,
    line: &'a Line,
    note: &'a Notebook,
    cancel: Option<&'a Cancel>,
    /// The place it has within the limits, once it was let in. A call that outlives it shares that.
    entered: Option<&'a Entered>,
}

impl<'a> Asked<'a> {
    fn caller(&self) -> Caller<'_> {
        let caller = Caller::guest(self.guest, self.name).leaving(&self.note.footprint);
        caller.with(self.pass.map(Arc::as_ref))
    }

    /// The parameters on their way to a server.
    fn sent(&self, path: &'static [&'static str]) -> Sent<'a> {
        Sent::new(self.params, path).within(self.talk)
    }

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

/// The member of `_meta` that names the server which gave a result.
const INFO: &str = "io.modelcontextprotocol/serverInfo";

/// How `_meta` of a result names the server that gave it, as a member without braces.
const SERVER_INFO: &str = concat!(
    r#""io.modelcontextprotocol/serverInfo":{"name":"lockgate","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#""}"#
);
