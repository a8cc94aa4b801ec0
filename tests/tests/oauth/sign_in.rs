//! The gateway as a client: a remote server that wants a token, the person who signs in, and what becomes of it.

use super::{OPERATOR, call, request};
use serde_json::{Value, json};
use testkit::{Folder, Http, Issuer, Protected, Reply, Request, TestGateway, eventually};

/// A gateway before a protected server, which nobody signed in to yet.
fn gateway(server: &Protected, oauth: &Value) -> testkit::Builder {
    TestGateway::builder()
        .setting(&format!("keys: {}", json!([{"name": "otto", "key": OPERATOR, "role": "operator"}])))
        .server("far", |s| {
            s.raw("command", "").raw("url", &json!(server.url()).to_string()).raw("oauth", &oauth.to_string())
        })
}

fn view(http: Http) -> Value {
    let list = http.send(&Request::new("GET", "/api/servers")).expect_status(200).body.clone();
    list.as_array().expect("servers").iter().find(|one| one["name"] == "far").cloned().expect("the server")
}

/// Begins a sign-in and lets the person agree; gives the path that the browser is sent back to.
fn agreed(http: Http) -> String {
    let begun = http.send(&Request::new("POST", "/api/servers/far/sign-in"));
    begun.expect_status(200);
    assert_eq!(begun.header("cache-control"), "no-store");
    let url = begun.body["url"].as_str().expect("an address").to_owned();
    let (place, path) =
        url.strip_prefix("http://127.0.0.1:").and_then(|rest| rest.split_once('/')).expect("loopback");
    let sent = Http::at(place.parse().expect("a port")).send(&Request::new("GET", &format!("/{path}")));
    assert_eq!(sent.status, 302);
    let back = sent.header("location").to_owned();
    back.split_once("/oauth/callback")
        .map(|(_, query)| format!("/oauth/callback{query}"))
        .expect("the way back")
}

fn signed_in(gateway: &TestGateway) -> Reply {
    let path = agreed(gateway.http().with_key(OPERATOR));
    gateway.http().send(&Request::new("GET", &path))
}

/// The `Authorization` that the server saw.
fn seen(http: Http) -> String {
    let reply = call(http, "far", "whoami", json!({}));
    reply.result()["content"][0]["text"].as_str().expect("a text").to_owned()
}

#[test]
fn a_person_signs_in_once_and_the_token_outlives_the_gateway() {
    let issuer = Issuer::start();
    let server = Protected::start(&issuer);
    let gateway = gateway(&server, &json!({})).env("LOG_LEVEL", "debug").start();
    let http = gateway.http().with_key(OPERATOR);
    let before = view(http);
    assert_eq!((&before["needsSignIn"], &before["status"]), (&json!(true), &json!("stopped")));
    assert!(before["lastError"].as_str().is_some_and(|text| text.contains("sign in")), "{before}");
    let page = signed_in(&gateway);
    assert!(page.status == 200 && page.text().contains("Signed in to far."), "{}", page.text());
    let after = view(http);
    assert_eq!(
        (&after["needsSignIn"], &after["status"], &after["lastError"]),
        (&json!(false), &json!("running"), &json!(null))
    );
    let token = seen(http);
    assert!(token.starts_with("Bearer access-s3cret-"), "{token}");
    let asked = &issuer.received("/authorize")[0];
    assert_eq!(asked.value("resource"), server.url());
    assert_eq!((asked.value("scope"), asked.value("code_challenge_method")), ("read".into(), "S256".into()));
    assert_eq!(issuer.received("/token")[0].value("resource"), server.url());
    let secret = token.trim_start_matches("Bearer ").to_owned();
    for file in std::fs::read_dir(gateway.folder().data()).expect("the data folder") {
        let bytes = std::fs::read(file.expect("a file").path()).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains(&secret), "the token is sealed at rest");
    }
    let mut lines = gateway.log_lines();
    let gateway = gateway.reopen();
    let http = gateway.http().with_key(OPERATOR);
    assert_eq!(seen(http), token);
    assert_eq!(issuer.received("/authorize").len(), 1, "nobody was asked again");
    lines.extend(gateway.log_lines());
    assert!(lines.iter().all(|line| !line.contains("s3cret") && !line.contains("code=")), "{lines:#?}");
}

