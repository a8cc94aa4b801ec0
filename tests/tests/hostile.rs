//! Servers that break the protocol: what the caller gets, and that the next call works (spec 1.5, 1.6).

use serde_json::{Value, json};
use testkit::{Client, Folder, Reply, TestGateway};

fn hostile() -> TestGateway {
    TestGateway::builder()
        .server("test-server", |s| s.env("FX_HOSTILE", "1").timeout(1500))
        .server("other", |s| s)
        .start()
}

fn bad(gateway: &TestGateway, kind: &str) -> Reply {
    gateway.call("test-server", "bad", json!({"kind": kind}))
}

/// The server is still there and its connection is sound.
#[track_caller]
fn goes_on(gateway: &TestGateway) {
    for n in 0..3 {
        // What it is not about is given more time than the replies that never come.
        let body = json!({"server": "test-server", "toolName": "echo", "input": {"n": n}, "timeout": 20_000});
        assert_eq!(gateway.post("/mcp/call", body).result(), &json!({"n": n}));
    }
    assert_eq!(gateway.health()["status"], "ok");
}

#[test]
fn a_reply_that_is_not_valid_jsonrpc_is_an_internal_error() {
    let gateway = hostile();
    for kind in [
        "no-jsonrpc",
        "wrong-version",
        "neither",
        "both",
        "null-id",
        "result-twice",
        "jsonrpc-twice",
        "id-twice",
        "two-ids",
        "number-method",
        "broken-in-batch",
        "invalid-utf8",
    ] {
        bad(&gateway, kind).expect_fault(500, "INTERNAL_ERROR", "", json!({}));
        goes_on(&gateway);
    }
}

#[test]
fn an_error_that_is_none_of_jsonrpc_is_an_internal_error_and_goes_no_further() {
    let gateway = hostile();
    let clients = [Client::legacy(gateway.http()), Client::modern(gateway.http())];
    for error in [
        json!("x"),
        json!({"message": "m"}),
        json!({"code": -32602}),
        json!({"code": "x", "message": "m"}),
        json!({"code": 1.5, "message": "m"}),
        json!({"code": -32602, "message": 5}),
    ] {
        let arguments = json!({"kind": "error", "error": error});
        let reply = gateway.call("test-server", "bad", arguments.clone());
        reply.expect_fault(500, "INTERNAL_ERROR", "", json!({}));
        for client in &clients {
            let params = json!({"name": "bad", "arguments": arguments});
            let told = &client.ask("tools/call", params)["error"];
            assert_eq!((&told["code"], &told["data"]["code"]), (&json!(-32603), &json!("INTERNAL_ERROR")));
            assert!(told["message"].is_string(), "{told}");
        }
    }
    goes_on(&gateway);
}

#[test]
fn lines_that_are_no_message_are_passed_over() {
    let gateway = hostile();
    for kind in ["unknown-id", "binary", "array", "line-10mb-ok", "broken-question"] {
        assert_eq!(bad(&gateway, kind).result(), &json!({"ok": true}), "{kind}");
        goes_on(&gateway);
    }
}

#[test]
fn a_reply_that_cannot_be_matched_never_becomes_a_result() {
    let gateway = hostile();
    bad(&gateway, "string-id").expect_code(408, "TIMEOUT_ERROR");
    goes_on(&gateway);
}

#[test]
fn numbers_of_any_size_arrive_as_they_were_sent() {
    let gateway = hostile();
    let reply = bad(&gateway, "huge-number");
    reply.expect_status(200);
    let integer = "1234567890".repeat(6);
    assert!(reply.text().contains(&integer), "{}", reply.text());
    assert!(reply.text().contains("1e400"), "{}", reply.text());
    goes_on(&gateway);
}

