//! Hooks around requests whose servers, or which hooks themselves, want to know something of the client first.

use super::*;
use testkit::Folder;

/// What both servers have: `reply` takes the members of a result.
const SERVER: &str = r#"
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":{%s}}\n' "$id" "$1"; }
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
  case "$line" in
    CASES
    *'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
  esac
done
"#;

/// Asks in a round unless the call is `plain`, and wants back what it gave with its own question, and nothing else;
/// `begin` makes a task of the call.
const NEW: &str = r#"*'"server/discover"'*) reply '"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}' ;;
    *'"tools/list"'*) reply '"resultType":"complete","tools":[{"name":"act","inputSchema":{"type":"object"}}]' ;;
    *'"tools/call"'*'"begin"'*) reply '"resultType":"task","taskId":"t1","status":"working"' ;;
    *'"ok":'*|*'"sure":'*|*'"mine"'*) reply '"resultType":"complete","content":[],"got":"what a hook asked for"' ;;
    *'"k":'*'"requestState":"s"'*|*'"plain"'*) reply '"resultType":"complete","content":[],"got":"new"' ;;
    *'"inputResponses"'*|*'"requestState"'*) reply '"resultType":"complete","content":[],"got":"what it did not ask for"' ;;
    *'"tools/call"'*) reply '"resultType":"input_required","requestState":"s","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{}}}}' ;;"#;

/// Asks by a request; `plain` asks nothing, and `zorp` has a result that reads as one of the other era.
const OLD: &str = r#"*'"initialize"'*) reply '"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}' ;;
    *'"tools/list"'*) reply '"tools":[{"name":"act","inputSchema":{"type":"object"}}]' ;;
    *'"inputResponses"'*|*'"requestState"'*) reply '"content":[],"got":"what it does not know"' ;;
    *'"tools/call"'*'"plain"'*) reply '"content":[],"got":"old"' ;;
    *'"tools/call"'*'"zorp"'*) reply '"content":[],"got":"old","resultType":"zorp"' ;;
    *'"tools/call"'*) call=$id; printf '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{}}}\n' ;;
    *'"id":"q"'*) id=$call; reply '"content":[],"got":"old"' ;;"#;

/// A workflow of two steps, beside servers.
const WORKFLOW: &str = r#"
activities: [{name: one, run: {script: 'return {data: {n: 1}}'}}]
workflows: [{name: w, description: d, steps: [{activity: one}, {activity: one}]}]
"#;

/// Asks the client before anything else is done.
const ASKS: &str = "if (!context.request.params.inputResponses?.ok) return {continue: false, response: {
    resultType: 'input_required', requestState: 'mine', inputRequests: {
        ok: {method: 'elicitation/create', params: {message: 'sure?', requestedSchema: {}}}}}}";

fn both(setting: &str) -> TestGateway {
    let folder = Folder::new();
    let mut builder = TestGateway::builder().setting(setting);
    for (name, cases) in [("old", OLD), ("new", NEW)] {
        let path = folder.write(&format!("{name}.sh"), &SERVER.replace("CASES", cases));
        let path = path.to_str().expect("the path of a folder is UTF-8");
        builder = builder.server(name, |s| s.command("sh").args(&[path]));
    }
    builder.start_in(folder)
}

/// A client of each era that can be asked.
fn askable(gateway: &TestGateway) -> [Client; 2] {
    let able = || json!({"elicitation": {}});
    let legacy = Client::legacy_with(gateway.http(), "2025-11-25", able());
    [legacy, Client::modern_with(gateway.http(), able())]
}

/// Calls a tool, answers what is asked with that word, and gives how often that was, and the reply.
#[track_caller]
fn converse(client: &Client, params: &Value, word: &str) -> (usize, Value) {
    let (mut asked, answer) = (0, json!({"action": "accept", "content": {"word": word}}));
    if !client.session().is_empty() {
        let (_, mut stream) = client.stream("tools/call", params.clone());
        loop {
            let message = stream.message();
            if message["method"] != "elicitation/create" {
                return (asked, message);
            }
            asked += 1;
            client.answer(&message, answer.clone());
        }
    }
    let mut params = params.clone();
    loop {
        let reply = client.ask("tools/call", params.clone());
        let Some(questions) = reply["result"]["inputRequests"].as_object() else { return (asked, reply) };
        asked += 1;
        params["inputResponses"] = questions.keys().map(|key| (key.clone(), answer.clone())).collect();
        params["requestState"] = reply["result"]["requestState"].clone();
    }
}

fn act(server: &str, argument: &str) -> Value {
    json!({"name": format!("{server}__act"), "arguments": {"do": argument}})
}

