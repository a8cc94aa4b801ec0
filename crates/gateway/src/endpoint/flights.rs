//! Requests of clients that are worked on, so that a client can cancel one by its id.

use super::Guest;
use mcp::Era;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

type Key = (u64, Box<str>);

/// Requests in flight, by client and id. A careless client may give several the same id.
#[derive(Default)]
pub(super) struct Flights {
    open: Mutex<Open>,
}

type Open = HashMap<Key, Vec<Arc<Notify>>>;

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
        let key = (guest.number, id.get().into());
        self.lock().entry(key.clone()).or_default().push(cancelled.clone());
        let _flight = Flight { key, cancelled: cancelled.clone(), all: self };
        tokio::select! {
            done = work => Some(done),
            () = cancelled.notified() => None,
        }
    }

    /// Ends what that client has in flight under that id.
    pub(super) fn cancel(&self, guest: &Guest, id: &str) {
        let open = self.lock();
        open.get(&(guest.number, id.into())).into_iter().flatten().for_each(|one| one.notify_one());
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes itself off the list.
struct Flight<'a> {
    key: Key,
    cancelled: Arc<Notify>,
    all: &'a Flights,
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        let mut open = self.all.lock();
        if let Some(same) = open.get_mut(&self.key) {
            same.retain(|one| !Arc::ptr_eq(one, &self.cancelled));
            if same.is_empty() {
                open.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};
    use std::pin::pin;

    #[tokio::test]
    async fn requests_with_one_id_are_all_cancelled_and_the_end_of_one_leaves_the_others() {
        let (flights, guest) = (Flights::default(), Guest::from_initialize("{}"));
        let id = serde_json::value::to_raw_value(&1).expect("json");
        let (one, two) = (pin!(pending::<()>()), pin!(pending::<()>()));
        let mut first = pin!(flights.fly(&guest, &id, one));
        let mut second = pin!(flights.fly(&guest, &id, two));
        tokio::select! {
            biased;
            _ = &mut first => panic!("nobody cancelled it"),
            _ = &mut second => panic!("nobody cancelled it"),
            () = ready(()) => {}
        }
        assert_eq!(flights.fly(&guest, &id, pin!(ready(5))).await, Some(5));
        flights.cancel(&guest, "2");
        flights.cancel(&Guest::from_initialize("{}"), "1");
        flights.cancel(&guest, "1");
        assert_eq!((first.await, second.await), (None, None));
        assert!(flights.lock().is_empty());
    }
}
