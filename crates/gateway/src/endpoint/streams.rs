//! The open streams of legacy clients for what concerns no request, and the places from which a client may
//! take one up again after it broke.

use super::Guest;
use super::reached::{Open, Reached, Watch};
use crate::access::Pass;
use crate::server::QUESTIONS_MAX;
use mcp::Receiver;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio::time::Instant;

/// How many clients may be in the middle of their handshake; the oldest are taken for ready first.
const GREETING_MAX: usize = 1000;

/// The open streams of each client.
#[derive(Clone)]
pub(super) struct Streams {
    /// Tells this run of the gateway from others, so that nobody takes up a stream of another one.
    run: u64,
    known: Arc<Mutex<Known>>,
}

#[derive(Default)]
pub(super) struct Known {
    pub(super) clients: HashMap<u64, Reached>,
    /// Those that have said who they are and not yet that they are ready, oldest first.
    greeting: VecDeque<u64>,
}

impl Default for Streams {
    fn default() -> Self {
        Self { run: Guest::fresh_number(), known: Arc::default() }
    }
}

impl Known {
    /// Whether a client may be asked something: it has ended its handshake, as far as that is known here.
    pub(super) fn is_ready(&self, guest: u64) -> bool {
        !self.greeting.contains(&guest)
    }

    fn forget_greeting(&mut self, guest: u64) {
        self.greeting.retain(|other| *other != guest);
    }

    fn tidy(&mut self, guest: u64) {
        if self.clients.get(&guest).is_some_and(Reached::is_over) {
            self.clients.remove(&guest);
        }
    }
}

/// The place of one stream among those of its client, until it is dropped.
pub(super) struct Turn {
    guest: u64,
    number: u64,
    heard: Receiver<Vec<u8>>,
    /// How much came from there.
    taken: u64,
    left: Arc<Notify>,
    /// The questions that it cannot put, which nobody will answer.
    pub(super) lost: Vec<u64>,
    streams: Streams,
}

/// What becomes of the questions of a stream that ends.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Closed {
    /// Those that nobody will answer.
    pub(super) lost: Vec<u64>,
    /// Who is to look after others, which wait for the next stream.
    pub(super) watch: Option<Watch>,
}

/// Where a stream stands: the id of its last event. It is good at one instance, as long as that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    run: u64,
    pub(super) stream: u64,
    /// The number of the news that came last.
    pub(super) news: u64,
    /// How much came that was for the client alone.
    pub(super) put: u64,
}

impl Streams {
    pub(super) fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A further stream of a client, which is the newest from now on. It begins with the questions that nobody heard on
    /// one that broke, perhaps after that place.
    pub(super) fn open(
        &self,
        guest: &Guest,
        pass: Option<&Arc<Pass>>,
        since: u64,
        after: Option<Place>,
    ) -> Turn {
        let (number, left) = (Guest::fresh_number(), Arc::<Notify>::default());
        let (sink, heard) = mcp::mail(QUESTIONS_MAX);
        let (guest, pass) = (guest.clone(), pass.cloned());
        let mut turn = Turn {
            guest: guest.number,
            number,
            heard,
            taken: 0,
            left: left.clone(),
            lost: Vec::new(),
            streams: self.clone(),
        };
        let mut known = self.lock();
        let ready = known.is_ready(turn.guest);
        let reached = known.clients.entry(turn.guest).or_default();
        reached.come_back(Open { number, guest, pass, sink, put: 0, since, after, left });
        if ready {
            turn.lost = reached.deliver();
        }
        drop(known);
        turn
    }

    /// Notes what its handshake says of a client, which is not ready before it says so.
    pub(super) fn greeted(&self, guest: &Guest) {
        let mut known = self.lock();
        known.forget_greeting(guest.number);
        known.greeting.push_back(guest.number);
        if known.greeting.len() > GREETING_MAX {
            known.greeting.pop_front();
        }
        let reached = known.clients.get_mut(&guest.number);
        reached
            .into_iter()
            .flat_map(|reached| &mut reached.streams)
            .for_each(|open| open.guest = guest.clone());
    }

    /// A client is ready: it is asked what waited for that. The ids of what it cannot be asked.
    pub(super) fn ready(&self, guest: u64) -> Vec<u64> {
        let mut known = self.lock();
        known.forget_greeting(guest);
        known.clients.get_mut(&guest).map(|reached| reached.deliver()).unwrap_or_default()
    }

    /// Ends the streams of a client that leaves, with what it was asked there.
    pub(super) fn end(&self, guest: u64) {
        let mut known = self.lock();
        known.forget_greeting(guest);
        let Some(reached) = known.clients.get_mut(&guest) else { return };
        reached.streams.iter().for_each(|open| open.left.notify_one());
        reached.abandon();
        known.tidy(guest);
    }

    /// Forgets a question that was answered.
    pub(super) fn answered(&self, guest: u64, id: u64) {
        let mut known = self.lock();
        let Some(reached) = known.clients.get_mut(&guest) else { return };
        reached.forget(id);
        known.tidy(guest);
    }

    /// What a watch over a client without a stream finds: the ids of what has waited for too long, and when it must look
    /// again.
    pub(super) fn look(&self, guest: u64, watch: u64) -> (Vec<u64>, Option<Instant>) {
        let mut known = self.lock();
        let found = known.clients.get_mut(&guest).map(|reached| reached.look(watch)).unwrap_or_default();
        known.tidy(guest);
        found
    }

    /// The place that the id of an event names, where it is one of this run.
    pub(super) fn place(&self, id: &str) -> Option<Place> {
        Place::read(id).filter(|place| place.run == self.run)
    }

