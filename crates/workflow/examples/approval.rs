//! A payment that somebody must allow, kept in a file and taken up again by a second process, which this example
//! plays by opening the file anew: `cargo run -p lockgate-workflow --example approval`.
#![allow(clippy::print_stdout, reason = "it shows what happens")]

use lockgate_workflow::session::{
    ActivityBuilder, ActivityResult, Approval, Approvers, BuiltActivity, Effect, LibraryError,
    SessionManager, SessionManagerOptions, SqliteStore, Step, Waiting, Workflow,
};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

fn named(name: &str, effect: Effect) -> Result<BuiltActivity, LibraryError> {
    let own = name.to_owned();
    ActivityBuilder::new(name).effect(effect).compute(move |context| {
        println!("  {own} runs under the key {}", context.key);
        ActivityResult::success(json!({"done": own}))
    })
}

/// The workflow of every process that opens the file.
fn payment(manager: &SessionManager) -> Result<Workflow, LibraryError> {
    let rules = Approvers {
        message: Some("Pay the supplier?".into()),
        expires_ms: Some(3_600_000),
        ..Approvers::default()
    };
    Workflow::builder("payment")
        .description("Pays a supplier once somebody allows it")
        .step(Step::new(named("reserve", Effect::Once)?).compensate(named("release", Effect::Repeatable)?))
        .step(Step::new(named("pay", Effect::Once)?).approve(rules))
        .step(Step::new(named("notify", Effect::Repeatable)?).optional())
        .build(manager)
}

async fn open(file: &Path) -> Result<(SessionManager, Workflow), LibraryError> {
    let store = Arc::new(SqliteStore::open(file).await?);
    let manager = SessionManager::new(SessionManagerOptions { store, ..SessionManagerOptions::default() });
    let workflow = payment(&manager)?;
    // Workflows first, then what was under way.
    manager.recover().await?;
    Ok((manager, workflow))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("sessions.db");

    println!("The first process starts a session:");
    let (manager, workflow) = open(&file).await?;
    let reply = workflow.start(json!({"sum": 70})).await?;
    let structured = reply.structured.unwrap_or_default();
    let id = structured["sessionId"].as_str().unwrap_or_default().to_owned();
    let reply = workflow.continue_session(&id, None, Value::Null).await?;
    println!("{}", reply.text);
    manager.close().await;

    println!("The second one finds it waiting:");
    let (manager, workflow) = open(&file).await?;
    if let Some(Waiting::Approval { digest, input, .. }) = manager.get(&id).await?.waiting {
        println!("  somebody looks at {input} and allows it");
        let approval = Approval { digest, allow: true, by: "Ada".into(), over_api: true, reason: None };
        println!("{}", manager.decide(&id, approval).await?.text);
    }
    println!("{}", workflow.continue_session(&id, None, Value::Null).await?.text);
    manager.close().await;
    Ok(())
}
