//! The worked examples of spec 4, in their order.

use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    ActivityBuilder, ActivityResult, Branch, Call, Effect, Face, SessionManagerOptions, SessionStatus, Step,
    TimeoutScope, ToolCallSuggestion, Workflow,
};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) fn tests() -> Vec<Trial> {
    let mut all = vec![
        once("the_tools_of_a_workflow_are_named_after_it", tools),
        once("a_name_is_registered_once", twice),
        paused("a_slow_activity_times_out", slow_step),
        paused("an_activity_is_tried_as_often_as_it_says", retries),
        paused("time_for_the_whole_runs_out", whole_timeout),
        once("a_throwing_success_callback_is_a_failure", throwing_callback),
    ];
    all.extend(on_all("three_steps_run_one_by_one", three_steps));
    all.extend(on_all("a_continue_must_name_one_of_several_sessions", several));
    all.extend(on_all("a_result_takes_the_place_of_the_output", given));
    all.extend(on_all("a_mapper_gives_the_input", mapper));
    all.extend(on_all("a_required_step_that_fails_fails_the_session", required));
    all.extend(on_all("an_optional_step_that_fails_is_passed_over", optional));
    all.extend(on_all("a_failure_is_told_in_order", callbacks));
    all.extend(on_all("a_step_whose_condition_is_false_is_passed_over", condition));
    all.extend(on_all("branches_that_match_go_first", branches));
    all.extend(on_all("suggestions_and_branches_are_sorted", suggestions));
    all.extend(on_all("a_cancelled_session_stays_cancelled", cancelled));
    all.extend(on_all("what_an_activity_writes_is_remembered", remembered));
    all.extend(on_all("at_the_limit_a_start_is_refused", limit));
    all.extend(on_all("a_session_goes_on_after_a_restart", restarted));
    all.extend(on_all("two_continues_at_once_run_each_step_once", at_once));
    all
}

async fn tools() {
    let desk = Desk::open(Kind::Memory).await;
    let tools = desk.build(calc()).tools();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["calc_start", "calc_continue", "calc_status", "calc_pause", "calc_cancel"]);
    assert_eq!(tools[0].title, "Start calc Workflow");
    assert_eq!(tools[0].description, "Calculates");
    assert_eq!(tools[0].input_schema["required"], json!(["a", "b"]));
    assert_eq!(tools[0].input_schema["properties"]["b"]["type"], "number");
    assert_eq!(tools[1].description, "Continues the calc workflow from a session");
    assert_eq!(tools[2].input_schema["required"], json!(["sessionId"]));
    let few = calc().expose([Face::Status]).title(Face::Start, "Begin");
    let few = Desk::open(Kind::Memory).await.build(few).tools();
    let names: Vec<&str> = few.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["calc_start", "calc_continue", "calc_status"]);
    assert_eq!(few[0].title, "Begin");
}

async fn twice() {
    let desk = Desk::open(Kind::Memory).await;
    desk.build(calc());
    let error = calc().build(&desk.manager).err().unwrap();
    assert_eq!(error.to_string(), "Workflow \"calc\" is already registered with a server");
}

