//! The same call at several instances at once.

use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    ActivityBuilder, ActivityContext, ActivityResult, BuiltActivity, SessionManager, SessionManagerOptions,
    Start, Step, Workflow,
};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) fn tests() -> Vec<Trial> {
    on_all("instances_that_are_sent_one_start_answer_alike", starts_everywhere).into()
}

/// An activity that counts its runs, whoever makes them.
fn counted(runs: &Arc<AtomicUsize>) -> BuiltActivity {
    let runs = Arc::clone(runs);
    let run = move |_: &mut ActivityContext| {
        ActivityResult::success(json!({"run": runs.fetch_add(1, Ordering::SeqCst) + 1}))
    };
    ActivityBuilder::new("a").compute(run).unwrap()
}

async fn starts_everywhere(kind: Kind) {
    let runs = Arc::new(AtomicUsize::new(0));
    let desk = Desk::open(kind).await;
    let steps = || Workflow::builder("w").step(Step::new(counted(&runs))).step(Step::new(tag()));
    let instances: Vec<Workflow> = (0..3)
        .map(|_| {
            let store = Arc::clone(&desk.store);
            let manager = SessionManager::new(SessionManagerOptions { store, ..Default::default() });
            steps().build(&manager).unwrap()
        })
        .collect();
    for round in 1..=20 {
        let start = || Start { client_id: "me".into(), key: Some(format!("k{round}")), ..Start::default() };
        let starts: Vec<_> = (0..12)
            .map(|at| {
                let workflow = instances[at % 3].clone();
                let start = start();
                tokio::spawn(async move { workflow.start_with(start).await.unwrap() })
            })
            .collect();
        let mut replies = Vec::new();
        for started in starts {
            replies.push(started.await.unwrap());
        }
        assert_eq!(said(&replies[0])["result"], json!({"run": round}));
        assert!(replies.iter().all(|reply| *reply == replies[0]), "{replies:#?}");
    }
}
