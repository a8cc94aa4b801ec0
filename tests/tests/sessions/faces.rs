//! The further faces of a session workflow towards modern clients: rounds of one tool, and tasks.

use super::*;

const INFO: &str = "io.modelcontextprotocol/serverInfo";

/// A workflow `w` whose second step must be allowed.
fn gateway() -> TestGateway {
    single(&[], &[json!("add"), json!({"activity": "double", "approve": true}), json!("tag")])
}

/// A modern client that can be asked, with these extensions.
#[expect(clippy::needless_pass_by_value, reason = "callers write the value in place")]
fn client(gateway: &TestGateway, extensions: Value) -> Client {
    Client::modern_with(gateway.http(), json!({"elicitation": {}, "extensions": extensions}))
}

/// The parameters of a call that answers a round.
#[expect(clippy::needless_pass_by_value, reason = "callers write the value in place")]
fn answer(tool: &str, asked: &Value, responses: Value) -> Value {
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert_eq!(asked["_meta"][INFO]["name"], "lockgate", "{asked}");
    json!({"name": tool, "arguments": {}, "inputResponses": responses, "requestState": asked["requestState"]})
}

fn allow(allow: bool) -> Value {
    json!({"approval": {"action": "accept", "content": {"allow": allow, "reason": "because"}}})
}

/// The answer that allows what a task asks for.
#[track_caller]
fn allow_task(asked: &Value) -> Value {
    let requests = asked["inputRequests"].as_object().expect("questions");
    let (key, request) = requests.iter().next().expect("a question");
    assert_eq!((requests.len(), &request["method"]), (1, &json!("elicitation/create")), "{asked}");
    json!({key: {"action": "accept", "content": {"allow": true, "reason": "because"}}})
}

#[test]
fn modern_clients_hear_that_a_session_may_become_a_task() {
    let gateway = gateway();
    let found = client(&gateway, json!({})).result("server/discover", json!({}));
    assert_eq!(found["capabilities"]["extensions"], json!({"io.modelcontextprotocol/tasks": {}}), "{found}");
    let greeted = gateway.http().send(&Client::initialize("2025-11-25", &json!({}))).body;
    assert_eq!(greeted["result"]["capabilities"].get("extensions"), None, "{greeted}");
}

#[test]
fn an_answer_that_comes_twice_does_not_allow_the_next_step_of_a_task() {
    let approved = |name: &str| json!({"activity": name, "approve": true});
    let gateway = single(&[], &[json!("add"), approved("double"), approved("tag")]);
    let client = client(&gateway, json!({"io.modelcontextprotocol/tasks": {}}));
    let task = client.call("w_start", json!({"a": 5, "b": 3, "maxSteps": "all"}));
    let id = task["taskId"].as_str().expect("an id").to_owned();
    let asked = |step: u64| {
        eventually("the step waits", || {
            let waits = session(&gateway, &id)["waiting"]["stepIndex"] == step;
            waits.then(|| client.result("tasks/get", json!({"taskId": id})))
        })
    };
    let first = allow_task(&asked(1));
    client.result("tasks/update", json!({"taskId": id, "inputResponses": first}));
    let second = allow_task(&asked(2));
    assert_ne!(first, second, "every question has a name of its own");
    client.result("tasks/update", json!({"taskId": id, "inputResponses": first}));
    client.result("tasks/update", json!({"taskId": id, "inputResponses": allow(true)}));
    assert_eq!(session(&gateway, &id)["waiting"]["stepIndex"], 2, "it still waits");
    client.result("tasks/update", json!({"taskId": id, "inputResponses": second}));
    wait_status(&gateway, &id, "completed");
}

