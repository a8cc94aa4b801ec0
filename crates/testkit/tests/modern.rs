//! The fixture in the modern era.

use serde_json::{Value, json};
use std::process::Command;
use testkit::Stdio;

fn start(env: &[(&str, &str)]) -> Stdio {
    Stdio::start(&mut Command::new(env!("CARGO_BIN_EXE_lockgate-fixture")), env)
}

fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}

#[test]
fn a_modern_request_needs_its_version_and_capabilities() {
    let mut fixture = start(&[("FX_ERA", "modern")]);
    assert_eq!(fixture.ask("tools/list", json!({}))["error"]["code"], -32602);
    assert_eq!(fixture.ask("initialize", modern(json!({})))["error"]["code"], -32601);
    let mut old = modern(json!({}));
    old["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2025-11-25".into();
    let error = fixture.ask("tools/list", old)["error"].clone();
    assert_eq!(error["code"], -32022);
    assert_eq!(error["data"], json!({"supported": ["2026-07-28"], "requested": "2025-11-25"}));
}

#[test]
fn modern_results_carry_what_the_revision_demands() {
    let mut fixture = start(&[("FX_ERA", "modern")]);
    let discover = fixture.ask("server/discover", modern(json!({})))["result"].clone();
    assert_eq!(discover["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(discover["resultType"], "complete");
    let list = fixture.ask("tools/list", modern(json!({})))["result"].clone();
    assert_eq!((&list["ttlMs"], &list["cacheScope"]), (&json!(0), &json!("public")));
    let call = fixture.ask("tools/call", modern(json!({"name": "plain"})))["result"].clone();
    assert_eq!(call["resultType"], "complete");
    assert_eq!(call["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "lockgate-fixture");
}

#[test]
fn a_subscription_is_acknowledged_and_served() {
    let mut fixture = start(&[("FX_ERA", "modern"), ("FX_LIST_CHANGED", "1")]);
    let filter = modern(json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true}}));
    let id = fixture.request("subscriptions/listen", filter);
    let tagged = json!({"io.modelcontextprotocol/subscriptionId": id});
    let acknowledged = fixture.read();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"], json!({"_meta": tagged, "notifications": {"toolsListChanged": true}}));
    fixture.request("tools/call", modern(json!({"name": "grow", "arguments": {"name": "late"}})));
    let changed = fixture.read();
    assert_eq!(changed["method"], "notifications/tools/list_changed");
    assert_eq!(changed["params"], json!({"_meta": tagged}));
}
