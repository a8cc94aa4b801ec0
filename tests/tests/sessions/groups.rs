//! Parallel steps, sub-workflows, and several steps in one call (spec 5.2).

use super::*;

/// An activity that gives its own name and input.
fn named(name: &str) -> Value {
    script(name, &format!("return {{data: {{name: '{name}', got: context.input}}}}"))
}

#[test]
fn members_of_a_group_get_the_same_input_and_give_one_output() {
    let steps = [
        json!("add"),
        json!({"parallel": [{"activity": "x"}, {"activity": "y", "input": {"own": 1}}]}),
        json!("tag"),
    ];
    let gateway = single(&[named("x"), named("y")], &steps);
    for client in clients(&gateway) {
        let session = id(&client.call("w_start", json!({"a": 1, "b": 2})));
        let reply = client.call("w_continue", json!({"sessionId": session}));
        let x = json!({"name": "x", "got": {"result": 3}});
        let y = json!({"name": "y", "got": {"own": 1, "result": 3}});
        assert_eq!(reply["structuredContent"]["stepResult"], json!({"x": x, "y": y}));
        assert_eq!(said(&reply)["progress"], json!({"current": 2, "total": 3}), "a group counts as one step");
        let shown = super::session(&gateway, &session);
        assert_eq!((&shown["memory"]["x"], &shown["memory"]["y"]), (&x, &y));
        let history: Vec<_> = shown["history"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| (one["stepIndex"].clone(), one["activityName"].clone()))
            .collect();
        assert_eq!(history, [(json!(0), json!("add")), (json!(1), json!("x")), (json!(1), json!("y"))]);
        let done = said(&client.call("w_continue", json!({"sessionId": session})));
        assert_eq!(done["results"]["tag"]["got"], json!({"x": x, "y": y}));
    }
}

#[test]
fn a_result_that_is_given_for_a_group_is_that_of_its_members() {
    let steps = [json!({"parallel": [{"activity": "x"}, {"activity": "y"}]}), json!("tag")];
    let gateway = single(&[named("x"), named("y")], &steps);
    let client = Client::legacy(gateway.http());
    let before = client.call("w_start", json!({}));
    let result = json!({"x": {"mine": 1}, "other": 2});
    let done = said(&client.call("w_continue", json!({"sessionId": id(&before), "result": result})));
    let y = &said(&before)["result"]["y"];
    let tag = json!({"from": "tag", "got": result});
    let expected = json!({"__workflow_input__": {}, "x": {"mine": 1}, "y": y, "tag": tag});
    assert_eq!(done["results"], expected, "nothing is remembered under another name");
}

#[test]
fn members_of_a_group_run_at_the_same_time() {
    let nap = |name: &str| json!({"name": name, "run": {"tool": {"server": "test-server", "name": "sleep"}}});
    let group = json!({"parallel": [{"activity": "x"}, {"activity": "y"}, {"activity": "z"}]});
    let gateway = builder(&[nap("x"), nap("y"), nap("z")], &[workflow("w", &[group])]).start();
    let done = said(&Client::legacy(gateway.http()).call("w_start", json!({"ms": 700})));
    assert_eq!(done["results"]["z"], json!({"slept": 700}));
    let history = only(&gateway, "w")["history"].clone();
    let times = |key: &str| {
        history.as_array().expect("a list").iter().map(|one| one[key].as_i64()).collect::<Vec<_>>()
    };
    assert!(times("startedAt").iter().max() < times("completedAt").iter().min(), "{history}");
}

#[test]
fn a_required_member_fails_the_group_once_the_others_have_ended() {
    let late = script("late", "await sleep(200); console.log('late'); return {data: {}}");
    let group = |optional: bool| json!({"parallel": [{"activity": "bad", "optional": optional}, {"activity": "late"}]});
    let all = [standard(), vec![late]].concat();
    let gateway =
        builder(&all, &[workflow("hard", &[group(false)]), workflow("soft", &[group(true)])]).start();
    let client = Client::legacy(gateway.http());
    let reply = client.call("hard_start", json!({}));
    assert_eq!(failure(&reply), "Workflow failed at step 0 (parallel): bad: nope");
    expect_times(&gateway, "late", 1);
    assert_eq!(only(&gateway, "hard")["history"].as_array().map(Vec::len), Some(2));
    let done = said(&client.call("soft_start", json!({})));
    assert_eq!(done["results"], json!({"__workflow_input__": {}, "late": {}}));
    assert_eq!(only(&gateway, "soft")["history"][0]["error"], "nope");
}

