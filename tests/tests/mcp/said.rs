//! What a server says to its client by itself, and who hears it: whom it concerns, and nobody else.

use crate::one;
use crate::stdio::Desktop;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{Builder, Client, Folder, TestGateway, eventually};

/// A legacy server with the tool `act`, which does what the text of its case says, and `touch`, after which
/// the list of tools is another one for all who listen.
pub(crate) fn script(act: &str) -> String {
    const SERVER: &str = r#"
say() { printf '{"jsonrpc":"2.0",%s}\n' "$1"; }
reply() { say "\"id\":$1,\"result\":$2"; }
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) reply "$id" '{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"tasks":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*) reply "$id" '{"tools":[{"name":"act","inputSchema":{"type":"object"}},{"name":"touch","inputSchema":{"type":"object"}}]}' ;;
    *'"touch"'*) reply "$id" '{"content":[]}'; say '"method":"notifications/tools/list_changed"' ;;
    ACT
    *'"id"'*'"method"'*) say "\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}" ;;
  esac
done
"#;
    SERVER.replace("ACT", act)
}

fn gateway(act: &str) -> TestGateway {
    gateway_with(act, |builder| builder)
}

/// A gateway with that server as `one`, and more.
pub(crate) fn gateway_with(act: &str, more: impl FnOnce(Builder) -> Builder) -> TestGateway {
    let folder = Folder::new();
    let path = folder.write("server.sh", &script(act));
    let path = path.to_str().expect("the path of a folder is UTF-8");
    more(TestGateway::builder().server("one", |s| s.command("sh").args(&[path]))).start_in(folder)
}

fn client(gateway: &TestGateway) -> Client {
    let capabilities =
        json!({"sampling": {}, "elicitation": {"form": {}, "url": {}}, "roots": {"listChanged": true}});
    Client::legacy_with(gateway.http(), "2025-11-25", capabilities)
}

fn act() -> Value {
    json!({"name": "act", "arguments": {}})
}

#[test]
fn a_question_that_its_server_takes_back_is_taken_back_from_whom_it_was_asked() {
    let gateway = gateway(
        r#"*'"act"'*)
      say '"id":77,"method":"elicitation/create","params":{"message":"?","requestedSchema":{}}'
      say '"method":"notifications/cancelled","params":{"reason":"late","requestId":77,"x":1.0}'
      reply "$id" '{"content":[]}' ;;"#,
    );
    let (asked, other) = (client(&gateway), client(&gateway));
    let mut elsewhere = other.listen();
    let (id, mut stream) = asked.stream("tools/call", act());
    let question = stream.message();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let withdrawn = stream.message();
    assert_eq!(withdrawn["method"], "notifications/cancelled", "{withdrawn}");
    assert_eq!(
        withdrawn["params"].to_string(),
        json!({"reason": "late", "requestId": question["id"], "x": 1.0}).to_string()
    );
    assert!(stream.reply(id).get("result").is_some());
    asked.answer(&question, json!({"action": "decline"}));
    asked.call("touch", json!({}));
    let heard = elsewhere.message();
    assert_eq!(heard["method"], "notifications/tools/list_changed", "{heard}");
}

#[test]
fn a_question_whose_call_is_over_is_over_for_both_sides() {
    let gateway = gateway(
        r#"*'"gone"'*) reply "$id" "{\"content\":[],\"gone\":${gone:-0}}" ;;
    *'"id":77,"error"'*) gone=1 ;;
    *'"act"'*)
      say '"id":77,"method":"elicitation/create","params":{"message":"?","requestedSchema":{}}'
      reply "$id" '{"content":[]}' ;;"#,
    );
    let client = client(&gateway);
    let said = client.messages("tools/call", act());
    let [question, over, reply] = &said[..] else { panic!("{said:?}") };
    assert_eq!(question["method"], "elicitation/create", "{question}");
    assert_eq!(over["method"], "notifications/cancelled", "{over}");
    assert_eq!(over["params"]["requestId"], question["id"], "{over}");
    assert_eq!(reply["result"], json!({"content": []}), "{reply}");
    assert_eq!(client.call("act", json!({"gone": 1}))["gone"], 1, "its server is told");
}

