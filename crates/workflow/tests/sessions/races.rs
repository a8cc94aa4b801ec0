//! Calls that arrive at the same time or twice, and clocks that jump.

use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    ActivityBuilder, ActivityResult, Approvers, BuiltActivity, Clock, Continue, Effect, OnTimeout,
    SessionManager, SessionManagerOptions, SessionStatus, Start, Step, TimeoutScope, WaitFor, Wake, Workflow,
    WorkflowStore,
};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub(crate) fn tests() -> Vec<Trial> {
    let mut all = vec![
        paused("waits_between_attempts_double", waits_double),
        paused("a_step_under_way_is_given_up_when_time_runs_out", given_up),
        paused("an_approval_that_nobody_gives_expires", expiry),
        paused("an_event_that_does_not_come_fails_the_step_or_not", no_event),
        paused("only_time_at_work_counts_where_that_is_said", active_time),
        paused("paused_time_does_not_count", paused_time),
        paused("time_does_not_run_out_in_a_pause_while_a_step_runs", paused_step),
        paused("a_session_shows_the_step_that_runs", running_step),
        paused("steps_that_wait_keep_no_continue_waiting", many_wait),
        paused("what_a_call_brought_stays_when_its_step_is_cut_short", cut_short),
        paused("a_step_that_nobody_holds_is_taken_up_within_half_a_second", left_behind),
    ];
    all.extend(on_all("a_pause_holds_no_later_step_than_the_one_it_names", pause_overtaken));
    all.extend(on_all("a_hundred_starts_with_one_key_make_one_session", hundred_starts));
    all.extend(on_all("a_repeated_continue_gives_the_recorded_reply", repeated));
    all.extend(on_all("a_clock_that_goes_back_turns_no_time_back", clock_back));
    all.extend(on_all("a_clock_that_leaps_ahead_ends_what_is_due_once", clock_ahead));
    all.extend(on_all(
        "what_a_session_waited_for_is_over_when_its_time_was_while_it_was_paused",
        late_in_a_pause,
    ));
    all
}

/// An activity that counts its runs.
fn counted(name: &str, runs: &Arc<AtomicUsize>) -> BuiltActivity {
    let runs = Arc::clone(runs);
    let run = move |_: &mut lockgate_workflow::session::ActivityContext| {
        let run = runs.fetch_add(1, Ordering::SeqCst) + 1;
        ActivityResult::success(json!({"run": run}))
    };
    ActivityBuilder::new(name).compute(run).unwrap()
}

async fn hundred_starts(kind: Kind) {
    let runs = Arc::new(AtomicUsize::new(0));
    let desk = Desk::open(kind).await;
    let steps =
        Workflow::builder("w").step(Step::new(counted("a", &runs))).step(Step::new(counted("b", &runs)));
    let workflow = desk.build(steps);
    let start = || Start {
        client_id: "me".into(),
        input: json!({"q": 1}),
        key: Some("once".into()),
        ..Start::default()
    };
    let starts = (0..100).map(|_| {
        let workflow = workflow.clone();
        tokio::spawn(async move { workflow.start_with(start()).await.unwrap() })
    });
    let mut replies = Vec::new();
    for started in starts.collect::<Vec<_>>() {
        replies.push(started.await.unwrap());
    }
    assert_eq!(said(&replies[0])["result"], json!({"run": 1}));
    assert!(replies.iter().all(|reply| *reply == replies[0]), "{replies:?}");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    assert_eq!(workflow.sessions().await.unwrap().len(), 1);
    let other = Start { client_id: "you".into(), ..start() };
    assert_ne!(id(&workflow.start_with(other).await.unwrap()), id(&replies[0]), "a key is one caller's own");
}

