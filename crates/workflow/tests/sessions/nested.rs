//! Sessions that run as steps of others: when they end with them, and what is told of both.

use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    Activity, ActivityBuilder, ActivityContext, ActivityResult, BuiltActivity, Continue, Effect, OnFull,
    OnUnknown, SessionManager, SessionManagerOptions, SessionStatus, Start, Step, Steps, Wake, Workflow,
    WorkflowBuilder, WorkflowSession,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        paused("the_session_of_a_step_that_is_given_up_after_a_crash_ends", given_up),
        paused("the_session_of_a_step_that_somebody_calls_done_ends", called_done),
        paused("a_session_that_runs_as_a_step_goes_on_to_its_end_after_a_pause", resumed),
        paused("the_time_of_a_member_ends_its_session_and_no_other", late_member),
        paused("a_member_that_is_tried_again_runs_one_session_at_a_time", tried_member),
        paused("the_session_of_a_parent_that_made_room_ends", evicted),
        paused("a_doubt_about_a_group_names_the_members_that_it_is_about", doubted_group),
        paused("what_runs_as_a_step_that_was_cut_short_ends_before_others_are_undone", cut_step),
        paused("what_runs_as_a_step_is_undone_before_others_also_after_a_crash_meanwhile", cut_while_undoing),
        paused("what_undoes_a_step_may_wait", || patient_undo(false)),
        paused("what_undoes_a_step_may_wait_through_a_restart", || patient_undo(true)),
        paused("what_undoes_a_step_waits_no_longer_than_its_time", || late_undo(patient, "patient")),
        paused("what_undoes_a_step_works_no_longer_than_its_time", || late_undo(busy, "busy")),
        paused("a_workflow_that_undoes_a_step_is_tried_again", tried_undo),
        paused("a_step_that_waited_for_a_session_began_when_it_did", began),
        once("a_step_ahead_of_a_session_that_is_over_is_refused_for_that", ahead),
        paused("a_task_is_over_once_the_call_that_started_it_is", task),
    ]
}

/// The names of what was undone, in order.
pub(crate) type Undone = Arc<Mutex<Vec<&'static str>>>;

/// Another life of the store of a desk, after one that was cut off.
pub(crate) async fn after(desk: &Desk) -> SessionManager {
    desk.manager.engine().leave().await;
    let clock = Some(paused_clock());
    SessionManager::new(SessionManagerOptions { store: Arc::clone(&desk.store), clock, ..Default::default() })
}

/// Never ends.
fn endless(name: &str, effect: Effect) -> BuiltActivity {
    ActivityBuilder::new(name).effect(effect).run(|_| Box::pin(std::future::pending())).unwrap()
}

/// A workflow of one step that never ends.
fn busy(manager: &SessionManager) -> Workflow {
    let step = Step::new(endless("endless", Effect::Repeatable));
    Workflow::builder("busy").step(step).build(manager).unwrap()
}

/// A workflow that waits for the event `go`.
fn patient(manager: &SessionManager) -> Workflow {
    let wait = serde_json::from_value(json!({"event": "go"})).unwrap();
    Workflow::builder("patient").step(Step::new(tag()).wait_for(wait)).build(manager).unwrap()
}

pub(crate) async fn go(manager: &SessionManager) {
    let wake = Wake { event: "go".into(), data: json!({}), session: None };
    assert_eq!(manager.signal(&wake).await.unwrap(), 1);
}

