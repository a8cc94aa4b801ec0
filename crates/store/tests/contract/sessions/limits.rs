//! The promises about how many sessions there are, and which of them go.

use super::{FREE, all, append, finished, get, make, row, texts};
use lockgate_store::{Claim, Created, SessionLimits, SessionRow, Store};

async fn create(store: &Store, row: SessionRow, key: Option<&str>, limits: SessionLimits) -> Created {
    let key = key.map(str::to_owned);
    store.sessions().create(row, key, texts(&["{}"]), limits, Claim::Free).await.expect("answered")
}

async fn a_key_names_one_session_of_a_workflow_and_caller(store: Store) {
    assert_eq!(create(&store, row("a", 1), Some("k"), FREE).await, Created::Made);
    let full = SessionLimits { most: 1, ..FREE };
    assert_eq!(create(&store, row("b", 2), Some("k"), full).await, Created::Exists("a".into()));
    assert_eq!(create(&store, row("c", 3), Some("K"), FREE).await, Created::Made);
    let bob = SessionRow { caller: "bob".into(), ..row("d", 4) };
    assert_eq!(create(&store, bob, Some("k"), FREE).await, Created::Made);
    let other = SessionRow { workflow: "w".into(), ..row("e", 5) };
    assert_eq!(create(&store, other, Some("k"), FREE).await, Created::Made);
    assert_eq!(create(&store, row("f", 6), None, FREE).await, Created::Made);
    assert_eq!(create(&store, row("g", 7), None, FREE).await, Created::Made);
    assert!(append(&store, &finished(row("a", 1), "completed", 9), 1, &["x"]).await);
    assert_eq!(create(&store, row("b", 2), Some("k"), FREE).await, Created::Exists("a".into()));
    assert!(store.sessions().delete("a").await.expect("removed"));
    assert_eq!(create(&store, row("b", 2), Some("k"), FREE).await, Created::Made);
    assert_eq!(all(&store).await, "g f e d c b");
}

async fn of_many_with_one_key_one_is_made(store: Store) {
    let tasks: Vec<_> = (0..16)
        .map(|i| {
            let store = store.clone();
            tokio::spawn(async move { create(&store, row(&format!("s{i}"), i), Some("k"), FREE).await })
        })
        .collect();
    let mut named = Vec::new();
    let mut made = 0;
    for task in tasks {
        match task.await.expect("no panic") {
            Created::Made => made += 1,
            Created::Exists(id) => named.push(id),
            Created::Full => panic!("there is no limit"),
        }
    }
    assert_eq!((made, named.len()), (1, 15));
    let kept = all(&store).await;
    assert!(named.iter().all(|id| *id == kept), "{kept}: {named:?}");
}

async fn creating_removes_what_was_finished_long_ago(store: Store) {
    make(&store, row("open", 0)).await;
    make(&store, finished(row("old", 1), "completed", 4)).await;
    make(&store, finished(row("young", 2), "failed", 5)).await;
    let limits = SessionLimits { finished_before: 5, ..FREE };
    assert_eq!(create(&store, row("new", 9), None, limits).await, Created::Made);
    assert_eq!(all(&store).await, "new young open");
    assert_eq!(store.sessions().events_after("old", 0).await.expect("read"), None);
}

async fn at_the_limit_the_oldest_finished_session_goes(store: Store) {
    let limits = SessionLimits { most: 3, ..FREE };
    make(&store, row("open", 0)).await;
    make(&store, finished(row("late", 1), "completed", 8)).await;
    make(&store, finished(row("early", 2), "cancelled", 7)).await;
    assert_eq!(create(&store, row("n1", 10), None, limits).await, Created::Made);
    assert_eq!(all(&store).await, "n1 late open");
    assert_eq!(create(&store, row("n2", 11), None, limits).await, Created::Made);
    assert_eq!(all(&store).await, "n2 n1 open");
    assert_eq!(create(&store, row("n3", 12), None, limits).await, Created::Full);
    assert_eq!(all(&store).await, "n2 n1 open");
    assert_eq!(create(&store, row("n3", 12), None, SessionLimits { most: 4, ..limits }).await, Created::Made);
}

async fn an_open_session_goes_only_where_that_is_allowed(store: Store) {
    let limits = SessionLimits { most: 2, evict_open: true, ..FREE };
    make(&store, row("o1", 5)).await;
    make(&store, finished(row("f", 1), "completed", 9)).await;
    make(&store, row("o2", 4)).await;
    assert_eq!(create(&store, row("n1", 6), None, limits).await, Created::Made);
    assert_eq!(all(&store).await, "n1 o1", "a lower limit holds from the next creation on");
    assert_eq!(create(&store, row("n2", 7), None, limits).await, Created::Made);
    assert_eq!(all(&store).await, "n2 n1");
    assert_eq!(create(&store, row("n3", 8), None, SessionLimits { most: 0, ..limits }).await, Created::Full);
    assert_eq!(all(&store).await, "n2 n1");
    assert_eq!(get(&store, "n2").await.events, texts(&["{}"]));
}

