//! The five tools: repeated calls, sessions left out, ownership, and what is possible in which status (spec 4.5).

use super::*;
use std::thread;

/// A client that calls itself so.
#[track_caller]
fn named(gateway: &TestGateway, name: &str) -> Client {
    let info = json!({"name": name, "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let request = Request::new("POST", "/mcp").header("Accept", "application/json, text/event-stream");
    let reply = gateway.http().send(&request.body("application/json", hello.to_string()));
    let session = reply.expect_status(200).header("mcp-session-id").to_owned();
    let client = Client::resume(gateway.http(), &session, json!({}));
    client.notify("notifications/initialized", json!({})).expect_status(202);
    client
}

/// An activity that tells which step it runs.
fn count() -> Value {
    script(
        "count",
        "console.log('step ' + context.metadata.currentStep); return {data: {at: context.metadata.currentStep}}",
    )
}

#[test]
fn a_repeated_continue_gets_the_recorded_reply_and_runs_nothing() {
    let gateway = single(&[count()], &[json!("count"), json!("count"), json!("count")]);
    for (round, client) in clients(&gateway).iter().enumerate() {
        let session = id(&client.call("w_start", json!({})));
        let one = client.call("w_continue", json!({"sessionId": session, "expectedStep": 1}));
        let again = client.call("w_continue", json!({"sessionId": session, "expectedStep": 1}));
        assert_eq!(again, one);
        expect_times(&gateway, "step 1", round + 1);
        let start_again = client.call("w_continue", json!({"sessionId": session, "expectedStep": 0}));
        assert_eq!(said(&start_again)["message"], "Step 0 (count) completed successfully");
        let last = client.call("w_continue", json!({"sessionId": session, "expectedStep": 2}));
        assert_eq!(last["structuredContent"]["status"], "completed");
        let again = client.call("w_continue", json!({"sessionId": session, "expectedStep": 2}));
        assert_eq!(again, last, "also when the session is over");
        expect_times(&gateway, "step 2", round + 1);
    }
}

#[test]
fn a_repeated_continue_of_a_step_that_failed_gets_its_failure() {
    let gateway = single(&[], &[json!("add"), json!("bad")]);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("w_start", json!({"a": 1, "b": 2})));
    let call = || client.call("w_continue", json!({"sessionId": session, "expectedStep": 1}));
    let first = call();
    assert_eq!(failure(&first), "Workflow failed at step 1 (bad): nope");
    assert_eq!(call(), first);
}

#[test]
fn a_continue_for_a_step_that_is_running_waits_for_it() {
    let nap = script("nap", "console.log('nap'); await sleep(600); return {data: {slept: 1}}");
    let gateway = single(&[nap], &[json!("add"), json!("nap"), json!("tag")]);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("w_start", json!({"a": 1, "b": 2})));
    let replies: Vec<Value> = thread::scope(|scope| {
        let call = || client.call("w_continue", json!({"sessionId": session, "expectedStep": 1}));
        let all: Vec<_> = (0..4).map(|_| scope.spawn(call)).collect();
        all.into_iter().map(|one| one.join().expect("a reply")).collect()
    });
    assert!(replies.iter().all(|reply| *reply == replies[0]), "{replies:?}");
    assert_eq!(said(&replies[0])["result"], json!({"slept": 1}));
    expect_times(&gateway, "nap", 1);
}

#[test]
fn a_continue_that_is_ahead_of_the_session_is_told_where_it_stands() {
    let gateway = start(&[calc()]);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("calc_start", json!({"a": 1, "b": 2})));
    let reply = client.call("calc_continue", json!({"sessionId": session, "expectedStep": 2}));
    assert_eq!(failure(&reply), format!("Session {session} stands at step 1; step 2 cannot be run yet."));
    assert_eq!(super::session(&gateway, &session)["currentStep"], 0);
    for wrong in [json!("1"), json!(-1), json!(1.5)] {
        let reply = client.call("calc_continue", json!({"sessionId": session, "expectedStep": wrong}));
        assert_eq!(failure(&reply), "expectedStep must be an integer from 0.");
    }
}

#[test]
fn a_repeated_start_with_a_key_is_one_session_a_hundred_times_at_once() {
    let gateway = single(&[count()], &[json!("count"), json!("tag")]);
    for (round, client) in clients(&gateway).iter().enumerate() {
        let key = format!("key {round}");
        let replies: Vec<Value> = thread::scope(|scope| {
            let call = |number: usize| {
                let params = match number % 2 {
                    0 => json!({"name": "w_start", "arguments": {"q": 1, "idempotencyKey": key}}),
                    _ => json!({"name": "w_start", "arguments": {"q": 1},
                        "_meta": {"lockgate/idempotencyKey": key}}),
                };
                client.result("tools/call", params)
            };
            let all: Vec<_> = (0..100).map(|number| scope.spawn(move || call(number))).collect();
            all.into_iter().map(|one| one.join().expect("a reply")).collect()
        });
        assert!(replies.iter().all(|reply| *reply == replies[0]), "{replies:?}");
        expect_times(&gateway, "step 0", round + 1);
        let input = &session(&gateway, &id(&replies[0]))["memory"]["__workflow_input__"];
        assert_eq!(*input, json!({"q": 1}), "the key is no part of the input");
    }
    assert_eq!(gateway.get("/api/sessions/stats").body["total"], 2);
}

