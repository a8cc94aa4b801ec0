//! A database that goes away and comes back, for all instances or for one.

use super::*;

/// A call that needs no store.
#[track_caller]
fn echoes(node: &TestGateway) {
    assert_eq!(node.call("test-server", "echo", json!({"a": 1})).result(), &json!({"a": 1}));
}

#[test]
fn a_database_that_is_stopped_and_started_again_loses_nothing() {
    let server = Postgres::own();
    let database = server.database();
    let cluster = Cluster::of(2, &database);
    let [one, two] = &cluster.nodes[..] else { panic!("two") };
    let session = id(&call(one.http(), "w_start", json!({"id": "a", "ms": 0})));
    server.crash();
    cluster.nodes.iter().for_each(echoes);
    let refused = call(two.http(), "w_continue", json!({"sessionId": session, "expectedStep": 1}));
    assert_eq!(refused["isError"], true, "{refused}");
    assert_eq!(cluster.effects(&session, 1), 0, "what cannot be recorded is not done");
    let hook = json!({"name": "door", "hookType": "pre", "script": "return {continue: false, error: {message: 'closed'}}"});
    // An entry of the audit log waits for the store; those who read the log do not.
    one.post("/api/servers/test-server/restart", json!({})).expect_status(200);
    for reply in [
        one.post("/api/hooks", hook.clone()),
        one.get(&format!("/api/sessions/{session}")),
        one.get("/api/runs"),
        one.get("/api/audit"),
        one.get("/api/audit/export"),
    ] {
        let fault = reply.expect_code(503, "STORE_UNAVAILABLE");
        assert_eq!((reply.header("retry-after"), &fault.details["retryAfter"]), ("1", &json!(1)));
    }
    server.start();
    let reply = eventually("the store answers again", || {
        let reply = call(two.http(), "w_continue", json!({"sessionId": session, "expectedStep": 1}));
        (reply["isError"] != true).then_some(reply)
    });
    assert_eq!(id(&reply), session);
    for step in 2..4 {
        let reply = call(cluster.http(), "w_continue", json!({"sessionId": session, "expectedStep": step}));
        assert_ne!(reply["isError"], true, "{reply}");
    }
    assert_eq!((cluster.effects(&session, 1), cluster.effects(&session, 2)), (1, 1));
    eventually("what waited is in the audit log", || {
        let found = two.get("/api/audit?subject=/api/servers/test-server/restart");
        (found.body.as_array().map(Vec::len) == Some(1)).then_some(())
    });
    one.post("/api/hooks", hook).expect_status(201);
    eventually("changes spread again", || {
        (two.call("test-server", "echo", json!({})).body["success"] == false).then_some(())
    });
}

#[test]
fn an_instance_that_is_cut_off_from_the_database_is_fenced() {
    let server = Postgres::own();
    let database = server.database();
    let effects = Folder::new();
    let line = Proxy::to(&[server.port()]);
    let cut_url = database.url.replace(&format!(":{}/", server.port()), &format!(":{}/", line.port));
    assert_ne!(cut_url, database.url, "the address of the database has its port");
    let nodes = vec![instance(&cut_url, &effects).start(), instance(&database.url, &effects).start()];
    let cluster = Cluster::with(nodes, effects);
    let [one, two] = &cluster.nodes[..] else { panic!("two") };
    let session = id(&call(one.http(), "stamps_start", json!({"id": "a", "ms": 1000})));
    let lost = call_later(one.http(), "stamps_continue", json!({"sessionId": session, "expectedStep": 1}));
    eventually("the step runs", || {
        Some(one.stats("test-server")).filter(|stats| stats["last"]["ms"] == 1000)
    });
    line.cut();
    echoes(one);
    let reply = call(two.http(), "stamps_continue", json!({"sessionId": session, "expectedStep": 1}));
    assert_ne!(reply["isError"], true, "{reply}");
    let last = call(two.http(), "stamps_continue", json!({"sessionId": session, "expectedStep": 2}));
    assert_ne!(last["isError"], true, "{last}");
    line.heal();
    drop(lost.join().expect("no panic"));
    let shown = eventually("the instance reads again", || {
        let reply = one.get(&format!("/api/sessions/{session}"));
        (reply.status == 200 && reply.body["status"] == "completed").then_some(reply.body)
    });
    assert_eq!(shown["history"].as_array().map(Vec::len), Some(3), "each step is recorded once: {shown}");
    assert_eq!(cluster.effects(&session, 1), 1, "the tool honours its key");
}

