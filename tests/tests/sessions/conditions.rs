//! Conditions in the graph of a session workflow (spec 5.1): one of two ways is followed, and they may meet again.

use super::*;

/// A node in words: `s start`, `a do score` for the activity `score`, `c if x > 1`.
fn node(words: &str) -> Value {
    let mut parts = words.splitn(3, ' ');
    let mut next = || parts.next().unwrap_or_default();
    let (id, kind, rest) = (next(), next(), next());
    let (kind, data) = match kind {
        "do" => ("activity", json!({"label": rest, "step": {"activity": rest}})),
        "ask" => ("activity", json!({"label": rest, "step": {"activity": rest, "approve": true}})),
        "maybe" => ("activity", json!({"label": rest, "step": {"activity": rest, "condition": "false"}})),
        "if" => ("condition", json!({"label": format!("{id}?"), "expression": rest})),
        "try" => ("condition", json!({"label": format!("{id}?"), "expression": rest, "onError": "continue"})),
        kind => (kind, json!({})),
    };
    json!({"id": id, "type": kind, "position": {"x": 0, "y": 0}, "data": data})
}

/// The edges of ways in words: `s a c`, and `c+ b` and `c- d` for what follows when it is true and when not.
fn edges(ways: &[&str]) -> Value {
    let mut all = Vec::new();
    for way in ways {
        let stops: Vec<&str> = way.split(' ').collect();
        for pair in stops.windows(2) {
            let source = pair[0].trim_end_matches(['+', '-']);
            let mut edge = json!({"source": source, "target": pair[1].trim_end_matches(['+', '-'])});
            match pair[0].chars().last() {
                Some('+') => edge["sourceHandle"] = "true".into(),
                Some('-') => edge["sourceHandle"] = "false".into(),
                _ => {}
            }
            all.push(edge);
        }
    }
    all.into()
}

fn graph(nodes: &[&str], ways: &[&str]) -> Value {
    let nodes: Vec<Value> = nodes.iter().map(|words| node(words)).collect();
    json!({"name": "w", "workflowType": "session", "nodes": nodes, "edges": edges(ways)})
}

/// A gateway with activities that tell their names, and `score`, which gives what it gets as `total`.
fn empty() -> TestGateway {
    let score = "context.memory.total = context.input.n; return {data: {total: context.input.n}}";
    let mut all =
        vec![script("score", score), script("drop", "context.memory.total = 0; return {data: 'drop'}")];
    all.extend(["big", "small", "last"].map(|name| script(name, &format!("return {{data: '{name}'}}"))));
    builder(&all, &[]).start()
}

/// The same with the workflow `w`; and its id.
#[track_caller]
fn drawn(nodes: &[&str], ways: &[&str]) -> (TestGateway, String) {
    let gateway = empty();
    let made = gateway.post("/api/workflows", with(graph(nodes, ways), json!({"enabled": true})));
    made.expect_status(201);
    let id = made.body["id"].as_str().expect("an id").to_owned();
    (gateway, id)
}

const NODES: [&str; 7] =
    ["s start", "a do score", "c if memory.total > 10", "b do big", "d do small", "l do last", "e end"];
const WAYS: [&str; 2] = ["s a c+ b l e", "c- d l"];

/// The indexes of the steps that ran.
fn ran(session: &Value) -> Vec<u64> {
    let history = session["history"].as_array().expect("a history").iter();
    history.map(|one| one["stepIndex"].as_u64().expect("an index")).collect()
}

/// The conditions of a session, in words: `c+`, `c-`, and `c!` for one at which it failed.
fn decided(session: &Value) -> Vec<String> {
    let all = session["decisions"].as_array().cloned().unwrap_or_default();
    let word = |one: &Value| {
        let sign = match one["way"].as_bool() {
            Some(true) => "+",
            Some(false) => "-",
            None => "!",
        };
        format!("{}{sign}", one["nodeId"].as_str().unwrap_or_default())
    };
    all.iter().map(word).collect()
}

