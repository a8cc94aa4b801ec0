//! Activities that reach out: tools of servers on the road of every call, and HTTP where it is allowed (spec 4.9).

use super::*;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// An activity that calls a tool of the fixture.
fn tool(name: &str, tool: &str) -> Value {
    json!({"name": name, "description": name, "run": {"tool": {"server": "test-server", "name": tool}}})
}

/// A gateway with the fixture and one workflow `w` of these activities, in this order.
fn gateway(activities: &[Value]) -> TestGateway {
    let steps: Vec<Value> = activities.iter().map(|one| one["name"].clone()).collect();
    served(activities, &[workflow("w", &steps)], |server| server.env("FX_FIDELITY", "1")).start()
}

#[test]
fn a_tool_is_called_with_the_input_and_its_value_is_the_data() {
    let gateway = gateway(&[tool("bmi", "calculate-bmi"), tool("echo", "echo"), tool("hello", "plain")]);
    let client = Client::legacy(gateway.http());
    let reply = client.call("w_start", json!({"weight_kg": 70, "height_m": 2}));
    assert_eq!(reply["structuredContent"]["stepResult"], json!({"result": 17.5}));
    let reply = client.call("w_continue", json!({"sessionId": id(&reply), "more": true}));
    assert_eq!(reply["structuredContent"]["stepResult"], json!({"result": 17.5, "more": true}));
    let done = said(&client.call("w_continue", json!({"sessionId": id(&reply)})));
    let whole = json!({"content": [{"type": "text", "text": "hello"}]});
    assert_eq!(done["results"]["hello"], whole, "a text that is no JSON is given as the whole result");
}

#[test]
fn an_error_of_a_tool_is_the_failure_of_its_step() {
    let tools = [tool("bmi", "calculate-bmi"), tool("gone", "no-such-tool"), tool("rpc", "rpc")];
    let flows: Vec<Value> = tools
        .iter()
        .map(|one| workflow(one["name"].as_str().expect("a name"), &[one["name"].clone()]))
        .collect();
    let away = json!({"name": "away", "run": {"tool": {"server": "nobody", "name": "x"}}});
    let all: Vec<Value> = tools.into_iter().chain([away]).collect();
    let flows: Vec<Value> = flows.into_iter().chain([workflow("away", &[json!("away")])]).collect();
    let gateway = served(&all, &flows, |server| server).start();
    let client = Client::legacy(gateway.http());
    let reply = client.call("bmi_start", json!({"weight_kg": -1, "height_m": 2}));
    assert_eq!(
        failure(&reply),
        "Workflow failed at step 0 (bmi): Invalid input: height and weight must be positive values"
    );
    assert!(failure(&client.call("gone_start", json!({}))).contains("no-such-tool"));
    assert!(failure(&client.call("away_start", json!({}))).contains("nobody"));
    let reply = client.call("rpc_start", json!({"code": -32001, "message": "out of order"}));
    assert!(failure(&reply).contains("out of order"), "{reply}");
}

#[test]
fn a_tool_gets_a_key_that_names_its_session_and_step() {
    let gateway = gateway(&[tool("first", "raw-params"), tool("second", "raw-params"), tool("last", "echo")]);
    let client = Client::legacy(gateway.http());
    let reply = client.call("w_start", json!({"q": 1}));
    let session = id(&reply);
    let sent =
        |reply: &Value| reply["structuredContent"]["stepResult"]["_meta"]["lockgate/idempotencyKey"].clone();
    assert_eq!(sent(&reply), format!("{session}/0"));
    let reply = client.call("w_continue", json!({"sessionId": session}));
    assert_eq!(sent(&reply), format!("{session}/1"));
}

