//! Several rounds for one request: a modern server's `input_required` for a legacy client becomes
//! ordinary requests to it, after which the request is made again with the answers.

use super::Asked;
use crate::call::Failure;
use crate::gateway::Gateway;
use mcp::{Era, quote};
use model::{Code, Fault};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// More rounds than this are a server that never has enough.
pub(super) const MAX: usize = 16;

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
    /// What must be added to the request for its next round; `None` when the result is the last word.
    pub(super) async fn next_round(
        &self,
        asked: &Asked<'_>,
        result: &RawValue,
    ) -> Result<Option<String>, Failure> {
        let required = serde_json::from_str::<InputRequired<'_>>(result.get());
        let Some(required) = required.ok().filter(|found| found.result_type == "input_required") else {
            return Ok(None);
        };
        let mut members = br#""inputResponses":{"#.to_vec();
        for (i, (key, request)) in required.input_requests.iter().enumerate() {
            let answer = self.ask_guest(asked, request).await?;
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

    async fn ask_guest(&self, asked: &Asked<'_>, request: &Request<'_>) -> Result<Box<RawValue>, Failure> {
        if let Err(capability) = asked.guest.can_answer(&request.method) {
            let text = format!("The server asks for input, and the client does not offer '{capability}'");
            return Err(Fault::new(Code::ToolExecutionError, text).with("capability", capability).into());
        }
        let params = request.params.map_or("{}", RawValue::get);
        let (asking, message) = self.endpoint.questions.ask_here(asked.guest.number, &request.method, params);
        let _ = asked.line.send(message).await;
        match asking.answer().await {
            Some(Ok(result)) => Ok(result),
            Some(Err(error)) => Err(Failure::Rpc(error)),
            None => {
                Err(Fault::new(Code::ToolExecutionError, "The client did not answer the server's question")
                    .into())
            }
        }
    }
}
