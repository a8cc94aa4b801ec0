//! A workflow that uses every feature, and the effects that its activities leave in a file.

use lockgate_workflow::session::{
    ActivityBuilder, ActivityContext, ActivityResult, Approvers, Branch, BuiltActivity, Effect, OnTimeout,
    Retry, SessionManager, Step, ToolCallSuggestion, WaitFor, Workflow,
};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Effects that a run leaves, in a file that no crash touches.
#[derive(Clone)]
pub(crate) struct Effects(PathBuf);

impl Effects {
    pub(crate) fn new(folder: &Path) -> Self {
        Self(folder.join("effects"))
    }

    /// How often an activity had its effect.
    pub(crate) fn of(&self, activity: &str) -> usize {
        let all = std::fs::read_to_string(&self.0).unwrap_or_default();
        all.lines().filter(|line| *line == activity).count()
    }

    fn leave(&self, activity: &str) {
        let mut file = std::fs::File::options().append(true).create(true).open(&self.0).unwrap();
        writeln!(file, "{activity}").unwrap();
    }
}

/// The effects that must happen exactly once, whatever happens to the process.
pub(crate) fn once(variant: &str) -> &'static [&'static str] {
    match variant {
        "good" => &["reserve", "left", "charge", "two", "finish"],
        _ => &["reserve", "left", "charge", "two"],
    }
}

/// What an activity gives whenever it succeeds.
pub(crate) fn data(activity: &str) -> Value {
    json!({"by": activity})
}

fn named(name: &str, effects: &Effects, effect: Effect) -> BuiltActivity {
    let (own, effects) = (name.to_owned(), effects.clone());
    let done = move |_: &mut ActivityContext| {
        effects.leave(&own);
        ActivityResult::success(data(&own))
    };
    ActivityBuilder::new(name).effect(effect).compute(done).unwrap()
}

fn failing(name: &str, effect: Effect) -> BuiltActivity {
    let done = |_: &mut ActivityContext| ActivityResult::failure("no luck");
    ActivityBuilder::new(name).effect(effect).compute(done).unwrap()
}

/// Fails until it was tried three times.
fn retrying(effects: &Effects) -> BuiltActivity {
    let effects = effects.clone();
    let done = move |_: &mut ActivityContext| {
        effects.leave("retrying");
        match effects.of("retrying") {
            0..3 => ActivityResult::failure("not yet"),
            _ => ActivityResult::success(data("retrying")),
        }
    };
    let retry = Retry { max_attempts: 3, backoff_ms: 3, hooks_per_attempt: false };
    ActivityBuilder::new("retrying").effect(Effect::Repeatable).retry(retry).compute(done).unwrap()
}

/// Gives advice and remembers something.
fn intake(effects: &Effects) -> BuiltActivity {
    let effects = effects.clone();
    let done = move |context: &mut ActivityContext| {
        effects.leave("intake");
        context.memory.set("seen", true);
        let advice = ToolCallSuggestion { tool_name: "advice_start".into(), ..ToolCallSuggestion::default() };
        ActivityResult::success(json!({"by": "intake", "valid": true})).suggest(advice)
    };
    ActivityBuilder::new("intake").effect(Effect::None).compute(done).unwrap()
}

fn waits(event: &str) -> WaitFor {
    WaitFor { event: event.into(), filter: None, timeout_ms: None, on_timeout: OnTimeout::Fail }
}

/// The workflow `inner`, which runs as a step of the other.
fn inner(manager: &SessionManager, effects: &Effects) -> Workflow {
    let three = Step::new(named("three", effects, Effect::None)).wait_for(waits("go"));
    Workflow::builder("inner")
        .step(Step::new(named("one", effects, Effect::None)))
        .step(Step::new(named("two", effects, Effect::Once)))
        .step(three)
        .build(manager)
        .unwrap()
}

/// The workflow with every feature; the variant `undone` fails at its last step.
pub(crate) fn outer(manager: &SessionManager, effects: &Effects, variant: &str) -> Workflow {
    inner(manager, effects);
    let act = |name: &str, effect: Effect| named(name, effects, effect);
    let undo = |name: &str| act(name, Effect::Repeatable);
    let left = Step::new(act("left", Effect::Once)).compensate(undo("unleft"));
    let right = Step::new(act("right", Effect::Repeatable)).input(json!({"side": "right"}));
    let maybe = Step::new(failing("maybe", Effect::None)).optional();
    let charge =
        Step::new(act("charge", Effect::Once)).approve(Approvers::default()).compensate(undo("refund"));
    let last = match variant {
        "good" => act("finish", Effect::Once),
        _ => failing("explode", Effect::Once),
    };
    Workflow::builder("outer")
        .step(Step::new(intake(effects)).branch(Branch::pattern("valid:true", "ok_start")))
        .step(Step::new(act("skipped", Effect::Once)).when(|view| view.remembered("seen").is_none()))
        .step(
            Step::new(act("reserve", Effect::Once))
                .map_input(|view| json!({"of": view.remembered("intake")}))
                .compensate(undo("release")),
        )
        .step(Step::new(failing("flaky", Effect::Repeatable)).optional())
        .step(Step::new(retrying(effects)))
        .step(Step::parallel([left, right, maybe]))
        .step(charge)
        .step(
            Step::new(act("paid", Effect::Repeatable))
                .wait_for(waits("paid"))
                .filter(|view| view.event.is_some_and(|event| event["sum"] == 7)),
        )
        .step(Step::new(manager.workflow_activity("child", "inner")))
        .step(Step::new(last))
        .with_middleware(|context| {
            let known = context.memory.get("__workflow_input__").is_some();
            let admitted = if known { Ok(()) } else { Err("no input".to_owned()) };
            Box::pin(std::future::ready(admitted))
        })
        .build(manager)
        .unwrap()
}
