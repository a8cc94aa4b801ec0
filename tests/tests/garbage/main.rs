//! Garbage at the door: whatever comes in, the answer is a success or the envelope with a known code,
//! nothing hangs, and the next call works (spec 1.3, 1.5, 1.6).
//!
//! The cases are the same in every run. `GARBAGE_SEED` sets another beginning; a failure names the seed
//! of the one case that failed.

mod bodies;
mod noise;
mod requests;

use serde_json::{Value, json};
use std::collections::HashSet;
use std::time::Duration;
use testkit::{Random, Reply, Request, TestGateway, repository};

const CASES: u64 = 500;

fn seeds() -> std::ops::Range<u64> {
    let first = std::env::var("GARBAGE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    first..first + CASES
}

#[test]
fn every_request_gets_a_success_or_the_envelope_with_a_known_code() {
    let gateway = TestGateway::start();
    let (pid, codes) = (gateway.server_pid("test-server"), codes());
    let mut seen = HashSet::new();
    for seed in seeds() {
        let request = requests::request(&mut Random::new(seed));
        let reply = gateway.http().try_send(&request);
        let verdict = reply.map_err(|e| e.to_string()).and_then(|reply| verdict(&request, &reply, &codes));
        match verdict {
            Ok(word) => seen.insert(word),
            Err(why) => {
                let body = String::from_utf8_lossy(request.body.as_deref().unwrap_or_default()).into_owned();
                panic!("seed {seed}: {why}\n{:?}\n{body}", Request { body: None, ..request })
            }
        };
    }
    for word in ["200", "VALIDATION_ERROR", "NOT_FOUND", "METHOD_NOT_ALLOWED"] {
        assert!(seen.contains(word), "the cases are too tame, no {word}: {seen:?}");
    }
    well(&gateway, pid);
}

#[test]
fn bytes_that_are_no_request_end_with_the_connection() {
    let gateway = TestGateway::start();
    let pid = gateway.server_pid("test-server");
    for seed in seeds().take(150) {
        let bytes = noise::bytes(&mut Random::new(seed));
        let answer = noise::exchange(&gateway, &bytes);
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 "), "seed {seed}: {answer}");
        assert!(!answer.starts_with("HTTP/1.1 5"), "seed {seed}: {answer}");
    }
    well(&gateway, pid);
}

/// The gateway is up, has the same server as before, and a call works.
#[track_caller]
fn well(gateway: &TestGateway, pid: u32) {
    let input = json!({"still": ["here", 1]});
    assert_eq!(gateway.call("test-server", "echo", input.clone()).result(), &input);
    assert_eq!(gateway.server_pid("test-server"), pid);
    assert_eq!(gateway.health()["status"], "ok");
    let panics = gateway.log_lines().into_iter().filter(|line| line.contains("panic"));
    assert_eq!(panics.collect::<Vec<_>>(), Vec::<String>::new());
}

/// Every code has a page.
fn codes() -> HashSet<String> {
    let pages = std::fs::read_dir(repository("docs/errors")).expect("the pages are there");
    let stem =
        |page: std::io::Result<std::fs::DirEntry>| Some(page.ok()?.path().file_stem()?.to_str()?.to_owned());
    pages.filter_map(stem).collect()
}

/// The status of a success or the code of an error; else what is wrong with the answer.
fn verdict(request: &Request, reply: &Reply, codes: &HashSet<String>) -> Result<String, String> {
    let wrong = |what: &str| Err(format!("{what}: {} {:?} {}", reply.status, reply.headers, reply.text()));
    if reply.elapsed > Duration::from_secs(8) {
        return wrong("too late");
    }
    // An answer to HEAD has no body, by the rules of HTTP.
    if request.method == "HEAD" {
        return Ok(reply.status.to_string());
    }
    let to_call = request.path.split('?').next() == Some("/mcp/call");
    if (200..300).contains(&reply.status) {
        let good = !to_call || (reply.body["success"] == true && reply.body.get("result").is_some());
        return if good { Ok(reply.status.to_string()) } else { wrong("no result") };
    }
    let error = &reply.body["error"];
    let code = error["code"].as_str().unwrap_or_default().to_owned();
    let envelope = reply.body["success"] == Value::Bool(false)
        && reply.header("content-type").starts_with("application/json")
        && error["message"].as_str().is_some_and(|message| !message.is_empty())
        && error["details"].is_object();
    match (envelope, codes.contains(&code)) {
        (false, _) => wrong("not the envelope"),
        (true, false) => wrong("not a known code"),
        // The gateway's own fault would be one.
        (true, true) if code == "INTERNAL_ERROR" => wrong("an internal error"),
        (true, true) => Ok(code),
    }
}
