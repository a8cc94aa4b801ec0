//! `/api/events` tells what happens on every instance.

use super::*;
use std::collections::BTreeMap;
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

/// What an instance calls itself: a reader that comes from elsewhere is told.
#[track_caller]
fn name_of(node: &TestGateway) -> Value {
    let request = Request::new("GET", "/api/events").header("Last-Event-ID", "elsewhere-1");
    next(&mut Events::open(node.http(), &request), "lost")["instance"].clone()
}

#[track_caller]
fn restart(node: &TestGateway) {
    node.post("/api/servers/test-server/restart", json!({})).expect_status(200);
}

/// Makes something happen on an instance until a reader on another hears of it.
#[track_caller]
fn hears(reader: &mut Events, node: &TestGateway, name: &Value) {
    let heard = within(Duration::from_secs(20), || {
        restart(node);
        let event = reader.event_within(Duration::from_millis(500))?.expect("the stream goes on");
        let data: Value = serde_json::from_str(&event.data).expect("JSON");
        (event.name == "server" && data["instance"] == *name).then_some(())
    });
    heard.expect("what happens there is told");
}

/// Two instances, each with its name and a reader that hears of the other.
fn two_with_readers(nodes: [TestGateway; 2]) -> [(TestGateway, Value, Events); 2] {
    let [mut one, mut two] = nodes.map(|node| {
        let (name, events) = (name_of(&node), Events::open(node.http(), &Request::new("GET", "/api/events")));
        (node, name, events)
    });
    hears(&mut one.2, &two.0, &two.1);
    hears(&mut two.2, &one.0, &one.1);
    [one, two]
}

#[test]
fn a_session_that_moves_between_instances_is_told_in_the_order_in_which_it_moved() {
    let database = Postgres::shared().database();
    let effects = Folder::new();
    let [mut one, two] = two_with_readers([(); 2].map(|()| instance(&database.url, &effects).start()));
    let steps = json!([{"activity": "end"}, {"activity": "end"}, {"activity": "end"}]);
    let body = json!({"name": "quick", "workflowType": "session", "enabled": true, "steps": steps});
    let made = one.0.post("/api/workflows", body);
    made.expect_status(201);
    let start = format!("/api/workflows/{}/execute", made.body["id"].as_str().expect("an id"));
    // It moves on here sooner than the other one tells that it moved there.
    let sessions: Vec<String> = (0..20)
        .map(|_| {
            let session = id(&one.0.post(&start, json!({})).body);
            for node in [&two.0, &one.0] {
                let moved = node.post(&format!("/api/sessions/{session}/continue"), json!({}));
                moved.expect_status(200);
            }
            session
        })
        .collect();
    // What the other instance tells now it tells after all that it had to tell of the sessions.
    restart(&two.0);
    let mut moves = BTreeMap::<String, Vec<Value>>::new();
    let mut done = 0;
    while done < sessions.len() || !moves.contains_key("server") {
        let event = one.2.event().expect("the stream goes on");
        let data: Value = serde_json::from_str(&event.data).expect("JSON");
        match event.name.as_str() {
            "session" => {
                done += usize::from(data["status"] == "completed");
                moves.entry(data["sessionId"].as_str().expect("an id").to_owned()).or_default().push(data);
            }
            "server" if data["instance"] == two.1 && data["status"] == "running" => {
                moves.entry("server".to_owned()).or_default().push(data);
            }
            _ => {}
        }
    }
    for session in &sessions {
        let told = &moves[session];
        let records: Vec<u64> = told.iter().map(|data| data["records"].as_u64().expect("a number")).collect();
        assert!(records.is_sorted_by(|a, b| a < b), "{told:?}");
        assert_eq!(told.last().expect("a move")["status"], "completed", "{told:?}");
    }
}

/// Waits until a reader is told that an instance could not tell, or not hear, everything.
#[track_caller]
fn is_told_of_a_loss(reader: &mut Events, name: &Value) {
    while next(reader, "lost")["instance"] != *name {}
}

/// Makes something happen on an instance whose database is away.
#[track_caller]
fn happens_untold(node: &TestGateway) {
    let untold = || node.log_lines().iter().filter(|line| line.contains("could not be told")).count();
    let before = untold();
    restart(node);
    eventually("what happens cannot be told", || (untold() > before).then_some(()));
}

#[test]
fn readers_are_told_what_they_may_have_missed_while_the_database_was_away() {
    let server = Postgres::own();
    let database = server.database();
    let effects = Folder::new();
    let nodes = [(); 2].map(|()| instance(&database.url, &effects).env("LOG_LEVEL", "debug").start());
    let [mut one, mut two] = two_with_readers(nodes);
    server.crash();
    happens_untold(&one.0);
    happens_untold(&two.0);
    server.start();
    // Each instance tells its own readers. What it hears of the other's loss depends on which of them is back first.
    is_told_of_a_loss(&mut one.2, &one.1);
    is_told_of_a_loss(&mut two.2, &two.1);
    hears(&mut one.2, &two.0, &two.1);
    hears(&mut two.2, &one.0, &one.1);
}

#[test]
fn readers_are_told_what_they_may_have_missed_while_an_instance_was_cut_off() {
    let server = Postgres::own();
    let database = server.database();
    let effects = Folder::new();
    let line = Proxy::to(&[server.port()]);
    let cut_url = database.url.replace(&format!(":{}/", server.port()), &format!(":{}/", line.port));
    let nodes = [&cut_url, &database.url];
    let nodes = nodes.map(|url| instance(url, &effects).env("LOG_LEVEL", "debug").start());
    let [mut one, mut two] = two_with_readers(nodes);
    line.cut();
    happens_untold(&one.0);
    restart(&two.0);
    line.heal();
    is_told_of_a_loss(&mut one.2, &one.1);
    // The other one listened all the time; it is told of what could not be told.
    is_told_of_a_loss(&mut two.2, &one.1);
    hears(&mut one.2, &two.0, &two.1);
    hears(&mut two.2, &one.0, &one.1);
}
