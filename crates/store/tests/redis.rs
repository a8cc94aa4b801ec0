//! Redis over TLS, and a Redis that loses its data.

use databases::Redis;
use lockgate_store::{Error, Location, Store, StoredKey};

async fn open(url: &str) -> Result<Store, Error> {
    lockgate_store::open(&url.parse::<Location>()?).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_shows_a_trusted_certificate_is_spoken_to_and_heard() {
    let (server, authority) = Redis::with_tls();
    let url = format!("rediss://localhost:{}/0?sslrootcert={}", server.port(), authority.display());
    let (one, other) = (open(&url).await.expect("opened"), open(&url).await.expect("opened"));
    let key = StoredKey { name: "a".into(), digest: "d".into(), grant: "{}".into(), created_at: 1 };
    one.keys().add(key.clone()).await.expect("kept");
    assert_eq!(other.keys().list().await.expect("the list"), [key]);
    let mut heard = other.bus().subscribe();
    one.bus().publish("hello").await.expect("said");
    assert_eq!(heard.next().await.as_deref(), Some("hello"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_a_trusted_certificate_is_refused() {
    let (server, authority) = Redis::with_tls();
    let (port, file) = (server.port(), authority.display());
    for url in [
        format!("rediss://localhost:{port}/0"),
        format!("rediss://127.0.0.1:{port}/0?sslrootcert={file}"),
        format!("rediss://localhost:{port}/0?sslrootcert=/nowhere.pem"),
    ] {
        let error = open(&url).await.expect_err("it is not to be trusted");
        assert!(matches!(error, Error::Unavailable { .. } | Error::Server { .. } | Error::Url(_)), "{error}");
    }
}

/// Waits until a store has its connection back: the first answers after a crash are that it is gone.
async fn answers(store: &Store) {
    while store.now().await.is_err() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_lost_its_data_is_not_taken_for_an_empty_one() {
    let server = Redis::own();
    let store = open(&server.url()).await.expect("opened");
    let key = StoredKey { name: "a".into(), digest: "d".into(), grant: "{}".into(), created_at: 1 };
    store.keys().add(key.clone()).await.expect("kept");
    let seen = store.marks().read().await.expect("read");
    let dump = server.save();
    let aside = dump.with_extension("aside");
    std::fs::rename(&dump, &aside).expect("put aside");
    server.crash();
    server.start();
    let lost = |what: &str, error: Error| assert!(matches!(error, Error::Lost), "{what}: {error}");
    answers(&store).await;
    lost("keys", store.keys().list().await.expect_err("they are not known"));
    lost("hooks", store.hooks().list().await.expect_err("they are not known"));
    lost("marks", store.marks().read().await.expect_err("they are not known"));
    lost("marks", store.marks().changed(&seen).await.expect_err("they are not known"));
    let other = StoredKey { name: "b".into(), ..key.clone() };
    lost("a change", store.keys().add(other.clone()).await.expect_err("nobody knows to what"));
    // Whoever comes now begins anew, and that is another store.
    let fresh = open(&server.url()).await.expect("opened");
    fresh.keys().add(other.clone()).await.expect("kept");
    assert_eq!(fresh.keys().list().await.expect("the list"), [other]);
    lost("keys", store.keys().list().await.expect_err("they are those of another store"));
    server.crash();
    std::fs::rename(&aside, &dump).expect("put back");
    server.start();
    answers(&store).await;
    answers(&fresh).await;
    assert_eq!(store.keys().list().await.expect("the list"), [key]);
    assert_eq!(store.marks().read().await.expect("read"), seen);
    lost("keys", fresh.keys().list().await.expect_err("they are those of another store"));
}
