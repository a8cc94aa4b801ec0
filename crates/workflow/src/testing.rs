//! For the tests of this crate: small graphs in a few words, and scripts without an engine.

use crate::pass::{Answer, Pass, Passed, Sides, Tool, Tools, Trouble};
use crate::plan::Graph;
use crate::recorder::{Handle, Limits, Options, Recorder};
use crate::scripts::Scripts;
use crate::text::with;
use model::Workflow;
use sandbox::{End, ErrorCode, Job, Json, Phase, Ran, Report, ScriptError, Verdict};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;

/// A node in words: `s start`, `h hook ok`, `h continue throw`, `f side ok`, `m module id`, `d if true`,
/// `a do score`.
pub(crate) fn node(words: &str) -> Value {
    let mut parts = words.splitn(3, ' ');
    let mut next = || parts.next().unwrap_or_default();
    let (id, kind, rest) = (next(), next(), next());
    let hook =
        |hook: Value| json!({"id": id, "type": "hook", "data": {"label": format!("The {id}"), "hook": hook}});
    match kind {
        "hook" => hook(json!({"id": "x", "script": rest, "blocking": true})),
        "continue" => hook(json!({"id": "x", "script": rest, "blocking": true, "onError": "continue"})),
        "side" => hook(json!({"id": "x", "script": rest, "blocking": false})),
        "module" => hook(json!({"id": "x", "hookModuleId": rest, "blocking": true})),
        "do" => json!({"id": id, "type": "activity", "data": {"step": {"activity": rest}}}),
        "if" => json!({"id": id, "type": "condition", "data": {"expression": rest}}),
        kind => json!({"id": id, "type": kind, "data": {}}),
    }
}

/// An edge in words: `a b`, or `a b true`.
pub(crate) fn edge(words: &str) -> Value {
    let words: Vec<&str> = words.split(' ').collect();
    match words[..] {
        [source, target, way] => json!({"source": source, "target": target, "sourceHandle": way}),
        _ => json!({"source": words[0], "target": words.get(1).copied().unwrap_or("?")}),
    }
}

/// A workflow of such nodes and edges. It is stored as it is, valid or not.
pub(crate) fn workflow<N: AsRef<str>, E: AsRef<str>>(nodes: &[N], edges: &[E]) -> Workflow {
    let nodes: Vec<Value> = nodes.iter().map(|words| node(words.as_ref())).collect();
    let edges: Vec<Value> = edges.iter().map(|words| edge(words.as_ref())).collect();
    stored(&json!(nodes), &json!(edges))
}

pub(crate) fn stored(nodes: &Value, edges: &Value) -> Workflow {
    let workflow = json!({
        "id": "w", "name": "W", "workflowType": "tools/call", "enabled": true, "nodes": nodes, "edges": edges,
        "createdAt": 0, "updatedAt": 0, "revision": 3,
    });
    serde_json::from_value(workflow).expect("a workflow")
}

/// Start, call, end, and hooks in line before and after the call.
pub(crate) fn line(pre: &[&str], post: &[&str]) -> Workflow {
    let own = |words: &str| words.split(' ').next().unwrap_or_default().to_owned();
    let nodes: Vec<&str> =
        ["s start"].iter().chain(pre).chain(&["c mcp-call"]).chain(post).chain(&["e end"]).copied().collect();
    let ids: Vec<String> = nodes.iter().map(|words| own(words)).collect();
    let edges: Vec<String> = ids.windows(2).map(|pair| format!("{} {}", pair[0], pair[1])).collect();
    workflow(&nodes, &edges)
}

/// Runs scripts of one word: `ok`, `throw`, `block`, `set`, `answer`, `answer-skip`, `replace`, `wait`.
#[derive(Clone, Debug)]
pub(crate) struct Fake {
    /// What ran and saw what, in order: script, context.
    pub(crate) seen: Arc<Mutex<Vec<(String, Value)>>>,
    /// What `wait` waits for.
    pub(crate) gate: Arc<Semaphore>,
}

