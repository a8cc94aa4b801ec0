//! Questions of a server to its client, in all four cells of the table of part 6.

use serde_json::{Value, json};
use testkit::{Client, TestGateway, conformance_fixture};

const ERAS: [&str; 2] = ["legacy", "modern"];

fn gateway(era: &str) -> TestGateway {
    let program = conformance_fixture();
    let program = program.to_str().expect("the path of the build is UTF-8");
    TestGateway::builder().server("f", |s| s.command(program).args(&["--stdio", "--era", era])).start()
}

fn capabilities() -> Value {
    json!({"sampling": {}, "elicitation": {}, "roots": {}})
}

fn client(gateway: &TestGateway, era: &str) -> Client {
    match era {
        "modern" => Client::modern_with(gateway.http(), capabilities()),
        _ => Client::legacy_with(gateway.http(), "2025-11-25", capabilities()),
    }
}

/// What the client's user, model and file system say.
fn answer(question: &Value) -> Value {
    let params = &question["params"];
    match question["method"].as_str().unwrap_or_default() {
        "sampling/createMessage" => {
            let content = json!({"type": "text", "text": params["messages"][0]["content"]["text"]});
            json!({"role": "assistant", "model": "m", "content": content})
        }
        "roots/list" => json!({"roots": [{"uri": "file:///here"}]}),
        "elicitation/create" => json!({"action": "accept", "content": {
            "username": "u", "email": "e@example.com", "name": params["message"], "color": "red", "ok": true,
        }}),
        other => panic!("nobody asks {other}"),
    }
}

/// Calls a tool, answers what is asked, and gives the methods of the questions and the final reply.
#[track_caller]
fn converse(client: &Client, tool: &str, arguments: &Value) -> (Vec<String>, Value) {
    let params = json!({"name": tool, "arguments": arguments});
    match client.session().is_empty() {
        true => in_rounds(client, params),
        false => on_a_stream(client, params),
    }
}

#[track_caller]
fn on_a_stream(client: &Client, params: Value) -> (Vec<String>, Value) {
    let mut asked = Vec::new();
    let (id, mut stream) = client.stream("tools/call", params);
    loop {
        let message = stream.message();
        if let Some(method) = message["method"].as_str() {
            asked.push(method.to_owned());
            client.answer(&message, answer(&message));
        } else {
            assert_eq!(message["id"], id);
            return (asked, message);
        }
    }
}

#[track_caller]
fn in_rounds(client: &Client, mut params: Value) -> (Vec<String>, Value) {
    let mut asked = Vec::new();
    loop {
        let reply = client.ask("tools/call", params.clone());
        if reply["result"]["resultType"] != "input_required" {
            return (asked, reply);
        }
        let questions = reply["result"]["inputRequests"].as_object().expect("questions");
        let mut answers = json!({});
        for (key, question) in questions {
            asked.push(question["method"].as_str().unwrap_or_default().to_owned());
            answers[key] = answer(question);
        }
        params["inputResponses"] = answers;
        match reply["result"].get("requestState") {
            Some(state) => params["requestState"] = state.clone(),
            None => drop(params.as_object_mut().and_then(|all| all.remove("requestState"))),
        }
    }
}

/// Runs a check in each of the four cells, with a gateway per era of the server.
#[track_caller]
fn in_every_cell(check: impl Fn(&Client, &str)) {
    for server in ERAS {
        let gateway = gateway(server);
        for era in ERAS {
            check(&client(&gateway, era), &format!("{era} client, {server} server"));
        }
    }
}

#[track_caller]
fn expect(client: &Client, cell: &str, tool: &str, arguments: &Value, methods: &[&str], words: &[&str]) {
    let (mut asked, reply) = converse(client, tool, arguments);
    asked.sort_unstable();
    assert_eq!(asked, methods, "{tool}, {cell}: {reply}");
    let text = reply["result"]["content"][0]["text"].as_str().unwrap_or_default();
    for word in words {
        assert!(text.contains(word), "{word} is missing: {tool}, {cell}: {reply}");
    }
}

