//! The protocol as a table: what goes in, what comes out.

use super::*;

fn ask(method: &str, params: &Value) -> Value {
    let line = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string();
    let answer: Value = serde_json::from_str(&answer(&line).expect("an answer")).expect("JSON");
    assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(7)));
    answer
}

fn modern_params(mut params: Value) -> Value {
    params["_meta"] = json!({VERSION_KEY: MODERN, CAPABILITIES_KEY: {}});
    params
}

/// Expects an error of this code with this id.
fn check_error(line: &str, code: i64, id: &Value) {
    let answer: Value = serde_json::from_str(&answer(line).expect("an answer")).expect("JSON");
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), id), "{line}");
    assert!(answer["error"]["message"].is_string() && answer.get("result").is_none());
}

#[test]
fn a_line_that_is_no_good_request_gets_the_error_of_the_standard() {
    let none = Value::Null;
    check_error("{", PARSE, &none);
    check_error("\u{FFFD}", PARSE, &none);
    check_error("[]", REQUEST, &none);
    check_error("1", REQUEST, &none);
    check_error(r#"{"id":1,"method":"ping"}"#, REQUEST, &json!(1));
    check_error(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, REQUEST, &json!(1));
    check_error(r#"{"jsonrpc":"2.0","id":1}"#, REQUEST, &json!(1));
    check_error(r#"{"jsonrpc":"2.0","id":1,"method":5}"#, REQUEST, &json!(1));
    check_error(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, REQUEST, &none);
    check_error(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, REQUEST, &none);
    check_error(r#"{"jsonrpc":"2.0","id":"a","method":"tasks/list"}"#, METHOD, &json!("a"));
    check_error(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#, PARAMS, &json!(1));
    check_error(
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}"#,
        PARAMS,
        &json!(1),
    );
    check_error(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#, PARAMS, &json!(1));
    check_error(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}"#, PARAMS, &json!(1));
    check_error(
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"calculate-bmi","arguments":[]}}"#,
        PARAMS,
        &json!(1),
    );
    check_error(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#, PARAMS, &json!(1));
}

#[test]
fn what_wants_no_answer_gets_none() {
    for line in [
        "",
        " \r\n",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#,
        r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#,
    ] {
        assert_eq!(answer(line), None, "{line}");
    }
}

#[test]
fn a_batch_is_answered_together() {
    let line = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},
                   {"jsonrpc":"2.0","id":"b","method":"x"}]"#;
    let answer: Value = serde_json::from_str(&answer(line).expect("an answer")).expect("JSON");
    assert_eq!(answer[0], json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    assert_eq!((&answer[1]["id"], &answer[1]["error"]["code"]), (&json!("b"), &json!(METHOD)));
    assert_eq!(answer.as_array().map(Vec::len), Some(2));
}

#[test]
fn initialize_agrees_on_a_revision() {
    for (requested, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let params = json!({"protocolVersion": requested, "capabilities": {}, "clientInfo": {}});
        let result = ask("initialize", &params)["result"].take();
        assert_eq!(result["protocolVersion"], agreed);
        assert_eq!(result["capabilities"], json!({"tools": {}, "resources": {}, "prompts": {}}));
        assert_eq!(result["serverInfo"]["name"], "lockgate-demo");
        assert!(result.get("resultType").is_none());
    }
}

#[test]
fn tools_are_listed_and_called_in_both_eras() {
    let arguments = json!({"weight_kg": 70, "height_m": 1.75});
    let call = json!({"name": "calculate-bmi", "arguments": arguments});
    let legacy = ask("tools/call", &call)["result"].take();
    assert_eq!(legacy["structuredContent"], json!({"result": 22.857_142_857_142_858}));
    assert!(legacy.get("resultType").is_none() && legacy.get("_meta").is_none());
    let modern = ask("tools/call", &modern_params(call))["result"].take();
    assert_eq!(modern["structuredContent"], legacy["structuredContent"]);
    assert_eq!(modern["resultType"], "complete");
    assert_eq!(modern["_meta"][SERVER_KEY]["name"], "lockgate-demo");

    let legacy = ask("tools/list", &json!({}))["result"].take();
    assert_eq!(legacy, json!({"tools": tools::list()}));
    let modern = ask("tools/list", &modern_params(json!({})))["result"].take();
    assert_eq!(modern["tools"], legacy["tools"]);
    assert_eq!((&modern["ttlMs"], &modern["cacheScope"]), (&json!(3_600_000), &json!("public")));
    assert_eq!(modern["resultType"], "complete");
}

#[test]
fn resources_and_prompts_are_there_in_both_eras() {
    for (method, params, member) in [
        ("resources/list", json!({}), "resources"),
        ("resources/templates/list", json!({}), "resourceTemplates"),
        ("resources/read", json!({"uri": "demo://bmi-categories"}), "contents"),
        ("prompts/list", json!({}), "prompts"),
        ("prompts/get", json!({"name": "weather-report"}), "messages"),
    ] {
        let legacy = ask(method, &params)["result"].take();
        assert_eq!(legacy[member].as_array().map(Vec::len), Some(1), "{method}: {legacy}");
        let modern = ask(method, &modern_params(params))["result"].take();
        assert_eq!((&modern[member], &modern["resultType"]), (&legacy[member], &json!("complete")));
        assert_eq!(modern.get("ttlMs").is_some(), method != "prompts/get", "{method}");
    }
    assert_eq!(ask("resources/read", &json!({"uri": "demo://x"}))["error"]["code"], PARAMS);
    assert_eq!(ask("prompts/get", &json!({"name": "x"}))["error"]["code"], PARAMS);
}

#[test]
fn a_modern_client_discovers_the_server() {
    let result = ask("server/discover", &modern_params(json!({})))["result"].take();
    assert_eq!(result["supportedVersions"], json!([MODERN]));
    assert_eq!(result["capabilities"], json!({"tools": {}, "resources": {}, "prompts": {}}));
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["cacheScope"], "public");
    assert!(result["ttlMs"].is_u64() && result["instructions"].is_string());
}

#[test]
fn a_modern_request_must_say_what_it_speaks() {
    let check = |method: &str, meta: Value, code: i64| {
        let error = ask(method, &json!({"_meta": meta}))["error"].take();
        assert_eq!(error["code"], code, "{method} {meta}");
        error
    };
    check("server/discover", json!({}), PARAMS);
    check("tools/list", json!({VERSION_KEY: MODERN}), PARAMS);
    check("tools/list", json!({CAPABILITIES_KEY: {}}), PARAMS);
    check("tools/list", json!({CLIENT_KEY: {}}), PARAMS);
    check("tools/list", json!({VERSION_KEY: 1, CAPABILITIES_KEY: {}}), PARAMS);
    check("tools/list", json!({VERSION_KEY: MODERN, CAPABILITIES_KEY: 1}), PARAMS);
    let error = check(
        "server/discover",
        json!({VERSION_KEY: "2027-01-01", CAPABILITIES_KEY: {}}),
        UNSUPPORTED_VERSION,
    );
    assert_eq!(error["data"], json!({"supported": [MODERN], "requested": "2027-01-01"}));
    check("ping", json!({VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}), METHOD);
    assert!(ask("tools/list", &json!({"_meta": {"progressToken": 1}}))["result"]["tools"].is_array());
}
