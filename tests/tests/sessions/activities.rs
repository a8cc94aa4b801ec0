//! One execution of an activity, its attempts and its callbacks (spec 4.2).

use super::*;
use std::time::Instant;

/// Runs one activity as the only step of a workflow.
#[track_caller]
fn run(activity: &Value, input: Value) -> (Value, TestGateway) {
    let name = activity["name"].clone();
    let gateway = builder(std::slice::from_ref(activity), &[workflow("w", &[name])]).start();
    (Client::legacy(gateway.http()).call("w_start", input), gateway)
}

const CALLBACKS: [(&str, &str); 3] = [
    ("onSuccess", "console.log('onSuccess')"),
    ("onFailure", "console.log('onFailure: ' + result.error)"),
    ("onComplete", "console.log('onComplete ' + result.metadata.attempts)"),
];

/// The activity with all three callbacks.
fn watched(activity: Value) -> Value {
    CALLBACKS.iter().fold(activity, |activity, (name, source)| with(activity, json!({*name: source})))
}

#[test]
fn a_schema_message_names_every_offending_field_and_run_is_not_called() {
    let number = json!({"type": "number"});
    let schema = json!({"type": "object", "properties": {"a": number, "b": number, "c": {"type": "string"}},
        "required": ["a", "b", "c"]});
    let activity = with(script("strict", "console.log('ran'); return {}"), json!({"inputSchema": schema}));
    let (reply, gateway) = run(&watched(activity), json!({"a": "x", "b": true}));
    let words = failure(&reply);
    for field in ["a: ", "b: ", "\"c\""] {
        assert!(words.contains(field), "{words}");
    }
    let words = words.strip_prefix("Workflow failed at step 0 (strict): ").expect("the words of a step");
    expect_lines(&gateway, 0, &[&format!("onFailure: {words}"), "onComplete undefined"]);
}

#[test]
fn output_is_checked_whenever_there_is_data() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]});
    let of = |source: &str| with(script("out", source), json!({"outputSchema": schema}));
    let (reply, _) = run(&of("return {data: {n: 'text'}}"), json!({}));
    assert!(failure(&reply).contains("n: "), "{reply}");
    let (reply, _) = run(&of("return {success: false, error: 'plain', data: {n: 'text'}}"), json!({}));
    assert!(failure(&reply).contains("Output does not match"), "also on failure: {reply}");
    let (reply, _) = run(&of("return {}"), json!({}));
    assert_eq!(reply["structuredContent"]["status"], "completed", "no data is not checked: {reply}");
}

#[test]
fn a_failure_without_a_message_has_the_standard_one() {
    let (reply, _) = run(&script("mute", "return {success: false}"), json!({}));
    assert_eq!(failure(&reply), "Workflow failed at step 0 (mute): Activity failed without error message");
}

#[test]
fn a_throw_is_a_failure_with_its_message() {
    let (reply, gateway) = run(&watched(script("boom", "throw new Error('bang')")), json!({}));
    assert_eq!(failure(&reply), "Workflow failed at step 0 (boom): bang");
    expect_lines(&gateway, 0, &["onFailure: bang", "onComplete undefined"]);
}

#[test]
fn a_memory_that_is_no_object_is_refused_by_its_name() {
    for wrong in ["5", "[1]"] {
        let (reply, _gateway) = run(&script("forget", &format!("context.memory = {wrong}")), json!({}));
        let said = "Workflow failed at step 0 (forget): 'context.memory' must be an object";
        assert_eq!(failure(&reply), said, "{wrong}");
    }
}

#[test]
fn what_is_thrown_is_told_by_its_message_alone() {
    for (thrown, expected) in [
        ("new TypeError('ttype')", "ttype"),
        ("{message: 'm1'}", "m1"),
        ("Object.assign(new Error('own'), {name: 'Own'})", "own"),
        ("'text'", "text"),
    ] {
        let (reply, _) = run(&script("boom", &format!("throw {thrown}")), json!({}));
        assert_eq!(failure(&reply), format!("Workflow failed at step 0 (boom): {expected}"));
    }
    let refuses = with(script("boom", "return {}"), json!({"onSuccess": "throw new RangeError('after')"}));
    assert_eq!(failure(&run(&refuses, json!({})).0), "Workflow failed at step 0 (boom): after");
}

