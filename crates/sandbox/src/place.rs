//! Scripts that are nodes of a graph: what they see of their place, and of the nodes before them.

use crate::{Step, Verdict};
use std::borrow::Cow;

/// What a script sees besides, when it is a node of a graph. All texts are JSON.
#[derive(Debug)]
pub struct Place {
    /// The node's id, in quotes: its key in `context.previousResults`.
    pub key: Box<str>,
    /// Further members of `context.metadata`, without braces.
    pub metadata: Box<str>,
    /// Further members of `context`, without braces.
    pub top: Box<str>,
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

    /// Whether it leaves something other than it was.
    pub const fn has_changed(&self) -> bool {
        matches!(self, Verdict::Continue { changed: true } | Verdict::Answered | Verdict::Replaced)
    }

    /// What later nodes of a graph see of it: a JSON object.
    pub const fn summary(&self) -> &'static str {
        match self {
            Verdict::Continue { changed: false } => r#"{"continue":true,"verdict":"continue"}"#,
            Verdict::Continue { changed: true } => r#"{"continue":true,"verdict":"changed"}"#,
            Verdict::Answered => r#"{"continue":true,"verdict":"answered"}"#,
            Verdict::Replaced => r#"{"continue":true,"verdict":"replaced"}"#,
            Verdict::Blocked => r#"{"continue":false,"verdict":"blocked"}"#,
            Verdict::Failed(_) => r#"{"continue":false,"verdict":"failed"}"#,
        }
    }
}

/// The members of `previousResults` as the step after those that were done sees them, of what they were before.
pub(crate) fn results<'a, 'b>(
    steps: &[Step],
    before: &'b str,
    done: impl ExactSizeIterator<Item = &'a Verdict>,
) -> Option<Cow<'b, str>> {
    steps.get(done.len())?.place.as_ref()?;
    let mut results = Cow::Borrowed(before);
    for (step, verdict) in steps.iter().zip(done) {
        if let Some(place) = &step.place {
            add(results.to_mut(), &place.key, verdict);
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
    results.push_str(verdict.summary());
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
    use std::sync::Arc;

    #[test]
    fn a_step_sees_what_those_before_it_did() {
        let step = |key: &str| {
            let place = Place { key: format!("\"{key}\"").into(), metadata: "".into(), top: "".into() };
            Step { place: Some(Arc::new(place)), ..Step::new(Script::new("s", ""), false) }
        };
        let steps = [step("a"), step("b")];
        let all = |done: &[Verdict]| results(&steps, "\"z\":1", done.iter());
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
