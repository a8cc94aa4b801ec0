//! Outcomes that come after somebody else went on with the session.

use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    ActivityBuilder, ActivityContext, ActivityResult, BuiltActivity, Continue, Effect, Error, Reply, Retry,
    SessionManager, SessionManagerOptions, SessionStatus, Step, Waiting, Workflow, WorkflowBuilder,
    WorkflowSession,
};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        paused("a_late_outcome_is_not_that_of_the_next_step", || late(false, false)),
        paused("a_late_failure_is_not_that_of_the_next_step", || late(true, false)),
        paused("a_late_attempt_is_not_one_of_the_next_step", || late(true, true)),
        paused("a_late_member_is_not_one_of_the_next_group", late_group),
        paused("whoever_lost_a_step_between_two_attempts_makes_no_more", resting),
        paused("an_outcome_that_comes_with_a_cancel_changes_nothing", cancelled),
        paused("an_answer_is_not_one_to_a_doubt_that_came_after_it", answered),
        paused("a_call_that_lost_its_step_lifts_no_pause_that_came_after_it", held),
        paused("a_call_that_waits_for_its_turn_lifts_the_pauses_before_it_alone", turns),
        paused("whoever_lost_a_step_ends_no_session_of_the_next_one", timed_out),
    ]
}

/// What the two instances share: how often each activity ran, and what the first run waits for.
#[derive(Default)]
struct Runs {
    first: AtomicUsize,
    next: AtomicUsize,
    gate: Notify,
}

/// A step that can be repeated, whose first run waits and may fail.
fn slow(name: &str, runs: &Arc<Runs>, fails: bool, retries: bool) -> BuiltActivity {
    let runs = Arc::clone(runs);
    let activity = ActivityBuilder::new(name).effect(Effect::Repeatable);
    let activity = if retries {
        activity.retry(Retry { max_attempts: 2, backoff_ms: 1, hooks_per_attempt: false })
    } else {
        activity
    };
    let activity = activity.run(move |_| {
        let (runs, run) = (Arc::clone(&runs), runs.first.fetch_add(1, SeqCst));
        Box::pin(async move {
            if run == 0 {
                runs.gate.notified().await;
            }
            match run == 0 && fails {
                true => ActivityResult::failure("late"),
                false => ActivityResult::success(json!({"run": run})),
            }
        })
    });
    activity.unwrap()
}

/// A step that counts its runs.
fn counted(name: &str, runs: &Arc<Runs>) -> BuiltActivity {
    let runs = Arc::clone(runs);
    let run = move |_: &mut ActivityContext| {
        runs.next.fetch_add(1, SeqCst);
        ActivityResult::success(json!({}))
    };
    ActivityBuilder::new(name).effect(Effect::Once).compute(run).unwrap()
}

/// A step that must not be repeated; so many of its runs wait.
fn once_only(name: &str, runs: &Arc<Runs>, waiting: usize) -> BuiltActivity {
    let runs = Arc::clone(runs);
    let activity = ActivityBuilder::new(name).effect(Effect::Once).run(move |_| {
        let (runs, run) = (Arc::clone(&runs), runs.first.fetch_add(1, SeqCst));
        Box::pin(async move {
            if run < waiting {
                runs.gate.notified().await;
            }
            ActivityResult::success(json!({"run": run}))
        })
    });
    activity.unwrap()
}

/// Another instance on the same store.
fn instance(desk: &Desk) -> SessionManager {
    let clock = Some(paused_clock());
    let options = SessionManagerOptions { store: Arc::clone(&desk.store), clock, ..Default::default() };
    SessionManager::new(options)
}

/// The same, with a workflow.
fn beside(desk: &Desk, flow: WorkflowBuilder) -> (SessionManager, Workflow) {
    let manager = instance(desk);
    let workflow = flow.build(&manager).unwrap();
    (manager, workflow)
}

type Call = JoinHandle<Result<Reply, Error>>;

/// A continue that means this step.
fn proceed(manager: &SessionManager, id: &str, step: usize, resolve: Option<&str>) -> Call {
    let request = Continue {
        session: Some(id.to_owned()),
        expected: Some(step),
        resolve: resolve.map(str::to_owned),
        ..Continue::default()
    };
    let engine = manager.engine().clone();
    tokio::spawn(async move { engine.proceed("w", request).await })
}

