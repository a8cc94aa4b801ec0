//! `lockgate completions`: a script for the shell.

use crate::args::Args;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn run(shell: Shell) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "lockgate", &mut script);
    // Whoever reads only the beginning has what he wanted.
    let _ = std::io::stdout().write_all(&script);
    ExitCode::SUCCESS
}
