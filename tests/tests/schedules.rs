//! The start times of session workflows, over real time and real restarts (spec 5.2). What is counted by the clock of a
//! time zone is tested beside the code.

use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};
use testkit::{Reply, Request, TestGateway, eventually};

/// A gateway with the workflows `quick`, which runs to its end at once, `slow`, which takes a second, `held`, which
/// waits for an event, and `nesting`, which runs `quick` as a step before it does.
fn start() -> TestGateway {
    let activities = json!([
        {"name": "take", "run": {"script": "return {data: {got: context.input}}"}},
        {"name": "end", "run": {"script": "return {data: {}}"}},
        {"name": "nest", "run": {"workflow": {"name": "quick"}}},
        {"name": "wait", "run": {"script": "console.log('begun'); await sleep(1000); return {data: {}}"}},
    ]);
    let workflows = json!([
        {"name": "quick", "description": "q", "steps": [{"activity": "take"}, {"activity": "end"}]},
        {"name": "slow", "description": "s", "steps": [{"activity": "wait"}, {"activity": "end"}]},
        {"name": "held", "description": "h",
            "steps": [{"activity": "take", "waitFor": {"event": "go"}}, {"activity": "end"}]},
        {"name": "nesting", "description": "n",
            "steps": [{"activity": "nest"}, {"activity": "take", "waitFor": {"event": "go"}}]},
    ]);
    TestGateway::builder()
        .server("test-server", |s| s)
        .setting(&format!("activities: {activities}\nworkflows: {workflows}"))
        .start()
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is right");
    i64::try_from(since.as_millis()).expect("the clock is right")
}

/// Creates a schedule of a workflow with these fields.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "callers write the fields in place")]
fn schedule(gateway: &TestGateway, workflow: &str, fields: Value) -> Value {
    let mut body = json!({"workflowName": workflow});
    body.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
    let reply = gateway.post("/api/schedules", body);
    reply.expect_status(201);
    reply.body
}

fn id(schedule: &Value) -> &str {
    schedule["id"].as_str().expect("a schedule has an id")
}

#[track_caller]
fn show(gateway: &TestGateway, one: &Value) -> Value {
    let reply = gateway.get(&format!("/api/schedules/{}", id(one)));
    reply.expect_status(200);
    reply.body
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "callers write the body in place")]
fn patch(gateway: &TestGateway, one: &Value, body: Value) -> Reply {
    let path = format!("/api/schedules/{}", id(one));
    gateway.http().send(&Request::new("PATCH", &path).body("application/json", body.to_string()))
}

/// The sessions that a schedule started, newest first.
#[track_caller]
fn sessions(gateway: &TestGateway, one: &Value) -> Vec<Value> {
    let reply = gateway.get(&format!("/api/sessions?clientId=schedule:{}", id(one)));
    reply.expect_status(200);
    reply.body.as_array().expect("a list").clone()
}

/// Waits until a schedule has started its only session.
#[track_caller]
fn wait_only(gateway: &TestGateway, one: &Value) {
    eventually("the schedule starts its session", || (sessions(gateway, one).len() == 1).then_some(()));
}

/// Waits until a schedule has started so many more sessions.
#[track_caller]
fn wait_more(gateway: &TestGateway, one: &Value, count: usize) {
    let before = sessions(gateway, one).len();
    eventually("the schedule starts sessions", || {
        (sessions(gateway, one).len() >= before + count).then_some(())
    });
}

#[test]
fn an_interval_starts_sessions_that_run_to_their_end() {
    let gateway = start();
    let one = schedule(&gateway, "quick", json!({"everyMs": 1000, "input": {"a": 1}}));
    let next: Vec<i64> = one["next"].as_array().expect("times").iter().filter_map(Value::as_i64).collect();
    let created = one["createdAt"].as_i64().expect("a time");
    assert_eq!(next, (1..=5).map(|n| created + n * 1000).collect::<Vec<_>>());
    assert_eq!(
        (&one["paused"], &one["missed"], &one["overlap"]),
        (&json!(false), &json!("skip"), &json!(false))
    );

    wait_more(&gateway, &one, 2);
    let first = sessions(&gateway, &one).pop().expect("a session");
    assert_eq!((&first["status"], &first["scheduleId"]), (&json!("completed"), &one["id"]), "{first}");
    assert_eq!(first["memory"]["take"]["got"], json!({"a": 1}));
    let shown = show(&gateway, &one);
    assert!(shown["next"][0].as_i64().is_some_and(|at| at > next[0]), "{shown}");
    assert!(shown["lastSession"]["sessionId"].is_string(), "{shown}");
    assert_eq!(shown["updatedAt"], one["updatedAt"], "a start is no change");
    gateway.delete(&format!("/api/schedules/{}", id(&one))).expect_status(204);
    gateway.get(&format!("/api/schedules/{}", id(&one))).expect_code(404, "NOT_FOUND");
    gateway.delete(&format!("/api/schedules/{}", id(&one))).expect_code(404, "NOT_FOUND");
    assert!(!sessions(&gateway, &one).is_empty(), "its sessions stay");
}

