//! Timers, events, approvals and schedules: Restate keeps the time.

use super::*;

fn definitions() -> (Vec<Value>, Vec<Value>) {
    let waits = |rules: Value| json!({"activity": "note", "waitFor": rules});
    let mut hurried = workflow("hurried", &[json!("note"), json!("note")]);
    hurried["timeout"] = json!(1500);
    let workflows = vec![
        workflow(
            "fails",
            &[json!("note"), waits(json!({"event": "paid", "timeoutMs": 1000})), json!("note")],
        ),
        workflow(
            "goes",
            &[
                json!("note"),
                waits(json!({"event": "paid", "timeoutMs": 1000, "onTimeout": "continue"})),
                json!("note"),
            ],
        ),
        workflow("takes", &[json!("note"), waits(json!({"event": "sent"})), json!("note")]),
        workflow(
            "asks",
            &[json!("note"), json!({"activity": "note", "approve": {"expiresMs": 1000}}), json!("note")],
        ),
        workflow("quick", &[json!("note"), json!("note")]),
        hurried,
    ];
    (vec![script("note", "return {data: {got: context.input}}")], workflows)
}

#[test]
fn what_is_due_happens_by_itself_and_survives_a_kill() {
    let (activities, workflows) = definitions();
    let yard = Yard::new(&activities, &workflows);
    let begin = |name: &str| {
        let session = id(&yard.call(&format!("{name}_start"), json!({})));
        if name != "hurried" {
            let reply = yard.call(&format!("{name}_continue"), json!({"sessionId": session}));
            assert!(reply["structuredContent"]["waiting"].is_object(), "{reply}");
        }
        session
    };
    let [fails, goes, takes, asks, hurried] = ["fails", "goes", "takes", "asks", "hurried"].map(begin);
    let yard = yard.killed();
    let is = |status: &'static str| move |session: &Value| session["status"] == status;
    assert_eq!(
        yard.wait(&fails, "the wait is over", is("failed"))["error"],
        "The event paid did not come in time"
    );
    yard.wait(&goes, "it goes on without its event", |session| session["currentStep"] == 1);
    assert_eq!(
        yard.wait(&asks, "the question is over", is("failed"))["error"],
        "Approval expired after 1000ms"
    );
    let late = yard.wait(&hurried, "the time is over", is("failed"));
    assert_eq!(late["error"], "Workflow timeout exceeded (1500ms)");
    let raised = yard.gateway.post("/api/sessions/events", json!({"event": "sent", "data": {"sum": 7}}));
    assert_eq!(raised.body["delivered"], 1, "{raised:?}");
    assert_eq!(yard.session(&takes)["memory"]["note"]["got"], json!({"sum": 7}));
}

#[test]
fn a_schedule_starts_sessions_that_run_to_their_end() {
    let (activities, workflows) = definitions();
    let yard = Yard::new(&activities, &workflows);
    let schedule = json!({"workflowName": "quick", "everyMs": 1000, "input": {"n": 1}});
    yard.gateway.post("/api/schedules", schedule).expect_status(201);
    let done = eventually("a session of the schedule is done", || {
        let all = yard.gateway.get("/api/sessions?workflowName=quick&status=completed").body;
        all.get(0).cloned()
    });
    assert!(done["scheduleId"].is_string(), "{done}");
}