#[test]
fn what_is_taken_back_and_was_never_asked_is_heard_by_nobody() {
    let gateway = gateway(
        r#"*'"act"'*)
      say '"method":"notifications/cancelled","params":{"requestId":77}'
      say "\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":$id}"
      reply "$id" '{"content":[]}' ;;"#,
    );
    let client = client(&gateway);
    let mut stream = client.listen();
    let messages = client.messages("tools/call", act());
    assert_eq!(messages.len(), 1, "{messages:?}");
    client.call("touch", json!({}));
    assert_eq!(stream.message()["method"], "notifications/tools/list_changed");
}

#[test]
fn a_list_that_changed_is_told_once() {
    const CHANGED: &str = "notifications/tools/list_changed";
    let really = one(|s| s.env("FX_LIST_CHANGED", "1"));
    let by_word_only = gateway("");
    for (gateway, tool) in [(&really, "grow"), (&by_word_only, "touch")] {
        let client = client(gateway);
        let mut stream = client.listen();
        client.call(tool, json!({"name": "later"}));
        assert_eq!(stream.message()["method"], CHANGED, "{tool}");
        let more = stream.event_within(Duration::from_millis(300));
        assert!(more.is_none(), "{tool}: {more:?}");
    }
}

#[test]
fn roots_that_changed_are_told_to_the_servers_that_asked_for_them() {
    let gateway = gateway(
        r#"*'"act"'*'"count"'*) reply "$id" "{\"content\":[],\"structuredContent\":{\"heard\":${heard:-0}}}" ;;
    *'"act"'*) call=$id; say '"id":"r","method":"roots/list"' ;;
    *'"id":"r"'*) reply "$call" '{"content":[]}' ;;
    *'roots/list_changed'*) heard=$((heard+1)) ;;"#,
    );
    let (asked, other) = (client(&gateway), client(&gateway));
    let (id, mut stream) = asked.stream("tools/call", act());
    let question = stream.until("roots/list");
    asked.answer(&question, json!({"roots": []}));
    assert!(stream.reply(id).get("result").is_some());
    let heard = || other.call("act", json!({"count": true}))["structuredContent"]["heard"].clone();
    other.notify("notifications/roots/list_changed", json!({})).expect_status(202);
    assert_eq!(heard(), 0, "nobody asked this client");
    asked.notify("notifications/roots/list_changed", json!({})).expect_status(202);
    assert_eq!(heard(), 1);
    asked.leave().expect_status(204);
    assert_eq!(heard(), 1);
}

#[test]
fn what_concerns_one_client_is_heard_by_no_other() {
    let gateway = gateway(
        r#"*'"act"'*'"begin"'*) reply "$id" '{"task":{"taskId":"t1","status":"working"}}' ;;
    *'"act"'*'"move"'*) reply "$id" '{"content":[]}'; say '"method":"notifications/tasks/status","params":{"taskId":"t1","status":"completed"}' ;;
    *'"act"'*'"visit"'*) call=$id; say '"id":"v","method":"elicitation/create","params":{"mode":"url","elicitationId":"e1","url":"https://x.example","message":"go"}' ;;
    *'"id":"v"'*) reply "$call" '{"content":[]}'; say '"method":"notifications/elicitation/complete","params":{"elicitationId":"e1"}' ;;
    *'"act"'*) say '"method":"notifications/x/custom","params":{"n":1}'; reply "$id" '{"content":[]}' ;;"#,
    );
    let (one, other) = (client(&gateway), client(&gateway));
    let (mut own, mut elsewhere) = (one.listen(), other.listen());
    one.result("tools/call", json!({"name": "act", "arguments": {"begin": 1}, "task": {}}));
    other.call("act", json!({"move": 1}));
    assert_eq!(own.message()["method"], "notifications/tasks/status", "whoever else is busy");
    let (id, mut stream) = one.stream("tools/call", json!({"name": "act", "arguments": {"visit": 1}}));
    let question = stream.until("elicitation/create");
    one.answer(&question, json!({"action": "accept"}));
    assert!(stream.reply(id).get("result").is_some());
    assert_eq!(own.message()["method"], "notifications/elicitation/complete");
    let said: Vec<Value> = one.messages("tools/call", act());
    assert_eq!(said[0]["method"], "notifications/x/custom", "{said:?}");
    one.call("touch", json!({}));
    assert_eq!(elsewhere.message()["method"], "notifications/tools/list_changed", "and nothing before");
}

