//! A further face of a session workflow towards a modern client: rounds of `input_required` on one tool. The session
//! underneath is the same.
//!
//! A client that offers `elicitation` is asked for approvals in rounds; one that declares the extension
//! [`ROUNDS`] also gets every choice of the next step as a round. One that declares tasks and lets a start run
//! several steps gets a task instead.

use super::own::tool_of;
use super::{Asked, message};
use crate::called;
use crate::gateway::Gateway;
use crate::hooks::fresh_id;
use mcp::{Era, Splice};
use model::session::Face;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use workflow::session::arguments::KEY;

/// What a client declares that wants every step of a workflow as a round of one tool.
const ROUNDS: &str = "lockgate/workflow";

/// What the sealed `requestState` of a round is for.
const PURPOSE: &str = "workflow-round";

/// What a round asks for; comes back sealed.
#[derive(Serialize, Deserialize)]
struct Round {
    /// Names the round: an answer that comes twice starts one session. Rounds of an older instance have none.
    #[serde(default)]
    id: Option<String>,
    /// The tool of the rounds.
    tool: String,
    /// Who was asked.
    client: String,
    /// What may be called next: tools with their arguments.
    options: Vec<Value>,
    /// The question, where the answer is yes or no.
    digest: Option<String>,
    /// The call of a server's tool that was chosen in a round and asks something itself: its name, its arguments and
    /// the state that belongs to its question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<(String, Value, Option<Value>)>,
}

