//! Every way in, one after the other.

use super::Report;
use super::clients::Client;
use super::house::{House, SERVER};
use super::marks::{BLOCKED, FAILED, expect, mark};
use anyhow::ensure;
use serde_json::{Value, json};

const TOOL: &str = "fetch-weather";

/// A client over REST, which names itself in a header.
const REST: &str = "rest";

/// The command line has no name.
const NOBODY: &str = "anonymous";

/// Drives them all.
pub(super) async fn drive(house: &House, report: &mut Report) {
    rest(house, report).await;
    let legacy = Client::legacy(house, "legacy", "2025-11-25", false).await;
    endpoint(house, report, "MCP 2025-11-25 over HTTP", legacy).await;
    let batch = Client::legacy(house, "batch", "2025-03-26", true).await;
    endpoint(house, report, "MCP 2025-03-26 in a batch", batch).await;
    let modern = Client::modern(house, "modern");
    endpoint(house, report, "MCP 2026-07-28 over HTTP", Ok(modern)).await;
    let sse = Client::sse(house, "sse").await;
    endpoint(house, report, "MCP 2024-11-05 over HTTP+SSE", sse).await;
    let stdio = Client::stdio(house, "stdio", false).await;
    endpoint(house, report, "MCP 2025-11-25 over stdio", stdio).await;
    let modern = Client::stdio(house, "modern-stdio", true).await;
    endpoint(house, report, "MCP 2026-07-28 over stdio", modern).await;
    command_line(house, report).await;
}

/// `POST /mcp/call` and `GET /mcp/tools`.
async fn rest(house: &House, report: &mut Report) {
    let marked = mark("CallTool", REST);
    let call = rest_call(house, "tokyo").await;
    report.add("REST call", call.and_then(|reply| expect(&reply, &marked)));
    let blocked = rest_call(house, BLOCKED).await;
    report
        .add("REST call, blocked", blocked.and_then(|reply| expect(&reply, &format!("{marked}:{BLOCKED}"))));
    let failed = async {
        let reply = rest_call(house, FAILED).await?;
        ensure!(reply.contains("\"error\""), "the call did not fail: {reply}");
        house.logged(&format!("{marked}:{FAILED}")).await
    };
    report.add("REST call, failed", failed.await);
    for way in ["REST list of tools", "REST list of tools, again"] {
        let list = house.http.send("GET", "/mcp/tools", &[("X-Client-Id", REST)], None).await;
        report.add(way, list.and_then(|answer| expect(&answer.body, &mark("ListTools", REST))));
    }
}

async fn rest_call(house: &House, city: &str) -> anyhow::Result<String> {
    let body = json!({"server": SERVER, "toolName": TOOL, "input": {"city": city}}).to_string();
    let headers = [("X-Client-Id", REST)];
    Ok(house.http.send("POST", "/mcp/call?raw=true", &headers, Some(&body)).await?.body)
}

/// Every method that hooks cover, as one client of the MCP endpoint asks it.
async fn endpoint(house: &House, report: &mut Report, way: &str, client: anyhow::Result<Client>) {
    let mut client = match client {
        Ok(client) => client,
        Err(why) => return report.add(way, Err(why.context("connecting"))),
    };
    for (method, kind, params) in requests() {
        // A list is asked for twice: what is kept of the first must not be the second.
        let turns = if method.ends_with("/list") { &["", ", again"][..] } else { &[""] };
        for turn in turns {
            let reply = client.ask(method, &params).await;
            let found = reply.and_then(|reply| expect(&reply, &mark(kind, client.name)));
            report.add(&format!("{way}: {method}{turn}"), found);
        }
    }
    let marked = mark("CallTool", client.name);
    let blocked = client.ask("tools/call", &call(BLOCKED)).await;
    let blocked = blocked.and_then(|reply| expect(&reply, &format!("{marked}:{BLOCKED}")));
    report.add(&format!("{way}: tools/call, blocked"), blocked);
    let failed = async {
        let reply = client.ask("tools/call", &call(FAILED)).await?;
        ensure!(reply.contains("\"error\""), "the call did not fail: {reply}");
        client.logged(house, &format!("{marked}:{FAILED}")).await
    };
    report.add(&format!("{way}: tools/call, failed"), failed.await);
    if let Err(why) = client.leave().await {
        report.add(&format!("{way}: the end"), Err(why));
    }
}

/// The methods of spec 2.1, with what hooks call them.
fn requests() -> [(&'static str, &'static str, Value); 7] {
    [
        ("tools/call", "CallTool", call("tokyo")),
        ("tools/list", "ListTools", json!({})),
        ("resources/read", "ReadResource", json!({"uri": "demo://bmi-categories"})),
        ("resources/list", "ListResources", json!({})),
        ("resources/templates/list", "ListResourceTemplates", json!({})),
        ("prompts/get", "GetPrompt", json!({"name": "weather-report"})),
        ("prompts/list", "ListPrompts", json!({})),
    ]
}

fn call(city: &str) -> Value {
    json!({"name": TOOL, "arguments": {"city": city}})
}

/// `lockgate call` and `lockgate tools`.
async fn command_line(house: &House, report: &mut Report) {
    let marked = mark("CallTool", NOBODY);
    let city = |city: &str| json!({"city": city}).to_string();
    let (good, blocked) = (city("tokyo"), city(BLOCKED));
    for (way, words, mark) in [
        ("command line: call", &["call", "--raw", SERVER, TOOL, &good][..], marked.clone()),
        ("command line: call, blocked", &["call", SERVER, TOOL, &blocked], format!("{marked}:{BLOCKED}")),
        ("command line: tools", &["tools", "--json"], mark("ListTools", NOBODY)),
    ] {
        let output = async { house.start(words).await?.finish().await };
        report.add(way, output.await.and_then(|output| expect(&output, &mark)));
    }
}
