//! Several calls of one client on a server that does not say which of them it asks about: a question that was put to one
//! stays open while another may be meant.

use crate::said::{gateway_with, script};
use crate::sse::Old;
use crate::stdio::Desktop;
use serde_json::{Value, json};
use testkit::{Client, Folder, Server, eventually, modern_meta};

/// Asks when the newer of two calls comes, and goes on with the older when it has the answer.
const ASKS: &str = r#"*'"act"'*'"older"'*) older=$id ;;
    *'"act"'*'"newer"'*) newer=$id; say '"id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{}}' ;;
    *'"act"'*'"finish"'*) reply "$newer" '{"content":[],"newer":1}'; reply "$id" '{"content":[]}' ;;
    *'"act"'*'"give up"'*) reply "$older" '{"content":[],"older":1}'; reply "$id" '{"content":[]}' ;;
    *'"act"'*'"began"'*) reply "$id" "{\"content\":[],\"began\":${older:-0}}" ;;
    *'"act"'*'"heard"'*) reply "$id" "{\"content\":[],\"heard\":[$heard]}" ;;
    *'"id":"q"'*) heard="$heard${heard:+,}$line"; reply "$older" "{\"content\":[],\"heard\":$line}" ;;"#;

fn able() -> Value {
    json!({"elicitation": {}})
}

fn act(what: &str) -> Value {
    json!({"name": "act", "arguments": {"do": what}})
}

fn modern(mut params: Value) -> Value {
    params["_meta"] = modern_meta(&able());
    params
}

/// A gateway over pipes with that server, and the folder of its script.
fn start(edit: impl FnOnce(Server) -> Server) -> (Desktop, Folder) {
    let folder = Folder::new();
    let path = folder.write("server.sh", &script(ASKS));
    let path = path.to_str().expect("the path of a folder is UTF-8");
    (Desktop::start(|s| edit(s.command("sh").args(&[path]))), folder)
}

fn greeted(edit: impl FnOnce(Server) -> Server) -> (Desktop, Folder) {
    let (mut desktop, folder) = start(edit);
    desktop.greet_with("2025-11-25", able());
    (desktop, folder)
}

/// Begins both calls and waits for the question; the ids of the calls, and the question.
fn begin(desktop: &mut Desktop) -> ([u64; 2], Value) {
    let calls = ["older", "newer"].map(|what| desktop.stdio.request("tools/call", act(what)));
    (calls, desktop.until(|message| message["method"] == "elicitation/create"))
}

/// Answers the question, which is still open: the older call then has its result, and the client hears nothing else.
#[track_caller]
fn assert_open(desktop: &mut Desktop, older: u64, question: &Value) {
    desktop.stdio.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept"}}));
    let reply = desktop.stdio.read();
    assert_eq!(reply["id"], older, "{reply}");
    assert_eq!(reply["result"]["heard"]["result"]["action"], "accept", "{reply}");
}

/// The server was answered once, that the request is over.
#[track_caller]
fn assert_told(heard: &Value) {
    let [told] = heard["heard"].as_array().map(Vec::as_slice).unwrap_or_default() else { panic!("{heard}") };
    assert_eq!(told["error"]["message"], "The request that this belonged to is over", "{heard}");
}

#[test]
fn a_question_outlives_the_newer_of_two_calls() {
    for edit in [|s: Server| s, |s: Server| s.raw("scope", "client")] {
        let (mut desktop, _folder) = greeted(edit);
        let ([older, newer], question) = begin(&mut desktop);
        let finish = desktop.stdio.request("tools/call", act("finish"));
        let mut ended = [(); 2].map(|()| desktop.stdio.read()["id"].as_u64());
        ended.sort_unstable();
        assert_eq!(ended, [Some(newer), Some(finish)], "and it is not taken back");
        assert_open(&mut desktop, older, &question);
    }
}

#[test]
fn a_question_outlives_the_newer_call_that_is_cancelled() {
    let (mut desktop, _folder) = greeted(|s| s);
    let ([older, newer], question) = begin(&mut desktop);
    let params = json!({"requestId": newer});
    desktop.stdio.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    assert_open(&mut desktop, older, &question);
}

#[test]
fn a_question_is_put_again_where_the_stream_of_the_newer_call_breaks() {
    let gateway = gateway_with(ASKS, |builder| builder);
    let client = Client::legacy_with(gateway.http(), "2025-11-25", able());
    let (first, (again, reply)) = std::thread::scope(|scope| {
        let older = scope.spawn(|| {
            let (id, mut stream) = client.stream("tools/call", act("older"));
            let question = stream.message();
            client.answer(&question, json!({"action": "accept"}));
            (question, stream.reply(id))
        });
        eventually("the older call is under way", || {
            (client.call("act", json!({"do": "began"}))["began"] != 0).then_some(())
        });
        let (_, mut newer) = client.stream("tools/call", act("newer"));
        let question = newer.message();
        drop(newer);
        (question, older.join().expect("the older call has its reply"))
    });
    assert_eq!(first, again, "under the same id");
    assert_eq!(reply["result"]["heard"]["result"]["action"], "accept", "{reply}");
}