/// A workflow `outer` whose second step runs `inner`.
fn nested(inner: &[Value]) -> TestGateway {
    let nest = json!({"name": "nest", "description": "Runs inner", "run": {"workflow": {"name": "inner"}}});
    let look = with(script("look", "return {data: context.input}"), json!({}));
    let all = [standard(), vec![nest, look]].concat();
    let outer = workflow("outer", &[json!("look"), json!("nest"), json!("look")]);
    builder(&all, &[outer, workflow("inner", inner)]).start()
}

#[test]
fn a_sub_workflow_runs_from_start_to_end_inside_its_step() {
    let gateway = nested(&[json!("add"), json!("double"), json!({"activity": "bad", "optional": true})]);
    for client in clients(&gateway) {
        let session = id(&client.call("outer_start", json!({"a": 5, "b": 3})));
        let reply = client.call("outer_continue", json!({"sessionId": session}));
        assert_eq!(reply["structuredContent"]["stepResult"], json!({"result": 16}));
        let inner = gateway.get(&format!("/api/sessions?parent={session}")).body;
        assert_eq!(inner.as_array().map(Vec::len), Some(1), "{inner}");
        assert_eq!((&inner[0]["workflowName"], &inner[0]["status"]), (&json!("inner"), &json!("completed")));
        assert_eq!(inner[0]["parentSessionId"], session.as_str());
        assert_eq!(inner[0]["memory"]["__workflow_input__"], json!({"a": 5, "b": 3}));
    }
}

#[test]
fn the_failure_of_a_sub_workflow_is_that_of_its_step() {
    let gateway = nested(&[json!("add"), json!("bad")]);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("outer_start", json!({"a": 5, "b": 3})));
    let reply = client.call("outer_continue", json!({"sessionId": session}));
    assert_eq!(failure(&reply), "Workflow failed at step 1 (nest): nope");
    assert_eq!(only(&gateway, "inner")["status"], "failed");
}

#[test]
fn a_sub_workflow_that_ends_with_its_parent_chose_nothing() {
    let offers = json!({"activity": "add", "branches": {"result:8": {"toolName": "inner_cancel"}}});
    let gateway = nested(&[offers, json!({"activity": "double", "approve": true})]);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("outer_start", json!({"a": 5, "b": 3})));
    let reply = client.call("outer_continue", json!({"sessionId": session}));
    let inner = reply["structuredContent"]["waiting"]["sessionId"].as_str().expect("an id");
    client.call("outer_cancel", json!({"sessionId": session}));
    assert_eq!(wait_status(&gateway, inner, "cancelled")["branchHistory"], json!([]));
}

#[test]
fn a_sub_workflow_that_waits_lets_its_parent_wait_and_go_on() {
    let gateway = nested(&[json!({"activity": "add", "approve": true})]);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("outer_start", json!({"a": 5, "b": 3})));
    let reply = client.call("outer_continue", json!({"sessionId": session}));
    let inner = only(&gateway, "inner");
    let inner_id = inner["sessionId"].as_str().expect("an id");
    assert_eq!(reply["structuredContent"]["waiting"]["sessionId"], inner_id, "{reply}");
    let gateway = gateway.reopen();
    assert_eq!(super::session(&gateway, &session)["waiting"]["for"], "session");
    let answer = json!({"digest": inner["waiting"]["digest"], "allow": true});
    gateway.post(&format!("/api/sessions/{inner_id}/approve"), answer).expect_status(200);
    eventually("the parent has gone on", || {
        (super::session(&gateway, &session)["currentStep"] == 1).then_some(())
    });
    assert_eq!(super::session(&gateway, &session)["memory"]["nest"], json!({"result": 8}));
    let client = Client::legacy(gateway.http());
    let done = said(&client.call("outer_continue", json!({"sessionId": session})));
    assert_eq!(done["results"]["look"], json!({"result": 8}));
}

