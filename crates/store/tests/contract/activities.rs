//! The promises of the activities area.

use lockgate_store::{Error, Store, StoredActivity};

fn activity(name: &str, revision: u64) -> StoredActivity {
    let body = format!("{{\"name\":\"{name}\",\"n\": {revision}}}");
    StoredActivity { name: name.into(), body, revision, created_at: 5, updated_at: 5 + revision as i64 }
}

async fn put(store: &Store, activity: StoredActivity, before: Option<u64>) -> bool {
    store.activities().put(activity, before).await.expect("answered")
}

async fn activities_come_back_as_they_were_added(store: Store) {
    assert!(store.activities().list().await.expect("the list").is_empty());
    let kept = [activity("z", 1), activity("a", 1), activity("日本 ' ?1", 1)];
    for one in &kept {
        assert!(put(&store, one.clone(), None).await);
    }
    assert_eq!(store.activities().list().await.expect("the list"), kept);
    assert_eq!(store.activities().get("a").await.expect("read"), Some(activity("a", 1)));
    assert_eq!(store.activities().get("A").await.expect("read"), None);
    assert!(put(&store, activity("z", 2), Some(1)).await);
    let list = store.activities().list().await.expect("the list");
    assert_eq!(
        list,
        [activity("z", 2), activity("a", 1), activity("日本 ' ?1", 1)],
        "a change keeps its place"
    );
}

async fn an_activity_is_changed_only_from_the_revision_that_is_meant(store: Store) {
    assert!(put(&store, activity("a", 1), None).await);
    let taken = store.activities().put(activity("a", 9), None).await.expect_err("taken");
    assert!(matches!(&taken, Error::Taken(name) if name == "a"), "{taken:?}");
    let gone = store.activities().put(activity("b", 2), Some(1)).await.expect_err("gone");
    assert!(matches!(&gone, Error::Gone(name) if name == "b"), "{gone:?}");
    assert!(!put(&store, activity("a", 9), Some(2)).await);
    assert_eq!(store.activities().list().await.expect("the list"), [activity("a", 1)]);
    assert!(put(&store, activity("a", 2), Some(1)).await);
    assert!(!put(&store, activity("a", 2), Some(1)).await);
}

async fn of_many_changes_from_one_revision_one_wins(store: Store) {
    assert!(put(&store, activity("a", 1), None).await);
    let tasks: Vec<_> = (0..16)
        .map(|i| {
            let store = store.clone();
            tokio::spawn(async move { put(&store, activity("a", 10 + i), Some(1)).await.then_some(10 + i) })
        })
        .collect();
    let mut winners = Vec::new();
    for task in tasks {
        winners.extend(task.await.expect("no panic"));
    }
    let kept = store.activities().get("a").await.expect("read").expect("it is there");
    assert_eq!(winners, [kept.revision]);
}

async fn a_deleted_activity_is_gone(store: Store) {
    assert!(put(&store, activity("a", 1), None).await);
    assert!(put(&store, activity("b", 1), None).await);
    assert!(store.activities().delete("a").await.expect("removed"));
    assert!(!store.activities().delete("a").await.expect("nothing to remove"));
    assert_eq!(store.activities().list().await.expect("the list"), [activity("b", 1)]);
    assert!(put(&store, activity("a", 1), None).await, "its name is free");
}

contract! {
    activities_come_back_as_they_were_added,
    an_activity_is_changed_only_from_the_revision_that_is_meant,
    of_many_changes_from_one_revision_one_wins,
    a_deleted_activity_is_gone,
}
