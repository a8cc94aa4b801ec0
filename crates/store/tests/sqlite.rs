//! What is particular to SQLite: the file, its versions, and what a user is told about it.

use lockgate_store::{Error, Location, Store, open};
use model::ServerEntry;
use rusqlite::Connection;
use std::path::Path;

fn entry(name: &str) -> ServerEntry {
    serde_json::from_value(serde_json::json!({"name": name, "command": "true"})).expect("an entry")
}

async fn open_file(path: &Path) -> Result<Store, Error> {
    open(&Location::Sqlite(path.into())).await
}

/// Expects that opening fails, naming the path and holding `part`.
async fn check_refusal(path: &Path, part: &str) {
    let message = open_file(path).await.expect_err("refused").to_string();
    assert!(message.contains(part), "{message}");
    assert!(message.contains(path.to_str().expect("a plain path")), "{message}");
}

#[tokio::test]
async fn servers_are_there_when_the_file_is_opened_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("new/folders/lockgate.db");
    let store = open_file(&path).await.expect("folders are made");
    for name in ["b", "a", "c"] {
        store.servers().add(entry(name)).await.expect("added");
    }
    store.servers().remove("a").await.expect("removed");
    let before = store.servers().list().await.expect("the list");
    store.close().await;
    let left: Vec<_> = std::fs::read_dir(path.parent().expect("a folder")).expect("listed").collect();
    assert_eq!(left.len(), 1, "the log was folded into the file: {left:?}");

    let store = open_file(&path).await.expect("opened again");
    assert_eq!(store.servers().list().await.expect("the list"), before);
}

#[tokio::test]
async fn what_is_queued_is_written_before_the_store_closes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.db");
    let store = open_file(&path).await.expect("opened");
    let adds: Vec<_> = (0..50)
        .map(|i| {
            let store = store.clone();
            tokio::spawn(async move { store.servers().add(entry(&format!("s{i}"))).await.is_ok() })
        })
        .collect();
    tokio::task::yield_now().await;
    store.close().await;
    let mut acknowledged = 0;
    for add in adds {
        acknowledged += usize::from(add.await.expect("no panic"));
    }
    let store = open_file(&path).await.expect("opened again");
    assert_eq!(store.servers().list().await.expect("the list").len(), acknowledged);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_may_open_a_new_file_at_once_and_share_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.db");
    let opens: Vec<_> = (0..8)
        .map(|i| {
            let path = path.clone();
            tokio::spawn(async move {
                let store = open_file(&path).await.expect("opened");
                store.servers().add(entry(&format!("s{i}"))).await.expect("added");
                store
            })
        })
        .collect();
    let mut stores = Vec::new();
    for open in opens {
        stores.push(open.await.expect("no panic"));
    }
    for store in stores {
        assert_eq!(store.servers().list().await.expect("the list").len(), 8);
        assert!(matches!(store.servers().add(entry("s0")).await, Err(Error::Taken(_))));
    }
}

#[tokio::test]
async fn the_file_is_set_up_for_durability_and_for_its_owner_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.db");
    let store = open_file(&path).await.expect("opened");
    store.servers().add(entry("a")).await.expect("added");
    let connection = Connection::open(&path).expect("a look from outside");
    let mode: String = connection.query_row("PRAGMA journal_mode", (), |row| row.get(0)).expect("a mode");
    assert_eq!(mode, "wal");
    let strict: i64 = connection
        .query_row("SELECT strict FROM pragma_table_list WHERE name = 'servers'", (), |row| row.get(0))
        .expect("the table");
    assert_eq!(strict, 1);
    #[cfg(unix)]
    for name in ["x.db", "x.db-wal", "x.db-shm"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(folder.path().join(name)).expect(name).permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[tokio::test]
async fn a_file_that_is_not_ours_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "buy milk\n".repeat(200)).expect("written");
    check_refusal(&text, "file is not a database; move the file away").await;
    assert_eq!(std::fs::read_to_string(&text).expect("read"), "buy milk\n".repeat(200));

    let other = folder.path().join("other.db");
    let connection = Connection::open(&other).expect("made");
    connection.execute_batch("CREATE TABLE t (x); PRAGMA user_version = 1;").expect("filled");
    drop(connection);
    let before = std::fs::read(&other).expect("read");
    check_refusal(&other, "is a database of another program").await;
    assert_eq!(std::fs::read(&other).expect("read"), before);
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.db");
    open_file(&path).await.expect("opened").close().await;
    Connection::open(&path).and_then(|c| c.pragma_update(None, "user_version", 99)).expect("updated");
    check_refusal(&path, "was written by a newer version (schema 99, this version knows ").await;
}

