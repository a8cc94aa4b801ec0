//! Which hooks run, when, and in what order (spec 2.1 and 2.3).

use super::*;

/// Writes its name at the end of what a call brought along, and of what it brought back.
fn writer(name: &str, kind: &str) -> Value {
    let script = "const name = NAME;
        if (context.response) context.response.content[0].text += name;
        else context.request.params.arguments.order += name;";
    hook(kind, name, &script.replace("NAME", &json!(name).to_string()))
}

/// What the hooks of both phases wrote.
#[track_caller]
fn order(gateway: &TestGateway) -> String {
    let result = Client::legacy(gateway.http()).call("echo", json!({"order": ""}));
    let (arguments, after) =
        text(&result).split_once('}').map(|(a, b)| (format!("{a}}}"), b.to_owned())).expect("JSON");
    let arguments: Value = serde_json::from_str(&arguments).expect("JSON");
    format!("{}|{after}", arguments["order"].as_str().expect("a text"))
}

#[test]
fn both_phases_run_in_ascending_order_and_ties_by_age() {
    let gateway = TestGateway::start();
    for (name, kind, place) in [
        ("a", "both", 2),
        ("b", "both", 1),
        ("c", "pre", 1),
        ("d", "post", 0),
        ("e", "both", 2),
        ("f", "pre", -1),
    ] {
        let mut hook = writer(name, kind);
        hook["executionOrder"] = place.into();
        create(&gateway, hook);
    }
    assert_eq!(order(&gateway), "fbcae|dbae");
    let gateway = gateway.reopen();
    assert_eq!(order(&gateway), "fbcae|dbae");
}

#[test]
fn both_means_both_and_each_kind_runs_in_its_own_phase() {
    let gateway = TestGateway::start();
    let id = create(&gateway, writer("x", "both"));
    for (kind, expected) in [("both", "x|x"), ("pre", "x|"), ("post", "|x"), ("both", "x|x")] {
        patch(&gateway, &id, json!({"hookType": kind}));
        assert_eq!(order(&gateway), expected, "{kind}");
    }
}

#[test]
fn a_disabled_hook_never_runs() {
    let gateway = TestGateway::start();
    let mut off = writer("x", "both");
    off["enabled"] = false.into();
    let id = create(&gateway, off);
    create(&gateway, writer("y", "both"));
    assert_eq!(order(&gateway), "y|y");
    patch(&gateway, &id, json!({"enabled": true}));
    assert_eq!(order(&gateway), "xy|xy");
    patch(&gateway, &id, json!({"enabled": false}));
    assert_eq!(order(&gateway), "y|y");
}

#[test]
fn a_setting_switches_the_whole_list_off() {
    let gateway = plan().setting("hooks: {list: {enabled: false}}").start();
    create(&gateway, writer("x", "both"));
    pre(&gateway, "guard", "return {continue: false}");
    assert_eq!(order(&gateway), "|");
    rest(&gateway, json!({})).expect_status(200);
    assert!(gateway.tools().len() > 10);
    let on = testkit::Config::new().server("test-server", |s| s).setting("hooks: {list: {enabled: true}}");
    gateway.rewrite(&on);
    gateway.post("/api/config/reload", json!({})).expect_status(200);
    rest(&gateway, json!({})).expect_code(400, "VALIDATION_ERROR");
}

#[test]
fn methods_that_hooks_do_not_cover_pass_by() {
    let gateway = TestGateway::start();
    create(&gateway, json!({"name": "guard", "hookType": "both", "script": "return {continue: false}"}));
    let client = Client::legacy(gateway.http());
    assert_eq!(client.result("ping", json!({})), json!({}));
    Client::modern(gateway.http()).result("server/discover", json!({}));
    assert_eq!(gateway.get("/health").status, 200);
    assert_eq!(client.error("tools/list", json!({}))["code"], -32600);
}