#[test]
fn elicitation_and_sampling_work_in_every_cell() {
    in_every_cell(|client, cell| {
        let words = ["action=accept", "e@example.com"];
        expect(
            client,
            cell,
            "test_elicitation",
            &json!({"message": "Who?"}),
            &["elicitation/create"],
            &words,
        );
        let prompt = json!({"prompt": "Say cheese"});
        expect(
            client,
            cell,
            "test_sampling",
            &prompt,
            &["sampling/createMessage"],
            &["LLM response: Say cheese"],
        );
    });
}

#[test]
fn several_questions_and_several_rounds_work_in_every_cell() {
    in_every_cell(|client, cell| {
        let all = ["elicitation/create", "roots/list", "sampling/createMessage"];
        let words = ["file:///here", "Generate a greeting", "What is your name?"];
        expect(client, cell, "test_input_required_result_multiple_inputs", &json!({}), &all, &words);
        let twice = ["elicitation/create"; 2];
        expect(client, cell, "test_input_required_result_multi_round", &json!({}), &twice, &["red"]);
        let roots = ["file:///here"];
        expect(client, cell, "test_input_required_result_list_roots", &json!({}), &["roots/list"], &roots);
    });
}

#[test]
fn a_client_that_cannot_answer_is_told_what_it_lacks() {
    for server in ERAS {
        let gateway = gateway(server);
        let legacy = Client::legacy_with(gateway.http(), "2025-11-25", json!({}));
        let modern = Client::modern(gateway.http());
        for client in [legacy, modern] {
            let reply =
                client.ask("tools/call", json!({"name": "test_sampling", "arguments": {"prompt": "p"}}));
            let said = reply.to_string();
            assert!(reply["result"]["resultType"] != "input_required", "{server}: {said}");
            assert!(said.contains("sampling"), "{server}: {said}");
            if client.session().is_empty() {
                assert_eq!(reply["error"]["code"], -32021, "{server}: {said}");
                assert!(
                    reply["error"]["data"]["requiredCapabilities"]["sampling"].is_object(),
                    "{server}: {said}"
                );
            }
        }
    }
}

