//! Tests of the rules for activities, steps and procedures.

use super::*;
use crate::session::{Activity, Procedure};
use serde_json::json;

fn with(base: Value, extra: &Value) -> Value {
    let mut body = base;
    body.as_object_mut().expect("a map").extend(extra.as_object().expect("a map").clone());
    body
}

fn activity(extra: &Value, expected: &str) {
    let body = with(json!({"name": "a", "run": {"script": "return {}"}}), extra);
    for path in ["", "activities[3]"] {
        let found = Activity::parse(&body, path).map_or_else(|error| error.message, |_| "ok".into());
        let prefix = if path.is_empty() || expected == "ok" { String::new() } else { format!("{path}.") };
        assert_eq!(found, format!("{prefix}{expected}"), "{body}");
    }
}

fn run(run: &Value, expected: &str) {
    activity(&json!({"run": run}), expected);
}

fn one(value: &Value, expected: &str) {
    let found = step(value, "steps[0]").map_or_else(|error| error.message, |_| "ok".into());
    let prefix = if expected == "ok" { "" } else { "steps[0]" };
    assert_eq!(found, format!("{prefix}{expected}"), "{value}");
}

fn procedure(extra: &Value, expected: &str) {
    let body = with(json!({"name": "w", "steps": [{"activity": "a"}]}), extra);
    let found = Procedure::parse(&body, "").map_or_else(|error| error.message, |_| "ok".into());
    assert_eq!(found, expected, "{body}");
}

#[test]
fn an_activity_is_refused_at_the_field_that_breaks_a_rule() {
    let characters = "contains invalid characters (use a-z, A-Z, 0-9, - and _)";
    activity(&json!({}), "ok");
    activity(&json!({"description": null, "timeout": null, "retry": null, "onUnknown": null}), "ok");
    activity(&json!({"name": null}), "name is required");
    activity(&json!({"name": ""}), "name is required");
    activity(&json!({"name": 7}), "name must be a string");
    activity(&json!({"name": "a.b"}), &format!("name {characters}"));
    activity(&json!({"name": "a".repeat(100)}), "ok");
    activity(&json!({"name": "a".repeat(101)}), "name exceeds maximum length (100 characters)");
    activity(&json!({"description": 7}), "description must be a string");
    for schema in [json!(true), json!({}), json!({"type": "object"})] {
        activity(&json!({"inputSchema": schema, "outputSchema": schema}), "ok");
    }
    let schema = "must be a JSON Schema: an object, true or false";
    activity(&json!({"inputSchema": []}), &format!("inputSchema {schema}"));
    activity(&json!({"outputSchema": "object"}), &format!("outputSchema {schema}"));
    let large = json!({"title": "x".repeat(SCHEMA_MAX)});
    activity(&json!({"inputSchema": large}), "inputSchema exceeds maximum size (65536 bytes)");
    for wrong in [json!(0), json!(-1), json!("5"), json!(1.5)] {
        let rule = "must be an integer between 1 and 31536000000";
        activity(&json!({"timeout": wrong}), &format!("timeout {rule}"));
    }
    activity(&json!({"publish": "yes"}), "publish must be true or false");
    activity(&json!({"onUnknown": "retry"}), "ok");
    activity(&json!({"onUnknown": "stop"}), "onUnknown must be one of retry, ask, fail");
    activity(&json!({"onSuccess": ""}), "onSuccess must not be empty; leave it out instead");
    activity(&json!({"onFailure": 7}), "onFailure must be a string");
    let long = "x".repeat(SCRIPT_MAX + 1);
    activity(&json!({"onComplete": long}), "onComplete exceeds maximum size (1048576 bytes)");
    activity(&json!({"on_success": "x"}), "on_success is not a known field (did you mean 'onSuccess'?)");
    activity(&json!({"inputSchem": {}}), "inputSchem is not a known field (did you mean 'inputSchema'?)");
    let error = Activity::parse(&json!([]), "").expect_err("a list");
    assert_eq!((error.field.as_str(), error.message.as_str()), ("body", "body must be an object"));
    let error = Activity::parse(&json!({"name": "a", "zzz\n": 1}), "").expect_err("a field");
    assert!(error.message.starts_with("zzz\\n is not a known field; known are name, "), "{error}");
}

