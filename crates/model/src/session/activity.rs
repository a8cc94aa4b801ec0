//! One unit of work (spec 4.2), with the four kinds of 4.9.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What stands in the place of a secret.
const MASK: &str = "***";

/// An activity as it is written.
#[derive(Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Activity {
    /// Unique among activities.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// JSON Schema of its input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub input_schema: Option<Value>,
    /// JSON Schema of its data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub output_schema: Option<Value>,
    /// Milliseconds for one execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// How often it is tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Retry>,
    /// Whether it is shown as a tool of its own.
    #[serde(default, skip_serializing_if = "is_false")]
    pub publish: bool,
    /// What it does.
    pub run: Run,
    /// A script that runs after a success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_success: Option<String>,
    /// A script that runs after a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_failure: Option<String>,
    /// A script that runs last, whatever came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_complete: Option<String>,
    /// What happens to a step that was under way when the process died.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_unknown: Option<OnUnknown>,
}

/// Scripts may hold secrets and are long, so only the rest is shown.
impl std::fmt::Debug for Activity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Activity").field("name", &self.name).finish_non_exhaustive()
    }
}

/// How often an activity is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Retry {
    /// The most executions.
    pub max_attempts: u32,
    /// Milliseconds after the first failure; doubled after each further one.
    #[serde(default)]
    pub backoff_ms: u64,
    /// Whether callbacks run for every attempt.
    #[serde(default)]
    pub hooks_per_attempt: bool,
}

impl Retry {
    /// The wait after that many failures, in milliseconds.
    pub fn wait(&self, failures: u32) -> u64 {
        let factor = 1_u64.checked_shl(failures.saturating_sub(1)).unwrap_or(u64::MAX);
        self.backoff_ms.saturating_mul(factor)
    }
}

/// What an activity does: exactly one of the kinds.
#[derive(Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Run {
    /// The body of an async function of `context`.
    Script(String),
    /// A tool of a server.
    Tool(ToolRun),
    /// An HTTP request.
    Http(HttpRun),
    /// Another session workflow, from start to end.
    Workflow(WorkflowRun),
}

impl Run {
    /// The word of its kind.
    pub const fn kind(&self) -> &'static str {
        match self {
            Run::Script(_) => "script",
            Run::Tool(_) => "tool",
            Run::Http(_) => "http",
            Run::Workflow(_) => "workflow",
        }
    }
}

impl Activity {
    /// One of this name that does this, and nothing else.
    pub fn of(name: String, run: Run) -> Self {
        Self {
            name,
            description: String::new(),
            input_schema: None,
            output_schema: None,
            timeout: None,
            retry: None,
            publish: false,
            run,
            on_success: None,
            on_failure: None,
            on_complete: None,
            on_unknown: None,
        }
    }

    /// The same activity with the values of its headers masked, as it is shown to people.
    #[must_use]
    pub fn masked(mut self) -> Self {
        if let Run::Http(http) = &mut self.run {
            http.headers.values_mut().for_each(|value| *value = MASK.into());
        }
        self
    }

    /// The same activity with the values of the one before it in place of headers that are masked, as they come back
    /// from whoever was shown it. A secret stays with the host that it was given for. The error is the name of a header
    /// for which there is none to keep.
    pub fn unmasked(mut self, before: &Self) -> Result<Self, String> {
        if let Run::Http(http) = &mut self.run {
            let kept = match &before.run {
                Run::Http(old) if origin(&old.url) == origin(&http.url) => Some(&old.headers),
                _ => None,
            };
            for (name, value) in http.headers.iter_mut().filter(|(_, value)| **value == MASK) {
                *value = kept.and_then(|kept| kept.get(name)).cloned().ok_or_else(|| name.clone())?;
            }
        }
        Ok(self)
    }
}

/// The part of an address before its path.
fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    url[host..].find(['/', '?', '#']).map_or(url, |end| &url[..host + end])
}

/// A tool of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolRun {
    /// The name of the server.
    pub server: String,
    /// The name of its tool.
    pub name: String,
}

/// An HTTP request, with placeholders.
#[derive(Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpRun {
    /// Its method; GET by default.
    #[serde(default = "get")]
    pub method: String,
    /// Where it goes.
    pub url: String,
    /// Its headers.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object)]
    pub headers: Map<String, Value>,
    /// Its body; without one the input goes as query or as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub body: Option<Value>,
}

/// Another session workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkflowRun {
    /// Its name.
    pub name: String,
}

/// What happens to a step that was under way when the process died.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnUnknown {
    /// It runs again.
    Retry,
    /// Somebody is asked.
    Ask,
    /// It counts as failed.
    Fail,
}

fn get() -> String {
    "GET".into()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
pub(super) const fn is_false(flag: &bool) -> bool {
    !*flag
}
