//! What a database server tells of other instances, as listeners in this process share it.

use crate::bus::Local;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::task::AbortHandle;

/// How long to wait before the next try to connect.
pub(crate) const AGAIN: Duration = Duration::from_secs(1);

/// What is heard, and the task that listens.
pub(crate) struct News {
    ear: Arc<Ear>,
    task: AbortHandle,
}

/// What is heard.
#[derive(Default)]
pub(crate) struct Ear {
    pub(crate) bus: Local,
    marks: Notify,
    listening: AtomicBool,
}

impl News {
    pub(crate) fn new(ear: Arc<Ear>, task: AbortHandle) -> Self {
        Self { ear, task }
    }

    pub(crate) fn close(&self) {
        self.task.abort();
        self.ear.mark();
    }
}

impl Deref for News {
    type Target = Ear;

    fn deref(&self) -> &Ear {
        &self.ear
    }
}

impl Drop for News {
    fn drop(&mut self) {
        self.close();
    }
}

impl Ear {
    /// Waits for a word that some mark was raised.
    pub(crate) fn marked(&self) -> Notified<'_> {
        self.marks.notified()
    }

    /// Tells whoever waits that some mark may have been raised.
    pub(crate) fn mark(&self) {
        self.marks.notify_waiters();
    }

    pub(crate) fn is_listening(&self) -> bool {
        self.listening.load(Ordering::Relaxed)
    }

    pub(crate) fn listens(&self, listening: bool) {
        self.listening.store(listening, Ordering::Relaxed);
    }
}
