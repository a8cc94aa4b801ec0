//! Commands, construction and shutdown of the gateway; no logic of its own.

mod args;
mod commands;
mod demo;
mod log;
mod wire;

use args::{Args, Command, StoreCommand};
use clap::Parser;
use std::process::ExitCode;

/// Runs the command line and gives its exit code.
pub fn main() -> ExitCode {
    let Args { flags, command } = Args::parse();
    let outcome = match command.unwrap_or(Command::Serve) {
        Command::Serve => commands::serve::run(&flags),
        Command::Stdio => commands::stdio::run(&flags),
        Command::Check => commands::check::run(&flags),
        Command::Tools(options) => commands::tools::run(&flags, &options),
        Command::Call(options) => commands::call::run(&flags, &options),
        Command::Diagram(options) => commands::diagram::run(&flags, &options),
        Command::Doctor => commands::doctor::run(&flags),
        Command::Import(options) => commands::import::run(&flags, &options),
        Command::VerifyHooks(options) => commands::verify_hooks::run(&options),
        Command::Migrate(options) => commands::migrate::run(&flags, &options),
        Command::Store(StoreCommand::Copy(options)) => commands::store_copy::run(&options),
        Command::Key { command } => commands::key::run(&flags, &command),
        Command::Audit { command } => commands::audit::run(&flags, &command),
        Command::DemoServer => demo::run().map(|()| ExitCode::SUCCESS).map_err(Into::into),
        Command::Completions { shell } => Ok(commands::completions::run(shell)),
    };
    let outcome = outcome.and_then(|code| wire::written().map(|()| code));
    outcome.unwrap_or_else(|error| {
        wire::complain(&error);
        ExitCode::FAILURE
    })
}
