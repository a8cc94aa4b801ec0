//! Definitions: kept as they were written, refused whole, changed by one at a time.

use super::*;

#[test]
fn a_definition_comes_back_as_it_was_stored() {
    let gateway = start();
    let mut body = graph("G0", &[], &[]);
    body["nodes"][1]["data"]["color"] = json!({"of": ["my", 1.50], "鍵": null});
    body["edges"][0]["markerEnd"] = json!({"type": "arrow"});
    let id = create(&gateway, body.clone());
    let view = show(&gateway, &id);
    for field in ["name", "workflowType", "enabled", "nodes", "edges"] {
        assert_eq!(view[field], body[field], "{field}");
    }
    assert!(view["createdAt"].as_i64().is_some_and(|time| time > 1_700_000_000_000), "{view}");
    assert!(view["updatedAt"].is_i64(), "{view}");
    assert_eq!((&view["valid"], &view["revision"]), (&json!(true), &json!(1)));
    let gateway = gateway.reopen();
    assert_eq!(show(&gateway, &id), view);
    assert_eq!(gateway.get("/api/workflows").body, json!([view]));
}

#[test]
fn a_definition_that_breaks_a_rule_is_refused_whole() {
    let gateway = start();
    let without = |field: &str| {
        let mut body = graph("w", &[], &[]);
        body.as_object_mut().expect("a map").remove(field);
        body
    };
    let with = |field: &str, value: Value| {
        let mut body = graph("w", &[], &[]);
        body[field] = value;
        body
    };
    for (body, message) in [
        (without("name"), "Workflow name is required"),
        (with("name", json!("  ")), "Workflow name is required"),
        (without("workflowType"), "Workflow type is required"),
        (with("nodes", json!([])), "Workflow must have at least one node"),
        (with("nodes", json!([node("e", "end")])), "Workflow must have a start node"),
        (with("nodes", json!([node("s", "start")])), "Workflow must have an end node"),
        (without("edges"), "edges must be an array"),
        (with("edges", json!({})), "edges must be an array"),
    ] {
        let fault = gateway.post("/api/workflows", body).expect_code(400, "VALIDATION_ERROR");
        assert_eq!(fault.message, message);
    }
    gateway
        .post("/api/workflows", with("workflowType", json!("prompts/get")))
        .expect_code(400, "VALIDATION_ERROR");
    let unknown = json!([node("s", "start"), node("l", "loop"), node("e", "end")]);
    gateway.post("/api/workflows", with("nodes", unknown)).expect_code(400, "VALIDATION_ERROR");
    let loose = json!([edge("s", "nowhere")]);
    gateway.post("/api/workflows/import", with("edges", loose.clone())).expect_code(400, "VALIDATION_ERROR");
    assert_eq!(gateway.get("/api/workflows").body, json!([]));
    create(&gateway, with("edges", loose));
}

