//! A workflow that is active and cannot run any more: nothing that would pass through it goes without it.

use super::*;
use testkit::{Builder, Folder, Stdio};

/// What adds the type `stamp`.
fn manifest() -> String {
    let script = "(context.request.params.arguments ??= {}).stamp = 'ab'";
    json!({"name": "stamp", "label": "Stamp", "outputs": "many", "script": script}).to_string()
}

/// A folder with the plug-in, and a gateway that reads it.
fn with_plugin() -> (Folder, Builder) {
    let folder = Folder::new();
    folder.write("stamp.json", &manifest());
    let setting = format!("plugins: {{folder: {}}}", json!(folder.path()));
    let activity =
        r#"activities: [{name: own, description: o, publish: true, run: {script: "return {data: 1}"}}]"#;
    (folder, TestGateway::builder().server("test-server", |s| s).setting(&setting).setting(activity))
}

fn stamped(kind: &str) -> Value {
    let mut graph = graph("guard", &[node("p", "stamp")], &[]);
    graph["workflowType"] = kind.into();
    graph
}

/// The same gateway after a restart without its plug-in.
fn bereft(gateway: TestGateway, folder: &Folder) -> TestGateway {
    std::fs::remove_file(folder.join("stamp.json")).expect("removed");
    gateway.reopen()
}

fn reload(gateway: &TestGateway) {
    gateway.post("/api/config/reload", json!({})).expect_status(200);
}

const MESSAGE: &str = "Workflow 'guard' is active and cannot run: it needs the plug-in 'stamp', which is not there. \
                       Bring back what it needs and reload, change the workflow, or switch it off";

