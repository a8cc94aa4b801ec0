//! Sessions whose journals somebody else keeps: the process may end before every stride, and the session comes to
//! the same end.

use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    ActivityBuilder, ActivityResult, Answer, Approval, Approvers, Clock, Continue, Duty, Effect, Engine,
    Error, Host, InMemoryStore, OnUnknown, Order, Retry, Running, SessionManager, SessionManagerOptions,
    SessionStatus, Start, Step, Steps, Stride, TimeoutScope, Workflow, WorkflowStore,
};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        once("a_session_comes_to_the_same_end_wherever_its_process_ends", ends_everywhere),
        once("a_call_of_several_steps_is_told_of_all_of_them_wherever_its_process_ends", ends_in_one_call),
        once("a_step_that_must_not_be_repeated_is_asked_about", asks),
        once("nothing_is_recorded_past_the_host", nothing_past_the_host),
        paused("a_session_fails_with_the_one_that_runs_it_as_a_step", fails_with_its_parent),
        once("a_pause_that_comes_when_its_step_is_over_is_refused", late_pause),
        once("a_continue_lifts_no_pause_that_came_after_it", late_continue),
        once("an_answer_that_nothing_waits_for_runs_no_step", unasked),
    ]
}

/// Keeps journals in memory, and has the process end before one stride.
#[derive(Default)]
struct Keeper {
    store: Option<Arc<dyn WorkflowStore>>,
    journals: Mutex<HashMap<String, Vec<String>>>,
    process: Mutex<Option<SessionManager>>,
    /// Strides that were made.
    strides: AtomicUsize,
    /// The stride before which the process ends.
    dies: Option<usize>,
    effects: Arc<AtomicUsize>,
    rule: Option<OnUnknown>,
    clock: Option<Clock>,
    /// What is carried out before the next order is.
    first: Mutex<Option<Order>>,
}

impl Keeper {
    fn new(dies: Option<usize>, rule: Option<OnUnknown>) -> Arc<Self> {
        let keeper = Self { store: Some(Arc::new(InMemoryStore::new())), dies, rule, ..Self::default() };
        let keeper = Arc::new(keeper);
        keeper.start();
        keeper
    }

    /// A new process.
    fn start(self: &Arc<Self>) {
        let store = Arc::clone(self.store.as_ref().unwrap());
        let options = SessionManagerOptions { store, clock: self.clock.clone(), ..Default::default() };
        let manager = SessionManager::new(options);
        self.workflow(&manager);
        manager.engine().set_host(Arc::new(Line(Arc::downgrade(self))));
        *self.process.lock().unwrap() = Some(manager);
    }

    fn workflow(&self, manager: &SessionManager) -> Workflow {
        let pure = |name: &str| ActivityBuilder::new(name).effect(Effect::None);
        let first = pure("first").compute(|_| ActivityResult::success(json!({"n": 1}))).unwrap();
        let effects = Arc::clone(&self.effects);
        let charge = ActivityBuilder::new("charge").compute(move |_| {
            effects.fetch_add(1, Ordering::SeqCst);
            ActivityResult::success(json!({"paid": true}))
        });
        let tries = Arc::new(AtomicUsize::new(0));
        let flaky = ActivityBuilder::new("flaky").effect(Effect::Repeatable);
        let flaky = flaky.retry(Retry { max_attempts: 5, backoff_ms: 1, hooks_per_attempt: false });
        let flaky = flaky.compute(move |_| match tries.fetch_add(1, Ordering::SeqCst) {
            0 => ActivityResult::failure("not yet"),
            _ => ActivityResult::success(json!({"there": true})),
        });
        let last = pure("last").compute(|_| ActivityResult::success(json!({"end": true}))).unwrap();
        let charge = Step::new(charge.unwrap());
        let charge = match self.rule {
            Some(rule) => charge.on_unknown(rule),
            None => charge,
        };
        let workflow = Workflow::builder("w").description("w").step(Step::new(first)).step(charge);
        workflow.step(Step::new(flaky.unwrap())).step(Step::new(last)).build(manager).unwrap()
    }

    fn engine(&self) -> Engine {
        self.process.lock().unwrap().as_ref().unwrap().engine().clone()
    }

    async fn carry(self: Arc<Self>, session: String, name: String, order: Order) -> Answer {
        let journal = self.journals.lock().unwrap().get(&session).cloned().unwrap_or_default();
        let (invocation, before) = (name.clone(), journal.len());
        let mut duty = Duty { session, invocation, name, order, journal, before, stride: 0 };
        loop {
            if self.dies == Some(self.strides.fetch_add(1, Ordering::SeqCst)) {
                self.start();
            }
            match self.engine().stride(&duty).await.unwrap() {
                Stride::Keep(events) => {
                    duty.journal.extend(events);
                    duty.stride += 1;
                    let kept = duty.journal.clone();
                    self.journals.lock().unwrap().insert(duty.session.clone(), kept);
                }
                Stride::Over(over) => {
                    self.engine().close_turn(&duty.session, &duty.invocation);
                    return over.answer;
                }
            }
        }
    }
}