#[test]
fn an_activity_is_tried_at_least_once() {
    activity(&json!({"retry": {"maxAttempts": 1}}), "ok");
    activity(&json!({"retry": {"maxAttempts": 100, "backoffMs": 0, "hooksPerAttempt": true}}), "ok");
    activity(&json!({"retry": {}}), "retry.maxAttempts is required");
    for wrong in [json!(0), json!(101), json!("2")] {
        let rule = "retry.maxAttempts must be an integer between 1 and 100";
        activity(&json!({"retry": {"maxAttempts": wrong}}), rule);
    }
    activity(&json!({"retry": 3}), "retry must be an object");
    activity(
        &json!({"retry": {"maxAttempts": 1, "backoff": 5}}),
        "retry.backoff is not a known field (did you mean 'backoffMs'?)",
    );
}

#[test]
fn an_activity_has_exactly_one_kind_of_run() {
    let rule = "run must have exactly one of script, tool, http, workflow; it has";
    run(&Value::Null, "run is required");
    run(&json!("return {}"), "run must be an object");
    run(&json!({}), &format!("{rule} none"));
    run(&json!({"script": null}), &format!("{rule} none"));
    run(&json!({"script": "x", "workflow": {"name": "w"}}), &format!("{rule} script and workflow"));
    run(&json!({"scripts": "x"}), "run.scripts is not a known field (did you mean 'script'?)");
    run(&json!({"script": " "}), "run.script must not be empty; leave it out instead");
    run(&json!({"tool": {"server": "s", "name": "t.x/y"}}), "ok");
    run(&json!({"tool": {"server": "s"}}), "run.tool.name is required");
    run(&json!({"tool": {"name": "t"}}), "run.tool.server is required");
    run(
        &json!({"tool": {"server": "s", "name": "a\nb"}}),
        "run.tool.name must not contain line breaks or control characters",
    );
    run(&json!({"tool": "t"}), "run.tool must be an object");
    run(&json!({"workflow": {"name": "w"}}), "ok");
    run(
        &json!({"workflow": {"name": "w".repeat(92)}}),
        "run.workflow.name exceeds maximum length (91 characters)",
    );
}

#[test]
fn a_request_has_an_address_and_headers_that_can_be_sent() {
    let http = |extra: Value, expected: &str| {
        run(&json!({"http": with(json!({"url": "https://h/{{input.id}}"}), &extra)}), expected);
    };
    http(json!({}), "ok");
    http(json!({"method": "post", "headers": {"Accept": "a", "X-N": 5}, "body": [1]}), "ok");
    http(json!({"method": "HEAD"}), "run.http.method must be one of GET, POST, PUT, PATCH, DELETE");
    http(json!({"url": null}), "run.http.url is required");
    http(json!({"url": "ftp://h"}), "run.http.url must begin with https:// or http://");
    http(json!({"url": "{{memory.link}}"}), "run.http.url must begin with https:// or http://");
    http(json!({"url": "https://h/\n"}), "run.http.url must not contain line breaks or control characters");
    http(json!({"headers": {"a b": "x"}}), "run.http.headers.a b contains invalid characters");
    http(json!({"headers": {"Host": "x"}}), "run.http.headers.Host is set by the gateway itself");
    http(json!({"headers": {"A": "x", "a": "y"}}), "run.http.headers.a is named twice");
    http(json!({"headers": {"A": {}}}), "run.http.headers.A must be a string");
    http(
        json!({"headers": {"A": "x\r\nB: y"}}),
        "run.http.headers.A must not contain line breaks or control characters",
    );
    http(json!({"header": {}}), "run.http.header is not a known field (did you mean 'headers'?)");
}