#[test]
fn a_key_is_that_of_its_caller_and_of_its_workflow() {
    let gateway = start(&[calc(), workflow("other", &[json!("add"), json!("tag")])]);
    let [ann, ben] = ["ann", "ben"].map(|name| named(&gateway, name));
    let arguments = json!({"a": 1, "b": 2, "idempotencyKey": "k"});
    let first = id(&ann.call("calc_start", arguments.clone()));
    assert_ne!(id(&ben.call("calc_start", arguments.clone())), first);
    assert_ne!(id(&ann.call("other_start", arguments.clone())), first);
    assert_eq!(id(&ann.call("calc_start", arguments)), first);
    let reply = ann.call("calc_start", json!({"a": 1, "b": 2, "idempotencyKey": 7}));
    assert!(failure(&reply).contains("idempotencyKey"), "{reply}");
}

#[test]
fn the_session_may_be_left_out_only_where_there_is_exactly_one() {
    let gateway = start(&[calc()]);
    let [ann, ben] = ["ann", "ben"].map(|name| named(&gateway, name));
    let begin = json!({"a": 1, "b": 2});
    assert_eq!(failure(&ann.call("calc_continue", json!({}))), "No active workflow session to continue.");
    let first = id(&ann.call("calc_start", begin.clone()));
    ben.call("calc_start", begin.clone());
    assert_eq!(id(&ann.call("calc_continue", json!({}))), first, "that of another client does not count");
    ann.call("calc_start", begin);
    assert!(failure(&ann.call("calc_continue", json!({}))).contains("sessionId"));
    ann.call("calc_cancel", json!({"sessionId": first}));
    assert_eq!(
        said(&ann.call("calc_continue", json!({})))["message"],
        "Step 1 (double) completed successfully"
    );
}

#[test]
fn the_session_of_another_client_is_unknown() {
    let gateway = start(&[calc(), workflow("other", &[json!("tag"), json!("tag")])]);
    let [ann, ben] = ["ann", "ben"].map(|name| named(&gateway, name));
    let session = id(&ann.call("calc_start", json!({"a": 1, "b": 2})));
    let unknown = format!("Workflow session {session} not found");
    for face in ["continue", "status", "pause", "cancel"] {
        let reply = ben.call(&format!("calc_{face}"), json!({"sessionId": session}));
        assert_eq!(failure(&reply), unknown, "{face}");
        let reply = ann.call(&format!("other_{face}"), json!({"sessionId": session}));
        assert_eq!(failure(&reply), unknown, "a session of another workflow: {face}");
        let reply = ann.call(&format!("calc_{face}"), json!({"sessionId": "nobody"}));
        assert_eq!(failure(&reply), "Workflow session nobody not found");
    }
    assert_eq!(failure(&ben.call("other_start", json!({"sessionId": session}))), unknown);
    assert_eq!(super::session(&gateway, &session)["status"], "running");
    assert_eq!(super::session(&gateway, &session)["clientId"], "ann");
}

#[test]
fn an_argument_that_is_null_counts_as_left_out() {
    let gateway = start(&[calc()]);
    for client in clients(&gateway) {
        let nulls = json!({"a": 1, "b": 2, "sessionId": null, "idempotencyKey": null, "maxSteps": null});
        let session = id(&client.call("calc_start", nulls));
        let input = super::session(&gateway, &session)["memory"]["__workflow_input__"].clone();
        assert_eq!(input, json!({"a": 1, "b": 2}));
        let nulls = json!({"sessionId": session, "expectedStep": null, "maxSteps": null});
        assert_eq!(said(&client.call("calc_continue", nulls))["result"], json!({"result": 6}));
        let nulls = json!({"sessionId": session, "compensate": null});
        assert!(text(&client.call("calc_cancel", nulls)).ends_with("has been cancelled."));
    }
}

#[test]
fn sessions_may_be_shared_by_setting() {
    let gateway = builder(&standard(), &[calc()]).setting("sessions: {shared: true}").start();
    let [ann, ben] = ["ann", "ben"].map(|name| named(&gateway, name));
    let session = id(&ann.call("calc_start", json!({"a": 1, "b": 2})));
    said(&ben.call("calc_continue", json!({"sessionId": session})));
    assert_eq!(super::session(&gateway, &session)["currentStep"], 1);
}

