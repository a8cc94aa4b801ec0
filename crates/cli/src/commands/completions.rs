//! `lockgate completions`: a script for the shell.

use crate::args::Args;
use crate::wire::say;
use clap::CommandFactory;
use clap_complete::Shell;
use std::process::ExitCode;

pub(crate) fn run(shell: Shell) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "lockgate", &mut script);
    say(String::from_utf8_lossy(&script).trim_end());
    ExitCode::SUCCESS
}