#[test]
fn a_question_ends_with_the_last_call_that_it_may_belong_to() {
    let (mut desktop, _folder) = greeted(|s| s);
    let (_, question) = begin(&mut desktop);
    let finish = desktop.stdio.request("tools/call", act("finish"));
    desktop.reply(finish);
    desktop.stdio.request("tools/call", act("give up"));
    let over = desktop.until(|message| message["method"] == "notifications/cancelled");
    assert_eq!(over["params"]["requestId"], question["id"], "{over}");
    assert_told(&desktop.call("act", json!({"do": "heard"})));
}

#[test]
fn in_a_batch_too_a_question_outlives_the_newer_call() {
    let gateway = gateway_with(ASKS, |builder| builder);
    let mut old = Old::greet_with(gateway.http(), "2025-03-26", able());
    let call = |id, what| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": act(what)});
    old.say(&json!([call(1, "older"), call(2, "newer")]));
    let question = old.events.until("elicitation/create");
    old.say(&call(3, "finish"));
    let reply = old.events.message();
    assert_eq!(reply["id"], 3, "{reply}");
    old.say(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept"}}));
    let both = old.events.message();
    assert_eq!(both[0]["result"]["heard"]["result"]["action"], "accept", "{both}");
    assert_eq!(both[1]["result"]["newer"], 1, "{both}");
}

/// A modern client over pipes, whose newer call was parked with the question and has ended meanwhile: the id of the older
/// call, and the retry of the newer one.
fn parked() -> (Desktop, Folder, u64, Value) {
    let (mut desktop, folder) = start(|s| s);
    desktop.stdio.ask("tools/call", modern(act("heard")));
    let older = desktop.stdio.request("tools/call", modern(act("older")));
    let asked = desktop.stdio.ask("tools/call", modern(act("newer")));
    assert_eq!(asked["result"]["inputRequests"]["question"]["method"], "elicitation/create", "{asked}");
    desktop.stdio.ask("tools/call", modern(act("finish")));
    let mut retry = act("newer");
    retry["requestState"] = asked["result"]["requestState"].clone();
    (desktop, folder, older, retry)
}

fn with_answer(mut retry: Value) -> Value {
    retry["inputResponses"] = json!({"question": {"action": "accept"}});
    modern(retry)
}

#[test]
fn the_answer_of_a_parked_call_that_is_over_reaches_the_server() {
    let (mut desktop, _folder, older, retry) = parked();
    let id = desktop.stdio.request("tools/call", with_answer(retry));
    let mut ended = [(); 2].map(|()| desktop.stdio.read());
    ended.sort_by_key(|reply| reply["id"] != older);
    assert_eq!(ended[0]["result"]["heard"]["result"]["action"], "accept", "{ended:?}");
    assert_eq!((&ended[1]["id"], &ended[1]["result"]["newer"]), (&json!(id), &json!(1)), "{ended:?}");
}

#[test]
fn without_an_answer_the_question_of_a_parked_call_that_is_over_goes_to_the_other() {
    let (mut desktop, _folder, older, mut retry) = parked();
    let mut id = desktop.stdio.request("tools/call", modern(retry.clone()));
    let (mut asked, mut newer) = (None, None);
    while asked.is_none() || newer.is_none() {
        let reply = desktop.stdio.read();
        let result = &reply["result"];
        if reply["id"] == older {
            asked = Some(result.clone());
        } else if result["requestState"].is_string() {
            // That it is over was not noticed yet, so its client is asked once more.
            retry["requestState"] = result["requestState"].clone();
            id = desktop.stdio.request("tools/call", modern(retry.clone()));
        } else {
            assert_eq!((&reply["id"], &result["newer"]), (&json!(id), &json!(1)), "{reply}");
            newer = Some(id);
        }
    }
    let asked = asked.unwrap_or_default();
    assert_eq!(asked["inputRequests"]["question"]["method"], "elicitation/create", "{asked}");
    let mut again = act("older");
    again["requestState"] = asked["requestState"].clone();
    let reply = desktop.stdio.ask("tools/call", with_answer(again));
    assert_eq!(reply["result"]["heard"]["result"]["action"], "accept", "{reply}");
}

#[test]
fn a_server_is_told_when_all_calls_are_over_whose_client_was_asked() {
    let (mut desktop, _folder, older, retry) = parked();
    desktop.stdio.request("tools/call", modern(act("give up")));
    let mut given = [(); 2].map(|()| desktop.stdio.read());
    given.sort_by_key(|reply| reply["id"] != older);
    assert_eq!(given[0]["result"]["older"], 1, "{given:?}");
    assert_told(&desktop.stdio.ask("tools/call", modern(act("heard")))["result"]);
    let late = desktop.stdio.ask("tools/call", with_answer(retry));
    assert_eq!(late["result"]["newer"], 1, "{late}");
    assert_told(&desktop.stdio.ask("tools/call", modern(act("heard")))["result"]);
}