#[test]
fn a_client_that_can_be_asked_answers_an_approval_in_a_round() {
    let gateway = gateway();
    let client = client(&gateway, json!({}));
    let ask = || {
        let session = id(&client.call("w_start", json!({"a": 5, "b": 3})));
        client.call("w_continue", json!({"sessionId": session}))
    };
    let asked = ask();
    assert_eq!(asked["inputRequests"]["approval"]["method"], "elicitation/create", "{asked}");
    let reply = client.result("tools/call", answer("w_continue", &asked, allow(true)));
    assert_eq!(said(&reply)["result"], json!({"result": 16}));
    let reply = client.result("tools/call", answer("w_continue", &ask(), allow(false)));
    assert_eq!(failure(&reply), "Workflow failed at step 1 (double): Approval refused: because");
    let later =
        client.result("tools/call", answer("w_continue", &ask(), json!({"approval": {"action": "cancel"}})));
    assert_eq!(later["resultType"], "input_required", "whoever puts it off is asked again: {later}");
}

#[test]
fn a_round_that_was_answered_cannot_be_put_off_any_more() {
    let gateway = start(&[calc()]);
    let client = client(&gateway, json!({"lockgate/workflow": {}}));
    let asked = client.call("calc_start", json!({"a": 5, "b": 3}));
    let next = |action: &str| {
        answer(
            "calc_start",
            &asked,
            json!({"next": {"action": action, "content": {"next": "calc_continue"}}}),
        )
    };
    client.result("tools/call", next("accept"));
    let late = client.result("tools/call", next("decline"));
    assert!(failure(&late).ends_with("stands at step 2; it is not paused."), "{late}");
    assert_eq!(only(&gateway, "calc")["status"], "running");
    let asked = client.call("calc_start", json!({"a": 5, "b": 3}));
    let declined = answer("calc_start", &asked, json!({"next": {"action": "decline"}}));
    assert!(text(&client.result("tools/call", declined)).ends_with("has been paused."));
}

#[test]
fn the_state_of_a_round_is_sealed_and_belongs_to_its_client_and_tool() {
    let gateway = gateway();
    let client = client(&gateway, json!({}));
    let session = id(&client.call("w_start", json!({"a": 5, "b": 3})));
    let asked = client.call("w_continue", json!({"sessionId": session}));
    let good = answer("w_continue", &asked, allow(true));
    let mut forged = good.clone();
    forged["requestState"] = format!("{}x", good["requestState"].as_str().expect("a text")).into();
    let other_tool = with(good.clone(), json!({"name": "w_status"}));
    let ben = json!({"io.modelcontextprotocol/clientInfo": {"name": "ben", "version": "1"}});
    let other_client = with(good.clone(), json!({"_meta": ben}));
    for wrong in [forged, other_tool, other_client] {
        assert_eq!(client.error("tools/call", wrong)["code"], -32602);
    }
    assert_eq!(super::session(&gateway, &session)["currentStep"], 0);
    said(&client.result("tools/call", good));
}

#[test]
fn a_client_that_wants_it_gets_every_step_as_a_round_of_one_tool() {
    let gateway = start(&[calc()]);
    let client = client(&gateway, json!({"lockgate/workflow": {}}));
    let mut reply = client.call("calc_start", json!({"a": 5, "b": 3}));
    let next = json!({"next": {"action": "accept", "content": {"next": "calc_continue"}}});
    for _ in 0..2 {
        assert_eq!(reply["inputRequests"]["next"]["method"], "elicitation/create", "{reply}");
        reply = client.result("tools/call", answer("calc_start", &reply, next.clone()));
    }
    assert_eq!(said(&reply)["results"]["double"], json!({"result": 16}));
    assert_eq!(gateway.get("/api/sessions/stats").body["byStatus"]["completed"], 1);
}

#[test]
fn a_long_start_is_a_task_for_a_client_that_knows_tasks() {
    let gateway = gateway();
    let client = client(&gateway, json!({"io.modelcontextprotocol/tasks": {}}));
    let task = client.call("w_start", json!({"a": 5, "b": 3, "maxSteps": "all"}));
    assert_eq!(task["resultType"], "task", "{task}");
    assert_eq!(task["_meta"][INFO]["name"], "lockgate", "{task}");
    let id = task["taskId"].as_str().expect("an id").to_owned();
    let poll = |status: &str| {
        eventually(&format!("the task is {status}"), || {
            let task = client.result("tasks/get", json!({"taskId": id}));
            (task["status"] == status).then_some(task)
        })
    };
    let asked = poll("input_required");
    let responses = allow_task(&asked);
    client.result("tasks/update", json!({"taskId": id, "inputResponses": responses}));
    let done = poll("completed");
    assert_eq!(said(&done["result"])["results"]["double"], json!({"result": 16}), "{done}");
    assert_eq!(session(&gateway, &id)["status"], "completed", "the session underneath is the same");
}

