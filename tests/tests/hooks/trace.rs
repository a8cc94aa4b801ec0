//! Which hooks ran, in the log and in the reply, and what they wrote to the console.

use super::*;
use testkit::eventually;

/// Hook, phase and verdict of each entry; the version is a number.
#[track_caller]
fn marks(trace: &Value) -> Vec<String> {
    let text = |mark: &Value, field: &str| {
        mark[field].as_str().unwrap_or_else(|| panic!("{field}: {mark}")).to_owned()
    };
    let marks = trace.as_array().unwrap_or_else(|| panic!("a list: {trace}"));
    marks
        .iter()
        .map(|mark| {
            assert!(mark["version"].is_u64(), "{mark}");
            format!("{} {} {}", text(mark, "hook"), text(mark, "phase"), text(mark, "verdict"))
        })
        .collect()
}

fn with_hooks(trace: &str) -> TestGateway {
    let gateway = plan().setting(&format!("hooks: {{trace: {trace}}}")).start();
    create(&gateway, hook("both", "見る", "return"));
    pre(&gateway, "change", "if (context.toolName) context.request.params.arguments.a = 1");
    pre(&gateway, "fail", "throw Error('x')");
    post(&gateway, "replace", "return {response: {...context.response}}");
    gateway
}

const CALL: [&str; 5] = [
    "見る pre continue",
    "change pre changed",
    "fail pre failed",
    "見る post continue",
    "replace post replaced",
];
const LIST: [&str; 5] = [
    "見る pre continue",
    "change pre continue",
    "fail pre failed",
    "見る post continue",
    "replace post replaced",
];

#[test]
fn replies_name_the_hooks_that_ran_where_that_is_wanted() {
    let gateway = with_hooks("reply");
    let header = |reply: &Reply| marks(&serde_json::from_str(reply.header("lockgate-hooks")).expect("JSON"));
    assert_eq!(header(&rest(&gateway, json!({}))), CALL);
    assert_eq!(header(&gateway.get("/mcp/tools")), LIST);
    for client in clients(&gateway) {
        assert_eq!(marks(&client.call("echo", json!({}))["_meta"]["lockgate/hooks"]), CALL);
        assert_eq!(marks(&client.result("tools/list", json!({}))["_meta"]["lockgate/hooks"]), LIST);
    }
    let id = pre(&gateway, "block", "return {continue: false}");
    let blocked = rest(&gateway, json!({}));
    assert_eq!(header(&blocked)[2..], ["fail pre failed", "block pre blocked"]);
    patch(&gateway, &id, json!({"script": "return {continue: false, response: {content: [], tools: []}}"}));
    let answered = Client::legacy(gateway.http()).call("echo", json!({}));
    assert_eq!(marks(&answered["_meta"]["lockgate/hooks"])[3], "block pre answered");
}

#[test]
fn nobody_else_says_which_hooks_ran() {
    let gateway = plan().setting("hooks: {trace: reply}").start();
    let forged = "const told = context.response ?? {}; told._meta = {k: 1, 'lockgate/hooks': 'forged'}; return {response: told}";
    post(&gateway, "liar", forged);
    for client in clients(&gateway) {
        for result in [client.call("echo", json!({})), client.result("tools/list", json!({}))] {
            assert_eq!(marks(&result["_meta"]["lockgate/hooks"]), ["liar post replaced"], "{result}");
            assert_eq!(result["_meta"]["k"], 1, "{result}");
        }
        let data = json!({"_meta": {"lockgate/hooks": "forged"}});
        let error = client.call_error("rpc", json!({"code": -32050, "message": "no", "data": data}));
        assert_eq!(marks(&error["data"]["_meta"]["lockgate/hooks"]), ["liar post replaced"], "{error}");
    }
}

#[test]
fn where_no_hook_ran_no_error_of_a_server_says_otherwise() {
    let gateway = plan().setting("hooks: {trace: reply}").start();
    for client in clients(&gateway) {
        let data = json!({"_meta": {"lockgate/hooks": "forged", "k": 1}, "field": "f"});
        let error = client.call_error("rpc", json!({"code": -32050, "message": "no", "data": data}));
        assert_eq!(error["data"], json!({"_meta": {"k": 1}, "field": "f"}), "{error}");
    }
}

