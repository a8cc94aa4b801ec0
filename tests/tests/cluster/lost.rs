//! A store that loses its data under a running instance. That nothing is kept is then nobody's decision.

use super::*;
use databases::Redis;

/// What an instance says of a store that is not the one it knew.
const LOST: &str = "stay in force as they are known here, and cannot be changed";

/// Makes a key for everything.
#[track_caller]
fn make_key(http: Http) -> String {
    let draft = json!({"name": "op", "role": "operator"});
    let made = http.send(&Request::new("POST", "/api/keys").body("application/json", draft.to_string()));
    made.expect_status(201);
    made.body["key"].as_str().expect("a key").to_owned()
}

/// What a stranger gets who asks for the keys.
#[track_caller]
fn door(node: &TestGateway) -> u16 {
    node.http().send(&Request::new("GET", "/api/keys")).status
}

/// Kills the server, starts it with what it has on disk, and waits until the instance has looked at it.
#[track_caller]
fn crash(server: &Redis, node: &TestGateway) {
    let looked = || {
        let lines = node.log_lines();
        let words = [LOST, "the store answers again", "no key is left"];
        lines.iter().filter(|line| words.iter().any(|words| line.contains(words))).count()
    };
    let before = looked();
    server.crash();
    server.start();
    eventually("the instance looks at the store again", || (looked() > before).then_some(()));
}

#[test]
fn a_store_that_lost_its_data_opens_nothing_and_takes_no_hook_away() {
    let server = Redis::own();
    let effects = Folder::new();
    let one = instance(&server.url(), &effects).start();
    let first = one.http().with_key(&make_key(one.http()));
    assert_eq!(door(&one), 401);
    first.send(&Request::new("DELETE", "/api/keys/op")).expect_status(204);
    assert_eq!(door(&one), 200, "somebody revoked the last key");
    let key = make_key(one.http());
    let http = one.http().with_key(&key);
    let post = |path: &str, body: Value| {
        http.send(&Request::new("POST", path).body("application/json", body.to_string()))
    };
    let guard = json!({"name": "guard", "hookType": "pre", "script": "return {continue: false, error: {message: 'closed'}}"});
    post("/api/hooks", guard).expect_status(201);
    let call = || post("/mcp/call", json!({"server": "test-server", "toolName": "echo", "input": {}}));
    assert_eq!(call().body["error"]["message"], "closed");

    crash(&server, &one);
    assert_eq!(door(&one), 401, "nobody revoked the key");
    let server_of_a_stranger = json!({"name": "x", "command": "true"}).to_string();
    let added = Request::new("POST", "/api/servers").body("application/json", server_of_a_stranger);
    assert_eq!(one.http().send(&added).status, 401);
    assert_eq!(call().body["error"]["message"], "closed", "nobody removed the hook");
    let health = one.http().send(&Request::new("GET", "/health")).body;
    assert_eq!((&health["status"], &health["storeLost"]), (&json!("degraded"), &json!(true)));
    let refused = post("/api/hooks", json!({"name": "other", "hookType": "pre", "script": "return"}));
    let fault = refused.expect_code(503, "STORE_UNAVAILABLE");
    assert!(fault.message.contains("The store lost its data, and nothing was changed"), "{}", fault.message);
    let gone = http.send(&Request::new("DELETE", "/api/keys/op"));
    gone.expect_code(503, "STORE_UNAVAILABLE");
    assert_eq!(door(&one), 401, "the key could not be revoked");
    let told: Vec<_> = one.log_lines().into_iter().filter(|line| line.contains(LOST)).collect();
    assert_eq!(told.len(), 1, "{told:#?}");
    assert!(told[0].contains("\"level\":\"error\""), "{}", told[0]);
    assert!(told[0].contains("put its data back, or restart every instance"), "{}", told[0]);
}

#[test]
fn tables_that_are_emptied_take_no_hook_away_and_begin_no_session() {
    let server = Postgres::shared();
    let (database, effects) = (server.database(), Folder::new());
    let one = instance(&database.url, &effects).start();
    let post = |path: &str, body: Value| {
        one.http().send(&Request::new("POST", path).body("application/json", body.to_string()))
    };
    let guard = json!({"name": "guard", "hookType": "pre",
        "script": "if (context.toolName === 'echo') return {continue: false, error: {message: 'closed'}}"});
    post("/api/hooks", guard).expect_status(201);
    let echo = || post("/mcp/call", json!({"server": "test-server", "toolName": "echo", "input": {}}));
    assert_eq!(echo().body["error"]["message"], "closed");
    let name = database.url.rsplit('/').next().expect("a name");
    server.psql(name, "TRUNCATE lockgate.hooks, lockgate.marks, lockgate.migrations CASCADE");
    let health = || one.http().send(&Request::new("GET", "/health")).body;
    eventually("the loss is told", || (health()["storeLost"] == true).then_some(()));
    assert_eq!(echo().body["error"]["message"], "closed", "nobody removed the hook");
    let hooks = one.http().send(&Request::new("GET", "/api/hooks")).body;
    assert_eq!(hooks.as_array().map(Vec::len), Some(1), "{hooks}");
    let refused = super::call(one.http(), "w_start", json!({})).to_string();
    assert!(refused.contains("The store lost its data, and nothing was done"), "{refused}");
}

#[test]
fn a_store_that_forgot_its_only_key_opens_nothing_until_a_later_one_is_revoked() {
    let server = Redis::own();
    let effects = Folder::new();
    let one = instance(&server.url(), &effects).start();
    assert_eq!(door(&one), 200, "there was no key yet");
    server.save();
    let forgotten = one.http().with_key(&make_key(one.http()));
    crash(&server, &one);
    assert_eq!(door(&one), 401, "the store lost the last moments, and nobody revoked the key");
    assert_eq!(forgotten.send(&Request::new("GET", "/api/keys")).status, 200);
    let two = instance(&server.url(), &effects).start();
    let key = one.http().with_key(&make_key(two.http()));
    eventually("the store has a key again", || {
        let health = one.http().send(&Request::new("GET", "/health")).body;
        health["storeLost"].is_null().then_some(())
    });
    assert_eq!(key.send(&Request::new("GET", "/api/keys")).status, 200);
    assert_eq!(forgotten.send(&Request::new("GET", "/api/keys")).status, 401);
    key.send(&Request::new("DELETE", "/api/keys/op")).expect_status(204);
    eventually("somebody revoked the last key", || (door(&one) == 200).then_some(()));
}
