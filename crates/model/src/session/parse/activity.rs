//! Reading of an activity (spec 4.2 and 4.9).

use super::{Members, Read, http, wrong};
use crate::names::{SERVER_NAME_MAX, TOOL_NAME_MAX};
use crate::session::{Activity, OnUnknown, Procedure, Retry, Run, ToolRun, WorkflowRun};
use serde_json::Value;

const FIELDS: [&str; 12] = [
    "name",
    "description",
    "inputSchema",
    "outputSchema",
    "timeout",
    "retry",
    "publish",
    "run",
    "onSuccess",
    "onFailure",
    "onComplete",
    "onUnknown",
];

const KINDS: [&str; 4] = ["script", "tool", "http", "workflow"];

/// The most executions of an activity.
const ATTEMPTS_MAX: u64 = 100;

impl Activity {
    /// The most characters of a name.
    pub const NAME_MAX: usize = TOOL_NAME_MAX;

    /// Reads and checks an activity that stands at `path`, which may be empty. The first rule broken is the
    /// error. Whether its scripts compile and what it names exists is not looked at.
    pub fn parse(value: &Value, path: &str) -> Read<Self> {
        let given = Members::of(value, path, &FIELDS)?;
        let name = given.required("name", given.name("name", Self::NAME_MAX)?)?;
        let run = given.required("run", given.get("run"))?;
        Ok(Self {
            name,
            description: given.text("description")?.unwrap_or_default().to_owned(),
            input_schema: given.schema("inputSchema")?,
            output_schema: given.schema("outputSchema")?,
            timeout: given.time("timeout", 1)?,
            retry: given.get("retry").map(|value| retry(value, &super::join(path, "retry"))).transpose()?,
            publish: given.flag("publish")?,
            run: parse_run(run, &super::join(path, "run"))?,
            on_success: given.script("onSuccess")?,
            on_failure: given.script("onFailure")?,
            on_complete: given.script("onComplete")?,
            on_unknown: on_unknown(&given)?,
        })
    }
}

pub(super) fn on_unknown(given: &Members<'_>) -> Read<Option<OnUnknown>> {
    given.word("onUnknown", &["retry", "ask", "fail"])
}

fn retry(value: &Value, path: &str) -> Read<Retry> {
    let given = Members::of(value, path, &["maxAttempts", "backoffMs", "hooksPerAttempt"])?;
    let attempts = given.required("maxAttempts", given.integer("maxAttempts", 1, ATTEMPTS_MAX)?)?;
    Ok(Retry {
        max_attempts: u32::try_from(attempts).unwrap_or(u32::MAX),
        backoff_ms: given.time("backoffMs", 0)?.unwrap_or(0),
        hooks_per_attempt: given.flag("hooksPerAttempt")?,
    })
}

fn parse_run(value: &Value, path: &str) -> Read<Run> {
    let given = Members::of(value, path, &KINDS)?;
    let found: Vec<&str> = KINDS.into_iter().filter(|kind| given.get(kind).is_some()).collect();
    let [kind] = found[..] else {
        let has = if found.is_empty() { "none".to_owned() } else { found.join(" and ") };
        let rule = format!("must have exactly one of {}; it has {has}", KINDS.join(", "));
        return Err(wrong(path, &rule));
    };
    let inner = &super::join(path, kind);
    let value = given.required(kind, given.get(kind))?;
    match kind {
        "script" => Ok(Run::Script(given.required(kind, given.script(kind)?)?)),
        "tool" => {
            let given = Members::of(value, inner, &["server", "name"])?;
            let server = given.required("server", given.name("server", SERVER_NAME_MAX)?)?;
            Ok(Run::Tool(ToolRun { server, name: given.required("name", given.line("name")?)? }))
        }
        "http" => http::request(value, inner).map(Run::Http),
        _ => {
            let given = Members::of(value, inner, &["name"])?;
            let name = given.required("name", given.name("name", Procedure::NAME_MAX)?)?;
            Ok(Run::Workflow(WorkflowRun { name }))
        }
    }
}
