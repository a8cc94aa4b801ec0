//! Starting: what is up when the port opens, and servers that cannot start (spec 1.13; example 33).

use serde_json::json;
use std::net::TcpListener;
use std::time::{Duration, Instant};
use testkit::{Folder, TestGateway, eventually, wait_gone, within};

const PID_FILE: &str = "echo $$ > pid; exec FIXTURE";

/// The process id that the server left, if it came that far.
fn pid_in(folder: &Folder) -> Vec<u32> {
    folder.read("pid").trim().parse().into_iter().collect()
}

#[test]
fn the_port_opens_when_every_server_runs() {
    let gateway =
        TestGateway::builder().server("s1", |s| s.env("FX_START_DELAY", "600")).server("s2", |s| s).launch();
    let health = eventually("the first answer", || {
        gateway.http().try_send(&testkit::Request::new("GET", "/health")).ok()
    });
    assert_eq!(health.body["servers"], json!({"s1": "running", "s2": "running"}), "not earlier");
    eventually("the log says that the gateway is ready", || {
        gateway.log_lines().iter().any(|line| line.to_lowercase().contains("ready")).then_some(())
    });
}

#[test]
fn servers_start_in_parallel() {
    let start = Instant::now();
    let delayed = |s: testkit::Server| s.env("FX_START_DELAY", "3000");
    let _gateway =
        TestGateway::builder().server("s1", delayed).server("s2", delayed).server("s3", delayed).start();
    assert!(
        start.elapsed() < Duration::from_millis(8900),
        "{:?}; one after the other it is 9 s",
        start.elapsed()
    );
}

#[test]
fn a_server_that_cannot_start_ends_the_gateway_with_a_message_that_helps() {
    let folder = Folder::new();
    let script = "echo first line >&2; echo \"key is $API_KEY\" >&2; echo last line >&2; exit 3";
    let output = TestGateway::builder()
        .server("good", |s| s.shell(PID_FILE))
        .server("broken", |s| s.shell(script).env("API_KEY", "s3cret-value"))
        .expect_failure_in(&folder);
    output.expect_code(1);
    for part in ["broken", "last line", "key is ", "startup.onServerFailure: degrade", "required: false"] {
        output.expect_text(part);
    }
    output.refuse_text("s3cret-value");
    wait_gone(&pid_in(&folder));
}

#[test]
fn a_command_that_is_not_there_or_not_executable_is_a_failed_start() {
    let folder = Folder::new();
    folder.write("plain-file", "text");
    for command in ["/no/such/program", "no-such-program-anywhere", "./plain-file"] {
        let output =
            TestGateway::builder().server("broken", |s| s.command(command)).expect_failure_in(&folder);
        output.expect_code(1).expect_text("broken").expect_text("required: false");
    }
}

#[test]
fn degrade_lets_the_gateway_start_without_the_server() {
    let gateway = TestGateway::builder()
        .server("good", |s| s)
        .server("broken", |s| s.env("FX_EXIT_AT_START", "3"))
        .server("gone", |s| s.command("/no/such/program"))
        .setting("startup: { onServerFailure: degrade }")
        .start();
    let health = gateway.health();
    assert_eq!(health["status"], "degraded");
    assert_eq!(health["servers"], json!({"good": "running", "broken": "stopped", "gone": "stopped"}));
    gateway.call("good", "plain", json!({})).expect_status(200);
    for server in ["broken", "gone"] {
        // Its tools were never listed, so the tool is not looked up.
        gateway.call(server, "anything", json!({})).expect_fault(
            503,
            "SERVER_NOT_RUNNING",
            &format!("MCP Server '{server}' is not running"),
            json!({"server": server, "serverName": server, "status": "stopped"}),
        );
    }
}

#[test]
fn required_overrides_the_setting_in_both_directions() {
    let gateway = TestGateway::builder()
        .server("good", |s| s)
        .server("broken", |s| s.env("FX_EXIT_AT_START", "3").required(false))
        .start();
    assert_eq!(gateway.status("broken"), "stopped");
    TestGateway::builder()
        .server("good", |s| s)
        .server("broken", |s| s.env("FX_EXIT_AT_START", "3").required(true))
        .setting("startup: { onServerFailure: degrade }")
        .expect_failure()
        .expect_code(1)
        .expect_text("broken");
}

#[test]
fn a_server_that_ends_with_code_0_during_its_start_has_failed_too() {
    let gateway =
        TestGateway::builder().server("brief", |s| s.env("FX_EXIT_AT_START", "0").required(false)).start();
    assert_eq!(gateway.status("brief"), "stopped");
}

#[test]
fn a_command_that_sends_back_what_it_reads_is_told_so() {
    let gateway = TestGateway::builder()
        .server("echo", |s| s.command("cat").required(false))
        // Some are quiet at first, so that the second question is asked beside the first.
        .server("slow", |s| s.command("sh").args(&["-c", "sleep 3; exec cat"]).required(false))
        .start();
    for name in ["echo", "slow"] {
        assert_eq!(gateway.status(name), "stopped");
        let servers = gateway.get("/api/servers").body;
        let all = servers.as_array().expect("a list");
        let view = all.iter().find(|view| view["name"] == name).expect("it is listed");
        let reason = view["lastError"].as_str().unwrap_or_default();
        assert!(reason.contains("sends back what it reads"), "{view}");
    }
}

#[test]
fn a_server_has_ten_seconds_to_start() {
    let start = Instant::now();
    let gateway = TestGateway::builder()
        .server("good", |s| s)
        .server("hanging", |s| s.env("FX_HANG_INIT", "1").required(false))
        .start();
    let elapsed = start.elapsed();
    assert!((Duration::from_secs(9)..Duration::from_secs(16)).contains(&elapsed), "{elapsed:?}");
    assert_eq!(gateway.status("hanging"), "stopped");
    let good = gateway.server_pid("good");
    let is_fixture =
        |pid: &u32| std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == testkit::fixture());
    eventually("the hanging one is ended and the other one is not", || {
        let left = testkit::descendants(gateway.pid()).into_iter();
        (left.filter(is_fixture).collect::<Vec<_>>() == [good]).then_some(())
    });
}

#[test]
fn a_failed_server_is_not_tried_again_under_never() {
    let script = "echo x >> attempts; exit 1";
    let gateway = TestGateway::builder()
        .server("good", |s| s)
        .server("broken", |s| s.shell(script).required(false))
        .start();
    let attempts = || gateway.folder().read("attempts").lines().count();
    let first = attempts();
    let more = within(Duration::from_millis(1800), || (attempts() > first).then_some(()));
    assert!(first > 0 && more.is_none(), "an attempt under on-failure comes after a second");
    assert_eq!(gateway.status("broken"), "stopped");
}

#[test]
fn a_port_in_use_ends_the_gateway_and_its_children() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = taken.local_addr().expect("an address").port().to_string();
    let folder = Folder::new();
    folder.write_config(&testkit::Config::new().server("test-server", |s| s.shell(PID_FILE)).yaml());
    let mut command = TestGateway::builder().command(&folder);
    let output = testkit::Output::of(command.args(["--config", "gateway.yaml", "--port", &port]));
    output.expect_code(1).expect_text(&port).expect_text("in use");
    wait_gone(&pid_in(&folder));
}