impl Default for Fake {
    fn default() -> Self {
        Self { seen: Arc::default(), gate: Arc::new(Semaphore::new(0)) }
    }
}

impl Fake {
    /// The scripts that ran, in order.
    pub(crate) fn ran(&self) -> String {
        let seen = self.seen.lock().expect("no panic");
        seen.iter().map(|(script, _)| script.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// The context that a script saw last.
    pub(crate) fn saw(&self, script: &str) -> Value {
        let seen = self.seen.lock().expect("no panic");
        let last = seen.iter().rev().find(|(name, _)| name == script);
        last.unwrap_or_else(|| panic!("{script} did not run")).1.clone()
    }
}

impl Scripts for Fake {
    async fn run(&self, job: &Job<'_>) -> Ran {
        let mut ran = Ran {
            end: End::Through,
            params: None,
            response: None,
            shared: None,
            variables: None,
            reports: Vec::new(),
        };
        let (mut params, mut response) = (job.params.to_owned(), job.response.map(str::to_owned));
        for (step, one) in job.steps.iter().enumerate() {
            let parse = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
            let place = one.place.as_ref().expect("a node");
            let mut results = job.results.to_owned();
            for (earlier, report) in job.steps.iter().zip(&ran.reports) {
                let key = &earlier.place.as_ref().expect("a node").key;
                let comma = if results.is_empty() { "" } else { "," };
                results += &format!("{comma}{key}:{}", report.verdict.summary());
            }
            let mut context = parse(&with(job.top, &[&place.top]));
            context["previousResults"] = parse(&format!("{{{results}}}"));
            context["request"] = json!({"method": job.method, "params": parse(&params)});
            context["metadata"] = parse(&with(job.metadata, &[&place.metadata]));
            context["response"] = response.as_deref().map_or(Value::Null, parse);
            // The first line of a condition ends with its expression.
            let first = one.script.source.lines().next().unwrap_or_default();
            let source =
                first.strip_prefix("const chosen = await (").unwrap_or(&one.script.source).to_owned();
            let word = source.split(' ').next().unwrap_or_default().to_owned();
            self.seen.lock().expect("no panic").push((source, context));
            let verdict = match (word.as_str(), job.phase) {
                ("wait", _) => {
                    let _ = self.gate.acquire().await;
                    Verdict::Continue { changed: false }
                }
                ("throw", _) => Verdict::Failed(ScriptError {
                    code: ErrorCode::ScriptError,
                    message: "boom".into(),
                    line: None,
                    column: None,
                    limit: None,
                }),
                ("block" | "false", _) => Verdict::Blocked,
                ("set", Phase::Pre) => {
                    params = r#"{"name":"t","arguments":{"v":"pre"}}"#.into();
                    ran.params = Json::try_from(params.clone()).ok();
                    Verdict::Continue { changed: true }
                }
                ("answer" | "answer-skip", Phase::Pre) => {
                    ran.response = Json::try_from(r#"{"from":"hook"}"#.to_owned()).ok();
                    Verdict::Answered
                }
                ("replace", Phase::Post) => {
                    response = Some(r#"{"from":"post"}"#.into());
                    ran.response = response.clone().and_then(|text| Json::try_from(text).ok());
                    Verdict::Replaced
                }
                _ => Verdict::Continue { changed: false },
            };
            ran.end = match &verdict {
                Verdict::Blocked => {
                    let (code, message) = (Some("\"NO\"".into()), Some("not now".into()));
                    End::Blocked { step, code, message }
                }
                Verdict::Failed(_) if one.stop_on_error => End::Failed { step },
                Verdict::Answered if word == "answer-skip" => End::Answered,
                _ => End::Through,
            };
            let changes = match &verdict {
                Verdict::Continue { changed: true } => Some(format!("{{\"params\":{params}}}")),
                Verdict::Answered => {
                    ran.response.as_ref().map(|text| format!("{{\"response\":{}}}", &**text))
                }
                Verdict::Replaced => response.as_ref().map(|text| format!("{{\"response\":{text}}}")),
                _ => None,
            };
            let (changes, console) = (changes.filter(|_| job.show), Vec::new());
            ran.reports.push(Report { verdict, micros: 5, memory: 0, console, returned: None, changes });
            if ran.end != End::Through {
                break;
            }
        }
        ran
    }

    async fn check(&self, sources: &[&str]) -> Vec<Result<(), ScriptError>> {
        let check = |source: &&str| match source.contains("((") {
            false => Ok(()),
            true => Err(ScriptError {
                code: ErrorCode::ExecutionError,
                message: "unexpected token".into(),
                line: Some(2),
                column: None,
                limit: None,
            }),
        };
        sources.iter().map(check).collect()
    }
}

/// A failure of a call.
#[derive(Debug, PartialEq)]
pub(crate) struct Down;

impl Trouble for Down {
    fn message(&self) -> String {
        "the server is down".into()
    }

    fn error(&self) -> Value {
        json!({"code": "SERVER_CRASHED", "message": self.message()})
    }

    fn is_passing(&self) -> bool {
        true
    }
}

impl Tools for Setup {
    fn find(&self, _params: Option<&RawValue>) -> Option<Tool> {
        self.tool.clone()
    }
}

/// What is particular to one pass.
#[derive(Default)]
pub(crate) struct Setup {
    pub(crate) fake: Fake,
    pub(crate) sides: Sides,
    pub(crate) recorder: Option<Handle>,
    pub(crate) bypass: bool,
    /// The reply that was given before.
    pub(crate) answer: Option<Answer>,
    /// The call fails.
    pub(crate) down: bool,
    /// The calls that fail before one works.
    pub(crate) failures: usize,
    /// What is known of the tool.
    pub(crate) tool: Option<Tool>,
    /// How many runs have ended.
    pub(crate) ended: AtomicUsize,
    /// How often the call was made.
    pub(crate) calls: AtomicUsize,
}

pub(crate) const PARAMS: &str = r#"{"name": "t", "arguments": {}}"#;
pub(crate) const REPLY: &str = r#"{ "content": [] }"#;

impl Setup {
    /// The same with somebody who keeps records.
    pub(crate) async fn recorded(self) -> Self {
        let store = store::open(&store::Location::Memory).await.expect("opened");
        let limits = Limits { most: 1000, age: std::time::Duration::from_secs(3600) };
        let (_, handle) = Recorder::new(Options { store, limits, mask: None });
        Self { recorder: Some(handle), ..self }
    }

    /// Sends one request through a workflow.
    pub(crate) async fn pass(&self, workflow: &Workflow) -> Passed<Down> {
        self.pass_through(&Graph::compile(workflow).expect("valid")).await
    }

    /// Sends one request through a compiled graph.
    pub(crate) async fn pass_through(&self, graph: &Arc<Graph>) -> Passed<Down> {
        let pass = Pass {
            method: "tools/call",
            params: PARAMS,
            metadata: r#"{"clientId":"c"}"#,
            top: r#"{"requestType":"CallTool"}"#,
            follow: None,
            shared: None,
            limit: Duration::from_secs(5),
            bypass: self.bypass,
            answer: self.answer.clone(),
            scripts: &self.fake,
            modules: &(),
            tools: self,
            sides: &self.sides,
            recorder: self.recorder.as_ref(),
            watched: true,
            ended: &|_| {
                self.ended.fetch_add(1, Ordering::Relaxed);
            },
            left: &|_| {},
            store: None,
        };
        let call = async |params: Option<Box<RawValue>>| {
            if self.calls.fetch_add(1, Ordering::Relaxed) < self.failures || self.down {
                return Err(Down);
            }
            // The parameters as the server gets them, or the reply of one that got them as they came.
            let reply = params.map_or_else(|| REPLY.to_owned(), |params| params.get().to_owned());
            Ok(RawValue::from_string(reply).expect("JSON"))
        };
        graph.run(pass, call).await
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

/// The reply, or why there is none, as one text.
pub(crate) fn outcome(passed: &Passed<Down>) -> String {
    match &passed.outcome {
        Ok(reply) => reply.get().to_owned(),
        Err(stop) => format!("! {}", stop.message()),
    }
}
