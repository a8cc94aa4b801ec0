//! Many servers at once: they start side by side and leave nothing behind (spec 1.13).

use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};
use testkit::{Signal, TestGateway, descendants, wait_gone};

#[test]
fn a_hundred_servers_start_in_parallel_and_stop_without_a_trace() {
    let names: Vec<String> = (0..100).map(|n| format!("s{n}")).collect();
    let builder = names.iter().fold(TestGateway::builder(), |builder, name| {
        builder.server(name, |s| s.env("FX_START_DELAY", "300"))
    });
    let start = Instant::now();
    let gateway = builder.start();
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}; in turn it is 30 s", start.elapsed());

    let running: Map<String, Value> = names.iter().map(|name| (name.clone(), json!("running"))).collect();
    assert_eq!(gateway.health()["servers"], Value::Object(running));
    for name in [&names[0], &names[99]] {
        assert_eq!(gateway.call(name, "echo", json!({"n": 1})).result(), &json!({"n": 1}));
    }

    let below = descendants(gateway.pid());
    assert_eq!(below.len(), 200, "a server and its guard each");
    let stop = Instant::now();
    gateway.signal(Signal::TERM);
    assert_eq!(gateway.wait_exit(), Some(0));
    assert!(stop.elapsed() < Duration::from_secs(10), "{:?}", stop.elapsed());
    wait_gone(&below);
}
