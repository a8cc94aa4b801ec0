//! The connection that listens: what other instances say and change arrives here at once.

use super::connect::Dialer;
use super::refusal::Place;
use super::text::plain;
use crate::Error;
use crate::bus::Local;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::task::{AbortHandle, JoinHandle};
use tokio_postgres::{Client, Notification};

/// How long to wait before the next try to connect.
const AGAIN: Duration = Duration::from_secs(1);

/// What is heard, and the task that listens.
pub(super) struct News {
    inner: Arc<Inner>,
    task: AbortHandle,
}

/// What listeners in this process share.
pub(super) struct Inner {
    pub(super) bus: Local,
    marks: Notify,
    listening: AtomicBool,
}

/// A connection that listens, with the task that ends with it.
type Line = (Client, JoinHandle<()>);

impl News {
    /// Begins to listen. Where that fails now it is tried again and again.
    pub(super) async fn listen(dialer: Arc<Dialer>, place: Arc<Place>) -> Self {
        let inner = Arc::new(Inner {
            bus: Local::default(),
            marks: Notify::new(),
            listening: AtomicBool::new(false),
        });
        let first = inner.connect(&dialer, &place).await;
        let task = tokio::spawn(Arc::clone(&inner).stay(first, dialer, place)).abort_handle();
        Self { inner, task }
    }

    pub(super) fn close(&self) {
        self.task.abort();
        self.inner.marks.notify_waiters();
    }
}

impl Deref for News {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.inner
    }
}

impl Drop for News {
    fn drop(&mut self) {
        self.close();
    }
}

impl Inner {
    /// Waits for a word that some mark was raised.
    pub(super) fn marked(&self) -> Notified<'_> {
        self.marks.notified()
    }

    pub(super) fn is_listening(&self) -> bool {
        self.listening.load(Ordering::Relaxed)
    }

    async fn connect(self: &Arc<Self>, dialer: &Dialer, place: &Place) -> Result<Line, Error> {
        let inner = Arc::clone(self);
        let line = dialer.dial_with(place, move |said| inner.take(&said)).await?;
        let listen = line.0.batch_execute("LISTEN lockgate_marks; LISTEN lockgate_bus");
        listen.await.map_err(|error| place.refused("listen", &error))?;
        self.listening.store(true, Ordering::Relaxed);
        Ok(line)
    }

    /// Listens for ever, on one connection after the other.
    async fn stay(self: Arc<Self>, mut line: Result<Line, Error>, dialer: Arc<Dialer>, place: Arc<Place>) {
        loop {
            match line {
                Ok((_client, task)) => {
                    // Who waits may have missed something before.
                    self.marks.notify_waiters();
                    let _ = task.await;
                    self.listening.store(false, Ordering::Relaxed);
                    tracing::debug!("the store is not listened to any more");
                }
                Err(error) => tracing::debug!(reason = %error, "the store cannot be listened to"),
            }
            tokio::time::sleep(AGAIN).await;
            line = self.connect(&dialer, &place).await;
        }
    }

    fn take(&self, said: &Notification) {
        match said.channel() {
            "lockgate_marks" => self.marks.notify_waiters(),
            _ => self.bus.say(&plain(said.payload())),
        }
    }
}