#[test]
fn a_step_is_refused_at_the_field_that_breaks_a_rule() {
    let step = |extra: Value, expected: &str| one(&with(json!({"activity": "a"}), &extra), expected);
    step(json!({}), "ok");
    step(json!({"input": [1], "optional": true, "condition": "true", "inputMapper": "({})"}), "ok");
    step(json!({"activity": null}), " must have either 'activity' or 'parallel'");
    step(json!({"activity": ""}), ".activity is required");
    step(json!({"optional": 1}), ".optional must be true or false");
    step(json!({"condition": ""}), ".condition must not be empty; leave it out instead");
    step(json!({"inputMapper": {}}), ".inputMapper must be a string");
    step(json!({"input": "x".repeat(SCHEMA_MAX)}), ".input exceeds maximum size (65536 bytes)");
    step(json!({"compensate": "undo", "onUnknown": "ask"}), "ok");
    step(
        json!({"compensate": "a b"}),
        ".compensate contains invalid characters (use a-z, A-Z, 0-9, - and _)",
    );
    step(json!({"onUnknown": true}), ".onUnknown must be one of retry, ask, fail");
    step(json!({"conditon": "x"}), ".conditon is not a known field (did you mean 'condition'?)");
    for approve in
        [json!(true), json!(false), json!({}), json!({"message": "m", "expiresMs": 1, "apiOnly": true})]
    {
        step(json!({"approve": approve}), "ok");
    }
    step(
        json!({"approve": "yes"}),
        ".approve must be true, false, or an object with message, expiresMs and apiOnly",
    );
    step(
        json!({"approve": {"expiresMs": 0}}),
        ".approve.expiresMs must be an integer between 1 and 31536000000",
    );
    step(
        json!({"waitFor": {"event": "paid", "filter": "true", "timeoutMs": 1, "onTimeout": "continue"}}),
        "ok",
    );
    step(json!({"waitFor": "paid"}), ".waitFor must be an object");
    step(json!({"waitFor": {}}), ".waitFor.event is required");
    step(
        json!({"waitFor": {"event": "e", "onTimeout": "stop"}}),
        ".waitFor.onTimeout must be one of fail, continue",
    );
}

#[test]
fn branches_come_in_two_forms() {
    let branches =
        |branches: Value, expected: &str| one(&json!({"activity": "a", "branches": branches}), expected);
    branches(
        json!({"valid:false": {"toolName": "t", "parameters": {"a": 1}}, "no colon": {"toolName": "t"}}),
        "ok",
    );
    branches(json!({"a:b": {}}), ".branches.'a:b'.toolName is required");
    branches(json!({"a:b": "t"}), ".branches.'a:b' must be an object");
    branches(
        json!({"a:b": {"toolName": "t", "parameters": 1}}),
        ".branches.'a:b'.parameters must be an object",
    );
    branches(
        json!({"a:b": {"tool": "t"}}),
        ".branches.'a:b'.tool is not a known field; known are toolName, parameters",
    );
    branches(json!([{"when": "true", "call": "t", "with": {}, "description": "d"}]), "ok");
    branches(json!([{"call": "t"}]), ".branches[0].when is required");
    branches(json!([{"when": "true"}]), ".branches[0].call is required");
    branches(json!([{"when": "true", "call": "t", "with": []}]), ".branches[0].with must be an object");
    branches(json!("t"), ".branches must be a map of patterns, or a list of {when, call}");
}

#[test]
fn a_group_has_different_members_and_no_group_inside() {
    let group = |members: Value, expected: &str| one(&json!({"parallel": members}), expected);
    group(json!([{"activity": "a"}, {"activity": "b", "optional": true, "compensate": "c"}]), "ok");
    group(json!({}), ".parallel must be a list of steps");
    group(json!([]), ".parallel must have at least one step");
    group(json!([{"activity": "a"}]), "ok");
    let members: Vec<Value> = (0..101).map(|i| json!({"activity": format!("a{i}")})).collect();
    group(json!(members), ".parallel has too many steps (at most 100)");
    group(
        json!([{"activity": "a"}, {"activity": "a"}]),
        ".parallel[1].activity is that of another member; every member has its own activity",
    );
    group(
        json!([{"activity": "a"}, {"parallel": []}]),
        ".parallel[1].parallel stands inside another group; a group has no groups in it",
    );
    group(
        json!([{"activity": "a"}, {"activity": "b", "approve": true}]),
        ".parallel[1].approve does not belong to a member of a group; put it on the group",
    );
    group(json!([{"activity": "a"}, {}]), ".parallel[1] must have either 'activity' or 'parallel'");
    let whole = |extra: Value, expected: &str| {
        one(&with(json!({"parallel": [{"activity": "a"}, {"activity": "b"}]}), &extra), expected);
    };
    whole(
        json!({"input": {}, "condition": "true", "optional": true, "approve": true, "waitFor": {"event": "e"}}),
        "ok",
    );
    whole(json!({"activity": "c"}), " has both 'activity' and 'parallel'; remove one");
    whole(json!({"inputMapper": "x"}), ".inputMapper does not belong to a group; put it on a member");
}

