//! Keys that the gateway makes: over the API and from the command line.

use super::{CALLER, EDITOR, OPERATOR, VIEWER, builder, call, request, with_roles};
use serde_json::json;
use std::time::Duration;
use testkit::{Client, Events, Folder, Http, Request, Stdio, TestGateway, eventually};

#[test]
fn a_key_is_made_shown_once_and_revoked() {
    let gateway = with_roles().start();
    let http = gateway.http().with_key(OPERATOR);
    let draft = json!({"name": "bot", "servers": ["test-server"], "rate": {"perSecond": 100}});
    let made = http.send(&request("POST", "/api/keys", &draft));
    made.expect_status(201);
    assert_eq!(made.header("cache-control"), "no-store");
    let key = made.body["key"].as_str().expect("a key").to_owned();
    assert!(key.starts_with("lockgate_") && key.len() > 70, "{}", key.len());
    let list = http.send(&Request::new("GET", "/api/keys"));
    assert!(!list.text().contains(&key) && !list.text().contains("sha256"), "{}", list.text());
    let bot = list.body.as_array().expect("keys").iter().find(|one| one["name"] == "bot").cloned();
    let expected = json!({"name": "bot", "origin": "api", "servers": ["test-server"], "rate": {"perSecond": 100, "burst": 0}});
    assert_eq!(bot, Some(expected));
    assert_eq!(call(gateway.http().with_key(&key), "test-server", "plain", json!({})).status, 200);
    http.send(&request("POST", "/api/keys", &draft)).expect_code(409, "CONFLICT");
    http.send(&request("POST", "/api/keys", &json!({"name": "otto"}))).expect_code(409, "CONFLICT");
    http.send(&Request::new("DELETE", "/api/keys/otto")).expect_code(409, "CONFLICT");
    http.send(&Request::new("DELETE", "/api/keys/bot")).expect_status(204);
    assert_eq!(call(gateway.http().with_key(&key), "test-server", "plain", json!({})).status, 401);
    http.send(&Request::new("DELETE", "/api/keys/bot")).expect_code(404, "NOT_FOUND");
}

#[test]
fn the_first_key_lets_somebody_in_who_can_make_others() {
    let gateway = TestGateway::builder().server("test-server", |s| s).start();
    let (http, path) = (gateway.http(), "/api/keys");
    let make = |http: Http, draft: serde_json::Value| http.send(&request("POST", path, &draft));
    for draft in [json!({"name": "first"}), json!({"name": "first", "role": "editor"})] {
        let message = make(http, draft).expect_code(409, "CONFLICT").message;
        assert!(message.contains("The first key must have the role operator"), "{message}");
        assert_eq!(http.send(&Request::new("GET", path)).body, json!([]), "and the gateway is open still");
    }
    let made = make(http, json!({"name": "first", "role": "operator", "servers": []}));
    made.expect_status(201);
    let operator = http.with_key(made.body["key"].as_str().expect("a key"));
    make(http, json!({"name": "second", "role": "operator"})).expect_code(401, "UNAUTHORIZED");
    make(operator, json!({"name": "second"})).expect_status(201);
}

#[test]
fn an_empty_list_reaches_nothing() {
    let keys = json!([
        {"name": "otto", "key": OPERATOR},
        {"name": "vera", "key": VIEWER, "servers": []},
        {"name": "carl", "key": CALLER, "tools": []},
    ]);
    let gateway = builder(&keys).start();
    let operator = gateway.http().with_key(OPERATOR);
    let mut all = vec![VIEWER.to_owned(), CALLER.to_owned()];
    for field in ["servers", "tools"] {
        let made = operator.send(&request("POST", "/api/keys", &json!({"name": field, field: []})));
        made.expect_status(201);
        assert_eq!(made.body[field], json!([]), "{}", made.text());
        all.push(made.body["key"].as_str().expect("a key").to_owned());
    }
    for key in all {
        let http = gateway.http().with_key(&key);
        assert_eq!(http.send(&Request::new("GET", "/mcp/tools")).body["tools"], json!([]));
        assert_eq!(call(http, "test-server", "plain", json!({})).status, 404);
        assert!(Client::modern(http).tools().is_empty());
        let me = http.send(&Request::new("GET", "/api/session"));
        assert_eq!((me.status, &me.body["role"]), (200, &json!(null)));
        http.send(&Request::new("GET", "/api/servers")).expect_code(403, "FORBIDDEN");
    }
}

#[test]
fn a_key_that_is_revoked_hears_no_more_events() {
    let gateway = with_roles().start();
    let http = gateway.http().with_key(OPERATOR);
    let made = http.send(&request("POST", "/api/keys", &json!({"name": "bot", "role": "viewer"})));
    let key = made.body["key"].as_str().expect("a key");
    let mut events = Events::open(gateway.http().with_key(key), &Request::new("GET", "/api/events"));
    assert_eq!(events.status, 200);
    http.send(&Request::new("DELETE", "/api/keys/bot")).expect_status(204);
    http.send(&request("POST", "/api/servers/test-server/restart", &json!({}))).expect_status(200);
    let heard = std::iter::from_fn(|| events.event()).find(|event| event.name == "server");
    assert!(heard.is_none(), "{}", heard.map(|event| event.data).unwrap_or_default());
}