/// Examples 3 to 6.
async fn three_steps(kind: Kind) {
    let desk = Desk::open(kind).await;
    let calc = desk.build(calc());
    let first = calc.start(json!({"a": 5, "b": 3})).await.unwrap();
    let text = said(&first);
    assert_eq!(text["message"], "Step 0 (add) completed successfully");
    assert_eq!(text["result"], json!({"result": 8}));
    assert_eq!(text["nextStep"], json!({"index": 1, "activity": "double"}));
    assert_eq!(text["progress"], json!({"current": 1, "total": 3}));
    assert!(text.get("branchOptions").is_none(), "{text}");
    let session = id(&first);
    let options = &structured(&first)["nextStepOptions"];
    let parameters = json!({"sessionId": session, "expectedStep": 1});
    assert_eq!(
        *options,
        json!([{"toolName": "calc_continue", "parameters": parameters,
            "condition": "Continue to next step in workflow", "priority": 50}])
    );
    assert_eq!(first.meta, Some(json!({"branchingEnabled": false, "suggestedNextTool": "calc_continue"})));
    let second = calc.continue_session(&session, None, Value::Null).await.unwrap();
    assert_eq!(said(&second)["result"], json!({"result": 16}));
    let last = calc.continue_session(&session, None, Value::Null).await.unwrap();
    let text = said(&last);
    assert_eq!(text["message"], "Workflow completed successfully");
    assert!(text["executionTime"].as_i64().unwrap() >= 0);
    let done = structured(&last);
    assert_eq!(done["status"], "completed");
    assert_eq!(done["results"]["__workflow_input__"], json!({"a": 5, "b": 3}));
    assert_eq!(done["results"]["add"], json!({"result": 8}));
    assert_eq!(done["results"]["double"], json!({"result": 16}));
    assert_eq!(done["results"]["tag"], json!({"from": "tag", "got": {"result": 16}}));
    let late = calc.continue_session(&session, None, Value::Null).await.unwrap();
    assert_eq!(refused(&late), "Cannot continue workflow in status: completed");
}

async fn several(kind: Kind) {
    let desk = Desk::open(kind).await;
    let calc = desk.build(calc());
    let call = |face, arguments: Value| Call {
        face,
        client_id: "me".into(),
        arguments: arguments.as_object().cloned().unwrap(),
    };
    let nobody = calc.call(call(Face::Continue, json!({}))).await;
    assert_eq!(refused(&nobody), "No active workflow session to continue.");
    let one = id(&calc.call(call(Face::Start, json!({"a": 1, "b": 1}))).await);
    let only = calc.call(call(Face::Continue, json!({}))).await;
    assert_eq!(id(&only), one, "the only open one is meant");
    calc.call(call(Face::Start, json!({"a": 1, "b": 1}))).await;
    let unclear = calc.call(call(Face::Continue, json!({}))).await;
    assert!(refused(&unclear).contains("sessionId"), "{}", unclear.text);
    assert_eq!(desk.manager.get(&one).await.unwrap().current_step, 1);
}

async fn given(kind: Kind) {
    let desk = Desk::open(kind).await;
    let calc = desk.build(calc());
    let session = id(&calc.start(json!({"a": 5, "b": 3})).await.unwrap());
    let result = Some(json!({"result": 100}));
    let next = calc.continue_session(&session, result, Value::Null).await.unwrap();
    assert_eq!(structured(&next)["stepResult"], json!({"result": 200}));
    assert_eq!(desk.manager.get_memory(&session, "add").await.unwrap(), Some(json!({"result": 100})));
}

async fn mapper(kind: Kind) {
    let desk = Desk::open(kind).await;
    let got = Step::new(tag())
        .map_input(|view| json!({"a": view.remembered("add").map(|add| add["result"].clone()), "b": 2}));
    let workflow = desk.build(Workflow::builder("mapped").step(Step::new(add())).step(got));
    let session = id(&workflow.start(json!({"a": 5, "b": 3})).await.unwrap());
    let done = workflow.continue_session(&session, None, Value::Null).await.unwrap();
    assert_eq!(structured(&done)["results"]["tag"]["got"], json!({"a": 8, "b": 2}));
}

async fn required(kind: Kind) {
    let desk = Desk::open(kind).await;
    let workflow = desk.build(Workflow::builder("w").step(Step::new(bad())).step(Step::new(tag())));
    let reply = workflow.start(json!({"q": 1})).await.unwrap();
    assert_eq!(refused(&reply), "Workflow failed at step 0 (bad): nope");
    assert_eq!(reply.structured, None);
    let session = workflow.sessions().await.unwrap().remove(0);
    assert_eq!((session.status, session.error.as_deref()), (SessionStatus::Failed, Some("nope")));
}

