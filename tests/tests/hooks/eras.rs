//! Hooks between clients and servers of different eras.

use super::*;

/// The result of a call for a modern client, which must say once that it is complete.
#[track_caller]
fn complete(client: &Client, tool: &str) -> Value {
    let (_, request) = client.request("tools/call", json!({"name": tool, "arguments": {"a": 1}}));
    let reply = client.exchange(&request);
    assert_eq!(reply.text().matches("\"resultType\"").count(), 1, "{}", reply.text());
    assert_eq!(reply.body["result"]["resultType"], "complete", "{}", reply.text());
    reply.body["result"].clone()
}

#[test]
fn what_a_hook_answers_has_what_a_modern_client_needs_to_hear() {
    for era in ["legacy", "modern"] {
        let gateway = TestGateway::with(|s| s.env("FX_ERA", era));
        let id = pre(&gateway, "h", "return {response: {content: [{type: 'text', text: 'mine'}]}}");
        let client = Client::modern(gateway.http());
        assert_eq!(text(&complete(&client, "echo")), "mine", "{era}");
        assert_eq!(text(&Client::legacy(gateway.http()).call("echo", json!({}))), "mine", "{era}");
        patch(&gateway, &id, json!({"hookType": "post"}));
        assert_eq!(text(&complete(&client, "echo")), "mine", "{era}");
        patch(&gateway, &id, json!({"script": "context.response.content[0].text += '!'"}));
        assert_eq!(text(&complete(&client, "echo")), r#"{"a":1}!"#, "{era}");
    }
}

#[test]
fn a_call_may_be_led_to_a_server_of_the_other_era() {
    let gateway =
        TestGateway::builder().server("old", |s| s).server("new", |s| s.env("FX_ERA", "modern")).start();
    pre(
        &gateway,
        "h",
        "context.request.params.name = context.serverName === 'old' ? 'new__echo' : 'old__echo'",
    );
    let [legacy, modern] = clients(&gateway);
    for tool in ["old__echo", "new__echo"] {
        assert_eq!(text(&complete(&modern, tool)), r#"{"a":1}"#, "{tool}");
        assert_eq!(text(&legacy.call(tool, json!({"a": 1}))), r#"{"a":1}"#, "{tool}");
    }
}

#[test]
fn a_reply_that_is_no_object_is_a_failure_of_the_hook() {
    let gateway = plan().setting("hooks: {trace: reply}").start();
    for kind in ["pre", "post"] {
        for reply in ["5", "'x{y'", "null", "[1]", "true"] {
            let id = create(&gateway, stopping(hook(kind, "h", &format!("return {{response: {reply}}}"))));
            for client in clients(&gateway) {
                let error = client.call_error("echo", json!({}));
                assert_eq!(error["data"]["details"]["code"], "SCRIPT_ERROR", "{kind} {reply}: {error}");
            }
            patch(&gateway, &id, json!({"onError": "continue"}));
            for client in clients(&gateway) {
                assert_eq!(echoed(&client, json!({"a": 1})), json!({"a": 1}), "{kind} {reply}");
            }
            delete(&gateway, &id);
        }
    }
}

#[test]
fn the_result_of_a_task_passes_the_post_hooks_when_it_is_fetched() {
    let program = conformance_fixture();
    let program = program.to_str().expect("the path of the build is UTF-8");
    let gateway = TestGateway::builder()
        .server("jobs", |s| s.command(program).args(&["--stdio", "--era", "modern"]))
        .start();
    let script = "context.request.params.arguments.seconds -= 60; context.metadata.shared.seen = 'shared'";
    pre(&gateway, "before", script);
    let script = "const {arguments: {seconds}, name} = context.request.params;
        for (const part of context.response.content ?? [])
            part.text = `${context.toolName}: hidden ${name} ${seconds} ${context.metadata.shared.seen}`";
    post(&gateway, "h", script);
    let tasks = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let client = Client::modern_with(gateway.http(), tasks);
    let begun = client.call("slow_compute", json!({"seconds": 60}));
    let id = begun["taskId"].as_str().expect("a task").to_owned();
    eventually("the task is done", || {
        let task = client.result("tasks/get", json!({"taskId": id}));
        (task["status"] == "completed").then(|| {
            assert_eq!(
                task["result"]["content"][0]["text"], "slow_compute: hidden slow_compute 0 shared",
                "{task}"
            );
        })
    });
}

/// A modern server that tells of the end of its task, with the result, to whoever listens.
const TELLS: &str = r#"
say() { printf '{"jsonrpc":"2.0",%s}\n' "$1"; }
reply() { say "\"id\":$1,\"result\":{\"resultType\":$2"; }
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
  tag="\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":$id}"
  case "$line" in
    *'"server/discover"'*) reply "$id" '"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}' ;;
    *'"tools/list"'*) reply "$id" '"complete","tools":[{"name":"act","inputSchema":{}}]}' ;;
    *'"act"'*) reply "$id" '"task","taskId":"t","status":"working"}' ;;
    *'"taskIds":["t"]'*)
      say '"method":"notifications/subscriptions/acknowledged","params":{"notifications":{"taskIds":["t"]},'"$tag}"
      say '"method":"notifications/tasks","params":{"taskId":"t","status":"completed","result":{"content":[{"text":"x"}]},'"$tag}" ;;
  esac
done
"#;

#[test]
fn the_result_of_a_task_passes_the_post_hooks_when_it_is_told() {
    let folder = testkit::Folder::new();
    let path = folder.write("server.sh", TELLS);
    let path = path.to_str().expect("the path of a folder is UTF-8").to_owned();
    let server = |s: testkit::Server| s.command("sh").args(&[&path]);
    let gateway = TestGateway::builder().server("jobs", server).start_in(folder);
    let script =
        "for (const part of context.response.content ?? []) part.text = `${context.toolName}: hidden`";
    post(&gateway, "h", script);
    let tasks = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let client = Client::modern_with(gateway.http(), tasks);
    assert_eq!(client.call("act", json!({}))["taskId"], "t");
    let (_, mut stream) = client.stream("subscriptions/listen", json!({"notifications": {"taskIds": ["t"]}}));
    let told = stream.until("notifications/tasks");
    assert_eq!(told["params"]["result"]["content"][0]["text"], "act: hidden", "{told}");
}
