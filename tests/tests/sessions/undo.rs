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
