//! Session workflows as clients, the REST API and a restart see them (spec part 4, and 5.2).

mod activities;
mod approvals;
mod branches;
mod calls;
mod changes;
mod conditions;
mod copied;
mod crash;
mod definitions;
mod doubt;
mod events;
mod examples;
mod faces;
mod file;
mod groups;
mod limits;
mod reach;
mod rest;
mod rounds;
mod steps;
mod tools;
mod undo;

use serde_json::{Value, json};
use std::time::Duration;
use testkit::{Builder, Client, Reply, Request, Server, TestGateway, eventually, within};

/// How long lines of the log are waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// An activity that is a script.
fn script(name: &str, source: &str) -> Value {
    json!({"name": name, "description": format!("Does {name}"), "run": {"script": source}})
}

/// The activity with further fields.
#[expect(clippy::needless_pass_by_value, reason = "callers write the fields in place")]
fn with(mut activity: Value, fields: Value) -> Value {
    let fields = fields.as_object().expect("an object").clone();
    activity.as_object_mut().expect("an object").extend(fields);
    activity
}

/// The activities of the worked examples.
fn standard() -> Vec<Value> {
    let number = json!({"type": "number"});
    let add = script("add", "const {a, b} = context.input; return {data: {result: a + b}};");
    let add = with(
        add,
        json!({
            "inputSchema": {"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]},
            "outputSchema": {"type": "object", "properties": {"result": number}, "required": ["result"]},
        }),
    );
    vec![
        add,
        script("double", "return {data: {result: 2 * context.input.result}}"),
        script("tag", "return {data: {from: 'tag', got: context.input}}"),
        script("bad", "return {success: false, error: 'nope'}"),
        with(script("slow", "await sleep(200); return {data: {}}"), json!({"timeout": 30})),
        with(
            script("never", "console.log('tried'); return {success: false, error: 'x'}"),
            json!({"retry": {"maxAttempts": 3, "backoffMs": 50}}),
        ),
        script("check", "return {data: {valid: context.input.valid, status: {code: 'Approved'}}}"),
        script("memo", "context.memory.custom = 7; return {data: {w: 1}}"),
        script("recall", "return {data: {custom: context.memory.custom ?? null}}"),
    ]
}

/// A workflow of these steps; a text stands for its activity.
fn workflow(name: &str, steps: &[Value]) -> Value {
    let steps: Vec<Value> = steps
        .iter()
        .map(|step| if step.is_string() { json!({"activity": step}) } else { step.clone() })
        .collect();
    json!({"name": name, "description": format!("Runs {name}"), "steps": steps})
}

/// The workflow `calc` of the worked examples.
fn calc() -> Value {
    workflow("calc", &[json!("add"), json!("double"), json!("tag")])
}

/// A gateway with these definitions in its config file and the fixture as `test-server`, to be filled further.
fn builder(activities: &[Value], workflows: &[Value]) -> Builder {
    served(activities, workflows, |server| server)
}

/// The same with the fixture set up by the closure.
fn served(activities: &[Value], workflows: &[Value], edit: impl FnOnce(Server) -> Server) -> Builder {
    let text = format!("activities: {}\nworkflows: {}", json!(activities), json!(workflows));
    TestGateway::builder().setting(&text).server("test-server", edit)
}

/// A gateway with the activities of the worked examples and these workflows.
#[track_caller]
fn start(workflows: &[Value]) -> TestGateway {
    builder(&standard(), workflows).start()
}

/// A gateway with the activities of the worked examples, some more, and one workflow `w` of these steps.
#[track_caller]
fn single(more: &[Value], steps: &[Value]) -> TestGateway {
    let all: Vec<Value> = standard().into_iter().chain(more.iter().cloned()).collect();
    builder(&all, &[workflow("w", steps)]).start()
}

/// A client of each era.
#[track_caller]
fn clients(gateway: &TestGateway) -> [Client; 2] {
    [Client::legacy(gateway.http()), Client::modern(gateway.http())]
}

/// The tools that a client sees and that are no server's.
#[track_caller]
fn own_tools(gateway: &TestGateway, client: &Client) -> Vec<Value> {
    let of_server: Vec<String> = gateway.tools().into_iter().map(|(_, tool)| tool).collect();
    let tools = client.result("tools/list", json!({}))["tools"].as_array().expect("a list").clone();
    let own = |tool: &Value| !of_server.iter().any(|name| tool["name"] == name.as_str());
    tools.into_iter().filter(own).collect()
}

/// Their names.
#[track_caller]
fn own_names(gateway: &TestGateway, client: &Client) -> Vec<String> {
    let tools = own_tools(gateway, client);
    tools.iter().map(|tool| tool["name"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The text of a reply.
#[track_caller]
fn text(reply: &Value) -> &str {
    reply["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {reply}"))
}

/// The text of a reply that is no error, as JSON.
#[track_caller]
fn said(reply: &Value) -> Value {
    assert_ne!(reply["isError"], true, "{reply}");
    serde_json::from_str(text(reply)).unwrap_or_else(|e| panic!("{e} in {reply}"))
}

/// The text of a reply that is an error.
#[track_caller]
fn failure(reply: &Value) -> &str {
    assert_eq!(reply["isError"], true, "{reply}");
    assert!(reply.get("structuredContent").is_none(), "{reply}");
    text(reply)
}

/// The id of the session that a reply speaks of.
#[track_caller]
fn id(reply: &Value) -> String {
    let id = reply["structuredContent"]["sessionId"].as_str();
    id.unwrap_or_else(|| panic!("no session in {reply}")).to_owned()
}

/// The tools that a reply offers, with their priorities.
#[track_caller]
fn options(reply: &Value) -> Vec<(String, Value)> {
    let options = reply["structuredContent"]["nextStepOptions"].as_array();
    let options = options.unwrap_or_else(|| panic!("no options in {reply}")).iter();
    options
        .map(|one| (one["toolName"].as_str().unwrap_or_default().to_owned(), one["priority"].clone()))
        .collect()
}

/// A session as the API shows it.
#[track_caller]
fn session(gateway: &TestGateway, id: &str) -> Value {
    let reply = gateway.get(&format!("/api/sessions/{id}"));
    reply.expect_status(200);
    reply.body
}

/// Waits until a session has that status.
#[track_caller]
fn wait_status(gateway: &TestGateway, id: &str, status: &str) -> Value {
    eventually(&format!("the session is {status}"), || {
        Some(session(gateway, id)).filter(|session| session["status"] == status)
    })
}

/// The only session of a workflow.
#[track_caller]
fn only(gateway: &TestGateway, workflow: &str) -> Value {
    let all = gateway.get(&format!("/api/sessions?workflowName={workflow}")).body;
    assert_eq!(all.as_array().map(Vec::len), Some(1), "{all}");
    all[0].clone()
}

/// What scripts wrote to the log, in order: the script's name and the text.
fn console(gateway: &TestGateway) -> Vec<(String, String)> {
    let word = |line: &Value, key: &str| line[key].as_str().map(str::to_owned);
    let lines = gateway.log();
    lines.iter().filter_map(|line| Some((word(line, "script")?, word(line, "message")?))).collect()
}

/// How often scripts wrote that text to the log so far.
fn times(gateway: &TestGateway, text: &str) -> usize {
    console(gateway).iter().filter(|(_, said)| said == text).count()
}

/// Fails unless scripts wrote that text so many times; the log may take a moment to arrive here.
#[track_caller]
fn expect_times(gateway: &TestGateway, text: &str, count: usize) {
    within(PATIENCE, || (times(gateway, text) >= count).then_some(()));
    assert_eq!(times(gateway, text), count, "{text}: {:?}", console(gateway));
}

/// Fails unless these are the texts that scripts wrote after the first `before` ones.
#[track_caller]
fn expect_lines(gateway: &TestGateway, before: usize, expected: &[&str]) {
    within(PATIENCE, || (console(gateway).len() >= before + expected.len()).then_some(()));
    let lines: Vec<String> = console(gateway).drain(before..).map(|(_, text)| text).collect();
    assert_eq!(lines, expected);
}

/// `PATCH` with a JSON body.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "callers write the body in place")]
fn patch(gateway: &TestGateway, path: &str, body: Value) -> Reply {
    gateway.http().send(&Request::new("PATCH", path).body("application/json", body.to_string()))
}

/// A request of a caller who gives a name.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "callers write the body in place")]
fn post_as(gateway: &TestGateway, name: &str, path: &str, body: Value) -> Reply {
    let request = Request::new("POST", path).header("X-Client-Id", name);
    gateway.http().send(&request.body("application/json", body.to_string()))
}