#[test]
fn a_paused_schedule_starts_nothing_until_it_goes_on() {
    let gateway = start();
    let one = schedule(&gateway, "quick", json!({"everyMs": 1000, "paused": true}));
    let clock = schedule(&gateway, "quick", json!({"everyMs": 1000}));
    assert_eq!(one["next"], json!([]));
    wait_more(&gateway, &clock, 2);
    assert_eq!(sessions(&gateway, &one).len(), 0);

    let resumed = patch(&gateway, &one, json!({"paused": false})).expect_status(200).body.clone();
    assert!(resumed["next"][0].as_i64().is_some_and(|at| at > now() - 1000), "nothing is made up: {resumed}");
    wait_more(&gateway, &one, 1);
    patch(&gateway, &one, json!({"paused": true})).expect_status(200);
    let before = sessions(&gateway, &one).len();
    wait_more(&gateway, &clock, 2);
    assert_eq!(sessions(&gateway, &one).len(), before);
}

#[test]
fn no_session_is_started_while_the_last_one_is_open_unless_that_is_allowed() {
    let gateway = start();
    let alone = schedule(&gateway, "held", json!({"everyMs": 1000}));
    let beside = schedule(&gateway, "held", json!({"everyMs": 1000, "overlap": true}));
    wait_more(&gateway, &beside, 3);
    let open = sessions(&gateway, &alone);
    assert_eq!(open.len(), 1, "{open:?}");
    assert_eq!(open[0]["waiting"]["event"], "go");
    assert_eq!(show(&gateway, &alone)["lastSession"]["sessionId"], open[0]["sessionId"]);
    let event = json!({"event": "go", "data": {}, "sessionId": open[0]["sessionId"]});
    assert_eq!(gateway.post("/api/sessions/events", event).body["delivered"], 1);
    wait_more(&gateway, &alone, 1);
}

#[test]
fn a_session_that_runs_as_a_step_is_not_the_last_one_of_a_schedule() {
    let gateway = start();
    let alone = schedule(&gateway, "nesting", json!({"everyMs": 1000}));
    let clock = schedule(&gateway, "quick", json!({"everyMs": 1000}));
    wait_more(&gateway, &alone, 2);
    wait_more(&gateway, &clock, 3);
    let all = sessions(&gateway, &alone);
    let (outer, inner): (Vec<_>, Vec<_>) = all.iter().partition(|one| one["parentSessionId"].is_null());
    assert_eq!((outer.len(), inner.len()), (1, 1), "its session is open: {all:?}");
    assert_eq!((&outer[0]["waiting"]["event"], &inner[0]["status"]), (&json!("go"), &json!("completed")));
    assert_eq!(show(&gateway, &alone)["lastSession"]["sessionId"], outer[0]["sessionId"]);
}

#[test]
fn a_moment_comes_once() {
    let gateway = start();
    let one = schedule(&gateway, "quick", json!({"at": now() + 500}));
    wait_only(&gateway, &one);
    eventually("it has no more times", || (show(&gateway, &one)["next"] == json!([])).then_some(()));
    let clock = schedule(&gateway, "quick", json!({"everyMs": 1000}));
    wait_more(&gateway, &clock, 2);
    assert_eq!(sessions(&gateway, &one).len(), 1);
    let past = json!({"workflowName": "quick", "at": "2020-01-01T00:00:00Z"});
    let fault = gateway.post("/api/schedules", past).expect_code(400, "VALIDATION_ERROR");
    assert_eq!((fault.message.as_str(), &fault.details["field"]), ("at must be in the future", &json!("at")));
}