#[test]
fn a_token_is_renewed_by_itself_until_the_issuer_ends_it() {
    let issuer = Issuer::start();
    let server = Protected::start(&issuer);
    let gateway = gateway(&server, &json!({})).start();
    let http = gateway.http().with_key(OPERATOR);
    signed_in(&gateway).expect_status(200);
    let first = seen(http);
    issuer.end_access();
    let second = seen(http);
    assert_ne!(first, second);
    let renewed = issuer.received("/token").pop().expect("a request");
    assert_eq!(
        (renewed.value("grant_type"), renewed.value("resource")),
        ("refresh_token".into(), server.url())
    );
    issuer.end_all();
    let refused = call(http, "far", "whoami", json!({}));
    assert!(refused.status >= 400 && !refused.text().contains("s3cret"), "{}", refused.text());
    assert_eq!(view(http)["needsSignIn"], true);
    signed_in(&gateway).expect_status(200);
    assert_ne!(seen(http), second);
    assert_eq!(issuer.received("/register").len(), 1, "the gateway is known there already");
}

#[test]
fn a_token_is_renewed_though_the_call_that_needs_it_is_given_up() {
    let issuer = Issuer::start();
    let server = Protected::start(&issuer);
    let gateway = gateway(&server, &json!({})).start();
    let http = gateway.http().with_key(OPERATOR);
    signed_in(&gateway).expect_status(200);
    let first = seen(http);
    issuer.end_access();
    issuer.slow_down(1000);
    let asked = |timeout: u64| {
        let body = json!({"server": "far", "toolName": "whoami", "input": {}, "timeout": timeout});
        http.send(&request("POST", "/mcp/call", &body))
    };
    asked(300).expect_code(408, "TIMEOUT_ERROR");
    // What the issuer gave for the first renewal is the only token that it takes.
    let reply = asked(5000);
    reply.expect_status(200);
    assert_ne!(reply.result()["content"][0]["text"], first);
    assert_eq!(issuer.received("/token").len(), 2, "the sign-in and one renewal");
    assert_eq!(view(http)["needsSignIn"], false);
}

#[test]
fn an_issuer_that_is_out_of_order_for_a_while_ends_no_sign_in() {
    let issuer = Issuer::start();
    let server = Protected::start(&issuer);
    let gateway = gateway(&server, &json!({})).start();
    let http = gateway.http().with_key(OPERATOR);
    signed_in(&gateway).expect_status(200);
    let first = seen(http);
    issuer.end_access();
    for status in [429, 500, 503] {
        issuer.break_down(status);
        assert!(call(http, "far", "whoami", json!({})).status >= 400);
        assert_eq!(view(http)["needsSignIn"], false, "{status}");
    }
    issuer.break_down(0);
    assert_ne!(seen(http), first);
}

#[test]
fn a_callback_that_was_not_asked_for_or_was_used_does_nothing() {
    let issuer = Issuer::start();
    let server = Protected::start(&issuer);
    let gateway = gateway(&server, &json!({})).start();
    let (open, http) = (gateway.http(), gateway.http().with_key(OPERATOR));
    let path = agreed(http);
    let state =
        path.split("state=").nth(1).and_then(|rest| rest.split('&').next()).expect("a state").to_owned();
    let forged = |query: &str| open.send(&Request::new("GET", &format!("/oauth/callback?{query}")));
    for query in [
        "",
        "code=x",
        "code=x&state=far.forged",
        "code=x&state=other.x",
        "code=x&state=far",
        "state=%3Cb%3E.x",
    ] {
        let reply = forged(query);
        assert_eq!(reply.status, 400, "{query}");
        assert!(reply.text().contains("begin it again") && !reply.text().contains("<b>"), "{}", reply.text());
    }
    assert_eq!(view(http)["needsSignIn"], true);
    open.send(&Request::new("GET", &path)).expect_status(200);
    assert_eq!(open.send(&Request::new("GET", &path)).status, 400, "a state is good once");
    assert_eq!(issuer.received("/token").len(), 1);
    let path = agreed(http).replace(&format!("iss={}", issuer.url()), "iss=https://evil.example");
    let mixed = open.send(&Request::new("GET", &path));
    assert!(mixed.status == 400 && mixed.text().contains("the issuer that was asked"), "{}", mixed.text());
    let path = agreed(http).split("&iss=").next().expect("a path").to_owned();
    assert_eq!(open.send(&Request::new("GET", &path)).status, 400, "an issuer that names itself must do so");
    assert_eq!(issuer.received("/token").len(), 1, "no code went anywhere");
    assert!(!state.is_empty());
}

