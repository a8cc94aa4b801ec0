//! `POST /mcp/call` and `GET /mcp/tools`.

use crate::access::Who;
use crate::answer::{Refusal, json_bytes};
use crate::app::App;
use crate::body;
use crate::record::Record;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use gateway::{
    Caller, Carried, Carrier, Failure, Footprint, Pass, Seen, ToolCall, Trace, Visit, Way, fault_of, value_of,
};
use model::settings::ResultMode;
use model::{Fault, Settings};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

/// The body of a call.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "server": "health-server", "toolName": "calculate-bmi",
    "input": {"weight_kg": 70, "height_m": 1.75}, "timeout": 5000
}))]
pub(crate) struct CallBody {
    /// The server; may be left out with `routing.allowToolOnly`.
    #[schema(max_length = 50, pattern = "^[a-zA-Z0-9-_]+$")]
    server: String,
    /// The tool.
    #[schema(max_length = 100, pattern = "^[a-zA-Z0-9-_]+$")]
    tool_name: String,
    /// The arguments of the tool.
    input: serde_json::Map<String, Value>,
    /// Milliseconds for this call alone.
    #[schema(minimum = 1)]
    timeout: Option<u64>,
}

/// The reply to a call that worked.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct CallReply {
    /// Always true.
    success: bool,
    /// Structured content, or the JSON of the only text part, or the whole result.
    result: Value,
}

/// Every error.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ErrorReply {
    /// Always false.
    success: bool,
    error: ErrorBody,
}

/// What went wrong.
#[derive(Serialize, utoipa::ToSchema)]
struct ErrorBody {
    code: model::Code,
    /// What happened and what to do.
    message: String,
    /// Facts for programs.
    details: serde_json::Map<String, Value>,
}

/// Where calls come in.
pub(crate) const PATH: &str = "/mcp/call";

/// Calls one tool.
#[utoipa::path(
    post, path = "/mcp/call", tag = "tools", operation_id = "callTool",
    params(("raw" = Option<bool>, Query, description = "`true`: always the whole `CallToolResult`.")),
    request_body = CallBody,
    responses(
        (status = 200, body = CallReply),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
        (status = 404, body = ErrorReply, description = "`SERVER_NOT_FOUND`, `TOOL_NOT_FOUND`"),
        (status = 408, body = ErrorReply, description = "`TIMEOUT_ERROR`; 504 with `http.timeoutStatus: 504`"),
        (status = 500, body = ErrorReply, description = "`TOOL_EXECUTION_ERROR`, `INTERNAL_ERROR`"),
        (status = 502, body = ErrorReply, description = "`SERVER_CRASHED`"),
        (status = 429, body = ErrorReply, description = "`RATE_LIMITED`; see `Retry-After`"),
        (status = 503, body = ErrorReply, description = "`SERVER_NOT_RUNNING`, `OVERLOADED`, `CIRCUIT_OPEN`"),
    )
)]
pub(crate) async fn call(State(app): State<App>, request: Request) -> Response {
    let pass = request.extensions().get::<Arc<Pass>>().cloned();
    answer(&app, request, pass.as_deref(), Instant::now()).await
}

/// The whole way of a call, with its log line. The accept loop comes here without the router.
pub(crate) async fn answer(app: &App, request: Request, pass: Option<&Pass>, began: Instant) -> Response {
    let settings = app.gateway().settings();
    let (head, body) = request.into_parts();
    let mut record = Record::new(&head.method, PATH, began);
    let footprint = Footprint::default();
    let name = client_id(&head.headers);
    let caller = Caller::new(name.as_deref()).with(pass).leaving(&footprint);
    let visit = app.gateway().visit(Way::Rest, "tools/call", carrier(&head.headers), began).by(caller);
    let raw = settings.http.result_mode == ResultMode::Raw || asks_raw(head.uri.query());
    let bytes = body::read(&head.headers, body, settings.limits.body).await;
    let call = bytes.as_deref().map_err(Fault::clone).and_then(|bytes| ToolCall::parse(bytes, &settings));
    let mut call = match call {
        Ok(call) => call,
        Err(fault) => {
            visit.close(&Seen { caller, code: Some(fault.code), ..Seen::default() });
            let response = Refusal::from(fault).into_response();
            record.close(app, &response);
            return response;
        }
    };
    let Carried { outcome, code, trace, .. } = {
        // Pinned first: it is large, and is not moved about.
        let work = std::pin::pin!(app.gateway().call(caller, &mut call));
        Visit::within(Some(&visit), work).await
    };
    let server = call.server.as_deref().unwrap_or_default();
    let (by, tool) = trace.led_to().unwrap_or((server, &call.tool));
    let value = match &outcome {
        Ok(result) => value_of(result, raw, by, tool),
        Err(Failure::Fault(fault)) => Err(fault.clone()),
        Err(Failure::Rpc(error)) => Err(fault_of(error, by, tool)),
    };
    let mut response = match value {
        Ok(value) => json_bytes(StatusCode::OK, wrap(&value)),
        Err(fault) => Refusal::of_call(fault, settings.http.timeout_status).into_response(),
    };
    tell_hooks(&settings, &trace, &mut response);
    (record.server, record.tool, record.hooks) = (Some(server), Some(&*call.tool), Some(&trace));
    visit.close(&Seen { caller, server: record.server, tool: record.tool, code, hooks: Some(&trace) });
    record.close(app, &response);
    response
}

