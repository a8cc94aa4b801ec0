//! The worked examples of spec part 4, in both eras, in their order.

use super::*;
use std::time::Instant;

#[test]
fn tools_are_listed_as_example_1_says() {
    let gateway = start(&[calc()]);
    for client in clients(&gateway) {
        let tools = own_tools(&gateway, &client);
        let names: Vec<_> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
        assert_eq!(names, ["calc_start", "calc_continue", "calc_status", "calc_pause", "calc_cancel"]);
        let begin = &tools[0];
        assert_eq!(
            (&begin["title"], &begin["description"]),
            (&json!("Start calc Workflow"), &json!("Runs calc"))
        );
        assert_eq!(begin["inputSchema"], standard()[0]["inputSchema"]);
        let go_on = &tools[1];
        assert_eq!(go_on["title"], "Continue calc Workflow");
        assert_eq!(go_on["description"], "Continues the calc workflow from a session");
        for key in ["sessionId", "result", "expectedStep"] {
            assert!(go_on["inputSchema"]["properties"][key].is_object(), "{go_on}");
        }
        let titles: Vec<_> = tools[2..].iter().map(|tool| tool["title"].clone()).collect();
        let expected = ["Status of calc Workflow", "Pause calc Workflow", "Cancel calc Workflow"];
        assert_eq!(titles, expected);
        for tool in &tools[2..] {
            assert!(tool["description"].as_str().is_some_and(|text| !text.is_empty()), "{tool}");
            assert_eq!(tool["inputSchema"]["required"], json!(["sessionId"]), "{tool}");
        }
    }
}

#[test]
fn a_name_that_is_taken_is_refused_as_example_2_says() {
    let gateway = start(&[calc()]);
    let again = with(calc(), json!({"workflowType": "session", "enabled": true}));
    let fault = gateway.post("/api/workflows", again).expect_code(409, "CONFLICT");
    assert_eq!(fault.message, "Workflow \"calc\" is already registered with a server");
}

#[test]
fn calc_runs_as_examples_3_to_6_say() {
    let gateway = start(&[calc()]);
    for client in clients(&gateway) {
        let reply = client.call("calc_start", json!({"a": 5, "b": 3}));
        let first = said(&reply);
        assert_eq!(
            first,
            json!({"message": "Step 0 (add) completed successfully", "result": {"result": 8},
                "nextStep": {"index": 1, "activity": "double"}, "progress": {"current": 1, "total": 3}})
        );
        let session = id(&reply);
        let option = json!({"toolName": "calc_continue",
            "parameters": {"sessionId": session, "expectedStep": 1},
            "condition": "Continue to next step in workflow", "priority": 50});
        assert_eq!(
            reply["structuredContent"],
            json!({"sessionId": session, "stepResult": {"result": 8}, "nextActivity": "double",
                "nextStepOptions": [option]})
        );
        assert_eq!(reply["_meta"]["branchingEnabled"], false, "{reply}");
        assert_eq!(reply["_meta"]["suggestedNextTool"], "calc_continue", "{reply}");

        let second = said(&client.call("calc_continue", json!({"sessionId": session})));
        assert_eq!(second["result"], json!({"result": 16}));
        let last = client.call("calc_continue", json!({"sessionId": session}));
        let done = said(&last);
        assert_eq!(done["message"], "Workflow completed successfully");
        assert!(done["executionTime"].as_i64().is_some_and(|ms| ms >= 0), "{done}");
        let results = json!({"__workflow_input__": {"a": 5, "b": 3}, "add": {"result": 8},
            "double": {"result": 16}, "tag": {"from": "tag", "got": {"result": 16}}});
        assert_eq!(done["results"], results);
        assert_eq!(last["structuredContent"], json!({"status": "completed", "results": results}));

        let reply = client.call("calc_continue", json!({"sessionId": session}));
        assert_eq!(failure(&reply), "Cannot continue workflow in status: completed");
    }
}

#[test]
fn no_session_is_picked_silently_as_example_7_says() {
    let gateway = start(&[calc()]);
    for (opened, client) in clients(&gateway).iter().enumerate() {
        client.call("calc_start", json!({"a": 1, "b": 1}));
        if opened == 0 {
            client.call("calc_start", json!({"a": 2, "b": 2}));
        }
        let reply = client.call("calc_continue", json!({}));
        assert!(failure(&reply).contains("sessionId"), "{reply}");
    }
    let all = gateway.get("/api/sessions").body;
    let steps: Vec<_> =
        all.as_array().expect("a list").iter().map(|one| one["currentStep"].clone()).collect();
    assert_eq!(steps, [0, 0, 0]);
}

