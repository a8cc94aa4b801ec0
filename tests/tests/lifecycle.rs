//! Crashes, restarts and the end of the gateway (spec 1.13; examples 26 to 29, 34).

use serde_json::{Value, json};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};
use testkit::{Builder, Reply, Signal, TestGateway, descendants, eventually, send_signal, wait_gone};

fn two() -> Builder {
    TestGateway::builder().server("s1", |s| s).server("s2", |s| s)
}

fn crashed(reply: &Reply, server: &str, exit_code: u64) {
    reply.expect_fault(
        502,
        "SERVER_CRASHED",
        &format!("MCP Server '{server}' has crashed"),
        json!({"server": server, "serverName": server, "exitCode": exit_code}),
    );
}

fn stopped(reply: &Reply, server: &str) {
    reply.expect_fault(
        503,
        "SERVER_NOT_RUNNING",
        &format!("MCP Server '{server}' is not running"),
        json!({"server": server, "serverName": server, "status": "stopped"}),
    );
}

fn answer(call: std::thread::JoinHandle<std::io::Result<Reply>>) -> Reply {
    call.join().expect("no panic").expect("an answer")
}

#[test]
fn a_server_that_is_added_again_begins_when_the_one_before_has_ended() {
    let gateway = two().start();
    let file = |name: &str| gateway.folder().join(name).display().to_string();
    let (script, pid, met) = (file("slow.sh"), file("pid"), file("met"));
    // It notes whether the one before still runs, does not heed the signal, and outlives the end of its input.
    let lines = format!(
        "#!/bin/sh\ntrap '' TERM\n[ -e '{pid}' ] && kill -0 $(cat '{pid}') && echo met > '{met}'\n\
        echo $$ > '{pid}'\n'{}'\nsleep 3\n",
        testkit::fixture().display()
    );
    std::fs::write(&script, lines).expect("written");
    std::fs::set_permissions(&script, Permissions::from_mode(0o755)).expect("made executable");
    let add = || gateway.post("/api/servers", json!({"name": "slow", "command": script}));
    add().expect_status(201);
    std::thread::scope(|scope| {
        let removing = scope.spawn(|| gateway.delete("/api/servers/slow").status);
        eventually("the name is free", || gateway.status("slow").is_empty().then_some(()));
        assert_eq!(add().expect_status(201).body["status"], "running");
        assert_eq!(removing.join().expect("no panic"), 204);
    });
    assert!(!std::path::Path::new(&met).exists(), "both ran at once");
}

#[test]
fn a_crash_fails_the_calls_in_flight_at_once_and_touches_no_other_server() {
    let gateway = two().start();
    let start = Instant::now();
    let lost: Vec<_> = (0..3).map(|n| gateway.call_later("s1", "sleep", json!({"ms": 25_000 + n}))).collect();
    let other = gateway.call_later("s2", "sleep", json!({"ms": 1500}));
    crashed(&gateway.call("s1", "crash", json!({"code": 7})), "s1", 7);
    for call in lost {
        crashed(&answer(call), "s1", 7);
    }
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    crashed(&gateway.call("s1", "echo", json!({})), "s1", 7);
    assert_eq!(gateway.health()["servers"], json!({"s1": "crashed", "s2": "running"}));
    assert_eq!(answer(other).result(), &json!({"slept": 1500}));
    gateway.call("s1", "no-such-tool", json!({})).expect_code(404, "TOOL_NOT_FOUND");
}

#[test]
fn a_server_killed_by_a_signal_has_crashed() {
    let gateway = two().start();
    let call = gateway.call_later("s1", "sleep", json!({"ms": 25_000}));
    send_signal(gateway.server_pid("s1"), Signal::KILL);
    let fault = answer(call).expect_code(502, "SERVER_CRASHED");
    assert_eq!(fault.message, "MCP Server 's1' has crashed");
    gateway.wait_status("s1", "crashed");
    gateway.call("s2", "plain", json!({})).expect_status(200);
}

#[test]
fn an_idle_server_that_ends_is_noticed_at_once() {
    let gateway = two().start();
    let start = Instant::now();
    send_signal(gateway.server_pid("s1"), Signal::TERM);
    gateway.wait_status("s1", "crashed");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}; a ping would take longer", start.elapsed());
}

