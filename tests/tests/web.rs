//! The web page in the binary: how it is served, and that what is committed belongs to its sources.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use testkit::{Reply, Request, TestGateway};

fn get(gateway: &TestGateway, path: &str, headers: &[(&str, &str)]) -> Reply {
    let request = Request::new("GET", path);
    let request = headers.iter().fold(request, |request, (name, value)| request.header(name, value));
    gateway.http().send(&request)
}

/// The first script that the page names.
fn script(page: &str) -> String {
    let at = page.find("./assets/").expect("the page names a script");
    let name: String = page[at + 1..].chars().take_while(|c| *c != '"').collect();
    assert!(name.ends_with(".js"), "{name}");
    name
}

#[test]
fn the_page_is_served_with_its_policy_and_its_scripts_for_ever() {
    let gateway = TestGateway::start();
    let page = get(&gateway, "/", &[]);
    page.expect_status(200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(page.header("cache-control"), "no-cache");
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    let policy = page.header("content-security-policy");
    assert!(policy.contains("default-src 'none'; script-src 'self'; "), "{policy}");
    assert!(page.text().contains("<div id=\"root\">"), "{}", page.text());

    let plain = get(&gateway, &script(&page.text()), &[]);
    plain.expect_status(200);
    assert_eq!(plain.header("cache-control"), "public, max-age=31536000, immutable");
    assert_eq!(plain.header("content-type"), "text/javascript; charset=utf-8");
    assert_eq!(plain.header("content-encoding"), "");
    let packed = get(&gateway, &script(&page.text()), &[("Accept-Encoding", "gzip")]);
    assert_eq!(packed.header("content-encoding"), "gzip");
    assert!(packed.bytes.len() < plain.bytes.len(), "{} {}", packed.bytes.len(), plain.bytes.len());
}

#[test]
fn what_the_browser_has_is_not_sent_again() {
    let gateway = TestGateway::start();
    let tag = get(&gateway, "/", &[]).header("etag").to_owned();
    let again = get(&gateway, "/", &[("If-None-Match", &tag)]);
    again.expect_status(304);
    assert!(again.bytes.is_empty());
    get(&gateway, "/", &[("If-None-Match", "\"other\"")]).expect_status(200);
}

#[test]
fn paths_that_are_no_files_of_the_page_stay_unknown() {
    let gateway = TestGateway::start();
    for path in [
        "/assets",
        "/assets/none.js",
        "/servers",
        "/api/none",
        "/mcp/none",
        "/sse/none",
        "/%2e%2e/Cargo.toml",
    ] {
        get(&gateway, path, &[]).expect_code(404, "NOT_FOUND");
    }
    gateway.post("/", json!({})).expect_code(405, "METHOD_NOT_ALLOWED");
    gateway.http().send(&Request::new("HEAD", "/")).expect_status(200);
}

#[test]
fn servers_of_a_client_are_looked_at_first_and_then_added() {
    let gateway = TestGateway::start();
    let fixture = testkit::fixture();
    let text = json!({"mcpServers": {
        "more": {"command": fixture, "env": {"TOKEN": "s3cret"}},
        "test-server": {"command": "x"},
        "bad": {"command": "x", "env": {"low": "v"}},
        "far": {"url": "https://nowhere.example/mcp"},
    }})
    .to_string();
    let verdicts = |reply: &Reply| -> Vec<String> {
        let lines = reply.body.as_array().expect("a list").iter();
        lines.map(|line| format!("{} {}", line["name"], line["verdict"]).replace('"', "")).collect()
    };
    let expected = ["more new", "test-server exists", "bad invalid", "far invalid"];
    let planned = gateway.post("/api/servers/import?dryRun=true", json!({"text": text}));
    assert_eq!(verdicts(&planned), expected, "{}", planned.text());
    assert!(!planned.text().contains("s3cret"), "{}", planned.text());
    let reason = planned.body[2]["reason"].as_str().unwrap_or_default();
    assert!(reason.starts_with("mcpServers.bad.env.low "), "{reason}");
    assert_eq!(gateway.get("/api/servers").body.as_array().map(Vec::len), Some(1));

    let added = gateway.post("/api/servers/import", json!({"text": text}));
    assert_eq!(verdicts(&added), expected);
    assert_eq!(added.body[0]["added"]["status"], "running", "{}", added.text());
    assert_eq!(gateway.status("more"), "running");
    let wrong = gateway.post("/api/servers/import", json!({"text": "hello"}));
    assert_eq!(wrong.expect_code(400, "VALIDATION_ERROR").details["field"], "text");
}

#[test]
fn values_of_imported_servers_are_taken_as_they_are_or_refused() {
    let gateway = TestGateway::builder().server("test-server", |s| s).env("HOME", "/h").start();
    let entry = |env: Value| json!({"command": testkit::fixture(), "env": env});
    let text = json!({"mcpServers": {
        "plain": entry(json!({"PW": "pa$word", "DB": "file:/nowhere/app.db", "COST": "$5"})),
        "named": entry(json!({"TOK": "${env:HOME}"})),
        "bare": entry(json!({"TOK": "x ${HOME}"})),
        "asked": entry(json!({"TOK": "${input:key}"})),
        "far": {"url": "https://nowhere.example/mcp", "headers": {"Authorization": "Bearer ${HOME}"}},
    }});
    let lines = gateway.post("/api/servers/import", json!({"text": text.to_string()}));
    lines.expect_status(200);
    let line = |name: &str| -> Value {
        let all = lines.body.as_array().expect("a list");
        all.iter().find(|line| line["name"] == name).expect("every entry has its line").clone()
    };
    assert_eq!(line("plain")["verdict"], "new", "{}", lines.text());
    for (name, at) in [
        ("named", "mcpServers.named.env.TOK names a variable"),
        ("bare", "mcpServers.bare.env.TOK names a variable"),
        ("asked", "mcpServers.asked.env.TOK asks for an input"),
        ("far", "mcpServers.far.headers.Authorization names a variable"),
    ] {
        let line = line(name);
        let reason = line["reason"].as_str().unwrap_or_default();
        assert!(line["verdict"] == "invalid" && reason.starts_with(at), "{line}");
    }
    let env = gateway.call("plain", "env", json!({})).result().clone();
    let found = [&env["PW"], &env["DB"], &env["COST"]];
    assert_eq!(found, [&json!("pa$word"), &json!("file:/nowhere/app.db"), &json!("$5")]);
}

#[test]
fn the_demo_server_is_there_in_one_request_and_only_once() {
    let gateway = TestGateway::start();
    let added = gateway.post("/api/demo-server", json!({}));
    added.expect_status(201);
    assert_eq!((&added.body["name"], &added.body["status"]), (&json!("demo"), &json!("running")));
    gateway.post("/api/demo-server", json!({})).expect_code(409, "CONFLICT");
}

#[test]
fn figures_count_calls_by_tool_and_by_code() {
    let gateway = TestGateway::start();
    for _ in 0..3 {
        gateway.call("test-server", "echo", json!({"a": 1})).expect_status(200);
    }
    gateway.call("test-server", "nil", json!({})).expect_status(500);
    let figures = gateway.get("/api/stats").body;
    assert_eq!((&figures["calls"], &figures["errors"]), (&json!(4), &json!(1)));
    let server = &figures["servers"][0];
    let tool = |name: &str| -> Value {
        let tools = server["tools"].as_array().expect("tools");
        tools.iter().find(|tool| tool["name"] == name).expect("the tool was called").clone()
    };
    assert_eq!((&tool("echo")["calls"], &tool("echo")["errors"]), (&json!(3), &json!(0)));
    assert_eq!(tool("nil")["codes"], json!({"TOOL_EXECUTION_ERROR": 1}));
    assert!(tool("echo")["p95Us"].as_u64() >= tool("echo")["p50Us"].as_u64());
    let counted: u64 = figures["buckets"].as_array().expect("buckets").iter().filter_map(Value::as_u64).sum();
    assert_eq!(counted, 4);
}

#[test]
fn the_configuration_says_where_each_value_comes_from() {
    let gateway = TestGateway::start();
    let shown = gateway.get("/api/config");
    shown.expect_status(200);
    assert_eq!(shown.body["inEffect"], true, "{}", shown.text());
    assert_eq!(shown.body["servers"][0]["name"], "test-server");
    let values = shown.body["values"].as_array().expect("values");
    let origin =
        |key: &str| values.iter().find(|value| value["key"] == key).map(|value| value["origin"].clone());
    assert_eq!(origin("http.timeoutStatus"), Some(json!("default")));
    assert!(origin("port").is_some() && origin("servers").is_none());
}

fn ui() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui")
}