async fn optional(kind: Kind) {
    let desk = Desk::open(kind).await;
    let steps = Workflow::builder("w").step(Step::new(bad()).optional()).step(Step::new(tag()));
    let workflow = desk.build(steps);
    let reply = workflow.start(json!({"q": 1})).await.unwrap();
    assert_eq!(said(&reply)["message"], "Step 0 (bad) failed (optional), continuing");
    assert_eq!(structured(&reply)["stepResult"], Value::Null);
    assert_eq!(structured(&reply)["stepError"], "nope");
    let session = desk.manager.get(&id(&reply)).await.unwrap();
    assert_eq!(session.status, SessionStatus::Running);
    let first = &session.history[0];
    assert_eq!((first.step_index, first.activity_name.as_str(), first.success), (0, "bad", false));
    assert_eq!(first.error.as_deref(), Some("nope"));
    assert!(!session.memory.contains_key("bad"));
    let done = workflow.continue_session(&session.session_id, None, Value::Null).await.unwrap();
    assert_eq!(
        structured(&done)["results"]["tag"]["got"],
        json!({"q": 1}),
        "the previous output is the start input"
    );
}

async fn slow_step() {
    let clock = Some(paused_clock());
    let desk = Desk::with(Kind::Memory, SessionManagerOptions { clock, ..Default::default() }).await;
    let workflow = desk.build(Workflow::builder("w").step(Step::new(slow())));
    let began = tokio::time::Instant::now();
    let reply = workflow.start(json!({})).await.unwrap();
    assert_eq!(refused(&reply), "Workflow failed at step 0 (slow): Activity timed out after 30ms");
    assert!(began.elapsed() < Duration::from_millis(150), "{:?}", began.elapsed());
}

async fn retries() {
    let clock = Some(paused_clock());
    let desk = Desk::with(Kind::Memory, SessionManagerOptions { clock, ..Default::default() }).await;
    let count = Arc::new(AtomicUsize::new(0));
    let workflow = desk.build(Workflow::builder("w").step(Step::new(never(&count))));
    let began = tokio::time::Instant::now();
    let reply = workflow.start(json!({})).await.unwrap();
    assert!(refused(&reply).ends_with("Activity failed after 3 attempts: x"), "{}", reply.text);
    assert_eq!(count.load(Ordering::SeqCst), 3);
    let took = began.elapsed();
    assert!(took >= Duration::from_millis(150) && took < Duration::from_millis(300), "{took:?}");
}

async fn whole_timeout() {
    let clock = Some(paused_clock());
    let desk = Desk::with(Kind::Memory, SessionManagerOptions { clock, ..Default::default() }).await;
    let failures = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&failures);
    let workflow = Workflow::builder("w")
        .timeout(Duration::from_millis(200), TimeoutScope::Wall)
        .step(Step::new(add()))
        .step(Step::new(tag()))
        .on_failure(move |_, _| {
            counted.fetch_add(1, Ordering::SeqCst);
            Box::pin(std::future::ready(Ok(())))
        });
    let workflow = desk.build(workflow);
    let session = id(&workflow.start(json!({"a": 1, "b": 2})).await.unwrap());
    tokio::time::sleep(Duration::from_millis(400)).await;
    let late = workflow.continue_session(&session, None, Value::Null).await.unwrap();
    assert!(late.is_error);
    let session = desk.manager.get(&session).await.unwrap();
    assert_eq!(session.status, SessionStatus::Failed);
    assert_eq!(session.error.as_deref(), Some("Workflow timeout exceeded (200ms)"));
    assert_eq!(failures.load(Ordering::SeqCst), 1);
}