/// The way to the keeper, who holds the engine that holds this.
struct Line(std::sync::Weak<Keeper>);

impl Host for Line {
    fn ask<'a>(
        &'a self,
        session: &'a str,
        name: &'a str,
        order: Order,
    ) -> Running<'a, Result<Answer, String>> {
        Box::pin(async move {
            let keeper = self.0.upgrade().ok_or("gone")?;
            let first = keeper.first.lock().unwrap().take();
            if let Some(first) = first {
                Arc::clone(&keeper).carry(session.to_owned(), "first".into(), first).await;
            }
            Ok(keeper.carry(session.to_owned(), name.to_owned(), order).await)
        })
    }

    fn post<'a>(&'a self, _: &'a str, _: Order) -> Running<'a, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }
}

/// Runs a session to its end, however often it must be continued; gives its memory and its history.
async fn told(keeper: &Arc<Keeper>) -> (Value, Vec<(usize, bool)>) {
    let start = Start { client_id: "me".into(), input: json!({}), ..Default::default() };
    let reply = keeper.engine().start("w", start).await.unwrap();
    let id = reply.structured.unwrap()["sessionId"].as_str().unwrap().to_owned();
    for step in 1..4 {
        let request = Continue { session: Some(id.clone()), expected: Some(step), ..Default::default() };
        let reply = keeper.engine().proceed("w", request.clone()).await.unwrap();
        assert!(!reply.is_error, "{reply:?}");
        let again = keeper.engine().proceed("w", request).await.unwrap();
        assert_eq!(again, reply, "the recorded reply");
    }
    let session = keeper.engine().get(&id).await.unwrap();
    let kept = keeper.journals.lock().unwrap()[&id].clone();
    let copied = keeper.engine().copied(&id).await.unwrap().unwrap();
    assert_eq!(copied, kept, "the store has what the host has");
    let history = session.history.iter().map(|one| (one.step_index, one.success)).collect();
    (json!(session.memory), history)
}

async fn ends_everywhere() {
    let undisturbed = Keeper::new(None, Some(OnUnknown::Retry));
    let expected = told(&undisturbed).await;
    assert_eq!(undisturbed.effects.load(Ordering::SeqCst), 1);
    for dies in 0..undisturbed.strides.load(Ordering::SeqCst) {
        let keeper = Keeper::new(Some(dies), Some(OnUnknown::Retry));
        assert_eq!(told(&keeper).await, expected, "the process ends before stride {dies}");
    }
}

/// Runs a session to its end in two calls; gives their replies, without what is another each time.
async fn told_at_once(keeper: &Arc<Keeper>) -> [Value; 2] {
    let steps = Steps::Most(2);
    let start = Start { client_id: "me".into(), input: json!({}), steps, ..Default::default() };
    let first = keeper.engine().start("w", start).await.unwrap();
    let session = Some(id(&first));
    let request = Continue { session, expected: Some(2), steps: Steps::All, ..Default::default() };
    let last = keeper.engine().proceed("w", request.clone()).await.unwrap();
    assert_eq!(keeper.engine().proceed("w", request).await.unwrap(), last, "the recorded reply");
    [first, last].map(|reply| {
        let all = structured(&reply);
        json!([all["stepResult"], all["nextActivity"], all["results"], all["earlierSteps"]])
    })
}

async fn ends_in_one_call() {
    let undisturbed = Keeper::new(None, Some(OnUnknown::Retry));
    let expected = told_at_once(&undisturbed).await;
    assert_eq!([0, 1].map(|call| expected[call][3].as_array().unwrap().len()), [1, 1]);
    for dies in 0..undisturbed.strides.load(Ordering::SeqCst) {
        let keeper = Keeper::new(Some(dies), Some(OnUnknown::Retry));
        assert_eq!(told_at_once(&keeper).await, expected, "the process ends before stride {dies}");
    }
}

async fn asks() {
    let mut asked = 0;
    for dies in 0..8 {
        let keeper = Keeper::new(Some(dies), None);
        let start = Start { client_id: "me".into(), input: json!({}), ..Default::default() };
        let reply = keeper.engine().start("w", start).await.unwrap();
        let id = reply.structured.unwrap()["sessionId"].as_str().unwrap().to_owned();
        // It does not say which step it means, and must run one at most.
        let request = Continue { session: Some(id.clone()), ..Default::default() };
        keeper.engine().proceed("w", request).await.unwrap();
        let session = keeper.engine().get(&id).await.unwrap();
        let effects = keeper.effects.load(Ordering::SeqCst);
        match session.waiting {
            Some(_) => asked += 1,
            None => assert_eq!((session.current_step, effects), (1, 1), "before stride {dies}"),
        }
        assert!(effects <= 1, "before stride {dies}");
    }
    assert_eq!(asked, 1, "only the stride in which the step runs leaves it in doubt");
}