#[test]
fn what_is_said_during_a_call_over_rest_is_heard_by_no_client() {
    let gateway = gateway(
        r#"*'"act"'*)
      say '"id":77,"method":"elicitation/create","params":{"message":"for the other","requestedSchema":{}}'
      say '"method":"notifications/message","params":{"level":"error","data":"secret"}'
      say '"method":"notifications/custom","params":{"data":"secret"}'
      read -r answer
      case "$answer" in
        *'"id":77'*'-32603'*) reply "$id" '{"content":[{"type":"text","text":"nobody was asked"}]}' ;;
        *) reply "$id" '{"content":[{"type":"text","text":"somebody answered"}]}' ;;
      esac ;;"#,
    );
    let other = client(&gateway);
    let mut elsewhere = other.listen();
    let called = gateway.call("one", "act", json!({}));
    assert!(called.text().contains("nobody was asked"), "{}", called.text());
    other.call("touch", json!({}));
    let heard = elsewhere.message();
    assert_eq!(heard["method"], "notifications/tools/list_changed", "{heard}");
}

#[test]
fn what_has_no_parameters_gets_none() {
    let gateway = gateway(
        r#"*'"act"'*) call=$id; say '"method":"notifications/odd"'; say '"id":"r","method":"roots/list"' ;;
    *'"id":"r"'*) reply "$call" '{"content":[]}' ;;
    *'"method":"notifications/roots/list_changed"}'*) say '"method":"notifications/bare"' ;;"#,
    );
    let client = client(&gateway);
    let mut listening = client.listen();
    let (id, mut stream) = client.stream("tools/call", act());
    let said = stream.until("notifications/odd");
    assert_eq!(said, json!({"jsonrpc": "2.0", "method": "notifications/odd"}));
    let question = stream.until("roots/list");
    assert_eq!(question, json!({"jsonrpc": "2.0", "id": question["id"], "method": "roots/list"}));
    client.answer(&question, json!({"roots": []}));
    assert!(stream.reply(id).get("result").is_some());
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#).expect_status(202);
    let said = listening.until("notifications/bare");
    assert_eq!(said, json!({"jsonrpc": "2.0", "method": "notifications/bare"}));
    let modern = Client::modern_with(gateway.http(), json!({"roots": {}}));
    let asked = modern.result("tools/call", act());
    assert_eq!(asked["inputRequests"]["question"], json!({"method": "roots/list"}), "{asked}");
}

#[test]
fn an_answer_on_several_lines_is_one_message_to_the_server() {
    let gateway = gateway(
        r#"'{"jsonrpc":"2.0","id":666'*) forged=1 ;;
    *'"act"'*) call=$id; say '"id":77,"method":"roots/list"' ;;
    '{"jsonrpc":"2.0","id":77'*'}}') reply "$call" "{\"content\":[],\"structuredContent\":{\"forged\":${forged:-0}}}" ;;"#,
    );
    let client = client(&gateway);
    let (id, mut stream) = client.stream("tools/call", act());
    let question = stream.until("roots/list");
    let forged = r#"{"jsonrpc":"2.0","id":666,"method":"tools/call","params":{"name":"x"}}"#;
    let answer = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{},\r\n\"result\":{{\"roots\":[\n{forged}\n]\n}}}}",
        question["id"]
    );
    client.send(&answer).expect_status(202);
    let reply = stream.reply(id);
    assert_eq!(reply["result"]["structuredContent"]["forged"], 0, "{reply}");
}

/// What a server was told of why a call is not wanted any more.
const WHY: &str = r#"*'"act"'*'"why"'*) reply "$id" "{\"content\":[],\"structuredContent\":{\"why\":\"${why:-}\"}}" ;;
    *'"act"'*) say '"method":"notifications/began"' ;;
    *'notifications/cancelled'*) why=$(printf '%s' "$line" | sed -n 's/.*"reason":"\([^"]*\)".*/\1/p' | tr '\\' '/') ;;"#;

#[test]
fn why_a_client_cancels_is_told_to_the_server_as_it_was_said() {
    let gateway = gateway(WHY);
    let client = client(&gateway);
    let (id, mut stream) = client.stream("tools/call", act());
    stream.until("notifications/began");
    let params = format!(r#"{{"requestId":{id},"reason":"user \u00e9"}}"#);
    client
        .send(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{params}}}"#))
        .expect_status(202);
    let why = eventually("the server hears of it", || {
        let why = client.call("act", json!({"why": 1}))["structuredContent"]["why"].clone();
        (why != "").then_some(why)
    });
    assert_eq!(why, r"user /u00e9");
}

