//! Every way in, one after the other.

use super::Report;
use super::clients::Client;
use super::house::{House, PUBLISHED, SERVER, START};
use super::marks::{BLOCKED, FAILED, expect, mark};
use anyhow::{anyhow, ensure};
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
    graph(house, report).await;
}

/// `POST /mcp/call` and `GET /mcp/tools`.
async fn rest(house: &House, report: &mut Report) {
    let marked = mark("CallTool", REST);
    // The very first request is blocked: what it left in a worker must be good for those that follow.
    let blocked = rest_call(house, BLOCKED).await;
    report
        .add("REST call, blocked", blocked.and_then(|reply| expect(&reply, &format!("{marked}:{BLOCKED}"))));
    let call = rest_call(house, "tokyo").await;
    report.add("REST call", call.and_then(|reply| expect(&reply, &marked)));
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
    let marked = mark("CallTool", client.name);
    let blocked = client.ask("tools/call", &call(BLOCKED)).await;
    let blocked = blocked.and_then(|reply| expect(&reply, &format!("{marked}:{BLOCKED}")));
    report.add(&format!("{way}: tools/call, blocked"), blocked);
    for (method, kind, params) in requests() {
        // A list is asked for twice: what is kept of the first must not be the second.
        let turns = if method.ends_with("/list") { &["", ", again"][..] } else { &[""] };
        for turn in turns {
            let reply = client.ask(method, &params).await;
            let found = reply.and_then(|reply| expect(&reply, &mark(kind, client.name)));
            report.add(&format!("{way}: {method}{turn}"), found);
        }
    }
    let failed = async {
        let reply = client.ask("tools/call", &call(FAILED)).await?;
        ensure!(reply.contains("\"error\""), "the call did not fail: {reply}");
        client.logged(house, &format!("{marked}:{FAILED}")).await
    };
    report.add(&format!("{way}: tools/call, failed"), failed.await);
    own_tools(house, report, way, &mut client).await;
    if let Err(why) = client.leave().await {
        report.add(&format!("{way}: the end"), Err(why));
    }
}

/// The tools that the gateway offers itself, and the call that a step makes.
async fn own_tools(house: &House, report: &mut Report, way: &str, client: &mut Client) {
    let marked = mark("CallTool", client.name);
    let published = client.ask("tools/call", &call_of(PUBLISHED, "tokyo")).await;
    let published = published.and_then(|reply| expect(&reply, &marked));
    report.add(&format!("{way}: a published activity"), published);
    let started = client.ask("tools/call", &call_of(START, "tokyo")).await;
    let started = started.and_then(|reply| expect(&reply, &marked));
    let step = match &started {
        Ok(()) => client.logged(house, &format!("{marked}:step")).await,
        Err(_) => Err(anyhow!("no hook marked the call that started it")),
    };
    report.add(&format!("{way}: the start of a workflow"), started);
    report.add(&format!("{way}: the call of a workflow's step"), step);
}

/// Calls while a graph is active: its hook runs with those of the list.
async fn graph(house: &House, report: &mut Report) {
    let marked = |client: &str| format!("{}:graph", mark("CallTool", client));
    let drawn = house.draw().await;
    let way = "REST call, through a graph";
    if let Err(why) = drawn {
        return report.add(way, Err(why));
    }
    let reply = rest_call(house, "tokyo").await;
    report.add(way, reply.and_then(|reply| expect(&reply, &marked(REST))));
    let asked = async {
        let mut client = Client::legacy(house, "legacy", "2025-11-25", false).await?;
        let reply = client.ask("tools/call", &call("tokyo")).await?;
        expect(&reply, &marked(client.name))
    };
    report.add("MCP 2025-11-25 over HTTP: tools/call, through a graph", asked.await);
    let city = json!({"city": "tokyo"}).to_string();
    let output = async { house.start(&["call", "--raw", SERVER, TOOL, &city]).await?.finish().await };
    let found = output.await.and_then(|output| expect(&output, &marked(NOBODY)));
    report.add("command line: call, through a graph", found);
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
    call_of(TOOL, city)
}

fn call_of(tool: &str, city: &str) -> Value {
    json!({"name": tool, "arguments": {"city": city}})
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