async fn fails_with_its_parent() {
    let keeper = Arc::new(Keeper {
        store: Some(Arc::new(InMemoryStore::new())),
        clock: Some(paused_clock()),
        ..Keeper::default()
    });
    keeper.start();
    {
        let manager = keeper.process.lock().unwrap();
        let manager = manager.as_ref().unwrap();
        let approved = Step::new(tag()).approve(Approvers::default());
        Workflow::builder("inner").step(approved).build(manager).unwrap();
        let outer = Workflow::builder("outer").timeout(Duration::from_secs(60), TimeoutScope::Wall);
        outer.step(Step::new(manager.workflow_activity("child", "inner"))).build(manager).unwrap();
    }
    let start = Start { client_id: "me".into(), input: json!({}), ..Default::default() };
    let reply = keeper.engine().start("outer", start).await.unwrap();
    let child = structured(&reply)["waiting"]["sessionId"].as_str().unwrap().to_owned();
    tokio::time::sleep(Duration::from_secs(61)).await;
    Arc::clone(&keeper).carry(id(&reply), "timer".into(), Order::Look).await;
    let ended = async {
        loop {
            let child = keeper.engine().get(&child).await.unwrap();
            if !child.status.is_open() {
                return child;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let child = tokio::time::timeout(Duration::from_secs(60), ended).await.expect("it ends with its parent");
    let error = child.error.as_deref();
    assert_eq!((child.status, error), (SessionStatus::Failed, Some("Workflow timeout exceeded (60000ms)")));
}

async fn nothing_past_the_host() {
    let manager = SessionManager::default();
    let first = ActivityBuilder::new("first").effect(Effect::None);
    let first = first.compute(|_| ActivityResult::success(json!({}))).unwrap();
    Workflow::builder("w").description("w").step(Step::new(first)).build(&manager).unwrap();
    manager.engine().expect_host();
    let start = Start { client_id: "me".into(), input: json!({}), ..Default::default() };
    let refused = manager.engine().start("w", start.clone()).await.unwrap_err();
    assert!(matches!(refused, Error::Away(_)), "{refused}");
    assert!(manager.engine().create("w", start).await.is_err());
    assert_eq!(manager.engine().stats().await.unwrap().total, 0);
}

async fn late_pause() {
    let keeper = Keeper::new(None, None);
    let start = Start { client_id: "me".into(), input: json!({}), ..Default::default() };
    let id = id(&keeper.engine().start("w", start).await.unwrap());
    let request = Continue { session: Some(id.clone()), ..Default::default() };
    let first = Order::Continue { workflow: "w".into(), request: Box::new(request) };
    *keeper.first.lock().unwrap() = Some(first);
    let late = keeper.engine().pause_at(Some("w"), None, &id, Some(1)).await.unwrap();
    assert_eq!(refused(&late), format!("Session {id} stands at step 2; it is not paused."));
    assert_eq!(keeper.engine().get(&id).await.unwrap().status, SessionStatus::Running);
    let held = keeper.engine().pause_at(Some("w"), None, &id, Some(2)).await.unwrap();
    assert_eq!(held.text, format!("Workflow w with session ID {id} has been paused."));
}

async fn late_continue() {
    let keeper = Keeper::new(None, None);
    let start = Start { client_id: "me".into(), input: json!({}), ..Default::default() };
    let id = id(&keeper.engine().start("w", start).await.unwrap());
    let request = Continue { session: Some(id.clone()), expected: Some(1), ..Default::default() };
    // The continue has come, and the pause is carried out before it.
    *keeper.first.lock().unwrap() = Some(Order::Pause { step: None });
    let late = keeper.engine().proceed("w", request.clone()).await.unwrap();
    assert_eq!(refused(&late), format!("Session {id} stands at step 1; it was paused after this call came."));
    assert_eq!(keeper.engine().get(&id).await.unwrap().status, SessionStatus::Paused);
    assert_eq!(keeper.effects.load(Ordering::SeqCst), 0);
    let next = keeper.engine().proceed("w", request).await.unwrap();
    assert!(!next.is_error, "{next:?}");
    assert_eq!(keeper.engine().get(&id).await.unwrap().status, SessionStatus::Running);
}

async fn unasked() {
    let keeper = Keeper::new(None, None);
    let start = Start { client_id: "me".into(), input: json!({}), ..Default::default() };
    let id = id(&keeper.engine().start("w", start).await.unwrap());
    let approval = Approval { digest: "of nobody".into(), allow: false, ..Approval::default() };
    let answers = [
        ("approval", Continue { approval: Some(approval), ..Default::default() }),
        ("resolve", Continue { resolve: Some("compensate".into()), ..Default::default() }),
        ("resolve", Continue { resolve: Some("done".into()), expected: Some(1), ..Default::default() }),
    ];
    for (name, answer) in answers {
        let request = Continue { session: Some(id.clone()), ..answer };
        let reply = keeper.engine().proceed("w", request).await.unwrap();
        let refusal = format!("Session {id} stands at step 1; nothing there waits for an answer ({name}).");
        assert_eq!(refused(&reply), refusal);
    }
    assert_eq!(keeper.effects.load(Ordering::SeqCst), 0);
}