/// Another instance waits for a step that is under way, and takes it up once nobody holds the session. All look for
/// those; who finds it first depends on the moment, so several are tried.
async fn take_up(desk: &Desk, other: &SessionManager, id: &str, step: usize, moment: u64) -> Call {
    let waits = proceed(other, id, step, None);
    tokio::time::sleep(Duration::from_millis(50 * moment)).await;
    desk.store.journal().sessions().release_all(None).await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    waits
}

fn is_uncertain(session: &WorkflowSession) -> bool {
    matches!(session.waiting, Some(Waiting::Uncertain { .. }))
}

async fn until(what: impl AsyncFn() -> bool) {
    let waits = async {
        while !what().await {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(60), waits).await.is_ok(), "it did not happen");
}

async fn only(workflow: &Workflow) -> WorkflowSession {
    workflow.sessions().await.unwrap().pop().expect("a session")
}

/// The first instance loses the session, the second one runs the step, and then the first run ends.
async fn overtaken(
    flow: impl Fn(&Arc<Runs>) -> WorkflowBuilder,
    over: impl Fn(&WorkflowSession) -> bool,
) -> (Arc<Runs>, WorkflowSession, String) {
    for moment in 0..10 {
        let runs = Arc::new(Runs::default());
        let one = timed().await;
        let workflow = one.build(flow(&runs));
        let call = tokio::spawn(async move { workflow.start(json!({})).await });
        until(async || runs.first.load(SeqCst) == 1).await;
        let (two, other) = beside(&one, flow(&runs));
        let id = only(&other).await.session_id;
        let waits = take_up(&one, &two, &id, 0, moment).await;
        if !over(&only(&other).await) {
            continue;
        }
        waits.await.unwrap().unwrap();
        one.manager.engine().nudge(&id);
        tokio::time::sleep(Duration::from_millis(5)).await;
        runs.gate.notify_one();
        let reply = call.await.unwrap().unwrap();
        tokio::time::sleep(Duration::from_secs(5)).await;
        return (runs, only(&other).await, said(&reply).to_string());
    }
    panic!("nobody took it up");
}

async fn late(fails: bool, retries: bool) {
    let flow = |runs: &Arc<Runs>| {
        let [b, c] = ["b", "c"].map(|name| Step::new(counted(name, runs)));
        Workflow::builder("w").step(Step::new(slow("a", runs, fails, retries))).step(b).step(c)
    };
    let (runs, session, reply) = overtaken(flow, |session| session.history.len() == 1).await;
    assert_eq!(runs.next.load(SeqCst), 0, "nobody asked for the next step");
    assert_eq!((session.status, session.current_step, session.history.len()), (SessionStatus::Running, 0, 1));
    assert_eq!(session.memory.get("a"), Some(&json!({"run": 1})), "{:?}", session.memory);
    assert!(session.memory.get("b").is_none(), "{:?}", session.memory);
    assert!(reply.contains("Step 0 (a) completed successfully"), "{reply}");
}

async fn late_group() {
    let flow = |runs: &Arc<Runs>| {
        let [b, c, d] = ["b", "c", "d"].map(|name| Step::new(counted(name, runs)));
        let first = Step::parallel([Step::new(slow("a", runs, false, false)), b]);
        Workflow::builder("w").step(first).step(Step::parallel([c, d]))
    };
    let (_, session, _) = overtaken(flow, |session| session.history.len() == 2).await;
    assert_eq!((session.status, session.history.len()), (SessionStatus::Running, 2), "{:?}", session.history);
    assert!(session.memory.get("c").is_none(), "{:?}", session.memory);
}

async fn cancelled() {
    // Whoever runs the step must find both when it looks, which depends on who is next to run.
    for turns in 0..12 {
        let runs = Arc::new(Runs::default());
        let flow = || {
            let first = Step::new(slow("a", &runs, true, false));
            Workflow::builder("w").step(first).step(Step::new(counted("b", &runs)))
        };
        let one = timed().await;
        let workflow = one.build(flow());
        let call = tokio::spawn(async move { workflow.start(json!({})).await });
        until(async || runs.first.load(SeqCst) == 1).await;
        let (two, other) = beside(&one, flow());
        let id = only(&other).await.session_id;
        two.engine().cancel(Some("w"), None, &id, false).await.unwrap();
        one.manager.engine().nudge(&id);
        for _ in 0..turns {
            tokio::task::yield_now().await;
        }
        runs.gate.notify_one();
        call.await.unwrap().unwrap();
        tokio::time::sleep(Duration::from_secs(5)).await;
        let session = only(&other).await;
        assert_eq!((session.status, session.error.as_deref()), (SessionStatus::Cancelled, None), "{turns}");
    }
}

