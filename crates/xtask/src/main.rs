//! Chores of the workspace. `cargo xtask tidy` holds the rules that the compiler cannot, `cargo xtask audit` asks
//! those who know of holes in libraries.

mod audit;
mod bans;
mod codes;
mod finding;
mod layers;
mod licences;
mod links;
mod packages;
mod rust;
mod shape;
mod tidy;
mod tree;
mod words;

use std::io::Write;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask tidy | audit";

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => report(),
        ["audit"] => audit::run(&tree::root()?),
        ["help" | "--help" | "-h"] => {
            writeln!(std::io::stdout(), "{USAGE}")?;
            Ok(ExitCode::SUCCESS)
        }
        _ => anyhow::bail!(USAGE),
    }
}

fn report() -> anyhow::Result<ExitCode> {
    let findings = tidy::run()?;
    let mut out = std::io::stdout().lock();
    for finding in &findings {
        writeln!(out, "{finding}")?;
    }
    let failures = findings.iter().filter(|finding| finding.fails()).count();
    let notes = findings.len() - failures;
    writeln!(out, "tidy: {failures} to mend, {notes} to note")?;
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
