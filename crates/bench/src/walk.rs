//! A walk: one session of a workflow that does nothing but take steps, from its start to its end.
//!
//! Every answer is checked: each step must give the number of the next one, and the last one the end.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::load::excerpt;

/// The name of the workflow.
pub(crate) const NAME: &str = "walk";

/// Settings with one workflow: a step for each of these activities, all of which run the same script.
pub(crate) fn settings(activities: &[String], script: &str) -> Value {
    let mut names = activities.to_vec();
    names.dedup();
    let activity = |name: &String| json!({"name": name, "description": name, "run": {"script": script}});
    let step = |name: &String| json!({"activity": name});
    json!({
        "sessions": {"maxSessions": 1_000_000, "sessionTTLMs": 86_400_000},
        "activities": names.iter().map(activity).collect::<Vec<_>>(),
        "workflows": [{
            "name": NAME, "description": "Takes steps",
            "steps": activities.iter().map(step).collect::<Vec<_>>(),
        }],
    })
}

/// Where one session stands, as its client knows.
pub(crate) struct Walk {
    /// How many steps the workflow has.
    steps: u64,
    /// Makes a repeated start give the same session.
    pub(crate) key: Option<String>,
    /// None before it is started.
    pub(crate) session: Option<String>,
    /// The number of the step that comes next.
    pub(crate) step: u64,
}

/// What an answer says.
#[derive(Debug, PartialEq)]
pub(crate) enum Taken {
    /// The step was taken, and this is what it gave.
    Step(Value),
    /// That was the last one; these are all results.
    End(Value),
    /// An error instead of an answer.
    Refused(String),
    /// A good answer, but not to this step of this session.
    Wrong(String),
}

#[derive(Deserialize)]
struct Answer {
    id: Option<u64>,
    result: Option<Outcome>,
    error: Option<Message>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    #[serde(default)]
    is_error: bool,
    #[serde(default)]
    content: Vec<Text>,
    #[serde(default)]
    structured_content: Content,
}

#[derive(Deserialize)]
struct Message {
    message: String,
}

#[derive(Deserialize)]
struct Text {
    #[serde(default)]
    text: String,
}

impl Answer {
    /// What the gateway says about a call that it did not carry out.
    fn refusal(&self) -> Option<&str> {
        let failed = self.result.as_ref().filter(|outcome| outcome.is_error);
        let text = failed.and_then(|outcome| outcome.content.first()).map(|content| content.text.as_str());
        text.or(self.error.as_ref().map(|error| error.message.as_str()))
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Content {
    session_id: Option<String>,
    status: Option<String>,
    step_result: Value,
    results: Value,
    next_step_options: Vec<Offer>,
}

#[derive(Deserialize)]
struct Offer {
    #[serde(default)]
    parameters: Parameters,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parameters {
    expected_step: Option<u64>,
}

impl Walk {
    /// One that has not begun.
    pub(crate) fn new(steps: u64, key: Option<String>) -> Self {
        Self { steps, key, session: None, step: 0 }
    }

    /// The tool to call next, and its arguments.
    pub(crate) fn next(&self) -> (String, String) {
        match (&self.session, &self.key) {
            (Some(session), _) => {
                let arguments = format!(r#"{{"sessionId":"{session}","expectedStep":{}}}"#, self.step);
                (format!("{NAME}_continue"), arguments)
            }
            (None, Some(key)) => (format!("{NAME}_start"), format!(r#"{{"idempotencyKey":"{key}"}}"#)),
            (None, None) => (format!("{NAME}_start"), "{}".into()),
        }
    }

    /// Takes the answer to the call with this id, and goes on when it is right.
    pub(crate) fn take(&mut self, id: u64, status: u16, body: &[u8]) -> Taken {
        let Ok(answer) = serde_json::from_slice::<Answer>(body) else {
            return Taken::Refused(format!("{status} {}", excerpt(body)));
        };
        let done = |answer: &Answer| answer.result.as_ref().is_some_and(|outcome| !outcome.is_error);
        if status / 100 != 2 || !done(&answer) {
            let why = answer.refusal().map_or_else(|| excerpt(body), str::to_owned);
            return Taken::Refused(format!("{status} {why}"));
        }
        let content = answer.result.map(|outcome| outcome.structured_content).unwrap_or_default();
        let here =
            self.session.is_none() || content.session_id.is_none() || content.session_id == self.session;
        let next = content.next_step_options.iter().find_map(|offer| offer.parameters.expected_step);
        let ended = content.status.as_deref() == Some("completed") && self.step + 1 == self.steps;
        if answer.id != Some(id) || !here || !(ended || next == Some(self.step + 1)) {
            return Taken::Wrong(excerpt(body));
        }
        self.step += 1;
        if ended {
            return Taken::End(content.results);
        }
        self.session = content.session_id.or(self.session.take());
        Taken::Step(content.step_result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(id: u64, session: &str, next: u64) -> Vec<u8> {
        json!({"jsonrpc": "2.0", "id": id, "result": {"structuredContent": {
            "sessionId": session, "stepResult": {"step": next - 1},
            "nextStepOptions": [{"toolName": "walk_continue", "parameters": {"expectedStep": next}}],
        }}})
        .to_string()
        .into_bytes()
    }

    #[test]
    fn a_walk_goes_from_its_start_to_its_end() {
        let mut walk = Walk::new(3, Some("k".into()));
        assert_eq!(walk.next(), ("walk_start".into(), r#"{"idempotencyKey":"k"}"#.into()));
        assert_eq!(walk.take(1, 200, &reply(1, "s", 1)), Taken::Step(json!({"step": 0})));
        assert_eq!(walk.next(), ("walk_continue".into(), r#"{"sessionId":"s","expectedStep":1}"#.into()));
        assert_eq!(walk.take(2, 200, &reply(2, "s", 2)), Taken::Step(json!({"step": 1})));
        let end =
            br#"{"id": 3, "result": {"structuredContent": {"status": "completed", "results": {"a": 1}}}}"#;
        assert_eq!(walk.take(3, 200, end), Taken::End(json!({"a": 1})));
    }

    #[test]
    fn an_answer_to_another_step_session_or_call_is_wrong() {
        let standing = || Walk { session: Some("s".into()), step: 1, ..Walk::new(5, None) };
        for body in [reply(1, "s", 1), reply(1, "s", 3), reply(1, "other", 2), reply(2, "s", 2)] {
            assert!(matches!(standing().take(1, 200, &body), Taken::Wrong(_)));
        }
        let early = br#"{"id": 1, "result": {"structuredContent": {"status": "completed"}}}"#;
        assert!(matches!(standing().take(1, 200, early), Taken::Wrong(_)));
        assert!(matches!(standing().take(1, 503, &reply(1, "s", 2)), Taken::Refused(_)));
        let failed =
            br#"{"id": 1, "result": {"isError": true, "content": [{"type": "text", "text": "busy"}]}}"#;
        assert_eq!(standing().take(1, 200, failed), Taken::Refused("200 busy".into()));
        let error = br#"{"id": 1, "error": {"code": -32603, "message": "no store"}}"#;
        assert_eq!(standing().take(1, 200, error), Taken::Refused("200 no store".into()));
    }
}
