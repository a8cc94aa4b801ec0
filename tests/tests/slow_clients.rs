//! Clients that are slow, endless or do not read: each costs a connection for a bounded time and bounded
//! memory, and a client that behaves is served all the while (docs/guide/operations.md).

use serde_json::json;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use testkit::{Builder, Client, Request, TestGateway, Usage, eventually};

/// Slow clients at a time.
const CROWD: usize = 20;

/// Files that may be open by chance: a connection that is just being closed.
const SPARE: usize = 4;

/// What an allocator keeps of what has passed, in MiB.
const KEPT: u64 = 64;

fn impatient() -> Builder {
    TestGateway::builder()
        .server("one", |s| {
            s.env("FX_PROGRESS_MS", "20").env("FX_PROGRESS_BYTES", "200000").env("FX_LIST_CHANGED", "1")
        })
        .setting("http: { clientTimeout: 1000 }")
}

/// A client that behaves is served.
#[track_caller]
fn served(gateway: &TestGateway) {
    assert_eq!(gateway.call("one", "echo", json!({"n": 1})).result(), &json!({"n": 1}));
    assert_eq!(gateway.health()["status"], "ok");
}

fn before(gateway: &TestGateway) -> Usage {
    served(gateway);
    Usage::of(gateway.pid())
}

/// Sends requests on connections of their own whose answers nobody reads, and waits until most are taken.
#[track_caller]
fn unread(gateway: &TestGateway, requests: &[Request]) -> Vec<TcpStream> {
    let files = Usage::of(gateway.pid()).files;
    let begin = |request| gateway.http().begin(request).expect("the gateway reads");
    let streams: Vec<_> = requests.iter().map(begin).collect();
    eventually("the connections are taken", || {
        (Usage::of(gateway.pid()).files >= files + streams.len() / 2).then_some(())
    });
    streams
}

fn crowd(gateway: &TestGateway, first: &[u8]) -> Vec<TcpStream> {
    let connect = |_| {
        let mut stream = gateway.http().connect().expect("the gateway takes connections");
        stream.write_all(first).expect("the gateway reads");
        stream.set_nonblocking(true).expect("a socket can be set");
        stream
    };
    (0..CROWD).map(connect).collect()
}

/// Sends these bytes, as many as go; the answer is taken at its end. `Some` when the gateway has hung up.
fn push(stream: &mut TcpStream, bytes: &[u8], answer: &mut Vec<u8>) -> Option<()> {
    let _ = stream.write(bytes);
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return Some(()),
            Ok(count) => answer.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return None,
            Err(_) => return Some(()),
        }
    }
}

/// Goes on sending `more` on every connection until the gateway has ended them all, and gives the answers. A
/// client that behaves is served meanwhile.
#[track_caller]
fn until_ended(gateway: &TestGateway, streams: Vec<TcpStream>, more: &[u8]) -> Vec<String> {
    let mut open: Vec<_> = streams.into_iter().map(|stream| (stream, Vec::new())).collect();
    let mut answers = Vec::new();
    eventually("the gateway ends the slow connections", || {
        served(gateway);
        open.retain_mut(|(stream, answer)| {
            let ended = push(stream, more, answer).is_some();
            if ended {
                answers.push(String::from_utf8_lossy(answer).into_owned());
            }
            !ended
        });
        open.is_empty().then_some(())
    });
    answers
}

#[test]
fn heads_that_come_byte_by_byte_end_in_time() {
    let gateway = impatient().start();
    let before = before(&gateway);
    let slow = crowd(&gateway, b"GET /health HTTP/1.1\r\nHost: a\r\nX-Slow: ");
    until_ended(&gateway, slow, b"x");
    before.expect_flat(gateway.pid(), SPARE, KEPT);
}

