//! Tasks pass between peers of one era; between eras they are refused with words that say why (spec 6.3).

use crate::said::{gateway_with, script};
use serde_json::{Value, json};
use testkit::{Builder, Client, Folder, Server, TestGateway, conformance_fixture};

const BEGUN: &str = r#"*'"act"'*) reply "$id" '{"task":{"taskId":"t1","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":null}}' ;;
    *'"tasks/get"'*) reply "$id" '{"taskId":"t1","status":"working"}' ;;
    *'"tasks/list"'*) reply "$id" '{"tasks":[]}' ;;"#;

fn gateway() -> TestGateway {
    let program = conformance_fixture();
    let program = program.to_str().expect("the path of the build is UTF-8");
    let modern = |s: Server| s.command(program).args(&["--stdio", "--era", "modern"]);
    gateway_with(BEGUN, |builder| builder.server("new", modern))
}

pub(crate) fn modern(gateway: &TestGateway) -> Client {
    Client::modern_with(gateway.http(), json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}))
}

#[track_caller]
fn refused(error: &Value) {
    assert_eq!(error["code"], -32602, "{error}");
    let text = error["message"].as_str().unwrap_or_default();
    assert!(text.contains("2026-07-28") && text.contains("tasks cannot be translated"), "{error}");
}

#[test]
fn a_task_is_known_to_clients_of_its_own_era_only() {
    let gateway = gateway();
    let (old, new) = (Client::legacy(gateway.http()), modern(&gateway));
    let begun = old.result("tools/call", json!({"name": "act", "arguments": {}, "task": {}}));
    assert_eq!(begun["task"]["taskId"], "t1", "{begun}");
    assert_eq!(old.result("tasks/get", json!({"taskId": "t1"}))["status"], "working");
    refused(&new.error("tasks/get", json!({"taskId": "t1"})));
    let begun = new.call("slow_compute", json!({"seconds": 60}));
    let id = &begun["taskId"];
    assert!(id.is_string(), "{begun}");
    assert_eq!(new.result("tasks/get", json!({"taskId": id}))["taskId"], *id);
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        refused(&old.error(method, json!({"taskId": id})));
    }
}

#[test]
fn a_task_that_nobody_knows_is_looked_for_in_the_era_of_its_client() {
    let gateway = gateway();
    let (old, new) = (Client::legacy(gateway.http()), modern(&gateway));
    assert_eq!(old.result("tasks/get", json!({"taskId": "earlier"}))["status"], "working");
    assert_eq!(old.result("tasks/list", json!({})), json!({"tasks": []}));
    assert_eq!(new.error("tasks/get", json!({"taskId": "earlier"}))["code"], -32602);
}

