//! A step that was under way when the gateway was killed, or stopped before it could end: what follows is what
//! `onUnknown` says.

use super::*;
use testkit::Folder;

/// The active time of those that have one, in milliseconds.
const TIME: u64 = 9000;

/// Workflows whose second step leaves an effect after so many milliseconds, one for each rule.
fn gateway(ms: u64) -> TestGateway {
    let folder = Folder::new();
    let file = folder.join("effects.jsonl").to_str().expect("a path of UTF-8").to_owned();
    let effect = |name: &str, tool: &str| json!({"name": name, "run": {"tool": {"server": "test-server", "name": tool}}});
    let activities = [
        script("note", &format!("return {{data: {{ms: {ms}}}}}")),
        script("forget", "console.log('forgotten'); return {}"),
        script("undo", "console.log('undone ' + JSON.stringify(context.input)); return {}"),
        effect("once", "effect"),
        effect("again", "effect-once"),
        effect("given-up", "effect"),
    ];
    let flow = |name: &str, step: Value| {
        workflow(name, &[json!({"activity": "note", "compensate": "forget"}), step, json!("note")])
    };
    let timed = |flow: Value| with(flow, json!({"timeout": TIME, "timeoutScope": "active"}));
    let flows = [
        flow("asks", json!({"activity": "once"})),
        flow("undoes", json!({"activity": "once", "compensate": "undo"})),
        flow("repeats", json!({"activity": "again"})),
        flow("retries", json!({"activity": "once", "onUnknown": "retry"})),
        timed(flow("asks-in-time", json!({"activity": "once"}))),
        timed(flow("repeats-in-time", json!({"activity": "again"}))),
        timed(flow("fails-in-time", json!({"activity": "once", "optional": true, "onUnknown": "fail"}))),
        flow("fails", json!({"activity": "once", "onUnknown": "fail"})),
        flow(
            "mixed",
            json!({"parallel": [{"activity": "once"}, {"activity": "given-up", "optional": true, "onUnknown": "fail"}]}),
        ),
    ];
    served(&activities, &flows, |server| server.env("FX_EFFECTS", &file)).start_in(folder)
}

/// A session of each workflow with its second step under way when the gateway was killed; it runs again.
fn killed(flows: &[&str]) -> (TestGateway, Vec<String>) {
    let (gateway, sessions, replies) = ended(flows, 1500, TestGateway::kill9);
    assert!(replies.iter().all(Option::is_none), "the reply is lost");
    (gateway, sessions)
}

/// The same with any end of the gateway, and steps that take that many milliseconds; and what came back, if anything.
fn ended(
    flows: &[&str],
    ms: u64,
    end: impl FnOnce(&TestGateway),
) -> (TestGateway, Vec<String>, Vec<Option<Value>>) {
    let gateway = gateway(ms);
    let client = Client::legacy(gateway.http());
    let sessions: Vec<String> =
        flows.iter().map(|flow| id(&client.call(&format!("{flow}_start"), json!({})))).collect();
    let calls = flows.iter().zip(&sessions).map(|(flow, session)| {
        let (_, request) = client.request(
            "tools/call",
            json!({"name": format!("{flow}_continue"), "arguments": {"sessionId": session}}),
        );
        gateway.http().send_later(request)
    });
    let calls: Vec<_> = calls.collect();
    eventually("every step is under way", || {
        let begun = gateway.get("/api/sessions?waiting=step").body;
        (begun.as_array().map(Vec::len) == Some(flows.len())).then_some(())
    });
    end(&gateway);
    let replies = calls.into_iter().map(|call| Some(call.join().expect("a thread").ok()?.body)).collect();
    let gateway = gateway.revive();
    gateway.wait_status("test-server", "running");
    (gateway, sessions, replies)
}

/// How many effects there are.
fn effects(gateway: &TestGateway) -> usize {
    gateway.folder().read("effects.jsonl").lines().count()
}

/// Waits until somebody is asked what became of the step.
#[track_caller]
fn asked(gateway: &TestGateway, session: &str) -> Value {
    eventually("somebody is asked", || {
        let shown = super::session(gateway, session);
        (shown["waiting"]["for"] == "uncertain").then_some(shown)
    })
}

#[test]
fn steps_that_may_be_repeated_run_again_by_themselves_and_others_do_not() {
    let (gateway, sessions) = killed(&["repeats", "retries", "fails"]);
    for session in &sessions[..2] {
        eventually("the step has run again", || {
            (super::session(&gateway, session)["currentStep"] == 1).then_some(())
        });
    }
    assert_eq!(effects(&gateway), 2);
    let failed = wait_status(&gateway, &sessions[2], "failed");
    assert_eq!(failed["error"], "The gateway stopped while the step was under way");
    let nobody_knows = json!({"complete": false, "undone": [0], "failed": [1]});
    assert_eq!(failed["compensation"], nobody_knows, "it may have taken effect: {failed}");
    let client = Client::legacy(gateway.http());
    let again = client.call("repeats_continue", json!({"sessionId": sessions[0], "expectedStep": 1}));
    assert_eq!(again["structuredContent"]["stepResult"]["tool"], "effect-once");
}

