//! Pings: missed, answered again, and the restart they lead to (spec 1.13). The shortest interval is five
//! seconds, so everything is watched on one gateway at a time.

use serde_json::json;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use testkit::{TestGateway, is_alive, within};

const LONG: Duration = Duration::from_secs(45);

#[test]
fn three_missed_pings_in_a_row_are_a_crash_and_a_good_one_is_the_end_of_it() {
    let gateway = TestGateway::builder()
        .server("silent", |s| s.env("FX_NO_PING", "1"))
        .server("slow", |s| s.env("FX_SKIP_PINGS", "3"))
        .server("sleepy", |s| s.env("FX_SKIP_PINGS", "2"))
        .server("good", |s| s)
        .setting("healthCheckInterval: 5000")
        .start();
    let start = Instant::now();
    let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let back = within(LONG, || {
        for (server, status) in gateway.health()["servers"].as_object().cloned().unwrap_or_default() {
            let words = seen.entry(server).or_default();
            let word = status.as_str().unwrap_or_default().to_owned();
            if words.last() != Some(&word) {
                words.push(word);
            }
        }
        (seen["silent"].len() == 2 && seen["slow"].len() == 3).then_some(())
    });
    assert!(back.is_some(), "{seen:?}");
    assert_eq!(seen["silent"], ["running", "crashed"]);
    assert_eq!(seen["slow"], ["running", "crashed", "running"]);
    assert_eq!(seen["sleepy"], ["running"], "two missed pings are not three");
    assert_eq!(seen["good"], ["running"]);
    assert!(start.elapsed() > Duration::from_secs(10), "three pings take longer: {:?}", start.elapsed());
    gateway.call("slow", "plain", json!({})).expect_status(200);
    gateway.call("silent", "plain", json!({})).expect_code(502, "SERVER_CRASHED");
}

#[test]
fn the_number_of_missed_pings_that_are_a_crash_can_be_set() {
    let gateway = TestGateway::builder()
        .server("silent", |s| s.env("FX_NO_PING", "1"))
        .server("sleepy", |s| s.env("FX_SKIP_PINGS", "1"))
        .setting("healthCheckInterval: 5000\nmissedPings: 1")
        .start();
    let start = Instant::now();
    for server in ["silent", "sleepy"] {
        let crashed = within(LONG, || (gateway.health()["servers"][server] == "crashed").then_some(()));
        assert!(crashed.is_some(), "{:#?}", gateway.log_lines());
    }
    assert!(start.elapsed() < Duration::from_secs(14), "one is enough: {:?}", start.elapsed());
    let back = within(LONG, || (gateway.health()["servers"]["sleepy"] == "running").then_some(()));
    assert!(back.is_some(), "a good ping is the end of it");
    gateway.call("silent", "plain", json!({})).expect_code(502, "SERVER_CRASHED");
}

#[test]
fn under_on_failure_a_server_that_misses_its_pings_is_ended_and_started_again() {
    let gateway = TestGateway::builder()
        .server("silent", |s| s.env("FX_NO_PING", "1"))
        .setting("healthCheckInterval: 5000\nrestartPolicy: on-failure")
        .start();
    let pid = gateway.server_pid("silent");
    let ended = within(LONG, || (!is_alive(pid)).then_some(()));
    assert!(ended.is_some(), "the silent child is ended: {:#?}", gateway.log_lines());
    gateway.wait_status("silent", "running");
    assert_ne!(gateway.server_pid("silent"), pid);
}

#[test]
fn a_busy_server_that_answers_pings_stays_up_through_a_long_call() {
    let gateway = TestGateway::builder().server("busy", |s| s).setting("healthCheckInterval: 5000").start();
    let call = gateway.call_later("busy", "sleep", json!({"ms": 12_000}));
    let reply = call.join().expect("no panic").expect("an answer");
    assert_eq!(reply.result(), &json!({"slept": 12_000}));
    assert_eq!(gateway.status("busy"), "running");
}
