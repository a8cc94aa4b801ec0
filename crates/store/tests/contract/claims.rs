//! The promises about who works on a session.

use lockgate_store::{AT_WORK, Claim, Created, Lease, SessionLimits, SessionRow, Store};

const FREE: SessionLimits =
    SessionLimits { most: u64::MAX, finished_before: i64::MIN, evict_open: false, since: None };

/// A lease that lasts for the whole test.
fn long(holder: &str) -> Lease {
    Lease { holder: holder.into(), ms: 600_000 }
}

/// A lease that is over when it begins.
fn over(holder: &str) -> Lease {
    Lease { holder: holder.into(), ms: 0 }
}

fn row(id: &str, waiting: Option<&str>, due: Option<i64>) -> SessionRow {
    let waiting = waiting.map(str::to_owned);
    SessionRow { waiting, due, definition: "d1".into(), ..SessionRow::started(id, "calc", 1) }
}

async fn make(store: &Store, row: SessionRow, claim: Claim) {
    let made = store.sessions().create(row, None, vec!["{}".into()], FREE, claim).await;
    assert_eq!(made.expect("created"), Created::Made);
}

async fn take_up(store: &Store, now: i64, lease: &Lease) -> String {
    let mut ids = store.sessions().take_up(now, lease, 100).await.expect("answered");
    ids.sort();
    ids.join(" ")
}

async fn claim(store: &Store, id: &str, lease: &Lease) -> bool {
    store.sessions().claim(id, lease).await.expect("answered")
}

async fn what_is_at_work_or_due_and_held_by_nobody_is_handed_out_once(store: Store) {
    make(&store, row("held", Some(AT_WORK), None), Claim::Take(long("a"))).await;
    make(&store, row("left", Some(AT_WORK), None), Claim::Take(over("a"))).await;
    make(&store, row("never", Some(AT_WORK), None), Claim::Free).await;
    make(&store, row("due", Some("event:x"), Some(10)), Claim::Free).await;
    make(&store, row("both", Some(AT_WORK), Some(10)), Claim::Free).await;
    make(&store, row("due-held", None, Some(10)), Claim::Take(long("a"))).await;
    make(&store, row("later", None, Some(11)), Claim::Free).await;
    make(&store, row("idle", None, None), Claim::Free).await;
    assert_eq!(take_up(&store, 10, &long("b")).await, "both due left never");
    assert_eq!(take_up(&store, 10, &long("c")).await, "", "b holds them all");
    assert_eq!(take_up(&store, 11, &over("c")).await, "later");
    assert_eq!(take_up(&store, 11, &long("d")).await, "later", "the claim of c is over");
}

async fn no_more_are_handed_out_than_were_asked_for(store: Store) {
    for id in ["a", "b", "c"] {
        make(&store, row(id, Some(AT_WORK), None), Claim::Free).await;
        make(&store, row(&format!("{id}-due"), None, Some(1)), Claim::Free).await;
    }
    let mut all = Vec::new();
    for expected in [2, 2, 2, 0] {
        let some = store.sessions().take_up(5, &long("x"), 2).await.expect("answered");
        assert_eq!(some.len(), expected);
        all.extend(some);
    }
    all.sort();
    assert_eq!(all.join(" "), "a a-due b b-due c c-due");
}

async fn of_many_that_take_up_at_once_each_gets_others(store: Store) {
    for n in 0..40 {
        make(&store, row(&format!("s{n}"), Some(AT_WORK), None), Claim::Free).await;
    }
    let takers = (0..8).map(|taker| {
        let store = store.clone();
        tokio::spawn(async move {
            let mut mine = Vec::new();
            loop {
                let some =
                    store.sessions().take_up(0, &long(&format!("t{taker}")), 3).await.expect("answered");
                if some.is_empty() {
                    return mine;
                }
                mine.extend(some);
            }
        })
    });
    let mut all = Vec::new();
    for taker in takers.collect::<Vec<_>>() {
        all.extend(taker.await.expect("no panic"));
    }
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!((count, all.len()), (40, 40));
}

