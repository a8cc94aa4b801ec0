//! The promises of the schedules area.

use lockgate_store::{Store, StoredSchedule};

fn schedule(id: &str, next: Option<i64>) -> StoredSchedule {
    StoredSchedule {
        id: id.into(),
        workflow: "calc".into(),
        body: "{\"cron\": \"0 8 * * *\", \"zone\":\"日本 ' ?1\"}".into(),
        next,
        paused: false,
        created_at: 1,
        updated_at: 2,
        refused: None,
    }
}

async fn put(store: &Store, schedule: StoredSchedule) {
    store.schedules().put(schedule).await.expect("put");
}

async fn due(store: &Store, now: i64, limit: usize) -> String {
    let found = store.schedules().due(now, limit).await.expect("the list");
    found.into_iter().map(|one| one.id).collect::<Vec<_>>().join(" ")
}

async fn advance(store: &Store, id: &str, expected: i64, next: Option<i64>) -> bool {
    store.schedules().advance(id, expected, next, None).await.expect("answered")
}

async fn schedules_come_back_as_they_were_added(store: Store) {
    assert!(store.schedules().list().await.expect("the list").is_empty());
    put(&store, schedule("z", Some(i64::MAX))).await;
    put(&store, schedule("a", None)).await;
    let changed =
        StoredSchedule { paused: true, workflow: "w".into(), updated_at: 9, ..schedule("z", Some(-5)) };
    let changed = StoredSchedule { refused: Some("it said '否'".into()), ..changed };
    put(&store, changed.clone()).await;
    assert_eq!(store.schedules().list().await.expect("the list"), [changed.clone(), schedule("a", None)]);
    assert_eq!(store.schedules().get("z").await.expect("read"), Some(changed));
    assert_eq!(store.schedules().get("Z").await.expect("read"), None);
    assert!(store.schedules().delete("z").await.expect("removed"));
    assert!(!store.schedules().delete("z").await.expect("nothing to remove"));
    assert_eq!(store.schedules().list().await.expect("the list"), [schedule("a", None)]);
}

async fn due_schedules_come_the_longest_due_first(store: Store) {
    for (id, next) in [("a", Some(7)), ("b", Some(3)), ("c", None), ("d", Some(3)), ("e", Some(20))] {
        put(&store, schedule(id, next)).await;
    }
    put(&store, StoredSchedule { paused: true, ..schedule("f", Some(1)) }).await;
    assert_eq!(due(&store, 10, 9).await, "b d a");
    assert_eq!(due(&store, 7, 2).await, "b d");
    assert_eq!(due(&store, 2, 9).await, "");
    assert_eq!(store.schedules().due(3, 1).await.expect("the list"), [schedule("b", Some(3))]);
}

async fn a_schedule_moves_only_from_the_time_that_is_meant(store: Store) {
    put(&store, schedule("a", Some(5))).await;
    put(&store, StoredSchedule { paused: true, ..schedule("p", Some(5)) }).await;
    assert!(!advance(&store, "a", 4, Some(10)).await);
    assert!(!advance(&store, "p", 5, Some(10)).await, "a paused one does not fire");
    assert!(!advance(&store, "x", 5, Some(10)).await);
    assert!(advance(&store, "a", 5, Some(10)).await);
    assert!(!advance(&store, "a", 5, Some(10)).await);
    assert_eq!(store.schedules().get("a").await.expect("read"), Some(schedule("a", Some(10))));
    assert!(advance(&store, "a", 10, None).await);
    assert_eq!(due(&store, i64::MAX, 9).await, "");
}

async fn a_schedule_says_why_its_last_time_passed_unused(store: Store) {
    put(&store, schedule("a", Some(5))).await;
    let schedules = store.schedules();
    assert!(schedules.advance("a", 5, Some(5), Some("full")).await.expect("answered"));
    let full = StoredSchedule { refused: Some("full".into()), ..schedule("a", Some(5)) };
    assert_eq!(schedules.get("a").await.expect("read"), Some(full));
    assert!(!schedules.advance("a", 4, Some(9), Some("another")).await.expect("answered"));
    assert!(schedules.advance("a", 5, Some(9), None).await.expect("answered"));
    assert_eq!(schedules.list().await.expect("the list"), [schedule("a", Some(9))]);
}

async fn of_many_that_fire_a_time_one_is_told_so(store: Store) {
    put(&store, schedule("a", Some(0))).await;
    for time in 0..10 {
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let store = store.clone();
                tokio::spawn(async move { advance(&store, "a", time, Some(time + 1)).await })
            })
            .collect();
        let mut fired = 0;
        for task in tasks {
            fired += usize::from(task.await.expect("no panic"));
        }
        assert_eq!(fired, 1);
    }
}

contract! {
    schedules_come_back_as_they_were_added,
    due_schedules_come_the_longest_due_first,
    a_schedule_moves_only_from_the_time_that_is_meant,
    a_schedule_says_why_its_last_time_passed_unused,
    of_many_that_fire_a_time_one_is_told_so,
}
