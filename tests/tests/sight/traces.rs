//! Traces from the client through the gateway to the server (spec 6.3), as a collector gets them.

use serde_json::{Value, json};
use testkit::{Builder, Client, Collector, Request, Server, TestGateway, eventually};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

fn parent(sampled: bool) -> String {
    format!("00-{TRACE}-{SPAN}-0{}", u8::from(sampled))
}

fn faithful(server: Server) -> Server {
    server.env("FX_FIDELITY", "1")
}

/// A gateway that traces what its clients trace, and nothing else.
fn traced(collector: &Collector) -> Builder {
    let setting = format!(
        "tracing: {{otlp: '{}', sample: 0, headers: {{Authorization: 'Bearer ${{OTLP_TOKEN}}'}}}}",
        collector.address()
    );
    TestGateway::builder().server("one", faithful).setting(&setting).env("OTLP_TOKEN", "s3cret-token")
}

/// The parameters as the server got them.
#[track_caller]
fn seen(result: &Value) -> Value {
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {result}"));
    serde_json::from_str(text).expect("parameters are JSON")
}

#[track_caller]
fn named<'a>(spans: &'a [Value], name: &str) -> &'a Value {
    spans.iter().find(|span| span["name"] == name).unwrap_or_else(|| panic!("no span '{name}' in {spans:#?}"))
}

/// The parent that a server was told of, without its flags.
#[track_caller]
fn told(params: &Value) -> (String, String) {
    let parent = params["_meta"]["traceparent"].as_str().unwrap_or_else(|| panic!("no parent in {params}"));
    let parts: Vec<&str> = parent.split('-').collect();
    (parts[1].to_owned(), parts[2].to_owned())
}

#[test]
fn a_trace_goes_from_the_client_through_hooks_to_the_server() {
    let collector = Collector::start();
    let gateway = traced(&collector).start();
    let hook = json!({"name": "look", "hookType": "pre", "script": "return {continue: true}"});
    gateway.post("/api/hooks", hook).expect_status(201);
    let client = Client::legacy(gateway.http());
    let meta = json!({"traceparent": parent(true), "tracestate": "vendor=x"});
    let result = client.result("tools/call", json!({"name": "raw-params", "arguments": {}, "_meta": meta}));
    let params = seen(&result);

    let spans = collector.wait_for(TRACE, 4);
    let server_side = |kind: i64| {
        let found = spans.iter().find(|span| span["kind"] == kind && span["name"] == "tools/call raw-params");
        found.unwrap_or_else(|| panic!("no span of kind {kind} in {spans:#?}"))
    };
    let (request, call) = (server_side(2), server_side(3));
    assert_eq!(request["parentSpanId"], SPAN);
    assert_eq!(call["parentSpanId"], request["spanId"]);
    assert_eq!(named(&spans, "hooks pre")["parentSpanId"], request["spanId"]);
    assert_eq!(named(&spans, "hook look")["parentSpanId"], named(&spans, "hooks pre")["spanId"]);
    assert_eq!(told(&params), (TRACE.to_owned(), call["spanId"].as_str().unwrap_or_default().to_owned()));
    assert_eq!(params["_meta"]["tracestate"], "vendor=x");
    assert!(
        collector
            .posted("authorization")
            .iter()
            .all(|(path, token)| { path == "/v1/traces" && token.as_deref() == Some("Bearer s3cret-token") })
    );
    let log = gateway.log_lines().join("\n") + &gateway.get("/api/settings").text();
    assert!(!log.contains("s3cret-token"), "{log}");
}

#[test]
fn a_header_begins_a_trace_over_rest_and_a_failure_says_why() {
    let collector = Collector::start();
    let gateway = traced(&collector).start();
    let call = |tool: &str| {
        let body = json!({"server": "one", "toolName": tool, "input": {}}).to_string();
        let request = Request::new("POST", "/mcp/call?raw=true").header("traceparent", &parent(true));
        gateway.http().send(&request.body("application/json", body))
    };
    let params = seen(&call("raw-params").body["result"]);
    assert_eq!(told(&params).0, TRACE);
    call("no-such-tool").expect_code(404, "TOOL_NOT_FOUND");
    let spans = collector.wait_for(TRACE, 3);
    let failed = named(&spans, "tools/call no-such-tool");
    assert_eq!(failed["status"], json!({"code": 2, "message": "TOOL_NOT_FOUND"}));
    assert_eq!(failed["parentSpanId"], SPAN);
}

