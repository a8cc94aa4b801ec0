//! JSON-RPC and the methods of both eras.

use crate::state::Listener;
use crate::{Fixture, catalog, fidelity, resources, tools};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::HashMap;

const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const MODERN: &str = "2026-07-28";
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const META_SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// One call to be carried out.
pub(crate) struct Job {
    pub(crate) id: Value,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) progress_token: Option<Value>,
    /// The parameters as they came; empty unless a switch asks for them.
    pub(crate) raw_params: String,
    /// The arguments of the call before.
    pub(crate) before: Value,
}

impl Job {
    pub(crate) fn run(&self, fixture: &Fixture) {
        tools::call(fixture, self);
    }
}

/// How the fixture introduces itself.
pub(crate) fn server_info() -> Value {
    json!({"name": "lockgate-fixture", "version": env!("CARGO_PKG_VERSION")})
}

/// Tells whoever listens that the tool list is another one.
pub(crate) fn list_changed(fixture: &Fixture) {
    const METHOD: &str = "notifications/tools/list_changed";
    if !fixture.switches.modern {
        fixture.wire.notify(METHOD, &json!({}));
    }
    for id in fixture.state.listeners(|listener| listener.tools) {
        fixture.wire.notify(METHOD, &json!({"_meta": {META_SUBSCRIPTION: id}}));
    }
}

/// Takes one line. What can be answered at once is; a call is given back to be run elsewhere.
pub(crate) fn receive(fixture: &Fixture, line: &[u8]) -> Option<Job> {
    let Ok(message) = serde_json::from_slice::<Value>(line) else {
        unreadable(fixture, line);
        return None;
    };
    let method = message["method"].as_str()?;
    let params = &message["params"];
    let Some(id) = message.get("id") else {
        if method == "notifications/cancelled" {
            fixture.state.unlisten(&params["requestId"]);
            fixture.state.cancel(params["requestId"].clone());
        }
        return None;
    };
    let mut job = match fixture.switches.modern {
        true => modern(fixture, method, id, params),
        false => legacy(fixture, method, id, params),
    }?;
    if fixture.switches.fidelity || fixture.switches.effects.is_some() {
        job.raw_params = fidelity::params(line);
    }
    Some(job)
}

/// Answers a line that has no tree. It may be JSON all the same, with a number beyond f64 or half a
/// surrogate pair in its parameters; then the request is known.
fn unreadable(fixture: &Fixture, line: &[u8]) {
    let fields = serde_json::from_slice::<HashMap<String, Box<RawValue>>>(line).unwrap_or_default();
    match fields.get("id").and_then(|id| serde_json::from_str(id.get()).ok()) {
        Some(id) => fixture.wire.error(&id, &json!(-32602), "Invalid params: not readable", None),
        None => fixture.wire.error(&Value::Null, &json!(-32700), "Parse error", None),
    }
}

fn legacy(fixture: &Fixture, method: &str, id: &Value, params: &Value) -> Option<Job> {
    match method {
        "initialize" if !fixture.switches.hang_init => fixture.wire.result(id, initialize(fixture, params)),
        "initialize" => {}
        "ping" => {
            let number = fixture.state.begin_ping();
            if !fixture.switches.no_ping && number > fixture.switches.skip_pings {
                fixture.wire.result(id, json!({}));
            }
        }
        "tools/list" => list(fixture, id, params),
        "tools/call" => return call(fixture, id, params),
        "logging/setLevel" if fixture.switches.logs => {
            fixture.state.set_level(params["level"].as_str().unwrap_or_default());
            fixture.wire.result(id, json!({}));
        }
        _ if resources::answer(fixture, method, id, params) => {}
        _ => unknown_method(fixture, id, method),
    }
    None
}