#[test]
fn the_types_of_the_page_come_from_this_api() {
    let gateway = TestGateway::start();
    let served = gateway.get("/api/openapi.json").body;
    let text = std::fs::read_to_string(ui().join("openapi.json")).expect("ui/openapi.json is there");
    let kept: Value = serde_json::from_str(&text).expect("it is JSON");
    assert!(
        served == kept,
        "ui/openapi.json is not what this gateway serves: with a gateway running, run \
         `node scripts/generate.mjs --from <its address>` in ui/, then `make ui`"
    );
}

#[test]
fn the_committed_page_was_built_from_these_sources() {
    let recorded = std::fs::read_to_string(ui().join("prebuilt/SOURCES")).expect("ui/prebuilt is there");
    assert!(
        recorded.trim() == sources_hash(&ui()),
        "ui/prebuilt was built from other sources: run `make ui` and commit ui/prebuilt"
    );
}

/// The same hash as ui/scripts/sources.mjs.
fn sources_hash(ui: &Path) -> String {
    let single = [
        "index.html",
        "package.json",
        "package-lock.json",
        "scripts/compress.mjs",
        "tsconfig.json",
        "vite.config.ts",
    ];
    let mut paths: Vec<String> = single.map(str::to_owned).into();
    for folder in ["public", "src"] {
        gather(ui, folder, &mut paths);
    }
    paths.sort();
    let mut all = Sha256::new();
    for path in paths {
        let content = std::fs::read(ui.join(&path)).expect("a source can be read");
        all.update(format!("{path} {}\n", hex(&Sha256::digest(content))));
    }
    hex(&all.finalize())
}

fn gather(ui: &Path, folder: &str, paths: &mut Vec<String>) {
    for entry in std::fs::read_dir(ui.join(folder)).expect("a folder of sources can be listed") {
        let entry = entry.expect("it can be read");
        let name = entry.file_name().into_string().expect("names are UTF-8");
        let path = format!("{folder}/{name}");
        if entry.path().is_dir() {
            gather(ui, &path, paths);
        } else if !name.ends_with(".test.ts") && !name.ends_with(".test.tsx") {
            paths.push(path);
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