#[test]
fn a_state_is_good_once_for_what_it_was_made_for() {
    let gateway = gateway("legacy");
    let client = client(&gateway, "modern");
    let ask =
        || client.result("tools/call", json!({"name": "test_elicitation", "arguments": {"message": "?"}}));
    let retry = |tool: &str, first: &Value, state: &str| {
        let key = first["inputRequests"].as_object().and_then(|all| all.keys().next()).expect("a key");
        client.ask(
            "tools/call",
            json!({"name": tool, "arguments": {"message": "?"}, "requestState": state,
            "inputResponses": {key: {"action": "decline"}}}),
        )
    };
    let first = ask();
    assert_eq!(first["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "lockgate", "{first}");
    let state = first["requestState"].as_str().expect("a state").to_owned();
    let flipped: String = state.chars().rev().collect();
    let shorter = &state[..state.len() - 4];
    for (tool, wrong) in [
        ("test_elicitation", flipped.as_str()),
        ("test_elicitation", shorter),
        ("test_elicitation", ""),
        ("test_elicitation", "forged"),
        ("test_sampling", &state),
    ] {
        assert_eq!(retry(tool, &first, wrong)["error"]["code"], -32602, "{tool} {wrong}");
    }
    let done = retry("test_elicitation", &first, &state);
    assert!(done.to_string().contains("action=decline"), "{done}");
    assert_eq!(retry("test_elicitation", &first, &state)["error"]["code"], -32602, "a replay");
    let elsewhere = self::gateway("legacy");
    let second = ask()["requestState"].as_str().expect("a state").to_owned();
    let params = json!({"name": "test_elicitation", "arguments": {"message": "?"}, "requestState": second,
        "inputResponses": {"question": {"action": "decline"}}});
    assert_eq!(
        self::client(&elsewhere, "modern").error("tools/call", params)["code"],
        -32602,
        "another gateway"
    );
}

#[test]
fn an_answer_of_another_client_is_dropped() {
    for server in ERAS {
        let gateway = gateway(server);
        let (asked, stranger) = (client(&gateway, "legacy"), client(&gateway, "legacy"));
        let params = json!({"name": "test_elicitation", "arguments": {"message": "?"}});
        let (id, mut stream) = asked.stream("tools/call", params);
        let question = stream.until("elicitation/create");
        stranger.answer(&question, json!({"action": "decline"}));
        asked.answer(&question, answer(&question));
        let reply = stream.reply(id);
        assert!(reply.to_string().contains("action=accept"), "{server}: {reply}");
    }
}

#[test]
fn a_parked_call_ends_with_its_timeout() {
    let program = conformance_fixture();
    let program = program.to_str().expect("the path of the build is UTF-8");
    let server = |s: testkit::Server| s.command(program).args(&["--stdio", "--era", "legacy"]).timeout(1000);
    let gateway = TestGateway::builder().server("f", server).start();
    let client = client(&gateway, "modern");
    let params = json!({"name": "test_elicitation", "arguments": {"message": "?"}});
    let mut retry = params.clone();
    retry["requestState"] = client.result("tools/call", params)["requestState"].clone();
    retry["inputResponses"] = json!({"question": {"action": "decline"}});
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let reply = client.ask("tools/call", retry);
    assert!(reply.get("error").is_some(), "{reply}");
}

#[test]
fn a_question_that_is_not_answered_in_time_is_withdrawn_and_the_call_ends() {
    let program = conformance_fixture();
    let program = program.to_str().expect("the path of the build is UTF-8");
    let server = |s: testkit::Server| s.command(program).args(&["--stdio", "--era", "modern"]).timeout(1000);
    let gateway = TestGateway::builder().server("f", server).start();
    let client = client(&gateway, "legacy");
    let params = json!({"name": "test_elicitation", "arguments": {"message": "?"}});
    let (id, mut stream) = client.stream("tools/call", params);
    let question = stream.until("elicitation/create");
    let withdrawn = stream.until("notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], question["id"], "{withdrawn}");
    let reply = stream.reply(id);
    assert_eq!(reply["error"]["data"]["code"], "TIMEOUT_ERROR", "{reply}");
    assert_eq!(reply["error"]["data"]["details"]["timeout"], 1000, "{reply}");
}

#[test]
fn a_retry_without_the_answer_is_asked_again() {
    let gateway = gateway("legacy");
    let client = client(&gateway, "modern");
    let params = json!({"name": "test_elicitation", "arguments": {"message": "?"}});
    let mut asked = client.result("tools/call", params.clone());
    let mut retry = params;
    for responses in [json!(null), json!({}), json!({"other": {}})] {
        retry["requestState"] = asked["requestState"].clone();
        retry["inputResponses"] = responses;
        let again = client.result("tools/call", retry.clone());
        assert_eq!(again["inputRequests"], asked["inputRequests"], "{again}");
        asked = again;
    }
    retry["requestState"] = asked["requestState"].clone();
    retry["inputResponses"] = json!({"question": {"action": "decline"}});
    let done = client.ask("tools/call", retry);
    assert!(done.to_string().contains("action=decline"), "{done}");
}

#[test]
fn an_answer_that_is_none_leaves_the_state_good() {
    let gateway = gateway("legacy");
    let client = client(&gateway, "modern");
    let mut retry = json!({"name": "test_elicitation", "arguments": {"message": "?"}});
    let asked = client.result("tools/call", retry.clone());
    retry["requestState"] = asked["requestState"].clone();
    for wrong in [json!(null), json!("accept"), json!([])] {
        retry["inputResponses"] = json!({ "question": wrong });
        let error = client.error("tools/call", retry.clone());
        assert_eq!(error["code"], -32602, "{error}");
        assert!(error["message"].as_str().is_some_and(|text| text.contains("must be an object")), "{error}");
    }
    retry["inputResponses"] = json!({"question": {"action": "decline"}});
    let done = client.ask("tools/call", retry);
    assert!(done.to_string().contains("action=decline"), "{done}");
}

#[test]
fn an_answer_to_a_question_that_was_taken_back_is_not_given() {
    let act = r#"*'"act"'*'"more"'*)
      say '"method":"notifications/cancelled","params":{"requestId":77}'
      reply "$id" '{"content":[]}' ;;
    *'"act"'*'"end"'*) reply "$call" "{\"content\":[],\"structuredContent\":{\"answered\":${answered:-0}}}"; reply "$id" '{"content":[]}' ;;
    *'"act"'*) call=$id; say '"id":77,"method":"elicitation/create","params":{"message":"?"}' ;;
    *'"id":77'*) answered=1 ;;"#;
    let gateway = crate::said::gateway_with(act, |builder| builder);
    let client = client(&gateway, "modern");
    for answers in [json!({"question": {"action": "accept"}}), json!({})] {
        let mut retry = json!({"name": "act", "arguments": {}});
        let asked = client.result("tools/call", retry.clone());
        for step in ["more", "end"] {
            gateway.call("one", "act", json!({ step: true })).expect_status(200);
        }
        retry["requestState"] = asked["requestState"].clone();
        retry["inputResponses"] = answers;
        let result = client.result("tools/call", retry);
        assert_eq!(result["structuredContent"]["answered"], 0, "{result}");
    }
}

