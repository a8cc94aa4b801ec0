//! Trying scripts without a server (spec 2.8).

use super::*;

#[track_caller]
fn trial(gateway: &TestGateway, body: Value) -> Value {
    let reply = gateway.post("/api/hooks/test", body);
    reply.expect_status(200);
    reply.body
}

fn sample() -> Value {
    json!({
        "request": {"method": "tools/call", "params": {"name": "echo", "arguments": {"n": 1}}},
        "metadata": {"clientId": "me", "shared": {"s": 1}},
        "toolName": "echo",
    })
}

#[test]
fn a_draft_tells_all_that_came_of_it() {
    let gateway = TestGateway::start();
    let script = "console.log('n is', context.request.params.arguments.n); console.warn('careful');
        context.request.params.arguments.n += 1; context.metadata.shared.s = context.metadata.clientId;
        return {continue: true}";
    let told = trial(&gateway, json!({"script": script, "phase": "pre", "context": sample()}));
    assert_eq!(told["verdict"], json!({"continue": true}), "{told}");
    assert_eq!(told["before"]["request"]["params"]["arguments"]["n"], 1);
    assert_eq!(told["after"]["request"]["params"]["arguments"]["n"], 2);
    assert_eq!(told["after"]["metadata"]["shared"], json!({"s": "me"}));
    assert_eq!(
        told["console"],
        json!([{"level": "log", "text": "n is 1"}, {"level": "warn", "text": "careful"}])
    );
    assert!(told["duration"].as_f64().is_some_and(|ms| ms > 0.0), "{told}");
    assert!(told["memory"].as_u64().is_some_and(|bytes| bytes > 0), "{told}");
    assert!(told.get("error").is_none(), "{told}");
    assert_eq!(counter(&gateway), 0, "no server was called");
}

#[test]
fn a_verdict_is_told_in_the_words_of_the_script() {
    let gateway = TestGateway::start();
    let mut after = sample();
    after["response"] = json!({"content": []});
    for (phase, script, verdict) in [
        ("pre", "return {continue: false}", json!({"continue": false})),
        (
            "pre",
            "return {continue: false, error: {code: 'NO', message: 'no'}}",
            json!({"continue": false, "error": {"code": "NO", "message": "no"}}),
        ),
        ("pre", "return {response: {content: [1]}}", json!({"continue": true, "response": {"content": [1]}})),
        (
            "pre",
            "return {continue: false, response: {content: [1]}}",
            json!({"continue": false, "response": {"content": [1]}}),
        ),
        ("post", "return", json!({"continue": true})),
        (
            "pre",
            "return {continue: false, error: {message: 'm'}}",
            json!({"continue": false, "error": {"message": "m"}}),
        ),
        ("pre", "return {continue: false, error: {}}", json!({"continue": false, "error": {}})),
        ("pre", "return {error: {code: 1}}", json!({"error": {"code": 1}, "continue": true})),
        ("post", "return {response: {a: 1}}", json!({"response": {"a": 1}, "continue": true})),
        (
            "pre",
            "return {continue: true, context: {request: {params: {name: 'x'}}}}",
            json!({"continue": true, "context": {"request": {"params": {"name": "x"}}}}),
        ),
        ("post", "return {continue: false}", json!({"continue": false})),
    ] {
        let context = if phase == "pre" { sample() } else { after.clone() };
        let told = trial(&gateway, json!({"script": script, "phase": phase, "context": context}));
        assert_eq!((&told["verdict"], &told["phase"]), (&verdict, &json!(phase)), "{script}");
    }
    let told =
        trial(&gateway, json!({"script": "return {response: {x: 1}}", "phase": "post", "context": after}));
    assert_eq!((&told["after"]["response"], &told["changed"]), (&json!({"x": 1}), &json!(true)), "{told}");
}

