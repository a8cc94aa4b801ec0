//! `lockgate diagram`: a workflow of the store or of the config file as a picture, perhaps with what a run or a session
//! did in it.

use crate::args::{Diagram, DiagramFormat, Flags};
use crate::wire::{self, say};
use anyhow::Context;
use model::Workflow;
use std::process::ExitCode;
use store::Store;
use workflow::diagram::{self, DrawnRun, States};
use workflow::session::{Engine, EngineOptions, Limits};

pub(crate) fn run(flags: &Flags, options: &Diagram) -> anyhow::Result<ExitCode> {
    say(wire::runtime()?.block_on(draw(flags, options))?.trim_end());
    Ok(ExitCode::SUCCESS)
}

async fn draw(flags: &Flags, options: &Diagram) -> anyhow::Result<String> {
    let config = wire::config(flags)?;
    let store = wire::store(&config, flags).await?;
    let mut all = store.workflows().list().await?;
    // A diagram does not tell how old its workflow is.
    all.extend(config.procedures.iter().filter_map(|procedure| Workflow::of_file(procedure, 0)));
    let current = find(&all, &options.workflow)?.clone();
    let (workflow, states) = match (&options.run, &options.session) {
        (Some(run), _) => with_run(&store, current, run).await?,
        (None, Some(session)) => with_session(&store, current, session).await?,
        (None, None) => (current, None),
    };
    store.close().await;
    Ok(match options.format {
        DiagramFormat::Mermaid => diagram::mermaid(&workflow, states.as_ref()),
        DiagramFormat::Svg => diagram::svg(&workflow, states.as_ref()),
    })
}

async fn with_run(store: &Store, current: Workflow, id: &str) -> anyhow::Result<(Workflow, Option<States>)> {
    let found = match id.parse() {
        Ok(known) => store.runs().get(known).await?,
        Err(_) => None,
    };
    let stored = found.with_context(|| format!("Run '{id}' not found; it may have been trimmed"))?;
    anyhow::ensure!(stored.workflow == current.id, "Run {id} is one of another workflow");
    let run = DrawnRun::parse(&stored.record).with_context(|| format!("Run {id} cannot be read"))?;
    Ok((at_version(store, current, run.version).await?, Some(run.states)))
}

async fn with_session(
    store: &Store,
    current: Workflow,
    id: &str,
) -> anyhow::Result<(Workflow, Option<States>)> {
    // It only reads: nothing is taken up by an engine that nobody drives.
    let engine = Engine::new(EngineOptions {
        store: store.clone(),
        kit: None,
        limits: Limits::default(),
        clock: None,
        listener: None,
        instance: None,
    });
    let session = engine.get(id).await?;
    let workflow = at_version(store, current, session.workflow_version).await?;
    anyhow::ensure!(session.workflow_name == workflow.name, "Session {id} is one of another workflow");
    let states = States::of_session(&workflow, &session);
    Ok((workflow, Some(states)))
}

/// A workflow as it was in a version, or as it is where that one is not kept.
async fn at_version(store: &Store, current: Workflow, version: Option<u64>) -> anyhow::Result<Workflow> {
    let Some(version) = version.filter(|version| *version != current.revision) else { return Ok(current) };
    let stored = store.versions().get(&current.id, version).await?;
    Ok(stored.and_then(|stored| serde_json::from_str(&stored.body).ok()).unwrap_or(current))
}

/// The workflow of that id, or the only one of that name.
fn find<'a>(all: &'a [Workflow], wanted: &str) -> anyhow::Result<&'a Workflow> {
    if let Some(workflow) = all.iter().find(|workflow| workflow.id == wanted) {
        return Ok(workflow);
    }
    let named: Vec<_> = all.iter().filter(|workflow| workflow.name == wanted).collect();
    match named[..] {
        [only] => Ok(only),
        [] => anyhow::bail!("Workflow '{wanted}' not found in the store or the config file"),
        _ => {
            let ids: Vec<_> = named.iter().map(|workflow| workflow.id.as_str()).collect();
            anyhow::bail!("several workflows are named '{wanted}'; give an id: {}", ids.join(", "))
        }
    }
}