#[test]
fn a_list_that_was_asked_for_without_parameters_is_asked_for_without_any() {
    let gateway = gateway_with(
        r#"*'"method":"tasks/list"}') reply "$id" '{"tasks":[],"bare":true}' ;;
    *'"method":"tasks/list","params":{ }}') reply "$id" '{"tasks":[],"bare":false}' ;;"#,
        |builder| builder,
    );
    let client = Client::legacy(gateway.http());
    for (params, bare) in [("", true), (r#","params":{ }"#, false)] {
        let listed = client.send(&format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tasks/list"{params}}}"#));
        assert_eq!(listed.body["result"]["bare"], bare, "{}", listed.text());
    }
}

#[test]
fn a_call_that_is_to_become_a_task_of_the_other_era_is_refused() {
    let gateway = gateway();
    let call = json!({"name": "slow_compute", "arguments": {}, "task": {"ttl": 1000}});
    refused(&Client::legacy(gateway.http()).error("tools/call", call));
}

pub(crate) const KEYS: &str = "keys: [{name: alice, key: alice-alice-alice-alice-alice-al}, {name: bob, key: bob-bob-bob-bob-bob-bob-bob-bob-b}]";

/// The keys of alice and bob.
pub(crate) const KEYED: [&str; 2] = ["alice-alice-alice-alice-alice-al", "bob-bob-bob-bob-bob-bob-bob-bob-b"];

pub(crate) fn clients(gateway: &TestGateway) -> [Client; 2] {
    KEYED.map(|key| Client::legacy(gateway.http().with_key(key)))
}

#[test]
fn a_list_of_tasks_has_those_of_the_caller_alone() {
    let gateway = gateway_with(
        r#"*'"act"'*) n=$((n+1)); reply "$id" "{\"task\":{\"taskId\":\"t$n\",\"status\":\"working\"}}" ;;
    *'"tasks/list"'*) reply "$id" '{ "tasks":[{"taskId":"t1", "x":1.0},{"taskId":"t2"},{"taskId":"t3"},{"taskId":"earlier"}], "nextCursor":"c" }' ;;"#,
        |builder| builder.setting(KEYS),
    );
    let [alice, bob] = clients(&gateway);
    for client in [&alice, &bob, &alice] {
        client.result("tools/call", json!({"name": "act", "arguments": {}, "task": {}}));
    }
    let listed = |client: &Client| {
        let (id, request) = client.request("tasks/list", json!({}));
        (id, client.exchange(&request).text())
    };
    for (client, tasks) in
        [(&alice, r#"{"taskId":"t1", "x":1.0},{"taskId":"t3"}"#), (&bob, r#"{"taskId":"t2"}"#)]
    {
        let (id, text) = listed(client);
        let result = format!(r#"{{ "tasks":[{tasks}], "nextCursor":"c" }}"#);
        assert_eq!(text, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
    }
}

#[test]
fn a_task_belongs_to_the_caller_that_began_it() {
    let folder = Folder::new();
    let path = folder.write(
        "other.sh",
        &script(&BEGUN.replace(r#""status":"working"}' ;;"#, r#""status":"completed"}' ;;"#)),
    );
    let path = path.to_str().expect("the path of a folder is UTF-8").to_owned();
    let two = |builder: Builder| builder.server("two", |s| s.command("sh").args(&[&path])).setting(KEYS);
    let gateway = gateway_with(BEGUN, two);
    let [alice, bob] = clients(&gateway);
    let begin = |client: &Client, name: &str| {
        client.result("tools/call", json!({"name": name, "arguments": {}, "task": {}}))
    };
    assert_eq!(begin(&alice, "one__act")["task"]["taskId"], "t1");
    assert_eq!(bob.error("tasks/get", json!({"taskId": "t1"}))["message"], "Task not found");
    assert_eq!(begin(&bob, "two__act")["task"]["taskId"], "t1", "another server gives the same id");
    assert_eq!(alice.result("tasks/get", json!({"taskId": "t1"}))["status"], "working");
    assert_eq!(bob.result("tasks/get", json!({"taskId": "t1"}))["status"], "completed");
}

#[test]
fn a_modern_client_listens_to_its_own_tasks() {
    const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
    let act = r#"*'"subscriptions/listen"'*'"taskIds":["t1"]'*'"io.modelcontextprotocol/tasks":{}'*)
      printf '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"taskIds":["t1"]},"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}\n' "$id"; ear=$id ;;
    *'"begin"'*) reply "$id" '"task","taskId":"t1","status":"working"}' ;;
    *'"move"'*)
      printf '{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t2","status":"completed","_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}\n' "$ear"
      printf '{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t1", "status":"completed","x":1.0,"_meta":{"k":2.0,"io.modelcontextprotocol/subscriptionId":%s}}}\n' "$ear"
      reply "$id" '"complete","content":[]}' ;;
    *'notifications/cancelled'*'"requestId":'"$ear"[,}]*) ended=1 ;;
    *'"ended"'*) reply "$id" "\"complete\",\"content\":[],\"ended\":${ended:-0}}" ;;
    *'"leave"'*) reply "$id" '"complete","content":[]}'; exit 0 ;;"#;
    let folder = Folder::new();
    let path = folder.write("server.sh", &crate::sparse::script(act));
    let path = path.to_str().expect("the path of a folder is UTF-8").to_owned();
    let builder = TestGateway::builder().server("one", |s| s.command("sh").args(&[&path])).setting(KEYS);
    let gateway = builder.start_in(folder);
    let extension = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let [alice, bob] = KEYED.map(|key| Client::modern_with(gateway.http().with_key(key), extension.clone()));
    assert_eq!(alice.call("act", json!({"begin": 1}))["taskId"], "t1");
    let listen = |client: &Client| {
        let filter = json!({"notifications": {"taskIds": ["strange", "t1"]}});
        let (id, mut stream) = client.stream("subscriptions/listen", filter);
        (id, stream.message()["params"]["notifications"]["taskIds"].clone(), stream)
    };
    let (_, told, _bobs) = listen(&bob);
    assert_eq!(told, Value::Null, "it is not his");
    let (id, told, mut stream) = listen(&alice);
    assert_eq!(told, json!(["t1"]));
    bob.call("act", json!({"move": 1}));
    let moved = stream.message();
    assert_eq!(moved["method"], "notifications/tasks", "{moved}");
    // What is said of the other task is not hers.
    let params =
        json!({"taskId": "t1", "status": "completed", "x": 1.0, "_meta": {SUBSCRIPTION: id, "k": 2.0}});
    assert_eq!(moved["params"], params);
    drop(stream);
    testkit::eventually("the server hears that nobody listens", || {
        (alice.call("act", json!({"ended": 1}))["ended"] == 1).then_some(())
    });
    let (id, told, mut stream) = listen(&alice);
    assert_eq!(told, json!(["t1"]));
    bob.call("act", json!({"leave": 1}));
    assert_eq!(stream.message()["id"], id, "a listening that its server left is over");
}