async fn throwing_callback() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let note = |word: &'static str| {
        let told = Arc::clone(&told);
        move || told.lock().unwrap().push(word)
    };
    let (success, failure, complete) = (note("onSuccess"), note("onFailure"), note("onComplete"));
    let activity = ActivityBuilder::new("hooked")
        .effect(Effect::None)
        .on_success(move |_, _| {
            success();
            Box::pin(std::future::ready(Err("hook boom".to_owned())))
        })
        .on_failure(move |_, _| {
            failure();
            Box::pin(std::future::ready(Ok(())))
        })
        .on_complete(move |_, _| {
            complete();
            Box::pin(std::future::ready(Ok(())))
        })
        .compute(|_| ActivityResult::success(json!(1)))
        .unwrap();
    let desk = Desk::open(Kind::Memory).await;
    let workflow = desk.build(Workflow::builder("w").step(Step::new(activity)));
    let reply = workflow.start(json!({})).await.unwrap();
    assert_eq!(refused(&reply), "Workflow failed at step 0 (hooked): hook boom");
    assert_eq!(*told.lock().unwrap(), ["onSuccess", "onFailure", "onComplete"]);
}

async fn callbacks(kind: Kind) {
    let desk = Desk::open(kind).await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let (succeeded, failed, completed) = (Arc::clone(&told), Arc::clone(&told), Arc::clone(&told));
    let workflow = Workflow::builder("w")
        .step(Step::new(check()))
        .step(Step::new(bad()))
        .on_success(move |_, _| {
            succeeded.lock().unwrap().push("success".to_owned());
            Box::pin(std::future::ready(Ok(())))
        })
        .on_failure(move |error, _| {
            failed.lock().unwrap().push(format!("failure {error}"));
            Box::pin(std::future::ready(Err("a callback that fails changes nothing".into())))
        })
        .on_complete(move |status, _| {
            completed.lock().unwrap().push(format!("complete {status}"));
            Box::pin(std::future::ready(Ok(())))
        });
    let workflow = desk.build(workflow);
    let session = id(&workflow.start(json!({"valid": true})).await.unwrap());
    let reply = workflow.continue_session(&session, None, Value::Null).await.unwrap();
    assert_eq!(refused(&reply), "Workflow failed at step 1 (bad): nope");
    assert_eq!(*told.lock().unwrap(), ["failure nope", "complete failed"]);
}

async fn condition(kind: Kind) {
    let desk = Desk::open(kind).await;
    let named = |name| Step::new(pure(name, |_| ActivityResult::success(json!({"done": true}))));
    let b = named("b").when(|view| view.remembered("missing").is_some());
    let workflow = desk.build(Workflow::builder("w").step(named("a")).step(b).step(named("c")));
    let session = id(&workflow.start(json!({})).await.unwrap());
    let done = workflow.continue_session(&session, None, Value::Null).await.unwrap();
    assert_eq!(structured(&done)["status"], "completed");
    let session = desk.manager.get(&session).await.unwrap();
    let steps: Vec<usize> = session.history.iter().map(|step| step.step_index).collect();
    assert_eq!(steps, [0, 2]);
    assert!(!session.memory.contains_key("b") && session.memory.contains_key("c"));
}

