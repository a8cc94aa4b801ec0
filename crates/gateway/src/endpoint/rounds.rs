//! Several rounds for one request of a legacy client: the `input_required` of a modern server, or of a hook, becomes
//! ordinary requests to it, after which the request is made again with the answers.

use super::Asked;
use super::catalog::Target;
use super::guest::is_question;
use crate::access::OWN;
use crate::carried::{Carried, Failure};
use crate::faults;
use crate::gateway::Gateway;
use crate::sent::Sent;
use crate::talk::{Asker, Talk};
use mcp::{Era, members_at, mentions};
use model::{Code, Fault, Settings};
use serde_json::value::RawValue;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// More rounds than this are somebody who never has enough.
const MAX: usize = 16;

/// How long all rounds of a request may take together.
pub(super) struct Patience<'a> {
    /// The server, for messages.
    server: &'a str,
    /// What is asked for, for messages.
    own: &'a str,
    /// Milliseconds of the request, for messages.
    ms: u64,
    /// When all must be over.
    last: Instant,
}

impl<'a> Patience<'a> {
    /// The time of a request that began then; where progress starts the clock again, the most that there is.
    pub(super) fn new(target: &'a Target, settings: &Settings, began: Instant) -> Self {
        let ms = target.server.timeout(settings);
        let most = if settings.timeout_reset_on_progress { settings.max_timeout } else { ms };
        let (server, own) = (target.server.name(), &*target.own);
        Self { server, own, ms, last: began + Duration::from_millis(most) }
    }

    /// The time of what hooks ask about a tool that is not a server's. The tool itself has no limit.
    pub(super) fn of_own(name: &'a str, settings: &Settings, began: Instant) -> Self {
        let ms = settings.max_timeout;
        Self { server: OWN, own: name, ms, last: began + Duration::from_millis(ms) }
    }

    /// Until when a question that is put now may be answered.
    fn for_answer(&self) -> Instant {
        self.last.min(Instant::now() + Duration::from_millis(self.ms))
    }

    /// The call cannot go on, for this reason.
    fn stuck(&self, text: impl Into<String>) -> Fault {
        faults::execution(self.server, self.own, text)
    }

    fn over(&self) -> Fault {
        faults::timed_out(self.server, self.own, self.ms)
    }
}

/// How a request is made once more.
#[derive(Clone, Copy)]
pub(super) enum Again<'a> {
    /// To the server that it is meant for.
    Server(&'a Target, &'a Settings),
    /// As the call of a tool that is not a server's; with the workflow whose step it puts off.
    Own(Option<&'a str>),
}

/// What a result of the modern era is to a legacy client.
#[derive(Debug, PartialEq)]
enum Word<'a> {
    /// The last one.
    Last,
    /// Questions, in their order, and what is to be given back with the answers.
    Asks(Vec<Question<'a>>, Option<&'a str>),
}

#[derive(Debug, PartialEq)]
struct Question<'a> {
    /// The key of the answer, as it was written.
    key: &'a str,
    method: String,
    params: Option<&'a str>,
}

/// Whether what came of a request may be of another kind than a legacy client knows.
pub(super) fn may_ask(asked: &Asked<'_>, carried: &Carried) -> bool {
    static TYPE: mcp::Word = mcp::Word::new("resultType");
    // What hooks answer in place of any server is of the modern era, too, where it says so.
    let foreign = asked.guest.era() == Era::Legacy && carried.era != Some(Era::Legacy);
    foreign && carried.outcome.as_ref().is_ok_and(|result| mentions(result.get(), &TYPE))
}

