//! One call as a tool or prompt sees it: its arguments, and a way to ask the client that is the same in both
//! eras.

use crate::fixture::Fixture;
use rmcp::ErrorData;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, ClientCapabilities, InputRequest, InputRequests, InputRequiredResult, InputResponses,
    JsonObject, ProtocolVersion, ServerRequest,
};
use rmcp::service::RequestContext;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The answer to a call of a tool.
pub(crate) type Answer = Result<CallToolResponse, ErrorData>;

/// A call, or one round of it.
pub(crate) struct Call<'a> {
    pub(crate) fixture: &'a Fixture,
    pub(crate) arguments: JsonObject,
    pub(crate) responses: InputResponses,
    /// The `requestState` that the client sent back.
    pub(crate) state: Option<String>,
    pub(crate) context: RequestContext<RoleServer>,
}

/// What became of a question to the client.
pub(crate) enum Asked {
    /// All of it is answered, by the keys of the questions.
    Answered(InputResponses),
    /// The client has to call again with the answers.
    Required(InputRequiredResult),
}

impl Call<'_> {
    /// One argument as text; empty when it is not there.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.arguments.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether the client speaks 2026-07-28.
    pub(crate) fn is_modern(&self) -> bool {
        let version = self.context.protocol_version();
        version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
    }

    /// What the client can do, for this request.
    pub(crate) fn capabilities(&self) -> ClientCapabilities {
        self.context.client_capabilities().unwrap_or_default()
    }

    /// Whether the client declares what this method of a question needs.
    pub(crate) fn can_answer(&self, method: &str) -> bool {
        let capabilities = value(&self.capabilities());
        !capabilities[capability(method)].is_null()
    }

    /// Puts questions to the client, as an object of `{method, params}` by key: with requests when it is of
    /// the legacy era, with an `input_required` result that carries `state` when it is modern.
    pub(crate) async fn ask(&self, questions: Value, state: Option<String>) -> Result<Asked, ErrorData> {
        let questions = questions.as_object().cloned().unwrap_or_default();
        for question in questions.values() {
            let method = question["method"].as_str().unwrap_or_default();
            if !self.can_answer(method) {
                return Err(self.unable(capability(method)));
            }
        }
        if self.is_modern() {
            return Ok(self.collect(&questions, state));
        }
        let mut answers = InputResponses::new();
        for (key, question) in questions {
            answers.insert(key, self.request(question).await?);
        }
        Ok(Asked::Answered(answers))
    }

    /// The error for a client that lacks a capability; only the modern era has a code for it.
    fn unable(&self, capability: &str) -> ErrorData {
        match self.is_modern() {
            true => ErrorData::missing_required_client_capability(from_json(json!({capability: {}}))),
            false => ErrorData::invalid_request(format!("The client does not support {capability}"), None),
        }
    }

    fn collect(&self, questions: &JsonObject, state: Option<String>) -> Asked {
        let answer = |key: &String, question: &Value| {
            let answer = self.responses.get(key)?;
            is_answer(question, answer).then(|| (key.clone(), answer.clone()))
        };
        let answers: Option<InputResponses> = questions.iter().map(|(k, q)| answer(k, q)).collect();
        match answers {
            Some(answers) => Asked::Answered(answers),
            None => {
                let requests: InputRequests = from_json(json!(questions));
                Asked::Required(InputRequiredResult::new(Some(requests), state))
            }
        }
    }

    async fn request(&self, question: Value) -> Result<Value, ErrorData> {
        let request = match from_json(question) {
            InputRequest::CreateMessage(request) => ServerRequest::CreateMessageRequest(request),
            InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
            InputRequest::ListRoots(request) => ServerRequest::ListRootsRequest(request),
            other => return Err(ErrorData::internal_error(format!("no request for {other:?}"), None)),
        };
        let answer = self.context.peer.send_request(request).await;
        answer.map(|answer| value(&answer)).map_err(|e| ErrorData::internal_error(e.to_string(), None))
    }
}

/// The client capability behind a question.
fn capability(method: &str) -> &'static str {
    match method {
        "sampling/createMessage" => "sampling",
        "roots/list" => "roots",
        _ => "elicitation",
    }
}

/// Whether an answer has the shape that its question asks for.
fn is_answer(question: &Value, answer: &Value) -> bool {
    match capability(question["method"].as_str().unwrap_or_default()) {
        "sampling" => answer["content"].is_object() || answer["content"].is_array(),
        "roots" => answer["roots"].is_array(),
        _ if answer["action"] == "accept" => {
            let required = question["params"]["requestedSchema"]["required"].as_array();
            required
                .into_iter()
                .flatten()
                .all(|name| name.as_str().is_some_and(|name| !answer["content"][name].is_null()))
        }
        _ => answer["action"] == "decline" || answer["action"] == "cancel",
    }
}

/// A value of the SDK from the JSON that goes over the wire.
pub(crate) fn from_json<T: DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).expect("the JSON is written for this type")
}

/// The JSON of a value of the SDK.
pub(crate) fn value(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("the types of the SDK are JSON")
}

/// A result of one text.
pub(crate) fn text(text: &str) -> CallToolResponse {
    content(json!([{"type": "text", "text": text}]))
}

/// A result with this content.
#[expect(clippy::needless_pass_by_value, reason = "callers write the JSON in place")]
pub(crate) fn content(content: Value) -> CallToolResponse {
    CallToolResponse::Complete(from_json(json!({"resultType": "complete", "content": content})))
}
