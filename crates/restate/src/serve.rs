//! Calls of Restate: HTTP/2 without TLS, one connection for many sessions.

use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use restate_sdk::hyper::HyperEndpoint;
use restate_sdk::prelude::Endpoint;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// How long nobody is taken after the system had no room for a connection.
const BREATH: Duration = Duration::from_millis(50);

/// Takes calls until the future is dropped; connections end with it.
pub(crate) async fn serve(listener: TcpListener, endpoint: Endpoint) {
    let endpoint = HyperEndpoint::new(endpoint);
    let mut connections = JoinSet::new();
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(reason = %error, "a connection of Restate could not be taken");
                tokio::time::sleep(BREATH).await;
                continue;
            }
        };
        // Messages are small and follow each other: none may wait for the next.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(reason = %error, "a connection of Restate is slow");
        }
        let serving = http2::Builder::new(TokioExecutor::new())
            .serve_connection(TokioIo::new(stream), endpoint.clone());
        connections.spawn(async move {
            if let Err(error) = serving.await {
                tracing::debug!(reason = %error, "a connection of Restate ended");
            }
        });
        while connections.try_join_next().is_some() {}
    }
}
