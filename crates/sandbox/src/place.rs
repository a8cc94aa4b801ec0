//! Scripts that are nodes of a graph: what they see of their place, and of the nodes before them.

use crate::{Step, Verdict};
use std::sync::Arc;

/// What a script sees besides, when it is a node of a graph. All texts are JSON.
#[derive(Clone, Debug)]
pub struct Place {
    /// The node's id, in quotes: its key in `context.previousResults`.
    pub key: Arc<str>,
    /// Further members of `context.metadata`, without braces.
    pub metadata: Arc<str>,
    /// Further members of `context`, without braces.
    pub top: Arc<str>,
    /// The members of `context.previousResults` as the job begins, without braces. What the steps before it
    /// in the same job did is added.
    pub results: Arc<str>,
}

impl Verdict {
    /// The verdict in one word.
    pub const fn name(&self) -> &'static str {
        match self {
            Verdict::Continue { changed: false } => "continue",
            Verdict::Continue { changed: true } => "changed",
            Verdict::Answered => "answered",
            Verdict::Replaced => "replaced",
            Verdict::Blocked => "blocked",
            Verdict::Failed(_) => "failed",
        }
    }

    /// What later nodes of a graph see of it: a JSON object.
    pub fn summary(&self) -> String {
        let goes_on = !matches!(self, Verdict::Blocked | Verdict::Failed(_));
        format!("{{\"continue\":{goes_on},\"verdict\":\"{}\"}}", self.name())
    }
}

/// The members of `previousResults` as the step after those that were done sees them.
pub(crate) fn results<'a>(
    steps: &[Step],
    done: impl ExactSizeIterator<Item = &'a Verdict>,
) -> Option<String> {
    let next = steps.get(done.len())?.script.place()?;
    let mut results = next.results.to_string();
    for (step, verdict) in steps.iter().zip(done) {
        if let Some(place) = step.script.place() {
            add(&mut results, &place.key, verdict);
        }
    }
    Some(results)
}

/// Adds what a step did to the members of `previousResults`.
pub(crate) fn add(results: &mut String, key: &str, verdict: &Verdict) {
    if !results.is_empty() {
        results.push(',');
    }
    results.push_str(key);
    results.push(':');
    results.push_str(&verdict.summary());
}

/// The text of a JSON object with further members, given without braces.
pub(crate) fn with(object: &str, members: &str) -> String {
    let inner = object.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or("").trim();
    let comma = if inner.is_empty() || members.is_empty() { "" } else { "," };
    ["{", inner, comma, members, "}"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Script;

    #[test]
    fn a_step_sees_what_those_before_it_did() {
        let step = |key: &str| {
            let place = Place {
                key: format!("\"{key}\"").into(),
                metadata: "".into(),
                top: "".into(),
                results: "\"z\":1".into(),
            };
            Step { script: Script::new("s", "").at(place), stop_on_error: false }
        };
        let steps = [step("a"), step("b")];
        let all = |done: &[Verdict]| results(&steps, done.iter());
        assert_eq!(all(&[]).as_deref(), Some("\"z\":1"));
        let seen = all(&[Verdict::Replaced]);
        assert_eq!(seen.as_deref(), Some(r#""z":1,"a":{"continue":true,"verdict":"replaced"}"#));
        assert_eq!(all(&[Verdict::Replaced, Verdict::Blocked]), None);
    }

    #[test]
    fn members_are_added_to_an_object() {
        assert_eq!(with(" { } ", ""), "{}");
        assert_eq!(with("{}", "\"a\":1"), "{\"a\":1}");
        assert_eq!(with("{\"x\":{}}", "\"a\":1"), "{\"x\":{},\"a\":1}");
    }
}
