//! Replaying: whatever events come in whatever order, reading them panics never and gives the same session every
//! time; and what the engine holds of a session is always what its events make of it.

use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    ActivityBuilder, ActivityResult, Approval, Approvers, BuiltActivity, Continue, Effect, Engine,
    EngineOptions, InMemoryStore, Limits, Reply, Retry, SessionManager, SessionManagerOptions, Start, Step,
    Steps, Waiting, Wake, Workflow, WorkflowStore,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use std::sync::Arc;
use store::{Claim, SessionLimits, SessionRow, Store};

pub(crate) fn tests() -> Vec<Trial> {
    let sized = |name: &str, test: fn()| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    vec![
        sized("events_in_any_order_are_read_without_panic_and_always_alike", any_order),
        sized("whatever_is_done_to_a_session_its_events_tell_the_same", any_deeds),
    ]
}

fn run<S: Strategy>(cases: u32, strategy: &S, check: impl Fn(S::Value)) {
    // Cases are not kept in files: what failed once becomes a test of its own.
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let ran = TestRunner::new(config).run(strategy, |value| {
        check(value);
        Ok(())
    });
    ran.unwrap();
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// An engine that holds nothing yet, on a store that others use.
pub(crate) fn reader(store: &Store) -> Engine {
    let store = store.clone();
    let (limits, clock, listener, instance) = (Limits::default(), None, None, None);
    Engine::new(EngineOptions { store, kit: None, limits, clock, listener, instance })
}

/// Keeps events as those of a session.
pub(crate) async fn keep(store: &Store, id: &str, events: Vec<String>) {
    let row = SessionRow { definition: "native:w".into(), ..SessionRow::started(id, "w", BEGIN) };
    let room = SessionLimits { most: u64::MAX, finished_before: i64::MIN, evict_open: false, since: None };
    store.sessions().create(row, None, events, room, Claim::Free).await.unwrap();
}

/// Times far from each other, and the ends of their range.
fn time() -> impl Strategy<Value = i64> {
    prop_oneof![BEGIN..BEGIN + 1000, Just(0), Just(i64::MAX), Just(i64::MIN)]
}

fn outcome() -> impl Strategy<Value = Value> {
    (time(), time(), any::<bool>(), any::<bool>(), 0..3_usize).prop_map(
        |(began, ended, ok, optional, which)| {
            let name = ["a", "b", "c"][which];
            let mut one = json!({"activity": name, "began": began, "ended": ended,
            "optional": optional});
            if ok {
                one["data"] = json!({"which": which});
                one["memory"] = json!({"own": which, "gone": null});
            } else {
                one["error"] = json!("nope");
            }
            one
        },
    )
}

/// One event of any kind, with numbers that need not fit anything.
fn event() -> impl Strategy<Value = Value> {
    let numbers = (time(), time(), 0..5_usize, 0..4_usize, 0..25_usize, any::<bool>());
    let outcomes = prop::collection::vec(outcome(), 0..3);
    (numbers, outcomes).prop_map(|((at, other, step, member, kind, flag), outcomes)| match kind {
        0 => json!({"is": "started", "at": at, "workflow": "w", "definition": "native:w", "steps": step,
            "caller": "me", "input": {"q": step}, "timeout": member, "active": flag}),
        1 => json!({"is": "asked", "at": at, "more": member}),
        2 => json!({"is": "given", "at": at, "result": {"r": member}}),
        3 => json!({"is": "chosen", "at": at, "step": step, "tool": "t", "pattern": "a:b"}),
        4 => json!({"is": "passed", "step": step}),
        5 => json!({"is": "held", "at": at, "step": step, "activity": "a", "inputs": vec![json!(1); member],
            "digest": "d", "expires": other}),
        6 => json!({"is": "allowed", "at": at, "step": step, "by": "me"}),
        7 => json!({"is": "awaits", "at": at, "step": step, "activity": "a", "event": "e", "until": other}),
        8 => json!({"is": "came", "at": at, "step": step, "data": {"d": 1}}),
        9 | 10 => json!({"is": "began", "at": at, "step": step, "inputs": vec![json!(1); member], "tries": step}),
        11 if flag => json!({"is": "retried", "at": at, "member": member}),
        11 => json!({"is": "failing", "at": at, "member": member, "attempts": step, "error": "x", "next": other}),
        12 => json!({"is": "nested", "at": at, "member": member, "activity": "a", "session": "s"}),
        13 => json!({"is": "did", "at": at, "member": member,
            "outcome": outcomes.first().cloned().unwrap_or(json!({"activity": "a", "began": at, "ended": other}))}),
        14..=16 => json!({"is": "ended", "step": step, "name": "a", "group": flag, "outcomes": outcomes,
            "error": flag.then_some("nope"), "optional": flag,
            "offers": [{"toolName": "w_continue", "parameters": {"sessionId": "s"}}]}),
        17 => json!({"is": "doubted", "at": at, "step": step, "activity": "a"}),
        18 => json!({"is": "completed", "at": at}),
        19 => json!({"is": "failed", "at": at, "step": step, "error": "x", "undo": vec![member; step]}),
        20 => json!({"is": "cancelled", "at": at, "undo": vec![step; member]}),
        21 => json!({"is": "undone", "began": at, "at": other, "step": step, "member": member, "activity": "a"}),
        22 => json!({"is": "paused", "at": at}),
        23 => json!({"is": "resumed", "at": at}),
        _ => json!({"is": "remembered", "at": at, "changes": {"a": 1, "b": null}}),
    })
}

fn any_order() {
    run(400, &prop::collection::vec(event(), 0..40), |events| {
        block_on(async {
            let store = InMemoryStore::new();
            let texts: Vec<String> = events.iter().map(Value::to_string).collect();
            keep(store.journal(), "s", texts.clone()).await;
            let first = reader(store.journal()).get("s").await.unwrap();
            assert_eq!(reader(store.journal()).get("s").await.unwrap(), first);
            // Read in two halves, with a stop between, it is the same.
            let half = texts.len() / 2;
            keep(store.journal(), "t", texts[..half].to_vec()).await;
            reader(store.journal()).get("t").await.unwrap();
            let row = store.journal().sessions().row("t").await.unwrap().unwrap();
            store
                .journal()
                .sessions()
                .append(row, half as u64, texts[half..].to_vec(), Claim::Free)
                .await
                .unwrap();
            let mut other = reader(store.journal()).get("t").await.unwrap();
            other.session_id.clone_from(&first.session_id);
            assert_eq!(other, first);
        });
    });
}

/// One step of a random workflow.
fn random_step(kind: u8, index: usize) -> Step {
    let name = format!("step{index}");
    let ok = |effect| -> BuiltActivity {
        let run =
            move |_: &mut lockgate_workflow::session::ActivityContext| ActivityResult::success(json!(index));
        ActivityBuilder::new(name.clone()).effect(effect).compute(run).unwrap()
    };
    let fails = || {
        let retry = Retry { max_attempts: 2, backoff_ms: 0, hooks_per_attempt: false };
        ActivityBuilder::new(name.clone()).retry(retry).compute(|_| ActivityResult::failure("x")).unwrap()
    };
    match kind % 9 {
        0 => Step::new(ok(Effect::None)),
        1 => Step::new(ok(Effect::Once)).compensate(tag()),
        2 => Step::new(fails()).optional(),
        3 => Step::new(fails()),
        4 => Step::new(ok(Effect::Once)).when(move |_| index.is_multiple_of(2)),
        5 => {
            Step::parallel([Step::new(ok(Effect::Repeatable)).compensate(tag()), Step::new(bad()).optional()])
        }
        6 => Step::new(ok(Effect::Once)).approve(Approvers::default()),
        7 => Step::new(ok(Effect::None)).wait_for(serde_json::from_value(json!({"event": "e"})).unwrap()),
        _ => Step::parallel([Step::new(ok(Effect::Once)), Step::new(tag())]).optional(),
    }
}

fn random_workflow(kinds: &[u8], manager: &SessionManager) -> Workflow {
    let steps = kinds.iter().enumerate().map(|(index, kind)| random_step(*kind, index));
    steps.fold(Workflow::builder("w"), |builder, step| builder.step(step)).build(manager).unwrap()
}

async fn deed(deed: u8, workflow: &Workflow, id: &str) -> Option<Reply> {
    let manager = workflow.manager();
    let session = Some(id.to_owned());
    let waiting = manager.get(id).await.unwrap().waiting;
    let answer = |allow| match &waiting {
        Some(Waiting::Approval { digest, .. }) => {
            Some(Approval { digest: digest.clone(), allow, ..Approval::default() })
        }
        _ => None,
    };
    let request = Continue { session, ..Continue::default() };
    let done = match deed % 12 {
        0..=2 => workflow.continue_with(request).await,
        3 => workflow.continue_with(Continue { steps: Steps::All, ..request }).await,
        4 => workflow.continue_with(Continue { expected: Some(usize::from(deed) % 4), ..request }).await,
        5 => workflow.continue_with(Continue { approval: answer(deed % 24 < 12), ..request }).await,
        6 => {
            let wake = Wake { event: "e".into(), data: json!({"by": deed}), session: None };
            manager.signal(&wake).await.unwrap();
            return None;
        }
        7 => workflow.pause(id).await,
        8 => workflow.execute_step(id, usize::from(deed) % 5).await,
        9 if deed > 200 => workflow.cancel_and_undo(id).await,
        9 => manager.set_memory(id, "note", json!(deed)).await.map(|()| Reply::text("")),
        10 if deed > 200 => workflow.fail(id, "enough").await,
        10 => workflow.continue_with(Continue { result: Some(json!({"given": deed})), ..request }).await,
        _ if deed > 240 => workflow.complete(id).await,
        _ => workflow.status(id).await,
    };
    done.ok()
}

fn any_deeds() {
    let kinds = prop::collection::vec(any::<u8>(), 1..5);
    let deeds = prop::collection::vec(any::<u8>(), 0..12);
    run(150, &(kinds, deeds), |(kinds, deeds)| {
        block_on(async {
            let store = Arc::new(InMemoryStore::new());
            let open = || {
                let store = Arc::clone(&store) as Arc<dyn WorkflowStore>;
                SessionManager::new(SessionManagerOptions { store, ..SessionManagerOptions::default() })
            };
            let mut workflow = random_workflow(&kinds, &open());
            let start = Start { input: json!({"q": 1}), ..Start::default() };
            workflow.start_with(start).await.unwrap();
            let id = workflow.sessions().await.unwrap().remove(0).session_id;
            for one in deeds {
                let reply = deed(one, &workflow, &id).await;
                assert!(reply.is_none_or(|reply| reply.text != "Internal error"), "{kinds:?}, {one}");
                let held = workflow.manager().get(&id).await.unwrap();
                assert_eq!(reader(store.journal()).get(&id).await.unwrap(), held, "{kinds:?}, {one}");
                if one.is_multiple_of(7) {
                    workflow = random_workflow(&kinds, &open());
                    workflow.manager().recover().await.unwrap();
                }
            }
        });
    });
}
