//! What is told before a definition is saved, and what keeps it from another name or from being deleted (spec 4.9, 5.2).

use super::*;
use testkit::Config;

/// A gateway with one activity and one active session workflow of two steps, and the id of that.
#[track_caller]
fn with_workflow(name: &str) -> (TestGateway, String) {
    let gateway = TestGateway::start();
    gateway.post("/api/activities", script("put", "return {data: {}}")).expect_status(201);
    let id = create(&gateway, workflow(name, &[json!("put"), json!("put")]));
    (gateway, id)
}

#[track_caller]
fn create(gateway: &TestGateway, body: Value) -> String {
    let body = with(body, json!({"workflowType": "session", "enabled": true}));
    let reply = gateway.post("/api/workflows", body);
    reply.expect_status(201);
    reply.body["id"].as_str().expect("an id").to_owned()
}

#[test]
fn checking_a_session_workflow_finds_what_saving_it_refuses() {
    let (gateway, stored) = with_workflow("taken");
    let check =
        |body: Value| gateway.post("/api/workflows/validate", with(body, json!({"workflowType": "session"})));
    let found = |body: Value| {
        let reply = check(body);
        reply.expect_status(200);
        assert_eq!(reply.body["valid"], reply.body["problems"] == json!([]), "{}", reply.body);
        let problem = |one: &Value| {
            assert_eq!(one["severity"], "error");
            let word = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
            (word("code"), word("node"), word("message"))
        };
        reply.body["problems"].as_array().expect("a list").iter().map(problem).collect::<Vec<_>>()
    };
    let told = |code: &str, node: &str, message: &str| (code.to_owned(), node.to_owned(), message.to_owned());
    let put = json!({"activity": "put"});
    assert_eq!(found(workflow("x", std::slice::from_ref(&put))), []);
    let rule = "names the activity 'nope', which does not exist";
    assert_eq!(
        found(workflow("x", &[put.clone(), json!("nope")])),
        [told("activity", "step-2", &format!("steps[1].activity {rule}"))]
    );
    let wrong = found(with(
        workflow(
            "x",
            &[json!({"activity": "put", "condition": "((("}), json!({"activity": "put", "inputMapper": "]"})],
        ),
        json!({"onSuccess": "}"}),
    ));
    let places: Vec<(&str, &str)> =
        wrong.iter().map(|(code, node, _)| (code.as_str(), node.as_str())).collect();
    assert_eq!(places, [("script", "step-1"), ("script", "step-2"), ("script", "")], "{wrong:?}");
    for ((_, _, message), place) in
        wrong.iter().zip(["steps[0].condition", "steps[1].inputMapper", "onSuccess"])
    {
        assert!(message.starts_with(&format!("{place} does not compile: ")), "{message}");
    }
    let both = found(workflow("x", &[json!({"activity": "nope", "condition": "((("})]));
    let codes: Vec<&str> = both.iter().map(|(code, ..)| code.as_str()).collect();
    assert_eq!(codes, ["activity", "script"], "an unknown activity hides nothing else: {both:?}");
    let taken = workflow("taken", &[put]);
    let words = "Workflow \"taken\" is already registered with a server";
    assert_eq!(found(taken.clone()), [told("name-taken", "", words)]);
    assert_eq!(found(with(taken, json!({"id": stored}))), [], "its own name is not taken");
    assert_eq!(gateway.get("/api/workflows").body.as_array().map(Vec::len), Some(1), "nothing is stored");
}

#[test]
fn a_graph_that_is_no_line_hides_nothing_of_its_steps() {
    let (gateway, _) = with_workflow("taken");
    let node = |id: &str, kind: &str, data: Value| json!({"id": id, "type": kind, "data": data});
    let step = |id: &str, step: Value| node(id, "activity", json!({"step": step}));
    let graph = json!({
        "name": "taken", "workflowType": "session", "onSuccess": "(((",
        "nodes": [node("s", "start", json!({})), step("a", json!({"activity": "nope"})),
            step("b", json!({"activity": "put", "condition": "(("})), step("u", json!({"activity": 5})),
            node("c", "condition", json!({"expression": "(("})), node("e", "end", json!({}))],
        "edges": [
            {"source": "s", "target": "a"}, {"source": "a", "target": "c"}, {"source": "a", "target": "b"},
            {"source": "c", "target": "b", "sourceHandle": "true"},
            {"id": "odd", "source": "c", "target": "e", "sourceHandle": "maybe"}, {"source": "b", "target": "e"},
        ],
    });
    let problems = gateway.post("/api/workflows/validate", graph).expect_status(200).body["problems"].clone();
    let told = |one: &Value| {
        let word = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
        [word("code"), word("node"), word("edge")].join(" ")
    };
    let found: Vec<String> = problems.as_array().expect("a list").iter().map(told).collect();
    let expected = [
        "inputs u ",
        "outputs  odd",
        "outputs a ",
        "outputs c ",
        "outputs u ",
        "off-path u ",
        "data u ",
        "script c ",
        "name-taken  ",
        "activity a ",
        "script b ",
        "script  ",
    ];
    assert_eq!(found, expected, "{problems:#}");
}