#[test]
fn a_sample_is_taken_as_it_is_written() {
    let gateway = TestGateway::start();
    // No duration that stands beside it is written like that.
    let arguments = r#"{"n": 1.500000000, "big": 12345678901234567890123, "huge": 1e400, "half": "\ud800"}"#;
    let script = "context.request.params.arguments.more = 1";
    let body = |context: &str| format!(r#"{{"script": "{script}", "phase": "pre", "context": {context}}}"#);
    let context = format!(r#"{{"request": {{"params": {{"name": "echo", "arguments": {arguments}}}}}}}"#);
    let reply = gateway.post_raw("/api/hooks/test", "application/json", body(&context));
    let text = reply.expect_status(200).text();
    for number in ["1.500000000", "12345678901234567890123", "1e400", r#""\ud800""#] {
        assert_eq!(text.matches(number).count(), 2, "before and after: {number} in {text}");
    }
    let id = pre(&gateway, "h", "return");
    let body = format!(r#"{{"context": {context}}}"#);
    let reply = gateway.post_raw(&format!("/api/hooks/{id}/test"), "application/json", body);
    assert_eq!(reply.expect_status(200).text().matches("1.500000000").count(), 3, "{}", reply.text());
    // No server would be asked with it either.
    let twice = r#"{"script": "return", "context": {"request": {"params": {"x": 1, "x": 2}}}}"#;
    let fault = gateway.post_raw("/api/hooks/test", "application/json", twice);
    assert_eq!(fault.expect_code(400, "VALIDATION_ERROR").details["key"], "x");
}

#[test]
fn a_draft_that_fails_says_where() {
    let gateway = plan().setting("hooks: {timeoutMs: 1000}").start();
    for (script, code, line) in [
        ("const a = 1;\nthrow new Error('boom')", "SCRIPT_ERROR", Some(2)),
        ("\n\nnull.x", "SCRIPT_ERROR", Some(3)),
        ("return 7", "SCRIPT_ERROR", None),
        ("while (true) {}", "TIMEOUT", None),
        ("const a = ;", "EXECUTION_ERROR", Some(1)),
    ] {
        let told = trial(&gateway, json!({"script": script, "phase": "pre", "context": sample()}));
        let error = &told["error"];
        assert_eq!((&error["code"], &told["verdict"]), (&json!(code), &Value::Null), "{script}: {told}");
        if let Some(line) = line {
            assert_eq!(error["line"], line, "{script}: {told}");
            assert!(error["column"].is_u64(), "{told}");
        }
    }
}

#[test]
fn a_draft_can_be_tried_on_a_call_that_passed() {
    let gateway = TestGateway::start();
    rest(&gateway, json!({"n": 7, "password": "p4ss"}));
    let id = gateway.get("/api/captures").body[0]["id"].clone();
    let script = "context.request.params.arguments.n += 1";
    let told = trial(&gateway, json!({"script": script, "phase": "pre", "captureId": id}));
    assert_eq!(told["before"]["request"]["params"]["arguments"]["n"], 7, "{told}");
    assert_eq!(told["after"]["request"]["params"]["arguments"]["n"], 8);
    assert_eq!(
        (&told["before"]["toolName"], &told["before"]["requestType"]),
        (&json!("echo"), &json!("CallTool"))
    );
    assert!(!told.to_string().contains("p4ss"), "{told}");
    let script = "context.response.content[0].text = context.metadata.clientId";
    let told = trial(&gateway, json!({"script": script, "phase": "post", "captureId": id}));
    assert_eq!(told["after"]["response"]["content"][0]["text"], "anonymous", "{told}");
    gateway
        .post("/api/hooks/test", json!({"script": "return", "captureId": "none"}))
        .expect_code(404, "NOT_FOUND");
    assert_eq!(counter(&gateway), 1, "no server was called again");
}

#[test]
fn a_sample_has_the_aliases_of_a_real_call() {
    let gateway = TestGateway::start();
    let script = "if (context.toolName === 'echo' && context.serverName === 'test-server'
        && context.requestType === 'CallTool') return {continue: false}";
    let id = pre(&gateway, "h", script);
    for name in ["echo", "test-server__echo"] {
        let context = json!({
            "request": {"method": "tools/call", "params": {"name": name, "arguments": {}}},
            "metadata": {"serverName": "test-server"},
        });
        let told = trial(&gateway, json!({"script": script, "phase": "pre", "context": context}));
        assert_eq!(told["verdict"], json!({"continue": false}), "{told}");
        let told = gateway.post(&format!("/api/hooks/{id}/test"), json!({"context": context}));
        assert_eq!(told.body["verdict"], json!({"continue": false}), "{}", told.body);
    }
    for (method, params, alias, own) in [
        ("resources/read", json!({"uri": "fx://a"}), "resourceUri", "fx://a"),
        ("resources/read", json!({"uri": "test-server+fx://a"}), "resourceUri", "fx://a"),
        ("prompts/get", json!({"name": "test-server__p"}), "promptName", "p"),
    ] {
        let request = json!({"method": method, "params": params});
        let context = json!({"request": request, "metadata": {"serverName": "test-server"}});
        let told = trial(&gateway, json!({"script": "return", "phase": "pre", "context": context}));
        assert_eq!(told["before"][alias], own, "{told}");
        assert!(told["before"].get("toolName").is_none(), "{told}");
    }
    let context =
        json!({"request": {"method": "tools/call", "params": {"name": "echo"}}, "toolName": "other"});
    let told = trial(&gateway, json!({"script": "return", "phase": "pre", "context": context}));
    assert_eq!(told["before"]["toolName"], "other", "what a sample says itself stands: {told}");
    let context = json!({"request": {"method": "tools/list"}});
    let told = trial(&gateway, json!({"script": "return", "phase": "pre", "context": context}));
    assert_eq!(told["before"]["requestType"], "ListTools", "{told}");
    assert!(told["before"].get("toolName").is_none() && told["before"].get("serverName").is_none(), "{told}");
}

#[test]
fn a_trial_that_cannot_be_made_is_refused() {
    let gateway = TestGateway::start();
    for body in [
        json!({}),
        json!({"script": ""}),
        json!({"script": "return", "phase": "around"}),
        json!({"script": "return", "context": 7}),
        json!({"script": "return", "context": {"request": 7}}),
        json!({"script": 7}),
        json!([]),
    ] {
        gateway.post("/api/hooks/test", body).expect_code(400, "VALIDATION_ERROR");
    }
    for field in ["script", "phase", "captureId"] {
        let mut body = json!({"script": "return"});
        body[field] = 7.into();
        let fault = gateway.post("/api/hooks/test", body).expect_code(400, "VALIDATION_ERROR");
        assert_eq!(
            (&fault.details["field"], fault.message),
            (&json!(field), format!("{field} must be a string"))
        );
    }
    gateway.post("/api/hooks/nobody/test", json!({"context": {}})).expect_code(404, "NOT_FOUND");
}

#[test]
fn a_trial_counts_for_nothing() {
    let gateway = TestGateway::start();
    let id = pre(&gateway, "h", "throw Error('x')");
    for _ in 0..12 {
        let told = gateway.post(&format!("/api/hooks/{id}/test"), json!({"context": sample()}));
        assert_eq!(told.expect_status(200).body["error"]["code"], "SCRIPT_ERROR", "{}", told.body);
    }
    let hook = gateway.get(&format!("/api/hooks/{id}")).body;
    assert_eq!((&hook["stats"]["executions"], &hook["tripped"]), (&json!(0), &json!(false)), "{hook}");
}