#[test]
fn one_of_two_ways_is_followed_and_they_meet_again() {
    let (gateway, workflow) = drawn(&NODES, &WAYS);
    let shown = gateway.get(&format!("/api/workflows/{workflow}")).body;
    assert_eq!(
        (&shown["valid"], shown["steps"].as_array().map(Vec::len)),
        (&json!(true), Some(4)),
        "{shown}"
    );
    for client in clients(&gateway) {
        for (n, way, step, name) in [(20, "c+", 1, "big"), (5, "c-", 2, "small")] {
            let started = client.call("w_start", json!({"n": n}));
            let next = said(&started)["nextStep"].clone();
            assert_eq!(next, json!({"index": 1, "activity": "c?"}));
            let id = id(&started);
            let go =
                |expected: u64| client.call("w_continue", json!({"sessionId": id, "expectedStep": expected}));
            let second = go(1);
            assert_eq!(said(&second)["message"], format!("Step {step} ({name}) completed successfully"));
            assert_eq!(said(&second)["nextStep"], json!({"index": 3, "activity": "last"}));
            let offered = &second["structuredContent"]["nextStepOptions"][0]["parameters"];
            assert_eq!(offered["expectedStep"], 3, "{second}");
            let done = go(3);
            assert_eq!(said(&done)["message"], "Workflow completed successfully");
            // A call that is repeated has the same answer.
            assert_eq!((go(1), go(3)), (second, done));
            let session = session(&gateway, &id);
            assert_eq!((ran(&session), decided(&session)), (vec![0, step, 3], vec![way.to_owned()]));
            assert_eq!(session["decisions"][0]["passedSteps"], json!([3 - step]), "{session}");
            let memory = session["memory"].as_object().expect("a memory");
            assert_eq!((memory.contains_key("big"), memory.contains_key("small")), (n == 20, n != 20));
        }
    }
}

#[test]
fn a_way_may_lead_to_the_end_at_once() {
    let (gateway, _) =
        drawn(&NODES[..4].iter().copied().chain(["e end"]).collect::<Vec<_>>(), &["s a c+ b e", "c- e"]);
    let client = Client::modern(gateway.http());
    for (n, steps) in [(20, vec![0, 1]), (5, vec![0])] {
        let started = client.call("w_start", json!({"n": n}));
        let go = || client.call("w_continue", json!({"sessionId": id(&started), "expectedStep": 1}));
        let done = go();
        assert_eq!(said(&done)["message"], "Workflow completed successfully");
        assert_eq!(go(), done, "the repeated call");
        assert_eq!(ran(&session(&gateway, &id(&started))), steps);
    }
    // Both ways to the end, with no step after them.
    let (gateway, _) = drawn(&["s start", "a do score", "c if true", "e end"], &["s a c+ e", "c- e"]);
    let client = Client::modern(gateway.http());
    let started = client.call("w_start", json!({"n": 1}));
    let go = || client.call("w_continue", json!({"sessionId": id(&started), "expectedStep": 1}));
    let done = go();
    assert_eq!(said(&done)["message"], "Workflow completed successfully");
    assert_eq!(go(), done, "the repeated call");
}

#[test]
fn a_condition_may_come_first_and_sees_what_the_call_gives() {
    let nodes = [
        "s start",
        "c if input.kind === 'a'",
        "b do big",
        "d do small",
        "f if input.go && previous === 'big'",
        "l do last",
        "e end",
    ];
    let (gateway, _) = drawn(&nodes, &["s c+ b f+ l e", "c- d f", "f- e"]);
    let client = Client::legacy(gateway.http());
    let tools = client.result("tools/list", json!({}))["tools"].clone();
    let tool =
        tools.as_array().expect("a list").iter().find(|tool| tool["name"] == "w_start").expect("it").clone();
    assert!(tool["inputSchema"]["properties"].get("n").is_none(), "{tool}");
    for (kind, go, steps, decisions) in [
        ("a", true, vec![0, 2], vec!["c+", "f+"]),
        ("a", false, vec![0], vec!["c+", "f-"]),
        ("b", true, vec![1], vec!["c-", "f-"]),
    ] {
        let id = id(&client.call("w_start", json!({"kind": kind})));
        let done = client.call("w_continue", json!({"sessionId": id, "go": go}));
        assert_eq!(said(&done)["message"], "Workflow completed successfully");
        let session = session(&gateway, &id);
        assert_eq!(
            (ran(&session), decided(&session)),
            (steps, decisions.into_iter().map(str::to_owned).collect())
        );
    }
}