#[test]
fn code_that_does_not_compile_is_told_with_its_field() {
    let (gateway, _) = with_workflow("w");
    let field = |body: Value| {
        let body = with(body, json!({"workflowType": "session"}));
        gateway.post("/api/workflows", body).expect_code(400, "VALIDATION_ERROR").details["field"].clone()
    };
    let put = json!({"activity": "put"});
    assert_eq!(
        field(with(workflow("x", std::slice::from_ref(&put)), json!({"onSuccess": "(("}))),
        "onSuccess"
    );
    let judged = json!({"activity": "put", "condition": "((("});
    assert_eq!(field(workflow("x", &[put, judged])), "steps[1].condition");
}

#[test]
fn a_workflow_with_open_sessions_keeps_its_name() {
    let (gateway, stored) = with_workflow("ren");
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("ren_start", json!({})));
    let path = format!("/api/workflows/{stored}");
    let rename = || patch(&gateway, &path, json!({"name": "ren2"}));
    let told = rename().expect_code(409, "CONFLICT").message;
    assert_eq!(told, "Workflow 'ren' has open sessions; end them before it gets another name");
    patch(&gateway, &path, json!({"description": "Another one"})).expect_status(200);
    said(&client.call("ren_continue", json!({"sessionId": session})));
    rename().expect_status(200);
    said(&client.call("ren2_start", json!({})));
}

#[test]
fn a_workflow_with_open_sessions_keeps_its_type() {
    let (gateway, stored) = with_workflow("typ");
    let client = Client::legacy(gateway.http());
    let path = format!("/api/workflows/{stored}");
    let node = |id: &str, kind: &str| json!({"id": id, "type": kind, "position": {"x": 0, "y": 0}, "data": {"label": id}});
    let graph = json!({"workflowType": "tools/call", "enabled": false,
        "nodes": [node("s", "start"), node("c", "mcp-call"), node("e", "end")],
        "edges": [{"source": "s", "target": "c"}, {"source": "c", "target": "e"}]});
    let steps = gateway.get(&path).body["steps"].clone();
    let procedure = json!({"workflowType": "session", "enabled": true, "steps": steps});
    // One of its versions is a graph around calls.
    patch(&gateway, &path, graph.clone()).expect_status(200);
    let before = gateway.get(&path).body["revision"].clone();
    patch(&gateway, &path, procedure).expect_status(200);
    let session = id(&client.call("typ_start", json!({})));
    let restore = gateway.post(&format!("{path}/versions/{before}/restore"), json!({}));
    for refused in [patch(&gateway, &path, graph.clone()), restore] {
        let error = refused.expect_code(409, "CONFLICT");
        assert_eq!(error.message, "Workflow 'typ' has open sessions; end them before it gets another type");
        assert_eq!(error.details["workflowName"], "typ");
    }
    said(&client.call("typ_continue", json!({"sessionId": session})));
    patch(&gateway, &path, graph).expect_status(200);
    gateway.delete(&path).expect_status(204);
}

#[test]
fn a_workflow_that_an_activity_runs_stays() {
    let (gateway, stored) = with_workflow("inner");
    let nest = json!({"name": "nest", "run": {"workflow": {"name": "inner"}}});
    gateway.post("/api/activities", nest).expect_status(201);
    let path = format!("/api/workflows/{stored}");
    for refused in [gateway.delete(&path), patch(&gateway, &path, json!({"name": "other"}))] {
        let error = refused.expect_code(409, "CONFLICT");
        assert_eq!(error.message, "Workflow 'inner' is used by the activity 'nest'");
        assert_eq!(error.details["activityName"], "nest");
    }
    gateway.delete("/api/activities/nest").expect_status(204);
    gateway.delete(&path).expect_status(204);
}

