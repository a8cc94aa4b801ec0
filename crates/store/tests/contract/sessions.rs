//! The promises of the sessions area: journals, lists and timers.

mod limits;

use lockgate_store::{Claim, Created, Error, SessionFilter, SessionLimits, SessionRow, Store, StoredSession};

const FREE: SessionLimits =
    SessionLimits { most: u64::MAX, finished_before: i64::MIN, evict_open: false, since: None };

fn row(id: &str, started_at: i64) -> SessionRow {
    SessionRow {
        caller: "ann".into(),
        definition: "d1".into(),
        ..SessionRow::started(id, "calc", started_at)
    }
}

fn finished(row: SessionRow, status: &str, at: i64) -> SessionRow {
    SessionRow { status: status.into(), open: false, completed_at: Some(at), updated_at: at, ..row }
}

fn texts(events: &[&str]) -> Vec<String> {
    events.iter().map(|&event| event.to_owned()).collect()
}

async fn make(store: &Store, row: SessionRow) {
    let made = store.sessions().create(row, None, texts(&["{}"]), FREE, Claim::Free).await;
    assert_eq!(made.expect("created"), Created::Made);
}

async fn append(store: &Store, row: &SessionRow, at: u64, events: &[&str]) -> bool {
    store.sessions().append(row.clone(), at, texts(events), Claim::Free).await.expect("answered")
}

async fn get(store: &Store, id: &str) -> StoredSession {
    store.sessions().get(id).await.expect("read").expect("it is there")
}

/// The ids of a page, in order.
async fn page(store: &Store, filter: SessionFilter<'_>, limit: usize, offset: usize) -> String {
    let found = store.sessions().list(filter, limit, offset).await.expect("the list");
    found.into_iter().map(|one| one.row.id).collect::<Vec<_>>().join(" ")
}

async fn all(store: &Store) -> String {
    page(store, SessionFilter::default(), usize::MAX, 0).await
}

async fn a_session_comes_back_with_its_events_to_the_letter(store: Store) {
    let full = SessionRow {
        workflow: "日本 ' ?1".into(),
        caller: "\u{0} %s \"".into(),
        updated_at: i64::MAX,
        completed_at: Some(-1),
        parent: Some("p".into()),
        waiting: Some("event:\u{0}x".into()),
        due: Some(i64::MIN),
        ..row("a", i64::MIN)
    };
    let events = texts(&["{\"n\":9007199254740993123}", "", "日本 \u{0} ' ?1"]);
    let made = store
        .sessions()
        .create(full.clone(), None, events.clone(), FREE, Claim::Free)
        .await
        .expect("created");
    assert_eq!(made, Created::Made);
    make(&store, row("b", 2)).await;
    assert_eq!(get(&store, "a").await, StoredSession { row: full.clone(), events: events.clone() });
    assert_eq!(store.sessions().row("a").await.expect("read"), Some(full));
    assert_eq!(store.sessions().events_after("a", 0).await.expect("read"), Some(events.clone()));
    assert_eq!(store.sessions().events_after("a", 1).await.expect("read"), Some(events[1..].to_vec()));
    for at in [3, 4, u64::MAX] {
        assert_eq!(store.sessions().events_after("a", at).await.expect("read"), Some(Vec::new()));
    }
    assert_eq!(store.sessions().events_after("c", 0).await.expect("read"), None);
    assert_eq!(store.sessions().get("c").await.expect("read"), None);
    assert_eq!(store.sessions().row("c").await.expect("read"), None);
}

async fn an_id_is_created_once(store: Store) {
    make(&store, row("a", 1)).await;
    let again = store
        .sessions()
        .create(row("a", 2), None, texts(&["x"]), FREE, Claim::Free)
        .await
        .expect_err("taken");
    assert!(matches!(&again, Error::Taken(id) if id == "a"), "{again:?}");
    assert_eq!(get(&store, "a").await, StoredSession { row: row("a", 1), events: texts(&["{}"]) });
    assert_eq!(store.sessions().count(SessionFilter::default()).await.expect("a count"), 1);
}