#[test]
fn hooks_see_a_task_that_is_cancelled_and_the_result_of_one_that_is_fetched() {
    let gateway = gateway();
    let client = client(&gateway, json!({"io.modelcontextprotocol/tasks": {}}));
    let begin = || {
        let task = client.call("w_start", json!({"a": 5, "b": 3, "maxSteps": "all"}));
        let id = task["taskId"].as_str().expect("an id").to_owned();
        let waits = || (session(&gateway, &id)["waiting"]["for"] == "approval").then_some(());
        eventually("it waits for the approval", waits);
        id
    };
    let (kept, ended) = (begin(), begin());
    let hook = |kind: &str, script: &str| {
        let body = json!({"name": kind, "hookType": kind, "enabled": true, "script": script});
        gateway.post("/api/hooks", body).expect_status(201);
    };
    hook("pre", "if (context.toolName === 'w_cancel') return {continue: false, error: {message: 'not now'}}");
    let refused = client.error("tasks/cancel", json!({"taskId": kept}));
    assert_eq!(refused["message"], "not now", "{refused}");
    assert_eq!(session(&gateway, &kept)["status"], "running");
    hook(
        "post",
        "if (context.toolName === 'w_start') context.response.seen = context.request.params.arguments; \
        return {continue: true, context}",
    );
    let asked = client.result("tasks/get", json!({"taskId": ended}));
    client.result("tasks/update", json!({"taskId": ended, "inputResponses": allow_task(&asked)}));
    let done = eventually("the task is completed", || {
        let task = client.result("tasks/get", json!({"taskId": ended}));
        (task["status"] == "completed").then_some(task)
    });
    assert_eq!(done["result"]["seen"], json!({"a": 5, "b": 3}), "{done}");
    let plain = |id: &str, kind: &str| json!({"id": id, "type": kind, "data": {}});
    let script = "context.response.passed = `${context.toolName} ${context.response.seen}`";
    let after =
        json!({"id": "a", "type": "hook", "data": {"hook": {"id": "a", "script": script, "blocking": true}}});
    let edge = |from: &str, to: &str| json!({"source": from, "target": to});
    let graph = json!({
        "name": "g", "workflowType": "tools/call", "enabled": true,
        "nodes": [plain("s", "start"), plain("c", "mcp-call"), after, plain("e", "end")],
        "edges": [edge("s", "c"), edge("c", "a"), edge("a", "e")],
    });
    gateway.post("/api/workflows", graph).expect_status(201);
    let done = client.result("tasks/get", json!({"taskId": ended}));
    assert_eq!(done["result"]["passed"], "w_start undefined", "the graph is inside of the list: {done}");
    assert_eq!(done["result"]["seen"], json!({"a": 5, "b": 3}), "{done}");
}