#[test]
fn doubled_keys_and_deep_nesting_do_no_harm() {
    let gateway = hostile();
    bad(&gateway, "dup-keys").expect_status(200);
    goes_on(&gateway);
    let deep = bad(&gateway, "deep");
    deep.expect_status(200);
    assert_eq!(deep.text().matches(r#"{"a":"#).count(), 5000);
    goes_on(&gateway);
}

/// The server has crashed, the other has not, and a restart by hand brings it back.
#[track_caller]
fn comes_back(gateway: &TestGateway) {
    gateway.wait_status("test-server", "crashed");
    gateway.call("test-server", "echo", json!({})).expect_code(502, "SERVER_CRASHED");
    gateway.call("other", "plain", json!({})).expect_status(200);
    gateway.post("/api/servers/test-server/restart", json!({})).expect_status(200);
    gateway.wait_status("test-server", "running");
    goes_on(gateway);
}

#[test]
fn a_server_that_closes_its_output_has_crashed() {
    let gateway = hostile();
    let pid = gateway.server_pid("test-server");
    bad(&gateway, "close-stdout").expect_code(502, "SERVER_CRASHED");
    comes_back(&gateway);
    testkit::wait_gone(&[pid]);
}

#[test]
fn a_server_that_closes_its_input_has_crashed_when_the_next_call_is_written() {
    let gateway = hostile();
    let pid = gateway.server_pid("test-server");
    assert_eq!(bad(&gateway, "close-stdin").result(), &json!({"ok": true}));
    let fault = gateway.call("test-server", "echo", json!({})).fault();
    let expected = [(500, "TOOL_EXECUTION_ERROR"), (502, "SERVER_CRASHED")];
    assert!(expected.contains(&(fault.status, fault.code.as_str())), "{fault:?}");
    comes_back(&gateway);
    testkit::wait_gone(&[pid]);
}

#[test]
fn a_large_call_to_a_server_that_does_not_read_times_out_and_holds_up_nobody() {
    let gateway = hostile();
    let pid = gateway.server_pid("test-server");
    testkit::send_signal(pid, testkit::Signal::STOP);
    let large = json!({"t": "x".repeat(100_000)});
    for _ in 0..3 {
        gateway.call("test-server", "echo", large.clone()).expect_code(408, "TIMEOUT_ERROR");
    }
    gateway.call("other", "plain", json!({})).expect_status(200);
    testkit::send_signal(pid, testkit::Signal::CONT);
    testkit::eventually("the server answers again", || {
        let reply = gateway.call("test-server", "echo", json!({"a": 1}));
        (reply.status == 200 && reply.body["result"] == json!({"a": 1})).then_some(())
    });
}

#[test]
fn a_bad_reply_during_the_start_is_a_failed_start() {
    let answer = r#"read line; echo '{"jsonrpc":"2.0","id":0}'; echo not json; echo '{}'; exit 1"#;
    let gateway = TestGateway::builder()
        .server("good", |s| s)
        .server("odd", |s| s.shell(answer).required(false))
        .server("brief", |s| s.command("true").required(false))
        .start();
    assert_eq!(gateway.health()["servers"], json!({"good": "running", "odd": "stopped", "brief": "stopped"}));
    let text: Value = gateway.call("good", "plain", json!({})).result().clone();
    assert_eq!(text["content"][0]["text"], "hello");
}

/// A server that says the same line again and again when its tool `talk` is called, and counts how often its tools are
/// listed.
fn talker(line: &str) -> TestGateway {
    const SERVER: &str = r#"
lists=0
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*) lists=$((lists + 1)); result='{"tools":[{"name":"talk","inputSchema":{"type":"object"}},{"name":"count","inputSchema":{"type":"object"}}]}' ;;
    *'"talk"'*) for n in $(seq 2000); do printf '%s\n' "$SAID"; done; result='{"content":[]}' ;;
    *'"count"'*) result="{\"content\":[],\"structuredContent\":{\"lists\":$lists}}" ;;
    *'"id"'*) result='{}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;
    let folder = Folder::new();
    let path = folder.write("server.sh", SERVER);
    let path = path.to_str().expect("the path of a folder is UTF-8");
    let server = |s: testkit::Server| s.command("sh").args(&[path]).env("SAID", line);
    TestGateway::builder().server("talker", server).start_in(folder)
}

#[test]
fn a_server_that_writes_nothing_but_noise_does_not_fill_the_log() {
    let gateway = talker("this is no message");
    assert_eq!(gateway.call("talker", "talk", json!({})).status, 200);
    let noise = |line: &&Value| line["message"].as_str().is_some_and(|text| text.contains("is not JSON-RPC"));
    let log = gateway.log();
    let told: Vec<&Value> = log.iter().filter(noise).collect();
    assert_eq!((&told[0]["server"], &told[0]["bytes"]), (&json!("talker"), &json!(18)));
    // Ten in ten seconds: it would take an hour to fill this with all of them.
    assert!(told.len() < 500, "{}", told.len());
}

#[test]
fn a_server_that_says_again_and_again_that_its_tools_changed_is_asked_a_few_times() {
    let gateway = talker(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    assert_eq!(gateway.call("talker", "talk", json!({})).status, 200);
    // They are answered one after the other, as what is asked for the lists is.
    let count = || gateway.call("talker", "count", json!({})).result()["lists"].as_u64().expect("a number");
    let lists = (0..100).map(|_| count()).max().expect("a hundred times");
    assert!((2..30).contains(&lists), "{lists}");
}
