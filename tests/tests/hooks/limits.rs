//! Time, memory, and everybody else meanwhile (spec 2.6).

use super::*;
use std::time::{Duration, Instant};

#[test]
fn the_clock_of_one_execution_is_a_setting_and_counts_waiting() {
    let gateway = plan().setting("hooks: {timeoutMs: 2000}").start();
    for script in
        ["await sleep(5000)", "while (true) {}", "await new Promise(() => {})", "for (;;) await null"]
    {
        let id = create(&gateway, stopping(hook("pre", "slow", script)));
        let reply = rest(&gateway, json!({}));
        let fault = reply.expect_code(500, "TOOL_EXECUTION_ERROR");
        assert!(fault.message.ends_with("Script execution timed out"), "{script}: {}", fault.message);
        assert_eq!(fault.details["code"], "TIMEOUT", "{script}");
        // What nothing can ever wake need not be waited for.
        let forever = script.contains("new Promise");
        assert!(forever || reply.elapsed >= Duration::from_millis(1900), "{script}: {:?}", reply.elapsed);
        assert!(reply.elapsed < Duration::from_secs(20), "{script}: {:?}", reply.elapsed);
        delete(&gateway, &id);
    }
    let id = pre(&gateway, "short", "await sleep(100)");
    let reply = rest(&gateway, json!({}));
    assert!(reply.expect_status(200).elapsed >= Duration::from_millis(100), "{:?}", reply.elapsed);
    assert_eq!(gateway.get(&format!("/api/hooks/{id}")).body["stats"]["timeouts"], 0);
}

#[test]
fn every_execution_has_a_clock_of_its_own() {
    let gateway = plan().setting("hooks: {timeoutMs: 4000}").start();
    for name in ["a", "b", "c"] {
        create(&gateway, stopping(hook("both", name, "await sleep(1500)")));
    }
    rest(&gateway, json!({})).expect_status(200);
}

#[test]
fn what_a_hook_decided_in_time_counts_though_the_gateway_was_held_up() {
    let gateway = plan().setting("hooks: {timeoutMs: 2500}").start();
    pre(&gateway, "h", "await sleep(400); return {continue: false, error: {message: 'blocked'}}");
    let call = Request::new("POST", "/mcp/call").body("application/json", testkit::body("{}"));
    let reply = gateway.http().send_later(call);
    std::thread::sleep(Duration::from_millis(150));
    testkit::send_signal(gateway.pid(), testkit::Signal::STOP);
    // Longer than the hook may take, and than the gateway waits for its worker beyond that.
    std::thread::sleep(Duration::from_millis(3500));
    testkit::send_signal(gateway.pid(), testkit::Signal::CONT);
    let reply = reply.join().expect("no panic").expect("an answer");
    assert!(reply.body["error"]["message"].to_string().contains("blocked"), "{}", reply.body);
    let lost = gateway.log_lines().into_iter().find(|line| line.contains("broke the protocol"));
    assert_eq!(lost, None);
}

