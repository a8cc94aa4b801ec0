//! What concerns no request: updates of resources and log messages, for those who asked for them, and no
//! longer than they want them (spec 6.1 to 6.3).

use crate::sse::Old;
use crate::stdio::{Desktop, modern as modern_params};
use crate::{answering, in_modern, one};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use testkit::{Client, Events, Server, TestGateway, conformance_fixture, eventually, modern_meta};

pub(crate) const UPDATED: &str = "notifications/resources/updated";
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Servers of both eras.
pub(crate) const ERAS: [fn(Server) -> Server; 2] = [|server| server, in_modern];

pub(crate) fn with_resources(server: Server) -> Server {
    server.env("FX_RESOURCES", "r://a,r://b,r://c")
}

/// A client that listens to updates.
struct Ear {
    client: Client,
    events: Events,
    /// The id of a modern client's `subscriptions/listen`.
    id: Option<u64>,
}

impl Ear {
    #[track_caller]
    fn legacy(gateway: &TestGateway, uris: &[&str]) -> Self {
        let client = Client::legacy(gateway.http());
        let events = client.listen();
        for uri in uris {
            assert_eq!(client.result("resources/subscribe", json!({"uri": uri})), json!({}));
        }
        Self { client, events, id: None }
    }

    #[track_caller]
    fn modern(gateway: &TestGateway, uris: &[&str]) -> Self {
        let client = Client::modern(gateway.http());
        let filter = json!({"notifications": {"resourceSubscriptions": uris, "toolsListChanged": true}});
        let (id, mut events) = client.stream("subscriptions/listen", filter);
        let first = events.message();
        assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
        assert_eq!(first["params"]["notifications"]["resourceSubscriptions"], json!(uris));
        Self { client, events, id: Some(id) }
    }

    /// The address of the next update, which is tagged as the client's era demands.
    #[track_caller]
    fn hears(&mut self) -> String {
        let said = self.events.until(UPDATED);
        let tag = &said["params"]["_meta"][SUBSCRIPTION];
        assert_eq!(*tag, json!(self.id), "{said}");
        said["params"]["uri"].as_str().expect("an address").to_owned()
    }
}

const EARS: [fn(&TestGateway, &[&str]) -> Ear; 2] = [Ear::legacy, Ear::modern];

#[track_caller]
fn touch(gateway: &TestGateway, server: &str, uri: &str) {
    gateway.call(server, "touch", json!({"uri": uri})).expect_status(200);
}

#[track_caller]
fn wait_watched(gateway: &TestGateway, server: &str, uris: &[&str]) {
    eventually("the server knows what is wanted", || {
        (gateway.stats(server)["watched"] == json!(uris)).then_some(())
    });
}

#[test]
fn clients_of_both_eras_hear_of_updates_by_servers_of_both_eras() {
    for era in ERAS {
        let gateway = one(|s| era(with_resources(s)));
        for ear in EARS {
            let mut ear = ear(&gateway, &["r://a", "r://c"]);
            assert_eq!(gateway.stats("one")["watched"], json!(["r://a", "r://c"]));
            for uri in ["r://b", "r://a", "r://b", "r://c"] {
                touch(&gateway, "one", uri);
            }
            assert_eq!((ear.hears(), ear.hears()), ("r://a".into(), "r://c".into()));
            drop(ear.events);
            if ear.id.is_none() {
                ear.client.result("resources/unsubscribe", json!({"uri": "r://a"}));
                ear.client.result("resources/unsubscribe", json!({"uri": "r://c"}));
            }
            wait_watched(&gateway, "one", &[]);
        }
    }
}

#[test]
fn a_server_tells_of_a_resource_as_long_as_anybody_wants_it() {
    for era in ERAS {
        let gateway = one(|s| era(with_resources(s)));
        let first = Ear::legacy(&gateway, &["r://a"]);
        let mut second = Ear::modern(&gateway, &["r://a", "one+r://a", "r://b"]);
        wait_watched(&gateway, "one", &["r://a", "r://b"]);
        first.client.result("resources/unsubscribe", json!({"uri": "r://a"}));
        touch(&gateway, "one", "r://a");
        let heard = [second.hears(), second.hears()];
        assert!(heard.contains(&"r://a".into()) && heard.contains(&"one+r://a".into()), "{heard:?}");
        drop(second);
        wait_watched(&gateway, "one", &[]);
    }
}

#[test]
fn the_end_of_a_legacy_client_is_the_end_of_what_it_wanted() {
    for era in ERAS {
        let gateway = one(|s| era(with_resources(s)));
        let ear = Ear::legacy(&gateway, &["r://a"]);
        let mut old = Old::greet(gateway.http());
        old.ask(1, "resources/subscribe", json!({"uri": "r://b"}));
        wait_watched(&gateway, "one", &["r://a", "r://b"]);
        drop(old);
        wait_watched(&gateway, "one", &["r://a"]);
        ear.client.leave().expect_status(204);
        wait_watched(&gateway, "one", &[]);
    }
}