#[test]
fn an_expression_that_throws_fails_the_session_or_counts_as_false() {
    for (kind, reply, status) in [
        ("if", "Workflow failed at step 1 (c?): ReferenceError: nothing is not defined", "failed"),
        ("try", "", "completed"),
    ] {
        let condition = format!("c {kind} nothing > 1");
        let (gateway, workflow) = drawn(
            &["s start", "a do score", &condition, "b do big", "d do small", "e end"],
            &["s a c+ b e", "c- d e"],
        );
        let client = Client::legacy(gateway.http());
        let id = id(&client.call("w_start", json!({"n": 1})));
        let go = || client.call("w_continue", json!({"sessionId": id, "expectedStep": 1}));
        let done = go();
        assert_eq!(go(), done, "the repeated call");
        let session = session(&gateway, &id);
        assert_eq!(session["status"], status, "{session}");
        assert_eq!(session["decisions"][0]["error"], "ReferenceError: nothing is not defined", "{session}");
        if kind == "if" {
            assert_eq!(failure(&done), reply);
            assert_eq!(session["error"], "ReferenceError: nothing is not defined");
            assert_eq!(decided(&session), ["c!"]);
        } else {
            assert_eq!((ran(&session), decided(&session)), (vec![0, 2], vec!["c-".to_owned()]));
        }
        let path = format!("/api/workflows/{workflow}/diagram?format=mermaid&session={id}");
        let text = gateway.get(&path).text();
        assert!(text.contains("class n2 error"), "{text}");
    }
}

#[test]
fn conditions_stand_inside_of_ways_and_several_steps_run_in_one_call() {
    let nodes = [
        "s start",
        "a do score",
        "c if memory.total > 10",
        "f if memory.total > 100",
        "b do big",
        "m maybe small",
        "d do drop",
        "l do last",
        "e end",
    ];
    let (gateway, _) = drawn(&nodes, &["s a c+ f+ b m l e", "f- d l", "c- l"]);
    let client = Client::modern(gateway.http());
    // The steps: score, big, small, drop, last.
    for (n, steps, decisions) in [
        (500, vec![0, 1, 4], vec!["c+", "f+"]),
        (50, vec![0, 3, 4], vec!["c+", "f-"]),
        (5, vec![0, 4], vec!["c-"]),
    ] {
        let done = client.call("w_start", json!({"n": n, "maxSteps": "all"}));
        assert_eq!(said(&done)["message"], "Workflow completed successfully", "{n}");
        let all = gateway.get("/api/sessions?workflowName=w").body;
        let newest = session(&gateway, all[0]["sessionId"].as_str().expect("an id"));
        assert_eq!(
            (ran(&newest), decided(&newest)),
            (steps, decisions.into_iter().map(str::to_owned).collect())
        );
    }
}

