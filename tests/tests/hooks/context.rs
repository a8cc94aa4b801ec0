//! What a script sees (spec 2.4).

use super::*;
use testkit::Server;

/// Answers a call, read or prompt with everything that the script sees, as text.
const SHOW: &str = "const seen = JSON.stringify(context);
    context.metadata.shared.seen = seen;";

/// Puts it into the reply, whatever that is a reply to.
const TELL: &str = "context.response._meta = {...context.response._meta,
    seen: JSON.parse(context.metadata.shared.seen), after: JSON.parse(JSON.stringify(context))};";

/// A gateway whose every reply tells what hooks saw, in `_meta.seen` (pre) and `_meta.after` (post).
fn telling(edit: impl FnOnce(Server) -> Server) -> TestGateway {
    let gateway = TestGateway::builder().server("demo", edit).start();
    create(&gateway, json!({"name": "show", "hookType": "pre", "script": SHOW, "onError": "stop"}));
    create(&gateway, json!({"name": "tell", "hookType": "post", "script": TELL, "onError": "stop"}));
    gateway
}

/// The built-in demo server, which has something for every method.
fn demo(server: Server) -> Server {
    let lockgate = testkit::lockgate();
    server.command(lockgate.to_str().expect("the path of the build is UTF-8")).args(&["demo-server"])
}

#[test]
fn every_covered_method_has_its_aliases() {
    let gateway = telling(demo);
    for client in clients(&gateway) {
        for (method, params, kind, alias, server) in [
            (
                "tools/call",
                json!({"name": "fetch-weather", "arguments": {"city": "tokyo"}}),
                "CallTool",
                Some(("toolName", "fetch-weather")),
                true,
            ),
            (
                "tools/call",
                json!({"name": "demo__fetch-weather", "arguments": {"city": "tokyo"}}),
                "CallTool",
                Some(("toolName", "fetch-weather")),
                true,
            ),
            ("tools/list", json!({}), "ListTools", None, false),
            (
                "resources/read",
                json!({"uri": "demo://bmi-categories"}),
                "ReadResource",
                Some(("resourceUri", "demo://bmi-categories")),
                true,
            ),
            (
                "resources/read",
                json!({"uri": "demo+demo://weather/osaka"}),
                "ReadResource",
                Some(("resourceUri", "demo://weather/osaka")),
                true,
            ),
            ("resources/list", json!({}), "ListResources", None, false),
            ("resources/templates/list", json!({}), "ListResourceTemplates", None, false),
            (
                "prompts/get",
                json!({"name": "weather-report", "arguments": {"city": "osaka"}}),
                "GetPrompt",
                Some(("promptName", "weather-report")),
                true,
            ),
            (
                "prompts/get",
                json!({"name": "demo__weather-report", "arguments": {"city": "osaka"}}),
                "GetPrompt",
                Some(("promptName", "weather-report")),
                true,
            ),
            ("prompts/list", json!({}), "ListPrompts", None, false),
        ] {
            let result = client.result(method, params.clone());
            let (seen, after) = (&result["_meta"]["seen"], &result["_meta"]["after"]);
            for context in [seen, after] {
                assert_eq!(context["request"]["method"], method, "{context}");
                assert_eq!(context["requestType"], kind, "{context}");
                for name in ["toolName", "resourceUri", "promptName"] {
                    let own = alias.filter(|(alias, _)| *alias == name).map(|(_, own)| json!(own));
                    assert_eq!(context.get(name), own.as_ref(), "{context}");
                }
                let server = server.then(|| json!("demo"));
                assert_eq!(context.get("serverName"), server.as_ref(), "{context}");
                assert_eq!(context["metadata"].get("serverName"), server.as_ref(), "{context}");
                assert_eq!(context["metadata"].get("serverId"), server.as_ref(), "{context}");
                for (name, value) in params.as_object().expect("an object") {
                    assert_eq!(&context["request"]["params"][name], value, "{context}");
                }
                assert!(context["metadata"]["startTime"].as_i64().is_some_and(|t| t > 1_700_000_000_000));
                assert!(context["metadata"].get("error").is_none(), "{context}");
                for absent in ["workflowName", "nodeName", "previousResults"] {
                    assert!(context.get(absent).is_none(), "{context}");
                }
            }
            assert!(seen.get("response").is_none() && after["response"].is_object(), "{seen} {after}");
            assert!(seen["metadata"].get("duration").is_none() && after["metadata"]["duration"].is_number());
        }
    }
}

