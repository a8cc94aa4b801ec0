//! `kill -9` of the gateway and of Restate, and a cancel that meets a running step.

use super::*;

/// Workflows whose second step leaves an effect after a while, one for each rule.
fn yard(ms: u64) -> Yard {
    let activities = [
        script("note", &format!("return {{data: {{ms: {ms}}}}}")),
        script("forget", "return {}"),
        tool("once", "effect"),
        tool("again", "effect-once"),
    ];
    let flow = |name: &str, step: Value| {
        workflow(name, &[json!({"activity": "note", "compensate": "forget"}), step, json!("note")])
    };
    let flows = [
        flow("asks", json!({"activity": "once"})),
        flow("repeats", json!({"activity": "again"})),
        flow("retries", json!({"activity": "once", "onUnknown": "retry"})),
        flow("fails", json!({"activity": "once", "onUnknown": "fail"})),
    ];
    Yard::new(&activities, &flows)
}

#[test]
fn a_step_under_way_when_the_gateway_is_killed_obeys_its_rule() {
    let yard = yard(1500);
    let flows = ["asks", "repeats", "retries", "fails"];
    let sessions = flows.map(|flow| id(&yard.call(&format!("{flow}_start"), json!({}))));
    let calls: Vec<_> = flows
        .iter()
        .zip(&sessions)
        .map(|(flow, session)| {
            call_later(yard.gateway.http(), &format!("{flow}_continue"), &json!({"sessionId": session}))
        })
        .collect();
    eventually("every step is under way", || {
        let begun = yard.gateway.get("/api/sessions?waiting=step").body;
        (begun.as_array().map(Vec::len) == Some(flows.len())).then_some(())
    });
    let yard = yard.killed();
    calls.into_iter().for_each(|call| assert!(call.join().expect("no panic").is_none(), "the reply is lost"));

    let [asks, repeats, retries, fails] = &sessions;
    let waiting = yard.wait(asks, "somebody is asked", |one| one["waiting"]["for"] == "uncertain");
    assert_eq!(waiting["waiting"]["input"], json!({"ms": 1500}));
    for session in [repeats, retries] {
        yard.wait(session, "the step has run again", |one| one["currentStep"] == 1);
    }
    let failed = yard.wait(fails, "it failed", |one| one["status"] == "failed");
    assert_eq!(failed["error"], "The gateway stopped while the step was under way");
    assert_eq!(yard.effects(), 2, "those that may be repeated, once each");

    let again = yard.call("repeats_continue", json!({"sessionId": repeats, "expectedStep": 1}));
    assert_eq!(again["structuredContent"]["stepResult"]["tool"], "effect-once", "the recorded reply");
    assert_eq!(yard.effects(), 2);
    let retried = yard.call("asks_continue", json!({"sessionId": asks, "resolve": "retry"}));
    assert_ne!(retried["isError"], true, "{retried}");
    assert_eq!(yard.effects(), 3);
}

#[test]
fn a_cancel_reaches_the_step_that_is_under_way() {
    let yard = yard(20_000);
    let session = id(&yard.call("asks_start", json!({})));
    let running =
        call_later(yard.gateway.http(), "asks_continue", &json!({"sessionId": session, "expectedStep": 1}));
    yard.wait_running(20_000);
    let reply = yard.call("asks_cancel", json!({"sessionId": session, "compensate": true}));
    assert_eq!(text(&reply), format!("Workflow asks with session ID {session} has been cancelled."));
    let shown = yard.session(&session);
    assert_eq!((&shown["status"], &shown["compensation"]["undone"]), (&json!("cancelled"), &json!([0])));
    let given_up = running.join().expect("no panic").expect("a reply");
    assert_eq!(text(&given_up), "Cannot continue workflow in status: cancelled");
    assert_eq!(yard.effects(), 0);
}

#[test]
fn restate_may_be_killed_and_started_again_on_what_it_kept() {
    let yard = yard(2500);
    let [waits, runs] = [(); 2].map(|()| id(&yard.call("asks_start", json!({}))));
    let running =
        call_later(yard.gateway.http(), "asks_continue", &json!({"sessionId": runs, "expectedStep": 1}));
    yard.wait_running(2500);
    yard.restate.kill9();
    let away = yard.call("asks_continue", json!({"sessionId": waits}));
    assert!(text(&away).starts_with("Sessions cannot be used now"), "{away}");
    yard.gateway.call("test-server", "echo", json!({"message": "on"})).expect_status(200);
    assert_eq!(yard.session(&waits)["status"], "running", "it can be looked at");

    yard.restate.start();
    let reply = running.join().expect("no panic").expect("a reply");
    assert_eq!(reply["structuredContent"]["stepResult"]["tool"], "effect", "{reply}");
    assert_eq!(yard.effects(), 1, "the step ran once");
    let reply = eventually("the other session goes on", || {
        let reply = yard.call("asks_continue", json!({"sessionId": waits, "expectedStep": 1}));
        (reply["isError"] != true).then_some(reply)
    });
    assert_eq!(reply["structuredContent"]["nextActivity"], "note");
    assert_eq!(yard.effects(), 2);
    let last = yard.call("asks_continue", json!({"sessionId": runs, "expectedStep": 2}));
    assert_eq!(last["structuredContent"]["status"], "completed", "{last}");
}

#[test]
fn a_gateway_starts_before_restate_and_its_sessions_follow() {
    let yard = yard(1);
    let session = id(&yard.call("repeats_start", json!({})));
    yard.restate.kill9();
    let yard = yard.killed();
    let away = yard.call("repeats_continue", json!({"sessionId": session}));
    assert!(text(&away).starts_with("Sessions cannot be used now"), "{away}");
    yard.restate.start();
    yard.wait_registered();
    let reply = yard.call("repeats_continue", json!({"sessionId": session}));
    assert_eq!(reply["structuredContent"]["nextActivity"], "note", "{reply}");
}
