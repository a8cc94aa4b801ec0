//! Tokens of an issuer in place of keys: what opens the gateway, what does not, and what each is told.

use super::{AUDIENCE, OPERATOR, PUBLIC, builder, call, request, token};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{Client, Events, Issuer, Request, Signature, TestGateway, now};

const METADATA: &str = "resource_metadata=\"https://gate.example/.well-known/oauth-protected-resource/mcp\"";

/// What a token with these claims over good ones is answered.
fn outcome(gateway: &TestGateway, issuer: &Issuer, claims: &Value) -> (u16, String) {
    let mut all = json!({"aud": AUDIENCE, "scope": "plain"});
    all.as_object_mut().expect("a map").extend(claims.as_object().expect("a map").clone());
    let http = gateway.http().with_key(&issuer.token(Signature::Edwards, &all));
    let reply = call(http, "test-server", "plain", json!({}));
    let message = reply.body["error"]["message"].as_str().unwrap_or_default().to_owned();
    (reply.status, message)
}

#[test]
fn a_good_token_opens_every_way_in() {
    let issuer = Issuer::start();
    let gateway = builder(&issuer).start();
    for kind in [Signature::Rsa, Signature::Elliptic, Signature::Edwards] {
        let token = issuer.token(kind, &json!({"aud": [AUDIENCE, "other"], "scope": "plain"}));
        let http = gateway.http().with_key(&token);
        assert_eq!(call(http, "test-server", "plain", json!({})).result()["content"][0]["text"], "hello");
        for client in [Client::legacy(http), Client::modern(http)] {
            assert_eq!(client.call("plain", json!({}))["content"][0]["text"], "hello", "{kind:?}");
        }
    }
    let otto = gateway.http().with_key(OPERATOR);
    assert_eq!(call(otto, "test-server", "plain", json!({})).status, 200, "keys are in force beside tokens");
    assert_eq!(issuer.received("/jwks").len(), 1, "the keys of the issuer are read once");
}

#[test]
fn a_token_opens_the_old_transport_and_its_stream_is_for_nobody_else() {
    let issuer = Issuer::start();
    let gateway = builder(&issuer).start();
    let http = gateway.http().with_key(&token(&issuer, "plain"));
    let mut events = Events::open(http, &Request::new("GET", "/sse").header("Accept", "text/event-stream"));
    let path = format!("/{}", events.event().expect("an event").data.trim_start_matches('/'));
    let mut ask = |id: u64, method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        assert_eq!(http.send(&request("POST", &path, &message)).status, 202);
        events.reply(id)
    };
    let info = json!({"name": "old", "version": "1"});
    ask(1, "initialize", json!({"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": info}));
    let reply = ask(2, "tools/call", json!({"name": "plain", "arguments": {}}));
    assert_eq!(reply["result"]["content"][0]["text"], "hello");
    let ping = json!({"jsonrpc": "2.0", "id": 3, "method": "ping"});
    let other = issuer.token(Signature::Elliptic, &json!({"aud": AUDIENCE, "scope": "plain", "sub": "bob"}));
    assert_eq!(gateway.http().with_key(&other).send(&request("POST", &path, &ping)).status, 404);
}

#[test]
fn a_token_that_is_not_for_this_gateway_opens_nothing() {
    let issuer = Issuer::start();
    let gateway = builder(&issuer).start();
    let check = |claims: Value, expected: &str| {
        assert_eq!(outcome(&gateway, &issuer, &claims), (401, expected.to_owned()), "{claims}");
    };
    assert_eq!(outcome(&gateway, &issuer, &json!({})).0, 200);
    check(json!({"aud": "https://other.example/mcp"}), "This token is not meant for this gateway");
    check(json!({"aud": null}), "This token is not meant for this gateway");
    check(json!({"iss": "https://evil.example"}), "This token comes from another issuer");
    check(json!({"exp": now() - 60}), "This token has expired");
    check(json!({"nbf": now() + 60}), "This token is not valid yet");
    let stranger = Issuer::start();
    let forged =
        stranger.token(Signature::Edwards, &json!({"iss": issuer.url(), "aud": AUDIENCE, "scope": "plain"}));
    let reply = call(gateway.http().with_key(&forged), "test-server", "plain", json!({}));
    reply.expect_fault(401, "UNAUTHORIZED", "This token is not valid", json!({"error": "invalid_token"}));
    let expected =
        format!("Bearer {METADATA}, error=\"invalid_token\", error_description=\"This token is not valid\"");
    assert_eq!(reply.header("www-authenticate"), expected);
}