#[test]
fn a_runaway_hook_does_not_hold_up_other_calls() {
    let gateway = plan().setting("hooks: {timeoutMs: 5000}").start();
    let script = "if (context.request.params.arguments?.loop) while (true) {}
        context.request.params.arguments.v = 1";
    pre(&gateway, "h", script);
    rest(&gateway, json!({})).expect_status(200);
    let call = Request::new("POST", "/mcp/call").body("application/json", testkit::body(r#"{"loop":1}"#));
    let runaway = gateway.http().send_later(call);
    let begin = Instant::now();
    let mut calls = 0;
    while !runaway.is_finished() {
        let reply = rest(&gateway, json!({"n": calls}));
        assert_eq!(reply.result(), &json!({"n": calls, "v": 1}));
        assert!(reply.elapsed < Duration::from_secs(4), "call {calls} took {:?}", reply.elapsed);
        calls += 1;
    }
    assert!(begin.elapsed() >= Duration::from_millis(4500), "{:?}", begin.elapsed());
    assert!(calls > 20, "{calls}");
    let reply = runaway.join().expect("no panic").expect("an answer");
    assert_eq!(reply.result(), &json!({"loop": 1}), "as if the hook were absent");
}

#[test]
fn many_runaway_hooks_at_once_end_and_all_is_well_again() {
    let gateway = plan().setting("hooks: {timeoutMs: 1500}").start();
    pre(
        &gateway,
        "h",
        "if (context.request.params.arguments?.loop) while (true) {}\n context.request.params.arguments.v = 1",
    );
    let call = Request::new("POST", "/mcp/call").body("application/json", testkit::body(r#"{"loop":1}"#));
    let runaways: Vec<_> = (0..8).map(|_| gateway.http().send_later(call.clone())).collect();
    for runaway in runaways {
        let reply = runaway.join().expect("no panic").expect("an answer");
        assert_eq!(reply.result(), &json!({"loop": 1}));
    }
    let reply = rest(&gateway, json!({}));
    assert_eq!(reply.result(), &json!({"v": 1}));
    assert!(reply.elapsed < Duration::from_secs(1), "{:?}", reply.elapsed);
}

#[test]
fn memory_stack_and_output_have_an_end_too() {
    let gateway = TestGateway::start();
    for script in [
        "const a = []; for (;;) a.push('x'.repeat(1 << 20) + a.length)",
        "const f = () => f() + 1; f()",
        "context.request.params.arguments.big = 'x'.repeat(1 << 28)",
        "for (;;) console.log('x'.repeat(1000))",
    ] {
        let id = pre(&gateway, "hungry", script);
        let reply = rest(&gateway, json!({"a": 1}));
        assert_eq!(reply.result(), &json!({"a": 1}), "{script}");
        assert_eq!(gateway.status("test-server"), "running");
        delete(&gateway, &id);
    }
}

#[test]
fn failures_of_one_client_switch_off_no_hook_for_another() {
    let gateway = TestGateway::start();
    let script = "if (context.request.params.arguments.path.startsWith('/etc'))
        return {continue: false, error: {message: 'no'}}";
    let id = pre(&gateway, "h", script);
    for _ in 0..15 {
        gateway.get("/mcp/tools").expect_status(200);
    }
    let hook = gateway.get(&format!("/api/hooks/{id}")).body;
    assert_eq!(
        (&hook["tripped"], &hook["lastError"]["code"]),
        (&json!(true), &json!("SCRIPT_ERROR")),
        "{hook}"
    );
    let fault = rest(&gateway, json!({"path": "/etc/passwd"})).expect_code(400, "VALIDATION_ERROR");
    assert_eq!(fault.message, "no");
    assert_eq!(gateway.get(&format!("/api/hooks/{id}")).body["tripped"], false, "it has ended well");
}

#[test]
fn a_hook_that_keeps_running_out_of_time_is_passed_over_and_the_trace_says_so() {
    let gateway = plan().setting("hooks: {trace: reply}").start();
    pre(&gateway, "first", "return");
    // Nothing can ever wake it, so it is out of time at once.
    let id =
        pre(&gateway, "slow", "if (!context.request.params.arguments?.quick) await new Promise(() => {})");
    pre(&gateway, "last", "if (context.request.params.arguments?.no) return {continue: false}");
    let header =
        |reply: &Reply| -> Vec<Value> { serde_json::from_str(reply.header("lockgate-hooks")).expect("JSON") };
    let verdicts = |marks: &[Value]| {
        let word = |mark: &Value, field: &str| mark[field].as_str().expect("a word").to_owned();
        marks.iter().map(|mark| word(mark, "hook") + " " + &word(mark, "verdict")).collect::<Vec<_>>()
    };
    for _ in 0..9 {
        rest(&gateway, json!({})).expect_status(200);
    }
    let tenth = rest(&gateway, json!({}));
    assert_eq!(verdicts(&header(&tenth)), ["first continue", "slow failed", "last continue"]);
    let passed = ["first continue", "slow tripped", "last continue"];
    assert_eq!(verdicts(&header(&rest(&gateway, json!({})))), passed);
    let blocked = rest(&gateway, json!({"no": 1}));
    assert_eq!(verdicts(&header(&blocked)), ["first continue", "slow tripped", "last blocked"]);
    let reply = Client::legacy(gateway.http()).call("echo", json!({}));
    assert_eq!(verdicts(reply["_meta"]["lockgate/hooks"].as_array().expect("a list")), passed);
    let told = |line: &Value| {
        line["hooks"].as_str().is_some_and(|hooks| hooks.contains("slow@1 pre tripped; last@1"))
    };
    eventually("the log says so", || gateway.log().iter().any(told).then_some(()));
    let hook = || gateway.get(&format!("/api/hooks/{id}")).body;
    assert_eq!((&hook()["tripped"], &hook()["stats"]["executions"]), (&json!(true), &json!(10)));
    gateway.post(&format!("/api/hooks/{id}/reset"), json!({})).expect_status(200);
    let again = rest(&gateway, json!({"quick": true}));
    assert_eq!(verdicts(&header(&again)), ["first continue", "slow continue", "last continue"]);
}

#[test]
fn a_guard_that_keeps_failing_is_not_tripped() {
    let gateway = TestGateway::start();
    let guard = create(&gateway, stopping(super::hook("pre", "guard", "throw Error('x')")));
    for _ in 0..15 {
        rest(&gateway, json!({})).expect_code(500, "TOOL_EXECUTION_ERROR");
    }
    assert_eq!(
        gateway.get(&format!("/api/hooks/{guard}")).body["tripped"],
        false,
        "a guard goes on refusing"
    );
}

#[test]
fn hooks_that_wait_do_not_wait_for_each_other() {
    let gateway = TestGateway::start();
    pre(&gateway, "h", "await sleep(500); context.request.params.arguments.v = 1");
    rest(&gateway, json!({})).expect_status(200);
    let call = Request::new("POST", "/mcp/call").body("application/json", testkit::body("{}"));
    let begin = Instant::now();
    let calls: Vec<_> = (0..32).map(|_| gateway.http().send_later(call.clone())).collect();
    for call in calls {
        let reply = call.join().expect("no panic").expect("an answer");
        assert_eq!(reply.result(), &json!({"v": 1}));
    }
    assert!(begin.elapsed() < Duration::from_secs(12), "{:?}; in turn it is 16 s", begin.elapsed());
}

#[test]
fn a_client_that_hangs_up_leaves_no_hook_behind() {
    let gateway = plan().setting("hooks: {timeoutMs: 60000}").start();
    let script = "for (let n = 0; context.request.params.arguments.long && n < 12; n++) await sleep(5000);
        context.request.params.arguments.v = 1";
    pre(&gateway, "h", script);
    rest(&gateway, json!({})).expect_status(200);
    let call = Request::new("POST", "/mcp/call").body("application/json", testkit::body(r#"{"long":1}"#));
    let calls: Vec<_> = (0..80).map(|_| gateway.http().begin(&call).expect("a connection")).collect();
    let busy = || testkit::descendants(gateway.pid()).len() >= 64;
    testkit::eventually("every worker that may be started is busy", || busy().then_some(()));
    drop(calls);
    for _ in 0..10 {
        let reply = rest(&gateway, json!({}));
        assert_eq!(reply.result(), &json!({"v": 1}));
        assert!(reply.elapsed < Duration::from_secs(20), "{:?}", reply.elapsed);
    }
}

#[test]
fn a_reply_of_a_hook_is_as_large_as_one_of_a_server_may_be() {
    let large = 1_048_576 - 40;
    for (kind, fits, too_large) in [
        (
            "pre",
            format!(
                "return {{response: {{content: [{{type: 'text', text: 'x'.repeat({})}}]}}}}",
                large - 100
            ),
            "return {response: {content: [{type: 'text', text: 'x'.repeat(1048576)}]}}".to_owned(),
        ),
        (
            "post",
            format!("context.response = {{content: [], big: 'x'.repeat({large})}}"),
            "context.response = {content: [], big: 'x'.repeat(1100000)}".to_owned(),
        ),
    ] {
        let gateway = TestGateway::start();
        let id = create(&gateway, hook(kind, "h", &fits));
        rest(&gateway, json!({})).expect_status(200);
        patch(&gateway, &id, json!({"script": too_large}));
        rest(&gateway, json!({})).expect_code(500, "TOOL_EXECUTION_ERROR");
        for client in clients(&gateway) {
            let error = client.call_error("echo", json!({}));
            assert_eq!(error["data"]["code"], "TOOL_EXECUTION_ERROR", "{error}");
        }
    }
}

/// The worker asks the system for more memory than it had when it gave up its rights, by whatever way its allocator has.
#[test]
fn a_script_gets_the_memory_that_it_may_have() {
    let gateway = plan().start();
    for mebibytes in [1, 4, 12, 20, 28] {
        let script = format!("const all = new Uint8Array({mebibytes} << 20); all.fill(1)");
        let id = create(&gateway, stopping(hook("pre", "large", &script)));
        assert_eq!(rest(&gateway, json!({})).result(), &json!({}), "{mebibytes} MiB");
        delete(&gateway, &id);
    }
    let script = "const copies = []; const text = JSON.stringify(context.response);
        while (copies.length < 20) copies.push(JSON.parse(text));";
    create(&gateway, stopping(hook("post", "reader", script)));
    let many: Vec<_> =
        (0..1_500).map(|n| json!({"name": format!("number {n}"), "n": n, "in": {"a": [n]}})).collect();
    assert_eq!(rest(&gateway, json!({"many": many})).result(), &json!({"many": many}));
}
