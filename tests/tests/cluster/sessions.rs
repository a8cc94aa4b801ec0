//! Sessions that are started on one instance and continued on others.

use super::*;

#[test]
fn a_session_moves_from_instance_to_instance() {
    let database = Postgres::shared().database();
    let cluster = Cluster::of(3, &database);
    let session = id(&call(cluster.http(), "w_start", json!({"id": "a", "ms": 0})));
    for step in 1..4 {
        let reply = call(cluster.http(), "w_continue", json!({"sessionId": session, "expectedStep": step}));
        assert_ne!(reply["isError"], true, "{reply}");
    }
    for node in &cluster.nodes {
        let shown = super::session(node.http(), &session);
        assert_eq!(
            (&shown["status"], &shown["memory"]["end"]),
            (&json!("completed"), &json!({"done": true}))
        );
    }
    assert_eq!((cluster.effects(&session, 1), cluster.effects(&session, 2)), (1, 1));
}

#[test]
fn a_continue_that_was_answered_elsewhere_gets_the_same_answer_anywhere() {
    let database = Postgres::shared().database();
    let cluster = Cluster::of(3, &database);
    let session = id(&call(cluster.nodes[0].http(), "w_start", json!({"id": "a", "ms": 0})));
    let arguments = json!({"sessionId": session, "expectedStep": 1});
    let first = call(cluster.nodes[1].http(), "w_continue", arguments.clone());
    for node in &cluster.nodes {
        assert_eq!(call(node.http(), "w_continue", arguments.clone()), first);
    }
    assert_eq!(cluster.effects(&session, 1), 1);
    let key = json!({"id": "b", "ms": 0, "idempotencyKey": "k"});
    let started: Vec<String> =
        cluster.nodes.iter().map(|node| id(&call(node.http(), "w_start", key.clone()))).collect();
    assert!(started.iter().all(|one| *one == started[0]), "{started:?}");
}

#[test]
fn of_continues_that_race_on_two_instances_one_runs_the_step() {
    let database = Postgres::shared().database();
    let cluster = Cluster::of(2, &database);
    for round in 0..15 {
        let session = id(&call(cluster.http(), "w_start", json!({"id": round, "ms": 20})));
        let arguments = json!({"sessionId": session, "expectedStep": 1});
        let racing: Vec<_> = cluster
            .nodes
            .iter()
            .map(|node| call_later(node.http(), "w_continue", arguments.clone()))
            .collect();
        let replies: Vec<Value> =
            racing.into_iter().map(|one| one.join().expect("no panic").expect("a reply")).collect();
        assert_eq!(replies[0], replies[1], "both are given the recorded reply");
        assert_ne!(replies[0]["isError"], true, "{}", replies[0]);
        assert_eq!(cluster.effects(&session, 1), 1, "round {round}");
    }
}

#[test]
fn a_session_that_is_ended_on_one_instance_is_let_go_of_by_the_other() {
    let database = Postgres::shared().database();
    let cluster = Cluster::of(2, &database);
    let [one, other] = [0, 1].map(|node: usize| cluster.nodes[node].http());
    let session = id(&call(one, "stamps_start", json!({"id": "a", "ms": 20_000})));
    let running = call_later(one, "stamps_continue", json!({"sessionId": session}));
    eventually("the step runs", || {
        Some(cluster.nodes[0].stats("test-server")).filter(|stats| stats["last"]["ms"] == 20_000)
    });
    call(other, "stamps_cancel", json!({"sessionId": session}));
    let reply = running.join().expect("no panic").expect("a reply");
    assert_eq!(reply["isError"], true, "{reply}");
    assert_eq!(super::session(one, &session)["status"], "cancelled");
}

#[test]
fn a_legacy_client_is_known_to_every_instance() {
    let database = Postgres::shared().database();
    let cluster = Cluster::of(3, &database);
    let client = Client::legacy(cluster.http());
    for _ in 0..6 {
        assert!(client.tools().iter().any(|tool| tool == "w_start"));
    }
}

#[test]
fn a_schedule_fires_once_however_many_instances_there_are() {
    let database = Postgres::shared().database();
    let cluster = Cluster::of(3, &database);
    let body = json!({"workflowName": "stamps", "everyMs": 1000, "input": {"id": "tick", "ms": 0}});
    let schedule = cluster.nodes[0].post("/api/schedules", body);
    schedule.expect_status(201);
    let sessions = || {
        let all = cluster.nodes[1].get("/api/sessions?workflowName=stamps&limit=100").body;
        all.as_array().expect("a list").clone()
    };
    eventually("it fired four times", || (sessions().len() >= 4).then_some(()));
    let path = format!("/api/schedules/{}", schedule.body["id"].as_str().expect("an id"));
    cluster.nodes[2].delete(&path).expect_status(204);
    let all = eventually("all are complete", || {
        Some(sessions()).filter(|all| all.iter().all(|one| one["status"] == "completed"))
    });
    let mut times: Vec<i64> = all.iter().map(|one| one["startedAt"].as_i64().expect("a time")).collect();
    times.sort_unstable();
    // However late each one is: were a time to fire twice, those after it would be earlier than theirs.
    let first = schedule.body["next"][0].as_i64().expect("its first time");
    let in_time = times.iter().zip((first..).step_by(1000)).all(|(at, due)| *at >= due);
    assert!(in_time, "a time fired twice: {times:?} from {first}");
    for one in &all {
        assert_eq!(cluster.effects(one["sessionId"].as_str().expect("an id"), 1), 1, "{one}");
    }
}

#[test]
fn a_schedule_goes_by_the_clock_of_the_store() {
    let server = Postgres::shared();
    let database = server.database();
    drop(Cluster::of(1, &database));
    // The clock of the machine is an hour behind.
    let name = database.url.rsplit('/').next().expect("a name");
    let clock = "CREATE OR REPLACE FUNCTION lockgate.clock() RETURNS bigint LANGUAGE sql AS
        'SELECT ((extract(epoch FROM clock_timestamp()) + 3600) * 1000)::bigint'";
    server.psql(name, clock);
    let now = || server.psql(name, "SELECT lockgate.clock()").parse::<i64>().expect("a time");
    let cluster = Cluster::of(1, &database);
    let node = &cluster.nodes[0];
    let at = |at: i64| {
        node.post("/api/schedules", json!({"workflowName": "stamps", "at": at, "input": {"ms": 0}}))
    };
    let fault = at(now() - 60_000).expect_code(400, "VALIDATION_ERROR");
    assert_eq!(fault.message, "at must be in the future");
    let soon = now() + 4000;
    at(soon).expect_status(201);
    let session = eventually("it fires", || {
        let all = node.get("/api/sessions?workflowName=stamps").body;
        all.as_array().expect("a list").first().cloned()
    });
    assert!(session["startedAt"].as_i64().is_some_and(|at| at >= soon), "{session}");
}
