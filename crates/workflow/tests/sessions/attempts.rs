//! Attempts and their time, across the end of the process that made them.

use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    ActivityBuilder, ActivityResult, BuiltActivity, Clock, Effect, InMemoryStore, Retry, SessionManager,
    SessionManagerOptions, SessionStatus, Step, Workflow, WorkflowSession, WorkflowStore,
};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        once("an_attempt_whose_time_was_over_is_undone_after_a_restart_too", late_attempt),
        once(
            "an_attempt_whose_time_was_over_is_undone_when_its_session_is_cancelled_before_the_next",
            cut_between,
        ),
        once("a_session_that_runs_as_a_step_gets_no_more_time_by_a_restart", nested_time),
    ]
}

/// A manager on a store that others use, with a clock of its own.
fn life(store: &InMemoryStore, clock: Clock) -> SessionManager {
    let store = Arc::new(store.clone()) as Arc<dyn WorkflowStore>;
    SessionManager::new(SessionManagerOptions { store, clock: Some(clock), ..Default::default() })
}

/// A clock that stands still, so many milliseconds after the beginning.
fn at(ms: i64) -> Clock {
    Arc::new(move || BEGIN + ms)
}

/// Waits until a session of the workflow is what it should be.
async fn until(workflow: &Workflow, good: impl Fn(&WorkflowSession) -> bool) -> WorkflowSession {
    for _ in 0..2000 {
        if let Some(session) = workflow.sessions().await.unwrap().pop().filter(&good) {
            return session;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it never happens: {:#?}", workflow.sessions().await.unwrap());
}

/// Waits until the only session of the store has recorded an event of this kind.
async fn recorded(store: &InMemoryStore, workflow: &Workflow, kind: &str) {
    let session = until(workflow, |_| true).await.session_id;
    let named = format!("{{\"is\":\"{kind}\"");
    for _ in 0..2000 {
        let events = store.journal().sessions().events_after(&session, 0).await.unwrap().unwrap();
        if events.iter().any(|event| event.starts_with(&named)) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("nothing is recorded that is {kind}");
}

/// Never ends the first time, and fails the second.
fn charge() -> BuiltActivity {
    let retry = Retry { max_attempts: 2, backoff_ms: 60_000, hooks_per_attempt: false };
    let charge = ActivityBuilder::new("charge").effect(Effect::Once).retry(retry);
    let charge = charge.timeout(Duration::from_millis(10)).run(|context| {
        let first = context.attempt == 0;
        Box::pin(async move {
            if first {
                std::future::pending::<()>().await;
            }
            ActivityResult::failure("no")
        })
    });
    charge.unwrap()
}

async fn late_attempt() {
    let store = InMemoryStore::new();
    let undone = Arc::new(AtomicUsize::new(0));
    let build = |manager: &SessionManager| {
        let undone = Arc::clone(&undone);
        let refund = pure("refund", move |_| {
            undone.fetch_add(1, Ordering::SeqCst);
            ActivityResult::success(json!({}))
        });
        Workflow::builder("w").step(Step::new(charge()).compensate(refund)).build(manager).unwrap()
    };
    let one = life(&store, at(0));
    let first = build(&one);
    let call = tokio::spawn(async move { first.start(json!({})).await });
    let watched = build(&life(&store, at(0)));
    recorded(&store, &watched, "failing").await;
    call.abort();
    let two = life(&store, at(120_000));
    let workflow = build(&two);
    two.recover().await.unwrap();
    let session = until(&workflow, |session| session.status == SessionStatus::Failed).await;
    assert_eq!(session.error.as_deref(), Some("Activity failed after 2 attempts: no"));
    let compensation = session.compensation.expect("the first attempt may have taken effect");
    assert_eq!((compensation.undone, compensation.complete), (vec![0], true));
    assert_eq!(undone.load(Ordering::SeqCst), 1);
}

async fn cut_between() {
    let store = InMemoryStore::new();
    let build = |manager: &SessionManager| {
        Workflow::builder("w").step(Step::new(charge()).compensate(tag())).build(manager).unwrap()
    };
    let workflow = Arc::new(build(&life(&store, at(0))));
    let first = Arc::clone(&workflow);
    let call = tokio::spawn(async move { first.start(json!({})).await });
    recorded(&store, &workflow, "failing").await;
    let session = until(&workflow, |_| true).await.session_id;
    workflow.cancel_and_undo(&session).await.unwrap();
    call.await.unwrap().unwrap();
    let session = until(&workflow, |session| session.status == SessionStatus::Cancelled).await;
    let compensation = session.compensation.expect("the attempt may have taken effect");
    assert_eq!((compensation.undone, compensation.complete), (vec![0], true));
}

async fn nested_time() {
    let store = InMemoryStore::new();
    let build = |manager: &SessionManager| {
        let endless = ActivityBuilder::new("endless").effect(Effect::Repeatable);
        let endless = endless.run(|_| Box::pin(std::future::pending())).unwrap();
        let inner = Workflow::builder("inner").step(Step::new(endless)).build(manager).unwrap();
        let nest = Limited::new(manager.workflow_activity("nest", "inner"), 3_600_000);
        (inner, Workflow::builder("outer").step(Step::new(nest)).build(manager).unwrap())
    };
    let one = life(&store, at(0));
    let (running, first) = build(&one);
    let call = tokio::spawn(async move { first.start(json!({})).await });
    until(&running, |session| session.running.is_some()).await;
    call.abort();
    let two = life(&store, at(7_200_000));
    let (inner, outer) = build(&two);
    two.recover().await.unwrap();
    let session = until(&outer, |session| session.status == SessionStatus::Failed).await;
    assert_eq!(session.error.as_deref(), Some("Activity timed out after 3600000ms"));
    until(&inner, |session| session.status == SessionStatus::Failed).await;
}
