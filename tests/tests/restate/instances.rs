//! Two instances on one Restate and one PostgreSQL, and the way there from one without Restate.

use super::*;
use databases::{Database, Postgres};
use testkit::Proxy;

struct Pair {
    nodes: [TestGateway; 2],
    _restate: Restate,
    /// Where Restate finds both.
    _endpoint: Proxy,
    _ports: [Port; 2],
    _effects: Folder,
    _database: Database,
}

fn pair() -> Pair {
    let (restate, effects, ports) = (Restate::own(), Folder::new(), [Port::free(), Port::free()]);
    let database = Postgres::shared().database();
    let endpoint = Proxy::to(&[ports[0].number, ports[1].number]);
    let activities = [
        script("note", "return {data: {ms: context.input.ms}}"),
        tool("charge", "effect"),
        tool("stamp", "effect-once"),
    ];
    let flows = [
        workflow("w", &[json!("note"), json!("charge"), json!("note")]),
        workflow("stamps", &[json!("note"), json!("stamp"), json!("note")]),
    ];
    let nodes = [&ports[0], &ports[1]].map(|port| {
        let settings = on(&restate, port.number, Some(endpoint.port));
        let builder = builder(&effects, &activities, &flows).setting(&settings);
        builder.setting(&format!("store: {{url: '{}'}}", database.url)).start()
    });
    nodes.iter().for_each(registered);
    Pair {
        nodes,
        _restate: restate,
        _endpoint: endpoint,
        _ports: ports,
        _effects: effects,
        _database: database,
    }
}

fn call(gateway: &TestGateway, tool: &str, arguments: Value) -> Value {
    Client::modern(gateway.http()).call(tool, arguments)
}

/// The instance that runs a step with that `ms`, and the other one.
#[track_caller]
fn at_work(pair: &Pair, ms: u64) -> (&TestGateway, &TestGateway) {
    let [one, two] = &pair.nodes;
    eventually("the step runs", || {
        let runs = |node: &TestGateway| node.stats("test-server")["last"]["ms"] == ms;
        if runs(one) { Some((one, two)) } else { runs(two).then_some((two, one)) }
    })
}

#[test]
fn a_session_moves_between_instances_and_is_cancelled_from_either() {
    let pair = pair();
    let [one, two] = &pair.nodes;
    let session = id(&call(one, "w_start", json!({"ms": 1})));
    let reply = call(two, "w_continue", json!({"sessionId": session, "expectedStep": 1}));
    assert_eq!(reply["structuredContent"]["nextActivity"], "note", "{reply}");
    let again = call(one, "w_continue", json!({"sessionId": session, "expectedStep": 1}));
    assert_eq!(again, reply);
    let last = call(one, "w_continue", json!({"sessionId": session, "result": {"ms": 2}}));
    assert_eq!(last["structuredContent"]["status"], "completed", "{last}");

    let session = id(&call(one, "w_start", json!({"ms": 20_000})));
    let running = call_later(one.http(), "w_continue", &json!({"sessionId": session}));
    let (_, other) = at_work(&pair, 20_000);
    let reply = call(other, "w_cancel", json!({"sessionId": session}));
    assert_eq!(text(&reply), format!("Workflow w with session ID {session} has been cancelled."));
    let given_up = running.join().expect("no panic").expect("a reply");
    assert_eq!(text(&given_up), "Cannot continue workflow in status: cancelled");
}

#[test]
fn nothing_is_started_under_a_name_that_ended_elsewhere() {
    let pair = pair();
    let [one, two] = &pair.nodes;
    let made = |name: String| {
        let steps = [json!({"activity": "note"})];
        let body = json!({"name": name, "workflowType": "session", "enabled": true, "steps": steps});
        let reply = one.post("/api/workflows", body);
        reply.expect_status(201);
        format!("/api/workflows/{}", reply.body["id"].as_str().expect("an id"))
    };
    for round in 0..4 {
        let path = made(format!("a{round}"));
        eventually("the other instance offers it", || {
            two.get(&path).body["valid"].as_bool().filter(|is| *is)
        });
        // Right after a change, before the other one can have followed.
        made(format!("b{round}"));
        let started = two.post(&format!("{path}/execute"), json!({"ms": 1}));
        assert_eq!(started.body["structuredContent"]["status"], "completed", "{started:?}");
        one.delete(&path).expect_status(204);
        let late = two.post(&format!("{path}/execute"), json!({"ms": 1}));
        assert!(late.status == 404 || late.body["isError"] == true, "{late:?}");
    }
    assert_eq!(two.get("/api/sessions").body.as_array().map(Vec::len), Some(4));
}

#[test]
fn another_instance_takes_up_the_step_of_one_that_was_killed() {
    let pair = pair();
    let session = id(&call(&pair.nodes[0], "stamps_start", json!({"ms": 3000})));
    let asked = [0, 1].map(|node| {
        let arguments = json!({"sessionId": session, "expectedStep": 1});
        call_later(pair.nodes[node].http(), "stamps_continue", &arguments)
    });
    let (busy, other) = at_work(&pair, 3000);
    busy.kill9();
    running(other, 3000);
    let replies = asked.map(|call| call.join().expect("no panic"));
    let reply = replies.into_iter().flatten().next().expect("whoever asked the other one has a reply");
    assert_eq!(reply["structuredContent"]["stepResult"]["tool"], "effect-once", "{reply}");
    assert_eq!(session_at(other, &session)["currentStep"], 1);
}

#[test]
fn sessions_that_began_without_restate_go_on_with_it() {
    let (folder, restate, port) = (Folder::new(), Restate::own(), Port::free());
    let flows = [
        workflow("w", &[json!("note"), json!("note")]),
        workflow(
            "waits",
            &[json!("note"), json!({"activity": "note", "waitFor": {"event": "e", "timeoutMs": 4000}})],
        ),
    ];
    let activities = [script("note", "return {data: {}}")];
    let before = builder(&folder, &activities, &flows).start_in(folder);
    let session = id(&call(&before, "w_start", json!({})));
    let waits = id(&call(&before, "waits_start", json!({})));
    call(&before, "waits_continue", json!({"sessionId": waits}));
    before.signal(testkit::Signal::TERM);
    before.wait_exit();
    let folder = before.into_folder();
    let after =
        builder(&folder, &activities, &flows).setting(&on(&restate, port.number, None)).start_in(folder);
    registered(&after);
    let reply = call(&after, "w_continue", json!({"sessionId": session, "expectedStep": 1}));
    assert_eq!(reply["structuredContent"]["status"], "completed", "{reply}");
    eventually("its timer is kept", || (session_at(&after, &waits)["status"] == "failed").then_some(()));
}

#[track_caller]
fn session_at(gateway: &TestGateway, id: &str) -> Value {
    super::session(gateway.http(), id)
}