#[test]
fn a_stream_on_which_nothing_is_said_ends_with_its_key() {
    let gateway = with_roles().start();
    let http = gateway.http().with_key(OPERATOR);
    let made = http.send(&request("POST", "/api/keys", &json!({"name": "bot"})));
    let bot = gateway.http().with_key(made.body["key"].as_str().expect("a key"));
    let mut other = Client::legacy(gateway.http().with_key(CALLER)).listen();
    let old = Events::open(bot, &Request::new("GET", "/sse"));
    let (_, modern) = Client::modern(bot).stream("subscriptions/listen", json!({"notifications": {}}));
    let streams = [("/sse", old), ("/mcp", Client::legacy(bot).listen()), ("listen", modern)];
    http.send(&Request::new("DELETE", "/api/keys/bot")).expect_status(204);
    for (name, mut stream) in streams {
        assert_eq!(stream.status, 200, "{name}");
        // What is said first, and then the end.
        while stream.event_within(Duration::from_secs(60)).expect(name).is_some() {}
    }
    assert_ne!(other.event_within(Duration::from_millis(1)), Some(None), "another key goes on");
}

#[test]
fn a_stream_that_never_falls_silent_ends_with_its_key() {
    let gateway =
        with_roles().server("busy", |s| s.env("FX_PROGRESS_MS", "20").env("FX_LIST_CHANGED", "1")).start();
    let http = gateway.http().with_key(OPERATOR);
    let made = http.send(&request("POST", "/api/keys", &json!({"name": "bot"})));
    let bot = gateway.http().with_key(made.body["key"].as_str().expect("a key"));
    let mut old = Events::open(bot, &Request::new("GET", "/sse"));
    let path = old.event().expect("where to send").data;
    let say = |message: serde_json::Value| {
        bot.send(&request("POST", &path, &message)).expect_status(202);
    };
    let info = json!({"name": "old", "version": "1"});
    let hello = json!({"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": info});
    say(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}));
    old.reply(0);
    // It tells of its progress all the time, and its reply is the last that it says.
    let params = json!({"name": "busy__sleep", "arguments": {"ms": 25_000}, "_meta": {"progressToken": "t"}});
    say(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
    old.until("notifications/progress");
    let wanted = json!({"notifications": {"toolsListChanged": true}});
    let (_, modern) = Client::modern(bot).stream("subscriptions/listen", wanted);
    let legacy = Client::legacy(bot).listen();
    http.send(&Request::new("DELETE", "/api/keys/bot")).expect_status(204);
    let heard = |mut stream: Events, late: &str| {
        let events = std::iter::from_fn(|| stream.event_within(Duration::from_secs(60)).expect("it ends"));
        events.map(|event| event.data).find(|data| data.contains(late))
    };
    assert_eq!(heard(old, "slept"), None);
    call(http, "busy", "grow", json!({"name": "later"})).expect_status(200);
    assert_eq!(heard(legacy, "list_changed"), None);
    assert_eq!(heard(modern, "list_changed"), None);
}

#[test]
fn what_a_key_cannot_be_is_said() {
    let gateway = with_roles().start();
    let http = gateway.http().with_key(OPERATOR);
    for (draft, field, message) in [
        (json!({}), "name", "name is required"),
        (json!({"name": "a", "role": "root"}), "role", "role must be one of none, viewer, editor, operator"),
        (
            json!({"name": "a", "rate": {"burst": 5}}),
            "rate.burst",
            "rate.burst needs 'perSecond' above 0 beside it",
        ),
        (json!({"name": "a", "key": "mine"}), "key", "key is made by the gateway and cannot be given"),
        (json!({"name": "a", "expires": "2020-01-01T00:00:00Z"}), "expires", "expires must be in the future"),
        (
            json!({"name": "a", "expires": "soon"}),
            "expires",
            "expires must be a time such as 2027-01-31T00:00:00Z",
        ),
    ] {
        let reply = http.send(&request("POST", "/api/keys", &draft));
        reply.expect_fault(400, "VALIDATION_ERROR", message, json!({"field": field}));
    }
}