#[test]
fn data_that_is_null_is_checked_and_kept() {
    let strict = with(script("nil", "return {data: null}"), json!({"outputSchema": {"type": "object"}}));
    assert!(failure(&run(&strict, json!({})).0).contains("Output does not match its schema"));
    let (reply, gateway) = run(&script("nil", "return {data: null, metadata: null}"), json!({}));
    let results = &reply["structuredContent"]["results"];
    assert_eq!(results.get("nil"), Some(&Value::Null), "{reply}");
    let sessions = gateway.get("/api/sessions").body;
    let memory = &sessions[0]["memory"];
    assert_eq!(memory.get("nil"), Some(&Value::Null), "{sessions}");
}

#[test]
fn what_is_remembered_as_null_is_so_after_a_restart() {
    let set = "context.memory.nil = null; context.memory.gone = 1";
    let drop = "delete context.memory.gone; return {data: 1}";
    let see =
        "return {data: Object.entries(context.memory).filter(([key]) => ['nil', 'gone'].includes(key))}";
    let activities = [script("set", set), script("drop", drop), script("see", see)];
    let gateway = single(&activities, &["set", "drop", "see"].map(|name| json!(name)));
    let session = id(&Client::legacy(gateway.http()).call("w_start", json!({})));
    Client::legacy(gateway.http()).call("w_continue", json!({"sessionId": session}));
    gateway.kill9();
    let gateway = gateway.revive();
    let reply = Client::legacy(gateway.http()).call("w_continue", json!({"sessionId": session}));
    assert_eq!(reply["structuredContent"]["results"]["see"], json!([["nil", null]]), "{reply}");
}

#[test]
fn a_context_has_what_the_specification_lists() {
    let source = "return {data: {keys: Object.keys(context).sort(), meta: context.metadata, \
                  id: context.sessionId, input: context.input, memory: context.memory}}";
    let gateway = single(&[script("see", source)], &[json!("add"), json!("see"), json!("tag")]);
    let client = Client::legacy(gateway.http());
    let session = id(&client.call("w_start", json!({"a": 1, "b": 2})));
    let reply = client.call("w_continue", json!({"sessionId": session}));
    let seen = &reply["structuredContent"]["stepResult"];
    let started = super::session(&gateway, &session)["startedAt"].clone();
    assert_eq!(seen["keys"], json!(["input", "memory", "metadata", "sessionId"]));
    assert_eq!(
        seen["meta"],
        json!({"workflowName": "w", "currentStep": 1, "totalSteps": 3, "startedAt": started})
    );
    assert_eq!((&seen["id"], &seen["input"]), (&json!(session), &json!({"result": 3})));
    assert_eq!(seen["memory"], json!({"__workflow_input__": {"a": 1, "b": 2}, "add": {"result": 3}}));
}

#[test]
fn callbacks_that_throw_at_the_end_are_logged_and_change_nothing() {
    let activity = with(
        script("sound", "return {data: {ok: true}}"),
        json!({"onSuccess": "console.log(result.success, result.data.ok, context.metadata.workflowName)",
            "onComplete": "throw new Error('late')"}),
    );
    let gateway = builder(&[activity], &[workflow("w", &[json!("sound")])]).start();
    let reply = Client::legacy(gateway.http()).call("w_start", json!({}));
    assert_eq!(reply["structuredContent"]["status"], "completed");
    expect_lines(&gateway, 0, &["true true w"]);
    eventually("the throw is logged", || {
        gateway.log().iter().any(|line| line["reason"] == "late").then_some(())
    });
}

#[test]
fn callbacks_fire_once_for_the_final_result() {
    let source = "console.log('try'); return {success: false, error: 'x'}";
    let retry = json!({"retry": {"maxAttempts": 3, "backoffMs": 1}});
    let (_, gateway) = run(&watched(with(script("once", source), retry)), json!({}));
    let last = "onFailure: Activity failed after 3 attempts: x";
    expect_lines(&gateway, 0, &["try", "try", "try", last, "onComplete 3"]);
}

#[test]
fn callbacks_fire_for_every_attempt_where_that_is_asked_for() {
    let source = "console.log('try'); return {success: false, error: 'x'}";
    let retry = json!({"retry": {"maxAttempts": 2, "backoffMs": 1, "hooksPerAttempt": true}});
    let (_, gateway) = run(&watched(with(script("each", source), retry)), json!({}));
    let round = |complete| ["try", "onFailure: x", complete];
    expect_lines(&gateway, 0, &[round("onComplete 1"), round("onComplete 2")].concat());
}

