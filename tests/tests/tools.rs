//! `GET /mcp/tools`: entries, order, pages, refresh (spec 1.8; example 25).

use serde_json::{Value, json};
use testkit::{Client, Folder, Signal, TestGateway, eventually, send_signal};

const NAMES: [&str; 20] = [
    "calculate-bmi",
    "fetch-weather",
    "echo",
    "plain",
    "parts",
    "sleep",
    "crash",
    "env",
    "argv",
    "big",
    "err-empty",
    "err-image",
    "err-blank",
    "rpc",
    "nil",
    "noise",
    "flood",
    "stats",
    "internal_x",
    "public_y",
];

fn all(server: &str) -> Vec<(String, String)> {
    NAMES.iter().map(|name| (server.to_owned(), (*name).to_owned())).collect()
}

fn has(gateway: &TestGateway, tool: &str) -> bool {
    gateway.tools().iter().any(|(_, name)| name == tool)
}

#[test]
fn a_tool_that_is_listed_twice_is_there_once() {
    let folder = Folder::new();
    let tools =
        r#"{"name":"z","title":"first","inputSchema":{}},{"name":"z","inputSchema":{}},{"name":"echo"}"#;
    let path = folder.write("tools.json", tools);
    for pages in ["1", "3"] {
        let path = path.to_str().expect("UTF-8");
        let gateway = TestGateway::with(|s| s.env("FX_TOOLS", path).env("FX_PAGES", pages));
        let mut expected = all("test-server");
        expected.push(("test-server".to_owned(), "z".to_owned()));
        assert_eq!(gateway.tools(), expected);
        for client in [Client::legacy(gateway.http()), Client::modern(gateway.http())] {
            let list = client.result("tools/list", json!({}));
            let tools = list["tools"].as_array().expect("an array");
            let of = |name: &str| tools.iter().filter(|tool| tool["name"] == name).collect::<Vec<_>>();
            assert_eq!((of("z").len(), of("echo").len(), tools.len()), (1, 1, expected.len()));
            assert_eq!(of("z")[0]["title"], "first");
        }
    }
}

#[test]
fn an_entry_has_exactly_the_documented_fields() {
    let gateway = TestGateway::start();
    let reply = gateway.get("/mcp/tools");
    reply.expect_status(200);
    assert!(reply.header("content-type").starts_with("application/json"));
    assert_eq!(reply.body.as_object().map(serde_json::Map::len), Some(2), "success and tools");
    assert_eq!(reply.body["success"], true);
    let number = json!({"type": "number"});
    let expected = json!({
        "name": "calculate-bmi",
        "description": "Calculates the body mass index",
        "server": "test-server",
        "inputSchema": {
            "type": "object",
            "properties": {"weight_kg": number, "height_m": number},
            "required": ["weight_kg", "height_m"],
        },
        "outputSchema": {"type": "object", "properties": {"result": number}, "required": ["result"]},
        "timeout": 30000,
    });
    assert_eq!(reply.body["tools"][0], expected);
    for tool in reply.body["tools"].as_array().expect("an array").iter().skip(1) {
        assert_eq!(tool.get("outputSchema"), Some(&Value::Null), "{tool}");
        assert!(tool["inputSchema"].is_object() && tool["description"].is_string(), "{tool}");
    }
}

#[test]
fn servers_come_in_config_order_and_tools_in_the_servers_own() {
    let gateway = TestGateway::builder()
        .server("zeta", |s| s.env("FX_START_DELAY", "150"))
        .server("alpha", |s| s)
        .server("mid", |s| s.env("FX_PAGES", "3"))
        .start();
    let expected: Vec<_> = ["zeta", "alpha", "mid"].into_iter().flat_map(all).collect();
    assert_eq!(gateway.tools(), expected);
}

#[test]
fn all_pages_are_read() {
    for pages in ["3", "20"] {
        let gateway = TestGateway::with(|s| s.env("FX_PAGES", pages));
        assert_eq!(gateway.tools(), all("test-server"));
        assert_eq!(gateway.call("test-server", "public_y", json!({})).result(), &json!({"ok": true}));
    }
}

