//! `lockgate diagram`: a workflow of the store or of the config file as a picture.

use crate::args::{Diagram, DiagramFormat, Flags};
use crate::wire::{self, say};
use model::Workflow;
use std::process::ExitCode;
use workflow::diagram;

pub(crate) fn run(flags: &Flags, options: &Diagram) -> anyhow::Result<ExitCode> {
    let all = wire::runtime()?.block_on(workflows(flags))?;
    let workflow = find(&all, &options.workflow)?;
    match options.format {
        DiagramFormat::Mermaid => say(diagram::mermaid(workflow, None).trim_end()),
        DiagramFormat::Svg => say(diagram::svg(workflow, None).trim_end()),
    }
    Ok(ExitCode::SUCCESS)
}

async fn workflows(flags: &Flags) -> anyhow::Result<Vec<Workflow>> {
    let config = wire::config(flags)?;
    let store = wire::store(&config, flags).await?;
    let mut all = store.workflows().list().await?;
    store.close().await;
    all.extend(config.procedures.iter().filter_map(Workflow::of_file));
    Ok(all)
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
