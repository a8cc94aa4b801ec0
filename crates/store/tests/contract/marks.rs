//! The promises of the marks: every change of a definition is counted, in its own area.

use lockgate_store::{Area, Store, StoredActivity, StoredKey, StoredSchedule, StoredTemplate};
use model::{Hook, HookDraft, Workflow, WorkflowDraft};
use serde_json::json;
use std::time::Duration;

fn hook(name: &str) -> Hook {
    let body = json!({"name": name, "hookType": "pre", "script": "return"});
    Hook::new("h".into(), HookDraft::parse(&body).expect("a draft"), 0.into(), 1)
}

fn workflow(name: &str) -> Workflow {
    let body = json!({
        "name": name, "workflowType": "tools/call", "edges": [],
        "nodes": [{"id": "s", "type": "start"}, {"id": "e", "type": "end"}],
    });
    let draft = WorkflowDraft::parse(&body.to_string(), &["start", "end"]).expect("a draft");
    Workflow::new("w".into(), draft, 5)
}

fn schedule(next: i64) -> StoredSchedule {
    let (id, workflow, body) = ("s".into(), "w".into(), "{}".into());
    StoredSchedule {
        id,
        workflow,
        body,
        next: Some(next),
        paused: false,
        created_at: 1,
        updated_at: 1,
        refused: None,
    }
}

fn activity(revision: u64) -> StoredActivity {
    StoredActivity { name: "a".into(), body: "{}".into(), revision, created_at: 1, updated_at: 1 }
}

/// Expects that the counters of these areas, and of no others, have grown.
async fn grown(store: &Store, seen: &mut lockgate_store::Counts, areas: &[Area]) {
    let now = store.marks().read().await.expect("read");
    for area in Area::ALL {
        let expected = areas.contains(&area);
        assert_eq!(now.of(area) > seen.of(area), expected, "{area:?} after a change of {areas:?}");
    }
    *seen = now;
}

async fn every_change_is_counted_in_its_area(store: Store) {
    let mut seen = store.marks().read().await.expect("read");
    let entry = serde_json::from_value(json!({"name": "s", "command": "true"})).expect("an entry");
    store.servers().add(entry).await.expect("added");
    grown(&store, &mut seen, &[Area::Servers]).await;
    store.servers().remove("s").await.expect("removed");
    grown(&store, &mut seen, &[Area::Servers]).await;
    store.hooks().add(vec![hook("x")]).await.expect("added");
    grown(&store, &mut seen, &[Area::Hooks]).await;
    store.hooks().replace(vec![hook("y")]).await.expect("replaced");
    grown(&store, &mut seen, &[Area::Hooks]).await;
    store.hooks().remove("h").await.expect("removed");
    grown(&store, &mut seen, &[Area::Hooks]).await;
    store.workflows().add(workflow("x")).await.expect("added");
    grown(&store, &mut seen, &[Area::Workflows]).await;
    store.workflows().replace(workflow("y")).await.expect("replaced");
    grown(&store, &mut seen, &[Area::Workflows]).await;
    store.workflows().remove("w").await.expect("removed");
    grown(&store, &mut seen, &[Area::Workflows]).await;
}

async fn activities_schedules_and_templates_are_counted_too(store: Store) {
    let mut seen = store.marks().read().await.expect("read");
    store.activities().put(activity(1), None).await.expect("put");
    grown(&store, &mut seen, &[Area::Activities]).await;
    store.activities().put(activity(2), Some(1)).await.expect("put");
    grown(&store, &mut seen, &[Area::Activities]).await;
    store.activities().delete("a").await.expect("removed");
    grown(&store, &mut seen, &[Area::Activities]).await;
    store.schedules().put(schedule(5)).await.expect("put");
    grown(&store, &mut seen, &[Area::Schedules]).await;
    assert!(store.schedules().advance("s", 5, Some(6), Some("no")).await.expect("moved"));
    grown(&store, &mut seen, &[]).await;
    store.schedules().put(schedule(7)).await.expect("put");
    grown(&store, &mut seen, &[Area::Schedules]).await;
    store.schedules().delete("s").await.expect("removed");
    grown(&store, &mut seen, &[Area::Schedules]).await;
    let template = StoredTemplate { id: "t".into(), body: "{}".into(), created_at: 1 };
    store.templates().add(template).await.expect("added");
    grown(&store, &mut seen, &[Area::Templates]).await;
    store.templates().remove("t").await.expect("removed");
    grown(&store, &mut seen, &[Area::Templates]).await;
}

async fn keys_are_counted_too(store: Store) {
    let mut seen = store.marks().read().await.expect("read");
    let (name, digest, grant) = ("k".into(), "00".into(), "{}".into());
    store.keys().add(StoredKey { name, digest, grant, created_at: 1 }).await.expect("added");
    grown(&store, &mut seen, &[Area::Keys]).await;
    store.keys().remove("k").await.expect("removed");
    grown(&store, &mut seen, &[Area::Keys]).await;
}

async fn a_change_that_was_refused_is_not_counted(store: Store) {
    store.hooks().add(vec![hook("x")]).await.expect("added");
    let mut seen = store.marks().read().await.expect("read");
    store.hooks().add(vec![hook("x")]).await.expect_err("taken");
    grown(&store, &mut seen, &[]).await;
}

async fn whoever_waits_for_a_change_is_told(store: Store) {
    let seen = store.marks().read().await.expect("read");
    let waiting = {
        let store = store.clone();
        tokio::spawn(async move { store.marks().changed(&seen).await.expect("told") })
    };
    tokio::task::yield_now().await;
    store.hooks().add(vec![hook("x")]).await.expect("added");
    let told = tokio::time::timeout(Duration::from_secs(10), waiting).await.expect("in time");
    let told = told.expect("no panic");
    assert!(told.of(Area::Hooks) > seen.of(Area::Hooks));
    let again = store.marks().changed(&seen).await.expect("told");
    assert_eq!(again, told, "who comes late is told at once");
}

contract!(
    every_change_is_counted_in_its_area,
    activities_schedules_and_templates_are_counted_too,
    keys_are_counted_too,
    a_change_that_was_refused_is_not_counted,
    whoever_waits_for_a_change_is_told,
);
