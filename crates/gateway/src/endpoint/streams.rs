//! The open streams of legacy clients for what concerns no request, and the places from which a client may
//! take one up again after it broke.

use super::Guest;
use crate::access::Pass;
use mcp::{Receiver, Sender};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// How many questions may wait for a client that reads slowly.
const ASKED_MAX: usize = 64;

/// The open streams of each client, oldest first.
#[derive(Clone)]
pub(super) struct Streams {
    /// Tells this run of the gateway from others, so that nobody takes up a stream of another one.
    run: u64,
    open: Arc<Mutex<HashMap<u64, Vec<Open>>>>,
}

impl Default for Streams {
    fn default() -> Self {
        Self { run: Guest::fresh_number(), open: Arc::default() }
    }
}

pub(super) struct Open {
    number: u64,
    pub(super) guest: Guest,
    /// The key that the client gave.
    pub(super) pass: Option<Arc<Pass>>,
    /// Where questions that belong to no request go, and the ids of those that went there.
    pub(super) asked: Sender<Vec<u8>>,
    pub(super) questions: Vec<u64>,
    /// The number of the news that came last before it was opened.
    since: u64,
    /// Tells it that its client has left.
    left: Arc<Notify>,
}

/// The place of one stream among those of its client, until it is dropped.
pub(super) struct Turn {
    guest: u64,
    number: u64,
    asked: Receiver<Vec<u8>>,
    left: Arc<Notify>,
    streams: Streams,
}

/// Where a stream stands: the id of its last event. It is good at one instance, as long as that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    run: u64,
    pub(super) stream: u64,
    /// The number of the news that came last.
    pub(super) news: u64,
}

impl Streams {
    pub(super) fn lock(&self) -> MutexGuard<'_, HashMap<u64, Vec<Open>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A further stream of a client, which is the newest from now on.
    pub(super) fn open(&self, guest: &Guest, pass: Option<&Arc<Pass>>, since: u64) -> Turn {
        let (number, left) = (Guest::fresh_number(), Arc::<Notify>::default());
        let (sender, asked) = mcp::mail(ASKED_MAX);
        let open = Open {
            number,
            guest: guest.clone(),
            pass: pass.cloned(),
            asked: sender,
            questions: Vec::new(),
            since,
            left: left.clone(),
        };
        self.lock().entry(guest.number).or_default().push(open);
        Turn { guest: guest.number, number, asked, left, streams: self.clone() }
    }

    /// Notes what the handshake says of a client whose stream was open before it.
    pub(super) fn greeted(&self, guest: &Guest) {
        self.lock().get_mut(&guest.number).into_iter().flatten().for_each(|open| open.guest = guest.clone());
    }

    /// Ends the streams of a client that leaves.
    pub(super) fn end(&self, guest: u64) {
        self.lock().get(&guest).into_iter().flatten().for_each(|open| open.left.notify_one());
    }

    /// The place that the id of an event names, where it is one of this run.
    pub(super) fn place(&self, id: &str) -> Option<Place> {
        Place::read(id).filter(|place| place.run == self.run)
    }

    /// Whether a client has a stream open.
    pub(super) fn has(&self, guest: u64) -> bool {
        self.lock().contains_key(&guest)
    }

    /// The news up to which a client's broken stream may be made up for: what came later was heard on
    /// another one, which was opened meanwhile.
    pub(super) fn heard_elsewhere(&self, guest: u64, broken: u64) -> Option<u64> {
        let open = self.lock();
        let others = open.get(&guest)?.iter().filter(|open| open.number != broken);
        others.map(|open| open.since).min()
    }
}

impl Turn {
    /// Whether it is the newest of its client's streams, the only one that hears anything.
    pub(super) fn is_newest(&self) -> bool {
        let open = self.streams.lock();
        open.get(&self.guest).and_then(|all| all.last()).is_some_and(|last| last.number == self.number)
    }

    /// The next question for the client; `None` when it has left.
    pub(super) async fn asked(&mut self) -> Option<Vec<u8>> {
        tokio::select! {
            asked = self.asked.recv() => asked,
            () = self.left.notified() => None,
        }
    }

    /// Gives up its place; the ids of the questions that were asked on it.
    pub(super) fn close(&self) -> Vec<u64> {
        let mut open = self.streams.lock();
        let Some(all) = open.get_mut(&self.guest) else { return Vec::new() };
        let own = all.iter().position(|open| open.number == self.number).map(|at| all.remove(at));
        if all.is_empty() {
            open.remove(&self.guest);
        }
        own.map(|own| own.questions).unwrap_or_default()
    }

    /// Where the stream stands after the news of that number.
    pub(super) fn place(&self, news: u64) -> Place {
        Place { run: self.streams.run, stream: self.number, news }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.close();
    }
}

impl Place {
    /// The id of the event that led there.
    pub(super) fn id(self) -> String {
        format!("{:x}-{:x}-{:x}", self.run, self.stream, self.news)
    }

    /// The place that an id names.
    fn read(id: &str) -> Option<Self> {
        let mut parts = id.split('-').map(|part| u64::from_str_radix(part, 16).ok());
        let place = Self { run: parts.next()??, stream: parts.next()??, news: parts.next()?? };
        parts.next().is_none().then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_back_from_its_id_and_nothing_else_is() {
        let place = Place { run: u64::MAX, stream: 7, news: 0 };
        assert_eq!(Place::read(&place.id()), Some(place));
        for bad in ["", "1", "1-2", "1-2-", "1-2-x", "1-2-3-4", "-1-2-3", "1-2-10000000000000000"] {
            assert_eq!(Place::read(bad), None, "{bad}");
        }
    }

    #[test]
    fn only_the_newest_stream_hears_and_tells_from_when() {
        let streams = Streams::default();
        let guest = Guest { number: 1, ..Guest::from_initialize("{}") };
        let first = streams.open(&guest, None, 5);
        assert!(first.is_newest() && streams.heard_elsewhere(1, first.number).is_none());
        let second = streams.open(&guest, None, 9);
        assert!(!first.is_newest() && second.is_newest());
        assert_eq!(streams.heard_elsewhere(1, first.number), Some(9));
        assert_eq!(streams.heard_elsewhere(1, 0), Some(5));
        let place = second.place(3);
        assert_eq!(streams.place(&place.id()), Some(place));
        assert_eq!(Streams::default().place(&place.id()), None, "another run");
        drop(second);
        assert!(first.is_newest() && streams.has(1));
        drop(first);
        assert!(!streams.has(1));
    }
}
