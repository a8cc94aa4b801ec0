//! Secrets by reference, and secrets of servers added over the API, which the store never sees.

use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use testkit::{Answered, Folder, Served, TestGateway};

const KEY: &str = "a-key-of-at-least-32-characters-1";
const OTHER: &str = "a-key-of-at-least-32-characters-2";

fn secret_entry() -> Value {
    json!({"name": "added", "command": testkit::fixture(), "args": ["--token", "s3cret-arg"],
        "env": {"API_KEY": "s3cret-value"}})
}

/// Whether any file of the data folder holds the text.
fn kept(folder: &Folder, text: &str) -> bool {
    let entries = std::fs::read_dir(folder.data()).expect("the data folder");
    entries.flatten().any(|entry| {
        let bytes = std::fs::read(entry.path()).unwrap_or_default();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}

#[test]
fn a_variable_of_a_server_may_stand_in_a_file() {
    let folder = Folder::new();
    let path = folder.path().join("token");
    std::fs::write(&path, "s3cret-file\n").expect("a file");
    let value = format!("file:{}", path.display());
    let builder = TestGateway::builder().server("one", |s| s.env("TOKEN", &value));
    let shown = builder.run_in(&folder, &["check"]);
    assert!(!shown.stdout.contains("s3cret-file"), "{}", shown.stdout);
    let gateway = builder.start_in(folder);
    assert_eq!(gateway.call("one", "env", json!({})).result()["TOKEN"], "s3cret-file");
    assert!(!gateway.get("/api/settings").text().contains("s3cret-file"));
    std::fs::remove_file(&path).expect("it was there");
    let refused = gateway.post("/api/config/reload", json!({}));
    refused.expect_code(400, "VALIDATION_ERROR");
    assert!(
        refused.text().contains("servers[0].envs[0].value names a file that cannot be read"),
        "{}",
        refused.text()
    );
    assert_eq!(gateway.call("one", "env", json!({})).result()["TOKEN"], "s3cret-file", "nothing changed");
}

#[test]
fn a_caller_of_the_api_reads_no_file_of_the_gateway() {
    let gateway = TestGateway::start();
    let entry = json!({"name": "added", "command": testkit::fixture(), "env": {"A": "file:/etc/hostname"}});
    gateway.post("/api/servers", entry).expect_status(201);
    assert_eq!(gateway.call("added", "env", json!({})).result()["A"], "file:/etc/hostname");
}

#[test]
fn the_store_keeps_no_secret_and_the_server_has_it_after_a_restart() {
    let gateway = TestGateway::start();
    gateway.post("/api/servers", secret_entry()).expect_status(201);
    let key = gateway.folder().data().join("secret.key");
    let mode = std::fs::metadata(&key).expect("the key is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let gateway = gateway.reopen();
    assert_eq!(gateway.call("added", "env", json!({})).result()["API_KEY"], "s3cret-value");
    assert_eq!(gateway.call("added", "argv", json!({})).result()["argv"], json!(["--token", "s3cret-arg"]));
    assert!(!kept(gateway.folder(), "s3cret-value") && !kept(gateway.folder(), "s3cret-arg"));
    assert!(kept(gateway.folder(), "sealed:v1:"), "the entry itself is kept");
}

#[test]
fn a_new_key_takes_over_and_a_lost_one_leaves_the_server_out() {
    let with = |keys: &str| TestGateway::builder().server("one", |s| s).env("LOCKGATE_SECRET_KEY", keys);
    let gateway = with(KEY).start();
    gateway.post("/api/servers", secret_entry()).expect_status(201);
    assert!(!gateway.folder().data().join("secret.key").exists());
    let folder = gateway.into_folder();

    let gateway = with(&format!("{OTHER} {KEY}")).start_in(folder);
    assert_eq!(gateway.call("added", "env", json!({})).result()["API_KEY"], "s3cret-value");
    let gateway = with(OTHER).start_in(gateway.into_folder());
    assert_eq!(gateway.call("added", "env", json!({})).result()["API_KEY"], "s3cret-value");

    let gateway = with(KEY).start_in(gateway.into_folder());
    gateway.call("added", "env", json!({})).expect_code(404, "SERVER_NOT_FOUND");
    let told = gateway.log().iter().any(|line| line["server"] == "added" && line["level"] == "error");
    assert!(told, "{:#?}", gateway.log_lines());
    gateway.delete("/api/servers/added").expect_status(204);
    gateway.post("/api/servers", secret_entry()).expect_status(201);
}

#[test]
fn a_key_that_could_be_guessed_ends_the_start() {
    let builder = TestGateway::builder().server("one", |s| s).env("LOCKGATE_SECRET_KEY", "s3cret");
    let output = builder.expect_failure();
    assert!(output.stderr.contains("LOCKGATE_SECRET_KEY"), "{}", output.stderr);
    assert!(
        output.stderr.contains("at least 32 characters") && !output.stderr.contains("s3cret"),
        "{}",
        output.stderr
    );
}

/// Answers every request with an error that repeats the key it was given.
const TELLTALE: &str = r#"while read -r line; do
    id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
    printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"bad key %s!"}}\n' "$id" "$API_KEY"
done"#;

#[test]
fn a_server_that_repeats_its_secrets_while_it_refuses_to_start_tells_nobody() {
    let elsewhere = Served::start(|received, _| {
        let asked: Value = serde_json::from_str(&received.body).unwrap_or_default();
        let token = received.header("authorization").trim_start_matches("Bearer ").to_owned();
        let error = json!({"code": -32000, "message": format!("bad key {token}!")});
        Answered::json(200, &json!({"jsonrpc": "2.0", "id": asked["id"], "error": error}))
    });
    let url = json!(format!("{}/mcp", elsewhere.url())).to_string();
    let headers = json!({"Authorization": "Bearer s3cret-header"}).to_string();
    let builder = TestGateway::builder()
        .server("good", |s| s)
        .server("here", |s| s.shell(TELLTALE).env("API_KEY", "s3cret-value"))
        .server("there", |s| s.raw("command", "").raw("url", &url).raw("headers", &headers));
    let refused = "the server refused initialize: bad key ***!";
    let gateway = builder.clone().setting("startup: { onServerFailure: degrade }").start();
    let servers = gateway.get("/api/servers").body;
    for server in ["here", "there"] {
        let view = servers.as_array().expect("a list").iter().find(|view| view["name"] == server);
        assert_eq!(view.expect("it is listed")["lastError"], refused, "{server}");
    }
    let mut texts = gateway.log_lines();
    assert!(texts.iter().any(|line| line.contains("could not be started")), "{texts:#?}");
    for words in [&["doctor"][..], &["tools"]] {
        let said = builder.run(words);
        texts.extend([said.stdout, said.stderr]);
    }
    let exit = builder.expect_failure();
    assert!(exit.stderr.contains("bad key ***!"), "{}", exit.stderr);
    texts.extend([exit.stdout, exit.stderr]);
    let told: Vec<_> = texts.iter().filter(|text| text.contains("s3cret")).collect();
    assert!(told.is_empty(), "{told:#?}");
}
