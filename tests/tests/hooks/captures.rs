//! The last calls that passed (spec 2.8).

use super::*;

#[track_caller]
fn captures(gateway: &TestGateway) -> Vec<Value> {
    let reply = gateway.get("/api/captures");
    reply.expect_status(200);
    reply.body.as_array().expect("a list").clone()
}

#[test]
fn calls_over_every_way_are_captured_newest_first() {
    let gateway = TestGateway::start();
    assert_eq!(captures(&gateway), Vec::<Value>::new());
    rest(&gateway, json!({"n": 1}));
    Client::legacy(gateway.http()).call("echo", json!({"n": 2}));
    Client::modern(gateway.http()).call_error("rpc", json!({"code": -32050, "message": "no"}));
    let all = captures(&gateway);
    assert_eq!(all.len(), 3, "{all:#?}");
    assert_eq!(all[2]["params"], json!({"name": "echo", "arguments": {"n": 1}}));
    assert_eq!((&all[2]["clientId"], &all[1]["clientId"]), (&json!("anonymous"), &json!("testkit")));
    for (one, tool) in all.iter().zip(["rpc", "echo", "echo"]) {
        assert_eq!((&one["method"], &one["toolName"]), (&json!("tools/call"), &json!(tool)));
        assert_eq!(one["serverName"], "test-server");
        assert!(one["id"].is_string() && one["at"].is_i64() && one["duration"].is_number(), "{one}");
    }
    assert_eq!(text(&all[1]["response"]), r#"{"n":2}"#);
    assert_eq!((&all[0]["error"]["message"], &all[0]["response"]), (&json!("no"), &Value::Null));
}

#[test]
fn a_captured_read_has_its_alias() {
    let gateway =
        TestGateway::with(|s| s.env("FX_RESOURCES", "fx://a,fx://b").env("API_KEY", "s3cret-of-the-server"));
    let uri = "test-server+fx://a";
    Client::legacy(gateway.http()).result("resources/read", json!({"uri": uri}));
    let one = captures(&gateway)[0].clone();
    assert_eq!((&one["resourceUri"], one.get("toolName")), (&json!("fx://a"), None), "{one}");
    let script = "return {response: {contents: [], saw: [context.resourceUri, context.request.params.uri]}}";
    let told =
        gateway.post("/api/hooks/test", json!({"script": script, "phase": "pre", "captureId": one["id"]}));
    assert_eq!(told.expect_status(200).body["verdict"]["response"]["saw"], json!(["fx://a", uri]));
    let secret = json!({"uri": "fx://s3cret-of-the-server"});
    Client::legacy(gateway.http()).error("resources/read", secret);
    let one = captures(&gateway)[0].clone();
    assert!(one["resourceUri"] == "fx://***" && !one.to_string().contains("s3cret"), "{one}");
}

#[test]
fn what_is_no_longer_to_be_kept_is_gone_with_the_reload() {
    let gateway = TestGateway::start();
    for (setting, left) in [("captures: { keep: 1 }", 1), ("captures: off", 0)] {
        (0..3).for_each(|n| drop(rest(&gateway, json!({"n": n}))));
        let first = captures(&gateway)[0]["id"].clone();
        gateway.rewrite(&testkit::Config::new().server("test-server", |s| s).setting(setting));
        gateway.post("/api/config/reload", json!({})).expect_status(200);
        assert_eq!(captures(&gateway).len(), left, "{setting}");
        let trial = json!({"script": "return", "phase": "pre", "captureId": first});
        let status = gateway.post("/api/hooks/test", trial).status;
        assert_eq!(status, if left == 1 { 200 } else { 404 }, "{setting}");
    }
    rest(&gateway, json!({}));
    assert_eq!(captures(&gateway), Vec::<Value>::new());
}

#[test]
fn values_of_secret_looking_keys_are_masked() {
    let gateway = TestGateway::start();
    let input = json!({"password": "p4ss", "nested": [{"apiKey": "k3y", "API-TOKEN": "t0k3n"}], "user": "u",
        "Authorization": "Bearer b34rer", "client_secret": {"value": "s3cr3t"}});
    rest(&gateway, input);
    let all = captures(&gateway);
    let text = json!(all).to_string();
    for secret in ["p4ss", "k3y", "t0k3n", "b34rer", "s3cr3t"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    assert_eq!(all[0]["params"]["arguments"]["user"], "u");
}

#[test]
fn values_of_the_servers_own_variables_are_masked_under_any_key() {
    let gateway = TestGateway::with(|s| s.env("FX_SOME", "v3ry-0wn-value"));
    rest(&gateway, json!({"x": "a v3ry-0wn-value b", "list": [{"y": "v3ry-0wn-value"}], "user": "u"}));
    let client = Client::legacy(gateway.http());
    client.call_error("rpc", json!({"code": -32050, "message": "no v3ry-0wn-value"}));
    let all = captures(&gateway);
    assert_eq!(all[1]["params"]["arguments"], json!({"x": "a *** b", "list": [{"y": "***"}], "user": "u"}));
    assert_eq!(all[0]["error"]["message"], "no ***");
    assert!(!json!(all).to_string().contains("v3ry-0wn-value"), "{all:#?}");
}

#[test]
fn a_secret_is_masked_as_a_key_and_with_the_escapes_of_json_in_a_text() {
    let secret = "s3cr3t\"val-é";
    let gateway = TestGateway::with(|s| s.env("FX_SOME", secret));
    let ascii = r#"{"k":"s3cr3t\"val-\u00e9"}"#;
    let reply = rest(&gateway, json!({secret: 1, "x": ascii, "y": json!({"k": secret}).to_string()}));
    assert!(reply.text().contains("s3cr3t"), "the caller gets what the server said: {}", reply.text());
    let all = captures(&gateway);
    let json = r#"{"k":"***"}"#;
    assert_eq!(all[0]["params"]["arguments"], json!({"***": 1, "x": json, "y": json}));
    assert!(!json!(all).to_string().contains("s3cr3t"), "{all:#?}");
}

#[test]
fn a_value_that_is_too_short_to_be_a_secret_is_not_masked_in_captures() {
    let gateway =
        TestGateway::with(|s| s.env("FX_DEBUG", "1").env("FX_MODE", "false").env("FX_KEY", "abc123"));
    rest(&gateway, json!({"x": "1 of 11, false", "y": "key abc123"}));
    let all = captures(&gateway);
    assert_eq!(all[0]["params"]["arguments"], json!({"x": "1 of 11, false", "y": "key ***"}));
    assert_eq!(text(&all[0]["response"]), r#"{"x":"1 of 11, false","y":"key ***"}"#);
}

#[test]
fn what_was_too_large_to_be_kept_is_named_and_not_tried() {
    let gateway = TestGateway::start();
    gateway.call("test-server", "big", json!({"bytes": 100_000})).expect_status(200);
    rest(&gateway, json!({"x": "x".repeat(100_000)}));
    rest(&gateway, json!({}));
    let all = captures(&gateway);
    let truncated: Vec<&Value> = all.iter().map(|one| &one["truncated"]).collect();
    assert_eq!(truncated, [&Value::Null, &json!(["params", "response"]), &json!(["response"])]);
    let large = |at: usize, phase: &str, missing: &str| {
        let id = all[at]["id"].as_str().expect("an id");
        let draft = json!({"script": "return", "phase": phase, "captureId": id});
        let message = format!(
            "Capture '{id}' has no {missing} for the {phase} phase: too large or too deep to be kept"
        );
        let details = json!({"captureId": id, "truncated": all[at]["truncated"]});
        gateway.post("/api/hooks/test", draft).expect_fault(409, "CONFLICT", &message, details);
    };
    large(2, "post", "response");
    large(1, "pre", "params");
    large(1, "post", "params");
    for (at, phase) in [(2, "pre"), (0, "pre"), (0, "post")] {
        let draft = json!({"script": "return", "phase": phase, "captureId": all[at]["id"]});
        gateway.post("/api/hooks/test", draft).expect_status(200);
    }
}

#[test]
fn captures_are_switched_off_with_one_word() {
    let gateway = plan().setting("captures: off").start();
    rest(&gateway, json!({"n": 1}));
    assert_eq!(captures(&gateway), Vec::<Value>::new());
}

#[test]
fn a_capture_is_bounded_in_number_and_in_size() {
    let gateway = plan().setting("captures: {keep: 3}").start();
    for n in 0..5 {
        rest(&gateway, json!({"n": n}));
    }
    let kept: Vec<Value> =
        captures(&gateway).iter().map(|one| one["params"]["arguments"]["n"].clone()).collect();
    assert_eq!(kept, [json!(4), json!(3), json!(2)]);
    gateway.call("test-server", "big", json!({"bytes": 500_000})).expect_status(200);
    assert!(gateway.get("/api/captures").bytes.len() < 300_000, "large replies are not kept whole");
}

#[test]
fn captures_can_be_switched_off() {
    let gateway = plan().setting("captures: {keep: 0}").start();
    rest(&gateway, json!({}));
    assert_eq!(captures(&gateway), Vec::<Value>::new());
}

#[test]
fn two_hundred_are_kept_by_default() {
    let gateway = TestGateway::start();
    let client = Client::legacy(gateway.http());
    for n in 0..205 {
        client.call("echo", json!({"n": n}));
    }
    let all = captures(&gateway);
    assert_eq!((all.len(), &all[0]["params"]["arguments"]["n"]), (200, &json!(204)));
}
