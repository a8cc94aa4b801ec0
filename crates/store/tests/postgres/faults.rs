//! Servers that are away, that refuse, and that crash.

use super::{entry, open_url, refusal, session};
use databases::Postgres;
use lockgate_store::{Claim, Created, Error, Location, SessionLimits, Store};
use std::time::{Duration, Instant};

const FREE: SessionLimits =
    SessionLimits { most: u64::MAX, finished_before: i64::MIN, evict_open: false, since: None };

/// Waits until the store answers again.
async fn answers(store: &Store) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while let Err(error) = store.servers().list().await {
        assert!(matches!(error, Error::Unavailable { .. }), "{error}");
        assert!(Instant::now() < deadline, "it is not back: {error}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn no_password_reaches_a_message() {
    let server = Postgres::shared();
    let port = server.port();
    let secret = "s3cret-word";
    for (url, part) in [
        (
            format!("postgres://lockgate:{secret}@127.0.0.1:{port}/postgres"),
            "look at user and password in store.url",
        ),
        (format!("postgres://lockgate:{secret}@127.0.0.1:1/postgres"), "Connection refused"),
        (
            format!("postgres://lockgate:{secret}@nowhere.invalid/x?sslmode=disable"),
            "postgres://lockgate@nowhere.invalid/x",
        ),
        (
            format!("postgres://lockgate@127.0.0.1:{port}/x?password={secret}&nonsense=1"),
            "has a parameter that is not known: nonsense",
        ),
    ] {
        let message = refusal(&url).await;
        assert!(message.contains(part), "{message}");
        assert!(!message.contains(secret), "{message}");
    }
    let url = server.url("nowhere");
    let location: Location = url.parse().expect("a location");
    let message = format!("{location} {location:?} {}", refusal(&url).await);
    assert!(message.contains("create the database first"), "{message}");
    assert!(!message.contains("throw-away"), "{message}");
}

#[tokio::test]
async fn a_server_that_takes_connections_and_says_nothing_is_given_up() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = silent.local_addr().expect("an address").port();
    let url = format!("postgres://lockgate@127.0.0.1:{port}/x?connect_timeout=1");
    let message = refusal(&url).await;
    assert!(message.contains("no answer within 1 seconds"), "{message}");
    let location: Location = url.parse().expect("a location");
    let error = lockgate_store::schema(&location).await.expect_err("nobody answers");
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_goes_away_is_missed_until_it_is_back_and_keeps_what_it_acknowledged() {
    let server = Postgres::own();
    let database = server.database();
    let store = open_url(&database.url).await.expect("opened");
    let writers: Vec<_> = (0..4).map(|n| tokio::spawn(write(store.clone(), format!("s{n}")))).collect();
    let busy =
        async |id| store.sessions().get(id).await.expect("read").is_some_and(|one| one.events.len() > 5);
    for id in ["s0", "s1", "s2", "s3"] {
        while !busy(id).await {
            tokio::task::yield_now().await;
        }
    }
    server.crash();
    let mut acknowledged = Vec::new();
    for writer in writers {
        acknowledged.push(writer.await.expect("no panic"));
    }
    let started = Instant::now();
    let error = store.servers().add(entry("a")).await.expect_err("the server is away");
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    assert!(started.elapsed() < Duration::from_secs(5), "nobody waits for a server that refuses");
    server.start();
    answers(&store).await;
    for (n, acknowledged) in acknowledged.into_iter().enumerate() {
        let kept = store.sessions().get(&format!("s{n}")).await.expect("read").expect("it is there").events;
        assert!((acknowledged..=acknowledged + 1).contains(&kept.len()), "{acknowledged} and {}", kept.len());
        assert!(kept.iter().enumerate().all(|(seq, event)| *event == seq.to_string()), "{kept:?}");
    }
    store.servers().add(entry("a")).await.expect("it takes writes again");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_asked_before_the_server_went_away_may_be_done_and_what_came_later_is_not() {
    let server = std::sync::Arc::new(Postgres::own());
    let database = server.database();
    let store = open_url(&database.url).await.expect("opened");
    let name = database.url.rsplit('/').next().expect("a name").to_owned();
    let holder = std::sync::Arc::clone(&server);
    // It ends with the server, and not well.
    std::thread::spawn(move || {
        holder.psql(&name, "BEGIN; LOCK TABLE lockgate.servers; SELECT pg_sleep(600)");
    });
    let waiting = |kind: &str| {
        let sql = format!("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = '{kind}'");
        server.psql("postgres", &sql) != "0"
    };
    while !waiting("Timeout") {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let asking = {
        let store = store.clone();
        tokio::spawn(async move { store.servers().add(entry("a")).await })
    };
    while !waiting("Lock") {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    server.crash();
    let error = asking.await.expect("no panic").expect_err("the server went away");
    assert!(error.may_be_done(), "{error:?}");
    let error = store.servers().add(entry("b")).await.expect_err("the server is away");
    assert!(!error.may_be_done(), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_that_are_gone_or_empty_are_nobody_s_decision() {
    let server = Postgres::shared();
    let database = server.database();
    let store = open_url(&database.url).await.expect("opened");
    store.servers().add(entry("a")).await.expect("kept");
    let name = database.url.rsplit('/').next().expect("a name");
    let lost = |what: &str, error: Error| assert!(matches!(error, Error::Lost), "{what}: {error}");
    server.psql(name, "CREATE TABLE aside AS TABLE lockgate.marks; TRUNCATE lockgate.marks");
    lost("without marks", store.marks().read().await.expect_err("a backup is being put back"));
    server.psql(name, "INSERT INTO lockgate.marks TABLE aside");
    store.marks().read().await.expect("it is put back");
    server.psql(name, "DROP SCHEMA lockgate CASCADE");
    lost("without tables", store.marks().read().await.expect_err("the tables are gone"));
    lost("a change", store.servers().add(entry("b")).await.expect_err("the tables are gone"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_lets_nobody_in_for_a_while_is_missed_until_it_does() {
    let server = Postgres::shared();
    let database = server.database();
    let store = open_url(&database.url).await.expect("opened");
    let name = database.url.rsplit('/').next().expect("a name");
    let door = |open: bool| {
        server.psql("postgres", &format!("ALTER DATABASE \"{name}\" ALLOW_CONNECTIONS {open}"));
    };
    door(false);
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname =";
    server.psql("postgres", &format!("{end} '{name}'"));
    // The first to ask may find the connection gone instead.
    for _ in 0..2 {
        let error = store.servers().add(entry("a")).await.expect_err("nobody is let in");
        assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    }
    door(true);
    answers(&store).await;
    store.servers().add(entry("b")).await.expect("it takes writes again");
}

/// Appends until the server is away; returns how many events were acknowledged.
async fn write(store: Store, id: String) -> usize {
    let made = store.sessions().create(session(&id), None, Vec::new(), FREE, Claim::Free).await;
    assert_eq!(made.expect("created"), Created::Made);
    for at in 0.. {
        match store.sessions().append(session(&id), at as u64, vec![at.to_string()], Claim::Free).await {
            Ok(done) => assert!(done, "nobody else writes"),
            Err(Error::Unavailable { .. }) => return at,
            Err(other) => panic!("{other}"),
        }
    }
    unreachable!("the server goes away")
}

#[tokio::test]
async fn a_server_must_show_a_certificate_that_is_trusted() {
    let server = Postgres::own();
    let database = server.database();
    let plain = refusal(&format!("{}?sslmode=require", database.url)).await;
    assert!(plain.contains("turn TLS on there, or add sslmode=disable"), "{plain}");
    let authority = server.turn_tls_on();
    let url = database.url.replace("127.0.0.1", "localhost");
    let stranger = refusal(&format!("{url}?sslmode=require")).await;
    assert!(stranger.contains("UnknownIssuer"), "{stranger}");
    let trusted = format!("{url}?sslmode=verify-full&sslrootcert={}", authority.display());
    let store = open_url(&trusted).await.expect("it is trusted");
    store.servers().add(entry("a")).await.expect("added");
    let secured = server.psql(
        "postgres",
        "SELECT count(*) > 0 FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
        WHERE ssl AND application_name = 'lockgate'",
    );
    assert_eq!(secured, "t");
    let other = format!("{}?sslmode=require&sslrootcert={}", database.url, authority.display());
    let named = refusal(&other).await;
    assert!(named.contains("not valid for name") || named.contains("NotValidForName"), "{named}");
}

#[tokio::test]
async fn a_transaction_that_the_server_undid_because_of_another_is_sent_again() {
    let server = Postgres::shared();
    let database = server.database();
    let name = database.url.rsplit('/').next().expect("a name");
    let store = open_url(&database.url).await.expect("opened");
    // A sequence counts even where everything else is undone.
    server.psql(
        name,
        "CREATE SEQUENCE clashes;
         CREATE FUNCTION clash() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             CASE nextval('clashes')
                 WHEN 1 THEN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01';
                 WHEN 2 THEN RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001';
                 ELSE RETURN NEW;
             END CASE;
         END $$;
         CREATE TRIGGER clash BEFORE INSERT ON lockgate.servers FOR EACH ROW EXECUTE FUNCTION clash()",
    );
    store.servers().add(entry("a")).await.expect("added");
    assert_eq!(server.psql(name, "SELECT last_value FROM clashes"), "3");
    assert_eq!(server.psql(name, "SELECT name FROM lockgate.servers"), "a");
}