#[tokio::test]
async fn a_database_of_the_first_version_is_brought_up_to_date() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.db");
    let connection = Connection::open(&path).expect("made");
    connection.execute_batch(include_str!("../src/sqlite/migrations/0001_servers.sql")).expect("the tables");
    connection
        .execute_batch(
            "PRAGMA application_id = 0x4C4F434B; PRAGMA user_version = 1;
             INSERT INTO servers (name, definition, created_at)
             VALUES ('old', '{\"name\":\"old\",\"command\":\"true\"}', 7);",
        )
        .expect("filled");
    drop(connection);
    let store = open_file(&path).await.expect("brought up to date");
    assert_eq!(store.servers().list().await.expect("the list")[0].entry, entry("old"));
    assert!(store.hooks().list().await.expect("the list").is_empty());
}

#[tokio::test]
async fn an_unreadable_definition_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.db");
    let store = open_file(&path).await.expect("opened");
    store.servers().add(entry("odd")).await.expect("added");
    let connection = Connection::open(&path).expect("from outside");
    let broken = connection.execute("UPDATE servers SET definition = '{\"name\":\"odd\",'", ());
    assert!(broken.is_err(), "half a definition is not accepted");
    connection.execute("UPDATE servers SET definition = '{\"later\":1}'", ()).expect("updated");
    let message = store.servers().list().await.expect_err("unreadable").to_string();
    assert!(message.contains("the stored server 'odd' cannot be read"), "{message}");
}

#[tokio::test]
async fn a_place_that_cannot_be_used_is_named_with_advice() {
    let folder = tempfile::tempdir().expect("a folder");
    check_refusal(folder.path(), "name a file, not a folder").await;
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("written");
    let message = open_file(&file.join("x.db")).await.expect_err("refused").to_string();
    assert!(message.contains("a part of the path is a file, not a folder"), "{message}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_or_folder_without_permission_is_named_with_advice() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.db");
    open_file(&path).await.expect("opened").close().await;
    set_permissions(&path, Permissions::from_mode(0o400)).expect("set");
    set_permissions(folder.path(), Permissions::from_mode(0o500)).expect("set");
    // The superuser may write anywhere; then there is nothing to refuse.
    if std::fs::File::options().write(true).open(&path).is_err() {
        check_refusal(&path, "let this user read and write").await;
        let message = open_file(&folder.path().join("sub/x.db")).await.expect_err("refused").to_string();
        assert!(message.contains("sub: Permission denied"), "{message}");
        set_permissions(&path, Permissions::from_mode(0o600)).expect("set");
        check_refusal(&path, "let this user read and write").await;
    }
    set_permissions(folder.path(), Permissions::from_mode(0o700)).expect("set");
}

#[tokio::test]
async fn who_opens_the_file_while_another_uses_it_is_not_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.db");
    let first = open_file(&path).await.expect("opened");
    assert!(first.is_alone().await);
    let second = open_file(&path).await.expect("opened");
    assert!(!second.is_alone().await);
    first.close().await;
    let third = open_file(&path).await.expect("opened");
    assert!(!third.is_alone().await, "the second is still there");
    second.close().await;
    third.close().await;
    let last = open_file(&path).await.expect("opened");
    assert!(last.is_alone().await);
}

#[tokio::test]
async fn a_change_of_another_process_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.db");
    let (here, there) = (open_file(&path).await.expect("opened"), open_file(&path).await.expect("opened"));
    let seen = here.marks().read().await.expect("read");
    there.servers().add(entry("new")).await.expect("added");
    let told = tokio::time::timeout(std::time::Duration::from_secs(2), here.marks().changed(&seen)).await;
    assert_ne!(told.expect("in time").expect("read"), seen);
}

