//! Nodes beyond hooks, over the API and with real requests (spec 5.1): variables, and plug-ins.

use serde_json::{Value, json};
use std::thread;
use testkit::{Folder, TestGateway, eventually};

fn start() -> TestGateway {
    TestGateway::with(|s| s)
}

fn hook(id: &str, script: &str) -> Value {
    json!({"id": id, "type": "hook", "data": {"label": id, "hook": {"id": id, "script": script, "blocking": true}}})
}

fn variable(id: &str, scope: &str, set: &Value) -> Value {
    json!({"id": id, "type": "variable", "data": {"label": id, "scope": scope, "set": set}})
}

/// Start, these nodes, the call, end.
fn graph(pre: &[Value]) -> Value {
    let plain = |id: &str, kind: &str| json!({"id": id, "type": kind});
    let nodes: Vec<Value> =
        [&[plain("s", "start")], pre, &[plain("c", "mcp-call"), plain("e", "end")]].concat();
    let edges: Vec<Value> =
        nodes.windows(2).map(|pair| json!({"source": pair[0]["id"], "target": pair[1]["id"]})).collect();
    json!({"name": "w", "workflowType": "tools/call", "nodes": nodes, "edges": edges})
}

#[track_caller]
fn active(gateway: &TestGateway, body: Value) -> String {
    let mut body = body;
    body["enabled"] = true.into();
    let reply = gateway.post("/api/workflows", body);
    reply.expect_status(201);
    reply.body["id"].as_str().expect("an id").to_owned()
}

const COUNT: &str = "current + 1";
const TELL: &str = "context.request.params.arguments.n = context.variables.n";

fn counting() -> Value {
    graph(&[variable("v", "workflow", &json!([{"name": "n", "expression": COUNT}])), hook("t", TELL)])
}

#[track_caller]
fn told(gateway: &TestGateway) -> u64 {
    gateway.call("test-server", "echo", json!({})).result()["n"].as_u64().expect("a number")
}

#[test]
fn a_variable_of_a_run_is_read_by_later_nodes_and_shown_in_the_run() {
    let gateway = start();
    let set = json!([
        {"name": "limit", "value": 3},
        {"name": "n", "expression": "context.request.params.arguments.list.length + context.variables.limit"},
        {"name": "password", "value": "hunter2"},
    ]);
    let id = active(&gateway, graph(&[variable("v", "run", &set), hook("t", TELL)]));
    let reply = gateway.call("test-server", "echo", json!({"list": [1, 2]}));
    assert_eq!(reply.result()["n"], 5);
    let result = eventually("the run is recorded", || {
        let runs = gateway.get(&format!("/api/workflows/{id}/runs")).body;
        runs.get(0).map(|run| run["results"]["v"].clone())
    });
    let values = &result["result"]["variables"];
    assert_eq!(
        (&result["state"], &values["limit"], &values["n"]),
        (&json!("completed"), &json!(3), &json!(5))
    );
    assert!(!result.to_string().contains("hunter2"), "{result}");
}

#[test]
fn a_kept_variable_counts_every_one_of_many_requests_at_once() {
    let gateway = start();
    active(&gateway, counting());
    thread::scope(|scope| {
        let callers: Vec<_> =
            (0..8).map(|_| scope.spawn(|| (0..5).map(|_| told(&gateway)).collect::<Vec<_>>())).collect();
        let mut all: Vec<u64> = callers.into_iter().flat_map(|one| one.join().expect("no panic")).collect();
        all.sort_unstable();
        assert_eq!(all, (1..=40).collect::<Vec<_>>(), "every request saw a number of its own");
    });
    assert_eq!(told(&gateway), 41);
}

#[test]
fn a_kept_variable_outlives_a_restart_and_goes_with_its_workflow() {
    let gateway = start();
    let id = active(&gateway, counting());
    assert_eq!((told(&gateway), told(&gateway)), (1, 2));
    let gateway = gateway.reopen();
    assert_eq!(told(&gateway), 3);
    gateway.delete(&format!("/api/workflows/{id}")).expect_status(204);
    active(&gateway, counting());
    assert_eq!(told(&gateway), 1);
}

