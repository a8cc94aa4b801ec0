//! Servers that hang, flood, lie and fall over while calls run on a good one: every call on the good one is
//! right, and afterwards the gateway holds no more files than before, and hardly more memory.

use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use testkit::{Builder, Http, Reply, Request, TestGateway, Usage};

/// Calls of each client of the good server.
const CALLS: usize = 100;
const CLIENTS: usize = 3;

/// Files that may be open by chance: a connection that is just being closed, the store.
const SPARE: usize = 6;

/// What an allocator keeps after lines of 10 MB, in MiB.
const KEPT: u64 = 96;

fn world() -> Builder {
    TestGateway::builder()
        .server("good", |s| s)
        .server("bad", |s| s.env("FX_HOSTILE", "1").env("FX_LIST_CHANGED", "1").timeout(150))
        .setting("restartPolicy: on-failure")
}

fn call(http: Http, server: &str, tool: &str, input: &Value) -> Reply {
    let body = json!({"server": server, "toolName": tool, "input": input}).to_string();
    http.send(&Request::new("POST", "/mcp/call").body("application/json", body))
}

/// Makes trouble again and again while clients call the good server, then looks at what is left of it.
#[track_caller]
fn trouble(make: impl Fn(Http, usize) + Sync) {
    let gateway = world().start();
    let http = gateway.http();
    // The first trouble is the gateway's warm-up: what it keeps for later does not count.
    (0..10).for_each(|round| make(http, round));
    well(&gateway);
    let before = Usage::of(gateway.pid());
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let troublemaker = scope.spawn(|| {
            let mut round = 0;
            while !over.load(Ordering::Relaxed) {
                make(http, round);
                round += 1;
            }
            round
        });
        let clients: Vec<_> = (0..CLIENTS).map(|who| scope.spawn(move || work(http, who))).collect();
        let done: Vec<_> = clients.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        over.store(true, Ordering::Relaxed);
        assert!(done.iter().all(Result::is_ok), "a call on the good server went wrong");
        assert!(troublemaker.join().is_ok_and(|rounds| rounds > 0), "there was no trouble");
    });
    well(&gateway);
    before.expect_flat(gateway.pid(), SPARE, KEPT);
}

/// One client of the good server.
fn work(http: Http, who: usize) {
    for n in 0..CALLS {
        let mine = json!({"who": who, "n": n});
        assert_eq!(call(http, "good", "echo", &mine).result(), &mine);
    }
}

/// Both servers run again, and nothing in the gateway has panicked.
#[track_caller]
fn well(gateway: &TestGateway) {
    testkit::eventually("the bad server answers again", || {
        let reply = call(gateway.http(), "bad", "echo", &json!({}));
        if reply.status != 200 {
            gateway.post("/api/servers/bad/restart", json!({}));
        }
        (reply.status == 200).then_some(())
    });
    assert_eq!(gateway.health()["servers"], json!({"good": "running", "bad": "running"}));
    let panics: Vec<String> = gateway.log_lines().into_iter().filter(|line| line.contains("panic")).collect();
    assert_eq!(panics, Vec::<String>::new());
}

/// The reply is a success or the envelope with a code, never anything else.
#[track_caller]
fn told(reply: &Reply) {
    let named = reply.body["error"]["code"].as_str().is_some_and(|code| !code.is_empty());
    assert!(reply.status == 200 || named, "{} {}", reply.status, reply.text());
}

#[test]
fn a_server_that_hangs_touches_no_call_of_another() {
    trouble(|http, _| {
        let calls = (0..8).map(|_| {
            // Writes nothing at all and never answers.
            let body = json!({"server": "bad", "toolName": "flood", "input": {"bytes": 0}}).to_string();
            http.send_later(Request::new("POST", "/mcp/call").body("application/json", body))
        });
        for call in calls.collect::<Vec<_>>() {
            call.join()
                .expect("a client does not panic")
                .expect("an answer")
                .expect_code(408, "TIMEOUT_ERROR");
        }
    });
}

#[test]
fn a_server_that_floods_touches_no_call_of_another() {
    trouble(|http, round| {
        // Past 10 MB without an end of line the connection is given up, and the server started again.
        let bytes = if round % 2 == 0 { 11_000_000 } else { 1_000_000 };
        told(&call(http, "bad", "flood", &json!({"bytes": bytes})));
        told(&call(http, "bad", "big", &json!({"bytes": 3_000_000})));
        told(&call(http, "bad", "bad", &json!({"kind": "line-10mb-ok"})));
    });
}

#[test]
fn a_server_that_lies_touches_no_call_of_another() {
    const LIES: [&str; 12] = [
        "no-jsonrpc",
        "wrong-version",
        "unknown-id",
        "null-id",
        "neither",
        "invalid-utf8",
        "binary",
        "array",
        "deep",
        "string-id",
        "odd-results",
        "unasked",
    ];
    trouble(|http, round| told(&call(http, "bad", "bad", &json!({"kind": LIES[round % LIES.len()]}))));
}

#[test]
fn a_server_that_ends_again_and_again_touches_no_call_of_another() {
    trouble(|http, round| {
        let kind = ["close-stdout", "close-stdin"][round % 2];
        told(&call(http, "bad", "crash", &json!({"code": round % 3})));
        told(&call(http, "bad", "bad", &json!({"kind": kind})));
        let restart = Request::new("POST", "/api/servers/bad/restart").body("application/json", "{}");
        told(&http.send(&restart));
    });
}

#[test]
fn a_server_whose_list_never_rests_touches_no_call_of_another() {
    trouble(|http, round| told(&call(http, "bad", "grow", &json!({"name": format!("t{round}")}))));
}
