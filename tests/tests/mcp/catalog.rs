//! What several servers have and can do, shown as one (spec 6.3).

use crate::scripted;
use serde_json::{Value, json};
use testkit::{Client, TestGateway, conformance_fixture};

const TEXT: &str = "test://static-text";

/// Two servers with the same resources and prompts, one of each era.
fn gateway() -> TestGateway {
    let program = conformance_fixture();
    let program = program.to_str().expect("the path of the build is UTF-8");
    TestGateway::builder()
        .server("old", |s| s.command(program).args(&["--stdio", "--era", "legacy"]))
        .server("new", |s| s.command(program).args(&["--stdio", "--era", "modern"]))
        .start()
}

fn clients(gateway: &TestGateway) -> [Client; 2] {
    [Client::legacy(gateway.http()), Client::modern(gateway.http())]
}

fn listed(client: &Client, kind: &str, key: &str) -> Vec<String> {
    let result = client.result(&format!("{kind}/list"), json!({}));
    let last = kind.rsplit('/').next().unwrap_or_default();
    let name = if last == "templates" { "resourceTemplates" } else { last };
    let entries = result[name].as_array().expect("a list");
    entries.iter().map(|entry| entry[key].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_first_server_keeps_the_address_of_a_resource() {
    let gateway = gateway();
    for client in clients(&gateway) {
        let uris = listed(&client, "resources", "uri");
        assert!(uris.contains(&TEXT.to_owned()), "{uris:?}");
        assert!(uris.contains(&format!("new+{TEXT}")), "{uris:?}");
        for uri in [TEXT.to_owned(), format!("old+{TEXT}"), format!("new+{TEXT}")] {
            let result = client.result("resources/read", json!({"uri": uri}));
            assert!(result["contents"][0]["text"].is_string(), "{uri}: {result}");
        }
        let templates = listed(&client, "resources/templates", "uriTemplate");
        assert!(templates.contains(&"test://template/{id}/data".to_owned()), "{templates:?}");
        for uri in ["test://template/7/data", "new+test://template/7/data"] {
            let result = client.result("resources/read", json!({"uri": uri}));
            assert!(result.to_string().contains('7'), "{uri}: {result}");
        }
    }
}

#[test]
fn a_missing_resource_has_the_code_of_the_era() {
    let gateway = gateway();
    for (client, code) in clients(&gateway).iter().zip([-32002, -32602]) {
        let error = client.error("resources/read", json!({"uri": "test://no-such"}));
        assert_eq!(error["code"], code, "{error}");
    }
}

#[test]
fn prompts_of_one_name_have_the_long_form() {
    let gateway = gateway();
    for client in clients(&gateway) {
        let names = listed(&client, "prompts", "name");
        assert!(names.contains(&"old__test_simple_prompt".to_owned()), "{names:?}");
        assert!(!names.contains(&"test_simple_prompt".to_owned()), "{names:?}");
        for server in ["old", "new"] {
            let name = format!("{server}__test_prompt_with_arguments");
            let arguments = json!({"arg1": "first", "arg2": "second"});
            let result = client.result("prompts/get", json!({"name": name, "arguments": arguments}));
            assert!(result.to_string().contains("first"), "{name}: {result}");
            let params = json!({"ref": {"type": "ref/prompt", "name": name}, "argument": {"name": "arg1", "value": "te"}});
            let completed = client.result("completion/complete", params);
            assert!(completed["completion"]["values"].is_array(), "{name}: {completed}");
        }
        let error: Value = client.error("prompts/get", json!({"name": "no-such"}));
        assert_eq!(error["code"], -32602);
    }
}

/// A server whose tool has another name where the client knows MCP Apps, and which has an extension of its own.
const APPS: &str = r#"
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":{%s}}\n' "$id" "$1"; }
can='"capabilities":{"tools":{},"extensions":{"x/own":{"a":1}}}'
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
  case "$line" in *'/ui":{"mimeTypes":["text/html;profile=mcp-app"]}'*) apps=1 ;; esac
  case "$ERA$line" in
    modern*'"server/discover"'*) reply '"resultType":"complete","supportedVersions":["2026-07-28"],'"$can" ;;
    legacy*'"initialize"'*) reply '"protocolVersion":"2025-11-25",'"$can" ;;
    *'"tools/list"'*) reply "\"tools\":[{\"name\":\"apps$apps\",\"inputSchema\":{}}]" ;;
    *'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
  esac
