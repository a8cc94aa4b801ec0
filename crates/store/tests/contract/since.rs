//! The promises of changes that were decided upon other definitions: they are done while those are as they were.

use lockgate_store::{
    Area, Claim, Counts, Created, Error, SessionLimits, SessionRow, Store, StoredActivity, StoredSchedule,
};
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

/// Starts a session of the workflow of that name, decided upon workflows that had been changed so often.
async fn start(store: &Store, id: &str, workflow: &str, since: Option<u64>) -> Result<Created, Error> {
    let row = SessionRow::started(id, workflow, 1);
    let limits = SessionLimits { most: 1000, finished_before: i64::MIN, evict_open: false, since };
    store.sessions().create(row, None, vec!["{}".into()], limits, Claim::Free).await
}

async fn a_session_is_started_while_workflows_are_as_they_were(store: Store) {
    store.workflows().add(workflow("w")).await.expect("added");
    let seen = now(&store).await.of(Area::Workflows);
    assert_eq!(start(&store, "a", "w", Some(seen)).await.expect("answered"), Created::Made);
    let other = Workflow { description: Some("other".into()), ..workflow("w") };
    store.workflows().replace(other).await.expect("replaced");
    let refused = start(&store, "b", "w", Some(seen)).await;
    assert!(matches!(refused, Err(Error::Moved)), "{refused:?}");
    assert_eq!(store.sessions().get("b").await.expect("read"), None);
    let seen = now(&store).await.of(Area::Workflows);
    store.hooks().add(vec![hook("h")]).await.expect("added");
    for (id, since) in [("b", Some(seen)), ("c", None)] {
        assert_eq!(start(&store, id, "w", since).await.expect("answered"), Created::Made);
    }
}

async fn a_workflow_keeps_its_name_while_a_session_of_it_is_open(store: Store) {
    store.workflows().add(workflow("w")).await.expect("added");
    start(&store, "a", "w", None).await.expect("started");
    let (before, at) = (kept(&store).await, now(&store).await);
    let renamed = Workflow { name: "other".into(), ..workflow("w") };
    let refused = [
        store.workflows().since(at).freeing(Some("w")).replace(renamed.clone()).await,
        store.workflows().freeing(Some("w")).remove("w").await.map(drop),
    ];
    assert!(refused.iter().all(|one| matches!(one, Err(Error::Moved))), "{refused:?}");
    assert_eq!((kept(&store).await, now(&store).await), (before, at));
    // Those of others, and those that are finished, do not matter.
    store.workflows().freeing(Some("x")).replace(workflow("w")).await.expect("replaced");
    let session = store.sessions().get("a").await.expect("read").expect("it is there");
    let done = SessionRow { status: "completed".into(), open: false, completed_at: Some(2), ..session.row };
    assert!(store.sessions().append(done, 1, vec!["{}".into()], Claim::Free).await.expect("answered"));
    store.workflows().freeing(Some("w")).replace(renamed).await.expect("replaced");
    assert!(store.workflows().freeing(Some("other")).remove("w").await.expect("removed"));
}

async fn of_a_start_and_an_end_of_the_name_at_once_one_is_done(store: Store) {
    for round in 0..20 {
        let name = format!("w{round}");
        store.workflows().add(workflow(&name)).await.expect("added");
        let since = now(&store).await;
        let starts: Vec<_> = (0..4)
            .map(|n| {
                let (store, name) = (store.clone(), name.clone());
                let id = format!("{name}-{n}");
                tokio::spawn(async move { start(&store, &id, &name, Some(since.of(Area::Workflows))).await })
            })
            .collect();
        let removed = store.workflows().since(since).freeing(Some(&name)).remove(&name).await;
        let mut started = 0;
        for start in starts {
            match start.await.expect("no panic") {
                Ok(made) => started += usize::from(made == Created::Made),
                Err(Error::Moved) => {}
                Err(error) => panic!("{error}"),
            }
        }
        match removed {
            Ok(gone) => assert_eq!((gone, started), (true, 0), "round {round}"),
            Err(Error::Moved) => assert!(started > 0, "round {round}"),
            Err(error) => panic!("{error}"),
        }
    }
}

contract!(
    a_change_is_done_while_what_it_was_decided_upon_is_as_it_was,
    a_change_is_refused_whole_when_what_it_was_decided_upon_has_moved,
    of_changes_that_are_decided_upon_the_same_at_once_one_is_done,
    a_session_is_started_while_workflows_are_as_they_were,
    a_workflow_keeps_its_name_while_a_session_of_it_is_open,
    of_a_start_and_an_end_of_the_name_at_once_one_is_done,
);
