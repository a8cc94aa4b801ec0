//! From a line to its answer: the JSON-RPC envelope, the two eras of MCP, and the methods.

use super::{offers, tools};
use serde_json::{Map, Value, json};

/// Revisions that begin with `initialize`, oldest first.
const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The revision in which every request speaks for itself.
const MODERN: &str = "2026-07-28";

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_KEY: &str = "io.modelcontextprotocol/clientInfo";
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

const PARSE: i64 = -32700;
const REQUEST: i64 = -32600;
const METHOD: i64 = -32601;
const PARAMS: i64 = -32602;
const UNSUPPORTED_VERSION: i64 = -32022;

const INSTRUCTIONS: &str = "A demonstration: calculate-bmi computes, fetch-weather reports made-up weather.";

/// A JSON-RPC error.
#[derive(Debug)]
struct Refusal {
    code: i64,
    message: String,
    data: Option<Value>,
}

fn refuse(code: i64, message: impl Into<String>) -> Refusal {
    Refusal { code, message: message.into(), data: None }
}

type Answer = Result<Map<String, Value>, Refusal>;

/// The answer to one line, if there is to be one.
pub(super) fn answer(line: &str) -> Option<String> {
    let line = line.trim();
    if line.is_empty() {
        return None;
    }
    let answer = match serde_json::from_str(line) {
        Err(error) => Some(envelope(&Value::Null, Err(refuse(PARSE, format!("Parse error: {error}"))))),
        // Batches are part of 2025-03-26.
        Ok(Value::Array(messages)) if !messages.is_empty() => {
            let answers: Vec<Value> = messages.iter().filter_map(message).collect();
            (!answers.is_empty()).then_some(Value::Array(answers))
        }
        Ok(value) => message(&value),
    };
    answer.map(|answer| answer.to_string())
}

fn message(value: &Value) -> Option<Value> {
    let invalid =
        |id: &Value, why: &str| Some(envelope(id, Err(refuse(REQUEST, format!("Invalid Request: {why}")))));
    let Some(message) = value.as_object() else {
        return invalid(&Value::Null, "a message is an object");
    };
    let id = match message.get("id") {
        Some(id) if id.is_string() || id.is_i64() || id.is_u64() => Some(id),
        Some(_) => return invalid(&Value::Null, "id must be a string or an integer"),
        None => None,
    };
    let known = id.unwrap_or(&Value::Null);
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid(known, "jsonrpc must be \"2.0\"");
    }
    let Some(method) = message.get("method") else {
        // An answer, though nothing was asked.
        let is_answer = message.contains_key("result") || message.contains_key("error");
        return if is_answer { None } else { invalid(known, "method is required") };
    };
    let Some(method) = method.as_str() else {
        return invalid(known, "method must be a string");
    };
    // A notification; none of them changes anything here.
    let id = id?;
    Some(envelope(id, request(method, message.get("params"))))
}

fn envelope(id: &Value, answer: Answer) -> Value {
    match answer {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(Refusal { code, message, data }) => {
            let mut error = json!({"code": code, "message": message});
            if let Some(data) = data {
                error["data"] = data;
            }
            json!({"jsonrpc": "2.0", "id": id, "error": error})
        }
    }
}

fn request(method: &str, params: Option<&Value>) -> Answer {
    let none = Map::new();
    let params = match params {
        None => &none,
        Some(Value::Object(params)) => params,
        Some(_) => return Err(refuse(PARAMS, "Invalid params: params must be an object")),
    };
    let meta = params.get("_meta").and_then(Value::as_object).unwrap_or(&none);
    let speaks_for_itself =
        [VERSION_KEY, CAPABILITIES_KEY, CLIENT_KEY].iter().any(|key| meta.contains_key(*key));
    if method != "initialize" && (speaks_for_itself || method == "server/discover") {
        check_meta(meta)?;
        return modern(method, params).map(stamp);
    }
    match method {
        "initialize" => initialize(params),
        "ping" => Ok(Map::new()),
        _ => served(method, params),
    }
}

/// What both eras have.
fn served(method: &str, params: &Map<String, Value>) -> Answer {
    match method {
        "tools/list" => list(params, "tools", tools::list),
        "tools/call" => call(params),
        "resources/list" => list(params, "resources", offers::resources),
        "resources/templates/list" => list(params, "resourceTemplates", offers::templates),
        "resources/read" => read(params),
        "prompts/list" => list(params, "prompts", offers::prompts),
        "prompts/get" => prompt(params),
        _ => Err(unknown(method)),
    }
}