async fn appended_events_follow_the_others_and_the_row_changes_with_them(store: Store) {
    make(&store, row("a", 1)).await;
    make(&store, row("b", 1)).await;
    let later = SessionRow { updated_at: 5, ..row("a", 1) };
    assert!(append(&store, &later, 1, &["one", "two"]).await);
    assert_eq!(get(&store, "a").await, StoredSession { row: later, events: texts(&["{}", "one", "two"]) });
    let waits = SessionRow { updated_at: 6, waiting: Some("approval".into()), due: Some(9), ..row("a", 1) };
    assert!(append(&store, &waits, 3, &["three"]).await);
    assert_eq!(get(&store, "a").await.row, waits);
    let done = SessionRow { definition: "d2".into(), ..finished(row("a", 1), "failed", 7) };
    assert!(append(&store, &done, 4, &["four"]).await);
    let kept = get(&store, "a").await;
    assert_eq!(kept, StoredSession { row: done, events: texts(&["{}", "one", "two", "three", "four"]) });
    assert_eq!(get(&store, "b").await, StoredSession { row: row("b", 1), events: texts(&["{}"]) });
}

async fn what_never_changes_in_a_row_stays_as_it_was_created(store: Store) {
    let first = SessionRow { parent: Some("p".into()), ..row("a", 1) };
    make(&store, first.clone()).await;
    let other = SessionRow {
        workflow: "other".into(),
        caller: "bob".into(),
        parent: None,
        updated_at: 3,
        ..row("a", 99)
    };
    assert!(append(&store, &other, 1, &["one"]).await);
    assert_eq!(get(&store, "a").await.row, SessionRow { updated_at: 3, ..first });
}

async fn an_append_at_another_place_changes_nothing(store: Store) {
    make(&store, row("a", 1)).await;
    let later = finished(row("a", 1), "failed", 5);
    for at in [0, 2, u64::MAX] {
        assert!(!append(&store, &later, at, &["x"]).await, "{at}");
    }
    assert_eq!(get(&store, "a").await, StoredSession { row: row("a", 1), events: texts(&["{}"]) });
    let gone = store.sessions().append(row("b", 1), 0, texts(&["x"]), Claim::Free).await.expect_err("gone");
    assert!(matches!(&gone, Error::Gone(id) if id == "b"), "{gone:?}");
    assert!(append(&store, &later, 1, &[]).await, "a row may change without an event");
    assert_eq!(get(&store, "a").await.row, later);
}

async fn of_many_appends_at_one_place_one_wins(store: Store) {
    make(&store, row("a", 1)).await;
    for at in 1..=20 {
        let tasks: Vec<_> = (0..8)
            .map(|i| {
                let (store, event) = (store.clone(), format!("{at} by {i}"));
                let row = SessionRow { updated_at: i, ..row("a", 1) };
                tokio::spawn(async move {
                    store
                        .sessions()
                        .append(row, at, vec![event.clone()], Claim::Free)
                        .await
                        .expect("answered")
                        .then_some((event, i))
                })
            })
            .collect();
        let mut winners = Vec::new();
        for task in tasks {
            winners.extend(task.await.expect("no panic"));
        }
        let kept = get(&store, "a").await;
        assert_eq!(kept.events.len() as u64, at + 1);
        assert_eq!(winners, [(kept.events[at as usize].clone(), kept.row.updated_at)]);
    }
}

