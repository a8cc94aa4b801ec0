//! `lockgate check`: the config file without starting a server.

use crate::args::Flags;
use crate::wire::{self, say};
use std::process::ExitCode;

pub(crate) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let config = wire::config(flags)?;
    say(serde_json::to_string_pretty(&config.describe())?);
    Ok(ExitCode::SUCCESS)
}