done
"#;

#[test]
fn a_server_of_apps_shows_them_and_its_extensions_are_known() {
    for era in ["legacy", "modern"] {
        let gateway = TestGateway::builder().server("one", |s| s.shell(APPS).env("ERA", era)).start();
        for client in clients(&gateway) {
            assert_eq!(client.tools(), ["apps1"], "{era}");
        }
        let [old, new] = ["initialize", "server/discover"];
        let greeted = gateway.http().send(&Client::initialize("2025-11-25", &json!({}))).body;
        let found = Client::modern(gateway.http()).result(new, json!({}));
        for (method, told) in [(old, &greeted["result"]), (new, &found)] {
            assert_eq!(told["capabilities"]["extensions"], json!({"x/own": {"a": 1}}), "{era} {method}");
        }
    }
}

/// A legacy server that announces what stands for `CAN`, and has as many tools as `TOOLS` says. With each call of `shift` the first
/// of them goes.
const ABLE: &str = r#"
say() { printf '{"jsonrpc":"2.0",%s}\n' "$1"; }
reply() { say "\"id\":$id,\"result\":{$1}"; }
first=1
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) reply '"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}CAN}' ;;
    *'"tools/list"'*) reply "\"tools\":[{\"name\":\"shift\",\"inputSchema\":{}},$(seq -s, -f '{"name":"t%g","inputSchema":{}}' "$first" TOOLS)]" ;;
    *'"shift"'*) first=$((first + 1)); reply '"content":[]'; say '"method":"notifications/tools/list_changed"' ;;
    *'"id"'*) say "\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}" ;;
  esac
done
"#;

/// A gateway with such servers, which announce that.
fn able(announced: &[&str]) -> TestGateway {
    let server = |can: &&str| ABLE.replace("CAN", can).replace("TOOLS", "1");
    let servers: Vec<_> = ["one", "two"].into_iter().zip(announced.iter().map(server)).collect();
    scripted(&servers, |builder| builder)
}

/// What is announced to clients of either era.
fn announced(gateway: &TestGateway) -> [Value; 2] {
    let greeted = gateway.http().send(&Client::initialize("2025-11-25", &json!({}))).body;
    let found = Client::modern(gateway.http()).result("server/discover", json!({}));
    [&greeted["result"], &found].map(|told| told["capabilities"].clone())
}

#[test]
fn what_servers_announce_is_put_together_to_the_bottom() {
    let gateway = able(&[
        r#","tasks":{"requests":{"tools":{"call":{}}},"cancel":{}},"extensions":{"x/a":{"k":1,"both":{"a":true}},"x/b":{}}"#,
        r#","tasks":{"requests":{"sampling":{"createMessage":{}}}},"extensions":{"x/a":{"j":2,"k":3,"both":{"b":true}}}"#,
    ]);
    let [old, new] = announced(&gateway);
    let requests = json!({"tools": {"call": {}}, "sampling": {"createMessage": {}}});
    assert_eq!(old["tasks"], json!({"requests": requests, "cancel": {}}));
    let extensions = json!({"x/a": {"k": 1, "both": {"a": true, "b": true}, "j": 2}, "x/b": {}});
    assert_eq!([&old["extensions"], &new["extensions"]], [&extensions; 2]);
}

