//! What a key does not reach is not there for it, whatever the way in.

use super::{CALLER, OPERATOR, builder, call, request};
use serde_json::{Value, json};
use std::process::Command;
use testkit::{Client, Events, Folder, Http, Request, Stdio, TestGateway, eventually, lockgate};

/// Only one tool of the fixture, and nothing of the demo server.
fn narrow() -> TestGateway {
    builder(&json!([
        {"name": "narrow", "key": CALLER, "servers": ["test-*"], "tools": ["plain", "demo/*"]},
        {"name": "otto", "key": OPERATOR, "role": "operator"},
    ]))
    .start()
}

fn rest_tools(http: Http) -> Vec<String> {
    let list = http.send(&Request::new("GET", "/mcp/tools"));
    let tools = list.body["tools"].as_array().cloned().unwrap_or_default();
    tools.iter().map(|tool| format!("{}/{}", tool["server"], tool["name"]).replace('"', "")).collect()
}

/// The error of a call without what names the tool.
fn shape(error: &Value, name: &str) -> String {
    error.to_string().replace(name, "NAME")
}

#[test]
fn a_denied_tool_is_not_listed() {
    let gateway = narrow();
    let http = gateway.http().with_key(CALLER);
    assert_eq!(rest_tools(http), ["test-server/plain"]);
    assert!(rest_tools(gateway.http().with_key(OPERATOR)).len() > 10);
    for client in [Client::legacy(http), Client::modern(http)] {
        assert_eq!(client.tools(), ["plain"]);
        assert_eq!(client.result("prompts/list", json!({}))["prompts"], json!([]));
        assert_eq!(client.result("resources/list", json!({}))["resources"], json!([]));
    }
    let all = Client::legacy(gateway.http().with_key(OPERATOR));
    assert!(all.tools().len() > 10);
    assert!(!all.result("prompts/list", json!({}))["prompts"].as_array().expect("prompts").is_empty());
}

#[test]
fn a_denied_tool_is_called_like_one_that_nobody_has() {
    let gateway = narrow();
    let http = gateway.http().with_key(CALLER);
    assert_eq!(call(http, "test-server", "plain", json!({})).result()["content"][0]["text"], "hello");
    let (denied, missing) =
        (call(http, "test-server", "echo", json!({})), call(http, "test-server", "nono", json!({})));
    assert_eq!(denied.status, 404);
    assert_eq!(shape(&denied.body, "echo"), shape(&missing.body, "nono"));
    let (denied, missing) =
        (call(http, "demo", "fetch-weather", json!({})), call(http, "nono", "fetch-weather", json!({})));
    assert_eq!(shape(&denied.body, "demo"), shape(&missing.body, "nono"));
    for client in [Client::legacy(http), Client::modern(http)] {
        for (denied, missing) in [
            ("echo", "nono"),
            ("test-server__echo", "test-server__nono"),
            ("demo__fetch-weather", "demo__nono"),
        ] {
            let (denied, missing) =
                (client.call_error(denied, json!({})), client.call_error(missing, json!({})));
            let names = ["echo", "nono", "fetch-weather"];
            let plain =
                |error: &Value| names.iter().fold(error.to_string(), |text, name| text.replace(name, "NAME"));
            assert_eq!(plain(&denied), plain(&missing));
        }
        let denied = client.error("prompts/get", json!({"name": "demo__no-such", "arguments": {}}));
        assert!(denied["message"].as_str().is_some_and(|text| text.ends_with("not found")), "{denied}");
    }
}

#[test]
fn a_denied_tool_is_not_there_over_the_old_transport() {
    let gateway = narrow();
    let http = gateway.http().with_key(CALLER);
    let mut events = Events::open(http, &Request::new("GET", "/sse").header("Accept", "text/event-stream"));
    let path = format!("/{}", events.event().expect("an event").data.trim_start_matches('/'));
    let mut ask = |id: u64, method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        assert_eq!(http.send(&request("POST", &path, &message)).status, 202);
        events.reply(id)
    };
    let info = json!({"name": "old", "version": "1"});
    ask(1, "initialize", json!({"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": info}));
    let tools = ask(2, "tools/list", json!({}))["result"]["tools"].clone();
    assert_eq!(tools.as_array().map(Vec::len), Some(1), "{tools}");
    let denied = ask(3, "tools/call", json!({"name": "echo", "arguments": {}}));
    let missing = ask(4, "tools/call", json!({"name": "nono", "arguments": {}}));
    assert_eq!(shape(&denied["error"], "echo"), shape(&missing["error"], "nono"));
    let message = json!({"jsonrpc": "2.0", "id": 5, "method": "ping"});
    let stolen = gateway.http().with_key(OPERATOR).send(&request("POST", &path, &message));
    assert_eq!(stolen.status, 404, "the stream of one key is not for another");
}