/// Reads a result; an error says what a legacy client cannot be given.
fn read(result: &str, by: Asker) -> Result<Word<'_>, String> {
    let who = by.subject();
    // How most begin.
    if result.starts_with(r#"{"resultType":"complete""#) {
        return Ok(Word::Last);
    }
    let members = members_at(result, ["resultType", "inputRequests", "requestState"]);
    let [kind, requests, state] = members.map(|at| at.map(|at| &result[at]).filter(|text| *text != "null"));
    let kind = kind.map_or(Ok("complete".to_owned()), serde_json::from_str::<String>);
    match kind.as_deref() {
        Ok("complete") => Ok(Word::Last),
        Ok("input_required") => {
            let questions = questions(requests.unwrap_or("{}"), who)?;
            if questions.is_empty() && state.is_none() {
                return Err(format!("{who} asks for input and does not say for which"));
            }
            Ok(Word::Asks(questions, state))
        }
        Ok("task") => Err(
            "The server speaks 2026-07-28 and made a task of the request, and the client an older revision; \
             their tasks cannot be translated"
                .to_owned(),
        ),
        Ok(kind) => Err(format!(
            "{who} answers with a result of the kind '{kind}', which the client's revision does not have"
        )),
        Err(_) => Err(format!("{who} answers with a result of a kind that cannot be read")),
    }
}

fn questions<'a>(requests: &'a str, who: &str) -> Result<Vec<Question<'a>>, String> {
    if !requests.starts_with('{') {
        return Err(format!("{who} asks for input in a form that cannot be read"));
    }
    let question = |member: mcp::Member<'a>| {
        let [method, params] = members_at(&requests[member.value.clone()], ["method", "params"])
            .map(|at| at.map(|at| &requests[member.value.clone()][at]));
        let method = method.and_then(|text| serde_json::from_str::<String>(text).ok());
        match method {
            Some(method) if is_question(&method) => {
                Ok(Question { key: &requests[member.key], method, params })
            }
            Some(method) => Err(format!("{who} asks for '{method}', which no client can be asked")),
            None => Err(format!("{who} asks for '{}' and does not say by which method", member.name)),
        }
    };
    mcp::members(requests).into_iter().map(question).collect()
}

impl Gateway {
    /// Asks the client what its server, or a hook, wants to know and makes the request again, until they have enough.
    pub(super) async fn in_rounds(
        &self,
        asked: &Asked<'_>,
        sent: &Sent<'_>,
        patience: &Patience<'_>,
        again: Again<'_>,
        mut carried: Carried,
    ) -> Carried {
        let (mut left, mut talk) = (MAX, Talk::default());
        while may_ask(asked, &carried) {
            let Ok(result) = &carried.outcome else { return carried };
            let by = carried.asker();
            talk = match self.next_round(asked, patience, by, result, left).await {
                Ok(Some((answers, state))) => talk.answered(by, &answers, state.as_deref()),
                Ok(None) => return carried,
                Err(failure) => {
                    let code = code_of(&failure).or(carried.code);
                    return Carried { outcome: Err(failure), code, ..carried };
                }
            };
            left -= 1;
            // Hooks see the answers as they see those of a modern client.
            let params = sent.with_answers(&talk.for_hooks());
            let next = params.as_deref().map_or_else(|| sent.clone(), |params| sent.again(params));
            let done = self.once_more(asked, &next.within(Some(&talk)), patience, again).await;
            let earlier = std::mem::replace(&mut carried, done);
            carried.trace.follow(earlier.trace);
        }
        carried
    }

    async fn once_more(
        &self,
        asked: &Asked<'_>,
        sent: &Sent<'_>,
        patience: &Patience<'_>,
        again: Again<'_>,
    ) -> Carried {
        match again {
            Again::Server(target, settings) => {
                let done = timeout_at(patience.last, self.heard(asked, sent, target, settings)).await;
                done.unwrap_or_else(|_| Carried::refused(patience.over()))
            }
            Again::Own(put_off) => Box::pin(self.call_own_once(asked, sent.text(), put_off)).await,
        }
    }

    /// The answers that the request needs for its next round, and what is to be given back with them; `None` when the
    /// result is the last word. Who asks when no round is left never has enough.
    async fn next_round(
        &self,
        asked: &Asked<'_>,
        patience: &Patience<'_>,
        by: Asker,
        result: &RawValue,
        left: usize,
    ) -> Result<Option<(String, Option<String>)>, Failure> {
        let read = read(result.get(), by).map_err(|text| patience.stuck(text))?;
        let Word::Asks(questions, state) = read else { return Ok(None) };
        if left == 0 {
            return Err(patience.stuck(format!("{} asks for input without end", by.subject())).into());
        }
        let mut answers = Vec::with_capacity(questions.len());
        for question in &questions {
            let answer = self.ask_guest(asked, patience, by, question).await?;
            answers.push(format!("{}:{}", question.key, answer.get()));
        }
        Ok(Some((format!("{{{}}}", answers.join(",")), state.map(str::to_owned))))
    }

