//! Requests in flight, told apart by id, each with somebody who may listen to what the server says meanwhile.

mod questions;

use crate::mail::{Receiver, Sender, mail};
use crate::said::Said;
use questions::Question;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// What came back for a request.
#[derive(Debug)]
pub enum Outcome {
    /// The `result` member, as it was written.
    Result(Box<RawValue>),
    /// The `error` member, as it was written, and the HTTP status with which the server refused, where it did.
    Error(Box<RawValue>, Option<u16>),
    /// A reply with our id that is no valid JSON-RPC reply.
    Invalid,
    /// The transport brought no reply; the text says why.
    Failed(String),
    /// The server has forgotten the session, so it did not take the request.
    Unheard,
}

/// The connection ended before the reply came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the connection to the server is closed")]
pub struct Gone;

/// Who hears what a server says about a request.
#[derive(Clone)]
pub struct Listener {
    /// Requests with the same number come from the same client.
    pub client: u64,
    /// Whose clients may be taken for each other where it is only likely who is meant.
    pub owner: u64,
    /// The task whose result the request waits for.
    pub task: Option<Arc<str>>,
    /// Where it is heard. When it is full, what comes is lost.
    pub sink: Sender<Box<Said>>,
    /// What is known of its request to all who deal with it.
    pub ear: Arc<Ear>,
    /// How its client can be asked.
    pub means: Means,
    /// Whether it hears of progress after the result too, because that may be a task which goes on.
    pub lasts: bool,
}

impl Listener {
    /// A listener for requests of that client, and what it will hear.
    pub fn new(client: u64, room: usize) -> (Self, Receiver<Box<Said>>) {
        let (sink, heard) = mail(room);
        let (ear, means) = (Arc::default(), Means::None);
        (Self { client, owner: 0, task: None, sink, ear, means, lasts: false }, heard)
    }
}

/// How a client can be asked something while its request is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// Not at all.
    None,
    /// On the stream of the request, so that the question may outlive it.
    Stream,
    /// By the reply to the request, which then goes on with the next.
    Reply,
}

/// What is known of one request to all who deal with it.
#[derive(Debug, Default)]
pub struct Ear {
    waiting: AtomicBool,
    held: Mutex<Vec<u64>>,
}

impl Ear {
    /// Says whether the request waits for its client already, and so is not likely to be meant by a new question.
    pub fn set_waiting(&self, waiting: bool) {
        self.waiting.store(waiting, Relaxed);
    }

    pub(crate) fn waits(&self) -> bool {
        self.waiting.load(Relaxed)
    }

    /// Notes a question that its client was asked, under the number that it has there. Whoever works on the request ends
    /// it, or leaves it to another.
    pub fn hold(&self, number: u64) {
        self.lock().push(number);
    }

    /// The numbers of the questions that its client was asked, oldest first.
    pub fn held(&self) -> Vec<u64> {
        self.lock().clone()
    }

