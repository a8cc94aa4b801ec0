//! Versions of the tables, side by side.

use super::{entry, open_url, refusal};
use databases::Postgres;
use lockgate_store::schema;

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
