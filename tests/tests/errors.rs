//! The error table: codes, statuses, messages, details (spec 1.3, 1.6, 1.7; examples 16 to 20).

use serde_json::{Value, json};
use std::io::{Read, Write};
use testkit::{Request, TestGateway, whose};

fn with(mut details: Value, more: &Value) -> Value {
    for (key, value) in more.as_object().expect("an object") {
        details[key] = value.clone();
    }
    details
}

#[test]
fn an_unknown_server_or_tool_is_not_found_and_nothing_is_sent() {
    let gateway = TestGateway::start();
    gateway.call("no-server", "echo", json!({})).expect_fault(
        404,
        "SERVER_NOT_FOUND",
        "MCP Server 'no-server' not found",
        json!({"server": "no-server", "serverName": "no-server"}),
    );
    gateway.call("test-server", "non-existent-tool", json!({})).expect_fault(
        404,
        "TOOL_NOT_FOUND",
        "Tool 'non-existent-tool' not found",
        whose("non-existent-tool"),
    );
    gateway.call("Test-Server", "echo", json!({})).expect_code(404, "SERVER_NOT_FOUND");
    gateway.call("test-server", "ECHO", json!({})).expect_code(404, "TOOL_NOT_FOUND");
    assert_eq!(gateway.stats("test-server")["calls"], 1);
}

#[test]
fn a_list_or_a_text_is_no_body_of_members() {
    let gateway = TestGateway::start();
    let client = json!({"mcpServers": {"x": {"command": "x"}}}).to_string();
    for (path, body) in [
        ("/api/session", json!(["x"])),
        ("/api/keys", json!([])),
        ("/api/keys", json!("x")),
        ("/api/servers/import", json!([client])),
        ("/api/servers/import", json!("x")),
        ("/api/hooks/validate", json!(["return 1"])),
    ] {
        let details = json!({"field": "body"});
        let told = "body must be a JSON object";
        gateway.post(path, body).expect_fault(400, "VALIDATION_ERROR", told, details);
    }
    let told = gateway.post("/api/servers/import", json!({})).fault();
    assert_eq!((told.status, told.message.as_str()), (400, "text is required"));
    let told = gateway.post("/api/servers/import", json!({"text": 5})).fault();
    assert_eq!((told.message.as_str(), &told.details["field"]), ("text must be a string", &json!("text")));
    assert_eq!(gateway.health()["servers"].as_object().map(serde_json::Map::len), Some(1));
}