#[test]
fn a_time_that_passed_while_the_gateway_was_down_is_made_up_once_or_skipped() {
    let gateway = start();
    let at = now() + 3000;
    let skipped = schedule(&gateway, "quick", json!({"at": at, "missed": "skip"}));
    let made_up = schedule(&gateway, "quick", json!({"at": at + 1, "missed": "once"}));
    gateway.kill9();
    eventually("the time has passed", || (now() > at + 100).then_some(()));
    let gateway = gateway.revive();
    wait_only(&gateway, &made_up);
    eventually("both are done", || (show(&gateway, &made_up)["next"] == json!([])).then_some(()));
    assert_eq!((sessions(&gateway, &skipped).len(), &show(&gateway, &skipped)["next"]), (0, &json!([])));
    let gateway = gateway.reopen();
    let clock = schedule(&gateway, "quick", json!({"everyMs": 1000}));
    wait_more(&gateway, &clock, 2);
    assert_eq!(sessions(&gateway, &made_up).len(), 1);
}

#[test]
fn a_time_fires_at_most_once_however_the_gateway_ends() {
    let mut gateway = start();
    let one = schedule(&gateway, "quick", json!({"everyMs": 1000, "missed": "once", "overlap": true}));
    for _ in 0..3 {
        wait_more(&gateway, &one, 1);
        gateway.kill9();
        gateway = gateway.revive();
    }
    wait_more(&gateway, &one, 1);
    let count = i64::try_from(sessions(&gateway, &one).len()).expect("few sessions");
    let times = (now() - one["createdAt"].as_i64().expect("a time")) / 1000;
    assert!(count <= times, "{count} sessions at {times} times");
}

#[test]
fn a_session_that_was_cut_off_goes_on_with_the_next_start() {
    let gateway = start();
    let one = schedule(&gateway, "slow", json!({"at": now() + 300}));
    eventually("its script runs", || {
        gateway.log().iter().any(|line| line["message"] == "begun").then_some(())
    });
    gateway.kill9();
    let gateway = gateway.revive();
    eventually("it has run to its end", || {
        sessions(&gateway, &one).pop().filter(|session| session["status"] == "completed")
    });
    assert_eq!(sessions(&gateway, &one).len(), 1);
}

#[test]
fn a_cron_expression_goes_by_the_clock_of_its_zone() {
    let gateway = start();
    let one = schedule(&gateway, "quick", json!({"cron": "0 9 * * *", "timeZone": "Asia/Tokyo"}));
    let next: Vec<i64> = one["next"].as_array().expect("times").iter().filter_map(Value::as_i64).collect();
    assert_eq!(next.len(), 5);
    assert!(
        next.iter().all(|at| at % 86_400_000 == 0 && *at > now()),
        "nine in Tokyo is midnight in UTC: {next:?}"
    );
    let gateway = gateway.reopen();
    assert_eq!(gateway.get("/api/schedules").body, json!([one]));
    let other = patch(&gateway, &one, json!({"timeZone": "UTC"})).expect_status(200).body.clone();
    assert_eq!(other["next"][0].as_i64().map(|at| at % 86_400_000), Some(9 * 3_600_000), "{other}");
    let other = patch(&gateway, &one, json!({"everyMs": 60_000})).expect_status(200).body.clone();
    assert!(other.get("cron").is_none() && other.get("timeZone").is_none(), "{other}");
}

#[test]
fn a_schedule_that_breaks_a_rule_is_refused_whole() {
    let gateway = start();
    for (body, field, part) in [
        (json!({"everyMs": 1000}), "workflowName", "is required"),
        (
            json!({"workflowName": "nobody", "everyMs": 1000}),
            "workflowName",
            "no active session workflow 'nobody'",
        ),
        (json!({"workflowName": "quick"}), "cron", "One of at, everyMs and cron"),
        (json!({"workflowName": "quick", "cron": "61 * * * *"}), "cron", "the minute '61'"),
        (json!({"workflowName": "quick", "cron": "0 0 30 2 *"}), "cron", "never comes"),
        (
            json!({"workflowName": "quick", "cron": "* * * * *", "timeZone": "Mars/Base"}),
            "timeZone",
            "Europe/Berlin",
        ),
        (json!({"workflowName": "quick", "everyMs": 1000, "input": 5}), "input", "JSON object"),
    ] {
        let fault = gateway.post("/api/schedules", body).expect_code(400, "VALIDATION_ERROR");
        assert_eq!(fault.details["field"], field, "{fault:?}");
        assert!(fault.message.contains(part), "{fault:?}");
    }
    assert_eq!(gateway.get("/api/schedules").body, json!([]));
    let one = schedule(&gateway, "quick", json!({"everyMs": 60_000}));
    patch(&gateway, &one, json!({"everyMs": 5})).expect_code(400, "VALIDATION_ERROR");
    assert_eq!(show(&gateway, &one), one);
}

