//! A fixture in few words: a graph, a sandbox and a server that counts its calls.

use libtest_mimic::Trial;
use lockgate_workflow::{Graph, KIND_NAMES, Module, Modules, Pass, Passed, Sides, Trouble};
use model::{Workflow, WorkflowDraft};
use sandbox::{Host, Launcher, Options, Report, Sandbox, Script};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use store::Store;
use tokio::runtime::Runtime;

struct Nobody;

impl Host for Nobody {
    fn is_key(&self, _: &str) -> bool {
        false
    }

    fn server_info(&self, _: &str) -> Option<String> {
        None
    }
}

/// The runtime of all tests.
pub(crate) fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().unwrap())
}

/// The sandbox that tests share.
pub(crate) fn sandbox() -> &'static Sandbox {
    static SANDBOX: OnceLock<Sandbox> = OnceLock::new();
    SANDBOX.get_or_init(own_sandbox)
}

/// One for a test that keeps the workers busy.
pub(crate) fn own_sandbox() -> Sandbox {
    let launcher = Launcher::this_binary().unwrap();
    Sandbox::new(Options { launcher, workers: 2, host: Arc::new(Nobody) })
}

/// A test that is a future.
pub(crate) fn test<F>(name: &str, body: fn() -> F) -> Trial
where
    F: Future<Output = ()> + Send + 'static,
{
    Trial::test(name, move || {
        runtime().block_on(body());
        Ok(())
    })
}

pub(crate) fn hook(id: &str, script: &str) -> Value {
    json!({"id": id, "type": "hook", "data": {"label": id, "hook": {"id": id, "script": script, "blocking": true}}})
}

pub(crate) fn side(id: &str, script: &str) -> Value {
    json!({"id": id, "type": "hook", "data": {"label": id, "hook": {"id": id, "script": script, "blocking": false}}})
}

/// `G(pre, post)` with side hooks, each with what it hangs off.
pub(crate) fn graph(pre: &[Value], post: &[Value], sides: &[(&str, Value)]) -> Workflow {
    let plain = |id: &str, kind: &str| json!({"id": id, "type": kind, "data": {"label": kind}});
    let mut line = vec![plain("s", "start")];
    line.extend_from_slice(pre);
    line.push(plain("c", "mcp-call"));
    line.extend_from_slice(post);
    line.push(plain("e", "end"));
    // The edges to side hooks come first, which must not matter.
    let mut edges: Vec<Value> =
        sides.iter().map(|(of, node)| json!({"source": of, "target": node["id"]})).collect();
    edges.extend(line.windows(2).map(|pair| json!({"source": pair[0]["id"], "target": pair[1]["id"]})));
    line.extend(sides.iter().map(|(_, node)| node.clone()));
    workflow(&line, &edges)
}

pub(crate) fn workflow(nodes: &[Value], edges: &[Value]) -> Workflow {
    let body = json!({"name": "Example", "workflowType": "tools/call", "nodes": nodes, "edges": edges});
    let draft = WorkflowDraft::parse(&body.to_string(), &KIND_NAMES).unwrap();
    Workflow::new("wf".into(), draft, 0)
}

#[derive(Debug)]
pub(crate) struct Down;

impl Trouble for Down {
    fn message(&self) -> String {
        "the server is down".into()
    }

    fn error(&self) -> Value {
        json!({"message": "the server is down"})
    }

    fn is_passing(&self) -> bool {
        true
    }
}

/// The hook `shout`, which a node may name.
pub(crate) struct Shout;

struct Shouting(Arc<Script>);

impl Module for Shouting {
    fn id(&self) -> &str {
        "shout"
    }

    fn script(&self) -> &Arc<Script> {
        &self.0
    }

    fn version(&self) -> u64 {
        7
    }

    fn ran(&self, _report: &Report) {}
}

impl Modules for Shout {
    fn edition(&self) -> u64 {
        0
    }

    fn module(&self, id: &str) -> Option<Arc<dyn Module>> {
        let script = Script::new("Shout!", "context.request.params.arguments.v = 'SHOUT'");
        (id == "shout").then(|| Arc::new(Shouting(script)) as Arc<dyn Module>)
    }
}

/// A server that echoes the arguments, and what a request brought back.
pub(crate) struct Echo {
    pub(crate) calls: AtomicUsize,
    pub(crate) bypass: bool,
    pub(crate) limit: Duration,
    pub(crate) scripts: Sandbox,
    pub(crate) store: Option<Store>,
}

impl Echo {
    pub(crate) fn new(bypass: bool) -> Self {
        let (limit, scripts) = (Duration::from_secs(5), sandbox().clone());
        Self { calls: AtomicUsize::new(0), bypass, limit, scripts, store: None }
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    pub(crate) async fn call(&self, workflow: &Workflow, arguments: &Value) -> Passed<Down> {
        let sides = Sides::default();
        let params = json!({"name": "echo", "arguments": arguments}).to_string();
        let pass = Pass {
            method: "tools/call",
            params: &params,
            metadata: r#"{"clientId":"me","startTime":1}"#,
            top: r#"{"requestType":"CallTool","toolName":"echo"}"#,
            follow: None,
            shared: None,
            limit: self.limit,
            bypass: self.bypass,
            answer: None,
            scripts: &self.scripts,
            modules: &Shout,
            tools: &(),
            sides: &sides,
            recorder: None,
            watched: true,
            ended: &|_| {},
            left: &|_| {},
            store: self.store.as_ref(),
        };
        let as_sent = params.clone();
        let call = async |changed: Option<Box<RawValue>>| {
            self.calls.fetch_add(1, Ordering::Relaxed);
            let got: Value =
                serde_json::from_str(changed.as_ref().map_or(as_sent.as_str(), |raw| raw.get())).unwrap();
            Ok(RawValue::from_string(json!({"echo": got["arguments"]}).to_string()).unwrap())
        };
        Graph::compile(workflow).unwrap().run(pass, call).await
    }
}

pub(crate) fn reply(passed: &Passed<Down>) -> Value {
    match &passed.outcome {
        Ok(reply) => serde_json::from_str(reply.get()).unwrap(),
        Err(stop) => json!(stop.message()),
    }
}

pub(crate) fn record(passed: &Passed<Down>) -> Value {
    serde_json::from_str(&passed.run.to_json(None)).unwrap()
}

/// Waits until a node of a run has this state.
pub(crate) async fn until(passed: &Passed<Down>, node: &str, state: &str) -> Value {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
    loop {
        let record = record(passed);
        if record["results"][node]["state"] == state {
            return record["results"][node].clone();
        }
        assert!(tokio::time::Instant::now() < deadline, "{record}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
