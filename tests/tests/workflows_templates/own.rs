//! Templates that a user saves, exports, imports and deletes.

use super::*;
use testkit::Folder;

/// Start, a condition with an expression, a hook with a script, the call, end.
fn workflow() -> Value {
    let node = |id: &str, kind: &str| json!({"id": id, "type": kind, "position": {"x": 1, "y": 2}, "data": {"label": id}});
    let edge = |source: &str, target: &str| json!({"source": source, "target": target});
    let mut stamp = node("h", "hook");
    stamp["data"]["hook"] =
        json!({"id": "h", "script": "context.request.params.arguments.who = 'me'", "blocking": true});
    let mut limit = node("v", "variable");
    limit["data"]["set"] = json!([{"name": "limit", "value": 5}]);
    json!({
        "name": "Stamp", "description": "Stamps calls", "workflowType": "tools/call",
        "nodes": [node("s", "start"), limit, stamp, node("c", "mcp-call"), node("e", "end")],
        "edges": [edge("s", "v"), edge("v", "h"), edge("h", "c"), edge("c", "e")],
    })
}

fn create(gateway: &TestGateway, body: Value) -> String {
    let reply = gateway.post("/api/workflows", body);
    reply.expect_status(201);
    reply.body["id"].as_str().expect("an id").to_owned()
}

#[track_caller]
fn save(gateway: &TestGateway, body: Value) -> Value {
    let reply = gateway.post("/api/templates", body);
    reply.expect_status(201);
    reply.body
}

fn id(template: &Value) -> &str {
    template["id"].as_str().expect("an id")
}

#[test]
fn a_workflow_is_saved_as_a_template_and_made_anew_with_other_values() {
    let gateway = start();
    let workflow = create(&gateway, workflow());
    let saved = save(
        &gateway,
        json!({"workflowId": workflow, "name": "Limits", "parameters": [
            {"name": "limit", "type": "number", "description": "How many", "at": ["/nodes/1/data/set/0/value"]},
            {"name": "title", "type": "string", "at": ["/nodes/1/data/label"]},
        ]}),
    );
    assert_eq!(
        (&saved["source"], &saved["name"], &saved["description"]),
        (&json!("own"), &json!("Limits"), &json!("Stamps calls"))
    );
    assert_eq!(saved["parameters"][0]["default"], 5, "what stood there");
    assert_eq!(saved["workflow"]["nodes"][1]["data"]["set"][0]["value"], json!({"$parameter": "limit"}));
    gateway.delete(&format!("/api/workflows/{workflow}")).expect_status(204);
    let made = make(&gateway, id(&saved), json!({"limit": 7}));
    let view = gateway.get(&format!("/api/workflows/{made}")).body;
    assert_eq!((&view["name"], &view["enabled"]), (&json!("Stamp"), &json!(false)));
    assert_eq!(view["nodes"][1]["data"]["set"][0]["value"], 7);
    assert_eq!(view["nodes"][1]["data"]["label"], "v");
    gateway.delete(&format!("/api/templates/{}", id(&saved))).expect_status(204);
    gateway.get(&format!("/api/templates/{}", id(&saved))).expect_code(404, "NOT_FOUND");
    gateway.get(&format!("/api/workflows/{made}")).expect_status(200);
}

#[test]
fn the_places_of_parameters_are_named_in_a_definition_too() {
    let gateway = start();
    let body = json!({"name": "Limits", "workflow": workflow(), "parameters": [
        {"name": "limit", "type": "number", "at": ["/nodes/1/data/set/0/value"]},
        {"name": "title", "type": "string", "default": "Mine", "at": ["/nodes/1/data/label", "/description"]},
    ]});
    for path in ["/api/templates", "/api/templates/import"] {
        let saved = gateway.post(path, body.clone());
        saved.expect_status(201);
        let definition = &saved.body["workflow"];
        assert_eq!(definition["nodes"][1]["data"]["set"][0]["value"], json!({"$parameter": "limit"}));
        let defaults = [0, 1].map(|place| &saved.body["parameters"][place]["default"]);
        assert_eq!(defaults, [&json!(5), &json!("Mine")], "what stood there, unless it says so itself");
        let made = make(&gateway, id(&saved.body), json!({"limit": 7}));
        let view = gateway.get(&format!("/api/workflows/{made}")).body;
        assert_eq!(view["nodes"][1]["data"]["set"][0]["value"], 7);
        let titles = [&view["nodes"][1]["data"]["label"], &view["description"]];
        assert_eq!(titles, [&json!("Mine"), &json!("Mine")]);
        let mut wrong = body.clone();
        for (at, field) in [
            (json!(["/nodes/1/data/label", "/nodes/99"]), "parameters[0].at[1]"),
            (json!(["/enabled"]), "parameters[0].at[0]"),
            (json!("/nodes"), "parameters[0].at"),
        ] {
            wrong["parameters"][0]["at"] = at;
            let fault = gateway.post(path, wrong.clone()).expect_code(400, "VALIDATION_ERROR");
            assert_eq!(fault.details["field"], field, "{}", fault.message);
        }
    }
    assert_eq!(listed(&gateway, "own").len(), 2);
}