#[test]
fn a_sub_workflow_runs_to_its_end_where_its_steps_offer_more_than_that() {
    let suggests = script("suggests", "return {data: {valid: true}, toolCallSuggestions: [{toolName: 'x'}]}");
    let nest = json!({"name": "nest", "publish": true, "run": {"workflow": {"name": "inner"}}});
    let branches = json!({"valid:true": {"toolName": "outer_start"}});
    let inner = [json!("suggests"), json!({"activity": "check", "branches": branches}), json!("tag")];
    let flows = [workflow("inner", &inner), workflow("outer", &[json!("nest"), json!("tag")])];
    let gateway = builder(&[standard(), vec![suggests, nest]].concat(), &flows).start();
    let client = Client::legacy(gateway.http());
    let reply = client.call("outer_start", json!({}));
    assert_eq!(said(&reply)["result"]["from"], "tag", "{reply}");
    let child = only(&gateway, "inner");
    assert_eq!((&child["status"], &child["branchHistory"]), (&json!("completed"), &json!([])), "{child}");
    let offered = |step: usize| child["history"][step]["branchOptions"].as_array().map(Vec::len);
    assert_eq!((offered(0), offered(1)), (Some(2), Some(2)), "what was offered is kept: {child}");
    let alone = client.call("nest", json!({}));
    assert_eq!(alone["structuredContent"]["from"], "tag", "{alone}");
}

#[test]
fn a_group_waits_for_every_session_that_runs_as_its_member() {
    let nest = |name: &str| json!({"name": name, "run": {"workflow": {"name": "inner"}}});
    let all = [standard(), vec![nest("one"), nest("two")]].concat();
    let group = json!({"parallel": [{"activity": "one"}, {"activity": "two"}]});
    let inner = workflow("inner", &[json!({"activity": "add", "approve": true})]);
    let gateway = builder(&all, &[workflow("outer", &[group]), inner]).start();
    let client = Client::legacy(gateway.http());
    let reply = client.call("outer_start", json!({"a": 5, "b": 3}));
    let session = id(&reply);
    let children = gateway.get(&format!("/api/sessions?parent={session}")).body;
    let known =
        |waiting: &Value| children.as_array().expect("two").iter().any(|one| one["sessionId"] == *waiting);
    let waiting = super::session(&gateway, &session)["waiting"].clone();
    let ids = waiting["sessionIds"].as_array().expect("both").clone();
    assert!(ids.len() == 2 && ids[0] != ids[1] && ids.iter().all(known), "{waiting}");
    assert_eq!(waiting["sessionId"], ids[0]);
    let message = said(&reply)["message"].clone();
    assert!(ids.iter().all(|id| message.to_string().contains(id.as_str().expect("an id"))), "{message}");
    let allow = |id: &Value| {
        let id = id.as_str().expect("an id");
        let digest = super::session(&gateway, id)["waiting"]["digest"].clone();
        let path = format!("/api/sessions/{id}/approve");
        gateway.post(&path, json!({"digest": digest, "allow": true})).expect_status(200);
    };
    allow(&ids[0]);
    let left = eventually("only the other one is waited for", || {
        let waiting = super::session(&gateway, &session)["waiting"].clone();
        (waiting["sessionId"] == ids[1]).then_some(waiting)
    });
    assert!(left.get("sessionIds").is_none() && left["activityName"] == "two", "{left}");
    allow(&ids[1]);
    let done = wait_status(&gateway, &session, "completed");
    assert_eq!(
        (&done["memory"]["one"], &done["memory"]["two"]),
        (&json!({"result": 8}), &json!({"result": 8}))
    );
}

#[test]
fn cancelling_a_parent_cancels_its_child() {
    let gateway = nested(&[json!({"activity": "add", "approve": true})]);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("outer_start", json!({"a": 5, "b": 3})));
    client.call("outer_continue", json!({"sessionId": session}));
    let inner = only(&gateway, "inner")["sessionId"].as_str().expect("an id").to_owned();
    client.call("outer_cancel", json!({"sessionId": session}));
    wait_status(&gateway, &inner, "cancelled");
}

