//! Steps that somebody must allow first (issue: human approval).

use super::*;

/// A workflow `w` whose second step must be allowed under these rules.
#[expect(clippy::needless_pass_by_value, reason = "callers write the value in place")]
fn gateway(rules: Value) -> TestGateway {
    single(&[], &[json!("add"), json!({"activity": "double", "approve": rules}), json!("tag")])
}

/// A session that waits to be allowed: its id and its question.
#[track_caller]
fn asked(gateway: &TestGateway, client: &Client) -> (String, Value) {
    let session = id(&client.call("w_start", json!({"a": 5, "b": 3})));
    let reply = client.call("w_continue", json!({"sessionId": session}));
    let structured = &reply["structuredContent"];
    assert_eq!(
        (&structured["status"], &structured["waiting"]["for"]),
        (&json!("waiting"), &json!("approval")),
        "{reply}"
    );
    let shown = super::session(gateway, &session);
    assert_eq!(shown["waiting"], structured["waiting"]);
    assert_eq!((&shown["status"], &shown["currentStep"]), (&json!("running"), &json!(0)));
    (session, shown["waiting"].clone())
}

#[test]
fn a_step_waits_until_it_is_allowed_by_a_further_call() {
    let gateway = gateway(json!({"message": "Really double?"}));
    for client in clients(&gateway) {
        let (session, question) = asked(&gateway, &client);
        assert_eq!(
            (&question["input"], &question["message"]),
            (&json!({"result": 8}), &json!("Really double?"))
        );
        let reply = client.call("w_continue", json!({"sessionId": session}));
        assert!(
            said(&reply)["message"].as_str().is_some_and(|text| text.contains("Really double?")),
            "{reply}"
        );
        let allow = &reply["structuredContent"]["nextStepOptions"][0];
        assert_eq!(allow["parameters"]["approval"], json!({"digest": question["digest"], "allow": true}));
        let done = client.call("w_continue", allow["parameters"].clone());
        assert_eq!(done["structuredContent"]["stepResult"], json!({"result": 16}));
        let again = client.call("w_continue", allow["parameters"].clone());
        assert_eq!(again, done, "a repeated answer is that of the same call");
        assert!(super::session(&gateway, &session).get("waiting").is_none());
    }
}

#[test]
fn a_step_is_allowed_or_refused_over_the_api() {
    let gateway = gateway(json!(true));
    let client = Client::legacy(gateway.http());
    let (session, question) = asked(&gateway, &client);
    let path = format!("/api/sessions/{session}/approve");
    let waiting = gateway.get("/api/sessions?waiting=approval").body;
    assert_eq!(waiting[0]["sessionId"], session.as_str(), "{waiting}");
    gateway.get("/api/sessions?waiting=aproval").expect_code(400, "VALIDATION_ERROR");
    let reply = gateway.post(&path, json!({"digest": question["digest"], "allow": true}));
    assert_eq!(said(&reply.expect_status(200).body)["result"], json!({"result": 16}));
    let reply = gateway.post(&path, json!({"digest": question["digest"], "allow": true}));
    assert!(failure(&reply.expect_status(200).body).contains("does not wait"), "an answer counts once");

    let (session, question) = asked(&gateway, &client);
    let path = format!("/api/sessions/{session}/approve");
    let body = json!({"digest": question["digest"], "allow": false, "reason": "too dear"});
    let reply = gateway.post(&path, body);
    assert_eq!(failure(&reply.body), "Workflow failed at step 1 (double): Approval refused: too dear");
    assert_eq!(super::session(&gateway, &session)["error"], "Approval refused: too dear");
    gateway
        .post("/api/sessions/nobody/approve", json!({"digest": "x", "allow": true}))
        .expect_code(404, "NOT_FOUND");
    gateway.post(&path, json!({"allow": true})).expect_code(400, "VALIDATION_ERROR");
}

#[test]
fn an_answer_is_bound_to_its_question() {
    let gateway = gateway(json!(true));
    let client = Client::legacy(gateway.http());
    let (one, first) = asked(&gateway, &client);
    let (two, second) = asked(&gateway, &client);
    assert_ne!(first["digest"], second["digest"]);
    let approval = json!({"digest": first["digest"], "allow": true});
    let reply = client.call("w_continue", json!({"sessionId": two, "approval": approval}));
    assert!(failure(&reply).contains("another question"), "{reply}");
    assert_eq!(session(&gateway, &two)["currentStep"], 0);
    said(&client.call("w_continue", json!({"sessionId": one, "approval": approval})));
}