#[test]
fn a_long_address_means_one_server_and_a_short_one_the_first() {
    let builder = TestGateway::builder().server("one", with_resources);
    let gateway = builder.server("two", |s| in_modern(with_resources(s))).start();
    for ear in EARS {
        let mut short = ear(&gateway, &["r://a", "r://c"]);
        let mut long = ear(&gateway, &["two+r://a"]);
        touch(&gateway, "two", "r://a");
        assert_eq!(long.hears(), "two+r://a");
        touch(&gateway, "one", "r://c");
        assert_eq!(short.hears(), "r://c", "the update by the other server is not heard");
        touch(&gateway, "one", "r://a");
        assert_eq!(short.hears(), "r://a");
        touch(&gateway, "two", "r://a");
        assert_eq!(long.hears(), "two+r://a", "nor is that of the first by its long address");
    }
}

#[test]
fn nothing_is_missed_while_others_come_and_go() {
    let gateway = one(|s| in_modern(with_resources(s)));
    let mut ear = Ear::legacy(&gateway, &["r://a"]);
    let other = Client::legacy(gateway.http());
    for n in 0..20 {
        let method = if n % 2 == 0 { "resources/subscribe" } else { "resources/unsubscribe" };
        other.result(method, json!({"uri": "r://b"}));
        touch(&gateway, "one", "r://a");
        assert_eq!(ear.hears(), "r://a");
    }
}

#[test]
fn a_server_that_starts_again_is_told_again() {
    for (era, level) in ERAS.into_iter().zip([json!("notice"), json!(null)]) {
        let gateway = one(|s| era(with_resources(s).env("FX_LOGS", "1")));
        let mut ear = Ear::legacy(&gateway, &["r://a"]);
        ear.client.result("logging/setLevel", json!({"level": "notice"}));
        gateway.post("/api/servers/one/restart", json!({})).expect_status(200);
        wait_watched(&gateway, "one", &["r://a"]);
        touch(&gateway, "one", "r://a");
        assert_eq!(ear.hears(), "r://a");
        // A modern server is told with every request instead.
        assert_eq!(gateway.stats("one")["level"], level);
    }
}

#[test]
fn a_resource_that_a_server_does_not_tell_of_is_refused() {
    let legacy = one(with_resources);
    let subscribe = |gateway: &TestGateway, uri: &str| {
        Client::legacy(gateway.http()).error("resources/subscribe", json!({"uri": uri}))
    };
    let error = subscribe(&legacy, "r://none");
    assert_eq!((&error["code"], &error["data"]), (&json!(-32002), &json!({"uri": "r://none"})), "{error}");
    let modern = one(|s| in_modern(with_resources(s)));
    assert_eq!(subscribe(&modern, "r://none")["code"], -32603);
    for gateway in [&legacy, &modern] {
        let client = Client::modern(gateway.http());
        let filter = json!({"notifications": {"resourceSubscriptions": ["r://none", "r://a"]}});
        let (_, mut events) = client.stream("subscriptions/listen", filter);
        let accepted = events.message()["params"]["notifications"]["resourceSubscriptions"].clone();
        assert_eq!(accepted, json!(["r://a"]));
        wait_watched(gateway, "one", &["r://a"]);
    }
}

/// A legacy server whose resource can only be read, and which lists what it was asked for.
const SILENT: &str = r#"
    *'"initialize"'*) reply '"protocolVersion":"2025-11-25","capabilities":{"resources":{},"tools":{}},"serverInfo":{"name":"s","version":"1"}' ;;
    *'"tools/list"'*) reply '"tools":[{"name":"heard","inputSchema":{"type":"object"}}]' ;;
    *'"resources/list"'*) reply '"resources":[{"uri":"r://a","name":"a"}]' ;;
    *'"resources/templates/list"'*) reply '"resourceTemplates":[]' ;;
    *'"heard"'*) reply "\"content\":[],\"structuredContent\":{\"heard\":${heard:-0}}" ;;
    *'subscribe"'*) heard=1; reply '' ;;
    *'"ping"'*) reply '' ;;
"#;

#[test]
fn a_server_that_does_not_offer_updates_is_not_asked_for_them() {
    let gateway = one(|s| s.shell(&answering(SILENT)));
    let client = Client::legacy(gateway.http());
    let error = client.error("resources/subscribe", json!({"uri": "r://a"}));
    assert_eq!(error["code"], -32603, "{error}");
    assert_eq!(client.result("resources/unsubscribe", json!({"uri": "r://a"})), json!({}));
    let filter = json!({"notifications": {"resourceSubscriptions": ["r://a"]}});
    let (_, mut events) = Client::modern(gateway.http()).stream("subscriptions/listen", filter);
    let accepted = events.message()["params"]["notifications"]["resourceSubscriptions"].clone();
    assert_eq!(accepted, json!([]));
    assert_eq!(client.call("heard", json!({}))["structuredContent"]["heard"], 0);
}