#[test]
fn the_gateway_uses_its_own_credentials_and_never_those_of_a_client() {
    let issuer = Issuer::start();
    let server = Protected::start(&issuer);
    let oauth = json!({"clientId": "gate", "clientSecret": "${SECRET}", "grant": "client-credentials", "scopes": ["a", "b"]});
    let gateway = gateway(&server, &oauth).env("SECRET", "own-s3cret").start();
    let http = gateway.http().with_key(OPERATOR);
    assert_eq!(view(http)["status"], "running");
    let token = seen(http);
    assert!(token.starts_with("Bearer access-s3cret-"), "{token}");
    let asked = &issuer.received("/token")[0];
    assert_eq!(
        (asked.value("grant_type"), asked.value("scope")),
        ("client_credentials".into(), "a b".into())
    );
    assert!(asked.header("authorization").starts_with("Basic "), "{asked:?}");
    assert!(
        server.received().iter().all(|one| !format!("{one:?}").contains(OPERATOR)),
        "no client's key goes upstream"
    );
    let config = http.send(&Request::new("GET", "/api/config")).expect_status(200).text();
    assert!(!config.contains("own-s3cret"));
    let begun = http.send(&Request::new("POST", "/api/servers/far/sign-in"));
    begun.expect_code(409, "CONFLICT");
}

#[test]
fn a_server_that_is_not_one_to_sign_in_to_says_so() {
    let gateway = TestGateway::builder().server("near", |s| s).start();
    let begin =
        |name: &str| gateway.http().send(&Request::new("POST", &format!("/api/servers/{name}/sign-in")));
    begin("near").expect_code(409, "CONFLICT");
    begin("nobody").expect_code(404, "NOT_FOUND");
    gateway.get("/client-metadata.json").expect_code(404, "NOT_FOUND");
    let public = TestGateway::builder()
        .setting("http: {publicUrl: 'https://gate.example'}")
        .server("near", |s| s)
        .start();
    let document = public.get("/client-metadata.json").expect_status(200).body.clone();
    assert_eq!(document["client_id"], "https://gate.example/client-metadata.json");
    assert_eq!(document["redirect_uris"], json!(["https://gate.example/oauth/callback"]));
}

#[test]
fn a_sign_in_is_forgotten_with_its_server_and_is_for_its_address_alone() {
    let issuer = Issuer::start();
    let (server, other) = (Protected::start(&issuer), Protected::start(&issuer));
    let running = gateway(&server, &json!({})).start();
    signed_in(&running).expect_status(200);
    assert_eq!(view(running.http().with_key(OPERATOR))["status"], "running");
    let folder: Folder = running.into_folder();
    let moved = gateway(&other, &json!({})).start_in(folder);
    let http = moved.http().with_key(OPERATOR);
    assert_eq!(view(http)["needsSignIn"], true, "the token is not for a server elsewhere");
    assert!(other.received().iter().all(|one| one.header("authorization").is_empty()));
    signed_in(&moved).expect_status(200);
    http.send(&Request::new("DELETE", "/api/servers/far/sign-in")).expect_status(204);
    eventually("nobody is signed in", || view(http)["needsSignIn"].as_bool().filter(|needs| *needs));
    let audit = http.send(&request("GET", "/api/audit", &json!({}))).text();
    assert!(audit.contains("/api/servers/far/sign-in"), "{audit}");
}

#[test]
fn instances_that_are_refused_at_the_same_moment_renew_a_token_once() {
    let database = databases::Postgres::shared().database();
    let issuer = Issuer::start();
    let server = Protected::start(&issuer);
    let start = || {
        let builder = gateway(&server, &json!({})).setting(&format!("store: {{url: '{}'}}", database.url));
        builder.env("LOCKGATE_SECRET_KEY", "vault-0123456789-0123456789-0123456789").start()
    };
    let gateways = [start(), start()];
    signed_in(&gateways[0]).expect_status(200);
    for gateway in &gateways {
        let http = gateway.http().with_key(OPERATOR);
        eventually("the sign-in is everywhere", || (view(http)["status"] == "running").then_some(()));
    }
    for _ in 0..10 {
        issuer.end_access();
        let calls: Vec<_> = gateways
            .iter()
            .map(|gateway| gateway.http().with_key(OPERATOR))
            .map(|http| std::thread::spawn(move || seen(http)))
            .collect();
        let seen: Vec<String> = calls.into_iter().map(|call| call.join().expect("an answer")).collect();
        assert_eq!(seen[0], seen[1], "both use what one of them got");
    }
    let renewals =
        issuer.received("/token").into_iter().filter(|one| one.value("grant_type") == "refresh_token");
    assert_eq!(renewals.count(), 10);
}
