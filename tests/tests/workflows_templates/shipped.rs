//! The templates that come with the product: each is made, activated and passed through.

use super::*;
use testkit::Client;

#[test]
fn templates_are_listed_with_what_they_ask_for() {
    let gateway = start();
    let all = listed(&gateway, "shipped");
    assert_eq!(all.len(), 11);
    let one = all.iter().find(|one| one["id"] == "slow-call-alarm").expect("a template");
    let parameter = &one["parameters"][0];
    assert_eq!(
        (&parameter["name"], &parameter["type"], &parameter["default"], &parameter["required"]),
        (&json!("thresholdMs"), &json!("number"), &json!(1000), &json!(false))
    );
    assert_eq!((&one["workflowType"], one.get("workflow")), (&json!("tools/call"), None));
    let shown = gateway.get("/api/templates/slow-call-alarm").body;
    assert!(shown["workflow"]["nodes"].is_array(), "{shown}");
    gateway.post("/api/templates/nothing/create", json!({})).expect_code(404, "NOT_FOUND");
    gateway.delete("/api/templates/slow-call-alarm").expect_code(409, "CONFLICT");
    for (body, field, message) in [
        (json!({}), "parameters.tools", "parameters.tools is required"),
        (json!({"parameters": {"tools": "a"}}), "parameters.tools", "parameters.tools must be a list"),
        (
            json!({"parameters": {"tools": [], "x": 1}}),
            "parameters.x",
            "parameters.x is not a parameter of Allow-list",
        ),
        (json!({"parameters": []}), "parameters", "parameters must be a JSON object"),
        (json!({"name": " "}), "name", "name must be a string that is not blank"),
    ] {
        let fault =
            gateway.post("/api/templates/allow-list/create", body).expect_code(400, "VALIDATION_ERROR");
        assert_eq!((&fault.details["field"], fault.message.as_str()), (&json!(field), message));
    }
    let named = json!({"name": "Mine", "parameters": {"tools": ["echo"]}});
    assert_eq!(gateway.post("/api/templates/allow-list/create", named).body["name"], "Mine");
}

/// The fixture with annotations: `echo` is read-only, `plain` and `rpc` are idempotent. Its first `hello` is lost:
/// an error comes in its place.
const ANNOTATED: &str = r#"FIXTURE | sed -u \
  -e 's/"name":"echo"/&,"annotations":{"readOnlyHint":true}/' \
  -e 's/"name":"plain"/&,"annotations":{"idempotentHint":true}/' \
  -e 's/"name":"rpc"/&,"annotations":{"idempotentHint":true}/' |