async fn appends_to_many_sessions_at_once_are_each_judged_alone(store: Store) {
    for n in 0..40 {
        make(&store, row(&format!("s{n}"), n)).await;
    }
    let appends = (0..50).map(|n| {
        // Every fifth is too late, and the last ten are not there.
        let (store, id, at) = (store.clone(), format!("s{n}"), u64::from(n % 5 != 0));
        let (waiting, events) = (Some(format!("event:{n}")), texts(&["a", "b", "c"][..n % 4]));
        let row = SessionRow { due: Some(n as i64), waiting, ..row(&id, 0) };
        tokio::spawn(async move { (n, store.sessions().append(row, at, events, Claim::Free).await) })
    });
    for append in appends.collect::<Vec<_>>() {
        let (n, appended) = append.await.expect("no panic");
        let id = format!("s{n}");
        match appended {
            Err(Error::Gone(gone)) => assert!(n >= 40 && gone == id, "{n}: {gone}"),
            appended => assert_eq!(appended.expect("answered"), n < 40 && n % 5 != 0, "{n}"),
        }
        if n < 40 {
            let (kept, late) = (get(&store, &id).await, n % 5 == 0);
            let added: &[&str] = if late { &[] } else { &["a", "b", "c"][..n % 4] };
            assert_eq!(kept.events[1..], texts(added), "{n}");
            assert_eq!(kept.row.due, (!late).then_some(n as i64), "{n}");
            assert_eq!(kept.row.waiting, (!late).then(|| format!("event:{n}")), "{n}");
        }
    }
}

async fn lists_are_newest_first_in_pages_and_filtered(store: Store) {
    for (id, at) in [("c", 1), ("b", 3), ("a", 3), ("d", 2)] {
        make(&store, row(id, at)).await;
    }
    make(&store, SessionRow { workflow: "w".into(), parent: Some("a".into()), ..row("e", 0) }).await;
    make(&store, SessionRow { caller: "bob".into(), waiting: Some("event:x".into()), ..row("f", 9) }).await;
    make(&store, SessionRow { waiting: Some("event".into()), ..finished(row("g", 8), "failed", 9) }).await;
    assert_eq!(all(&store).await, "f g a b d c e");
    let any = SessionFilter::default();
    assert_eq!(page(&store, any, 2, 1).await, "g a");
    assert_eq!(page(&store, any, 9, 6).await, "e");
    assert_eq!(page(&store, any, 9, 7).await, "");
    assert_eq!(page(&store, any, 0, 0).await, "");
    let cases = [
        (SessionFilter { workflow: Some("w"), ..any }, "e"),
        (SessionFilter { workflow: Some("calc"), status: Some("running"), ..any }, "f a b d c"),
        (SessionFilter { status: Some("failed"), ..any }, "g"),
        (SessionFilter { status: Some("paused"), ..any }, ""),
        (SessionFilter { caller: Some("bob"), ..any }, "f"),
        (SessionFilter { caller: Some("ann"), status: Some("running"), ..any }, "a b d c e"),
        (SessionFilter { parent: Some("a"), ..any }, "e"),
        (SessionFilter { waiting: Some("event"), ..any }, "f g"),
        (SessionFilter { waiting: Some("event:"), ..any }, "f"),
        (SessionFilter { waiting: Some(""), ..any }, "f g"),
        (SessionFilter { waiting: Some("%"), ..any }, ""),
        (
            SessionFilter {
                waiting: Some("event"),
                workflow: Some("calc"),
                status: Some("failed"),
                caller: Some("ann"),
                parent: None,
            },
            "g",
        ),
    ];
    for (filter, expected) in cases {
        assert_eq!(page(&store, filter, 99, 0).await, expected, "{filter:?}");
        let count = store.sessions().count(filter).await.expect("a count");
        assert_eq!(count as usize, expected.split_whitespace().count(), "{filter:?}");
    }
    assert_eq!(
        get(&store, "a").await.events,
        store.sessions().list(any, 1, 2).await.expect("the list")[0].events
    );
}

