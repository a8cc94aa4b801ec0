//! Compensation: what succeeded is undone in reverse order (spec 5.2).

use super::*;

fn acts() -> Vec<Value> {
    let undo = |name: &str| {
        script(name, &format!("console.log('{name} ' + JSON.stringify(context.input)); return {{}}"))
    };
    let mut all = standard();
    all.extend([undo("undo-add"), undo("undo-double")]);
    all.push(with(
        script("undo-bad", "console.log('tried'); return {success: false, error: 'stuck'}"),
        json!({"retry": {"maxAttempts": 2, "backoffMs": 10}}),
    ));
    all
}

/// Two steps that can be undone, then these.
fn steps(more: &[Value]) -> Vec<Value> {
    let own = [
        json!({"activity": "add", "compensate": "undo-add"}),
        json!({"activity": "double", "compensate": "undo-double"}),
    ];
    own.into_iter().chain(more.iter().cloned()).collect()
}

const UNDONE: [&str; 2] = [
    r#"undo-double {"input":{"result":3},"output":{"result":6}}"#,
    r#"undo-add {"input":{"a":1,"b":2},"output":{"result":3}}"#,
];

#[test]
fn a_failure_undoes_the_steps_that_succeeded_in_reverse_order() {
    let gateway = builder(&acts(), &[workflow("w", &steps(&[json!("bad")]))]).start();
    let reply = Client::legacy(gateway.http()).call("w_start", json!({"a": 1, "b": 2, "maxSteps": "all"}));
    assert_eq!(failure(&reply), "Workflow failed at step 2 (bad): nope");
    expect_lines(&gateway, 0, &UNDONE);
    let session = only(&gateway, "w");
    assert_eq!((&session["status"], &session["error"]), (&json!("failed"), &json!("nope")));
    assert_eq!(session["compensation"], json!({"complete": true, "undone": [1, 0], "failed": []}));
    let history: Vec<_> = session["history"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|one| one["compensation"] == true)
        .map(|one| one["activityName"].clone())
        .collect();
    assert_eq!(history, ["undo-double", "undo-add"]);
}

#[test]
fn a_cancel_undoes_only_where_that_is_asked_for() {
    let gateway = builder(&acts(), &[workflow("w", &steps(&[json!("tag")]))]).start();
    let client = Client::legacy(gateway.http());
    let begin = || id(&client.call("w_start", json!({"a": 1, "b": 2, "maxSteps": 2})));
    let plain = begin();
    client.call("w_cancel", json!({"sessionId": plain}));
    expect_lines(&gateway, 0, &[]);
    assert!(session(&gateway, &plain).get("compensation").is_none());
    let undone = begin();
    let reply = client.call("w_cancel", json!({"sessionId": undone, "compensate": true}));
    assert_eq!(text(&reply), format!("Workflow w with session ID {undone} has been cancelled."));
    expect_lines(&gateway, 0, &UNDONE);
    let shown = session(&gateway, &undone);
    assert_eq!((&shown["status"], &shown["compensation"]["complete"]), (&json!("cancelled"), &json!(true)));
    let third = begin();
    let reply = gateway.post(&format!("/api/sessions/{third}/cancel"), json!({"compensate": true}));
    assert_ne!(reply.expect_status(200).body["isError"], true);
    assert_eq!(session(&gateway, &third)["compensation"]["undone"], json!([1, 0]));
}

#[test]
fn a_timeout_undoes_too() {
    let timed = with(workflow("w", &steps(&[json!("tag")])), json!({"timeout": 600}));
    let gateway = builder(&acts(), &[timed]).start();
    let session = id(&Client::legacy(gateway.http()).call("w_start", json!({"a": 1, "b": 2, "maxSteps": 2})));
    let failed = wait_status(&gateway, &session, "failed");
    assert_eq!(failed["compensation"]["undone"], json!([1, 0]));
    expect_lines(&gateway, 0, &UNDONE);
}

#[test]
fn an_undo_that_fails_is_retried_and_recorded_and_the_others_still_run() {
    let steps = [
        json!({"activity": "add", "compensate": "undo-add"}),
        json!({"activity": "double", "compensate": "undo-bad"}),
        json!("bad"),
    ];
    let gateway = builder(&acts(), &[workflow("w", &steps)]).start();
    Client::legacy(gateway.http()).call("w_start", json!({"a": 1, "b": 2, "maxSteps": "all"}));
    expect_lines(&gateway, 0, &["tried", "tried", UNDONE[1]]);
    let session = only(&gateway, "w");
    assert_eq!(session["compensation"], json!({"complete": false, "undone": [0], "failed": [1]}));
    assert_eq!(session["history"][3]["error"], "Activity failed after 2 attempts: stuck");
}