#[test]
fn why_a_client_cancels_is_told_over_pipes_too() {
    let folder = Folder::new();
    let path = folder.write("server.sh", &script(WHY));
    let path = path.to_str().expect("the path of a folder is UTF-8").to_owned();
    for modern in [false, true] {
        let mut desktop = Desktop::start(|s| s.command("sh").args(&[&path]));
        desktop.greet();
        let dress = |params: Value| if modern { crate::stdio::modern(params) } else { params };
        let id = desktop.stdio.request("tools/call", dress(act()));
        desktop.until(|message| message["method"] == "notifications/began");
        let params = dress(json!({"requestId": id, "reason": "enough"}));
        desktop.stdio.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
        let why = eventually("the server hears of it", || {
            let why = desktop.call("act", json!({"why": 1}))["structuredContent"]["why"].clone();
            (why != "").then_some(why)
        });
        assert_eq!(why, "enough", "modern: {modern}");
    }
}

#[test]
fn why_a_later_round_is_cancelled_is_told_too() {
    let folder = Folder::new();
    let asks = WHY.replace(
        r#"say '"method":"notifications/began"' ;;"#,
        r#"say '"id":"q","method":"roots/list"' ;;
    *'"id":"q"'*) say '"method":"notifications/began"' ;;"#,
    );
    let path = folder.write("server.sh", &script(&asks));
    let path = path.to_str().expect("the path of a folder is UTF-8").to_owned();
    let mut desktop = Desktop::start(|s| s.command("sh").args(&[&path]));
    let dress = |mut params: Value| {
        params["_meta"] = testkit::modern_meta(&json!({"roots": {}}));
        params
    };
    let asked = desktop.stdio.ask("tools/call", dress(act()));
    let mut retry = act();
    retry["requestState"] = asked["result"]["requestState"].clone();
    retry["inputResponses"] = json!({"question": {"roots": []}});
    let id = desktop.stdio.request("tools/call", dress(retry));
    desktop.until(|message| message["method"] == "notifications/began");
    let params = dress(json!({"requestId": id, "reason": "enough"}));
    desktop.stdio.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    let why = eventually("the server hears of it", || {
        let params = dress(json!({"name": "act", "arguments": {"why": 1}}));
        let why = desktop.stdio.ask("tools/call", params)["result"]["structuredContent"]["why"].clone();
        (why != "").then_some(why)
    });
    assert_eq!(why, "enough");
}

#[test]
fn what_one_key_may_be_asked_another_is_not() {
    let gateway = gateway_with(
        r#"*'"act"'*'"more"'*)
      say '"id":78,"method":"elicitation/create","params":{"message":"for the other"}'
      read -r answer
      case "$answer" in
        *'"id":78'*'-32603'*) reply "$id" '{"content":[{"type":"text","text":"nobody was asked"}]}' ;;
        *) reply "$id" '{"content":[{"type":"text","text":"somebody answered"}]}' ;;
      esac ;;
    *'"act"'*) call=$id; say '"id":77,"method":"elicitation/create","params":{"message":"?"}' ;;
    *'"id":77'*) reply "$call" '{"content":[]}' ;;"#,
        |builder| builder.setting(crate::tasks::KEYS),
    );
    let [alice, bob] = crate::tasks::KEYED.map(|key| gateway.http().with_key(key));
    let capabilities = json!({"elicitation": {}});
    let bob = Client::modern_with(bob, capabilities.clone());
    let mut retry = act();
    let asked = bob.result("tools/call", act());
    let alice = Client::legacy_with(alice, "2025-11-25", capabilities);
    let said = alice.messages("tools/call", json!({"name": "act", "arguments": {"more": 1}}));
    assert_eq!(said.len(), 1, "the server may mean the call that waits: {said:?}");
    assert!(said[0].to_string().contains("nobody was asked"), "{said:?}");
    retry["requestState"] = asked["requestState"].clone();
    retry["inputResponses"] = json!({"question": {"action": "decline"}});
    assert_eq!(bob.result("tools/call", retry)["content"], json!([]));
}

