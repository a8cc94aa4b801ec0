//! Stores as a user meets them: `lockgate migrate`, `lockgate store copy`, and a gateway on PostgreSQL.

use databases::{Postgres, Redis};
use serde_json::json;
use std::path::Path;
use std::process::Command;
use testkit::{Client, Output, Proxy, Signal, TestGateway, eventually, lockgate, send_signal};

fn run(arguments: &[&str]) -> Output {
    Output::of(Command::new(lockgate()).args(arguments))
}

fn config(folder: &Path, url: &str) -> String {
    let path = folder.join("lockgate.yaml");
    std::fs::write(
        &path,
        format!(
            "servers: [{{name: s, command: lockgate, args: [demo-server]}}]\nstore: {{ url: \"{url}\" }}\n"
        ),
    )
    .expect("written");
    path.display().to_string()
}

#[test]
fn migrate_tells_what_there_is_to_do_and_does_it_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Postgres::shared().database();
    for url in [database.url, format!("sqlite:{}", folder.path().join("x.db").display())] {
        let config = config(folder.path(), &url);
        let check = || run(&["migrate", "--check", "--config", &config]);
        let before = check();
        assert_eq!(before.code, Some(1), "{before:?}");
        assert!(before.stdout.contains("has schema 0, and this version writes "), "{before:?}");
        assert!(!before.stdout.contains("throw-away"), "{before:?}");
        let done = run(&["migrate", "--config", &config]);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(done.stdout.contains("was brought from schema 0 to "), "{done:?}");
        let after = check();
        assert_eq!(after.code, Some(0), "{after:?}");
        assert!(after.stdout.contains("is up to date (schema "), "{after:?}");
    }
}

/// The address of a database that takes connections and says nothing, and who takes them.
fn silent_database(seconds: u32) -> (String, std::net::TcpListener) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("an address").port();
    (format!("postgres://lockgate@127.0.0.1:{port}/x?connect_timeout={seconds}"), listener)
}

#[test]
fn a_database_that_says_nothing_ends_the_start_with_a_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let (url, _listener) = silent_database(1);
    let config = config(folder.path(), &url);
    for arguments in [&["serve", "--port", "0"][..], &["migrate", "--check"], &["migrate"]] {
        let ended = run(&[arguments, &["--config", &config]].concat());
        ended.expect_code(1).expect_text("no answer within 1 seconds");
    }
}

#[test]
fn a_signal_ends_a_start_that_waits_for_the_database() {
    let folder = tempfile::tempdir().expect("a folder");
    let (url, listener) = silent_database(600);
    let config = config(folder.path(), &url);
    let mut serving = Command::new(lockgate());
    let mut child = serving.args(["serve", "--port", "0", "--config", &config]).spawn().expect("started");
    let _waits = listener.accept().expect("it connects");
    send_signal(child.id(), Signal::TERM);
    let status = eventually("it ends", || child.try_wait().expect("a child can be waited for"));
    assert_eq!(status.code(), Some(0));
}

#[test]
fn a_database_that_falls_silent_keeps_no_gateway_from_stopping() {
    let database = Postgres::shared().database();
    let port = Postgres::shared().port();
    let line = Proxy::to(&[port]);
    let url = database.url.replace(&format!(":{port}/"), &format!(":{}/", line.port));
    let store = format!("store: {{url: '{url}?connect_timeout=1'}}");
    let gateway = TestGateway::builder().server("test-server", |s| s).setting(&store).start();
    line.cut();
    gateway.signal(Signal::TERM);
    assert_eq!(gateway.wait_exit(), Some(0));
}

#[test]
fn an_asynchronous_standby_is_warned_of_and_a_synchronous_one_is_not() {
    const WORDS: &str = "standbys follow asynchronously";
    let primary = Postgres::own();
    let (database, _standby) = (primary.database(), primary.standby());
    let followers = |state: &str| {
        let sql = format!("SELECT count(*) FROM pg_stat_replication WHERE sync_state = '{state}'");
        eventually("the standby follows", || (primary.psql("postgres", &sql) == "1").then_some(()));
    };
    let warned = || {
        let store = format!("store: {{url: '{}'}}", database.url);
        let gateway = TestGateway::builder().server("test-server", |s| s).setting(&store).start();
        gateway.log_lines().iter().any(|line| line.contains(WORDS))
    };
    followers("async");
    assert!(warned());
    primary.psql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'");
    primary.psql("postgres", "SELECT pg_reload_conf()");
    followers("sync");
    assert!(!warned());
}