/// A script that takes longer than any of these tests waits.
fn nap() -> Value {
    script("nap", "await sleep(4500); return {}")
}

#[test]
fn a_session_that_runs_as_a_step_ends_as_the_one_that_runs_it_does() {
    let kid = json!({"name": "kid", "description": "d", "run": {"workflow": {"name": "inner"}}});
    let all = [acts(), vec![nap(), kid]].concat();
    let add = json!({"activity": "add", "compensate": "undo-add", "inputMapper": "({a: 1, b: 2})"});
    let inner = workflow("inner", &[add, json!("nap")]);
    let timed = with(workflow("timed", &[json!("kid")]), json!({"timeout": 2000}));
    let ended =
        workflow("ended", &[json!({"activity": "double", "compensate": "undo-double"}), json!("kid")]);
    let gateway = builder(&all, &[inner, timed, ended]).start();
    let child = |parent: &Value| {
        let all =
            gateway.get(&format!("/api/sessions?parent={}", parent["sessionId"].as_str().expect("an id")));
        all.body[0].clone()
    };
    let client = Client::legacy(gateway.http());
    failure(&client.call("timed_start", json!({"a": 1, "b": 2})));
    let parent = only(&gateway, "timed");
    let inner = eventually("the inner one has ended", || {
        Some(child(&parent))
            .filter(|one| one["compensation"]["complete"] == true && one["status"] == "failed")
    });
    assert_eq!(inner["error"], "Workflow timeout exceeded (2000ms)", "{inner}");
    assert_eq!(inner["compensation"]["undone"], json!([0]));

    let http = gateway.http();
    let start = json!({"result": 1, "maxSteps": "all"});
    let call = std::thread::spawn(move || Client::legacy(http).call("ended_start", start));
    let running = |one: &Value| one["history"].as_array().is_some_and(|history| history.len() == 1);
    eventually("the inner one naps", || {
        let all = gateway.get("/api/sessions?workflowName=ended").body;
        all.get(0).map(&child).filter(running)
    });
    let parent = only(&gateway, "ended");
    let path = format!("/api/sessions/{}/cancel", parent["sessionId"].as_str().expect("an id"));
    gateway.post(&path, json!({"compensate": true})).expect_status(200);
    let inner = eventually("the inner one has ended", || {
        Some(child(&parent)).filter(|one| one["status"] == "cancelled")
    });
    assert_eq!(inner["compensation"]["undone"], json!([0]), "{inner}");
    assert_eq!(
        session(&gateway, parent["sessionId"].as_str().expect("an id"))["compensation"]["undone"],
        json!([0])
    );
    // What was done last is undone first.
    let double = r#"undo-double {"input":{"result":1},"output":{"result":2}}"#;
    expect_lines(&gateway, 0, &[UNDONE[1], UNDONE[1], double]);
    call.join().expect("an answer");
}

#[test]
fn members_of_a_group_that_is_cut_short_are_recorded_and_undone() {
    let group = json!({"parallel": [{"activity": "add", "compensate": "undo-add"}, {"activity": "nap"}]});
    let timed = with(workflow("w", &[group]), json!({"timeout": 2000}));
    let gateway = builder(&[acts(), vec![nap()]].concat(), &[timed]).start();
    failure(&Client::legacy(gateway.http()).call("w_start", json!({"a": 1, "b": 2})));
    let session = eventually("it is undone", || {
        Some(only(&gateway, "w")).filter(|one| one["compensation"]["complete"] == true)
    });
    assert_eq!(session["compensation"]["undone"], json!([0]), "{session}");
    let names: Vec<_> =
        session["history"].as_array().expect("a list").iter().map(|one| &one["activityName"]).collect();
    assert_eq!(names, ["add", "nap", "undo-add"]);
    expect_lines(&gateway, 0, &UNDONE[1..]);
}

#[test]
fn who_waits_for_a_step_hears_that_the_session_is_cancelled_also_while_it_is_undone() {
    let steps = [json!({"activity": "add", "compensate": "undo-add"}), json!("nap"), json!("tag")];
    let gateway = builder(&[acts(), vec![nap()]].concat(), &[workflow("w", &steps)]).start();
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("w_start", json!({"a": 1, "b": 2})));
    let (http, own) = (gateway.http(), session.clone());
    let waits = std::thread::spawn(move || {
        let path = format!("/api/sessions/{own}/continue");
        http.send(&Request::new("POST", &path).body("application/json", "{}"))
    });
    let path = format!("/api/sessions/{session}/cancel");
    let wrong = gateway.post(&path, json!({"compensate": "yes"}));
    assert_eq!(failure(&wrong.body), "compensate must be true or false.");
    std::thread::sleep(Duration::from_millis(300));
    gateway.post(&path, json!({"compensate": true})).expect_status(200);
    let reply = waits.join().expect("an answer").body;
    assert_eq!(failure(&reply), "Cannot continue workflow in status: cancelled");
    let paused = gateway.post(&format!("/api/sessions/{session}/pause"), json!({}));
    assert_eq!(failure(&paused.body), "Cannot pause workflow in status: cancelled");
}

