//! Steps: their input, conditions, mappers, what is optional (spec 4.3), and the timeout of the whole (4.4).

use super::*;

#[test]
fn later_parts_of_the_input_win_key_by_key() {
    let give = script("give", "return {data: {b: 'previous', c: 'previous'}}");
    let text = script("text", "return {data: 'plain'}");
    let steps = [
        json!("give"),
        json!({"activity": "tag", "input": {"a": "constant", "b": "constant", "c": "constant"}}),
        json!("text"),
        json!({"activity": "tag", "input": {"a": 1}}),
        json!({"activity": "tag", "input": {"a": 1}}),
    ];
    let gateway = single(&[give, text], &steps);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("w_start", json!({})));
    let reply = client.call("w_continue", json!({"sessionId": session, "c": "argument", "d": 1}));
    assert_eq!(
        reply["structuredContent"]["stepResult"]["got"],
        json!({"a": "constant", "b": "previous", "c": "argument", "d": 1})
    );
    client.call("w_continue", json!({"sessionId": session}));
    let reply = client.call("w_continue", json!({"sessionId": session}));
    assert_eq!(
        reply["structuredContent"]["stepResult"]["got"], "plain",
        "a text takes the place of all before"
    );
    assert_eq!(super::session(&gateway, &session)["memory"]["text"], "plain");
}

#[test]
fn the_first_step_has_the_start_input_over_its_constant() {
    let gateway = single(&[], &[json!({"activity": "tag", "input": {"a": 1, "b": 1}})]);
    let done = said(&Client::modern(gateway.http()).call("w_start", json!({"b": 2})));
    assert_eq!(done["results"]["tag"]["got"], json!({"a": 1, "b": 2}));
    assert_eq!(done["results"]["__workflow_input__"], json!({"b": 2}));
}

#[test]
fn expressions_see_memory_input_and_previous() {
    let steps = [
        json!({"activity": "add", "condition": "input.a === 1 && memory.__workflow_input__.b === 2"}),
        json!({"activity": "bad", "optional": true}),
        json!({"activity": "tag", "input": {"k": 1}, "inputMapper": "({ previous, memory: memory.add, input })"}),
        json!({"activity": "tag", "condition": "input.more === true"}),
        json!("recall"),
    ];
    let gateway = single(&[], &steps);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("w_start", json!({"a": 1, "b": 2})));
    client.call("w_continue", json!({"sessionId": session}));
    let reply = client.call("w_continue", json!({"sessionId": session, "x": 9}));
    assert_eq!(
        reply["structuredContent"]["stepResult"]["got"],
        json!({"previous": {"result": 3}, "memory": {"result": 3}, "input": {"k": 1, "result": 3, "x": 9}}),
        "a failed optional step changes nothing of the previous output"
    );
    let done = said(&client.call("w_continue", json!({"sessionId": session})));
    assert_eq!(done["message"], "Workflow completed successfully", "the step before the last is passed over");
}

#[test]
fn a_last_step_that_is_passed_over_completes_the_workflow() {
    let never = json!({"activity": "bad", "condition": "false"});
    let gateway =
        start(&[workflow("w", &[json!("add"), never.clone()]), workflow("v", &[never.clone(), never])]);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("w_start", json!({"a": 1, "b": 2})));
    let reply = client.call("w_continue", json!({"sessionId": session, "expectedStep": 1}));
    assert_eq!(reply["structuredContent"]["status"], "completed");
    let again = client.call("w_continue", json!({"sessionId": session, "expectedStep": 1}));
    assert_eq!(again, reply, "the recorded reply is given again");
    let all = client.call("v_start", json!({"q": 1}));
    assert_eq!(
        all["structuredContent"],
        json!({"status": "completed", "results": {"__workflow_input__": {"q": 1}}})
    );
    assert_eq!(only(&gateway, "v")["history"], json!([]));
}