#[test]
fn a_key_of_the_command_line_is_in_force_and_out_of_it_within_seconds() {
    let builder = TestGateway::builder().server("test-server", |s| s);
    let folder = Folder::new();
    let gateway = builder.clone().start_in(folder);
    let run = |words: &[&str]| {
        let mut command = builder.command(gateway.folder());
        command.args(&words[..2]).arg("--config").arg(gateway.folder().config());
        command.arg("--data").arg(gateway.folder().data()).args(&words[2..]);
        let output = command.output().expect("it runs");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    assert_eq!(
        call(gateway.http(), "test-server", "plain", json!({})).status,
        200,
        "open before the first key"
    );
    let (fine, key) = run(&["key", "create", "bot", "--role", "operator"]);
    assert!(fine && key.starts_with("lockgate_"), "{key}");
    eventually("a key is needed", || {
        (gateway.call("test-server", "plain", json!({})).status == 401).then_some(())
    });
    assert_eq!(call(gateway.http().with_key(&key), "test-server", "plain", json!({})).status, 200);
    let (_, list) = run(&["key", "list"]);
    assert!(list.contains("bot") && list.contains("operator") && !list.contains(&key), "{list}");
    assert!(!run(&["key", "create", "bot"]).0, "the name is taken");
    assert!(!run(&["key", "revoke", "nobody"]).0);
    assert!(run(&["key", "revoke", "bot"]).0);
    eventually("the gateway is open again", || {
        (gateway.call("test-server", "plain", json!({})).status == 200).then_some(())
    });
}

#[test]
fn keys_of_the_file_change_with_a_reload() {
    let gateway = builder(&json!([{"name": "a", "key": CALLER, "role": "operator"}])).start();
    let client = Client::legacy(gateway.http().with_key(CALLER));
    let keys = json!([{"name": "b", "key": OPERATOR, "role": "operator"}]);
    gateway.rewrite(&testkit::Config::new().server("test-server", |s| s).setting(&format!("keys: {keys}")));
    gateway.http().with_key(CALLER).send(&Request::new("POST", "/api/config/reload")).expect_status(200);
    let (_, ask) = client.request("tools/list", json!({}));
    assert_eq!(client.exchange(&ask).status, 401);
    assert_eq!(call(gateway.http().with_key(OPERATOR), "test-server", "plain", json!({})).status, 200);
}

#[test]
fn that_the_last_key_is_gone_is_told() {
    let gateway = TestGateway::start();
    let made = gateway.post("/api/keys", json!({"name": "only", "role": "operator"}));
    let http = gateway.http().with_key(made.body["key"].as_str().expect("a key"));
    gateway.get("/api/keys").expect_code(401, "UNAUTHORIZED");
    let told = || gateway.log_lines().iter().any(|line| line.contains("no key is left"));
    assert!(!told());
    http.send(&Request::new("DELETE", "/api/keys/only")).expect_status(204);
    eventually("the log says so", || told().then_some(()));
    gateway.get("/api/keys").expect_status(200);
}

#[test]
fn a_key_that_is_revoked_ends_what_stands_on_standard_input() {
    let builder = TestGateway::builder().server("one", |s| s);
    let gateway = builder.clone().start();
    let run = |words: &[&str]| {
        let mut command = builder.command(gateway.folder());
        command.args(&words[..2]).arg("--config").arg(gateway.folder().config());
        command.arg("--data").arg(gateway.folder().data()).args(&words[2..]);
        String::from_utf8_lossy(&command.output().expect("it runs").stdout).trim().to_owned()
    };
    let key = run(&["key", "create", "bot"]);
    let mut command = builder.command(gateway.folder());
    command.arg("stdio").arg("--config").arg(gateway.folder().config());
    command.arg("--data").arg(gateway.folder().data()).stderr(std::process::Stdio::null());
    let mut stdio = Stdio::start(&mut command, &[("LOCKGATE_KEY", &key)]);
    let info = json!({"name": "desktop", "version": "1"});
    stdio.ask("initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}));
    assert_eq!(stdio.call("plain", json!({}))["content"][0]["text"], "hello");
    run(&["key", "revoke", "bot"]);
    let refused = eventually("the key is good no longer", || {
        let reply = stdio.ask("tools/call", json!({"name": "plain", "arguments": {}}));
        reply.get("error").cloned()
    });
    let expected = json!({"code": -32030, "message": "This key is not known any more"});
    assert_eq!((&refused["code"], &refused["message"]), (&expected["code"], &expected["message"]));
    assert_eq!(refused["data"]["code"], "UNAUTHORIZED", "{refused}");
    // A notification has no answer, and neither has this: the next answer is that to the request.
    stdio.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    assert_eq!(stdio.ask("ping", json!({}))["error"]["code"], -32030);
}

#[test]
fn the_keys_of_the_config_file_are_shown_to_operators_alone() {
    let gateway = with_roles().start();
    let shown = |key: &str| {
        let reply = gateway.http().with_key(key).send(&Request::new("GET", "/api/config"));
        let values = reply.expect_status(200).body["values"].as_array().expect("values").clone();
        (values.iter().any(|value| value["key"] == "keys"), reply.text().contains("otto"))
    };
    assert_eq!([VIEWER, EDITOR, OPERATOR].map(shown), [(false, false), (false, false), (true, true)]);
}
