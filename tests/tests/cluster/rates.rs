//! A rate is held by all instances together.

use super::*;
use std::time::Instant;

const KEY: &str = "key-0123456789-0123456789-0123456789";

/// So many a second, and so many at once.
const RATE: u64 = 20;

/// For how long everybody calls.
const LONG: Duration = Duration::from_secs(3);

/// An instance with a key that has a rate, and a tool that has one.
fn limited(url: &str) -> TestGateway {
    let keys = json!([{"name": "all", "key": KEY, "rate": {"perSecond": RATE, "burst": RATE}}]);
    TestGateway::builder()
        .server("test-server", |server| server)
        .setting(&format!("keys: {keys}\nstore: {{url: '{url}'}}"))
        .start()
}

/// Calls an instance again and again for a while; how many calls passed.
fn flood(http: Http) -> std::thread::JoinHandle<u64> {
    std::thread::spawn(move || {
        let body = json!({"server": "test-server", "toolName": "plain", "input": {}}).to_string();
        let request = Request::new("POST", "/mcp/call").body("application/json", body);
        let (began, mut passed) = (Instant::now(), 0);
        while began.elapsed() < LONG {
            match http.send(&request).status {
                200 => passed += 1,
                429 => std::thread::sleep(Duration::from_millis(5)),
                other => panic!("{other}"),
            }
        }
        passed
    })
}

/// How many calls pass when all instances are called at once, and how many may.
fn flooded(nodes: &[TestGateway]) -> (u64, u64) {
    let began = Instant::now();
    let floods: Vec<_> = nodes
        .iter()
        .flat_map(|node| [flood(node.http().with_key(KEY)), flood(node.http().with_key(KEY))])
        .collect();
    let passed = floods.into_iter().map(|flood| flood.join().expect("no panic")).sum();
    // What the bucket held at first, and what came into it since.
    let most = RATE + u64::try_from(began.elapsed().as_millis()).expect("short") * RATE / 1000 + 1;
    (passed, most)
}

#[track_caller]
fn holds(nodes: &[TestGateway]) {
    let (passed, most) = flooded(nodes);
    assert!(passed <= most, "{passed} passed, and {most} may");
    assert!(passed >= most / 2, "{passed} passed of {most}: tokens are lost");
}

#[test]
fn three_instances_on_postgres_hold_one_rate_together() {
    let database = Postgres::shared().database();
    holds(&[(); 3].map(|()| limited(&database.url)));
}

#[test]
fn three_instances_on_redis_hold_one_rate_together() {
    let server = databases::Redis::own();
    holds(&[(); 3].map(|()| limited(&server.url())));
}

#[test]
fn each_instance_counts_for_itself_while_the_store_is_away() {
    let server = Postgres::own();
    let database = server.database();
    let nodes = [(); 2].map(|()| limited(&database.url));
    assert_eq!(nodes[0].http().with_key(KEY).send(&Request::new("GET", "/mcp/tools")).status, 200);
    server.crash();
    let (passed, most) = flooded(&nodes);
    assert!(passed > most && passed <= most * 2 + RATE, "{passed} passed; one instance may let {most} pass");
    server.start();
    eventually("the limit holds for all again", || {
        let asked = |node: &TestGateway| {
            // The store is asked again when somebody comes.
            node.http().with_key(KEY).send(&Request::new("GET", "/mcp/tools"));
            node.log_lines().iter().any(|line| line.contains("the limit holds for all"))
        };
        nodes.iter().all(asked).then_some(())
    });
    holds(&nodes);
}
