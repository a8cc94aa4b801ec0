//! Trying a script on a sample, or on a request that passed: no server is called, nothing is counted.

use super::book::faults;
use super::captures::Capture;
use super::members::Members;
use super::subject::{self, request_type};
use crate::gateway::Gateway;
use model::{Code, Fault, HookType};
use sandbox::{End, Form, Job, Json, Phase, Ran, Rank, Report, Script, Step, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::time::Duration;

/// The most bytes of a script (spec 2.2).
const SCRIPT_MAX: usize = 1_048_576;

/// A script to be tried.
#[derive(Clone, Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Draft {
    /// The script.
    pub script: Option<String>,
    /// `pre` or `post`; by default what fits the context.
    pub phase: Option<String>,
    /// A sample context: `request`, `response`, `metadata` and whatever else the script reads. It is taken as it is
    /// written, as a request is.
    #[schema(value_type = Option<Object>)]
    pub context: Option<Box<RawValue>>,
    /// A captured request instead of a sample.
    pub capture_id: Option<String>,
}

/// What a script made of a sample.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trial {
    /// The phase it ran in.
    pub phase: &'static str,
    /// What it returned, with `continue` where it left that out: `{continue, context?, response?, error?}`; null when it
    /// failed.
    #[schema(value_type = Value)]
    pub verdict: Box<RawValue>,
    /// The context it was given.
    #[schema(value_type = Value)]
    pub before: Box<RawValue>,
    /// The context as it left it.
    #[schema(value_type = Value)]
    pub after: Box<RawValue>,
    /// Whether the two differ.
    pub changed: bool,
    /// What it wrote to the console.
    pub console: Vec<ConsoleLine>,
    /// How long it ran, in milliseconds.
    pub duration: f64,
    /// The most bytes it held at one time.
    pub memory: u64,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<TrialError>,
}

/// One line that a script wrote to the console.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct ConsoleLine {
    /// `log`, `debug`, `info`, `warn` or `error`.
    pub level: &'static str,
    /// What it says.
    pub text: String,
}

/// Why a script failed.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct TrialError {
    /// `SCRIPT_ERROR`, `TIMEOUT` or `EXECUTION_ERROR`.
    pub code: &'static str,
    /// What happened.
    pub message: String,
    /// Where in the script, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Where in that line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The limit that stopped it: `time`, `memory`, `stack`, `output`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<&'static str>,
}

impl Gateway {
    /// The requests that passed lately, the newest first.
    pub fn captures(&self) -> Vec<Capture> {
        self.hooks.captures.list()
    }

    /// Tries a script that is not kept.
    pub async fn try_draft(&self, draft: Draft) -> Result<Trial, Fault> {
        let script = draft.script.as_deref().filter(|text| !text.trim().is_empty());
        let script = script.ok_or_else(|| refuse("script is required", "script"))?;
        if script.len() > SCRIPT_MAX {
            let message = format!("script exceeds maximum size ({SCRIPT_MAX} bytes)");
            return Err(refuse(message, "script").with("max", SCRIPT_MAX));
        }
        let script = Script::new("draft", script);
        self.try_on(script, &draft, None).await
    }

    /// Tries a hook that is kept, as it stands.
    pub async fn try_hook(&self, id: &str, draft: &Draft) -> Result<Trial, Fault> {
        let page = self.hooks.book.page();
        let entry = page.get(id).cloned().ok_or_else(|| faults::unknown(id))?;
        drop(page);
        let own = match entry.hook.hook_type {
            HookType::Pre => Some(Phase::Pre),
            HookType::Post => Some(Phase::Post),
            HookType::Both => None,
        };
        self.try_on(entry.script.clone(), draft, own).await
    }