fn modern(fixture: &Fixture, method: &str, id: &Value, params: &Value) -> Option<Job> {
    let meta = &params["_meta"];
    let (Some(version), true) = (meta[META_VERSION].as_str(), meta[META_CAPABILITIES].is_object()) else {
        let message = "Missing protocolVersion or clientCapabilities in _meta";
        fixture.wire.error(id, &json!(-32602), message, None);
        return None;
    };
    if version != MODERN {
        let data = json!({"supported": [MODERN], "requested": version});
        fixture.wire.error(id, &json!(-32022), "Unsupported protocol version", Some(&data));
        return None;
    }
    match method {
        "server/discover" => {
            let ignored = fixture.state.begin_discover() > 1 && fixture.switches.no_ping;
            if !fixture.switches.hang_init && !ignored {
                fixture.wire.result(id, discover(fixture));
            }
        }
        "tools/list" => list(fixture, id, params),
        "tools/call" => return call(fixture, id, params),
        "subscriptions/listen" => listen(fixture, id, params),
        _ if resources::answer(fixture, method, id, params) => {}
        _ => unknown_method(fixture, id, method),
    }
    None
}

fn unknown_method(fixture: &Fixture, id: &Value, method: &str) {
    fixture.wire.error(id, &json!(-32601), &format!("Method not found: {method}"), None);
}

fn initialize(fixture: &Fixture, params: &Value) -> Value {
    let asked = params["protocolVersion"].as_str().unwrap_or_default();
    let version = LEGACY.iter().find(|known| **known == asked).unwrap_or(&LEGACY[3]);
    json!({
        "protocolVersion": version,
        "capabilities": capabilities(fixture, fixture.switches.list_changed),
        "serverInfo": server_info(),
    })
}

fn capabilities(fixture: &Fixture, list_changed: bool) -> Value {
    let mut all = json!({"tools": {"listChanged": list_changed}});
    if !fixture.switches.resources.is_empty() {
        all["resources"] = json!({"subscribe": true});
    }
    if fixture.switches.logs {
        all["logging"] = json!({});
    }
    all
}

fn discover(fixture: &Fixture) -> Value {
    json!({
        "supportedVersions": [MODERN],
        "capabilities": capabilities(fixture, true),
        "ttlMs": 0,
        "cacheScope": "public",
    })
}

fn listen(fixture: &Fixture, id: &Value, params: &Value) {
    let filter = &params["notifications"];
    let tools = filter["toolsListChanged"] == true;
    let asked = filter["resourceSubscriptions"].as_array().into_iter().flatten();
    let asked = asked.filter_map(|uri| uri.as_str().map(ToOwned::to_owned));
    let uris: Vec<String> = asked.filter(|uri| fixture.switches.resources.contains(uri)).collect();
    let mut accepted = json!({});
    if tools {
        accepted["toolsListChanged"] = true.into();
    }
    if !uris.is_empty() {
        accepted["resourceSubscriptions"] = json!(uris);
    }
    fixture.state.listen(Listener { id: id.clone(), tools, uris });
    fixture.wire.notify(
        "notifications/subscriptions/acknowledged",
        &json!({"_meta": {META_SUBSCRIPTION: id}, "notifications": accepted}),
    );
}

fn list(fixture: &Fixture, id: &Value, params: &Value) {
    let Some((tools, next)) = catalog::page(fixture, params["cursor"].as_str()) else {
        return fixture.wire.error(id, &json!(-32602), "Invalid cursor", None);
    };
    let mut result = json!({"tools": tools});
    if let Some(next) = next {
        result["nextCursor"] = next.into();
    }
    if fixture.switches.modern {
        result["ttlMs"] = 0.into();
        result["cacheScope"] = "public".into();
    }
    match &fixture.switches.tools {
        Some(more) if result.get("nextCursor").is_none() => fidelity::list(fixture, id, &result, more),
        _ => fixture.wire.result(id, result),
    }
}

fn call(fixture: &Fixture, id: &Value, params: &Value) -> Option<Job> {
    let tool = params["name"].as_str().unwrap_or_default().to_owned();
    let arguments = params.get("arguments").cloned().unwrap_or_else(|| json!({}));
    let before = fixture.state.begin_call(&arguments);
    if !catalog::has(fixture, &tool) {
        fixture.wire.error(id, &json!(-32602), &format!("Unknown tool: {tool}"), None);
        return None;
    }
    let progress_token = params["_meta"].get("progressToken").cloned();
    Some(Job { id: id.clone(), tool, arguments, progress_token, raw_params: String::new(), before })
}
