//! How a legacy client is reached outside of any request: its open streams, and what waits for one.

use super::Guest;
use super::streams::Place;
use crate::access::Pass;
use crate::caller::Caller;
use crate::server::{AWAY_MAX, QUESTIONS_MAX};
use mcp::Sender;
use std::sync::Arc;
use tokio::sync::Notify;
use tokio::time::Instant;

/// How many places are remembered at which a client was asked something; the oldest are forgotten first.
const PLACES_MAX: usize = 16;

/// How a client is reached outside of any request.
#[derive(Default)]
pub(super) struct Reached {
    /// Its open streams, oldest first.
    pub(super) streams: Vec<Open>,
    /// What it was asked there and has not answered, oldest first.
    questions: Vec<Question>,
    /// Who looks after what waits for a client without a stream.
    watch: Option<Watch>,
}

/// Somebody who looks after what waits, and when next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Watch {
    pub(super) number: u64,
    pub(super) next: Instant,
}

pub(super) struct Open {
    pub(super) number: u64,
    pub(super) guest: Guest,
    /// The key that the client gave.
    pub(super) pass: Option<Arc<Pass>>,
    /// Where goes what is for this client alone, and how much went there.
    pub(super) sink: Sender<Vec<u8>>,
    pub(super) put: u64,
    /// The number of the news that came last before it was opened.
    pub(super) since: u64,
    /// Up to where its client has heard another stream, which this one takes up.
    pub(super) after: Option<Place>,
    /// Tells it that its client has left.
    pub(super) left: Arc<Notify>,
}

impl Open {
    /// Whether its client may know of a server.
    pub(super) fn sees(&self, server: &str) -> bool {
        Caller::new(None).with(self.pass.as_deref()).sees(server)
    }

    /// Whether its client reads what is put there, so that more leaves room for questions.
    pub(super) fn is_heard(&self) -> bool {
        self.sink.waiting() < QUESTIONS_MAX / 2
    }

    /// Puts a message on the stream, where there is room.
    pub(super) fn put(&mut self, message: Vec<u8>) -> Option<Put> {
        self.sink.offer(message).ok()?;
        self.put += 1;
        Some(Put { stream: self.number, nth: self.put })
    }
}

/// The stream on which something was put, and as the how-manieth message there; as none where its client had heard it
/// before.
#[derive(Clone, Copy)]
pub(super) struct Put {
    stream: u64,
    nth: u64,
}

impl Put {
    /// Whether a client that stands there has heard it.
    fn is_before(self, place: Place) -> bool {
        self.stream == place.stream && self.nth <= place.put
    }

    /// Whether a client that stands there has not heard it.
    fn is_after(self, place: Place) -> bool {
        self.stream == place.stream && self.nth > place.put
    }
}

/// A question that waits for its answer, or the word that it is over.
struct Question {
    id: u64,
    /// The name of the server that asks.
    server: Box<str>,
    message: Vec<u8>,
    /// Where the message was put, oldest first.
    put: Vec<Put>,
    /// Where the question was put, when it is over.
    over: Option<Vec<Put>>,
    /// Until when it waits for a client without a stream; the word that it is over, for any client.
    until: Instant,
}

impl Question {
    /// Whether it stands on one of those streams, and on none that another takes up.
    fn stands_on(&self, streams: &[u64], taken_up: Option<Place>) -> bool {
        let stands = self.put.last().filter(|last| streams.contains(&last.stream));
        stands.is_some_and(|last| taken_up.is_none_or(|place| place.stream != last.stream))
    }

    /// Whether there is nothing more to say of it to a client that stands there: it has heard that it is over, or it
    /// never heard the question.
    fn is_settled(&self, place: Option<Place>) -> bool {
        let (Some(asked), Some(place)) = (&self.over, place) else { return false };
        self.put.iter().any(|put| put.is_before(place)) || asked.iter().all(|put| put.is_after(place))
    }

    fn note(&mut self, put: Put) {
        if self.put.len() == PLACES_MAX {
            self.put.remove(0);
        }
        self.put.push(put);
    }

    /// Puts it on a stream, unless its client has heard it; whether that was possible.
    fn go_to(&mut self, stream: &mut Open) -> bool {
        if !stream.sees(&self.server) {
            return false;
        }
        let heard = stream.after.is_some_and(|place| self.put.iter().any(|put| put.is_before(place)));
        let put = match heard {
            true => Some(Put { stream: stream.number, nth: 0 }),
            false => stream.put(self.message.clone()),
        };
        put.is_some_and(|put| {
            self.note(put);
            true
        })
    }
}

impl Reached {
    /// The one of its streams that hears.
    pub(super) fn newest(&mut self) -> Option<&mut Open> {
        self.streams.last_mut()
    }

