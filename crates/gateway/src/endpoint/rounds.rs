//! Several rounds for one request: a modern server's `input_required` for a legacy client becomes
//! ordinary requests to it, after which the request is made again with the answers.

use super::Asked;
use super::catalog::Target;
use super::guest::is_question;
use crate::carried::{Carried, Failure};
use crate::faults;
use crate::gateway::Gateway;
use crate::sent::Sent;
use mcp::{Era, members_at, mentions};
use model::{Code, Fault, Settings};
use serde_json::value::RawValue;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// More rounds than this are a server that never has enough.
const MAX: usize = 16;

/// How long all rounds of a request may take together.
pub(super) struct Patience<'a> {
    target: &'a Target,
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
        Self { target, ms, last: began + Duration::from_millis(most) }
    }

    /// Until when a question that is put now may be answered.
    fn for_answer(&self) -> Instant {
        self.last.min(Instant::now() + Duration::from_millis(self.ms))
    }

    /// The call cannot go on, for this reason.
    fn stuck(&self, text: impl Into<String>) -> Fault {
        faults::execution(self.target.server.name(), &self.target.own, text)
    }

    fn over(&self) -> Fault {
        faults::timed_out(self.target.server.name(), &self.target.own, self.ms)
    }
}

/// What a modern server's result is to a legacy client.
#[derive(Debug, PartialEq)]
enum Word<'a> {
    /// The last one.
    Last,
    /// Questions, in the server's order, and what the server wants to be given back with the answers.
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
fn read(result: &str) -> Result<Word<'_>, String> {
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
            let questions = questions(requests.unwrap_or("{}"))?;
            if questions.is_empty() && state.is_none() {
                return Err("The server asks for input and does not say for which".to_owned());
            }
            Ok(Word::Asks(questions, state))
        }
        Ok("task") => Err(
            "The server speaks 2026-07-28 and made a task of the request, and the client an older revision; \
             their tasks cannot be translated"
                .to_owned(),
        ),
        Ok(kind) => Err(format!(
            "The server answers with a result of the kind '{kind}', which the client's revision does not have"
        )),
        Err(_) => Err("The server answers with a result of a kind that cannot be read".to_owned()),
    }
}

fn questions(requests: &str) -> Result<Vec<Question<'_>>, String> {
    if !requests.starts_with('{') {
        return Err("The server asks for input in a form that cannot be read".to_owned());
    }
    let question = |member: mcp::Member<'_>| {
        let [method, params] = members_at(&requests[member.value.clone()], ["method", "params"])
            .map(|at| at.map(|at| &requests[member.value.clone()][at]));
        let method = method.and_then(|text| serde_json::from_str::<String>(text).ok());
        match method {
            Some(method) if is_question(&method) => {
                Ok(Question { key: &requests[member.key], method, params })
            }
            Some(method) => Err(format!("The server asks for '{method}', which no client can be asked")),
            None => Err(format!("The server asks for '{}' and does not say by which method", member.name)),
        }
    };
    mcp::members(requests).into_iter().map(question).collect()
}

impl Gateway {
    /// Asks the client what the server wants to know and makes the request again, until the server has enough.
    pub(super) async fn in_rounds(
        &self,
        asked: &Asked<'_>,
        sent: &Sent<'_>,
        patience: &Patience<'_>,
        settings: &Settings,
        mut carried: Carried,
    ) -> Carried {
        let mut left = MAX;
        loop {
            let Ok(result) = &carried.outcome else { return carried };
            let params = match self.next_round(asked, patience, result, left).await {
                Ok(Some(answers)) => sent.with_answers(&answers),
                Ok(None) => return carried,
                Err(failure) => {
                    let code = code_of(&failure).or(carried.code);
                    return Carried { outcome: Err(failure), code, ..carried };
                }
            };
            left -= 1;
            // Hooks see the answers as they see those of a modern client.
            let next = params.as_deref().map_or_else(|| sent.clone(), |params| sent.round(params));
            let again = self.heard(asked, &next, patience.target, settings);
            let done = timeout_at(patience.last, again).await;
            let done = done.unwrap_or_else(|_| Carried::refused(patience.over()));
            let earlier = std::mem::replace(&mut carried, done);
            carried.trace.follow(earlier.trace);
        }
    }

    /// What must be added to the request for its next round; `None` when the result is the last word. A server that asks
    /// when no round is left never has enough.
    async fn next_round(
        &self,
        asked: &Asked<'_>,
        patience: &Patience<'_>,
        result: &RawValue,
        left: usize,
    ) -> Result<Option<String>, Failure> {
        let read = read(result.get()).map_err(|text| patience.stuck(text))?;
        let Word::Asks(questions, state) = read else { return Ok(None) };
        if left == 0 {
            return Err(patience.stuck("The server asks for input without end").into());
        }
        let mut answers = Vec::with_capacity(questions.len());
        for question in &questions {
            let answer = self.ask_guest(asked, patience, question).await?;
            answers.push(format!("{}:{}", question.key, answer.get()));
        }
        // Who was asked nothing has answered nothing.
        let answers = (!answers.is_empty()).then(|| format!(r#""inputResponses":{{{}}}"#, answers.join(",")));
        let state = state.map(|state| format!(r#""requestState":{state}"#));
        Ok(Some(answers.into_iter().chain(state).collect::<Vec<_>>().join(",")))
    }

    async fn ask_guest(
        &self,
        asked: &Asked<'_>,
        patience: &Patience<'_>,
        question: &Question<'_>,
    ) -> Result<Box<RawValue>, Failure> {
        let Question { method, params, .. } = question;
        if let Err(capability) = asked.guest.can_answer(method, params.unwrap_or("{}")) {
            let text = format!("The server asks for input, and the client does not offer '{capability}'");
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
            Ok(None) => Err(patience.stuck("The client did not answer the server's question").into()),
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
            assert_eq!(read(result), Ok(Word::Last), "{result}");
        }
        let asks = r#"{"resultType":"input\u005frequired","requestState":"s\u0041","inputRequests":
            {"z":{"method":"roots/list"},"\u0061":{"params":{"x":1.0 },"method":"elicitation/create"}}}"#;
        let question = |key, method: &str, params| Question { key, method: method.to_owned(), params };
        let expected = vec![
            question(r#""z""#, "roots/list", None),
            question(r#""\u0061""#, "elicitation/create", Some(r#"{"x":1.0 }"#)),
        ];
        assert_eq!(read(asks), Ok(Word::Asks(expected, Some(r#""s\u0041""#))));
        let alone = r#"{"resultType":"input_required","inputRequests":null,"requestState":"s"}"#;
        assert_eq!(read(alone), Ok(Word::Asks(Vec::new(), Some(r#""s""#))));
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
            let refusal = read(result).expect_err(result);
            assert!(refusal.contains(word), "{result}: {refusal}");
        }
    }
}
