//! What a script may return, and what comes of it (spec 2.5).

use super::*;

const ANSWER: &str = r#"response: {content: [{type: "text", text: "from the hook"}]}"#;

#[test]
fn a_request_goes_on_unless_a_hook_says_otherwise() {
    let gateway = TestGateway::start();
    let id = pre(&gateway, "h", "return");
    let client = Client::legacy(gateway.http());
    for script in [
        "// nothing",
        "return",
        "return undefined",
        "return {}",
        "return {continue: true}",
        "return {context}",
        "return {continue: undefined, context: undefined, response: undefined, error: undefined}",
        "return {other: 1}",
        "await null; return {continue: true, context}",
        "if (true) return; context.request.params.arguments.a = 2",
        "return new Promise(resolve => resolve({continue: true}))",
    ] {
        patch(&gateway, &id, json!({"script": script}));
        assert_eq!(text(&client.call("echo", json!({"a": 1.0}))), r#"{"a":1.0}"#, "{script}");
        assert_eq!(rest(&gateway, json!({"a": 1})).result(), &json!({"a": 1}), "{script}");
    }
}

#[test]
fn a_block_before_the_request_has_its_code_its_message_and_its_hook() {
    let gateway = TestGateway::start();
    let id = pre(&gateway, "鍵の番人", "");
    let before = counter(&gateway);
    let default = "Request blocked by hook";
    for (verdict, message, details) in [
        ("{continue: false}", default, json!({"hook": "鍵の番人"})),
        ("{continue: false, error: {}}", default, json!({"hook": "鍵の番人"})),
        ("{continue: false, error: {code: 'NO'}}", default, json!({"hook": "鍵の番人", "code": "NO"})),
        ("{continue: false, error: {message: 'no'}}", "no", json!({"hook": "鍵の番人"})),
        (
            "{continue: false, error: {code: 'NO', message: 'だめ'}}",
            "だめ",
            json!({"hook": "鍵の番人", "code": "NO"}),
        ),
        ("{continue: false, error: {code: 42, message: 'n'}}", "n", json!({"hook": "鍵の番人", "code": 42})),
        (
            "{continue: false, response: {content: []}, error: {code: 'NO', message: 'no'}}",
            "no",
            json!({"hook": "鍵の番人", "code": "NO"}),
        ),
    ] {
        let script = format!("if (context.toolName !== 'stats') return {verdict}");
        patch(&gateway, &id, json!({"script": script}));
        let error = json!({"code": -32600, "message": message, "data": {"code": "VALIDATION_ERROR", "details": details}});
        for client in clients(&gateway) {
            assert_eq!(client.call_error("echo", json!({})), error, "{verdict}");
        }
        rest(&gateway, json!({})).expect_fault(400, "VALIDATION_ERROR", message, details);
    }
    assert_eq!(counter(&gateway), before + 1, "only the question itself");
}

#[test]
fn a_block_after_the_reply_has_its_code_its_message_and_its_hook() {
    let gateway = TestGateway::start();
    let id = post(&gateway, "guard", "");
    let default = "Response blocked by hook";
    for (verdict, message, details) in [
        ("{continue: false}", default, json!({"hook": "guard"})),
        (
            "{continue: false, error: {code: 'X', message: 'withheld'}}",
            "withheld",
            json!({"hook": "guard", "code": "X"}),
        ),
        ("{continue: false, response: {content: []}}", default, json!({"hook": "guard"})),
    ] {
        let script = format!("if (context.toolName !== 'stats') return {verdict}");
        patch(&gateway, &id, json!({"script": script}));
        let data = json!({"code": "TOOL_EXECUTION_ERROR", "details": details});
        let error = json!({"code": -32603, "message": message, "data": data});
        for client in clients(&gateway) {
            assert_eq!(client.call_error("echo", json!({})), error, "{verdict}");
        }
        rest(&gateway, json!({})).expect_fault(500, "TOOL_EXECUTION_ERROR", message, details);
    }
}

#[test]
fn a_block_keeps_later_hooks_from_running() {
    let gateway = TestGateway::start();
    pre(&gateway, "first", "return {continue: false}");
    pre(&gateway, "second", "console.log('second ran')");
    post(&gateway, "third", "console.log('third ran')");
    rest(&gateway, json!({})).expect_code(400, "VALIDATION_ERROR");
    let hooks = gateway.get("/api/hooks").body;
    let ran: Vec<&Value> =
        hooks.as_array().expect("a list").iter().map(|hook| &hook["stats"]["executions"]).collect();
    assert_eq!(ran, [&json!(1), &json!(0), &json!(0)]);
}

#[test]
fn what_a_hook_takes_away_does_not_pass_as_it_was() {
    let gateway = TestGateway::start();
    for (kind, script, rule) in [
        ("post", "delete context.response", "'response' must be an object"),
        ("post", "context.response = undefined", "'response' must be an object"),
        ("post", "return {context: {...context, response: undefined}}", "'response' must be an object"),
        ("pre", "delete context.request.params", "'context.request.params' must be an object"),
        ("pre", "context.request.params = undefined", "'context.request.params' must be an object"),
    ] {
        let id = create(&gateway, stopping(hook(kind, "h", script)));
        let fault = rest(&gateway, json!({"secret": 1})).expect_code(500, "TOOL_EXECUTION_ERROR");
        assert_eq!(fault.message, format!("Hook 'h' failed: {rule}"), "{script}");
        assert_eq!(fault.details["code"], "SCRIPT_ERROR", "{script}");
        delete(&gateway, &id);
    }
    create(&gateway, stopping(hook("post", "h", "return {context: {request: context.request}}")));
    assert_eq!(rest(&gateway, json!({"a": 1})).result(), &json!({"a": 1}));
}

#[test]
fn a_hook_can_answer_in_the_servers_place_and_others_may_still_block() {
    let gateway = TestGateway::start();
    pre(&gateway, "answers", &format!("return {{continue: true, {ANSWER}}}"));
    let second =
        pre(&gateway, "sees", "context.metadata.shared.seen = 'response' in context && context.response");
    post(
        &gateway,
        "after",
        "context.response.content.push({type: 'text', text: `seen ${context.metadata.shared.seen}`})",
    );
    let before = counter(&gateway);
    for client in clients(&gateway) {
        let result = client.call("echo", json!({}));
        assert_eq!(text(&result), "from the hook");
        let seen = result["content"][1]["text"].as_str();
        assert!(matches!(seen, Some("seen false" | "seen undefined")), "the answer is not shown: {result}");
    }
    patch(
        &gateway,
        &second,
        json!({"script": "return {continue: false, error: {message: 'still blocked'}}"}),
    );
    let fault = rest(&gateway, json!({})).expect_code(400, "VALIDATION_ERROR");
    assert_eq!((fault.message.as_str(), &fault.details["hook"]), ("still blocked", &json!("sees")));
    delete(&gateway, &second);
    assert_eq!(counter(&gateway), before + 1, "no server was called");
}

#[test]
fn a_hook_can_answer_and_pass_over_the_others() {
    let gateway = TestGateway::start();
    pre(&gateway, "answers", &format!("return {{continue: false, {ANSWER}}}"));
    pre(&gateway, "guard", "return {continue: false}");
    post(&gateway, "after", "context.response.content[0].text += ', and after'");
    let before = counter(&gateway);
    for client in clients(&gateway) {
        assert_eq!(text(&client.call("echo", json!({}))), "from the hook, and after");
    }
    let reply =
        gateway.post("/mcp/call?raw=true", json!({"server": "test-server", "toolName": "echo", "input": {}}));
    assert_eq!(text(reply.result()), "from the hook, and after");
    assert_eq!(counter(&gateway), before + 1, "no server was called");
}

#[test]
fn a_hook_can_replace_the_reply() {
    let gateway = TestGateway::start();
    post(&gateway, "replaces", &format!("return {{continue: true, {ANSWER}}}"));
    post(&gateway, "sees", "context.response.content[0].text += ', seen'");
    let before = counter(&gateway);
    let client = Client::legacy(gateway.http());
    assert_eq!(text(&client.call("plain", json!({}))), "from the hook, seen");
    assert_eq!(counter(&gateway), before + 2, "the server was called");
}

#[test]
fn changes_in_place_count_and_a_returned_context_wins_over_them() {
    let gateway = TestGateway::start();
    let id = pre(&gateway, "h", "");
    let client = Client::legacy(gateway.http());
    let other = r#"{request: {params: {name: "echo", arguments: {b: 2}}}}"#;
    for (script, expected) in [
        ("context.request.params.arguments.a = 2".to_owned(), json!({"a": 2})),
        ("delete context.request.params.arguments.a".to_owned(), json!({})),
        ("context.request.params.arguments = {list: [1, 'é', null]}".to_owned(), json!({"list": [1, "é", null]})),
        ("context.request.params = {name: 'echo', arguments: {c: 3}}".to_owned(), json!({"c": 3})),
        (format!("return {{context: {other}}}"), json!({"b": 2})),
        (format!("context.request.params.arguments.a = 2; return {{context: {other}}}"), json!({"b": 2})),
        ("return {context: {...context, request: {...context.request, params: {...context.request.params, arguments: {d: 4}}}}}".to_owned(), json!({"d": 4})),
    ] {
        patch(&gateway, &id, json!({"script": script}));
        assert_eq!(echoed(&client, json!({"a": 1})), expected, "{script}");
        assert_eq!(rest(&gateway, json!({"a": 1})).result(), &expected, "{script}");
    }
    patch(&gateway, &id, json!({"hookType": "post"}));
    let replaced = r#"{content: [{type: "text", text: "other"}]}"#;
    for (script, expected) in [
        ("context.response.content[0].text = 'in place'".to_owned(), "in place"),
        (format!("context.response = {replaced}"), "other"),
        (format!("return {{context: {{response: {replaced}}}}}"), "other"),
        (
            format!(
                "context.response.content[0].text = 'in place'; return {{context: {{response: {replaced}}}}}"
            ),
            "other",
        ),
        ("context.request.params.arguments = {}; context.metadata.x = 1".to_owned(), r#"{"a":1}"#),
    ] {
        patch(&gateway, &id, json!({"script": script}));
        assert_eq!(text(&client.call("echo", json!({"a": 1}))), expected, "{script}");
    }
}

#[test]
fn nothing_else_in_the_context_can_be_changed() {
    let gateway = TestGateway::start();
    let attempts = [
        "context.request.method = 'x'",
        "context.metadata.clientId = 'x'",
        "context.metadata.serverName = 'x'",
        "context.metadata.startTime = 'x'",
        "context.metadata = {clientId: 'x'}",
        "context.toolName = 'x'",
        "context.serverName = 'x'",
        "context.requestType = 'x'",
        "delete context.toolName",
        "context.extra = 'x'",
        "context.response = {content: []}",
    ];
    let attempts: String =
        attempts.iter().map(|attempt| format!("try {{ {attempt} }} catch {{}}\n")).collect();
    pre(&gateway, "first", &attempts);
    pre(
        &gateway,
        "returns",
        "return {context: {...context, toolName: 'x', metadata: {clientId: 'x'}, response: {}}}",
    );
    let seen = "const {request, metadata, toolName, serverName, requestType} = context;
        request.params.arguments.seen = [request.method, metadata.clientId, metadata.serverName,
            typeof metadata.startTime, toolName, serverName, requestType, context.extra ?? null, 'response' in context
            && context.response !== undefined]";
    pre(&gateway, "second", seen);
    let expected = json!([
        "tools/call",
        "testkit",
        "test-server",
        "number",
        "echo",
        "test-server",
        "CallTool",
        null,
        false
    ]);
    assert_eq!(echoed(&Client::legacy(gateway.http()), json!({}))["seen"], expected);
}
