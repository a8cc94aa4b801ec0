//! What is offered after a step, in both forms, and what is recorded when it is taken (spec 4.7).

use super::*;
use testkit::Folder;

/// The reply after the first step of a workflow with these branches, whose activity gives that data.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "callers write the value in place")]
fn offered(data: &Value, suggestions: &Value, branches: Value) -> (TestGateway, Value) {
    let source = format!("return {{data: {data}, toolCallSuggestions: {suggestions}}}");
    let steps = [json!({"activity": "offer", "input": {"in": 5}, "branches": branches}), json!("tag")];
    let gateway = single(&[script("offer", &source)], &steps);
    let reply = Client::legacy(gateway.http()).call("w_start", json!({}));
    (gateway, reply)
}

/// The options of a reply.
fn list(reply: &Value) -> &Vec<Value> {
    reply["structuredContent"]["nextStepOptions"].as_array().expect("a list")
}

#[test]
fn patterns_are_compared_as_text_at_a_path_ignoring_case() {
    let data = json!({"a": {"b": [{"c": "Yes"}]}, "n": 5, "t": true, "e": ""});
    let to = |name: &str| json!({"toolName": name});
    let branches = json!({
        "a.b.0.c:yEs": to("path"), "n:5": to("number"), "t:TRUE": to("truth"), "e:": to("empty"),
        "a.b.1.c:yes": to("beyond"), "missing:undefined": to("missing"), "n": to("colon"), "n:6": to("six"),
    });
    let (_, reply) = offered(&data, &json!([]), branches);
    let names: Vec<_> = options(&reply).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["path", "number", "truth", "empty", "w_continue"]);
}

#[test]
fn predicates_see_result_memory_and_input() {
    let branches = json!([
        {"when": "result.n > 3", "call": "big_start", "with": {"level": "high"}, "description": "Offer advice"},
        {"when": "memory.offer.n === 4 && input.in === 5", "call": "seen_start"},
        {"when": "result.n > 100", "call": "no_start"},
        {"when": "result.nothing.there", "call": "throws_start"},
    ]);
    let (_, reply) = offered(&json!({"n": 4}), &json!([]), branches);
    let session = id(&reply);
    let all = list(&reply);
    assert_eq!(
        all[0],
        json!({"toolName": "big_start", "parameters": {"sessionId": session, "level": "high", "n": 4},
            "condition": "Offer advice", "priority": 100})
    );
    assert_eq!(
        (&all[1]["toolName"], &all[1]["condition"]),
        (&json!("seen_start"), &json!("Branch: seen_start"))
    );
    assert_eq!(all.len(), 3, "one that is false or throws is not offered: {all:?}");
    assert_eq!(all[2]["toolName"], "w_continue");
}

#[test]
fn nothing_can_replace_the_real_session_id() {
    let forged = json!({"sessionId": "forged", "x": 1});
    let suggestions =
        json!([{"toolName": "s_start", "parameters": forged, "priority": 1, "metadata": {"why": "so"}}]);
    let branches = json!({"x:1": {"toolName": "b_start", "parameters": {"sessionId": "forged", "y": 2}}});
    let (_, reply) = offered(&forged, &suggestions, branches);
    let session = id(&reply);
    for option in list(&reply) {
        assert_eq!(option["parameters"]["sessionId"], session.as_str(), "{option}");
    }
    assert_eq!(list(&reply)[0]["parameters"], json!({"sessionId": session, "y": 2, "x": 1}));
    assert_eq!(list(&reply)[2]["metadata"], json!({"why": "so"}));
}

#[test]
fn a_branch_to_continue_is_offered_once_without_the_data() {
    let branches = json!({"x:1": {"toolName": "w_continue", "parameters": {"hint": "go"}}});
    let (gateway, reply) = offered(&json!({"x": 1}), &json!([]), branches);
    let session = id(&reply);
    assert_eq!(
        *list(&reply),
        [
            json!({"toolName": "w_continue", "parameters": {"sessionId": session, "hint": "go", "expectedStep": 1},
            "condition": "Branch condition: x:1", "priority": 100})
        ]
    );
    assert_eq!(reply["_meta"]["branchingEnabled"], false);
    let client = Client::legacy(gateway.http());
    client.call("w_continue", list(&reply)[0]["parameters"].clone());
    let session = super::session(&gateway, &session);
    assert_eq!(session["branchHistory"][0]["branchPattern"], "x:1");
    assert_eq!(session["memory"]["tag"]["got"], json!({"x": 1, "hint": "go"}));
}

