//! The connections that are open, and how they end when the gateway stops.

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::HttpService;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tokio::sync::{Notify, mpsc};

/// The connections that are open. Every clone is held by one of them.
#[derive(Clone)]
pub(crate) struct Connections {
    stop: Arc<Stop>,
    open: mpsc::Sender<Infallible>,
}

#[derive(Default)]
struct Stop {
    told: Notify,
    stopping: AtomicBool,
}

/// Says when the last connection has ended.
pub(crate) struct Ended {
    stop: Arc<Stop>,
    open: mpsc::Receiver<Infallible>,
}

/// No connection yet, and what waits for the end of all.
pub(crate) fn connections() -> (Connections, Ended) {
    let (stop, (open, ended)) = (Arc::<Stop>::default(), mpsc::channel(1));
    (Connections { stop: stop.clone(), open }, Ended { stop, open: ended })
}

impl Connections {
    /// Serves a connection until its end. When the gateway stops, it ends after the request that is under way. It must
    /// be all that its task does.
    pub(crate) async fn serve<I, S, B>(self, connection: http1::Connection<I, S>) -> hyper::Result<()>
    where
        I: hyper::rt::Read + hyper::rt::Write + Unpin,
        S: HttpService<Incoming, ResBody = B>,
        S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        B: hyper::body::Body + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let Self { stop, open: _open } = self;
        let (mut connection, mut told) = (pin!(connection), pin!(stop.told.notified()));
        let (mut waits, mut stopped) = (false, false);
        poll_fn(|task| {
            // A task is always woken the same way, so it is enough to say so once.
            let told = !std::mem::replace(&mut waits, true) && told.as_mut().poll(task).is_ready();
            if (told || stop.stopping.load(Relaxed)) && !std::mem::replace(&mut stopped, true) {
                connection.as_mut().graceful_shutdown();
            }
            connection.as_mut().poll(task)
        })
        .await
    }
}

impl Ended {
    /// Lets all connections end, and waits for that.
    pub(crate) async fn stop(mut self) {
        self.stop.stopping.store(true, Relaxed);
        self.stop.told.notify_waiters();
        let _ = self.open.recv().await;
    }
}