async fn resting() {
    for moment in 0..10 {
        let runs = Arc::new(Runs::default());
        let flow = || {
            let runs = Arc::clone(&runs);
            let retry = Retry { max_attempts: 3, backoff_ms: 60_000, hooks_per_attempt: false };
            let activity = ActivityBuilder::new("a").effect(Effect::Repeatable).retry(retry);
            let activity = activity.compute(move |_| match runs.first.fetch_add(1, SeqCst) {
                0 => ActivityResult::failure("once"),
                _ => ActivityResult::success(json!({})),
            });
            Workflow::builder("w").step(Step::new(activity.unwrap()))
        };
        let one = timed().await;
        let workflow = one.build(flow());
        let call = tokio::spawn(async move { workflow.start(json!({})).await });
        until(async || runs.first.load(SeqCst) == 1).await;
        let (two, other) = beside(&one, flow());
        let id = only(&other).await.session_id;
        let waits = take_up(&one, &two, &id, 0, moment).await;
        one.manager.engine().nudge(&id);
        waits.await.unwrap().unwrap();
        call.await.unwrap().unwrap();
        assert_eq!(runs.first.load(SeqCst), 2, "one attempt failed, and one was made again ({moment})");
        assert_eq!(only(&other).await.status, SessionStatus::Completed);
    }
}

async fn answered() {
    for moment in 0..10 {
        let runs = Arc::new(Runs::default());
        let flow = || Workflow::builder("w").step(Step::new(once_only("a", &runs, 2)));
        let first = timed().await;
        let workflow = first.build(flow());
        let call = tokio::spawn(async move { workflow.start(json!({})).await });
        until(async || runs.first.load(SeqCst) == 1).await;
        first.manager.engine().leave().await;
        call.await.unwrap().unwrap_err();
        let ((one, _offered), (two, other)) = (beside(&first, flow()), beside(&first, flow()));
        let id = only(&other).await.session_id;
        proceed(&one, &id, 0, None).await.unwrap().unwrap();
        assert!(is_uncertain(&only(&other).await), "the first run was given up");
        let answer = proceed(&one, &id, 0, Some("retry"));
        until(async || runs.first.load(SeqCst) == 2).await;
        let waits = take_up(&first, &two, &id, 0, moment).await;
        let doubt = only(&other).await;
        if !is_uncertain(&doubt) {
            continue;
        }
        waits.await.unwrap().unwrap();
        one.engine().nudge(&id);
        tokio::time::sleep(Duration::from_millis(5)).await;
        runs.gate.notify_one();
        let reply = answer.await.unwrap().unwrap();
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(runs.first.load(SeqCst), 2, "nobody said what became of the second run");
        assert_eq!(only(&other).await.waiting, doubt.waiting);
        assert_eq!(structured(&reply)["waiting"]["for"], "uncertain");
        return;
    }
    panic!("nobody took it up");
}

async fn held() {
    for moment in 0..10 {
        let runs = Arc::new(Runs::default());
        let flow = || {
            let first = Step::new(counted("b", &runs));
            Workflow::builder("w").step(first).step(Step::new(once_only("a", &runs, 1)))
        };
        let one = timed().await;
        let workflow = one.build(flow());
        let id = id(&workflow.start(json!({})).await.unwrap());
        let call = proceed(&one.manager, &id, 1, None);
        until(async || runs.first.load(SeqCst) == 1).await;
        let (two, other) = beside(&one, flow());
        let waits = take_up(&one, &two, &id, 1, moment).await;
        if !is_uncertain(&only(&other).await) {
            continue;
        }
        waits.await.unwrap().unwrap();
        two.engine().pause(Some("w"), None, &id).await.unwrap();
        one.manager.engine().nudge(&id);
        tokio::time::sleep(Duration::from_millis(5)).await;
        runs.gate.notify_one();
        let reply = call.await.unwrap().unwrap();
        tokio::time::sleep(Duration::from_secs(5)).await;
        let session = only(&other).await;
        assert_eq!((session.status, is_uncertain(&session)), (SessionStatus::Paused, true));
        assert_eq!(structured(&reply)["waiting"]["for"], "uncertain");
        return;
    }
    panic!("nobody took it up");
}

