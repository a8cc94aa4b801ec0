//! The promises of the versions area.

use lockgate_store::{Error, Store, StoredVersion};

fn version(workflow: &str, revision: u64) -> StoredVersion {
    let body = format!("{{\"n\": {revision}, \"t\":\"日本 ' ?1\"}}");
    StoredVersion { workflow: workflow.into(), revision, body, made_at: revision as i64 }
}

async fn add(store: &Store, workflow: &str, revisions: &[u64]) {
    for &revision in revisions {
        store.versions().add(version(workflow, revision)).await.expect("added");
    }
}

async fn list(store: &Store, workflow: &str, limit: usize, offset: usize) -> Vec<u64> {
    let found = store.versions().list(workflow, limit, offset).await.expect("the list");
    found.into_iter().map(|one| one.revision).collect()
}

async fn versions_come_back_newest_first_in_pages(store: Store) {
    assert!(list(&store, "a", 9, 0).await.is_empty());
    add(&store, "a", &[1, 2, 10]).await;
    add(&store, "b", &[3]).await;
    assert_eq!(list(&store, "a", 9, 0).await, [10, 2, 1]);
    assert_eq!(list(&store, "a", 1, 1).await, [2]);
    assert_eq!(list(&store, "a", usize::MAX, 2).await, [1]);
    assert!(list(&store, "a", 0, 0).await.is_empty());
    assert_eq!(store.versions().get("a", 2).await.expect("read"), Some(version("a", 2)));
    assert_eq!(store.versions().get("a", 3).await.expect("read"), None);
    assert_eq!(store.versions().get("c", 1).await.expect("read"), None);
}

async fn a_version_never_changes(store: Store) {
    add(&store, "a", &[1]).await;
    let other = StoredVersion { body: "{}".into(), ..version("a", 1) };
    let taken = store.versions().add(other).await.expect_err("taken");
    assert!(matches!(&taken, Error::Taken(name) if name == "a 1"), "{taken:?}");
    assert_eq!(store.versions().get("a", 1).await.expect("read"), Some(version("a", 1)));
}

async fn versions_are_deleted_one_by_one_or_all(store: Store) {
    add(&store, "a", &[1, 2, 3]).await;
    add(&store, "b", &[1]).await;
    assert!(store.versions().delete("a", 2).await.expect("removed"));
    assert!(!store.versions().delete("a", 2).await.expect("nothing to remove"));
    assert!(!store.versions().delete("c", 2).await.expect("nothing to remove"));
    assert_eq!(list(&store, "a", 9, 0).await, [3, 1]);
    assert_eq!(store.versions().delete_all("a").await.expect("removed"), 2);
    assert_eq!(store.versions().delete_all("a").await.expect("nothing to remove"), 0);
    assert!(list(&store, "a", 9, 0).await.is_empty());
    assert_eq!(list(&store, "b", 9, 0).await, [1]);
}

contract! {
    versions_come_back_newest_first_in_pages,
    a_version_never_changes,
    versions_are_deleted_one_by_one_or_all,
}