#[test]
fn a_step_that_is_cut_short_counts_as_one_that_may_have_taken_effect() {
    let tool = json!({"server": "test-server", "name": "sleep"});
    let sleeps = |name: &str, more: Value| with(json!({"name": name, "run": {"tool": tool}}), more);
    let retried = json!({"timeout": 300, "retry": {"maxAttempts": 2, "backoffMs": 1}});
    let activities = [
        script("note", "return {data: {ms: 60000}}"),
        script("forget", "return {}"),
        script("undo", "console.log('undone ' + JSON.stringify(context.input)); return {}"),
        sleeps("long", json!({})),
        sleeps("short", json!({"timeout": 300})),
        sleeps("often", retried),
    ];
    let undone = |activity: &str| json!({"activity": activity, "compensate": "undo"});
    let first = json!({"activity": "note", "compensate": "forget"});
    let flow = |name: &str, step: Value| workflow(name, &[first.clone(), step]);
    let flows = [
        flow("late", undone("often")),
        with(flow("timed", undone("long")), json!({"timeout": 1500})),
        flow("ended", undone("long")),
        flow("bare", json!("short")),
        workflow("plain", &[json!("note"), json!("short")]),
    ];
    let gateway = builder(&activities, &flows).start();
    let all = json!({"maxSteps": "all"});
    let client = Client::legacy(gateway.http());
    let error = failure(&client.call("late_start", all.clone())).to_owned();
    assert!(error.ends_with("after 2 attempts: Activity timed out after 300ms"), "{error}");
    let error = failure(&client.call("timed_start", all.clone())).to_owned();
    assert!(error.ends_with("Workflow timeout exceeded (1500ms)"), "{error}");
    let (http, start) = (gateway.http(), all.clone());
    let call = std::thread::spawn(move || Client::legacy(http).call("ended_start", start));
    let session = eventually("the step is under way", || {
        let begun = gateway.get("/api/sessions?workflowName=ended&waiting=step").body;
        Some(begun[0]["sessionId"].as_str()?.to_owned())
    });
    eventually("it is the second one", || {
        (super::session(&gateway, &session)["running"]["stepIndex"] == 1).then_some(())
    });
    gateway.post(&format!("/api/sessions/{session}/cancel"), json!({"compensate": true})).expect_status(200);
    call.join().expect("an answer");
    for flow in ["late", "timed", "ended"] {
        let done = json!({"complete": true, "undone": [1, 0], "failed": []});
        assert_eq!(only(&gateway, flow)["compensation"], done, "{flow}");
    }
    expect_lines(&gateway, 0, &[r#"undone {"input":{"ms":60000},"output":null}"#; 3]);
    failure(&client.call("bare_start", all.clone()));
    let nobody_knows = json!({"complete": false, "undone": [0], "failed": [1]});
    assert_eq!(only(&gateway, "bare")["compensation"], nobody_knows, "nothing undoes it");
    failure(&client.call("plain_start", all));
    assert!(only(&gateway, "plain").get("compensation").is_none(), "nothing is ever undone there");
}

#[test]
fn a_group_is_undone_when_all_of_its_members_are() {
    let member = |activity: &str, undo: &str| json!({"activity": activity, "compensate": undo});
    let group = json!({"parallel": [member("double", "undo-double"), member("memo", "undo-bad")]});
    let both = json!({"parallel": [member("double", "undo-double"), member("memo", "undo-add")]});
    let first = member("add", "undo-add");
    let flows = [
        workflow("part", &[first.clone(), group, json!("bad")]),
        workflow("whole", &[first, both, json!("bad")]),
    ];
    let gateway = builder(&acts(), &flows).start();
    let client = Client::legacy(gateway.http());
    for (flow, expected) in [
        ("part", json!({"complete": false, "undone": [0], "failed": [1]})),
        ("whole", json!({"complete": true, "undone": [1, 0], "failed": []})),
    ] {
        failure(&client.call(&format!("{flow}_start"), json!({"a": 1, "b": 2, "maxSteps": "all"})));
        assert_eq!(only(&gateway, flow)["compensation"], expected, "{flow}");
    }
}
