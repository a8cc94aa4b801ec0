//! Calls of several steps that come again: each is told the same as the first, whatever happened meanwhile.

use crate::nested::{after, go, until};
use crate::races::sleeping;
use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    ActivityBuilder, ActivityResult, Approval, Approvers, BuiltActivity, Continue, Effect, Reply,
    SessionManager, Start, Step, Steps, Waiting, Workflow, WorkflowSession,
};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        paused("a_call_that_was_cut_off_is_told_the_same_however_often_it_comes", cut_off),
        paused("a_start_that_was_cut_off_is_told_the_same_however_often_it_comes", start_cut_off),
        paused("a_call_that_was_cut_off_in_a_step_that_is_uncertain_hears_of_it", uncertain),
        paused("a_pause_takes_no_step_out_of_the_reply_of_a_call", pause_between),
        paused("a_pause_changes_nothing_of_a_reply_that_says_what_is_waited_for", pause_of_a_wait),
        paused("a_task_lists_the_steps_before_what_it_waited_for", waiting_task),
    ]
}

/// A step whose first run never ends.
fn stuck(effect: Effect, runs: &Arc<AtomicUsize>) -> BuiltActivity {
    let runs = Arc::clone(runs);
    let activity = ActivityBuilder::new("stuck").effect(effect).run(move |_| {
        let first = runs.fetch_add(1, SeqCst) == 0;
        Box::pin(async move {
            if first {
                std::future::pending::<()>().await;
            }
            ActivityResult::success(json!({}))
        })
    });
    activity.unwrap()
}

/// Five steps, of which this one is stuck.
fn five(manager: &SessionManager, at: usize, effect: Effect, runs: &Arc<AtomicUsize>) -> Workflow {
    let step = |index| match index == at {
        true => Step::new(stuck(effect, runs)),
        false => Step::new(tag()),
    };
    (0..5).fold(Workflow::builder("w"), |steps, index| steps.step(step(index))).build(manager).unwrap()
}

/// The steps that a reply lists besides its own.
fn earlier(reply: &Reply) -> Vec<u64> {
    let all = structured(reply)["earlierSteps"].clone();
    all.as_array().into_iter().flatten().map(|one| one["stepIndex"].as_u64().unwrap()).collect()
}

fn all_from(session: &str, step: usize) -> Continue {
    let (session, expected) = (Some(session.to_owned()), Some(step));
    Continue { session, expected, steps: Steps::All, ..Continue::default() }
}

/// The only session, once the call has come to the step that is stuck.
async fn cut(desk: &Desk, workflow: &Workflow) -> String {
    tokio::time::sleep(Duration::from_secs(1)).await;
    let session = workflow.sessions().await.unwrap().remove(0);
    assert!(session.running.is_some(), "{session:?}");
    desk.manager.engine().leave().await;
    session.session_id
}

async fn cut_off() {
    for (stuck_at, effect, lists) in [
        (1, Effect::None, vec![1, 2, 3]),
        (2, Effect::None, vec![1, 2, 3]),
        (3, Effect::Repeatable, vec![1, 2, 3]),
        (4, Effect::Repeatable, vec![1, 2, 3]),
    ] {
        let (desk, runs) = (timed().await, Arc::default());
        let workflow = five(&desk.manager, stuck_at, effect, &runs);
        let session = id(&workflow.start(json!({})).await.unwrap());
        let (first, call) = (workflow.clone(), all_from(&session, 1));
        tokio::spawn(async move { first.continue_with(call).await });
        cut(&desk, &workflow).await;
        let other = after(&desk).await;
        let workflow = five(&other, stuck_at, effect, &runs);
        let reply = workflow.continue_with(all_from(&session, 1)).await.unwrap();
        assert_eq!(said(&reply)["message"], "Workflow completed successfully", "{stuck_at}");
        assert_eq!(earlier(&reply), lists, "{stuck_at}");
        assert_eq!(workflow.continue_with(all_from(&session, 1)).await.unwrap(), reply, "{stuck_at}");
    }
}

async fn start_cut_off() {
    let start = || Start {
        client_id: "me".into(),
        input: json!({}),
        key: Some("once".into()),
        steps: Steps::All,
        ..Start::default()
    };
    for (stuck_at, paused) in [(0, false), (1, false), (3, false), (3, true)] {
        let (desk, runs) = (timed().await, Arc::default());
        let workflow = five(&desk.manager, stuck_at, Effect::Repeatable, &runs);
        let first = workflow.clone();
        tokio::spawn(async move { first.start_with(start()).await });
        let session = cut(&desk, &workflow).await;
        let other = after(&desk).await;
        let workflow = five(&other, stuck_at, Effect::Repeatable, &runs);
        if paused {
            workflow.pause(&session).await.unwrap();
        }
        let reply = workflow.start_with(start()).await.unwrap();
        let (message, lists) = match paused {
            true => ("Step 3 (stuck) completed successfully", vec![0, 1, 2]),
            false => ("Workflow completed successfully", vec![0, 1, 2, 3]),
        };
        assert_eq!((said(&reply)["message"].as_str(), earlier(&reply)), (Some(message), lists), "{stuck_at}");
        assert_eq!(workflow.start_with(start()).await.unwrap(), reply, "{stuck_at}");
    }
}