async fn a_session_is_claimed_by_its_holder_or_when_it_is_free(store: Store) {
    make(&store, row("s", Some(AT_WORK), None), Claim::Take(long("a"))).await;
    assert!(claim(&store, "s", &long("a")).await, "it is a's own");
    assert!(!claim(&store, "s", &long("b")).await);
    store.sessions().release("s", "b").await.expect("answered");
    assert!(!claim(&store, "s", &long("b")).await, "b had nothing to let go of");
    store.sessions().release("s", "a").await.expect("answered");
    assert!(claim(&store, "s", &over("b")).await);
    assert!(claim(&store, "s", &long("c")).await, "the claim of b is over");
    assert!(!claim(&store, "nobody", &long("c")).await);
}

async fn a_record_keeps_takes_or_frees_the_claim(store: Store) {
    let at_work = row("s", Some(AT_WORK), None);
    make(&store, at_work.clone(), Claim::Take(long("a"))).await;
    let append = async |at, claim| {
        store.sessions().append(at_work.clone(), at, vec!["{}".into()], claim).await.expect("answered")
    };
    assert!(append(1, Claim::Keep).await);
    assert!(!claim(&store, "s", &long("b")).await, "a keeps it");
    assert!(append(2, Claim::Take(long("b"))).await);
    assert!(!claim(&store, "s", &long("a")).await, "b took it");
    assert!(!append(2, Claim::Free).await, "too late");
    assert!(!claim(&store, "s", &long("a")).await, "a record that was refused changes nothing");
    assert!(append(3, Claim::Free).await);
    assert!(claim(&store, "s", &long("a")).await);
}

async fn only_its_holder_renews_a_claim(store: Store) {
    for id in ["mine", "lost"] {
        make(&store, row(id, Some(AT_WORK), None), Claim::Take(over("a"))).await;
    }
    assert!(claim(&store, "lost", &long("b")).await);
    let ids = ["mine", "lost", "nobody"].map(str::to_owned);
    assert_eq!(store.sessions().renew(&ids, &long("a")).await.expect("answered"), ["mine"]);
    assert_eq!(take_up(&store, 0, &long("c")).await, "", "both are held again");
    assert!(store.sessions().renew(&[], &long("a")).await.expect("answered").is_empty());
}

async fn a_holder_that_leaves_lets_go_of_everything(store: Store) {
    for (id, holder) in [("a1", "a"), ("a2", "a"), ("b1", "b")] {
        make(&store, row(id, Some(AT_WORK), None), Claim::Take(long(holder))).await;
    }
    assert_eq!(store.sessions().release_all(Some("a")).await.expect("answered"), 2);
    assert_eq!(take_up(&store, 0, &long("c")).await, "a1 a2");
    assert_eq!(store.sessions().release_all(None).await.expect("answered"), 3);
    assert_eq!(take_up(&store, 0, &long("c")).await, "a1 a2 b1");
}

async fn sessions_that_wait_for_one_that_is_over_are_found(store: Store) {
    make(&store, row("p1", Some("session:over"), None), Claim::Free).await;
    make(&store, row("p2", Some("session:open"), None), Claim::Free).await;
    make(&store, row("p3", Some("session:gone"), None), Claim::Free).await;
    make(&store, row("p4", Some("sessions"), None), Claim::Free).await;
    make(&store, row("open", None, None), Claim::Free).await;
    let over = SessionRow { open: false, completed_at: Some(2), ..row("over", None, None) };
    make(&store, over, Claim::Free).await;
    assert_eq!(store.sessions().answered(10).await.expect("answered"), ["p1", "p3"]);
    assert_eq!(store.sessions().answered(1).await.expect("answered"), ["p1"]);
}

contract!(
    what_is_at_work_or_due_and_held_by_nobody_is_handed_out_once,
    no_more_are_handed_out_than_were_asked_for,
    of_many_that_take_up_at_once_each_gets_others,
    a_session_is_claimed_by_its_holder_or_when_it_is_free,
    a_record_keeps_takes_or_frees_the_claim,
    only_its_holder_renews_a_claim,
    a_holder_that_leaves_lets_go_of_everything,
    sessions_that_wait_for_one_that_is_over_are_found,
);
