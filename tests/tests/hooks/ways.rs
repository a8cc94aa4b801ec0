//! No way in goes round the hooks: `lockgate verify-hooks`.

use super::*;
use testkit::{Folder, Output};

#[track_caller]
fn verify(folder: &Folder, words: &[&str]) -> Output {
    let mut command = TestGateway::builder().command(folder);
    Output::of(command.env("TMPDIR", folder.path()).arg("verify-hooks").args(words))
}

#[test]
fn every_way_in_passes_the_hooks() {
    let folder = Folder::new();
    let output = verify(&folder, &[]);
    output.expect_code(0).refuse_text("MISS");
    let ways: Vec<&str> = output.stdout.lines().filter_map(|line| line.strip_prefix("ok    ")).collect();
    // What a worker learns from a blocked request must be good for the next one.
    assert_eq!(ways[..2], ["REST call, blocked", "REST call"], "{output:#?}");
    for way in [
        "REST list of tools, again",
        "REST call, through a graph",
        "MCP 2025-11-25 over HTTP: tools/call, through a graph",
        "command line: call",
        "command line: call, through a graph",
        "command line: tools",
    ] {
        assert!(ways.contains(&way), "{way}: {output:#?}");
    }
    for client in [
        "MCP 2025-11-25 over HTTP",
        "MCP 2025-03-26 in a batch",
        "MCP 2026-07-28 over HTTP",
        "MCP 2024-11-05 over HTTP+SSE",
        "MCP 2025-11-25 over stdio",
        "MCP 2026-07-28 over stdio",
    ] {
        for what in [
            "tools/call",
            "tools/call, blocked",
            "tools/call, failed",
            "tools/list",
            "tools/list, again",
            "resources/read",
            "resources/list",
            "resources/templates/list",
            "prompts/get",
            "prompts/list",
            "a published activity",
            "the start of a workflow",
            "the call of a workflow's step",
        ] {
            let way = format!("{client}: {what}");
            assert!(ways.contains(&way.as_str()), "{way}: {output:#?}");
        }
    }
}

#[test]
fn a_way_that_misses_the_hooks_is_told() {
    let folder = Folder::new();
    let output = verify(&folder, &["--without-hooks"]);
    output.expect_code(1);
    let (last, ways) =
        output.lines().split_last().map(|(last, ways)| (last.clone(), ways.to_vec())).expect("lines");
    assert!(ways.len() > 60 && ways.iter().all(|line| line.starts_with("MISS  ")), "{output:#?}");
    assert!(last.starts_with(&format!("{0} of {0} ways in miss a hook", ways.len())), "{last}");
}

#[test]
fn nothing_of_the_users_is_touched_and_nothing_is_left() {
    let folder = Folder::new();
    folder.write("lockgate.yaml", "servers:\n  - {name: mine, command: sh, args: [-c, \"touch started\"]}\n");
    verify(&folder, &["--config", "lockgate.yaml"]).expect_code(0);
    let mut left: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    left.sort();
    assert_eq!(left, ["data", "lockgate.yaml"]);
    assert_eq!(std::fs::read_dir(folder.data()).expect("a folder").count(), 0);
}

#[test]
fn a_member_that_stands_twice_does_not_show_hooks_another_call_than_the_server() {
    let gateway = TestGateway::start();
    let twice = r#"{"path":"/etc","path":"/ok"}"#;
    let bodies = |name: &str| {
        [
            format!(r#"{{"name":"{name}","arguments":{{"a":[{twice}]}}}}"#),
            format!(r#"{{"name":"{name}","arguments":{{"path":"/etc"}},"arguments":{{}}}}"#),
        ]
    };
    let [legacy, _] = clients(&gateway);
    for params in bodies("echo") {
        let reply = legacy.exchange(&legacy.request_raw("tools/call", &params).1);
        assert_eq!(reply.body.get("error"), None, "what nobody looks at passes as it came: {}", reply.body);
    }
    for (method, params, name) in [
        ("tools/call", r#"{"name":"echo","arguments":{},"name":"plain"}"#, "name"),
        ("prompts/get", r#"{"name":"a","n\u0061me":"b"}"#, "name"),
        ("resources/read", r#"{"uri":"fx://a","uri":"fx://b"}"#, "uri"),
    ] {
        let reply = legacy.exchange(&legacy.request_raw(method, params).1);
        let rule = format!("Invalid params: the parameters have the member '{name}' twice");
        assert_eq!(
            (&reply.body["error"]["code"], &reply.body["error"]["message"]),
            (&json!(-32602), &json!(rule))
        );
    }
    let missing = legacy.exchange(&legacy.request_raw("tools/call", r#"{"arguments":{}}"#).1);
    assert_eq!(missing.body["error"]["message"], "Missing parameter: name");
    pre(&gateway, "guard", "if (context.request.params.arguments.path === '/etc') return {continue: false}");
    let words = "the parameters have the member 'path' twice, and hooks must see what the server will";
    let other = words.replace("'path'", "'arguments'");
    for (params, words) in bodies("echo").into_iter().zip([words, other.as_str()]) {
        let reply = legacy.exchange(&legacy.request_raw("tools/call", &params).1);
        assert_eq!(reply.body["error"]["message"], words, "{}", reply.body);
    }
    let body = format!(r#"{{"server":"test-server","toolName":"echo","input":{twice}}}"#);
    let reply = gateway.post_raw("/mcp/call", "application/json", body);
    reply.expect_code(400, "VALIDATION_ERROR");
    assert_eq!(reply.body["error"]["message"], words);
}

#[test]
fn a_member_that_stands_twice_does_not_show_hooks_another_reply_than_the_client() {
    let gateway = TestGateway::with(|s| s.env("FX_FIDELITY", "1"));
    let result = r#"{"content":[],"structuredContent":{"a":[{"secret":"s","secret":"none"}]}}"#;
    let [legacy, modern] = clients(&gateway);
    let ask = |client: &Client| {
        let reply = client.ask("tools/call", json!({"name": "raw-result", "arguments": {"text": result}}));
        reply["error"]["message"].as_str().map(str::to_owned)
    };
    let words = "the server's reply is ambiguous: it has the member 'secret' twice, and hooks must see what the client \
        will";
    assert_eq!(ask(&legacy), None, "what nobody looks at passes as it came");
    pre(&gateway, "before", "return");
    assert_eq!(ask(&legacy), None, "nor does a script that is gone by then");
    let looks = "if (context.metadata.error) console.log('failed: ' + context.metadata.error.message)";
    let id = post(&gateway, "after", looks);
    for client in [&legacy, &modern] {
        assert_eq!(ask(client).as_deref(), Some(words));
    }
    let body = json!({"server": "test-server", "toolName": "raw-result", "input": {"text": result}});
    let reply = gateway.post_raw("/mcp/call", "application/json", body.to_string());
    assert_eq!(reply.expect_code(500, "TOOL_EXECUTION_ERROR").message, words);
    eventually("hooks hear of it as of any failure", || {
        let heard = |line: &&String| line.contains("failed: the server's reply");
        (gateway.log_lines().iter().filter(heard).count() == 3).then_some(())
    });
    patch(&gateway, &id, json!({"enabled": false}));
    assert_eq!(ask(&legacy), None);
}