#[test]
fn a_throwing_on_success_is_not_retried() {
    let fields =
        json!({"retry": {"maxAttempts": 3, "backoffMs": 1}, "onSuccess": "throw new Error('after')"});
    let (reply, gateway) = run(&with(script("kept", "console.log('try'); return {}"), fields), json!({}));
    assert_eq!(failure(&reply), "Workflow failed at step 0 (kept): after");
    expect_lines(&gateway, 0, &["try"]);
}

#[test]
fn waits_between_attempts_double_and_none_follows_the_last() {
    let retry = json!({"retry": {"maxAttempts": 3, "backoffMs": 1000}});
    let activity = with(script("spaced", "console.log('try'); return {success: false, error: 'x'}"), retry);
    let gateway = builder(&[activity], &[workflow("w", &[json!("spaced")])]).start();
    let client = Client::legacy(gateway.http());
    let began = Instant::now();
    failure(&client.call("w_start", json!({})));
    let took = began.elapsed();
    expect_times(&gateway, "try", 3);
    assert!(took >= Duration::from_secs(3), "1 and 2 s are waited: {took:?}");
    assert!(took < Duration::from_secs(7), "4 s more would be a wait after the last: {took:?}");
}

#[test]
fn an_activity_without_retry_has_no_attempts_and_the_first_success_ends_them() {
    let flaky = with(
        script("flaky", "console.log('try'); return {data: {}}"),
        json!({"retry": {"maxAttempts": 3, "backoffMs": 1}, "onComplete": "console.log('' + result.metadata.attempts)"}),
    );
    let (reply, gateway) = run(&flaky, json!({}));
    assert_eq!(reply["structuredContent"]["status"], "completed");
    expect_lines(&gateway, 0, &["try", "1"]);
    let plain = with(
        script("plain", "return {data: {}, metadata: {mine: 1}}"),
        json!({"onComplete": "console.log(JSON.stringify(Object.keys(result.metadata).sort()))"}),
    );
    expect_lines(&run(&plain, json!({})).1, 0, &[r#"["executionTimeMs","mine"]"#]);
}

#[test]
fn a_script_without_a_timeout_has_that_of_hooks() {
    let activity = script("long", "await sleep(60000); return {}");
    let gateway =
        builder(&[activity], &[workflow("w", &[json!("long")])]).setting("hooks: {timeoutMs: 200}").start();
    let began = Instant::now();
    let reply = Client::legacy(gateway.http()).call("w_start", json!({}));
    assert!(failure(&reply).contains("timed out"), "{reply}");
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn an_endless_loop_ends_with_the_timeout_of_its_activity() {
    let activity = with(script("spin", "for (;;) {}"), json!({"timeout": 200}));
    let (reply, _) = run(&activity, json!({}));
    assert_eq!(failure(&reply), "Workflow failed at step 0 (spin): Activity timed out after 200ms");
}

#[test]
fn what_a_script_wrote_before_its_time_was_over_is_in_the_log() {
    let ends = |name: &str, more: Value| {
        [("sleep", "await sleep(60000)"), ("spin", "while (true) {}")].map(|(how, rest)| {
            let name = format!("{name}-{how}");
            with(script(&name, &format!("console.log('{name} began'); {rest}")), more.clone())
        })
    };
    let own = ends("own", json!({"timeout": 300}));
    let whole = ends("whole", json!({"timeout": 30000}));
    let all: Vec<Value> = own.into_iter().chain(whole).collect();
    let flow = |one: &Value| {
        let name = one["name"].as_str().expect("a name");
        with(
            workflow(&format!("w-{name}"), &[json!(name)]),
            json!({"timeout": if name.starts_with("own") { 60000 } else { 300 }}),
        )
    };
    let flows: Vec<Value> = all.iter().map(flow).collect();
    let gateway = builder(&all, &flows).start();
    let client = Client::legacy(gateway.http());
    for one in &all {
        let name = one["name"].as_str().expect("a name");
        let reply = client.call(&format!("w-{name}_start"), json!({}));
        assert!(failure(&reply).ends_with("300ms") || failure(&reply).ends_with("(300ms)"), "{reply}");
        expect_times(&gateway, &format!("{name} began"), 1);
    }
}

#[test]
fn a_script_that_waits_for_nothing_ends_with_the_timeout_of_its_activity() {
    let stuck = with(script("stuck", "await new Promise(() => {})"), json!({"timeout": 200}));
    let (reply, _gateway) = run(&stuck, json!({}));
    assert_eq!(failure(&reply), "Workflow failed at step 0 (stuck): Activity timed out after 200ms");
}

#[test]
fn a_published_activity_keeps_an_argument_of_its_own_named_session_id() {
    let own = json!({"publish": true, "inputSchema": {"type": "object", "properties": {"sessionId": {"type": "string"}}}});
    let own = with(script("own", "return {data: context.input}"), own);
    let gateway = builder(&[own], &[]).start();
    let reply = Client::legacy(gateway.http()).call("own", json!({"sessionId": "theirs"}));
    assert_eq!(reply["structuredContent"], json!({"sessionId": "theirs"}), "{reply}");
}

#[test]
fn a_published_activity_that_says_what_it_gives_always_gives_something() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "number"}}});
    let published = |name: &str, source: &str, more: Value| {
        with(with(script(name, source), json!({"publish": true})), more)
    };
    let activities = [
        published("said", "return {}", json!({"outputSchema": schema})),
        published("fails", "return {success: false, error: 'no'}", json!({"outputSchema": schema})),
        published("silent", "return {}", json!({})),
        published("owes", "return {}", json!({"outputSchema": with(schema, json!({"required": ["n"]}))})),
    ];
    let gateway = builder(&activities, &[workflow("w", &[json!("owes")])]).start();
    for client in clients(&gateway) {
        let owed = client.call("owes", json!({}));
        let result: Value = serde_json::from_str(failure(&owed)).expect("a result");
        assert_eq!(result["success"], false, "{owed}");
        assert!(result["error"].as_str().is_some_and(|error| error.contains("\"n\"")), "{owed}");
        let step = client.call("w_start", json!({}));
        assert_eq!(
            step["structuredContent"]["status"], "completed",
            "in a step no data is not checked: {step}"
        );
        assert_eq!(client.call("said", json!({}))["structuredContent"], json!({}));
        for none in ["fails", "silent"] {
            let reply = client.call(none, json!({}));
            assert!(reply.get("structuredContent").is_none(), "{reply}");
        }
    }
}

