//! Which legacy client was sent to which address by a server (elicitation by URL), so that it alone hears when
//! that is done.

use mcp::{RpcError, member_at};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

/// How many are remembered; the oldest are forgotten first.
const KNOWN_MAX: usize = 10_000;

/// The code of an error that sends a client to addresses first.
const URL_REQUIRED: i64 = -32042;

/// The client that each elicitation concerns, by its id.
#[derive(Default)]
pub(super) struct Elicited {
    known: Mutex<(HashMap<String, u64>, VecDeque<String>)>,
}

impl Elicited {
    /// A client is asked; the parameters may name the elicitation.
    pub(super) fn asked(&self, client: u64, params: &str) {
        id_in(params).into_iter().for_each(|id| self.add(client, id));
    }

    /// A client gets an error, which may send it somewhere.
    pub(super) fn refused(&self, client: u64, error: &RawValue) {
        if !error.get().contains("elicitationId") {
            return;
        }
        let error = RpcError::read(error);
        let data = error.data.filter(|_| error.code == URL_REQUIRED).unwrap_or_default();
        let each = data["elicitations"].as_array().into_iter().flatten();
        let ids = each.filter_map(|one| one.get("elicitationId").and_then(Value::as_str));
        ids.for_each(|id| self.add(client, id.to_owned()));
    }

    /// Whom it concerns that an elicitation is done.
    pub(super) fn client(&self, params: &str) -> Option<u64> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.0.get(&id_in(params)?).copied()
    }

    fn add(&self, client: u64, id: String) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0.insert(id.clone(), client).is_none() {
            known.1.push_back(id);
        }
        if known.1.len() > KNOWN_MAX
            && let Some(oldest) = known.1.pop_front()
        {
            known.0.remove(&oldest);
        }
    }
}

fn id_in(params: &str) -> Option<String> {
    serde_json::from_str(&params[member_at(params, "elicitationId")?]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_elicitation_concerns_the_client_that_was_sent_there() {
        let elicited = Elicited::default();
        elicited.asked(1, r#"{"mode":"url","elicitationId":"a"}"#);
        elicited.asked(1, r#"{"mode":"form"}"#);
        let error = |code: i64| {
            let text = format!(
                r#"{{"code":{code},"message":"m","data":{{"elicitations":[{{"elicitationId":"b"}}]}}}}"#
            );
            RawValue::from_string(text).expect("json")
        };
        elicited.refused(3, &error(-32603));
        assert_eq!(elicited.client(r#"{"elicitationId":"b"}"#), None, "no such error");
        elicited.refused(2, &error(URL_REQUIRED));
        for (id, client) in [("a", Some(1)), ("b", Some(2)), ("c", None)] {
            assert_eq!(elicited.client(&format!(r#"{{"elicitationId":"{id}"}}"#)), client, "{id}");
        }
    }
}