#[test]
fn a_task_that_has_run_as_far_as_it_was_to_is_completed_and_one_that_is_cancelled_has_no_result() {
    let gateway =
        start(&[calc(), workflow("asks", &[json!("add"), json!({"activity": "tag", "approve": true})])]);
    let client = client(&gateway, json!({"io.modelcontextprotocol/tasks": {}}));
    let ended = |id: &str| {
        eventually("the task is over", || {
            let task = client.result("tasks/get", json!({"taskId": id}));
            (task["status"] != "working" && task["status"] != "input_required").then_some(task)
        })
    };
    for (steps, step) in [
        (json!(2), "Step 1 (double) completed successfully"),
        (json!(1), "Step 0 (add) completed successfully"),
    ] {
        let task = client.call("calc_start", json!({"a": 5, "b": 3, "maxSteps": steps}));
        let task = ended(task["taskId"].as_str().expect("an id"));
        assert_eq!(
            (&task["status"], &said(&task["result"])["message"]),
            (&json!("completed"), &json!(step)),
            "{task}"
        );
    }
    let task = client.call("asks_start", json!({"a": 5, "b": 3, "maxSteps": "all"}));
    let id = task["taskId"].as_str().expect("an id").to_owned();
    eventually("it asks", || {
        (client.result("tasks/get", json!({"taskId": id}))["status"] == "input_required").then_some(())
    });
    client.result("tasks/cancel", json!({"taskId": id}));
    let task = ended(&id);
    assert_eq!((&task["status"], task.get("result")), (&json!("cancelled"), None), "{task}");
}

#[test]
fn a_task_that_is_completed_stays_so_whatever_becomes_of_its_session() {
    let steps = [json!("add"), json!({"activity": "double", "approve": true}), json!("tag")];
    let gateway = single(&[], &steps);
    let client = client(&gateway, json!({"io.modelcontextprotocol/tasks": {}}));
    let task = client.call("w_start", json!({"a": 5, "b": 3, "maxSteps": 1}));
    let id = task["taskId"].as_str().expect("an id").to_owned();
    let get = || client.result("tasks/get", json!({"taskId": id}));
    let done = eventually("the task is over", || Some(get()).filter(|task| task["status"] == "completed"));
    assert_eq!(said(&done["result"])["message"], "Step 0 (add) completed successfully");
    let same = |when: &str| {
        let task = get();
        assert_eq!((&task["status"], &task["result"]), (&json!("completed"), &done["result"]), "{when}");
        assert_eq!(task.get("inputRequests"), None, "{when}: {task}");
    };
    Client::legacy(gateway.http()).call("w_continue", json!({"sessionId": id}));
    assert_eq!(session(&gateway, &id)["waiting"]["for"], "approval");
    same("a later call waits for an approval");
    client.result("tasks/update", json!({"taskId": id, "inputResponses": allow(true)}));
    client.result("tasks/cancel", json!({"taskId": id}));
    assert_eq!(session(&gateway, &id)["status"], "running", "there was nothing to cancel");
    gateway.post(&format!("/api/sessions/{id}/cancel"), json!({})).expect_status(200);
    assert_eq!(session(&gateway, &id)["status"], "cancelled");
    same("the session is cancelled");
}

#[test]
fn a_task_asks_its_client_what_a_session_asks_that_runs_as_its_step() {
    let nest = |name: &str, inner: &str| json!({"name": name, "run": {"workflow": {"name": inner}}});
    let activities = [standard(), vec![nest("middle", "inner"), nest("nest", "between")]].concat();
    let flows = [
        workflow("inner", &[json!({"activity": "tag", "approve": {"message": "Well?"}})]),
        workflow("between", &[json!("middle")]),
        workflow("w", &[json!("add"), json!("nest")]),
    ];
    let gateway = builder(&activities, &flows).start();
    let client = client(&gateway, json!({"io.modelcontextprotocol/tasks": {}}));
    let task = client.call("w_start", json!({"a": 5, "b": 3, "maxSteps": "all"}));
    let id = task["taskId"].as_str().expect("an id").to_owned();
    let get = || client.result("tasks/get", json!({"taskId": id}));
    let waits = || (session(&gateway, &id)["waiting"]["for"] == "session").then_some(());
    eventually("it waits for the session of its step", waits);
    let asked = get();
    assert_eq!(asked["status"], "input_required", "{asked}");
    let responses = allow_task(&asked);
    assert!(asked["inputRequests"].to_string().contains("Well?"), "{asked}");
    client.result("tasks/update", json!({"taskId": id, "inputResponses": responses}));
    let done = eventually("the task is over", || Some(get()).filter(|task| task["status"] == "completed"));
    assert_eq!(said(&done["result"])["results"]["nest"]["from"], "tag", "{done}");
}