#[test]
fn a_given_result_takes_the_place_of_the_output_as_example_8_says() {
    let gateway = start(&[calc()]);
    for client in clients(&gateway) {
        let session = id(&client.call("calc_start", json!({"a": 5, "b": 3})));
        let reply = client.call("calc_continue", json!({"sessionId": session, "result": {"result": 100}}));
        assert_eq!(reply["structuredContent"]["stepResult"], json!({"result": 200}));
        assert_eq!(super::session(&gateway, &session)["memory"]["add"], json!({"result": 100}));
    }
}

#[test]
fn a_mapper_gives_the_input_as_example_9_says() {
    let steps = [
        json!("add"),
        json!({"activity": "tag", "inputMapper": "({ a: memory.add.result, b: 2 })"}),
        json!("recall"),
    ];
    let gateway = start(&[workflow("calc", &steps)]);
    for client in clients(&gateway) {
        let session = id(&client.call("calc_start", json!({"a": 5, "b": 3})));
        let reply = client.call("calc_continue", json!({"sessionId": session}));
        assert_eq!(reply["structuredContent"]["stepResult"]["got"], json!({"a": 8, "b": 2}));
    }
}

#[test]
fn a_required_step_fails_the_session_as_example_10_says() {
    let gateway = start(&[workflow("w", &[json!("bad"), json!("tag")])]);
    for (index, client) in clients(&gateway).iter().enumerate() {
        let reply = client.call("w_start", json!({"q": 1}));
        assert_eq!(failure(&reply), "Workflow failed at step 0 (bad): nope");
        let all = gateway.get("/api/sessions").body;
        assert_eq!(all.as_array().map(Vec::len), Some(index + 1));
        assert_eq!((&all[0]["status"], &all[0]["error"]), (&json!("failed"), &json!("nope")), "{all}");
    }
}

#[test]
fn an_optional_step_may_fail_as_example_11_says() {
    let gateway = start(&[workflow("w", &[json!({"activity": "bad", "optional": true}), json!("tag")])]);
    for client in clients(&gateway) {
        let reply = client.call("w_start", json!({"q": 1}));
        let words = said(&reply);
        assert_eq!(words["message"], "Step 0 (bad) failed (optional), continuing");
        assert_eq!(words["result"], Value::Null);
        let structured = &reply["structuredContent"];
        assert_eq!((&structured["stepResult"], &structured["stepError"]), (&Value::Null, &json!("nope")));
        let session = super::session(&gateway, &id(&reply));
        assert_eq!(session["status"], "running");
        let entry = &session["history"][0];
        assert_eq!((&entry["stepIndex"], &entry["activityName"]), (&json!(0), &json!("bad")), "{entry}");
        assert_eq!((&entry["success"], &entry["error"]), (&json!(false), &json!("nope")), "{entry}");
        assert_eq!(session["memory"], json!({"__workflow_input__": {"q": 1}}));
    }
}

/// Starts `w` until one start is answered within so many milliseconds, since others use the machine too; gives the
/// number of starts. None may be answered earlier than `least`, or with other words.
#[track_caller]
fn timed(client: &Client, least: u128, most: u128, words: &str) -> usize {
    client.call("warm_start", json!({}));
    for starts in 1..=20 {
        let began = Instant::now();
        let reply = client.call("w_start", json!({}));
        let took = began.elapsed().as_millis();
        assert_eq!(failure(&reply), words);
        assert!(took >= least, "{took} ms");
        if took < most {
            return starts;
        }
    }
    panic!("no start was answered within {most} ms");
}

#[test]
fn a_slow_activity_times_out_as_example_12_says() {
    let gateway = start(&[workflow("w", &[json!("slow")]), workflow("warm", &[json!("tag")])]);
    for client in clients(&gateway) {
        timed(&client, 30, 150, "Workflow failed at step 0 (slow): Activity timed out after 30ms");
    }
}

#[test]
fn attempts_are_counted_and_spaced_as_example_13_says() {
    let gateway = start(&[workflow("w", &[json!("never")]), workflow("warm", &[json!("tag")])]);
    let mut starts = 0;
    for client in clients(&gateway) {
        let words = "Workflow failed at step 0 (never): Activity failed after 3 attempts: x";
        starts += timed(&client, 150, 300, words);
        expect_times(&gateway, "tried", 3 * starts);
    }
}

#[test]
fn a_workflow_times_out_as_example_14_says() {
    let steps = [json!("add"), json!("double")];
    let timed =
        with(workflow("w", &steps), json!({"timeout": 200, "onFailure": "console.log('failed: ' + error)"}));
    let gateway = start(&[timed]);
    for (round, client) in clients(&gateway).iter().enumerate() {
        let session = id(&client.call("w_start", json!({"a": 1, "b": 2})));
        wait_status(&gateway, &session, "failed");
        let reply = client.call("w_continue", json!({"sessionId": session}));
        failure(&reply);
        let error = super::session(&gateway, &session)["error"].clone();
        assert_eq!(error, "Workflow timeout exceeded (200ms)");
        eventually("onFailure ran", || {
            (times(&gateway, "failed: Workflow timeout exceeded (200ms)") == round + 1).then_some(())
        });
    }
}