#[test]
fn a_gateway_stops_while_the_database_is_away() {
    let server = Postgres::own();
    let database = server.database();
    let cluster = Cluster::of(1, &database);
    let [one] = &cluster.nodes[..] else { panic!("one") };
    server.crash();
    one.post("/api/servers/test-server/restart", json!({})).expect_status(200);
    eventually("its entry of the audit log cannot be written", || {
        one.log_lines().iter().any(|line| line.contains("the audit log could not be written")).then_some(())
    });
    one.signal(testkit::Signal::TERM);
    assert_eq!(one.wait_exit(), Some(0), "{:#?}", one.log_lines());
}

#[test]
fn an_answer_that_lands_on_another_instance_is_refused_there_and_taken_where_it_was_asked() {
    let database = Postgres::shared().database();
    let program = testkit::conformance_fixture();
    let program = program.to_str().expect("the path of the build is UTF-8");
    let [one, two] = [(); 2].map(|()| {
        let server = |s: testkit::Server| s.command(program).args(&["--stdio", "--era", "legacy"]);
        let store = format!("store: {{url: '{}'}}", database.url);
        TestGateway::builder().server("f", server).setting(&store).start()
    });
    let client = Client::legacy_with(one.http(), "2025-11-25", json!({"sampling": {}, "elicitation": {}}));
    let params = json!({"name": "test_elicitation", "arguments": {"message": "?"}});
    let (id, mut stream) = client.stream("tools/call", params.clone());
    let question = stream.until("elicitation/create");
    let there = Client::resume(two.http(), client.session(), json!({"sampling": {}, "elicitation": {}}));
    let (other_id, mut other) = there.stream("tools/call", params);
    let other_question = other.until("elicitation/create");
    assert_ne!(question["id"], other_question["id"]);
    let answer = |to: &Value| json!({"jsonrpc": "2.0", "id": to["id"], "result": {"action": "decline"}});
    let refused = there.send(&answer(&question).to_string());
    assert_eq!(refused.status, 400, "{}", refused.text());
    assert!(refused.text().contains("another instance"), "{}", refused.text());
    client.answer(&question, json!({"action": "decline"}));
    assert!(stream.reply(id).get("result").is_some());
    there.answer(&other_question, json!({"action": "decline"}));
    assert!(other.reply(other_id).get("result").is_some());
}

#[test]
fn the_runs_of_an_outage_are_kept_when_the_database_is_back() {
    let server = Postgres::own();
    let database = server.database();
    let cluster = Cluster::of(1, &database);
    let [one] = &cluster.nodes[..] else { panic!("one") };
    let node = |id: &str, kind: &str| json!({"id": id, "type": kind, "data": {}});
    let edge = |from: &str, to: &str| json!({"source": from, "target": to});
    let graph = json!({"name": "g", "workflowType": "tools/call", "enabled": true,
        "nodes": [node("s", "start"), node("c", "mcp-call"), node("e", "end")],
        "edges": [edge("s", "c"), edge("c", "e")]});
    one.post("/api/workflows", graph).expect_status(201);
    let runs = || one.get("/api/runs?limit=50").body.as_array().map(Vec::len);
    echoes(one);
    eventually("the first run is kept", || (runs() == Some(1)).then_some(()));
    server.crash();
    (0..5).for_each(|_| echoes(one));
    eventually("they cannot be kept now", || {
        one.log_lines().iter().any(|line| line.contains("runs wait until the store takes them")).then_some(())
    });
    echoes(one);
    server.start();
    eventually("all runs are kept", || (runs() == Some(7)).then_some(()));
}