#[test]
fn an_end_with_code_0_is_stopped() {
    let gateway =
        TestGateway::builder().server("s1", |s| s.env("FX_EXIT0_AFTER", "500")).server("s2", |s| s).start();
    gateway.wait_status("s1", "stopped");
    assert_eq!(gateway.health()["status"], "degraded");
    stopped(&gateway.call("s1", "echo", json!({})), "s1");
    gateway.call("s2", "plain", json!({})).expect_status(200);
}

#[test]
fn an_end_with_code_0_during_a_call_is_stopped_too() {
    let gateway = two().setting("restartPolicy: on-failure").start();
    let other = gateway.call_later("s1", "sleep", json!({"ms": 25_000}));
    stopped(&gateway.call("s1", "crash", json!({"code": 0})), "s1");
    stopped(&answer(other), "s1");
    assert_eq!(gateway.status("s1"), "stopped", "an orderly end is not restarted");
}

#[test]
fn on_failure_restarts_a_crashed_server() {
    let gateway = two().setting("restartPolicy: on-failure").start();
    let pid = gateway.server_pid("s1");
    gateway.call("s1", "crash", json!({"code": 1})).expect_code(502, "SERVER_CRASHED");
    let start = Instant::now();
    gateway.wait_status("s1", "restarting");
    gateway.call("s1", "echo", json!({})).expect_fault(
        503,
        "SERVER_NOT_RUNNING",
        "MCP Server 's1' is not running",
        json!({"server": "s1", "serverName": "s1", "status": "restarting"}),
    );
    gateway.wait_status("s1", "running");
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    assert_ne!(gateway.server_pid("s1"), pid);
    assert_eq!(gateway.health()["status"], "ok");
}

