//! Modern servers that say less than their revision wants, or more than a client's revision has (spec 6.1 and 6.3).

use crate::{in_modern, one};
use serde_json::json;
use testkit::{Client, TestGateway};

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