#[test]
fn a_way_that_was_taken_stays_taken_after_kill_9() {
    let nodes = [
        "s start",
        "a do score",
        "c if memory.total > 10",
        "b do drop",
        "k ask big",
        "d do small",
        "l do last",
        "e end",
    ];
    let (mut gateway, workflow) = drawn(&nodes, &["s a c+ b k l e", "c- d l"]);
    let id = id(&Client::legacy(gateway.http()).call("w_start", json!({"n": 20})));
    // The second step changes what the condition looked at.
    for _ in 0..2 {
        gateway.kill9();
        gateway = gateway.revive();
        gateway.post(&format!("/api/sessions/{id}/continue"), json!({})).expect_status(200);
    }
    let waits = session(&gateway, &id);
    assert_eq!(
        (waits["waiting"]["for"].as_str(), &waits["memory"]["total"]),
        (Some("approval"), &json!(0)),
        "{waits}"
    );
    gateway.kill9();
    gateway = gateway.revive();
    let digest = waits["waiting"]["digest"].clone();
    let path = format!("/api/sessions/{id}/approve");
    gateway.post(&path, json!({"digest": digest, "allow": true})).expect_status(200);
    gateway.kill9();
    gateway = gateway.revive();
    let open = session(&gateway, &id);
    assert_eq!((ran(&open), decided(&open)), (vec![0, 1, 2], vec!["c+".to_owned()]), "{open}");
    gateway.post(&format!("/api/sessions/{id}/continue"), json!({})).expect_status(200);
    let done = session(&gateway, &id);
    assert_eq!((ran(&done), &done["status"]), (vec![0, 1, 2, 4], &json!("completed")));
    let text = gateway.get(&format!("/api/workflows/{workflow}/diagram?format=mermaid&session={id}")).text();
    for line in ["class n0,n1,n2,n3,n4,n6,n7 completed", "class n5 skipped"] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn a_condition_that_is_not_finished_is_kept_and_not_activated() {
    let gateway = empty();
    let made = gateway.post("/api/workflows", graph(&NODES, &["s a c+ b l e", "d l"]));
    made.expect_status(201);
    assert_eq!(made.body["reason"], "Node 'd' (small) needs an input", "{}", made.text());
    let path = format!("/api/workflows/{}", made.body["id"].as_str().expect("an id"));
    let fault = gateway.post(&format!("{path}/activate"), json!({})).expect_code(409, "CONFLICT");
    assert!(fault.message.contains("Node 'd' (small) needs an input"), "{}", fault.message);
    let report = gateway.post("/api/workflows/validate", graph(&NODES, &["s a c+ b l e", "d l"])).body;
    assert!(report.to_string().contains("Node 'c' (c?) needs a way for false"), "{report}");
    let active = with(graph(&NODES, &["s a c+ b l e", "d l"]), json!({"name": "v", "enabled": true}));
    let fault = gateway.post("/api/workflows", active).expect_code(409, "CONFLICT");
    assert_eq!(fault.message, "Node 'd' (small) needs an input");
    patch(&gateway, &path, json!({"edges": edges(&WAYS)})).expect_status(200);
    gateway.post(&format!("{path}/activate"), json!({})).expect_status(200);

    let wrong = ["s start", "a do score", "c if 1 +", "b do big", "d do small", "l do last", "e end"];
    let fault = gateway
        .post("/api/workflows", with(graph(&wrong, &WAYS), json!({"name": "x"})))
        .expect_code(400, "VALIDATION_ERROR");
    assert!(fault.message.starts_with("The condition 'c?' does not compile: "), "{}", fault.message);
}

#[test]
fn only_what_ran_is_undone() {
    let undone = |name: &str| with(script(name, "return {data: 1}"), json!({}));
    let all = [
        script("score", "return {data: {total: context.input.n}}"),
        undone("big"),
        undone("small"),
        script("unbig", "console.log('unbig'); return {}"),
        script("unsmall", "console.log('unsmall'); return {}"),
        script("bad", "return {success: false, error: 'nope'}"),
    ];
    let gateway = builder(&all, &[]).start();
    let mut nodes: Vec<Value> = [
        "s start",
        "a do score",
        "c if memory.score.total > 10",
        "b do big",
        "d do small",
        "l do bad",
        "e end",
    ]
    .map(node)
    .into();
    nodes[3]["data"]["step"]["compensate"] = "unbig".into();
    nodes[4]["data"]["step"]["compensate"] = "unsmall".into();
    let body = json!({"name": "w", "workflowType": "session", "enabled": true, "nodes": nodes, "edges": edges(&WAYS)});
    gateway.post("/api/workflows", body).expect_status(201);
    let client = Client::modern(gateway.http());
    let reply = client.call("w_start", json!({"n": 20, "maxSteps": "all"}));
    assert_eq!(failure(&reply), "Workflow failed at step 3 (bad): nope");
    expect_lines(&gateway, 0, &["unbig"]);
    let all = gateway.get("/api/sessions?workflowName=w").body;
    assert_eq!(all[0]["compensation"]["undone"], json!([1]), "{all}");
}
