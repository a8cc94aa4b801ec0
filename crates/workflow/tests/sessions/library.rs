//! What the library offers besides the worked examples: stores, the manager, builders that refuse, middleware.

use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    ActivityBuilder, ActivityResult, Branch, BranchDecision, Call, Cleanup, Effect, Face, OnFull,
    SessionChange, SessionManagerOptions, SessionQuery, SessionStatus, Start, Step, StepExecution, Steps,
    WaitFor, Workflow, WorkflowBuilder, WorkflowSession,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) fn tests() -> Vec<Trial> {
    let mut all = vec![
        once("a_workflow_that_cannot_be_run_is_refused_when_it_is_built", refusals),
        once("a_workflow_that_would_contain_itself_is_refused_when_it_is_built", nested_refusals),
        once("at_the_limit_the_oldest_session_may_make_room", eviction),
        once("middleware_runs_in_order_and_stops_a_step", middleware),
        once("an_activity_that_panics_fails", panics),
        once("a_tool_called_with_odd_arguments_says_what_is_wrong", odd_arguments),
    ];
    all.extend(on_all("a_store_keeps_what_it_is_given", kept));
    all.extend(on_all("a_store_lists_counts_and_removes", listed));
    all.extend(on_all("a_session_that_was_created_begins_with_the_first_continue", created));
    all.extend(on_all("a_session_is_changed_from_outside", changed));
    all.extend(on_all("a_step_may_be_run_by_its_index", by_index));
    all.extend(on_all("a_session_that_is_failed_from_outside_is_undone", failed));
    all.extend(on_all("ending_a_session_ends_the_one_that_it_runs", children));
    all.extend(on_all("a_start_that_comes_again_lifts_no_pause", held_start));
    all.extend(on_all("a_failure_lists_the_results_of_the_steps_before_it_in_the_same_call", earlier));
    all
}

async fn odd_arguments() {
    let desk = Desk::open(Kind::Memory).await;
    let calc = desk.build(calc());
    let call = async |face, arguments: Value| {
        let arguments = arguments.as_object().cloned().unwrap();
        calc.call(Call { face, client_id: "me".into(), arguments }).await
    };
    let session = id(&call(Face::Start, json!({"a": 1, "b": 2, "sessionId": null})).await);
    let wrong = call(Face::Cancel, json!({"sessionId": session, "compensate": "yes"})).await;
    assert_eq!(refused(&wrong), "compensate must be true or false.");
    assert_eq!(desk.manager.get(&session).await.unwrap().status, SessionStatus::Running);
}

fn session(id: &str, workflow: &str) -> WorkflowSession {
    WorkflowSession {
        session_id: id.into(),
        workflow_name: workflow.into(),
        client_id: "me".into(),
        status: SessionStatus::Running,
        total_steps: 3,
        started_at: BEGIN,
        memory: json!({"__workflow_input__": {"q": 1}, "seen": true}).as_object().cloned().unwrap().into(),
        ..WorkflowSession::default()
    }
}

fn step(index: usize, error: Option<&str>) -> StepExecution {
    StepExecution {
        step_index: index,
        activity_name: format!("step{index}"),
        started_at: BEGIN + 1,
        completed_at: BEGIN + 2,
        success: error.is_none(),
        error: error.map(str::to_owned),
        ..StepExecution::default()
    }
}

fn decision(index: usize) -> BranchDecision {
    let branch_pattern = Some("valid:false".to_owned());
    BranchDecision { step_index: index, branch_pattern, tool_name: "err_start".into(), timestamp: BEGIN + 3 }
}