#[test]
fn a_tool_activity_goes_through_hooks_and_the_graph() {
    let gateway = gateway(&[tool("echo", "echo"), tool("again", "echo")]);
    let hook = json!({"name": "mark", "hookType": "pre",
        "script": "if (context.toolName === 'echo') context.request.params.arguments.hooked = context.metadata.clientId ?? true"});
    gateway.post("/api/hooks", hook).expect_status(201);
    let node = |id: &str, kind: &str| json!({"id": id, "type": kind, "position": {"x": 0, "y": 0}, "data": {"label": id}});
    let mut inner = node("h", "hook");
    let source = "if (context.toolName === 'echo') context.request.params.arguments.drawn = true";
    inner["data"]["hook"] = json!({"id": "h", "script": source, "blocking": true});
    let edge = |from: &str, to: &str| json!({"id": format!("{from}{to}"), "source": from, "target": to});
    let graph = json!({"name": "g", "workflowType": "tools/call", "enabled": true,
        "nodes": [node("s", "start"), inner, node("c", "mcp-call"), node("e", "end")],
        "edges": [edge("s", "h"), edge("h", "c"), edge("c", "e")]});
    let made = gateway.post("/api/workflows", graph);
    made.expect_status(201);
    let reply = Client::legacy(gateway.http()).call("w_start", json!({"q": 1}));
    let got = &reply["structuredContent"]["stepResult"];
    assert_eq!(got["q"], 1, "{reply}");
    assert!(got.get("hooked").is_some_and(|value| !value.is_null()), "{reply}");
    assert_eq!(got["drawn"], true, "{reply}");
}

