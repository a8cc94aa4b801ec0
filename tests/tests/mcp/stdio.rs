//! `lockgate stdio`: both eras on standard input and output.

use crate::{answering, text};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use testkit::{
    Config, Folder, Server, Signal, Stdio, descendants, eventually, lockgate, modern_meta, send_signal,
    wait_gone,
};

/// A gateway that is spoken to over its pipes.
pub(crate) struct Desktop {
    pub(crate) stdio: Stdio,
    _folder: Folder,
}

impl Desktop {
    #[track_caller]
    pub(crate) fn start(edit: impl FnOnce(Server) -> Server) -> Self {
        Self::start_with(&Config::new().server("one", edit), &[])
    }

    /// The same with that configuration and these variables.
    #[track_caller]
    pub(crate) fn start_with(config: &Config, env: &[(&str, &str)]) -> Self {
        let folder = Folder::new();
        folder.write_config(&config.yaml());
        let mut command = Command::new(lockgate());
        command.current_dir(folder.path()).arg("stdio");
        command.arg("--config").arg(folder.config()).arg("--data").arg(folder.data());
        command.stderr(std::process::Stdio::null());
        Self { stdio: Stdio::start(&mut command, env), _folder: folder }
    }

    #[track_caller]
    pub(crate) fn greet(&mut self) -> Value {
        self.greet_as("2025-11-25")
    }

    /// The same with that revision.
    #[track_caller]
    fn greet_as(&mut self, version: &str) -> Value {
        self.greet_with(version, json!({}))
    }

    /// The same with these capabilities.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "callers write the value in place")]
    pub(crate) fn greet_with(&mut self, version: &str, capabilities: Value) -> Value {
        let info = json!({"name": "desktop", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": info});
        let welcome = self.stdio.ask("initialize", params);
        self.stdio.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        welcome["result"].clone()
    }

    /// Reads up to the reply with that id.
    #[track_caller]
    pub(crate) fn reply(&mut self, id: u64) -> Value {
        self.until(|message| message["id"] == id && message.get("method").is_none())
    }

    /// Reads up to the first message of that kind.
    #[track_caller]
    pub(crate) fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.stdio.read();
            if wanted(&message) {
                return message;
            }
        }
    }

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "callers write the arguments in place")]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.stdio.request("tools/call", json!({"name": tool, "arguments": arguments}));
        self.reply(id)["result"].clone()
    }

    #[track_caller]
    fn wait_cancelled(&mut self) {
        eventually("the server hears of it", || {
            let stats = self.call("stats", json!({}));
            (stats["structuredContent"]["cancelled"].as_array().map(Vec::len) == Some(1)).then_some(())
        });
    }
}

pub(crate) fn modern(mut params: Value) -> Value {
    params["_meta"] = modern_meta(&json!({}));
    params
}

