//! What no hook changes leaves byte for byte as it came.

use super::*;
use testkit::modern_meta;

/// Everything that reading and writing JSON anew would change.
const ODD: &str = r#"{"z":1.0,"a":12345678901234567890123,"n":-0,"e":1E+2,"t":0.1000000000000000055511151231257827,
"u":"\u0041\/é\ud83d\udeaa","dup":1,"o":{ "10":1, "9" : [ 1.50 ,{} ] },"__proto__":{"x":1},"constructor":null,"b":true}"#;

/// Scripts that look at everything and change nothing.
const READERS: [&str; 4] = [
    "JSON.stringify(context)",
    "const walk = v => v && typeof v === 'object' ? Object.values(v).forEach(walk) : v; walk(context); return {continue: true}",
    "return {continue: true, context}",
    "const same = context.request.params; context.request.params = same; return {context: {...context}}",
];

fn faithful() -> TestGateway {
    TestGateway::with(|s| s.env("FX_FIDELITY", "1"))
}

fn odd() -> String {
    ODD.replace('\n', "")
}

/// Sends these arguments to `raw-params` and gives the parameters as they arrived.
#[track_caller]
fn arrived(client: &Client, modern: bool, arguments: &str) -> String {
    let meta = if modern { modern_meta(&json!({})) } else { json!({"x": 1}) };
    let params = format!(r#"{{"x.y":1.0,"name":"raw-params","arguments":{arguments},"_meta":{meta}}}"#);
    let reply = client.exchange(&client.request_raw("tools/call", &params).1);
    text(&reply.body["result"]).to_owned()
}

#[test]
fn a_hook_that_only_reads_leaves_the_request_as_it_came() {
    let gateway = faithful();
    let id = create(&gateway, json!({"name": "h", "hookType": "both", "script": "return"}));
    let [legacy, modern] = clients(&gateway);
    for script in READERS {
        patch(&gateway, &id, json!({"script": script}));
        for (client, modern) in [(&legacy, false), (&modern, true)] {
            let found = arrived(client, modern, &odd());
            assert!(found.contains(&format!(r#""arguments":{}"#, odd())), "{script}\n{found}");
            assert!(found.starts_with(r#"{"x.y":1.0,"name":"raw-params","#), "{script}\n{found}");
        }
    }
}

#[test]
fn a_hook_that_only_reads_leaves_the_reply_as_it_came() {
    let gateway = faithful();
    let id = create(&gateway, json!({"name": "h", "hookType": "both", "script": "return"}));
    let result = format!(r#"{{"content":[ ],"structuredContent":{},"x":1.0}}"#, odd());
    for script in READERS {
        patch(&gateway, &id, json!({"script": script}));
        let client = Client::legacy(gateway.http());
        let params = json!({"name": "raw-result", "arguments": {"text": result}});
        let (n, request) = client.request("tools/call", params);
        let expected = format!(r#"{{"jsonrpc":"2.0","id":{n},"result":{result}}}"#);
        assert_eq!(client.exchange(&request).text(), expected, "{script}");
        let reply = gateway.call("test-server", "raw-result", json!({"text": result}));
        assert_eq!(reply.text(), format!(r#"{{"success":true,"result":{}}}"#, odd()), "{script}");
    }
}

#[test]
fn what_stands_beside_a_change_stays_as_it_came() {
    let gateway = faithful();
    pre(&gateway, "in", "context.request.params.arguments.lang = 'ja'");
    post(
        &gateway,
        "out",
        "if (context.toolName === 'raw-result') context.response.structuredContent.more = {deep: [1]}",
    );
    let client = Client::legacy(gateway.http());
    let found =
        arrived(&client, false, r#"{"z":1.0,"big":12345678901234567890123,"o":{"b":1.50,"a":[1E+2]}}"#);
    let expected =
        r#""arguments":{"z":1.0,"big":12345678901234567890123,"o":{"b":1.50,"a":[1E+2]},"lang":"ja"}"#;
    assert!(found.contains(expected), "{found}");
    let result =
        r#"{"content":[],"structuredContent":{"z":1.0,"big":12345678901234567890123,"o":{"b":1.50}}}"#;
    let reply = gateway.call("test-server", "raw-result", json!({"text": result}));
    let expected = r#"{"z":1.0,"big":12345678901234567890123,"o":{"b":1.50},"more":{"deep":[1]}}"#;
    assert_eq!(reply.text(), format!(r#"{{"success":true,"result":{expected}}}"#));
}

#[test]
fn the_members_of_the_era_stay_with_a_changed_request() {
    let gateway =
        TestGateway::with(|s| s.env("FX_FIDELITY", "1").env("FX_ERA", "modern").env("FX_PROGRESS_MS", "10"));
    pre(&gateway, "h", "context.request.params.arguments.a = 1");
    for client in clients(&gateway) {
        let reply = client.result("tools/call", json!({"name": "raw-params", "arguments": {}}));
        let arrived: Value = serde_json::from_str(text(&reply)).expect("JSON");
        assert_eq!(arrived["arguments"], json!({"a": 1}));
        assert_eq!(arrived["_meta"]["io.modelcontextprotocol/clientInfo"]["name"], "testkit", "{arrived}");
        let params = json!({"name": "sleep", "arguments": {"ms": 100}, "_meta": {"progressToken": "mine"}});
        let messages = client.messages("tools/call", params);
        assert!(messages.len() > 1 && messages[0]["params"]["progressToken"] == "mine", "{messages:?}");
    }
}