#[test]
fn a_hook_sees_that_a_step_makes_the_call_and_that_a_tool_is_the_gateways_own() {
    let gateway = gateway(&[tool("echo", "echo"), tool("again", "echo")]);
    let hook = json!({"name": "tell", "hookType": "pre",
        "script": "const {origin, sessionId, serverName} = context.metadata;
            context.request.params.arguments.seen ??= [origin ?? null, sessionId ?? null, serverName, context.serverName];
            if (context.toolName === 'echo') context.request.params.arguments.inner = [origin ?? null, sessionId ?? null, serverName]"});
    gateway.post("/api/hooks", hook).expect_status(201);
    let client = Client::legacy(gateway.http());
    let reply = client.call("w_start", json!({}));
    let got = &reply["structuredContent"]["stepResult"];
    assert_eq!(got["seen"], json!([null, null, "lockgate", "lockgate"]), "{reply}");
    assert_eq!(got["inner"], json!(["workflow", id(&reply), "test-server"]), "{reply}");
    let plain = client.call("echo", json!({}));
    assert!(text(&plain).contains(r#""inner":[null,null,"test-server"]"#), "{plain}");
}

#[test]
fn a_blocked_tool_activity_fails_with_the_words_of_the_hook() {
    let gateway = gateway(&[tool("echo", "echo"), tool("again", "echo")]);
    let hook = json!({"name": "no", "hookType": "pre",
        "script": "if (context.toolName === 'echo') return {continue: false, error: {code: 'NO', message: 'not today'}}"});
    gateway.post("/api/hooks", hook).expect_status(201);
    let reply = Client::legacy(gateway.http()).call("w_start", json!({}));
    assert_eq!(failure(&reply), "Workflow failed at step 0 (echo): not today");
}

#[test]
fn the_timeout_of_an_activity_ends_its_call() {
    let nap = with(tool("nap", "sleep"), json!({"timeout": 200}));
    let gateway = gateway(&[nap]);
    let reply = Client::legacy(gateway.http()).call("w_start", json!({"ms": 5000}));
    assert_eq!(failure(&reply), "Workflow failed at step 0 (nap): Activity timed out after 200ms");
}

/// A local HTTP server that keeps what it was asked and answers every request with this.
struct Site {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Site {
    fn new(status: &'static str, body: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        // It ends with the test, whose process it is a part of.
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let request = whole(&mut stream);
                seen.lock().expect("no panic").push(request);
                let length = body.len();
                let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n");
                let _ = write!(stream, "{head}Content-Type: application/json\r\n\r\n{body}");
            }
        });
        Self { port, asked }
    }

    fn last(&self) -> String {
        self.asked.lock().expect("no panic").last().cloned().unwrap_or_default()
    }

    /// An activity that asks it.
    fn activity(&self, path: &str, fields: Value) -> Value {
        let run = with(json!({"url": format!("http://127.0.0.1:{}{path}", self.port)}), fields);
        json!({"name": "ask", "description": "Asks", "run": {"http": run}})
    }

    /// A gateway whose workflow `w` is that activity, after one that remembers.
    fn gateway(&self, activity: Value, allowed: bool) -> TestGateway {
        let remember =
            script("remember", "context.memory.ratio = 0.5; context.memory.deep = {list: [1, 2]}; return {}");
        let builder = builder(&[remember, activity], &[workflow("w", &[json!("remember"), json!("ask")])]);
        match allowed {
            true => {
                builder.setting(&format!("outbound: {{allow: ['http://127.0.0.1:{}']}}", self.port)).start()
            }
            false => builder.start(),
        }
    }
}

/// One request: its head, and its body in full.
fn whole(stream: &mut std::net::TcpStream) -> String {
    let (mut text, mut part) = (String::new(), [0; 4096]);
    loop {
        let read = stream.read(&mut part).unwrap_or(0);
        text.push_str(&String::from_utf8_lossy(&part[..read]));
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            if read == 0 {
                return text;
            }
            continue;
        };
        let length = head
            .to_lowercase()
            .lines()
            .find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
        if read == 0 || body.len() >= length.unwrap_or(0) {
            return text;
        }
    }
}

/// Starts the workflow with that input and runs it to its end.
#[track_caller]
fn ask(gateway: &TestGateway, input: Value) -> Value {
    let arguments = with(input, json!({"maxSteps": "all"}));
    Client::legacy(gateway.http()).call("w_start", arguments)
}

#[test]
fn placeholders_are_filled_in_and_a_lone_one_keeps_its_type() {
    let site = Site::new("200 OK", r#"{"ok":true}"#);
    let fields = json!({"method": "POST", "headers": {"X-Name": "{{input.name}}"},
        "body": {"ratio": "{{memory.ratio}}", "text": "r={{memory.ratio}}", "list": "{{memory.deep.list}}", "source": "lockgate"}});
    let gateway = site.gateway(site.activity("/people/{{input.id}}?q={{input.name}}", fields), true);
    let reply = ask(&gateway, json!({"id": "a/b c", "name": "x&y"}));
    assert_eq!(said(&reply)["results"]["ask"], json!({"ok": true}));
    let request = site.last();
    assert!(request.starts_with("POST /people/a%2Fb%20c?q=x%26y HTTP/1.1\r\n"), "{request}");
    assert!(request.to_lowercase().contains("x-name: x&y"), "{request}");
    let body: Value = serde_json::from_str(request.split("\r\n\r\n").nth(1).expect("a body")).expect("JSON");
    assert_eq!(body, json!({"ratio": 0.5, "text": "r=0.5", "list": [1, 2], "source": "lockgate"}));
}

#[test]
fn without_a_body_the_input_goes_as_query_or_as_json() {
    let site = Site::new("200 OK", r#"[1]"#);
    let gateway = site.gateway(site.activity("/get", json!({})), true);
    assert_eq!(said(&ask(&gateway, json!({"q": "a b", "n": 1})))["results"]["ask"], json!([1]));
    let line = site.last().lines().next().expect("a line").to_owned();
    assert!(line == "GET /get?q=a%20b&n=1 HTTP/1.1" || line == "GET /get?q=a+b&n=1 HTTP/1.1", "{line}");
    let gateway = site.gateway(site.activity("/post", json!({"method": "POST"})), true);
    ask(&gateway, json!({"q": 1}));
    assert!(site.last().ends_with(r#"{"q":1}"#), "{}", site.last());
}

#[test]
fn an_answer_that_is_no_success_is_a_failure() {
    let site = Site::new("503 Service Unavailable", r#"{"ok":true}"#);
    let gateway = site.gateway(site.activity("/", json!({})), true);
    let reply = ask(&gateway, json!({}));
    assert!(failure(&reply).contains("503"), "{reply}");
}

#[test]
fn what_is_not_allowed_is_not_asked() {
    let site = Site::new("200 OK", "{}");
    let gateway = site.gateway(site.activity("/", json!({})), false);
    let reply = ask(&gateway, json!({}));
    assert!(failure(&reply).contains("outbound.allow"), "{reply}");
    assert_eq!(site.last(), "");
}

#[test]
fn a_request_that_takes_too_long_ends_with_the_timeout_of_its_activity() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let origin = format!("http://{}", silent.local_addr().expect("an address"));
    let ask = json!({"name": "ask", "timeout": 200, "run": {"http": {"url": format!("{origin}/never")}}});
    let gateway = builder(&[ask], &[workflow("w", &[json!("ask")])])
        .setting(&format!("outbound: {{allow: [\"{origin}\"]}}"))
        .start();
    let reply = Client::legacy(gateway.http()).call("w_start", json!({}));
    assert_eq!(failure(&reply), "Workflow failed at step 0 (ask): Activity timed out after 200ms");
}

#[test]
fn a_header_that_comes_back_masked_keeps_its_value_at_its_host() {
    let site = Site::new("200 OK", "{}");
    let gateway = site.gateway(site.activity("/", json!({})), true);
    let at = |path: &str| format!("http://127.0.0.1:{}{path}", site.port);
    let http = |url: &str, headers: Value| json!({"http": {"method": "GET", "url": url, "headers": headers}});
    let activity =
        json!({"name": "kept", "publish": true, "run": http(&at("/a"), json!({"X-Key": "s3cret"}))});
    gateway.post("/api/activities", activity).expect_status(201);
    let path = "/api/activities/kept";
    let shown = gateway.get(path).body;
    assert_eq!(shown["run"]["http"]["headers"], json!({"X-Key": "***"}), "{shown}");
    patch(&gateway, path, shown).expect_status(200);
    patch(&gateway, path, json!({"run": http(&at("/b?c"), json!({"X-Key": "***"}))})).expect_status(200);
    Client::legacy(gateway.http()).call("kept", json!({}));
    assert!(site.last().starts_with("GET /b?c"), "{}", site.last());
    assert!(site.last().to_lowercase().contains("x-key: s3cret"), "{}", site.last());
    for (url, headers) in [
        (at("/b"), json!({"X-Other": "***"})),
        ("https://elsewhere.example/b".to_owned(), json!({"X-Key": "***"})),
    ] {
        let fault =
            patch(&gateway, path, json!({"run": http(&url, headers)})).expect_code(400, "VALIDATION_ERROR");
        assert!(fault.message.ends_with("is masked and has no value at this host yet; give it"), "{url}");
    }
}

#[test]
fn the_log_says_how_a_step_failed_but_not_what_it_was_given_or_told() {
    let strict = json!({"inputSchema": {"type": "object", "properties": {"n": {"type": "number"}}}});
    let strict = with(script("strict", "return {}"), strict);
    let hasty = with(script("hasty", "await sleep(20000)"), json!({"timeout": 50}));
    let again = json!({"retry": {"maxAttempts": 2, "backoffMs": 1}});
    let all = [strict, hasty, tool("bmi", "calculate-bmi"), with(tool("again", "calculate-bmi"), again)];
    let names = ["strict", "hasty", "bmi", "again"];
    let flows = names.map(|name| workflow(name, &[json!(name)]));
    let gateway = served(&all, &flows, |server| server).start();
    let client = Client::legacy(gateway.http());
    let input = json!({"n": "topsecretvalue", "weight_kg": -1, "height_m": 2});
    let replies = names.map(|name| client.call(&format!("{name}_start"), input.clone()));
    assert!(failure(&replies[0]).contains("topsecretvalue"), "the caller is told: {}", replies[0]);
    assert!(failure(&replies[2]).contains("must be positive"), "the caller is told: {}", replies[2]);
    let steps =
        || -> Vec<Value> { gateway.log().into_iter().filter(|line| line["message"] == "step").collect() };
    let steps = within(PATIENCE, || Some(steps()).filter(|steps| steps.len() == 4)).expect("four steps");
    let told: Vec<&Value> = steps.iter().map(|line| &line["error"]).collect();
    assert_eq!(told, ["input does not match its schema", "timed out", "failed", "failed"]);
    let log = gateway.log_lines().join("\n");
    for never in ["topsecretvalue", "must be positive"] {
        assert!(!log.contains(never), "{log}");
    }
    let fields = gateway.log().into_iter().find(|line| line["fields"] == "n").expect("the fields are named");
    assert_eq!(fields["activity"], "strict", "{fields}");
}