#[test]
fn a_token_that_proves_nothing_opens_nothing() {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let issuer = Issuer::start();
    let gateway = builder(&issuer).start();
    let good = token(&issuer, "plain");
    assert_eq!(call(gateway.http().with_key(&good), "test-server", "plain", json!({})).status, 200);
    let claims = good.split('.').nth(1).expect("claims").to_owned();
    let header = |alg: &str| URL_SAFE_NO_PAD.encode(json!({"alg": alg}).to_string());
    let unsigned = format!("{}.{claims}.", header("none"));
    // The public key, which everybody knows, as the secret of an HMAC.
    let text = format!("{}.{claims}", header("HS256"));
    let secret = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &issuer.public_key(Signature::Elliptic));
    let confused = format!("{text}.{}", URL_SAFE_NO_PAD.encode(ring::hmac::sign(&secret, text.as_bytes())));
    let at = good.len() - 6;
    let other = if &good[at..=at] == "A" { "B" } else { "A" };
    let changed = format!("{}{other}{}", &good[..at], &good[at + 1..]);
    let swapped = format!(
        "{}.{}",
        good.rsplit_once('.').expect("parts").0,
        confused.rsplit_once('.').expect("parts").1
    );
    for forged in [unsigned, confused, changed, swapped] {
        let reply = call(gateway.http().with_key(&forged), "test-server", "plain", json!({}));
        reply.expect_fault(401, "UNAUTHORIZED", "This token is not valid", json!({"error": "invalid_token"}));
    }
}

#[test]
fn a_key_that_the_issuer_changed_is_found_and_strangers_do_not_make_the_gateway_ask_for_ever() {
    let issuer = Issuer::start();
    let gateway = builder(&issuer).start();
    let old = token(&issuer, "plain");
    let status = |token: &str| call(gateway.http().with_key(token), "test-server", "plain", json!({})).status;
    assert_eq!(status(&old), 200);
    let mut stream = Client::legacy(gateway.http().with_key(&old)).listen();
    issuer.rotate(Signature::Elliptic);
    // The bound on asking again runs from the first time.
    let fresh = token(&issuer, "plain");
    testkit::eventually("the new key is found", || (status(&fresh) == 200).then_some(()));
    let asked = issuer.received("/jwks").len();
    assert_eq!(asked, 2);
    assert_eq!(status(&old), 401, "its key is withdrawn");
    let restart = Request::new("POST", "/api/servers/test-server/restart");
    gateway.http().with_key(OPERATOR).send(&restart).expect_status(200);
    assert_eq!(stream.event_within(Duration::from_secs(20)), Some(None), "nor does its stream hear anything");
    for _ in 0..3 {
        issuer.rotate(Signature::Elliptic);
        assert_eq!(status(&token(&issuer, "plain")), 401);
    }
    assert_eq!(issuer.received("/jwks").len(), asked, "not more than once in ten seconds");
}

