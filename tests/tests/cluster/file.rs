//! Two processes on one SQLite file.

use super::*;

/// Two processes on one file.
fn pair() -> (Cluster, Folder) {
    let (effects, folder) = (Folder::new(), Folder::new());
    let url = format!("sqlite:{}", folder.join("shared.db").display());
    let nodes = (0..2).map(|_| instance(&url, &effects).start()).collect();
    (Cluster::with(nodes, effects), folder)
}

#[test]
fn two_processes_on_one_file_share_sessions_and_definitions() {
    let (cluster, _folder) = pair();
    let [one, two] = &cluster.nodes[..] else { panic!("two") };
    let session = id(&call(one.http(), "w_start", json!({"id": "a", "ms": 0})));
    for step in 1..4 {
        let reply = call(cluster.http(), "w_continue", json!({"sessionId": session, "expectedStep": step}));
        assert_ne!(reply["isError"], true, "{reply}");
    }
    assert_eq!((cluster.effects(&session, 1), cluster.effects(&session, 2)), (1, 1));
    let hook = json!({"name": "door", "hookType": "pre", "script": "return {continue: false, error: {message: 'closed'}}"});
    one.post("/api/hooks", hook).expect_status(201);
    eventually("the hook is in effect there", || {
        (two.call("test-server", "echo", json!({})).body["success"] == false).then_some(())
    });
}

#[test]
fn a_step_of_the_other_process_is_taken_up_when_that_one_dies_and_not_before() {
    let (cluster, _folder) = pair();
    let [one, two] = &cluster.nodes[..] else { panic!("two") };
    let long = LEASE + 1500;
    let session = id(&call(one.http(), "stamps_start", json!({"id": "a", "ms": long})));
    let running = call_later(one.http(), "stamps_continue", json!({"sessionId": session}));
    let reply = running.join().expect("no panic").expect("a reply");
    assert_ne!(reply["isError"], true, "{reply}");
    assert_eq!(cluster.effects(&session, 1), 1, "it ran longer than the lease, and once");
    let session = id(&call(one.http(), "stamps_start", json!({"id": "b", "ms": 1500})));
    let lost = call_later(one.http(), "stamps_continue", json!({"sessionId": session}));
    eventually("the step runs", || {
        Some(one.stats("test-server")).filter(|stats| stats["last"]["ms"] == 1500)
    });
    one.kill9();
    assert!(lost.join().expect("no panic").is_none(), "the reply was lost");
    eventually("the other process takes it up", || (cluster.effects(&session, 1) == 1).then_some(()));
    let reply = call(two.http(), "stamps_continue", json!({"sessionId": session, "expectedStep": 1}));
    assert_ne!(reply["isError"], true, "{reply}");
}

#[test]
fn a_name_that_the_other_process_took_a_moment_ago_is_taken() {
    let (cluster, _folder) = pair();
    let [one, two] = &cluster.nodes[..] else { panic!("two") };
    for n in 0..5 {
        let body = json!({"name": format!("a{n}"), "description": "d", "run": {"script": "return {}"}});
        one.post("/api/activities", body.clone()).expect_status(201);
        let fault = two.post("/api/activities", body).expect_code(409, "CONFLICT");
        assert_eq!(fault.message, format!("Activity name 'a{n}' is taken"));
    }
}
