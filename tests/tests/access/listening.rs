//! Listening counts as any request does: for its key, for the servers that are told of it, and in the log of requests.

use super::{CALLER, OPERATOR, builder, call, request};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{Client, Config, Events, Folder, Request, Server, Stdio, TestGateway, eventually, lockgate};

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// The parameters of a listening to updates of these resources.
fn filter(uris: &[String]) -> Value {
    json!({"notifications": {"resourceSubscriptions": uris}})
}

/// A client begins to listen to updates of these resources: those that it will hear of.
#[track_caller]
fn heard(client: &Client, uris: &[String]) -> (Events, Vec<Value>) {
    let (_, mut events) = client.stream("subscriptions/listen", filter(uris));
    let first = events.until(ACKNOWLEDGED);
    let uris = first["params"]["notifications"]["resourceSubscriptions"].as_array().expect("a list").clone();
    (events, uris)
}

#[test]
fn a_listening_counts_for_the_rate_of_its_key_and_holds_no_place_once_it_is_open() {
    let keys = json!([
        {"name": "slow", "key": CALLER, "rate": {"perSecond": 1, "burst": 3}, "concurrency": 1},
        {"name": "otto", "key": OPERATOR},
    ]);
    let gateway = builder(&keys).start();
    let http = gateway.http().with_key(CALLER);
    let client = Client::modern(http);
    let _open = [(); 2].map(|()| heard(&client, &[]));
    assert_eq!(call(http, "test-server", "plain", json!({})).status, 200, "an open stream holds no place");
    let mut open = Vec::new();
    let refused = eventually("a refusal", || {
        let (_, events) = client.stream("subscriptions/listen", filter(&[]));
        match events.headers["content-type"].as_str() {
            "application/json" => Some(events),
            _ => {
                open.push(events);
                None
            }
        }
    });
    assert_eq!((refused.status, refused.headers["retry-after"].as_str()), (200, "1"));
    let list = Request::new("GET", "/api/requests?method=subscriptions/listen&limit=500");
    let list = gateway.http().with_key(OPERATOR).send(&list).body["requests"].clone();
    let told = list.as_array().expect("a list").iter();
    let told: Vec<Value> = told.map(|one| json!([one["way"], one["client"], one["outcome"]])).collect();
    assert_eq!(told.len(), 2 + open.len() + 1, "{list:#}");
    assert_eq!(told[0], json!(["http", "slow", "RATE_LIMITED"]));
    let counted = gateway.http().with_key(OPERATOR).send(&Request::new("GET", "/metrics")).text();
    let line = r#"{way="http",method="subscriptions/listen",outcome="RATE_LIMITED"} 1"#;
    assert!(counted.contains(line), "{counted}");
    assert!(told[1..].iter().all(|one| *one == json!(["http", "slow", "ok"])), "{list:#}");
}

#[test]
fn over_pipes_too() {
    let keys = json!([{"name": "slow", "key": CALLER, "rate": {"perSecond": 1, "burst": 1}}]);
    let config = Config::new().server("one", |s| s).setting(&format!("keys: {keys}"));
    let folder = Folder::new();
    folder.write_config(&config.yaml());
    let mut command = std::process::Command::new(lockgate());
    command.current_dir(folder.path()).arg("stdio").stderr(std::process::Stdio::null());
    command.arg("--config").arg(folder.config()).arg("--data").arg(folder.data());
    let mut stdio = Stdio::start(&mut command, &[("LOCKGATE_KEY", CALLER)]);
    let refused = eventually("a refusal", || {
        let mut params = filter(&[]);
        params["_meta"] = testkit::modern_meta(&json!({}));
        stdio.request("subscriptions/listen", params);
        Some(stdio.read()).filter(|message| message["method"] != ACKNOWLEDGED)
    });
    let error = &refused["error"];
    assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32029), &json!("RATE_LIMITED")));
}

/// A gateway whose server has these resources and takes so many requests at once, and then one a second.
fn watched(burst: u8, uris: &[String], edit: fn(Server) -> Server) -> TestGateway {
    let limits = json!({"rate": {"perSecond": 1, "burst": burst}}).to_string();
    let server = |s: Server| edit(s.env("FX_RESOURCES", &uris.join(",")).raw("limits", &limits));
    TestGateway::builder().server("one", server).start()
}

fn resources() -> Vec<String> {
    (0..40).map(|n| format!("r://{n:02}")).collect()
}

#[test]
fn what_a_legacy_server_is_asked_to_tell_of_counts_for_its_rate() {
    let uris = resources();
    let gateway = watched(2, &uris, |s| s);
    let client = Client::modern(gateway.http());
    let (_open, taken) = heard(&client, &uris);
    assert!(taken.len() >= 2 && taken.len() < uris.len(), "those beyond it are left out: {taken:?}");
    let (_again, same) = heard(&client, &[uris[0].clone()]);
    assert_eq!(same, [json!(uris[0])], "what it tells of already needs no request");
    let legacy = Client::legacy(gateway.http());
    let beyond = uris.iter().rev().map(|uri| legacy.ask("resources/subscribe", json!({"uri": uri})));
    let refused = beyond.map(|reply| reply["error"].clone()).find(|error| !error.is_null());
    let data = &refused.expect("a refusal")["data"];
    assert_eq!((&data["code"], &data["details"]["limit"]), (&json!("RATE_LIMITED"), &json!("server")));
    assert_eq!(data["details"]["server"], "one");
}

#[test]
fn a_modern_server_is_asked_once_for_all_that_a_client_listens_to() {
    let uris = resources();
    let gateway = watched(1, &uris, |s| s.env("FX_ERA", "modern"));
    let client = Client::modern(gateway.http());
    let (_open, taken) = heard(&client, &uris[..10]);
    assert_eq!(taken, uris[..10].iter().map(|uri| json!(uri)).collect::<Vec<_>>());
    let more = uris[10..].iter().map(|uri| heard(&client, std::slice::from_ref(uri)));
    let left_out = more.collect::<Vec<_>>().iter().filter(|(_, taken)| taken.is_empty()).count();
    assert!(left_out > 0, "the next of them are beyond its rate");
}

#[test]
fn what_changes_beyond_the_reach_of_a_key_is_not_told_to_it() {
    let keys = json!([
        {"name": "narrow", "key": CALLER, "servers": ["grower"]},
        {"name": "otto", "key": OPERATOR, "role": "operator"},
    ]);
    let gateway = builder(&keys).server("grower", |s| s.env("FX_LIST_CHANGED", "1")).start();
    let (narrow, otto) = (gateway.http().with_key(CALLER), gateway.http().with_key(OPERATOR));
    let wanted = json!({"notifications":
        {"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true}});
    let (_, mut modern) = Client::modern(narrow).stream("subscriptions/listen", wanted);
    modern.until(ACKNOWLEDGED);
    let mut all = Client::legacy(otto).listen();
    let streams = [("legacy", Client::legacy(narrow).listen()), ("modern", modern)];
    otto.send(&request("POST", "/api/servers/demo/restart", &json!({}))).expect_status(200);
    all.until("notifications/prompts/list_changed");
    call(otto, "grower", "grow", json!({"name": "later"})).expect_status(200);
    for (name, mut stream) in streams {
        assert_eq!(stream.message()["method"], "notifications/tools/list_changed", "{name}");
        assert_eq!(stream.event_within(Duration::from_millis(300)), None, "{name}");
    }
}