#[test]
fn ties_keep_their_order() {
    let suggestions = json!([
        {"toolName": "s100", "parameters": {}, "priority": 100},
        {"toolName": "s50", "parameters": {}, "priority": 50},
        {"toolName": "none1", "parameters": {}}, {"toolName": "zero", "parameters": {}, "priority": 0},
    ]);
    let branches = json!({"x:1": {"toolName": "b1"}, "x:01": {"toolName": "no"}, "y:2": {"toolName": "b2"}});
    let (_, reply) = offered(&json!({"x": 1, "y": 2}), &suggestions, branches);
    let names: Vec<_> = options(&reply).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["s100", "b1", "b2", "s50", "w_continue", "none1", "zero"]);
}

#[test]
fn the_last_step_offers_nothing() {
    let source = "return {data: {x: 1}, toolCallSuggestions: [{toolName: 's', parameters: {}}]}";
    let gateway = single(
        &[script("last", source)],
        &[json!({"activity": "last", "branches": {"x:1": {"toolName": "b"}}})],
    );
    let reply = Client::legacy(gateway.http()).call("w_start", json!({}));
    assert_eq!(reply["structuredContent"]["status"], "completed");
    assert!(reply["structuredContent"].get("nextStepOptions").is_none());
    assert!(only(&gateway, "w")["history"][0].get("branchOptions").is_none());
}

#[test]
fn the_default_continue_is_recorded_as_a_decision_without_a_pattern() {
    let gateway = start(&[calc()]);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("calc_start", json!({"a": 1, "b": 2})));
    client.call("calc_continue", json!({"sessionId": session}));
    let session = super::session(&gateway, &session);
    let decision = session["branchHistory"][0].as_object().expect("an object");
    assert_eq!(decision.keys().collect::<Vec<_>>(), ["stepIndex", "toolName", "timestamp"]);
    assert_eq!((&decision["stepIndex"], &decision["toolName"]), (&json!(0), &json!("calc_continue")));
}

#[test]
fn a_tool_of_a_server_that_was_offered_is_recorded_when_it_is_called() {
    let branches = json!({"x:1": {"toolName": "echo"}});
    let steps = [json!({"activity": "offer", "branches": branches}), json!("tag")];
    let all = [script("offer", "return {data: {x: 1}}"), script("tag", "return {}")];
    let gateway = served(&all, &[workflow("w", &steps)], |server| server).start();
    let client = Client::legacy(gateway.http());
    let over_mcp = client.call("w_start", json!({}));
    client.call("echo", list(&over_mcp)[0]["parameters"].clone());
    let by = |path: &str, body: Value| {
        let request = Request::new("POST", path).header("X-Client-Id", "rest");
        let reply = gateway.http().send(&request.body("application/json", body.to_string()));
        reply.expect_status(200);
        reply.body
    };
    let over_rest = by("/api/workflows/config:w/execute", json!({}));
    by(
        "/mcp/call",
        json!({"server": "test-server", "toolName": "echo", "input": list(&over_rest)[0]["parameters"]}),
    );
    for reply in [over_mcp, over_rest] {
        let decision = session(&gateway, &id(&reply))["branchHistory"][0].clone();
        assert_eq!((&decision["toolName"], &decision["branchPattern"]), (&json!("echo"), &json!("x:1")));
    }
}

#[test]
fn taking_an_offered_status_pause_or_cancel_is_recorded() {
    for face in ["status", "pause", "cancel"] {
        let tool = format!("w_{face}");
        let (gateway, reply) = offered(&json!({"n": 5}), &json!([]), json!({"n:5": {"toolName": tool}}));
        let session = id(&reply);
        let client = Client::legacy(gateway.http());
        client.call(&tool, json!({"sessionId": session}));
        let found = super::session(&gateway, &session)["branchHistory"].clone();
        let decision = &found[0];
        assert_eq!(
            (&decision["stepIndex"], &decision["branchPattern"], &decision["toolName"]),
            (&json!(0), &json!("n:5"), &json!(tool)),
            "{found}"
        );
        let (gateway, reply) = offered(&json!({"n": 5}), &json!([]), json!({}));
        let session = id(&reply);
        Client::legacy(gateway.http()).call(&tool, json!({"sessionId": session}));
        assert_eq!(
            super::session(&gateway, &session)["branchHistory"],
            json!([]),
            "what was not offered is not"
        );
    }
}