#[test]
fn both_eras_hear_of_updates_on_standard_output() {
    for era in ERAS {
        let mut desktop = Desktop::start(|s| era(with_resources(s)));
        desktop.greet();
        let id = desktop.stdio.request("resources/subscribe", json!({"uri": "r://b"}));
        assert_eq!(desktop.reply(id)["result"], json!({}));
        let filter = json!({"notifications": {"resourceSubscriptions": ["one+r://a"]}});
        let listening = desktop.stdio.request("subscriptions/listen", modern_params(filter));
        let wants = |message: &Value| message["method"] == "notifications/subscriptions/acknowledged";
        desktop.until(wants);
        desktop.stdio.request("tools/call", json!({"name": "touch", "arguments": {"uri": "r://b"}}));
        let update = desktop.until(|message| message["method"] == UPDATED);
        assert_eq!(update["params"]["uri"], "r://b", "{update}");
        desktop.stdio.request("tools/call", json!({"name": "touch", "arguments": {"uri": "r://a"}}));
        let update = desktop.until(|message| message["method"] == UPDATED);
        assert_eq!(update["params"]["uri"], "one+r://a");
        assert_eq!(update["params"]["_meta"][SUBSCRIPTION], listening);
        let params = json!({"requestId": listening, "_meta": modern_meta(&json!({}))});
        desktop.stdio.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
        eventually("the server hears of it", || {
            let stats = desktop.call("stats", json!({}));
            (stats["structuredContent"]["watched"] == json!(["r://b"])).then_some(())
        });
    }
}

/// The conformance fixture behind an address, until this is dropped.
struct Remote {
    child: Child,
    url: String,
}

impl Remote {
    fn start(transport: &str, path: &str, era: &str) -> Self {
        let mut command = Command::new(conformance_fixture());
        command.args([transport, "0", "--era", era]).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the fixture can be started");
        let mut port = String::new();
        let stdout = child.stdout.take().expect("standard output is piped");
        BufReader::new(stdout).read_line(&mut port).expect("the fixture can be read");
        Self { child, url: format!("http://127.0.0.1:{}{path}", port.trim()) }
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn remote_servers_tell_of_updates_too() {
    for (transport, path, era) in
        [("--http", "/mcp", "legacy"), ("--http", "/mcp", "modern"), ("--sse", "/sse", "legacy")]
    {
        let remote = Remote::start(transport, path, era);
        let gateway = one(|s| s.raw("command", "").raw("url", &json!(remote.url).to_string()));
        for ear in EARS {
            let mut ear = ear(&gateway, &["test://watched-resource"]);
            gateway.call("one", "test_trigger_resource_update", json!({})).expect_status(200);
            assert_eq!(ear.hears(), "test://watched-resource", "{transport} {era}");
        }
    }
}

/// The next log message.
#[track_caller]
fn logged(events: &mut Events) -> String {
    events.until("notifications/message")["params"]["data"].as_str().expect("text").to_owned()
}

#[test]
fn each_client_hears_the_log_messages_it_asked_for() {
    let gateway = one(|s| s.env("FX_LOGS", "1").env("FX_LIST_CHANGED", "1"));
    let log = |level: &str, text: &str| {
        gateway.call("one", "log", json!({"level": level, "text": text})).expect_status(200);
    };
    let [loud, quiet, silent] = [(); 3].map(|()| Client::legacy(gateway.http()));
    let [mut loud_ear, mut quiet_ear, mut silent_ear] = [&loud, &quiet, &silent].map(Client::listen);
    let mut modern = Ear::modern(&gateway, &[]);
    log("debug", "while nobody said anything the server decides");
    for ear in [&mut loud_ear, &mut quiet_ear, &mut silent_ear] {
        logged(ear);
    }
    for (client, level) in [(&loud, "debug"), (&quiet, "error")] {
        client.result("logging/setLevel", json!({"level": level}));
        assert_eq!(gateway.stats("one")["level"], "debug", "the loudest counts");
    }
    for level in ["debug", "info", "error"] {
        log(level, level);
        // What is said while the next call is under way would be about that one.
        assert_eq!(logged(&mut loud_ear), level);
    }
    assert_eq!([(); 2].map(|()| logged(&mut silent_ear)), ["info", "error"]);
    assert_eq!(logged(&mut quiet_ear), "error");
    gateway.call("one", "grow", json!({"name": "later"})).expect_status(200);
    assert_eq!(modern.events.message()["method"], "notifications/tools/list_changed");
    loud.leave().expect_status(204);
    eventually("the server may be quieter", || (gateway.stats("one")["level"] == "error").then_some(()));
    let refused = quiet.error("logging/setLevel", json!({"level": "shouting"}));
    assert_eq!(refused["code"], -32602);
}