#[test]
fn a_legacy_client_is_served() {
    let mut desktop = Desktop::start(|s| s.env("FX_LIST_CHANGED", "1"));
    let welcome = desktop.greet();
    assert_eq!(welcome["protocolVersion"], "2025-11-25");
    assert_eq!(text(&desktop.call("echo", json!({"a": 1}))), r#"{"a":1}"#);
    let id = desktop.stdio.request("tools/call", json!({"name": "grow", "arguments": {"name": "later"}}));
    let mut seen = (false, false);
    while seen != (true, true) {
        let message = desktop.stdio.read();
        seen.0 |= message["id"] == id;
        seen.1 |= message["method"] == "notifications/tools/list_changed";
    }
    assert_eq!(desktop.call("later", json!({}))["structuredContent"], json!({"ok": true}));
}

#[test]
fn a_client_that_greets_again_hears_everything_once() {
    let script = crate::said::script(
        r#"*'"act"'*) n=$((n+1)); reply "$id" '{"content":[]}'; say "\"method\":\"notifications/x\",\"params\":{\"n\":$n}" ;;"#,
    );
    let mut desktop = Desktop::start(|s| s.shell(&script));
    desktop.greet();
    desktop.greet();
    let mut heard = Vec::new();
    for n in 1..=3 {
        desktop.stdio.request("tools/call", json!({"name": "act", "arguments": {}}));
        while heard.last() != Some(&json!(n)) {
            let said = desktop.until(|message| message["method"] == "notifications/x");
            heard.push(said["params"]["n"].clone());
        }
    }
    assert_eq!(heard, [1, 2, 3]);
}

#[test]
fn a_modern_client_is_served() {
    let mut desktop = Desktop::start(|s| s.env("FX_LIST_CHANGED", "1"));
    let found = desktop.stdio.ask("server/discover", modern(json!({})));
    assert_eq!(found["result"]["supportedVersions"], json!(["2026-07-28"]));
    let params = json!({"notifications": {"toolsListChanged": true}});
    let listening = desktop.stdio.request("subscriptions/listen", modern(params));
    assert_eq!(desktop.stdio.read()["method"], "notifications/subscriptions/acknowledged");
    let params = json!({"name": "grow", "arguments": {"name": "later"}});
    let id = desktop.stdio.request("tools/call", modern(params));
    let mut seen = (false, false);
    while seen != (true, true) {
        let message = desktop.stdio.read();
        seen.0 |= message["id"] == id;
        let subscription = &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
        seen.1 |= message["method"] == "notifications/tools/list_changed" && *subscription == listening;
    }
    // The start of the server is a change of the list too, and may be told at any moment.
    let id = desktop.stdio.request("server/discover", json!({}));
    let missing = std::iter::repeat_with(|| desktop.stdio.read()).find(|message| message["id"] == id);
    assert_eq!(missing.expect("a reply")["error"]["code"], -32602);
}

/// A legacy server that never answers to a subscription.
const MUTE: &str = r#"
    *'"initialize"'*) reply '"protocolVersion":"2025-11-25","capabilities":{"resources":{"subscribe":true}},"serverInfo":{"name":"s","version":"1"}' ;;
    *'"resources/list"'*) reply '"resources":[{"uri":"r://a","name":"a"}]' ;;
    *'"resources/subscribe"'*) ;;
"#;

#[test]
fn whoever_listens_at_once_is_told_what_the_servers_agree_to() {
    let slow =
        format!("sleep 1\n{}", answering(&MUTE.replace(r#""subscribe":true"#, r#""subscribe":false"#)));
    let mut desktop = Desktop::start(|s| s.shell(&slow));
    let filter = json!({"notifications": {"resourceSubscriptions": ["r://a"]}});
    desktop.stdio.request("subscriptions/listen", modern(filter));
    let first = desktop.until(|message| message["method"] == "notifications/subscriptions/acknowledged");
    assert_eq!(first["params"]["notifications"]["resourceSubscriptions"], json!([]), "{first}");
}

#[test]
fn nobody_waits_for_a_server_that_is_slow_to_agree_to_a_subscription() {
    let mut desktop = Desktop::start(|s| s.shell(&answering(MUTE)));
    desktop.stdio.ask("tools/list", modern(json!({})));
    let filter = json!({"notifications": {"resourceSubscriptions": ["r://a"]}});
    desktop.stdio.request("subscriptions/listen", modern(filter));
    let id = desktop.stdio.request("tools/list", modern(json!({})));
    let first = desktop.until(|message| message["method"] != "notifications/tools/list_changed");
    assert_eq!(first["id"], id, "{first}");
}

#[test]
fn the_handshake_does_not_wait_for_a_server_and_a_call_does() {
    let begin = Instant::now();
    let mut desktop = Desktop::start(|s| s.env("FX_START_DELAY", "6000"));
    desktop.greet();
    assert!(begin.elapsed() < Duration::from_millis(5500), "{:?}", begin.elapsed());
    assert_eq!(text(&desktop.call("plain", json!({}))), "hello");
    assert!(begin.elapsed() >= Duration::from_secs(6), "{:?}", begin.elapsed());
}

#[test]
fn a_call_waits_for_its_own_server_alone() {
    let folder = Folder::new();
    let gate = folder.path().join("gate");
    let script = format!("while [ ! -e '{}' ]; do sleep 0.05; done; exec FIXTURE", gate.display());
    let config = Config::new().server("one", |s| s).server("two", |s| s.shell(&script));
    let mut desktop = Desktop::start_with(&config, &[]);
    desktop.greet();
    assert_eq!(text(&desktop.call("one__plain", json!({}))), "hello");
    // The other one is given up after a while, and could not be called then.
    std::fs::write(&gate, "").expect("written");
    assert_eq!(text(&desktop.call("two__plain", json!({}))), "hello");
}

/// A server that is there when the gate is.
fn gated(gate: &Path) -> Config {
    let script = format!("while [ ! -e '{}' ]; do sleep 0.05; done; exec FIXTURE", gate.display());
    Config::new().server("one", |s| s.shell(&script).env("FX_LOGS", "1"))
}

#[test]
fn what_is_refused_whatever_servers_have_is_refused_before_they_are_there() {
    let folder = Folder::new();
    let gate = folder.path().join("gate");
    let mut desktop = Desktop::start_with(&gated(&gate), &[]);
    desktop.greet();
    let waiting = desktop.stdio.request("tools/list", json!({}));
    for (method, params, code) in [
        ("no/such", json!({}), -32601),
        ("tasks/update", json!({"taskId": "x"}), -32601),
        ("tools/call", json!({"arguments": {}}), -32602),
        ("prompts/get", json!({"name": 5}), -32602),
        ("resources/read", json!({}), -32602),
        ("resources/subscribe", json!({}), -32602),
        ("completion/complete", json!({}), -32602),
        ("tools/list", json!({"cursor": "zorp"}), -32602),
        ("prompts/list", json!({"cursor": 5}), -32602),
        ("logging/setLevel", json!({"level": "shouting"}), -32602),
    ] {
        let id = desktop.stdio.request(method, params);
        let refused = desktop.stdio.read();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(id), &json!(code)), "{refused}");
    }
    let id = desktop.stdio.request("logging/setLevel", json!({"level": "warning"}));
    let kept = desktop.stdio.read();
    assert_eq!((&kept["id"], &kept["result"]), (&json!(id), &json!({})), "{kept}");
    std::fs::write(&gate, "").expect("written");
    assert!(desktop.reply(waiting)["result"]["tools"].is_array());
    eventually("the server hears of the level", || {
        let stats = desktop.call("stats", json!({}));
        (stats["structuredContent"]["level"] == "warning").then_some(())
    });
}

#[test]
fn whoever_listens_to_nothing_that_a_server_has_does_not_wait_for_one() {
    let folder = Folder::new();
    let gate = folder.path().join("gate");
    let mut desktop = Desktop::start_with(&gated(&gate), &[]);
    let waiting = desktop.stdio.request("tools/list", modern(json!({})));
    let id = desktop.stdio.request("subscriptions/listen", modern(json!({"notifications": 5})));
    let refused = desktop.stdio.read();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(id), &json!(-32602)), "{refused}");
    let filter = json!({"notifications": {"toolsListChanged": true}});
    desktop.stdio.request("subscriptions/listen", modern(filter));
    assert_eq!(desktop.stdio.read()["method"], "notifications/subscriptions/acknowledged");
    std::fs::write(&gate, "").expect("written");
    assert!(desktop.reply(waiting)["result"]["tools"].is_array());
}

