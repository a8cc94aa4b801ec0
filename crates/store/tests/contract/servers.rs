//! The promises of the servers area, and of a store as a whole.

use lockgate_store::{Error, Store, StoredServer};
use model::{Args, EnvVar, ServerEntry};
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

fn entry(name: &str) -> ServerEntry {
    serde_json::from_value(serde_json::json!({"name": name, "command": "true"})).expect("an entry")
}

async fn names(store: &Store) -> Vec<String> {
    let servers = store.servers().list().await.expect("the list");
    servers.into_iter().map(|server| server.entry.name).collect()
}

async fn a_new_store_is_empty(store: Store) {
    assert!(names(&store).await.is_empty());
}

async fn servers_come_back_as_they_were_added_and_in_that_order(store: Store) {
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as i64;
    let before = clock();
    for name in ["zebra", "Ant", "ant", "bee-2_x"] {
        let added = store.servers().add(entry(name)).await.expect("added");
        assert_eq!(added.entry, entry(name));
        assert_eq!(store.servers().list().await.expect("the list").last(), Some(&added));
    }
    assert_eq!(names(&store).await, ["zebra", "Ant", "ant", "bee-2_x"]);
    for server in store.servers().list().await.expect("the list") {
        assert!((before..=clock()).contains(&server.created_at), "{}", server.created_at);
    }
}

async fn a_definition_is_replaced_in_its_place(store: Store) {
    for name in ["one", "two"] {
        store.servers().add(entry(name)).await.expect("added");
    }
    let before = store.servers().list().await.expect("the list");
    let other = ServerEntry { command: Some("other".into()), ..entry("one") };
    let at = before[0].created_at;
    let replace = async |entry, created_at| {
        store.servers().replace(StoredServer { entry, created_at }).await.expect("an answer")
    };
    assert!(replace(other.clone(), at).await);
    assert!(!replace(entry("three"), at).await, "there is none of that name");
    assert!(!replace(entry("one"), at - 1).await, "the one that was added then is gone");
    let after = store.servers().list().await.expect("the list");
    assert_eq!((&after[0].entry, after[0].created_at), (&other, before[0].created_at));
    assert_eq!((after.len(), &after[1]), (2, &before[1]));
}

async fn a_taken_name_is_refused_and_changes_nothing(store: Store) {
    store.servers().add(entry("one")).await.expect("added");
    let other = ServerEntry { command: Some("other".into()), ..entry("one") };
    let error = store.servers().add(other).await.expect_err("taken");
    assert!(matches!(&error, Error::Taken(name) if name == "one"), "{error:?}");
    assert_eq!(error.code(), model::Code::Conflict);
    let kept = store.servers().list().await.expect("the list");
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].entry, entry("one"));
}

async fn a_removed_server_is_gone_and_its_name_is_free(store: Store) {
    for name in ["a", "b", "c"] {
        store.servers().add(entry(name)).await.expect("added");
    }
    assert!(store.servers().remove("b").await.expect("removed"));
    assert!(!store.servers().remove("b").await.expect("nothing to remove"));
    assert!(!store.servers().remove("' OR 1=1 --").await.expect("nothing to remove"));
    assert_eq!(names(&store).await, ["a", "c"]);
    store.servers().add(entry("b")).await.expect("added again");
    assert_eq!(names(&store).await, ["a", "c", "b"]);
}

async fn of_many_adds_of_one_name_exactly_one_wins(store: Store) {
    let adds: Vec<_> = (0..64)
        .map(|i| {
            let store = store.clone();
            let entry = ServerEntry { command: Some(format!("c{i}")), ..entry("same") };
            tokio::spawn(async move { store.servers().add(entry).await })
        })
        .collect();
    let mut won = Vec::new();
    for add in adds {
        match add.await.expect("no panic") {
            Ok(server) => won.push(server),
            Err(error) => assert!(matches!(error, Error::Taken(_)), "{error}"),
        }
    }
    assert_eq!(won.len(), 1);
    assert_eq!(store.servers().list().await.expect("the list"), won);
}

