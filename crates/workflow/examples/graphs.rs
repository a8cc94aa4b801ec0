//! Measures what graphs cost: `cargo run --release -p lockgate-workflow --example graphs`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "it prints, and stops at any trouble")]

use lockgate_workflow::recorder::{self, Handle, Recorder};
use lockgate_workflow::{Graph, KIND_NAMES, Pass, Sides, Trouble, validate};
use model::{Workflow, WorkflowDraft};
use sandbox::{Host, Launcher, Options, Sandbox};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

struct Nobody;

impl Host for Nobody {
    fn is_key(&self, _: &str) -> bool {
        false
    }

    fn server_info(&self, _: &str) -> Option<String> {
        None
    }
}

#[derive(Debug)]
struct Never;

impl Trouble for Never {
    fn message(&self) -> String {
        String::new()
    }

    fn error(&self) -> Value {
        Value::Null
    }

    fn is_passing(&self) -> bool {
        false
    }
}

fn main() {
    sandbox::worker::enter();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(all());
}

async fn all() {
    let many = line(997);
    let began = Instant::now();
    assert!(validate(&many).is_empty());
    println!("validates {} nodes in {:?}", many.nodes.len(), began.elapsed());
    let began = Instant::now();
    Graph::compile(&many).unwrap();
    println!("compiles {} nodes in {:?}", many.nodes.len(), began.elapsed());

    let sandbox = Sandbox::new(Options {
        launcher: Launcher::this_binary().unwrap(),
        workers: 2,
        host: Arc::new(Nobody),
    });
    let folder = std::env::temp_dir().join(format!("lockgate-figures-{}", std::process::id()));
    println!("{:44}{:>12}{:>12}{:>10}", "", "CPU us/run", "wall us", "dropped");
    let none: Option<Handle> = None;
    measure("start -> mcp-call -> end, not recorded", &line(0), &sandbox, none.as_ref(), 300_000).await;
    let file = || store::Location::in_folder(&folder);
    for (name, location) in [
        ("start -> mcp-call -> end, kept in memory", store::Location::Memory),
        ("start -> mcp-call -> end, kept in SQLite", file()),
    ] {
        let store = store::open(&location).await.unwrap();
        let limits = recorder::Limits { most: 10_000, age: Duration::from_secs(86_400) };
        let options = recorder::Options { store: store.clone(), limits, mask: None };
        let (recorder, handle) = Recorder::new(options);
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let task = tokio::spawn(recorder.run(async {
            let _ = stopped.await;
        }));
        measure(name, &line(0), &sandbox, Some(&handle), 100_000).await;
        drop(stop);
        task.await.unwrap();
        store.close().await;
    }
    let _ = std::fs::remove_dir_all(&folder);
    for hooks in [1, 3] {
        let name = format!("{hooks} hooks before the call");
        measure(&name, &line(hooks), &sandbox, none.as_ref(), 20_000).await;
    }
    sandbox.stop().await;
}

/// Start, hooks, call, end.
fn line(hooks: usize) -> Workflow {
    let mut nodes = vec![json!({"id": "s", "type": "start"})];
    for n in 0..hooks {
        let hook = json!({"id": "x", "script": "return {continue: true}", "blocking": true});
        nodes.push(json!({"id": format!("h{n}"), "type": "hook", "data": {"label": "Hook", "hook": hook}}));
    }
    nodes.extend([json!({"id": "c", "type": "mcp-call"}), json!({"id": "e", "type": "end"})]);
    let edges: Vec<Value> =
        nodes.windows(2).map(|pair| json!({"source": pair[0]["id"], "target": pair[1]["id"]})).collect();
    let body =
        json!({"name": "Line", "workflowType": "tools/call", "nodes": nodes, "edges": edges}).to_string();
    Workflow::new("w".into(), WorkflowDraft::parse(&body, &KIND_NAMES).unwrap(), 0)
}

async fn measure(name: &str, workflow: &Workflow, sandbox: &Sandbox, recorder: Option<&Handle>, count: u32) {
    const PARAMS: &str = r#"{"name":"echo","arguments":{"text":"hello","number":42}}"#;
    const REPLY: &str =
        r#"{"content":[{"type":"text","text":"{\"text\":\"hello\",\"number\":42}"}],"isError":false}"#;
    let graph = Graph::compile(workflow).unwrap();
    let sides = Sides::default();
    let one = async || {
        let pass = Pass {
            method: "tools/call",
            params: PARAMS,
            metadata: r#"{"clientId":"anonymous","serverName":"echo","serverId":"echo","startTime":1763164800000}"#,
            top: r#"{"requestType":"CallTool","toolName":"echo","serverName":"echo"}"#,
            follow: None,
            shared: None,
            limit: Duration::from_secs(5),
            bypass: false,
            answer: None,
            scripts: sandbox,
            modules: &(),
            tools: &(),
            sides: &sides,
            recorder,
            watched: false,
            ended: &|_| {},
            left: &|_| {},
            store: None,
        };
        let call =
            async |_: Option<Box<RawValue>>| Ok::<_, Never>(RawValue::from_string(REPLY.to_owned()).unwrap());
        graph.run(pass, call).await.outcome.unwrap();
    };
    for _ in 0..1000 {
        one().await;
    }
    let (cpu, wall) = (cpu(), Instant::now());
    for n in 0..count {
        one().await;
        // As fast as a busy gateway, not as fast as possible: the queue is for bursts.
        if recorder.is_some() && n % 500 == 499 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    let wall = wall.elapsed();
    if let Some(recorder) = recorder {
        recorder.flush().await;
    }
    let per = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(count);
    let dropped = recorder.map_or(0, Handle::dropped);
    println!("{name:44}{:>12.2}{:>12.2}{dropped:>10}", per(self::cpu().saturating_sub(cpu)), per(wall));
}

/// The CPU time of this process, workers not included.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}