/// Waits until the newest session of a workflow is what it should be.
pub(crate) async fn until(workflow: &Workflow, good: impl Fn(&WorkflowSession) -> bool) -> WorkflowSession {
    for _ in 0..6000 {
        if let Some(session) = workflow.sessions().await.unwrap().into_iter().next().filter(&good) {
            return session;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it never happens: {:#?}", workflow.sessions().await.unwrap());
}

/// How a session ended.
fn end(session: &WorkflowSession) -> (SessionStatus, Option<&str>) {
    (session.status, session.error.as_deref())
}

pub(crate) fn over(session: &WorkflowSession) -> bool {
    !session.status.is_open()
}

/// A workflow `outer` whose first step runs `busy` under this rule, cut off in the middle of it, and a new life.
async fn cut_off(rule: OnUnknown) -> (SessionManager, Workflow, Workflow) {
    let outer = |manager: &SessionManager| {
        let nest = Step::new(manager.workflow_activity("nest", "busy")).on_unknown(rule).optional();
        Workflow::builder("outer").step(nest).step(Step::new(tag())).build(manager).unwrap()
    };
    let desk = timed().await;
    let (inner, first) = (busy(&desk.manager), outer(&desk.manager));
    let call = tokio::spawn(async move { first.start(json!({})).await });
    until(&inner, |session| session.running.is_some()).await;
    let manager = after(&desk).await;
    call.abort();
    let (inner, outer) = (busy(&manager), outer(&manager));
    manager.recover().await.unwrap();
    (manager, outer, inner)
}

async fn given_up() {
    let (_manager, outer, inner) = cut_off(OnUnknown::Fail).await;
    let session = until(&outer, |session| !session.history.is_empty()).await;
    assert_eq!((session.status, session.history[0].success), (SessionStatus::Running, false));
    let why = "The gateway stopped while the step was under way";
    assert_eq!(end(&until(&inner, over).await), (SessionStatus::Failed, Some(why)));
}

async fn called_done() {
    let (_manager, outer, inner) = cut_off(OnUnknown::Ask).await;
    let session = until(&outer, |session| session.waiting.is_some()).await;
    assert!(!over(&until(&inner, |_| true).await), "nobody has decided");
    let request = Continue {
        session: Some(session.session_id),
        resolve: Some("done".into()),
        result: Some(json!({"seen": true})),
        ..Continue::default()
    };
    let reply = outer.continue_with(request).await.unwrap();
    assert_eq!(said(&reply)["result"], json!({"seen": true}));
    assert_eq!(end(&until(&inner, over).await), (SessionStatus::Cancelled, None));
}

async fn resumed() {
    let desk = timed().await;
    let nap = ActivityBuilder::new("nap").effect(Effect::Repeatable).run(|_| {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            ActivityResult::success(json!({}))
        })
    });
    let inner = Workflow::builder("inner").step(Step::new(nap.unwrap()));
    let inner = desk.build(inner.step(Step::new(tag())).step(Step::new(tag())));
    let nest = Step::new(desk.manager.workflow_activity("nest", "inner"));
    let outer = desk.build(Workflow::builder("outer").step(nest));
    let call = tokio::spawn(async move { outer.start(json!({})).await });
    let child = until(&inner, |session| session.running.is_some()).await.session_id;
    inner.pause(&child).await.unwrap();
    let reply = call.await.unwrap().unwrap();
    assert_eq!(structured(&reply)["waiting"]["sessionId"], child.as_str(), "{reply:?}");
    let done = inner.continue_session(&child, None, Value::Null).await.unwrap();
    assert_eq!(structured(&done)["status"], "completed", "{done:?}");
}

/// A group of a member that runs `busy` for a second at most, and one that runs `patient`.
fn group(manager: &SessionManager, attempts: Option<u32>) -> WorkflowBuilder {
    let short = Limited::new(manager.workflow_activity("short", "busy"), 1000);
    let short = attempts.into_iter().fold(short, Limited::tried);
    let long = manager.workflow_activity("long", "patient");
    Workflow::builder("outer")
        .step(Step::parallel([Step::new(short).optional(), Step::new(long)]))
        .step(Step::new(tag()))
}

async fn late_member() {
    let desk = timed().await;
    let (inner, long) = (busy(&desk.manager), patient(&desk.manager));
    let outer = desk.build(group(&desk.manager, None));
    let reply = outer.start(json!({})).await.unwrap();
    assert_eq!(structured(&reply)["waiting"]["for"], "session", "the other member waits");
    let late = "Activity timed out after 1000ms";
    assert_eq!(end(&until(&inner, |_| true).await), (SessionStatus::Failed, Some(late)));
    assert_eq!(until(&long, |_| true).await.status, SessionStatus::Running, "it has no part in that");
    go(&desk.manager).await;
    let session = until(&outer, |session| session.history.len() == 2).await;
    let good: Vec<bool> = session.history.iter().map(|one| one.success).collect();
    assert_eq!((session.status, good), (SessionStatus::Running, vec![false, true]));
}

async fn tried_member() {
    let desk = timed().await;
    let (inner, _long) = (busy(&desk.manager), patient(&desk.manager));
    let outer = desk.build(group(&desk.manager, Some(3)));
    let call = tokio::spawn(async move { outer.start(json!({})).await });
    let open = async || inner.sessions().await.unwrap().iter().filter(|one| !over(one)).count();
    while !call.is_finished() {
        assert!(open().await <= 1, "an attempt that is given up goes on");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(inner.sessions().await.unwrap().len(), 3, "a session for each attempt");
    assert_eq!(open().await, 0);
}

async fn evicted() {
    let clock = Some(paused_clock());
    let options =
        SessionManagerOptions { clock, max_sessions: 2, on_full: OnFull::EvictOldest, ..Default::default() };
    let desk = Desk::with(Kind::Memory, options).await;
    let inner = patient(&desk.manager);
    let nest = Step::new(desk.manager.workflow_activity("nest", "patient"));
    let outer = desk.build(Workflow::builder("outer").step(Step::new(tag())).step(nest));
    let session = id(&outer.start(json!({})).await.unwrap());
    tokio::time::sleep(Duration::from_millis(10)).await;
    outer.continue_session(&session, None, Value::Null).await.unwrap();
    desk.build(calc()).start(json!({"a": 1, "b": 2})).await.unwrap();
    assert!(outer.sessions().await.unwrap().is_empty(), "the oldest made room");
    assert_eq!(end(&until(&inner, over).await), (SessionStatus::Cancelled, None));
}

async fn doubted_group() {
    let flow = |manager: &SessionManager| {
        let member = |name: &str, effect| Step::new(endless(name, effect)).input(json!({"who": name}));
        let group = [member("look", Effect::Repeatable), member("pay", Effect::Once)];
        Workflow::builder("w").step(Step::parallel(group)).build(manager).unwrap()
    };
    let desk = timed().await;
    let workflow = flow(&desk.manager);
    let seen = begun(&workflow).await;
    let manager = after(&desk).await;
    let workflow = flow(&manager);
    manager.recover().await.unwrap();
    let session = until(&workflow, |session| session.waiting.is_some()).await;
    assert_eq!(session.session_id, seen);
    let waiting = serde_json::to_value(&session.waiting).unwrap();
    let pay = json!({"who": "pay"});
    assert_eq!((&waiting["for"], &waiting["input"]), (&json!("uncertain"), &pay), "{waiting}");
    assert_eq!(waiting["members"], json!([{"activityName": "pay", "input": pay}]), "{waiting}");
    let reply = workflow.continue_session(&seen, None, Value::Null).await.unwrap();
    let message = said(&reply)["message"].as_str().unwrap().to_owned();
    assert!(message.ends_with("it is uncertain whether pay took effect"), "{message}");
}

/// Starts a session whose first step never ends; gives its id once that runs.
async fn begun(workflow: &Workflow) -> String {
    let start = workflow.start(json!({}));
    tokio::select! {
        _ = start => panic!("it never ends"),
        session = until(workflow, |session| session.running.is_some()) => session.session_id,
    }
}

async fn cut_step() {
    let outer = |manager: &SessionManager| {
        let first = Step::new(tag()).compensate(endless("undo", Effect::Repeatable));
        let nest = Step::new(manager.workflow_activity("nest", "patient"));
        Workflow::builder("outer").step(first).step(nest).build(manager).unwrap()
    };
    let desk = timed().await;
    patient(&desk.manager);
    let first = outer(&desk.manager);
    let session = id(&first.start(json!({})).await.unwrap());
    first.continue_session(&session, None, Value::Null).await.unwrap();
    // The process ends when it has recorded that, and nothing else.
    let sessions = desk.store.journal().sessions();
    let row = sessions.row(&session).await.unwrap().unwrap();
    let row = store::SessionRow { due: Some(BEGIN), ..row };
    let cancelled = json!({"is": "cancelled", "at": BEGIN, "undo": [0], "compensate": true}).to_string();
    let seen = sessions.get(&session).await.unwrap().unwrap().events.len() as u64;
    assert!(sessions.append(row, seen, vec![cancelled], store::Claim::Free).await.unwrap());
    let manager = after(&desk).await;
    let (inner, _outer) = (patient(&manager), outer(&manager));
    assert!(!over(&until(&inner, |_| true).await), "nobody has ended it");
    manager.recover().await.unwrap();
    assert_eq!(end(&until(&inner, over).await), (SessionStatus::Cancelled, None));
    assert!(!over(&manager.get(&session).await.unwrap()), "the first step is still being undone");
}

/// A session that runs another one, and what undoes their steps: that of the last step of the inner one waits for `go`.
/// `told` is what was undone.
pub(crate) fn undone_in_turn(manager: &SessionManager, told: &Undone) -> (Workflow, Workflow) {
    let undo = |name: &'static str| {
        let told = Arc::clone(told);
        let undo = move |_: &mut ActivityContext| {
            told.lock().unwrap().push(name);
            ActivityResult::success(Value::Null)
        };
        ActivityBuilder::new(name).effect(Effect::Repeatable).compute(undo).unwrap()
    };
    patient(manager);
    let slow = manager.workflow_activity("slow", "patient");
    let inner = Workflow::builder("inner").step(Step::new(tag()).compensate(undo("inside")));
    let inner = inner.step(Step::new(tag()).compensate(slow));
    let wait = serde_json::from_value(json!({"event": "never"})).unwrap();
    let inner = inner.step(Step::new(tag()).wait_for(wait)).build(manager).unwrap();
    let nest = Step::new(manager.workflow_activity("nest", "inner"));
    let outer = Workflow::builder("outer").step(Step::new(tag()).compensate(undo("outside"))).step(nest);
    (inner, outer.build(manager).unwrap())
}

async fn cut_while_undoing() {
    let told = Undone::default();
    let build = |manager: &SessionManager| undone_in_turn(manager, &told);
    let desk = timed().await;
    let (inner, outer) = build(&desk.manager);
    let session = id(&outer.start(json!({})).await.unwrap());
    outer.continue_session(&session, None, Value::Null).await.unwrap();
    outer.cancel_and_undo(&session).await.unwrap();
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert!(!over(&until(&inner, |_| true).await), "what undoes its second step waits");
    assert!(told.lock().unwrap().is_empty(), "its parent waits for it");
    let manager = after(&desk).await;
    let (_inner, outer) = build(&manager);
    manager.recover().await.unwrap();
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert!(told.lock().unwrap().is_empty(), "its parent waits for it still");
    go(&manager).await;
    let session = until(&outer, over).await;
    assert_eq!(*told.lock().unwrap(), ["inside", "outside"]);
    let compensation = session.compensation.clone().expect("it is told");
    assert_eq!((session.status, compensation.undone), (SessionStatus::Cancelled, vec![0]));
}

/// A workflow whose first step is undone by `undo`, and whose second step fails.
fn undoing(undo: impl Activity) -> WorkflowBuilder {
    Workflow::builder("outer").step(Step::new(tag()).compensate(undo)).step(Step::new(bad()))
}

async fn patient_undo(restarts: bool) {
    let desk = timed().await;
    let build = |manager: &SessionManager| {
        patient(manager);
        undoing(manager.workflow_activity("undo", "patient")).build(manager).unwrap()
    };
    let mut outer = build(&desk.manager);
    let session = id(&outer.start(json!({})).await.unwrap());
    let reply = outer.continue_session(&session, None, Value::Null).await.unwrap();
    assert_eq!(refused(&reply), "Workflow failed at step 1 (bad): nope");
    let mut manager = desk.manager.clone();
    if restarts {
        manager = after(&desk).await;
        outer = build(&manager);
        manager.recover().await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(30)).await;
    let shown = manager.get(&session).await.unwrap();
    assert_eq!((shown.status, shown.history.len()), (SessionStatus::Running, 2), "{shown:#?}");
    let waiting = serde_json::to_value(&shown.waiting).unwrap();
    assert_eq!((&waiting["for"], &waiting["activityName"]), (&json!("session"), &json!("undo")), "{waiting}");
    for (reply, verb) in [(outer.pause(&session).await, "pause"), (outer.cancel(&session).await, "cancel")] {
        let said = format!("Cannot {verb} workflow while its steps are being undone");
        assert_eq!(refused(&reply.unwrap()), said);
    }
    let again = outer.continue_session(&session, None, Value::Null).await.unwrap();
    assert_eq!(refused(&again), "Workflow failed at step 1 (bad): nope");
    let before = manager.get(&session).await.unwrap();
    assert_eq!(before.waiting, shown.waiting, "it waits for the same session");
    go(&manager).await;
    let session = until(&outer, over).await;
    assert_eq!(end(&session), (SessionStatus::Failed, Some("nope")));
    let compensation = session.compensation.clone().expect("it is told");
    assert_eq!((compensation.complete, compensation.undone), (true, vec![0]));
    let undone = session.history.last().unwrap();
    assert_eq!(
        (undone.success, undone.completed_at - undone.started_at >= 29_000),
        (true, true),
        "{undone:?}"
    );
    assert_eq!(manager.sessions_of("patient").await.unwrap().len(), 1, "it was run once");
    assert!(session.waiting.is_none());
}

async fn late_undo(inner: fn(&SessionManager) -> Workflow, name: &str) {
    let desk = timed().await;
    let inner = inner(&desk.manager);
    let undo = Limited::new(desk.manager.workflow_activity("undo", name), 1000);
    let outer = desk.build(undoing(undo));
    let session = id(&outer.start(json!({})).await.unwrap());
    outer.continue_session(&session, None, Value::Null).await.unwrap();
    let session = until(&outer, over).await;
    let late = "Activity timed out after 1000ms";
    assert_eq!(session.history.last().unwrap().error.as_deref(), Some(late));
    assert_eq!(session.compensation.clone().expect("it is told").failed, [0]);
    assert_eq!(end(&until(&inner, over).await), (SessionStatus::Failed, Some(late)));
}

async fn tried_undo() {
    let desk = timed().await;
    let inner = patient(&desk.manager);
    let undo = Limited::new(desk.manager.workflow_activity("undo", "patient"), 60_000).tried(3);
    let outer = desk.build(undoing(undo));
    let session = id(&outer.start(json!({})).await.unwrap());
    outer.continue_session(&session, None, Value::Null).await.unwrap();
    for count in 1..=2 {
        let child = until(&inner, |session| !over(session)).await;
        assert_eq!(inner.sessions().await.unwrap().len(), count);
        inner.cancel(&child.session_id).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    until(&inner, |session| !over(session)).await;
    go(&desk.manager).await;
    let session = until(&outer, over).await;
    assert_eq!(session.compensation.expect("it is told").undone, [0]);
    assert_eq!(inner.sessions().await.unwrap().len(), 3);
}

async fn began() {
    let desk = timed().await;
    patient(&desk.manager);
    let nest = Step::new(desk.manager.workflow_activity("nest", "patient"));
    let outer = desk.build(Workflow::builder("outer").step(nest));
    let reply = outer.start(json!({})).await.unwrap();
    let started = desk.manager.get(&id(&reply)).await.unwrap().started_at;
    tokio::time::sleep(Duration::from_secs(5)).await;
    go(&desk.manager).await;
    let session = until(&outer, over).await;
    let step = &session.history[0];
    assert!(step.started_at - started < 1000, "{step:?}");
    assert!(step.completed_at - step.started_at >= 5000, "{step:?}");
}

async fn ahead() {
    let desk = Desk::open(Kind::Memory).await;
    let calc = desk.build(calc());
    let session = id(&calc.start(json!({"a": 1, "b": 2})).await.unwrap());
    calc.cancel(&session).await.unwrap();
    for step in 1..3 {
        let reply = calc.execute_step(&session, step).await.unwrap();
        assert_eq!(refused(&reply), "Cannot continue workflow in status: cancelled", "{step}");
    }
}

async fn task() {
    let desk = timed().await;
    let calc = desk.build(calc());
    let engine = desk.manager.engine();
    let input = json!({"a": 1, "b": 2});
    let start = Start { client_id: "me".into(), input, steps: Steps::Most(2), ..Start::default() };
    let session = engine.start_detached("calc", start).await.unwrap().session_id;
    until(&calc, |session| session.current_step == 1).await;
    let (_, first) = engine.task("me", &session).await.unwrap();
    assert_eq!(
        said(first.as_ref().expect("it has run")).get("message"),
        Some(&json!("Step 1 (double) completed successfully"))
    );
    calc.pause(&session).await.unwrap();
    assert_eq!(engine.task("me", &session).await.unwrap().1, first);
    calc.continue_session(&session, None, Value::Null).await.unwrap();
    until(&calc, over).await;
    assert_eq!(engine.task("me", &session).await.unwrap().1, first, "it was over before");
}