#[test]
fn a_question_about_a_task_is_put_to_who_waits_for_its_result() {
    // The server answers nobody before both wait, and asks about the task that was begun last.
    let gateway = gateway_with(
        r#"*'"act"'*) n=$((n+1)); reply "$id" "{\"task\":{\"taskId\":\"t$n\",\"status\":\"working\"}}" ;;
    *'"tasks/result"'*'"t1"'*) first=$id; say '"method":"notifications/began"' ;;
    *'"tasks/result"'*)
      say '"method":"notifications/x","params":{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t2"}}}'
      say '"id":77,"method":"elicitation/create","params":{"message":"?","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t2"}}}'
      read -r answer
      case "$answer" in *'"action":"decline"'*) said=declined ;; esac
      reply "$first" '{"content":[]}'
      reply "$id" "{\"content\":[],\"said\":\"$said\"}" ;;"#,
        |builder| builder.setting(KEYS),
    );
    let [alice, bob] = KEYED.map(|key| {
        Client::legacy_with(gateway.http().with_key(key), "2025-11-25", json!({"elicitation": {}}))
    });
    for client in [&alice, &bob] {
        client.result("tools/call", json!({"name": "act", "arguments": {}, "task": {}}));
    }
    let (waits, mut waiting) = alice.stream("tasks/result", json!({"taskId": "t1"}));
    assert_eq!(waiting.message()["method"], "notifications/began");
    let (id, mut stream) = bob.stream("tasks/result", json!({"taskId": "t2"}));
    assert_eq!(stream.message()["method"], "notifications/x");
    let question = stream.message();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    bob.answer(&question, json!({"action": "decline"}));
    assert_eq!(stream.reply(id)["result"]["said"], "declined");
    let next = waiting.message();
    assert_eq!(
        (&next["id"], &next["result"]),
        (&json!(waits), &json!({"content": []})),
        "and nothing before"
    );
}

