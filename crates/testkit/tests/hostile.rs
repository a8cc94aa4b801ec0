//! The hostile replies of the fixture.

use serde_json::{Value, json};
use std::process::Command;
use std::time::Duration;
use testkit::Stdio;

fn bad(kind: &str) -> (Stdio, u64) {
    let mut fixture =
        Stdio::start(&mut Command::new(env!("CARGO_BIN_EXE_lockgate-fixture")), &[("FX_HOSTILE", "1")]);
    let id = fixture.request("tools/call", json!({"name": "bad", "arguments": {"kind": kind}}));
    (fixture, id)
}

#[test]
fn each_hostile_reply_is_wrong_in_its_own_way() {
    let (mut fixture, id) = bad("no-jsonrpc");
    let reply = fixture.read();
    assert_eq!((reply.get("jsonrpc"), &reply["id"]), (None, &json!(id)));
    assert_eq!(bad("wrong-version").0.read()["jsonrpc"], "1.0");
    let (mut fixture, id) = bad("unknown-id");
    assert_ne!(fixture.read()["id"], id);
    assert_eq!(fixture.read()["id"], id);
    let (mut fixture, id) = bad("neither");
    assert_eq!(fixture.read(), json!({"jsonrpc": "2.0", "id": id}));
    let line = bad("invalid-utf8").0.read_bytes();
    assert!(line.starts_with(b"{") && std::str::from_utf8(&line).is_err());
    let (mut fixture, id) = bad("binary");
    assert!(serde_json::from_slice::<Value>(&fixture.read_bytes()).is_err());
    assert_eq!(fixture.read()["id"], id);
    let (mut fixture, id) = bad("array");
    assert_eq!((fixture.read(), fixture.read()), (json!([1, 2, 3]), json!(42)));
    assert_eq!(fixture.read()["id"], id);
    let (mut fixture, id) = bad("string-id");
    assert_eq!(fixture.read()["id"], id.to_string());
    let (mut fixture, id) = bad("line-10mb-ok");
    assert_eq!(fixture.read_bytes().len(), 9 << 20);
    assert_eq!(fixture.read()["id"], id);
}

#[test]
fn hostile_values_are_written_as_they_are() {
    let line = |kind: &str| String::from_utf8(bad(kind).0.read_bytes()).expect("UTF-8");
    assert!(line("huge-number").contains(r#""float":1e400,"integer":1234567890"#));
    assert!(line("dup-keys").contains(r#"{"a":1,"a":2}"#));
    assert_eq!(line("deep").matches(r#"{"a":"#).count(), 5000);
}

#[test]
fn closing_a_pipe_leaves_the_process_alive() {
    let (mut fixture, _) = bad("close-stdout");
    assert_eq!(fixture.read_bytes(), b"", "the output has ended");
    assert!(fixture.stays_alive(Duration::from_millis(100)));
    let (mut fixture, id) = bad("close-stdin");
    assert_eq!(fixture.read()["id"], id);
    let message = json!({"jsonrpc": "2.0", "id": 9, "method": "ping"});
    testkit::eventually("a broken pipe", || {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| fixture.send(&message))).err()
    });
    assert!(fixture.stays_alive(Duration::from_millis(100)));
}