impl Gateway {
    /// The parameters that the answer of a round stands for: `Ok(None)` for a call that is no answer.
    pub(super) fn next_round_of(
        &self,
        asked: &Asked<'_>,
        params: &str,
    ) -> Result<Option<Box<RawValue>>, Vec<u8>> {
        let Some(at) = mcp::member_at(params, "requestState") else { return Ok(None) };
        let invalid = || message::error(asked.id, -32602, "Invalid or expired requestState", None);
        let token: String = serde_json::from_str(&params[at]).map_err(|_| invalid())?;
        let opened = self.seal.open(PURPOSE, &token).ok_or_else(invalid)?;
        let round: Round = serde_json::from_slice(&opened).map_err(|_| invalid())?;
        let given: Value = serde_json::from_str(params).map_err(|_| invalid())?;
        if given["name"] != round.tool.as_str() || round.client != asked.caller().id() {
            return Err(invalid());
        }
        if let Some((name, arguments, state)) = round.call {
            // The answers are for the server, which judges them and gets them as they were written.
            let mut again = format!(r#"{{"name":{},"arguments":{arguments}"#, json!(name));
            for key in ["inputResponses", "_meta"] {
                let sent = mcp::member_at(params, key).map(|at| format!(r#","{key}":{}"#, &params[at]));
                again.extend(sent);
            }
            again.extend(state.map(|state| format!(r#","requestState":{state}"#)));
            again.push('}');
            return Ok(Some(RawValue::from_string(again).expect("members of JSON are JSON")));
        }
        let unfit = || message::error(asked.id, -32602, "inputResponses do not answer what was asked", None);
        let (name, arguments) = answered(&round, &given["inputResponses"]).ok_or_else(unfit)?;
        let mut meta = given.get("_meta").cloned().unwrap_or_else(|| json!({}));
        let start = meta.as_object_mut().filter(|_| self.sessions.own().is_start(&name));
        if let (Some(meta), Some(id)) = (start, round.id) {
            meta.entry(KEY).or_insert(id.into());
        }
        let chosen = json!({"name": name, "arguments": arguments, "_meta": meta}).to_string();
        Ok(Some(RawValue::from_string(chosen).expect("a value is JSON")))
    }

    /// The workflow whose next step the answer of a round puts off, where its pause is no tool but this caller may
    /// pause. What was chosen must be a tool that there is.
    pub(super) fn put_off(&self, asked: &Asked<'_>, params: &str, chosen: &RawValue) -> Option<String> {
        let given: Value = serde_json::from_str(params).ok()?;
        if given["inputResponses"]["next"]["action"].as_str()? == "accept" {
            return None;
        }
        let tool = called::name(chosen.get())?;
        let workflow = tool.strip_suffix(Face::Pause.word())?.strip_suffix('_')?;
        let hidden =
            self.sessions.own().get(&tool).is_none() && self.sessions.engine.find(workflow).is_some();
        (hidden && self.permits_own(&asked.caller(), &tool)).then(|| workflow.to_owned())
    }

    /// A result as a round, where the client wants that and there is something to ask.
    pub(super) fn as_round(&self, asked: &Asked<'_>, tool: &str, result: &RawValue) -> Option<String> {
        let guest = asked.guest;
        if guest.era() != Era::Modern || guest.can_answer("elicitation/create", "{}").is_err() {
            return None;
        }
        let value: Value = serde_json::from_str(result.get()).ok()?;
        let structured = value.get("structuredContent")?;
        let options = structured.get("nextStepOptions")?.as_array()?.clone();
        if options.is_empty() {
            return None;
        }
        let text = value["content"][0]["text"].as_str().unwrap_or_default();
        let message = serde_json::from_str::<Value>(text).ok()?["message"].as_str()?.to_owned();
        let digest = structured["waiting"]["digest"].as_str().map(str::to_owned);
        let wants_all = guest.capabilities.get("extensions").is_some_and(|all| all.get(ROUNDS).is_some());
        let (key, schema) = match &digest {
            Some(_) => ("approval", approval_schema()),
            None if wants_all => ("next", choice_schema(&options)),
            None => return None,
        };
        let (tool, client) = (tool.to_owned(), asked.caller().id().to_owned());
        let round = Round { id: Some(fresh_id()), tool, client, options, digest, call: None };
        let state = self.seal.seal(PURPOSE, &serde_json::to_vec(&round).ok()?);
        let mut params = json!({"message": message, "requestedSchema": schema});
        if key == "approval" {
            params["message"] = format!("{message}\n{}", structured["waiting"]["input"]).into();
        }
        let asks = json!({
            "resultType": "input_required",
            "inputRequests": {key: {"method": "elicitation/create", "params": params}},
            "requestState": state,
            "structuredContent": structured,
        });
        Some(asks.to_string())
    }

    /// The reply to a server's tool that was chosen in a round. What it asks comes back as an answer of the round's own
    /// tool, so the state of the question has to say which call it belongs to.
    pub(super) fn within_round(&self, asked: &Asked<'_>, chosen: &RawValue, reply: Vec<u8>) -> Vec<u8> {
        self.asks_within(asked, chosen, &reply).unwrap_or(reply)
    }

    fn asks_within(&self, asked: &Asked<'_>, chosen: &RawValue, reply: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(reply).ok()?;
        let result = mcp::member_at(text, "result")?;
        let [kind, state] = mcp::members_at(&text[result.clone()], ["resultType", "requestState"]);
        if &text[result.clone()][kind?] != "\"input_required\"" {
            return None;
        }
        let mut call: Value = serde_json::from_str(chosen.get()).ok()?;
        let name = call["name"].as_str()?.to_owned();
        let inner = state.as_ref().map(|at| serde_json::from_str(&text[result.clone()][at.clone()]));
        let call = Some((name, call["arguments"].take(), inner.transpose().ok()?));
        let (tool, client) = (tool_of(asked), asked.caller().id().to_owned());
        let round = Round { id: None, tool, client, options: Vec::new(), digest: None, call };
        let sealed = Value::from(self.seal.seal(PURPOSE, &serde_json::to_vec(&round).ok()?)).to_string();
        let mut splice = Splice::new(text);
        match state {
            Some(at) => {
                splice.replace(result.start + at.start..result.start + at.end, sealed.into_bytes());
            }
            None => splice.insert_members(result.start, &format!("\"requestState\":{sealed}")),
        }
        let mut out = Vec::with_capacity(reply.len() + 256);
        splice.write(&mut out);
        Some(out)
    }
}

/// The tool and the arguments that the answer of a round stands for.
fn answered(round: &Round, responses: &Value) -> Option<(String, Value)> {
    let first = round.options.first()?;
    if let Some(digest) = &round.digest {
        let mut arguments = first["parameters"].as_object()?.clone();
        match approval(digest, &responses["approval"]) {
            Some(approval) => _ = arguments.insert("approval".into(), approval),
            None => _ = arguments.shift_remove("approval"),
        }
        return Some((first["toolName"].as_str()?.to_owned(), Value::Object(arguments)));
    }
    let answer = &responses["next"];
    let option = match answer["action"].as_str()? {
        "accept" => {
            let chosen = answer["content"]["next"].as_str()?;
            let at = labels(&round.options).iter().position(|one| one == chosen)?;
            round.options.get(at)?
        }
        // Whoever does not want to go on now can later.
        _ => {
            let own = |option: &Value| {
                let workflow = option["toolName"].as_str()?.strip_suffix("_continue")?;
                let Value::Object(mut arguments) = option["parameters"].clone() else { return None };
                arguments.get("expectedStep")?;
                arguments.retain(|key, _| matches!(key.as_str(), "sessionId" | "expectedStep"));
                Some((format!("{workflow}_pause"), Value::Object(arguments)))
            };
            return round.options.iter().find_map(own);
        }
    };
    let mut arguments: Map<String, Value> = option["parameters"].as_object()?.clone();
    // A form that leaves them out may send an empty text.
    if let Some(text) = answer["content"]["arguments"].as_str().filter(|text| !text.trim().is_empty()) {
        let more: Map<String, Value> = serde_json::from_str(text).ok()?;
        arguments.extend(more.into_iter().filter(|(key, _)| key != "sessionId"));
    }
    Some((option["toolName"].as_str()?.to_owned(), Value::Object(arguments)))
}

/// The answer to a question; nothing where somebody put it off.
pub(super) fn approval(digest: &str, answer: &Value) -> Option<Value> {
    let allow = match answer["action"].as_str()? {
        "accept" => answer["content"]["allow"].as_bool()?,
        "decline" => false,
        _ => return None,
    };
    Some(
        json!({"digest": digest, "allow": allow, "reason": answer["content"]["reason"].as_str().unwrap_or("")}),
    )
}

pub(super) fn approval_schema() -> Value {
    json!({"type": "object", "required": ["allow"], "properties": {
        "allow": {"type": "boolean", "title": "Allow this step"},
        "reason": {"type": "string", "title": "Reason"},
    }})
}

/// What the options of a round are called: by their tools, and those of the same tool by what they stand for too.
fn labels(options: &[Value]) -> Vec<String> {
    let tool = |option: &Value| option["toolName"].as_str().unwrap_or_default().to_owned();
    let all: Vec<String> = options.iter().map(tool).collect();
    let mut labels: Vec<String> = Vec::new();
    for (option, name) in options.iter().zip(&all) {
        let mut label = name.clone();
        if all.iter().filter(|one| *one == name).count() > 1 {
            if let Some(condition) = option["condition"].as_str() {
                label = format!("{name}: {condition}");
            }
            let same = labels.iter().filter(|one| **one == label).count();
            if same > 0 {
                label = format!("{label} ({})", same + 1);
            }
        }
        labels.push(label);
    }
    labels
}

fn choice_schema(options: &[Value]) -> Value {
    let labels = labels(options);
    json!({"type": "object", "required": ["next"], "properties": {
        "next": {"type": "string", "title": "Next", "enum": labels, "default": labels.first()},
        "arguments": {"type": "string", "title": "Further arguments, as JSON"},
    }})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(digest: Option<&str>) -> Round {
        let options = vec![
            json!({"toolName": "w_continue", "parameters": {"sessionId": "s", "expectedStep": 1}}),
            json!({"toolName": "err_start", "parameters": {"sessionId": "s", "reason": "x"}}),
        ];
        let (id, tool, client) = ("r".to_owned(), "w_start".to_owned(), "c".to_owned());
        Round { id: Some(id), tool, client, options, digest: digest.map(str::to_owned), call: None }
    }

    #[track_caller]
    fn check(digest: Option<&str>, responses: &Value, expected: Option<(&str, Value)>) {
        let found = answered(&round(digest), responses);
        assert_eq!(found, expected.map(|(name, arguments)| (name.to_owned(), arguments)));
    }

    #[test]
    fn an_answer_becomes_the_call_that_it_chooses() {
        for content in [json!({}), json!({"next": 5}), json!("w_continue"), json!(null)] {
            check(None, &json!({"next": {"action": "accept", "content": content}}), None);
        }
        check(
            None,
            &json!({"next": {"action": "accept", "content": {"next": "w_continue", "arguments": "{\"a\":1,\"sessionId\":\"t\"}"}}}),
            Some(("w_continue", json!({"sessionId": "s", "expectedStep": 1, "a": 1}))),
        );
        check(
            None,
            &json!({"next": {"action": "accept", "content": {"next": "err_start"}}}),
            Some(("err_start", json!({"sessionId": "s", "reason": "x"}))),
        );
        check(None, &json!({"next": {"action": "accept", "content": {"next": "other"}}}), None);
        let at_step = json!({"sessionId": "s", "expectedStep": 1});
        check(None, &json!({"next": {"action": "cancel"}}), Some(("w_pause", at_step.clone())));
        check(None, &json!({}), None);
        let mut turned = round(None);
        turned.options.reverse();
        let declined = answered(&turned, &json!({"next": {"action": "decline"}}));
        assert_eq!(declined, Some(("w_pause".to_owned(), at_step)), "whichever comes first");
    }

    #[test]
    fn an_approval_carries_the_digest_of_its_question() {
        let said = |allow: bool, reason: &str| {
            json!({"sessionId": "s", "expectedStep": 1,
                "approval": {"digest": "d", "allow": allow, "reason": reason}})
        };
        let accept = json!({"approval": {"action": "accept", "content": {"allow": true}}});
        check(Some("d"), &accept, Some(("w_continue", said(true, ""))));
        let decline = json!({"approval": {"action": "decline", "content": {"reason": "no"}}});
        check(Some("d"), &decline, Some(("w_continue", said(false, "no"))));
        let later = json!({"approval": {"action": "cancel"}});
        check(Some("d"), &later, Some(("w_continue", json!({"sessionId": "s", "expectedStep": 1}))));
    }
}
