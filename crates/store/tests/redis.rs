//! Redis over TLS.

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
