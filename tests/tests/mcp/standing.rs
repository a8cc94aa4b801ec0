//! What a server wants to know while nothing is asked of it, where it can mean one client only: that of its own process
//! (`scope: client`), or that of the pipe.

use crate::said::script;
use crate::sse::Old;
use crate::stdio::Desktop;
use crate::tasks::KEYED;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use testkit::{Client, Config, Folder, Server, TestGateway, eventually, is_alive, wait_gone, within};

/// A server that asks for roots after each call of `act`, and takes that back where the call, or a later one, says so.
/// What it is answered is kept in a file; that it is refused it says.
fn server(answer: &Path) -> String {
    let act = r#"*'"act"'*'"forget"'*)
      reply "$id" '{"content":[]}'
      say '"method":"notifications/cancelled","params":{"requestId":"q","x":1.0}' ;;
    *'"act"'*)
      reply "$id" '{"content":[]}'
      say '"id":"q","method":"roots/list"'
      : > 'ANSWER.asked'
      case "$line" in *'"back"'*) say '"method":"notifications/cancelled","params":{"requestId":"q","x":1.0}' ;; esac ;;
    *'"id":"q"'*)
      printf '%s' "$line" > 'ANSWER'
      case "$line" in *'"error"'*) say '"method":"notifications/refused"' ;; esac ;;"#;
    script(&act.replace("ANSWER", answer.to_str().expect("the path of a folder is UTF-8")))
}

/// Writes that server into a file, which is run for each client.
fn edit(server: Server, folder: &Folder, script: &str) -> Server {
    let path = folder.write("server.sh", script);
    let path = path.to_str().expect("the path of a folder is UTF-8");
    server.raw("scope", "client").command("sh").args(&[path])
}

/// A gateway with that server, and where its answers are kept.
fn gateway(change: impl FnOnce(String) -> String) -> (TestGateway, PathBuf) {
    gateway_with(change, |s| s)
}

/// The same with more said of the server.
fn gateway_with(
    change: impl FnOnce(String) -> String,
    more: impl FnOnce(Server) -> Server,
) -> (TestGateway, PathBuf) {
    let folder = Folder::new();
    let answer = folder.join("answer");
    let script = change(server(&answer));
    let builder = TestGateway::builder().server("one", |s| more(edit(s, &folder, &script)));
    (builder.start_in(folder), answer)
}

/// What the server was answered.
#[track_caller]
fn answered(path: &Path) -> Value {
    eventually("the server is answered", || serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok())
}

fn client(gateway: &TestGateway) -> Client {
    Client::legacy_with(gateway.http(), "2025-11-25", json!({"roots": {}}))
}

fn roots(name: &str) -> Value {
    json!({"roots": [{"uri": format!("file:///{name}")}]})
}

fn asks_or_is_refused(message: &Value) -> bool {
    ["roots/list", "notifications/refused"].iter().any(|method| message["method"] == *method)
}

fn reply(question: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": question["id"], "result": result})
}

#[test]
fn a_client_is_asked_on_its_stream_by_its_own_process() {
    let (gateway, answer) = gateway(|script| script);
    let clients = ["a", "b"].map(|name| (name, client(&gateway)));
    let mut streams = clients.each_ref().map(|(_, client)| client.listen());
    for ((name, client), stream) in clients.iter().zip(&mut streams) {
        client.call("act", json!({}));
        let question = stream.message();
        assert_eq!(question, json!({"jsonrpc": "2.0", "id": question["id"], "method": "roots/list"}));
        client.answer(&question, roots(name));
        let heard = answered(&answer);
        assert_eq!(heard, json!({"jsonrpc": "2.0", "id": "q", "result": roots(name)}), "{heard}");
        std::fs::remove_file(&answer).expect("the answer");
    }
}

