//! Steps that wait for an event (spec 5.2).

use super::*;

/// A workflow `w` whose second step waits like this.
#[expect(clippy::needless_pass_by_value, reason = "callers write the value in place")]
fn gateway(wait: Value) -> TestGateway {
    single(&[], &[json!("add"), json!({"activity": "tag", "waitFor": wait}), json!("recall")])
}

/// A session that waits for its event.
#[track_caller]
fn waiting(gateway: &TestGateway) -> String {
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("w_start", json!({"a": 5, "b": 3})));
    let reply = client.call("w_continue", json!({"sessionId": session}));
    assert_eq!(reply["structuredContent"]["waiting"]["event"], "paid", "{reply}");
    assert_eq!(super::session(gateway, &session)["waiting"]["for"], "event");
    session
}

/// Posts an event and gives how many sessions took it.
#[track_caller]
fn post(gateway: &TestGateway, body: Value) -> Value {
    let reply = gateway.post("/api/sessions/events", body);
    reply.expect_status(200);
    reply.body["delivered"].clone()
}

#[test]
fn an_event_lets_the_step_run_with_its_data_once() {
    let gateway = gateway(json!({"event": "paid"}));
    let session = waiting(&gateway);
    assert_eq!(post(&gateway, json!({"event": "other", "data": {}})), 0);
    let gateway = gateway.reopen();
    assert_eq!(post(&gateway, json!({"event": "paid", "data": {"sum": 7}})), 1);
    let shown = super::session(&gateway, &session);
    assert_eq!(shown["memory"]["tag"]["got"], json!({"sum": 7}));
    assert!(shown.get("waiting").is_none(), "{shown}");
    assert_eq!(post(&gateway, json!({"event": "paid", "data": {"sum": 8}})), 0, "it is delivered once");
    gateway.post("/api/sessions/events", json!({"data": {}})).expect_code(400, "VALIDATION_ERROR");
    gateway.post("/api/sessions/events", json!({"event": ""})).expect_code(400, "VALIDATION_ERROR");
}

#[test]
fn a_filter_and_an_address_choose_among_the_sessions() {
    let gateway = gateway(json!({"event": "paid", "filter": "event.id === memory.add.result"}));
    let [one, two] = [waiting(&gateway), waiting(&gateway)];
    assert_eq!(post(&gateway, json!({"event": "paid", "data": {"id": 9}})), 0);
    assert_eq!(post(&gateway, json!({"event": "paid", "data": {"id": 8}, "sessionId": two})), 1);
    assert_eq!(session(&gateway, &one)["currentStep"], 0);
    assert_eq!(session(&gateway, &two)["currentStep"], 1);
    assert_eq!(post(&gateway, json!({"event": "paid", "data": {"id": 8}})), 1);
    assert_eq!(post(&gateway, json!({"event": "paid", "sessionId": "nobody"})), 0);
}

#[test]
fn a_wait_that_is_over_fails_or_goes_on_as_chosen() {
    let fails = gateway(json!({"event": "paid", "timeoutMs": 1500}));
    let session = waiting(&fails);
    let failed = wait_status(&fails, &session, "failed");
    assert!(failed["error"].as_str().is_some_and(|error| error.contains("paid")), "{failed}");

    let goes = gateway(json!({"event": "paid", "timeoutMs": 1500, "onTimeout": "continue"}));
    let session = waiting(&goes);
    eventually("the step has run without the event", || {
        (super::session(&goes, &session)["currentStep"] == 1).then_some(())
    });
    assert_eq!(super::session(&goes, &session)["memory"]["tag"]["got"], json!({"result": 8}));
}

#[test]
fn an_event_for_a_paused_session_is_kept_until_it_goes_on() {
    let gateway = gateway(json!({"event": "paid"}));
    let session = waiting(&gateway);
    let client = Client::legacy(gateway.http());
    client.call("w_pause", json!({"sessionId": session}));
    assert_eq!(post(&gateway, json!({"event": "paid", "data": {"sum": 7}})), 1);
    assert_eq!(super::session(&gateway, &session)["currentStep"], 0);
    let reply = client.call("w_continue", json!({"sessionId": session}));
    assert_eq!(reply["structuredContent"]["stepResult"]["got"], json!({"sum": 7}));
}

#[test]
fn the_gateway_raises_events_itself() {
    let finished = json!({"event": "session.finished", "filter": "event.workflowName === 'other'"});
    let changed = json!({"event": "server.status", "filter": "event.status === 'running'"});
    let flow = |name: &str, wait: Value| workflow(name, &[json!({"activity": "tag", "waitFor": wait})]);
    let flows = [flow("a", finished), flow("b", changed), workflow("other", &[json!("add")])];
    let gateway = start(&flows);
    let client = Client::legacy(gateway.http());
    let [one, two] = ["a_start", "b_start"].map(|tool| id(&client.call(tool, json!({}))));
    client.call("other_start", json!({"a": 1, "b": 2}));
    let other = only(&gateway, "other")["sessionId"].clone();
    let done = wait_status(&gateway, &one, "completed");
    assert_eq!(
        done["memory"]["tag"]["got"],
        json!({"sessionId": other, "workflowName": "other", "status": "completed"})
    );
    gateway.post("/api/servers/test-server/restart", json!({})).expect_status(200);
    let done = wait_status(&gateway, &two, "completed");
    assert_eq!(done["memory"]["tag"]["got"], json!({"server": "test-server", "status": "running"}));
}

#[test]
fn an_event_reaches_everybody_though_whoever_posted_it_has_gone() {
    let nap = script("nap", "await sleep(500); return {data: context.input}");
    let step = json!({"activity": "nap", "waitFor": {"event": "paid"}});
    let gateway = single(&[nap], &[json!("add"), step, json!("recall")]);
    let sessions: Vec<String> = (0..3).map(|_| waiting(&gateway)).collect();
    let body = json!({"event": "paid", "data": {"n": 1}}).to_string();
    let request = Request::new("POST", "/api/sessions/events").body("application/json", body);
    let asked = gateway.http().begin(&request).expect("it is sent");
    eventually("one has it", || {
        sessions.iter().any(|one| session(&gateway, one)["waiting"].is_null()).then_some(())
    });
    drop(asked);
    for one in &sessions {
        eventually("the step ran", || {
            Some(session(&gateway, one)).filter(|it| it["memory"]["nap"]["n"] == 1)
        });
    }
}