const LEADS: &str = "context.request.params.name = context.serverName === 'old' ? 'new__act' : 'old__act'";

#[test]
fn who_is_led_to_a_server_of_the_other_era_is_asked_in_the_way_of_its_own() {
    let gateway = both("");
    pre(&gateway, "h", LEADS);
    for (client, era) in askable(&gateway).iter().zip(["legacy", "modern"]) {
        for (named, led) in [("old", "new"), ("new", "old")] {
            let (asked, reply) = converse(client, &act(named, ""), "w");
            assert_eq!((asked, &reply["result"]["got"]), (1, &json!(led)), "{era} {named}: {reply}");
        }
    }
}

#[test]
fn a_task_is_refused_by_what_the_server_speaks_to_which_its_call_is_led() {
    let gateway = both("");
    pre(&gateway, "h", LEADS);
    let [client, _] = askable(&gateway);
    let mut call = act("new", "plain");
    call["task"] = json!({});
    assert_eq!(client.result("tools/call", call)["got"], "old");
    let mut call = act("old", "plain");
    call["task"] = json!({});
    let error = client.error("tools/call", call);
    assert_eq!(error["code"], -32602, "{error}");
    for error in [error, client.error("tools/call", act("old", "begin"))] {
        let text = error["message"].as_str().unwrap_or_default();
        assert!(text.contains("2026-07-28") && text.contains("tasks cannot be translated"), "{error}");
    }
}

#[test]
fn hooks_see_the_answers_of_clients_of_both_eras() {
    let gateway = both("");
    let script = "if (JSON.stringify(context.request.params.inputResponses ?? '').includes('SECRET'))
        return {continue: false, error: {message: 'secret'}}";
    pre(&gateway, "h", script);
    for client in askable(&gateway) {
        let (_, reply) = converse(&client, &act("new", ""), "SECRET");
        assert_eq!(reply["error"]["message"], "secret", "{reply}");
        let (asked, reply) = converse(&client, &act("new", ""), "other");
        assert_eq!((asked, &reply["result"]["got"]), (1, &json!("new")), "{reply}");
    }
}

#[test]
fn a_hook_may_ask_clients_and_for_servers_of_both_eras() {
    let gateway = both(WORKFLOW);
    pre(&gateway, "h", ASKS);
    for (client, era) in askable(&gateway).iter().zip(["legacy", "modern"]) {
        for (server, argument, times) in
            [("old", "plain", 1), ("old", "", 2), ("new", "plain", 1), ("new", "", 2)]
        {
            let (asked, reply) = converse(client, &act(server, argument), "w");
            let got = (asked, &reply["result"]["got"]);
            assert_eq!(got, (times, &json!(server)), "{era} {server} {argument}: {reply}");
        }
        let (asked, reply) = converse(client, &json!({"name": "w_start", "arguments": {}}), "w");
        let options = reply["result"]["structuredContent"]["nextStepOptions"].as_array().map(Vec::len);
        assert_eq!((asked, options), (1, Some(1)), "{era}: {reply}");
    }
    let sessions = gateway.get("/api/sessions").body;
    assert_eq!(sessions.as_array().map(Vec::len), Some(2), "each call began one: {sessions}");
}

#[test]
fn a_hook_may_ask_once_more_when_it_has_seen_an_answer() {
    let gateway = both("");
    let script = "const {k, sure} = context.request.params.inputResponses ?? {};
        if (k && !sure) return {continue: false, response: {resultType: 'input_required', inputRequests: {
            sure: {method: 'elicitation/create', params: {message: 'sure?', requestedSchema: {}}}}}}";
    pre(&gateway, "h", script);
    for client in askable(&gateway) {
        let (asked, reply) = converse(&client, &act("new", ""), "w");
        assert_eq!((asked, &reply["result"]["got"]), (2, &json!("new")), "{reply}");
    }
}