#[test]
fn a_client_is_asked_by_its_own_process_over_every_transport() {
    let (gateway, answer) = gateway(|script| script);
    let mut old = Old::greet_with(gateway.http(), "2024-11-05", json!({"roots": {}}));
    let params = json!({"name": "act", "arguments": {}});
    old.say(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
    let question = old.events.until("roots/list");
    old.say(&reply(&question, &roots("old")));
    assert_eq!(answered(&answer)["result"], roots("old"));
    let folder = Folder::new();
    let answer = folder.join("answer");
    let mut desktop = Desktop::start(|s| edit(s, &folder, &server(&answer)));
    desktop.greet_with("2025-11-25", json!({"roots": {}}));
    desktop.stdio.request("tools/call", json!({"name": "act", "arguments": {}}));
    let question = desktop.until(asks_or_is_refused);
    desktop.stdio.send(&reply(&question, &roots("desktop")));
    assert_eq!(answered(&answer)["result"], roots("desktop"));
}

/// The same, but it asks before it is ready, and waits for the answer.
fn asks_early(script: &str) -> String {
    script.replace(
        r#"*'"tools/list"'*) reply"#,
        r#"*'"tools/list"'*) say '"id":"q","method":"roots/list"'; read -r line; reply"#,
    )
}

#[test]
fn a_process_that_asks_before_it_is_ready_is_answered_by_its_client() {
    let (gateway, answer) = gateway(|script| asks_early(&script));
    let client = client(&gateway);
    let mut stream = client.listen();
    let (_, call) = client.request("tools/call", json!({"name": "touch", "arguments": {}}));
    let call = gateway.http().send_later(call);
    let question = stream.until("roots/list");
    client.answer(&question, roots("early"));
    let called = call.join().expect("no panic").expect("an answer").body;
    assert_eq!(called["result"], json!({"content": []}), "{called}");
    assert!(!answer.exists(), "it went on at once");
}

#[test]
fn a_process_whose_client_cannot_be_asked_is_told_so() {
    let (gateway, answer) = gateway(|script| script);
    let unable = Client::legacy(gateway.http());
    for stream in [None, Some(unable.listen())] {
        unable.call("act", json!({}));
        let heard = answered(&answer);
        let error = json!({"code": -32603, "message": "The client does not offer 'roots'"});
        assert_eq!(heard["error"], error, "with a stream: {}", stream.is_some());
        std::fs::remove_file(&answer).expect("the answer");
    }
}

#[test]
fn a_client_without_a_stream_is_asked_on_its_next() {
    let (gateway, answer) = gateway(|script| script);
    let client = client(&gateway);
    client.call("act", json!({}));
    // A further call could take the question along, and end with it.
    eventually("it is asked", || answer.with_extension("asked").exists().then_some(()));
    let question = client.listen().until("roots/list");
    client.answer(&question, roots("late"));
    assert_eq!(answered(&answer)["result"], roots("late"));
}

#[test]
fn a_process_that_asks_before_it_is_ready_starts_without_a_client_that_listens() {
    let (gateway, _) = gateway(|script| asks_early(&script));
    assert_eq!(client(&gateway).call("touch", json!({})), json!({"content": []}));
}

#[test]
fn a_question_that_is_taken_back_while_its_client_is_away_is_over_for_it() {
    let (gateway, _) = gateway(|script| script);
    let client = client(&gateway);
    // Whoever was not asked hears nothing of it.
    client.call("act", json!({"back": 1}));
    client.call("touch", json!({}));
    let mut stream = client.listen();
    gateway.call("one", "touch", json!({})).expect_status(200);
    let first = stream.message();
    assert_eq!(first["method"], "notifications/tools/list_changed", "{first}");
    client.call("act", json!({}));
    let question = stream.until("roots/list");
    drop(stream);
    client.call("act", json!({"forget": 1}));
    let mut stream = client.listen();
    let back = stream.message();
    assert_eq!(back["method"], "notifications/cancelled", "{back}");
    assert_eq!(back["params"], json!({"requestId": question["id"], "x": 1.0}), "{back}");
    let told = stream.last_id().to_owned();
    drop(stream);
    let mut stream = client.listen_after(&told);
    gateway.call("one", "touch", json!({})).expect_status(200);
    let next = stream.message();
    assert_eq!(next["method"], "notifications/tools/list_changed", "it was told that already: {next}");
}

#[test]
fn a_client_is_asked_once_however_often_it_takes_up_its_stream() {
    let (gateway, answer) = gateway(|script| script);
    let client = client(&gateway);
    let mut stream = client.listen();
    client.call("act", json!({}));
    let question = stream.until("roots/list");
    let after = stream.last_id().to_owned();
    drop(stream);
    for _ in 0..3 {
        // It hears nothing, and so comes back after the same event.
        drop(client.listen_after(&after));
    }
    let mut stream = client.listen_after(&after);
    for _ in 0..3 {
        gateway.call("one", "touch", json!({})).expect_status(200);
        let next = stream.message();
        assert_eq!(next["method"], "notifications/tools/list_changed", "it was asked that already: {next}");
    }
    client.answer(&question, roots("once"));
    assert_eq!(answered(&answer)["result"], roots("once"));
}

#[test]
fn a_client_whose_stream_broke_is_asked_again_on_the_next_and_answers() {
    let (gateway, answer) = gateway(|script| script);
    let client = client(&gateway);
    let mut stream = client.listen();
    client.call("act", json!({}));
    let question = stream.until("roots/list");
    for name in ["again", "once more"] {
        drop(stream);
        stream = client.listen();
        assert_eq!(stream.until("roots/list"), question, "{name}");
    }
    client.answer(&question, roots("back"));
    assert_eq!(answered(&answer)["result"], roots("back"));
}

#[test]
fn a_client_that_takes_up_its_stream_is_asked_what_it_has_not_heard() {
    let (gateway, answer) = gateway(|script| script);
    let client = client(&gateway);
    let mut stream = client.listen();
    gateway.call("one", "touch", json!({})).expect_status(200);
    stream.until("notifications/tools/list_changed");
    let before = stream.last_id().to_owned();
    client.call("act", json!({}));
    let question = stream.until("roots/list");
    let after = stream.last_id().to_owned();
    // The gateway may not have noticed that the stream broke; its client has.
    let mut heard = client.listen_after(&after);
    gateway.call("one", "touch", json!({})).expect_status(200);
    let next = heard.message();
    assert_eq!(next["method"], "notifications/tools/list_changed", "it was asked that already: {next}");
    drop((stream, heard));
    client.answer(&question, roots("away"));
    assert_eq!(answered(&answer)["result"], roots("away"));
    std::fs::remove_file(&answer).expect("the answer");
    let mut stream = client.listen_after(&before);
    client.call("act", json!({}));
    let question = stream.until("roots/list");
    let mut taken_up = client.listen_after(stream.last_id());
    drop(stream);
    gateway.call("one", "touch", json!({})).expect_status(200);
    let next = taken_up.message();
    assert_eq!(next["method"], "notifications/tools/list_changed", "{next}");
    drop(taken_up);
    let again = client.listen().until("roots/list");
    assert_eq!(again, question, "whoever says nothing of what it heard hears it again");
}

/// What a client says first, which has roots.
fn hello() -> Value {
    let info = json!({"name": "roots", "version": "1"});
    json!({"protocolVersion": "2025-11-25", "capabilities": {"roots": {}}, "clientInfo": info})
}

#[test]
fn a_client_is_asked_after_its_handshake() {
    let (gateway, answer) = gateway(|script| script);
    let mut old = Old::open(gateway.http());
    old.ask(0, "initialize", hello());
    old.ask(1, "tools/call", json!({"name": "act", "arguments": {}}));
    gateway.call("one", "touch", json!({})).expect_status(200);
    let first = old.events.message();
    assert_eq!(first["method"], "notifications/tools/list_changed", "{first}");
    old.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let question = old.events.until("roots/list");
    old.say(&reply(&question, &roots("ready")));
    assert_eq!(answered(&answer)["result"], roots("ready"));
}

#[test]
fn a_greeting_that_is_refused_leaves_its_client_as_it_was() {
    let call = json!({"name": "act", "arguments": {}});
    let (gateway, answer) = gateway(|script| script);
    let mut old = Old::greet_with(gateway.http(), "2024-11-05", json!({"roots": {}}));
    assert_eq!(old.ask(1, "initialize", json!([]))["error"]["code"], -32602);
    old.say(&json!({"jsonrpc": "2.0", "method": "initialize", "params": {}}));
    old.say(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}));
    let question = old.events.until("roots/list");
    old.say(&reply(&question, &roots("old")));
    assert_eq!(answered(&answer)["result"], roots("old"));
    let folder = Folder::new();
    let answer = folder.join("answer");
    let mut desktop = Desktop::start(|s| edit(s, &folder, &server(&answer)));
    desktop.greet_with("2025-11-25", json!({"roots": {}}));
    desktop.stdio.send(&json!({"jsonrpc": "2.0", "id": "no", "method": "initialize", "params": []}));
    let refused = desktop.until(|message| message["id"] == "no");
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    desktop.stdio.send(&json!({"jsonrpc": "2.0", "method": "initialize", "params": {}}));
    desktop.stdio.request("tools/call", call);
    let question = desktop.until(asks_or_is_refused);
    assert_eq!(question["method"], "roots/list", "{question}");
    desktop.stdio.send(&reply(&question, &roots("desktop")));
    assert_eq!(answered(&answer)["result"], roots("desktop"));
}

