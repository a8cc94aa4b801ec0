//! Requests of clients that are worked on, so that a client can cancel one by its id.

use super::Guest;
use mcp::Era;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::sync::Notify;

type Key = (u64, Arc<str>);

/// How a client ends a request of its own. Clones end the same request.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Cancelled>);

#[derive(Debug, Default)]
struct Cancelled {
    told: Notify,
    /// Why, as the client wrote it.
    reason: OnceLock<Box<str>>,
}

impl Cancel {
    /// Ends the request, as a notification with these parameters says.
    pub fn cancel(&self, params: &str) {
        let reason = mcp::member_at(params, "reason").map(|at| &params[at]);
        if let Some(reason) = reason.filter(|reason| reason.starts_with('"')) {
            self.explain(reason);
        }
        self.0.told.notify_one();
    }

    /// Says why, as JSON; what was said first holds.
    pub(crate) fn explain(&self, reason: &str) {
        let _ = self.0.reason.set(reason.into());
    }

    /// Why the client ended it, as it wrote it.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.0.reason.get().map(AsRef::as_ref)
    }
}

/// Requests in flight, by client and id. A careless client may give several the same id.
#[derive(Default)]
pub(super) struct Flights {
    open: Mutex<Open>,
}

type Open = HashMap<Key, Vec<Cancel>>;

impl Flights {
    /// A request that begins. Who has `given` a way to end it uses that, and a modern client without one hangs up.
    pub(super) fn begin(&self, guest: &Guest, id: &RawValue, given: Option<&Cancel>) -> Flight<'_> {
        if given.is_some() || guest.era() == Era::Modern {
            return Flight { cancel: given.cloned(), listed: None };
        }
        let (key, cancel) = ((guest.number, id.get().into()), Cancel::default());
        self.lock().entry(Key::clone(&key)).or_default().push(cancel.clone());
        Flight { cancel: Some(cancel), listed: Some((key, self)) }
    }

    /// Ends what that client has in flight under that id.
    pub(super) fn cancel(&self, guest: &Guest, id: &str, params: &str) {
        let open = self.lock();
        open.get(&(guest.number, id.into())).into_iter().flatten().for_each(|one| one.cancel(params));
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request in flight, which takes itself off the list.
pub(super) struct Flight<'a> {
    cancel: Option<Cancel>,
    listed: Option<(Key, &'a Flights)>,
}

impl Flight<'_> {
    /// How it may be ended.
    pub(super) fn cancel(&self) -> Option<&Cancel> {
        self.cancel.as_ref()
    }

    /// Waits for `work`; `None` when the client cancelled it.
    pub(super) async fn fly<T>(&self, work: Pin<&mut impl Future<Output = T>>) -> Option<T> {
        let Some(Cancel(cancelled)) = &self.cancel else { return Some(work.await) };
        tokio::select! {
            done = work => Some(done),
            () = cancelled.told.notified() => None,
        }
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        let (Some((key, all)), Some(cancel)) = (&self.listed, &self.cancel) else { return };
        let mut open = all.lock();
        if let Some(same) = open.get_mut(key) {
            same.retain(|one| !Arc::ptr_eq(&one.0, &cancel.0));
            if same.is_empty() {
                open.remove(key);
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
        let [one_flight, two_flight] = [(); 2].map(|()| flights.begin(&guest, &id, None));
        {
            let mut first = pin!(one_flight.fly(one));
            let mut second = pin!(two_flight.fly(two));
            tokio::select! {
                biased;
                _ = &mut first => panic!("nobody cancelled it"),
                _ = &mut second => panic!("nobody cancelled it"),
                () = ready(()) => {}
            }
            assert_eq!(flights.begin(&guest, &id, None).fly(pin!(ready(5))).await, Some(5));
            flights.cancel(&guest, "2", "{}");
            flights.cancel(&Guest::from_initialize("{}"), "1", "{}");
            flights.cancel(&guest, "1", r#"{"reason":"\u0061"}"#);
            assert_eq!((first.await, second.await), (None, None));
            assert_eq!(two_flight.cancel().and_then(Cancel::reason), Some(r#""\u0061""#));
        }
        drop((one_flight, two_flight));
        assert!(flights.lock().is_empty());
    }
}
