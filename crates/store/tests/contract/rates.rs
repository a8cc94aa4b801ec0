//! The promises of rates, which only stores that several instances share have.

use lockgate_store::{Flow, Granted, Location, Store};
use std::time::{Duration, Instant};

/// So many a second, and so many at once.
fn flow(per_second: u32, burst: u32) -> Flow {
    let each = Duration::from_secs(1) / per_second;
    Flow { each, depth: each * burst }
}

async fn take(store: &Store, name: &str, flow: Flow, want: u64) -> Granted {
    store.rates().expect("a shared store").take(name, flow, want).await.expect("an answer")
}

async fn a_bucket_gives_its_burst_and_then_its_rate(store: Store) {
    let slow = flow(1, 3);
    assert_eq!(take(&store, "a", slow, 2).await, Granted { tokens: 2, rest: Duration::ZERO });
    let last = take(&store, "a", slow, 5).await;
    assert_eq!(last.tokens, 1);
    let none = take(&store, "a", slow, 1).await;
    assert_eq!(none.tokens, 0);
    assert!(none.rest > Duration::ZERO && none.rest <= Duration::from_secs(1), "{none:?}");
    assert_eq!(take(&store, "日本 \" '", slow, 9).await.tokens, 3, "every name has a bucket of its own");
    // Another rate in place of the first is in force at once: the bucket is empty, and fills as fast as that says.
    let fast = flow(1000, 1000);
    take(&store, "a", fast, 1).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(take(&store, "a", fast, 1).await.tokens, 1);
}

async fn of_many_who_take_at_once_all_together_get_what_there_is(store: Store) {
    let (began, rate) = (Instant::now(), flow(10, 50));
    let takers = (0..8).map(|_| {
        let store = store.clone();
        tokio::spawn(async move {
            let mut sum = 0;
            for _ in 0..10 {
                sum += take(&store, "a", rate, 3).await.tokens;
            }
            sum
        })
    });
    let mut sum = 0;
    for taker in takers.collect::<Vec<_>>() {
        sum += taker.await.expect("no panic");
    }
    let most = 50 + began.elapsed().as_millis() as u64 / 100 + 1;
    assert!((50..=most).contains(&sum), "{sum} of at most {most}");
}

async fn a_bucket_fills_by_the_clock_of_the_store(store: Store) {
    let rate = flow(20, 2);
    assert_eq!(take(&store, "a", rate, 2).await.tokens, 2);
    let mut last = take(&store, "a", rate, 1).await;
    // Its clock may be set while we wait by another one. Then it tells what is left.
    while last.tokens == 0 {
        tokio::time::sleep(last.rest + Duration::from_millis(1)).await;
        let next = take(&store, "a", rate, 1).await;
        assert!(next.tokens == 1 || next.rest < last.rest, "after the time that it told: {next:?}");
        last = next;
    }
}

macro_rules! shared {
    ($($promise:ident),+ $(,)?) => {
        mod redis {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $promise() {
                let server = databases::Redis::own();
                let location = server.url().parse().expect("a location");
                super::$promise(lockgate_store::open(&location).await.expect("opened")).await;
            })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $promise() {
                let location = databases::Postgres::shared().database().url.parse().expect("a location");
                super::$promise(lockgate_store::open(&location).await.expect("opened")).await;
            })+
        }
    };
}

shared! {
    a_bucket_gives_its_burst_and_then_its_rate,
    of_many_who_take_at_once_all_together_get_what_there_is,
    a_bucket_fills_by_the_clock_of_the_store,
}

#[tokio::test]
async fn a_store_of_one_machine_has_none() {
    assert!(lockgate_store::open(&Location::Memory).await.expect("opened").rates().is_none());
}