#[test]
fn a_process_whose_client_has_a_question_to_answer_is_not_idle() {
    let (gateway, answer) = gateway_with(
        |script| {
            script.replace(r#"reply "$id" '{"content":[]}'"#, r#"reply "$id" "{\"content\":[],\"pid\":$$}""#)
        },
        |s| s.raw("idleTimeout", "1000"),
    );
    let client = client(&gateway);
    let mut stream = client.listen();
    let pid = client.call("act", json!({}))["pid"].as_u64().expect("a process id");
    let pid = u32::try_from(pid).expect("a process id");
    let question = stream.until("roots/list");
    let ended = within(Duration::from_millis(2500), || (!is_alive(pid)).then_some(()));
    assert!(ended.is_none(), "it was ended under a client that is asked");
    client.answer(&question, roots("slow"));
    assert_eq!(answered(&answer)["result"], roots("slow"));
    wait_gone(&[pid]);
}

#[test]
fn a_question_of_a_process_that_it_takes_back_is_taken_back_from_its_client() {
    let (gateway, _) = gateway(|script| script);
    let client = client(&gateway);
    let mut stream = client.listen();
    client.call("act", json!({"back": 1}));
    let question = stream.message();
    assert_eq!(question["method"], "roots/list", "{question}");
    let back = stream.message();
    assert_eq!(back["method"], "notifications/cancelled", "{back}");
    assert_eq!(back["params"], json!({"requestId": question["id"], "x": 1.0}), "{back}");
}

#[test]
fn a_question_of_a_process_that_ends_is_taken_back_from_its_client() {
    let (gateway, _) =
        gateway(|script| script.replace(r#"*'"touch"'*) reply"#, r#"*'"touch"'*) exit 1; reply"#));
    let client = client(&gateway);
    let mut stream = client.listen();
    client.call("act", json!({}));
    let question = stream.until("roots/list");
    client.error("tools/call", json!({"name": "touch", "arguments": {}}));
    let back = stream.until("notifications/cancelled");
    assert_eq!(back["params"]["requestId"], question["id"], "{back}");
}

#[test]
fn the_one_client_of_a_pipe_is_asked_by_every_server_that_its_key_reaches() {
    let keys =
        json!([{"name": "wide", "key": KEYED[0]}, {"name": "narrow", "key": KEYED[1], "servers": ["x"]}]);
    for (key, reached) in [(KEYED[0], true), (KEYED[1], false)] {
        let folder = Folder::new();
        let (answer, go) = (folder.join("answer"), folder.join("go"));
        // It asks when its client is there.
        let asks = r#"*'"tools/list"'*) until [ -e 'GO' ]; do sleep 0.05; done; say '"id":"q","method":"roots/list"'; reply"#;
        let asks = asks.replace("GO", go.to_str().expect("the path of a folder is UTF-8"));
        let path = folder.write("server.sh", &server(&answer).replace(r#"*'"tools/list"'*) reply"#, &asks));
        let path = path.to_str().expect("the path of a folder is UTF-8");
        let config = Config::new().server("one", |s| s.command("sh").args(&[path]));
        let config = config.setting(&format!("keys: {keys}"));
        let mut desktop = Desktop::start_with(&config, &[("LOCKGATE_KEY", key)]);
        desktop.greet_with("2025-11-25", json!({"roots": {}}));
        folder.write("go", "");
        if reached {
            let question = desktop.until(asks_or_is_refused);
            desktop.stdio.send(&reply(&question, &roots("desktop")));
        }
        let heard = answered(&answer);
        assert_eq!(heard.get("result").is_some(), reached, "{heard}");
    }
}

#[test]
fn the_one_client_of_a_pipe_is_asked_after_its_handshake() {
    let folder = Folder::new();
    let answer = folder.join("answer");
    let asks = r#"*'"tools/list"'*) say '"id":"q","method":"roots/list"'; reply"#;
    let path = folder.write("server.sh", &server(&answer).replace(r#"*'"tools/list"'*) reply"#, asks));
    let path = path.to_str().expect("the path of a folder is UTF-8");
    // The server begins when its client is there.
    let go = folder.join("go");
    let begin = r#"until [ -e "$1" ]; do sleep 0.05; done; exec sh "$0""#;
    let go_path = go.to_str().expect("the path of a folder is UTF-8");
    let mut desktop = Desktop::start(|s| s.command("sh").args(&["-c", begin, path, go_path]));
    desktop.stdio.ask("initialize", hello());
    folder.write("go", "");
    // It has asked before it has a tool.
    desktop.stdio.request("tools/call", json!({"name": "touch", "arguments": {}}));
    let changed = |message: &Value| message["method"] == "notifications/tools/list_changed";
    let first = desktop.until(|message| asks_or_is_refused(message) || changed(message));
    assert!(changed(&first), "it was asked too early: {first}");
    desktop.stdio.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let question = desktop.until(asks_or_is_refused);
    desktop.stdio.send(&reply(&question, &roots("ready")));
    assert_eq!(answered(&answer)["result"], roots("ready"));
}
