//! The promises of the definitions area.

use lockgate_store::{Claim, Created, SessionLimits, SessionRow, Store};

const FREE: SessionLimits =
    SessionLimits { most: u64::MAX, finished_before: i64::MIN, evict_open: false, since: None };

async fn pin(store: &Store, id: &str, definition: &str) {
    let row = SessionRow { definition: definition.into(), ..SessionRow::started(id, "calc", 1) };
    assert_eq!(
        store.sessions().create(row, None, Vec::new(), FREE, Claim::Free).await.expect("created"),
        Created::Made
    );
}

async fn get(store: &Store, hash: &str) -> Option<String> {
    store.definitions().get(hash).await.expect("read")
}

async fn sweep(store: &Store) -> u64 {
    store.definitions().sweep().await.expect("swept")
}

async fn a_definition_is_kept_once_and_to_the_letter(store: Store) {
    assert_eq!(get(&store, "h").await, None);
    let body = "{\"n\": 9007199254740993123, \"t\":\"日本 \\u0000 ' ?1\"}";
    for _ in 0..2 {
        store.definitions().put("h", body).await.expect("put");
    }
    store.definitions().put("h", "another").await.expect("put");
    assert_eq!(get(&store, "h").await.as_deref(), Some(body));
    assert_eq!(get(&store, "H").await, None);
}

async fn a_sweep_takes_what_no_session_names(store: Store) {
    for hash in ["used", "unused", "finished"] {
        store.definitions().put(hash, hash).await.expect("put");
    }
    pin(&store, "a", "used").await;
    pin(&store, "b", "finished").await;
    assert_eq!(sweep(&store).await, 0, "what was just put is spared");
    assert_eq!(sweep(&store).await, 1);
    assert_eq!(get(&store, "unused").await, None);
    assert_eq!(get(&store, "used").await.as_deref(), Some("used"));
    assert!(store.sessions().delete("b").await.expect("removed"));
    assert_eq!(sweep(&store).await, 1);
    assert_eq!(get(&store, "finished").await, None);
    assert_eq!(sweep(&store).await, 0);
}

async fn a_definition_that_is_put_again_is_spared_again(store: Store) {
    store.definitions().put("h", "body").await.expect("put");
    assert_eq!(sweep(&store).await, 0);
    store.definitions().put("h", "body").await.expect("put");
    assert_eq!(sweep(&store).await, 0);
    pin(&store, "a", "h").await;
    assert_eq!(sweep(&store).await, 0);
    assert_eq!(get(&store, "h").await.as_deref(), Some("body"));
}

contract! {
    a_definition_is_kept_once_and_to_the_letter,
    a_sweep_takes_what_no_session_names,
    a_definition_that_is_put_again_is_spared_again,
}
