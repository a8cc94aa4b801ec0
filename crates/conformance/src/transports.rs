//! The ways in: standard input and output, streamable HTTP, HTTP+SSE.

pub(crate) mod http;
mod lines;
pub(crate) mod sse;
pub(crate) mod stdio;

use axum::Router;
use axum::serve::ListenerExt;
use std::io::{self, Write};
use std::net::Ipv4Addr;
use tokio::net::TcpListener;

/// Serves the routes on loopback; the number of the port is the first line of standard output.
async fn listen(router: Router, port: u16) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let port = listener.local_addr()?.port();
    writeln!(io::stdout(), "{port}")?;
    io::stdout().flush()?;
    // Events are small and must not wait for one another.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    axum::serve(listener, router).await
}