async fn repeated(kind: Kind) {
    let runs = Arc::new(AtomicUsize::new(0));
    let desk = Desk::open(kind).await;
    let step = |name| Step::new(counted(name, &runs));
    let workflow = desk.build(Workflow::builder("w").step(step("a")).step(step("b")).step(step("c")));
    let session = id(&workflow.start(json!({})).await.unwrap());
    let ask = |expected| {
        let request =
            Continue { session: Some(session.clone()), expected: Some(expected), ..Continue::default() };
        workflow.continue_with(request)
    };
    let (one, two, three) = tokio::join!(ask(1), ask(1), ask(1));
    let (one, two, three) = (one.unwrap(), two.unwrap(), three.unwrap());
    assert_eq!(said(&one)["result"], json!({"run": 2}));
    assert_eq!((&two, &three), (&one, &one));
    let ahead = ask(7).await.unwrap();
    assert_eq!(refused(&ahead), format!("Session {session} stands at step 2; step 7 cannot be run yet."));
    let last = ask(2).await.unwrap();
    assert_eq!(ask(2).await.unwrap(), last, "also when it is finished");
    assert_eq!(ask(1).await.unwrap(), one);
    assert_eq!(runs.load(Ordering::SeqCst), 3);
    let desk = desk.restart().await;
    let steps = Workflow::builder("w").step(step("a")).step(step("b")).step(step("c"));
    let again = desk.build(steps);
    let request = Continue { session: Some(session.clone()), expected: Some(1), ..Continue::default() };
    assert_eq!(again.continue_with(request).await.unwrap(), one, "after a restart too");
}

async fn clock_back(kind: Kind) {
    let (now, clock) = set_clock();
    let desk = Desk::with(kind, SessionManagerOptions { clock: Some(clock), ..Default::default() }).await;
    let workflow = desk.build(calc());
    let session = id(&workflow.start(json!({"a": 1, "b": 2})).await.unwrap());
    now.store(BEGIN - 3_600_000, Ordering::SeqCst);
    workflow.continue_session(&session, None, Value::Null).await.unwrap();
    workflow.continue_session(&session, None, Value::Null).await.unwrap();
    let session = desk.manager.get(&session).await.unwrap();
    assert_eq!(session.status, SessionStatus::Completed);
    let times: Vec<i64> =
        session.history.iter().flat_map(|step| [step.started_at, step.completed_at]).collect();
    assert!(times.is_sorted() && times[0] >= BEGIN, "{times:?}");
    assert!(session.completed_at.unwrap() >= session.started_at);
}

async fn clock_ahead(kind: Kind) {
    let (now, clock) = set_clock();
    let desk = Desk::with(kind, SessionManagerOptions { clock: Some(clock), ..Default::default() }).await;
    let failures = Arc::new(AtomicUsize::new(0));
    let told = Arc::clone(&failures);
    let workflow = calc().timeout(Duration::from_secs(600), TimeoutScope::Wall).on_failure(move |_, _| {
        told.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::ready(Ok(())))
    });
    let workflow = desk.build(workflow);
    let session = id(&workflow.start(json!({"a": 1, "b": 2})).await.unwrap());
    now.store(BEGIN - 7_200_000, Ordering::SeqCst);
    assert!(
        !workflow.continue_session(&session, None, Value::Null).await.unwrap().is_error,
        "no time is lost"
    );
    now.store(BEGIN + 3_600_000, Ordering::SeqCst);
    let late = workflow.continue_session(&session, None, Value::Null).await.unwrap();
    assert!(late.is_error, "{}", late.text);
    let session = desk.manager.get(&session).await.unwrap();
    assert_eq!(session.error.as_deref(), Some("Workflow timeout exceeded (600000ms)"));
    assert_eq!(failures.load(Ordering::SeqCst), 1);
}

async fn late_in_a_pause(kind: Kind) {
    let (now, clock) = set_clock();
    let desk = Desk::with(kind, SessionManagerOptions { clock: Some(clock), ..Default::default() }).await;
    let wait =
        WaitFor { event: "e".into(), filter: None, timeout_ms: Some(5000), on_timeout: OnTimeout::Fail };
    let workflow = desk.build(Workflow::builder("w").step(Step::new(tag()).wait_for(wait)));
    let session = id(&workflow.start(json!({})).await.unwrap());
    workflow.pause(&session).await.unwrap();
    now.store(BEGIN + 5000, Ordering::SeqCst);
    let wake = Wake { event: "e".into(), data: json!({}), session: None };
    assert_eq!(desk.manager.signal(&wake).await.unwrap(), 0, "the wait is over");
    let late = workflow.continue_session(&session, None, Value::Null).await.unwrap();
    assert!(refused(&late).ends_with("The event e did not come in time"), "{}", late.text);
    assert_eq!(desk.manager.get(&session).await.unwrap().status, SessionStatus::Failed);
}

