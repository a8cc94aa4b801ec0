//! The connection that listens: what other instances say and change arrives here at once.

use super::key;
use crate::bus::Local;
use futures_util::StreamExt;
use redis::aio::PubSub;
use redis::{Client, RedisResult};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::task::AbortHandle;

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

impl News {
    /// Begins to listen. Where that fails now it is tried again and again.
    pub(super) async fn listen(client: Client) -> Self {
        let inner = Arc::new(Inner {
            bus: Local::default(),
            marks: Notify::new(),
            listening: AtomicBool::new(false),
        });
        let first = inner.connect(&client).await;
        let task = tokio::spawn(Arc::clone(&inner).stay(first, client)).abort_handle();
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

    async fn connect(&self, client: &Client) -> RedisResult<PubSub> {
        let mut line = client.get_async_pubsub().await?;
        line.subscribe(&[key("marked"), key("bus")]).await?;
        self.listening.store(true, Ordering::Relaxed);
        Ok(line)
    }

    /// Listens for ever, on one connection after the other.
    async fn stay(self: Arc<Self>, mut line: RedisResult<PubSub>, client: Client) {
        loop {
            match line {
                Ok(mut line) => {
                    // Who waits may have missed something before.
                    self.marks.notify_waiters();
                    let mut said = line.on_message();
                    while let Some(message) = said.next().await {
                        match message.get_channel_name() == key("bus") {
                            true => self.bus.say(&String::from_utf8_lossy(message.get_payload_bytes())),
                            false => self.marks.notify_waiters(),
                        }
                    }
                    self.listening.store(false, Ordering::Relaxed);
                }
                Err(error) => tracing::debug!(reason = %error, "the store cannot be listened to"),
            }
            tokio::time::sleep(AGAIN).await;
            line = self.connect(&client).await;
        }
    }
}
