//! Versions of the tables, side by side.

use super::{entry, open_url, refusal, session, started};
use databases::Postgres;
use lockgate_store::{AT_WORK, Lease, schema};

#[tokio::test]
async fn a_look_at_the_version_changes_nothing() {
    let database = Postgres::shared().database();
    let location = database.url.parse().expect("a location");
    let before = schema(&location).await.expect("looked");
    assert_eq!(before.found, 0);
    assert!(!before.is_current());
    assert_eq!(schema(&location).await.expect("looked"), before);
    open_url(&database.url).await.expect("opened").close().await;
    let after = schema(&location).await.expect("looked");
    assert_eq!(after.found, before.known);
    assert!(after.is_current());
}

#[tokio::test]
async fn tables_of_a_newer_version_are_used_while_that_version_allows_it() {
    let server = Postgres::shared();
    let database = server.database();
    let name = database.url.rsplit('/').next().expect("a name");
    let store = open_url(&database.url).await.expect("opened");
    let known = schema(&database.url.parse().expect("a location")).await.expect("looked").known;
    server.psql(name, &format!(
        "ALTER TABLE lockgate.servers ADD COLUMN later text; ALTER TABLE lockgate.sessions ADD COLUMN later text;
         INSERT INTO lockgate.migrations (version, name, min_reader) VALUES (98, 'later', {known})"
    ));
    store.servers().add(entry("a")).await.expect("who is running goes on");
    open_url(&database.url).await.expect("opened").servers().add(entry("b")).await.expect("added");
    server.psql(
        name,
        "INSERT INTO lockgate.migrations (version, name, min_reader) VALUES (99, 'much later', 99)",
    );
    let message = refusal(&database.url).await;
    assert!(message.contains("were written by a newer version (schema 99, which needs 99"), "{message}");
}

#[tokio::test]
async fn a_schema_or_a_database_that_is_not_fit_is_refused() {
    let server = Postgres::shared();
    let database = server.database();
    let name = database.url.rsplit('/').next().expect("a name");
    server.psql(name, "CREATE SCHEMA lockgate; CREATE TABLE lockgate.mine (x int)");
    let message = refusal(&database.url).await;
    assert!(message.contains("it belongs to another program; name another database"), "{message}");
    let old = format!("{name}_ascii");
    server.psql("postgres", &format!("CREATE DATABASE {old} ENCODING 'SQL_ASCII' TEMPLATE template0"));
    let message = refusal(&server.url(&old)).await;
    assert!(message.contains("create one with the encoding UTF8"), "{message}");
}

/// The tables as version 5 made them.
const FIVE: [&str; 5] = [
    include_str!("../../src/postgres/migrations/0001_tables.sql"),
    include_str!("../../src/postgres/migrations/0002_functions.sql"),
    include_str!("../../src/postgres/migrations/0003_sessions.sql"),
    include_str!("../../src/postgres/migrations/0004_access.sql"),
    include_str!("../../src/postgres/migrations/0005_rates.sql"),
];

/// What version 5 writes when a session goes on.
fn moved(id: &str, waiting: &str) -> String {
    format!("UPDATE lockgate.sessions SET events = events + 1, waiting = {waiting} WHERE id = '{id}'")
}

#[tokio::test]
async fn what_sessions_wait_for_is_found_after_an_upgrade() {
    let server = Postgres::shared();
    let database = server.database();
    let name = database.url.rsplit('/').next().expect("a name");
    let applied = "CREATE TABLE lockgate.migrations (version integer PRIMARY KEY, name text NOT NULL,
                       min_reader integer NOT NULL, applied_at timestamptz NOT NULL DEFAULT clock_timestamp());
                   INSERT INTO lockgate.migrations SELECT n, n::text, 3 FROM generate_series(1, 5) AS n;";
    let sessions =
        "INSERT INTO lockgate.sessions (id, workflow, caller, started_at, status, open, updated_at, waiting,
                        definition, events)
                    SELECT word, 'calc', 'ann', 1, 'running', true, 1, nullif(word, 'nothing'), 'd', 0
                    FROM unnest(ARRAY['step', 'event:x', 'nothing']) AS word;";
    server.psql(name, &format!("CREATE SCHEMA lockgate; {applied} {} {sessions}", FIVE.join("\n")));
    let store = open_url(&database.url).await.expect("opened");
    let sessions = store.sessions();
    assert_eq!(sessions.waiting("event:x", 9).await.expect("ids"), ["event:x"]);
    assert_eq!(sessions.waiting(AT_WORK, 9).await.expect("ids"), ["step"]);
    let lease = Lease { holder: "x".into(), ms: 600_000 };
    assert_eq!(sessions.take_up(0, &lease, 9).await.expect("ids"), ["step"]);
}

#[tokio::test]
async fn what_the_version_before_leaves_behind_is_taken_up() {
    let server = Postgres::shared();
    let database = server.database();
    let name = database.url.rsplit('/').next().expect("a name");
    let store = open_url(&database.url).await.expect("opened");
    let (sessions, lease) = (store.sessions(), Lease { holder: "x".into(), ms: 0 });
    started(&store, session("a")).await;
    let taken = async || sessions.take_up(0, &lease, 9).await.expect("answered").join(" ");
    assert_eq!(taken().await, "");
    server.psql(name, &moved("a", "'event:x'"));
    assert_eq!(sessions.waiting("event:x", 9).await.expect("ids"), ["a"]);
    server.psql(name, &moved("a", "NULL"));
    assert!(sessions.waiting("event:x", 9).await.expect("ids").is_empty());
    assert_eq!(taken().await, "");
    server.psql(name, &moved("a", "'step'"));
    assert_eq!(taken().await, "a");
    assert_eq!(sessions.waiting(AT_WORK, 9).await.expect("ids"), ["a"]);
}

#[tokio::test]
async fn an_upgrade_that_the_server_undid_because_of_an_instance_at_work_is_made_again() {
    let server = Postgres::shared();
    let database = server.database();
    let name = database.url.rsplit('/').next().expect("a name");
    // A sequence counts even where everything else is undone.
    server.psql(
        name,
        "CREATE SEQUENCE clashes;
         CREATE FUNCTION clash() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
             IF nextval('clashes') < 3 THEN
                 RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01';
             END IF;
         END $$;
         CREATE EVENT TRIGGER clash ON ddl_command_start EXECUTE FUNCTION clash()",
    );
    open_url(&database.url).await.expect("opened").servers().add(entry("a")).await.expect("added");
    assert!(schema(&database.url.parse().expect("a location")).await.expect("looked").is_current());
}
