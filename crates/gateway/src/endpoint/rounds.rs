//! Several rounds for one request: a modern server's `input_required` for a legacy client becomes
//! ordinary requests to it, after which the request is made again with the answers.

use super::Asked;
use super::catalog::Target;
use crate::call::{Carried, Failure};
use crate::faults;
use crate::gateway::Gateway;
use crate::sent::Sent;
use mcp::{Era, quote};
use model::{Code, Fault, Settings};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
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

    fn over(&self) -> Fault {
        faults::timed_out(self.target.server.name(), &self.target.own, self.ms)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InputRequired<'a> {
    result_type: &'a str,
    #[serde(borrow, default)]
    input_requests: BTreeMap<String, Request<'a>>,
    #[serde(borrow, default)]
    request_state: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Request<'a> {
    method: String,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
}

/// Whether a result may ask a client for something that the gateway must ask it.
pub(super) fn may_ask(asked: &Asked<'_>, result: &RawValue) -> bool {
    asked.guest.era() == Era::Legacy && result.get().contains("input_required")
}

impl Gateway {
    /// Asks the client what the server wants to know and makes the request again, until the server has enough.
    pub(super) async fn in_rounds(
        &self,
        asked: &Asked<'_>,
        mut sent: Sent<'_>,
        patience: &Patience<'_>,
        settings: &Settings,
        mut carried: Carried,
    ) -> Carried {
        for _ in 0..MAX {
            let Ok(result) = &carried.outcome else { return carried };
            if !may_ask(asked, result) {
                return carried;
            }
            match self.next_round(asked, patience, result).await {
                Ok(Some(answers)) => sent = sent.with(answers),
                Ok(None) => return carried,
                Err(failure) => {
                    let code = code_of(&failure).or(carried.code);
                    return Carried { outcome: Err(failure), code, ..carried };
                }
            }
            let again = self.heard(asked, &sent, patience.target, settings);
            carried = match timeout_at(patience.last, again).await {
                Ok(carried) => carried,
                Err(_) => return Carried::refused(patience.over()),
            };
        }
        Carried::refused(Fault::new(Code::ToolExecutionError, "The server asks for input without end"))
    }

    /// What must be added to the request for its next round; `None` when the result is the last word.
    async fn next_round(
        &self,
        asked: &Asked<'_>,
        patience: &Patience<'_>,
        result: &RawValue,
    ) -> Result<Option<String>, Failure> {
        let required = serde_json::from_str::<InputRequired<'_>>(result.get());
        let Some(required) = required.ok().filter(|found| found.result_type == "input_required") else {
            return Ok(None);
        };
        let mut members = br#""inputResponses":{"#.to_vec();
        for (i, (key, request)) in required.input_requests.iter().enumerate() {
            let answer = self.ask_guest(asked, patience, request).await?;
            if i > 0 {
                members.push(b',');
            }
            quote(key, &mut members);
            members.push(b':');
            members.extend_from_slice(answer.get().as_bytes());
        }
        members.push(b'}');
        if let Some(state) = required.request_state {
            members.extend_from_slice(format!(r#","requestState":{}"#, state.get()).as_bytes());
        }
        Ok(Some(String::from_utf8_lossy(&members).into_owned()))
    }

    async fn ask_guest(
        &self,
        asked: &Asked<'_>,
        patience: &Patience<'_>,
        request: &Request<'_>,
    ) -> Result<Box<RawValue>, Failure> {
        let params = request.params.map_or("{}", RawValue::get);
        if let Err(capability) = asked.guest.can_answer(&request.method, params) {
            let text = format!("The server asks for input, and the client does not offer '{capability}'");
            return Err(Fault::new(Code::ToolExecutionError, text).with("capability", capability).into());
        }
        let (mut asking, message) =
            self.endpoint.questions.ask_here(asked.guest.number, &request.method, params);
        let _ = asked.line.send(message).await;
        match timeout_at(patience.for_answer(), asking.answer()).await {
            Ok(Some(Ok(result))) => Ok(result),
            Ok(Some(Err(error))) => Err(Failure::Rpc(error)),
            Err(_) => {
                let _ = asked.line.send(asking.withdrawal()).await;
                Err(patience.over().into())
            }
            Ok(None) => {
                Err(Fault::new(Code::ToolExecutionError, "The client did not answer the server's question")
                    .into())
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
