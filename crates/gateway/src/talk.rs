//! What the rounds of one request have brought so far. Its server may want to know something first, and so may hooks:
//! these see all answers in every later round, the server those to its own last question.

use mcp::{members, members_at, without};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Who wants to know something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Asker {
    Hook,
    Server,
}

impl Asker {
    /// Who it is, at the beginning of a sentence.
    pub(crate) fn subject(self) -> &'static str {
        match self {
            Asker::Hook => "A hook",
            Asker::Server => "The server",
        }
    }
}

/// The answers so far, as objects, and what those who asked want to be given back with them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Talk {
    /// The answers to all that hooks asked.
    hooks: String,
    /// Whether a hook asked last, and the state that it gave.
    by_hook: bool,
    hook_state: Option<String>,
    /// The answers to what the server asked last.
    server: String,
    /// The state that the server gave with that.
    server_state: Option<String>,
}

impl Talk {
    /// What the parameters of a request bring that no hook asked for yet.
    pub(crate) fn of(params: &str) -> Self {
        let [answers, state] =
            members_at(params, ["inputResponses", "requestState"]).map(|at| at.map(|at| &params[at]));
        Self::default().answered(Asker::Server, answers.unwrap_or("{}"), state)
    }

    /// The same with the answers to the last question. Of two with one name the newer counts.
    pub(crate) fn answered(&self, by: Asker, answers: &str, state: Option<&str>) -> Self {
        let (mut next, state) = (self.clone(), state.map(str::to_owned));
        match by {
            Asker::Hook => {
                next.hooks = joined(&self.hooks, answers);
                next.hook_state = state;
            }
            Asker::Server => {
                next.hooks = without_those(&self.hooks, answers);
                next.server = joined("", answers);
                next.server_state = state;
            }
        }
        next.by_hook = by == Asker::Hook;
        next
    }

    /// Whether there are answers that are for hooks alone.
    pub(crate) fn is_with_hooks(&self) -> bool {
        !members(&self.hooks).is_empty()
    }

    /// The members of the next round, as hooks see them.
    pub(crate) fn for_hooks(&self) -> String {
        let state = if self.by_hook { &self.hook_state } else { &self.server_state };
        write(&joined(&self.server, &self.hooks), state.as_deref())
    }

    /// The same for the server, from parameters as the hooks left them.
    pub(crate) fn for_server(&self, params: &str) -> String {
        let [answers, state] = members_at(params, ["inputResponses", "requestState"]);
        let answers = answers.map_or(String::new(), |at| without_those(&params[at], &self.hooks));
        let state = match self.by_hook {
            // What stands there is the hook's.
            true => self.server_state.as_deref(),
            false => state.map(|at| &params[at]),
        };
        write(&answers, state)
    }
}

/// Members without braces. Who was asked nothing has answered nothing.
fn write(answers: &str, state: Option<&str>) -> String {
    let answers = (!members(answers).is_empty()).then(|| format!(r#""inputResponses":{answers}"#));
    let state = state.map(|state| format!(r#""requestState":{state}"#));
    answers.into_iter().chain(state).collect::<Vec<_>>().join(",")
}

/// The members of two objects as one.
fn joined(old: &str, new: &str) -> String {
    let kept = without_those(old, new);
    let written = [kept.as_str(), new].map(|object| {
        let all = members(object);
        let (first, last) = (all.first(), all.last());
        first.zip(last).map_or("", |(first, last)| &object[first.key.start..last.value.end])
    });
    let written: Vec<&str> = written.into_iter().filter(|members| !members.is_empty()).collect();
    format!("{{{}}}", written.join(","))
}

/// An object without those members that another has too.
fn without_those(object: &str, others: &str) -> String {
    let others: HashSet<_> = members(others).into_iter().map(|member| member.name).collect();
    without(object, |name| others.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(talk: &Talk, hooks: &str, server: &str) {
        let shown = talk.for_hooks();
        assert_eq!(shown, hooks);
        assert_eq!(talk.for_server(&format!("{{{shown}}}")), server);
    }

    #[test]
    fn hooks_see_all_answers_and_the_server_those_to_its_own_question() {
        let talk = Talk::default().answered(Asker::Hook, r#"{"ok":1.0 }"#, Some(r#""mine""#));
        check(&talk, r#""inputResponses":{"ok":1.0},"requestState":"mine""#, "");
        let talk = talk.answered(Asker::Server, r#"{"\u0061":2}"#, Some(r#""s""#));
        check(
            &talk,
            r#""inputResponses":{"\u0061":2,"ok":1.0},"requestState":"s""#,
            r#""inputResponses":{"\u0061":2},"requestState":"s""#,
        );
        let talk = talk.answered(Asker::Hook, r#"{"sure":3}"#, None);
        check(
            &talk,
            r#""inputResponses":{"\u0061":2,"ok":1.0,"sure":3}"#,
            r#""inputResponses":{"\u0061":2},"requestState":"s""#,
        );
        let talk = talk.answered(Asker::Server, r#"{"b":4}"#, None);
        check(&talk, r#""inputResponses":{"b":4,"ok":1.0,"sure":3}"#, r#""inputResponses":{"b":4}"#);
    }

    #[test]
    fn what_a_server_asked_before_any_hook_did_is_for_the_server() {
        let talk = Talk::of(r#"{"name":"n","requestState":"s","inputResponses":{"k":1}}"#);
        check(
            &talk.answered(Asker::Hook, r#"{"ok":2}"#, Some("3")),
            r#""inputResponses":{"k":1,"ok":2},"requestState":3"#,
            r#""inputResponses":{"k":1},"requestState":"s""#,
        );
        check(&Talk::of("{}").answered(Asker::Hook, r#"{"ok":2}"#, None), r#""inputResponses":{"ok":2}"#, "");
    }

    #[test]
    fn an_answer_belongs_to_who_asked_for_its_name_last() {
        let talk = Talk::default().answered(Asker::Hook, r#"{"k":1}"#, None);
        let talk = talk.answered(Asker::Server, r#"{"\u006b":2}"#, None);
        check(&talk, r#""inputResponses":{"\u006b":2}"#, r#""inputResponses":{"\u006b":2}"#);
        assert!(!talk.is_with_hooks());
        let talk = talk.answered(Asker::Hook, r#"{"k":3}"#, None);
        check(&talk, r#""inputResponses":{"k":3}"#, "");
    }

    #[test]
    fn what_is_no_object_answers_nothing() {
        for answers in ["5", "null", "[1]", "{}", ""] {
            let talk = Talk::default().answered(Asker::Hook, answers, Some("5"));
            check(&talk, r#""requestState":5"#, "");
            assert!(!talk.is_with_hooks(), "{answers}");
        }
    }
}