async fn many_adds_at_once_are_all_kept(store: Store) {
    let adds: Vec<_> = (0..200)
        .map(|i| {
            let store = store.clone();
            tokio::spawn(async move {
                store.servers().add(entry(&format!("s{i:03}"))).await.expect("added");
                // What was acknowledged is seen by the next read.
                assert!(names(&store).await.contains(&format!("s{i:03}")));
            })
        })
        .collect();
    for add in adds {
        add.await.expect("no panic");
    }
    let mut found = names(&store).await;
    found.sort();
    assert_eq!(found, (0..200).map(|i| format!("s{i:03}")).collect::<Vec<_>>());
}

async fn every_field_and_every_character_comes_back(store: Store) {
    let text = "日本 \u{1F600} e\u{301} \"\\/' \n\t\u{1} \u{2028} %s ?1 $1";
    let full = ServerEntry {
        command: Some(text.into()),
        args: Args::List(vec![text.into(), String::new()]),
        envs: vec![EnvVar { name: "A".into(), value: text.into() }],
        env: BTreeMap::from([("B".into(), text.into())]),
        timeout: Some(300_000),
        required: Some(false),
        inherit_env: Some(vec![]),
        ..entry("full")
    };
    let line = ServerEntry { args: Args::Line("a  b".into()), ..entry("line") };
    for entry in [full, line] {
        store.servers().add(entry.clone()).await.expect("added");
        let kept = store.servers().list().await.expect("the list").pop().expect("one");
        assert_eq!(kept.entry, entry);
    }
}

async fn a_large_entry_comes_back(store: Store) {
    let large = ServerEntry { args: Args::List(vec!["x".repeat(3 << 20)]), ..entry("large") };
    store.servers().add(large.clone()).await.expect("added");
    assert_eq!(store.servers().list().await.expect("the list")[0].entry, large);
}

async fn a_closed_store_refuses_everything(store: Store) {
    let other = store.clone();
    store.close().await;
    store.close().await;
    for store in [store, other] {
        assert!(matches!(store.servers().list().await, Err(Error::Closed)));
        assert!(matches!(store.servers().add(entry("a")).await, Err(Error::Closed)));
        assert!(matches!(store.servers().remove("a").await, Err(Error::Closed)));
        assert!(matches!(store.hooks().list().await, Err(Error::Closed)));
        assert!(matches!(store.hooks().add(vec![]).await, Err(Error::Closed)));
        assert!(matches!(store.hooks().replace(vec![]).await, Err(Error::Closed)));
        assert!(matches!(store.hooks().remove("a").await, Err(Error::Closed)));
        assert!(matches!(store.workflows().list().await, Err(Error::Closed)));
        assert!(matches!(store.workflows().remove("a").await, Err(Error::Closed)));
        assert!(matches!(store.runs().list(None, 1, 0).await, Err(Error::Closed)));
        assert!(matches!(store.runs().keep(vec![]).await, Err(Error::Closed)));
        assert!(matches!(store.runs().trim(1, 0).await, Err(Error::Closed)));
        assert!(matches!(store.sessions().get("a").await, Err(Error::Closed)));
        assert!(matches!(store.sessions().delete("a").await, Err(Error::Closed)));
        assert!(matches!(store.definitions().put("a", "b").await, Err(Error::Closed)));
        assert!(matches!(store.activities().list().await, Err(Error::Closed)));
        assert!(matches!(store.schedules().due(0, 1).await, Err(Error::Closed)));
        assert!(matches!(store.versions().delete_all("a").await, Err(Error::Closed)));
    }
}

contract! {
    a_new_store_is_empty,
    servers_come_back_as_they_were_added_and_in_that_order,
    a_definition_is_replaced_in_its_place,
    a_taken_name_is_refused_and_changes_nothing,
    a_removed_server_is_gone_and_its_name_is_free,
    of_many_adds_of_one_name_exactly_one_wins,
    many_adds_at_once_are_all_kept,
    every_field_and_every_character_comes_back,
    a_large_entry_comes_back,
    a_closed_store_refuses_everything,
}