async fn what_a_session_runs_in_never_makes_room_for_it(store: Store) {
    let within = |id: &str, at: i64, parent: &str| SessionRow { parent: Some(parent.into()), ..row(id, at) };
    let limits = SessionLimits { most: 3, evict_open: true, ..FREE };
    make(&store, row("outer", 1)).await;
    make(&store, within("inner", 2, "outer")).await;
    make(&store, row("other", 3)).await;
    assert_eq!(create(&store, within("n1", 4, "inner"), None, limits).await, Created::Made);
    assert_eq!(all(&store).await, "n1 inner outer");
    let tight = SessionLimits { most: 2, ..limits };
    assert_eq!(create(&store, within("n2", 5, "inner"), None, tight).await, Created::Full);
    assert_eq!(all(&store).await, "n1 inner outer", "none goes where that makes no room");
    assert_eq!(create(&store, within("n2", 5, "gone"), None, limits).await, Created::Made);
    assert_eq!(all(&store).await, "n2 n1 inner");
}

async fn what_an_open_session_runs_stays_with_it(store: Store) {
    let within = |id: &str, at: i64, parent: &str| SessionRow { parent: Some(parent.into()), ..row(id, at) };
    let limits = SessionLimits { most: 4, finished_before: 5, ..FREE };
    make(&store, row("outer", 1)).await;
    make(&store, finished(within("inner", 2, "outer"), "completed", 3)).await;
    make(&store, finished(within("loose", 2, "gone"), "completed", 3)).await;
    assert_eq!(create(&store, row("n1", 6), None, limits).await, Created::Made);
    assert_eq!(all(&store).await, "n1 inner outer", "it is old, and may be asked for again");
    assert_eq!(create(&store, row("n2", 7), None, limits).await, Created::Made);
    assert_eq!(create(&store, row("n3", 8), None, limits).await, Created::Full);
    assert_eq!(store.sessions().cleanup(i64::MAX, Some(0), &[]).await.expect("cleaned"), 0);
    assert_eq!(all(&store).await, "n2 n1 inner outer");
    let evict = SessionLimits { evict_open: true, ..limits };
    assert_eq!(create(&store, row("n3", 8), None, evict).await, Created::Made);
    assert_eq!(all(&store).await, "n3 n2 n1 inner", "the oldest open one goes before it");
    assert_eq!(create(&store, row("n4", 9), None, limits).await, Created::Made);
    assert_eq!(all(&store).await, "n4 n3 n2 n1", "nobody can ask for it any more");
}

async fn many_creations_at_once_keep_to_the_limit(store: Store) {
    let limits = SessionLimits { most: 10, ..FREE };
    let tasks: Vec<_> = (0..32)
        .map(|i| {
            let store = store.clone();
            tokio::spawn(async move { create(&store, row(&format!("s{i}"), i), None, limits).await })
        })
        .collect();
    let mut made = 0;
    for task in tasks {
        made += usize::from(task.await.expect("no panic") == Created::Made);
    }
    assert_eq!(made, 10);
    assert_eq!(all(&store).await.split_whitespace().count(), 10);
}

async fn cleaning_up_removes_finished_sessions_by_age_number_and_status(store: Store) {
    let sessions = store.sessions();
    for (i, status) in ["completed", "failed", "completed", "cancelled", "failed"].iter().enumerate() {
        let at = i as i64;
        make(&store, finished(row(&format!("f{i}"), at), status, at)).await;
    }
    make(&store, row("o1", 10)).await;
    make(&store, row("o2", 11)).await;
    assert_eq!(sessions.cleanup(0, None, &[]).await.expect("cleaned"), 0);
    assert_eq!(sessions.cleanup(2, None, &["failed", "running"]).await.expect("cleaned"), 1);
    assert_eq!(all(&store).await, "o2 o1 f4 f3 f2 f0");
    assert_eq!(sessions.cleanup(0, Some(6), &[]).await.expect("cleaned"), 0);
    assert_eq!(sessions.cleanup(0, Some(5), &["cancelled", "failed"]).await.expect("cleaned"), 1);
    assert_eq!(all(&store).await, "o2 o1 f4 f2 f0");
    assert_eq!(sessions.cleanup(1, Some(3), &[]).await.expect("cleaned"), 2);
    assert_eq!(all(&store).await, "o2 o1 f4");
    assert_eq!(sessions.cleanup(i64::MAX, Some(0), &["running"]).await.expect("cleaned"), 0);
    assert_eq!(sessions.cleanup(0, Some(0), &[]).await.expect("cleaned"), 1);
    assert_eq!(all(&store).await, "o2 o1", "open sessions stay");
}

contract! {
    a_key_names_one_session_of_a_workflow_and_caller,
    of_many_with_one_key_one_is_made,
    creating_removes_what_was_finished_long_ago,
    at_the_limit_the_oldest_finished_session_goes,
    an_open_session_goes_only_where_that_is_allowed,
    what_a_session_runs_in_never_makes_room_for_it,
    what_an_open_session_runs_stays_with_it,
    many_creations_at_once_keep_to_the_limit,
    cleaning_up_removes_finished_sessions_by_age_number_and_status,
}
