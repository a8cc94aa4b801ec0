//! `/api/events` tells what happens on every instance.

use super::*;
use testkit::Events;

/// The next event of that name.
#[track_caller]
fn next(events: &mut Events, name: &str) -> Value {
    loop {
        let event = events.event().expect("the stream goes on");
        if event.name == name {
            return serde_json::from_str(&event.data).expect("JSON");
        }
    }
}

#[test]
fn a_reader_on_one_instance_hears_what_happens_on_another() {
    let database = Postgres::shared().database();
    let cluster = Cluster::of(2, &database);
    let [one, two] = &cluster.nodes[..] else { panic!("two") };
    let mut here = Events::open(one.http(), &Request::new("GET", "/api/events"));
    // The other instance is asked to tell its events; until it was, it keeps them to itself.
    let mut sessions = Vec::new();
    let heard = within(Duration::from_secs(10), || {
        sessions.push(id(&call(two.http(), "w_start", json!({"id": "a", "ms": 0}))));
        let event = here.event_within(Duration::from_millis(500))??;
        // Other events may come before them.
        let told = sessions.iter().any(|session| event.data.contains(session));
        (event.name == "session" && told).then_some(event)
    });
    let event = heard.expect("the session of the other instance is told");
    let data: Value = serde_json::from_str(&event.data).expect("JSON");
    one.post("/api/hooks", json!({"name": "h", "hookType": "pre", "script": "return"})).expect_status(201);
    let own = next(&mut here, "hooks");
    assert!(own["instance"].is_string() && data["instance"].is_string());
    assert_ne!(own["instance"], data["instance"]);
}

#[test]
fn a_reader_that_comes_back_hears_what_it_missed() {
    let database = Postgres::shared().database();
    let cluster = Cluster::of(2, &database);
    let [one, two] = &cluster.nodes[..] else { panic!("two") };
    let mut first = Events::open(one.http(), &Request::new("GET", "/api/events"));
    let hook = |name: &str| json!({"name": name, "hookType": "pre", "script": "return"});
    one.post("/api/hooks", hook("a")).expect_status(201);
    next(&mut first, "hooks");
    let last = first.last_id().to_owned();
    drop(first);
    one.post("/api/hooks", hook("b")).expect_status(201);
    let back = |node: &TestGateway| {
        Events::open(node.http(), &Request::new("GET", "/api/events").header("Last-Event-ID", &last))
    };
    let missed = back(one).event().expect("the stream goes on");
    assert_eq!(missed.name, "hooks");
    let elsewhere = back(two).event().expect("the stream goes on");
    assert_eq!(elsewhere.name, "lost", "another instance cannot know what was missed");
}

#[test]
fn a_reader_hears_how_the_servers_of_a_new_instance_began() {
    let database = Postgres::shared().database();
    let effects = Folder::new();
    let one = instance(&database.url, &effects).start();
    let mut events = Events::open(one.http(), &Request::new("GET", "/api/events"));
    one.post("/api/hooks", json!({"name": "h", "hookType": "pre", "script": "return"})).expect_status(201);
    let own = next(&mut events, "hooks")["instance"].clone();
    let _two = instance(&database.url, &effects).start();
    let told = loop {
        let event = next(&mut events, "server");
        if event["instance"] != own {
            break event;
        }
    };
    assert_eq!((&told["name"], &told["status"]), (&json!("test-server"), &json!("running")));
}