#[test]
fn a_throwing_on_success_is_a_failure_as_example_15_says() {
    let hook = with(
        script("hooked", "return {data: {}}"),
        json!({
            "onSuccess": "console.log('onSuccess'); throw new Error('hook boom')",
            "onFailure": "console.log('onFailure ' + result.error)",
            "onComplete": "console.log('onComplete ' + result.success)",
        }),
    );
    let gateway = single(&[hook], &[json!("hooked")]);
    for client in clients(&gateway) {
        let before = console(&gateway).len();
        let reply = client.call("w_start", json!({}));
        assert_eq!(failure(&reply), "Workflow failed at step 0 (hooked): hook boom");
        expect_lines(&gateway, before, &["onSuccess", "onFailure hook boom", "onComplete false"]);
    }
}

#[test]
fn callbacks_of_a_workflow_run_in_order_as_example_16_says() {
    let callbacks = json!({
        "onSuccess": "console.log('ok')",
        "onFailure": "console.log('bad ' + error + ' ' + sessionId.length)",
        "onComplete": "console.log('end ' + status + ' ' + sessionId.length)",
    });
    let gateway = start(&[with(workflow("w", &[json!("bad")]), callbacks)]);
    for client in clients(&gateway) {
        let before = console(&gateway).len();
        client.call("w_start", json!({}));
        expect_lines(&gateway, before, &["bad nope 36", "end failed 36"]);
    }
}

#[test]
fn a_step_with_a_false_condition_is_passed_over_as_example_17_says() {
    let steps =
        [json!("add"), json!({"activity": "double", "condition": "memory.add.result > 100"}), json!("tag")];
    let gateway = start(&[workflow("w", &steps)]);
    for client in clients(&gateway) {
        let session = id(&client.call("w_start", json!({"a": 1, "b": 2})));
        let done = said(&client.call("w_continue", json!({"sessionId": session})));
        assert_eq!(done["results"]["tag"]["got"], json!({"result": 3}));
        let session = super::session(&gateway, &session);
        let ran: Vec<_> =
            session["history"].as_array().expect("a list").iter().map(|one| &one["stepIndex"]).collect();
        assert_eq!(ran, [0, 2]);
        assert!(session["memory"].get("double").is_none(), "{session}");
    }
}

/// The workflow of example 18, and the two that it branches to.
fn branching() -> TestGateway {
    let branches = json!({"valid:true": {"toolName": "ok_start"}, "valid:false": {"toolName": "err_start"}});
    let steps = [json!({"activity": "check", "branches": branches}), json!("tag")];
    let end = |name: &str| workflow(name, &[json!("tag"), json!("tag")]);
    start(&[workflow("w", &steps), end("ok"), end("err")])
}

#[test]
fn a_branch_is_offered_and_recorded_as_examples_18_and_21_say() {
    let gateway = branching();
    for client in clients(&gateway) {
        let reply = client.call("w_start", json!({"valid": false}));
        let priorities = [("err_start".to_owned(), json!(100)), ("w_continue".to_owned(), json!(50))];
        assert_eq!(options(&reply), priorities);
        assert_eq!(said(&reply)["branchOptions"], reply["structuredContent"]["nextStepOptions"]);
        assert_eq!(reply["_meta"]["branchingEnabled"], true);
        assert_eq!(reply["_meta"]["suggestedNextTool"], "err_start");
        let session = id(&reply);
        let option = &reply["structuredContent"]["nextStepOptions"][0];
        assert_eq!(option["condition"], "Branch condition: valid:false");
        assert_eq!(
            option["parameters"],
            json!({"sessionId": session, "valid": false, "status": {"code": "Approved"}})
        );

        let other = client.call("err_start", option["parameters"].clone());
        let input = json!({"valid": false, "status": {"code": "Approved"}});
        assert_eq!(other["structuredContent"]["stepResult"]["got"], input);
        let shown = super::session(&gateway, &session);
        let decision = &shown["branchHistory"][0];
        assert_eq!((&decision["stepIndex"], &decision["branchPattern"]), (&json!(0), &json!("valid:false")));
        assert_eq!(decision["toolName"], "err_start");
        assert!(decision["timestamp"].as_i64() >= shown["startedAt"].as_i64(), "{decision}");
        assert_eq!(shown["history"][0]["branchOptions"][0], *option);
    }
}

#[test]
fn a_pattern_is_split_at_its_first_colon_as_example_19_says() {
    let branches = json!({"u:http://x": {"toolName": "ok_start"}});
    let gateway = single(
        &[script("link", "return {data: {u: 'http://x'}}")],
        &[json!({"activity": "link", "branches": branches}), json!("tag")],
    );
    for client in clients(&gateway) {
        assert_eq!(options(&client.call("w_start", json!({})))[0], ("ok_start".to_owned(), json!(100)));
    }
}