#[test]
fn many_wrong_tokens_close_the_door_for_a_while_but_those_whose_time_is_over_do_not() {
    let issuer = Issuer::start();
    let status = |gateway: &TestGateway, token: &str| {
        call(gateway.http().with_key(token), "test-server", "plain", json!({})).status
    };
    for wrong in ["aud", "iss"] {
        let gateway = builder(&issuer).start();
        let sent = |claims: Value| outcome(&gateway, &issuer, &claims).0;
        let good = token(&issuer, "plain");
        assert_eq!(status(&gateway, &good), 200);
        assert!((0..12).all(|n| sent(json!({"exp": now() - 60, "n": n})) == 401));
        assert!((0..12).all(|n| sent(json!({"nbf": now() + 60, "n": n})) == 401));
        let statuses: Vec<u16> = (0..11).map(|n| sent(json!({wrong: "https://x.example", "n": n}))).collect();
        assert_eq!((&statuses[..10], statuses[10]), (&[401; 10][..], 429), "{wrong}");
        assert_eq!(sent(json!({"n": 1})), 429, "one that was not seen from here is not looked at");
        assert_eq!(status(&gateway, &good), 200, "one that was goes on");
    }
    let (gateway, stranger) = (builder(&issuer).start(), Issuer::start());
    stranger.rotate(Signature::Edwards);
    let claims = json!({"iss": issuer.url(), "aud": AUDIENCE, "scope": "plain"});
    let unknown = stranger.token(Signature::Edwards, &claims);
    let statuses: Vec<u16> = (0..11).map(|_| status(&gateway, &unknown)).collect();
    assert_eq!((&statuses[..10], statuses[10]), (&[401; 10][..], 429));
}

#[test]
fn without_a_token_a_client_learns_where_tokens_come_from() {
    let issuer = Issuer::start();
    let gateway = builder(&issuer).start();
    let http = gateway.http();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for reply in [http.send(&request("POST", "/mcp", &ping)), http.send(&Request::new("GET", "/mcp/tools"))] {
        assert_eq!(
            (reply.status, reply.header("www-authenticate")),
            (401, format!("Bearer {METADATA}").as_str())
        );
    }
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let document = http.send(&Request::new("GET", path)).expect_status(200).body.clone();
        assert_eq!(document["resource"], AUDIENCE);
        assert_eq!(document["authorization_servers"], json!([issuer.url()]));
        assert_eq!(document["scopes_supported"], json!(["admin", "demo", "plain", "slow", "slower"]));
    }
    let closed = TestGateway::start();
    let path = "/.well-known/oauth-protected-resource/mcp";
    closed.get(path).expect_code(404, "NOT_FOUND");
    let by_name = Request::new("GET", path).header("Host", "gate.example");
    assert_eq!(http.send(&by_name).status, 200);
    let ping = request("POST", "/mcp", &ping).header("Host", "gate.example").header("Origin", PUBLIC);
    assert_eq!(http.send(&ping).status, 401, "the public address is no stranger");
}

#[test]
fn a_token_without_a_scope_that_permits_something_is_told_which_do() {
    let issuer = Issuer::start();
    let gateway = builder(&issuer).start();
    let none = gateway.http().with_key(&token(&issuer, "other"));
    let reply = call(none, "test-server", "plain", json!({}));
    let message = "This token has none of the scopes that permit something here";
    reply.expect_fault(403, "FORBIDDEN", message, json!({"error": "insufficient_scope"}));
    let challenge = reply.header("www-authenticate").to_owned();
    assert!(
        challenge.contains("error=\"insufficient_scope\"") && challenge.contains(METADATA),
        "{challenge}"
    );
    assert!(challenge.ends_with("scope=\"admin demo plain slow slower\""), "{challenge}");
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let reply = none.send(&request("POST", "/mcp", &ping));
    assert_eq!((reply.status, &reply.body["error"]["data"]["code"]), (403, &json!("FORBIDDEN")));
    let reply = gateway.http().with_key(&token(&issuer, "plain")).send(&Request::new("GET", "/api/servers"));
    assert_eq!(reply.expect_code(403, "FORBIDDEN").details["role"], "viewer");
    assert!(reply.header("www-authenticate").ends_with("scope=\"admin\""), "{:?}", reply.headers);
    let admin = gateway.http().with_key(&token(&issuer, "admin"));
    assert_eq!(admin.send(&Request::new("GET", "/api/servers")).status, 200);
    let entries = admin.send(&Request::new("GET", "/api/audit?kind=refusal")).expect_status(200).body.clone();
    let counted = |who: &str| -> u64 {
        let told = entries.as_array().expect("a list").iter().filter(|entry| entry["who"] == who);
        let told = told.map(|entry| &entry["details"]).filter(|told| told["outcome"] == "FORBIDDEN");
        told.filter_map(|told| told["count"].as_u64()).sum()
    };
    let told = (counted(""), counted("oauth:ann"));
    assert_eq!(told, (0, 3), "all of them are in the audit log, with their subject: {entries}");
}

