//! Clients hear of a list that passes through other scripts than before (spec 1.4).

use super::*;
use std::time::Duration;
use testkit::Events;

const CHANGED: &str = "notifications/tools/list_changed";

/// Leaves two tools of a list.
const CUT: &str = "if (context.requestType === 'ListTools') context.response.tools.splice(2)";

/// Nothing more is said.
#[track_caller]
fn quiet(events: &mut Events) {
    let more = events.event_within(Duration::from_millis(300));
    assert!(more.is_none(), "{:?}", more.flatten().map(|event| event.data));
}

/// The change is told, and once.
#[track_caller]
fn once(events: &mut Events) {
    assert_eq!(events.message()["method"], CHANGED);
    quiet(events);
}

#[test]
fn a_change_of_the_hooks_in_effect_is_told_once() {
    let gateway = TestGateway::start();
    let client = Client::legacy(gateway.http());
    let mut events = client.listen();
    let all = client.tools().len();
    let cut = post(&gateway, "cut", CUT);
    once(&mut events);
    assert_eq!(client.tools().len(), 2);
    patch(&gateway, &cut, json!({"enabled": false}));
    once(&mut events);
    assert_eq!(client.tools().len(), all);
    patch(&gateway, &cut, json!({"enabled": true}));
    once(&mut events);
    patch(&gateway, &cut, json!({"script": CUT.replace("(2)", "(3)")}));
    once(&mut events);
    assert_eq!(client.tools().len(), 3);
    let other = pre(&gateway, "other", "return");
    once(&mut events);
    patch(&gateway, &other, json!({"hookType": "post"}));
    once(&mut events);
    gateway.post("/api/hooks/reorder", json!({"ids": [other, cut]})).expect_status(200);
    once(&mut events);
    gateway.post("/api/hooks/import", hook("post", "third", "return 1")).expect_status(201);
    once(&mut events);
    delete(&gateway, &cut);
    once(&mut events);
    assert_eq!(client.tools().len(), all);
}

#[test]
fn a_change_of_hooks_that_are_not_in_effect_is_not_told() {
    let gateway = TestGateway::start();
    let off = |name: &str| json!({"name": name, "hookType": "post", "script": CUT, "enabled": false});
    let on = post(&gateway, "on", "return");
    let client = Client::legacy(gateway.http());
    let mut events = client.listen();
    // What the creation leads to may still be under way.
    while events.event_within(Duration::from_millis(300)).is_some() {}
    let id = create(&gateway, off("off"));
    patch(&gateway, &id, json!({"script": "return"}));
    patch(&gateway, &on, json!({"name": "still on", "description": "the same script"}));
    gateway.post("/api/hooks/reorder", json!({"ids": [id, on]})).expect_status(200);
    gateway.post("/api/hooks/import", off("third")).expect_status(201);
    delete(&gateway, &id);
    quiet(&mut events);
    delete(&gateway, &on);
    once(&mut events);
}

#[test]
fn on_the_stream_of_events_a_change_of_hooks_is_no_change_of_a_list() {
    let gateway = TestGateway::start();
    let client = Client::legacy(gateway.http());
    let mut heard = client.listen();
    let mut events = Events::open(gateway.http(), &Request::new("GET", "/api/events"));
    for name in ["one", "two"] {
        post(&gateway, name, CUT);
        once(&mut heard);
    }
    let names = ["hooks", "hooks"].map(|_| events.event().expect("the stream goes on").name);
    assert_eq!(names, ["hooks", "hooks"]);
}
