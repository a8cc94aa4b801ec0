//! Takes traces over HTTP and throws them away.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use anyhow::Context;
use axum::Router;
use axum::body::Bytes;

/// A collector on a thread of its own, which ends with this program.
pub(super) struct Collector {
    pub(super) port: u16,
    bytes: Arc<AtomicU64>,
}

impl Collector {
    /// Listens on a free port.
    pub(super) fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("listening for traces")?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let bytes = Arc::new(AtomicU64::new(0));
        let sum = Arc::clone(&bytes);
        let take = move |body: Bytes| {
            sum.fetch_add(body.len() as u64, Ordering::Relaxed);
            std::future::ready("{}")
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        thread::spawn(move || {
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener)?;
                axum::serve(listener, Router::new().fallback(take)).await
            })
        });
        Ok(Self { port, bytes })
    }

    /// How much has come.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admin::ask;

    #[test]
    fn what_comes_is_counted() {
        let collector = Collector::start().unwrap();
        ask(collector.port, "POST", "/v1/traces", "12345").unwrap();
        assert_eq!(collector.bytes(), 5);
    }
}