#[test]
fn a_result_that_meets_a_question_is_stored_and_the_step_is_asked_about_anew() {
    let gateway = gateway(json!(true));
    let client = Client::legacy(gateway.http());
    let (session, first) = asked(&gateway, &client);
    let answer = |question: &Value| json!({"digest": question["digest"], "allow": true});
    let result = json!({"sessionId": session, "expectedStep": 1, "result": {"result": 100}});
    let both = client.call("w_continue", with(result.clone(), json!({"approval": answer(&first)})));
    assert!(failure(&both).contains("give it first"), "{both}");
    assert_eq!(super::session(&gateway, &session)["waiting"], first);
    let second = client.call("w_continue", result.clone())["structuredContent"]["waiting"].clone();
    assert_eq!((&second["for"], &second["input"]), (&json!("approval"), &json!({"result": 100})));
    assert_ne!(second["digest"], first["digest"]);
    assert_eq!(super::session(&gateway, &session)["memory"]["add"], json!({"result": 100}));
    let again = client.call("w_continue", result);
    assert_eq!(again["structuredContent"]["waiting"], second, "the same result asks nothing new");
    let late = client.call("w_continue", json!({"sessionId": session, "approval": answer(&first)}));
    assert!(failure(&late).contains("another question"), "{late}");
    let done = client.call("w_continue", json!({"sessionId": session, "approval": answer(&second)}));
    assert_eq!(done["structuredContent"]["stepResult"], json!({"result": 200}));
}

#[test]
fn a_question_survives_a_restart_and_expires() {
    let lasting = gateway(json!(true));
    let (session, question) = asked(&lasting, &Client::legacy(lasting.http()));
    let lasting = lasting.reopen();
    assert_eq!(super::session(&lasting, &session)["waiting"], question);
    let path = format!("/api/sessions/{session}/approve");
    let reply = lasting.post(&path, json!({"digest": question["digest"], "allow": true}));
    assert_eq!(said(&reply.body)["result"], json!({"result": 16}));

    let brief = gateway(json!({"expiresMs": 1500}));
    let (session, _) = asked(&brief, &Client::legacy(brief.http()));
    let failed = wait_status(&brief, &session, "failed");
    assert_eq!(failed["error"], "Approval expired after 1500ms");
}

#[test]
fn a_question_for_the_api_cannot_be_answered_by_a_tool() {
    let gateway = gateway(json!({"apiOnly": true}));
    let client = Client::legacy(gateway.http());
    let (session, question) = asked(&gateway, &client);
    let approval = json!({"digest": question["digest"], "allow": true});
    let reply = client.call("w_continue", json!({"sessionId": session, "approval": approval}));
    assert!(failure(&reply).contains("API"), "{reply}");
    let reply = gateway.post(&format!("/api/sessions/{session}/continue"), json!({"approval": approval}));
    assert_eq!(said(&reply.body)["result"], json!({"result": 16}));
}

#[test]
fn a_session_that_waits_can_be_paused_and_cancelled() {
    let gateway = gateway(json!(true));
    let client = Client::legacy(gateway.http());
    let (session, question) = asked(&gateway, &client);
    client.call("w_pause", json!({"sessionId": session}));
    let approval = json!({"digest": question["digest"], "allow": true});
    let path = format!("/api/sessions/{session}/approve");
    let refused = gateway.post(&path, approval.clone()).expect_code(409, "CONFLICT").message;
    let message = format!("Session {session} is paused; continue it first, then answer its question");
    assert_eq!(refused, message, "an answer over the API lifts no pause");
    assert_eq!(super::session(&gateway, &session)["status"], "paused");
    said(&client.call("w_continue", json!({"sessionId": session, "approval": approval})));
    assert_eq!(super::session(&gateway, &session)["status"], "running");
    let (session, question) = asked(&gateway, &client);
    client.call("w_cancel", json!({"sessionId": session}));
    assert!(super::session(&gateway, &session).get("waiting").is_none());
    let approval = json!({"digest": question["digest"], "allow": true});
    let reply = client.call("w_continue", json!({"sessionId": session, "approval": approval}));
    assert_eq!(failure(&reply), "Cannot continue workflow in status: cancelled");
}