#[tokio::test]
async fn an_audit_log_that_was_changed_behind_its_back_does_not_hold() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = lockgate_store::open(&Location::in_folder(folder.path())).await.expect("opened");
    assert_eq!(store.audit().verify().await.expect("an empty log holds").count, 0);
    let draft = |n: i64| lockgate_store::AuditDraft {
        at: n,
        kind: "call".into(),
        who: "a".into(),
        subject: "s/t".into(),
        body: format!(r#"{{"outcome":"OK","n":{n}}}"#),
    };
    store.audit().append((0..1200).map(draft).collect()).await.expect("added");
    let verified = store.audit().verify().await.expect("it holds");
    assert_eq!((verified.count, verified.number, verified.hash.len()), (1200, 1200, 64));
    assert_eq!(store.audit().trim(5).await.expect("trimmed"), 5);
    assert_eq!(store.audit().verify().await.expect("it holds").count, 1196);
    // Entries that were added together share rows: of these there are 6 to 256, 257 to 512, 513 to 768 and so on.
    for (sql, expected) in [
        (
            "CREATE TABLE kept AS SELECT * FROM audit WHERE number < 9; DELETE FROM audit WHERE number < 9",
            256,
        ),
        (
            "INSERT INTO audit SELECT * FROM kept; UPDATE audit SET body = replace(body, 'OK', 'NO') WHERE number = 513",
            513,
        ),
        (
            "UPDATE audit SET body = replace(body, 'NO', 'OK') WHERE number = 513;
             UPDATE audit SET more = (SELECT more FROM audit WHERE number = 769) WHERE number = 257",
            257,
        ),
        ("UPDATE audit SET more = NULL WHERE number = 257", 257),
        ("UPDATE audit SET more = x'ff' WHERE number = 257", 257),
        ("DELETE FROM audit WHERE number < 513", 512),
        ("DELETE FROM audit WHERE number = 769", 1025),
        ("DELETE FROM audit WHERE number > 1000", 769),
        ("DELETE FROM audit", 1201),
    ] {
        let connection = Connection::open(folder.path().join("lockgate.db")).expect("opened");
        connection.execute_batch(sql).expect("changed");
        let error = store.audit().verify().await.expect_err("it does not hold");
        assert!(
            matches!(error, lockgate_store::Error::Broken(number) if number == expected),
            "{sql}: {error}"
        );
    }
}

/// Also where what is read at a time ends with a row.
#[tokio::test]
async fn an_entry_that_was_put_into_the_audit_log_shows_wherever_it_stands() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = lockgate_store::open(&Location::in_folder(folder.path())).await.expect("opened");
    let draft = |n: i64| {
        let [kind, who, subject, body] = ["call", "a", "s/t", "{}"].map(str::to_owned);
        lockgate_store::AuditDraft { at: n, kind, who, subject, body }
    };
    for part in [0..250, 250..500, 500..520] {
        store.audit().append(part.map(draft).collect()).await.expect("added");
    }
    let connection = Connection::open(folder.path().join("lockgate.db")).expect("opened");
    for number in [2, 250, 300, 500, 510, 520] {
        assert_eq!(store.audit().verify().await.expect("it holds").count, 520);
        let put =
            "INSERT INTO audit SELECT ?1, at, kind, 'mallory', subject, body, previous, hash, NULL FROM audit
                   WHERE number = 1";
        connection.execute(put, [number]).expect("put in");
        let broken = store.audit().verify().await.expect_err("it does not hold");
        assert!(matches!(broken, lockgate_store::Error::Broken(_)), "{number}: {broken}");
        connection.execute("DELETE FROM audit WHERE number = ?1", [number]).expect("taken out");
    }
}

#[tokio::test]
async fn an_end_of_the_audit_log_that_was_moved_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = lockgate_store::open(&Location::in_folder(folder.path())).await.expect("opened");
    for n in 0..4 {
        let [kind, who, subject, body] = ["call", "a", "s/t", "{}"].map(str::to_owned);
        let draft = lockgate_store::AuditDraft { at: n, kind, who, subject, body };
        store.audit().append(vec![draft]).await.expect("added");
    }
    let connection = Connection::open(folder.path().join("lockgate.db")).expect("opened");
    connection.execute_batch("CREATE TABLE kept AS SELECT * FROM audit_end").expect("kept");
    for (sql, expected) in [
        ("DELETE FROM audit_end", 1),
        ("UPDATE audit_end SET number = 2, hash = (SELECT hash FROM audit WHERE number = 2)", 3),
        ("UPDATE audit_end SET hash = (SELECT hash FROM audit WHERE number = 2)", 4),
        ("UPDATE audit_end SET number = 5", 5),
    ] {
        assert_eq!(store.audit().verify().await.expect("it holds").count, 4);
        connection.execute_batch(sql).expect("changed");
        let broken = store.audit().verify().await.expect_err("it does not hold");
        assert!(
            matches!(broken, lockgate_store::Error::Broken(number) if number == expected),
            "{sql}: {broken}"
        );
        let back = "DELETE FROM audit_end; INSERT INTO audit_end SELECT * FROM kept";
        connection.execute_batch(back).expect("put back");
    }
}