#[test]
fn errors_name_the_hooks_that_ran_where_that_is_wanted() {
    for (trace, expected) in [("reply", vec!["look pre continue", "block pre blocked"]), ("log", vec![])] {
        let gateway = plan().setting(&format!("hooks: {{trace: {trace}}}")).start();
        pre(&gateway, "look", "return");
        pre(&gateway, "block", "return {continue: false}");
        for client in clients(&gateway) {
            for error in [client.call_error("echo", json!({})), client.error("tools/list", json!({}))] {
                let told = &error["data"]["_meta"]["lockgate/hooks"];
                let told = if told.is_null() { Vec::new() } else { marks(told) };
                assert_eq!(told, expected, "{error}");
                assert_eq!(error["data"]["code"], "VALIDATION_ERROR", "{error}");
            }
        }
    }
}

#[test]
fn replies_say_nothing_by_default_and_the_log_everything() {
    let gateway = with_hooks("log");
    let reply = rest(&gateway, json!({}));
    assert_eq!(reply.header("lockgate-hooks"), "");
    let client = Client::legacy(gateway.http());
    assert!(client.call("echo", json!({})).get("_meta").is_none());
    for path in ["/mcp/call", "/mcp"] {
        let line = eventually("the line of the call", || {
            gateway.log().into_iter().find(|line| line["path"] == path && line["tool"] == "echo")
        });
        let hooks = &line["hooks"];
        let mut at = 0;
        for part in ["見る", "change", "fail", "見る", "replace"] {
            let rest = hooks.as_str().map(|text| &text[at..]).unwrap_or_else(|| panic!("{line}"));
            at += rest.find(part).unwrap_or_else(|| panic!("{part} after {at} in {hooks}")) + part.len();
        }
    }
}

#[test]
fn a_version_grows_with_every_edit() {
    let gateway = plan().setting("hooks: {trace: reply}").start();
    let id = pre(&gateway, "h", "return");
    let version = || {
        let trace: Value =
            serde_json::from_str(rest(&gateway, json!({})).header("lockgate-hooks")).expect("JSON");
        trace[0]["version"].as_u64().expect("a number")
    };
    let first = version();
    assert_eq!(version(), first);
    patch(&gateway, &id, json!({"script": "return {}"}));
    assert!(version() > first);
}

#[test]
fn what_a_script_writes_to_the_console_is_in_the_log_with_its_hook() {
    let gateway = plan().env("LOG_LEVEL", "debug").start();
    let script = "console.log('one', {a: [1]}); console.debug('two'); console.info('three\\nlines');
        console.warn('four'); console.error('five', new Error('why'))";
    let id = pre(&gateway, "talker", script);
    rest(&gateway, json!({})).expect_status(200);
    for (part, level) in
        [("one", "info"), ("two", "debug"), ("three", "info"), ("four", "warn"), ("five", "error")]
    {
        let line = eventually(part, || {
            let of_hook = |line: &Value| line["hookId"] == id.as_str() && line.to_string().contains(part);
            gateway.log().into_iter().find(of_hook)
        });
        assert_eq!(line["hook"], "talker", "{line}");
        assert!(line["level"].as_str().is_some_and(|text| text.eq_ignore_ascii_case(level)), "{line}");
    }
}

#[test]
fn executions_are_counted_by_hook() {
    let gateway = TestGateway::start();
    let id = pre(
        &gateway,
        "h",
        "if (context.request.params.arguments.fail) throw Error('x');
        if (context.request.params.arguments.block) return {continue: false}",
    );
    for input in [json!({}), json!({}), json!({"fail": 1}), json!({"block": 1})] {
        rest(&gateway, input);
    }
    let stats = gateway.get(&format!("/api/hooks/{id}")).body["stats"].clone();
    assert_eq!(
        (&stats["executions"], &stats["errors"], &stats["blocks"]),
        (&json!(4), &json!(1), &json!(1)),
        "{stats}"
    );
    let metrics = gateway.get("/metrics").text();
    for line in [
        "lockgate_hook_executions_total{hook=\"h\",outcome=\"ok\"} 2",
        "lockgate_hook_executions_total{hook=\"h\",outcome=\"error\"} 1",
        "lockgate_hook_executions_total{hook=\"h\",outcome=\"blocked\"} 1",
        "lockgate_hook_duration_seconds_count{hook=\"h\"} 4",
    ] {
        assert!(metrics.contains(line), "{line}");
    }
    let peak = stats["peakMemory"].as_u64().filter(|peak| *peak > 0).expect("it used memory");
    let line = format!("lockgate_hook_peak_memory_bytes{{hook=\"h\"}} {peak}\n");
    assert!(metrics.contains(&line), "{line}");
}