#[test]
fn a_message_that_is_too_long_is_refused_and_the_next_one_served() {
    let mut desktop = Desktop::start(|s| s);
    desktop.greet();
    // Just too long, and by far.
    for length in [1_048_576, 5_000_000] {
        let params = json!({"name": "echo", "arguments": {"a": "x".repeat(length)}});
        let id = desktop.stdio.request("tools/call", params.clone());
        let refused = desktop.until(|message| message.get("error").is_some());
        assert_eq!(refused["id"], id, "the id stands before what is too long");
        assert_eq!(refused["error"]["code"], -32700);
        assert_eq!(refused["error"]["message"], "request body exceeds maximum size (1048576 bytes)");
        assert_eq!(refused["error"]["data"]["details"], json!({"field": "body", "max": 1_048_576}));
        assert_eq!(text(&desktop.call("echo", json!({"a": 1}))), r#"{"a":1}"#);
        // What is no request, or may be none, has nobody who waits for this.
        for nobody in
            [json!({"jsonrpc": "2.0", "id": 9, "result": params}), json!([{"id": 9, "method": params}])]
        {
            desktop.stdio.send(&nobody);
            let refused = desktop.until(|message| message.get("error").is_some());
            assert_eq!(refused["id"], Value::Null);
        }
    }
}

#[test]
fn a_signal_lets_calls_finish_and_ends_everything() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut desktop = Desktop::start(|s| s.env("FX_GRANDCHILD", "1"));
        desktop.greet();
        let id = desktop.stdio.request("tools/call", json!({"name": "sleep", "arguments": {"ms": 500}}));
        // The server has taken the one before.
        assert_eq!(text(&desktop.call("plain", json!({}))), "hello");
        let below = descendants(desktop.stdio.pid());
        assert!(below.len() >= 3, "{below:?}");
        send_signal(desktop.stdio.pid(), signal);
        assert!(desktop.reply(id).get("result").is_some(), "{signal:?}");
        assert_eq!(desktop.stdio.wait_exit(), Some(0), "{signal:?}");
        wait_gone(&below);
    }
}