const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// A modern server with tasks, of which it says `"own":1`. Its tool begins the task `t1`, and does what else the text
/// of its case says.
pub(crate) fn server_with_tasks(act: &str) -> String {
    let act = format!(
        r#"{act}
    *'"begin"'*) reply "$id" '"task","taskId":"t1","status":"working"}}' ;;
    *'"subscriptions/listen"'*) acknowledge '{{}}' ;;"#
    );
    let script = crate::sparse::script(&act).replace(
        r#""capabilities":{"tools":{}}"#,
        r#""capabilities":{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{"own":1}}}"#,
    );
    format!(
        r#"
tag() {{ printf '"_meta":{{"io.modelcontextprotocol/subscriptionId":%s}}' "$1"; }}
say() {{ printf '{{"jsonrpc":"2.0","method":"notifications/%s","params":{{%s}}}}\n' "$1" "$2"; }}
acknowledge() {{ say subscriptions/acknowledged "\"notifications\":$1,$(tag "$id")"; }}
moved() {{ say tasks "\"taskId\":\"t1\",\"status\":\"completed\",$(tag "$1")"; }}
{script}"#
    )
}

/// A gateway with that server as `one`, and more.
fn with_tasks(act: &str, more: impl FnOnce(Builder) -> Builder) -> TestGateway {
    let folder = Folder::new();
    let path = folder.write("server.sh", &server_with_tasks(act));
    let path = path.to_str().expect("the path of a folder is UTF-8");
    more(TestGateway::builder().server("one", |s| s.command("sh").args(&[path]))).start_in(folder)
}

#[test]
fn a_stray_word_of_a_task_is_heard_by_nobody() {
    let gateway = with_tasks(
        r#"*'"taskIds":["t1"]'*) moved "$id"; acknowledge '{"taskIds":["t1"]}' ;;
    *'"subscriptions/listen"'*'"toolsListChanged":true'*) lists=$id; acknowledge '{}' ;;
    *'"move"'*)
      say tasks '"taskId":"t1","status":"completed"'
      moved "$id"; moved "$lists"
      reply "$id" '"complete","content":[]}'
      say tools/list_changed '' ;;"#,
        |builder| builder,
    );
    let (old, new) = (Client::legacy(gateway.http()), modern(&gateway));
    assert_eq!(new.call("act", json!({"begin": 1}))["taskId"], "t1");
    let mut elsewhere = old.listen();
    let filter = json!({"notifications": {"taskIds": ["t1"], "toolsListChanged": true}});
    let (_, mut stream) = new.stream("subscriptions/listen", filter);
    let acknowledged = stream.message();
    assert_eq!(acknowledged["params"]["notifications"]["taskIds"], json!(["t1"]), "{acknowledged}");
    for client in [&old, &new] {
        let said = client.messages("tools/call", json!({"name": "act", "arguments": {"move": 1}}));
        assert_eq!(said.len(), 1, "{said:?}");
    }
    for heard in [elsewhere.message(), stream.message()] {
        assert_eq!(heard["method"], "notifications/tools/list_changed", "{heard}");
    }
}

/// A workflow whose start may become a task.
const WORKFLOW: &str = r#"activities: [{name: n, description: d, run: {script: "return {data: {}}"}}]
workflows: [{name: w, description: d, steps: [{activity: n, approve: true}]}]"#;