/// A legacy server that lists no resource, and asks for roots before it gives one.
const ASKS: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
  case "$line" in
    *'"initialize"'*) reply "$id" '{"protocolVersion":"2025-11-25","capabilities":{"resources":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"resources/read"'*) call=$id; printf '{"jsonrpc":"2.0","id":"q","method":"roots/list"}\n' ;;
    *'"q"'*) reply "$call" '{"contents":[{"uri":"r://x","text":"given"}]}' ;;
    *'"tools/list"'*) reply "$id" '{"tools":[]}' ;;
    *'"resources/list"'*) reply "$id" '{"resources":[]}' ;;
    *'"resources/templates/list"'*) reply "$id" '{"resourceTemplates":[]}' ;;
    *'"ping"'*) reply "$id" '{}' ;;
    *'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
  esac
done
"#;

#[test]
fn a_resource_that_nobody_lists_may_be_asked_about_too() {
    let gateway = TestGateway::builder()
        .server("one", |s| s.env("FX_RESOURCES", "r://a"))
        .server("two", |s| s.shell(ASKS))
        .start();
    let client = client(&gateway, "modern");
    let asked = client.result("resources/read", json!({"uri": "r://x"}));
    assert_eq!(asked["inputRequests"]["question"]["method"], "roots/list", "{asked}");
    let retry = json!({"uri": "r://x", "requestState": asked["requestState"],
        "inputResponses": {"question": {"roots": []}}});
    let result = client.result("resources/read", retry);
    assert_eq!(result["contents"][0]["text"], "given", "{result}");
}