#[test]
fn a_procedure_is_refused_at_the_field_that_breaks_a_rule() {
    procedure(&json!({}), "ok");
    procedure(&json!({"steps": []}), "Workflow must have at least one step");
    procedure(&json!({"steps": null}), "Workflow must have at least one step");
    procedure(&json!({"steps": "a"}), "steps must be a list of steps");
    procedure(&json!({"steps": ["a"]}), "steps[0] must be an object");
    procedure(&json!({"steps": vec![json!({"activity": "a"}); 1000]}), "ok");
    procedure(
        &json!({"steps": vec![json!({"activity": "a"}); 1001]}),
        "steps has too many steps (at most 1000)",
    );
    procedure(&json!({"name": "n".repeat(91)}), "ok");
    procedure(&json!({"name": "n".repeat(92)}), "name exceeds maximum length (91 characters)");
    procedure(&json!({"timeout": 0}), "timeout must be an integer between 1 and 31536000000");
    procedure(&json!({"timeoutScope": "wall", "tools": {"expose": [], "titles": {"start": "Begin"}}}), "ok");
    procedure(&json!({"timeoutScope": "Wall"}), "timeoutScope must be one of wall, active");
    procedure(&json!({"tools": []}), "tools must be an object");
    procedure(
        &json!({"tools": {"expose": "start"}}),
        "tools.expose must be a list of start, continue, status, pause, cancel",
    );
    procedure(
        &json!({"tools": {"titles": {"begin": "x"}}}),
        "tools.titles.begin is not a known field; known are start, continue, status, pause, cancel",
    );
    procedure(&json!({"tools": {"titles": {"start": ""}}}), "tools.titles.start must not be empty");
    procedure(&json!({"onComplete": ""}), "onComplete must not be empty; leave it out instead");
    procedure(&json!({"step": []}), "step is not a known field (did you mean 'steps'?)");
}

#[test]
fn what_is_read_is_what_is_written() {
    let text = json!({
        "name": "w", "description": "d", "timeout": 5, "timeoutScope": "active",
        "tools": {"expose": ["status"], "titles": {"start": "Begin"}},
        "steps": [
            {"activity": "a", "input": {"n": 1}, "optional": true, "condition": "c", "inputMapper": "m",
             "branches": {"x:1": {"toolName": "t"}}, "approve": {"message": "m"}, "compensate": "u", "onUnknown": "ask"},
            {"parallel": [{"activity": "a"}, {"activity": "b"}], "approve": true,
             "waitFor": {"event": "e", "filter": "f", "timeoutMs": 9, "onTimeout": "continue"}},
        ],
        "onSuccess": "1", "onFailure": "2", "onComplete": "3",
    });
    let procedure = Procedure::parse(&text, "").expect("sound");
    assert_eq!(serde_json::to_value(&procedure).expect("JSON"), text);
    assert_eq!(serde_json::from_value::<Procedure>(text).expect("reads"), procedure);
    let text = json!({
        "name": "a", "description": "d", "inputSchema": true, "outputSchema": {}, "timeout": 1,
        "retry": {"maxAttempts": 2, "backoffMs": 3, "hooksPerAttempt": false}, "publish": true,
        "run": {"http": {"method": "PUT", "url": "http://h", "headers": {"A": "b"}, "body": {"x": 1}}},
        "onSuccess": "1", "onFailure": "2", "onComplete": "3", "onUnknown": "fail",
    });
    let activity = Activity::parse(&text, "").expect("sound");
    assert_eq!(serde_json::to_value(&activity).expect("JSON"), text);
    assert_eq!(serde_json::from_value::<Activity>(text).expect("reads"), activity);
}