#[test]
fn a_task_asks_nothing_of_a_client_that_offers_no_elicitation() {
    let gateway = gateway();
    let silent = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let client = Client::modern_with(gateway.http(), silent);
    let task = client.call("w_start", json!({"a": 5, "b": 3, "maxSteps": "all"}));
    let id = task["taskId"].as_str().expect("an id").to_owned();
    let waits = || Some(session(&gateway, &id)["waiting"].clone()).filter(Value::is_object);
    let digest = eventually("it waits to be allowed", waits)["digest"].clone();
    let task = client.result("tasks/get", json!({"taskId": id}));
    assert_eq!((&task["status"], task.get("inputRequests")), (&json!("working"), None), "{task}");
    client.call("w_continue", json!({"sessionId": id, "approval": {"digest": digest, "allow": true}}));
    wait_status(&gateway, &id, "completed");
}

#[test]
fn a_task_does_not_ask_its_client_what_only_the_api_may_answer() {
    let approve = json!({"apiOnly": true});
    let gateway = single(&[], &[json!("add"), json!({"activity": "double", "approve": approve})]);
    let client = client(&gateway, json!({"io.modelcontextprotocol/tasks": {}}));
    let task = client.call("w_start", json!({"a": 5, "b": 3, "maxSteps": "all"}));
    let id = task["taskId"].as_str().expect("an id").to_owned();
    let waiting = eventually("the step waits", || {
        Some(session(&gateway, &id)["waiting"].clone()).filter(|waiting| waiting["for"] == "approval")
    });
    assert_eq!(waiting["apiOnly"], true, "{waiting}");
    let task = client.result("tasks/get", json!({"taskId": id}));
    assert_eq!((&task["status"], task.get("inputRequests")), (&json!("working"), None), "{task}");
    let answer = json!({"digest": waiting["digest"], "allow": true});
    gateway.post(&format!("/api/sessions/{id}/approve"), answer).expect_status(200);
    wait_status(&gateway, &id, "completed");
    assert_eq!(client.result("tasks/get", json!({"taskId": id}))["status"], "completed");
}

#[test]
fn an_answer_that_cannot_be_read_runs_nothing() {
    let gateway = start(&[calc()]);
    let client = client(&gateway, json!({"lockgate/workflow": {}}));
    let asked = client.call("calc_start", json!({"a": 5, "b": 3}));
    let next = |arguments: &str| {
        let content = json!({"next": "calc_continue", "arguments": arguments});
        answer("calc_start", &asked, json!({"next": {"action": "accept", "content": content}}))
    };
    for wrong in ["{result: 1}", "[1]", "7"] {
        let error = client.error("tools/call", next(wrong));
        assert_eq!(
            (&error["code"], &error["message"]),
            (&json!(-32602), &json!("inputResponses do not answer what was asked"))
        );
    }
    assert_eq!(only(&gateway, "calc")["currentStep"], 0);
    client.result("tools/call", next(" "));
    assert_eq!(only(&gateway, "calc")["currentStep"], 1, "a field that was left empty says nothing");
}

/// The answer that chooses what comes next.
fn choose(asked: &Value, content: &Value) -> Value {
    answer("w_start", asked, json!({"next": {"action": "accept", "content": content}}))
}

/// A gateway and a client that gets rounds; `w` offers this tool after its first step.
fn branching(tool: &str) -> (TestGateway, Client) {
    let branches = json!({"valid:false": {"toolName": tool}});
    let flow = workflow("w", &[json!({"activity": "check", "branches": branches}), json!("tag")]);
    let gateway = start(&[flow, calc()]);
    let client = client(&gateway, json!({"lockgate/workflow": {}}));
    (gateway, client)
}

