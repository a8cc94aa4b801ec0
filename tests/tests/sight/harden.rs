//! Hardened servers behind the gateway (spec 1.14): they work, and what they must not do they cannot.

use serde_json::json;
use testkit::{Folder, TestGateway, eventually};

#[test]
fn a_hardened_server_works_within_its_walls() {
    let home = Folder::new();
    let built = testkit::fixture();
    let built = built.parent().and_then(|path| path.to_str()).expect("the folder of the build");
    let harden = format!(
        "{{memory: 1073741824, cpuTime: 600, files: 64, seccomp: true, landlock: {{read: ['{built}'], write: ['{}']}}}}",
        home.data().display()
    );
    let cwd = json!(home.data()).to_string();
    let script = "(echo x > inside) 2>/dev/null; (echo x > ../outside) 2>/dev/null; exec FIXTURE";
    let gateway = TestGateway::builder()
        .server("walled", |s| s.shell(script).raw("harden", &harden).raw("cwd", &cwd))
        .start();
    assert_eq!(gateway.call("walled", "echo", json!({"a": 1})).result(), &json!({"a": 1}));
    assert!(home.data().join("inside").exists());
    assert!(!home.join("outside").exists());
}

#[test]
fn a_server_that_eats_memory_ends_and_the_others_go_on() {
    let gateway = TestGateway::builder()
        .server("eater", |s| s.raw("harden", "{memory: 67108864}"))
        .server("other", |s| s)
        .start();
    let reply = gateway.call("eater", "big", json!({"bytes": 500_000_000}));
    reply.expect_code(502, "SERVER_CRASHED");
    eventually("it has crashed", || (gateway.status("eater") == "crashed").then_some(()));
    gateway.call("other", "plain", json!({})).expect_status(200);
}

#[test]
fn a_place_that_is_not_there_is_told_by_its_setting() {
    let output = TestGateway::builder()
        .server("walled", |s| s.raw("harden", "{landlock: {write: ['/nowhere/s3cret']}}"))
        .expect_failure();
    assert!(
        output.stderr.contains("harden.landlock.write[0] names a place that does not exist"),
        "{}",
        output.stderr
    );
    assert!(!output.stderr.contains("s3cret"), "{}", output.stderr);
}

#[test]
fn a_measure_that_is_left_out_is_told_with_the_name_of_its_server() {
    let gateway = TestGateway::builder()
        .server("walled", |s| s.raw("harden", "{processes: 100000, optional: true}"))
        .server("other", |s| s)
        .start();
    let log = eventually("the gateway has told how it started", || {
        Some(gateway.log()).filter(|log| log.iter().any(|line| line["message"] == "gateway is ready"))
    });
    // Whoever does not run as root lacks nothing.
    let told = log.iter().find(|line| line["measure"] == "processes");
    assert!(told.is_none_or(|line| line["server"] == "walled" && line["why"].is_string()), "{told:?}");
}