#[test]
fn whoever_listens_to_tasks_shows_a_server_nothing_that_is_not_its_business() {
    let gateway = with_tasks(
        r#"*'"subscriptions/listen"'*'"taskIds":'*)
      shown=
      case "$line" in *'"taskIds":["t1"]'*) ;; *) shown=ids ;; esac
      case "$line" in *progressToken*) shown="$shown token" ;; esac
      case "$line" in *'"k":1.0'*) ;; *) shown="$shown less" ;; esac
      acknowledge '{"taskIds":["t1"]}' ;;
    *'"shown"'*) reply "$id" "\"complete\",\"content\":[],\"shown\":\"$shown\"}" ;;"#,
        |builder| builder.setting(WORKFLOW),
    );
    let client = modern(&gateway);
    assert_eq!(client.call("act", json!({"begin": 1}))["taskId"], "t1");
    let session = client.call("w_start", json!({"maxSteps": "all"}))["taskId"].clone();
    assert!(session.is_string(), "{session}");
    let filter = json!({"taskIds": [session, "t1"]});
    let params = json!({"notifications": filter, "_meta": {"progressToken": "mine", "k": 1.0}});
    let (_, mut stream) = client.stream("subscriptions/listen", params);
    assert_eq!(stream.message()["params"]["notifications"]["taskIds"], json!(["t1"]));
    assert_eq!(client.call("act", json!({"shown": 1}))["shown"], "");
}

#[test]
fn what_a_server_says_of_its_tasks_is_not_replaced_by_what_sessions_offer() {
    let gateway = with_tasks("", |builder| builder.setting(WORKFLOW));
    let found = modern(&gateway).result("server/discover", json!({}));
    assert_eq!(found["capabilities"]["extensions"][EXTENSION], json!({"own": 1}), "{found}");
}

#[test]
fn a_listening_on_several_lines_is_one_message_to_the_server() {
    let gateway = with_tasks(
        r#"'{"jsonrpc":"2.0","id":666'*) forged=1 ;;
    *'"taskIds":["t1"]'*) acknowledge '{"taskIds":["t1"]}' ;;
    *'"forged"'*) reply "$id" "\"complete\",\"content\":[],\"forged\":${forged:-0}}" ;;"#,
        |builder| builder,
    );
    let client = modern(&gateway);
    assert_eq!(client.call("act", json!({"begin": 1}))["taskId"], "t1");
    let mut meta = testkit::modern_meta(&json!({"extensions": {EXTENSION: {}}}));
    meta["x"] = json!("HERE");
    let forged = r#"{"jsonrpc":"2.0","id":666,"method":"tools/call","params":{"name":"act"}}"#;
    let meta = meta.to_string().replace(r#""HERE""#, &format!("[\n{forged}\r\n]"));
    let params = format!("{{\"notifications\":{{\"taskIds\":[\"t1\"]}},\"_meta\":{meta}}}");
    let (_, request) = client.request_raw("subscriptions/listen", &params);
    let mut stream = testkit::Events::open(gateway.http(), &request);
    assert_eq!(stream.message()["params"]["notifications"]["taskIds"], json!(["t1"]));
    assert_eq!(client.call("act", json!({"forged": 1}))["forged"], 0);
}

/// A legacy server whose task `t1` tells of its progress: after it has begun, with every `tick`, and while its result is
/// waited for, which comes with the next `end`.
fn with_progress() -> TestGateway {
    let act = r#"*'"begin"'*)
      token=$(printf '%s' "$line" | sed -n 's/.*"progressToken":\([0-9]*\).*/\1/p')
      reply "$id" '{"task":{"taskId":"t1","status":"working"}}'; tick 1 ;;
    *'"tick"'*) reply "$id" '{"content":[]}'; tick 2 ;;
    *'"at once"'*) printf '{"jsonrpc":"2.0",%s}\n{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$(told 4)" "$id" ;;
    *'"tasks/result"'*) waits=$id; tick 3 ;;
    *'"end"'*) reply "$id" '{"content":[]}'; reply "$waits" '{"content":[]}' ;;
    *'"waits"'*) reply "$id" "{\"content\":[],\"waits\":${waits:-0}}" ;;
    *'"tasks/get"'*) reply "$id" '{"taskId":"t1","status":"completed"}' ;;"#;
    let tick = r#"
told() { printf '"method":"notifications/progress","params":{"progress":%s, "progressToken":%s,"x":1.0}' "$1" "$token"; }
tick() { say "$(told "$1")"; }
"#;
    let folder = Folder::new();
    let path = folder.write("server.sh", &format!("{tick}{}", script(act)));
    let path = path.to_str().expect("the path of a folder is UTF-8");
    TestGateway::builder().server("one", |s| s.command("sh").args(&[path])).start_in(folder)
}