#[test]
fn a_condition_that_throws_fails_the_session() {
    let steps = [json!("add"), json!({"activity": "tag", "condition": "nothing.there", "optional": true})];
    let gateway = single(&[], &steps);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("w_start", json!({"a": 1, "b": 2})));
    let reply = client.call("w_continue", json!({"sessionId": session}));
    assert!(failure(&reply).starts_with("Workflow failed at step 1 (tag): "), "{reply}");
    let session = super::session(&gateway, &session);
    assert_eq!(session["status"], "failed");
    assert!(session["error"].as_str().is_some_and(|error| error.contains("nothing")), "{session}");
}

#[test]
fn a_mapper_that_throws_is_a_failure_of_its_step() {
    let thrown = |optional: bool| {
        json!({"activity": "tag", "optional": optional,
        "inputMapper": "(() => { throw new Error('unmapped') })()"})
    };
    let gateway = start(&[
        workflow("hard", &[thrown(false), json!("tag")]),
        workflow("soft", &[thrown(true), json!("tag")]),
    ]);
    let client = Client::modern(gateway.http());
    let reply = client.call("hard_start", json!({}));
    assert_eq!(failure(&reply), "Workflow failed at step 0 (tag): unmapped");
    let reply = client.call("soft_start", json!({}));
    assert_eq!(reply["structuredContent"]["stepError"], "unmapped");
    assert_eq!(session(&gateway, &id(&reply))["status"], "running");
}

#[test]
fn an_optional_last_step_that_fails_completes_the_workflow() {
    let gateway = single(&[], &[json!("add"), json!({"activity": "bad", "optional": true})]);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("w_start", json!({"a": 1, "b": 2})));
    let done = said(&client.call("w_continue", json!({"sessionId": session})));
    assert_eq!(done["message"], "Workflow completed successfully");
    assert!(done["results"].get("bad").is_none(), "{done}");
    assert_eq!(super::session(&gateway, &session)["history"][1]["success"], false);
}

#[test]
fn memory_written_by_a_step_that_fails_is_dropped() {
    let write = script("write", "context.memory.left = 1; return {success: false, error: 'no'}");
    let gateway = single(&[write], &[json!({"activity": "write", "optional": true}), json!("tag")]);
    let reply = Client::legacy(gateway.http()).call("w_start", json!({}));
    assert!(session(&gateway, &id(&reply))["memory"].get("left").is_none());
}

#[test]
fn a_later_step_of_the_same_activity_overwrites_its_memory() {
    let gateway = single(&[], &[json!("add"), json!("double"), json!("double"), json!("double")]);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("w_start", json!({"a": 1, "b": 2})));
    for _ in 0..2 {
        client.call("w_continue", json!({"sessionId": session}));
    }
    assert_eq!(super::session(&gateway, &session)["memory"]["double"], json!({"result": 12}));
}

#[test]
fn a_workflow_that_times_out_gives_up_its_activity_and_answers_the_call() {
    let nap = script("nap", "await sleep(5000); console.log('woke'); return {data: {}}");
    let timed = with(
        workflow("w", &[json!("nap"), json!("tag")]),
        json!({"timeout": 300, "onFailure": "console.log('gave up')", "onComplete": "console.log(status)"}),
    );
    let gateway = builder(&[standard(), vec![nap]].concat(), &[timed]).start();
    let began = std::time::Instant::now();
    let reply = Client::legacy(gateway.http()).call("w_start", json!({}));
    assert_eq!(failure(&reply), "Workflow failed at step 0 (nap): Workflow timeout exceeded (300ms)");
    assert!(began.elapsed() < Duration::from_millis(4500), "{:?}", began.elapsed());
    expect_lines(&gateway, 0, &["gave up", "failed"]);
    assert_eq!(only(&gateway, "w")["error"], "Workflow timeout exceeded (300ms)");
}