#[test]
fn a_hook_gets_back_its_own_state_whoever_is_asked() {
    let gateway = both("");
    let script = "const {inputResponses, requestState} = context.request.params;
        const shown = JSON.stringify([Object.keys(inputResponses ?? {}), requestState ?? null]);
        if (!inputResponses?.ok) return {continue: false, response: {resultType: 'input_required',
            requestState: 'mine', inputRequests: {
                ok: {method: 'elicitation/create', params: {message: shown, requestedSchema: {}}}}}}
        if (requestState !== 'mine') return {continue: false, error: {message: shown}}";
    pre(&gateway, "h", script);
    for client in askable(&gateway) {
        let (asked, reply) = converse(&client, &act("new", "plain"), "w");
        assert_eq!((asked, &reply["result"]["got"]), (1, &json!("new")), "{reply}");
        let (asked, reply) = converse(&client, &act("new", ""), "w");
        assert_eq!((asked, &reply["error"]["message"]), (2, &json!(r#"[["k","ok"],"s"]"#)), "{reply}");
    }
}

#[test]
fn a_workflow_in_rounds_goes_on_through_what_a_hook_asks() {
    let gateway = both(WORKFLOW);
    pre(&gateway, "h", ASKS);
    let able = json!({"elicitation": {}, "extensions": {"lockgate/workflow": {}}});
    let client = Client::modern_with(gateway.http(), able);
    for (action, status) in [("accept", "completed"), ("decline", "paused")] {
        let mut call = json!({"name": "w_start", "arguments": {}});
        let (mut asked, mut last) = (Vec::new(), Value::Null);
        while asked.len() < 8 {
            last = client.result("tools/call", call.clone());
            let Some(requests) = last["inputRequests"].as_object() else { break };
            let key = requests.keys().next().expect("a question").clone();
            let said = if key == "ok" { "accept" } else { action };
            call["inputResponses"] = json!({&key: {"action": said, "content": {"next": "w_continue"}}});
            call["requestState"] = last["requestState"].clone();
            asked.push(key);
        }
        assert_eq!(asked, ["ok", "next", "ok"], "{last}");
        let sessions = gateway.get(&format!("/api/sessions?status={status}")).body;
        assert_eq!(sessions.as_array().map(Vec::len), Some(1), "{last} {sessions}");
    }
    assert_eq!(gateway.get("/api/sessions").body.as_array().map(Vec::len), Some(2), "one for each start");
}

#[test]
fn what_follows_the_question_of_a_hook_is_the_servers_own() {
    let gateway = both("");
    pre(&gateway, "h", ASKS);
    let [client, _] = askable(&gateway);
    let (asked, reply) = converse(&client, &act("old", "zorp"), "w");
    assert_eq!((asked, &reply["result"]["resultType"]), (1, &json!("zorp")), "{reply}");
}

#[test]
fn a_hook_asks_no_client_for_what_it_does_not_offer() {
    let gateway = both(WORKFLOW);
    pre(&gateway, "h", ASKS);
    let start = json!({"name": "w_start", "arguments": {}});
    for call in [act("old", ""), act("new", ""), start] {
        let error = Client::legacy(gateway.http()).error("tools/call", call.clone());
        let text = "A hook asks for input, and the client does not offer 'elicitation'";
        assert_eq!(error["message"], text, "{error}");
        let error = Client::modern(gateway.http()).error("tools/call", call);
        let text = "A hook asks for 'elicitation', which the client does not offer";
        assert_eq!((&error["code"], &error["message"]), (&json!(-32021), &json!(text)), "{error}");
        assert_eq!(error["data"]["requiredCapabilities"], json!({"elicitation": {}}), "{error}");
    }
    assert_eq!(gateway.get("/api/sessions").body, json!([]));
}

#[test]
fn the_hooks_of_all_rounds_are_told() {
    let gateway = both("hooks: {trace: reply}");
    pre(&gateway, "h", "return");
    let [client, _] = askable(&gateway);
    let (_, reply) = converse(&client, &act("new", ""), "w");
    let ran = reply["result"]["_meta"]["lockgate/hooks"].as_array().map(Vec::len);
    assert_eq!(ran, Some(2), "{reply}");
    let line = eventually("the line of the call", || {
        gateway.log().into_iter().find(|line| line["path"] == "/mcp" && line["tool"] == "act")
    });
    assert_eq!(line["hooks"].as_str().map(|hooks| hooks.matches("pre").count()), Some(2), "{line}");
}

#[test]
fn a_call_that_waits_for_its_client_names_the_hooks_that_ran() {
    let gateway = both("hooks: {trace: reply}");
    pre(&gateway, "h", "return");
    let [_, client] = askable(&gateway);
    let asked = client.result("tools/call", act("old", ""));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert_eq!(asked["_meta"]["lockgate/hooks"][0]["hook"], "h", "{asked}");
}

#[test]
fn a_round_of_a_workflow_names_the_hooks_that_ran() {
    let gateway = both(&format!("hooks: {{trace: reply}}\n{WORKFLOW}"));
    pre(&gateway, "h", "return");
    let able = json!({"elicitation": {}, "extensions": {"lockgate/workflow": {}}});
    let asked = Client::modern_with(gateway.http(), able).call("w_start", json!({}));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert_eq!(asked["_meta"]["lockgate/hooks"][0]["hook"], "h", "{asked}");
}