/// A desk whose clock goes with the paused time.
async fn waits_double() {
    let desk = timed().await;
    let at = Arc::new(std::sync::Mutex::new(Vec::new()));
    let (noted, began) = (Arc::clone(&at), tokio::time::Instant::now());
    let retry =
        lockgate_workflow::session::Retry { max_attempts: 4, backoff_ms: 1000, hooks_per_attempt: false };
    let activity = ActivityBuilder::new("a").retry(retry).compute(move |_| {
        noted.lock().unwrap().push(began.elapsed().as_secs());
        ActivityResult::failure("x")
    });
    let workflow = desk.build(Workflow::builder("w").step(Step::new(activity.unwrap())));
    workflow.start(json!({})).await.unwrap();
    assert_eq!(*at.lock().unwrap(), [0, 1, 3, 7]);
}

async fn given_up() {
    let desk = timed().await;
    let endless = ActivityBuilder::new("endless").run(|_| Box::pin(std::future::pending())).unwrap();
    let limit = Duration::from_secs(60);
    let workflow =
        desk.build(Workflow::builder("w").timeout(limit, TimeoutScope::Wall).step(Step::new(endless)));
    let began = tokio::time::Instant::now();
    let reply = workflow.start(json!({})).await.unwrap();
    assert_eq!(refused(&reply), "Workflow failed at step 0 (endless): Workflow timeout exceeded (60000ms)");
    assert!(began.elapsed() >= limit && began.elapsed() < limit * 2, "{:?}", began.elapsed());
}

async fn expiry() {
    let desk = timed().await;
    let runs = Arc::new(AtomicUsize::new(0));
    let rules = Approvers { expires_ms: Some(5000), ..Approvers::default() };
    let workflow = desk.build(Workflow::builder("w").step(Step::new(counted("a", &runs)).approve(rules)));
    let session = id(&workflow.start(json!({})).await.unwrap());
    tokio::time::sleep(Duration::from_secs(10)).await;
    let session = desk.manager.get(&session).await.unwrap();
    assert_eq!(session.error.as_deref(), Some("Approval expired after 5000ms"));
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

async fn no_event() {
    let desk = timed().await;
    let runs = Arc::new(AtomicUsize::new(0));
    let wait = |on_timeout| WaitFor { event: "e".into(), filter: None, timeout_ms: Some(5000), on_timeout };
    let step = |on_timeout| Step::new(counted("a", &runs)).wait_for(wait(on_timeout));
    let failing = desk.build(Workflow::builder("failing").step(step(OnTimeout::Fail)));
    let going = desk.build(Workflow::builder("going").step(step(OnTimeout::Continue)));
    let failed = id(&failing.start(json!({})).await.unwrap());
    let gone = id(&going.start(json!({})).await.unwrap());
    tokio::time::sleep(Duration::from_secs(10)).await;
    let failed = desk.manager.get(&failed).await.unwrap();
    assert_eq!(failed.error.as_deref(), Some("The event e did not come in time"));
    assert_eq!(desk.manager.get(&gone).await.unwrap().status, SessionStatus::Completed);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

pub(crate) fn sleeping(name: &str, ms: u64, effect: Effect) -> BuiltActivity {
    let activity = ActivityBuilder::new(name).effect(effect).run(move |_| {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            ActivityResult::success(json!({}))
        })
    });
    activity.unwrap()
}

async fn active_time() {
    let desk = timed().await;
    let step = |name| Step::new(sleeping(name, 600, Effect::Once));
    let limit = Duration::from_millis(1500);
    let steps = Workflow::builder("w").timeout(limit, TimeoutScope::Active);
    let workflow = desk.build(steps.step(step("a")).step(step("b")).step(step("c")));
    let session = id(&workflow.start(json!({})).await.unwrap());
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert!(!workflow.continue_session(&session, None, Value::Null).await.unwrap().is_error);
    let third = workflow.continue_session(&session, None, Value::Null).await.unwrap();
    assert_eq!(refused(&third), "Workflow failed at step 2 (c): Workflow timeout exceeded (1500ms)");
}

async fn paused_time() {
    let desk = timed().await;
    let workflow = desk.build(calc().timeout(Duration::from_secs(60), TimeoutScope::Wall));
    let session = id(&workflow.start(json!({"a": 1, "b": 2})).await.unwrap());
    workflow.pause(&session).await.unwrap();
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert!(!workflow.continue_session(&session, None, Value::Null).await.unwrap().is_error);
    tokio::time::sleep(Duration::from_secs(120)).await;
    assert_eq!(desk.manager.get(&session).await.unwrap().status, SessionStatus::Failed);
}

