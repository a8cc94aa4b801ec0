//! Steps that the timeout of their workflow cuts short.

use crate::nested::{over, until};
use crate::races::sleeping;
use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    Activity, ActivityBuilder, ActivityContext, ActivityResult, BuiltActivity, Continue, Effect, Engine,
    Retry, Running, SessionManager, SessionManagerOptions, SessionStatus, Start, Step, Steps, TimeoutScope,
    Workflow, WorkflowSession,
};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        paused("a_step_that_the_time_of_the_whole_cuts_short_leaves_its_trace", traced),
        paused("members_of_a_group_that_had_ended_stay_so_when_time_runs_out", traced_group),
        paused("a_member_that_had_no_input_is_in_the_history_when_time_runs_out", traced_failure),
        paused("callbacks_that_have_begun_when_time_runs_out_are_called_once", told_once),
        paused("callbacks_of_one_member_give_no_time_to_another", told_beside),
        paused("callbacks_that_a_process_left_are_called_again_only_of_what_may_be_repeated", left_behind),
        paused("no_attempt_is_told_that_never_began", told_of_attempts),
        paused("a_session_that_ends_with_the_one_that_runs_it_leaves_its_trace", nested),
    ]
}

const ERROR: &str = "Workflow timeout exceeded (2000ms)";

/// What callbacks were called with, and who knows what is recorded.
#[derive(Default)]
struct Told {
    lines: Mutex<Vec<String>>,
    engine: OnceLock<Engine>,
}

impl Told {
    fn of(desk: &Desk) -> Arc<Self> {
        let told = Self::default();
        assert!(told.engine.set(desk.manager.engine().clone()).is_ok());
        Arc::new(told)
    }

    fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    /// Notes what a callback was called with, and whether it hears of the end of its session before that is recorded.
    async fn hear(&self, name: &str, session: &str, result: &ActivityResult) {
        let error = result.error.as_deref().unwrap_or("fine");
        assert!(result.metadata.contains_key("executionTimeMs"), "{result:?}");
        let attempts = result.metadata.get("attempts");
        let attempts = attempts.map_or(String::new(), |count| format!(" after {count}"));
        let open = match self.engine.get() {
            Some(engine) => engine.get(session).await.unwrap().status.is_open(),
            None => false,
        };
        let early = if open && error == ERROR { ", and it is not recorded" } else { "" };
        self.lines.lock().unwrap().push(format!("{name}: {error}{attempts}{early}"));
    }
}

/// An activity that notes which of its callbacks were called with what, and whose last one takes so long.
fn heard(name: &'static str, told: &Arc<Told>, ms: u64) -> ActivityBuilder {
    let hear = |word: &str, ms: u64| {
        let (told, name) = (Arc::clone(told), format!("{name} {word}"));
        move |context: &ActivityContext, result: &ActivityResult| -> Running<'static, Result<(), String>> {
            let (told, name) = (Arc::clone(&told), name.clone());
            let (session, result) = (context.session_id.clone(), result.clone());
            Box::pin(async move {
                told.hear(&name, &session, &result).await;
                tokio::time::sleep(Duration::from_millis(ms)).await;
                Ok(())
            })
        }
    };
    let (success, failure, complete) = (hear("onSuccess", 0), hear("onFailure", 0), hear("onComplete", ms));
    ActivityBuilder::new(name)
        .on_success(move |context, result| success(context, result))
        .on_failure(move |context, result| failure(context, result))
        .on_complete(move |context, result| complete(context, result))
}

/// The same, which takes so long itself.
fn telling(name: &'static str, ms: u64, effect: Effect, told: &Arc<Told>) -> BuiltActivity {
    let run = heard(name, told, 0).effect(effect).run(move |_| {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            ActivityResult::success(json!({}))
        })
    });
    run.unwrap()
}

/// A session of `w` that may take two seconds, in all.
fn limited(step: Step) -> lockgate_workflow::session::WorkflowBuilder {
    Workflow::builder("w").timeout(Duration::from_secs(2), TimeoutScope::Wall).step(step)
}

/// The activities of the history, with their errors.
fn history(session: &WorkflowSession) -> Vec<(&str, Option<&str>)> {
    session.history.iter().map(|one| (one.activity_name.as_str(), one.error.as_deref())).collect()
}