#[test]
fn a_workflow_of_the_config_file_is_saved_as_a_template_too() {
    let activity =
        json!([{"name": "note", "description": "n", "run": {"script": "return {data: {ok: true}}"}}]);
    let workflow = json!([{"name": "checkup", "description": "Looks", "steps": [{"activity": "note"}]}]);
    let gateway = TestGateway::builder()
        .server("test-server", |s| s)
        .setting(&format!("activities: {activity}\nworkflows: {workflow}"))
        .start();
    let saved = save(&gateway, json!({"workflowId": "config:checkup", "name": "Checkups"}));
    assert_eq!(
        (&saved["name"], &saved["description"], &saved["workflow"]["workflowType"]),
        (&json!("Checkups"), &json!("Looks"), &json!("session"))
    );
    let body = json!({"name": "second"});
    let made = gateway.post(&format!("/api/templates/{}/create", id(&saved)), body);
    made.expect_status(201);
    let shown = (&made.body["name"], &made.body["workflowType"], &made.body["enabled"]);
    assert_eq!(shown, (&json!("second"), &json!("session"), &json!(false)), "{}", made.text());
    gateway.post("/api/templates", json!({"workflowId": "config:nobody"})).expect_code(404, "NOT_FOUND");
}

#[test]
fn what_a_template_made_can_become_a_template_again() {
    let gateway = start();
    let made = make(&gateway, "allow-list", json!({"tools": ["echo"]}));
    let saved = save(&gateway, json!({"workflowId": made, "name": "Our list"}));
    assert_eq!(
        saved["parameters"],
        json!([{"name": "tools", "type": "list", "description": "", "required": false, "default": ["echo"]}])
    );
    activate(&gateway, id(&saved), json!({"tools": ["plain"]}));
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    let refused = gateway.call("test-server", "echo", json!({})).text();
    assert!(refused.contains("Tool 'echo' is not on the allow-list"), "{refused}");
}

#[test]
fn a_value_cannot_leave_its_place_in_a_script_or_an_expression() {
    let gateway = start();
    let mut definition = workflow();
    definition["nodes"][2]["data"]["hook"]["script"] = json!(
        "context.request.params.arguments.who = parameters.who;\ncontext.request.params.arguments.n = context.variables.limit"
    );
    definition["nodes"][1]["data"]["set"][0] =
        json!({"name": "limit", "expression": "parameters.who.length * parameters.factor"});
    let parameters =
        json!([{"name": "who", "type": "string"}, {"name": "factor", "type": "number", "default": 2}]);
    let saved = save(&gateway, json!({"name": "Who", "parameters": parameters, "workflow": definition}));
    let evil = "\"}; throw new Error('out'); //\u{2028}'`${1}</script>\\";
    activate(&gateway, id(&saved), json!({"who": evil}));
    let reply = gateway.call("test-server", "echo", json!({}));
    assert_eq!(reply.result(), &json!({"who": evil, "n": evil.encode_utf16().count() * 2}));
}

