//! What steps and expressions are given, and what may be given for the output of a step.

use crate::nested::{after, go};
use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    ActivityBuilder, ActivityResult, Approval, Approvers, Branch, BuiltActivity, Continue, Effect, Reply,
    SessionManager, Step, View, Waiting, Wake, Workflow,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        once("a_member_of_a_group_gets_what_a_step_of_its_own_would", alike),
        once("branches_see_the_input_without_a_mapper", branches),
        paused("branches_see_the_input_without_a_mapper_also_after_a_crash", branches_after_a_crash),
        once("the_filter_of_an_event_sees_the_input_without_a_mapper", filtered),
        once("the_result_of_a_group_is_an_object_by_its_activities", group_result),
    ]
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn with(session: &str, arguments: &Value) -> Continue {
    Continue { session: Some(session.to_owned()), arguments: object(arguments), ..Continue::default() }
}

/// Says what it was given.
fn got(name: &str) -> BuiltActivity {
    pure(name, |context| ActivityResult::success(input(context)))
}

async fn alike() {
    let first = |output: &Value| {
        let output = output.clone();
        Step::new(pure("first", move |_| ActivityResult::success(output.clone())))
    };
    for (previous, constant, arguments, expected) in [
        (json!("s"), json!({"ci": 2}), json!({"go": 1}), json!({"go": 1})),
        (json!([1]), json!({"ci": 2}), json!({"go": 1}), json!({"go": 1})),
        (json!("s"), json!({"ci": 2}), json!({}), json!("s")),
        (json!({"p": 1}), json!(5), json!({"go": 1}), json!({"p": 1, "go": 1})),
        (json!({"p": 1}), json!({"ci": 2, "p": 3}), json!({"go": 1}), json!({"ci": 2, "p": 1, "go": 1})),
    ] {
        let desk = Desk::open(Kind::Memory).await;
        let constant = || constant.clone();
        let mapped = Step::new(got("mapped")).input(constant()).map_input(|view| json!({"saw": view.input}));
        let group = Step::parallel([Step::new(got("got")).input(constant()), mapped]);
        let alone =
            Workflow::builder("alone").step(first(&previous)).step(Step::new(got("got")).input(constant()));
        let (alone, grouped) =
            (desk.build(alone), desk.build(Workflow::builder("grouped").step(first(&previous)).step(group)));
        let session = id(&alone.start(json!({})).await.unwrap());
        let reply = alone.continue_with(with(&session, &arguments)).await.unwrap();
        assert_eq!(said(&reply)["results"]["got"], expected);
        let session = id(&grouped.start(json!({})).await.unwrap());
        let reply = grouped.continue_with(with(&session, &arguments)).await.unwrap();
        assert_eq!(said(&reply)["results"]["got"], expected);
        assert_eq!(said(&reply)["results"]["mapped"], json!({"saw": expected}));
    }
}

/// Offers `x` for what a mapper gives, and `y` for what it is given.
fn judged(step: Step) -> Step {
    let has = |key: &'static str| move |view: &View<'_>| view.input.is_some_and(|all| all[key] == 1);
    step.branch(Branch::when(has("mapped"), "x")).branch(Branch::when(has("raw"), "y"))
}

fn mapped(activity: BuiltActivity) -> Step {
    Step::new(activity).map_input(|_| json!({"mapped": 1}))
}

fn offered(reply: &Reply) -> Vec<String> {
    let all = structured(reply)["nextStepOptions"].clone();
    let name = |one: &Value| one["toolName"].as_str().unwrap().to_owned();
    all.as_array().unwrap().iter().map(name).filter(|name| name != "w_continue").collect()
}

async fn branches() {
    let wait = || serde_json::from_value(json!({"event": "go"})).unwrap();
    let steps: [(&str, Step); 4] = [
        ("single", judged(mapped(got("a")))),
        (
            "group",
            judged(Step::parallel([mapped(got("a")), Step::new(got("b")).input(json!({"mapped": 1}))])),
        ),
        ("approved", judged(mapped(got("a")).approve(Approvers::default()))),
        ("waiting", judged(mapped(got("a")).wait_for(wait()).approve(Approvers::default()))),
    ];
    for (what, step) in steps {
        let desk = Desk::open(Kind::Memory).await;
        let steps =
            Workflow::builder("w").step(Step::new(pure("first", |_| ActivityResult::success(json!({})))));
        let workflow = desk.build(steps.step(step).step(Step::new(tag())));
        let session = id(&workflow.start(json!({})).await.unwrap());
        let mut reply = workflow.continue_with(with(&session, &json!({"raw": 1}))).await.unwrap();
        if what == "waiting" {
            // The data of the event takes the place of the arguments.
            let wake = Wake { event: "go".into(), data: json!({"raw": 1}), session: None };
            assert_eq!(desk.manager.signal(&wake).await.unwrap(), 1);
        }
        let waiting = desk.manager.get(&session).await.unwrap().waiting;
        if let Some(Waiting::Approval { digest, .. }) = waiting {
            let approval = Some(Approval { digest, allow: true, ..Approval::default() });
            let call = Continue { approval, session: Some(session), ..Continue::default() };
            reply = workflow.continue_with(call).await.unwrap();
        }
        assert_eq!(offered(&reply), ["y"], "{what}");
    }
}

