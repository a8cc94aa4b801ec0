//! A pre hook that asks for something else than the client did.

use super::*;

#[test]
fn another_name_is_another_tool() {
    let gateway = TestGateway::start();
    pre(&gateway, "h", "context.request.params.name = 'plain'");
    for client in clients(&gateway) {
        assert_eq!(text(&client.call("echo", json!({}))), "hello");
        assert_eq!(text(&client.call("test-server__echo", json!({}))), "hello");
    }
    assert_eq!(text(rest(&gateway, json!({})).result()), "hello");
}

#[test]
fn another_name_may_lead_to_another_server() {
    let gateway = TestGateway::builder()
        .server("one", |s| s.env("WHO", "one"))
        .server("two", |s| s.env("WHO", "two"))
        .start();
    let who = |result: &Value| result["structuredContent"]["WHO"].clone();
    let client = Client::legacy(gateway.http());
    assert_eq!(who(&client.call("one__env", json!({}))), "one");
    pre(&gateway, "h", "if (context.serverName === 'one') context.request.params.name = 'two__env'");
    for client in clients(&gateway) {
        assert_eq!(who(&client.call("one__env", json!({}))), "two");
        assert_eq!(who(&client.call("two__env", json!({}))), "two");
    }
    assert_eq!(gateway.call("one", "env", json!({})).result()["WHO"], "two");
}

#[test]
fn a_name_on_the_other_side_of_the_gateway_is_refused_with_a_word_on_why() {
    let gateway = TestGateway::start();
    let flow =
        json!({"name": "calc", "workflowType": "session", "enabled": true, "steps": [{"activity": "a"}]});
    let activity = json!({"name": "a", "run": {"script": "return {}"}});
    gateway.post("/api/activities", activity).expect_status(201);
    gateway.post("/api/workflows", flow).expect_status(201);
    let swap = "const {params} = context.request;
        params.name = params.name === 'calc_start' ? 'plain' : 'calc_start'";
    pre(&gateway, "h", swap);
    for client in clients(&gateway) {
        for (asked, other) in [
            ("calc_start", "'plain', which is a tool of a server"),
            ("echo", "'calc_start', which is a tool of the gateway"),
        ] {
            let error = client.call_error(asked, json!({}));
            assert!(error["message"].as_str().is_some_and(|text| text.contains(other)), "{error}");
        }
    }
    let fault = rest(&gateway, json!({})).expect_code(404, "TOOL_NOT_FOUND");
    assert!(fault.message.contains("a tool of the gateway"), "{}", fault.message);
}

#[test]
fn a_name_that_nobody_has_is_not_found() {
    let gateway = TestGateway::start();
    let id = pre(&gateway, "h", "context.request.params.name = 'nothing'");
    let before = counter(&gateway);
    rest(&gateway, json!({})).expect_code(404, "TOOL_NOT_FOUND");
    for client in clients(&gateway) {
        let error = client.call_error("echo", json!({}));
        assert_eq!(error["data"]["code"], "TOOL_NOT_FOUND", "{error}");
    }
    for spoiled in [
        "delete context.request.params.name",
        "context.request.params.name = 7",
        "context.request.params = 7",
    ] {
        let script = format!("if (context.toolName !== 'stats') {{ {spoiled} }}");
        patch(&gateway, &id, json!({"script": script, "onError": "stop"}));
        assert!(rest(&gateway, json!({})).fault().status >= 400, "{spoiled}");
        Client::legacy(gateway.http()).call_error("echo", json!({}));
    }
    assert_eq!(counter(&gateway), before + 1, "only the question itself");
}

#[test]
fn arguments_that_are_no_object_are_refused_over_rest() {
    let gateway = TestGateway::start();
    pre(&gateway, "h", "context.request.params.arguments = [1]");
    rest(&gateway, json!({})).expect_code(400, "VALIDATION_ERROR");
}

#[test]
fn another_address_is_another_resource_and_another_name_another_prompt() {
    let lockgate = testkit::lockgate();
    let demo = lockgate.to_str().expect("the path of the build is UTF-8");
    let gateway = TestGateway::builder()
        .server("demo", |s| s.command(demo).args(&["demo-server"]))
        .server("other", |s| s.env("FX_RESOURCES", "fx://a,fx://b"))
        .start();
    let script = "const {params} = context.request;
        if (params.uri === 'fx://a') params.uri = 'fx://b';
        if (params.uri === 'demo://bmi-categories') params.uri = 'fx://a';
        if (params.uri === 'lost://x') params.uri = 'demo://weather/osaka';
        if (params.name === 'demo__weather-report' || params.name === 'weather-report') params.arguments = {city: 'kyoto'};";
    pre(&gateway, "h", script);
    for client in clients(&gateway) {
        for (asked, expected) in [
            ("fx://a", "text of fx://b"),
            ("demo://bmi-categories", "text of fx://a"),
            ("lost://x", "Osaka"),
            ("fx://b", "text of fx://b"),
        ] {
            let read = client.result("resources/read", json!({"uri": asked}));
            let found = read["contents"][0]["text"].as_str().unwrap_or_default();
            assert!(found.contains(expected), "{asked}: {read}");
        }
        let prompt = client.result("prompts/get", json!({"name": "weather-report"}));
        assert!(prompt.to_string().contains("kyoto"), "{prompt}");
    }
}