/// The headers that carry the context of a trace.
pub(crate) fn traced(headers: &HeaderMap) -> (Option<&str>, Option<&str>) {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    (text("traceparent"), text("tracestate"))
}

pub(crate) fn carrier(headers: &HeaderMap) -> Carrier<'_> {
    let (parent, state) = traced(headers);
    Carrier { parent, state, params: None }
}

/// Where a client names itself.
pub(crate) static CLIENT_ID: HeaderName = HeaderName::from_static("x-client-id");

/// The name that a client gives itself. Headers have no encoding of their own: what is no UTF-8 is one character for
/// each byte, so that two clients with different names are never taken for one.
pub(crate) fn client_id(headers: &HeaderMap) -> Option<Cow<'_, str>> {
    let bytes = headers.get(&CLIENT_ID)?.as_bytes();
    let name = std::str::from_utf8(bytes).map(Cow::Borrowed);
    Some(name.unwrap_or_else(|_| bytes.iter().copied().map(char::from).collect()))
}

/// Names the hooks that ran in the reply, where that is wanted (`hooks.trace: reply`).
pub(crate) fn tell_hooks(settings: &Settings, trace: &Trace, response: &mut Response) {
    if settings.hooks.trace == model::settings::Trace::Reply
        && !trace.is_empty()
        && let Ok(value) = HeaderValue::from_str(&trace.to_header())
    {
        response.headers_mut().insert("lockgate-hooks", value);
    }
}

fn wrap(value: &str) -> Vec<u8> {
    let (before, after) = (br#"{"success":true,"result":"#, b"}");
    let mut body = Vec::with_capacity(before.len() + value.len() + after.len());
    body.extend_from_slice(before);
    body.extend_from_slice(value.as_bytes());
    body.extend_from_slice(after);
    body
}

fn asks_raw(query: Option<&str>) -> bool {
    query.is_some_and(|query| query.split('&').any(|pair| pair == "raw=true"))
}

/// A tool as the REST API lists it.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListedTool {
    name: String,
    description: String,
    server: String,
    input_schema: serde_json::Map<String, Value>,
    /// Null when the server gives none.
    output_schema: Option<serde_json::Map<String, Value>>,
    /// Milliseconds for one call.
    timeout: u64,
}

/// The list of tools.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ToolsReply {
    /// Always true.
    success: bool,
    tools: Vec<ListedTool>,
}

/// Lists the cached tools: servers in config order, then each server's own order.
#[utoipa::path(get, path = "/mcp/tools", tag = "tools", operation_id = "listTools",
    responses(
        (status = 200, body = ToolsReply),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`: a hook or a graph refuses the request"),
        (status = 500, body = ErrorReply, description = "`TOOL_EXECUTION_ERROR`: a hook or a graph failed, or withholds the list"),
    ))]
pub(crate) async fn tools(State(app): State<App>, who: Who, headers: HeaderMap) -> Response {
    let caller = who.caller();
    let visit = app.gateway().visit(Way::Rest, "tools/list", carrier(&headers), Instant::now()).by(caller);
    let (outcome, trace) = Visit::within(Some(&visit), app.gateway().tools_json(caller)).await;
    let code = match &outcome {
        Ok(_) => None,
        Err(Failure::Fault(fault)) => Some(fault.code),
        Err(Failure::Rpc(error)) => Some(fault_of(error, "", "").code),
    };
    visit.close(&Seen { caller, code, hooks: Some(&trace), ..Seen::default() });
    let mut response = match outcome {
        Ok(body) => json_bytes(StatusCode::OK, body),
        Err(Failure::Fault(fault)) => Refusal::from(fault).into_response(),
        Err(Failure::Rpc(error)) => Refusal::from(fault_of(&error, "", "")).into_response(),
    };
    tell_hooks(&app.gateway().settings(), &trace, &mut response);
    response.extensions_mut().insert(trace);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_may_name_itself_in_any_letters() {
        let id = |bytes: &[u8]| {
            let value = HeaderValue::from_bytes(bytes).expect("a header");
            client_id(&HeaderMap::from_iter([(CLIENT_ID.clone(), value)])).map(Cow::into_owned)
        };
        for (bytes, expected) in [
            (&b"desk"[..], "desk"),
            ("Zoë".as_bytes(), "Zoë"),
            ("端末".as_bytes(), "端末"),
            (b"Zo\xeb", "Zoë"),
            (b"\xe7\xab", "ç«"),
            (b"", ""),
        ] {
            assert_eq!(id(bytes).as_deref(), Some(expected), "{bytes:?}");
        }
        assert_eq!(client_id(&HeaderMap::new()), None);
    }
}