#[test]
fn copy_carries_a_store_to_an_empty_one_and_says_what_went() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    let database = Postgres::shared().database();
    let missing = run(&["store", "copy", "--from", &file("none.db"), "--to", &database.url]);
    assert_eq!(missing.code, Some(1), "{missing:?}");
    assert!(missing.stderr.contains("there is no file"), "{missing:?}");
    run(&["migrate", "--config", &config(folder.path(), &file("a.db"))]);
    let there = run(&["store", "copy", "--from", &file("a.db"), "--to", &database.url]);
    assert_eq!(there.code, Some(0), "{there:?}");
    assert!(there.stdout.contains("sessions     0"), "{there:?}");
    assert!(!there.stdout.contains("throw-away"), "{there:?}");
    let back = run(&["store", "copy", "--from", &database.url, "--to", &file("b.db")]);
    assert_eq!(back.code, Some(0), "{back:?}");
    let same = run(&["store", "copy", "--from", &file("a.db"), "--to", &file("a.db")]);
    assert!(same.stderr.contains("are the same store"), "{same:?}");
    let forgotten = run(&["store", "copy", "--from", &file("a.db"), "--to", "memory:"]);
    assert_eq!(forgotten.code, Some(1), "{forgotten:?}");
    assert!(forgotten.stderr.contains("memory: forgets everything"), "{forgotten:?}");
}

#[test]
fn copy_says_which_key_the_servers_that_went_need() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    let copy = |from: &str, to: &str| run(&["store", "copy", "--from", &file(from), "--to", &file(to)]);
    let gateway = TestGateway::builder()
        .server("test-server", |s| s)
        .setting(&format!("store: {{url: '{}'}}", file("a.db")))
        .start();
    let bare = copy("a.db", "bare.db");
    assert_eq!(bare.code, Some(0), "{bare:?}");
    assert!(!bare.stdout.contains("secret.key"), "{bare:?}");
    let added = json!({"name": "added", "command": testkit::fixture()});
    gateway.post("/api/servers", added).expect_status(201);
    drop(gateway);
    let copied = copy("a.db", "b.db");
    assert!(copied.stdout.contains("servers      1"), "{copied:?}");
    assert!(
        copied.stdout.contains("LOCKGATE_SECRET_KEY, or secret.key of the old data folder"),
        "{copied:?}"
    );
}

#[test]
fn clients_of_a_shared_store_stay_known_on_its_copy_in_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (database, file) = (Postgres::shared().database(), folder.path().join("copy.db"));
    let on = |url: &str| {
        let store = format!("store: {{url: '{url}'}}");
        TestGateway::builder().server("test-server", |s| s).setting(&store).start()
    };
    let first = on(&database.url);
    let session = Client::legacy(first.http()).session().to_owned();
    drop(first);
    let file = format!("sqlite:{}", file.display());
    let copied = run(&["store", "copy", "--from", &database.url, "--to", &file]);
    assert_eq!(copied.code, Some(0), "{copied:?}");
    let second = on(&file);
    let there = Client::resume(second.http(), &session, json!({}));
    assert_eq!(there.call("plain", json!({}))["content"][0]["text"], "hello");
}

#[test]
fn what_is_wrong_with_an_address_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = |url: &str, code: i32, words: &str| {
        let output = run(&["check", "--config", &config(folder.path(), url)]);
        assert_eq!(output.code, Some(code), "{url}: {output:?}");
        assert!(format!("{output:?}").contains(words), "{url}: {output:?}");
        assert!(!format!("{output:?}").contains("s3cret"), "{url}: {output:?}");
    };
    check("SQLITE:x.db", 0, "SQLITE:x.db");
    check(
        "redis://h/0?foo=s3cret",
        1,
        "Error: Invalid config.yaml: store.url has a parameter that is not known: foo",
    );
    check("postgres://u@h/d?sslmode=s3cret", 1, "store.url has an sslmode that is none of");
    let migrate = |url: &str| run(&["migrate", "--config", &config(folder.path(), url)]).stderr;
    let lost = migrate("postgres://u@h/d?sslmode=require&sslrootcert=/none/ca.pem");
    assert!(lost.contains("the file /none/ca.pem, which cannot be read: No such file"), "{lost}");
}

