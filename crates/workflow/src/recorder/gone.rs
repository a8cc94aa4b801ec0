//! Records of runs that a process left when it was gone: what they say of themselves is not true any more.

use serde_json::{Map, Value};
use std::time::{SystemTime, UNIX_EPOCH};

/// After so many milliseconds without news a run under way is gone. It is much longer than the time after which one is
/// written again.
pub(super) const SILENCE: i64 = 60_000;

/// After so many milliseconds a hook that was fired and forgotten has ended: its time is over.
const LATEST: i64 = 3_600_000;

/// What such a run says.
const STOPPED: &str = "The gateway stopped before the run ended";

/// Milliseconds since 1970.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The record as it is to be shown: what was under way and nobody will end is broken off. `alone` is the moment from
/// which on nobody else writes, where there is one.
pub(super) fn marked(record: String, now: i64, alone: Option<i64>) -> String {
    // Most say nothing of the kind, and need not be read.
    if !record.contains(r#":"running""#) {
        return record;
    }
    let Ok(Value::Object(mut run)) = serde_json::from_str(&record) else { return record };
    let number = |name: &str| run.get(name).and_then(Value::as_i64).unwrap_or(0);
    // A run under way says how long it took until it was written.
    let written = number("executedAt").saturating_add(number("durationMs"));
    let is_open = run.get("status").is_some_and(|word| word == "running");
    let patience = if is_open { SILENCE } else { LATEST };
    if alone.is_none_or(|since| written >= since) && now.saturating_sub(written) < patience {
        return record;
    }
    if is_open {
        broken_off(&mut run, "status");
    }
    let nodes = run.get_mut("results").and_then(Value::as_object_mut);
    for node in nodes.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
        if node.get("state").is_some_and(|word| word == "running") {
            broken_off(node, "state");
        }
    }
    Value::Object(run).to_string()
}

fn broken_off(one: &mut Map<String, Value>, word: &str) {
    one.insert(word.into(), "error".into());
    one.insert("error".into(), STOPPED.into());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const AT: i64 = 1_000_000;

    /// A record that was written at 1,000,000: its status, and the state of its node.
    fn record(status: &str, node: &str) -> String {
        json!({"id": "r", "status": status, "executedAt": AT - 500, "durationMs": 500, "error": null,
            "results": {"a": {"state": node, "error": null}, "b": {"state": "completed", "error": null}}})
        .to_string()
    }

    /// The words of a record that is read: for itself, for both nodes.
    fn check(status: &str, node: &str, now: i64, alone: Option<i64>, expected: [&str; 3]) {
        let read: Value = serde_json::from_str(&marked(record(status, node), now, alone)).expect("JSON");
        let found = [&read["status"], &read["results"]["a"]["state"], &read["results"]["b"]["state"]];
        assert_eq!(found, expected, "{read}");
        let told = expected[0] == "error";
        assert_eq!(read["error"], if told { json!(STOPPED) } else { Value::Null }, "{read}");
    }

    #[test]
    fn what_is_not_renewed_any_more_is_broken_off() {
        let never = None;
        check("running", "running", AT + SILENCE - 1, never, ["running", "running", "completed"]);
        check("running", "running", AT + SILENCE, never, ["error", "error", "completed"]);
        check("completed", "running", AT + SILENCE, never, ["completed", "running", "completed"]);
        check("completed", "running", AT + LATEST, never, ["completed", "error", "completed"]);
        check("completed", "skipped", AT + LATEST, never, ["completed", "skipped", "completed"]);
    }

    #[test]
    fn whoever_is_alone_knows_at_once() {
        check("running", "running", AT + 1, Some(AT + 1), ["error", "error", "completed"]);
        check("completed", "running", AT + 1, Some(AT + 1), ["completed", "error", "completed"]);
        check("running", "running", AT + 1, Some(AT), ["running", "running", "completed"]);
    }
}
