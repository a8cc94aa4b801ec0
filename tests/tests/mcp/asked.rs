//! What a client that a server asks says besides its answer, and what both hear when the call is cancelled.

use crate::said::{gateway_with, script};
use crate::sse::Old;
use crate::stdio::Desktop;
use serde_json::{Value, json};
use testkit::{Client, Folder, TestGateway, eventually};

fn able() -> Value {
    json!({"sampling": {}, "elicitation": {"form": {}, "url": {}}})
}

fn client(gateway: &TestGateway) -> Client {
    Client::legacy_with(gateway.http(), "2025-11-25", able())
}

fn act() -> Value {
    json!({"name": "act", "arguments": {}})
}

/// Asks with a token of its own, and tells in the end what it heard of progress; `count` tells how much there was in all.
const SAMPLES: &str = r#"*'"count"'*) reply "$id" "{\"content\":[],\"count\":${count:-0}}" ;;
    *'"act"'*) call=$id; heard=; say '"id":"q","method":"sampling/createMessage","params":{"_meta":{"x":1.0,"progressToken":"T"},"messages":[],"maxTokens":1}' ;;
    *'notifications/progress'*) count=$((count+1)); heard="$heard${heard:+,}$line" ;;
    *'"id":"q"'*) reply "$call" "{\"content\":[],\"heard\":[$heard]}" ;;"#;

fn progress(token: &Value, progress: u8) -> Value {
    json!({"progressToken": token, "progress": progress, "extra": [1.0]})
}

#[test]
fn the_progress_of_an_answer_is_told_to_the_server_that_asked() {
    let folder = Folder::new();
    let path = folder.write("two.sh", &script(SAMPLES));
    let path = path.to_str().expect("the path of a folder is UTF-8");
    let gateway = gateway_with(SAMPLES, |builder| builder.server("two", |s| s.command("sh").args(&[path])));
    let (asked, other) = (client(&gateway), client(&gateway));
    // Servers choose their tokens without knowing of each other.
    let calls = ["one__act", "two__act"].map(|tool| {
        let (id, mut stream) = asked.stream("tools/call", json!({"name": tool, "arguments": {}}));
        let question = stream.until("sampling/createMessage");
        assert_eq!(question["params"]["_meta"]["x"], json!(1.0), "{question}");
        (id, stream, question)
    });
    let token = |n: usize| calls[n].2["params"]["_meta"]["progressToken"].clone();
    let say = |client: &Client, token: &Value, n: u8| {
        client.notify("notifications/progress", progress(token, n)).expect_status(202);
    };
    assert_ne!(token(0), token(1), "the client can tell them apart");
    say(&asked, &token(0), 1);
    say(&other, &token(0), 2);
    say(&asked, &json!("nobody's"), 3);
    say(&asked, &token(1), 4);
    let tokens = [token(0), token(1)];
    for ((id, mut stream, question), n) in calls.into_iter().zip([1, 4]) {
        asked.answer(&question, json!({"role": "assistant"}));
        let reply = stream.reply(id);
        let told =
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress(&json!("T"), n)});
        assert_eq!(reply["result"]["heard"], json!([told]), "{reply}");
    }
    for (tool, token) in ["one__act", "two__act"].into_iter().zip(&tokens) {
        say(&asked, token, 5);
        assert_eq!(asked.call(tool, json!({"count": true}))["count"], 1, "the question is answered");
    }
}

/// Asks, and tells how its question ended.
const ELICITS: &str = r#"*'"ended"'*) reply "$id" "{\"content\":[],\"ended\":[$ended]}" ;;
    *'"act"'*) say '"id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{}}' ;;
    *'"id":"q"'*) ended=$line ;;"#;

fn cancelled(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

/// The server was told that the call is no more, and not that its client is.
#[track_caller]
fn assert_told(mut ended: impl FnMut() -> Value) {
    let ended = eventually("the server is told", || ended()["ended"].get(0).cloned());
    let message = ended["error"]["message"].as_str().unwrap_or_default();
    assert_eq!(message, "The client cancelled the request that this belonged to", "{ended}");
}

#[test]
fn a_call_that_its_client_cancels_takes_its_question_with_it() {
    let gateway = gateway_with(ELICITS, |builder| builder);
    let asked = client(&gateway);
    let (id, mut stream) = asked.stream("tools/call", act());
    let question = stream.until("elicitation/create");
    asked.send(&cancelled(id).to_string()).expect_status(202);
    let over = stream.until("notifications/cancelled");
    assert_eq!(over["params"]["requestId"], question["id"], "{over}");
    assert_told(|| asked.call("act", json!({"ended": 1})));
}

/// Asks, and answers as it was answered.
const PASSES_ON: &str = r#"*'"act"'*) call=$id; say '"id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{}}' ;;
    *'"id":"q"'*) reply "$call" "{\"content\":[],\"heard\":$line}" ;;"#;

#[test]
fn a_client_that_says_goodbye_takes_its_questions_with_it() {
    let servers = ["one", "two"].map(|name| (name, script(PASSES_ON)));
    let gateway = crate::scripted(&servers, |builder| builder);
    let (asked, other) = (client(&gateway), client(&gateway));
    let call = |tool: &str| json!({"name": tool, "arguments": {}});
    let (id, mut stream) = asked.stream("tools/call", call("one__act"));
    stream.until("elicitation/create");
    let (later, mut elsewhere) = other.stream("tools/call", call("two__act"));
    let question = elsewhere.until("elicitation/create");
    assert_eq!(asked.leave().status, 204);
    let reply = stream.reply(id);
    let told = reply["result"]["heard"]["error"]["message"].as_str().unwrap_or_default();
    assert_eq!(told, "The client is gone or does not keep up", "{reply}");
    other.answer(&question, json!({"action": "decline"}));
    let reply = elsewhere.reply(later);
    assert_eq!(
        reply["result"]["heard"]["result"]["action"], "decline",
        "the question of another stays: {reply}"
    );
}