    async fn try_on(
        &self,
        script: std::sync::Arc<Script>,
        draft: &Draft,
        own: Option<Phase>,
    ) -> Result<Trial, Fault> {
        let asked = match draft.phase.as_deref() {
            None => own,
            Some("pre") => Some(Phase::Pre),
            Some("post") => Some(Phase::Post),
            Some(_) => return Err(refuse("phase must be 'pre' or 'post'", "phase")),
        };
        let sample = Sample::new(&self.sample(draft, asked)?, draft.capture_id.is_some())?;
        let fitting = if sample.response.is_some() { Phase::Post } else { Phase::Pre };
        let phase = asked.unwrap_or(fitting);
        let limit = Duration::from_millis(self.settings().hooks.timeout_ms);
        let steps = [Step { tell: true, ..Step::new(script, false) }];
        let response = sample.response.as_deref().filter(|_| phase == Phase::Post);
        let ran = self.hooks.sandbox.run(&sample.job(phase, &steps, response, limit)).await;
        Ok(sample.told(phase, ran))
    }

    /// The context that a draft is to be tried on.
    fn sample(&self, draft: &Draft, phase: Option<Phase>) -> Result<String, Fault> {
        if let Some(id) = &draft.capture_id {
            let capture = self.hooks.captures.get(id).ok_or_else(|| {
                Fault::new(Code::NotFound, format!("Capture '{id}' not found; it may have been pushed out"))
                    .with("captureId", id.as_str())
            })?;
            let post = phase == Some(Phase::Post);
            capture.suits(post)?;
            return Ok(capture.context(post).to_string());
        }
        let given = draft.context.as_ref().map_or("{}", |context| context.get());
        if let Some(key) = crate::scan::repeated(given) {
            let message =
                format!("context has the member '{key}' twice, and no request with hooks may have that");
            return Err(refuse(message, "context").with("key", key));
        }
        Ok(given.to_owned())
    }
}

fn refuse(message: impl Into<String>, field: &str) -> Fault {
    Fault::new(Code::ValidationError, message).with("field", field)
}

/// A context, in the parts in which it crosses.
struct Sample {
    whole: Members,
    request: Members,
    all_metadata: Members,
    method: String,
    params: String,
    response: Option<String>,
    metadata: String,
    shared: Option<String>,
    variables: Option<String>,
    top: String,
}

impl Sample {
    /// What passed has its aliases already, and its tool may have another name for clients.
    fn new(context: &str, passed: bool) -> Result<Self, Fault> {
        let object = |text: &str, name: &str| {
            let broken = |_| refuse(format!("{name} must be a JSON object"), name);
            serde_json::from_str::<Members>(text).map_err(broken)
        };
        let mut whole = object(context, "context")?;
        let mut request = object(whole.get("request").unwrap_or("{}"), "context.request")?;
        request.or_insert("method", || r#""tools/call""#.into());
        request.or_insert("params", || "{}".into());
        let all_metadata = object(whole.get("metadata").unwrap_or("{}"), "context.metadata")?;
        whole.set("request", request.to_raw());
        whole.set("metadata", all_metadata.to_raw());
        let method = request.get("method").and_then(text).unwrap_or_default();
        let params = request.get("params").unwrap_or("{}").to_owned();
        let shared = all_metadata.get("shared").map(str::to_owned);
        let metadata = all_metadata.without(&["shared"]).to_raw().get().to_owned();
        if !passed {
            alias(&mut whole, &method, &params, all_metadata.get("serverName").and_then(text));
        }
        let variables = whole.get("variables").filter(|all| all.starts_with('{')).map(str::to_owned);
        let top = whole.without(&["request", "response", "metadata", "variables"]).to_raw().get().to_owned();
        let response = whole.get("response").map(str::to_owned);
        Ok(Self { whole, request, all_metadata, method, params, response, metadata, shared, variables, top })
    }

    fn job<'a>(
        &'a self,
        phase: Phase,
        steps: &'a [Step],
        response: Option<&'a str>,
        limit: Duration,
    ) -> Job<'a> {
        Job {
            phase,
            steps,
            show: false,
            form: Form::Hook,
            rank: Rank::Work,
            limit,
            method: &self.method,
            params: &self.params,
            response,
            metadata: &self.metadata,
            shared: self.shared.as_deref(),
            variables: self.variables.as_deref(),
            top: &self.top,
            results: "",
            follow: None,
            left: None,
        }
    }

    fn told(self, phase: Phase, ran: Ran) -> Trial {
        let Self { whole, mut request, mut all_metadata, .. } = self;
        let Ran { end, params, response, shared, variables, mut reports } = ran;
        let report = if reports.is_empty() { None } else { Some(reports.remove(0)) };
        let before = whole.to_raw();
        let mut after = whole;
        if let Some(params) = params.map(Box::from) {
            request.set("params", params);
            after.set("request", request.to_raw());
        }
        if let Some(shared) = shared.map(raw) {
            all_metadata.set("shared", shared);
            after.set("metadata", all_metadata.to_raw());
        }
        if let Some(variables) = variables.map(raw) {
            after.set("variables", variables);
        }
        if let (Some(response), Phase::Post) = (&response, phase) {
            after.set("response", response.clone().into());
        }
        let error = report.as_ref().and_then(trouble);
        let returned = report.as_ref().and_then(|report| report.returned.as_deref());
        let verdict = match error {
            Some(_) => RawValue::NULL.to_owned(),
            None => decided(&end, returned, response.filter(|_| phase == Phase::Pre)).to_raw(),
        };
        let (micros, memory) = report.as_ref().map_or((0, 0), |report| (report.micros, report.memory));
        let console = report.map_or_else(Vec::new, |report| {
            let lines = report.console.into_iter();
            lines.map(|line| ConsoleLine { level: line.level.name(), text: line.text }).collect()
        });
        let after = after.to_raw();
        Trial {
            phase: super::verdict::phase(phase),
            verdict,
            changed: after.get() != before.get(),
            before,
            after,
            console,
            duration: micros as f64 / 1000.0,
            memory,
            error,
        }
    }
}