#[test]
fn a_pause_or_cancel_that_is_refused_is_no_choice() {
    for (face, refused) in [
        ("pause", [json!({"expectedStep": "1"}), json!({"expectedStep": 2})]),
        ("cancel", [json!({"compensate": "yes"}), json!({"compensate": 1})]),
    ] {
        let tool = format!("w_{face}");
        let (gateway, reply) = offered(&json!({"n": 5}), &json!([]), json!({"n:5": {"toolName": tool}}));
        let (session, client) = (id(&reply), Client::legacy(gateway.http()));
        let path = format!("/api/sessions/{session}/{face}");
        let call = |arguments: &Value| {
            let by_tool = client.call(&tool, with(json!({"sessionId": session}), arguments.clone()));
            [by_tool, gateway.post(&path, arguments.clone()).body]
        };
        let chosen = || super::session(&gateway, &session)["branchHistory"].as_array().map_or(0, Vec::len);
        for arguments in &refused {
            call(arguments).iter().for_each(|reply| _ = failure(reply));
        }
        assert_eq!(chosen(), 0, "{face}");
        let [done, again] = call(&json!({}));
        assert!(text(&done).contains("has been"), "{done}");
        failure(&again);
        assert_eq!(chosen(), 1, "{face}");
    }
}

#[test]
fn a_start_that_is_repeated_with_its_key_is_one_choice() {
    let branches = json!({"valid:false": {"toolName": "calc_start"}});
    let flow = workflow("w", &[json!({"activity": "check", "branches": branches}), json!("tag")]);
    let gateway = start(&[flow, calc()]);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("w_start", json!({"valid": false})));
    let begin = |key: Option<&str>| json!({"a": 1, "b": 2, "sessionId": session, "idempotencyKey": key});
    let first = client.call("calc_start", begin(Some("k")));
    assert_eq!(client.call("calc_start", begin(Some("k"))), first);
    let gateway = gateway.reopen();
    let client = Client::legacy(gateway.http());
    assert_eq!(client.call("calc_start", begin(Some("k"))), first);
    let taken = || super::session(&gateway, &session)["branchHistory"].as_array().map_or(0, Vec::len);
    assert_eq!(taken(), 1, "the same start");
    client.call("calc_start", begin(Some("l")));
    assert_eq!(taken(), 2, "another start");
    client.call("calc_start", begin(None));
    client.call("calc_start", begin(None));
    assert_eq!(taken(), 4, "whoever gives no key starts anew");
    failure(&client.call("calc_start", begin(Some(""))));
    assert_eq!(taken(), 4, "what is refused chooses nothing");
}

#[test]
fn a_suggestion_without_parameters_has_none_of_its_own() {
    for suggestion in [
        json!({"toolName": "bare", "priority": 60}),
        json!({"toolName": "bare", "priority": 60, "parameters": null}),
    ] {
        let (_, reply) = offered(&json!({"n": 1}), &json!([suggestion]), json!({}));
        let bare = json!({"toolName": "bare", "parameters": {"sessionId": id(&reply)}, "priority": 60});
        assert_eq!(list(&reply)[0], bare);
    }
}

#[test]
fn a_branch_without_parameters_is_offered_with_the_data_alone() {
    let pattern = |target: Value| json!({"n:1": target});
    let predicate = |with: Value| json!([{"when": "true", "call": "bare", "with": with}]);
    for branches in [
        pattern(json!({"toolName": "bare"})),
        pattern(json!({"toolName": "bare", "parameters": null})),
        predicate(Value::Null),
    ] {
        let (_, reply) = offered(&json!({"n": 1}), &json!([]), branches.clone());
        assert_eq!(list(&reply)[0]["parameters"], json!({"sessionId": id(&reply), "n": 1}), "{branches}");
    }
}