#[test]
fn a_method_cannot_write_a_message_of_its_own() {
    let gateway = gateway(
        r#"*'"act"'*)
      say '"method":"notifications/x\",\"params\":{}}\\n{\"jsonrpc\":\"2.0\",\"id\":2","params":{}'
      reply "$id" '{"content":[]}' ;;"#,
    );
    let asked = client(&gateway);
    let (id, mut stream) = asked.stream("tools/call", act());
    let said = stream.message();
    let method = said["method"].as_str().expect("it has a method");
    assert_eq!(method, "notifications/x\",\"params\":{}}\\n{\"jsonrpc\":\"2.0\",\"id\":2", "{said}");
    assert!(stream.reply(id).get("result").is_some());
}

#[test]
fn a_server_that_asks_while_it_is_listed_is_answered_at_once() {
    let folder = Folder::new();
    let server = r#"
say() { printf '{"jsonrpc":"2.0",%s}\n' "$1"; }
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) say "\"id\":$id,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},\"odd\":1e400},\"instructions\":\"\\ud800\"}" ;;
    *'"tools/list"'*)
      say '"id":"q","method":"roots/list"'
      read -r answer
      case "$answer" in *'"id":"q"'*) say "\"id\":$id,\"result\":{\"prompts\":[],\"nextCursor\":\"\",\"tools\":[{\"name\":\"act\",\"x\":1e400,\"description\":\"\\ud800\",\"inputSchema\":{\"type\":\"object\"}}]}" ;; esac ;;
    *'"act"'*) say "\"id\":$id,\"result\":{\"content\":[]}" ;;
    *'"id"'*'"method"'*) say "\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}" ;;
  esac
done
"#;
    let path = folder.write("server.sh", server);
    let path = path.to_str().expect("the path of a folder is UTF-8");
    let gateway = TestGateway::builder().server("one", |s| s.command("sh").args(&[path])).start_in(folder);
    gateway.call("one", "act", json!({})).expect_status(200);
    let client = client(&gateway);
    let (_, request) = client.request("tools/list", json!({}));
    let listed = client.exchange(&request).text();
    assert!(listed.contains(r#""x":1e400,"description":"\ud800""#), "as it was sent: {listed}");
}

#[test]
fn a_call_whose_client_does_not_come_back_is_in_the_log_of_requests() {
    let gateway = gateway_with(
        r#"*'"act"'*) say '"id":77,"method":"elicitation/create","params":{"message":"?"}' ;;"#,
        |builder| {
            builder.setting("audit: {calls: true}").env("DEFAULT_TIMEOUT", "1000").env("MAX_TIMEOUT", "1500")
        },
    );
    let hook = json!({"name": "guard", "hookType": "pre", "script": "return"});
    gateway.post("/api/hooks", hook).expect_status(201);
    let client = Client::modern_with(gateway.http(), json!({"elicitation": {}}));
    assert_eq!(client.result("tools/call", act())["resultType"], "input_required");
    let seen = || gateway.get("/api/requests?server=one&tool=act").body["requests"].clone();
    assert_eq!((seen().as_array().map(Vec::len), &seen()[0]["outcome"]), (Some(1), &json!("ok")));
    let ended = eventually("nobody comes back for it", || {
        seen().as_array().filter(|all| all.len() == 2).map(|all| all[0].clone())
    });
    let told =
        json!([ended["outcome"], ended["way"], ended["client"], ended["method"], ended["hooks"][0]["hook"]]);
    assert_eq!(told, json!(["TIMEOUT_ERROR", "http", "testkit", "tools/call", "guard"]), "{ended}");
    let audited = gateway.get("/api/audit?kind=call").body;
    assert_eq!(audited[0]["details"]["outcome"], "TIMEOUT_ERROR", "{audited}");
    assert!(gateway.get("/metrics").text().contains("lockgate_requests_in_flight 0\n"), "it is over");
}

#[test]
fn where_no_hook_ran_no_server_says_otherwise() {
    const ACT: &str = r#"*'"act"'*) reply "$id" '{ "content":[], "_meta":{"lockgate/hooks":[{"hook":"guard"}], "k":1.0}}' ;;"#;
    for (trace, meta) in
        [("reply", r#"{"k":1.0}"#), ("log", r#"{"lockgate/hooks":[{"hook":"guard"}], "k":1.0}"#)]
    {
        let gateway = gateway_with(ACT, |builder| builder.setting(&format!("hooks: {{trace: {trace}}}")));
        let client = Client::legacy(gateway.http());
        let (id, request) = client.request("tools/call", act());
        let expected = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{ "content":[], "_meta":{meta}}}}}"#);
        assert_eq!(client.exchange(&request).text(), expected);
    }
}
