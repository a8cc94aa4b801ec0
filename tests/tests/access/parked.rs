//! A call that waits for its client to come back is still in flight at its server, and keeps its place.

use super::{CALLER, OPERATOR};
use serde_json::{Value, json};
use testkit::{Builder, Client, Http, Server, TestGateway, conformance_fixture, eventually};

/// A gateway whose legacy server asks its client something, with this setting.
fn asking(setting: &str, edit: impl FnOnce(Server) -> Server) -> Builder {
    let program = conformance_fixture();
    let program = program.to_str().expect("the path of the build is UTF-8");
    let server = |s: Server| edit(s.command(program).args(&["--stdio", "--era", "legacy"]));
    TestGateway::builder().setting(setting).server("f", server)
}

/// Keys of whom the first has one call at a time.
fn keys() -> String {
    format!(
        "keys: {}",
        json!([{"name": "one", "key": CALLER, "concurrency": 1}, {"name": "otto", "key": OPERATOR}])
    )
}

fn client(http: Http) -> Client {
    Client::modern_with(http, json!({"elicitation": {}, "extensions": {"lockgate/workflow": {}}}))
}

fn ask() -> Value {
    json!({"name": "test_elicitation", "arguments": {"message": "?"}})
}

/// The same call with the answer to what was asked.
#[track_caller]
fn answered(mut call: Value, asked: &Value) -> Value {
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let questions = asked["inputRequests"].as_object().expect("questions");
    let key = questions.keys().next().expect("a question");
    call["requestState"] = asked["requestState"].clone();
    call["inputResponses"] = json!({key: {"action": "decline"}});
    call
}

#[test]
fn a_parked_call_keeps_its_place_and_whoever_comes_back_for_it_needs_no_other() {
    let all = "limits: {calls: {concurrency: 1}}".to_owned();
    for (setting, code, limit) in [(keys(), "RATE_LIMITED", "key"), (all, "OVERLOADED", "gateway")] {
        let gateway = asking(&setting, |s| s).start();
        let client = client(gateway.http().with_key(CALLER));
        for round in 0..3 {
            let asked = client.result("tools/call", ask());
            for (method, params) in [("tools/call", ask()), ("tools/list", json!({}))] {
                let data = &client.error(method, params)["data"];
                assert_eq!((&data["code"], &data["details"]["limit"]), (&json!(code), &json!(limit)));
            }
            // The state of this call is worth nothing for another one.
            let mut other = answered(ask(), &asked);
            other["name"] = "test_sampling".into();
            assert_eq!(client.error("tools/call", other)["data"]["code"], code);
            let mut empty = answered(ask(), &asked);
            empty["inputResponses"] = json!({});
            let again = client.result("tools/call", empty);
            let done = client.result("tools/call", answered(ask(), &again));
            assert!(done.to_string().contains("action=decline"), "{round}: {done}");
        }
    }
}

#[test]
fn the_place_of_a_parked_call_is_free_when_its_time_is_over() {
    let gateway = asking(&keys(), |s| s.timeout(1000)).start();
    let client = client(gateway.http().with_key(CALLER));
    client.result("tools/call", ask());
    assert_eq!(client.error("tools/call", ask())["data"]["code"], "RATE_LIMITED");
    eventually("there is room again", || client.ask("tools/call", ask()).get("result").map(drop));
}

#[test]
fn a_tool_that_is_chosen_in_a_round_and_asks_goes_on_in_its_place() {
    let check =
        json!({"name": "check", "description": "Checks", "run": {"script": "return {data: {ok: false}}"}});
    let branches = json!({"ok:false": {"toolName": "test_elicitation"}});
    let steps = json!([{"activity": "check", "branches": branches}, {"activity": "check"}]);
    let workflow = json!({"name": "w", "description": "Asks", "steps": steps});
    let gateway = asking(&keys(), |s| s)
        .setting(&format!("activities: {}", json!([check])))
        .setting(&format!("workflows: {}", json!([workflow])))
        .start();
    let client = client(gateway.http().with_key(CALLER));
    let start = json!({"name": "w_start", "arguments": {}});
    let round = client.result("tools/call", start.clone());
    let mut choice = answered(start.clone(), &round);
    let content = json!({"next": "test_elicitation", "arguments": "{\"message\": \"?\"}"});
    choice["inputResponses"] = json!({"next": {"action": "accept", "content": content}});
    let asked = client.result("tools/call", choice);
    assert_eq!(client.error("tools/list", json!({}))["data"]["code"], "RATE_LIMITED", "it is in flight");
    let done = client.result("tools/call", answered(start, &asked));
    assert!(done.to_string().contains("action=decline"), "{done}");
    assert_eq!(client.ask("tools/list", json!({})).get("error"), None);
}
