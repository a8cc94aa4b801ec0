//! Sessions over REST: the replies of the tools, for whoever runs the gateway (spec 4.5).

use super::*;

/// The route that starts a session of a workflow of the config file.
fn execute(name: &str) -> String {
    format!("/api/workflows/config:{name}/execute")
}

#[test]
fn a_session_runs_over_rest_as_over_its_tools() {
    let gateway = start(&[calc()]);
    let reply = post_as(&gateway, "ann", &execute("calc"), json!({"a": 5, "b": 3}));
    let first = reply.expect_status(200).body.clone();
    assert_eq!(said(&first)["message"], "Step 0 (add) completed successfully");
    assert_eq!(options(&first), [("calc_continue".to_owned(), json!(50))]);
    let session = id(&first);
    let path = |verb: &str| format!("/api/sessions/{session}/{verb}");
    assert_eq!(super::session(&gateway, &session)["clientId"], "ann");
    let reply = gateway.post(&path("continue"), json!({"expectedStep": 1, "result": {"result": 10}}));
    assert_eq!(said(&reply.body)["result"], json!({"result": 20}));
    let again = gateway.post(&path("continue"), json!({"expectedStep": 1}));
    assert_eq!(again.body, reply.body);
    let reply = gateway.post(&path("pause"), json!({}));
    assert_eq!(
        text(&reply.expect_status(200).body),
        format!("Workflow calc with session ID {session} has been paused.")
    );
    let reply = gateway.post_raw(&path("continue"), "", "");
    let done = said(&reply.expect_status(200).body);
    assert_eq!(done["results"]["tag"]["got"], json!({"result": 20}));
    for verb in ["continue", "pause", "cancel"] {
        let reply = gateway.post(&path(verb), json!({}));
        assert_eq!(
            failure(&reply.expect_status(200).body),
            format!("Cannot {verb} workflow in status: completed")
        );
    }
}

#[test]
fn a_start_over_rest_takes_a_key_and_a_number_of_steps() {
    let gateway = start(&[calc()]);
    let body = json!({"a": 5, "b": 3, "idempotencyKey": "k", "maxSteps": 2});
    let first = gateway.post(&execute("calc"), body.clone()).body;
    assert_eq!(said(&first)["message"], "Step 1 (double) completed successfully");
    assert_eq!(id(&gateway.post(&execute("calc"), body).body), id(&first));
    assert_eq!(gateway.get("/api/sessions/stats").body["total"], 1);
    let failed = gateway.post(&execute("calc"), json!({"a": "x"}));
    assert!(failure(&failed.expect_status(200).body).contains("a: "));
}

#[test]
fn what_is_not_there_or_not_readable_is_said_so() {
    let gateway = start(&[calc()]);
    let session = id(&gateway.post(&execute("calc"), json!({"a": 1, "b": 2})).body);
    for verb in ["continue", "pause", "cancel"] {
        let fault =
            gateway.post(&format!("/api/sessions/nobody/{verb}"), json!({})).expect_code(404, "NOT_FOUND");
        assert_eq!(fault.message, "Workflow session nobody not found");
    }
    gateway.post(&execute("nobody"), json!({})).expect_code(404, "NOT_FOUND");
    for body in ["[1]", "{", "7"] {
        for verb in ["continue", "pause", "cancel"] {
            let path = format!("/api/sessions/{session}/{verb}");
            gateway.post_raw(&path, "application/json", body).expect_code(400, "VALIDATION_ERROR");
        }
        gateway.post_raw(&execute("calc"), "application/json", body).expect_code(400, "VALIDATION_ERROR");
    }
    assert_eq!(super::session(&gateway, &session)["currentStep"], 0);
}

#[test]
fn sessions_of_every_client_are_seen_and_driven_over_rest() {
    let gateway = start(&[calc()]);
    let session = id(&Client::legacy(gateway.http()).call("calc_start", json!({"a": 1, "b": 2})));
    let listed = gateway.get("/api/sessions?clientId=testkit").body;
    assert_eq!(listed[0]["sessionId"], session.as_str());
    assert_eq!(gateway.get("/api/sessions?clientId=ann").body, json!([]));
    let brief = gateway.get("/api/sessions?brief=true").body;
    assert_eq!((&brief[0]["memory"], &brief[0]["history"]), (&json!({}), &listed[0]["history"]));
    assert_ne!(listed[0]["memory"], json!({}));
    let reply = gateway.post(&format!("/api/sessions/{session}/cancel"), json!({}));
    assert_eq!(text(&reply.body), format!("Workflow calc with session ID {session} has been cancelled."));
}

#[test]
fn a_step_shows_what_it_was_given_and_what_it_gave_with_its_secrets_masked() {
    let echo = json!({"name": "echo", "run": {"tool": {"server": "test-server", "name": "echo"}}});
    let flow = workflow("w", &[json!("echo"), json!("memo"), json!("tag")]);
    let all: Vec<Value> = standard().into_iter().chain([echo]).collect();
    let gateway = builder(&all, &[flow]).start();
    let first =
        gateway.post(&execute("w"), json!({"v": 1, "password": "p4ss"})).expect_status(200).body.clone();
    let path = |step: &str| format!("/api/sessions/{}/steps/{step}", id(&first));
    let shown = gateway.get(&path("0")).expect_status(200).body.clone();
    let run = &shown["executions"][0];
    assert_eq!(
        (&shown["stepIndex"], &run["activityName"], &run["attempts"]),
        (&json!(0), &json!("echo"), &json!(1))
    );
    assert_eq!(run["input"], json!({"v": 1, "password": "[masked]"}));
    assert_eq!(run["output"]["v"], 1);
    assert_eq!(gateway.get(&path("1")).body["executions"], json!([]), "it has not run yet");
    gateway.post(&format!("/api/sessions/{}/continue", id(&first)), json!({})).expect_status(200);
    let run = &gateway.get(&path("1")).body["executions"][0];
    assert_eq!((&run["output"], &run["memory"]), (&json!({"w": 1}), &json!({"custom": 7})));
    for wrong in ["3", "99999"] {
        gateway.get(&path(wrong)).expect_code(404, "NOT_FOUND");
    }
    gateway.get(&path("first")).expect_code(400, "VALIDATION_ERROR");
    gateway.get("/api/sessions/nobody/steps/0").expect_code(404, "NOT_FOUND");
}

