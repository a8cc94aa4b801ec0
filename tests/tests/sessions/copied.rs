//! The example that a reader copies does what it says.

use super::*;
use testkit::{lockgate, repository};

/// The gateway of `examples/sessions`, with the built program on `PATH`.
fn example() -> TestGateway {
    let text = std::fs::read_to_string(repository("examples/sessions/lockgate.yaml")).expect("the example");
    let folder = lockgate().parent().expect("a file has a folder").display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    TestGateway::builder().config_text(&text).env("PATH", &path).start()
}

#[test]
fn the_example_leads_through_its_check_up() {
    let gateway = example();
    let client = Client::legacy(gateway.http());
    let heavy = json!({"name": "Ann", "weight_kg": 90, "height_m": 1.5});
    let session = id(&client.call("checkup_start", heavy));
    let reply = client.call("checkup_continue", json!({"sessionId": session}));
    assert_eq!(reply["structuredContent"]["stepResult"]["bmi"], json!({"result": 40.0}));
    let reply = client.call("checkup_continue", json!({"sessionId": session}));
    assert_eq!(options(&reply)[0], ("walk_start".to_owned(), json!(100)));
    let walk = reply["structuredContent"]["nextStepOptions"][0]["parameters"].clone();
    let walk = id(&client.call("walk_start", walk));
    client.call("walk_continue", json!({"sessionId": walk}));
    let event = json!({"event": "sunshine", "data": {"degrees": 20}});
    assert_eq!(gateway.post("/api/sessions/events", event).body["delivered"], 1);
    wait_status(&gateway, &walk, "completed");
    let reply = client.call("checkup_continue", json!({"sessionId": session}));
    let allow = reply["structuredContent"]["nextStepOptions"][0]["parameters"].clone();
    let done = said(&client.call("checkup_continue", allow));
    assert_eq!(done["results"]["close"], json!({"patient": "Ann", "advice": "take a walk", "bmi": 40}));
    let advice = client.call("advise", json!({"result": 20}));
    assert_eq!(advice["structuredContent"]["advice"], "go on like this");
}

#[test]
fn the_example_undoes_the_registration_when_asked_to() {
    let gateway = example();
    let client = Client::modern(gateway.http());
    let session = id(&client.call("checkup_start", json!({"name": "Ben", "weight_kg": 70, "height_m": 2})));
    client.call("checkup_cancel", json!({"sessionId": session, "compensate": true}));
    let shown = super::session(&gateway, &session);
    assert_eq!(shown["compensation"], json!({"complete": true, "undone": [0], "failed": []}));
    expect_times(&gateway, "the registration is void", 1);
}