#[test]
fn a_call_over_rest_looks_like_one_over_mcp() {
    let gateway = telling(|s| s);
    let body = json!({"server": "demo", "toolName": "echo", "input": {"a": 1}, "timeout": 5000});
    let reply = gateway.post("/mcp/call?raw=true", body);
    let seen = &reply.result()["_meta"]["seen"];
    assert_eq!(
        seen["request"],
        json!({"method": "tools/call", "params": {"name": "echo", "arguments": {"a": 1}}})
    );
    assert_eq!(
        (&seen["requestType"], &seen["toolName"], &seen["serverName"]),
        (&json!("CallTool"), &json!("echo"), &json!("demo"))
    );
}

#[test]
fn a_client_is_known_by_header_then_by_handshake_then_not_at_all() {
    let gateway = telling(|s| s);
    let id = |reply: &Reply| reply.body["result"]["_meta"]["seen"]["metadata"]["clientId"].clone();
    let body = json!({"server": "demo", "toolName": "echo", "input": {}}).to_string();
    let call = Request::new("POST", "/mcp/call?raw=true").body("application/json", body);
    assert_eq!(id(&gateway.http().send(&call)), "anonymous");
    assert_eq!(id(&gateway.http().send(&call.clone().header("X-Client-Id", "ci-runner"))), "ci-runner");
    assert_eq!(id(&gateway.http().send(&call.clone().header("X-Client-Id", "端末"))), "端末");
    assert_eq!(id(&gateway.http().send(&call.header("X-Client-Id", ""))), "anonymous");
    for client in clients(&gateway) {
        for (method, params) in [("tools/call", json!({"name": "echo"})), ("tools/list", json!({}))] {
            let (_, request) = client.request(method, params);
            assert_eq!(id(&client.exchange(&request)), "testkit", "{method}");
            assert_eq!(id(&client.exchange(&request.header("x-client-id", "desk"))), "desk", "{method}");
        }
    }
    let nameless = Request::new("POST", "/mcp").header("Accept", "application/json, text/event-stream");
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "", "version": ""}});
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let reply = gateway.http().send(&nameless.body("application/json", hello.to_string()));
    let client = Client::resume(gateway.http(), reply.header("mcp-session-id"), json!({}));
    let (_, request) = client.request("tools/call", json!({"name": "echo"}));
    assert_eq!(id(&client.exchange(&request)), "anonymous");
}

#[test]
fn the_clients_token_and_the_servers_secrets_are_nowhere() {
    let gateway = telling(|s| s.env("API_KEY", "s3cret-of-the-server"));
    let info = "context.metadata.shared.info = await getServerInfo('demo');
        context.metadata.shared.none = await getServerInfo('nobody');
        context.metadata.shared.key = await validateToken('s3cret-of-the-client')";
    create(&gateway, json!({"name": "asks", "hookType": "pre", "script": info, "onError": "stop"}));
    for client in clients(&gateway) {
        let (_, request) = client.request("tools/call", json!({"name": "echo", "arguments": {}}));
        let secret = request
            .header("Authorization", "Bearer s3cret-of-the-client")
            .header("X-Api-Key", "s3cret-of-the-client")
            .header("Cookie", "session=s3cret-of-the-client");
        let reply = client.exchange(&secret);
        let shared = &reply.body["result"]["_meta"]["after"]["metadata"]["shared"];
        let info =
            json!({"id": "demo", "name": "demo", "type": "stdio", "status": "running", "enabled": true});
        assert_eq!((&shared["info"], &shared["none"], &shared["key"]), (&info, &Value::Null, &json!(false)));
        assert!(!reply.text().contains("s3cret"), "{}", reply.text());
    }
}

#[test]
fn shared_belongs_to_one_request() {
    let gateway = plan().start();
    pre(
        &gateway,
        "first",
        "if (Object.keys(context.metadata.shared).length) throw Error('not empty');
        context.metadata.shared.n = context.request.params.arguments.n",
    );
    pre(&gateway, "second", "await sleep(5); context.metadata.shared.list = [context.metadata.shared.n]");
    post(&gateway, "third", "context.response._meta = {shared: context.metadata.shared}");
    let threads: Vec<_> = (0..8)
        .map(|thread| {
            let client = Client::legacy(gateway.http());
            std::thread::spawn(move || {
                for n in (0..20).map(|n| thread * 100 + n) {
                    let result = client.call("echo", json!({"n": n}));
                    assert_eq!(result["_meta"]["shared"], json!({"n": n, "list": [n]}));
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().expect("every request has its own"));
}
