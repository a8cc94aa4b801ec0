//! Requests of clients that are worked on, so that a client can cancel one by its id.

use super::Guest;
use mcp::Era;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

type Key = (u64, Box<str>);

/// Requests in flight, by client and id.
#[derive(Default)]
pub(super) struct Flights {
    open: Mutex<HashMap<Key, Arc<Notify>>>,
}

impl Flights {
    /// Waits for `work`; `None` when the client cancelled it. A modern client cancels by hanging up.
    pub(super) async fn fly<T>(
        &self,
        guest: &Guest,
        id: &RawValue,
        work: Pin<&mut impl Future<Output = T>>,
    ) -> Option<T> {
        if guest.era() == Era::Modern {
            return Some(work.await);
        }
        let cancelled = Arc::new(Notify::new());
        let flight = Flight { key: (guest.number, id.get().into()), all: self };
        self.lock().insert(flight.key.clone(), cancelled.clone());
        tokio::select! {
            done = work => Some(done),
            () = cancelled.notified() => None,
        }
    }

    /// Ends the request of that client with that id, if there is one.
    pub(super) fn cancel(&self, guest: &Guest, id: &str) {
        if let Some(cancelled) = self.lock().get(&(guest.number, id.into())) {
            cancelled.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Arc<Notify>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes itself off the list.
struct Flight<'a> {
    key: Key,
    all: &'a Flights,
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        self.all.lock().remove(&self.key);
    }
}