async fn kept(kind: Kind) {
    let desk = Desk::open(kind).await;
    let given = session("one", "w");
    desk.store.create_session(&given).await.unwrap();
    assert_eq!(desk.store.get_session("one").await.unwrap(), Some(given.clone()));
    assert_eq!(desk.store.get_session("two").await.unwrap(), None);
    let twice = desk.store.create_session(&given).await.unwrap_err().to_string();
    assert!(twice.contains("There is a session one already"), "{twice}");
    desk.store.set_memory("one", "more", json!([1])).await.unwrap();
    assert_eq!(desk.store.get_memory("one", "more").await.unwrap(), Some(json!([1])));
    assert_eq!(desk.store.get_memory("one", "none").await.unwrap(), None);
    desk.store.record_step_execution("one", step(0, None)).await.unwrap();
    desk.store.record_step_execution("one", step(1, Some("nope"))).await.unwrap();
    desk.store.record_branch_decision("one", decision(1)).await.unwrap();
    let read = desk.restart().await;
    let found = read.store.get_session("one").await.unwrap().unwrap();
    assert_eq!((found.current_step, found.status), (1, SessionStatus::Running));
    assert_eq!(found.history, [step(0, None), step(1, Some("nope"))].into_iter().collect());
    assert_eq!(found.branch_history, [decision(1)].into_iter().collect());
    let change = SessionChange { status: Some(SessionStatus::Paused), ..SessionChange::default() };
    assert_eq!(read.store.update_session("one", &change).await.unwrap().status, SessionStatus::Paused);
    let unknown = read.store.update_session("two", &change).await.unwrap_err();
    assert_eq!(unknown.to_string(), "Workflow session two not found");
    assert!(read.store.set_memory("two", "a", json!(1)).await.is_err());
    let whole = WorkflowSession {
        session_id: "three".into(),
        status: SessionStatus::Failed,
        error: Some("nope".into()),
        completed_at: Some(BEGIN + 9),
        current_step: 1,
        history: found.history.clone(),
        branch_history: found.branch_history.clone(),
        ..given
    };
    read.store.create_session(&whole).await.unwrap();
    assert_eq!(read.store.get_session("three").await.unwrap(), Some(whole));
    read.store.close().await;
    assert!(read.store.get_session("one").await.is_err());
}

async fn listed(kind: Kind) {
    let desk = Desk::open(kind).await;
    for (name, workflow, status, at) in [
        ("a", "w", SessionStatus::Running, 1),
        ("b", "w", SessionStatus::Completed, 2),
        ("c", "v", SessionStatus::Failed, 3),
        ("d", "v", SessionStatus::Cancelled, 4),
    ] {
        let completed_at = (!status.is_open()).then_some(BEGIN + at);
        let one = WorkflowSession { status, completed_at, started_at: BEGIN + at, ..session(name, workflow) };
        desk.store.create_session(&one).await.unwrap();
    }
    let names = async |query: SessionQuery<'_>| -> Vec<String> {
        let found = desk.store.list_sessions(query).await.unwrap();
        found.into_iter().map(|session| session.session_id).collect()
    };
    assert_eq!(names(SessionQuery::default()).await, ["d", "c", "b", "a"]);
    assert_eq!(names(SessionQuery { workflow_name: Some("w"), ..SessionQuery::default() }).await, ["b", "a"]);
    let running = SessionQuery { status: Some(SessionStatus::Running), ..SessionQuery::default() };
    assert_eq!(names(running).await, ["a"]);
    assert_eq!(
        names(SessionQuery { limit: Some(2), offset: 1, ..SessionQuery::default() }).await,
        ["c", "b"]
    );
    let stats = desk.store.get_stats().await.unwrap();
    assert_eq!((stats.total, stats.by_workflow["v"], stats.by_status[&SessionStatus::Paused]), (4, 2, 0));
    assert_eq!(stats.by_status[&SessionStatus::Failed], 1);
    let rules = |statuses| Cleanup { max_age: Duration::ZERO, max_sessions: None, statuses };
    assert_eq!(desk.store.cleanup(rules(&[SessionStatus::Failed])).await.unwrap(), 1);
    let few = Cleanup { max_age: Duration::from_secs(u32::MAX.into()), max_sessions: Some(2), statuses: &[] };
    assert_eq!(desk.store.cleanup(few).await.unwrap(), 1);
    assert_eq!(names(SessionQuery::default()).await, ["d", "a"]);
    assert_eq!(desk.store.cleanup(rules(&[])).await.unwrap(), 1);
    assert!(desk.store.delete_session("a").await.unwrap());
    assert!(!desk.store.delete_session("a").await.unwrap());
}