#[test]
fn every_tool_says_what_it_can_do_in_which_status() {
    let gateway = start(&[calc(), workflow("one", &[json!("bad")])]);
    let client = Client::legacy(gateway.http());
    let face = |workflow: &str, face: &str, session: &str| {
        client.call(&format!("{workflow}_{face}"), json!({"sessionId": session}))
    };
    let session = id(&client.call("calc_start", json!({"a": 1, "b": 2})));
    let paused = face("calc", "pause", &session);
    assert_eq!(text(&paused), format!("Workflow calc with session ID {session} has been paused."));
    assert_eq!(failure(&face("calc", "pause", &session)), "Cannot pause workflow in status: paused");
    assert_eq!(
        text(&face("calc", "status", &session)),
        format!("Workflow calc with session ID {session} is paused.")
    );
    said(&face("calc", "continue", &session));
    assert_eq!(super::session(&gateway, &session)["status"], "running", "a continue ends the pause");
    face("calc", "pause", &session);
    assert_ne!(face("calc", "cancel", &session)["isError"], true, "a paused session can be cancelled");
    let done = id(&client.call("calc_start", json!({"a": 1, "b": 2})));
    for _ in 0..2 {
        face("calc", "continue", &done);
    }
    client.call("one_start", json!({}));
    let failed = only(&gateway, "one")["sessionId"].as_str().expect("an id").to_owned();
    for (workflow, session, status) in
        [("calc", &session, "cancelled"), ("calc", &done, "completed"), ("one", &failed, "failed")]
    {
        for verb in ["continue", "pause", "cancel"] {
            let reply = face(workflow, verb, session);
            assert_eq!(failure(&reply), format!("Cannot {verb} workflow in status: {status}"));
        }
        let reply = face(workflow, "status", session);
        assert_eq!(reply["structuredContent"]["status"], status);
        assert_eq!(super::session(&gateway, session)["status"], status, "it stays");
    }
    assert!(failure(&client.call("calc_status", json!({}))).contains("sessionId"));
}

/// A gateway whose workflow `w` sleeps in a server for its second step.
fn sleepy() -> TestGateway {
    let nap = json!({"name": "nap", "description": "Sleeps",
        "run": {"tool": {"server": "test-server", "name": "sleep"}}});
    let steps = [json!("tag"), json!({"activity": "nap", "inputMapper": "({ ms: 700 })"}), json!("tag")];
    let all: Vec<Value> = standard().into_iter().chain([nap]).collect();
    served(&all, &[workflow("w", &steps)], |server| server).start()
}

/// Runs the second step, does something while it runs, and gives the reply of the step.
#[track_caller]
fn meanwhile(gateway: &TestGateway, session: &str, act: impl FnOnce(&Client)) -> Value {
    let client = Client::legacy(gateway.http());
    thread::scope(|scope| {
        let call = scope.spawn(|| client.call("w_continue", json!({"sessionId": session})));
        eventually("the step has reached the server", || {
            (gateway.stats("test-server")["last"] == json!({"ms": 700})).then_some(())
        });
        act(&client);
        call.join().expect("a reply")
    })
}

#[test]
fn a_step_that_runs_when_its_session_is_cancelled_changes_nothing_more() {
    let gateway = sleepy();
    let session = id(&Client::legacy(gateway.http()).call("w_start", json!({})));
    let reply = meanwhile(&gateway, &session, |client| {
        let reply = client.call("w_cancel", json!({"sessionId": session}));
        assert_eq!(text(&reply), format!("Workflow w with session ID {session} has been cancelled."));
    });
    assert_eq!(failure(&reply), "Cannot continue workflow in status: cancelled");
    let session = super::session(&gateway, &session);
    assert_eq!((&session["status"], &session["currentStep"]), (&json!("cancelled"), &json!(0)));
    assert!(session["memory"].get("nap").is_none(), "{session}");
}

#[test]
fn a_pause_during_a_step_takes_effect_after_it() {
    let gateway = sleepy();
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("w_start", json!({})));
    let reply = meanwhile(&gateway, &session, |client| {
        let reply = client.call("w_pause", json!({"sessionId": session}));
        assert_eq!(text(&reply), format!("Workflow w with session ID {session} has been paused."));
    });
    assert_eq!(said(&reply)["result"], json!({"slept": 700}));
    assert_eq!(super::session(&gateway, &session)["status"], "paused");
    let done = said(&client.call("w_continue", json!({"sessionId": session})));
    assert_eq!(done["message"], "Workflow completed successfully");
}

#[test]
fn a_start_whose_session_is_cancelled_meanwhile_says_so() {
    let nap = json!({"name": "nap", "run": {"tool": {"server": "test-server", "name": "sleep"}}});
    let gateway = builder(&[nap], &[workflow("w", &[json!("nap")])]).start();
    let client = Client::legacy(gateway.http());
    let reply = thread::scope(|scope| {
        let call = scope.spawn(|| client.call("w_start", json!({"ms": 700})));
        eventually("the step has reached the server", || {
            (gateway.stats("test-server")["last"] == json!({"ms": 700})).then_some(())
        });
        let session = only(&gateway, "w")["sessionId"].as_str().expect("an id").to_owned();
        gateway.post(&format!("/api/sessions/{session}/cancel"), json!({})).expect_status(200);
        call.join().expect("a reply")
    });
    assert_eq!(failure(&reply), "Cannot continue workflow in status: cancelled");
}
