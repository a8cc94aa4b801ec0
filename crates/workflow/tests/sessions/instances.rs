//! Several instances on one store: the same call at all of them, and what one does for a session that another holds.

use crate::nested::{Undone, after, go, over, undone_in_turn, until};
use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    ActivityBuilder, ActivityContext, ActivityResult, Approval, Approvers, BuiltActivity, Continue,
    SessionManager, SessionManagerOptions, Start, Step, Waiting, Workflow,
};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub(crate) fn tests() -> Vec<Trial> {
    let mut all = Vec::from(on_all("instances_that_are_sent_one_start_answer_alike", starts_everywhere));
    all.extend(on_all("an_answer_reaches_a_question_that_another_instance_asked", asked_elsewhere));
    all.push(paused(
        "a_session_held_elsewhere_goes_on_when_the_one_that_it_runs_is_undone_here",
        undone_elsewhere,
    ));
    all
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

async fn asked_elsewhere(kind: Kind) {
    let desk = Desk::open(kind).await;
    let steps = || {
        let asks = Step::new(tag()).approve(Approvers::default());
        Workflow::builder("w").step(Step::new(tag())).step(asks)
    };
    let options = SessionManagerOptions { store: Arc::clone(&desk.store), ..Default::default() };
    let (here, there) =
        (steps().build(&SessionManager::new(options)).unwrap(), steps().build(&desk.manager).unwrap());
    let session = id(&here.start(json!({})).await.unwrap());
    let reply = there.continue_session(&session, None, json!({})).await.unwrap();
    assert_eq!(structured(&reply)["status"], "waiting");
    let asked = there.sessions().await.unwrap()[0].waiting.clone();
    let Some(Waiting::Approval { digest, .. }) = asked else { panic!("{asked:?}") };
    let approval = Some(Approval { digest, allow: true, ..Approval::default() });
    // As far as the first instance knows, the session stands before that step and waits for nobody.
    let answer = Continue { session: Some(session), expected: Some(1), approval, ..Continue::default() };
    let reply = here.continue_with(answer).await.unwrap();
    assert_eq!(structured(&reply)["status"], "completed", "{}", reply.text);
}

async fn undone_elsewhere() {
    let (desk, told) = (timed().await, Undone::default());
    let (_, outer) = undone_in_turn(&desk.manager, &told);
    let session = id(&outer.start(json!({})).await.unwrap());
    outer.continue_session(&session, None, json!({})).await.unwrap();
    outer.cancel_and_undo(&session).await.unwrap();
    // The process dies, another instance takes up what it left, and a third one ends what the inner session waits for.
    let one = after(&desk).await;
    let (inner, outer) = undone_in_turn(&one, &told);
    one.recover().await.unwrap();
    let child = until(&inner, |session| session.waiting.is_some()).await.session_id;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let clock = Some(paused_clock());
    let options = SessionManagerOptions { store: Arc::clone(&desk.store), clock, ..Default::default() };
    let other = SessionManager::new(options);
    undone_in_turn(&other, &told);
    go(&other).await;
    until(&inner, over).await;
    // The third instance says over the bus what has ended.
    one.engine().nudge(&child);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(over(&until(&outer, |_| true).await), "nobody waits for the end of a lease");
    assert_eq!(*told.lock().unwrap(), ["inside", "outside"]);
}