#[test]
fn what_has_another_name_now_has_it_in_its_alias() {
    let lockgate = testkit::lockgate();
    let demo = lockgate.to_str().expect("the path of the build is UTF-8");
    let gateway = TestGateway::builder()
        .server("demo", |s| s.command(demo).args(&["demo-server"]))
        .server("other", |s| s.env("FX_RESOURCES", "fx://a,fx://b"))
        .start();
    pre(&gateway, "h", "if (context.resourceUri === 'fx://a') context.request.params.uri = 'other+fx://b'");
    let guard = "if (context.resourceUri === 'fx://b') return {continue: false, error: {message: 'guarded'}}";
    pre(&gateway, "guard", guard);
    for client in clients(&gateway) {
        for uri in ["fx://b", "other+fx://b", "fx://a", "other+fx://a"] {
            assert_eq!(client.error("resources/read", json!({"uri": uri}))["message"], "guarded", "{uri}");
        }
        let read = client.result("resources/read", json!({"uri": "demo://bmi-categories"}));
        assert!(read["contents"].is_array(), "{read}");
    }
}

#[test]
fn a_resource_that_is_looked_for_everywhere_passes_the_hooks_everywhere() {
    let gateway = TestGateway::builder()
        .server("one", |s| s.env("FX_RESOURCES", "fx://a"))
        .server("two", |s| s.env("FX_RESOURCES", "fx://b"))
        .start();
    let id = create(
        &gateway,
        json!({"name": "h", "hookType": "pre", "script": "return {continue: false, error: {message: 'no'}}"}),
    );
    for client in clients(&gateway) {
        assert_eq!(client.error("resources/read", json!({"uri": "fx://nowhere"}))["message"], "no");
    }
    patch(&gateway, &id, json!({"script": "return {response: {contents: []}}"}));
    for client in clients(&gateway) {
        assert_eq!(client.result("resources/read", json!({"uri": "fx://nowhere"}))["contents"], json!([]));
    }
}

#[test]
fn hooks_after_a_rename_see_the_new_name() {
    let gateway = TestGateway::builder().server("one", |s| s).server("two", |s| s).start();
    let seen =
        "[context.toolName, context.serverName, context.metadata.serverName, context.metadata.serverId]";
    pre(&gateway, "before", &format!("context.metadata.shared.before = {seen}"));
    pre(&gateway, "rename", "if (context.serverName === 'one') context.request.params.name = 'two__plain'");
    pre(&gateway, "after", &format!("context.metadata.shared.after = {seen}"));
    post(&gateway, "tell", &format!("context.response.seen = [context.metadata.shared, {seen}]"));
    let (one, two) = (json!(["echo", "one", "one", "one"]), json!(["plain", "two", "two", "two"]));
    for client in clients(&gateway) {
        let reply = client.call("one__echo", json!({}));
        assert_eq!(reply["seen"], json!([{"before": one, "after": two}, two]), "{reply}");
        let reply = client.call("two__plain", json!({}));
        assert_eq!(reply["seen"], json!([{"before": two, "after": two}, two]), "{reply}");
    }
    create(
        &gateway,
        json!({"name": "guard", "hookType": "pre", "executionOrder": 9,
        "script": "if (context.toolName === 'plain') return {continue: false, error: {message: 'no'}}"}),
    );
    assert_eq!(Client::legacy(gateway.http()).call_error("one__echo", json!({}))["message"], "no");
}

#[test]
fn hooks_after_a_rename_see_the_new_name_over_rest_and_of_one_that_nobody_has() {
    let gateway = TestGateway::start();
    let id = pre(&gateway, "rename", "context.request.params.name = 'plain'");
    post(&gateway, "tell", "context.response.seen = [context.toolName, context.serverName]");
    let seen = rest(&gateway, json!({})).result()["seen"].clone();
    assert_eq!(seen, json!(["plain", "test-server"]));
    // Also where no server is asked.
    let answers = "context.request.params.name = 'plain'; return {response: {content: []}}";
    patch(&gateway, &id, json!({"script": answers}));
    let seen = rest(&gateway, json!({})).result()["seen"].clone();
    assert_eq!(seen, json!(["plain", "test-server"]));
    patch(&gateway, &id, json!({"script": "context.request.params.name = 'nothing'"}));
    let guard = "return {continue: false, error: {message: `${context.toolName} ${context.serverName}`}}";
    pre(&gateway, "guard", guard);
    let error = Client::legacy(gateway.http()).call_error("echo", json!({}));
    assert_eq!(error["message"], "nothing undefined");
}

#[test]
fn an_error_names_the_server_and_the_tool_that_gave_it() {
    let gateway = TestGateway::builder().server("one", |s| s).server("two", |s| s).start();
    pre(&gateway, "h", "if (context.toolName === 'echo') context.request.params.name = 'two__rpc'");
    let fault = gateway
        .call("one", "echo", json!({"code": -32050, "message": "theirs"}))
        .expect_code(500, "TOOL_EXECUTION_ERROR");
    let details = &fault.details;
    assert_eq!((&details["server"], &details["toolName"]), (&json!("two"), &json!("rpc")), "{details:?}");
}