#[test]
fn no_active_time_passes_while_the_gateway_is_down() {
    let flows = ["asks-in-time", "repeats-in-time", "fails-in-time"];
    let (gateway, sessions, _) = ended(&flows, 1500, |gateway| {
        gateway.kill9();
        std::thread::sleep(Duration::from_millis(TIME + 500));
    });
    asked(&gateway, &sessions[0]);
    eventually("the step has run again", || {
        (super::session(&gateway, &sessions[1])["currentStep"] == 1).then_some(())
    });
    eventually("the step was given up", || {
        (super::session(&gateway, &sessions[2])["currentStep"] == 1).then_some(())
    });
    let reply =
        Client::legacy(gateway.http()).call("fails-in-time_continue", json!({"sessionId": sessions[2]}));
    assert_eq!(said(&reply)["message"], "Workflow completed successfully");
}

#[test]
fn whoever_is_asked_may_have_it_run_again() {
    let (gateway, sessions) = killed(&["asks"]);
    let session = &sessions[0];
    let waiting = asked(&gateway, session)["waiting"].clone();
    assert_eq!((&waiting["stepIndex"], &waiting["input"]), (&json!(1), &json!({"ms": 1500})));
    assert_eq!(waiting["choices"], json!(["retry", "done", "compensate"]));
    assert_eq!(gateway.get("/api/sessions?waiting=uncertain").body[0]["sessionId"], session.as_str());
    let client = Client::legacy(gateway.http());
    let reply = client.call("asks_continue", json!({"sessionId": session}));
    assert_eq!(options(&reply).len(), 3, "{reply}");
    assert_eq!(effects(&gateway), 0, "nothing runs until somebody decides");
    let wrong = client.call("asks_continue", json!({"sessionId": session, "resolve": "nonsense"}));
    assert_eq!(failure(&wrong), "resolve must be retry, done or compensate");
    let wrong = client.call("asks_continue", json!({"sessionId": session, "resolve": ["done"]}));
    assert_eq!(failure(&wrong), "resolve must be retry, done or compensate");
    let retry = reply["structuredContent"]["nextStepOptions"][0]["parameters"].clone();
    let stale = with(retry.clone(), json!({"doubt": 1}));
    for undecided in [json!({"sessionId": session}), stale] {
        assert!(
            text(&client.call("asks_pause", json!({"sessionId": session}))).ends_with("has been paused.")
        );
        let reply = client.call("asks_continue", undecided);
        assert_eq!(
            reply["structuredContent"]["status"], "waiting",
            "an answer to another doubt decides nothing"
        );
        assert_eq!(super::session(&gateway, session)["status"], "running", "a continue ends a pause");
    }
    let done = client.call("asks_continue", retry.clone());
    assert_eq!(done["structuredContent"]["stepResult"]["key"], format!("{session}/1"));
    assert_eq!(client.call("asks_continue", retry.clone()), done);
    let bare = json!({"sessionId": session, "resolve": "retry", "doubt": retry["doubt"]});
    assert_eq!(client.call("asks_continue", bare), done, "also without the step that it is meant for");
    assert_eq!(effects(&gateway), 1);
}

#[test]
fn whoever_is_asked_may_say_that_it_is_done_or_undo_the_rest() {
    let (gateway, sessions) = killed(&["asks"]);
    let client = Client::legacy(gateway.http());
    asked(&gateway, &sessions[0]);
    let path = format!("/api/sessions/{}/continue", sessions[0]);
    let reply = gateway.post(&path, json!({"resolve": "done", "result": {"seen": true}}));
    assert_eq!(said(&reply.body)["result"], json!({"seen": true}));
    let late = gateway.post(&path, json!({"resolve": "compensate"})).body;
    let refusal = "stands at step 2; nothing there waits for an answer (resolve).";
    assert!(failure(&late).ends_with(refusal), "whoever saw the same question runs nothing: {late}");
    let done = said(&client.call("asks_continue", json!({"sessionId": sessions[0]})));
    assert_eq!(done["results"]["once"], json!({"seen": true}));

    let (gateway, sessions) = killed(&["asks"]);
    asked(&gateway, &sessions[0]);
    let path = format!("/api/sessions/{}/continue", sessions[0]);
    let reply = gateway.post(&path, json!({"resolve": "compensate"}));
    assert_eq!(failure(&reply.body), "Workflow failed at step 1 (once): The step was given up");
    let shown = session(&gateway, &sessions[0]);
    let nobody_knows = json!({"complete": false, "undone": [0], "failed": [1]});
    assert_eq!((&shown["compensation"], &shown["currentStep"]), (&nobody_knows, &json!(1)), "{shown}");
    expect_times(&gateway, "forgotten", 1);
}

