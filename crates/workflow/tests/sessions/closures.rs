//! What closures of the library's user may do: change what a step runs with, and panic.

use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    Activity, ActivityBuilder, ActivityContext, ActivityResult, Branch, Effect, Running, SessionStatus, Step,
    Workflow,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

pub(crate) fn tests() -> Vec<Trial> {
    let mut all = vec![
        once("a_callback_of_an_activity_that_panics_is_a_throw", callbacks),
        once("a_callback_of_a_workflow_that_panics_changes_nothing", ends),
        once("a_condition_that_panics_fails_the_session", conditions),
        once("a_mapper_that_panics_leaves_the_others_of_its_group_recorded", group),
        once("a_middleware_that_panics_fails_the_session", panics),
    ];
    all.extend(on_all("what_middleware_changes_reaches_the_activity", changes));
    all
}

type Told = Running<'static, Result<(), String>>;

fn told() -> Told {
    Box::pin(std::future::ready(Ok(())))
}

/// Notes what it is given, in order.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn add(&self, note: impl Into<String>) -> Told {
        self.0.lock().unwrap().push(note.into());
        told()
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

async fn callbacks() {
    let notes = Notes::default();
    let (failed, completed) = (notes.clone(), notes.clone());
    let activity = ActivityBuilder::new("a")
        .effect(Effect::Once)
        .on_success(|_, _| panic!("as it should"))
        .on_failure(move |_, result| failed.add(result.message()))
        .on_complete(move |_, _| {
            drop(completed.add("complete"));
            panic!("as it should")
        })
        .compute(|_| ActivityResult::success(json!(1)))
        .unwrap();
    let words = "onSuccess panicked; the log says where";
    let mut context = ActivityContext::standalone(None, 0);
    let result = activity.execute(&mut context).await;
    assert_eq!((result.success, result.message()), (false, words));
    assert_eq!(notes.all(), [words, "complete"]);
    let desk = Desk::open(Kind::Memory).await;
    let workflow = desk.build(Workflow::builder("w").step(Step::new(activity)));
    let reply = workflow.start(json!({})).await.unwrap();
    assert_eq!(refused(&reply), format!("Workflow failed at step 0 (a): {words}"));
    assert_eq!(workflow.sessions().await.unwrap()[0].status, SessionStatus::Failed);
}

async fn ends() {
    let desk = Desk::open(Kind::Memory).await;
    let notes = Notes::default();
    let completed = notes.clone();
    let builder = Workflow::builder("w")
        .step(Step::new(tag()))
        .on_success(|_, _| panic!("as it should"))
        .on_complete(move |status, _| completed.add(status));
    let reply = desk.build(builder).start(json!({})).await.unwrap();
    assert_eq!(structured(&reply)["status"], "completed");
    assert_eq!(notes.all(), ["completed"]);
}

async fn conditions() {
    let desk = Desk::open(Kind::Memory).await;
    let step = Step::new(tag()).when(|_| panic!("as it should"));
    let workflow = desk.build(Workflow::builder("w").step(step));
    let reply = workflow.start(json!({})).await.unwrap();
    assert_eq!(refused(&reply), "Workflow failed at step 0 (tag): A function panicked; the log says where");
    assert_eq!(workflow.sessions().await.unwrap()[0].status, SessionStatus::Failed);
    let mapped = Step::new(tag()).map_input(|_| panic!("as it should")).optional();
    let branched = Step::new(tag()).branch(Branch::when(|_| panic!("as it should"), "other"));
    let workflow = desk.build(Workflow::builder("v").step(mapped).step(branched).step(Step::new(tag())));
    let reply = workflow.start(json!({})).await.unwrap();
    assert_eq!(structured(&reply)["stepError"], "A function panicked; the log says where");
    let reply = workflow.continue_session(&id(&reply), None, Value::Null).await.unwrap();
    assert_eq!(structured(&reply)["nextStepOptions"].as_array().unwrap().len(), 1, "{reply:?}");
}

/// What has an effect is in the store before it runs, also beside a member that cannot.
async fn group() {
    let desk = Desk::open(Kind::Memory).await;
    let (manager, notes) = (desk.manager.clone(), Notes::default());
    let seen = notes.clone();
    let left = ActivityBuilder::new("left").effect(Effect::Once).run(move |context| {
        let (manager, seen, session) = (manager.clone(), seen.clone(), context.session_id.clone());
        Box::pin(async move {
            let begun = manager.get(&session).await.unwrap().running.is_some();
            drop(seen.add(if begun { "begun" } else { "not recorded" }));
            ActivityResult::success(json!("done"))
        })
    });
    let right = Step::new(tag()).map_input(|_| panic!("as it should")).optional();
    let group = Step::parallel([Step::new(left.unwrap()), right]);
    let workflow = desk.build(Workflow::builder("w").step(group).step(Step::new(tag())));
    let reply = workflow.start(json!({})).await.unwrap();
    assert_eq!(structured(&reply)["stepResult"], json!({"left": "done"}), "{reply:?}");
    assert_eq!(notes.all(), ["begun"]);
    let session = desk.manager.get(&id(&reply)).await.unwrap();
    let history: Vec<_> =
        session.history.iter().map(|one| (one.activity_name.as_str(), one.success)).collect();
    assert_eq!(history, [("left", true), ("tag", false)]);
}

async fn panics() {
    let desk = Desk::open(Kind::Memory).await;
    let workflow = desk.build(calc().with_middleware(|_| panic!("as it should")));
    let reply = workflow.start(json!({"a": 1, "b": 2})).await.unwrap();
    assert_eq!(refused(&reply), "Workflow failed at step 0 (add): A middleware panicked; the log says where");
}

async fn changes(kind: Kind) {
    let desk = Desk::open(kind).await;
    let seen = |name: &str, effect: Effect| {
        let activity = ActivityBuilder::new(name).effect(effect);
        let seen = |context: &mut ActivityContext| {
            let known = context.memory.get("visits").cloned();
            ActivityResult::success(json!({"input": context.input, "visits": known}))
        };
        Step::new(activity.compute(seen).unwrap())
    };
    let group = Step::parallel([seen("left", Effect::Once), seen("right", Effect::None)]);
    let builder = Workflow::builder("w")
        .step(seen("first", Effect::None))
        .step(group)
        .step(seen("last", Effect::Once))
        .with_middleware(|context| {
            let visits = context.memory.get("visits").and_then(Value::as_i64).unwrap_or(0) + 1;
            context.memory.set("visits", json!(visits));
            context.input = Some(json!({"visit": visits}));
            told()
        });
    let workflow = desk.build(builder);
    let session = id(&workflow.start(json!({"a": 1})).await.unwrap());
    let reply = workflow.run_on(&session).await.unwrap();
    let results = structured(&reply)["results"].clone();
    for (name, visit, visits) in [("first", 1, 1), ("left", 2, 3), ("right", 3, 3), ("last", 4, 4)] {
        assert_eq!(results[name], json!({"input": {"visit": visit}, "visits": visits}), "{name}");
    }
    assert_eq!(results["visits"], 4);
    let again = desk.restart().await;
    assert_eq!(again.manager.get_memory(&session, "visits").await.unwrap(), Some(json!(4)));
}