async fn traced() {
    for (effect, ms, optional) in
        [(Effect::None, 600_000, false), (Effect::Once, 600_000, false), (Effect::None, 1900, true)]
    {
        let desk = timed().await;
        let told = Told::of(&desk);
        let over = Arc::clone(&told);
        let mut step = Step::new(telling("long", ms, effect, &told));
        if optional {
            step = step.optional();
        }
        let steps = limited(Step::new(sleeping("a", 200, Effect::None)));
        let steps = steps.step(step).on_failure(move |error, _| {
            over.lines.lock().unwrap().push(format!("w onFailure: {error}"));
            Box::pin(std::future::ready(Ok(())))
        });
        let workflow = desk.build(steps.step(Step::new(tag())));
        let session = id(&workflow.start(json!({})).await.unwrap());
        let again = || Continue { expected: Some(1), session: Some(session.clone()), ..Continue::default() };
        let reply = desk.manager.engine().proceed("w", again()).await.unwrap();
        let words = format!("Workflow failed at step 1 (long): {ERROR}");
        assert_eq!(refused(&reply), words);
        let expected = ["long onFailure", "long onComplete", "w onFailure"];
        assert_eq!(told.lines(), expected.map(|one| format!("{one}: {ERROR}")));
        let found = desk.manager.get(&session).await.unwrap();
        assert_eq!((found.status, found.current_step, found.running), (SessionStatus::Failed, 1, None));
        let last = found.history.last().unwrap();
        assert_eq!((last.step_index, last.activity_name.as_str(), last.success), (1, "long", false));
        assert_eq!(last.error.as_deref(), Some(ERROR));
        assert_eq!((last.started_at, last.completed_at), (BEGIN + 200, BEGIN + 2000));
        let repeated = desk.manager.engine().proceed("w", again()).await.unwrap();
        assert_eq!(refused(&repeated), words, "the recorded reply");
    }
}

async fn traced_group() {
    for effect in [Effect::None, Effect::Once] {
        let desk = timed().await;
        let told = Told::of(&desk);
        let member = |name, ms| Step::new(telling(name, ms, effect, &told));
        let group = Step::parallel([member("quick", 100), member("long", 600_000)]);
        let workflow = desk.build(limited(group));
        workflow.start(json!({})).await.unwrap();
        let session = until(&workflow, over).await;
        let cut = ["long onFailure", "long onComplete"].map(|one| format!("{one}: {ERROR}"));
        let expected = ["quick onSuccess: fine", "quick onComplete: fine"].map(str::to_owned);
        assert_eq!(told.lines(), [expected, cut].concat(), "{effect:?}");
        assert_eq!(history(&session), [("quick", None), ("long", Some(ERROR))], "{effect:?}");
    }
}

async fn traced_failure() {
    let desk = timed().await;
    let told = Told::of(&desk);
    let unmapped = Step::new(tag()).optional().try_map_input(|_| Err("no input".into()));
    let group = Step::parallel([unmapped, Step::new(telling("long", 600_000, Effect::None, &told))]);
    let workflow = desk.build(limited(group));
    workflow.start(json!({})).await.unwrap();
    let session = until(&workflow, over).await;
    assert_eq!(history(&session), [("tag", Some("no input")), ("long", Some(ERROR))]);
    assert_eq!(told.lines(), ["long onFailure", "long onComplete"].map(|one| format!("{one}: {ERROR}")));
}

async fn told_once() {
    let fine = ["quick onSuccess: fine", "quick onComplete: fine"];
    for effect in [Effect::None, Effect::Repeatable, Effect::Once] {
        let desk = timed().await;
        let told = Told::of(&desk);
        let quick = heard("quick", &told, 3000).effect(effect);
        let quick = quick.compute(|_| ActivityResult::success(json!({}))).unwrap();
        let runs = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&runs);
        let next = ActivityBuilder::new("next").compute(move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            ActivityResult::success(json!({}))
        });
        let workflow = desk.build(limited(Step::new(quick)).step(Step::new(next.unwrap())));
        let start = Start { input: json!({}), steps: Steps::All, ..Start::default() };
        let reply = workflow.start_with(start).await.unwrap();
        // What it did stays, and nothing is begun after it.
        assert_eq!(refused(&reply), format!("Workflow failed at step 1 (next): {ERROR}"), "{effect:?}");
        let session = until(&workflow, over).await;
        assert_eq!(history(&session), [("quick", None)], "{effect:?}");
        assert_eq!(session.error.as_deref(), Some(ERROR));
        assert_eq!(told.lines(), fine, "{effect:?}");
        assert_eq!(runs.load(Ordering::SeqCst), 0, "{effect:?}");
    }
}

async fn told_beside() {
    for effect in [Effect::None, Effect::Once] {
        let desk = timed().await;
        let told = Told::of(&desk);
        let quick = heard("quick", &told, 3000).effect(effect);
        let quick = quick.compute(|_| ActivityResult::success(json!({}))).unwrap();
        let long = Step::new(telling("long", 2500, effect, &told));
        let workflow = desk.build(limited(Step::parallel([Step::new(quick), long])));
        workflow.start(json!({})).await.unwrap();
        let session = until(&workflow, over).await;
        assert_eq!(history(&session), [("quick", None), ("long", Some(ERROR))], "{effect:?}");
        let cut = ["long onFailure", "long onComplete"].map(|one| format!("{one}: {ERROR}"));
        let expected = ["quick onSuccess: fine", "quick onComplete: fine"].map(str::to_owned);
        assert_eq!(told.lines(), [expected, cut].concat(), "{effect:?}");
    }
}

