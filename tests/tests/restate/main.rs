//! Sessions on Restate (`workflow.engine: restate`), with a real server of it: the same replies as without, and what
//! stands when the gateway or Restate is killed.

mod faults;
mod instances;
mod story;
mod timers;

use databases::Restate;
use serde_json::{Value, json};
use testkit::{Builder, Client, Folder, Http, Port, Request, TestGateway, eventually};

/// A gateway whose sessions run on a Restate of its own.
struct Yard {
    gateway: TestGateway,
    restate: Restate,
    _port: Port,
}

/// An activity that is a script.
fn script(name: &str, source: &str) -> Value {
    json!({"name": name, "run": {"script": source}})
}

/// An activity that is a tool of the fixture.
fn tool(name: &str, tool: &str) -> Value {
    json!({"name": name, "run": {"tool": {"server": "test-server", "name": tool}}})
}

/// A workflow of these steps; a text stands for its activity.
fn workflow(name: &str, steps: &[Value]) -> Value {
    let step = |step: &Value| if step.is_string() { json!({"activity": step}) } else { step.clone() };
    json!({"name": name, "description": name, "steps": steps.iter().map(step).collect::<Vec<_>>()})
}

/// A gateway with these definitions, whose fixture notes effects in a file of its folder.
fn builder(folder: &Folder, activities: &[Value], workflows: &[Value]) -> Builder {
    let file = folder.join("effects.jsonl").to_str().expect("a path of UTF-8").to_owned();
    TestGateway::builder().server("test-server", |server| server.env("FX_EFFECTS", &file)).setting(&format!(
        "activities: {}\nworkflows: {}",
        json!(activities),
        json!(workflows)
    ))
}

/// The settings of a gateway whose sessions run on that server.
fn on(restate: &Restate, listen: u16, endpoint: Option<u16>) -> String {
    let endpoint = endpoint.map(|port| format!(", endpoint: 'http://127.0.0.1:{port}'")).unwrap_or_default();
    let (ingress, admin) = (restate.ingress(), restate.admin());
    let listen = format!("listen: '127.0.0.1:{listen}'{endpoint}");
    format!("workflow: {{engine: restate}}\nrestate: {{ingress: '{ingress}', admin: '{admin}', {listen}}}")
}

impl Yard {
    /// Starts both.
    #[track_caller]
    fn new(activities: &[Value], workflows: &[Value]) -> Self {
        let (restate, folder, port) = (Restate::own(), Folder::new(), Port::free());
        let builder = builder(&folder, activities, workflows).setting(&on(&restate, port.number, None));
        let yard = Self { gateway: builder.start_in(folder), restate, _port: port };
        yard.wait_registered();
        yard
    }

    /// Waits until Restate knows the gateway.
    #[track_caller]
    fn wait_registered(&self) {
        registered(&self.gateway);
    }

    /// Kills the gateway and starts it again.
    #[track_caller]
    fn killed(self) -> Self {
        self.gateway.kill9();
        let gateway = self.gateway.revive();
        gateway.wait_status("test-server", "running");
        Self { gateway, ..self }
    }

    #[track_caller]
    fn call(&self, tool: &str, arguments: Value) -> Value {
        Client::modern(self.gateway.http()).call(tool, arguments)
    }

    #[track_caller]
    fn session(&self, id: &str) -> Value {
        session(self.gateway.http(), id)
    }

    #[track_caller]
    fn wait(&self, id: &str, what: &str, seen: impl Fn(&Value) -> bool) -> Value {
        eventually(what, || Some(self.session(id)).filter(|session| seen(session)))
    }

    /// How many effects there are.
    fn effects(&self) -> usize {
        std::fs::read_to_string(self.gateway.folder().join("effects.jsonl"))
            .unwrap_or_default()
            .lines()
            .count()
    }

    /// Waits until the fixture runs a step with that `ms`.
    #[track_caller]
    fn wait_running(&self, ms: u64) {
        running(&self.gateway, ms);
    }
}

/// Waits until Restate knows a gateway.
#[track_caller]
fn registered(gateway: &TestGateway) {
    eventually("the gateway is registered", || {
        gateway.log_lines().iter().any(|line| line.contains("sessions run on Restate")).then_some(())
    });
}

/// Waits until the fixture of a gateway runs a step with that `ms`.
#[track_caller]
fn running(gateway: &TestGateway, ms: u64) {
    eventually("the step runs", || {
        Some(gateway.stats("test-server")).filter(|stats| stats["last"]["ms"] == ms)
    });
}

/// A call on a thread of its own.
fn call_later(http: Http, tool: &str, arguments: &Value) -> std::thread::JoinHandle<Option<Value>> {
    let (_, request) =
        Client::modern(http).request("tools/call", json!({"name": tool, "arguments": arguments}));
    std::thread::spawn(move || Some(http.try_send(&request).ok()?.body["result"].clone()))
}

/// The id of the session that a reply speaks of.
#[track_caller]
fn id(reply: &Value) -> String {
    let id = reply["structuredContent"]["sessionId"].as_str();
    id.unwrap_or_else(|| panic!("no session in {reply}")).to_owned()
}

/// The text of a reply.
#[track_caller]
fn text(reply: &Value) -> &str {
    reply["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {reply}"))
}

/// A session as the API shows it.
#[track_caller]
fn session(http: Http, id: &str) -> Value {
    let reply = http.send(&Request::new("GET", &format!("/api/sessions/{id}")));
    reply.expect_status(200);
    reply.body
}
