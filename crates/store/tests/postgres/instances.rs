//! Several stores that are open on one database, as several instances are.

use super::{entry, open_url};
use databases::Postgres;
use lockgate_store::{Area, Error, Word};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn several_may_open_a_new_database_at_once_and_share_it() {
    let url = Postgres::shared().database().url;
    let opens: Vec<_> = (0..6)
        .map(|i| {
            let url = url.clone();
            tokio::spawn(async move {
                let store = open_url(&url).await.expect("opened");
                store.servers().add(entry(&format!("s{i}"))).await.expect("added");
                store
            })
        })
        .collect();
    let mut stores = Vec::new();
    for open in opens {
        stores.push(open.await.expect("no panic"));
    }
    for store in stores {
        assert_eq!(store.servers().list().await.expect("the list").len(), 6);
        assert!(matches!(store.servers().add(entry("s0")).await, Err(Error::Taken(_))));
    }
}

#[tokio::test]
async fn what_another_instance_changes_and_says_is_noticed() {
    let url = Postgres::shared().database().url;
    let (here, there) = (open_url(&url).await.expect("opened"), open_url(&url).await.expect("opened"));
    let seen = here.marks().read().await.expect("read");
    let mut ear = here.bus().subscribe();
    there.servers().add(entry("new")).await.expect("added");
    there.bus().publish("hello \u{0}").await.expect("said");
    let told = tokio::time::timeout(Duration::from_secs(2), here.marks().changed(&seen)).await;
    assert!(told.expect("in time").expect("read").of(Area::Servers) > seen.of(Area::Servers));
    let heard = tokio::time::timeout(Duration::from_secs(2), ear.next()).await.expect("in time");
    assert_eq!(heard.as_deref(), Some("hello \u{0}"));
}

#[tokio::test]
async fn definitions_on_their_way_survive_the_sweeps_of_other_instances() {
    let url = Postgres::shared().database().url;
    let (one, other) = (open_url(&url).await.expect("opened"), open_url(&url).await.expect("opened"));
    one.definitions().put("h", "body").await.expect("put");
    assert_eq!(one.definitions().sweep().await.expect("swept"), 0);
    assert_eq!(other.definitions().sweep().await.expect("swept"), 0);
    assert_eq!(other.definitions().sweep().await.expect("swept"), 0);
    assert_eq!(one.definitions().get("h").await.expect("read").as_deref(), Some("body"));
    assert_eq!(
        one.definitions().sweep().await.expect("swept"),
        1,
        "one knows by itself that it is of no use"
    );
}

#[tokio::test]
async fn a_listener_that_was_cut_off_listens_again_and_misses_no_mark() {
    let server = Postgres::shared();
    let database = server.database();
    let name = database.url.rsplit('/').next().expect("a name").to_owned();
    let (here, there) =
        (open_url(&database.url).await.expect("opened"), open_url(&database.url).await.expect("opened"));
    let seen = here.marks().read().await.expect("read");
    let cut = format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}' AND query LIKE 'LISTEN%'"
    );
    assert!(server.psql("postgres", &cut).contains('t'), "somebody listened");
    there.servers().add(entry("new")).await.expect("added");
    let told = tokio::time::timeout(Duration::from_secs(2), here.marks().changed(&seen)).await;
    assert_ne!(told.expect("in time").expect("read"), seen);
    let mut ear = here.bus().subscribe();
    let heard = async {
        loop {
            there.bus().publish("again").await.expect("said");
            if tokio::time::timeout(Duration::from_millis(200), ear.next()).await.is_ok() {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(10), heard).await.expect("it listens again");
}

#[tokio::test]
async fn a_listener_that_was_cut_off_is_told_that_it_may_have_missed_something() {
    let server = Postgres::shared();
    let database = server.database();
    let name = database.url.rsplit('/').next().expect("a name").to_owned();
    let here = open_url(&database.url).await.expect("opened");
    let mut ear = here.bus().subscribe();
    here.bus().publish("before").await.expect("said");
    let mut next =
        async || tokio::time::timeout(Duration::from_secs(10), ear.next_word()).await.expect("in time");
    assert_eq!(next().await, Some(Word::Said("before".into())));
    let cut = format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}' AND query LIKE 'LISTEN%'"
    );
    assert!(server.psql("postgres", &cut).contains('t'), "somebody listened");
    assert_eq!(next().await, Some(Word::Missed));
    here.bus().publish("after").await.expect("said");
    assert_eq!(next().await, Some(Word::Said("after".into())));
}

#[tokio::test]
async fn tables_that_were_made_anew_are_not_taken_for_those_that_were_there() {
    let server = Postgres::shared();
    let database = server.database();
    let name = database.url.rsplit('/').next().expect("a name").to_owned();
    let here = open_url(&database.url).await.expect("opened");
    let seen = here.marks().read().await.expect("read");
    server.psql(&name, "DROP SCHEMA lockgate CASCADE");
    here.marks().read().await.expect_err("there are no tables");
    let there = open_url(&database.url).await.expect("opened");
    let error = here.marks().read().await.expect_err("they are others");
    assert!(matches!(error, Error::Lost), "{error}");
    let error = here.marks().changed(&seen).await.expect_err("they are others");
    assert!(matches!(error, Error::Lost), "{error}");
    there.marks().read().await.expect("read");
}