#[test]
fn a_workflow_whose_activity_or_name_the_file_took_away_says_so() {
    let gateway = builder(&standard(), &[]).start();
    let id = create(&gateway, workflow("mine", &[json!("tag"), json!("add")]));
    let path = format!("/api/workflows/{id}");
    let shown = || {
        let one = gateway.get(&path).body;
        let listed = gateway.get("/api/workflows").body;
        let listed = listed.as_array().expect("a list").iter().find(|listed| listed["id"] == id);
        assert_eq!(listed.map(|listed| &listed["valid"]), Some(&one["valid"]), "{one}");
        (one["valid"].clone(), one["reason"].clone())
    };
    let reload = |activities: &[Value], workflows: &[Value]| {
        let text = format!("activities: {}\nworkflows: {}", json!(activities), json!(workflows));
        gateway.rewrite(&Config::new().setting(&text).server("test-server", |server| server));
        gateway.post("/api/config/reload", json!({})).expect_status(200);
    };
    assert_eq!(shown(), (json!(true), json!(null)));
    let fewer: Vec<Value> = standard().into_iter().filter(|one| one["name"] != "add").collect();
    reload(&fewer, &[]);
    assert_eq!(
        shown(),
        (json!(false), json!("steps[1].activity names the activity 'add', which does not exist"))
    );
    let switch = |on: bool| patch(&gateway, &path, json!({"enabled": on}));
    switch(false).expect_status(200);
    let fault = switch(true).expect_code(400, "VALIDATION_ERROR");
    assert_eq!(fault.message, "steps[1].activity names the activity 'add', which does not exist");
    reload(&standard(), &[workflow("mine", &[json!("tag")])]);
    assert_eq!(shown(), (json!(false), json!("Workflow \"mine\" is already registered with a server")));
    switch(true).expect_code(409, "CONFLICT");
    reload(&standard(), &[]);
    assert_eq!(shown(), (json!(true), json!(null)));
    switch(true).expect_status(200);
}

#[test]
fn a_workflow_that_one_of_the_file_hides_is_neither_executed_nor_activated() {
    let file = |workflows: &[Value]| {
        let text = format!("activities: {}\nworkflows: {}", json!(standard()), json!(workflows));
        Config::new().setting(&text).server("test-server", |server| server)
    };
    let gateway = builder(&standard(), &[]).start();
    let path = format!("/api/workflows/{}", create(&gateway, workflow("dup", &[json!("tag"), json!("tag")])));
    let run = || gateway.post(&format!("{path}/execute"), json!({}));
    let activate = || gateway.post(&format!("{path}/activate"), json!({}));
    let reload = |workflows: &[Value]| {
        gateway.rewrite(&file(workflows));
        gateway.post("/api/config/reload", json!({})).expect_status(200);
    };
    run().expect_status(200);
    activate().expect_status(200);
    reload(&[workflow("dup", &[json!("memo")])]);
    for reply in [run(), activate()] {
        let fault = reply.expect_code(409, "CONFLICT");
        assert_eq!(fault.message, "Workflow \"dup\" is already registered with a server");
    }
    let own = gateway.post("/api/workflows/config:dup/execute", json!({}));
    assert_eq!(said(&own.expect_status(200).body)["results"]["memo"], json!({"w": 1}));
    reload(&[]);
    activate().expect_status(200);
    assert_eq!(said(&run().body)["message"], "Step 0 (tag) completed successfully");
}

#[test]
fn a_workflow_whose_sub_workflow_the_file_took_away_says_so() {
    let file = |workflows: &[Value]| {
        let text = format!("activities: {}\nworkflows: {}", json!(standard()), json!(workflows));
        Config::new().setting(&text).server("test-server", |server| server)
    };
    let gateway = builder(&standard(), &[workflow("inner", &[json!("tag")])]).start();
    let nest = json!({"name": "nest", "run": {"workflow": {"name": "inner"}}});
    gateway.post("/api/activities", nest).expect_status(201);
    let path =
        format!("/api/workflows/{}", create(&gateway, workflow("outer", &[json!("tag"), json!("nest")])));
    let shown = || {
        let one = gateway.get(&path).body;
        (one["valid"].clone(), one["reason"].clone())
    };
    let reload = |workflows: &[Value]| {
        gateway.rewrite(&file(workflows));
        gateway.post("/api/config/reload", json!({})).expect_status(200);
    };
    assert_eq!(shown(), (json!(true), json!(null)));
    reload(&[]);
    let reason = "steps[1].activity names the activity 'nest', whose workflow 'inner' does not exist";
    assert_eq!(shown(), (json!(false), json!(reason)));
    patch(&gateway, &path, json!({"enabled": false})).expect_status(200);
    let fault = patch(&gateway, &path, json!({"enabled": true})).expect_code(400, "VALIDATION_ERROR");
    assert_eq!(fault.message, reason);
    // It may come back from elsewhere.
    create(&gateway, workflow("inner", &[json!("tag")]));
    assert_eq!(shown(), (json!(true), json!(null)));
    patch(&gateway, &path, json!({"enabled": true})).expect_status(200);
}
