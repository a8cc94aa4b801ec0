//! Modern servers that say less than their revision wants, or more than a client's revision has (spec 6.1 and 6.3).

use crate::{in_modern, one};
use serde_json::{Value, json};
use testkit::{Client, TestGateway, eventually};

const INFO: &str = r#""io.modelcontextprotocol/serverInfo":{"name":"lockgate","version":""#;

/// A gateway with a modern server whose tool `raw-result` answers with any text.
fn gateway() -> TestGateway {
    one(|s| in_modern(s.env("FX_FIDELITY", "1")))
}

/// The result as it arrives when the server answers with that text.
#[track_caller]
fn arrives(client: &Client, result: &str) -> String {
    let params = json!({"name": "raw-result", "arguments": {"text": result}});
    let (id, request) = client.request("tools/call", params);
    let reply = client.exchange(&request).text();
    let inner = reply.strip_prefix(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"#));
    let inner = inner.and_then(|inner| inner.strip_suffix('}'));
    inner.unwrap_or_else(|| panic!("no result: {reply}")).to_owned()
}

#[test]
fn a_modern_client_is_told_what_a_modern_server_left_out() {
    let gateway = gateway();
    let client = Client::modern(gateway.http());
    let info = format!(r#"{INFO}{}"}}"#, env!("CARGO_PKG_VERSION"));
    let own = r#"{ "_meta" : {"io.modelcontextprotocol/serverInfo":{"name":"s"}},"resultType":"complete", "content":[ ]}"#;
    for (sent, expected) in [
        (r#"{"content":[ ]}"#, format!(r#"{{"resultType":"complete","_meta":{{{info}}},"content":[ ]}}"#)),
        (
            r#"{"content":[], "_meta":{ "k":1.0 }}"#,
            format!(r#"{{"resultType":"complete","content":[], "_meta":{{{info}, "k":1.0 }}}}"#),
        ),
        (
            r#"{"resultType":"input_required","requestState":"s"}"#,
            format!(r#"{{"_meta":{{{info}}},"resultType":"input_required","requestState":"s"}}"#),
        ),
        (own, own.to_owned()),
    ] {
        assert_eq!(arrives(&client, sent), expected, "{sent}");
    }
}

#[test]
fn a_legacy_client_is_told_nothing_that_its_server_did_not_say() {
    let gateway = gateway();
    let client = Client::legacy(gateway.http());
    for sent in [r#"{"content":[ ]}"#, r#"{"resultType":"complete", "content":[],"_meta":{ }}"#] {
        assert_eq!(arrives(&client, sent), sent);
    }
}

#[test]
fn a_result_that_a_legacy_client_cannot_be_given_is_an_error_that_says_why() {
    let gateway = gateway();
    let all = json!({"roots": {}, "sampling": {}, "elicitation": {}});
    let client = Client::legacy_with(gateway.http(), "2025-11-25", all);
    let asks = |requests: &str| format!(r#"{{"resultType":"input_required","inputRequests":{requests}}}"#);
    for (sent, word) in [
        (r#"{"resultType":"task","taskId":"t","status":"working"}"#.to_owned(), "tasks cannot be translated"),
        (r#"{"resultType":"zorp","content":[]}"#.to_owned(), "'zorp'"),
        (asks(r#"{"k":{"nomethod":1}}"#), "'k'"),
        (asks(r#"{"k":{"method":"tools/call","params":{}}}"#), "'tools/call'"),
        (asks("null"), "does not say for which"),
        (asks("[]"), "cannot be read"),
    ] {
        let error = client.call_error("raw-result", json!({"text": sent}));
        assert!(error["message"].as_str().is_some_and(|text| text.contains(word)), "{sent}: {error}");
        let details = json!({"toolName": "raw-result", "server": "one", "serverName": "one"});
        assert_eq!(error["data"], json!({"code": "TOOL_EXECUTION_ERROR", "details": details}), "{error}");
    }
}

#[test]
fn a_meta_that_is_null_does_not_hide_what_a_modern_server_wants() {
    let gateway = gateway();
    let client = Client::legacy(gateway.http());
    for meta in ["null", "[]", "{}"] {
        let params = format!(r#"{{"name":"plain","arguments":{{}},"_meta":{meta}}}"#);
        let request = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#);
        let reply = client.send(&request);
        assert_eq!(reply.body["result"]["content"][0]["text"], "hello", "{meta}: {}", reply.text());
    }
}

/// A modern server with the tool `act`, which does what the text of its case says.
pub(crate) fn script(act: &str) -> String {
    const SERVER: &str = r#"
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":%s}\n' "$1" "$2"; }
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"server/discover"'*) reply "$id" '"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}' ;;
    *'"tools/list"'*) reply "$id" '"complete","tools":[{"name":"act","inputSchema":{"type":"object"}}]}' ;;
    ACT
    *'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
  esac
done
"#;
    SERVER.replace("ACT", act)
}

#[test]
fn what_changed_while_nobody_could_listen_is_found_when_listening_begins_again() {
    let act = r#"*'"subscriptions/listen"'*) grown=1; printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"busy"}}\n' "$id" ;;"#;
    let grown = r#"case "$grown$line" in
    1*'"tools/list"'*) reply "$id" '"complete","tools":[{"name":"later","inputSchema":{"type":"object"}}]}'; continue ;;
  esac
  case "$line" in"#;
    let script = script(act).replace(r#"case "$line" in"#, grown);
    let gateway = TestGateway::builder().server("one", |s| s.shell(&script)).start();
    let client = Client::legacy(gateway.http());
    eventually("the other tool is listed", || (client.tools() == ["later"]).then_some(()));
}

#[test]
fn a_state_alone_is_given_back_alone() {
    let act = r#"*'"inputResponses"'*) reply "$id" '"complete","content":"answered"}' ;;
    *'"requestState":"only"'*) reply "$id" '"complete","content":"alone"}' ;;
    *'"act"'*) reply "$id" '"input_required","inputRequests":null,"requestState":"only"}' ;;"#;
    let gateway = TestGateway::builder().server("one", |s| s.shell(&script(act))).start();
    let result = Client::legacy(gateway.http()).call("act", json!({}));
    assert_eq!(result["content"], "alone", "{result}");
}

#[test]
fn questions_are_put_in_the_servers_order_and_as_it_wrote_them() {
    let asks = r#""input\u005frequired","requestState":"s","inputRequests":{"z":{"method":"elicitation/create","params":{"message":"?", "x":1.0}},"a":{"method":"roots/list"},"m":{"method":"sampling/createMessage","params":{}}}}"#;
    let act = format!(
        r#"*'"inputResponses":{{"z":{{"n":0}},"a":{{"n":1}},"m":{{"n":2}}}},"requestState":"s"'*) reply "$id" '"complete","content":"done"}}' ;;
    *'"act"'*) reply "$id" '{asks}' ;;"#
    );
    let gateway = TestGateway::builder().server("one", |s| s.shell(&script(&act))).start();
    let all = json!({"roots": {}, "sampling": {}, "elicitation": {}});
    let client = Client::legacy_with(gateway.http(), "2025-11-25", all);
    let (id, mut stream) = client.stream("tools/call", json!({"name": "act", "arguments": {}}));
    let mut asked: Vec<Value> = Vec::new();
    for n in 0..3 {
        let question = stream.message();
        client.answer(&question, json!({"n": n}));
        asked.push(question);
    }
    let methods: Vec<&str> = asked.iter().filter_map(|question| question["method"].as_str()).collect();
    assert_eq!(methods, ["elicitation/create", "roots/list", "sampling/createMessage"]);
    assert!(asked[1].get("params").is_none(), "what has no parameters gets none: {}", asked[1]);
    let reply = stream.reply(id);
    assert_eq!(reply["result"]["content"], "done", "{reply}");
}