#[test]
fn a_text_that_was_cut_in_the_middle_of_an_emoji_is_given_all_the_same() {
    let cut = "context.memory.cut = '😀'.slice(0, 1); return {data: {text: 'a😀b'.slice(0, 2), whole: '😀'}}";
    let (reply, _) = run(&script("cut", cut), json!({}));
    let results = &reply["structuredContent"]["results"];
    assert_eq!(results["cut"], json!({"text": "a\u{FFFD}", "whole": "😀"}), "{reply}");
}

#[test]
fn a_script_waits_for_no_session_whatever_it_says() {
    let claim = "metadata: {'lockgate/waitsFor': 'made-up', own: 1}";
    let good = with(
        script("good", &format!("return {{data: {{x: 1}}, {claim}}}")),
        json!({"publish": true, "onSuccess": "console.log('told', result.metadata.own)"}),
    );
    let retry = json!({"retry": {"maxAttempts": 2, "backoffMs": 1}});
    let tried = with(script("tried", &format!("return {{success: false, error: 'no', {claim}}}")), retry);
    let flows = [workflow("w", &[json!("good"), json!("tag")]), workflow("v", &[json!("tried")])];
    let gateway = builder(&[standard(), vec![good, tried]].concat(), &flows).start();
    let client = Client::legacy(gateway.http());
    let reply = client.call("w_start", json!({}));
    assert_eq!(said(&reply)["result"], json!({"x": 1}));
    assert_eq!(session(&gateway, &id(&reply))["history"][0]["activityName"], "good");
    expect_lines(&gateway, 0, &["told 1"]);
    let words = "Workflow failed at step 0 (tried): Activity failed after 2 attempts: no";
    assert_eq!(failure(&client.call("v_start", json!({}))), words);
    let alone: Value = serde_json::from_str(text(&client.call("good", json!({})))).expect("a result");
    assert_eq!((&alone["data"], alone["metadata"].get("lockgate/waitsFor")), (&json!({"x": 1}), None));
    expect_lines(&gateway, 1, &["told 1"]);
}
