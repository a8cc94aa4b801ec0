//! `lockgate verify-hooks`: proof that no way in goes round the hooks (spec 2.1).
//!
//! A gateway of this same binary is started in a temporary folder, with the demo server behind it, a session workflow, and
//! three hooks that mark every request. Each way in is then driven as a client would, and its reply must bear the
//! mark. Nothing of the user's own config, store or servers is read or touched.

mod clients;
mod house;
mod http;
mod marks;
mod program;
mod ways;

use crate::args::VerifyHooks;
use crate::wire::{self, say};
use house::House;
use std::process::ExitCode;

pub(crate) fn run(options: &VerifyHooks) -> anyhow::Result<ExitCode> {
    wire::runtime()?.block_on(verify(options))
}

async fn verify(options: &VerifyHooks) -> anyhow::Result<ExitCode> {
    let house = House::open(!options.without_hooks).await?;
    let mut report = Report::default();
    ways::drive(&house, &mut report).await;
    house.close().await;
    let Report { ways, missed } = report;
    if missed == 0 {
        say(format_args!("All {ways} ways in pass the hooks."));
        return Ok(ExitCode::SUCCESS);
    }
    say(format_args!(
        "{missed} of {ways} ways in miss a hook. Please report this: it is a fault of lockgate."
    ));
    Ok(ExitCode::FAILURE)
}

/// What was found so far, one line per way in.
#[derive(Default)]
struct Report {
    ways: usize,
    missed: usize,
}

impl Report {
    fn add(&mut self, way: &str, found: anyhow::Result<()>) {
        self.ways += 1;
        match found {
            Ok(()) => say(format_args!("ok    {way}")),
            Err(why) => {
                self.missed += 1;
                say(format_args!("MISS  {way}: {why:#}"));
            }
        }
    }
}