#[test]
fn a_schedule_of_a_workflow_that_is_switched_off_says_so() {
    let gateway = start();
    let body =
        json!({"name": "own", "workflowType": "session", "enabled": true, "steps": [{"activity": "end"}]});
    let workflow = gateway.post("/api/workflows", body);
    let workflow = workflow.expect_status(201).body["id"].as_str().expect("an id").to_owned();
    let one = schedule(&gateway, "own", json!({"everyMs": 1000}));
    assert!(one.get("reason").is_none(), "{one}");
    gateway.post(&format!("/api/workflows/{workflow}/disable"), json!({})).expect_status(200);
    assert_eq!(show(&gateway, &one)["reason"], "There is no active session workflow 'own'");
    let count = sessions(&gateway, &one).len();
    let clock = schedule(&gateway, "quick", json!({"everyMs": 1000}));
    wait_more(&gateway, &clock, 2);
    assert_eq!(sessions(&gateway, &one).len(), count);
    gateway.post(&format!("/api/workflows/{workflow}/activate"), json!({})).expect_status(200);
    wait_more(&gateway, &one, 1);
}

#[test]
fn a_start_goes_the_road_of_every_call_and_a_hook_may_block_it() {
    let gateway = start();
    let script = "if (context.toolName === 'quick_start') { \
        if (context.request.params.arguments.a === 1) return {continue: false, error: {message: 'not by ' + context.metadata.clientId}}; \
        context.request.params.arguments.hooked = true; }";
    let hook = json!({"name": "guard", "hookType": "pre", "script": script});
    gateway.post("/api/hooks", hook).expect_status(201);
    let one = schedule(&gateway, "quick", json!({"everyMs": 1000, "input": {"a": 1}}));
    let reason =
        eventually("a time passes unused", || show(&gateway, &one)["reason"].as_str().map(str::to_owned));
    assert!(reason.contains(&format!("not by schedule:{}", id(&one))), "{reason}");
    assert!(sessions(&gateway, &one).is_empty(), "no session was begun");
    patch(&gateway, &one, json!({"paused": true})).expect_status(200);
    let gateway = gateway.reopen();
    assert_eq!(show(&gateway, &one)["reason"], reason.as_str(), "a restart forgets nothing");
    patch(&gateway, &one, json!({"paused": false})).expect_status(200);
    patch(&gateway, &one, json!({"input": {"a": 2, "sessionId": "mine"}})).expect_status(200);
    let first = eventually("what the hook lets pass is started", || sessions(&gateway, &one).pop());
    assert_eq!(first["memory"]["__workflow_input__"], json!({"a": 2, "sessionId": "mine", "hooked": true}));
    assert_eq!(first["scheduleId"], one["id"]);
    eventually("the reason is gone", || show(&gateway, &one).get("reason").is_none().then_some(()));
}

#[test]
fn a_workflow_that_a_schedule_starts_keeps_its_name_and_stays() {
    let gateway = start();
    let steps = json!([{"activity": "take"}]);
    let body = json!({"name": "timed", "workflowType": "session", "enabled": true, "steps": steps});
    let workflow = gateway.post("/api/workflows", body).expect_status(201).body["id"].clone();
    let path = format!("/api/workflows/{}", workflow.as_str().expect("an id"));
    let one = schedule(&gateway, "timed", json!({"at": now() + 3_600_000}));
    let rename = || {
        let request = Request::new("PATCH", &path).body("application/json", r#"{"name": "other"}"#);
        gateway.http().send(&request)
    };
    for reply in [rename(), gateway.delete(&path)] {
        reply.expect_code(409, "CONFLICT");
        let message = reply.body["error"]["message"].as_str().expect("a message").to_owned();
        assert!(message.contains(id(&one)) && message.contains("delete the schedule"), "{message}");
        assert_eq!(reply.body["error"]["details"]["scheduleId"], one["id"]);
    }
    gateway.delete(&format!("/api/schedules/{}", id(&one))).expect_status(204);
    rename().expect_status(200);
    gateway.delete(&path).expect_status(204);
}
