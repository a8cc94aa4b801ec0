//! The admin routes of hooks (spec 2.2, 2.3, 2.8).

mod around;
mod order;
mod typescript;

use serde_json::{Value, json};
use testkit::{Reply, Request, TestGateway};

const MIB: usize = 1_048_576;

fn hook(name: &str) -> Value {
    json!({"name": name, "hookType": "pre", "script": "return {continue:true}"})
}

fn with(field: &str, value: Value) -> Value {
    let mut hook = hook("h");
    hook[field] = value;
    hook
}

#[track_caller]
fn create(gateway: &TestGateway, body: Value) -> Value {
    let reply = gateway.post("/api/hooks", body);
    reply.expect_status(201);
    reply.body
}

fn patch(gateway: &TestGateway, id: &Value, body: &Value) -> Reply {
    let path = format!("/api/hooks/{}", text(id));
    gateway.http().send(&Request::new("PATCH", &path).body("application/json", body.to_string()))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("a string: {value}"))
}

#[track_caller]
fn list(gateway: &TestGateway) -> Vec<Value> {
    let reply = gateway.get("/api/hooks");
    reply.expect_status(200);
    reply.body.as_array().expect("an array").clone()
}

fn names(hooks: &[Value]) -> String {
    hooks.iter().map(|hook| text(&hook["name"])).collect::<Vec<_>>().join(" ")
}

fn ids(hooks: &[Value]) -> Vec<Value> {
    hooks.iter().map(|hook| hook["id"].clone()).collect()
}

/// Without what the gateway counts while it runs.
fn definition(hook: &Value) -> Value {
    let mut hook = hook.clone();
    let map = hook.as_object_mut().expect("an object");
    map.retain(|field, _| !["stats", "tripped", "lastError"].contains(&field.as_str()));
    hook
}

#[test]
fn a_new_hook_has_its_defaults() {
    let gateway = TestGateway::start();
    assert_eq!(list(&gateway), Vec::<Value>::new());
    let first = create(&gateway, hook("h"));
    assert!(!text(&first["id"]).is_empty());
    assert_eq!((&first["enabled"], &first["onError"]), (&json!(true), &json!("continue")));
    assert_eq!((&first["executionOrder"], &first["hookType"]), (&json!(0), &json!("pre")));
    assert!(first["createdAt"].as_i64().is_some_and(|time| time > 1_700_000_000_000), "{first}");
    assert_eq!(first["createdAt"], first["updatedAt"]);
    assert_eq!((&first["tripped"], &first["stats"]["executions"]), (&json!(false), &json!(0)));
    assert!(first.get("description").is_none());

    let body = json!({
        "name": "鍵の番人", "description": "見張る", "enabled": false, "executionOrder": -1.5, "hookType": "both",
        "onError": "stop", "script": "// 日本語\nawait sleep(1);\nreturn {continue: false}",
    });
    let full = create(&gateway, body.clone());
    for (field, value) in body.as_object().expect("an object") {
        assert_eq!(&full[field], value, "{field}");
    }
    assert_eq!(create(&gateway, hook("third"))["executionOrder"], 1);
    assert_eq!(names(&list(&gateway)), "鍵の番人 h third");
    let one = gateway.get(&format!("/api/hooks/{}", text(&full["id"])));
    assert_eq!((one.status, &one.body), (200, &full));
}