#[test]
fn a_tool_level_error_has_the_first_text_as_its_message() {
    let gateway = TestGateway::start();
    for (tool, input, message) in [
        ("fetch-weather", json!({"city": "InvalidCity"}), "Invalid city."),
        (
            "calculate-bmi",
            json!({"weight_kg": 0, "height_m": 1}),
            "Invalid input: height and weight must be positive values",
        ),
        ("err-empty", json!({}), "Tool execution failed: no error details provided"),
        ("err-image", json!({}), "Tool execution failed: unexpected content type: image"),
        ("err-blank", json!({}), "Tool execution failed: unexpected content type: text"),
    ] {
        let reply = gateway.call("test-server", tool, input);
        let more = match tool {
            "err-image" => json!({"content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]}),
            _ => json!({}),
        };
        reply.expect_fault(500, "TOOL_EXECUTION_ERROR", message, with(whose(tool), &more));
    }
}

#[test]
fn a_tool_level_error_keeps_its_image_and_audio_parts_in_the_details() {
    let gateway = TestGateway::builder().server("test-server", |s| s.env("FX_FIDELITY", "1")).start();
    let image = json!({"type": "image", "data": "AA==", "mimeType": "image/png", "annotations": {"x": 1}});
    let audio = json!({"type": "audio", "data": "BB==", "mimeType": "audio/wav"});
    let link = json!({"type": "resource_link", "uri": "a:b", "name": "n"});
    let said = json!({"type": "text", "text": "see"});
    for (content, message, kept) in [
        (json!([image, link, said, audio]), "see", json!([image, audio])),
        (json!([audio]), "Tool execution failed: unexpected content type: audio", json!([audio])),
        (json!([said]), "see", json!(null)),
    ] {
        let text = json!({"isError": true, "content": content}).to_string();
        for path in ["/mcp/call", "/mcp/call?raw=true"] {
            let call = json!({"server": "test-server", "toolName": "raw-result", "input": {"text": text}});
            let reply = gateway.post(path, call);
            reply.expect_code(500, "TOOL_EXECUTION_ERROR");
            let fault = reply.fault();
            assert_eq!((fault.message.as_str(), &fault.details["content"]), (message, &kept), "{text}");
        }
    }
}

#[test]
fn a_jsonrpc_error_of_the_server_is_mapped_by_its_code() {
    let gateway = TestGateway::start();
    for (code, message, status, name) in [
        (-32600, "bad request", 400, "VALIDATION_ERROR"),
        (-32602, "bad params", 400, "VALIDATION_ERROR"),
        (-32601, "no such method", 404, "TOOL_NOT_FOUND"),
        (-32602, "Unknown tool: zzz", 404, "TOOL_NOT_FOUND"),
        (-32603, "it broke", 500, "TOOL_EXECUTION_ERROR"),
        (-32000, "server error", 500, "TOOL_EXECUTION_ERROR"),
        (-1, "odd", 500, "TOOL_EXECUTION_ERROR"),
        (0, "zero", 500, "TOOL_EXECUTION_ERROR"),
        (42, "own code", 500, "TOOL_EXECUTION_ERROR"),
    ] {
        let reply = gateway.call("test-server", "rpc", json!({"code": code, "message": message}));
        reply.expect_fault(status, name, message, with(whose("rpc"), &json!({"jsonrpcCode": code})));
    }
}

#[test]
fn a_parse_error_of_the_server_is_internal_and_generic() {
    let gateway = TestGateway::start();
    let reply = gateway.call("test-server", "rpc", json!({"code": -32700, "message": "secret parse text"}));
    let fault = reply.expect_code(500, "INTERNAL_ERROR");
    assert!(!fault.message.contains("secret"), "{}", fault.message);
    assert!(
        fault.details == json!({}) || fault.details == json!({"jsonrpcCode": -32700}),
        "{}",
        fault.details
    );
}

#[test]
fn the_data_of_a_validation_error_joins_the_details() {
    let gateway = TestGateway::start();
    let message = "Invalid params: weight_kg must be positive";
    let call = |data: Value| {
        gateway.call("test-server", "rpc", json!({"code": -32602, "message": message, "data": data}))
    };
    let own = with(whose("rpc"), &json!({"jsonrpcCode": -32602}));
    let data = json!({"field": "weight_kg", "limits": {"min": 0}});
    call(data.clone()).expect_fault(400, "VALIDATION_ERROR", message, with(own.clone(), &data));
    for odd in [json!("text"), json!([1]), json!(null), json!({})] {
        call(odd).expect_fault(400, "VALIDATION_ERROR", message, own.clone());
    }
}

#[test]
fn a_null_result_is_an_execution_error() {
    let gateway = TestGateway::start();
    let reply = gateway.call("test-server", "nil", json!({}));
    reply.expect_fault(500, "TOOL_EXECUTION_ERROR", "", whose("nil"));
    gateway.call("test-server", "plain", json!({})).expect_status(200);
}

#[test]
fn a_result_has_a_size_that_is_met_but_not_exceeded() {
    let gateway = TestGateway::start();
    let around = json!({"content": [{"type": "text", "text": ""}]}).to_string().len();
    let big = |bytes: usize| gateway.call("test-server", "big", json!({"bytes": bytes}));
    let exact = big(1_048_576 - around);
    assert_eq!(exact.result()["content"][0]["text"].as_str().map(str::len), Some(1_048_576 - around));
    for bytes in [1_048_577 - around, 1_048_577, 4_000_000] {
        big(bytes).expect_fault(500, "TOOL_EXECUTION_ERROR", "", whose("big"));
        assert_eq!(gateway.call("test-server", "echo", json!({"a": 1})).result(), &json!({"a": 1}));
    }
    assert_eq!(gateway.status("test-server"), "running");
}

#[test]
fn an_unknown_path_is_not_found_in_the_envelope() {
    let gateway = TestGateway::start();
    for path in ["/nowhere", "/", "/mcp/nothing", "/health/x", "/api", "/api/nothing", "/mcp/call/x"] {
        // The web UI may live at the root; everything else does not exist.
        let reply = gateway.get(path);
        if path == "/" && reply.status == 200 {
            continue;
        }
        reply.expect_code(404, "NOT_FOUND");
    }
    gateway.post("/nowhere", json!({})).expect_code(404, "NOT_FOUND");
    assert_eq!(gateway.stats("test-server")["calls"], 1);
}

#[test]
fn a_wrong_method_is_refused_with_the_allowed_ones() {
    let gateway = TestGateway::start();
    for (method, path, allowed) in [
        ("GET", "/mcp/call", "POST"),
        ("PUT", "/mcp/call", "POST"),
        ("DELETE", "/mcp/call", "POST"),
        ("POST", "/mcp/tools", "GET"),
        ("POST", "/health", "GET"),
        ("DELETE", "/health", "GET"),
        ("PUT", "/api/servers", "GET POST"),
        ("GET", "/api/servers/test-server", "DELETE"),
        ("GET", "/api/servers/test-server/restart", "POST"),
        ("POST", "/api/servers/test-server/logs", "GET"),
        ("GET", "/api/config/reload", "POST"),
        ("POST", "/api/openapi.json", "GET"),
        ("POST", "/metrics", "GET"),
        ("POST", "/", "GET HEAD"),
        ("DELETE", "/index.html", "GET"),
    ] {
        let reply = gateway.http().send(&Request::new(method, path));
        reply.expect_code(405, "METHOD_NOT_ALLOWED");
        let allow: Vec<&str> = reply.header("allow").split(',').map(str::trim).collect();
        for word in allowed.split(' ') {
            assert!(allow.contains(&word), "{method} {path}: Allow is {allow:?}");
        }
        assert!(!allow.contains(&method), "{method} {path}: Allow is {allow:?}");
    }
    assert_eq!(gateway.stats("test-server")["calls"], 1);
}

#[test]
fn messages_of_the_gateway_tell_nothing_of_the_machine() {
    let gateway = TestGateway::builder()
        .server("test-server", |s| s.env("API_KEY", "s3cret-value"))
        .server("gone", |s| s.command("/no/such/place/program-x").required(false))
        .start();
    let folder = gateway.folder().path().to_string_lossy().into_owned();
    let replies = [
        gateway.call("gone", "echo", json!({})),
        gateway.call("none", "echo", json!({})),
        gateway.call("test-server", "none", json!({})),
        gateway.call("test-server", "nil", json!({})),
        gateway.call("test-server", "crash", json!({"code": 3})),
        gateway.call("test-server", "echo", json!({})),
    ];
    for reply in replies {
        let text = reply.text();
        reply.fault();
        for secret in ["/no/such", "program-x", "s3cret-value", "lockgate-fixture", &folder, ".rs:"] {
            assert!(!text.contains(secret), "{secret} is in {text}");
        }
    }
}

#[test]
fn who_sends_a_long_body_first_gets_the_refusal_all_the_same() {
    let gateway = TestGateway::start();
    let body = vec![b'x'; 5 << 20];
    for (line, content_type, status) in [
        ("POST /mcp/call", "text/plain", 400),
        ("POST /mcp", "text/plain", 400),
        ("POST /nowhere", "application/json", 404),
        ("PUT /mcp/call", "application/json", 405),
        ("POST /", "application/json", 405),
    ] {
        let mut stream = gateway.http().connect().expect("the port is open");
        let head = format!(
            "{line} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body)).expect(line);
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect(line);
        assert!(reply.starts_with(&format!("HTTP/1.1 {status} ")), "{line}: {reply}");
    }
}