#[test]
fn a_denied_tool_is_not_there_on_standard_input() {
    let folder = Folder::new();
    let keys = json!([{"name": "narrow", "key": CALLER, "tools": ["plain"]}]);
    let config = testkit::Config::new().server("one", |s| s).setting(&format!("keys: {keys}"));
    folder.write_config(&config.yaml());
    let start = |key: &str| {
        let mut command = Command::new(lockgate());
        command.current_dir(folder.path()).arg("stdio");
        command.arg("--config").arg(folder.config()).arg("--data").arg(folder.data());
        command.stderr(std::process::Stdio::null());
        let key = [("LOCKGATE_KEY", key)];
        Stdio::start(&mut command, if key[0].1.is_empty() { &[] } else { &key })
    };
    // Notifications may come between.
    let ask = |stdio: &mut Stdio, method: &str, params: Value| {
        let id = stdio.request(method, params);
        loop {
            let message = stdio.read();
            if message["id"] == id {
                return message;
            }
        }
    };
    let list = |stdio: &mut Stdio| {
        let info = json!({"name": "desktop", "version": "1"});
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
        ask(stdio, "initialize", hello);
        let tools = ask(stdio, "tools/list", json!({}))["result"]["tools"].clone();
        tools.as_array().expect("tools").len()
    };
    let mut narrow = start(CALLER);
    assert_eq!(list(&mut narrow), 1);
    let denied = ask(&mut narrow, "tools/call", json!({"name": "echo", "arguments": {}}));
    assert_eq!(denied["error"]["message"], "Tool 'echo' not found");
    assert!(list(&mut start("")) > 10, "whoever starts the process without a key may do everything");
}

#[test]
fn a_key_that_only_reads_reaches_what_servers_call_read_only() {
    let gateway = builder(&json!([{"name": "reader", "key": CALLER, "readOnly": true}])).start();
    let http = gateway.http().with_key(CALLER);
    let tools = rest_tools(http);
    assert!(!tools.is_empty() && tools.iter().all(|tool| tool.starts_with("demo/")), "{tools:?}");
    let bmi = json!({"weight_kg": 70, "height_m": 1.75});
    assert_eq!(call(http, "demo", "calculate-bmi", bmi.clone()).status, 200);
    assert_eq!(call(http, "test-server", "calculate-bmi", bmi).status, 404);
}

#[test]
fn a_hook_cannot_lead_a_call_to_where_its_key_does_not_reach() {
    let gateway = narrow();
    let script = "context.request.params.name = 'echo'; return {continue: true};";
    let hook = json!({"name": "lure", "hookType": "pre", "script": script});
    gateway.http().with_key(OPERATOR).send(&request("POST", "/api/hooks", &hook)).expect_status(201);
    let http = gateway.http().with_key(CALLER);
    call(http, "test-server", "plain", json!({})).expect_code(404, "TOOL_NOT_FOUND");
    for client in [Client::legacy(http), Client::modern(http)] {
        assert_eq!(client.call_error("plain", json!({}))["data"]["code"], "TOOL_NOT_FOUND");
    }
    let operator = gateway.http().with_key(OPERATOR);
    assert_eq!(call(operator, "test-server", "plain", json!({})).status, 200);
}