#[test]
fn several_steps_run_in_one_call_as_long_as_there_is_nothing_to_choose() {
    let steps = [json!("add"), json!("double"), json!("double"), json!("tag")];
    let gateway = single(&[], &steps);
    for client in clients(&gateway) {
        let reply = client.call("w_start", json!({"a": 1, "b": 2, "maxSteps": 2}));
        assert_eq!(said(&reply)["message"], "Step 1 (double) completed successfully");
        assert_eq!(
            reply["structuredContent"]["earlierSteps"],
            json!([{"stepIndex": 0, "activityName": "add", "result": {"result": 3}}])
        );
        let session = id(&reply);
        let params = json!({"name": "w_continue", "arguments": {"sessionId": session}, "_meta": {"lockgate/maxSteps": "all"}});
        let reply = client.result("tools/call", params);
        assert_eq!(reply["structuredContent"]["status"], "completed");
        assert_eq!(reply["structuredContent"]["earlierSteps"][0]["result"], json!({"result": 12}));
        let input = &super::session(&gateway, &session)["memory"]["__workflow_input__"];
        assert_eq!(*input, json!({"a": 1, "b": 2}), "how many is no part of the input");
        for wrong in [json!(0), json!("many"), json!(-1)] {
            let reply = client.call("w_start", json!({"a": 1, "b": 2, "maxSteps": wrong}));
            assert!(failure(&reply).contains("maxSteps"), "{reply}");
        }
    }
}

#[test]
fn several_steps_stop_at_a_choice_and_at_a_failure() {
    let branches = json!({"valid:true": {"toolName": "w_status"}});
    let steps =
        [json!("check"), json!({"activity": "check", "branches": branches}), json!("bad"), json!("tag")];
    let gateway = single(&[], &steps);
    let client = Client::legacy(gateway.http());
    let reply = client.call("w_start", json!({"valid": true, "maxSteps": "all"}));
    assert_eq!(said(&reply)["message"], "Step 1 (check) completed successfully");
    let reply = client.call("w_continue", json!({"sessionId": id(&reply), "maxSteps": "all"}));
    assert_eq!(failure(&reply), "Workflow failed at step 2 (bad): nope");
}

#[test]
fn several_steps_that_stop_at_a_wait_list_what_all_of_them_gave() {
    for wait in [json!({"approve": true}), json!({"waitFor": {"event": "never"}})] {
        let gateway = single(&[], &[json!("add"), json!("double"), with(json!({"activity": "tag"}), wait)]);
        let client = Client::legacy(gateway.http());
        let start = json!({"a": 1, "b": 2, "maxSteps": "all", "idempotencyKey": "once"});
        let reply = client.call("w_start", start.clone());
        assert_eq!(reply["structuredContent"]["status"], "waiting", "{reply}");
        let earlier = json!([
            {"stepIndex": 0, "activityName": "add", "result": {"result": 3}},
            {"stepIndex": 1, "activityName": "double", "result": {"result": 6}},
        ]);
        assert_eq!(reply["structuredContent"]["earlierSteps"], earlier);
    }
}

/// A workflow `outer` whose activity runs `inner`, which is of these steps; all made over the API.
fn made(activity: Value, steps: &[Value]) -> (TestGateway, String) {
    let gateway = builder(&standard(), &[]).start();
    let post = |path: &str, body: Value| {
        let made = gateway.post(path, body);
        made.expect_status(201);
        made.body["id"].as_str().unwrap_or_default().to_owned()
    };
    let active = json!({"workflowType": "session", "enabled": true});
    let inner = post("/api/workflows", with(workflow("inner", steps), active.clone()));
    let child =
        json!({"name": "child", "description": "Runs another", "run": {"workflow": {"name": "inner"}}});
    post("/api/activities", with(child, activity));
    post("/api/workflows", with(workflow("outer", &[json!("child")]), active));
    (gateway, inner)
}

#[test]
fn every_attempt_of_a_step_that_is_a_session_is_another_session() {
    let retry = json!({"retry": {"maxAttempts": 3, "backoffMs": 1}});
    let (gateway, _) = made(retry, &[json!("add"), json!("bad")]);
    let reply = Client::legacy(gateway.http()).call("outer_start", json!({"a": 1, "b": 2}));
    let words = "Workflow failed at step 0 (child): Activity failed after 3 attempts: nope";
    assert_eq!(failure(&reply), words);
    let sessions = gateway.get("/api/sessions").body;
    let inner = sessions.as_array().expect("a list").iter().filter(|one| one["workflowName"] == "inner");
    assert_eq!(inner.count(), 3);
}