#[test]
fn what_a_server_knows_as_a_secret_is_masked_where_sessions_are_shown_and_given_to_their_callers() {
    let secret = "v3ry-0wn-value";
    let echo = json!({"name": "echo", "run": {"tool": {"server": "test-server", "name": "echo"}}});
    let fail = script("fail", "throw new Error('no ' + JSON.stringify(context.memory))");
    let flow = workflow("w", &[json!("echo"), json!("fail")]);
    let gateway = served(&[echo, fail], &[flow], |s| s.env("FX_SOME", secret)).start();
    let first = gateway.post(&execute("w"), json!({"v": secret})).expect_status(200).body.clone();
    assert!(first.to_string().contains(secret), "{first}");
    let path = format!("/api/sessions/{}", id(&first));
    assert_eq!(gateway.get(&format!("{path}/steps/0")).body["executions"][0]["input"], json!({"v": "***"}));
    let failed = gateway.post(&format!("{path}/continue"), json!({})).expect_status(200).body.clone();
    assert!(failure(&failed).contains(secret), "{failed}");
    let session = gateway.get(&path).body;
    assert!(session["error"].as_str().is_some_and(|error| error.contains("***")), "{session}");
    for path in ["/api/sessions", &path, &format!("{path}/steps/0"), &format!("{path}/steps/1")] {
        let text = gateway.get(path).expect_status(200).text();
        assert!(text.contains("***") && !text.contains(secret), "{path}: {text}");
    }
}

#[test]
fn replies_name_the_hooks_that_ran_where_that_is_wanted() {
    let step = json!({"activity": "double", "approve": true});
    let flow = workflow("w", &[json!("add"), step, json!("tag")]);
    let gateway = builder(&standard(), &[flow]).setting("hooks: {trace: reply}").start();
    let hook = |name: &str, script: &str| {
        let body = json!({"name": name, "hookType": "pre", "enabled": true, "script": script});
        gateway.post("/api/hooks", body).expect_status(201);
    };
    hook("look", "return");
    hook("guard", "if (context.toolName === 'w_cancel') return {continue: false, error: {message: 'no'}}");
    let told = |path: &str, body: Value| -> Reply {
        let reply = gateway.post(path, body);
        let header = reply.header("lockgate-hooks");
        let trace: Value = serde_json::from_str(header).unwrap_or_else(|e| panic!("{e}: {path} {header}"));
        assert_eq!(trace[0]["hook"], "look", "{path}: {trace}");
        reply
    };
    let session = id(&told("/api/workflows/config:w/execute", json!({"a": 1, "b": 2})).body);
    let path = |verb: &str| format!("/api/sessions/{session}/{verb}");
    let asks = told(&path("continue"), json!({})).body;
    let digest = &asks["structuredContent"]["waiting"]["digest"];
    told(&path("pause"), json!({}));
    told(&path("continue"), json!({}));
    told(&path("approve"), json!({"digest": digest, "allow": true})).expect_status(200);
    told(&path("cancel"), json!({})).expect_code(400, "VALIDATION_ERROR");
    assert_eq!(gateway.post("/api/sessions/none/continue", json!({})).header("lockgate-hooks"), "");
}

#[test]
fn a_pause_means_the_step_that_it_names_over_rest_as_over_its_tool() {
    let gateway = start(&[calc()]);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("calc_start", json!({"a": 1, "b": 2})));
    let path = format!("/api/sessions/{session}/pause");
    let over_rest =
        |arguments: &Value| gateway.post(&path, arguments.clone()).expect_status(200).body.clone();
    let by_tool =
        |arguments: &Value| client.call("calc_pause", with(json!({"sessionId": session}), arguments.clone()));
    let asks: [&dyn Fn(&Value) -> Value; 2] = [&over_rest, &by_tool];
    for ask in asks {
        let reply = ask(&json!({"expectedStep": 2}));
        assert_eq!(failure(&reply), format!("Session {session} stands at step 1; it is not paused."));
        let reply = ask(&json!({"expectedStep": "1"}));
        assert_eq!(failure(&reply), "expectedStep must be an integer from 0.");
        assert_eq!(super::session(&gateway, &session)["status"], "running");
    }
    let reply = over_rest(&json!({"expectedStep": 1}));
    assert_eq!(text(&reply), format!("Workflow calc with session ID {session} has been paused."));
}

#[test]
fn a_start_that_needs_no_input_needs_no_body() {
    let gateway = single(&[], &[json!("tag"), json!("tag")]);
    for body in ["", "null"] {
        let kind = if body.is_empty() { "" } else { "application/json" };
        let reply = gateway.post_raw(&execute("w"), kind, body).expect_status(200).body.clone();
        assert_eq!(said(&reply)["result"]["got"], json!({}));
    }
}