#[test]
fn whoever_answers_may_let_further_steps_follow() {
    let gateway = gateway(json!(true));
    let client = Client::legacy(gateway.http());
    let (session, question) = asked(&gateway, &client);
    let allow = json!({"digest": question["digest"], "allow": true});
    let reply =
        client.call("w_continue", json!({"sessionId": session, "approval": allow, "maxSteps": "all"}));
    assert_eq!(reply["structuredContent"]["status"], "completed", "{reply}");
    assert_eq!(reply["structuredContent"]["earlierSteps"][0]["activityName"], "double", "{reply}");
}

#[test]
fn an_answer_that_cannot_be_read_is_refused() {
    let gateway = gateway(json!(true));
    let client = Client::legacy(gateway.http());
    let (session, question) = asked(&gateway, &client);
    let digest = &question["digest"];
    for wrong in [json!({"digest": digest}), json!({"digest": digest, "allow": "yes"}), json!(true)] {
        let reply = client.call("w_continue", json!({"sessionId": session, "approval": wrong}));
        assert_eq!(failure(&reply), "approval must have digest, a text, and allow, true or false.");
    }
    let reply = client.call("w_continue", json!({"sessionId": session, "approval": null}));
    assert_eq!(reply["structuredContent"]["status"], "waiting");
}

#[test]
fn an_answer_that_comes_again_runs_no_other_step() {
    let gateway = gateway(json!(true));
    let client = Client::legacy(gateway.http());
    let (session, question) = asked(&gateway, &client);
    let allow = json!({"digest": question["digest"], "allow": true});
    let answer = json!({"sessionId": session, "approval": allow});
    let first = client.call("w_continue", answer.clone());
    assert_eq!(said(&first)["result"], json!({"result": 16}));
    assert_eq!(client.call("w_continue", answer), first, "also without the step that it is meant for");
    let path = format!("/api/sessions/{session}/continue");
    assert_eq!(gateway.post(&path, json!({"approval": allow})).body, first);
    let shown = super::session(&gateway, &session);
    assert_eq!((&shown["status"], &shown["currentStep"]), (&json!("running"), &json!(1)));
}

#[test]
fn an_answer_that_nothing_waits_for_runs_no_step() {
    let own = json!({"inputSchema": {"type": "object", "properties": {"approval": {}, "resolve": {}}}});
    let takes = with(script("takes", "return {data: context.input}"), own);
    let gateway = single(&[takes], &[json!("add"), json!("double"), json!("takes"), json!("tag")]);
    let refused = |name: &str| format!("stands at step 1; nothing there waits for an answer ({name}).");
    let (of_nobody, given_up) = (json!({"digest": "of nobody", "allow": false}), json!("compensate"));
    for client in clients(&gateway) {
        let session = id(&client.call("w_start", json!({"a": 5, "b": 3})));
        client.call("w_pause", json!({"sessionId": session}));
        for (name, answer) in [
            ("approval", json!({"approval": of_nobody})),
            ("approval", json!({"approval": of_nobody, "expectedStep": 1, "maxSteps": "all"})),
            ("approval", json!({"approval": "no"})),
            ("resolve", json!({"resolve": given_up})),
            ("resolve", json!({"resolve": given_up, "doubt": 12345, "result": {"result": 1}})),
            ("resolve", json!({"resolve": ["compensate"], "expectedStep": 1})),
        ] {
            let path = format!("/api/sessions/{session}/continue");
            let over_api = gateway.post(&path, answer.clone()).body;
            let by_tool = client.call("w_continue", with(answer, json!({"sessionId": session})));
            for reply in [by_tool, over_api] {
                assert!(failure(&reply).ends_with(&refused(name)), "{reply}");
            }
        }
        let shown = super::session(&gateway, &session);
        assert_eq!((&shown["status"], &shown["currentStep"]), (&json!("paused"), &json!(0)));
        client.call("w_continue", json!({"sessionId": session}));
        let own = json!({"sessionId": session, "approval": of_nobody, "resolve": "compensate"});
        let reply = client.call("w_continue", own);
        let got = &reply["structuredContent"]["stepResult"];
        assert_eq!(
            (&got["approval"], &got["resolve"]),
            (&of_nobody, &given_up),
            "its own arguments: {reply}"
        );
    }
}