#[test]
fn a_tool_of_a_server_is_recorded_under_the_name_that_was_offered() {
    for (tool, called) in [("echo", "test-server__echo"), ("test-server__echo", "echo")] {
        let branches = json!({"n:5": {"toolName": tool}});
        for over_rest in [false, true] {
            let (gateway, reply) = offered(&json!({"n": 5}), &json!([]), branches.clone());
            let (session, parameters) = (id(&reply), list(&reply)[0]["parameters"].clone());
            match over_rest {
                false => _ = Client::legacy(gateway.http()).call(called, parameters),
                true => {
                    let body = json!({"server": "test-server", "toolName": "echo", "input": parameters});
                    let client = super::session(&gateway, &session)["clientId"].clone();
                    post_as(&gateway, client.as_str().expect("a name"), "/mcp/call", body).expect_status(200);
                }
            }
            let taken = super::session(&gateway, &session)["branchHistory"].clone();
            assert_eq!(taken.as_array().map(Vec::len), Some(1), "{taken}");
            assert_eq!((&taken[0]["toolName"], &taken[0]["branchPattern"]), (&json!(tool), &json!("n:5")));
        }
    }
    let both = json!({"n:5": {"toolName": "echo"}, "n:05": {"toolName": "no"}});
    let long = json!([{"toolName": "test-server__echo", "parameters": {}}]);
    let (gateway, reply) = offered(&json!({"n": 5}), &long, both);
    Client::legacy(gateway.http()).call("test-server__echo", json!({"sessionId": id(&reply)}));
    let taken = super::session(&gateway, &id(&reply))["branchHistory"].clone();
    assert_eq!(taken.as_array().map(Vec::len), Some(1), "one call is one choice: {taken}");
    assert_eq!(taken[0]["toolName"], "test-server__echo", "{taken}");
}

#[test]
fn a_call_that_is_blocked_or_leads_nowhere_is_no_choice() {
    let branches = json!({"n:5": {"toolName": "echo"}, "n:05": {"toolName": "no"}});
    let nowhere = json!([{"toolName": "nowhere", "parameters": {}}]);
    let (gateway, reply) = offered(&json!({"n": 5}), &nowhere, branches);
    let session = id(&reply);
    let client = Client::legacy(gateway.http());
    client.call_error("nowhere", json!({"sessionId": session}));
    let by = super::session(&gateway, &session)["clientId"].as_str().expect("a name").to_owned();
    let over_rest = |tool: &str, status: u16| {
        let body = json!({"server": "test-server", "toolName": tool, "input": {"sessionId": session}});
        post_as(&gateway, &by, "/mcp/call", body).expect_status(status);
    };
    over_rest("nowhere", 404);
    let hook = json!({"name": "no", "hookType": "pre",
        "script": "if (context.toolName === 'echo') return {continue: false, error: {code: 'NO', message: 'not today'}}"});
    let hook = gateway.post("/api/hooks", hook);
    hook.expect_status(201);
    client.call_error("echo", json!({"sessionId": session}));
    over_rest("echo", 400);
    let taken = || super::session(&gateway, &session)["branchHistory"].as_array().map_or(0, Vec::len);
    assert_eq!(taken(), 0);
    let id = hook.body["id"].as_str().expect("an id");
    gateway.delete(&format!("/api/hooks/{id}")).expect_status(204);
    let strips = json!({"name": "strips", "hookType": "pre",
        "script": "delete context.request.params.arguments.sessionId"});
    gateway.post("/api/hooks", strips).expect_status(201);
    client.call("echo", json!({"sessionId": session}));
    assert_eq!(taken(), 1, "once nobody blocks it, whatever hooks make of it");
}

/// A modern server whose tool `act` wants to be called twice more, each time with the state that it gave last.
const ROUNDS: &str = r#"
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":%s}}\n' "$id" "$1"; }
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"server/discover"'*) reply '"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}' ;;
    *'"tools/list"'*) reply '"complete","tools":[{"name":"act","inputSchema":{"type":"object"}}]' ;;
    *'"requestState":"2"'*) reply '"complete","content":[]' ;;
    *'"requestState":"1"'*) reply '"input_required","requestState":"2"' ;;
    *'"tools/call"'*) reply '"input_required","requestState":"1"' ;;
  esac
done
"#;

#[test]
fn a_call_in_several_rounds_is_one_choice_whatever_its_server_asks() {
    let folder = Folder::new();
    let path = folder.write("rounds.sh", ROUNDS);
    let path = path.to_str().expect("the path of a folder is UTF-8");
    let branches = json!({"valid:true": {"toolName": "act"}});
    let flow = workflow("w", &[json!({"activity": "check", "branches": branches}), json!("tag")]);
    let gateway = builder(&standard(), &[flow]).server("new", |s| s.command("sh").args(&[path]));
    let gateway = gateway.start_in(folder);
    for client in clients(&gateway) {
        let session = id(&client.call("w_start", json!({"valid": true})));
        let mut call = json!({"name": "act", "arguments": {"sessionId": session}});
        let mut reply = client.result("tools/call", call.clone());
        while reply["resultType"] == "input_required" {
            call["requestState"] = reply["requestState"].clone();
            reply = client.result("tools/call", call.clone());
        }
        let taken = super::session(&gateway, &session)["branchHistory"].clone();
        assert_eq!(taken.as_array().map(Vec::len), Some(1), "{taken}");
    }
}