    /// The ids of what it was asked and has not answered.
    pub(super) fn asked(&self) -> Vec<u64> {
        let open = self.questions.iter().filter(|question| question.over.is_none());
        open.map(|question| question.id).collect()
    }

    /// Whether there is room for one more question. What is over takes none of it, and is forgotten in time.
    pub(super) fn has_room(&mut self) -> bool {
        let now = Instant::now();
        self.questions.retain(|question| question.over.is_none() || question.until > now);
        self.asked().len() < QUESTIONS_MAX
    }

    /// Adds a question, which is put on no stream yet and waits for one until then.
    pub(super) fn add(&mut self, id: u64, server: &str, message: Vec<u8>, until: Instant) {
        let (server, put) = (server.into(), Vec::new());
        self.questions.push(Question { id, server, message, put, over: None, until });
    }

    /// Puts on the newest stream what stands on none that is open, or on the one that it takes up, unless that was heard
    /// there. Questions for which there is no room, or of servers that its key does not permit, are forgotten; their
    /// ids.
    pub(super) fn deliver(&mut self) -> Vec<u64> {
        let open: Vec<u64> = self.streams.iter().map(|stream| stream.number).collect();
        let Some(newest) = self.streams.last_mut() else { return Vec::new() };
        let (mut lost, now) = (Vec::new(), Instant::now());
        self.questions.retain_mut(|question| {
            if question.over.is_some() && question.until <= now {
                return false;
            }
            if question.stands_on(&open, newest.after) {
                return true;
            }
            if question.is_settled(newest.after) {
                return false;
            }
            let went = question.go_to(newest);
            if !went {
                lost.push(question.id);
            }
            went
        });
        lost
    }

    /// Takes a question back from the client: who may have heard it hears that it is over, and nobody else.
    pub(super) fn take_back(&mut self, id: u64, word: Vec<u8>) {
        let own = |question: &Question| question.id == id && question.over.is_none();
        let Some(at) = self.questions.iter().position(own) else { return };
        let question = &mut self.questions[at];
        let Some(last) = question.put.last().copied() else { return drop(self.questions.remove(at)) };
        let stream = self.streams.iter_mut().find(|stream| stream.number == last.stream);
        let told = stream.and_then(|stream| stream.put(word.clone()));
        question.over = Some(std::mem::replace(&mut question.put, told.into_iter().collect()));
        (question.message, question.until) = (word, Instant::now() + AWAY_MAX);
        // A server that asks and takes back all the time leaves no more words than questions.
        let mut over = self.questions.iter().enumerate().filter(|(_, question)| question.over.is_some());
        if let (Some((oldest, _)), true) = (over.next(), over.count() >= QUESTIONS_MAX) {
            self.questions.remove(oldest);
        }
    }

    /// Forgets a question that was answered.
    pub(super) fn forget(&mut self, id: u64) {
        self.questions.retain(|question| question.id != id);
    }

    /// Forgets everything that it was asked.
    pub(super) fn abandon(&mut self) {
        self.questions.clear();
        self.watch = None;
    }

    /// Its client has a stream again.
    pub(super) fn come_back(&mut self, stream: Open) {
        self.streams.push(stream);
        self.watch = None;
    }

    /// Its last stream has ended: what it was asked waits for the next.
    pub(super) fn go_away(&mut self) {
        let until = Instant::now() + AWAY_MAX;
        let open = self.questions.iter_mut().filter(|question| question.over.is_none());
        open.for_each(|question| question.until = until);
    }

    /// A watch over what waits for a client without a stream, where there is none that looks in time.
    pub(super) fn watch(&mut self) -> Option<Watch> {
        if !self.streams.is_empty() {
            return None;
        }
        let next = self.first()?;
        if self.watch.is_some_and(|watch| watch.next <= next) {
            return None;
        }
        self.watch = Some(Watch { number: Guest::fresh_number(), next });
        self.watch
    }

    /// What a watch finds: the ids of what has waited for too long, and when it must look again.
    pub(super) fn look(&mut self, number: u64) -> (Vec<u64>, Option<Instant>) {
        let Some(watch) = self.watch.take_if(|watch| watch.number == number) else {
            return Default::default();
        };
        let now = Instant::now();
        let late = self.questions.extract_if(.., |question| question.until <= now);
        let lost = late.map(|question| question.id).collect();
        let next = self.first();
        self.watch = next.map(|next| Watch { next, ..watch });
        (lost, next)
    }

    /// Until when the first thing waits.
    fn first(&self) -> Option<Instant> {
        self.questions.iter().map(|question| question.until).min()
    }

    /// Whether nothing is known of it any more, and nobody looks after it.
    pub(super) fn is_over(&self) -> bool {
        self.streams.is_empty() && self.questions.is_empty() && self.watch.is_none()
    }
}
