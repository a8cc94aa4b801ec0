//! The promises of the runs area.

use lockgate_store::{Store, StoredRun};
use model::RunId;

fn run(at: i64, workflow: &str) -> StoredRun {
    let record = format!("{{\"at\":{at}}}");
    StoredRun { id: RunId::new(at, 0), workflow: workflow.into(), record }
}

async fn times(store: &Store, workflow: Option<&str>, limit: usize, offset: usize) -> Vec<i64> {
    let runs = store.runs().list(workflow, limit, offset).await.expect("the list");
    runs.into_iter().map(|run| run.id.number() >> 20).collect()
}

async fn runs_come_back_newest_first_in_pages(store: Store) {
    assert!(times(&store, None, 10, 0).await.is_empty());
    store.runs().keep(vec![run(3, "a"), run(1, "b"), run(2, "a")]).await.expect("kept");
    store.runs().keep(vec![run(5, "b"), run(4, "a")]).await.expect("kept");
    assert_eq!(times(&store, None, 10, 0).await, [5, 4, 3, 2, 1]);
    assert_eq!(times(&store, None, 2, 1).await, [4, 3]);
    assert_eq!(times(&store, Some("a"), 10, 0).await, [4, 3, 2]);
    assert_eq!(times(&store, Some("a"), 1, 2).await, [2]);
    assert!(times(&store, Some("c"), 10, 0).await.is_empty());
    assert_eq!(times(&store, None, usize::MAX, 4).await, [1]);
    assert!(times(&store, None, 0, 0).await.is_empty());
    assert_eq!(store.runs().count(None).await.expect("a count"), 5);
    assert_eq!(store.runs().count(Some("b")).await.expect("a count"), 2);
}

async fn a_run_is_found_by_its_id_and_can_be_filled_in_later(store: Store) {
    store.runs().keep(vec![run(1, "a"), run(2, "a")]).await.expect("kept");
    let later = StoredRun { record: "{\"text\":\"日本 \\u0000 ' ?1\"}".into(), ..run(1, "a") };
    store.runs().keep(vec![later.clone()]).await.expect("kept");
    assert_eq!(store.runs().get(later.id).await.expect("read"), Some(later));
    assert_eq!(store.runs().get(run(2, "a").id).await.expect("read"), Some(run(2, "a")));
    assert_eq!(store.runs().get(RunId::new(9, 9)).await.expect("read"), None);
    assert_eq!(times(&store, None, 10, 0).await, [2, 1]);
}

async fn trimming_takes_the_oldest_by_age_and_by_number(store: Store) {
    store.runs().keep((1..=10).map(|at| run(at, "a")).collect::<Vec<_>>()).await.expect("kept");
    assert_eq!(store.runs().trim(100, 0).await.expect("trimmed"), 0);
    assert_eq!(store.runs().trim(100, 4).await.expect("trimmed"), 3);
    assert_eq!(times(&store, None, 100, 0).await, [10, 9, 8, 7, 6, 5, 4]);
    assert_eq!(store.runs().trim(2, 0).await.expect("trimmed"), 5);
    assert_eq!(times(&store, None, 100, 0).await, [10, 9]);
    assert_eq!(store.runs().trim(u64::MAX, i64::MIN).await.expect("trimmed"), 0);
    assert_eq!(store.runs().trim(0, 0).await.expect("trimmed"), 2);
    assert!(times(&store, None, 100, 0).await.is_empty());
}

contract! {
    runs_come_back_newest_first_in_pages,
    a_run_is_found_by_its_id_and_can_be_filled_in_later,
    trimming_takes_the_oldest_by_age_and_by_number,
}
