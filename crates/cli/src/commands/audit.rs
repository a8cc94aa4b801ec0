//! `lockgate audit`: the audit log of the store, checked or printed.

use crate::args::{Audit, Flags};
use crate::wire::{self, say};
use gateway::AuditView;
use std::process::ExitCode;
use store::Store;

/// How many entries are read at a time.
const CHUNK: usize = 500;

pub(crate) fn run(flags: &Flags, command: &Audit) -> anyhow::Result<ExitCode> {
    wire::runtime()?.block_on(async {
        let store = wire::store(&wire::config(flags)?, flags).await?;
        let done = match command {
            Audit::Verify => verify(&store).await,
            Audit::Export { after } => export(&store, *after).await,
        };
        store.close().await;
        done.map(|()| ExitCode::SUCCESS)
    })
}

async fn verify(store: &Store) -> anyhow::Result<()> {
    let verified = store.audit().verify().await?;
    match verified.number {
        0 => say("The audit log is empty."),
        number => {
            say(format_args!(
                "The audit log holds: {} entries, the last is number {number}.",
                verified.count
            ));
            say(format_args!(
                "Its hash is {}; keep it elsewhere to notice a log that was cut short.",
                verified.hash
            ));
        }
    }
    Ok(())
}

async fn export(store: &Store, mut after: u64) -> anyhow::Result<()> {
    loop {
        let entries = store.audit().after(after, CHUNK).await?;
        let Some(last) = entries.last() else { return Ok(()) };
        after = last.number;
        for entry in entries {
            say(serde_json::to_string(&AuditView::from(entry))?);
        }
        // The rest would be lost, too.
        wire::written()?;
    }
}
