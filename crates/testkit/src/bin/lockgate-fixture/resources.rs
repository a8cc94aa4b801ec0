//! Resources that can be read and subscribed to. `touch {uri}` tells of an update to whoever asked to hear
//! of it, and to nobody else.

use crate::Fixture;
use crate::protocol::META_SUBSCRIPTION;
use serde_json::{Value, json};

/// Answers a method about resources; `false` when it is none that the fixture has.
pub(crate) fn answer(fixture: &Fixture, method: &str, id: &Value, params: &Value) -> bool {
    let uris = &fixture.switches.resources;
    let uri = params["uri"].as_str().unwrap_or_default();
    let modern = fixture.switches.modern;
    match method {
        _ if uris.is_empty() => return false,
        "resources/list" => fixture.wire.result(id, stamped(modern, json!({"resources": listed(uris)}))),
        "resources/templates/list" => {
            fixture.wire.result(id, stamped(modern, json!({"resourceTemplates": []})));
        }
        "resources/subscribe" | "resources/unsubscribe" if modern => return false,
        "resources/read" | "resources/subscribe" if !uris.iter().any(|known| known == uri) => {
            let code = if modern { -32602 } else { -32002 };
            fixture.wire.error(id, &json!(code), "Resource not found", Some(&json!({"uri": uri})));
        }
        "resources/read" => {
            let contents = json!([{"uri": uri, "text": format!("text of {uri}")}]);
            fixture.wire.result(id, stamped(modern, json!({"contents": contents})));
        }
        "resources/subscribe" => {
            fixture.state.watch(uri);
            fixture.wire.result(id, json!({}));
        }
        "resources/unsubscribe" => {
            fixture.state.unwatch(uri);
            fixture.wire.result(id, json!({}));
        }
        _ => return false,
    }
    true
}

/// Tells whoever asked for it that a resource is another one.
pub(crate) fn touch(fixture: &Fixture, uri: &str) {
    const METHOD: &str = "notifications/resources/updated";
    if fixture.state.watches(uri) {
        fixture.wire.notify(METHOD, &json!({"uri": uri}));
    }
    for id in fixture.state.listeners(|listener| listener.uris.iter().any(|known| known == uri)) {
        fixture.wire.notify(METHOD, &json!({"uri": uri, "_meta": {META_SUBSCRIPTION: id}}));
    }
}

fn listed(uris: &[String]) -> Vec<Value> {
    uris.iter().map(|uri| json!({"uri": uri, "name": uri})).collect()
}

fn stamped(modern: bool, mut result: Value) -> Value {
    if modern {
        result["ttlMs"] = 0.into();
        result["cacheScope"] = "public".into();
    }
    result
}