/// Every change of the status of a server until it has stayed the same for three seconds past the last
/// attempt, which is the eighth second.
fn watch(gateway: &TestGateway, server: &str) -> Vec<String> {
    let (start, mut seen) = (Instant::now(), Vec::<String>::new());
    while start.elapsed() < Duration::from_millis(10_500) {
        let status = gateway.status(server);
        if seen.last() != Some(&status) {
            seen.push(status);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    seen
}

/// The waits before each attempt, in milliseconds, from the times the script wrote down. One attempt may
/// start the process twice in a row, the second time without the question for the era.
fn waits(gateway: &TestGateway) -> Vec<u64> {
    let times: Vec<u64> =
        gateway.folder().read("attempts").lines().filter_map(|line| line.parse().ok()).collect();
    let gaps = times.windows(2).map(|pair| (pair[1] - pair[0]) / 1_000_000);
    gaps.filter(|gap| *gap > 500).collect()
}

#[track_caller]
fn are_1_2_4_seconds(waits: &[u64]) {
    assert_eq!(waits.len(), 3, "three attempts: {waits:?}");
    for (wait, expected) in waits.iter().zip([1000, 2000, 4000]) {
        assert!((expected - 50..expected + 1500).contains(wait), "{waits:?}");
    }
}

#[test]
fn after_three_failed_attempts_a_server_that_ran_stays_crashed() {
    let script = "date +%s%N >> attempts; test -e ran && exit 3; touch ran; exec FIXTURE";
    let gateway =
        TestGateway::builder().server("s1", |s| s.shell(script)).setting("restartPolicy: on-failure").start();
    gateway.folder().write("attempts", "");
    let crash =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time after 1970");
    gateway.call("s1", "crash", json!({"code": 5})).expect_code(502, "SERVER_CRASHED");
    let seen = watch(&gateway, "s1");
    let attempts = gateway.folder().read("attempts");
    gateway.folder().write("attempts", &format!("{}\n{attempts}", crash.as_nanos()));
    are_1_2_4_seconds(&waits(&gateway));
    assert_eq!(seen.last().map(String::as_str), Some("crashed"), "{seen:?}");
    assert!(seen.contains(&"restarting".to_owned()), "{seen:?}");
    assert!(!seen.contains(&"running".to_owned()), "{seen:?}");
    gateway.call("s1", "echo", json!({})).expect_code(502, "SERVER_CRASHED");
}

#[test]
fn after_three_failed_attempts_a_server_that_never_ran_stays_stopped() {
    let gateway = TestGateway::builder()
        .server("s1", |s| s.shell("date +%s%N >> attempts; exit 3").required(false))
        .setting("restartPolicy: on-failure")
        .start();
    let seen = watch(&gateway, "s1");
    are_1_2_4_seconds(&waits(&gateway));
    assert!(seen.contains(&"restarting".to_owned()), "{seen:?}");
    assert_eq!(seen.last().map(String::as_str), Some("stopped"), "{seen:?}");
}

#[test]
fn a_restart_by_hand_works_in_any_status_and_under_any_policy() {
    let gateway = TestGateway::builder()
        .server("alive", |s| s)
        .server("dead", |s| s)
        .server("done", |s| s)
        .server("late", |s| s.shell("test -e come || exit 1; exec FIXTURE").required(false))
        .start();
    let before = gateway.server_pid("alive");
    gateway.call("dead", "crash", json!({"code": 1})).expect_code(502, "SERVER_CRASHED");
    gateway.call("done", "crash", json!({"code": 0})).expect_code(503, "SERVER_NOT_RUNNING");
    gateway.folder().write("come", "");
    for server in ["alive", "dead", "done", "late"] {
        gateway.post(&format!("/api/servers/{server}/restart"), json!({})).expect_status(200);
        gateway.wait_status(server, "running");
        gateway.call(server, "plain", json!({})).expect_status(200);
    }
    assert_ne!(gateway.server_pid("alive"), before);
    wait_gone(&[before]);
    assert_eq!(gateway.health()["status"], "ok");
}

#[test]
fn a_restart_by_hand_ends_the_calls_in_flight() {
    let gateway = two().start();
    let call = gateway.call_later("s1", "sleep", json!({"ms": 25_000}));
    gateway.post("/api/servers/s1/restart", json!({})).expect_status(200);
    let fault = answer(call).expect_code(503, "SERVER_NOT_RUNNING");
    assert_eq!(fault.message, "MCP Server 's1' is not running");
    assert_eq!((&fault.details["server"], &fault.details["serverName"]), (&json!("s1"), &json!("s1")));
    assert!(fault.details["status"].is_string(), "{}", fault.details);
    gateway.wait_status("s1", "running");
    gateway.call("s1", "plain", json!({})).expect_status(200);
}

#[test]
fn a_term_signal_lets_calls_finish_and_leaves_no_child() {
    let gateway = two().start();
    let below = descendants(gateway.pid());
    assert!(below.len() >= 2, "{below:?}");
    let call = gateway.call_later("s1", "sleep", json!({"ms": 2000}));
    let start = Instant::now();
    gateway.signal(Signal::TERM);
    eventually("new connections are refused", || gateway.http().connect().is_err().then_some(()));
    assert!(!call.is_finished(), "the call is still open");
    assert_eq!(answer(call).result(), &json!({"slept": 2000}));
    assert_eq!(gateway.wait_exit(), Some(0));
    wait_gone(&below);
    assert!(start.elapsed() < Duration::from_secs(12), "{:?}", start.elapsed());
}

#[test]
fn an_interrupt_ends_the_gateway_too_and_an_idle_connection_does_not_hold_it_up() {
    let gateway = two().start();
    let below = descendants(gateway.pid());
    let idle = gateway.http().connect().expect("the port is open");
    gateway.signal(Signal::INT);
    assert_eq!(gateway.wait_exit(), Some(0));
    wait_gone(&below);
    drop(idle);
}

#[test]
fn a_call_that_takes_too_long_and_a_stubborn_child_are_given_up() {
    let gateway = TestGateway::with(|s| s.env("FX_IGNORE_TERM", "1"));
    let below = descendants(gateway.pid());
    let call = gateway.call_later("test-server", "sleep", json!({"ms": 60_000}));
    let start = Instant::now();
    gateway.signal(Signal::TERM);
    assert_eq!(gateway.wait_exit(), Some(0));
    let elapsed = start.elapsed();
    assert!((Duration::from_secs(5)..Duration::from_secs(14)).contains(&elapsed), "{elapsed:?}");
    wait_gone(&below);
    let lost = call.join().expect("no panic");
    assert!(lost.is_err() || lost.is_ok_and(|reply| reply.status >= 500), "the call cannot succeed");
}

#[test]
fn a_stubborn_child_is_ended_by_a_restart_by_hand() {
    let gateway = TestGateway::with(|s| s.env("FX_IGNORE_TERM", "1").env("FX_GRANDCHILD", "1"));
    let stats = gateway.stats("test-server");
    let mut pids: Vec<u32> = serde_json::from_value(stats["grandchildren"].clone()).expect("process ids");
    pids.extend(stats["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()));
    gateway.post("/api/servers/test-server/restart", json!({})).expect_status(200);
    wait_gone(&pids);
    gateway.wait_status("test-server", "running");
    assert_ne!(gateway.stats("test-server")["pid"], Value::from(pids[2]));
}

/// A server that notes each launch in a file, and hangs until there is another.
fn hesitant(folder: &testkit::Folder) -> Value {
    let script = format!(
        "echo x >> {0}/launches; test -e {0}/go || exec sleep 60; exec {1}",
        folder.path().display(),
        testkit::fixture().display()
    );
    json!({"name": "slow", "command": "sh", "args": ["-c", script]})
}

/// Adds it, and waits until it hangs.
fn add_hesitant(gateway: &TestGateway) -> std::thread::JoinHandle<std::io::Result<Reply>> {
    let folder = gateway.folder();
    folder.write("launches", "");
    let add =
        testkit::Request::new("POST", "/api/servers").body("application/json", hesitant(folder).to_string());
    let adding = gateway.http().send_later(add);
    eventually("it hangs", || (launches(folder) == 1).then_some(()));
    adding
}

fn launches(folder: &testkit::Folder) -> usize {
    folder.read("launches").lines().count()
}

#[test]
fn a_restart_by_hand_begins_a_hanging_start_anew() {
    let gateway = TestGateway::start();
    let folder = gateway.folder();
    let adding = add_hesitant(&gateway);
    folder.write("go", "");
    let reply = gateway.post("/api/servers/slow/restart", json!({}));
    reply.expect_status(200);
    assert_eq!((&reply.body["status"], launches(folder)), (&json!("running"), 2), "{}", reply.text());
    assert_eq!(answer(adding).body["status"], "running", "who waited for the start has its outcome");
}

#[test]
fn a_server_that_is_still_starting_is_gone_before_another_begins_under_its_name() {
    for removed in [true, false] {
        let gateway = TestGateway::start();
        let folder = gateway.folder();
        for file in ["pids", "guard", "met"] {
            folder.write(file, "");
        }
        // It notes whether the one before still runs, and hangs until there is a file.
        let script = format!(
            "cd {0}; for old in $(cat pids); do kill -0 $old && echo met > met; done; echo $PPID > guard; \
            echo $$ >> pids; test -e go || exec sleep 60; exec {1}",
            folder.path().display(),
            testkit::fixture().display()
        );
        let server = json!({"name": "slow", "command": "sh", "args": ["-c", script]}).to_string();
        let post = |path: &str, body: String| {
            gateway.http().send_later(testkit::Request::new("POST", path).body("application/json", body))
        };
        let first = post("/api/servers", server.clone());
        eventually("it hangs", || (folder.read("pids").lines().count() == 1).then_some(()));
        // Nobody ends its process for now.
        let guard = folder.read("guard").trim().parse().expect("a process id");
        testkit::send_signal(guard, testkit::Signal::STOP);
        folder.write("go", "");
        let second = if removed {
            gateway.delete("/api/servers/slow").expect_status(204);
            post("/api/servers", server)
        } else {
            post("/api/servers/slow/restart", "{}".into())
        };
        std::thread::sleep(Duration::from_millis(300));
        testkit::send_signal(guard, testkit::Signal::CONT);
        assert_eq!(answer(second).body["status"], "running");
        assert_eq!(answer(first).body["status"], if removed { "stopped" } else { "running" });
        assert_eq!((folder.read("met"), folder.read("pids").lines().count()), (String::new(), 2));
    }
}

#[test]
fn nobody_waits_for_the_start_of_another_server() {
    let gateway = TestGateway::start();
    let adding = add_hesitant(&gateway);
    let good = json!({"name": "good", "command": testkit::fixture()});
    gateway.post("/api/servers", good).expect_status(201);
    gateway.post("/api/config/reload", json!({})).expect_status(200);
    gateway.delete("/api/servers/good").expect_status(204);
    assert_eq!(gateway.status("slow"), "starting", "all of it happened meanwhile");
    gateway.delete("/api/servers/slow").expect_status(204);
    assert_eq!(answer(adding).body["status"], "stopped");
}

#[test]
fn a_server_that_ends_unasked_is_started_once_and_one_that_a_question_ends_once_more() {
    for (script, expected) in [("exit 3", 1), ("read -r line; exit 3", 2)] {
        let script = format!("echo x >> launches; {script}");
        let gateway = TestGateway::builder()
            .server("good", |s| s)
            .server("short", |s| s.shell(&script).required(false))
            .start();
        assert_eq!(
            (launches(gateway.folder()), gateway.status("short")),
            (expected, "stopped".to_owned()),
            "{script}"
        );
    }
}