async fn created(kind: Kind) {
    let desk = Desk::open(kind).await;
    let calc = desk.build(calc());
    let error = desk.manager.create("none", json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), "Workflow 'none' not found");
    let session = desk.manager.create("calc", json!({"a": 5, "b": 3})).await.unwrap();
    assert!(session.history.is_empty());
    assert_eq!(session.status, SessionStatus::Pending);
    let pending = async || {
        let query = SessionQuery { status: Some(SessionStatus::Pending), ..SessionQuery::default() };
        let listed = desk.store.list_sessions(query).await.unwrap().len();
        (listed, desk.manager.stats().await.unwrap().by_status[&SessionStatus::Pending])
    };
    assert_eq!(pending().await, (1, 1));
    let first = calc.continue_session(&session.session_id, None, Value::Null).await.unwrap();
    assert_eq!(said(&first)["result"], json!({"result": 8}));
    assert_eq!(desk.manager.get(&session.session_id).await.unwrap().status, SessionStatus::Running);
    assert_eq!(pending().await, (0, 0));
    let given = WorkflowSession { status: SessionStatus::Pending, ..self::session("kept", "calc") };
    desk.store.create_session(&given).await.unwrap();
    assert_eq!(desk.store.get_session("kept").await.unwrap(), Some(given));
    let other = desk.manager.create("calc", json!({})).await.unwrap().session_id;
    calc.pause(&other).await.unwrap();
    assert_eq!(desk.manager.get(&other).await.unwrap().status, SessionStatus::Paused);
    let other = desk.manager.create("calc", json!({})).await.unwrap().session_id;
    calc.cancel(&other).await.unwrap();
    assert_eq!(desk.manager.get(&other).await.unwrap().status, SessionStatus::Cancelled);
    assert!(desk.manager.delete(&other).await.unwrap());
    assert_eq!(desk.manager.stats().await.unwrap().by_workflow["calc"], 3);
}

async fn changed(kind: Kind) {
    let desk = Desk::open(kind).await;
    let calc = desk.build(calc());
    let session = id(&calc.start(json!({"a": 5, "b": 3})).await.unwrap());
    desk.manager.set_memory(&session, "note", json!("x")).await.unwrap();
    assert_eq!(desk.manager.get_memory(&session, "note").await.unwrap(), Some(json!("x")));
    let memory = BTreeMap::from([("note".to_owned(), None)]);
    let change = SessionChange { memory, ..SessionChange::default() };
    assert!(!desk.manager.update(&session, &change).await.unwrap().memory.contains_key("note"));
    desk.manager.record_step(&session, step(1, None)).await.unwrap();
    desk.manager.record_branch(&session, decision(1)).await.unwrap();
    let wrong = SessionChange { error: Some("x".into()), ..SessionChange::default() };
    assert!(desk.manager.update(&session, &wrong).await.unwrap_err().to_string().contains("status failed"));
    let done = desk.manager.complete(&session).await.unwrap();
    assert_eq!(structured(&done)["status"], "completed");
    let found = desk.manager.get(&session).await.unwrap();
    assert_eq!(found.history.len(), 2, "the third step did not run");
    assert_eq!(found.branch_history, [decision(1)].into_iter().collect());
    let late = desk.manager.set_memory(&session, "a", json!(1)).await.unwrap_err().to_string();
    assert_eq!(late, format!("Session {session} is completed and cannot be changed"));
    assert_eq!(
        refused(&calc.complete(&session).await.unwrap()),
        "Cannot complete workflow in status: completed"
    );
    assert!(desk.manager.delete(&session).await.unwrap());
    assert!(desk.manager.get(&session).await.is_err());
}

