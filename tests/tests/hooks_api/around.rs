//! What stands around the routes: methods, events, types, the API document, metrics.

use super::*;
use std::collections::BTreeSet;
use testkit::Events;

#[test]
fn a_wrong_method_is_told_the_right_ones() {
    let gateway = TestGateway::start();
    for (method, path, allowed) in [
        ("PUT", "/api/hooks", "GET,HEAD,POST"),
        ("POST", "/api/hooks/x", "GET,HEAD,PATCH,DELETE"),
        ("GET", "/api/hooks/reorder", "POST"),
        ("GET", "/api/hooks/validate", "POST"),
        ("GET", "/api/hooks/import", "POST"),
        ("GET", "/api/hooks/x/reset", "POST"),
        ("DELETE", "/api/hooks/types.d.ts", "GET,HEAD"),
    ] {
        let reply = gateway.http().send(&Request::new(method, path));
        reply.expect_code(405, "METHOD_NOT_ALLOWED");
        let sorted = |list: &str| list.split(',').map(|m| m.trim().to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(sorted(reply.header("allow")), sorted(allowed), "{method} {path}");
    }
}

#[test]
fn every_change_is_told_to_those_who_listen() {
    let gateway = TestGateway::start();
    let mut events = Events::open(gateway.http(), &Request::new("GET", "/api/events"));
    let id = create(&gateway, hook("a"))["id"].clone();
    let path = format!("/api/hooks/{}", text(&id));
    let mut told = |what: &str| loop {
        let event = events.event().unwrap_or_else(|| panic!("{what} is told"));
        if event.name == "hooks" {
            let data: Value = serde_json::from_str(&event.data).expect("JSON");
            let instance = data["instance"].as_str().expect("the instance is named");
            assert_eq!(data, json!({"instance": instance}));
            break;
        }
    };
    told("a creation");
    patch(&gateway, &id, &json!({"enabled": false})).expect_status(200);
    told("a change");
    gateway.post("/api/hooks/reorder", json!({"ids": [id]})).expect_status(200);
    told("an order");
    gateway.post(&format!("{path}/reset"), json!({})).expect_status(200);
    told("a reset");
    gateway.delete(&path).expect_status(204);
    told("a deletion");
    gateway.post("/api/hooks/import", hook("b")).expect_status(201);
    told("an import");
}

#[test]
fn the_types_and_the_document_describe_hooks() {
    let gateway = TestGateway::start();
    let types = gateway.get("/api/hooks/types.d.ts");
    types.expect_status(200);
    assert!(types.header("content-type").starts_with("application/typescript"));
    assert!(types.text().contains("declare const context: HookContext;"));
    // The script of a plug-in reads what its node was given.
    assert!(types.text().contains("readonly data?: any;"));
    let document = gateway.get("/api/openapi.json").body;
    for (path, methods) in [
        ("/api/hooks", &["get", "post"][..]),
        ("/api/hooks/{id}", &["get", "patch", "delete"]),
        ("/api/hooks/reorder", &["post"]),
        ("/api/hooks/validate", &["post"]),
        ("/api/hooks/import", &["post"]),
        ("/api/hooks/{id}/reset", &["post"]),
        ("/api/hooks/types.d.ts", &["get"]),
    ] {
        for method in methods {
            assert!(document["paths"][path][method].is_object(), "{method} {path}");
        }
    }
    let required = &document["components"]["schemas"]["HookDraft"]["required"];
    assert_eq!(required, &json!(["name", "hookType", "script"]));
}

#[test]
fn metrics_name_every_hook_whatever_its_name_holds() {
    let gateway = TestGateway::start();
    create(&gateway, hook("quote \" back \\ line \n 鍵"));
    let metrics = gateway.get("/metrics").text();
    let name = r#"hook="quote \" back \\ line \n 鍵""#;
    for outcome in ["ok", "blocked", "error", "timeout"] {
        let line = format!("lockgate_hook_executions_total{{{name},outcome=\"{outcome}\"}} 0\n");
        assert!(metrics.contains(&line), "{line}{metrics}");
    }
    assert!(metrics.contains(&format!("lockgate_hook_duration_seconds_count{{{name}}} 0\n")), "{metrics}");
}

#[test]
fn a_hook_that_keeps_failing_is_tripped_and_can_be_reset() {
    let gateway = TestGateway::start();
    let failing = create(&gateway, with("script", json!("throw new Error('boom')")));
    let path = format!("/api/hooks/{}", text(&failing["id"]));
    let call = |times: usize| {
        for _ in 0..times {
            gateway.call("test-server", "plain", json!({})).expect_status(200);
        }
        let hook = gateway.get(&path).body;
        (hook["stats"]["executions"].clone(), hook["tripped"].clone())
    };
    assert_eq!(call(9), (json!(9), json!(false)));
    assert_eq!(call(1), (json!(10), json!(true)));
    assert_eq!(call(5), (json!(15), json!(true)), "a tripped hook goes on running");
    let hook = gateway.get(&path).body;
    assert_eq!((&hook["stats"]["errors"], &hook["lastError"]["code"]), (&json!(15), &json!("SCRIPT_ERROR")));
    assert!(text(&hook["lastError"]["message"]).contains("boom"), "{hook}");
    assert_eq!(hook["lastError"]["line"], 1);
    let warned = |line: &&Value| line["level"] == "warn" && line.to_string().contains("times in a row");
    let warnings = || gateway.log().iter().filter(warned).count();
    testkit::eventually("the log says so", || (warnings() > 0).then_some(()));
    assert_eq!(warnings(), 1);
    let metrics = gateway.get("/metrics").text();
    assert!(
        metrics.contains("lockgate_hook_executions_total{hook=\"h\",outcome=\"error\"} 15\n"),
        "{metrics}"
    );

    let reset = gateway.post(&format!("{path}/reset"), json!({}));
    reset.expect_status(200);
    assert_eq!((&reset.body["tripped"], reset.body.get("lastError")), (&json!(false), None));
    assert_eq!(call(10), (json!(25), json!(true)));
    patch(&gateway, &failing["id"], &json!({"script": "return"})).expect_status(200);
    assert_eq!(call(1), (json!(26), json!(false)), "an edit is a new start, and the counters go on");
}
