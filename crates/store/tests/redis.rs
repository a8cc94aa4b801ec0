//! Redis over TLS, and a Redis that loses its data, refuses, or hands over to another.

use databases::Redis;
use lockgate_store::{Error, Location, Store, StoredKey};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use tokio::net::{TcpListener, TcpStream};

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

/// Has the server do something.
fn order(server: &Redis, words: &[&str]) {
    let done = server.client().args(words).output().expect("redis-cli runs");
    assert!(done.status.success() && done.stdout.starts_with(b"OK"), "{done:?}");
}

fn named(name: &str) -> StoredKey {
    StoredKey { name: name.into(), digest: name.into(), grant: "{}".into(), created_at: 1 }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_refuses_for_a_while_may_succeed_later() {
    let server = Redis::own();
    let store = open(&server.url()).await.expect("opened");
    store.keys().add(named("a")).await.expect("kept");
    for (refuse, allow) in [
        (&["config", "set", "maxmemory", "1"][..], &["config", "set", "maxmemory", "0"][..]),
        (&["replicaof", "127.0.0.1", "1"], &["replicaof", "no", "one"]),
    ] {
        order(&server, refuse);
        let error = store.keys().add(named("b")).await.expect_err("the server refuses");
        assert!(matches!(error, Error::Unavailable { .. }) && !error.may_be_done(), "{error:?}");
        order(&server, allow);
        store.keys().add(named("b")).await.expect("kept");
        store.keys().remove("b").await.expect("removed");
    }
}

/// An address that leads to the server whose port is named last.
async fn moving(target: Arc<AtomicU16>) -> u16 {
    let door = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = door.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = door.accept().await {
            let to = ("127.0.0.1", target.load(Ordering::SeqCst));
            let Ok(mut server) = TcpStream::connect(to).await else { continue };
            tokio::spawn(async move { tokio::io::copy_bidirectional(&mut client, &mut server).await });
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_that_took_over_is_found() {
    let (old, new) = (Redis::own(), Redis::own());
    let leads = Arc::new(AtomicU16::new(old.port()));
    let url = format!("redis://127.0.0.1:{}/0", moving(Arc::clone(&leads)).await);
    let store = open(&url).await.expect("opened");
    store.keys().add(named("a")).await.expect("kept");
    order(&new, &["replicaof", "127.0.0.1", &old.port().to_string()]);
    while !String::from_utf8_lossy(&new.client().arg("info").output().expect("told").stdout)
        .contains("master_link_status:up")
    {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    order(&new, &["replicaof", "no", "one"]);
    order(&old, &["replicaof", "127.0.0.1", &new.port().to_string()]);
    leads.store(new.port(), Ordering::SeqCst);
    let error = store.keys().add(named("b")).await.expect_err("the old one takes no writes");
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    store.keys().add(named("b")).await.expect("the new one does");
    assert_eq!(store.keys().list().await.expect("the list"), [named("a"), named("b")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn databases_of_one_server_do_not_hear_each_other() {
    let server = Redis::own();
    let second = server.url().replace("/0", "/1");
    let (one, other, beside) = (
        open(&server.url()).await.expect("opened"),
        open(&second).await.expect("opened"),
        open(&second).await.expect("opened"),
    );
    let mut heard = other.bus().subscribe();
    one.bus().publish("for the first").await.expect("said");
    beside.bus().publish("for the second").await.expect("said");
    assert_eq!(heard.next().await.as_deref(), Some("for the second"));
}
