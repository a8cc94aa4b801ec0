//! Request validation: content type, body, names, timeout, order and settings (spec 1.5; examples 6 to 9, 15).

use serde_json::{Value, json};
use testkit::{Guarded, JSON, TestGateway, body, nested, sized};

#[test]
fn the_content_type_must_be_json() {
    let gateway = TestGateway::start();
    let body = body(r#"{"a":1}"#);
    for wrong in ["text/plain", "text/json", "application/jsonx", "application/xml", "", "json"] {
        let fault = gateway.post_raw("/mcp/call", wrong, body.as_str()).expect_code(400, "VALIDATION_ERROR");
        assert_eq!(fault.details, json!({"field": "Content-Type"}), "{wrong:?}");
        assert!(fault.message.contains("application/json"), "{}", fault.message);
    }
    assert_eq!(gateway.stats("test-server")["calls"], 1);
    for right in [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "Application/JSON",
        "application/json ; x=y",
    ] {
        let reply = gateway.post_raw("/mcp/call", right, body.as_str());
        assert_eq!(reply.result(), &json!({"a": 1}), "{right:?}");
    }
}

#[test]
fn the_body_has_a_limit_that_is_met_but_not_exceeded() {
    let gateway = TestGateway::start();
    let padded = |size: usize| {
        let head = r#"{"server":"test-server","toolName":"echo","input":{"a":1},"pad":""#;
        format!("{head}{}\"}}", "x".repeat(size - head.len() - 2))
    };
    let exact = gateway.post_raw("/mcp/call", JSON, padded(1_048_576));
    assert_eq!(exact.result(), &json!({"a": 1}));
    for size in [1_048_577, 3_000_000] {
        gateway.post_raw("/mcp/call", JSON, padded(size)).expect_fault(
            400,
            "VALIDATION_ERROR",
            "request body exceeds maximum size (1048576 bytes)",
            json!({"field": "body", "max": 1_048_576}),
        );
    }
    assert_eq!(gateway.stats("test-server")["calls"], 2);
}

#[test]
fn a_body_in_chunks_has_the_same_limit() {
    let gateway = TestGateway::start();
    let chunk = format!("{:x}\r\n{}\r\n", 65_536, " ".repeat(65_536));
    let mut request = String::from(
        "POST /mcp/call HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\
         Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    request.push_str(&chunk.repeat(17));
    request.push_str("0\r\n\r\n");
    let answer = String::from_utf8_lossy(&gateway.raw(request.as_bytes())).into_owned();
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(answer.contains("request body exceeds maximum size (1048576 bytes)"), "{answer}");
}

#[test]
fn the_body_must_be_a_json_object_whose_names_are_strings() {
    let gateway = Guarded::start();
    for wrong in [
        "",
        "{",
        "[]",
        "null",
        "12",
        r#""text""#,
        r#"{"server":"test-server""#,
        r#"{"server":"test-server","toolName":"echo","input":{}} x"#,
        r#"{server:"test-server"}"#,
        r#"{"server":123,"toolName":"echo","input":{}}"#,
        r#"{"server":"test-server","toolName":["echo"],"input":{}}"#,
        "{\"server\":\"test-server\",\"toolName\":\"echo\",\"input\":{\"a\":\"\u{1}\"}}",
    ] {
        let fault = gateway.post(wrong).expect_code(400, "VALIDATION_ERROR");
        assert_eq!(fault.details, json!({"field": "body"}), "{wrong}");
        assert!(!fault.message.is_empty());
    }
    let ignored = b"{\"server\":\"test-server\",\"toolName\":\"echo\",\"input\":{},\"x\":\"\xff\"}";
    for broken in [&b"{\"server\":\"\xff\"}"[..], ignored] {
        let broken = gateway.0.post_raw("/mcp/call", JSON, broken.to_vec());
        assert_eq!(broken.expect_code(400, "VALIDATION_ERROR").details, json!({"field": "body"}));
    }
}

#[test]
fn names_are_required() {
    let gateway = Guarded::start();
    let server = json!({"field": "server"});
    let tool = json!({"field": "toolName"});
    gateway.refuses("{}", "server is required", server.clone());
    gateway.refuses(r#"{"server":"","toolName":"","input":1}"#, "server is required", server.clone());
    gateway.refuses(r#"{"toolName":"echo","input":{}}"#, "server is required", server);
    gateway.refuses(r#"{"server":"test-server"}"#, "toolName is required", tool.clone());
    gateway.refuses(r#"{"server":"test-server","toolName":"","input":{}}"#, "toolName is required", tool);
}

#[test]
fn names_have_a_length_in_characters_that_is_checked_before_the_characters() {
    let gateway = Guarded::start();
    let check = |field: &str, name: &str, message: &str, details: Value| {
        let mut body = json!({"server": "test-server", "toolName": "echo", "input": {}});
        body[field] = name.into();
        gateway.refuses(&body.to_string(), message, details);
    };
    for (field, max) in [("server", 50), ("toolName", 100)] {
        let length = format!("{field} exceeds maximum length ({max} characters)");
        let details = json!({"field": field, "max": max});
        check(field, &"a".repeat(max + 1), &length, details.clone());
        check(field, &"!".repeat(max + 10), &length, details.clone());
        check(field, &"é".repeat(max + 1), &length, details);
        let accented = "é".repeat(max);
        check(
            field,
            &accented,
            &format!("{field} contains invalid characters"),
            json!({"field": field, "value": accented, "pattern": "/^[a-zA-Z0-9-_]+$/"}),
        );
    }
    let longest = json!({"server": "a".repeat(50), "toolName": "b".repeat(100), "input": {}});
    gateway.post(&longest.to_string()).expect_code(404, "SERVER_NOT_FOUND");
    let longest = json!({"server": "test-server", "toolName": "b".repeat(100), "input": {}});
    gateway.post(&longest.to_string()).expect_code(404, "TOOL_NOT_FOUND");
}

#[test]
fn names_have_plain_characters_only() {
    let gateway = Guarded::start();
    for name in [
        "invalid@server",
        "../../etc/passwd",
        "..",
        "a.b",
        "a b",
        " a",
        "a ",
        "a;rm -rf",
        "$(id)",
        "`id`",
        "a|b",
        "a&b",
        "<script>",
        "a\0b",
        "a\nb",
        "a\n",
        "a\tb",
        "日本",
        "a/b",
        "a\\b",
        "a'b",
        "a\"b",
        "%2e",
        "😀",
    ] {
        for field in ["server", "toolName"] {
            let mut body = json!({"server": "test-server", "toolName": "echo", "input": {}});
            body[field] = name.into();
            gateway.refuses(
                &body.to_string(),
                &format!("{field} contains invalid characters"),
                json!({"field": field, "value": name, "pattern": "/^[a-zA-Z0-9-_]+$/"}),
            );
        }
    }
    let plain = json!({"server": "aZ09-_", "toolName": "x", "input": {}});
    gateway.post(&plain.to_string()).expect_code(404, "SERVER_NOT_FOUND");
}

#[test]
fn the_timeout_is_a_positive_integer_up_to_the_maximum() {
    let gateway = TestGateway::start();
    let post = |timeout: &str| {
        let body =
            format!(r#"{{"server":"test-server","toolName":"echo","input":{{}},"timeout":{timeout}}}"#);
        gateway.post_raw("/mcp/call", JSON, body)
    };
    let details = json!({"field": "timeout", "max": 300_000});
    for wrong in ["0", "-1", "1.5", r#""5000""#, "true", "[]", "{}"] {
        let reply = post(wrong);
        reply.expect_fault(400, "VALIDATION_ERROR", "timeout must be a positive integer", details.clone());
    }
    for over in ["300001", "4294967296", "18446744073709551615"] {
        let reply = post(over);
        reply.expect_fault(
            400,
            "VALIDATION_ERROR",
            "timeout exceeds maximum value (300000)",
            details.clone(),
        );
    }
    assert_eq!(gateway.stats("test-server")["calls"], 1);
    for right in ["300000", "5000"] {
        post(right).expect_status(200);
    }
}

#[test]
fn of_two_faults_the_earlier_is_reported() {
    let gateway = Guarded::start();
    let field = |content_type: &str, body: String| {
        let reply = gateway.0.post_raw("/mcp/call", content_type, body);
        let fault = reply.expect_code(400, "VALIDATION_ERROR");
        (fault.details["field"].as_str().unwrap_or_default().to_owned(), fault.message)
    };
    let large = "x".repeat(1_048_577);
    assert_eq!(field("text/plain", large.clone()).0, "Content-Type");
    assert_eq!(field("text/plain", "{".into()).0, "Content-Type");
    assert!(field(JSON, large).1.contains("maximum size (1048576"));
    assert_eq!(field(JSON, r#"{"server":"!","toolName":7}"#.into()).0, "body");
    assert_eq!(field(JSON, r#"{"server":"!","toolName":"","input":1}"#.into()).0, "server");
    assert_eq!(field(JSON, r#"{"server":"a","toolName":"!","input":1}"#.into()).0, "toolName");
    assert_eq!(field(JSON, r#"{"server":"a","toolName":"b","input":1,"timeout":0}"#.into()).0, "input");
    assert_eq!(field(JSON, r#"{"server":"a","toolName":"b","input":{},"timeout":0}"#.into()).0, "timeout");

    let long = "x".repeat(110_000);
    let key = format!(r#"{{"t":"{long}","d":{},"__proto__":1}}"#, nested(12));
    gateway.refuses_input(
        &key,
        "input contains forbidden key: __proto__",
        json!({"field": "input", "key": "__proto__"}),
    );
    let key = format!(r#"{{"d":{}}}"#, nested(12).replace('1', r#"{"constructor":1}"#));
    gateway.refuses_input(
        &key,
        "input contains forbidden key: constructor",
        json!({"field": "input", "key": "constructor"}),
    );
    let size = format!(r#"{{"d":{},"t":"{long}"}}"#, nested(12));
    gateway.refuses_input(
        &size,
        "input exceeds maximum size (102400 bytes)",
        json!({"field": "input", "size": size.len(), "max": 102_400}),
    );
}

#[test]
fn the_limits_can_be_set() {
    let gateway = TestGateway::builder()
        .server("test-server", |s| s)
        .setting("limits: { body: 2000, input: 100, depth: 3 }")
        .start();
    let post = |text: String| gateway.post_raw("/mcp/call", JSON, text);
    post(body(&nested(3))).expect_status(200);
    post(body(&nested(4))).expect_fault(
        400,
        "VALIDATION_ERROR",
        "input nesting exceeds maximum depth (3)",
        json!({"field": "input", "max": 3}),
    );
    post(body(&sized(100, "x", "x"))).expect_status(200);
    post(body(&sized(101, "x", "x"))).expect_fault(
        400,
        "VALIDATION_ERROR",
        "input exceeds maximum size (100 bytes)",
        json!({"field": "input", "size": 101, "max": 100}),
    );
    post(format!("{:2000}", body("{}"))).expect_status(200);
    post(format!("{:2001}", body("{}"))).expect_fault(
        400,
        "VALIDATION_ERROR",
        "request body exceeds maximum size (2000 bytes)",
        json!({"field": "body", "max": 2000}),
    );
}

#[test]
fn validation_can_be_disabled_for_tests_and_says_so() {
    let gateway =
        TestGateway::builder().server("test-server", |s| s).env("DISABLE_VALIDATION", "true").start();
    let post = |input: String| gateway.post_raw("/mcp/call", JSON, body(&input));
    assert_eq!(post(nested(11)).result().to_string(), nested(11));
    assert_eq!(post(r#"{"constructor":1}"#.into()).result(), &json!({"constructor": 1}));
    post(sized(102_401, "x", "x")).expect_status(200);
    let big = gateway.call("test-server", "big", json!({"bytes": 1_048_577}));
    assert_eq!(big.result()["content"][0]["text"].as_str().map(str::len), Some(1_048_577));
    assert_eq!(gateway.health()["validationDisabled"], true);
    let warned = |line: &Value| {
        line["level"].as_str().is_some_and(|level| level.eq_ignore_ascii_case("warn"))
            && line.to_string().to_lowercase().contains("validation")
    };
    assert!(gateway.log().iter().any(warned), "{:#?}", gateway.log_lines());
    assert!(TestGateway::start().health().get("validationDisabled").is_none(), "it is off by default");
}
