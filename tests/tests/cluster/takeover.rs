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
