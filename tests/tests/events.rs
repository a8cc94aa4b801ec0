//! `GET /api/events` (spec 1.3): changes of servers and lists, as they happen.

use serde_json::{Value, json};
use testkit::{Event, Events, Request, TestGateway};

/// The events up to the first that `wanted` picks, which is the last of them.
fn until(events: &mut Events, wanted: impl Fn(&Event, &Value) -> bool) -> Vec<(String, Value)> {
    let mut seen = Vec::new();
    loop {
        let event = events.event().expect("the stream goes on");
        let mut data: Value = serde_json::from_str(&event.data).expect("JSON");
        let instance = data.as_object_mut().and_then(|data| data.remove("instance"));
        assert!(
            instance.is_some_and(|instance| instance.is_string()),
            "the instance is named: {}",
            event.data
        );
        let last = wanted(&event, &data);
        seen.push((event.name, data));
        if last {
            return seen;
        }
    }
}

#[test]
fn a_server_that_crashes_and_is_restarted_is_told_step_by_step() {
    let gateway = TestGateway::with(|s| s);
    let mut events = Events::open(gateway.http(), &Request::new("GET", "/api/events"));
    assert_eq!((events.status, events.headers["content-type"].as_str()), (200, "text/event-stream"));
    gateway.call("test-server", "crash", json!({"code": 1}));
    until(&mut events, |_, data| data == &json!({"name": "test-server", "status": "crashed"}));
    gateway.post("/api/servers/test-server/restart", json!({})).expect_status(200);
    let seen = until(&mut events, |_, data| data == &json!({"name": "test-server", "status": "running"}));
    assert!(seen.iter().all(|(name, _)| name == "server" || name == "list"), "{seen:?}");
}

#[test]
fn a_list_that_grows_is_told() {
    let gateway = TestGateway::with(|s| s.env("FX_LIST_CHANGED", "1"));
    let mut events = Events::open(gateway.http(), &Request::new("GET", "/api/events"));
    gateway.call("test-server", "grow", json!({"name": "later"})).expect_status(200);
    until(&mut events, |event, data| event.name == "list" && data == &json!({"list": "tools"}));
}