#[test]
fn paused_time_does_not_count_for_the_timeout() {
    let gateway = start(&[with(
        workflow("w", &[json!("add"), json!("double"), json!("tag")]),
        json!({"timeout": 700}),
    )]);
    let client = Client::legacy(gateway.http());
    let [held, left] = [1, 2].map(|a| id(&client.call("w_start", json!({"a": a, "b": 2}))));
    client.call("w_pause", json!({"sessionId": held}));
    // The other one shows that the time of both would be over.
    wait_status(&gateway, &left, "failed");
    assert_eq!(session(&gateway, &held)["status"], "paused");
    said(&client.call("w_continue", json!({"sessionId": held})));
    assert_eq!(session(&gateway, &held)["status"], "running");
}

#[test]
fn only_running_steps_count_for_a_timeout_of_active_time() {
    let nap = script("nap", "await sleep(1500); return {data: {}}");
    let active = with(
        workflow("w", &[json!("nap"), json!("nap"), json!("nap")]),
        json!({"timeout": 4000, "timeoutScope": "active"}),
    );
    let wall = with(workflow("wall", &[json!("add"), json!("tag")]), json!({"timeout": 4000}));
    let gateway = builder(&[standard(), vec![nap]].concat(), &[active, wall]).start();
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("w_start", json!({})));
    let clock = id(&client.call("wall_start", json!({"a": 1, "b": 2})));
    wait_status(&gateway, &clock, "failed");
    assert_eq!(
        super::session(&gateway, &session)["status"],
        "running",
        "waiting for a client takes no active time"
    );
    said(&client.call("w_continue", json!({"sessionId": session})));
    let reply = client.call("w_continue", json!({"sessionId": session}));
    assert_eq!(failure(&reply), "Workflow failed at step 2 (nap): Workflow timeout exceeded (4000ms)");
}

#[test]
fn a_callback_of_a_workflow_that_throws_changes_nothing() {
    let callbacks = json!({"onSuccess": "throw new Error('one')", "onComplete": "throw new Error('two')"});
    let gateway = start(&[with(workflow("w", &[json!("add")]), callbacks)]);
    let reply = Client::legacy(gateway.http()).call("w_start", json!({"a": 1, "b": 2}));
    assert_eq!(reply["structuredContent"]["status"], "completed");
    assert_eq!(only(&gateway, "w")["status"], "completed");
    eventually("both throws are logged, in order", || {
        let log = gateway.log();
        let failed = log.iter().filter(|line| line["message"] == "a callback failed");
        let reasons: Vec<_> = failed.map(|line| line["reason"].clone()).collect();
        (reasons == ["one", "two"]).then_some(())
    });
}

#[test]
fn callbacks_of_a_success_see_the_memory_and_a_cancel_has_only_the_last_one() {
    let callbacks = json!({
        "onSuccess": "console.log('sum ' + memory.add.result + ' ' + sessionId.length)",
        "onFailure": "console.log('never')",
        "onComplete": "console.log('end ' + status)",
    });
    let gateway = start(&[with(workflow("w", &[json!("add"), json!("tag")]), callbacks)]);
    let client = Client::legacy(gateway.http());
    let [one, two] = [1, 2].map(|a| id(&client.call("w_start", json!({"a": a, "b": 2}))));
    client.call("w_continue", json!({"sessionId": one}));
    client.call("w_cancel", json!({"sessionId": two}));
    expect_lines(&gateway, 0, &["sum 3 36", "end completed", "end cancelled"]);
}

#[test]
fn a_call_of_several_steps_that_is_repeated_has_the_same_answer() {
    let gateway = start(&[calc()]);
    for client in clients(&gateway) {
        for steps in [json!("all"), json!(2), json!(1)] {
            let start = json!({"a": 1, "b": 2, "maxSteps": steps, "idempotencyKey": format!("k{steps}")});
            let first = client.call("calc_start", start.clone());
            assert_eq!(client.call("calc_start", start), first, "{steps}");
        }
        let begun = client.call("calc_start", json!({"a": 1, "b": 2}));
        let go = || {
            client
                .call("calc_continue", json!({"sessionId": id(&begun), "expectedStep": 1, "maxSteps": "all"}))
        };
        let first = go();
        assert_eq!(said(&first)["message"], "Workflow completed successfully");
        assert_eq!(first["structuredContent"]["earlierSteps"][0]["stepIndex"], 1, "{first}");
        assert_eq!(go(), first);
    }
}

