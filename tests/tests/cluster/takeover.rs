//! What an instance that dies leaves behind, and what a living one does not.

use super::*;

/// Waits until the fixture of an instance runs a step with that `ms`.
#[track_caller]
fn wait_running(node: &TestGateway, ms: u64) {
    eventually("the step runs", || Some(node.stats("test-server")).filter(|stats| stats["last"]["ms"] == ms));
}

#[test]
fn a_step_of_an_instance_that_was_killed_is_taken_up_by_another() {
    let database = Postgres::shared().database();
    let cluster = Cluster::of(2, &database);
    let [one, two] = &cluster.nodes[..] else { panic!("two") };
    let session = id(&call(one.http(), "stamps_start", json!({"id": "a", "ms": 3000})));
    let lost = call_later(one.http(), "stamps_continue", json!({"sessionId": session, "expectedStep": 1}));
    wait_running(one, 3000);
    one.kill9();
    assert!(lost.join().expect("no panic").is_none(), "the reply was lost");
    wait_running(two, 3000);
    let reply = call(two.http(), "stamps_continue", json!({"sessionId": session, "expectedStep": 1}));
    assert_ne!(reply["isError"], true, "{reply}");
    assert_eq!(cluster.effects(&session, 1), 1);
}

/// How many milliseconds the clocks of an instance and of the store may be apart.
const CLOCKS: i64 = 100;

/// How soon after it is over is a matter of how often instances look, which a test of the engine proves on a clock of
/// its own.
#[test]
fn a_step_of_an_instance_that_was_killed_is_not_taken_up_before_its_lease_is_over() {
    let server = Postgres::shared();
    let database = server.database();
    let cluster = Cluster::of(2, &database);
    let [one, two] = &cluster.nodes[..] else { panic!("two") };
    let session = id(&call(one.http(), "stamps_start", json!({"id": "a", "ms": 8000})));
    let lost = call_later(one.http(), "stamps_continue", json!({"sessionId": session, "expectedStep": 1}));
    wait_running(one, 8000);
    let before = super::session(two.http(), &session)["running"]["since"].as_i64().expect("a time");
    let name = database.url.rsplit('/').next().expect("a name");
    let held = server.psql(name, &format!("SELECT held_until FROM lockgate.sessions WHERE id = '{session}'"));
    one.kill9();
    drop(lost.join().expect("no panic"));
    let begun = eventually("the step is begun again", || {
        let since = super::session(two.http(), &session)["running"]["since"].as_i64();
        since.filter(|since| *since != before)
    });
    // A sign of life after the look made it longer, never shorter.
    let end: i64 = held.parse().expect("a time");
    assert!(begun >= end - CLOCKS, "begun at {begun}, held until {end}");
}

#[test]
fn an_instance_that_is_stopped_hands_its_steps_over_at_once() {
    let database = Postgres::shared().database();
    let effects = Folder::new();
    // Nobody would wait for the end of this lease.
    let nodes = [(); 2].map(|()| instance_with(&database.url, &effects, 600_000).start());
    let cluster = Cluster::with(nodes.into(), effects);
    let [one, two] = &cluster.nodes[..] else { panic!("two") };
    // Longer than an instance that stops waits for what is under way.
    let session = id(&call(one.http(), "stamps_start", json!({"id": "a", "ms": 12_000})));
    let lost = call_later(one.http(), "stamps_continue", json!({"sessionId": session, "expectedStep": 1}));
    wait_running(one, 12_000);
    one.signal(testkit::Signal::TERM);
    assert_eq!(one.wait_exit(), Some(0), "{:#?}", one.log_lines());
    drop(lost.join().expect("no panic"));
    wait_running(two, 12_000);
    let reply = call(two.http(), "stamps_continue", json!({"sessionId": session, "expectedStep": 1}));
    assert_ne!(reply["isError"], true, "{reply}");
    assert_eq!(cluster.effects(&session, 1), 1);
}

#[test]
fn a_step_that_must_not_be_repeated_is_asked_about_after_its_instance_was_killed() {
    let database = Postgres::shared().database();
    let cluster = Cluster::of(2, &database);
    let [one, two] = &cluster.nodes[..] else { panic!("two") };
    let session = id(&call(one.http(), "w_start", json!({"id": "a", "ms": 5000})));
    let lost = call_later(one.http(), "w_continue", json!({"sessionId": session, "expectedStep": 1}));
    wait_running(one, 5000);
    one.kill9();
    assert!(lost.join().expect("no panic").is_none(), "the reply was lost");
    eventually("somebody is asked", || {
        (super::session(two.http(), &session)["waiting"]["for"] == "uncertain").then_some(())
    });
    assert_eq!(cluster.effects(&session, 1), 0);
}

#[test]
fn a_long_step_of_a_living_instance_is_not_taken_for_abandoned() {
    let database = Postgres::shared().database();
    let cluster = Cluster::of(2, &database);
    let [one, two] = &cluster.nodes[..] else { panic!("two") };
    let long = LEASE * 2 + 500;
    let session = id(&call(one.http(), "w_start", json!({"id": "a", "ms": long})));
    let running = call_later(one.http(), "w_continue", json!({"sessionId": session, "expectedStep": 1}));
    wait_running(one, long);
    let waited = call(two.http(), "w_continue", json!({"sessionId": session, "expectedStep": 1}));
    let reply = running.join().expect("no panic").expect("a reply");
    assert_ne!(reply["isError"], true, "{reply}");
    assert_eq!(waited, reply, "whoever waits elsewhere is given the recorded reply");
    assert_eq!(cluster.effects(&session, 1), 1);
}

#[test]
fn steps_that_nobody_waits_for_go_on_elsewhere() {
    let database = Postgres::shared().database();
    let cluster = Cluster::of(2, &database);
    let [one, two] = &cluster.nodes[..] else { panic!("two") };
    let lost = call_later(one.http(), "stamps_start", json!({"id": "a", "ms": 4000, "maxSteps": "all"}));
    wait_running(one, 4000);
    let all = two.get("/api/sessions?workflowName=stamps").body;
    let session = all[0]["sessionId"].as_str().expect("a session").to_owned();
    one.kill9();
    assert!(lost.join().expect("no panic").is_none(), "the reply was lost");
    let ended = wait_status(two.http(), &session, "completed");
    assert_eq!(ended["memory"]["end"], json!({"done": true}));
    assert_eq!(cluster.effects(&session, 1), 1);
}