#[test]
fn what_is_not_traced_passes_as_it_came() {
    let collector = Collector::start();
    let gateway = traced(&collector).start();
    let client = Client::legacy(gateway.http());
    for meta in [json!({"traceparent": parent(false)}), json!({"k": 1}), json!({"traceparent": "odd"})] {
        let sent = json!({"name": "raw-params", "arguments": {}, "_meta": meta});
        assert_eq!(seen(&client.result("tools/call", sent.clone())), sent);
    }
    let bare = json!({"name": "raw-params", "arguments": {}});
    assert_eq!(seen(&client.result("tools/call", bare.clone())), bare);
    // A trace that comes afterwards shows that nothing came before it.
    let meta = json!({"traceparent": parent(true)});
    client.result("tools/call", json!({"name": "plain", "arguments": {}, "_meta": meta}));
    collector.wait_for(TRACE, 2);
    assert_eq!(collector.spans().len(), 2);
}

#[test]
fn without_a_client_that_says_so_the_sample_decides() {
    let collector = Collector::start();
    let setting = format!("tracing: {{otlp: '{}', sample: 1}}", collector.address());
    let gateway = TestGateway::builder().server("one", faithful).setting(&setting).start();
    let params = seen(&gateway.http().send(&raw_call()).body["result"]);
    let (trace, span) = told(&params);
    let spans = collector.wait_for(&trace, 2);
    assert!(spans.iter().any(|found| found["spanId"] == span.as_str() && found["kind"] == 3), "{spans:#?}");
    let page = gateway.get(&format!("/api/requests?traceId={trace}"));
    assert_eq!(page.body["requests"][0]["tool"], "raw-params", "{}", page.text());
    let metrics = gateway.get("/metrics").text();
    assert!(metrics.contains("lockgate_trace_spans_total{outcome=\"failed\"} 0\n"), "{metrics}");
}

fn raw_call() -> Request {
    let body = json!({"server": "one", "toolName": "raw-params", "input": {}}).to_string();
    Request::new("POST", "/mcp/call?raw=true").body("application/json", body)
}

#[test]
fn a_collector_that_is_away_holds_up_nobody() {
    let setting = "tracing: {otlp: 'http://127.0.0.1:1', sample: 1}";
    let gateway = TestGateway::builder().server("one", |s| s).setting(setting).start();
    gateway.call("one", "plain", json!({})).expect_status(200);
    testkit::eventually("the loss is counted", || {
        let metrics = gateway.get("/metrics").text();
        let line = metrics
            .lines()
            .find_map(|line| line.strip_prefix("lockgate_trace_spans_total{outcome=\"failed\"} "));
        line.and_then(|count| count.parse::<u64>().ok()).filter(|count| *count >= 2)
    });
    gateway.call("one", "plain", json!({})).expect_status(200);
}

#[test]
fn a_server_elsewhere_is_told_too() {
    let collector = Collector::start();
    let far = TestGateway::builder().server("deep", faithful).start();
    let url = format!("\"http://127.0.0.1:{}/mcp\"", far.http().port);
    let setting = format!("tracing: {{otlp: '{}', sample: 1}}", collector.address());
    let remote = |s: Server| s.raw("command", "").raw("url", &url);
    let gateway = TestGateway::builder().server("one", remote).setting(&setting).start();
    let params = seen(&gateway.http().send(&raw_call()).body["result"]);
    let (trace, span) = told(&params);
    let spans = collector.wait_for(&trace, 2);
    assert!(spans.iter().any(|found| found["spanId"] == span.as_str() && found["kind"] == 3), "{spans:#?}");
}

#[test]
fn a_graph_and_its_nodes_stand_in_the_trace_and_are_counted() {
    let collector = Collector::start();
    let gateway = traced(&collector).start();
    let node = |id: &str, kind: &str| json!({"id": id, "type": kind, "data": {"label": id}, "position": {"x": 0, "y": 0}});
    let edge = |from: &str, to: &str| json!({"id": format!("{from}-{to}"), "source": from, "target": to});
    let graph = json!({
        "name": "careful", "workflowType": "tools/call", "enabled": false,
        "nodes": [node("begin", "start"), node("call", "mcp-call"), node("finish", "end")],
        "edges": [edge("begin", "call"), edge("call", "finish")],
    });
    let created = gateway.post("/api/workflows", graph);
    created.expect_status(201);
    let id = created.body["id"].as_str().expect("an id").to_owned();
    gateway.post(&format!("/api/workflows/{id}/activate"), json!({})).expect_status(200);
    let client = Client::legacy(gateway.http());
    let meta = json!({"traceparent": parent(true)});
    let params =
        seen(&client.result("tools/call", json!({"name": "raw-params", "arguments": {}, "_meta": meta})));

    let spans = collector.wait_for(TRACE, 6);
    let graph = named(&spans, "graph careful");
    let call = spans.iter().find(|span| span["kind"] == 3).expect("the request to the server");
    assert_eq!(call["parentSpanId"], graph["spanId"]);
    assert_eq!(told(&params).1, call["spanId"].as_str().unwrap_or_default());
    for name in ["node begin", "node call", "node finish"] {
        assert_eq!(named(&spans, name)["parentSpanId"], graph["spanId"], "{name}");
    }
    let counted = "lockgate_workflow_runs_total{workflow=\"careful\",outcome=\"ok\"} 1\n";
    assert!(gateway.get("/metrics").text().contains(counted));
}

