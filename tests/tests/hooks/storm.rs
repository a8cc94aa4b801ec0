//! Many calls while hooks are edited, moved and deleted: every call sees one state of the list, whole.

use super::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use testkit::Http;

const CALLS: u64 = 10_000;
const CLIENTS: u64 = 64;

/// After so many calls everything is changed again.
const ROUND: u64 = 40;

/// Writes the same number before the request and after the reply.
fn pair(n: u64) -> String {
    format!(
        "if (context.toolName === 'stats') return;
        if (context.response) context.response._meta = {{...context.response._meta, after: {n}}};
        else {{ context.request.params.arguments.before = {n}; context.request.params.arguments.again = {n} }}"
    )
}

/// One call; what is wrong with what came of it.
fn call(client: &Client, n: u64) -> Result<(), String> {
    let (_, request) =
        client.request("tools/call", json!({"name": "echo", "arguments": {"n": n, "order": ""}}));
    let reply = client.exchange(&request);
    let result = &reply.body["result"];
    let got: Value =
        serde_json::from_str(result["content"][0]["text"].as_str().unwrap_or_default()).unwrap_or_default();
    let meta = &result["_meta"];
    let order = got["order"].as_str().unwrap_or_default();
    let whole = got["n"] == n
        && got["before"].is_u64()
        && got["before"] == got["again"]
        && got["before"] == meta["after"]
        && matches!(order, "xy" | "yx")
        && got.get("comes-and-goes") == meta.get("comes-and-goes");
    if whole { Ok(()) } else { Err(format!("call {n}: {got} and {}", reply.text())) }
}

/// Edits, moves, deletes and creates, all along with the calls.
fn meddle(gateway: &TestGateway, ids: [&str; 3], next: &AtomicU64) {
    let [edited, x, y] = ids;
    let script = "if (context.toolName === 'stats') return;
        if (context.response) context.response._meta = {...context.response._meta, 'comes-and-goes': 1};
        else context.request.params.arguments['comes-and-goes'] = 1";
    for round in 0..CALLS / ROUND {
        while next.load(Ordering::Relaxed) < round * ROUND {
            std::thread::sleep(Duration::from_millis(1));
        }
        patch(gateway, edited, json!({"script": pair(round)}));
        let fleeting = create(gateway, json!({"name": "fleeting", "hookType": "both", "script": script}));
        let (first, second) = if round % 2 == 0 { (y, x) } else { (x, y) };
        let ids = json!({"ids": [first, edited, second, fleeting]});
        gateway.post("/api/hooks/reorder", ids).expect_status(200);
        delete(gateway, &fleeting);
    }
}

/// So many calls, shared by all clients.
fn work(http: Http, next: &AtomicU64) -> Vec<String> {
    let client = Client::legacy(http);
    let mut wrong = Vec::new();
    loop {
        let n = next.fetch_add(1, Ordering::Relaxed);
        if n >= CALLS {
            return wrong;
        }
        wrong.extend(call(&client, n).err());
    }
}

#[test]
fn no_call_sees_half_an_edit_and_none_is_lost() {
    let gateway = plan().setting("hooks: {timeoutMs: 20000}").start();
    let edited = create(&gateway, json!({"name": "pair", "hookType": "both", "script": pair(0)}));
    let x = pre(&gateway, "x", "context.request.params.arguments.order += 'x'");
    let y = pre(&gateway, "y", "context.request.params.arguments.order += 'y'");
    let next = AtomicU64::new(0);
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let meddler = scope.spawn(|| meddle(&gateway, [&edited, &x, &y], &next));
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(|| work(gateway.http(), &next))).collect();
        let ends: Vec<_> = clients.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        // When a client gave up early, nobody else moves the meddler on.
        next.fetch_max(CALLS, Ordering::Relaxed);
        meddler.join().expect("every change is taken");
        ends.into_iter().flat_map(|end| end.expect("a client does not panic")).collect()
    });
    assert!(wrong.is_empty(), "{} of {CALLS} are wrong, such as {}", wrong.len(), wrong[0]);
    assert_eq!(counter(&gateway), CALLS, "every call reached the server, once");
}
