//! Environment, limits on output, and no process left behind (spec 1.14; example 32).

use serde_json::{Value, json};
use std::time::Duration;
use testkit::{Builder, TestGateway, descendants, is_alive, wait_gone};

/// A gateway whose own environment is full of things.
fn crowded() -> Builder {
    TestGateway::builder()
        .env("LEAK", "1")
        .env("HOME", "/nowhere/someone")
        .env("USER", "someone")
        .env("PWD", "/somewhere")
        .env("PATH", "/usr/bin:/bin:/custom")
}

fn env(gateway: &TestGateway, server: &str) -> Value {
    gateway.call(server, "env", json!({})).result().clone()
}

#[test]
fn a_child_gets_the_inherited_names_and_its_own_variables_and_nothing_else() {
    let gateway = crowded().server("test-server", |s| s.env("TEST_ENV", "test_value")).start();
    let expected = json!({"PATH": "/usr/bin:/bin:/custom", "TEST_ENV": "test_value"});
    assert_eq!(env(&gateway, "test-server"), expected);
}

#[test]
fn inherited_names_can_be_set_for_all_and_for_one() {
    let gateway = crowded()
        .server("all", |s| s)
        .server("one", |s| s.raw("inheritEnv", "[USER, NOT_SET]"))
        .server("none", |s| s.raw("inheritEnv", "[]").env("A", "b"))
        .server("own", |s| s.env("HOME", "/other"))
        .setting("inheritEnv: [PATH, HOME]")
        .start();
    let path = "/usr/bin:/bin:/custom";
    assert_eq!(env(&gateway, "all"), json!({"PATH": path, "HOME": "/nowhere/someone"}));
    assert_eq!(env(&gateway, "one"), json!({"USER": "someone"}));
    assert_eq!(env(&gateway, "none"), json!({"A": "b"}));
    assert_eq!(env(&gateway, "own")["HOME"], "/other", "its own variables go first");
}

#[test]
fn path_has_a_fallback() {
    let gateway = TestGateway::builder().server("test-server", |s| s).without_path().start();
    assert_eq!(env(&gateway, "test-server"), json!({"PATH": "/usr/local/bin:/usr/bin:/bin"}));
}

#[test]
fn each_server_has_its_own_variables_and_process() {
    let gateway = TestGateway::builder().server("s1", |s| s.env("ONLY_ONE", "1")).server("s2", |s| s).start();
    assert_eq!(env(&gateway, "s1")["ONLY_ONE"], "1");
    assert!(env(&gateway, "s2").get("ONLY_ONE").is_none());
    assert_ne!(gateway.server_pid("s1"), gateway.server_pid("s2"));
}

const OPEN_OUTPUT: u64 = 10 * 1024 * 1024;

#[test]
fn output_without_an_end_of_line_may_reach_the_limit() {
    let gateway = TestGateway::builder().server("s1", |s| s.timeout(4000)).server("s2", |s| s).start();
    gateway.call("s1", "flood", json!({"bytes": OPEN_OUTPUT})).expect_code(408, "TIMEOUT_ERROR");
    assert_eq!(gateway.status("s1"), "running");
}

#[test]
fn a_child_that_overruns_the_limit_is_killed_and_no_other_is_touched() {
    for over in [OPEN_OUTPUT + 1, 3 * OPEN_OUTPUT] {
        let gateway = TestGateway::builder().server("s1", |s| s).server("s2", |s| s).start();
        let pid = gateway.server_pid("s1");
        let other = gateway.call_later("s2", "sleep", json!({"ms": 1000}));
        gateway.call("s1", "flood", json!({"bytes": over})).expect_code(502, "SERVER_CRASHED");
        assert_eq!(gateway.health()["servers"], json!({"s1": "crashed", "s2": "running"}));
        wait_gone(&[pid]);
        assert_eq!(other.join().expect("no panic").expect("an answer").result(), &json!({"slept": 1000}));
    }
}

#[test]
fn no_descendant_outlives_a_gateway_that_was_killed() {
    let gateway = TestGateway::builder()
        .server("plain", |s| s)
        .server("stubborn", |s| s.env("FX_IGNORE_TERM", "1"))
        .server("parent", |s| s.env("FX_GRANDCHILD", "1"))
        .start();
    let stats = gateway.stats("parent");
    let mut pids: Vec<u32> = serde_json::from_value(stats["grandchildren"].clone()).expect("process ids");
    assert_eq!(pids.len(), 2);
    pids.extend(descendants(gateway.pid()));
    pids.extend(["plain", "stubborn", "parent"].map(|server| gateway.server_pid(server)));
    assert!(pids.iter().all(|pid| is_alive(*pid)), "{pids:?}");
    gateway.kill9();
    wait_gone(&pids);
}

#[test]
fn no_descendant_outlives_a_gateway_that_was_told_to_stop() {
    let gateway = TestGateway::with(|s| s.env("FX_GRANDCHILD", "1"));
    let stats = gateway.stats("test-server");
    let pids: Vec<u32> = serde_json::from_value(stats["grandchildren"].clone()).expect("process ids");
    gateway.signal(testkit::Signal::TERM);
    assert_eq!(gateway.wait_exit(), Some(0));
    wait_gone(&pids);
}

#[test]
fn no_descendant_outlives_a_server_that_crashed() {
    let gateway = TestGateway::with(|s| s.env("FX_GRANDCHILD", "1"));
    let stats = gateway.stats("test-server");
    let pids: Vec<u32> = serde_json::from_value(stats["grandchildren"].clone()).expect("process ids");
    gateway.call("test-server", "crash", json!({"code": 1})).expect_code(502, "SERVER_CRASHED");
    wait_gone(&pids);
}

#[test]
fn a_server_that_writes_a_lot_to_standard_error_is_not_held_up() {
    let script = "i=0; while [ $i -lt 20000 ]; do echo 'a line of some length on standard error' >&2; \
                  i=$((i+1)); done; exec FIXTURE";
    let gateway = TestGateway::with(|s| s.shell(script));
    let reply = gateway.call("test-server", "plain", json!({}));
    reply.expect_status(200);
    assert!(reply.elapsed < Duration::from_secs(5));
    let logs = gateway.get("/api/servers/test-server/logs");
    let lines = logs.body.as_array().expect("an array").len();
    assert!((1..20_000).contains(&lines), "only the last lines are kept: {lines}");
}
