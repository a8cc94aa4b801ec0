//! The promises of the bus, and of the secrets that all instances share.

use lockgate_store::{Error, MESSAGE_MAX, Store};
use std::time::Duration;

async fn what_is_said_is_heard_in_order_by_everybody_who_listens(store: Store) {
    let mut ears = [store.bus().subscribe(), store.clone().bus().subscribe()];
    for n in 0..20 {
        store.bus().publish(&format!("'{n}' \u{65e5}\u{672c}")).await.expect("said");
    }
    for ear in &mut ears {
        for n in 0..20 {
            let heard = tokio::time::timeout(Duration::from_secs(10), ear.next()).await.expect("in time");
            assert_eq!(heard.as_deref(), Some(&*format!("'{n}' \u{65e5}\u{672c}")));
        }
    }
}

async fn a_message_has_a_largest_size(store: Store) {
    let mut ear = store.bus().subscribe();
    let refused = store.bus().publish(&"x".repeat(MESSAGE_MAX + 1)).await.expect_err("refused");
    assert!(matches!(refused, Error::Long { bytes, .. } if bytes == MESSAGE_MAX + 1), "{refused}");
    store.bus().publish(&"x".repeat(MESSAGE_MAX)).await.expect("said");
    let heard = tokio::time::timeout(Duration::from_secs(10), ear.next()).await.expect("in time");
    assert_eq!(heard.map(|text| text.len()), Some(MESSAGE_MAX));
}

async fn all_who_want_a_secret_get_the_first_one(store: Store) {
    let wishes = (0..10).map(|n| {
        let store = store.clone();
        tokio::spawn(
            async move { store.secrets().get_or_keep("k", &format!("secret-{n}")).await.expect("kept") },
        )
    });
    let mut given = Vec::new();
    for wish in wishes.collect::<Vec<_>>() {
        given.push(wish.await.expect("no panic"));
    }
    given.dedup();
    assert_eq!(given.len(), 1, "{given:?}");
    assert_eq!(store.secrets().get_or_keep("other", "o").await.expect("kept"), "o");
    assert_eq!(store.secrets().get_or_keep("k", "late").await.expect("kept"), given[0]);
}

async fn a_secret_is_replaced_and_given_out_once(store: Store) {
    let secrets = store.secrets();
    assert_eq!(secrets.get("s").await.expect("read"), None);
    secrets.put("s", "one").await.expect("kept");
    secrets.put("s", "two").await.expect("kept");
    assert!(!secrets.replace("s", "one", "three").await.expect("an answer"), "it is another one by now");
    assert!(!secrets.replace("other", "two", "three").await.expect("an answer"), "there is none");
    assert!(secrets.replace("s", "two", "three").await.expect("an answer"));
    assert!(secrets.replace("s", "three", "two").await.expect("an answer"));
    assert_eq!(secrets.get("s").await.expect("read").as_deref(), Some("two"));
    let takers = (0..5).map(|_| {
        let store = store.clone();
        tokio::spawn(async move { store.secrets().take("s").await.expect("taken") })
    });
    let mut taken = Vec::new();
    for taker in takers.collect::<Vec<_>>() {
        taken.extend(taker.await.expect("no panic"));
    }
    assert_eq!(taken, ["two"]);
    assert_eq!(secrets.get("s").await.expect("read"), None);
}

async fn the_time_goes_on(store: Store) {
    let first = store.now().await.expect("told");
    assert!(first > 1_600_000_000_000, "{first}");
    let deadline = tokio::time::Instant::now() + Duration::from_secs(10);
    while store.now().await.expect("told") <= first {
        assert!(tokio::time::Instant::now() < deadline, "the clock stands still");
        tokio::task::yield_now().await;
    }
}

contract!(
    what_is_said_is_heard_in_order_by_everybody_who_listens,
    a_message_has_a_largest_size,
    all_who_want_a_secret_get_the_first_one,
    a_secret_is_replaced_and_given_out_once,
    the_time_goes_on,
);
