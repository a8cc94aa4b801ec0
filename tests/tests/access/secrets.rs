//! Keys appear in no log, no reply, no script and no file.

use super::{CALLER, OPERATOR, WRONG, call, request, with_roles};
use serde_json::json;
use testkit::{Client, Request};

#[test]
fn a_key_is_seen_by_nobody_it_was_not_given_to() {
    let gateway = with_roles().env("LOG_LEVEL", "debug").setting("audit: {calls: true}").start();
    let http = gateway.http();
    let operator = http.with_key(OPERATOR);
    let made = operator.send(&request("POST", "/api/keys", &json!({"name": "bot", "role": "viewer"})));
    let key = made.body["key"].as_str().expect("a key").to_owned();
    let script = "return {continue: false, error: {code: 'SEEN', message: JSON.stringify(context)}};";
    let hook = json!({"name": "spy", "hookType": "pre", "script": script});
    let hook = operator.send(&request("POST", "/api/hooks", &hook));
    let id = hook.body["id"].as_str().expect("an id").to_owned();
    let mut replies = vec![
        call(http.with_key(&key), "test-server", "echo", json!({})).text(),
        call(http.with_key(WRONG), "test-server", "echo", json!({})).text(),
        Client::legacy(http.with_key(&key)).call_error("echo", json!({})).to_string(),
        Client::modern(http.with_key(CALLER)).call_error("echo", json!({})).to_string(),
    ];
    operator.send(&Request::new("DELETE", &format!("/api/hooks/{id}"))).expect_status(204);
    // What reaches a server is what the client wrote, and nothing of its headers.
    replies.push(call(http.with_key(&key), "test-server", "echo", json!({})).text());
    let sign_in = http.send(&request("POST", "/api/session", &json!({"key": key})));
    replies.push(format!("{} {:?}", sign_in.text(), sign_in.headers));
    for path in [
        "/api/keys",
        "/api/config",
        "/api/captures",
        "/api/audit",
        "/api/audit/export",
        "/metrics",
        "/api/stats",
    ] {
        replies.push(operator.send(&Request::new("GET", path)).expect_status(200).text());
    }
    let checked = gateway.folder();
    let mut texts = replies;
    texts.extend(gateway.log_lines());
    for file in std::fs::read_dir(checked.data()).expect("the data folder") {
        let bytes = std::fs::read(file.expect("a file").path()).unwrap_or_default();
        texts.push(String::from_utf8_lossy(&bytes).into_owned());
    }
    for (text, secret) in
        texts.iter().flat_map(|text| [&*key, CALLER, OPERATOR, WRONG].map(|secret| (text, secret)))
    {
        assert!(!text.contains(secret), "{secret} stands in {text:.300}");
    }
}
