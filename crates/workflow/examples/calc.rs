//! Three steps, run one call at a time: `cargo run -p lockgate-workflow --example calc`.
#![allow(clippy::print_stdout, reason = "it shows what happens")]

use lockgate_workflow::session::{
    ActivityBuilder, ActivityResult, BuiltActivity, Effect, LibraryError, SessionManager, Step, Workflow,
};
use serde_json::{Value, json};

/// Adds two numbers; what does not match the schema never gets here.
fn add() -> Result<BuiltActivity, LibraryError> {
    let schema = json!({"type": "object", "required": ["a", "b"],
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}}});
    ActivityBuilder::new("add").input_schema(schema).effect(Effect::None).compute(|context| {
        let number =
            |name: &str| context.input.as_ref().and_then(|input| input[name].as_f64()).unwrap_or(0.0);
        ActivityResult::success(json!({"result": number("a") + number("b")}))
    })
}

/// Doubles the result of the step before, and remembers that it did.
fn double() -> Result<BuiltActivity, LibraryError> {
    ActivityBuilder::new("double").effect(Effect::None).compute(|context| {
        let result = context.input.as_ref().and_then(|input| input["result"].as_f64()).unwrap_or(0.0);
        context.memory.set("doubled", true);
        ActivityResult::success(json!({"result": 2.0 * result}))
    })
}

/// Says what it got, and is passed over when that is little.
fn tell() -> Result<Step, LibraryError> {
    let tell = ActivityBuilder::new("tell").effect(Effect::None).compute(|context| {
        ActivityResult::success(
            json!({"text": format!("It is {}", context.input.clone().unwrap_or_default())}),
        )
    })?;
    let much = |result: &Value| result["result"].as_f64().is_some_and(|result| result > 10.0);
    Ok(Step::new(tell).when(move |view| view.previous.is_some_and(much)))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let manager = SessionManager::default();
    let calc = Workflow::builder("calc")
        .description("Adds two numbers and doubles the sum")
        .step(Step::new(add()?))
        .step(Step::new(double()?))
        .step(tell()?)
        .on_complete(|status, session| {
            println!("session {session} is {status}");
            Box::pin(std::future::ready(Ok(())))
        })
        .build(&manager)?;

    let mut reply = calc.start(json!({"a": 5, "b": 3})).await?;
    println!("{}", reply.text);
    while let Some(id) = reply.structured.as_ref().and_then(|structured| structured["sessionId"].as_str()) {
        let id = id.to_owned();
        reply = calc.continue_session(&id, None, Value::Null).await?;
        println!("{}", reply.text);
    }
    let wrong = calc.start(json!({"a": "five"})).await?;
    println!("{}", wrong.text);
    Ok(())
}
