//! Lists, over every way in.

use super::*;
use testkit::{Folder, Stdio, modern_meta};

const FILTER: &str = "if (context.requestType === 'ListTools') {
    context.response.tools = context.response.tools.filter(tool => !tool.name.startsWith('internal_')) }";

#[track_caller]
fn check(way: &str, names: &str) {
    assert!(names.contains("public_y") && !names.contains("internal_x"), "{way}: {names}");
}

#[test]
fn a_filter_holds_over_every_way_in() {
    let builder = plan();
    let gateway = builder.clone().start();
    assert!(gateway.tools().iter().any(|(_, name)| name == "internal_x"));
    post(&gateway, "filter", FILTER);
    for _ in 0..2 {
        let [legacy, modern] = clients(&gateway);
        check("legacy", &legacy.tools().join(" "));
        check("modern", &modern.tools().join(" "));
        let rest = gateway.get("/mcp/tools");
        assert_eq!(rest.body["success"], true);
        check("REST", &rest.text());
    }
    check("tools", &builder.run_in(gateway.folder(), &["tools"]).expect_code(0).stdout);
    check("tools --json", &builder.run_in(gateway.folder(), &["tools", "--json"]).expect_code(0).stdout);
    let mut command = builder.command(gateway.folder());
    command
        .arg("stdio")
        .arg("--config")
        .arg(gateway.folder().config())
        .arg("--data")
        .arg(gateway.folder().data());
    let mut stdio = Stdio::start(command.stderr(std::process::Stdio::null()), &[]);
    check("stdio", &stdio.ask("tools/list", json!({"_meta": modern_meta(&json!({}))}))["result"].to_string());
}

#[test]
fn a_list_can_be_blocked_answered_and_replaced() {
    let builder = plan();
    let gateway = builder.clone().start();
    let id = pre(&gateway, "h", "return {continue: false, error: {code: 'NO', message: 'no lists'}}");
    let details = json!({"hook": "h", "code": "NO"});
    gateway.get("/mcp/tools").expect_fault(400, "VALIDATION_ERROR", "no lists", details);
    for client in clients(&gateway) {
        for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
            let error = client.error(method, json!({}));
            assert_eq!((&error["code"], &error["message"]), (&json!(-32600), &json!("no lists")), "{method}");
        }
    }
    builder.run_in(gateway.folder(), &["tools"]).expect_code(1).expect_text("no lists");
    let tool = r#"{name: "mine", description: "d", inputSchema: {type: "object"}}"#;
    for (kind, verdict) in [
        ("pre", format!("return {{response: {{tools: [{tool}]}}}}")),
        ("post", format!("return {{response: {{tools: [{tool}]}}}}")),
        ("post", format!("context.response.tools = [{tool}]")),
    ] {
        let script = format!("if (context.requestType === 'ListTools') {{ {verdict} }}");
        patch(&gateway, &id, json!({"hookType": kind, "script": script}));
        for client in clients(&gateway) {
            assert_eq!(client.tools(), ["mine"], "{script}");
        }
        assert_eq!(gateway.get("/mcp/tools").body["tools"][0]["name"], "mine", "{script}");
    }
    patch(&gateway, &id, json!({"hookType": "post", "script": "return {continue: false}"}));
    let details = json!({"hook": "h"});
    gateway.get("/mcp/tools").expect_fault(500, "TOOL_EXECUTION_ERROR", "Response blocked by hook", details);
}

#[test]
fn a_list_over_rest_is_whole_whatever_hooks_make_of_it() {
    let gateway = plan().env("DEFAULT_TIMEOUT", "4321").start();
    let fields = |tool: &Value| {
        json!([
            tool["server"],
            tool["description"],
            tool["inputSchema"],
            tool["outputSchema"],
            tool["timeout"]
        ])
    };
    let id = post(&gateway, "h", "");
    let listed = |script: &str| {
        patch(
            &gateway,
            &id,
            json!({"script": format!("if (context.requestType === 'ListTools') {{ {script} }}")}),
        );
        let reply = gateway.get("/mcp/tools");
        reply.expect_status(200);
        reply.body["tools"].as_array().expect("a list").clone()
    };
    let made = &listed("return {response: {tools: [{name: 'mine', more: 1}]}}")[0];
    assert_eq!(fields(made), json!(["lockgate", "", {"type": "object"}, null, 4321]), "{made}");
    assert!(made.as_object().is_some_and(|made| made.contains_key("outputSchema")), "{made}");
    assert_eq!((&made["name"], &made["more"]), (&json!("mine"), &json!(1)));
    let odd =
        "return {response: {tools: [{name: 'odd', server: 'test-server', description: 7, inputSchema: null,
        outputSchema: 'x', timeout: '5'}, {name: 'whole', server: 's', description: 'd', inputSchema: {a: 1},
        outputSchema: {b: 2}, timeout: 6}]}}";
    let odd = listed(odd);
    assert_eq!(fields(&odd[0]), json!(["test-server", "", {"type": "object"}, null, 4321]));
    assert_eq!(fields(&odd[1]), json!(["s", "d", {"a": 1}, {"b": 2}, 6]));
    let edited =
        listed("const [one, two] = context.response.tools; delete one.outputSchema; two.inputSchema = [];");
    assert!(edited[0].as_object().is_some_and(|tool| tool.contains_key("outputSchema")), "{}", edited[0]);
    assert_eq!(
        (&edited[0]["server"], &edited[1]["inputSchema"]),
        (&json!("test-server"), &json!({"type": "object"}))
    );
}