/// Gives a sample the aliases that a real request like it would have (spec 2.4).
fn alias(members: &mut Members, method: &str, params: &str, server: Option<String>) {
    let (named_by, joint) = if method == "resources/read" { ("uri", "+") } else { ("name", "__") };
    let own = crate::called::member(params, named_by).map(|name| {
        let own = server.as_deref().and_then(|server| name.strip_prefix(server)?.strip_prefix(joint));
        own.map_or_else(|| name.clone(), str::to_owned)
    });
    let kind = request_type(method).map(str::to_owned);
    let known = [(Some("requestType"), kind), (subject::alias(method), own), (Some("serverName"), server)];
    for (key, value) in known.into_iter().filter_map(|(key, value)| key.zip(value)) {
        // What the sample says itself stands.
        members.or_insert(key, || Value::from(value).to_string());
    }
}

fn trouble(report: &Report) -> Option<TrialError> {
    let Verdict::Failed(error) = &report.verdict else { return None };
    Some(TrialError {
        code: error.code.name(),
        message: error.message.clone(),
        line: error.line,
        column: error.column,
        limit: error.limit.map(sandbox::Limit::name),
    })
}

/// The verdict in the words of the script, or as far as it is known where they cannot be written.
fn decided(end: &End, returned: Option<&str>, answer: Option<Json>) -> Members {
    let goes_on = || matches!(end, End::Through).to_string();
    if let Some(mut given) = returned.and_then(|text| serde_json::from_str::<Members>(text).ok()) {
        given.or_insert("continue", goes_on);
        return given;
    }
    let mut verdict = Members::default();
    verdict.or_insert("continue", goes_on);
    if let Some(answer) = answer {
        verdict.set("response", answer.into());
    }
    if let End::Blocked { code, message, .. } = end
        && (code.is_some() || message.is_some())
    {
        let mut error = Members::default();
        code.iter().for_each(|code| error.or_insert("code", || code.clone()));
        message.iter().for_each(|text| error.or_insert("message", || Value::from(text.as_str()).to_string()));
        verdict.set("error", error.to_raw());
    }
    verdict
}

/// The text that a JSON string stands for.
fn text(json: &str) -> Option<String> {
    serde_json::from_str(json).ok()
}

/// Text of a worker that must be JSON by now.
fn raw(text: String) -> Box<RawValue> {
    RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