fn begin(token: &Value) -> Value {
    json!({"name": "act", "arguments": {"begin": 1}, "task": {}, "_meta": {"progressToken": token}})
}

#[test]
fn the_progress_of_a_task_reaches_the_client_that_began_it_until_the_task_has_ended() {
    let gateway = with_progress();
    let [client, other] = [(); 2].map(|()| Client::legacy(gateway.http()));
    let [mut stream, mut elsewhere] = [&client, &other].map(Client::listen);
    let mut said = client.messages("tools/call", begin(&json!("mine")));
    assert_eq!(said.pop().expect("a reply")["result"]["task"]["taskId"], "t1");
    for progress in [1, 2] {
        // What is said right after the reply may still come before it.
        let told = said.pop().unwrap_or_else(|| stream.message());
        assert_eq!(told["method"], "notifications/progress", "{told}");
        assert_eq!(told["params"], json!({"progress": progress, "progressToken": "mine", "x": 1.0}));
        client.call("act", json!({"tick": 1}));
    }
    stream.message();
    assert_eq!(client.result("tasks/get", json!({"taskId": "t1"}))["status"], "completed");
    client.call("act", json!({"tick": 1}));
    client.call("touch", json!({}));
    for heard in [stream.message(), elsewhere.message()] {
        assert_eq!(heard["method"], "notifications/tools/list_changed", "{heard}");
    }
}

#[test]
fn whoever_waits_for_the_result_of_a_task_hears_of_its_progress_there_without_a_stream() {
    let gateway = with_progress();
    let client = Client::legacy(gateway.http());
    client.result("tools/call", begin(&json!(7)));
    let (id, mut stream) = client.stream("tasks/result", json!({"taskId": "t1"}));
    // What was said right after the reply may come there too.
    let mut told = stream.message();
    if told["params"]["progress"] == 1 {
        told = stream.message();
    }
    assert_eq!(told["params"], json!({"progress": 3, "progressToken": 7, "x": 1.0}), "{told}");
    client.call("act", json!({"end": 1}));
    assert_eq!(stream.reply(id)["result"], json!({"content": []}));
}

#[test]
fn progress_right_before_the_result_of_a_task_comes_before_it() {
    let gateway = with_progress();
    for n in 0..20 {
        let client = Client::legacy(gateway.http());
        client.result("tools/call", begin(&json!(7)));
        let mut said = client.messages("tasks/result", json!({"taskId": "t1", "_meta": {"at once": 1}}));
        assert_eq!(said.pop().expect("a reply")["result"], json!({}));
        let told = said.pop().unwrap_or_else(|| panic!("nothing was told the {n}. time"));
        assert_eq!(told["params"], json!({"progress": 4, "progressToken": 7, "x": 1.0}), "{told}");
    }
}

#[test]
fn another_session_that_waits_for_the_result_of_a_task_does_not_hear_of_its_progress() {
    let gateway = with_progress();
    // The same name and no key: the same caller, who may ask for the result from either.
    let [client, other] = [(); 2].map(|()| Client::legacy(gateway.http()));
    client.result("tools/call", begin(&json!(7)));
    let said = std::thread::scope(|scope| {
        let waits = scope.spawn(|| other.messages("tasks/result", json!({"taskId": "t1"})));
        testkit::eventually("the server is asked for the result", || {
            (client.call("act", json!({"waits": 1}))["waits"] != 0).then_some(())
        });
        client.call("act", json!({"end": 1}));
        waits.join().expect("no panic")
    });
    // The progress that is said when the result is asked for would stand before it.
    let said: Vec<&Value> = said.iter().map(|message| &message["result"]).collect();
    assert_eq!(said, [&json!({"content": []})]);
}