async fn filtered() {
    let wait = || serde_json::from_value(json!({"event": "paid"})).unwrap();
    for (step, arguments, expected) in [
        (Step::new(got("a")).input(json!({"order": 7})), json!({}), 7),
        (Step::new(got("a")).input(json!({"order": 7})), json!({"order": 8}), 8),
        (Step::new(got("a")), json!({}), 9),
        (Step::parallel([got("a"), got("b")].map(Step::new)), json!({"order": 8}), 8),
    ] {
        let desk = Desk::open(Kind::Memory).await;
        let step = step.wait_for(wait()).filter(|view| {
            let order = |value: Option<&Value>| value.unwrap()["order"].clone();
            order(view.event) == order(view.input) && !view.previous.unwrap()["first"].is_null()
        });
        let order = if expected == 9 { json!({"first": 1, "order": 9}) } else { json!({"first": 1}) };
        let first = Step::new(pure("first", move |_| ActivityResult::success(order.clone())));
        let workflow = desk.build(Workflow::builder("w").step(first).step(step));
        let session = id(&workflow.start(json!({})).await.unwrap());
        workflow.continue_with(with(&session, &arguments)).await.unwrap();
        for (order, count) in [(expected + 1, 0), (expected, 1)] {
            let wake = Wake { event: "paid".into(), data: json!({"order": order}), session: None };
            assert_eq!(desk.manager.signal(&wake).await.unwrap(), count, "{order} for {expected}");
        }
    }
}

/// A step that is recorded before it runs, and whose first run never ends.
fn stuck(runs: &Arc<AtomicUsize>) -> BuiltActivity {
    let runs = Arc::clone(runs);
    let activity = ActivityBuilder::new("stuck").effect(Effect::Repeatable).run(move |_| {
        let first = runs.fetch_add(1, SeqCst) == 0;
        Box::pin(async move {
            if first {
                std::future::pending::<()>().await;
            }
            ActivityResult::success(json!({}))
        })
    });
    activity.unwrap()
}

async fn branches_after_a_crash() {
    let (desk, runs) = (timed().await, Arc::default());
    let build = |manager: &SessionManager| {
        let steps = Workflow::builder("w").step(Step::new(tag())).step(judged(mapped(stuck(&runs))));
        steps.step(Step::new(tag())).build(manager).unwrap()
    };
    let workflow = build(&desk.manager);
    let session = id(&workflow.start(json!({})).await.unwrap());
    let call = || Continue { expected: Some(1), ..with(&session, &json!({"raw": 1})) };
    let (first, request) = (workflow.clone(), call());
    tokio::spawn(async move { first.continue_with(request).await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    let other = after(&desk).await;
    let reply = build(&other).continue_with(call()).await.unwrap();
    assert_eq!(offered(&reply), ["y"]);
}

async fn group_result() {
    let desk = Desk::open(Kind::Memory).await;
    let one = |name: &'static str| Step::new(pure(name, move |_| ActivityResult::success(json!(name))));
    let wait = serde_json::from_value(json!({"event": "go"})).unwrap();
    let group = || Step::parallel([one("a"), one("b")]);
    let steps = Workflow::builder("plain").step(group()).step(Step::new(tag()));
    let plain = desk.build(steps);
    let steps = Workflow::builder("waits").step(group()).step(Step::new(tag()).wait_for(wait));
    let waits = desk.build(steps);
    for (workflow, waits) in [(&plain, false), (&waits, true)] {
        let session = id(&workflow.start(json!({})).await.unwrap());
        if waits {
            workflow.continue_session(&session, None, json!({})).await.unwrap();
        }
        for wrong in [json!([1]), json!(5), json!("s"), json!({"zz": 1}), Value::Null] {
            let reply = workflow.continue_session(&session, Some(wrong), json!({})).await.unwrap();
            let words = "The result of a group must be an object by the names of its activities: a, b.";
            assert_eq!(refused(&reply), words);
        }
        // One that is left out is not in the output, and its own stays in memory.
        let mut reply = workflow.continue_session(&session, Some(json!({"a": 1})), json!({})).await.unwrap();
        if waits {
            go(&desk.manager).await;
            reply = workflow.status(&session).await.unwrap();
        }
        let memory = &structured(&reply)[if waits { "memory" } else { "results" }];
        assert_eq!((&memory["a"], &memory["b"]), (&json!(1), &json!("b")));
        if !waits {
            assert_eq!(memory["tag"]["got"], json!({"a": 1}));
        }
    }
}