#[test]
fn a_refused_token_is_in_the_audit_log_with_the_subject_that_its_issuer_names() {
    let issuer = Issuer::start();
    let gateway = builder(&issuer).start();
    let stranger = Issuer::start();
    let late = json!({"sub": "late", "exp": now() - 60});
    let elsewhere = json!({"sub": "elsewhere", "aud": "https://other.example"});
    let forged = json!({"sub": "forged", "iss": issuer.url()});
    for (by, claims) in [(&issuer, late), (&issuer, elsewhere), (&stranger, forged)] {
        let mut all = json!({"aud": AUDIENCE, "scope": "plain"});
        all.as_object_mut().expect("a map").extend(claims.as_object().expect("a map").clone());
        let http = gateway.http().with_key(&by.token(Signature::Edwards, &all));
        let reply = call(http, "test-server", "plain", json!({}));
        reply.expect_code(401, "UNAUTHORIZED");
        assert!(!format!("{} {:?}", reply.text(), reply.headers).contains("oauth:"), "{}", reply.text());
    }
    let audit = Request::new("GET", "/api/audit?kind=refusal");
    let entries = gateway.http().with_key(OPERATOR).send(&audit).expect_status(200).body.clone();
    let who = entries.as_array().expect("a list").iter().map(|entry| entry["who"].as_str().expect("a text"));
    let mut who: Vec<&str> = who.collect();
    who.sort_unstable();
    assert_eq!(who, ["", "oauth:elsewhere", "oauth:late"], "{entries}");
}

#[test]
fn a_token_reaches_what_its_scopes_permit_and_the_rest_is_not_there() {
    let issuer = Issuer::start();
    let gateway = builder(&issuer).start();
    let tools = |scope: &str| {
        let http = gateway.http().with_key(&token(&issuer, scope));
        let (mut one, mut other) = (Client::legacy(http).tools(), Client::modern(http).tools());
        one.sort();
        other.sort();
        assert_eq!(one, other);
        one
    };
    assert_eq!(tools("plain"), ["echo", "plain"]);
    let both = tools("plain demo");
    assert!(both.len() > 2 && both.iter().any(|tool| tool.contains("fetch-weather")), "{both:?}");
    assert!(tools("admin plain").len() > both.len());
    let http = gateway.http().with_key(&token(&issuer, "demo"));
    call(http, "test-server", "plain", json!({})).expect_code(404, "SERVER_NOT_FOUND");
    let with =
        |scope| call(gateway.http().with_key(&token(&issuer, scope)), "test-server", "plain", json!({}));
    let slow = ["slow slower", "slower slow", "slow slower slow"].map(|scope| with(scope).status);
    assert_eq!(slow, [200, 200, 429], "tokens of one subject with the same scopes are counted together");
}

#[test]
fn a_token_is_somebody_else_than_a_key_and_is_seen_by_nobody() {
    let issuer = Issuer::start();
    let gateway = builder(&issuer).env("LOG_LEVEL", "debug").setting("audit: {calls: true}").start();
    let mine = issuer.token(Signature::Rsa, &json!({"aud": AUDIENCE, "scope": "plain admin", "sub": "otto"}));
    let http = gateway.http().with_key(&mine);
    call(http, "test-server", "echo", json!({"a": 1})).expect_status(200);
    let script = "return {continue: false, error: {code: 'SEEN', message: JSON.stringify(context)}};";
    let hook = json!({"name": "spy", "hookType": "pre", "script": script});
    http.send(&request("POST", "/api/hooks", &hook)).expect_status(201);
    let seen = call(http, "test-server", "plain", json!({})).fault().message;
    assert!(seen.contains("\"oauth:otto\""), "{seen}");
    let audit = http.send(&Request::new("GET", "/api/audit")).expect_status(200).text();
    assert!(audit.contains("\"who\":\"oauth:otto\"") && !audit.contains("\"who\":\"otto\""), "{audit}");
    let session = http.send(&request("POST", "/api/session", &json!({"key": mine})));
    assert_eq!(session.status, 401, "the page is signed in to with a key");
    let mut texts = vec![seen, audit, session.text()];
    texts.extend(gateway.log_lines());
    let signature = mine.rsplit_once('.').expect("parts").1;
    assert!(texts.iter().all(|text| !text.contains(signature)));
}

