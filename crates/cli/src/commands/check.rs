//! `lockgate check`: the config file without starting a server; its scripts are compiled, and none is run.

use crate::args::Flags;
use crate::wire::{self, say};
use std::process::ExitCode;

pub(crate) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let config = wire::config(flags)?;
    wire::check_variables()?;
    if !config.activities.is_empty() || !config.procedures.is_empty() {
        wire::runtime()?.block_on(wire::compile(&config))?;
    }
    let mut described = config.describe();
    if config.settings.store.url.is_none() {
        described["settings"]["store"]["url"] = wire::location(&config, flags)?.to_string().into();
    }
    say(serde_json::to_string_pretty(&described)?);
    Ok(ExitCode::SUCCESS)
}
