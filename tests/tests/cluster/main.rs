//! Several instances on one store (spec 5.4): sessions move, changes spread, and what one instance leaves another
//! takes up.

mod definitions;
mod events;
mod faults;
mod file;
mod lost;
mod pauses;
mod rates;
mod sessions;
mod takeover;
mod together;

use databases::{Database, Postgres};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{Builder, Client, Folder, Http, Proxy, Request, TestGateway, eventually, within};

/// A change must be in effect everywhere within this time.
const SOON: Duration = Duration::from_secs(2);

/// The lease of the instances here, in milliseconds.
const LEASE: u64 = 2000;

/// Instances on one store behind one address.
struct Cluster {
    nodes: Vec<TestGateway>,
    /// Hands requests out to the instances in turn.
    proxy: Proxy,
    /// Where tools leave their effects.
    effects: Folder,
}

/// The config of one instance: the fixture, and workflows whose steps leave effects.
fn instance(url: &str, effects: &Folder) -> Builder {
    instance_with(url, effects, LEASE)
}

/// The same with another lease.
fn instance_with(url: &str, effects: &Folder, lease: u64) -> Builder {
    let tool = |name: &str, tool: &str| json!({"name": name, "description": name, "run": {"tool": {"server": "test-server", "name": tool}}});
    let activities = json!([
        {"name": "note", "description": "n",
            "run": {"script": "context.memory.noted = context.input; return {data: context.input}"}},
        {"name": "end", "description": "e", "run": {"script": "return {data: {done: true}}"}},
        tool("charge", "effect"),
        tool("stamp", "effect-once"),
    ]);
    let input = "({ id: memory.noted.id, ms: memory.noted.ms })";
    let step = |name: &str| json!({"activity": name, "inputMapper": input});
    let workflows = json!([
        {"name": "w", "description": "w",
            "steps": [{"activity": "note"}, step("charge"), step("stamp"), {"activity": "end"}]},
        {"name": "stamps", "description": "s", "steps": [{"activity": "note"}, step("stamp"), {"activity": "end"}]},
    ]);
    let file = effects.join("effects.jsonl");
    let file = file.to_str().expect("a path of UTF-8").to_owned();
    TestGateway::builder()
        .server("test-server", |server| server.env("FX_EFFECTS", &file))
        .setting(&format!("activities: {activities}\nworkflows: {workflows}"))
        .setting(&format!("store: {{url: '{url}'}}\nsessions: {{leaseMs: {lease}, maxSessions: 100000}}"))
}

impl Cluster {
    /// So many instances on one database.
    #[track_caller]
    fn of(count: usize, database: &Database) -> Self {
        let effects = Folder::new();
        Self::with((0..count).map(|_| instance(&database.url, &effects).start()).collect(), effects)
    }

    fn with(nodes: Vec<TestGateway>, effects: Folder) -> Self {
        let ports: Vec<u16> = nodes.iter().map(|node| node.http().port).collect();
        Self { nodes, proxy: Proxy::to(&ports), effects }
    }

    /// The address behind which all instances are.
    fn http(&self) -> Http {
        Http::at(self.proxy.port)
    }

    /// How many effects there are of one step of a session.
    fn effects(&self, session: &str, step: usize) -> usize {
        let key = format!("{session}/{step}");
        let lines = std::fs::read_to_string(self.effects.join("effects.jsonl")).unwrap_or_default();
        let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("a whole line"));
        lines.filter(|line| line["key"] == key).count()
    }
}

/// Calls a tool of a workflow on one instance, or wherever the proxy leads.
#[track_caller]
fn call(http: Http, tool: &str, arguments: Value) -> Value {
    Client::modern(http).call(tool, arguments)
}

/// The same on a thread of its own.
fn call_later(http: Http, tool: &str, arguments: Value) -> std::thread::JoinHandle<Option<Value>> {
    let tool = tool.to_owned();
    std::thread::spawn(move || {
        let client = Client::modern(http);
        let (_, request) = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
        Some(http.try_send(&request).ok()?.body["result"].clone())
    })
}

/// The id of the session that a reply speaks of.
#[track_caller]
fn id(reply: &Value) -> String {
    let id = reply["structuredContent"]["sessionId"].as_str();
    id.unwrap_or_else(|| panic!("no session in {reply}")).to_owned()
}

/// A session as one instance shows it.
#[track_caller]
fn session(http: Http, id: &str) -> Value {
    let reply = http.send(&Request::new("GET", &format!("/api/sessions/{id}")));
    reply.expect_status(200);
    reply.body
}

/// Waits until a session has that status there.
#[track_caller]
fn wait_status(http: Http, id: &str, status: &str) -> Value {
    eventually(&format!("the session is {status}"), || {
        Some(session(http, id)).filter(|session| session["status"] == status)
    })
}