#[test]
fn a_reply_that_is_kept_is_not_for_a_key_that_does_not_reach_its_tool() {
    let gateway = builder(&json!([
        {"name": "narrow", "key": CALLER, "tools": ["fetch-weather"]},
        {"name": "otto", "key": OPERATOR, "role": "operator"},
    ]))
    .start();
    let (operator, caller) = (gateway.http().with_key(OPERATOR), gateway.http().with_key(CALLER));
    let bmi = json!({"weight_kg": 70, "height_m": 1.75});
    let lure = format!(
        "if (context.toolName === 'fetch-weather') Object.assign(context.request.params, \
         {{name: 'calculate-bmi', arguments: {bmi}}})"
    );
    let hook =
        json!({"id": "h", "type": "hook", "data": {"hook": {"id": "h", "script": lure, "blocking": true}}});
    let call_node = json!({"id": "c", "type": "mcp-call", "data": {"cache": {"ttlMs": 60000}}});
    let keeping = |lures: &[&Value]| {
        let mut nodes = vec![json!({"id": "s", "type": "start"})];
        nodes.extend(lures.iter().map(|hook| (*hook).clone()));
        nodes.extend([call_node.clone(), json!({"id": "e", "type": "end"})]);
        let edge = |pair: &[Value]| json!({"source": pair[0]["id"], "target": pair[1]["id"]});
        let edges: Vec<Value> = nodes.windows(2).map(edge).collect();
        let graph = json!({"name": format!("keeps {}", lures.len()), "workflowType": "tools/call", "enabled": true,
            "nodes": nodes, "edges": edges});
        operator.send(&request("POST", "/api/workflows", &graph)).expect_status(201);
        call(operator, "demo", "calculate-bmi", bmi.clone()).expect_status(200);
        call(operator, "demo", "fetch-weather", json!({"city": "Kyoto"})).expect_status(200);
        call(caller, "demo", "fetch-weather", json!({"city": "Kyoto"})).expect_code(404, "TOOL_NOT_FOUND");
        for client in [Client::legacy(caller), Client::modern(caller)] {
            let error = client.call_error("fetch-weather", json!({"city": "Kyoto"}));
            assert_eq!(error["data"]["code"], "TOOL_NOT_FOUND");
        }
    };
    // By a node, and by a hook of the list before the graph.
    keeping(&[&hook]);
    let listed = json!({"name": "lure", "hookType": "pre", "script": lure});
    operator.send(&request("POST", "/api/hooks", &listed)).expect_status(201);
    keeping(&[]);
}

#[test]
fn tools_of_workflows_are_under_the_name_of_the_gateway() {
    let step = json!({"name": "add", "description": "Adds", "run": {"script": "return {data: {ok: true}};"}});
    let workflow = json!({"name": "calc", "description": "Counts", "steps": [{"activity": "add"}]});
    let keys = json!([
        {"name": "servers-only", "key": CALLER, "servers": ["test-server"]},
        {"name": "own-only", "key": super::VIEWER, "servers": ["lockgate"], "tools": ["calc_*"]},
        {"name": "status-only", "key": super::EDITOR, "servers": ["lockgate"], "readOnly": true},
    ]);
    let gateway = builder(&keys)
        .setting(&format!("activities: {}", json!([step])))
        .setting(&format!("workflows: {}", json!([workflow])))
        .start();
    let client = |key: &str| Client::legacy(gateway.http().with_key(key));
    let servers = client(CALLER);
    assert!(servers.tools().iter().all(|tool| !tool.starts_with("calc_")));
    let (denied, missing) =
        (servers.call_error("calc_start", json!({})), servers.call_error("nono", json!({})));
    assert_eq!(shape(&denied, "calc_start"), shape(&missing, "nono"));
    let own = client(super::VIEWER);
    assert!(
        own.tools().len() >= 5 && own.tools().iter().all(|tool| tool.starts_with("calc_")),
        "{:?}",
        own.tools()
    );
    assert_eq!(own.call("calc_start", json!({})).get("isError"), None);
    assert_eq!(client(super::EDITOR).tools(), ["calc_status"]);
}

