//! Rounds that are put off: the session is paused, for the next continue.

use super::*;

const KEY: &str = "limited-0123456789-0123456789-0123456789";

/// A gateway whose workflow `w` shows `start` alone, and a key that reaches these tools of it.
fn gateway(tools: &[&str]) -> TestGateway {
    let flow = with(workflow("w", &[json!("tag"), json!("tag")]), json!({"tools": {"expose": ["start"]}}));
    let keys = json!([{"name": "limited", "key": KEY, "role": "operator", "tools": tools}]);
    builder(&standard(), &[flow]).setting(&format!("keys: {keys}")).start()
}

fn client(gateway: &TestGateway) -> Client {
    let offers = json!({"elicitation": {}, "extensions": {"lockgate/workflow": {}}});
    Client::modern_with(gateway.http().with_key(KEY), offers)
}

/// Starts a session; gives its id, and the call that answers its first round with this.
fn begin(client: &Client, action: &str) -> (String, Value) {
    let asked = client.call("w_start", json!({}));
    let responses = json!({"next": {"action": action}});
    let call = json!({"name": "w_start", "arguments": {}, "inputResponses": responses,
        "requestState": asked["requestState"]});
    (id(&asked), call)
}

fn status(gateway: &TestGateway, id: &str) -> Value {
    let request = Request::new("GET", &format!("/api/sessions/{id}"));
    gateway.http().with_key(KEY).send(&request).body["status"].clone()
}

#[test]
fn a_round_is_put_off_also_where_pause_is_not_shown() {
    let gateway = gateway(&["w_*"]);
    let client = client(&gateway);
    assert_eq!(client.call_error("w_pause", json!({}))["data"]["code"], "TOOL_NOT_FOUND");
    for action in ["decline", "cancel"] {
        let (id, call) = begin(&client, action);
        let reply = client.result("tools/call", call.clone());
        assert_eq!(text(&reply), format!("Workflow w with session ID {id} has been paused."));
        assert_eq!(status(&gateway, &id), "paused");
        // What comes twice finds it as it is.
        assert!(text(&client.result("tools/call", call)).contains("Cannot pause"), "{action}");
    }
    let script = "if (context.toolName === 'w_pause') return {continue: false, error: {message: 'not now'}}";
    let hook = json!({"name": "h", "hookType": "pre", "enabled": true, "script": script});
    let create = Request::new("POST", "/api/hooks").body("application/json", hook.to_string());
    gateway.http().with_key(KEY).send(&create).expect_status(201);
    let (id, call) = begin(&client, "decline");
    assert_eq!(client.error("tools/call", call)["message"], "not now");
    assert_eq!(status(&gateway, &id), "running", "no way in skips a hook");
}

#[test]
fn a_round_is_put_off_only_with_a_key_that_reaches_the_pause() {
    let gateway = gateway(&["w_start", "w_continue"]);
    let client = client(&gateway);
    let (id, call) = begin(&client, "decline");
    assert_eq!(client.error("tools/call", call)["data"]["code"], "TOOL_NOT_FOUND");
    assert_eq!(status(&gateway, &id), "running");
}