#[test]
fn a_change_touches_what_it_names_and_makes_a_revision() {
    let gateway = start();
    let id = create(&gateway, graph("w", &[], &[]));
    let before = show(&gateway, &id);
    let reply = patch(&gateway, &id, json!({"name": "other", "description": "d"}));
    reply.expect_status(200);
    assert_eq!((reply.header("etag"), &reply.body["revision"]), ("\"2\"", &json!(2)));
    assert_eq!((&reply.body["name"], &reply.body["description"]), (&json!("other"), &json!("d")));
    assert_eq!((&reply.body["nodes"], &reply.body["createdAt"]), (&before["nodes"], &before["createdAt"]));
    assert!(reply.body["updatedAt"].as_i64() > before["updatedAt"].as_i64());
    assert_eq!(
        patch(&gateway, &id, json!({"name": ""})).expect_code(400, "VALIDATION_ERROR").details["field"],
        "name"
    );
    patch(&gateway, "nobody", json!({})).expect_code(404, "NOT_FOUND");

    let path = format!("/api/workflows/{id}");
    let at = |method: &str, tag: &str| {
        let request = Request::new(method, &path).header("If-Match", tag);
        gateway.http().send(&request.body("application/json", r#"{"name":"third"}"#))
    };
    assert_eq!(at("PATCH", "\"1\"").expect_code(409, "CONFLICT").details["revision"], 2);
    at("DELETE", "\"1\"").expect_code(409, "CONFLICT");
    at("PATCH", "first").expect_code(400, "VALIDATION_ERROR");
    at("PATCH", "\"2\"").expect_status(200);
    at("PATCH", "*").expect_status(200);
    at("DELETE", "\"4\"").expect_status(204);
    gateway.get(&path).expect_code(404, "NOT_FOUND");
    gateway.delete(&path).expect_code(404, "NOT_FOUND");
}

#[test]
fn what_is_exported_and_imported_again_is_equal_and_not_active() {
    let gateway = start();
    let id = active(&gateway, graph("Redact replies", &[hook("h", "return")], &[]));
    let before = show(&gateway, &id);
    let export = gateway.get(&format!("/api/workflows/{id}/export"));
    export.expect_status(200);
    assert_eq!(export.header("content-disposition"), "attachment; filename=\"redact-replies.workflow.json\"");
    gateway.delete(&format!("/api/workflows/{id}")).expect_status(204);
    let import = gateway.post("/api/workflows/import", export.body.clone());
    import.expect_status(201);
    for field in ["name", "workflowType", "nodes", "edges"] {
        assert_eq!(import.body[field], before[field], "{field}");
    }
    assert_eq!(import.body["enabled"], false);
    let mut keen = export.body;
    keen["enabled"] = true.into();
    assert_eq!(gateway.post("/api/workflows/import", keen).body["enabled"], false);
    activate(&gateway, import.body["id"].as_str().expect("an id")).expect_status(200);
}

#[test]
fn the_part_that_an_editor_showed_comes_back_as_it_was() {
    let gateway = start();
    let viewport = json!({"x": -12.5, "y": 40, "zoom": 0.75});
    let mut body = graph("w", &[], &[]);
    body["viewport"] = viewport.clone();
    let id = create(&gateway, body.clone());
    assert_eq!(show(&gateway, &id)["viewport"], viewport);
    assert_eq!(patch(&gateway, &id, json!({"name": "v"})).body["viewport"], viewport);
    let export = gateway.get(&format!("/api/workflows/{id}/export")).body;
    assert_eq!(export["viewport"], viewport);
    assert_eq!(gateway.post("/api/workflows/import", export).body["viewport"], viewport);
    let gateway = gateway.reopen();
    assert_eq!(show(&gateway, &id)["viewport"], viewport);
    let moved = json!({"x": 0, "y": 0, "zoom": 1});
    assert_eq!(patch(&gateway, &id, json!({"viewport": moved})).body["viewport"], moved);
    assert_eq!(patch(&gateway, &id, json!({"viewport": null})).body.get("viewport"), None);
    for wrong in [json!([0, 0, 1]), json!({"x": 0, "y": 0}), json!({"x": "0", "y": 0, "zoom": 1}), json!(1)] {
        body["viewport"] = wrong;
        let error = gateway.post("/api/workflows", body.clone()).expect_code(400, "VALIDATION_ERROR");
        assert_eq!(error.details["field"], "viewport", "{error:?}");
    }
}

#[test]
fn validation_names_every_problem_and_stores_nothing() {
    let gateway = start();
    let mut body = graph("w", &[hook("h", "return ((")], &[]);
    body["edges"].as_array_mut().expect("a list").push(edge("c", "nowhere"));
    body.as_object_mut().expect("a map").remove("name");
    let reply = gateway.post("/api/workflows/validate", body);
    reply.expect_status(200);
    assert_eq!(reply.body["valid"], false);
    let codes: Vec<_> =
        reply.body["problems"].as_array().expect("a list").iter().map(|p| &p["code"]).collect();
    assert_eq!(codes, ["loose-edge", "script"]);
    assert_eq!(reply.body["problems"][1]["node"], "h");
    let good = gateway.post("/api/workflows/validate", graph("w", &[], &[]));
    assert_eq!(good.body, json!({"valid": true, "problems": []}));
    assert_eq!(gateway.get("/api/workflows").body, json!([]));
}

#[test]
fn validation_goes_on_after_what_could_not_even_be_stored() {
    let gateway = start();
    let found = |body: &Value| {
        let reply = gateway.post("/api/workflows/validate", body.clone());
        reply.expect_status(200);
        assert_eq!(reply.body["valid"], false, "{}", reply.body);
        let told = |one: &Value| {
            assert_eq!(one["severity"], "error", "{one}");
            let word = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
            [word("code"), word("node") + &word("edge"), word("message")].join("|")
        };
        reply.body["problems"].as_array().expect("a list").iter().map(told).collect::<Vec<_>>()
    };
    let mut body = graph(" ", &[hook("h", "return ((")], &[]);
    body["enabled"] = "yes".into();
    body["nodes"][0]["type"] = "begin".into();
    let nodes = body["nodes"].as_array_mut().expect("a list");
    nodes.extend([json!(7), json!({"type": "hook"}), json!({"id": "d", "type": "end", "data": []})]);
    let edges = body["edges"].as_array_mut().expect("a list");
    edges.insert(0, json!({"id": "from", "target": "c"}));
    edges.insert(1, json!("x"));
    assert_eq!(
        found(&body),
        [
            "name||Workflow name is required",
            "data||nodes[4] must be a JSON object",
            "data||nodes[5].id must be a string that is not empty",
            "data|d|nodes[6].data must be a JSON object",
            "data|from|edges[0].source must be a string that is not empty",
            "data||edges[1] must be a JSON object",
            "data||enabled must be true or false",
            "start-missing||Start node is missing",
            "unknown-type|s|Node 's' has the type 'begin', which this version does not know",
            "inputs|d|Node 'd' needs an input",
            "more-than-one|e|Node 'e' is one End node too many; there is exactly one",
            "off-path|h|Node 'h' is not on the path from Start to End",
            "script|h|Node 'h' has a script that does not compile: SyntaxError: unexpected end of script (line 2)",
        ]
    );
    body = graph("w", &[], &[]);
    body["edges"] = json!({});
    let problems = found(&body);
    assert_eq!(problems[0], "data||edges must be an array");
    assert!(problems.contains(&"no-path-to-call||No path from Start to MCP Call".to_owned()), "{problems:?}");
    body["nodes"] = json!([]);
    assert!(found(&body).contains(&"end-missing||End node is missing".to_owned()));
    for (field, value, problem) in [
        ("nodes", json!({}), "data||nodes must be an array"),
        ("workflowType", json!("x"), "data||workflowType must be one of tools/list, tools/call, session"),
    ] {
        body[field] = value;
        assert_eq!(found(&body), [problem]);
    }
    assert_eq!(
        found(&json!({"workflowType": "session", "steps": []})),
        ["step-missing||Workflow must have at least one step"]
    );
    let steps = json!([{"activity": "nope", "optional": "yes"}, {"foo": 1}, {"activity": "nope"}, {"activity": "x", "waitFor": {}}]);
    let problems = found(&json!({"name": "a b", "workflowType": "session", "steps": steps, "timeout": -1}));
    let firsts: Vec<&str> = problems.iter().map(|text| text.rsplit_once('|').expect("parts").0).collect();
    assert_eq!(
        firsts,
        ["data|step-1", "data|step-2", "data|step-4", "data|", "name|", "activity|step-1", "activity|step-3"],
        "{problems:#?}"
    );
}

#[test]
fn every_route_is_described() {
    let gateway = start();
    let document = gateway.get("/api/openapi.json").body;
    for (path, methods) in [
        ("/api/workflows", "get post"),
        ("/api/workflows/{id}", "get patch delete"),
        ("/api/workflows/{id}/activate", "post"),
        ("/api/workflows/{id}/disable", "post"),
        ("/api/workflows/{id}/export", "get"),
        ("/api/workflows/{id}/execute", "post"),
        ("/api/workflows/{id}/diagram", "get"),
        ("/api/workflows/{id}/runs", "get"),
        ("/api/workflows/import", "post"),
        ("/api/workflows/validate", "post"),
        ("/api/node-types", "get"),
        ("/api/templates", "get"),
        ("/api/templates", "post"),
        ("/api/templates/{id}", "get"),
        ("/api/templates/{id}", "delete"),
        ("/api/templates/{id}/export", "get"),
        ("/api/templates/{id}/create", "post"),
        ("/api/templates/import", "post"),
        ("/api/runs", "get"),
        ("/api/runs/{id}", "get"),
    ] {
        for method in methods.split(' ') {
            assert!(document["paths"][path][method]["operationId"].is_string(), "{method} {path}");
        }
    }
    assert!(document["components"]["schemas"]["WorkflowView"].is_object());
}
