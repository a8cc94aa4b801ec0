//! The fixture over its own pipes: every tool and switch of spec 1.17.

use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};
use testkit::{Signal, Stdio, is_alive, send_signal, wait_gone};

fn start(env: &[(&str, &str)]) -> Stdio {
    start_with(&[], env)
}

fn start_with(args: &[&str], env: &[(&str, &str)]) -> Stdio {
    Stdio::start(Command::new(env!("CARGO_BIN_EXE_lockgate-fixture")).args(args), env)
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

#[test]
fn the_handshake_echoes_a_known_revision_and_offers_the_newest_for_others() {
    let mut fixture = start(&[]);
    for (asked, given) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
    ] {
        let answer = fixture.ask("initialize", json!({"protocolVersion": asked}));
        assert_eq!(answer["result"]["protocolVersion"], given);
        assert_eq!(answer["result"]["serverInfo"]["name"], "lockgate-fixture");
    }
    fixture.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    assert_eq!(fixture.ask("ping", json!({}))["result"], json!({}));
    assert_eq!(fixture.ask("server/discover", json!({}))["error"]["code"], -32601);
    assert_eq!(fixture.ask("prompts/list", json!({}))["error"]["code"], -32601);
}

#[test]
fn it_ends_with_code_0_when_its_input_ends() {
    let mut fixture = start(&[]);
    assert_eq!(fixture.ask("ping", json!({}))["result"], json!({}));
    fixture.close_input();
    assert_eq!(fixture.wait_exit(), Some(0));
}

#[test]
fn every_tool_is_listed_in_order_with_a_schema() {
    let answer = start(&[]).ask("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().expect("a list");
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let expected = "calculate-bmi fetch-weather echo plain parts sleep crash env argv big err-empty err-image \
                    err-blank rpc nil noise flood stats internal_x public_y";
    assert_eq!(names, expected.split(' ').collect::<Vec<_>>());
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(!tool["description"].as_str().unwrap_or_default().is_empty(), "{tool}");
        assert_eq!(tool.get("outputSchema").is_some(), tool["name"] == "calculate-bmi", "{tool}");
    }
}

#[test]
fn the_tools_answer_as_the_table_says() {
    let mut fixture = start(&[]);
    let bmi = fixture.call("calculate-bmi", json!({"weight_kg": 70, "height_m": 1.75}));
    assert_eq!(bmi["structuredContent"], json!({"result": 22.857142857142858}));
    let refused = json!({
        "content": [{"type": "text", "text": "Invalid input: height and weight must be positive values"}],
        "isError": true,
    });
    assert_eq!(fixture.call("calculate-bmi", json!({"weight_kg": 0, "height_m": 1.75})), refused);
    assert_eq!(fixture.call("calculate-bmi", json!({"weight_kg": 1, "height_m": -1})), refused);
    assert_eq!(fixture.call("fetch-weather", json!({"city": "osaka"}))["structuredContent"]["city"], "osaka");
    assert_eq!(fixture.call("fetch-weather", json!({"city": "rome"}))["isError"], true);
    assert_eq!(fixture.call("echo", json!({"b": 1, "a": [2]})), text(r#"{"b":1,"a":[2]}"#));
    assert_eq!(fixture.call("plain", json!({})), text("hello"));
    let parts = json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]});
    assert_eq!(fixture.call("parts", json!({})), parts);
    assert_eq!(fixture.call("sleep", json!({"ms": 5}))["structuredContent"], json!({"slept": 5}));
    assert_eq!(fixture.call("big", json!({"bytes": 7})), text("xxxxxxx"));
    assert_eq!(fixture.call("err-empty", json!({})), json!({"content": [], "isError": true}));
    assert_eq!(fixture.call("err-image", json!({}))["content"][0]["type"], "image");
    assert_eq!(fixture.call("err-blank", json!({}))["content"][0]["text"], "");
    assert_eq!(fixture.call("public_y", json!({}))["structuredContent"], json!({"ok": true}));
    assert_eq!(fixture.call("internal_x", json!({}))["structuredContent"], json!({"ok": true}));
}

#[test]
fn errors_null_results_and_noise_come_as_asked() {
    let mut fixture = start(&[]);
    let arguments = json!({"code": -32602, "message": "no", "data": {"field": "x"}});
    let answer = fixture.ask("tools/call", json!({"name": "rpc", "arguments": arguments}));
    assert_eq!(answer["error"], arguments);
    let answer = fixture.ask("tools/call", json!({"name": "rpc", "arguments": {"code": 7, "message": "m"}}));
    assert_eq!(answer["error"], json!({"code": 7, "message": "m"}));
    let answer = fixture.ask("tools/call", json!({"name": "zzz", "arguments": {}}));
    assert_eq!(answer["error"], json!({"code": -32602, "message": "Unknown tool: zzz"}));
    let answer = fixture.ask("tools/call", json!({"name": "nil"}));
    assert_eq!(answer.get("result"), Some(&Value::Null));
    fixture.request("tools/call", json!({"name": "noise"}));
    assert!(serde_json::from_slice::<Value>(&fixture.read_bytes()).is_err());
    assert_eq!(fixture.read()["result"]["structuredContent"], json!({"ok": true}));
}

#[test]
fn a_sleep_holds_up_no_other_call() {
    let mut fixture = start(&[]);
    let slow = fixture.request("tools/call", json!({"name": "sleep", "arguments": {"ms": 300}}));
    let quick = fixture.request("tools/call", json!({"name": "plain"}));
    assert_eq!(fixture.read()["id"], quick);
    assert_eq!(fixture.read()["id"], slow);
}

