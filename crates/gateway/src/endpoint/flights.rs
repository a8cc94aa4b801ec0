//! Requests of clients that are worked on, so that a client can cancel one by its id.

use super::Guest;
use futures_util::task::AtomicWaker;
use mcp::Era;
use serde_json::value::RawValue;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Poll;

/// How a client ends a request of its own. Clones end the same request.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Cancelled>);

#[derive(Debug, Default)]
struct Cancelled {
    told: AtomicBool,
    /// The one that works on the request.
    worker: AtomicWaker,
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
        self.0.told.store(true, Relaxed);
        self.0.worker.wake();
    }

    /// Whether the client ended it.
    pub(crate) fn is_told(&self) -> bool {
        self.0.told.load(Relaxed)
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

/// Requests in flight. They come and go all the time and are looked for when one is cancelled, so each has a place
/// of its own and no order. A careless client may give several the same id.
#[derive(Default)]
pub(super) struct Flights {
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    places: Vec<Option<Listed>>,
    free: Vec<usize>,
}

struct Listed {
    guest: u64,
    id: Box<str>,
    cancel: Cancel,
}

impl Open {
    fn add(&mut self, listed: Listed) -> usize {
        if let Some(place) = self.free.pop() {
            self.places[place] = Some(listed);
            return place;
        }
        self.places.push(Some(listed));
        self.places.len() - 1
    }

    fn remove(&mut self, place: usize) -> Option<Listed> {
        let listed = self.places[place].take();
        self.free.push(place);
        if self.free.len() == self.places.len() {
            self.places.clear();
            self.free.clear();
            // The room of a great many does not stay.
            self.places.shrink_to(PLACES_KEPT);
            self.free.shrink_to(PLACES_KEPT);
        }
        listed
    }
}

/// Places that are kept when nothing is in flight.
const PLACES_KEPT: usize = 64;

impl Flights {
    /// A request that begins. Who has `given` a way to end it uses that, and a modern client without one hangs up.
    pub(super) fn begin(&self, guest: &Guest, id: &RawValue, given: Option<&Cancel>) -> Flight<'_> {
        if given.is_some() || guest.era() == Era::Modern {
            return Flight { cancel: given.cloned(), listed: None };
        }
        let cancel = Cancel::default();
        let listed = Listed { guest: guest.number, id: id.get().into(), cancel: cancel.clone() };
        let place = self.lock().add(listed);
        Flight { cancel: Some(cancel), listed: Some((place, self)) }
    }

    /// Ends what that client has in flight under that id.
    pub(super) fn cancel(&self, guest: &Guest, id: &str, params: &str) {
        let open = self.lock();
        let meant = |listed: &&Listed| listed.guest == guest.number && &*listed.id == id;
        open.places.iter().flatten().filter(meant).for_each(|listed| listed.cancel.cancel(params));
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request in flight, which takes itself off the list.
pub(super) struct Flight<'a> {
    cancel: Option<Cancel>,
    listed: Option<(usize, &'a Flights)>,
}

impl Flight<'_> {
    /// How it may be ended.
    pub(super) fn cancel(&self) -> Option<&Cancel> {
        self.cancel.as_ref()
    }

    /// Waits for `work`; `None` when the client cancelled it.
    pub(super) async fn fly<T>(&self, mut work: Pin<&mut impl Future<Output = T>>) -> Option<T> {
        let Some(Cancel(cancelled)) = &self.cancel else { return Some(work.await) };
        poll_fn(|task| {
            // Before the look, so that no word is missed.
            cancelled.worker.register(task.waker());
            match cancelled.told.load(Relaxed) {
                true => Poll::Ready(None),
                false => work.as_mut().poll(task).map(Some),
            }
        })
        .await
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        let listed = self.listed.map(|(place, all)| all.lock().remove(place));
        // Freed outside the lock.
        drop(listed);
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
        assert!(flights.lock().places.is_empty());
    }
}