/// Examples 18, 19 and 21.
async fn branches(kind: Kind) {
    let desk = Desk::open(kind).await;
    let step = Step::new(check())
        .branch(Branch::pattern("valid:true", "ok_start"))
        .branch(Branch::pattern("valid:false", "err_start").with("reason", "ratio"));
    let workflow = desk.build(Workflow::builder("w").step(step).step(Step::new(tag())));
    let wrong = Workflow::builder("err").step(Step::new(tag())).step(Step::new(bad()));
    let wrong = desk.build(wrong);
    let reply = workflow.start(json!({"valid": false})).await.unwrap();
    let session = id(&reply);
    let options = structured(&reply)["nextStepOptions"].clone();
    assert_eq!(options[0]["toolName"], "err_start");
    assert_eq!(options[0]["priority"], 100);
    assert_eq!(options[0]["parameters"]["sessionId"], json!(session));
    assert_eq!(options[0]["parameters"]["reason"], "ratio");
    assert_eq!(options[1]["toolName"], "w_continue");
    assert_eq!(options[1]["priority"], 50);
    assert_eq!(options.as_array().unwrap().len(), 2);
    assert_eq!(said(&reply)["branchOptions"], options);
    assert_eq!(reply.meta, Some(json!({"branchingEnabled": true, "suggestedNextTool": "err_start"})));
    let arguments = options[0]["parameters"].as_object().cloned().unwrap();
    let call = Call { face: Face::Start, client_id: "local".into(), arguments };
    let chosen = wrong.call(call).await;
    let input = desk.manager.get_memory(&id(&chosen), "__workflow_input__").await.unwrap().unwrap();
    assert_eq!(input["reason"], "ratio");
    assert!(input.get("sessionId").is_none(), "{input}");
    let made = &desk.manager.get(&session).await.unwrap().branch_history[0];
    assert_eq!((made.step_index, made.branch_pattern.as_deref()), (0, Some("valid:false")));
    assert_eq!(made.tool_name, "err_start");
    assert!(made.timestamp > 0);

    let link = pure("link", |_| ActivityResult::success(json!({"u": "http://x"})));
    let step = Step::new(link).branch(Branch::pattern("u:http://x", "seen_start"));
    let linked = desk.build(Workflow::builder("linked").step(step).step(Step::new(tag())));
    let reply = linked.start(json!({})).await.unwrap();
    assert_eq!(structured(&reply)["nextStepOptions"][0]["toolName"], "seen_start");
}

async fn suggestions(kind: Kind) {
    let desk = Desk::open(kind).await;
    let suggesting = pure("suggesting", |_| {
        let suggestion = |tool: &str, priority: Option<i64>| ToolCallSuggestion {
            tool_name: tool.into(),
            priority: priority.map(Into::into),
            ..ToolCallSuggestion::default()
        };
        ActivityResult::success(json!({"ratio": 0.7}))
            .suggest(suggestion("some", Some(70)))
            .suggest(suggestion("none", None))
    });
    let high = |view: &lockgate_workflow::session::View<'_>| {
        view.result.and_then(|result| result["ratio"].as_f64()).is_some_and(|ratio| ratio > 0.4)
    };
    let step = Step::new(suggesting).branch(Branch::when(high, "best").description("Offer advice"));
    let workflow = desk.build(Workflow::builder("w").step(step).step(Step::new(tag())));
    let reply = workflow.start(json!({})).await.unwrap();
    let options = structured(&reply)["nextStepOptions"].clone();
    let order: Vec<&str> =
        options.as_array().unwrap().iter().map(|option| option["toolName"].as_str().unwrap()).collect();
    assert_eq!(order, ["best", "some", "w_continue", "none"]);
    assert_eq!(options[0]["condition"], "Offer advice");
    assert!(
        options
            .as_array()
            .unwrap()
            .iter()
            .all(|option| option["parameters"]["sessionId"] == json!(id(&reply)))
    );
}

async fn cancelled(kind: Kind) {
    let desk = Desk::open(kind).await;
    let calc = desk.build(calc());
    let session = id(&calc.start(json!({"a": 1, "b": 2})).await.unwrap());
    let reply = calc.cancel(&session).await.unwrap();
    assert_eq!(reply.text, format!("Workflow calc with session ID {session} has been cancelled."));
    let status = calc.status(&session).await.unwrap();
    assert_eq!(status.text, format!("Workflow calc with session ID {session} is cancelled."));
    let late = calc.continue_session(&session, None, Value::Null).await.unwrap();
    assert_eq!(refused(&late), "Cannot continue workflow in status: cancelled");
    assert_eq!(refused(&calc.pause(&session).await.unwrap()), "Cannot pause workflow in status: cancelled");
    assert_eq!(refused(&calc.cancel(&session).await.unwrap()), "Cannot cancel workflow in status: cancelled");
    let unknown = calc.status("none").await.unwrap_err();
    assert_eq!(unknown.to_string(), "Workflow session none not found");
}

