//! Runs as a list shows them: those that are wanted, without what was sent, answered and changed.

use super::faults;
use super::runs::RunQuery;
use model::Fault;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The words for how far a run is.
const STATUSES: [&str; 4] = ["running", "completed", "error", "cancelled"];

/// What a run must have to be listed.
#[derive(Debug)]
pub(super) struct Wanted<'a> {
    status: Option<&'a str>,
    /// In small letters.
    tool: Option<String>,
}

impl<'a> Wanted<'a> {
    /// What a query asks for.
    pub(super) fn of(query: &'a RunQuery) -> Result<Self, Fault> {
        let status = query.status.as_deref();
        if status.is_some_and(|status| !STATUSES.contains(&status)) {
            return Err(faults::wrong("status", format!("status must be one of {}", STATUSES.join(", "))));
        }
        let tool = query.tool.as_deref().filter(|tool| !tool.is_empty()).map(str::to_lowercase);
        Ok(Self { status, tool })
    }

    /// Whether every run has it.
    pub(super) fn is_everything(&self) -> bool {
        self.status.is_none() && self.tool.is_none()
    }

    /// Whether the run of this record has it.
    pub(super) fn fits(&self, record: &str) -> bool {
        let Ok(Head { status, context }) = serde_json::from_str(record) else { return false };
        let tool =
            |wanted: &String| context.tool_name.is_some_and(|tool| tool.to_lowercase().contains(wanted));
        self.status.is_none_or(|wanted| wanted == status) && self.tool.as_ref().is_none_or(tool)
    }
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    status: Cow<'a, str>,
    #[serde(borrow)]
    context: Subject<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Subject<'a> {
    #[serde(borrow)]
    tool_name: Option<Cow<'a, str>>,
}

/// The record with the names of what it was about, and of its nodes how they fared and which way they chose.
pub(super) fn brief(record: String) -> String {
    let Ok(Value::Object(mut run)) = serde_json::from_str(&record) else { return record };
    if let Some(context) = run.get_mut("context") {
        *context = subject(context);
    }
    run.insert("mcpResult".into(), Value::Null);
    for node in run.get_mut("results").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut) {
        let Some(node) = node.as_object_mut() else { continue };
        let chosen =
            node.get("result").and_then(|result| result.get("value")).filter(|value| value.is_boolean());
        let result = chosen.map_or(Value::Null, |value| serde_json::json!({ "value": value }));
        node.insert("result".into(), result);
        node.shift_remove("console");
        node.shift_remove("changes");
    }
    Value::Object(run).to_string()
}

fn subject(context: &Value) -> Value {
    let mut kept = Map::new();
    for name in ["toolName", "serverName", "requestType"] {
        if let Some(value) = context.get(name) {
            kept.insert(name.into(), value.clone());
        }
    }
    for (part, name) in [("request", "method"), ("metadata", "clientId")] {
        if let Some(value) = context.get(part).and_then(|part| part.get(name)) {
            kept.insert(part.into(), serde_json::json!({ name: value }));
        }
    }
    Value::Object(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = r#"{"id":"1","status":"completed","context":{"request":{"method":"tools/call","params":{"a":1}},"toolName":"Echo","serverName":"s","metadata":{"clientId":"c","startTime":5}},"mcpResult":{"content":[]},"error":null,"results":{"q":{"state":"completed","durationMs":2,"result":{"value":false},"error":null},"h":{"state":"error","result":{"verdict":"continue"},"error":"no","console":[{"level":"log","text":"x"}],"changes":{"params":{}}}}}"#;

    #[test]
    fn a_run_is_wanted_by_its_status_and_by_a_part_of_its_tool() {
        let check = |status: Option<&str>, tool: Option<&str>, expected: bool| {
            let query = RunQuery {
                status: status.map(Into::into),
                tool: tool.map(Into::into),
                ..RunQuery::default()
            };
            assert_eq!(
                Wanted::of(&query).expect("it makes sense").fits(RECORD),
                expected,
                "{status:?} {tool:?}"
            );
        };
        check(None, None, true);
        check(Some("completed"), Some("CH"), true);
        check(Some("completed"), Some(""), true);
        check(Some("error"), None, false);
        check(None, Some("plain"), false);
        let odd = RunQuery { status: Some("done".into()), ..RunQuery::default() };
        assert!(Wanted::of(&odd).expect_err("no such status").message.contains("cancelled"));
        assert!(!Wanted::of(&RunQuery::default()).expect("it makes sense").fits("{}"));
    }

    #[test]
    fn in_brief_a_run_has_names_states_and_choices_and_nothing_that_was_sent() {
        let short: Value = serde_json::from_str(&brief(RECORD.into())).expect("JSON");
        let expected = serde_json::json!({
            "id": "1", "status": "completed", "mcpResult": null, "error": null,
            "context": {
                "toolName": "Echo", "serverName": "s",
                "request": {"method": "tools/call"}, "metadata": {"clientId": "c"},
            },
            "results": {
                "q": {"state": "completed", "durationMs": 2, "result": {"value": false}, "error": null},
                "h": {"state": "error", "result": null, "error": "no"},
            },
        });
        assert_eq!(short, expected);
        assert_eq!(brief("[]".into()), "[]");
    }
}