/// The history of a session: activity, whether it is that of an undo, and the error.
fn told(session: &Value) -> Vec<(String, bool, Option<String>)> {
    let entry = |one: &Value| {
        let text = |key: &str| one[key].as_str().map(str::to_owned);
        (text("activityName").unwrap_or_default(), one["compensation"] == true, text("error"))
    };
    session["history"].as_array().expect("a list").iter().map(entry).collect()
}

#[test]
fn a_step_that_may_have_taken_effect_is_undone_first() {
    let (gateway, sessions) = killed(&["undoes", "asks"]);
    sessions.iter().for_each(|session| _ = asked(&gateway, session));
    let path = format!("/api/sessions/{}/continue", sessions[0]);
    let reply = gateway.post(&path, json!({"resolve": "compensate"}));
    assert_eq!(failure(&reply.body), "Workflow failed at step 1 (once): The step was given up");
    expect_lines(&gateway, 0, &[r#"undone {"input":{"ms":1500},"output":null}"#, "forgotten"]);
    let shown = session(&gateway, &sessions[0]);
    assert_eq!(shown["compensation"], json!({"complete": true, "undone": [1, 0], "failed": []}));
    let uncertain = Some("It is uncertain whether the step took effect".to_owned());
    let names = |name: &str, undo: bool, error: &Option<String>| (name.to_owned(), undo, error.clone());
    let history = [
        names("note", false, &None),
        names("once", false, &uncertain),
        names("undo", true, &None),
        names("forget", true, &None),
    ];
    assert_eq!(told(&shown), history);

    let path = format!("/api/sessions/{}/cancel", sessions[1]);
    gateway.post(&path, json!({"compensate": true})).expect_status(200);
    let shown = wait_status(&gateway, &sessions[1], "cancelled");
    assert_eq!(shown["compensation"], json!({"complete": false, "undone": [0], "failed": [1]}));
    let history = [
        names("note", false, &None),
        names("once", false, &uncertain),
        names("once", true, &Some("There is nothing to undo it with".to_owned())),
        names("forget", true, &None),
    ];
    assert_eq!(told(&shown), history);
    assert_eq!(effects(&gateway), 0);
}

#[test]
fn a_member_that_fails_when_nobody_knows_leaves_the_others_of_its_group_to_be_asked_about() {
    let (gateway, sessions) = killed(&["mixed"]);
    asked(&gateway, &sessions[0]);
    let path = format!("/api/sessions/{}/continue", sessions[0]);
    let reply = gateway.post(&path, json!({"resolve": "done", "result": {"once": {"seen": true}}}));
    let result = &said(&reply.body)["result"];
    assert_eq!(*result, json!({"once": {"seen": true}}), "by the names of activities: {}", reply.body);
    let history = session(&gateway, &sessions[0])["history"].clone();
    let given_up =
        history.as_array().and_then(|all| all.iter().find(|one| one["activityName"] == "given-up"));
    assert_eq!(given_up.expect("its entry")["error"], "The gateway stopped while the step was under way");
    assert_eq!(effects(&gateway), 0);
}

#[test]
fn a_round_tells_the_ways_out_of_a_doubt_apart() {
    let (gateway, sessions) = killed(&["asks"]);
    asked(&gateway, &sessions[0]);
    let extensions = json!({"elicitation": {}, "extensions": {"lockgate/workflow": {}}});
    let client = Client::modern_with(gateway.http(), extensions);
    let round = client.call("asks_continue", json!({"sessionId": sessions[0]}));
    let choices = &round["inputRequests"]["next"]["params"]["requestedSchema"]["properties"]["next"]["enum"];
    assert_eq!(*choices, json!(["asks_continue: retry", "asks_continue: done", "asks_continue: compensate"]));
    let next = json!({"next": {"action": "accept", "content": {"next": "asks_continue: done"}}});
    client.result(
        "tools/call",
        json!({"name": "asks_continue", "arguments": {}, "inputResponses": next, "requestState": round["requestState"]}),
    );
    assert_eq!(session(&gateway, &sessions[0])["currentStep"], 1);
    assert_eq!(effects(&gateway), 0, "what is said to be done is not run again");
}

#[test]
fn a_step_that_a_planned_stop_cuts_off_is_as_unknown_as_after_a_crash() {
    // Longer than the gateway waits for what is under way.
    let (gateway, sessions, replies) = ended(&["asks", "fails"], 30_000, |gateway| {
        gateway.signal(testkit::Signal::TERM);
        assert_eq!(gateway.wait_exit(), Some(0), "{:#?}", gateway.log_lines());
    });
    // Whoever still listens is told; a connection may also have been cut off before.
    for reply in replies.into_iter().flatten().filter(|reply| !reply.is_null()) {
        assert!(reply.to_string().contains("The gateway is stopping"), "{reply}");
    }
    asked(&gateway, &sessions[0]);
    let failed = wait_status(&gateway, &sessions[1], "failed");
    assert_eq!(failed["error"], "The gateway stopped while the step was under way");
    assert_eq!(effects(&gateway), 0);
}