async fn by_index(kind: Kind) {
    let desk = Desk::open(kind).await;
    let calc = desk.build(calc());
    let first = calc.start(json!({"a": 5, "b": 3})).await.unwrap();
    let session = id(&first);
    assert_eq!(calc.execute_step(&session, 0).await.unwrap(), first, "what was run is not run again");
    let none = calc.execute_step(&session, 3).await.unwrap();
    assert_eq!(refused(&none), "There is no step 3; the last one is 2.");
    let done = calc.execute_step(&session, 2).await.unwrap();
    let results = &structured(&done)["results"];
    assert_eq!(results["tag"]["got"], json!({"result": 8}));
    assert!(results.get("double").is_none(), "{results}");
}

async fn failed(kind: Kind) {
    let desk = Desk::open(kind).await;
    let undone = Arc::new(Mutex::new(Vec::new()));
    let undo = |name: &'static str| {
        let undone = Arc::clone(&undone);
        pure(name, move |context| {
            undone.lock().unwrap().push((name, input(context)));
            ActivityResult::success(json!({}))
        })
    };
    let steps = Workflow::builder("w")
        .step(Step::new(add()).compensate(undo("subtract")))
        .step(Step::new(double()).compensate(undo("halve")))
        .step(Step::new(tag()));
    let workflow = desk.build(steps);
    let session = id(&workflow.start(json!({"a": 5, "b": 3})).await.unwrap());
    workflow.continue_session(&session, None, Value::Null).await.unwrap();
    let reply = workflow.fail(&session, "enough").await.unwrap();
    assert_eq!(refused(&reply), "Workflow failed at step 2 (tag): enough");
    let expected = [
        ("halve", json!({"input": {"result": 8}, "output": {"result": 16}})),
        ("subtract", json!({"input": {"a": 5, "b": 3}, "output": {"result": 8}})),
    ];
    assert_eq!(*undone.lock().unwrap(), expected);
    let session = desk.manager.get(&session).await.unwrap();
    assert_eq!((session.status, session.error.as_deref()), (SessionStatus::Failed, Some("enough")));
    let compensation = session.compensation.unwrap();
    assert_eq!((compensation.complete, compensation.undone), (true, vec![1, 0]));
}

fn waiting(event: &str) -> WaitFor {
    serde_json::from_value(json!({"event": event})).unwrap()
}