#[test]
fn heads_that_never_end_are_refused_at_their_limit() {
    let gateway = impatient().start();
    let before = before(&gateway);
    for line in [format!("X-Long: {}", "x".repeat(10_000)), "X-Many: 1\r\n".repeat(100)] {
        let greedy = crowd(&gateway, b"GET /health HTTP/1.1\r\nHost: a\r\n");
        let answers = until_ended(&gateway, greedy, line.as_bytes());
        let refused = answers.iter().filter(|answer| answer.starts_with("HTTP/1.1 431 ")).count();
        let lost = answers.iter().filter(|answer| answer.is_empty()).count();
        assert_eq!(refused + lost, CROWD, "{answers:?}");
    }
    before.expect_flat(gateway.pid(), SPARE, KEPT);
}

fn head(path: &str, length: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{length}\r\n\r\n")
}

#[test]
fn bodies_that_come_byte_by_byte_are_refused_in_time() {
    let gateway = impatient().start();
    let before = before(&gateway);
    for path in ["/mcp/call", "/mcp", "/api/hooks"] {
        let slow = crowd(&gateway, head(path, "Content-Length: 100000").as_bytes());
        let answers = until_ended(&gateway, slow, b" ");
        let told = |answer: &&String| answer.starts_with("HTTP/1.1 400 ") && answer.contains("took too long");
        assert!(answers.iter().any(|answer| told(&answer)), "{path}: {answers:?}");
        let others = answers.iter().filter(|answer| !told(answer));
        assert!(others.clone().all(String::is_empty), "{path}: {answers:?}");
    }
    before.expect_flat(gateway.pid(), SPARE, KEPT);
}

#[test]
fn bodies_that_never_end_are_refused_at_their_limit() {
    let gateway = impatient().start();
    let before = before(&gateway);
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    for path in ["/mcp/call", "/mcp", "/api/hooks"] {
        let mut greedy = gateway.http().connect().expect("the gateway takes connections");
        greedy.write_all(head(path, "Transfer-Encoding: chunked").as_bytes()).expect("the gateway reads");
        // The gateway hangs up in the end, whether or not its answer has been seen by then.
        let sent = (0..4000).take_while(|_| greedy.write_all(chunk.as_bytes()).is_ok()).count();
        assert!(sent < 4000, "{path}: all of {sent} chunks were taken");
        served(&gateway);
    }
    before.expect_flat(gateway.pid(), SPARE, KEPT);
}

#[test]
fn readers_of_events_that_never_read_cost_next_to_nothing() {
    let gateway = impatient().start();
    let before = before(&gateway);
    let idle = unread(&gateway, &vec![Request::new("GET", "/api/events"); CROWD]);
    for n in 0..300 {
        gateway.call("one", "grow", json!({"name": format!("later-{n}")})).expect_status(200);
    }
    served(&gateway);
    before.expect_flat(gateway.pid(), SPARE + CROWD, KEPT);
    drop(idle);
    before.expect_flat(gateway.pid(), SPARE, KEPT);
}

#[test]
fn a_stream_that_is_never_read_ends_with_its_call() {
    let gateway = impatient().start();
    let before = before(&gateway);
    let client = Client::legacy(gateway.http());
    let params = json!({"name": "sleep", "arguments": {"ms": 15_000}, "_meta": {"progressToken": 1}});
    let requests: Vec<_> = (0..6).map(|_| client.request("tools/call", params.clone()).1).collect();
    let unread = unread(&gateway, &requests);
    served(&gateway);
    // The clients hold their ends open: it is the gateway that hangs up.
    before.expect_flat(gateway.pid(), 2, KEPT);
    served(&gateway);
    drop(unread);
}

#[test]
fn a_client_that_asks_again_and_again_and_never_reads_loses_its_connection() {
    let gateway = impatient().start();
    let before = before(&gateway);
    let body = json!({"server": "one", "toolName": "big", "input": {"bytes": 1_000_000}}).to_string();
    let length = format!("Content-Length: {}", body.len());
    let request = head("/mcp/call", &length) + &body;
    let mut greedy = gateway.http().connect().expect("the gateway takes connections");
    // The requests are small; their answers are more than a connection holds.
    greedy.write_all(request.repeat(40).as_bytes()).expect("the gateway reads");
    eventually("the gateway hangs up", || {
        served(&gateway);
        (greedy.write_all(b"\r\n").is_err()).then_some(())
    });
    before.expect_flat(gateway.pid(), SPARE, KEPT);
}
