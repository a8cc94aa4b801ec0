//! Steps that the timeout of their workflow cuts short.

use crate::races::sleeping;
use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    ActivityBuilder, ActivityResult, BuiltActivity, Continue, Effect, SessionStatus, Step, TimeoutScope,
    Workflow,
};
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        paused("a_step_that_the_time_of_the_whole_cuts_short_leaves_its_trace", traced),
        paused("members_of_a_group_that_had_ended_stay_so_when_time_runs_out", traced_group),
    ]
}

/// An activity that takes so long, and notes which of its callbacks were called with what.
fn telling(name: &'static str, ms: u64, effect: Effect, told: &Arc<Mutex<Vec<String>>>) -> BuiltActivity {
    let note = |word: &'static str| {
        let told = Arc::clone(told);
        move |result: &ActivityResult| {
            let error = result.error.as_deref().unwrap_or("fine");
            assert!(result.metadata.contains_key("executionTimeMs"), "{result:?}");
            told.lock().unwrap().push(format!("{name} {word}: {error}"));
        }
    };
    let (failure, complete) = (note("onFailure"), note("onComplete"));
    let activity = ActivityBuilder::new(name)
        .effect(effect)
        .on_failure(move |_, result| {
            failure(result);
            Box::pin(std::future::ready(Ok(())))
        })
        .on_complete(move |_, result| {
            complete(result);
            Box::pin(std::future::ready(Ok(())))
        });
    let run = activity.run(move |_| {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            ActivityResult::success(json!({}))
        })
    });
    run.unwrap()
}

async fn traced() {
    let error = "Workflow timeout exceeded (2000ms)";
    for (effect, ms, optional) in
        [(Effect::None, 600_000, false), (Effect::Once, 600_000, false), (Effect::None, 1900, true)]
    {
        let desk = timed().await;
        let told = Arc::new(Mutex::new(Vec::new()));
        let over = Arc::clone(&told);
        let mut step = Step::new(telling("long", ms, effect, &told));
        if optional {
            step = step.optional();
        }
        let steps = Workflow::builder("w").timeout(Duration::from_secs(2), TimeoutScope::Wall);
        let steps =
            steps.step(Step::new(sleeping("a", 200, Effect::None))).step(step).on_failure(move |error, _| {
                over.lock().unwrap().push(format!("w onFailure: {error}"));
                Box::pin(std::future::ready(Ok(())))
            });
        let workflow = desk.build(steps.step(Step::new(tag())));
        let session = id(&workflow.start(json!({})).await.unwrap());
        let again = || Continue { expected: Some(1), session: Some(session.clone()), ..Continue::default() };
        let reply = desk.manager.engine().proceed("w", again()).await.unwrap();
        let words = format!("Workflow failed at step 1 (long): {error}");
        assert_eq!(refused(&reply), words);
        assert_eq!(
            *told.lock().unwrap(),
            [
                format!("long onFailure: {error}"),
                format!("long onComplete: {error}"),
                format!("w onFailure: {error}")
            ]
        );
        let found = desk.manager.get(&session).await.unwrap();
        assert_eq!((found.status, found.current_step, found.running), (SessionStatus::Failed, 1, None));
        let last = found.history.last().unwrap();
        assert_eq!((last.step_index, last.activity_name.as_str(), last.success), (1, "long", false));
        assert_eq!(last.error.as_deref(), Some(error));
        assert_eq!((last.started_at, last.completed_at), (BEGIN + 200, BEGIN + 2000));
        let repeated = desk.manager.engine().proceed("w", again()).await.unwrap();
        assert_eq!(refused(&repeated), words, "the recorded reply");
    }
}

async fn traced_group() {
    for effect in [Effect::None, Effect::Once] {
        let desk = timed().await;
        let told = Arc::new(Mutex::new(Vec::new()));
        let member = |name, ms| Step::new(telling(name, ms, effect, &told));
        let steps = Workflow::builder("w").timeout(Duration::from_secs(2), TimeoutScope::Wall);
        let group = Step::parallel([member("quick", 100), member("long", 600_000)]);
        let workflow = desk.build(steps.step(group));
        workflow.start(json!({})).await.unwrap();
        let sessions = desk.manager.sessions_of("w").await.unwrap();
        let error = "Workflow timeout exceeded (2000ms)";
        let expected = ["quick onComplete: fine", "long onFailure: ", "long onComplete: "];
        let expected =
            expected.map(|one| if one.ends_with(' ') { format!("{one}{error}") } else { one.into() });
        assert_eq!(*told.lock().unwrap(), expected, "{effect:?}");
        let history: Vec<_> = sessions[0]
            .history
            .iter()
            .map(|one| (one.activity_name.as_str(), one.error.as_deref()))
            .collect();
        assert_eq!(history, [("quick", None), ("long", Some(error))], "{effect:?}");
    }
}
