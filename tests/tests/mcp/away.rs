//! Resources of a server that does not run.

use crate::answering;
use serde_json::{Value, json};
use testkit::{Client, TestGateway};

/// A server with a resource, a template and a tool that ends it. It reads whatever address it is given.
const SERVER: &str = r#"
    *'"initialize"'*) reply '"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{},"completions":{}},"serverInfo":{"name":"s","version":"1"}' ;;
    *'"tools/list"'*) reply '"tools":[{"name":"leave","inputSchema":{"type":"object"}}]' ;;
    *'"resources/list"'*) reply "\"resources\":[{\"uri\":\"res://$NAME\",\"name\":\"r\"}]" ;;
    *'"resources/templates/list"'*) reply "\"resourceTemplates\":[{\"uriTemplate\":\"res://$NAME/{id}\",\"name\":\"t\"}]" ;;
    *'"resources/read"'*) reply "\"contents\":[{\"uri\":\"u\",\"text\":\"$NAME\"}]" ;;
    *'"completion/complete"'*) reply '"completion":{"values":[]}' ;;
    *'"code":0'*) exit 0 ;;
    *'"code":3'*) exit 3 ;;
"#;

fn gateway() -> TestGateway {
    let server = |name: &'static str| move |s: testkit::Server| s.shell(&answering(SERVER)).env("NAME", name);
    TestGateway::builder().server("a", server("a")).server("b", server("b")).start()
}

fn read(client: &Client, uri: &str) -> Value {
    client.ask("resources/read", json!({"uri": uri}))
}

#[test]
fn what_is_listed_by_a_server_that_does_not_run_is_asked_of_nobody_else() {
    for (code, status, expected) in [(3, "crashed", "SERVER_CRASHED"), (0, "stopped", "SERVER_NOT_RUNNING")] {
        let gateway = gateway();
        for client in [Client::legacy(gateway.http()), Client::modern(gateway.http())] {
            for uri in ["res://a", "res://a/7", "a+res://a"] {
                let reply = read(&client, uri);
                assert_eq!(reply["result"]["contents"][0]["text"], "a", "{uri}: {reply}");
            }
        }
        gateway.call("a", "leave", json!({"code": code}));
        gateway.wait_status("a", status);
        for client in [Client::legacy(gateway.http()), Client::modern(gateway.http())] {
            for uri in ["res://a", "res://a/7", "a+res://a"] {
                let reply = read(&client, uri);
                assert_eq!(reply["error"]["data"]["code"], expected, "{uri}: {reply}");
                assert_eq!(reply["error"]["data"]["details"]["server"], "a", "{uri}: {reply}");
            }
            let named = json!({"name": "id", "value": "1"});
            let about = json!({"ref": {"type": "ref/resource", "uri": "res://a/{id}"}, "argument": named});
            let reply = client.ask("completion/complete", about);
            assert_eq!(reply["error"]["data"]["code"], expected, "{reply}");
            for uri in ["res://b", "res://b/7", "res://nobody"] {
                let reply = read(&client, uri);
                assert_eq!(reply["result"]["contents"][0]["text"], "b", "{uri}: {reply}");
            }
        }
    }
}

#[test]
fn what_another_server_has_too_is_read_from_there() {
    let gateway = TestGateway::builder()
        .server("a", |s| s.shell(&answering(SERVER)).env("NAME", "x"))
        .server("b", |s| {
            s.shell(&answering(&SERVER.replace(r#"\"text\":\"$NAME\""#, r#"\"text\":\"b\""#)))
                .env("NAME", "x")
        })
        .start();
    let client = Client::legacy(gateway.http());
    assert_eq!(read(&client, "res://x")["result"]["contents"][0]["text"], "x");
    assert_eq!(client.tools(), ["a__leave", "b__leave"]);
    gateway.call("a", "leave", json!({"code": 3}));
    gateway.wait_status("a", "crashed");
    for uri in ["res://x", "res://x/7"] {
        let reply = read(&client, uri);
        assert_eq!(reply["result"]["contents"][0]["text"], "b", "{uri}: {reply}");
    }
    assert_eq!(client.tools(), ["leave"], "and is listed as its alone");
}