#[test]
fn the_command_line_counts_with_the_others_and_leaves_its_runs() {
    let gateway = start();
    let id = active(&gateway, counting());
    assert_eq!(told(&gateway), 1);
    let plan = TestGateway::builder().server("test-server", |s| s);
    let out = plan.run_in(gateway.folder(), &["call", "test-server", "echo", "{}"]);
    assert!(out.code == Some(0) && out.stdout.contains(r#""n":2"#), "{out:?}");
    assert_eq!(told(&gateway), 3);
    eventually("all runs are recorded", || {
        let runs = gateway.get(&format!("/api/workflows/{id}/runs")).body;
        let runs = runs.as_array().filter(|runs| runs.len() == 3)?.clone();
        assert!(runs.iter().all(|run| run["status"] == "completed"), "{runs:?}");
        Some(())
    });
}

#[test]
fn a_constant_beside_an_expression_keeps_its_digits() {
    let gateway = start();
    let long = 12_345_678_901_234_567_890_u64;
    let set = json!([{"name": "n", "expression": "1"}, {"name": "long", "value": [long]}]);
    let id = active(&gateway, graph(&[variable("v", "run", &set)]));
    gateway.call("test-server", "echo", json!({})).expect_status(200);
    let run = eventually("the run is recorded", || {
        gateway.get(&format!("/api/workflows/{id}/runs")).body.get(0).cloned()
    });
    assert_eq!(run["results"]["v"]["result"]["variables"], json!({"n": 1, "long": [long]}));
}

#[test]
fn a_node_that_is_no_hook_is_not_called_one_when_it_fails() {
    let gateway = start();
    active(&gateway, graph(&[variable("v", "run", &json!([{"name": "a", "expression": "1 + nobody"}]))]));
    let reply = gateway.call("test-server", "echo", json!({}));
    let fault = reply.expect_code(500, "TOOL_EXECUTION_ERROR");
    assert_eq!(fault.message, "Node 'v' failed: ReferenceError: nobody is not defined");
    let place = json!({"node": "v", "code": "SCRIPT_ERROR", "line": 1, "column": 5});
    assert_eq!(fault.details, place);
}

/// A graph with a hook beside the call that takes a while.
fn with_side(script: &str) -> Value {
    let mut graph = graph(&[]);
    let mut side = hook("late", script);
    side["data"]["hook"]["blocking"] = false.into();
    graph["nodes"].as_array_mut().expect("a list").push(side);
    graph["edges"].as_array_mut().expect("a list").push(json!({"source": "c", "target": "late"}));
    graph
}

#[track_caller]
fn last_side(gateway: &TestGateway, id: &str, runs: usize) -> Value {
    eventually("the run is recorded", || {
        let all = gateway.get(&format!("/api/workflows/{id}/runs")).body;
        let all = all.as_array().filter(|all| all.len() == runs)?;
        let side = all[0]["results"]["late"].clone();
        (side["state"] != "running").then_some(side)
    })
}

#[test]
fn hooks_that_nobody_waits_for_end_before_the_gateway_does() {
    let gateway = start();
    let id = active(&gateway, with_side("await sleep(700); console.log('done')"));
    let plan = TestGateway::builder().server("test-server", |s| s);
    let out = plan.run_in(gateway.folder(), &["call", "test-server", "echo", "{}"]);
    assert_eq!(out.code, Some(0), "{out:?}");
    let side = last_side(&gateway, &id, 1);
    assert_eq!((&side["state"], &side["error"]), (&json!("completed"), &Value::Null), "{side}");
    gateway.call("test-server", "echo", json!({})).expect_status(200);
    let gateway = gateway.reopen();
    let side = last_side(&gateway, &id, 2);
    assert_eq!((&side["state"], &side["error"]), (&json!("completed"), &Value::Null), "{side}");
}

#[test]
fn a_hook_that_outlasts_the_stop_is_not_blamed_on_the_sandbox() {
    let gateway =
        TestGateway::builder().server("test-server", |s| s).setting("hooks: {timeoutMs: 3600000}").start();
    let id = active(&gateway, with_side("for (let i = 0; i < 700; i++) await sleep(5000)"));
    gateway.call("test-server", "echo", json!({})).expect_status(200);
    let gateway = gateway.reopen();
    let side = last_side(&gateway, &id, 1);
    let said = "The gateway stopped before the hook ended";
    assert_eq!((&side["state"], &side["error"]), (&json!("error"), &json!(said)), "{side}");
}

#[test]
fn a_variable_node_that_breaks_a_rule_cannot_be_activated() {
    let gateway = start();
    for (set, reason) in [
        (json!([{"name": "a-b", "value": 1}]), "Node 'v' sets 'a-b', which is no name"),
        (json!([{"name": "a", "value": 1}, {"name": "a", "value": 1}]), "Node 'v' sets 'a' more than once"),
        (json!([{"name": "a", "expression": "1 +"}]), "Node 'v' has a script that does not compile"),
    ] {
        let mut body = graph(&[variable("v", "run", &set)]);
        body["enabled"] = true.into();
        let message = gateway.post("/api/workflows", body).expect_code(409, "CONFLICT").message;
        assert!(message.starts_with(reason), "{message}");
    }
}

/// A gateway with a folder of plug-ins: `stamp`, `note`, and one that is unsound.
fn with_plugins() -> (TestGateway, Folder) {
    let folder = Folder::new();
    let stamp = json!({
        "name": "stamp", "label": "Stamp", "description": "Writes a word into the arguments.", "inputs": 1,
        "outputs": "many", "phase": "pre",
        "schema": {"type": "object", "required": ["word"], "properties": {
            "word": {"type": "string"}, "times": {"type": "integer", "minimum": 1, "maximum": 3},
        }},
        "script": "context.request.params.arguments.stamp = context.data.word.repeat(context.data.times ?? 1)",
    });
    let note =
        json!({"name": "note", "label": "Note", "outputs": 0, "script": "console.log(context.data.text)"});
    let unsound = json!({"name": "unsound", "label": "Unsound", "outputs": 1, "script": "return ("});
    for (name, manifest) in [("stamp", stamp), ("note", note), ("unsound", unsound)] {
        folder.write(&format!("{name}.json"), &manifest.to_string());
    }
    folder.write("readme.txt", "no manifest");
    let setting = format!("plugins: {{folder: {}}}", json!(folder.path()));
    (TestGateway::builder().server("test-server", |s| s).setting(&setting).start(), folder)
}

fn stamp(data: Value) -> Value {
    let mut data = data;
    data["label"] = "Stamp".into();
    json!({"id": "p", "type": "stamp", "data": data})
}

fn names(gateway: &TestGateway) -> Vec<String> {
    let reply = gateway.get("/api/node-types");
    reply.expect_status(200);
    let all = reply.body.as_array().expect("a list").clone();
    all.iter().map(|one| one["name"].as_str().expect("a name").to_owned()).collect()
}

const BUILT_IN: [&str; 7] = ["start", "end", "mcp-call", "hook", "condition", "variable", "activity"];

#[test]
fn plug_ins_are_listed_beside_the_built_in_types_and_unsound_ones_are_not() {
    let (gateway, _folder) = with_plugins();
    assert_eq!(names(&gateway), [&BUILT_IN[..], &["note", "stamp"]].concat());
    let all = gateway.get("/api/node-types").body;
    let stamp = &all[8];
    assert_eq!(
        (&stamp["label"], &stamp["outputs"], &stamp["plugin"]),
        (&json!("Stamp"), &json!("many"), &json!(true))
    );
    assert_eq!(stamp["schema"]["properties"]["times"]["maximum"], 3);
    assert_eq!(
        (&all[0]["inputs"], &all[4]["outputs"], &all[7]["outputs"]),
        (&json!(0), &json!(2), &json!(0))
    );
    let log = gateway.log_lines().join("\n");
    assert!(log.contains("unsound.json") && log.contains("does not compile"), "{log}");
    let without = start();
    assert_eq!(names(&without), BUILT_IN);
    let refused = without.post("/api/workflows", graph(&[stamp_node()])).expect_code(400, "VALIDATION_ERROR");
    assert!(refused.message.contains("'stamp' is not known"), "{}", refused.message);
}

fn stamp_node() -> Value {
    stamp(json!({"word": "ab", "times": 2}))
}

#[test]
fn a_plug_in_runs_with_the_data_of_its_node() {
    let (gateway, _folder) = with_plugins();
    let mut body = graph(&[stamp_node()]);
    let note = json!({"id": "f", "type": "note", "data": {"text": "noted"}});
    body["nodes"].as_array_mut().expect("a list").push(note);
    body["edges"].as_array_mut().expect("a list").push(json!({"source": "c", "target": "f"}));
    let id = active(&gateway, body);
    assert_eq!(gateway.call("test-server", "echo", json!({})).result()["stamp"], "abab");
    let console = eventually("the note is written", || {
        let runs = gateway.get(&format!("/api/workflows/{id}/runs")).body;
        runs[0]["results"]["f"]["console"][0]["text"].as_str().map(str::to_owned)
    });
    assert_eq!(console, "noted");
    let gateway = gateway.reopen();
    assert_eq!(gateway.call("test-server", "echo", json!({})).result()["stamp"], "abab");
}

#[test]
fn data_that_does_not_fit_the_schema_and_the_wrong_side_are_refused() {
    let (gateway, _folder) = with_plugins();
    let mut late = graph(&[stamp_node()]);
    late["edges"] = json!([
        {"source": "s", "target": "c"}, {"source": "c", "target": "p"}, {"source": "p", "target": "e"},
    ]);
    for (mut body, reason) in [
        (graph(&[stamp(json!({}))]), "Node 'p' (Stamp) needs data.word"),
        (graph(&[stamp(json!({"word": "a", "times": 4}))]), "Node 'p' (Stamp) has a data.times above 3"),
        (late, "Node 'p' (Stamp) may only stand before MCP Call"),
    ] {
        body["enabled"] = true.into();
        let fault = gateway.post("/api/workflows", body).expect_code(409, "CONFLICT");
        assert_eq!(fault.message, reason);
    }
}

#[test]
fn a_reload_takes_over_changed_plug_ins_and_keeps_those_in_use() {
    let (gateway, folder) = with_plugins();
    active(&gateway, graph(&[stamp_node()]));
    let changed =
        folder.read("stamp.json").replace("context.data.word.repeat", "'new ' + context.data.word.repeat");
    folder.write("stamp.json", &changed);
    std::fs::remove_file(folder.join("note.json")).expect("removed");
    let reload = || {
        gateway.post("/api/config/reload", json!({})).expect_status(200);
    };
    reload();
    assert_eq!(names(&gateway), [&BUILT_IN[..], &["stamp"]].concat());
    assert_eq!(gateway.call("test-server", "echo", json!({})).result()["stamp"], "new abab");
    std::fs::remove_file(folder.join("stamp.json")).expect("removed");
    reload();
    assert_eq!(gateway.call("test-server", "echo", json!({})).result()["stamp"], "new abab");
    assert_eq!(names(&gateway), [&BUILT_IN[..], &["stamp"]].concat());
    let warned = gateway.log().into_iter().any(|line| line["plugin"] == "stamp" && line["workflow"] == "w");
    assert!(warned, "{:#?}", gateway.log_lines());
}

/// A choice before the call; only the way of `true` says so in the arguments.
fn condition(expression: &str) -> Value {
    let plain = |id: &str, kind: &str| json!({"id": id, "type": kind});
    let choice = json!({"id": "q", "type": "condition", "data": {"label": "q", "expression": expression}});
    let yes = hook("y", "context.request.params.arguments.chosen = true");
    let nodes = json!([plain("s", "start"), choice, yes, plain("c", "mcp-call"), plain("e", "end")]);
    let way = |handle: &str, to: &str| json!({"source": "q", "target": to, "sourceHandle": handle});
    let edge = |from: &str, to: &str| json!({"source": from, "target": to});
    let edges = json!([edge("s", "q"), way("true", "y"), way("false", "c"), edge("y", "c"), edge("c", "e")]);
    json!({"name": "w", "workflowType": "tools/call", "nodes": nodes, "edges": edges})
}

#[test]
fn a_condition_waits_for_what_its_expression_promises() {
    let gateway = start();
    let chosen = |expression: &str| {
        let id = active(&gateway, condition(expression));
        let reply = gateway.call("test-server", "echo", json!({}));
        gateway.delete(&format!("/api/workflows/{id}")).expect_status(204);
        reply
    };
    for (expression, expected) in [
        ("(async () => false)()", false),
        ("(async () => true)()", true),
        ("Promise.resolve(0) // none", false),
        ("await Promise.resolve(1)", true),
        ("false", false),
        ("1", true),
    ] {
        let result = chosen(expression).result().clone();
        assert_eq!(result.get("chosen").is_some(), expected, "{expression}: {result}");
    }
    let error = chosen("(async () => { throw new Error('no way') })()");
    let error = error.expect_code(500, "TOOL_EXECUTION_ERROR");
    assert!(error.message.contains("no way"), "{error:?}");
}

#[test]
fn lines_of_expressions_are_those_of_the_user() {
    let gateway = start();
    let set =
        |expression: &str| graph(&[variable("v", "run", &json!([{"name": "n", "expression": expression}]))]);
    for (line, throws, broken) in [(1, "nothing.there", "1 +"), (2, "0 ||\nnothing.there", "1 +\n")] {
        for graph in [condition(throws), set(throws)] {
            let id = active(&gateway, graph);
            let error =
                gateway.call("test-server", "echo", json!({})).expect_code(500, "TOOL_EXECUTION_ERROR");
            assert_eq!(error.details["line"], line, "{error:?}");
            gateway.delete(&format!("/api/workflows/{id}")).expect_status(204);
        }
        for graph in [condition(broken), set(broken)] {
            let reply = gateway.post("/api/workflows/validate", graph);
            let message = reply.body["problems"][0]["message"].as_str().unwrap_or_default().to_owned();
            assert!(message.ends_with(&format!("(line {line})")), "{}", reply.body);
        }
    }
}

#[test]
fn scripts_that_nodes_have_of_their_own_are_counted_by_node() {
    let gateway = start();
    let count = |lines: &[(&str, &str, u64)]| {
        let metrics = gateway.get("/metrics").text();
        for (node, outcome, count) in lines {
            let labels = format!("method=\"tools/call\",workflow=\"w\",node=\"{node}\"");
            let line = format!("lockgate_node_executions_total{{{labels},outcome=\"{outcome}\"}} {count}\n");
            assert!(metrics.contains(&line), "{line}{metrics}");
        }
        metrics
    };
    let id = active(&gateway, condition("context.request.params.arguments.yes"));
    for input in [json!({"yes": true}), json!({"yes": false}), json!({"yes": false})] {
        gateway.call("test-server", "echo", input).expect_status(200);
    }
    let metrics = count(&[("q", "ok", 3), ("q", "blocked", 0), ("y", "ok", 1)]);
    let labels = "method=\"tools/call\",workflow=\"w\",node=\"q\"";
    assert!(metrics.contains(&format!("lockgate_node_duration_seconds_count{{{labels}}} 3\n")), "{metrics}");
    assert!(!metrics.contains("node=\"c\""), "a node without a script has no series: {metrics}");

    gateway.delete(&format!("/api/workflows/{id}")).expect_status(204);
    assert!(!gateway.get("/metrics").text().contains("node=\"q\""), "what is not active has no series");
    let script = "if (context.request.params.arguments.bad) throw Error('x'); return {continue: false}";
    let set = json!([{"name": "n", "expression": "context.request.params.arguments.bad ? 1 : 2"}]);
    active(&gateway, graph(&[variable("v", "run", &set), hook("h", script)]));
    for input in [json!({"bad": true}), json!({})] {
        gateway.call("test-server", "echo", input);
    }
    count(&[("v", "ok", 2), ("h", "error", 1), ("h", "blocked", 1)]);
}
