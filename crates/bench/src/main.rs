//! `bench`: what Lockgate costs, measured side by side with the least a gateway can be and with peers.
//!
//! Without a subcommand it runs the whole comparison (`bench run`). The other subcommands are its parts,
//! usable by hand: an MCP server that costs next to nothing, the floor gateway, the limit without a
//! gateway, and one window of load. All traffic stays on 127.0.0.1, every loop is bounded in count or
//! time, and only processes started here are ended. See `docs/performance.md`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool prints its report")]
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may panic"))]

mod admin;
mod all_on;
mod crowd;
mod direct;
mod echo;
mod floor;
mod graphs;
mod hooks;
mod hop;
mod line;
mod load;
mod memory;
mod peers;
mod procfs;
mod report;
mod rows;
mod run;
mod sdk;
mod soak;
mod spread;
mod steps;
mod verdict;
mod walk;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    about = "Measures Lockgate side by side with a floor gateway and with peers",
    args_conflicts_with_subcommands = true
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: run::Options,
}

#[derive(Subcommand)]
enum Command {
    /// Runs the whole comparison and prints the report (the default).
    Run(run::Options),
    /// Measures what hooks add to a call, and prints the report.
    Hooks(hooks::Options),
    /// Measures what an active graph and the records of its runs add to a call, and prints the report.
    Graphs(graphs::Options),
    /// Measures what a continue of a session costs next to the bare store, and prints the report.
    Steps(steps::Options),
    /// Walks sessions through instances that are killed, and fails when anything is lost.
    Soak(soak::Options),
    /// Measures the gateway under many connections, too many calls and hostile clients.
    Crowd(crowd::Options),
    /// Measures keys, limits, audit and tracing together next to none of them, and prints the report.
    AllOn(all_on::Options),
    /// Serves one tool, `echo {message}`, over standard input and output at almost no cost.
    Echo(echo::Options),
    /// Serves the floor gateway: the least a gateway can be.
    Floor(floor::Options),
    /// Serves a gateway that is nothing but the official SDK on both sides.
    Sdk(sdk::Options),
    /// Calls a stdio server without any gateway: the limit.
    Direct(direct::Options),
    /// Loads one gateway for one window and prints the sample as JSON.
    Load(load::Options),
    /// Answers on a socket as soon as it is asked; `hooks` measures what that takes.
    #[command(hide = true)]
    Hop,
    /// Tells what memory clients take that shake hands and then do nothing.
    Sessions(memory::Sessions),
    /// Tells what memory one large result takes at most.
    Peak(memory::Peak),
}

fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    match cli.command.unwrap_or(Command::Run(cli.run)) {
        Command::Run(options) => run::run(&options),
        Command::Hooks(options) => hooks::run(&options),
        Command::Graphs(options) => graphs::run(&options),
        Command::Steps(options) => steps::run(&options),
        Command::Soak(options) => soak::run(&options),
        Command::Crowd(options) => crowd::run(&options),
        Command::AllOn(options) => all_on::run(&options),
        Command::Echo(options) => echo::serve(&options),
        Command::Floor(options) => floor::serve(&options),
        Command::Sdk(options) => sdk::serve(&options),
        Command::Direct(options) => direct::print(&options),
        Command::Load(options) => load::print(&options),
        Command::Hop => hop::serve(),
        Command::Sessions(options) => memory::sessions(&options),
        Command::Peak(options) => memory::print_peak(&options),
    }
}