async fn remembered(kind: Kind) {
    let desk = Desk::open(kind).await;
    let memo = pure("memo", |context| {
        context.memory.set("custom", 7);
        ActivityResult::success(json!({"w": 1}))
    });
    let recall =
        pure("recall", |context| ActivityResult::success(json!({"custom": context.memory.get("custom")})));
    let workflow = desk.build(Workflow::builder("w").step(Step::new(memo)).step(Step::new(recall)));
    let session = id(&workflow.start(json!({})).await.unwrap());
    let done = workflow.continue_session(&session, None, Value::Null).await.unwrap();
    let results = &structured(&done)["results"];
    assert_eq!((&results["recall"], &results["custom"]), (&json!({"custom": 7}), &json!(7)));
}

async fn limit(kind: Kind) {
    let desk = Desk::with(kind, SessionManagerOptions { max_sessions: 2, ..Default::default() }).await;
    let calc = desk.build(calc());
    for _ in 0..2 {
        calc.start(json!({"a": 1, "b": 2})).await.unwrap();
    }
    let error = calc.start(json!({"a": 1, "b": 2})).await.unwrap_err().to_string();
    assert!(error.contains("limit of 2 sessions"), "{error}");
    let sessions = calc.sessions().await.unwrap();
    assert_eq!(sessions.len(), 2);
    calc.run_on(&sessions[0].session_id).await.unwrap();
    calc.start(json!({"a": 1, "b": 2})).await.expect("a finished session makes room");
    assert_eq!(calc.sessions().await.unwrap().len(), 2);
}

async fn restarted(kind: Kind) {
    let desk = Desk::open(kind).await;
    let first = desk.build(calc());
    let session = id(&first.start(json!({"a": 5, "b": 3})).await.unwrap());
    first.continue_session(&session, None, Value::Null).await.unwrap();
    let desk = desk.restart().await;
    let lost = desk.manager.complete(&session).await.unwrap_err().to_string();
    assert!(lost.contains("the workflow \"calc\" is written in Rust and is not registered"), "{lost}");
    let calc = desk.build(calc());
    desk.manager.recover().await.unwrap();
    let done = calc.continue_session(&session, None, Value::Null).await.unwrap();
    let results = &structured(&done)["results"];
    assert_eq!(results["tag"], json!({"from": "tag", "got": {"result": 16}}));
    assert_eq!(results["add"], json!({"result": 8}));
}

async fn at_once(kind: Kind) {
    let desk = Desk::open(kind).await;
    let runs = Arc::new(Mutex::new(Vec::new()));
    let named = |name: &'static str| {
        let runs = Arc::clone(&runs);
        let activity = ActivityBuilder::new(name).run(move |_| {
            let runs = Arc::clone(&runs);
            Box::pin(async move {
                runs.lock().unwrap().push(name);
                tokio::task::yield_now().await;
                ActivityResult::success(json!({"by": name}))
            })
        });
        Step::new(activity.unwrap())
    };
    let steps = Workflow::builder("w").step(named("a")).step(named("b")).step(named("c")).step(named("d"));
    let workflow = desk.build(steps);
    let session = id(&workflow.start(json!({})).await.unwrap());
    let (one, two) = tokio::join!(
        workflow.continue_session(&session, None, Value::Null),
        workflow.continue_session(&session, None, Value::Null)
    );
    let mut told = [one.unwrap(), two.unwrap()].map(|reply| said(&reply)["result"]["by"].clone());
    told.sort_by_key(Value::to_string);
    assert_eq!(told, [json!("b"), json!("c")]);
    assert_eq!(*runs.lock().unwrap(), ["a", "b", "c"]);
}
