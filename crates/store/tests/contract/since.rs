//! The promises of changes that were decided upon other definitions: they are done while those are as they were.

use lockgate_store::{Counts, Error, Store, StoredActivity, StoredSchedule};
use model::{Hook, HookDraft, Workflow, WorkflowDraft};
use serde_json::json;

fn hook(id: &str) -> Hook {
    let body = json!({"name": id, "hookType": "pre", "script": "return"});
    Hook::new(id.into(), HookDraft::parse(&body).expect("a draft"), 0.into(), 1)
}

fn workflow(id: &str) -> Workflow {
    let body = json!({
        "name": id, "workflowType": "tools/call", "edges": [],
        "nodes": [{"id": "s", "type": "start"}, {"id": "e", "type": "end"}],
    });
    let draft = WorkflowDraft::parse(&body.to_string(), &["start", "end"]).expect("a draft");
    Workflow::new(id.into(), draft, 5)
}

fn activity(name: &str) -> StoredActivity {
    StoredActivity { name: name.into(), body: "{}".into(), revision: 1, created_at: 1, updated_at: 1 }
}

fn schedule(id: &str) -> StoredSchedule {
    let (id, workflow, body) = (id.into(), "w".into(), "{}".into());
    StoredSchedule {
        id,
        workflow,
        body,
        next: Some(5),
        paused: false,
        created_at: 1,
        updated_at: 1,
        refused: None,
    }
}

async fn now(store: &Store) -> Counts {
    store.marks().read().await.expect("read")
}

/// Every change that depends on others, one after the other, each decided upon what `since` says. The first is done at
/// the definition `old`, which is there; others make the definition `new`.
async fn changes(store: &Store, old: &str, new: &str, since: Option<Counts>) -> Vec<Result<(), Error>> {
    let at = async || match since {
        Some(since) => since,
        None => now(store).await,
    };
    vec![
        store.hooks().since(at().await).add(vec![hook(new)]).await,
        store.hooks().since(at().await).replace(vec![hook(old)]).await,
        store.hooks().since(at().await).remove(old).await.map(|gone| assert!(gone)),
        store.workflows().since(at().await).add(workflow(new)).await,
        store.workflows().since(at().await).replace(workflow(old)).await,
        store.workflows().since(at().await).remove(old).await.map(|gone| assert!(gone)),
        store.activities().since(at().await).put(activity(new), None).await.map(|done| assert!(done)),
        store.activities().since(at().await).put(activity(old), Some(1)).await.map(|done| assert!(done)),
        store.activities().since(at().await).delete(old).await.map(|gone| assert!(gone)),
        store.schedules().since(at().await).put(schedule(new)).await,
        store.schedules().since(at().await).delete(old).await.map(|gone| assert!(gone)),
    ]
}

/// One definition of each kind.
async fn fill(store: &Store, id: &str) {
    store.hooks().add(vec![hook(id)]).await.expect("added");
    store.workflows().add(workflow(id)).await.expect("added");
    store.activities().put(activity(id), None).await.expect("added");
    store.schedules().put(schedule(id)).await.expect("added");
}

/// Everything that is kept.
async fn kept(store: &Store) -> String {
    let hooks = store.hooks().list().await.expect("a list");
    let workflows = store.workflows().list().await.expect("a list");
    let activities = store.activities().list().await.expect("a list");
    let schedules = store.schedules().list().await.expect("a list");
    format!("{hooks:?} {workflows:?} {activities:?} {schedules:?}")
}

async fn a_change_is_done_while_what_it_was_decided_upon_is_as_it_was(store: Store) {
    fill(&store, "old").await;
    let seen = now(&store).await;
    // These are named by no definition of the others.
    let entry = serde_json::from_value(json!({"name": "s", "command": "true"})).expect("an entry");
    store.servers().add(entry).await.expect("added");
    store.schedules().advance("old", 5, Some(6), None).await.expect("moved");
    store.hooks().since(seen).replace(vec![hook("old")]).await.expect("done");
    for done in changes(&store, "old", "new", None).await {
        done.expect("done");
    }
}

async fn a_change_is_refused_whole_when_what_it_was_decided_upon_has_moved(store: Store) {
    fill(&store, "old").await;
    let mut seen = now(&store).await;
    for step in 0..4 {
        let more = format!("more{step}");
        match step {
            0 => store.hooks().add(vec![hook(&more)]).await.expect("added"),
            1 => store.workflows().add(workflow(&more)).await.expect("added"),
            2 => assert!(store.activities().put(activity(&more), None).await.expect("added")),
            _ => store.schedules().put(schedule(&more)).await.expect("added"),
        }
        let before = kept(&store).await;
        let at = now(&store).await;
        for refused in changes(&store, "old", "new", Some(seen)).await {
            assert!(matches!(refused, Err(Error::Moved)), "step {step}: {refused:?}");
        }
        assert_eq!(kept(&store).await, before);
        assert_eq!(now(&store).await, at, "a change that is refused is not counted");
        seen = at;
    }
    // That there is nothing to be changed, or the name is taken, is only said of what is known.
    store.hooks().add(vec![hook("other")]).await.expect("added");
    let refused = store.hooks().since(seen).add(vec![hook("other")]).await;
    assert!(matches!(refused, Err(Error::Moved)), "{refused:?}");
    let refused = store.activities().since(seen).delete("nobody").await;
    assert!(matches!(refused, Err(Error::Moved)), "{refused:?}");
}

async fn of_changes_that_are_decided_upon_the_same_at_once_one_is_done(store: Store) {
    fill(&store, "old").await;
    for round in 0..10 {
        let since = now(&store).await;
        let change = |n: usize| {
            let (store, id) = (store.clone(), format!("r{round}n{n}"));
            tokio::spawn(async move {
                match n % 4 {
                    0 => store.hooks().since(since).add(vec![hook(&id)]).await,
                    1 => {
                        let other = Workflow { description: Some(id), ..workflow("old") };
                        store.workflows().since(since).replace(other).await
                    }
                    2 => store.activities().since(since).put(activity(&id), None).await.map(drop),
                    _ => store.workflows().since(since).add(workflow(&id)).await,
                }
            })
        };
        let mut done = 0;
        for change in (0..8).map(change).collect::<Vec<_>>() {
            match change.await.expect("no panic") {
                Ok(()) => done += 1,
                Err(Error::Moved) => {}
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(done, 1, "round {round}");
    }
}

contract!(
    a_change_is_done_while_what_it_was_decided_upon_is_as_it_was,
    a_change_is_refused_whole_when_what_it_was_decided_upon_has_moved,
    of_changes_that_are_decided_upon_the_same_at_once_one_is_done,
);
