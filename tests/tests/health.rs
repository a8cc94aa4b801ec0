//! `GET /health`, metrics and the description of the API (spec 1.2, 1.9, 1.15; example 26).

use serde_json::{Value, json};
use std::time::Duration;
use testkit::TestGateway;

#[test]
fn health_is_ok_when_every_server_runs() {
    let gateway = TestGateway::builder().server("s1", |s| s).server("s2", |s| s).start();
    let reply = gateway.get("/health");
    reply.expect_status(200);
    assert!(reply.header("content-type").starts_with("application/json"));
    assert_eq!(reply.body["status"], "ok");
    assert_eq!(reply.body["servers"], json!({"s1": "running", "s2": "running"}));
    assert!(reply.body.get("open").is_none_or(|open| open == false), "{}", reply.body);
}

#[test]
fn uptime_is_in_seconds_with_a_fraction_and_grows() {
    let gateway = TestGateway::start();
    let uptime = || gateway.health()["uptime"].as_f64().expect("a number");
    let first = uptime();
    assert!((0.0..60.0).contains(&first), "{first}");
    testkit::eventually("uptime grows by less than a second", || {
        let now = uptime();
        (now > first && now.fract() > 0.0).then_some(())
    });
}

#[test]
fn a_crash_makes_health_degraded_and_touches_no_other_server() {
    let gateway = TestGateway::builder().server("s1", |s| s).server("s2", |s| s).start();
    gateway.call("s1", "crash", json!({"code": 1})).expect_code(502, "SERVER_CRASHED");
    let health = gateway.health();
    assert_eq!(health["status"], "degraded");
    assert_eq!(health["servers"], json!({"s1": "crashed", "s2": "running"}));
    gateway.call("s2", "plain", json!({})).expect_status(200);
}

#[test]
fn health_answers_while_calls_are_running() {
    let gateway = TestGateway::start();
    let calls: Vec<_> =
        (0..5).map(|n| gateway.call_later("test-server", "sleep", json!({"ms": 1500 + n}))).collect();
    let health = gateway.get("/health");
    assert_eq!(health.body["status"], "ok");
    assert!(health.elapsed < Duration::from_millis(500), "{:?}", health.elapsed);
    for call in calls {
        call.join().expect("no panic").expect("an answer").expect_status(200);
    }
}

#[test]
fn listening_for_everyone_without_keys_is_said_in_health_and_in_the_log() {
    let gateway = TestGateway::builder().server("test-server", |s| s).flag("--host").flag("0.0.0.0").start();
    assert_eq!(gateway.health()["open"], true);
    let warns = |line: &Value| line["level"].as_str().is_some_and(|level| level.eq_ignore_ascii_case("warn"));
    testkit::eventually("the log warns of it", || gateway.log().iter().any(warns).then_some(()));
}

#[test]
fn metrics_are_in_prometheus_text() {
    let gateway = TestGateway::start();
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    let reply = gateway.get("/metrics");
    reply.expect_status(200);
    assert!(reply.header("content-type").starts_with("text/plain"), "{:?}", reply.headers);
    let text = reply.text();
    assert!(text.contains("# TYPE ") && text.contains("counter"), "{text}");
    let samples: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert!(!samples.is_empty(), "{text}");
    for sample in samples {
        let value = sample.rsplit(' ').next().unwrap_or_default();
        assert!(value.parse::<f64>().is_ok(), "{sample}");
    }
}

#[test]
fn the_api_describes_itself() {
    let gateway = TestGateway::start();
    let reply = gateway.get("/api/openapi.json");
    reply.expect_status(200);
    assert!(
        reply.body["openapi"].as_str().is_some_and(|version| version.starts_with('3')),
        "{}",
        reply.text()
    );
    for (path, method) in [
        ("/mcp/call", "post"),
        ("/mcp/tools", "get"),
        ("/health", "get"),
        ("/api/servers", "get"),
        ("/api/servers", "post"),
        ("/api/servers/{name}", "delete"),
        ("/api/servers/{name}/restart", "post"),
        ("/api/servers/{name}/logs", "get"),
        ("/api/config/reload", "post"),
    ] {
        assert!(reply.body["paths"][path][method].is_object(), "{method} {path} is not described");
    }
}