#[test]
fn environment_and_arguments_are_shown() {
    let mut fixture = start_with(&["${HOME}", "b c"], &[("TEST_ENV", "v")]);
    assert_eq!(fixture.call("argv", json!({}))["structuredContent"], json!({"argv": ["${HOME}", "b c"]}));
    assert_eq!(fixture.call("env", json!({}))["structuredContent"]["TEST_ENV"], "v");
}

#[test]
fn a_crash_ends_the_process_with_the_code() {
    let mut fixture = start(&[]);
    fixture.request("tools/call", json!({"name": "crash", "arguments": {"code": 7}}));
    assert_eq!(fixture.wait_exit(), Some(7));
}

#[test]
fn stats_tell_calls_cancellations_the_call_before_and_the_process() {
    let mut fixture = start(&[]);
    let first = fixture.call("stats", json!({}))["structuredContent"].clone();
    assert_eq!(first, json!({"calls": 1, "cancelled": [], "last": null, "pid": fixture.pid()}));
    fixture.call("echo", json!({"a": 1}));
    fixture
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "r"}}));
    let second = fixture.call("stats", json!({}))["structuredContent"].clone();
    assert_eq!(second, json!({"calls": 3, "cancelled": ["r"], "last": {"a": 1}, "pid": fixture.pid()}));
}

#[test]
fn a_flood_has_no_line_end_and_no_reply() {
    let mut fixture = start(&[]);
    fixture.request("tools/call", json!({"name": "flood", "arguments": {"bytes": 100_000}}));
    fixture.close_input();
    let bytes = fixture.read_bytes();
    assert!(bytes.len() <= 100_000 && bytes.iter().all(|byte| *byte == b'x'), "{}", bytes.len());
}

#[test]
fn the_list_comes_in_as_many_pages_as_asked() {
    let mut fixture = start(&[("FX_PAGES", "3")]);
    let (mut params, mut pages, mut tools) = (json!({}), 0, 0);
    loop {
        let result = fixture.ask("tools/list", params)["result"].clone();
        pages += 1;
        tools += result["tools"].as_array().map_or(0, Vec::len);
        match result.get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => break,
        }
    }
    assert_eq!((pages, tools), (3, 20));
    assert_eq!(fixture.ask("tools/list", json!({"cursor": "x"}))["error"]["code"], -32602);
}

#[test]
fn pings_and_the_handshake_stay_without_answer_when_asked() {
    let mut fixture = start(&[("FX_NO_PING", "1"), ("FX_HANG_INIT", "1")]);
    fixture.request("ping", json!({}));
    fixture.request("initialize", json!({}));
    assert_eq!(fixture.call("plain", json!({})), text("hello"), "the only answer is to the call");
    let mut fixture = start(&[("FX_SKIP_PINGS", "1")]);
    fixture.request("ping", json!({}));
    assert_eq!(fixture.ask("ping", json!({}))["result"], json!({}));
}

#[test]
fn the_end_comes_as_the_switches_say() {
    assert_eq!(start(&[("FX_EXIT_AT_START", "4")]).wait_exit(), Some(4));
    assert_eq!(start(&[("FX_EXIT0_AFTER", "50")]).wait_exit(), Some(0));
    let begin = Instant::now();
    start(&[("FX_START_DELAY", "200")]).ask("ping", json!({}));
    assert!(begin.elapsed() >= Duration::from_millis(200));
}

#[test]
fn a_stubborn_fixture_ignores_sigterm_and_the_end_of_its_input() {
    let mut fixture = start(&[("FX_IGNORE_TERM", "1")]);
    fixture.ask("ping", json!({}));
    send_signal(fixture.pid(), Signal::TERM);
    fixture.close_input();
    assert!(fixture.stays_alive(Duration::from_millis(200)));
}

#[test]
fn progress_is_reported_only_for_a_token() {
    let mut fixture = start(&[("FX_PROGRESS_MS", "20")]);
    assert_eq!(fixture.call("sleep", json!({"ms": 50}))["structuredContent"], json!({"slept": 50}));
    let params = json!({"name": "sleep", "arguments": {"ms": 100}, "_meta": {"progressToken": "t"}});
    fixture.request("tools/call", params);
    let first = fixture.read();
    assert_eq!(first["method"], "notifications/progress");
    assert_eq!(first["params"], json!({"progressToken": "t", "progress": 1}));
}

#[test]
fn the_list_can_grow() {
    let mut fixture = start(&[("FX_LIST_CHANGED", "1")]);
    fixture.request("tools/call", json!({"name": "grow", "arguments": {"name": "late"}}));
    assert_eq!(fixture.read()["method"], "notifications/tools/list_changed");
    fixture.read();
    let tools = fixture.ask("tools/list", json!({}))["result"]["tools"].clone();
    assert_eq!(
        tools.as_array().and_then(|tools| tools.last()).map(|tool| &tool["name"]),
        Some(&json!("late"))
    );
    assert_eq!(fixture.call("late", json!({}))["structuredContent"], json!({"ok": true}));
}

#[test]
fn grandchildren_outlive_the_fixture_unless_someone_ends_them() {
    let mut fixture = start(&[("FX_GRANDCHILD", "1")]);
    let stats = fixture.call("stats", json!({}))["structuredContent"].clone();
    let pids: Vec<u32> = serde_json::from_value(stats["grandchildren"].clone()).expect("process ids");
    assert_eq!(pids.len(), 2);
    fixture.close_input();
    fixture.wait_exit();
    assert!(pids.iter().all(|pid| is_alive(*pid)));
    pids.iter().for_each(|pid| send_signal(*pid, Signal::KILL));
    wait_gone(&pids);
}