#[test]
fn the_timeout_shown_is_the_servers_or_the_default() {
    let shown = |gateway: &TestGateway| -> Vec<(Value, Value)> {
        let tools = gateway.get("/mcp/tools").body["tools"].as_array().cloned().unwrap_or_default();
        let mut pairs: Vec<_> =
            tools.iter().map(|tool| (tool["server"].clone(), tool["timeout"].clone())).collect();
        pairs.dedup();
        pairs
    };
    let two = || TestGateway::builder().server("slow", |s| s.timeout(60_000)).server("usual", |s| s);
    assert_eq!(shown(&two().start()), [(json!("slow"), json!(60_000)), (json!("usual"), json!(30_000))]);
    let gateway = two().env("DEFAULT_TIMEOUT", "700").start();
    assert_eq!(shown(&gateway), [(json!("slow"), json!(60_000)), (json!("usual"), json!(700))]);
}

#[test]
fn there_is_always_an_array() {
    let gateway = TestGateway::builder()
        .server("gone", |s| s.env("FX_EXIT_AT_START", "1"))
        .setting("startup: { onServerFailure: degrade }")
        .start();
    assert_eq!(gateway.get("/mcp/tools").body, json!({"success": true, "tools": []}));
}

#[test]
fn a_change_of_the_list_is_followed() {
    let gateway = TestGateway::with(|s| s.env("FX_LIST_CHANGED", "1"));
    gateway.call("test-server", "late", json!({})).expect_code(404, "TOOL_NOT_FOUND");
    gateway.call("test-server", "grow", json!({"name": "late"})).expect_status(200);
    eventually("the new tool is listed", || has(&gateway, "late").then_some(()));
    assert_eq!(gateway.call("test-server", "late", json!({})).result(), &json!({"ok": true}));
}

#[test]
fn a_change_of_a_modern_servers_list_is_followed() {
    let gateway = TestGateway::with(|s| s.env("FX_LIST_CHANGED", "1").env("FX_ERA", "modern"));
    gateway.call("test-server", "grow", json!({"name": "late"})).expect_status(200);
    eventually("the new tool is listed", || has(&gateway, "late").then_some(()));
}

#[test]
fn with_refresh_at_startup_a_change_is_seen_only_when_the_server_is_started_anew() {
    let gateway = TestGateway::builder()
        .server("test-server", |s| s.env("FX_LIST_CHANGED", "1"))
        .setting("tools: { refresh: startup }")
        .start();
    gateway.call("test-server", "grow", json!({"name": "late"})).expect_status(200);
    for _ in 0..20 {
        gateway.call("test-server", "plain", json!({})).expect_status(200);
        assert!(!has(&gateway, "late"));
    }
    let calls = gateway.stats("test-server")["calls"].clone();
    gateway.call("test-server", "late", json!({})).expect_code(404, "TOOL_NOT_FOUND");
    let after = gateway.stats("test-server")["calls"].as_u64();
    assert_eq!(after, calls.as_u64().map(|n| n + 1), "nothing was sent");
}

#[test]
fn the_list_is_read_again_when_the_server_is_started_anew() {
    let script = "test -e again && exec env FX_HOSTILE=1 FIXTURE; touch again; exec FIXTURE";
    let gateway = TestGateway::builder()
        .server("test-server", |s| s.shell(script))
        .setting("tools: { refresh: startup }")
        .start();
    assert!(!has(&gateway, "bad"));
    gateway.post("/api/servers/test-server/restart", json!({})).expect_status(200);
    eventually("the new tool is listed", || has(&gateway, "bad").then_some(()));
}

#[test]
fn the_list_and_health_are_served_while_the_server_cannot_answer() {
    let gateway = TestGateway::start();
    let pid = gateway.server_pid("test-server");
    send_signal(pid, Signal::STOP);
    assert_eq!(gateway.tools(), all("test-server"));
    assert_eq!(gateway.health()["status"], "ok");
    send_signal(pid, Signal::CONT);
    gateway.call("test-server", "plain", json!({})).expect_status(200);
}