#[test]
fn a_step_offers_nobody_a_tool_that_its_key_does_not_reach() {
    let step = json!({"name": "add", "description": "Adds", "run": {"script": "return {data: {n: 1}};"}});
    let to = |tool: &str| json!({"when": "result.n === 1", "call": tool});
    let branches: Value = ["other_start", "echo", "calc_status", "nowhere"].into_iter().map(to).collect();
    let steps = json!([{"activity": "add", "branches": branches}, {"activity": "add"}]);
    let workflows = json!([{"name": "calc", "description": "Counts", "steps": steps},
        {"name": "other", "description": "Counts", "steps": [{"activity": "add"}]}]);
    let keys = json!([
        {"name": "narrow", "key": CALLER, "servers": ["lockgate"], "tools": ["calc_*"]},
        {"name": "only", "key": super::VIEWER, "servers": ["lockgate"], "tools": ["calc_start"]},
        {"name": "otto", "key": OPERATOR, "role": "operator"},
    ]);
    let gateway = builder(&keys)
        .setting(&format!("activities: {}", json!([step])))
        .setting(&format!("workflows: {workflows}"))
        .start();
    for (key, expected) in [
        (OPERATOR, &["other_start", "echo", "calc_status", "nowhere", "calc_continue"][..]),
        (CALLER, &["calc_status", "nowhere", "calc_continue"]),
        (super::VIEWER, &["nowhere"]),
    ] {
        let reply = Client::legacy(gateway.http().with_key(key)).call("calc_start", json!({}));
        let names = |list: &Value| -> Vec<String> {
            let options = list.as_array().into_iter().flatten();
            options.map(|one| one["toolName"].as_str().unwrap_or_default().to_owned()).collect()
        };
        assert_eq!(names(&reply["structuredContent"]["nextStepOptions"]), expected, "{reply}");
        let text: Value =
            serde_json::from_str(reply["content"][0]["text"].as_str().expect("a text")).expect("JSON");
        let branches = if expected.len() > 1 { expected } else { &[] };
        assert_eq!(names(&text["branchOptions"]), branches, "{reply}");
        let meta = &reply["_meta"];
        assert_eq!(meta["suggestedNextTool"], expected[0], "{reply}");
        assert_eq!(meta["branchingEnabled"], expected.len() > 1, "{reply}");
        let id = reply["structuredContent"]["sessionId"].clone();
        let client = Client::legacy(gateway.http().with_key(key));
        if expected.contains(&"calc_status") {
            let status = client.call("calc_status", json!({"sessionId": id}));
            let kept = &status["structuredContent"]["history"][0]["branchOptions"];
            assert_eq!(names(kept), expected, "{status}");
        }
        client.ask("tools/call", json!({"name": "echo", "arguments": {"sessionId": id}}));
        let path = format!("/api/sessions/{}", id.as_str().expect("an id"));
        let session = gateway.http().with_key(OPERATOR).send(&testkit::Request::new("GET", &path)).body;
        let taken = session["branchHistory"].as_array().into_iter().flatten();
        let taken = taken.filter(|one| one["toolName"] == "echo").count();
        assert_eq!(taken, usize::from(expected.contains(&"echo")), "{session}");
    }
}

#[test]
fn news_of_a_denied_server_are_not_told() {
    let keys = json!([
        {"name": "narrow", "key": CALLER, "servers": ["quiet"]},
        {"name": "otto", "key": OPERATOR},
    ]);
    let gateway = TestGateway::builder()
        .setting(&format!("keys: {keys}"))
        .server("loud", |s| s.env("FX_RESOURCES", "mem://a"))
        .server("quiet", |s| s.env("FX_RESOURCES", "mem://b"))
        .start();
    let narrow = Client::legacy(gateway.http().with_key(CALLER));
    let refused = narrow.error("resources/subscribe", json!({"uri": "mem://a"}));
    assert_eq!(refused["message"], "Resource not found");
    assert_eq!(narrow.result("resources/subscribe", json!({"uri": "mem://b"})), json!({}));
    let all = Client::legacy(gateway.http().with_key(OPERATOR));
    assert_eq!(all.result("resources/subscribe", json!({"uri": "mem://a"})), json!({}));
}