#[test]
fn what_members_of_a_parallel_step_did_is_recorded_when_the_database_is_back() {
    let server = Postgres::own();
    let database = server.database();
    let cluster = Cluster::of(1, &database);
    let [one] = &cluster.nodes[..] else { panic!("one") };
    let charge =
        json!({"activity": "charge", "inputMapper": "({ id: memory.noted.id, ms: memory.noted.ms })"});
    let group = json!({"parallel": [charge, {"activity": "end"}]});
    let both = json!({"name": "both", "workflowType": "session", "enabled": true,
        "steps": [{"activity": "note"}, group, {"activity": "end"}]});
    one.post("/api/workflows", both).expect_status(201);
    let session = id(&call(one.http(), "both_start", json!({"id": "a", "ms": 1000})));
    let going = call_later(one.http(), "both_continue", json!({"sessionId": session, "expectedStep": 1}));
    eventually("the member runs", || {
        Some(one.stats("test-server")).filter(|stats| stats["last"]["ms"] == 1000)
    });
    server.crash();
    eventually("it has ended", || {
        one.log_lines()
            .iter()
            .any(|line| line.contains("\"activity\":\"charge\"") && line.contains("duration_ms"))
            .then_some(())
    });
    server.start();
    let reply = going.join().expect("no panic").expect("a reply");
    assert_ne!(reply["isError"], true, "{reply}");
    let last = call(one.http(), "both_continue", json!({"sessionId": session, "expectedStep": 2}));
    assert_eq!(last["structuredContent"]["status"], "completed", "{last}");
    assert_eq!(cluster.effects(&session, 1), 1);
}

#[test]
fn a_step_without_effects_fails_at_once_while_the_database_is_away() {
    let server = Postgres::own();
    let database = server.database();
    let cluster = Cluster::of(1, &database);
    let [one] = &cluster.nodes[..] else { panic!("one") };
    let session = id(&call(one.http(), "w_start", json!({"id": "a", "ms": 0})));
    let go_on =
        |step: usize| call(one.http(), "w_continue", json!({"sessionId": session, "expectedStep": step}));
    for step in 1..3 {
        assert_ne!(go_on(step)["isError"], true);
    }
    server.crash();
    let began = std::time::Instant::now();
    let refused = go_on(3);
    assert_eq!(refused["isError"], true, "{refused}");
    // Far less than the outcome of a step with an effect is held on to.
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    server.start();
    eventually("the step can be run again", || (go_on(3)["isError"] != true).then_some(()));
}

#[test]
fn an_outage_is_told_once_and_so_is_its_end() {
    let server = Postgres::own();
    let database = server.database();
    let effects = Folder::new();
    let one = instance(&database.url, &effects).env("LOG_LEVEL", "debug").start();
    let lines = |level: &str, words: &str| {
        let told = one.log_lines().into_iter().filter(|line| line.contains(words));
        told.filter(|line| line.contains(&format!("\"level\":\"{level}\""))).count()
    };
    server.crash();
    one.post("/api/servers/test-server/restart", json!({})).expect_status(200);
    let looks = [
        ("timers of sessions cannot be read", "timers of sessions can be read again"),
        ("schedules cannot be read", "schedules can be read again"),
        ("the audit log could not be written", "the audit log is written again"),
        ("changes of other instances cannot be read", "what others changed is taken over"),
    ];
    for (words, _) in looks {
        eventually(words, || (lines("debug", words) > 1).then_some(()));
        assert_eq!(lines("warn", words), 1, "{words}: {:#?}", one.log_lines());
    }
    server.start();
    for (words, again) in looks {
        eventually(again, || (lines("info", again) == 1).then_some(()));
        assert_eq!(lines("warn", words), 1, "{words}: {:#?}", one.log_lines());
    }
}