#[test]
fn a_list_that_is_none_is_an_error_of_its_hook() {
    let gateway = TestGateway::start();
    let whole = gateway.tools();
    let script = "if (context.requestType === 'ListTools') return {response: {tools: 'none'}}";
    for kind in ["pre", "post"] {
        let id = create(&gateway, hook(kind, "h", script));
        assert_eq!(gateway.tools(), whole, "{kind}: as if it were absent");
        for client in clients(&gateway) {
            assert!(client.tools().len() > 10, "{kind}");
        }
        patch(&gateway, &id, json!({"onError": "stop"}));
        let message = "Hook 'h' failed: 'response.tools' must be an array";
        let details = json!({"hook": "h", "code": "SCRIPT_ERROR"});
        gateway.get("/mcp/tools").expect_fault(500, "TOOL_EXECUTION_ERROR", message, details);
        for client in clients(&gateway) {
            let error = client.error("tools/list", json!({}));
            assert_eq!((&error["code"], &error["message"]), (&json!(-32603), &json!(message)), "{kind}");
        }
        delete(&gateway, &id);
    }
}

#[test]
fn a_hidden_tool_can_still_be_called_unless_a_hook_forbids_that_too() {
    let gateway = TestGateway::start();
    post(&gateway, "filter", FILTER);
    let client = Client::legacy(gateway.http());
    assert_eq!(client.call("internal_x", json!({}))["structuredContent"], json!({"ok": true}));
    pre(&gateway, "guard", "if (context.toolName?.startsWith('internal_')) return {continue: false}");
    assert_eq!(client.call_error("internal_x", json!({}))["code"], -32600);
}

#[test]
fn every_client_may_be_shown_another_list() {
    let gateway = TestGateway::start();
    let script = "if (context.requestType === 'ListTools' && context.metadata.clientId === 'narrow')
        context.response.tools.length = 1";
    post(&gateway, "h", script);
    let count = |id: &str| {
        let reply = gateway.http().send(&Request::new("GET", "/mcp/tools").header("X-Client-Id", id));
        reply.body["tools"].as_array().map_or(0, Vec::len)
    };
    for _ in 0..2 {
        assert_eq!((count("narrow"), count("wide") > 10), (1, true));
    }
}

#[test]
fn pages_of_a_list_pass_one_by_one() {
    let folder = Folder::new();
    let entries: Vec<String> = (0..400)
        .map(|n| json!({"name": format!("tool-{n}"), "inputSchema": {"type": "object"}}).to_string())
        .collect();
    let path = folder.write("tools.json", &entries.join(","));
    let gateway = TestGateway::with(|s| s.env("FX_TOOLS", path.to_str().expect("UTF-8")));
    post(
        &gateway,
        "h",
        "if (context.response?.tools) context.response.tools = context.response.tools.filter(tool => tool.name.endsWith('7'))",
    );
    let client = Client::legacy(gateway.http());
    let (mut found, mut cursor) = (0, None);
    loop {
        let params = cursor.take().map_or(json!({}), |cursor: Value| json!({"cursor": cursor}));
        let page = client.result("tools/list", params);
        found += page["tools"].as_array().map_or(0, Vec::len);
        cursor = page.get("nextCursor").cloned();
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(found, 40, "every page is filtered, and none is lost");
}

#[test]
fn a_list_over_rest_looks_like_one_over_mcp() {
    let gateway = TestGateway::start();
    let script = "const {request, response, requestType, toolName, serverName} = context;
        console.log(JSON.stringify([request, Object.keys(response), requestType, toolName, serverName]))";
    let id = create(&gateway, json!({"name": "h", "hookType": "post", "script": script}));
    gateway.get("/mcp/tools").expect_status(200);
    let line = testkit::eventually("the line", || {
        gateway.log().into_iter().find(|line| line["hookId"] == id.as_str())
    });
    let expected = json!([{"method": "tools/list", "params": {}}, ["tools"], "ListTools", null, null]);
    assert_eq!(line["text"], expected.to_string(), "{line}");
}