async fn paused_step() {
    for effect in [Effect::Once, Effect::None] {
        let desk = timed().await;
        let steps = Workflow::builder("w").timeout(Duration::from_millis(500), TimeoutScope::Wall);
        let steps = steps.step(Step::new(sleeping("a", 3000, effect))).step(Step::new(tag()));
        let workflow = Arc::new(desk.build(steps));
        let start = tokio::spawn({
            let workflow = Arc::clone(&workflow);
            async move { workflow.start(json!({})).await.unwrap() }
        });
        tokio::time::sleep(Duration::from_millis(100)).await;
        let session = workflow.sessions().await.unwrap().remove(0).session_id;
        workflow.pause(&session).await.unwrap();
        assert_eq!(said(&start.await.unwrap())["message"], "Step 0 (a) completed successfully");
        assert_eq!(desk.manager.get(&session).await.unwrap().status, SessionStatus::Paused);
        let done = workflow.continue_session(&session, None, Value::Null).await.unwrap();
        assert_eq!(structured(&done)["status"], "completed");
    }
}

async fn running_step() {
    for effect in [Effect::Once, Effect::None] {
        shows_itself(effect).await;
    }
}

/// What is on record is on its way to nothing else; what is not may be, for a moment.
async fn many_wait() {
    for (effect, most) in [(Effect::Once, 1003), (Effect::None, 1030)] {
        let desk = timed().await;
        let steps = Workflow::builder("w").step(Step::new(sleeping("a", 10, effect)));
        let workflow = desk.build(steps.step(Step::new(sleeping("b", 1000, effect))));
        let mut sessions = Vec::new();
        for _ in 0..32 {
            sessions.push(id(&workflow.start(json!({})).await.unwrap()));
        }
        let start = tokio::time::Instant::now();
        let all = sessions.iter().map(|session| workflow.continue_session(session, None, Value::Null));
        for reply in futures_util::future::join_all(all).await {
            assert!(!reply.unwrap().is_error);
        }
        let took = start.elapsed().as_millis();
        assert!((1000..=most).contains(&took), "{effect:?}: {took} ms");
    }
}

async fn shows_itself(effect: Effect) {
    let desk = timed().await;
    let steps = Workflow::builder("w").step(Step::new(sleeping("a", 10, effect)));
    let workflow = desk.build(steps.step(Step::new(sleeping("b", 2000, effect))));
    let session = id(&workflow.start(json!({})).await.unwrap());
    let running = async || desk.manager.get(&session).await.unwrap().running.map(|step| step.step_index);
    assert_eq!(running().await, None);
    let meanwhile = async {
        tokio::time::sleep(Duration::from_millis(1000)).await;
        running().await
    };
    let (reply, seen) = tokio::join!(workflow.continue_session(&session, None, Value::Null), meanwhile);
    assert!(!reply.unwrap().is_error);
    assert_eq!(seen, Some(1), "{effect:?}");
    assert_eq!(running().await, None);
    assert_eq!(desk.manager.get(&session).await.unwrap().branch_history.len(), 1);
}

/// Ends a session while its second step, which has no effects, has been under way for that long.
async fn cut_after(ms: u64, timeout: Option<u64>) {
    let desk = timed().await;
    let mut steps = Workflow::builder("w").step(Step::new(sleeping("a", 10, Effect::None)));
    if let Some(ms) = timeout {
        steps = steps.timeout(Duration::from_millis(ms), TimeoutScope::Wall);
    }
    let passed = Step::new(sleeping("b", 10, Effect::None)).when(|_| false);
    let workflow = desk.build(steps.step(passed).step(Step::new(sleeping("c", 600_000, Effect::None))));
    let session = id(&workflow.start(json!({})).await.unwrap());
    let end = async {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        if timeout.is_none() {
            workflow.cancel(&session).await.unwrap();
        }
    };
    let (reply, ()) = tokio::join!(workflow.continue_session(&session, None, Value::Null), end);
    let (status, words) = match timeout {
        None => (SessionStatus::Cancelled, "Cannot continue workflow in status: cancelled".to_owned()),
        Some(ms) => {
            let words = format!("Workflow failed at step 2 (c): Workflow timeout exceeded ({ms}ms)");
            (SessionStatus::Failed, words)
        }
    };
    assert_eq!(refused(&reply.unwrap()), words, "after {ms} ms");
    let found = desk.manager.get(&session).await.unwrap();
    assert_eq!((found.status, found.running), (status, None), "after {ms} ms");
    let chosen: Vec<_> = found.branch_history.iter().map(|one| one.tool_name.as_str()).collect();
    assert_eq!(chosen, ["w_continue"], "after {ms} ms");
}

