//! Templates: those that come with the product, one's own, and a shared catalogue (spec 5.1).

mod catalogue;
mod own;
mod shipped;

use serde_json::{Value, json};
use testkit::{Reply, TestGateway, eventually};

/// A gateway with the fixture as `test-server`.
fn start() -> TestGateway {
    TestGateway::with(|s| s)
}

/// The templates of a list that come from there.
#[track_caller]
fn listed(gateway: &TestGateway, source: &str) -> Vec<Value> {
    let list = gateway.get("/api/templates");
    list.expect_status(200);
    let all = list.body.as_array().expect("a list").clone();
    all.into_iter().filter(|one| one["source"] == source).collect()
}

/// Makes a workflow from a template and gives its id.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "callers write the parameters in place")]
fn make(gateway: &TestGateway, template: &str, parameters: Value) -> String {
    let reply = gateway.post(&format!("/api/templates/{template}/create"), json!({"parameters": parameters}));
    reply.expect_status(201);
    let shown = (&reply.body["enabled"], &reply.body["valid"]);
    assert_eq!(shown, (&json!(false), &json!(true)), "{}", reply.text());
    reply.body["id"].as_str().expect("an id").to_owned()
}

/// Makes a workflow from a template and activates it.
#[track_caller]
fn activate(gateway: &TestGateway, template: &str, parameters: Value) -> String {
    let id = make(gateway, template, parameters);
    gateway.post(&format!("/api/workflows/{id}/activate"), json!({})).expect_status(200);
    id
}

/// The text of the only part of a result.
#[track_caller]
fn text(reply: &Reply) -> String {
    reply.result()["content"][0]["text"].as_str().expect("a text").to_owned()
}

/// The runs of a workflow, the newest first.
#[track_caller]
fn runs(gateway: &TestGateway, id: &str) -> Vec<Value> {
    let reply = gateway.get(&format!("/api/workflows/{id}/runs"));
    reply.expect_status(200);
    reply.body.as_array().expect("a list").clone()
}

/// What a node of the newest run did, once it is done.
#[track_caller]
fn done(gateway: &TestGateway, id: &str, node: &str) -> Value {
    eventually("the node is done", || {
        let result = runs(gateway, id).first()?["results"][node].clone();
        (result["state"] != "running" && result["state"] != "skipped").then_some(result)
    })
}