    /// Whether a client has a stream open.
    pub(super) fn has(&self, guest: u64) -> bool {
        self.lock().clients.get(&guest).is_some_and(|reached| !reached.streams.is_empty())
    }

    /// The news up to which a client's broken stream may be made up for: what came later was heard on
    /// another one, which was opened meanwhile.
    pub(super) fn heard_elsewhere(&self, guest: u64, broken: u64) -> Option<u64> {
        let known = self.lock();
        let others = known.clients.get(&guest)?.streams.iter().filter(|open| open.number != broken);
        others.map(|open| open.since).min()
    }
}

impl Turn {
    /// Whether it is the newest of its client's streams, the only one that hears anything.
    pub(super) fn is_newest(&self) -> bool {
        let known = self.streams.lock();
        let newest = known.clients.get(&self.guest).and_then(|reached| reached.streams.last());
        newest.is_some_and(|newest| newest.number == self.number)
    }

    /// The next message for the client alone; `None` when it has left.
    pub(super) async fn heard(&mut self) -> Option<Vec<u8>> {
        let heard = tokio::select! {
            heard = self.heard.recv() => heard?,
            () = self.left.notified() => return None,
        };
        self.taken += 1;
        Some(heard)
    }

    /// The client.
    pub(super) fn guest(&self) -> u64 {
        self.guest
    }

    /// Gives up its place. Its questions go to another stream of the client, or wait for the next.
    pub(super) fn close(&self) -> Closed {
        let mut known = self.streams.lock();
        let ready = known.is_ready(self.guest);
        let Some(reached) = known.clients.get_mut(&self.guest) else { return Closed::default() };
        let own = reached.streams.iter().position(|open| open.number == self.number);
        let Some(own) = own else { return Closed::default() };
        reached.streams.remove(own);
        if reached.streams.is_empty() {
            reached.go_away();
        }
        let lost = if ready { reached.deliver() } else { Vec::new() };
        let closed = Closed { lost, watch: reached.watch() };
        known.tidy(self.guest);
        closed
    }

    /// Where the stream stands after the news of that number.
    pub(super) fn place(&self, news: u64) -> Place {
        Place { run: self.streams.run, stream: self.number, news, put: self.taken }
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
        format!("{:x}-{:x}-{:x}-{:x}", self.run, self.stream, self.news, self.put)
    }

    /// The place that an id names.
    fn read(id: &str) -> Option<Self> {
        let mut parts = id.split('-').map(|part| u64::from_str_radix(part, 16).ok());
        let [run, stream, news, put] = [parts.next()??, parts.next()??, parts.next()??, parts.next()??];
        let place = Self { run, stream, news, put };
        parts.next().is_none().then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::AWAY_MAX;

    #[test]
    fn a_place_is_read_back_from_its_id_and_nothing_else_is() {
        let place = Place { run: u64::MAX, stream: 7, news: 0, put: 3 };
        assert_eq!(Place::read(&place.id()), Some(place));
        for bad in ["", "1", "1-2-3", "1-2-3-", "1-2-3-x", "1-2-3-4-5", "-1-2-3", "1-2-3-10000000000000000"] {
            assert_eq!(Place::read(bad), None, "{bad}");
        }
    }

    #[test]
    fn only_the_newest_stream_hears_and_tells_from_when() {
        let streams = Streams::default();
        let guest = Guest { number: 1, ..Guest::from_initialize("{}") };
        let first = streams.open(&guest, None, 5, None);
        assert!(first.is_newest() && streams.heard_elsewhere(1, first.number).is_none());
        let second = streams.open(&guest, None, 9, None);
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

    fn heard(turn: &mut Turn) -> Vec<Vec<u8>> {
        std::iter::from_fn(|| turn.heard.try_recv()).inspect(|_| turn.taken += 1).collect()
    }

    #[tokio::test]
    async fn questions_go_from_stream_to_stream_until_they_are_answered() {
        let streams = Streams::default();
        let guest = Guest { number: 1, ..Guest::from_initialize("{}") };
        streams.greeted(&guest);
        let mut first = streams.open(&guest, None, 0, None);
        let ask = |id: u8| {
            let mut known = streams.lock();
            let ready = known.is_ready(1);
            let reached = known.clients.get_mut(&1).expect("it is known");
            reached.add(u64::from(id), "s", vec![id], Instant::now() + AWAY_MAX);
            assert!(!ready || reached.deliver().is_empty());
        };
        ask(7);
        assert_eq!(heard(&mut first), Vec::<Vec<u8>>::new(), "it is not ready");
        assert!(streams.ready(1).is_empty());
        assert_eq!(heard(&mut first), [[7]]);
        let place = first.place(0);
        ask(8);
        let mut second = streams.open(&guest, None, 0, Some(place));
        assert_eq!(heard(&mut second), [[8]], "the other was heard before that place");
        assert_eq!(first.close(), Closed::default());
        let watch = second.close().watch.expect("it is waited for");
        assert!(!streams.has(1));
        let mut third = streams.open(&guest, None, 0, None);
        assert_eq!(heard(&mut third), [[7], [8]], "who does not say what it heard hears all");
        assert_eq!(streams.look(1, watch.number), (Vec::new(), None), "it came back");
        streams.answered(1, 7);
        streams.lock().clients.get_mut(&1).expect("it is known").take_back(8, vec![0]);
        assert_eq!(heard(&mut third), [[0]]);
        let told = third.place(0);
        assert!(third.close().watch.is_some(), "nobody knows whether it heard that");
        let mut fourth = streams.open(&guest, None, 0, Some(told));
        assert_eq!(heard(&mut fourth), Vec::<Vec<u8>>::new(), "it did");
        assert_eq!(fourth.close(), Closed::default());
        assert!(streams.lock().clients.is_empty());
    }
}