async fn cut_short() {
    cut_after(10, None).await;
    cut_after(1000, None).await;
    cut_after(0, Some(50)).await;
    cut_after(0, Some(1500)).await;
}

/// An activity whose first run never ends, as that of an instance that died.
fn stuck_once(runs: &Arc<AtomicUsize>) -> BuiltActivity {
    let runs = Arc::clone(runs);
    let activity = ActivityBuilder::new("a").effect(Effect::Repeatable).run(move |_| {
        let first = runs.fetch_add(1, Ordering::SeqCst) == 0;
        Box::pin(async move {
            if first {
                std::future::pending::<()>().await;
            }
            ActivityResult::success(json!({}))
        })
    });
    activity.unwrap()
}

async fn left_behind() {
    let runs = Arc::new(AtomicUsize::new(0));
    let began = async |count: usize| {
        while runs.load(Ordering::SeqCst) < count {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let one = timed().await;
    let store = Arc::clone(&one.store);
    let workflow = one.build(Workflow::builder("w").step(Step::new(stuck_once(&runs))));
    let call = tokio::spawn(async move { workflow.start(json!({})).await });
    began(1).await;
    // It shows no more signs of life.
    call.abort();
    drop(one);
    let clock = Some(paused_clock());
    let options = SessionManagerOptions { store: Arc::clone(&store), clock, ..Default::default() };
    let two = SessionManager::new(options);
    Workflow::builder("w").step(Step::new(stuck_once(&runs))).build(&two).unwrap();
    let other =
        Workflow::builder("other").step(Step::new(sleeping("b", 1, Effect::Once))).build(&two).unwrap();
    other.start(json!({})).await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(runs.load(Ordering::SeqCst), 1, "nobody takes up what another holds");
    // As at the end of its lease, by the clock of the store.
    store.journal().sessions().release_all(None).await.unwrap();
    let free = tokio::time::Instant::now();
    let taken = tokio::time::timeout(Duration::from_secs(60), began(2)).await;
    assert!(taken.is_ok(), "nobody took it up");
    assert!(free.elapsed() <= Duration::from_millis(501), "{:?}", free.elapsed());
}

/// A session moves on at each moment at which a pause looks at the clock.
async fn pause_overtaken(kind: Kind) {
    let mut moments = 0;
    loop {
        let (told, left) = (Arc::new(OnceLock::<Move>::new()), Arc::new(AtomicUsize::new(usize::MAX)));
        let (moves, at) = (Arc::clone(&told), Arc::clone(&left));
        let clock: Clock = Arc::new(move || {
            let countdown = |left: usize| (left < usize::MAX).then(|| left.wrapping_sub(1));
            if at.fetch_update(Ordering::SeqCst, Ordering::SeqCst, countdown) == Ok(0) {
                moves.get().unwrap()();
            }
            BEGIN
        });
        let desk = Desk::with(kind, SessionManagerOptions { clock: Some(clock), ..Default::default() }).await;
        desk.build(calc());
        let engine = desk.manager.engine();
        let start = Start { client_id: "me".into(), input: json!({"a": 1, "b": 2}), ..Start::default() };
        let session = id(&engine.start("calc", start).await.unwrap());
        let (store, meant) = (Arc::clone(&desk.store), session.clone());
        let moves: Move = Box::new(move || elsewhere_continued(Arc::clone(&store), meant.clone()));
        assert!(told.set(moves).is_ok());
        left.store(moments, Ordering::SeqCst);
        let reply = engine.pause_at(Some("calc"), None, &session, Some(1)).await.unwrap();
        let moved = left.swap(usize::MAX, Ordering::SeqCst) == usize::MAX;
        let found = desk.manager.get(&session).await.unwrap();
        if !moved {
            assert!(moments > 0, "a pause looks at the clock");
            return assert_eq!(found.status, SessionStatus::Paused, "nobody moved it");
        }
        let stands = format!("Session {session} stands at step 2; it is not paused.");
        assert_eq!((refused(&reply), found.status), (stands.as_str(), SessionStatus::Running));
        moments += 1;
    }
}

type Move = Box<dyn Fn() + Send + Sync>;

/// Another process on the same store runs the next step.
fn elsewhere_continued(store: Arc<dyn WorkflowStore>, session: String) {
    let elsewhere = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let options = SessionManagerOptions { store, ..Default::default() };
            let workflow = calc().build(&SessionManager::new(options)).unwrap();
            workflow.continue_session(&session, None, Value::Null).await.unwrap();
        });
    });
    elsewhere.join().unwrap();
}