#[test]
fn calls_fail_by_every_way_in_until_what_the_workflow_needs_is_back() {
    let (folder, plan) = with_plugin();
    let gateway = plan.clone().start();
    let id = active(&gateway, stamped("tools/call"));
    assert_eq!(gateway.call("test-server", "echo", json!({})).result()["stamp"], "ab");
    let gateway = bereft(gateway, &folder);

    let details = json!({"workflow": "guard", "workflowId": id, "code": "EXECUTION_ERROR",
        "reason": "it needs the plug-in 'stamp', which is not there"});
    let reply = gateway.call("test-server", "echo", json!({}));
    reply.expect_fault(500, "TOOL_EXECUTION_ERROR", MESSAGE, details.clone());
    for client in [Client::legacy(gateway.http()), Client::modern(gateway.http())] {
        for tool in ["echo", "own"] {
            let error = client.call_error(tool, json!({}));
            assert_eq!((&error["code"], &error["message"]), (&json!(-32603), &json!(MESSAGE)), "{tool}");
            assert_eq!(error["data"]["details"], details, "{error}");
        }
        assert!(client.tools().contains(&"echo".to_owned()), "lists pass through no graph");
    }
    let told = plan.run_in(gateway.folder(), &["call", "test-server", "echo", "{}"]);
    assert!(told.code != Some(0) && told.stdout.contains(MESSAGE), "{told:?}");
    let (folder_of, mut command) = (gateway.folder(), plan.command(gateway.folder()));
    command.arg("stdio").arg("--config").arg(folder_of.config()).arg("--data").arg(folder_of.data());
    let mut pipes = Stdio::start(&mut command, &[]);
    let info = json!({"name": "desktop", "version": "1"});
    pipes.ask("initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}));
    assert_eq!(pipes.ask("tools/call", json!({"name": "echo"}))["error"]["message"], MESSAGE);
    gateway.call("test-server", "nobody", json!({})).expect_code(404, "TOOL_NOT_FOUND");

    let view = show(&gateway, &id);
    assert_eq!((&view["enabled"], &view["problem"]), (&json!(true), &json!(MESSAGE)), "{view}");
    assert_eq!(gateway.health()["failing"], json!(["tools/call"]));
    let refused = gateway.post(&format!("/api/workflows/{id}/execute"), json!({"context": {}}));
    assert_eq!(refused.expect_code(409, "CONFLICT").message, MESSAGE);
    let logged = |line: &Value| line["workflow"] == "guard" && line["level"] == "error";
    assert_eq!(gateway.log().iter().filter(|line| logged(line)).count(), 1, "{:#?}", gateway.log_lines());

    folder.write("stamp.json", &manifest());
    reload(&gateway);
    assert_eq!(gateway.call("test-server", "echo", json!({})).result()["stamp"], "ab");
    let view = show(&gateway, &id);
    assert_eq!((&view["enabled"], &view["valid"], view.get("problem")), (&json!(true), &json!(true), None));
    assert_eq!(gateway.health().get("failing"), None);
    assert_eq!(counter(&gateway), 1, "what failed did not reach the server");
}

#[test]
fn lists_fail_by_every_way_in_until_the_workflow_is_switched_off() {
    let (folder, plan) = with_plugin();
    let gateway = plan.start();
    let id = active(&gateway, stamped("tools/list"));
    let gateway = bereft(gateway, &folder);
    assert_eq!(gateway.get("/mcp/tools").expect_code(500, "TOOL_EXECUTION_ERROR").message, MESSAGE);
    for client in [Client::legacy(gateway.http()), Client::modern(gateway.http())] {
        let error = client.error("tools/list", json!({}));
        assert_eq!((&error["code"], &error["message"]), (&json!(-32603), &json!(MESSAGE)));
        client.result("prompts/list", json!({}));
    }
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    assert_eq!(gateway.health()["failing"], json!(["tools/list"]));
    activate(&gateway, &id).expect_code(409, "CONFLICT");
    let client = Client::legacy(gateway.http());
    let mut events = client.listen();
    gateway.post(&format!("/api/workflows/{id}/disable"), json!({})).expect_status(200);
    events.until("notifications/tools/list_changed");
    assert!(client.tools().contains(&"plain".to_owned()));
    assert!(!gateway.tools().is_empty());
    assert_eq!(show(&gateway, &id).get("problem"), None);
}

#[test]
fn a_workflow_that_cannot_run_is_mended_by_an_edit_or_makes_room_for_another() {
    let (folder, plan) = with_plugin();
    let gateway = plan.start();
    let id = active(&gateway, stamped("tools/call"));
    let gateway = bereft(gateway, &folder);
    gateway.call("test-server", "plain", json!({})).expect_code(500, "TOOL_EXECUTION_ERROR");
    let whole = graph("guard", &[hook("h", "context.request.params.arguments.by = 'hand'")], &[]);
    patch(&gateway, &id, json!({"nodes": whole["nodes"], "edges": whole["edges"]})).expect_status(200);
    assert_eq!(gateway.call("test-server", "echo", json!({})).result()["by"], "hand");

    folder.write("stamp.json", &manifest());
    reload(&gateway);
    let broken = active(&gateway, stamped("tools/call"));
    let gateway = bereft(gateway, &folder);
    gateway.call("test-server", "plain", json!({})).expect_code(500, "TOOL_EXECUTION_ERROR");
    activate(&gateway, &id).expect_status(200);
    assert_eq!(show(&gateway, &broken)["enabled"], false);
    assert_eq!(gateway.call("test-server", "echo", json!({})).result()["by"], "hand");
}

#[test]
fn a_graph_that_may_be_bypassed_is_bypassed_though_it_cannot_run() {
    let (folder, plan) = with_plugin();
    let gateway = plan.setting("workflow: {onError: bypass}").start();
    let id = active(&gateway, stamped("tools/call"));
    let gateway = bereft(gateway, &folder);
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    assert_eq!(counter(&gateway), 1);
    let request = &gateway.get("/api/requests?tool=plain").body["requests"][0];
    let us = |part: &str| request[part].as_u64().unwrap_or_else(|| panic!("no {part} in {request}"));
    assert!(us("serverUs") > 0 && us("durationUs") >= us("serverUs"), "{request}");
    assert_eq!(gateway.health().get("failing"), None);
    assert_eq!(show(&gateway, &id)["problem"], MESSAGE);
}
