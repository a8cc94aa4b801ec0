//! Which finished sessions stay although their time is over.

use crate::nested::{go, over, until};
use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    ActivityBuilder, Continue, Effect, SessionManager, SessionManagerOptions, SessionStatus, Step, Waiting,
    Workflow,
};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn tests() -> Vec<Trial> {
    vec![paused("what_runs_as_a_step_stays_while_somebody_is_asked_about_another", asked_late)]
}

/// A group of a step that waits for `go` in a session of its own, and one that never ends and must not be repeated.
fn group(manager: &SessionManager) -> (Workflow, Workflow) {
    let wait = serde_json::from_value(json!({"event": "go"})).unwrap();
    let inner = Workflow::builder("inner").step(Step::new(tag()).wait_for(wait)).build(manager).unwrap();
    let pay = ActivityBuilder::new("pay").effect(Effect::Once).run(|_| Box::pin(std::future::pending()));
    let nest = Step::new(manager.workflow_activity("nest", "inner"));
    let both = Step::parallel([nest, Step::new(pay.unwrap())]);
    (inner, Workflow::builder("outer").step(both).build(manager).unwrap())
}

async fn asked_late() {
    let desk = timed().await;
    let (inner, outer) = group(&desk.manager);
    let call = tokio::spawn(async move { outer.start(json!({})).await });
    until(&inner, |session| session.waiting.is_some()).await;
    desk.manager.engine().leave().await;
    call.abort();
    let (store, clock) = (Arc::clone(&desk.store), Some(paused_clock()));
    let options = SessionManagerOptions { store, clock, session_ttl_ms: 1000, ..Default::default() };
    let manager = SessionManager::new(options);
    let (inner, outer) = group(&manager);
    manager.recover().await.unwrap();
    let asked =
        until(&outer, |session| matches!(session.waiting, Some(Waiting::Uncertain { .. }))).await.session_id;
    go(&manager).await;
    until(&inner, over).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    let calc = calc().build(&manager).unwrap();
    calc.start(json!({"a": 1, "b": 2})).await.unwrap();
    let resolve = Some("done".to_owned());
    let request = Continue { session: Some(asked), resolve, ..Continue::default() };
    outer.continue_with(request).await.unwrap();
    assert_eq!(inner.sessions().await.unwrap().len(), 1, "it runs once");
    assert_eq!(until(&outer, over).await.status, SessionStatus::Completed);
    calc.start(json!({"a": 1, "b": 2})).await.unwrap();
    assert!(inner.sessions().await.unwrap().is_empty(), "nobody can ask for it any more");
}