#[test]
fn a_hook_that_breaks_a_rule_is_refused_whole() {
    let gateway = TestGateway::start();
    let check = |body: Value, message: &str, field: &str| {
        let fault = gateway.post("/api/hooks", body).expect_code(400, "VALIDATION_ERROR");
        assert_eq!((fault.message.as_str(), &fault.details), (message, &json!({"field": field})));
    };
    check(json!({"hookType": "pre", "script": "return"}), "name is required", "name");
    check(with("name", json!("  ")), "name must not be blank", "name");
    check(with("name", json!("鍵".repeat(101))), "name exceeds maximum length (100 characters)", "name");
    check(with("hookType", json!("around")), "hookType must be one of pre, post, both", "hookType");
    check(json!({"name": "h", "script": "return"}), "hookType is required", "hookType");
    check(with("onError", json!("ignore")), "onError must be one of continue, stop", "onError");
    check(with("enabled", json!(1)), "enabled must be true or false", "enabled");
    check(with("executionOrder", json!("1")), "executionOrder must be a number", "executionOrder");
    check(json!({"name": "h", "hookType": "pre"}), "script is required", "script");
    check(with("script", json!(7)), "script must be a string", "script");
    check(
        with("hook_type", json!("pre")),
        "hook_type is not a known field (did you mean 'hookType'?)",
        "hook_type",
    );
    check(json!([]), "body must be a JSON object", "body");
    gateway.post_raw("/api/hooks", "application/json", "{").expect_code(400, "VALIDATION_ERROR");
    gateway.post_raw("/api/hooks", "application/json", r#"{"executionOrder":1e999}"#).expect_status(400);
    let fault = gateway.post_raw("/api/hooks", "text/plain", hook("h").to_string()).fault();
    assert_eq!((fault.status, &fault.details["field"]), (400, &json!("Content-Type")));
    assert_eq!(list(&gateway), Vec::<Value>::new());
    create(&gateway, with("name", json!("鍵".repeat(100))));
}

#[test]
fn a_script_is_checked_in_the_form_in_which_it_runs() {
    let gateway = TestGateway::start();
    let refused = |reply: &Reply, line: u64| {
        let fault = reply.expect_code(400, "VALIDATION_ERROR");
        assert!(fault.message.starts_with("Invalid hook script: "), "{}", fault.message);
        assert_eq!((&fault.details["field"], &fault.details["line"]), (&json!("script"), &json!(line)));
        fault.details["column"].clone()
    };
    let at = refused(&gateway.post("/api/hooks", with("script", json!("let a = 1;\n\nlet a = 2;"))), 3);
    assert!(at.is_u64(), "{at}");
    // Where the script ends too early, the place is its end: a line without a column.
    refused(&gateway.post("/api/hooks", with("script", json!("return {"))), 1);
    let escape = gateway.post("/api/hooks", with("script", json!("}); (function(){")));
    let fault = escape.expect_code(400, "VALIDATION_ERROR");
    assert!(fault.message.starts_with("Invalid hook script: "), "{}", fault.message);
    let kept = create(&gateway, with("script", json!("const x = await sleep(1);\nreturn {continue: !x}")));
    let at = refused(&patch(&gateway, &kept["id"], &json!({"script": "return return"})), 1);
    assert!(at.is_u64(), "{at}");
    assert_eq!(list(&gateway), [kept]);

    let validate = |script: &str| {
        let reply = gateway.post("/api/hooks/validate", json!({"script": script}));
        reply.expect_status(200);
        reply.body
    };
    assert_eq!(validate("await sleep(1); return"), json!({"valid": true}));
    let wrong = validate("const a = 1;\nreturn (");
    assert_eq!((&wrong["valid"], &wrong["line"]), (&json!(false), &json!(2)), "{wrong}");
    assert!(!text(&wrong["error"]).is_empty());
    assert_eq!(validate(&" ".repeat(MIB + 1))["valid"], false);
    let fault = gateway.post("/api/hooks/validate", json!({})).expect_code(400, "VALIDATION_ERROR");
    assert_eq!((fault.message.as_str(), fault.details), ("script is required", json!({"field": "script"})));
    gateway.post("/api/hooks/validate", json!({"script": 1})).expect_code(400, "VALIDATION_ERROR");
}

#[test]
fn a_script_may_have_one_mebibyte_and_no_byte_more() {
    let gateway = TestGateway::start();
    let sized = |bytes: usize| format!("return; /*{}*/", "\u{1}".repeat(bytes - 12));
    let big = create(&gateway, with("script", json!(sized(MIB))));
    assert_eq!(text(&big["script"]).len(), MIB);
    let reply = gateway.post("/api/hooks", with("script", json!(sized(MIB + 1))));
    let details = json!({"field": "script"});
    reply.expect_fault(400, "VALIDATION_ERROR", "script exceeds maximum size (1048576 bytes)", details);
    patch(&gateway, &big["id"], &json!({"script": sized(MIB + 1)})).expect_status(400);
    let fault = gateway
        .post("/api/hooks", with("script", json!("x".repeat(9 * MIB))))
        .expect_code(400, "VALIDATION_ERROR");
    assert_eq!(fault.details["field"], "body");
    let gateway = gateway.reopen();
    assert_eq!(list(&gateway)[0]["script"], big["script"]);
}

#[test]
fn a_change_names_what_changes_and_time_goes_forward() {
    let gateway = TestGateway::start();
    let before = create(&gateway, with("description", json!("d")));
    let id = &before["id"];
    let mut last = before.clone();
    for body in [
        json!({"enabled": false}),
        json!({"name": "renamed"}),
        json!({"hookType": "both", "onError": "stop"}),
        json!({"script": "return {}"}),
        json!({"executionOrder": 4.5}),
        json!({"description": null}),
    ] {
        let reply = patch(&gateway, id, &body);
        reply.expect_status(200);
        let mut expected = definition(&last);
        for (field, value) in body.as_object().expect("an object") {
            expected[field] = value.clone();
        }
        expected["version"] = json!(last["version"].as_u64().expect("a version") + 1);
        expected["updatedAt"] = reply.body["updatedAt"].clone();
        if expected["description"].is_null() {
            expected.as_object_mut().expect("an object").remove("description");
        }
        assert_eq!(definition(&reply.body), expected, "{body}");
        assert!(reply.body["updatedAt"].as_i64() > last["updatedAt"].as_i64(), "{body}");
        last = reply.body;
    }
    assert_eq!(patch(&gateway, id, &json!({})).expect_status(200).body, last);
    assert_eq!(patch(&gateway, id, &json!({"id": "other", "createdAt": 0})).body, last);
    for wrong in [
        json!({"name": ""}),
        json!({"name": null}),
        json!({"hookType": "x"}),
        json!({"enabled": null}),
        json!(7),
    ] {
        patch(&gateway, id, &wrong).expect_code(400, "VALIDATION_ERROR");
    }
    assert_eq!(list(&gateway), [last.clone()]);
    assert_eq!(definition(&list(&gateway.reopen())[0]), definition(&last));
}

#[test]
fn a_change_that_is_meant_for_an_older_version_is_refused() {
    let gateway = TestGateway::start();
    let made = create(&gateway, hook("a"));
    let path = format!("/api/hooks/{}", text(&made["id"]));
    let shown = gateway.get(&path);
    assert_eq!(shown.header("etag"), "\"1\"");
    let send = |method: &str, tag: &str, body: Value| {
        let request = Request::new(method, &path).header("If-Match", tag);
        gateway.http().send(&request.body("application/json", body.to_string()))
    };
    let first = send("PATCH", "\"1\"", json!({"script": "return {}"}));
    assert_eq!((first.expect_status(200).header("etag"), &first.body["version"]), ("\"2\"", &json!(2)));
    for (method, body) in
        [("PATCH", json!({"script": "return"})), ("PATCH", json!({})), ("DELETE", json!({}))]
    {
        let fault = send(method, "\"1\"", body).expect_code(409, "CONFLICT");
        assert_eq!(fault.details, json!({"version": 2}), "{method}");
    }
    send("PATCH", "yesterday", json!({})).expect_code(400, "VALIDATION_ERROR");
    assert_eq!(gateway.get(&path).body["script"], "return {}", "the first change stands");
    send("PATCH", "*", json!({"enabled": false})).expect_status(200);
    send("DELETE", "W/\"3\"", json!({})).expect_status(204);
}

#[test]
fn a_name_must_be_free() {
    let gateway = TestGateway::start();
    create(&gateway, hook("a"));
    let other = create(&gateway, hook("b"));
    let details = json!({"field": "name", "name": "a"});
    gateway.post("/api/hooks", hook("a")).expect_fault(409, "CONFLICT", "Hook name 'a' is taken", details);
    patch(&gateway, &other["id"], &json!({"name": "a"})).expect_code(409, "CONFLICT");
    patch(&gateway, &other["id"], &json!({"name": "b", "enabled": false})).expect_status(200);
    create(&gateway, hook("A"));
    assert_eq!(names(&list(&gateway)), "a b A");
}

#[test]
fn a_deleted_hook_is_gone_and_an_unknown_one_is_not_found() {
    let gateway = TestGateway::start();
    let path = format!("/api/hooks/{}", text(&create(&gateway, hook("a"))["id"]));
    let reply = gateway.delete(&path);
    reply.expect_status(204);
    assert!(reply.bytes.is_empty());
    assert_eq!(list(&gateway), Vec::<Value>::new());
    for path in [path.as_str(), "/api/hooks/nobody", "/api/hooks/%E9%8D%B5"] {
        gateway.delete(path).expect_code(404, "NOT_FOUND");
        gateway.get(path).expect_code(404, "NOT_FOUND");
        gateway.post(&format!("{path}/reset"), json!({})).expect_code(404, "NOT_FOUND");
        let change = Request::new("PATCH", path).body("application/json", r#"{"enabled":true}"#);
        gateway.http().send(&change).expect_code(404, "NOT_FOUND");
    }
    create(&gateway, hook("a"));
    assert_eq!(names(&list(&gateway.reopen())), "a");
}

#[test]
fn a_store_in_memory_forgets_hooks() {
    let gateway =
        TestGateway::builder().server("test-server", |s| s).setting("store: { url: \"memory:\" }").start();
    create(&gateway, hook("a"));
    assert_eq!(names(&list(&gateway)), "a");
    assert_eq!(list(&gateway.reopen()), Vec::<Value>::new());
}