#[test]
fn a_session_that_runs_as_a_step_goes_on_when_its_workflow_is_switched_off() {
    let (gateway, inner) = made(json!({}), &[json!("add"), json!({"activity": "double", "approve": true})]);
    let reply = Client::legacy(gateway.http()).call("outer_start", json!({"a": 1, "b": 2}));
    let waiting = &reply["structuredContent"]["waiting"];
    assert_eq!(waiting["for"], "session", "{reply}");
    let child = waiting["sessionId"].as_str().expect("an id");
    gateway.post(&format!("/api/workflows/{inner}/disable"), json!({})).expect_status(200);
    let digest = session(&gateway, child)["waiting"]["digest"].clone();
    let answer = json!({"digest": digest, "allow": true});
    gateway.post(&format!("/api/sessions/{child}/approve"), answer).expect_status(200);
    let done = wait_status(&gateway, &id(&reply), "completed");
    assert_eq!(done["memory"]["child"], json!({"result": 6}), "{done}");
}

/// Waits until the only session of `outer` has that status, and gives it with the sessions of `inner`.
#[track_caller]
fn ended(gateway: &TestGateway, status: &str) -> (Value, Vec<Value>) {
    let outer = only(gateway, "outer");
    let outer = wait_status(gateway, outer["sessionId"].as_str().expect("an id"), status);
    let inner = gateway.get("/api/sessions?workflowName=inner").body;
    (outer, inner.as_array().expect("a list").clone())
}

#[test]
fn the_time_of_a_step_runs_while_its_session_waits_also_over_a_restart() {
    for wait in [json!({"approve": true}), json!({"waitFor": {"event": "never"}})] {
        let (gateway, _) = made(json!({"timeout": 1000}), &[with(json!({"activity": "add"}), wait)]);
        Client::legacy(gateway.http()).call("outer_start", json!({"a": 1, "b": 2}));
        let gateway = gateway.reopen();
        let (outer, inner) = ended(&gateway, "failed");
        assert_eq!(outer["error"], "Activity timed out after 1000ms", "{outer}");
        assert_eq!((inner.len(), &inner[0]["status"]), (1, &json!("failed")), "{inner:?}");
        assert_eq!(inner[0]["error"], "Activity timed out after 1000ms");
    }
}

#[test]
fn every_attempt_has_its_time_and_its_session_ends_with_it() {
    let rules = json!({"timeout": 300, "retry": {"maxAttempts": 2, "backoffMs": 1}});
    let (gateway, _) = made(rules, &[json!({"activity": "add", "approve": true})]);
    Client::legacy(gateway.http()).call("outer_start", json!({"a": 1, "b": 2}));
    let (outer, inner) = ended(&gateway, "failed");
    let words = "Activity failed after 2 attempts: Activity timed out after 300ms";
    assert_eq!(outer["error"], words, "{outer}");
    assert_eq!(inner.len(), 2, "{inner:?}");
    assert!(inner.iter().all(|one| one["error"] == "Activity timed out after 300ms"), "{inner:?}");
}

#[test]
fn the_session_of_a_step_that_is_passed_over_ends_when_its_time_is_over() {
    let nap = script("nap", "await sleep(20000); return {}");
    let child = json!({"name": "child", "timeout": 500, "run": {"workflow": {"name": "inner"}}});
    for wait in [json!("nap"), json!({"activity": "add", "waitFor": {"event": "never"}})] {
        let all = [standard(), vec![nap.clone(), child.clone()]].concat();
        let optional = json!({"activity": "child", "optional": true});
        let group = json!({"parallel": [optional.clone(), {"activity": "tag"}]});
        for step in [optional, group] {
            let steps = [step];
            let flows = [workflow("outer", &steps), workflow("inner", std::slice::from_ref(&wait))];
            let gateway = builder(&all, &flows).start();
            Client::legacy(gateway.http()).call("outer_start", json!({"a": 1, "b": 2}));
            let (_, inner) = ended(&gateway, "completed");
            let inner = wait_status(&gateway, inner[0]["sessionId"].as_str().expect("an id"), "failed");
            assert_eq!(inner["error"], "Activity timed out after 500ms", "{inner}");
        }
    }
}