#[test]
fn a_call_that_does_not_end_does_not_hold_up_the_end() {
    let mut desktop = Desktop::start(|s| s);
    desktop.greet();
    desktop.stdio.request("tools/call", json!({"name": "sleep", "arguments": {"ms": 60_000}}));
    desktop.call("plain", json!({}));
    let below = descendants(desktop.stdio.pid());
    send_signal(desktop.stdio.pid(), Signal::TERM);
    assert_eq!(desktop.stdio.wait_exit(), Some(0));
    wait_gone(&below);
}

#[test]
fn the_end_of_the_input_is_the_end_of_everything() {
    let mut desktop = Desktop::start(|s| s.env("FX_GRANDCHILD", "1"));
    desktop.greet();
    desktop.call("plain", json!({}));
    let below = descendants(desktop.stdio.pid());
    assert!(below.len() >= 3, "{below:?}");
    desktop.stdio.close_input();
    assert_eq!(desktop.stdio.wait_exit(), Some(0));
    wait_gone(&below);
}

#[test]
fn a_probe_that_goes_at_once_leaves_nothing_behind() {
    for _ in 0..3 {
        let mut desktop = Desktop::start(|s| s.env("FX_START_DELAY", "3000"));
        desktop.stdio.ask("server/discover", modern(json!({})));
        let below = descendants(desktop.stdio.pid());
        desktop.stdio.close_input();
        assert_eq!(desktop.stdio.wait_exit(), Some(0));
        wait_gone(&below);
    }
}

#[test]
fn what_is_no_message_is_answered_and_passed_over() {
    let mut desktop = Desktop::start(|s| s);
    desktop.greet();
    for noise in [json!("text"), json!(42), json!([])] {
        desktop.stdio.send(&noise);
        let code = desktop.stdio.read()["error"]["code"].clone();
        assert!(code == -32700 || code == -32600, "{noise}: {code}");
    }
    desktop.stdio.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}");
    assert_eq!(desktop.stdio.read()["error"]["code"], -32700, "what is not UTF-8 is no JSON");
    assert_eq!(desktop.stdio.ask("ping", json!({}))["result"], json!({}));
}

#[test]
fn a_batch_is_answered_with_one_line() {
    let batch = json!([
        {"jsonrpc": "2.0", "id": "a", "method": "ping"},
        {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": {"name": "plain"}},
    ]);
    let mut desktop = Desktop::start(|s| s);
    desktop.greet_as("2025-03-26");
    desktop.stdio.send(&batch);
    let replies = desktop.until(Value::is_array);
    assert_eq!((&replies[0]["id"], &replies[1]["id"]), (&json!("a"), &json!("b")), "{replies}");
    assert_eq!(text(&replies[1]["result"]), "hello");
    let mut other = Desktop::start(|s| s);
    other.greet();
    other.stdio.send(&batch);
    assert_eq!(other.until(|message| message.get("error").is_some())["error"]["code"], -32600);
}

#[test]
fn a_notification_is_never_answered() {
    let mut desktop = Desktop::start(|s| s);
    let mut params = modern(json!({}));
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2099-01-01".into();
    desktop.stdio.send(&json!({"jsonrpc": "2.0", "method": "notifications/x", "params": params}));
    assert_eq!(desktop.stdio.ask("server/discover", params)["error"]["code"], -32022);
}

#[test]
fn a_legacy_client_cancels_by_saying_so() {
    let mut desktop = Desktop::start(|s| s);
    desktop.greet();
    let id = desktop.stdio.request("tools/call", json!({"name": "sleep", "arguments": {"ms": 20_000}}));
    desktop.call("plain", json!({}));
    desktop
        .stdio
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    desktop.wait_cancelled();
}

#[test]
fn a_modern_client_cancels_by_saying_so_too() {
    let mut desktop = Desktop::start(|s| s);
    let sleep = modern(json!({"name": "sleep", "arguments": {"ms": 20_000}}));
    let id = desktop.stdio.request("tools/call", sleep);
    desktop.stdio.ask("tools/call", modern(json!({"name": "plain"})));
    let params = modern(json!({"requestId": id}));
    desktop.stdio.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    desktop.wait_cancelled();
}
