//! `lockgate completions`: a script for the shell.

use crate::args::Args;
use clap::CommandFactory;
use clap_complete::Shell;
use std::process::ExitCode;

pub(crate) fn run(shell: Shell) -> ExitCode {
    clap_complete::generate(shell, &mut Args::command(), "lockgate", &mut std::io::stdout());
    ExitCode::SUCCESS
}
