//! Several rounds for one request of a modern client: what it answered so far is sealed into the `requestState` of the
//! next question, once a hook has asked.

use super::Asked;
use super::park::state_in;
use super::relay::missing_capability;
use crate::carried::{Carried, Failure};
use crate::gateway::Gateway;
use crate::sent::Sent;
use crate::talk::{Asker, Talk};
use mcp::{Era, Splice, Word, member_at, members, members_at, mentions};
use model::Code;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What the sealed `requestState` of such a question is for.
const PURPOSE: &str = "mcp-talk";

/// What a question is about, sealed until it is answered.
#[derive(Serialize, Deserialize)]
struct Asking {
    /// The request, so that no other can take its place.
    about: String,
    by: Asker,
    /// What whoever asks wants to be given back.
    state: Option<String>,
    talk: Talk,
}

impl Gateway {
    /// What a request goes on with, where it brings the answer to a question that was sealed here, and its parameters as
    /// hooks see them.
    pub(super) fn talk_in(&self, asked: &Asked<'_>) -> Option<(Talk, Box<RawValue>)> {
        if asked.guest.era() != Era::Modern {
            return None;
        }
        let token: String = serde_json::from_str(state_in(asked)?).ok()?;
        let asking: Asking = serde_json::from_slice(&self.seal.open(PURPOSE, &token)?).ok()?;
        if asking.about != about(asked) {
            return None;
        }
        let params = asked.params.map_or("{}", RawValue::get);
        let answers = member_at(params, "inputResponses").map_or("{}", |at| &params[at]);
        let talk = asking.talk.answered(asking.by, answers, asking.state.as_deref());
        let params = Sent::new(asked.params, asked.key_path()).with_answers(&talk.for_hooks())?;
        Some((talk, params))
    }

    /// What came of a modern client's request. Where a hook asks in it, or has asked before, its state becomes one that has
    /// the answers so far; what the client cannot answer, no hook may ask.
    pub(super) fn with_talk(&self, asked: &Asked<'_>, carried: Carried) -> Carried {
        let by = carried.asker();
        let concerned = by == Asker::Hook || asked.talk.is_some_and(Talk::is_with_hooks);
        let Ok(result) = &carried.outcome else { return carried };
        if asked.guest.era() != Era::Modern || !concerned {
            return carried;
        }
        match self.sealed(asked, by, result.get()) {
            Ok(None) => carried,
            Ok(Some(result)) => Carried { outcome: Ok(result), ..carried },
            Err(failure) => {
                Carried { outcome: Err(failure), code: Some(Code::ToolExecutionError), ..carried }
            }
        }
    }

    /// The same result with such a state, where it asks.
    fn sealed(&self, asked: &Asked<'_>, by: Asker, result: &str) -> Result<Option<Box<RawValue>>, Failure> {
        static ASKS: Word = Word::new("input_required");
        if !mentions(result, &ASKS) {
            return Ok(None);
        }
        let [kind, requests, state] = members_at(result, ["resultType", "inputRequests", "requestState"]);
        let kind = kind.and_then(|at| serde_json::from_str::<String>(&result[at]).ok());
        if kind.as_deref() != Some(ASKS.text()) {
            return Ok(None);
        }
        if by == Asker::Hook
            && let Some(lacking) = requests.and_then(|at| lacking(asked, &result[at]))
        {
            return Err(missing_capability(by, lacking));
        }
        let given = state.as_ref().map(|at| result[at.clone()].to_owned()).filter(|state| state != "null");
        let talk = asked.talk.cloned().unwrap_or_else(|| Talk::of(asked.params.map_or("{}", RawValue::get)));
        let asking = Asking { about: about(asked), by, state: given, talk };
        let asking = serde_json::to_vec(&asking).expect("what was answered is plain data");
        let sealed = format!("\"{}\"", self.seal.seal(PURPOSE, &asking));
        let mut splice = Splice::new(result);
        match state {
            Some(at) => splice.replace(at, sealed.into_bytes()),
            None => splice.insert_members(0, &format!(r#""requestState":{sealed}"#)),
        }
        let mut out = Vec::with_capacity(result.len() + 256);
        splice.write(&mut out);
        let text = String::from_utf8(out).expect("a text in a text is one");
        Ok(Some(RawValue::from_string(text).expect("a member in place of another is JSON")))
    }
}

/// The request that a question belongs to, and whose it is.
fn about(asked: &Asked<'_>) -> String {
    let key = Sent::new(asked.params, asked.key_path()).key().unwrap_or_default();
    format!("{} {} {key}", asked.method, asked.caller().id())
}

/// What a client would have to offer in order to be asked all that.
fn lacking(asked: &Asked<'_>, requests: &str) -> Option<&'static str> {
    members(requests).iter().find_map(|member| {
        let request = &requests[member.value.clone()];
        let [method, params] = members_at(request, ["method", "params"]).map(|at| at.map(|at| &request[at]));
        let method: String = serde_json::from_str(method?).ok()?;
        asked.guest.can_answer(&method, params.unwrap_or("{}")).err()
    })
}