    async fn ask_guest(
        &self,
        asked: &Asked<'_>,
        patience: &Patience<'_>,
        by: Asker,
        question: &Question<'_>,
    ) -> Result<Box<RawValue>, Failure> {
        let Question { method, params, .. } = question;
        if let Err(capability) = asked.guest.can_answer(method, params.unwrap_or("{}")) {
            let who = by.subject();
            let text = format!("{who} asks for input, and the client does not offer '{capability}'");
            return Err(patience.stuck(text).with("capability", capability).into());
        }
        let (mut asking, message) =
            self.endpoint.questions.ask_here((asked.guest.number, asked.line), method, *params);
        let _ = asked.line.send(message).await;
        match timeout_at(patience.for_answer(), asking.answer()).await {
            Ok(Some(Ok(result))) => Ok(result),
            Ok(Some(Err(error))) => Err(Failure::Rpc(error)),
            Err(_) => {
                asking.withdraw().await;
                Err(patience.over().into())
            }
            Ok(None) => {
                let whose = if by == Asker::Hook { "a hook's" } else { "the server's" };
                Err(patience.stuck(format!("The client did not answer {whose} question")).into())
            }
        }
    }
}

fn code_of(failure: &Failure) -> Option<Code> {
    match failure {
        Failure::Fault(fault) => Some(fault.code),
        Failure::Rpc(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_read_as_far_as_a_legacy_client_can_be_given_it() {
        let last = [
            r#"{"resultType":"complete","content":[]}"#,
            r#"{"content":[], "resultType":"compl\u0065te"}"#,
            r#"{"content":[{"text":"input_required"}]}"#,
            r#"{"resultType":null,"content":[]}"#,
        ];
        for result in last {
            assert_eq!(read(result, Asker::Server), Ok(Word::Last), "{result}");
        }
        let asks = r#"{"resultType":"input\u005frequired","requestState":"s\u0041","inputRequests":
            {"z":{"method":"roots/list"},"\u0061":{"params":{"x":1.0 },"method":"elicitation/create"}}}"#;
        let question = |key, method: &str, params| Question { key, method: method.to_owned(), params };
        let expected = vec![
            question(r#""z""#, "roots/list", None),
            question(r#""\u0061""#, "elicitation/create", Some(r#"{"x":1.0 }"#)),
        ];
        assert_eq!(read(asks, Asker::Server), Ok(Word::Asks(expected, Some(r#""s\u0041""#))));
        let alone = r#"{"resultType":"input_required","inputRequests":null,"requestState":"s"}"#;
        assert_eq!(read(alone, Asker::Server), Ok(Word::Asks(Vec::new(), Some(r#""s""#))));
    }

    #[test]
    fn what_a_legacy_client_cannot_be_given_is_named() {
        for (result, word) in [
            (r#"{"resultType":"task","taskId":"t"}"#, "tasks cannot be translated"),
            (r#"{"resultType":"zorp"}"#, "'zorp'"),
            (r#"{"resultType":5}"#, "cannot be read"),
            (r#"{"resultType":"input_required"}"#, "does not say for which"),
            (r#"{"resultType":"input_required","inputRequests":{},"requestState":null}"#, "for which"),
            (r#"{"resultType":"input_required","inputRequests":[]}"#, "cannot be read"),
            (r#"{"resultType":"input_required","inputRequests":{"k":{"x":1}}}"#, "'k'"),
            (r#"{"resultType":"input_required","inputRequests":{"k":5}}"#, "'k'"),
            (
                r#"{"resultType":"input_required","inputRequests":{"k":{"method":"tools/call"}}}"#,
                "'tools/call'",
            ),
        ] {
            let refusal = read(result, Asker::Server).expect_err(result);
            assert!(refusal.contains(word), "{result}: {refusal}");
        }
    }
}
