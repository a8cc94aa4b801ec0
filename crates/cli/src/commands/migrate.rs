//! `lockgate migrate`: brings the tables of the store up to date, or tells what there is to do.

use crate::args::{Flags, Migrate};
use crate::wire::{self, say};
use std::process::ExitCode;
use store::{Location, Schema};

pub(crate) fn run(flags: &Flags, options: &Migrate) -> anyhow::Result<ExitCode> {
    let config = wire::config(flags)?;
    let location = wire::location(&config, flags)?;
    wire::runtime()?.block_on(migrate(&location, options.check))
}

async fn migrate(location: &Location, check: bool) -> anyhow::Result<ExitCode> {
    let Schema { found, known } = store::schema(location).await?;
    if found >= known {
        say(format!("{location} is up to date (schema {found})."));
        return Ok(ExitCode::SUCCESS);
    }
    if check {
        say(format!(
            "{location} has schema {found}, and this version writes {known}: run `lockgate migrate`."
        ));
        return Ok(ExitCode::FAILURE);
    }
    store::open(location).await?.close().await;
    say(format!("{location} was brought from schema {found} to {known}."));
    Ok(ExitCode::SUCCESS)
}