/// Calls wait for a step that is under way, and a pause comes before or after them.
async fn turns() {
    for pause_first in [true, false] {
        let runs = Arc::new(Runs::default());
        let desk = timed().await;
        let flow = Workflow::builder("w").step(Step::new(counted("a", &runs)));
        let flow = flow.step(Step::new(once_only("b", &runs, 1))).step(Step::new(counted("c", &runs)));
        let workflow = desk.build(flow);
        let id = id(&workflow.start(json!({})).await.unwrap());
        let first = proceed(&desk.manager, &id, 1, None);
        until(async || runs.first.load(SeqCst) == 1).await;
        if pause_first {
            workflow.pause(&id).await.unwrap();
        }
        let waiting = [1, 2].map(|step| proceed(&desk.manager, &id, step, None));
        // Time goes on when nobody has anything to do but to wait.
        tokio::time::sleep(Duration::from_millis(1)).await;
        if !pause_first {
            workflow.pause(&id).await.unwrap();
        }
        runs.gate.notify_one();
        let ran = first.await.unwrap().unwrap();
        assert_eq!(said(&ran)["message"], "Step 1 (b) completed successfully");
        let [same, next] = waiting;
        assert_eq!(same.await.unwrap().unwrap(), ran, "it gets the reply of the step that it means");
        let next = next.await.unwrap().unwrap();
        if !pause_first {
            let held = format!("Session {id} stands at step 2; it was paused after this call came.");
            assert_eq!((refused(&next), runs.next.load(SeqCst)), (held.as_str(), 1));
            assert_eq!(only(&workflow).await.status, SessionStatus::Paused);
            proceed(&desk.manager, &id, 2, None).await.unwrap().unwrap();
        }
        assert_eq!(only(&workflow).await.status, SessionStatus::Completed);
        assert_eq!((runs.first.load(SeqCst), runs.next.load(SeqCst)), (1, 2), "each step ran once");
    }
}

/// A workflow whose two steps are sessions of their own; the time of the first is an hour.
fn two_sessions(manager: &SessionManager, runs: &Arc<Runs>) -> (Workflow, Workflow) {
    let endless = {
        let runs = Arc::clone(runs);
        ActivityBuilder::new("endless").effect(Effect::Repeatable).run(move |_| {
            runs.next.fetch_add(1, SeqCst);
            Box::pin(std::future::pending())
        })
    };
    // The first run never ends, and the others take long enough to be seen.
    let lasting = {
        let runs = Arc::clone(runs);
        ActivityBuilder::new("lasting").effect(Effect::Repeatable).run(move |_| {
            let (runs, run) = (Arc::clone(&runs), runs.first.fetch_add(1, SeqCst));
            Box::pin(async move {
                match run {
                    0 => runs.gate.notified().await,
                    _ => tokio::time::sleep(Duration::from_secs(30)).await,
                }
                ActivityResult::success(json!({}))
            })
        })
    };
    Workflow::builder("first").step(Step::new(lasting.unwrap())).build(manager).unwrap();
    let second = Workflow::builder("second").step(Step::new(endless.unwrap())).build(manager).unwrap();
    let first = Limited::new(manager.workflow_activity("x", "first"), 3_600_000);
    let steps = (first, manager.workflow_activity("y", "second"));
    let both = Workflow::builder("w").step(Step::new(steps.0)).step(Step::new(steps.1));
    (both.build(manager).unwrap(), second)
}

async fn timed_out() {
    for moment in 0..10 {
        let runs = Arc::new(Runs::default());
        let one = timed().await;
        let (workflow, _) = two_sessions(&one.manager, &runs);
        let call = tokio::spawn(async move { workflow.start(json!({})).await });
        until(async || runs.first.load(SeqCst) == 1).await;
        let two = instance(&one);
        let (other, second) = two_sessions(&two, &runs);
        let id = only(&other).await.session_id;
        let waits = take_up(&one, &two, &id, 0, moment).await;
        if runs.first.load(SeqCst) != 2 {
            continue;
        }
        waits.await.unwrap().unwrap();
        let _next = proceed(&two, &id, 1, None);
        until(async || runs.next.load(SeqCst) == 1).await;
        // The time of the first step is over where it was begun.
        tokio::time::sleep(Duration::from_secs(3700)).await;
        call.await.unwrap().unwrap();
        assert_eq!(only(&second).await.status, SessionStatus::Running);
        let session = only(&other).await;
        assert_eq!((session.status, session.history.len()), (SessionStatus::Running, 1), "{session:?}");
        return;
    }
    panic!("nobody took it up");
}