#[test]
fn a_session_goes_on_with_a_newer_token_of_the_same_subject_and_ends_with_the_setting() {
    let issuer = Issuer::start();
    let gateway = builder(&issuer).start();
    let with = |claims: Value| {
        let mut all = json!({"aud": AUDIENCE, "scope": "plain"});
        all.as_object_mut().expect("a map").extend(claims.as_object().expect("a map").clone());
        gateway.http().with_key(&issuer.token(Signature::Elliptic, &all))
    };
    let client = Client::legacy(with(json!({})));
    let newer = Client::resume(with(json!({"exp": now() + 7200})), client.session(), json!({}));
    assert_eq!(newer.tools().len(), 2);
    let stolen = Client::resume(with(json!({"sub": "bob"})), client.session(), json!({}));
    let (_, ask) = stolen.request("tools/list", json!({}));
    assert_eq!(stolen.exchange(&ask).status, 404);
    let keys = json!([{"name": "otto", "key": OPERATOR, "role": "operator"}]);
    gateway.rewrite(&testkit::Config::new().server("test-server", |s| s).setting(&format!("keys: {keys}")));
    gateway.http().with_key(OPERATOR).send(&Request::new("POST", "/api/config/reload")).expect_status(200);
    let (_, ask) = client.request("tools/list", json!({}));
    assert_eq!(client.exchange(&ask).status, 401, "tokens are no longer taken");
}

#[test]
fn a_reload_from_keys_to_tokens_and_back_leaves_the_gateway_closed() {
    let issuer = Issuer::start();
    let keys = format!("keys: {}", json!([{"name": "otto", "key": OPERATOR, "role": "operator"}]));
    let config = || testkit::Config::new().server("test-server", |s| s);
    let gateway = TestGateway::builder().server("test-server", |s| s).setting(&keys).start();
    let reload = |key: &str| {
        let request = Request::new("POST", "/api/config/reload");
        gateway.http().with_key(key).send(&request).expect_status(200);
    };
    let oauth = json!({"issuer": issuer.url(), "scopes": {"admin": {"role": "operator"}}});
    let tokens = config().setting(&format!("oauth: {oauth}\nhttp: {{publicUrl: '{PUBLIC}'}}"));
    std::thread::scope(|scope| {
        let changing = scope.spawn(|| {
            for _ in 0..5 {
                gateway.rewrite(&tokens);
                reload(OPERATOR);
                gateway.rewrite(&config().setting(&keys));
                reload(&token(&issuer, "admin"));
            }
        });
        while !changing.is_finished() {
            assert_eq!(gateway.http().send(&Request::new("GET", "/mcp/tools")).status, 401);
        }
    });
    let told = || gateway.log_lines().iter().filter(|line| line.contains("no key is left")).count();
    assert_eq!(told(), 0);
    gateway.rewrite(&tokens);
    reload(OPERATOR);
    gateway.rewrite(&config());
    reload(&token(&issuer, "admin"));
    testkit::eventually("that it is open is told", || (told() == 1).then_some(()));
}

#[test]
fn a_script_does_not_take_a_token_for_a_key() {
    let issuer = Issuer::start();
    let gateway = builder(&issuer).start();
    let mine = token(&issuer, "plain admin");
    let http = gateway.http().with_key(&mine);
    call(http, "test-server", "plain", json!({})).expect_status(200);
    let script = format!(
        "return {{continue: false, error: {{code: 'SEEN', message: JSON.stringify([\
         await validateToken('{OPERATOR}'), await validateToken('{mine}')])}}}};"
    );
    let hook = json!({"name": "tokens", "hookType": "pre", "script": script});
    http.send(&request("POST", "/api/hooks", &hook)).expect_status(201);
    assert_eq!(call(http, "test-server", "plain", json!({})).fault().message, "[true,false]");
}