fn modern(method: &str, params: &Map<String, Value>) -> Answer {
    match method {
        "server/discover" => Ok(object(json!({
            "supportedVersions": [MODERN],
            "capabilities": capabilities(),
            "instructions": INSTRUCTIONS,
            "ttlMs": 3_600_000,
            "cacheScope": "public",
        }))),
        "tools/call" | "prompts/get" => served(method, params),
        // Nothing here ever changes, so whatever is listed or read may be kept.
        _ => served(method, params).map(|mut result| {
            result.insert("ttlMs".into(), json!(3_600_000));
            result.insert("cacheScope".into(), json!("public"));
            result
        }),
    }
}

fn capabilities() -> Value {
    json!({"tools": {}, "resources": {}, "prompts": {}})
}

/// What every request of 2026-07-28 must say.
fn check_meta(meta: &Map<String, Value>) -> Result<(), Refusal> {
    let missing =
        |key: &str, kind: &str| refuse(PARAMS, format!("Invalid params: _meta['{key}'] must be {kind}"));
    let version = meta.get(VERSION_KEY).and_then(Value::as_str);
    let version = version.ok_or_else(|| missing(VERSION_KEY, "a string"))?;
    if version != MODERN {
        let data = json!({"supported": [MODERN], "requested": version});
        let message = format!("Unsupported protocol version: {version}");
        return Err(Refusal { data: Some(data), ..refuse(UNSUPPORTED_VERSION, message) });
    }
    if !meta.get(CAPABILITIES_KEY).is_some_and(Value::is_object) {
        return Err(missing(CAPABILITIES_KEY, "an object"));
    }
    Ok(())
}

/// What every result of 2026-07-28 says.
fn stamp(mut result: Map<String, Value>) -> Map<String, Value> {
    result.insert("resultType".into(), json!("complete"));
    result.insert("_meta".into(), json!({SERVER_KEY: server_info()}));
    result
}

fn initialize(params: &Map<String, Value>) -> Answer {
    let requested = params.get("protocolVersion").and_then(Value::as_str);
    let requested =
        requested.ok_or_else(|| refuse(PARAMS, "Invalid params: protocolVersion must be a string"))?;
    let version = if LEGACY.contains(&requested) { requested } else { LEGACY[LEGACY.len() - 1] };
    Ok(object(json!({
        "protocolVersion": version,
        "capabilities": capabilities(),
        "serverInfo": server_info(),
        "instructions": INSTRUCTIONS,
    })))
}

fn list(params: &Map<String, Value>, member: &str, entries: fn() -> Value) -> Answer {
    // There is one page, so no cursor was ever given out.
    match params.get("cursor") {
        None | Some(Value::Null) => Ok(object(json!({member: entries()}))),
        Some(_) => Err(refuse(PARAMS, "Invalid params: unknown cursor")),
    }
}

fn text<'a>(params: &'a Map<String, Value>, member: &str) -> Result<&'a str, Refusal> {
    let text = params.get(member).and_then(Value::as_str);
    text.ok_or_else(|| refuse(PARAMS, format!("Invalid params: {member} must be a string")))
}

fn read(params: &Map<String, Value>) -> Answer {
    let uri = text(params, "uri")?;
    let contents = offers::read(uri)
        .ok_or_else(|| Refusal { data: Some(json!({"uri": uri})), ..refuse(PARAMS, "Resource not found") })?;
    Ok(object(json!({"contents": contents})))
}

fn prompt(params: &Map<String, Value>) -> Answer {
    let name = text(params, "name")?;
    let messages = offers::prompt(name, params.get("arguments"))
        .ok_or_else(|| refuse(PARAMS, format!("Unknown prompt: {name}")))?;
    Ok(object(json!({"messages": messages})))
}

fn call(params: &Map<String, Value>) -> Answer {
    let name = text(params, "name")?;
    let none = Map::new();
    let arguments = match params.get("arguments") {
        None => &none,
        Some(Value::Object(arguments)) => arguments,
        Some(_) => return Err(refuse(PARAMS, "Invalid params: arguments must be an object")),
    };
    tools::call(name, arguments).ok_or_else(|| refuse(PARAMS, format!("Unknown tool: {name}")))
}

fn unknown(method: &str) -> Refusal {
    refuse(METHOD, format!("Method not found: {method}"))
}

fn server_info() -> Value {
    json!({"name": "lockgate-demo", "title": "Lockgate demo server", "version": env!("CARGO_PKG_VERSION")})
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests;