while IFS= read -r line; do
  case "$line" in *'"text":"hello"'*)
    if [ -z "$lost" ]; then
      lost=1; id=${line##*'"id":'}; id=${id%%[,\}]*}
      line='{"jsonrpc":"2.0","id":'$id',"error":{"code":-32000,"message":"later"}}'
    fi;;
  esac
  printf '%s\n' "$line"
done"#;

/// How many calls reached the server, those of this question left out.
fn counter(gateway: &TestGateway, asked: &mut u64) -> u64 {
    *asked += 1;
    gateway.stats("test-server")["calls"].as_u64().expect("stats has a counter") - *asked
}

#[test]
fn replies_of_read_only_tools_are_kept_and_of_others_not() {
    let gateway = TestGateway::with(|s| s.shell(ANNOTATED));
    let mut asked = 0;
    let id = activate(&gateway, "cache-read-only-calls", json!({"ttlMs": 600_000}));
    let client = Client::legacy(gateway.http());
    for _ in 0..3 {
        assert_eq!(
            gateway.call("test-server", "echo", json!({"a": 1, "b": [2]})).result(),
            &json!({"a": 1, "b": [2]})
        );
    }
    let same = client.call("echo", json!({"b": [2], "a": 1}));
    assert_eq!(same["content"][0]["text"], r#"{"a":1,"b":[2]}"#, "by another way in, in another order");
    assert_eq!(counter(&gateway, &mut asked), 1);
    gateway.call("test-server", "echo", json!({"a": 2})).expect_status(200);
    assert_eq!(counter(&gateway, &mut asked), 2, "other arguments are another call");
    for _ in 0..2 {
        gateway.call("test-server", "parts", json!({})).expect_status(200);
    }
    assert_eq!(counter(&gateway, &mut asked), 4, "this tool says nothing of itself");
    let first = |tool: &str| {
        let of = |run: &Value| run["context"]["toolName"] == tool;
        runs(&gateway, &id).into_iter().find(of).expect("a run")["results"]["call"].clone()
    };
    let (echo, parts) = (first("echo"), first("parts"));
    assert_eq!((&echo["cached"], &echo["attempts"]), (&json!(false), &json!(1)), "{echo}");
    assert_eq!((&parts["cached"], &parts["attempts"]), (&json!(false), &json!(1)), "{parts}");
    gateway.call("test-server", "echo", json!({"a": 2})).expect_status(200);
    let echo = first("echo");
    assert_eq!((&echo["cached"], &echo["attempts"]), (&json!(true), &json!(0)), "{echo}");
}

#[test]
fn calls_of_idempotent_tools_are_made_again_once_and_others_never() {
    let gateway = TestGateway::with(|s| s.shell(ANNOTATED));
    let mut asked = 0;
    let id = activate(&gateway, "retry-once", json!({"backoffMs": 10}));
    assert_eq!(text(&gateway.call("test-server", "plain", json!({}))), "hello", "the first reply was lost");
    assert_eq!(counter(&gateway, &mut asked), 2);
    let call =
        runs(&gateway, &id).into_iter().find(|run| run["context"]["toolName"] == "plain").expect("a run");
    assert_eq!(call["results"]["call"]["attempts"], 2, "{call}");
    let words = gateway.call("test-server", "rpc", json!({"code": -32000, "message": "its own words"}));
    assert!(words.text().contains("its own words"), "{}", words.text());
    assert_eq!(counter(&gateway, &mut asked), 4);
    let again =
        |line: &Value| line["message"] == "the call failed and is made again" && line["code"] == "-32000";
    eventually("the log says so", || gateway.log().iter().find(|line| again(line)).map(drop));
    let log = gateway.log_lines().join("\n");
    assert!(!log.contains("its own words"), "what a server says is not for the log: {log}");
    gateway.call("test-server", "rpc", json!({"code": -32602, "message": "no"})).expect_status(400);
    assert_eq!(counter(&gateway, &mut asked), 5, "a request that is refused would be refused again");
    gateway.call("test-server", "err-blank", json!({})).expect_status(500);
    assert_eq!(counter(&gateway, &mut asked), 6, "the tool answered");
    let node_types = gateway.get("/api/node-types").body;
    let call =
        node_types.as_array().expect("a list").iter().find(|one| one["name"] == "mcp-call").expect("a type");
    assert_eq!(call["schema"]["properties"]["retry"]["properties"]["maxAttempts"]["minimum"], 2);
}

#[test]
fn templates_that_guard_calls_do_so() {
    let gateway = start();
    activate(&gateway, "allow-list", json!({"tools": ["echo"]}));
    gateway.call("test-server", "echo", json!({})).expect_status(200);
    let refused = gateway.call("test-server", "plain", json!({})).text();
    assert!(refused.contains("Tool 'plain' is not on the allow-list"), "{refused}");

    activate(&gateway, "guard-arguments", json!({"patterns": ["rm\\s+-rf"], "message": "Not here"}));
    gateway.call("test-server", "echo", json!({"cmd": "ls"})).expect_status(200);
    let refused = gateway.call("test-server", "echo", json!({"deep": [{"cmd": "RM  -rf /"}]})).text();
    assert!(refused.contains("Not here"), "{refused}");

    activate(&gateway, "argument-defaults", json!({"tool": "echo", "defaults": {"a": 1, "b": 2}}));
    assert_eq!(gateway.call("test-server", "echo", json!({"b": 3})).result(), &json!({"a": 1, "b": 3}));
}

#[test]
fn templates_that_shape_replies_do_so() {
    let gateway = start();
    activate(&gateway, "redact-secrets", json!({"replacement": "***"}));
    let reply = gateway.call("test-server", "echo", json!({"mail": "someone@example.com"}));
    assert_eq!(reply.result()["mail"], "***");
    activate(&gateway, "shape-replies", json!({"maxCharacters": 10}));
    let client = Client::legacy(gateway.http());
    let result = client.call("echo", json!({"long": "x".repeat(50)}));
    let text = result["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("{\"long\":\"x") && text.ends_with("more characters]"), "{text}");
    activate(&gateway, "hide-tools", json!({"tools": ["echo"]}));
    let names: Vec<_> = gateway.tools().into_iter().map(|(_, name)| name).collect();
    assert!(!names.contains(&"echo".to_owned()) && names.contains(&"plain".to_owned()), "{names:?}");
}

#[test]
fn templates_that_watch_write_to_the_log() {
    let gateway = start();
    let id = activate(&gateway, "log-calls", json!({}));
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    let line = done(&gateway, &id, "hook")["console"][0]["text"].clone();
    assert!(line.as_str().is_some_and(|text| text.contains("called test-server/plain")), "{line}");
    let id = activate(&gateway, "log-and-count", json!({}));
    for _ in 0..3 {
        gateway.call("test-server", "plain", json!({})).expect_status(200);
    }
    let line = done(&gateway, &id, "log")["console"][0]["text"].clone();
    assert!(line.as_str().is_some_and(|text| text.ends_with("(call 3 of this tool, 3 of all)")), "{line}");
    let id = activate(&gateway, "slow-call-alarm", json!({"thresholdMs": 100}));
    gateway.call("test-server", "sleep", json!({"ms": 150})).expect_status(200);
    let result = done(&gateway, &id, "hook");
    assert_eq!(result["console"][0]["level"], "warn", "{result}");
}
