//! Closed-loop load on one gateway: so many connections, one call in flight on each, every answer checked.
//!
//! One thread, raw sockets and epoll, so that the generator stays cheaper than what it measures. Messages
//! carry a number of their own while JSON-RPC ids start at 1 on every connection, as real clients' do; a
//! gateway that crosses two callers' wires is found out.

mod connection;
mod door;
pub(crate) mod http;
pub(crate) mod payload;
mod sample;
mod window;

use std::time::Duration;

use anyhow::{Context, bail};

pub(crate) use connection::{Connection, probe, size};
pub(crate) use door::{Answer, Door, META, MODERN, Mode, Work, excerpt};
pub(crate) use sample::{Latencies, Meter, Sample};
pub(crate) use window::{Length, Plan, Service, measure, watch};

/// What `bench load` is told on its command line.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Which door of the gateway to use.
    #[arg(long, value_enum, default_value = "rest")]
    mode: Mode,
    /// What to ask for again and again.
    #[arg(long, value_enum, default_value = "call")]
    work: Work,
    /// Where it is: http://127.0.0.1:PORT/PATH
    #[arg(long)]
    url: String,
    /// Servers to call in turn (REST), separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "echo")]
    server: Vec<String>,
    /// Tool to call.
    #[arg(long, default_value = "echo")]
    tool: String,
    /// Characters in each message.
    #[arg(long, default_value_t = 128)]
    size: usize,
    /// Connections, each with one call in flight.
    #[arg(long, default_value_t = 1)]
    connections: usize,
    /// Length of the window in seconds.
    #[arg(long, default_value_t = 2.0)]
    secs: f64,
    /// Load before the window in seconds.
    #[arg(long, default_value_t = 0.3)]
    warmup: f64,
    /// Root of the gateway's process tree, to measure its CPU.
    #[arg(long)]
    pid: Option<u32>,
    /// The key to show at the door.
    #[arg(long)]
    key: Option<String>,
}

/// Loads one gateway and prints the sample as one line of JSON.
pub(crate) fn print(options: &Options) -> anyhow::Result<()> {
    let Some(rest) = options.url.strip_prefix("http://127.0.0.1:") else {
        bail!("the url must begin with http://127.0.0.1: (load never leaves this machine)");
    };
    let (port, path) = rest.split_once('/').unwrap_or((rest, ""));
    let door = Door {
        mode: options.mode,
        work: options.work,
        port: port.parse().context("reading the port of the url")?,
        path: format!("/{path}"),
        servers: options.server.clone(),
        tool: options.tool.clone(),
        rest: payload::message(options.size),
        key: options.key.clone(),
    };
    let plan = Plan {
        connections: options.connections,
        warmup: Duration::from_secs_f64(options.warmup),
        length: Length::Time(Duration::from_secs_f64(options.secs)),
        gateway: options.pid,
    };
    println!("{}", serde_json::to_string(&measure(&door, &plan)?)?);
    Ok(())
}