#[test]
fn a_redis_that_cannot_be_reached_is_not_up_to_date() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = config(folder.path(), "redis://:s3cret-word@127.0.0.1:1/0");
    for words in [&["migrate"][..], &["migrate", "--check"]] {
        let output = run(&[words, &["--config", &config]].concat());
        assert_eq!(output.code, Some(1), "{output:?}");
        assert!(output.stderr.contains("127.0.0.1:1") && !output.stdout.contains("up to date"), "{output:?}");
        assert!(!format!("{output:?}").contains("s3cret-word"), "{output:?}");
    }
}

#[test]
fn a_database_that_cannot_be_reached_is_named_without_its_password() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = config(folder.path(), "postgres://u:s3cret-word@127.0.0.1:1/d");
    for command in ["serve", "migrate", "check"] {
        let output = run(&[command, "--config", &config, "--port", "0"]);
        let text = format!("{output:?}");
        assert!(!text.contains("s3cret-word"), "{command}: {text}");
        if command != "check" {
            assert_eq!(output.code, Some(1), "{command}: {text}");
            assert!(
                text.contains("postgres://u@127.0.0.1:1/d") && text.contains("Connection refused"),
                "{text}"
            );
        }
    }
}

#[test]
fn no_part_of_a_password_with_an_at_sign_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = "postgres://lg:half1@half2-topsecret@127.0.0.1:1/a";
    let config = config(folder.path(), url);
    let file = format!("sqlite:{}", folder.path().join("x.db").display());
    for arguments in [
        &["serve", "--port", "0", "--config", &config][..],
        &["migrate", "--check", "--config", &config],
        &["migrate", "--config", &config],
        &["key", "list", "--config", &config],
        &["store", "copy", "--from", url, "--to", &file],
    ] {
        let ended = run(arguments);
        assert_eq!(ended.code, Some(1), "{ended:?}");
        let words = format!("{}{}", ended.stdout, ended.stderr);
        assert!(!words.contains("half"), "{arguments:?}: {words}");
        assert!(words.contains("write special characters of user and password as %xx"), "{words}");
    }
}

#[test]
fn a_store_that_is_a_folder_is_called_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = config(folder.path(), &format!("sqlite:{}", folder.path().display()));
    for arguments in [&["serve", "--port", "0"][..], &["migrate", "--check"], &["migrate"]] {
        let ended = run(&[arguments, &["--config", &config]].concat());
        ended.expect_code(1).expect_text("name a file, not a folder");
    }
}

#[test]
fn what_redis_may_lose_is_said_as_it_is_set_up() {
    let server = Redis::own();
    let says = |words: &str| {
        let store = format!("store: {{url: '{}'}}", server.url());
        let gateway = TestGateway::builder().server("test-server", |s| s).setting(&store).start();
        gateway.log_lines().iter().any(|line| line.contains(words))
    };
    let set = |name: &str, value: &str| {
        let done = server.client().args(["config", "set", name, value]).output().expect("redis-cli runs");
        assert!(done.stdout.starts_with(b"OK"), "{done:?}");
    };
    assert!(says("a restart of the server loses everything"));
    assert!(!says("may evict"));
    set("save", "3600 1");
    assert!(says("can lose everything since the last snapshot"));
    set("appendonly", "yes");
    set("maxmemory-policy", "allkeys-lru");
    assert!(says("can lose the last second"));
    assert!(says("may evict what is kept here: set maxmemory-policy to noeviction"));
    // A server that does not tell its settings can be used all the same.
    let silent =
        server.client().args(["acl", "setuser", "default", "-config"]).output().expect("redis-cli runs");
    assert!(silent.stdout.starts_with(b"OK"), "{silent:?}");
    assert!(says("can lose the last second"));
}