async fn uncertain() {
    let (desk, runs) = (timed().await, Arc::default());
    let workflow = five(&desk.manager, 3, Effect::Once, &runs);
    let session = id(&workflow.start(json!({})).await.unwrap());
    let (first, call) = (workflow.clone(), all_from(&session, 1));
    tokio::spawn(async move { first.continue_with(call).await });
    cut(&desk, &workflow).await;
    let other = after(&desk).await;
    let workflow = five(&other, 3, Effect::Once, &runs);
    let reply = workflow.continue_with(all_from(&session, 1)).await.unwrap();
    assert_eq!((&structured(&reply)["status"], earlier(&reply)), (&Value::from("waiting"), vec![1, 2]));
    assert_eq!(workflow.continue_with(all_from(&session, 1)).await.unwrap(), reply);
    let doubt = structured(&reply)["waiting"]["since"].as_i64();
    let resolve = Some("retry".to_owned());
    let call = || Continue { doubt, resolve: resolve.clone(), ..all_from(&session, 3) };
    let reply = workflow.continue_with(call()).await.unwrap();
    assert_eq!(earlier(&reply), [3]);
    assert_eq!(workflow.continue_with(call()).await.unwrap(), reply);
}

/// Five steps that take a while each.
fn slow(manager: &SessionManager) -> Workflow {
    let step = || Step::new(sleeping("a", 200, Effect::None));
    (0..5).fold(Workflow::builder("w"), |steps, _| steps.step(step())).build(manager).unwrap()
}

async fn pause_between() {
    let start = || Start {
        client_id: "me".into(),
        input: json!({}),
        key: Some("once".into()),
        steps: Steps::All,
        ..Start::default()
    };
    let said_and_listed = |reply: &Reply| (said(reply)["message"].clone(), earlier(reply));
    let paused = (json!("Step 2 (a) completed successfully"), vec![0, 1]);
    for detached in [false, true] {
        let desk = timed().await;
        let (workflow, engine) = (slow(&desk.manager), desk.manager.engine());
        let first = match detached {
            true => {
                engine.start_detached("w", start()).await.unwrap();
                None
            }
            false => {
                let first = workflow.clone();
                Some(tokio::spawn(async move { first.start_with(start()).await.unwrap() }))
            }
        };
        tokio::time::sleep(Duration::from_millis(500)).await;
        let session = workflow.sessions().await.unwrap().remove(0).session_id;
        workflow.pause(&session).await.unwrap();
        tokio::time::sleep(Duration::from_millis(500)).await;
        if let Some(first) = first {
            assert_eq!(said_and_listed(&first.await.unwrap()), paused);
        }
        assert_eq!(said_and_listed(&workflow.start_with(start()).await.unwrap()), paused);
        let (_, task) = engine.task("me", &session).await.unwrap();
        assert_eq!(said_and_listed(&task.unwrap()), paused, "{detached}");
        let reply = workflow.continue_with(all_from(&session, 3)).await.unwrap();
        assert_eq!(earlier(&reply), [3]);
        assert_eq!(said_and_listed(&workflow.start_with(start()).await.unwrap()), paused);
    }
}

async fn pause_of_a_wait() {
    let desk = timed().await;
    let steps = Workflow::builder("w").step(Step::new(tag()));
    let workflow = desk.build(steps.step(Step::new(tag()).approve(Approvers::default())));
    let start = || Start { key: Some("once".into()), steps: Steps::All, ..Start::default() };
    let reply = workflow.start_with(start()).await.unwrap();
    assert_eq!((&structured(&reply)["status"], earlier(&reply)), (&Value::from("waiting"), vec![0]));
    workflow.pause(&id(&reply)).await.unwrap();
    assert_eq!(workflow.start_with(start()).await.unwrap(), reply);
    workflow.continue_session(&id(&reply), None, Value::Null).await.unwrap();
    assert_eq!(workflow.start_with(start()).await.unwrap(), reply, "it goes on to wait");
}

async fn waiting_task() {
    let desk = timed().await;
    let wait = serde_json::from_value(json!({"event": "go"})).unwrap();
    let steps = Workflow::builder("w").step(Step::new(tag())).step(Step::new(tag()).wait_for(wait));
    let workflow =
        desk.build(steps.step(Step::new(tag()).approve(Approvers::default())).step(Step::new(tag())));
    let engine = desk.manager.engine();
    let start = Start { client_id: "me".into(), steps: Steps::All, ..Start::default() };
    let session = engine.start_detached("w", start).await.unwrap().session_id;
    until(&workflow, |session| session.waiting.is_some()).await;
    go(&desk.manager).await;
    let asks = |session: &WorkflowSession| matches!(session.waiting, Some(Waiting::Approval { .. }));
    let Some(Waiting::Approval { digest, .. }) = until(&workflow, asks).await.waiting else { panic!() };
    assert!(engine.task("me", &session).await.unwrap().1.is_none(), "it is not over");
    engine.decide(&session, Approval { digest, allow: true, ..Approval::default() }).await.unwrap();
    let (_, reply) = engine.task("me", &session).await.unwrap();
    let reply = reply.unwrap();
    assert_eq!(said(&reply)["message"], "Workflow completed successfully");
    assert_eq!(earlier(&reply), [0, 1, 2]);
}
