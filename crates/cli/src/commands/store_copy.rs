//! `lockgate store copy`: carries everything from one store to another.

use crate::args::StoreCopy;
use crate::wire::{self, say};
use anyhow::{Context, ensure};
use std::process::ExitCode;
use store::{Copied, Location};

/// What a copy of servers needs besides: the key that sealed them is in no store.
const NEEDS_KEY: &str = "The servers are encrypted: a gateway on the copy needs the same LOCKGATE_SECRET_KEY, or \
                         secret.key of the old data folder.";

pub(crate) fn run(options: &StoreCopy) -> anyhow::Result<ExitCode> {
    let from: Location = options.from.parse().context("--from")?;
    let to: Location = options.to.parse().context("--to")?;
    ensure!(from != to, "--from and --to are the same store");
    ensure!(
        to != Location::Memory,
        "--to: memory: forgets everything when this command ends; name another store"
    );
    if let Location::Sqlite(path) = &from {
        ensure!(path.exists(), "--from: there is no file {}", path.display());
    }
    let copied = wire::runtime()?.block_on(copy(&from, &to))?;
    say(format!("Copied {from} to {to}:"));
    for (kind, count) in lines(&copied) {
        say(format!("  {kind:12} {count}"));
    }
    if copied.servers > 0 {
        say(NEEDS_KEY);
    }
    Ok(ExitCode::SUCCESS)
}

async fn copy(from: &Location, to: &Location) -> anyhow::Result<Copied> {
    let schema = store::schema(from).await.context("--from")?;
    ensure!(
        schema.known == 0 || schema.found > 0,
        "--from: there is nothing of Lockgate in {from}; name its store"
    );
    let source = store::open(from).await.context("--from")?;
    let target = store::open(to).await.context("--to")?;
    let copied = store::copy(&source, &target).await;
    source.close().await;
    target.close().await;
    Ok(copied?)
}

fn lines(copied: &Copied) -> [(&'static str, usize); 14] {
    [
        ("servers", copied.servers),
        ("hooks", copied.hooks),
        ("workflows", copied.workflows),
        ("versions", copied.versions),
        ("variables", copied.variables),
        ("activities", copied.activities),
        ("schedules", copied.schedules),
        ("templates", copied.templates),
        ("runs", copied.runs),
        ("definitions", copied.definitions),
        ("sessions", copied.sessions),
        ("events", copied.events),
        ("keys", copied.keys),
        ("audit", copied.audit),
    ]
}