#[test]
fn a_list_of_tasks_is_announced_where_there_is_one() {
    let tasks = r#","tasks":{"list":{},"cancel":{}}"#;
    for (servers, expected) in [
        (&[tasks, ""][..], json!({"list": {}, "cancel": {}})),
        (&[tasks, r#","tasks":{}"#], json!({"cancel": {}})),
        (&[tasks, tasks], json!({"cancel": {}})),
    ] {
        assert_eq!(announced(&able(servers))[0]["tasks"], expected, "{servers:?}");
    }
}

#[test]
fn log_messages_are_announced_to_clients_of_both_eras() {
    for (can, expected) in [(r#","logging":{}"#, json!({})), ("", Value::Null)] {
        for told in announced(&able(&["", can])) {
            assert_eq!(told["logging"], expected, "{told}");
        }
    }
}

#[test]
fn a_cursor_is_good_while_the_list_stays_as_it_is() {
    let server = ABLE.replace("CAN", "").replace("TOOLS", "2500");
    let gateway = scripted(&[("one", server)], |builder| builder);
    let page = |gateway: &TestGateway, cursor: &Value| {
        Client::legacy(gateway.http()).ask("tools/list", json!({"cursor": cursor}))
    };
    let names = |page: &Value| {
        let tools = page["result"]["tools"].as_array().unwrap_or_else(|| panic!("no list: {page}"));
        let name = |tool: Option<&Value>| tool.map_or(Value::Null, |tool| tool["name"].clone());
        [name(tools.first()), name(tools.last())]
    };
    let first = page(&gateway, &Value::Null);
    let cursor = first["result"]["nextCursor"].clone();
    assert_eq!(names(&first), ["shift", "t999"]);
    assert_eq!(names(&page(&gateway, &cursor)), ["t1000", "t1999"]);
    let gateway = gateway.reopen();
    let second = page(&gateway, &cursor);
    assert_eq!(names(&second), ["t1000", "t1999"], "the same list after a restart");
    assert_eq!(names(&page(&gateway, &second["result"]["nextCursor"])), ["t2000", "t2500"]);
    let client = Client::legacy(gateway.http());
    let mut stream = client.listen();
    client.call("shift", json!({}));
    assert_eq!(stream.message()["method"], "notifications/tools/list_changed");
    for client in clients(&gateway) {
        for old in [&cursor, &second["result"]["nextCursor"]] {
            let error = client.error("tools/list", json!({"cursor": old}));
            assert_eq!((&error["code"], &error["message"]), (&json!(-32602), &json!("Invalid cursor")));
        }
    }
    let first = page(&gateway, &Value::Null);
    assert_eq!(names(&first), ["shift", "t1000"]);
    assert_eq!(names(&page(&gateway, &first["result"]["nextCursor"])), ["t1001", "t2000"]);
}

#[test]
fn a_list_without_end_is_left_out_and_the_server_runs() {
    let rest = [
        (r#"reply '"resources":[{"uri":"r://a","name":"a"}],"nextCursor":"same"'"#, "has no end"),
        (r#"sleep 0.1; reply "\"resources\":[],\"nextCursor\":\"$id\"""#, "was not whole within 5 seconds"),
        ("true", "was not whole within 5 seconds"),
    ];
    let server = |(number, (rest, _)): (usize, &(&str, &str))| {
        let cases = r#"*'"initialize"'*) reply '"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{},"prompts":{}},"serverInfo":{"name":"s","version":"1"}' ;;
          *'"tools/list"'*) reply '"tools":[{"name":"act","inputSchema":{"type":"object"}}]' ;;
          *'"prompts/list"'*) reply '"prompts":[{"name":"p"}]' ;;
          *'"resources/list"'*) REST ;;"#;
        (["one", "two", "three"][number], crate::answering(&cases.replace("REST", rest)))
    };
    let servers: Vec<_> = rest.iter().enumerate().map(server).collect();
    let gateway = crate::scripted(&servers, |builder| builder);
    let client = Client::legacy(gateway.http());
    assert_eq!(client.tools(), ["one__act", "two__act", "three__act"]);
    assert_eq!(client.result("resources/list", json!({}))["resources"], json!([]));
    let prompts = client.result("prompts/list", json!({}))["prompts"].as_array().map(Vec::len);
    assert_eq!(prompts, Some(3), "the other lists are there");
    let log = gateway.log();
    for ((server, _), (_, why)) in servers.iter().zip(rest) {
        let told = |line: &Value| {
            let reason = line["reason"].as_str().unwrap_or_default();
            line["server"] == *server && reason == format!("the server's reply to resources/list {why}")
        };
        assert!(log.iter().any(told), "{server}: {log:?}");
    }
}