#[test]
fn where_nothing_is_traced_the_context_of_a_header_is_handed_on() {
    let collector = Collector::start();
    let far = TestGateway::builder().server("deep", faithful).start();
    let url = format!("\"http://127.0.0.1:{}/mcp\"", far.http().port);
    let remote = |s: Server| s.raw("command", "").raw("url", &url);
    let untraced = TestGateway::builder().server("one", faithful);
    let elsewhere = TestGateway::builder().server("one", remote);
    // Traced here, but not by whoever asks.
    let unsampled = traced(&collector);
    for (builder, given) in
        [(untraced, format!("00-{TRACE}-{SPAN}-03")), (elsewhere, parent(true)), (unsampled, parent(false))]
    {
        let gateway = builder.start();
        let told = json!({"traceparent": given, "tracestate": "vendor=x,other=y"});
        let with =
            |request: Request| request.header("traceparent", &given).header("tracestate", "vendor=x,other=y");
        assert_eq!(seen(&gateway.http().send(&with(raw_call())).body["result"])["_meta"], told, "over REST");
        let client = Client::legacy(gateway.http());
        let call = json!({"name": "raw-params", "arguments": {}});
        let reply = client.exchange(&with(client.request("tools/call", call).1));
        assert_eq!(seen(&reply.body["result"])["_meta"], told, "over MCP");
        let odd = raw_call().header("traceparent", "odd").header("tracestate", "vendor=x");
        assert_eq!(seen(&gateway.http().send(&odd).body["result"])["_meta"]["traceparent"], Value::Null);
        // What stands in the parameters is nearer to whoever asked.
        let meta = json!({"traceparent": format!("00-{TRACE}-{SPAN}-00"), "k": 1});
        let call = json!({"name": "raw-params", "arguments": {}, "_meta": meta});
        let reply = client.exchange(&with(client.request("tools/call", call).1));
        assert_eq!(seen(&reply.body["result"])["_meta"], meta);
    }
    assert!(collector.spans().is_empty(), "{:#?}", collector.spans());
}

#[test]
fn a_call_that_is_cancelled_at_the_server_is_counted_and_its_span_says_so() {
    let collector = Collector::start();
    let gateway = traced(&collector).start();
    let node =
        |id: &str, kind: &str| json!({"id": id, "type": kind, "data": {}, "position": {"x": 0, "y": 0}});
    let edge = |from: &str, to: &str| json!({"id": format!("{from}-{to}"), "source": from, "target": to});
    let graph = json!({
        "name": "careful", "workflowType": "tools/call", "enabled": false,
        "nodes": [node("begin", "start"), node("call", "mcp-call"), node("finish", "end")],
        "edges": [edge("begin", "call"), edge("call", "finish")],
    });
    let created = gateway.post("/api/workflows", graph);
    let id = created.expect_status(201).body["id"].as_str().expect("an id").to_owned();
    gateway.post(&format!("/api/workflows/{id}/activate"), json!({})).expect_status(200);
    let body = json!({"server": "one", "toolName": "sleep", "input": {"ms": 60_000}}).to_string();
    let request = Request::new("POST", "/mcp/call").header("traceparent", &parent(true));
    let connection = gateway.http().begin(&request.body("application/json", body)).expect("it is sent");
    eventually("the call arrives", || (gateway.stats("one")["last"] == json!({"ms": 60_000})).then_some(()));
    drop(connection);
    for line in [
        "lockgate_calls_total{server=\"one\",tool=\"sleep\",outcome=\"CANCELLED\"} 1\n",
        "lockgate_workflow_runs_total{workflow=\"careful\",outcome=\"error\"} 0\n",
        "lockgate_workflow_runs_total{workflow=\"careful\",outcome=\"cancelled\"} 1\n",
    ] {
        eventually(line, || gateway.get("/metrics").text().contains(line).then_some(()));
    }
    let span = eventually("the span of the request to the server", || {
        collector.spans().into_iter().find(|span| span["traceId"] == TRACE && span["kind"] == 3)
    });
    assert_eq!(span["status"], json!({"code": 2, "message": "CANCELLED"}));
    let said = |name: &str| {
        let all = span["attributes"].as_array().expect("a list");
        let found = all.iter().find(|one| one["key"] == name);
        found.map(|one| one["value"]["stringValue"].clone())
    };
    assert_eq!(said("lockgate.server"), Some(json!("one")), "{span:#}");
    assert_eq!(said("gen_ai.tool.name"), Some(json!("sleep")), "{span:#}");
}
