//! How often a modern server may ask a legacy client before it answers (spec 6.3).

use serde_json::{Value, json};
use testkit::Client;

/// A modern server whose tool asks for the roots `n` times, counting in its state, and then answers; with `fail`, by an
/// error.
const ASKS: &str = r#"*'"tools/call"'*)
      times=$(printf '%s' "$line" | sed -n 's/.*"n":\([0-9]*\).*/\1/p')
      met=$(printf '%s' "$line" | sed -n 's/.*"requestState":"r\([0-9]*\)".*/\1/p')
      met=${met:-0}
      if [ "$met" -lt "$times" ]; then
        reply "$id" "\"input_required\",\"requestState\":\"r$((met + 1))\",\"inputRequests\":{\"c\":{\"method\":\"roots/list\"}}}"
      else
        case "$line" in
          *'"fail"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32042,"message":"done and failed"}}\n' "$id" ;;
          *) reply "$id" "\"complete\",\"content\":[],\"after\":$met}" ;;
        esac
      fi ;;"#;

/// Calls the tool, answers what is asked, and gives how often that was, and the reply.
fn converse(client: &Client, arguments: &Value) -> (usize, Value) {
    let (_, mut stream) = client.stream("tools/call", json!({"name": "act", "arguments": arguments}));
    let mut asked = 0;
    loop {
        let message = stream.message();
        if message["method"] != "roots/list" {
            return (asked, message);
        }
        asked += 1;
        client.answer(&message, json!({"roots": []}));
    }
}

#[test]
fn the_answer_of_the_last_round_is_the_clients() {
    let gateway = crate::scripted(&[("one", crate::sparse::script(ASKS))], |builder| builder);
    let client = Client::legacy_with(gateway.http(), "2025-11-25", json!({"roots": {}}));
    for times in [1, 15, 16] {
        let (asked, reply) = converse(&client, &json!({"n": times}));
        assert_eq!((asked, &reply["result"]["after"]), (times, &json!(times)), "{reply}");
    }
    let (asked, reply) = converse(&client, &json!({"n": 16, "fail": 1}));
    assert_eq!((asked, &reply["error"]["message"]), (16, &json!("done and failed")), "{reply}");
    let (asked, reply) = converse(&client, &json!({"n": 17}));
    let text = "The server asks for input without end";
    assert_eq!((asked, &reply["error"]["message"]), (16, &json!(text)), "{reply}");
}