    /// The same, which are noted here no more.
    pub fn release(&self) -> Vec<u64> {
        std::mem::take(&mut self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<u64>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whose request it is.
pub(crate) enum Whose {
    /// The gateway's own; who listens to it hears nothing that is said to others.
    Own(Option<Listener>),
    /// That of a caller who can hear nothing.
    Silent,
    /// That of a client.
    Client(Listener),
}

impl Whose {
    fn listener(&self) -> Option<&Listener> {
        match self {
            Whose::Own(listener) => listener.as_ref(),
            Whose::Silent => None,
            Whose::Client(listener) => Some(listener),
        }
    }
}

/// Whom something concerns that a server says without naming a request.
pub(crate) enum Concerned {
    /// Everybody: no request is under way that it could be about.
    All,
    /// The one client that can be meant.
    Client(Listener),
    /// Nobody knows, or somebody who cannot hear it.
    Nobody,
}

/// How many requests that may have become tasks are remembered for their progress; the oldest are forgotten first.
const LASTING_MAX: usize = 1000;

/// The id under which who stands by is known here; no request has it.
const STANDING: u64 = 0;

/// The requests of one connection that wait for a reply.
#[derive(Default)]
pub(crate) struct Table {
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    next: u64,
    closed: bool,
    by_id: HashMap<u64, Slot, BuildHasherDefault<Spread>>,
    /// Who is asked what belongs to no request.
    standing: Option<Slot>,
    /// Who still hears of the progress of requests that have their result.
    lasting: BTreeMap<u64, Listener>,
    /// What the server wants to know and was not answered, oldest first.
    questions: Vec<Question>,
    /// When a question was last answered or taken back.
    answered: Option<Instant>,
}

struct Slot {
    reply: oneshot::Sender<Outcome>,
    whose: Whose,
}

impl Slots {
    /// The requests of callers, each with the client that can be asked.
    fn callers(&self) -> impl Iterator<Item = (u64, Option<&Listener>)> {
        let others = self.by_id.iter().filter(|(_, slot)| !matches!(slot.whose, Whose::Own(_)));
        others.map(|(id, slot)| (*id, slot.whose.listener()))
    }

    /// Whose a question is: that of the request of the client that is meant, else of who stands by. What may be about a
    /// call that can hear nothing is put to nobody in its place.
    fn asked(&self, via: Option<u64>) -> Option<u64> {
        let meant = via.or_else(|| self.only().map(|(id, _)| id));
        match meant.and_then(|id| self.by_id.get(&id)).map(|slot| &slot.whose) {
            Some(Whose::Client(_)) => meant,
            Some(Whose::Silent) => None,
            None if via.is_none() && self.callers().any(|(_, listener)| listener.is_none()) => None,
            Some(Whose::Own(_)) | None => Some(STANDING),
        }
    }

    /// The place of a request, or of who stands by.
    fn slot(&self, id: u64) -> Option<&Slot> {
        if id == STANDING { self.standing.as_ref() } else { self.by_id.get(&id) }
    }

    /// Remembers who hears of the progress of a request that has its result.
    fn outlast(&mut self, id: u64, listener: &Listener) {
        self.lasting.retain(|_, other| !other.sink.is_over());
        self.lasting.insert(id, listener.clone());
        if self.lasting.len() > LASTING_MAX
            && let Some((_, oldest)) = self.lasting.pop_first()
        {
            oldest.sink.end();
        }
    }

    /// The newest request, when all that do not wait for their client are one client's; where all wait, when all
    /// are one client's. One that waits may be meant all the same, so nobody is where another's client does.
    fn only(&self) -> Option<(u64, &Listener)> {
        let waits = |listener: Option<&Listener>| listener.is_some_and(|l| l.ear.waits());
        let busy = self.callers().any(|(_, listener)| !waits(listener));
        let mut newest: Option<(u64, &Listener)> = None;
        for (id, listener) in self.callers().filter(|(_, listener)| waits(*listener) != busy) {
            let listener = listener?;
            match newest {
                Some((_, other)) if other.client != listener.client => return None,
                Some((known, _)) if known > id => {}
                _ => newest = Some((id, listener)),
            }
        }
        newest.filter(|(_, one)| self.callers().all(|(_, other)| other.is_none_or(|l| l.owner == one.owner)))
    }
}

impl Table {
    /// A place for one more request.
    pub(crate) fn add(self: &Arc<Self>, whose: Whose) -> Result<Pending, Gone> {
        let mut slots = self.open()?;
        slots.next += 1;
        let id = slots.next;
        let (slot, pending) = self.place(id, whose);
        slots.by_id.insert(id, slot);
        Ok(pending)
    }

    /// A place for who is asked what belongs to no request, as long as the connection is open.
    pub(crate) fn stand_by(self: &Arc<Self>, listener: Listener) -> Result<Pending, Gone> {
        let mut slots = self.open()?;
        let (slot, pending) = self.place(STANDING, Whose::Own(Some(listener)));
        slots.standing = Some(slot);
        Ok(pending)
    }

    fn open(&self) -> Result<MutexGuard<'_, Slots>, Gone> {
        let slots = self.lock();
        if slots.closed { Err(Gone) } else { Ok(slots) }
    }

    fn place(self: &Arc<Self>, id: u64, whose: Whose) -> (Slot, Pending) {
        let (reply, receiver) = oneshot::channel();
        let pending = Pending { id, receiver, table: self.clone(), done: false };
        (Slot { reply, whose }, pending)
    }

    /// Gives the reply to its request; `false` when nobody waits for that id.
    pub(crate) fn settle(&self, id: u64, outcome: Outcome) -> bool {
        let mut slots = self.lock();
        let slot = slots.by_id.remove(&id);
        let listener = slot.as_ref().and_then(|slot| slot.whose.listener());
        if let (Some(listener), Outcome::Result(_)) = (listener.filter(|l| l.lasts), &outcome) {
            slots.outlast(id, listener);
        }
        let over = slots.orphans();
        drop(slots);
        questions::end(over);
        slot.is_some_and(|slot| slot.reply.send(outcome).is_ok())
    }

    /// How many requests wait for a reply.
    pub(crate) fn count(&self) -> usize {
        self.lock().by_id.len()
    }

    /// Whether anybody waits for that reply.
    pub(crate) fn waits(&self, id: u64) -> bool {
        self.lock().by_id.contains_key(&id)
    }

    /// Who listens to that request.
    pub(crate) fn listener(&self, id: u64) -> Option<Listener> {
        self.lock().by_id.get(&id).and_then(|slot| slot.whose.listener().cloned())
    }

    /// Who hears of the progress of that request, which may have become a task.
    pub(crate) fn progressing(&self, id: u64) -> Option<Listener> {
        let slots = self.lock();
        let listener = match slots.by_id.get(&id) {
            Some(slot) => slot.whose.listener(),
            None => slots.lasting.get(&id),
        };
        listener.cloned()
    }

    /// Who listens to the newest request of each client.
    pub(crate) fn each_client(&self) -> Vec<Listener> {
        let slots = self.lock();
        let mut newest: HashMap<u64, (u64, &Listener)> = HashMap::new();
        for (id, listener) in slots.callers().filter_map(|(id, listener)| Some((id, listener?))) {
            let known = newest.entry(listener.client).or_insert((id, listener));
            *known = if known.0 < id { (id, listener) } else { *known };
        }
        newest.into_values().map(|(_, listener)| listener.clone()).collect()
    }

    /// Who listens to that request of the gateway's own.
    pub(crate) fn listening(&self, id: u64) -> Option<Listener> {
        match &self.lock().by_id.get(&id)?.whose {
            Whose::Own(listener) => listener.clone(),
            Whose::Silent | Whose::Client(_) => None,
        }
    }

    /// The one request that waits for the result of that task.
    pub(crate) fn awaiting(&self, task: &str) -> Option<u64> {
        let slots = self.lock();
        let mut all =
            slots.callers().filter(|(_, listener)| listener.is_some_and(|l| l.task.as_deref() == Some(task)));
        all.next().filter(|_| all.next().is_none()).map(|(id, _)| id)
    }

    /// Whom a notification concerns that came on the stream of a request, or names none.
    pub(crate) fn concerned(&self, via: Option<u64>) -> Concerned {
        let slots = self.lock();
        let listener = match via.map(|id| slots.by_id.get(&id).map(|slot| &slot.whose)) {
            Some(Some(Whose::Own(None))) => return Concerned::All,
            Some(whose) => whose.and_then(Whose::listener),
            None if slots.callers().next().is_none() => return Concerned::All,
            None => slots.only().map(|(_, listener)| listener),
        };
        listener.map_or(Concerned::Nobody, |listener| Concerned::Client(listener.clone()))
    }

    /// The one request in flight; `None` when there are several. Those that wait for their client, or only
    /// listen, do not count.
    pub(crate) fn only_active(&self) -> Option<u64> {
        let slots = self.lock();
        let waits = |slot: &Slot| slot.whose.listener().is_some_and(|l| l.ear.waits());
        let mut active = slots.by_id.iter().filter(|(_, slot)| !waits(slot)).map(|(id, _)| *id);
        active.next().filter(|_| active.next().is_none())
    }

    /// Fails everything in flight with [`Gone`]; who stands by goes on.
    pub(crate) fn fail_all(&self) {
        let mut slots = self.lock();
        slots.questions.retain(|question| question.request == STANDING);
        let waiting = std::mem::take(&mut slots.by_id);
        drop(slots);
        drop(waiting);
    }

    /// Fails everything in flight and everything to come with [`Gone`].
    pub(crate) fn close(&self) {
        let mut slots = self.lock();
        slots.closed = true;
        let (standing, lasting) = (slots.standing.take(), std::mem::take(&mut slots.lasting));
        slots.questions.clear();
        drop(slots);
        drop(standing);
        lasting.into_values().for_each(|listener| listener.sink.end());
        self.fail_all();
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request in flight. Dropping it forgets the request: a late reply is dropped.
pub struct Pending {
    id: u64,
    receiver: oneshot::Receiver<Outcome>,
    table: Arc<Table>,
    done: bool,
}

impl Pending {
    /// The JSON-RPC id of the request.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Whether the reply or the end of the connection has been seen.
    pub fn is_done(&self) -> bool {
        self.done
    }
}

impl Future for Pending {
    type Output = Result<Outcome, Gone>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let reply = std::task::ready!(Pin::new(&mut self.receiver).poll(cx));
        self.done = true;
        Poll::Ready(reply.map_err(|_| Gone))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        let mut slots = self.table.lock();
        let slot = match self.id {
            STANDING => slots.standing.take(),
            id => slots.by_id.remove(&id),
        };
        let over = slots.orphans();
        drop(slots);
        drop(slot);
        questions::end(over);
    }
}

/// Spreads consecutive ids over a hash table; they come from our own counter, not from outside.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0 ^ u64::from(byte));
        }
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

#[cfg(test)]
mod tests;
