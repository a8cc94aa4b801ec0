//! The promises of the keys area.

use lockgate_store::{Error, Store, StoredKey};

fn key(name: &str) -> StoredKey {
    StoredKey {
        name: name.into(),
        digest: format!("{name:0<64}"),
        grant: r#"{"servers":["日本*"]}"#.into(),
        created_at: 7,
    }
}

async fn all(store: &Store) -> Vec<StoredKey> {
    store.keys().list().await.expect("the list")
}

async fn keys_come_back_as_they_were_made(store: Store) {
    assert!(all(&store).await.is_empty());
    for name in ["z", "a", "m"] {
        store.keys().add(key(name)).await.expect("added");
    }
    assert_eq!(all(&store).await, [key("z"), key("a"), key("m")]);
}

async fn a_name_and_a_digest_are_given_once(store: Store) {
    store.keys().add(key("a")).await.expect("added");
    for other in [StoredKey { digest: "b".into(), ..key("a") }, StoredKey { name: "b".into(), ..key("a") }] {
        let error = store.keys().add(other.clone()).await.expect_err("taken");
        assert!(matches!(&error, Error::Taken(name) if *name == other.name), "{error:?}");
    }
    assert_eq!(all(&store).await, [key("a")]);
}

async fn a_removed_key_is_gone(store: Store) {
    store.keys().add(key("a")).await.expect("added");
    store.keys().add(key("b")).await.expect("added");
    assert!(store.keys().remove("a").await.expect("removed"));
    assert!(!store.keys().remove("a").await.expect("nothing to remove"));
    assert!(!store.keys().remove("' OR 1=1 --").await.expect("nothing to remove"));
    assert_eq!(all(&store).await, [key("b")]);
}

contract! {
    keys_come_back_as_they_were_made,
    a_name_and_a_digest_are_given_once,
    a_removed_key_is_gone,
}
