//! The dashboard of the examples: every metric that it names is served.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use testkit::{TestGateway, repository};

/// The names of metrics in a text.
fn metrics_in(text: &str) -> BTreeSet<String> {
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !name(c))
        .filter(|word| word.starts_with("lockgate_") || word.starts_with("process_"))
        .map(str::to_owned)
        .collect()
}

/// Everything that a dashboard asks Prometheus for.
fn queries(value: &Value, all: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::String(text) if key == "expr" || key == "query" => all.push(text.clone()),
                    _ => queries(value, all),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| queries(item, all)),
        _ => {}
    }
}

#[test]
fn every_metric_of_the_dashboard_and_of_the_guide_is_served() {
    let text = |path: &str| std::fs::read_to_string(repository(path)).expect("the file is there");
    let dashboard: Value =
        serde_json::from_str(&text("examples/observability/grafana-dashboard.json")).expect("it is JSON");
    let mut asked = Vec::new();
    queries(&dashboard, &mut asked);
    assert!(asked.len() > 30, "{}", asked.len());
    let mut wanted = metrics_in(&asked.join("\n"));
    wanted.extend(metrics_in(&text("docs/guide/observability.md")));

    let gateway = TestGateway::builder().server("one", |s| s).start();
    gateway.call("one", "plain", json!({})).expect_status(200);
    let served = gateway.get("/metrics").text();
    let names: BTreeSet<&str> =
        served.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    let known = |name: &str| {
        let bare = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        names.contains(name) || bare.is_some_and(|bare| names.contains(bare))
    };
    let missing: Vec<&String> = wanted.iter().filter(|name| !known(name)).collect();
    assert!(missing.is_empty(), "{missing:?} are not served:\n{served}");
}

#[test]
fn what_clients_make_up_adds_no_lines() {
    let gateway = TestGateway::builder().server("one", |s| s).start();
    let client = testkit::Client::legacy(gateway.http());
    let lines =
        || gateway.get("/metrics").text().lines().filter(|line| !line.starts_with("process_")).count();
    client.ask("made/up-0", json!({}));
    gateway.call("one", "made-up-0", json!({})).expect_code(404, "TOOL_NOT_FOUND");
    let before = lines();
    for i in 1..20 {
        client.ask(&format!("made/up-{i}"), json!({}));
        gateway.call("one", &format!("made-up-{i}"), json!({})).expect_code(404, "TOOL_NOT_FOUND");
    }
    assert_eq!(lines(), before);
}