#[test]
fn options_are_sorted_as_example_20_says() {
    let suggest = script(
        "suggest",
        "return {data: {v: 1}, toolCallSuggestions: [{toolName: 's_start', parameters: {}, priority: 70}, \
         {toolName: 'n_start', parameters: {}}]}",
    );
    let branches = json!({"v:1": {"toolName": "b_start"}});
    let gateway = single(&[suggest], &[json!({"activity": "suggest", "branches": branches}), json!("tag")]);
    for client in clients(&gateway) {
        let reply = client.call("w_start", json!({}));
        let expected = [
            ("b_start".to_owned(), json!(100)),
            ("s_start".to_owned(), json!(70)),
            ("w_continue".to_owned(), json!(50)),
            ("n_start".to_owned(), Value::Null),
        ];
        assert_eq!(options(&reply), expected);
    }
}

#[test]
fn a_cancelled_session_is_over_as_example_22_says() {
    let gateway = start(&[calc()]);
    for client in clients(&gateway) {
        let session = id(&client.call("calc_start", json!({"a": 1, "b": 2})));
        let reply = client.call("calc_cancel", json!({"sessionId": session}));
        assert_eq!(text(&reply), format!("Workflow calc with session ID {session} has been cancelled."));
        assert_ne!(reply["isError"], true);
        let status = client.call("calc_status", json!({"sessionId": session}));
        assert_eq!(text(&status), format!("Workflow calc with session ID {session} is cancelled."));
        assert_eq!(status["structuredContent"], super::session(&gateway, &session));
        let reply = client.call("calc_continue", json!({"sessionId": session}));
        assert_eq!(failure(&reply), "Cannot continue workflow in status: cancelled");
    }
}

#[test]
fn memory_is_kept_between_steps_as_example_23_says() {
    let gateway = start(&[workflow("w", &[json!("memo"), json!("recall")])]);
    for client in clients(&gateway) {
        let session = id(&client.call("w_start", json!({})));
        let results = said(&client.call("w_continue", json!({"sessionId": session})))["results"].clone();
        assert_eq!((&results["recall"], &results["custom"]), (&json!({"custom": 7}), &json!(7)));
    }
}

#[test]
fn a_full_house_refuses_as_example_24_says() {
    let gateway = builder(&standard(), &[calc()]).setting("sessions: {maxSessions: 2}").start();
    let [one, two] = clients(&gateway);
    let open = [&one, &two].map(|client| id(&client.call("calc_start", json!({"a": 1, "b": 1}))));
    for client in [one, two] {
        let reply = client.call("calc_start", json!({"a": 1, "b": 1}));
        assert!(failure(&reply).contains("limit of 2 sessions"), "{reply}");
    }
    open.iter().for_each(|id| assert_eq!(session(&gateway, id)["status"], "running"));
}

#[test]
fn a_session_outlives_the_gateway_as_example_25_says() {
    let gateway = start(&[calc()]);
    let open = clients(&gateway).map(|client| {
        let session = id(&client.call("calc_start", json!({"a": 5, "b": 3})));
        client.call("calc_continue", json!({"sessionId": session}));
        session
    });
    let gateway = gateway.reopen();
    for (client, session) in clients(&gateway).iter().zip(open) {
        let done = said(&client.call("calc_continue", json!({"sessionId": session})));
        assert_eq!(done["results"]["tag"]["got"], json!({"result": 16}));
        assert_eq!(done["results"]["add"], json!({"result": 8}));
    }
}

#[test]
fn two_continues_at_once_run_each_step_once_as_example_26_says() {
    let count = script("count", "console.log('step ' + context.metadata.currentStep); return {data: {}}");
    let gateway = single(&[count], &[json!("count"), json!("count"), json!("count"), json!("count")]);
    for (round, client) in clients(&gateway).iter().enumerate() {
        let session = id(&client.call("w_start", json!({})));
        let both: Vec<Value> = std::thread::scope(|scope| {
            let call = || client.call("w_continue", json!({"sessionId": session}));
            let both = [scope.spawn(call), scope.spawn(call)];
            both.into_iter().map(|one| one.join().expect("a reply")).collect()
        });
        let mut messages: Vec<Value> = both.iter().map(|reply| said(reply)["message"].clone()).collect();
        messages.sort_by_key(Value::to_string);
        let expected = [1, 2].map(|step| format!("Step {step} (count) completed successfully"));
        assert_eq!(messages, expected);
        for step in 0..3 {
            expect_times(&gateway, &format!("step {step}"), round + 1);
        }
        client.call("w_cancel", json!({"sessionId": session}));
    }
}