async fn children(kind: Kind) {
    let desk = Desk::open(kind).await;
    let inner = Workflow::builder("inner").step(Step::new(tag()).wait_for(waiting("never")));
    desk.build(inner);
    let outer = Workflow::builder("outer").step(Step::new(desk.manager.workflow_activity("child", "inner")));
    let outer = desk.build(outer);
    let reply = outer.start(json!({"q": 1})).await.unwrap();
    assert_eq!(structured(&reply)["waiting"]["for"], "session");
    let child = structured(&reply)["waiting"]["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(desk.manager.get(&child).await.unwrap().parent_session_id, Some(id(&reply)));
    outer.cancel(&id(&reply)).await.unwrap();
    let deadline = std::time::Instant::now() + Duration::from_secs(10);
    while desk.manager.get(&child).await.unwrap().status != SessionStatus::Cancelled {
        assert!(std::time::Instant::now() < deadline, "the child goes on");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

async fn earlier(kind: Kind) {
    let desk = Desk::open(kind).await;
    let steps =
        Workflow::builder("w").step(Step::new(add())).step(Step::new(double())).step(Step::new(bad()));
    let workflow = desk.build(steps.step(Step::new(tag())));
    let start = |steps| Start {
        client_id: "me".into(),
        input: json!({"a": 1, "b": 2}),
        key: Some("once".into()),
        steps,
        ..Start::default()
    };
    let reply = workflow.start_with(start(Steps::All)).await.unwrap();
    assert_eq!(refused(&reply), "Workflow failed at step 2 (bad): nope");
    assert_eq!(reply.structured, None);
    let expected = json!({"earlierSteps": [
        {"stepIndex": 0, "activityName": "add", "result": {"result": 3}},
        {"stepIndex": 1, "activityName": "double", "result": {"result": 6}},
    ]});
    assert_eq!(reply.meta, Some(expected));
    let desk = desk.restart().await;
    let steps =
        Workflow::builder("w").step(Step::new(add())).step(Step::new(double())).step(Step::new(bad()));
    let workflow = desk.build(steps.step(Step::new(tag())));
    assert_eq!(workflow.start_with(start(Steps::All)).await.unwrap(), reply, "the recorded reply");
    let alone = workflow.start_with(Start { key: None, ..start(Steps::Most(2)) }).await.unwrap();
    let failed = workflow.continue_session(&id(&alone), None, Value::Null).await.unwrap();
    assert_eq!((refused(&failed), failed.meta.as_ref()), ("Workflow failed at step 2 (bad): nope", None));
}

async fn held_start(kind: Kind) {
    let build = |desk: &Desk| {
        let first = Step::new(tag()).wait_for(waiting("e"));
        desk.build(Workflow::builder("w").step(first).step(Step::new(tag())))
    };
    let start = || Start { client_id: "me".into(), key: Some("once".into()), ..Start::default() };
    let desk = Desk::open(kind).await;
    let workflow = build(&desk);
    let first = workflow.start_with(start()).await.unwrap();
    let session = id(&first);
    workflow.pause(&session).await.unwrap();
    let desk = desk.restart().await;
    let workflow = build(&desk);
    assert_eq!(workflow.start_with(start()).await.unwrap(), first);
    assert_eq!(desk.manager.get(&session).await.unwrap().status, SessionStatus::Paused);
    workflow.continue_session(&session, None, Value::Null).await.unwrap();
    assert_eq!(desk.manager.get(&session).await.unwrap().status, SessionStatus::Running);
}

async fn refusals() {
    let desk = Desk::open(Kind::Memory).await;
    let says = |builder: WorkflowBuilder, words: &str| {
        let error = builder.build(&desk.manager).err().expect("it is refused").to_string();
        assert!(error.contains(words), "{error}");
    };
    let one = |name: &str| Workflow::builder(name).step(Step::new(tag()));
    says(Workflow::builder("w"), "Workflow must have at least one step");
    says(one("a b"), "must have 1 to 91 characters");
    says(one(&"w".repeat(92)), "must have 1 to 91 characters");
    let twins = Step::parallel([Step::new(tag()), Step::new(tag())]);
    says(Workflow::builder("w").step(twins), "Two members of a parallel step run the activity 'tag'");
    says(Workflow::builder("w").step(Step::parallel([])), "at least one member");
    let inside = Step::parallel([Step::new(tag()).when(|_| true)]);
    says(Workflow::builder("w").step(inside), "not to its members");
    let mapped = Step::parallel([Step::new(tag())]).map_input(|_| json!(1));
    says(Workflow::builder("w").step(mapped), "give its members their own");
    let mixed = Step::new(tag()).branch(Branch::pattern("a:b", "t")).branch(Branch::when(|_| true, "t"));
    says(Workflow::builder("w").step(mixed), "either all patterns or all predicates");
    says(Workflow::builder("w").step(Step::new(tag()).filter(|_| true)), "needs an event");
    let text = WaitFor { filter: Some("true".into()), ..waiting("e") };
    says(Workflow::builder("w").step(Step::new(tag()).wait_for(text)), "Step::filter");
    let schema = ActivityBuilder::new("a").input_schema(json!({"type": 1})).compute(|_| panic!("never run"));
    let error = schema.err().unwrap().to_string();
    assert!(error.contains("The input schema of activity 'a' is no JSON Schema"), "{error}");
    assert!(ActivityBuilder::new("a/b").compute(|_| panic!("never run")).is_err());
    desk.build(one("w"));
    assert!(desk.manager.engine().find("w").is_some(), "what is refused leaves the name free");
}

async fn nested_refusals() {
    let (desk, other) = (Desk::open(Kind::Memory).await, Desk::open(Kind::Memory).await);
    let runs = |desk: &Desk, name: &str, inner: &str| {
        Workflow::builder(name).step(Step::new(desk.manager.workflow_activity("sub", inner)))
    };
    let says = |builder: WorkflowBuilder, words: &str| {
        let error = builder.build(&desk.manager).err().expect("it is refused").to_string();
        assert_eq!(error, words);
    };
    says(runs(&desk, "selfy", "selfy"), "Workflow contains itself: selfy > selfy");
    says(runs(&desk, "a", "b"), "Activity 'sub' names the workflow 'b', which does not exist");
    let inside = Step::parallel([Step::new(tag()).compensate(desk.manager.workflow_activity("undo", "c"))]);
    let undone = Workflow::builder("c").step(Step::new(tag())).step(inside);
    says(undone, "Workflow contains itself: c > c");
    desk.build(Workflow::builder("b").step(Step::new(tag())));
    desk.build(runs(&desk, "a", "b"));
    // Workflows of another manager are other workflows, also under the same name.
    other.build(Workflow::builder("far").step(Step::new(tag())));
    desk.build(runs(&other, "far", "far"));
}

async fn eviction() {
    let options =
        SessionManagerOptions { max_sessions: 1, on_full: OnFull::EvictOldest, ..Default::default() };
    let desk = Desk::with(Kind::Sqlite, options).await;
    let calc = desk.build(calc());
    let first = id(&calc.start(json!({"a": 1, "b": 2})).await.unwrap());
    let second = id(&calc.start(json!({"a": 1, "b": 2})).await.unwrap());
    assert!(calc.continue_session(&first, None, Value::Null).await.is_err(), "it made room");
    assert!(!calc.continue_session(&second, None, Value::Null).await.unwrap().is_error);
}

async fn middleware() {
    let desk = Desk::open(Kind::Memory).await;
    let order = Arc::new(Mutex::new(Vec::new()));
    let (first, second) = (Arc::clone(&order), Arc::clone(&order));
    let builder = calc()
        .with_middleware(move |context| {
            first.lock().unwrap().push(format!("first {}", context.metadata.current_step));
            Box::pin(std::future::ready(Ok(())))
        })
        .with_middleware(move |context| {
            let step = context.metadata.current_step;
            second.lock().unwrap().push(format!("second {step}"));
            let stops = if step == 1 { Err("not for you".to_owned()) } else { Ok(()) };
            Box::pin(std::future::ready(stops))
        });
    let workflow = desk.build(builder);
    let session = id(&workflow.start(json!({"a": 1, "b": 2})).await.unwrap());
    let reply = workflow.continue_session(&session, None, Value::Null).await.unwrap();
    assert_eq!(refused(&reply), "Workflow failed at step 1 (double): not for you");
    assert_eq!(*order.lock().unwrap(), ["first 0", "second 0", "first 1", "second 1"]);
    let session = desk.manager.get(&session).await.unwrap();
    assert_eq!((session.status, session.history.len()), (SessionStatus::Failed, 1));
}

async fn panics() {
    let desk = Desk::open(Kind::Memory).await;
    let panics = ActivityBuilder::new("panics").effect(Effect::Once).compute(|_| panic!("as it should"));
    let workflow = desk.build(Workflow::builder("w").step(Step::new(panics.unwrap())));
    let reply = workflow.start(json!({})).await.unwrap();
    assert_eq!(refused(&reply), "Workflow failed at step 0 (panics): Activity panicked; the log says where");
}