#[test]
fn a_resource_that_others_find_elsewhere_is_told_of_by_the_server_that_the_key_reaches() {
    let keys = json!([
        {"name": "narrow", "key": CALLER, "servers": ["second", "third"]},
        {"name": "otto", "key": OPERATOR},
    ]);
    let with = |uris| move |server: testkit::Server| server.env("FX_RESOURCES", uris);
    let gateway = TestGateway::builder()
        .setting(&format!("keys: {keys}"))
        .server("first", with("mem://a,mem://b"))
        .server("second", with("mem://a"))
        .server("third", with("mem://c"))
        .start();
    let otto = gateway.http().with_key(OPERATOR);
    let narrow = Client::legacy(gateway.http().with_key(CALLER));
    let listed = narrow.result("resources/list", json!({}));
    assert_eq!(listed["resources"][0]["uri"], "mem://a", "{listed}");
    let mut events = narrow.listen();
    let watched = |server: &str| call(otto, server, "stats", json!({})).result()["watched"].clone();
    let ask = |method: &str, uri: &str| narrow.result(method, json!({"uri": uri}));
    assert_eq!(ask("resources/subscribe", "mem://a"), json!({}));
    assert_eq!([watched("first"), watched("second")], [json!([]), json!(["mem://a"])]);
    let mut touched = |server: &str| {
        call(otto, server, "touch", json!({"uri": "mem://a"})).expect_status(200);
        call(otto, "third", "touch", json!({"uri": "mem://c"})).expect_status(200);
        let next = || events.until("notifications/resources/updated")["params"]["uri"].clone();
        std::iter::repeat_with(next).take_while(|uri| *uri != "mem://c").collect::<Vec<Value>>()
    };
    ask("resources/subscribe", "mem://c");
    assert_eq!(touched("second"), ["mem://a"], "by the name that the client has for it");
    assert!(touched("first").is_empty());
    ask("resources/subscribe", "second+mem://a");
    assert_eq!(touched("second"), ["mem://a", "second+mem://a"]);
    ask("resources/unsubscribe", "mem://a");
    assert_eq!(touched("second"), ["second+mem://a"]);
    ask("resources/unsubscribe", "second+mem://a");
    eventually("nobody wants it any more", || (watched("second") == json!([])).then_some(()));
    let denied = narrow.error("resources/subscribe", json!({"uri": "mem://b"}));
    let unknown = narrow.error("resources/subscribe", json!({"uri": "mem://nobody"}));
    assert_eq!((&denied["code"], &denied["message"]), (&unknown["code"], &unknown["message"]));
}

#[test]
fn a_tool_that_is_named_twice_is_none() {
    let gateway = narrow();
    let http = gateway.http().with_key(CALLER);
    let client = Client::legacy(http);
    for (first, second) in [("echo", "plain"), ("plain", "echo")] {
        for key in ["name", "n\\u0061me"] {
            let params = format!(r#"{{"name":"{first}","{key}":"{second}","arguments":{{}}}}"#);
            let reply = client.exchange(&client.request_raw("tools/call", &params).1);
            assert_eq!(reply.body["error"]["code"], -32602, "{params}: {}", reply.body);
        }
    }
}

#[test]
fn a_request_whose_meta_stands_twice_is_refused_as_a_whole() {
    let gateway = TestGateway::start();
    let modern = testkit::modern_meta(&json!({})).to_string();
    for (client, meta) in [
        (Client::legacy(gateway.http()), r#"{"progressToken":1}"#),
        (Client::modern(gateway.http()), modern.as_str()),
    ] {
        for key in ["_meta", "_m\\u0065ta"] {
            let params = format!(r#"{{"name":"plain","arguments":{{}},"{key}":{meta},"_meta":{meta}}}"#);
            for method in ["tools/call", "tools/list"] {
                let reply = client.exchange(&client.request_raw(method, &params).1);
                let error = &reply.body["error"];
                assert_eq!(error["code"], -32600, "{params}: {}", reply.body);
                assert_eq!(
                    error["message"], "Invalid request: the parameters have the member '_meta' twice",
                    "{params}"
                );
            }
        }
        for key in ["progressToken", "progr\\u0065ssToken"] {
            let twice = meta.strip_suffix('}').map(|meta| meta.replace("\"progressToken\":1", "\"a\":1"));
            let twice = format!(r#"{},"progressToken":1,"{key}":2}}"#, twice.unwrap_or_default());
            let params = format!(r#"{{"name":"plain","arguments":{{}},"_meta":{twice}}}"#);
            let reply = client.exchange(&client.request_raw("tools/call", &params).1);
            let error = &reply.body["error"];
            assert_eq!(error["code"], -32600, "{params}: {}", reply.body);
            assert_eq!(
                error["message"], "Invalid request: '_meta' has the member 'progressToken' twice",
                "{params}"
            );
        }
        let fine = format!(
            r#"{{"name":"echo","arguments":{{"_meta":{{"_meta":1,"progressToken":1}}}},"_meta":{meta}}}"#
        );
        let reply = client.exchange(&client.request_raw("tools/call", &fine).1);
        assert_eq!(reply.body.get("error"), None, "one inside of another is none: {}", reply.body);
    }
    assert_eq!(gateway.stats("test-server")["calls"], 3, "this call and two more reached the server");
}
