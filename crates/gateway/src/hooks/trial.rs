//! Trying a script on a sample, or on a request that passed: no server is called, nothing is counted.

use super::book::faults;
use super::captures::Capture;
use super::subject::request_type;
use crate::gateway::Gateway;
use model::{Code, Fault, HookType};
use sandbox::{End, Job, Phase, Ran, Report, Script, Step, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
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
    /// A sample context: `request`, `response`, `metadata` and whatever else the script reads.
    #[schema(value_type = Option<Object>)]
    pub context: Option<Value>,
    /// A captured request instead of a sample.
    pub capture_id: Option<String>,
}

/// What a script made of a sample.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trial {
    /// The phase it ran in.
    pub phase: &'static str,
    /// What it decided: `{continue, response?, error?}`; null when it failed.
    pub verdict: Value,
    /// The context it was given.
    pub before: Value,
    /// The context as it left it.
    pub after: Value,
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
        let sample = Sample::new(self.sample(draft, asked)?, draft.capture_id.is_some())?;
        let fitting = if sample.response.is_some() { Phase::Post } else { Phase::Pre };
        let phase = asked.unwrap_or(fitting);
        let limit = Duration::from_millis(self.settings().hooks.timeout_ms);
        let steps = [Step::new(script, false)];
        let response = sample.response.as_deref().filter(|_| phase == Phase::Post);
        let ran = self.hooks.sandbox.run(&sample.job(phase, &steps, response, limit)).await;
        Ok(sample.told(phase, ran))
    }

    /// The context that a draft is to be tried on.
    fn sample(&self, draft: &Draft, phase: Option<Phase>) -> Result<Value, Fault> {
        if let Some(id) = &draft.capture_id {
            let capture = self.hooks.captures.get(id).ok_or_else(|| {
                Fault::new(Code::NotFound, format!("Capture '{id}' not found; it may have been pushed out"))
                    .with("captureId", id.as_str())
            })?;
            return Ok(capture.context(phase == Some(Phase::Post)));
        }
        Ok(draft.context.clone().unwrap_or_else(|| json!({})))
    }
}

fn refuse(message: impl Into<String>, field: &str) -> Fault {
    Fault::new(Code::ValidationError, message).with("field", field)
}

/// A context, in the parts in which it crosses.
struct Sample {
    whole: Value,
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
    fn new(context: Value, passed: bool) -> Result<Self, Fault> {
        let Value::Object(mut members) = context else {
            return Err(refuse("context must be a JSON object", "context"));
        };
        let request = members.entry("request").or_insert_with(|| json!({}));
        let Value::Object(request) = request else {
            return Err(refuse("context.request must be a JSON object", "context.request"));
        };
        let method = request.entry("method").or_insert_with(|| "tools/call".into());
        let method = method.as_str().unwrap_or_default().to_owned();
        let params = request.entry("params").or_insert_with(|| json!({})).to_string();
        let metadata = members.entry("metadata").or_insert_with(|| json!({}));
        let Value::Object(metadata) = metadata else {
            return Err(refuse("context.metadata must be a JSON object", "context.metadata"));
        };
        let shared = metadata.get("shared").map(Value::to_string);
        let plain: Map<String, Value> = metadata
            .iter()
            .filter(|(key, _)| *key != "shared")
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        let metadata = Value::Object(plain).to_string();
        if !passed {
            alias(&mut members, &method);
        }
        let variables = members.get("variables").filter(|all| all.is_object()).map(Value::to_string);
        let own = ["request", "response", "metadata", "variables"];
        let top: Map<String, Value> = members
            .iter()
            .filter(|(key, _)| !own.contains(&key.as_str()))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        let response = members.get("response").map(Value::to_string);
        let top = Value::Object(top).to_string();
        Ok(Self { whole: Value::Object(members), method, params, response, metadata, shared, variables, top })
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
        }
    }

    fn told(self, phase: Phase, ran: Ran) -> Trial {
        let Ran { end, params, response, shared, variables, mut reports } = ran;
        let report = if reports.is_empty() { None } else { Some(reports.remove(0)) };
        let value = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        let mut after = self.whole.clone();
        if let Some(params) = &params {
            after["request"]["params"] = value(params);
        }
        if let Some(shared) = &shared {
            after["metadata"]["shared"] = value(shared);
        }
        if let Some(variables) = &variables {
            after["variables"] = value(variables);
        }
        if let (Some(response), Phase::Post) = (&response, phase) {
            after["response"] = value(response);
        }
        let error = report.as_ref().and_then(trouble);
        let verdict = if error.is_some() { Value::Null } else { decided(phase, &end, response.as_deref()) };
        let (micros, memory) = report.as_ref().map_or((0, 0), |report| (report.micros, report.memory));
        let console = report.map_or_else(Vec::new, |report| {
            let lines = report.console.into_iter();
            lines.map(|line| ConsoleLine { level: line.level.name(), text: line.text }).collect()
        });
        Trial {
            phase: super::verdict::phase(phase),
            verdict,
            changed: after != self.whole,
            before: self.whole,
            after,
            console,
            duration: micros as f64 / 1000.0,
            memory,
            error,
        }
    }
}

/// Gives a sample the aliases that a real request like it would have (spec 2.4).
fn alias(members: &mut Map<String, Value>, method: &str) {
    let text = |part: &Value, key: &str| part.get(key).and_then(Value::as_str).map(str::to_owned);
    let server = text(&members["metadata"], "serverName");
    let name = text(&members["request"]["params"], "name").filter(|_| method == "tools/call");
    let tool = name.map(|name| {
        let own = server.as_deref().and_then(|server| name.strip_prefix(server)?.strip_prefix("__"));
        own.map_or_else(|| name.clone(), str::to_owned)
    });
    let kind = request_type(method).map(str::to_owned);
    let known = [("requestType", kind), ("toolName", tool), ("serverName", server)];
    for (key, value) in known.into_iter().filter_map(|(key, value)| Some((key, value?))) {
        // What the sample says itself stands.
        members.entry(key).or_insert_with(|| value.into());
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

/// The verdict in the words of spec 2.5.
fn decided(phase: Phase, end: &End, response: Option<&str>) -> Value {
    let value = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    let mut verdict = json!({"continue": matches!(end, End::Through)});
    if let (Some(response), Phase::Pre) = (response, phase) {
        verdict["response"] = value(response);
    }
    if let End::Blocked { code, message, .. } = end
        && (code.is_some() || message.is_some())
    {
        verdict["error"] = json!({"code": code.as_deref().map(value), "message": message});
    }
    verdict
}