#[test]
fn a_client_that_says_goodbye_ends_the_rounds_of_its_call() {
    let act = r#"*'"act"'*) reply "$id" '"input_required","requestState":"s","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{}}}}}' ;;"#;
    let gateway = crate::scripted(&[("one", crate::sparse::script(act))], |builder| builder);
    let asked = client(&gateway);
    let (id, mut stream) = asked.stream("tools/call", self::act());
    stream.until("elicitation/create");
    assert_eq!(asked.leave().status, 204);
    let reply = stream.reply(id);
    assert_eq!(reply["error"]["message"], "The client did not answer the server's question", "{reply}");
    let details = json!({"toolName": "act", "server": "one", "serverName": "one"});
    assert_eq!(
        reply["error"]["data"],
        json!({"code": "TOOL_EXECUTION_ERROR", "details": details}),
        "{reply}"
    );
}

#[test]
fn over_sse_too_a_cancelled_call_takes_its_question_with_it() {
    let gateway = gateway_with(ELICITS, |builder| builder);
    let mut old = Old::greet_with(gateway.http(), "2024-11-05", able());
    old.say(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": act()}));
    let question = old.events.until("elicitation/create");
    old.say(&cancelled(7));
    let over = old.events.until("notifications/cancelled");
    assert_eq!(over["params"]["requestId"], question["id"], "{over}");
    let mut next = 7;
    assert_told(|| {
        next += 1;
        let params = json!({"name": "act", "arguments": {"ended": 1}});
        old.ask(next, "tools/call", params)["result"].clone()
    });
}

#[test]
fn over_pipes_too_a_cancelled_call_takes_its_question_with_it() {
    let mut desktop = Desktop::start(|s| s.shell(&script(ELICITS)));
    desktop.greet_with("2025-11-25", able());
    let id = desktop.stdio.request("tools/call", act());
    let question = desktop.until(|message| message["method"] == "elicitation/create");
    desktop.stdio.send(&cancelled(id));
    let over = desktop.until(|message| message["method"] == "notifications/cancelled");
    assert_eq!(over["params"]["requestId"], question["id"], "{over}");
    assert_told(|| desktop.call("act", json!({"ended": 1})));
}

/// What a modern server does that asks in a round.
const ROUNDS: &str = r#"*'"act"'*) reply "$id" '"input_required","requestState":"s","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{}}}}}' ;;"#;

#[test]
fn a_cancelled_call_takes_a_modern_servers_question_with_it() {
    let mut desktop = Desktop::start(|s| s.shell(&crate::sparse::script(ROUNDS)));
    desktop.greet_with("2025-11-25", able());
    let id = desktop.stdio.request("tools/call", act());
    let question = desktop.until(|message| message["method"] == "elicitation/create");
    desktop.stdio.send(&cancelled(id));
    let over = desktop.until(|message| message["method"] == "notifications/cancelled");
    assert_eq!(over["params"]["requestId"], question["id"], "{over}");
}

/// Sends its client somewhere, and says that it is done before it replies.
const SENDS_AWAY: &str = r#"*'"act"'*) call=$id; say '"id":"q","method":"elicitation/create","params":{"mode":"url","elicitationId":"E","url":"http://x","message":"?"}' ;;
    *'"id":"q"'*)
      say '"method":"notifications/elicitation/complete","params":{"elicitationId":"E","x":1.0}'
      reply "$call" '{"content":[]}' ;;"#;

const COMPLETE: &str = "notifications/elicitation/complete";

#[test]
fn the_end_of_an_elicitation_is_told_where_its_client_listens_and_else_on_the_stream_of_its_call() {
    let gateway = gateway_with(SENDS_AWAY, |builder| builder);
    for listens in [false, true] {
        let asked = client(&gateway);
        let mut standing = listens.then(|| asked.listen());
        let (id, mut stream) = asked.stream("tools/call", act());
        let question = stream.until("elicitation/create");
        asked.answer(&question, json!({"action": "accept"}));
        let next = stream.message();
        let done = match &mut standing {
            None => {
                assert!(stream.reply(id).get("result").is_some());
                next
            }
            Some(standing) => {
                assert_eq!(next["id"], id, "it is told once: {next}");
                standing.until(COMPLETE)
            }
        };
        let params = json!({"elicitationId": "E", "x": 1.0});
        assert_eq!(done, json!({"jsonrpc": "2.0", "method": COMPLETE, "params": params}));
    }
}

#[test]
fn a_modern_client_is_not_told_of_the_end_of_an_elicitation() {
    let gateway = gateway_with(SENDS_AWAY, |builder| builder);
    let modern = Client::modern_with(gateway.http(), able());
    let parked = modern.result("tools/call", act());
    let key = parked["inputRequests"].as_object().and_then(|all| all.keys().next()).expect("a question");
    let mut again = act();
    again["requestState"] = parked["requestState"].clone();
    again["inputResponses"] = json!({key: {"action": "accept"}});
    let messages = modern.messages("tools/call", again);
    assert_eq!(messages.len(), 1, "{messages:?}");
}
