//! Validation of `input`: type, forbidden keys, size, depth (spec 1.5; examples 10 to 14).

use serde_json::json;
use testkit::{Guarded, JSON, TestGateway, body, nested, sized};

#[test]
fn the_input_must_be_an_object() {
    let gateway = Guarded::start();
    let details = json!({"field": "input"});
    for input in ["123", "[1,2,3]", "null", r#""text""#, "true", "1.5", "[]", "[{}]"] {
        gateway.refuses_input(input, "input must be a JSON object", details.clone());
    }
    let absent = r#"{"server":"test-server","toolName":"echo"}"#;
    gateway.refuses(absent, "input must be a JSON object", details);
}

#[test]
fn forbidden_keys_are_found_at_any_depth_and_however_they_are_written() {
    let gateway = Guarded::start();
    let refuses = |input: &str, key: &str| {
        let message = format!("input contains forbidden key: {key}");
        gateway.refuses_input(input, &message, json!({"field": "input", "key": key}));
    };
    refuses(r#"{"user":{"profile":{"__proto__":{"role":"admin"}}}}"#, "__proto__");
    for key in ["__proto__", "constructor", "prototype"] {
        refuses(&format!(r#"{{"{key}":1}}"#), key);
        refuses(&format!(r#"{{"a":1,"b":{{"c":[1,[{{"d":[{{"{key}":null}}]}}]]}}}}"#), key);
        refuses(&format!(r#"{{"a":1,"{key}":1,"a":2}}"#), key);
    }
    refuses(r#"{"__pr\u006fto__":1}"#, "__proto__");
    refuses(r#"{"a":[{"\u0063onstructor":1}]}"#, "constructor");
}

#[test]
fn only_the_exact_keys_are_forbidden() {
    let gateway = TestGateway::start();
    let input = json!({
        "Constructor": 1, "__proto": 2, "prototypes": 3, "a": "__proto__", "b": ["constructor", "prototype"],
        "proto": {"__PROTO__": 1, " constructor": 2},
    });
    assert_eq!(gateway.call("test-server", "echo", input.clone()).result(), &input);
}

#[test]
fn the_input_has_a_size_that_is_taken_after_writing_it_again() {
    let gateway = TestGateway::start();
    let plain = |bytes| sized(bytes, "x", "x");
    let accented = |bytes| sized(bytes, "é", "é");
    let escaped = |bytes| sized(bytes, "\\u0041", "A");
    let escaped_accent = |bytes| sized(bytes, "\\u00e9", "é");
    let surrogates = |bytes| sized(bytes, "\\ud83d\\ude00", "😀");
    let slashes = |bytes| sized(bytes, "\\/", "/");
    let newlines = |bytes| sized(bytes, "\\n", "\\n");
    let spaced = |bytes| plain(bytes).replace(r#"{"t":"#, &format!("{{ {} \"t\" :\n", " ".repeat(200_000)));
    let forms: [&dyn Fn(usize) -> String; 8] =
        [&plain, &accented, &escaped, &escaped_accent, &surrogates, &slashes, &newlines, &spaced];
    for (n, form) in forms.iter().enumerate() {
        let exact = gateway.post_raw("/mcp/call", JSON, body(&form(102_400)));
        assert_eq!(exact.status, 200, "form {n}: {}", exact.text());
        assert_eq!(exact.result().to_string().len(), 102_400, "form {n}");
        gateway.post_raw("/mcp/call", JSON, body(&form(102_401))).expect_fault(
            400,
            "VALIDATION_ERROR",
            "input exceeds maximum size (102400 bytes)",
            json!({"field": "input", "size": 102_401, "max": 102_400}),
        );
    }
}

#[test]
fn the_input_has_a_depth_of_objects_and_arrays_together() {
    let gateway = TestGateway::start();
    let deep = |input: &str| gateway.post_raw("/mcp/call", JSON, body(input));
    let lists = |levels: usize| format!(r#"{{"a":{}1{}}}"#, "[".repeat(levels - 1), "]".repeat(levels - 1));
    let mixed = |levels: usize| format!(r#"{{"b":1,"a":[{}]}}"#, nested(levels - 2));
    for exact in [nested(10), lists(10), mixed(10)] {
        deep(&exact).expect_status(200);
    }
    for over in [nested(11), lists(11), mixed(11), nested(200), format!(r#"{{"z":[],"y":{}}}"#, nested(10))] {
        deep(&over).expect_fault(
            400,
            "VALIDATION_ERROR",
            "input nesting exceeds maximum depth (10)",
            json!({"field": "input", "max": 10}),
        );
    }
    deep(&format!(r#"{{"a":{}{}}}"#, "[".repeat(9), "]".repeat(9))).expect_status(200);
    deep(&format!(r#"{{"a":{}{}}}"#, "[".repeat(10), "]".repeat(10))).expect_status(400);
    deep(&nested(50_000)).expect_code(400, "VALIDATION_ERROR");
    deep(&lists(500_000)).expect_code(400, "VALIDATION_ERROR");
    deep("{}").expect_status(200);
}