async fn statistics_count_by_workflow_and_status(store: Store) {
    let stats = || async {
        let lines = store.sessions().stats().await.expect("counted");
        lines.into_iter().map(|(w, s, n)| format!("{w} {s} {n}")).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(stats().await, "");
    for id in ["a", "b", "c"] {
        make(&store, row(id, 1)).await;
    }
    make(&store, SessionRow { workflow: "b".into(), ..row("d", 1) }).await;
    assert_eq!(stats().await, "b running 1, calc running 3");
    assert!(append(&store, &finished(row("a", 1), "failed", 5), 1, &["x"]).await);
    assert!(append(&store, &SessionRow { status: "paused".into(), ..row("b", 1) }, 1, &["x"]).await);
    assert_eq!(stats().await, "b running 1, calc failed 1, calc paused 1, calc running 1");
    assert!(!append(&store, &finished(row("b", 1), "failed", 5), 1, &["x"]).await);
    assert!(append(&store, &row("b", 1), 2, &["x"]).await);
    assert!(store.sessions().delete("a").await.expect("removed"));
    assert!(store.sessions().delete("d").await.expect("removed"));
    assert_eq!(stats().await, "calc running 2");
    assert_eq!(store.sessions().count(SessionFilter::default()).await.expect("a count"), 2);
}

async fn open_waiting_and_unfinished_sessions_are_found(store: Store) {
    for (id, at) in [("b", 1), ("a", 1), ("c", 2)] {
        make(&store, SessionRow { waiting: Some("event:x".into()), ..row(id, at) }).await;
    }
    make(&store, SessionRow { caller: "bob".into(), ..row("d", 5) }).await;
    make(&store, SessionRow { workflow: "w".into(), waiting: Some("event:xy".into()), ..row("e", 5) }).await;
    make(&store, finished(row("f", 6), "completed", 7)).await;
    let sessions = store.sessions();
    assert_eq!(sessions.open("calc", "ann", 9).await.expect("ids"), ["c", "a", "b"]);
    assert_eq!(sessions.open("calc", "ann", 1).await.expect("ids"), ["c"]);
    assert!(sessions.open("w", "bob", 9).await.expect("ids").is_empty());
    assert_eq!(sessions.waiting("event:x", 9).await.expect("ids"), ["a", "b", "c"]);
    assert_eq!(sessions.waiting("event:x", 2).await.expect("ids"), ["a", "b"]);
    assert!(sessions.waiting("event", 9).await.expect("ids").is_empty());
    assert_eq!(sessions.unfinished(None, 3).await.expect("ids"), ["a", "b", "c"]);
    assert_eq!(sessions.unfinished(Some("c"), 3).await.expect("ids"), ["d", "e"]);
    assert!(sessions.unfinished(Some("e"), 3).await.expect("ids").is_empty());
    assert_eq!(sessions.using("d1").await.expect("a count"), 5);
    assert!(append(&store, &finished(row("a", 1), "failed", 9), 1, &["x"]).await);
    assert_eq!(sessions.open("calc", "ann", 9).await.expect("ids"), ["c", "b"]);
    assert_eq!(sessions.waiting("event:x", 9).await.expect("ids"), ["b", "c"]);
    assert_eq!(sessions.unfinished(None, 9).await.expect("ids"), ["b", "c", "d", "e"]);
    assert_eq!(sessions.using("d1").await.expect("a count"), 4);
    assert_eq!(sessions.using("d2").await.expect("a count"), 0);
}

async fn open_sessions_of_a_parent_that_is_finished_or_gone_are_orphans(store: Store) {
    let child = |id: &str, parent: &str| SessionRow { parent: Some(parent.into()), ..row(id, 2) };
    make(&store, row("open", 1)).await;
    make(&store, finished(row("over", 1), "cancelled", 3)).await;
    make(&store, child("a", "open")).await;
    make(&store, child("b", "over")).await;
    make(&store, finished(child("c", "over"), "completed", 3)).await;
    make(&store, child("d", "over")).await;
    let sessions = store.sessions();
    assert_eq!(sessions.orphans(9).await.expect("ids"), ["b", "d"]);
    assert_eq!(sessions.orphans(1).await.expect("ids"), ["b"]);
    assert!(append(&store, &finished(row("open", 1), "failed", 9), 1, &["x"]).await);
    assert_eq!(sessions.orphans(9).await.expect("ids"), ["a", "b", "d"]);
    make(&store, row("gone", 1)).await;
    make(&store, child("e", "gone")).await;
    make(&store, finished(child("f", "gone"), "completed", 3)).await;
    assert_eq!(sessions.orphans(9).await.expect("ids"), ["a", "b", "d"]);
    assert!(sessions.delete("gone").await.expect("removed"));
    assert_eq!(sessions.orphans(9).await.expect("ids"), ["a", "b", "d", "e"]);
}

async fn a_session_is_found_by_its_workflow_caller_and_key(store: Store) {
    let sessions = store.sessions();
    let other = SessionRow { caller: "bob".into(), ..row("b", 1) };
    for (row, key) in [(row("a", 1), Some("k")), (other, Some("k")), (row("c", 1), None)] {
        let key = key.map(str::to_owned);
        let made = sessions.create(row, key, texts(&["{}"]), FREE, Claim::Free).await.expect("created");
        assert_eq!(made, Created::Made);
    }
    let found = async |workflow: &str, caller: &str, key: &str| {
        sessions.keyed(workflow, caller, key).await.expect("an id").unwrap_or_default()
    };
    assert_eq!((found("calc", "ann", "k").await, found("calc", "bob", "k").await), ("a".into(), "b".into()));
    for (workflow, caller, key) in [("w", "ann", "k"), ("calc", "eve", "k"), ("calc", "ann", "")] {
        assert_eq!(found(workflow, caller, key).await, "", "{workflow} {caller} {key}");
    }
    assert!(append(&store, &finished(row("a", 1), "failed", 9), 1, &["x"]).await);
    assert_eq!(found("calc", "ann", "k").await, "a", "also one that is finished");
    assert!(sessions.delete("a").await.expect("removed"));
    assert_eq!(found("calc", "ann", "k").await, "");
}

async fn due_sessions_come_the_longest_due_first(store: Store) {
    let sessions = store.sessions();
    assert_eq!(sessions.next_due().await.expect("a time"), None);
    for (id, due) in [("a", Some(7)), ("b", Some(3)), ("c", None), ("d", Some(3)), ("e", Some(20))] {
        make(&store, SessionRow { due, ..row(id, 1) }).await;
    }
    assert_eq!(sessions.next_due().await.expect("a time"), Some(3));
    assert_eq!(sessions.due(10, 9).await.expect("ids"), ["b", "d", "a"]);
    assert_eq!(sessions.due(7, 2).await.expect("ids"), ["b", "d"]);
    assert!(sessions.due(2, 9).await.expect("ids").is_empty());
    assert!(append(&store, &row("b", 1), 1, &["x"]).await);
    assert!(append(&store, &SessionRow { due: Some(30), ..row("d", 1) }, 1, &["x"]).await);
    assert_eq!(sessions.due(10, 9).await.expect("ids"), ["a"]);
    assert!(sessions.delete("a").await.expect("removed"));
    assert_eq!(sessions.next_due().await.expect("a time"), Some(20));
}

async fn a_deleted_session_is_gone_with_its_events(store: Store) {
    make(&store, row("a", 1)).await;
    make(&store, row("b", 1)).await;
    assert!(store.sessions().delete("b").await.expect("removed"));
    assert!(!store.sessions().delete("b").await.expect("nothing to remove"));
    assert!(!store.sessions().delete("' OR 1=1 --").await.expect("nothing to remove"));
    assert_eq!(store.sessions().events_after("b", 0).await.expect("read"), None);
    assert_eq!(all(&store).await, "a");
    let made =
        store.sessions().create(row("b", 2), None, Vec::new(), FREE, Claim::Free).await.expect("created");
    assert_eq!(made, Created::Made);
    assert!(get(&store, "b").await.events.is_empty(), "nothing of the older one is left");
    assert!(append(&store, &row("b", 2), 0, &["first"]).await);
}

contract! {
    a_session_comes_back_with_its_events_to_the_letter,
    an_id_is_created_once,
    appended_events_follow_the_others_and_the_row_changes_with_them,
    what_never_changes_in_a_row_stays_as_it_was_created,
    an_append_at_another_place_changes_nothing,
    of_many_appends_at_one_place_one_wins,
    appends_to_many_sessions_at_once_are_each_judged_alone,
    lists_are_newest_first_in_pages_and_filtered,
    statistics_count_by_workflow_and_status,
    open_waiting_and_unfinished_sessions_are_found,
    open_sessions_of_a_parent_that_is_finished_or_gone_are_orphans,
    a_session_is_found_by_its_workflow_caller_and_key,
    due_sessions_come_the_longest_due_first,
    a_deleted_session_is_gone_with_its_events,
}
