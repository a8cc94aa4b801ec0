//! How many sessions there are, how long they stay, and how they are counted and listed (spec 4.8).

use super::*;

#[test]
fn at_the_cap_the_oldest_finished_session_makes_room() {
    let gateway = builder(&standard(), &[calc(), workflow("one", &[json!("add")])])
        .setting("sessions: {maxSessions: 3}")
        .start();
    let client = Client::legacy(gateway.http());
    let input = json!({"a": 1, "b": 2});
    let open = id(&client.call("calc_start", input.clone()));
    let finish = || {
        client.call("one_start", input.clone());
        let all = gateway.get("/api/sessions?workflowName=one").body;
        all[0]["sessionId"].as_str().expect("an id").to_owned()
    };
    let (first, second) = (finish(), finish());
    let third = finish();
    gateway.get(&format!("/api/sessions/{first}")).expect_code(404, "NOT_FOUND");
    for kept in [&open, &second, &third] {
        session(&gateway, kept);
    }
    assert_eq!(gateway.get("/api/sessions/stats").body["total"], 3);
}

#[test]
fn at_the_cap_the_oldest_open_session_is_evicted_where_that_is_set() {
    let gateway =
        builder(&standard(), &[calc()]).setting("sessions: {maxSessions: 2, onFull: evict-oldest}").start();
    let client = Client::legacy(gateway.http());
    let all: Vec<String> = (0..3).map(|a| id(&client.call("calc_start", json!({"a": a, "b": 2})))).collect();
    let gone = client.call("calc_continue", json!({"sessionId": all[0]}));
    assert_eq!(failure(&gone), format!("Workflow session {} not found", all[0]));
    said(&client.call("calc_continue", json!({"sessionId": all[1]})));
    said(&client.call("calc_continue", json!({"sessionId": all[2]})));
}

#[test]
fn finished_sessions_go_after_their_time_and_open_ones_stay() {
    let gateway = builder(&standard(), &[calc(), workflow("one", &[json!("add")])])
        .setting("sessions: {sessionTTLMs: 50}")
        .start();
    let client = Client::legacy(gateway.http());
    let open = id(&client.call("calc_start", json!({"a": 1, "b": 2})));
    client.call("one_start", json!({"a": 1, "b": 2}));
    let old = only(&gateway, "one")["sessionId"].clone();
    // A start cleans up; the first one after the time removes the old session.
    eventually("the finished session is removed", || {
        let session = id(&client.call("calc_start", json!({"a": 1, "b": 2})));
        client.call("calc_cancel", json!({"sessionId": session}));
        (gateway.get(&format!("/api/sessions/{}", old.as_str()?)).status == 404).then_some(())
    });
    assert_eq!(session(&gateway, &open)["status"], "running");
}

#[test]
fn sessions_of_a_memory_store_are_gone_after_a_restart() {
    let gateway = builder(&standard(), &[calc()]).setting("store: {url: 'memory:'}").start();
    let open = id(&Client::legacy(gateway.http()).call("calc_start", json!({"a": 1, "b": 2})));
    let gateway = gateway.reopen();
    let reply = Client::legacy(gateway.http()).call("calc_continue", json!({"sessionId": open}));
    assert_eq!(failure(&reply), format!("Workflow session {open} not found"));
}

#[test]
fn statistics_count_every_status_and_workflow() {
    let gateway = start(&[calc(), workflow("one", &[json!("add")]), workflow("broken", &[json!("bad")])]);
    let zero = json!({"pending": 0, "running": 0, "paused": 0, "completed": 0, "failed": 0, "cancelled": 0});
    assert_eq!(
        gateway.get("/api/sessions/stats").body,
        json!({"total": 0, "byStatus": zero, "byWorkflow": {}})
    );
    let client = Client::legacy(gateway.http());
    let input = json!({"a": 1, "b": 2});
    let all: Vec<String> = (0..3).map(|_| id(&client.call("calc_start", input.clone()))).collect();
    client.call("calc_pause", json!({"sessionId": all[0]}));
    client.call("calc_cancel", json!({"sessionId": all[1]}));
    client.call("one_start", input.clone());
    client.call("broken_start", input);
    assert_eq!(
        gateway.get("/api/sessions/stats").body,
        json!({"total": 5,
            "byStatus": {"pending": 0, "running": 1, "paused": 1, "completed": 1, "failed": 1, "cancelled": 1},
            "byWorkflow": {"broken": 1, "calc": 3, "one": 1}})
    );
}

#[test]
fn the_list_has_filters_and_a_window() {
    let gateway = start(&[calc(), workflow("one", &[json!("add")])]);
    let client = Client::legacy(gateway.http());
    let all: Vec<String> = (0..3).map(|a| id(&client.call("calc_start", json!({"a": a, "b": 2})))).collect();
    client.call("calc_cancel", json!({"sessionId": all[1]}));
    client.call("one_start", json!({"a": 1, "b": 2}));
    let list = |query: &str| {
        let reply = gateway.get(&format!("/api/sessions{query}"));
        reply.expect_status(200);
        let list = reply.body.as_array().expect("a list").clone();
        let ids = list.iter().map(|one| one["sessionId"].as_str().unwrap_or_default().to_owned());
        (ids.collect::<Vec<_>>(), reply.header("x-total-count").to_owned())
    };
    assert_eq!(list("?workflowName=calc").0, [&all[2], &all[1], &all[0]].map(Clone::clone), "newest first");
    assert_eq!(list("?workflowName=calc&status=running").0.len(), 2);
    assert_eq!(list("?status=cancelled").0, [all[1].clone()]);
    assert_eq!(list("?status=completed&workflowName=calc").0.len(), 0);
    assert_eq!(list("?workflowName=calc&limit=1&offset=1"), (vec![all[1].clone()], "3".to_owned()));
    assert_eq!(list("?offset=10").0.len(), 0);
    for wrong in ["?status=open", "?limit=0", "?limit=x", "?limit=1001", "?offset=-1"] {
        gateway.get(&format!("/api/sessions{wrong}")).expect_code(400, "VALIDATION_ERROR");
    }
    gateway.get("/api/sessions/nobody").expect_code(404, "NOT_FOUND");
}

#[test]
fn a_session_has_the_fields_of_the_specification_and_no_empty_ones() {
    let gateway = start(&[calc()]);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("calc_start", json!({"a": 1, "b": 2})));
    let shown = super::session(&gateway, &session);
    let keys: Vec<&String> = shown.as_object().expect("an object").keys().collect();
    assert_eq!(
        keys,
        [
            "sessionId",
            "workflowName",
            "clientId",
            "status",
            "currentStep",
            "totalSteps",
            "memory",
            "startedAt",
            "history",
            "branchHistory"
        ]
    );
    assert_eq!((&shown["clientId"], &shown["totalSteps"]), (&json!("testkit"), &json!(3)));
    let entry: Vec<&String> = shown["history"][0].as_object().expect("an object").keys().collect();
    assert_eq!(entry, ["stepIndex", "activityName", "startedAt", "completedAt", "success", "branchOptions"]);
    client.call("calc_cancel", json!({"sessionId": session}));
    assert!(super::session(&gateway, &session)["completedAt"].is_i64());
}
