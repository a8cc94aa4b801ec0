//! Values with many levels of nesting: what could not be read again is refused before it is recorded.

use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    ActivityResult, BranchOption, Step, StepExecution, Wake, Workflow, WorkflowSession,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(crate) fn tests() -> Vec<Trial> {
    let mut all = vec![once("what_a_middleware_gives_can_be_kept", deep_middleware)];
    all.extend(on_all("what_is_nested_too_deeply_is_refused_and_changes_nothing", too_deep));
    all
}

/// A value with so many levels of nesting.
fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| json!([inner]))
}

async fn too_deep(kind: Kind) {
    let desk = Desk::open(kind).await;
    let wait = serde_json::from_value(json!({"event": "e"})).unwrap();
    let waits = Workflow::builder("w").step(Step::new(tag())).step(Step::new(tag()).wait_for(wait));
    let workflow = desk.build(waits.step(Step::new(tag())));
    let session = id(&workflow.start(nested(97)).await.unwrap());
    let before = desk.manager.get(&session).await.unwrap();
    let parameters = Map::from_iter([("a".to_owned(), nested(101))]);
    let option = BranchOption { tool_name: "t".into(), parameters, ..BranchOption::default() };
    let step = StepExecution { branch_options: Some(vec![option]), ..StepExecution::default() };
    let memory = Arc::new(Map::from_iter([("m".to_owned(), nested(101))]));
    let kept = WorkflowSession { session_id: "kept".into(), memory, ..WorkflowSession::default() };
    let wake = Wake { event: "e".into(), data: nested(101), session: None };
    let refused = [
        workflow.start(nested(101)).await.err(),
        desk.manager.create("w", nested(101)).await.err(),
        workflow.continue_session(&session, Some(nested(101)), Value::Null).await.err(),
        workflow.continue_session(&session, None, json!({"a": nested(100)})).await.err(),
        desk.manager.set_memory(&session, "m", nested(101)).await.err(),
        desk.manager.record_step(&session, step).await.err(),
        desk.manager.signal(&wake).await.err(),
        desk.store.create_session(&kept).await.err(),
    ];
    let said = refused.map(|error| error.map(|error| error.to_string()));
    let all =
        [(); 8].map(|()| Some("What is given is nested too deeply; 100 levels are the most".to_owned()));
    assert_eq!(said, all);
    assert_eq!(desk.manager.get(&session).await.unwrap(), before);
    assert_eq!(desk.manager.stats().await.unwrap().total, 1);
    let arguments = json!({"a": nested(99)});
    workflow.continue_session(&session, Some(nested(100)), arguments).await.unwrap();
    desk.manager.set_memory(&session, "m", nested(100)).await.unwrap();
    let desk = desk.restart().await;
    assert_eq!(desk.manager.get_memory(&session, "m").await.unwrap(), Some(nested(100)));
}

async fn deep_middleware() {
    let says = async |input: usize, memory: usize| {
        let desk = Desk::open(Kind::Memory).await;
        let gives = Workflow::builder("w").step(Step::new(pure("a", |_| ActivityResult::success(json!({})))));
        let workflow = desk.build(gives.step(Step::new(tag())).with_middleware(move |context| {
            context.input = Some(nested(input));
            context.memory.set("m", nested(memory));
            Box::pin(std::future::ready(Ok(())))
        }));
        let reply = workflow.start(json!({})).await.unwrap();
        (reply.is_error, reply.text)
    };
    const SAID: &str = "Workflow failed at step 0 (a): What a middleware gives is nested too deeply; 100 levels are the most";
    for (input, memory) in [(101, 1), (1, 101)] {
        assert_eq!(says(input, memory).await, (true, SAID.to_owned()));
    }
    assert!(!says(100, 100).await.0);
}