#[test]
fn a_repeated_call_that_came_to_a_wait_is_told_of_it_again() {
    let inner = json!({"name": "inner", "description": "Waits", "run": {"workflow": {"name": "asks"}}});
    let asks = workflow("asks", &[json!({"activity": "tag", "approve": true})]);
    for waits in [
        json!({"activity": "tag", "approve": true}),
        json!({"activity": "tag", "waitFor": {"event": "paid"}}),
        json!("inner"),
    ] {
        let all = [standard(), vec![inner.clone()]].concat();
        let flow = workflow("w", &[json!("add"), json!("double"), waits]);
        let gateway = builder(&all, &[flow, asks.clone()]).start();
        for (n, client) in clients(&gateway).iter().enumerate() {
            let start = json!({"a": 1, "b": 2, "maxSteps": "all", "idempotencyKey": format!("k{n}")});
            let first = client.call("w_start", start.clone());
            assert_eq!(first["structuredContent"]["status"], "waiting", "{first}");
            assert_eq!(first["structuredContent"]["earlierSteps"].as_array().map(Vec::len), Some(2));
            assert_eq!(client.call("w_start", start), first);

            let start = json!({"a": 1, "b": 2, "idempotencyKey": format!("one{n}")});
            let begun = client.call("w_start", start.clone());
            let go = json!({"sessionId": id(&begun), "expectedStep": 1, "maxSteps": "all"});
            let first = client.call("w_continue", go.clone());
            assert_eq!(first["structuredContent"]["status"], "waiting", "{first}");
            assert_eq!(client.call("w_continue", go), first);
            assert_eq!(client.call("w_start", start), begun, "that call came to no wait");
        }
    }
}

#[test]
fn what_can_be_recorded_can_be_read_after_a_restart_however_deep() {
    let nest = |member: &str, memory: &str| {
        let nest = "n => { let x = 1; for (let i = 0; i < n; i++) x = {a: x}; return x }";
        format!("({nest})({memory}.__workflow_input__.{member})")
    };
    let deep = script("deep", &format!("return {{data: {}}}", nest("data", "context.memory")));
    let kept = script("kept", &format!("context.memory.m = {}", nest("memory", "context.memory")));
    let mapped = json!({"activity": "tag", "approve": true, "inputMapper": nest("input", "memory")});
    let gateway = single(&[deep, kept], &[json!("deep"), json!("kept"), mapped]);
    let begin = |data: u32, memory: u32, input: u32| {
        let start = json!({"data": data, "memory": memory, "input": input, "maxSteps": 3});
        gateway.post("/api/workflows/config:w/execute", start).expect_status(200).body.clone()
    };
    for levels in [101, 126, 130] {
        for reply in [begin(levels, 1, 1), begin(1, levels, 1), begin(1, 1, levels)] {
            assert!(failure(&reply).ends_with("nested too deeply; 100 levels are the most"), "{reply}");
        }
    }
    let session = id(&begin(100, 100, 100));
    gateway.kill9();
    let gateway = gateway.revive();
    gateway.get("/api/sessions").expect_status(200);
    let waits = gateway.post(&format!("/api/sessions/{session}/continue"), json!({})).body;
    assert_eq!(waits["structuredContent"]["waiting"]["stepIndex"], 2, "{waits}");
    let client = Client::legacy(gateway.http());
    let input = (0..101).fold(json!(1), |inner, _| json!([inner]));
    let reply = client.call("w_start", json!({"data": input}));
    assert_eq!(failure(&reply), "arguments are nested too deeply; 100 levels are the most.");
    let event = json!({"event": "e", "data": input});
    gateway.post("/api/sessions/events", event).expect_code(400, "VALIDATION_ERROR");
}
