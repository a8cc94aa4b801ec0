//! `conformance-fixture`: an MCP server that offers everything the official conformance suite asks a server
//! for, in the legacy era, the modern era or both, over standard input and output, streamable HTTP or the
//! old HTTP+SSE. It stands behind the gateway, or alone to prove itself.

#![expect(deprecated, reason = "the legacy era has logging and sampling, which the SDK advises against")]

mod call;
mod era;
mod fixture;
mod prompts;
mod resources;
mod tools;
mod transports;

use clap::{Args, Parser};
use era::Era;
use fixture::Fixture;
use std::io;

#[derive(Parser)]
struct Options {
    #[command(flatten)]
    transport: Transport,
    /// Which clients it serves.
    #[arg(long, value_enum, default_value = "dual")]
    era: Era,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct Transport {
    /// Serve standard input and output.
    #[arg(long)]
    stdio: bool,
    /// Serve streamable HTTP at `/mcp` on this port; 0 picks one and prints it.
    #[arg(long, value_name = "PORT")]
    http: Option<u16>,
    /// Serve HTTP+SSE at `/sse` and `/messages` on this port; 0 picks one and prints it.
    #[arg(long, value_name = "PORT")]
    sse: Option<u16>,
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let options = Options::parse();
    let fixture = Fixture::new(options.era);
    match options.transport {
        Transport { http: Some(port), .. } => transports::http::serve(fixture, port).await,
        Transport { sse: Some(port), .. } => transports::sse::serve(fixture, port).await,
        Transport { .. } => transports::stdio::serve(fixture).await,
    }
}