#[test]
fn a_question_that_no_revision_has_is_answered_for_the_client() {
    let unheard_of = ASKS.replace("roots/list", "foo/bar").replace(r#"*'"q"'*"#, r#"*'"q"'*-32601*"#);
    let gateway = TestGateway::builder().server("one", |s| s.shell(&unheard_of)).start();
    let result = client(&gateway, "modern").result("resources/read", json!({"uri": "r://x"}));
    assert_eq!(result["contents"][0]["text"], "given", "{result}");
}

#[test]
fn a_question_in_a_way_that_the_client_does_not_offer_names_that_way() {
    let fails = r#"printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32603}}\n' "$call""#;
    let asks = ASKS
        .replace(r#""roots/list""#, r#""elicitation/create","params":{"mode":"url"}"#)
        .replace(r#"reply "$call" '{"contents":[{"uri":"r://x","text":"given"}]}'"#, fails);
    let gateway = TestGateway::builder().server("one", |s| s.shell(&asks)).start();
    let client = Client::modern_with(gateway.http(), json!({"elicitation": {"form": {}}}));
    let error = client.error("resources/read", json!({"uri": "r://x"}));
    assert_eq!(error["code"], -32021, "{error}");
    assert_eq!(error["data"]["requiredCapabilities"], json!({"elicitation": {"url": {}}}), "{error}");
}

/// A legacy server whose tool `act` waits, or asks for roots and then ends both calls.
const WAITS: &str = r#"*'"act"'*'"waiting"'*) reply "$id" "{\"content\":[],\"structuredContent\":{\"waits\":${waits:-0}}}" ;;
    *'"act"'*'"wait"'*) waits=$id ;;
    *'"act"'*) call=$id; say '"id":"q","method":"roots/list"' ;;
    *'"id":"q"'*) reply "$call" '{"content":[],"structuredContent":{"asked":true}}'; reply "$waits" '{"content":[]}' ;;"#;

#[test]
fn one_modern_client_may_be_asked_while_another_call_of_its_own_is_under_way() {
    let gateway = crate::said::gateway_with(WAITS, |builder| builder.setting(crate::tasks::KEYS));
    let http = || gateway.http().with_key(crate::tasks::KEYED[0]);
    let client = Client::modern_with(http(), capabilities());
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            Client::modern_with(http(), capabilities()).call("act", json!({"wait": 1}))["content"].clone()
        });
        testkit::eventually("the other call is under way", || {
            (client.call("act", json!({"waiting": 1}))["structuredContent"]["waits"] != 0).then_some(())
        });
        let (asked, reply) = converse(&client, "act", &json!({}));
        assert_eq!(asked, ["roots/list"], "{reply}");
        assert_eq!(reply["result"]["structuredContent"], json!({"asked": true}), "{reply}");
        assert_eq!(other.join().expect("it ends"), json!([]));
    });
}

#[test]
fn one_modern_client_over_pipes_too() {
    let folder = testkit::Folder::new();
    let path = folder.write("server.sh", &crate::said::script(WAITS));
    let path = path.to_str().expect("the path of a folder is UTF-8").to_owned();
    let mut desktop = crate::stdio::Desktop::start(|s| s.command("sh").args(&[&path]));
    let dress = |mut params: Value| {
        params["_meta"] = testkit::modern_meta(&capabilities());
        params
    };
    let act = |arguments: Value| dress(json!({"name": "act", "arguments": arguments}));
    let waits = desktop.stdio.request("tools/call", act(json!({"wait": 1})));
    testkit::eventually("the other call is under way", || {
        let asked = desktop.stdio.ask("tools/call", act(json!({"waiting": 1})));
        (asked["result"]["structuredContent"]["waits"] != 0).then_some(())
    });
    let asked = desktop.stdio.ask("tools/call", act(json!({})));
    assert_eq!(asked["result"]["inputRequests"]["question"]["method"], "roots/list", "{asked}");
    let mut retry = json!({"name": "act", "arguments": {}, "requestState": asked["result"]["requestState"]});
    retry["inputResponses"] = json!({"question": {"roots": []}});
    let id = desktop.stdio.request("tools/call", dress(retry));
    let mut ended = [desktop.stdio.read()["id"].clone(), desktop.stdio.read()["id"].clone()];
    ended.sort_by_key(Value::as_u64);
    assert_eq!(ended, [json!(waits), json!(id)]);
}