#[test]
fn a_round_that_is_answered_twice_starts_one_session() {
    let (gateway, client) = branching("calc_start");
    let asked = client.call("w_start", json!({"valid": false}));
    let content = json!({"next": "calc_start", "arguments": "{\"a\": 1, \"b\": 2}"});
    let replies =
        [(); 2].map(|()| client.result("tools/call", choose(&asked, &content))["structuredContent"].clone());
    assert_eq!(replies[0]["stepResult"], json!({"result": 3}));
    assert_eq!(replies[0], replies[1], "the recorded reply comes again");
    only(&gateway, "calc");
    assert_eq!(only(&gateway, "w")["branchHistory"].as_array().map(Vec::len), Some(1), "it is one choice");
    let other = client.call("w_start", json!({"valid": false}));
    client.result("tools/call", choose(&other, &content));
    let all = gateway.get("/api/sessions?workflowName=calc").body;
    assert_eq!(all.as_array().map(Vec::len), Some(2), "another round is another start: {all}");
}

#[test]
fn a_tool_of_a_server_may_be_chosen_in_a_round() {
    let (gateway, client) = branching("echo");
    let asked = client.call("w_start", json!({"valid": false}));
    let reply = client.result("tools/call", choose(&asked, &json!({"next": "echo"})));
    let echoed = said(&reply);
    assert_eq!((&echoed["valid"], &echoed["status"]["code"]), (&json!(false), &json!("Approved")), "{reply}");
    let session = only(&gateway, "w");
    assert_eq!(echoed["sessionId"], session["sessionId"], "{reply}");
    assert_eq!(session["branchHistory"][0]["toolName"], "echo", "{session}");
    assert_eq!(gateway.stats("test-server")["calls"], 2, "this call and the chosen one");
}

#[test]
fn a_tool_that_is_chosen_in_a_round_may_ask_its_client() {
    let program = testkit::conformance_fixture();
    let program = program.to_str().expect("the path of the build is UTF-8");
    for era in ["legacy", "modern"] {
        let branches = json!({"valid:false": {"toolName": "test_elicitation"}});
        let flow = workflow("w", &[json!({"activity": "check", "branches": branches}), json!("tag")]);
        let fixture = |server: Server| server.command(program).args(&["--stdio", "--era", era]);
        let gateway = builder(&standard(), &[flow]).server("f", fixture).start();
        let client = client(&gateway, json!({"lockgate/workflow": {}}));
        let round = client.call("w_start", json!({"valid": false}));
        let choice = json!({"next": "test_elicitation", "arguments": "{\"message\": \"Who?\"}"});
        let asked = client.result("tools/call", choose(&round, &choice));
        let (key, question) =
            asked["inputRequests"].as_object().and_then(|all| all.iter().next()).expect("a question");
        assert_eq!(question["params"]["message"], "Who?", "{era}: {asked}");
        let said = json!({"action": "accept", "content": {"username": "u", "email": "e@example.com"}});
        let answered = answer("w_start", &asked, json!({key: said}));
        let mut elsewhere = answered.clone();
        elsewhere["name"] = "w_continue".into();
        assert_eq!(
            client.error("tools/call", elsewhere)["code"],
            -32602,
            "{era}: the state is of another tool"
        );
        let reply = client.result("tools/call", answered);
        assert!(reply.to_string().contains("e@example.com"), "{era}: {reply}");
        let chosen = &only(&gateway, "w")["branchHistory"];
        assert_eq!(
            chosen.as_array().map(Vec::len),
            Some(1),
            "{era}: an answer is no further choice: {chosen}"
        );
    }
}

#[test]
fn a_round_that_is_accepted_without_a_choice_runs_nothing() {
    let (gateway, client) = branching("calc_start");
    let asked = client.call("w_start", json!({"valid": false}));
    let mut bare = choose(&asked, &json!({}));
    bare["inputResponses"]["next"].as_object_mut().expect("an object").shift_remove("content");
    let empty = [json!({}), json!({"next": 5}), json!({"next": null}), json!("w_continue")];
    for wrong in empty.iter().map(|content| choose(&asked, content)).chain([bare]) {
        let refused = client.error("tools/call", wrong);
        assert_eq!(refused["code"], -32602, "{refused}");
    }
    assert_eq!(only(&gateway, "w")["currentStep"], 0);
}