#[test]
fn an_expression_that_waits_can_read_parameters() {
    let gateway = start();
    let mut definition = workflow();
    definition["nodes"][1]["data"]["set"] = json!([
        {"name": "late", "expression": "(await sleep(1), parameters.n) + 1 // one more"},
        {"name": "soon", "expression": "parameters.n"},
    ]);
    definition["nodes"][2]["data"]["hook"]["script"] = json!(
        "await sleep(1); Object.assign(context.request.params.arguments, context.variables, parameters)"
    );
    let parameters = json!([{"name": "n", "type": "number"}]);
    let saved = save(&gateway, json!({"name": "Late", "parameters": parameters, "workflow": definition}));
    let made = activate(&gateway, id(&saved), json!({"n": 4}));
    let reply = gateway.call("test-server", "echo", json!({}));
    assert_eq!(reply.result(), &json!({"late": 5, "soon": 4, "n": 4}));
    let again = save(&gateway, json!({"workflowId": made, "name": "Again"}));
    assert_eq!(again["workflow"]["nodes"], definition["nodes"]);
    assert_eq!(again["parameters"][0]["default"], 4);
}

#[test]
fn a_value_is_given_whatever_its_keys_are_called() {
    let gateway = start();
    let mut definition = workflow();
    definition["nodes"][2]["data"]["hook"]["script"] = json!(
        "context.request.params.arguments = {own: Object.keys(parameters.o), x: parameters.o.x ?? null}"
    );
    definition["nodes"][1]["data"]["set"] = json!([{"name": "o", "expression": "Object.keys(parameters.o)"}]);
    let parameters = json!([{"name": "o", "type": "object"}]);
    let saved = save(&gateway, json!({"name": "Keys", "parameters": parameters, "workflow": definition}));
    let value: Value = serde_json::from_str(r#"{"__proto__":{"x":1},"b":2}"#).expect("JSON");
    let made = activate(&gateway, id(&saved), json!({"o": value}));
    let reply = gateway.call("test-server", "echo", json!({}));
    assert_eq!(reply.result(), &json!({"own": ["__proto__", "b"], "x": null}));
    assert_eq!(done(&gateway, &made, "v")["result"]["variables"], json!({"o": ["__proto__", "b"]}));
    let again = save(&gateway, json!({"workflowId": made, "name": "Again"}));
    assert_eq!(again["parameters"][0]["default"], value);
    activate(&gateway, "argument-defaults", json!({"tool": "echo", "defaults": value}));
    let input: Value = serde_json::from_str(r#"{"__proto__":{"x":1},"b":2,"q":1}"#).expect("JSON");
    assert_eq!(gateway.call("test-server", "echo", json!({"q": 1})).result(), &input);
}

#[test]
fn what_is_nested_too_deeply_is_no_workflow_and_no_template() {
    let gateway = start();
    let deep = |levels: usize| (1..levels).fold(json!([]), |inner, _| json!([inner]));
    let nested = |levels: usize| {
        let mut definition = workflow();
        definition["nodes"][1]["data"]["x"] = deep(levels);
        definition
    };
    let rule = "nodes[1] is nested too deeply; a workflow has at most 100 levels";
    let stored = create(&gateway, nested(96));
    let template = save(&gateway, json!({"workflowId": stored, "name": "Deep"}));
    assert_eq!(template["error"], Value::Null);
    let path = format!("/api/templates/{}/create", id(&template));
    gateway.post(&path, json!({"name": "made"})).expect_status(201);
    let refused = |path: &str, body: Value, field: &str| {
        let fault = gateway.post(path, body).expect_code(400, "VALIDATION_ERROR");
        assert_eq!(fault.details["field"], field, "{}", fault.message);
        assert!(fault.message.contains(rule), "{}", fault.message);
    };
    for levels in [97, 123, 124] {
        refused("/api/workflows", nested(levels), "nodes[1]");
        refused("/api/workflows/import", nested(levels), "nodes[1]");
    }
    for levels in [97, 122] {
        let body = json!({"name": "T", "workflow": nested(levels)});
        refused("/api/templates", body.clone(), "workflow.nodes[1]");
        refused("/api/templates/import", body, "workflow.nodes[1]");
    }
    let mut hollow = workflow();
    hollow["nodes"][1]["data"]["x"] = json!({"$parameter": "x"});
    let parameters = json!([{"name": "x", "type": "list"}]);
    let template = save(&gateway, json!({"name": "Hollow", "parameters": parameters, "workflow": hollow}));
    let path = format!("/api/templates/{}/create", id(&template));
    refused(&path, json!({"name": "made too", "parameters": {"x": deep(97)}}), "nodes[1]");
}

#[test]
fn a_template_that_is_exported_can_be_imported_elsewhere() {
    let gateway = start();
    let exported = gateway.get("/api/templates/redact-secrets/export");
    exported.expect_status(200);
    let file = exported.header("content-disposition");
    assert!(file.contains("redact-secrets.template.json"), "{file}");
    let elsewhere = start();
    let imported = elsewhere.post("/api/templates/import", exported.body.clone());
    imported.expect_status(201);
    let again = elsewhere.get(&format!("/api/templates/{}/export", id(&imported.body)));
    assert_eq!(again.body, exported.body);
    let elsewhere = elsewhere.reopen();
    assert_eq!(listed(&elsewhere, "own").len(), 1, "it is kept");
    activate(&elsewhere, id(&imported.body), json!({"replacement": "***"}));
    let reply = elsewhere.call("test-server", "echo", json!({"mail": "someone@example.com"}));
    assert_eq!(reply.result()["mail"], "***");
}

#[test]
fn nodes_of_plug_ins_can_stand_in_templates() {
    let folder = Folder::new();
    let script = "context.request.params.arguments.stamp = context.data.word";
    let manifest = json!({"name": "stamp", "label": "Stamp", "outputs": "many", "script": script});
    let file = folder.write("plugins/stamp.json", &manifest.to_string());
    let setting = format!("plugins: {{folder: {}}}", json!(folder.join("plugins")));
    let gateway = TestGateway::builder().server("test-server", |s| s).setting(&setting).start();
    let mut definition = workflow();
    definition["nodes"][2] = json!({"id": "h", "type": "stamp", "data": {"word": {"$parameter": "word"}}});
    let parameters = json!([{"name": "word", "type": "string"}]);
    let saved = save(&gateway, json!({"name": "Stamp", "parameters": parameters, "workflow": definition}));
    let made = activate(&gateway, id(&saved), json!({"word": "seen"}));
    assert_eq!(gateway.call("test-server", "echo", json!({})).result(), &json!({"stamp": "seen"}));
    gateway.delete(&format!("/api/workflows/{made}")).expect_status(204);
    std::fs::remove_file(file).expect("removed");
    gateway.post("/api/config/reload", json!({})).expect_status(200);
    let error = listed(&gateway, "own")[0]["error"].as_str().unwrap_or_default().to_owned();
    assert!(error.contains("'stamp' is not known"), "{error}");
    let path = format!("/api/templates/{}/create", id(&saved));
    gateway.post(&path, json!({"parameters": {"word": "x"}})).expect_code(400, "VALIDATION_ERROR");
}

#[test]
fn session_workflows_can_be_templates_too() {
    let gateway = start();
    let score = json!({"name": "score", "description": "Scores", "run": {"script": "return {data: {}}"}});
    gateway.post("/api/activities", score).expect_status(201);
    let steps = json!([{"activity": "score", "optional": {"$parameter": "lenient"}, "condition": "input.n > parameters.least"}]);
    let body = json!({"name": "Intake", "workflow": {"name": "intake", "workflowType": "session", "steps": steps},
        "parameters": [{"name": "lenient", "type": "boolean", "default": false}, {"name": "least", "type": "number"}]});
    let saved = save(&gateway, body);
    assert_eq!(saved["workflowType"], "session");
    let reply = gateway.post(
        &format!("/api/templates/{}/create", id(&saved)),
        json!({"name": "intake2", "parameters": {"lenient": true, "least": 3}}),
    );
    reply.expect_status(201);
    let step = reply.body["nodes"].as_array().expect("nodes").iter().find(|node| node["type"] == "activity");
    let step = &step.expect("a step")["data"]["step"];
    assert_eq!((&step["optional"], &reply.body["name"]), (&json!(true), &json!("intake2")));
    assert_eq!(
        step["condition"],
        "(async (parameters) => (\ninput.n > parameters.least\n))(JSON.parse(\"{\\\"lenient\\\":true,\\\"least\\\":3}\"))"
    );
}

#[test]
fn what_could_not_be_stored_as_a_session_workflow_is_no_template() {
    let gateway = start();
    let score = json!({"name": "score", "description": "Scores", "run": {"script": "return {data: {}}"}});
    gateway.post("/api/activities", score).expect_status(201);
    let template = |step: Value, parameters: Value| {
        let workflow = json!({"name": "intake", "workflowType": "session", "steps": [step]});
        json!({"name": "T", "workflow": workflow, "parameters": parameters})
    };
    let refused = |body: Value, field: &str| {
        let reply = gateway.post("/api/templates/import", body);
        reply.expect_code(400, "VALIDATION_ERROR");
        assert_eq!(reply.body["error"]["details"]["field"], field, "{}", reply.body);
    };
    refused(template(json!({"activity": "nope"}), json!([])), "workflow.steps[0].activity");
    refused(
        template(json!({"activity": "score", "condition": "(("}), json!([])),
        "workflow.steps[0].condition",
    );
    let named = json!({"activity": {"$parameter": "which"}});
    let which = |more: &Value| {
        let mut one = json!({"name": "which", "type": "string"});
        one.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        json!([one])
    };
    refused(template(named.clone(), which(&json!({"default": "nope"}))), "workflow.steps[0].activity");
    for more in [json!({}), json!({"default": "score"})] {
        gateway.post("/api/templates/import", template(named.clone(), which(&more))).expect_status(201);
    }
}

#[test]
fn a_template_that_breaks_a_rule_is_refused_and_the_field_is_named() {
    let gateway = start();
    let body = |change: &Value| {
        let mut body = json!({"name": "T", "workflow": workflow()});
        body.as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
        body
    };
    let mut loose = workflow();
    loose["edges"][0]["target"] = json!("nowhere");
    let mut code = workflow();
    code["nodes"][2]["data"]["hook"]["script"] = json!({"$parameter": "a"});
    let mut unknown = workflow();
    unknown["nodes"][1]["type"] = json!("no-such-plug-in");
    let one = |change: Value| {
        let mut one = json!({"name": "a", "type": "string"});
        one.as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
        json!({"parameters": [one]})
    };
    for (change, field, message) in [
        (json!({"name": " "}), "name", "name is required"),
        (
            json!({"workflow": null}),
            "workflow",
            "workflow must be the definition of a workflow, a JSON object",
        ),
        (json!({"parameters": {}}), "parameters", "parameters must be a list"),
        (one(json!({"name": "1a"})), "parameters[0].name", "parameters[0].name must be a name of letters"),
        (
            one(json!({"name": "__proto__"})),
            "parameters[0].name",
            "parameters[0].name must be a name of letters",
        ),
        (
            one(json!({"type": "text"})),
            "parameters[0].type",
            "parameters[0].type must be one of string, number, boolean, list, object",
        ),
        (one(json!({"default": 5})), "parameters[0].default", "parameters[0].default must be a string"),
        (one(json!({"min": 5})), "parameters[0].min", "parameters[0].min is not a known field"),
        (
            json!({"workflow": loose}),
            "workflow.edges[0].target",
            "workflow: edges[0].target names the node 'nowhere'",
        ),
        (
            json!({"workflow": unknown}),
            "workflow.nodes[1].type",
            "workflow: nodes[1].type 'no-such-plug-in' is not known",
        ),
        (
            json!({"workflow": code, "parameters": [{"name": "a", "type": "string"}]}),
            "workflow.nodes[2].data.hook.script",
            "workflow.nodes[2].data.hook.script must be text; scripts and expressions read parameters.<name>",
        ),
    ] {
        for path in ["/api/templates", "/api/templates/import"] {
            let fault = gateway.post(path, body(&change)).expect_code(400, "VALIDATION_ERROR");
            assert_eq!(fault.details["field"], field, "{}", fault.message);
            assert!(fault.message.starts_with(message), "{}", fault.message);
        }
    }
    gateway.post("/api/templates", json!({"workflowId": "nothing"})).expect_code(404, "NOT_FOUND");
    let workflow = create(&gateway, workflow());
    let at = json!([{"name": "a", "type": "string", "at": ["/nodes/99"]}]);
    let fault = gateway.post("/api/templates", json!({"workflowId": workflow, "parameters": at}));
    assert_eq!(fault.expect_code(400, "VALIDATION_ERROR").details["field"], "parameters[0].at[0]");
    assert!(listed(&gateway, "own").is_empty(), "nothing was saved");
}
