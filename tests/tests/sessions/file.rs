//! Definitions of the config file: what keeps a start from happening, what a reload takes over, and what the API says of
//! them (spec 4.9).

use super::*;
use testkit::Config;

#[test]
fn definitions_of_the_file_cannot_be_changed_over_the_api() {
    let gateway = start(&[calc()]);
    let all = gateway.get("/api/workflows").body;
    let shown =
        all.as_array().expect("a list").iter().find(|one| one["name"] == "calc").expect("it is listed");
    let path = format!("/api/workflows/{}", shown["id"].as_str().expect("an id"));
    assert_eq!((&shown["source"], &shown["enabled"]), (&json!("config"), &json!(true)), "{shown}");
    assert_eq!(gateway.get(&path).expect_status(200).body["steps"][0], json!({"activity": "add"}));
    patch(&gateway, &path, json!({"description": "other"})).expect_code(409, "CONFLICT");
    gateway.delete(&path).expect_code(409, "CONFLICT");
    gateway.post(&format!("{path}/disable"), json!({})).expect_code(409, "CONFLICT");
    patch(&gateway, "/api/activities/add", json!({"timeout": 5})).expect_code(409, "CONFLICT");
    gateway.delete("/api/activities/add").expect_code(409, "CONFLICT");
    assert_eq!(gateway.get("/api/activities/add").body["source"], "config");
    gateway.post("/api/activities", standard()[0].clone()).expect_code(409, "CONFLICT");
    assert_eq!(own_names(&gateway, &Client::legacy(gateway.http())).len(), 5);
}

#[test]
fn a_config_file_that_is_not_sound_keeps_the_gateway_from_starting() {
    let broken = [
        (vec![script("a", "return {}")], workflow("w", &[json!("nobody")]), "nobody"),
        (vec![script("a", "return {")], workflow("w", &[json!("a")]), "run.script"),
        (vec![json!({"name": "a", "run": {}})], workflow("w", &[json!("a")]), "run"),
        (vec![script("a", "return {}")], workflow("w", &[]), "Workflow must have at least one step"),
        (
            vec![script("a", "return {}")],
            workflow("w", &[json!({"activity": "a", "condition": ")"})]),
            "condition",
        ),
    ];
    for (activities, workflow, words) in broken {
        let output = builder(&activities, &[workflow]).expect_failure();
        assert_ne!(output.code, Some(0), "{output:#?}");
        output.expect_text(words);
    }
}

#[test]
fn a_reload_takes_over_sound_definitions_and_no_others() {
    let gateway = start(&[calc()]);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("calc_start", json!({"a": 1, "b": 2})));
    let reload = |activities: &[Value], workflows: &[Value]| {
        let text = format!("activities: {}\nworkflows: {}", json!(activities), json!(workflows));
        gateway.rewrite(&Config::new().setting(&text).server("test-server", |server| server));
        gateway.post("/api/config/reload", json!({}))
    };
    reload(&standard(), &[workflow("fresh", &[json!("add")])]).expect_status(200);
    let names = own_names(&gateway, &client);
    assert!(names.iter().all(|name| name.starts_with("fresh_")) && names.len() == 5, "{names:?}");
    let reply = gateway.post(&format!("/api/sessions/{session}/continue"), json!({}));
    assert_eq!(said(&reply.body)["result"], json!({"result": 6}), "an open session stays on its own");
    let broken = script("broken", "return {");
    let fault = reload(&[broken], &[workflow("w", &[json!("broken")])]).expect_code(400, "VALIDATION_ERROR");
    assert!(fault.message.contains("activities[0].run.script"), "{}", fault.message);
    assert_eq!(own_names(&gateway, &client), names);
}

#[test]
fn a_name_that_is_taken_in_the_file_is_refused_in_the_words_of_the_api() {
    let twice = [workflow("w", &[json!("a")]), workflow("w", &[json!("a")])];
    let output = builder(&[script("a", "return {}")], &twice).expect_failure();
    output.expect_text("Workflow \"w\" is already registered with a server");
}

#[test]
fn a_session_workflow_of_the_file_has_no_runs() {
    let gateway = builder(&[script("a", "return {}")], &[workflow("w", &[json!("a")])]).start();
    assert_eq!(gateway.get("/api/workflows/config:w/runs").body, json!([]));
}

#[test]
fn a_session_workflow_of_the_file_is_valid_as_it_is_given() {
    let gateway = builder(&[script("a", "return {}")], &[workflow("w", &[json!("a")])]).start();
    let mut given = gateway.get("/api/workflows/config:w").body;
    let validate = |body: &Value| gateway.post("/api/workflows/validate", body.clone()).body;
    assert_eq!(validate(&given)["valid"], true, "its own name is not taken: {}", validate(&given));
    given["id"] = "another".into();
    assert_eq!(validate(&given)["valid"], false);
}
