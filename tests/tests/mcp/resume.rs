//! A legacy client's stream that broke is taken up where it broke, with `Last-Event-ID` (spec 6.1).

use crate::one;
use crate::subscriptions::{UPDATED, with_resources};
use serde_json::json;
use std::time::Duration;
use testkit::{Client, Events, Server, TestGateway, eventually};

fn gateway() -> TestGateway {
    one(|s: Server| with_resources(s))
}

/// A client that wants to hear of all there is.
#[track_caller]
fn client(gateway: &TestGateway, version: &str) -> Client {
    let client = Client::legacy_with(gateway.http(), version, json!({}));
    for uri in ["r://a", "r://b", "r://c"] {
        client.result("resources/subscribe", json!({"uri": uri}));
    }
    client
}

#[track_caller]
fn touch(gateway: &TestGateway, uri: &str) {
    gateway.call("one", "touch", json!({"uri": uri})).expect_status(200);
}

#[track_caller]
fn hears(events: &mut Events) -> String {
    events.until(UPDATED)["params"]["uri"].as_str().expect("an address").to_owned()
}

/// The id that a stream begins with.
#[track_caller]
fn primed(events: &mut Events) -> String {
    eventually("the stream tells where to come back to", || {
        assert_eq!(events.event_within(Duration::from_millis(1)), None);
        (!events.last_id().is_empty()).then(|| events.last_id().to_owned())
    })
}

#[test]
fn what_was_missed_comes_first_and_in_order() {
    let gateway = gateway();
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let client = client(&gateway, version);
        let mut events = client.listen();
        touch(&gateway, "r://a");
        assert_eq!(hears(&mut events), "r://a");
        let id = events.last_id().to_owned();
        drop(events);
        for uri in ["r://b", "r://a", "r://c"] {
            touch(&gateway, uri);
        }
        let mut events = client.listen_after(&id);
        assert_eq!([(); 3].map(|()| hears(&mut events)), ["r://b", "r://a", "r://c"], "{version}");
        touch(&gateway, "r://b");
        assert_eq!(hears(&mut events), "r://b", "and it goes on");
        assert_ne!(events.last_id(), id);
        client.leave().expect_status(204);
    }
}

#[test]
fn a_stream_that_broke_before_its_first_event_is_taken_up_too() {
    let gateway = gateway();
    let client = client(&gateway, "2025-11-25");
    let mut events = client.listen();
    let id = primed(&mut events);
    // The gateway has not noticed that the connection is gone: then it still holds the old stream.
    touch(&gateway, "r://a");
    let mut again = client.listen_after(&id);
    assert_eq!(hears(&mut again), "r://a");
    touch(&gateway, "r://b");
    assert_eq!(hears(&mut again), "r://b");
}

#[test]
fn a_client_hears_of_what_it_wants_only_and_each_hears_its_own() {
    let gateway = gateway();
    let first = client(&gateway, "2025-11-25");
    let id = primed(&mut first.listen());
    let second = Client::legacy(gateway.http());
    second.result("resources/subscribe", json!({"uri": "r://b"}));
    for uri in ["r://a", "r://b"] {
        touch(&gateway, uri);
    }
    // The id of another client's event is no secret and gives nothing away.
    assert_eq!(hears(&mut second.listen_after(&id)), "r://b");
    assert_eq!(hears(&mut first.listen_after(&id)), "r://a");
}

#[test]
fn what_was_heard_on_another_stream_is_not_told_again() {
    let gateway = gateway();
    let client = client(&gateway, "2025-11-25");
    let mut first = client.listen();
    touch(&gateway, "r://a");
    assert_eq!(hears(&mut first), "r://a");
    let mut second = client.listen();
    primed(&mut second);
    touch(&gateway, "r://b");
    assert_eq!(hears(&mut second), "r://b");
    let mut third = client.listen_after(first.last_id());
    touch(&gateway, "r://c");
    assert_eq!(hears(&mut third), "r://c");
}

#[test]
fn an_id_that_is_not_known_any_more_goes_on_with_what_comes() {
    let (gateway, other) = (gateway(), gateway());
    let foreign = primed(&mut client(&other, "2025-11-25").listen());
    let client = client(&gateway, "2025-11-25");
    let old = primed(&mut client.listen());
    for _ in 0..300 {
        touch(&gateway, "r://a");
    }
    for id in [&old, &foreign, "", "0", "not an id", "ffff-ffff-ffff"] {
        let mut events = client.listen_after(id);
        primed(&mut events);
        touch(&gateway, "r://b");
        assert_eq!(hears(&mut events), "r://b", "{id}");
    }
}

#[test]
fn a_modern_client_gets_no_ids() {
    let gateway = gateway();
    let filter = json!({"notifications": {"resourceSubscriptions": ["r://a"]}});
    let (_, mut events) = Client::modern(gateway.http()).stream("subscriptions/listen", filter);
    touch(&gateway, "r://a");
    assert_eq!((hears(&mut events).as_str(), events.last_id()), ("r://a", ""));
}