async fn left_behind() {
    let (fine, cut) = (["onSuccess: fine", "onComplete: fine"], ["onFailure", "onComplete"]);
    let (fine, cut) = (fine.map(|one| format!("a {one}")), cut.map(|one| format!("a {one}: {ERROR}")));
    // The process ends while the activity runs, or while its callbacks do.
    for (effect, ms, expected) in [
        (Effect::Once, 600_000, vec![]),
        (Effect::Once, 0, fine.to_vec()),
        (Effect::Repeatable, 600_000, cut.to_vec()),
    ] {
        let desk = timed().await;
        let told = Told::of(&desk);
        let flow = || {
            let a = heard("a", &told, 600_000).effect(effect).run(move |_| {
                Box::pin(async move {
                    tokio::time::sleep(Duration::from_millis(ms)).await;
                    ActivityResult::success(json!({}))
                })
            });
            limited(Step::new(a.unwrap()))
        };
        let first = desk.build(flow());
        let call = tokio::spawn(async move { first.start(json!({})).await });
        tokio::time::sleep(Duration::from_secs(1)).await;
        desk.manager.engine().leave().await;
        assert!(call.await.unwrap().is_err(), "it is given up");
        let clock: lockgate_workflow::session::Clock = Arc::new(|| BEGIN + 3_600_000);
        let options = SessionManagerOptions {
            store: Arc::clone(&desk.store),
            clock: Some(clock),
            ..Default::default()
        };
        let manager = SessionManager::new(options);
        let workflow = flow().build(&manager).unwrap();
        manager.recover().await.unwrap();
        let session = until(&workflow, over).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(told.lines(), expected, "{effect:?}, {ms}");
        // The history tells of it as the session does.
        assert_eq!(history(&session)[0], ("a", Some(ERROR)), "{effect:?}, {ms}");
    }
}

async fn told_of_attempts() {
    let cut = |after: u32| ["onFailure", "onComplete"].map(|one| format!("a {one}: {ERROR} after {after}"));
    let failed = ["onFailure", "onComplete"].map(|one| format!("a {one}: no after 1"));
    for (hooks_per_attempt, backoff_ms, expected) in [
        (false, 60_000, cut(1).to_vec()),
        (true, 60_000, failed.to_vec()),
        (false, 1000, cut(2).to_vec()),
        (true, 1000, [failed.clone(), cut(2)].concat()),
    ] {
        let desk = timed().await;
        let told = Told::of(&desk);
        let retry = Retry { max_attempts: 3, backoff_ms, hooks_per_attempt };
        let a = heard("a", &told, 0).effect(Effect::Repeatable).retry(retry).run(|context| {
            let first = context.attempt == 0;
            Box::pin(async move {
                if !first {
                    std::future::pending::<()>().await;
                }
                ActivityResult::failure("no")
            })
        });
        let workflow = desk.build(limited(Step::new(a.unwrap())));
        workflow.start(json!({})).await.unwrap();
        assert_eq!(told.lines(), expected, "{hooks_per_attempt}, {backoff_ms}");
    }
}

async fn nested() {
    let cut = ["onFailure", "onComplete"].map(|one| format!("a {one}: {ERROR}"));
    let fine = ["onSuccess: fine", "onComplete: fine"].map(|one| format!("a {one}"));
    for (effect, ms, expected) in
        [(Effect::None, 600_000, &cut), (Effect::Once, 600_000, &cut), (Effect::Once, 0, &fine)]
    {
        let desk = timed().await;
        let told = Told::of(&desk);
        let a = heard("a", &told, 600_000).effect(effect).run(move |_| {
            Box::pin(async move {
                tokio::time::sleep(Duration::from_millis(ms)).await;
                ActivityResult::success(json!({}))
            })
        });
        let inner = desk.build(Workflow::builder("inner").step(Step::new(a.unwrap())));
        let nest: Box<dyn Activity> = Box::new(desk.manager.workflow_activity("nest", "inner"));
        let outer = desk.build(limited(Step::shared(nest.into())));
        outer.start(json!({})).await.unwrap();
        assert_eq!(history(&until(&outer, over).await), [("nest", Some(ERROR))]);
        let session = until(&inner, over).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(history(&session), [("a", Some(ERROR))], "{effect:?}, {ms}");
        assert_eq!((session.status, session.error.as_deref()), (SessionStatus::Failed, Some(ERROR)));
        assert_eq!(told.lines(), *expected, "{effect:?}, {ms}");
    }
}
