//! What a server wants to know, until it is answered or taken back, and the request that each question is put to.
//!
//! A server that names no request asks the newest of the one client that can be meant, so that request may end before the
//! one which the question is about: then another of the same client keeps the question open.

use super::{Listener, Means, STANDING, Slots, Table, Whose};
use crate::client::WeakClient;
use crate::inbox::OVER;
use crate::said::{Claim, Said};
use serde_json::value::RawValue;
use tokio::time::Instant;

/// A question that waits for its answer.
pub(super) struct Question {
    id: Box<RawValue>,
    /// The request that it was put to.
    pub(super) request: u64,
    /// Whether it may belong to any other request of the same client.
    free: bool,
    listener: Listener,
    claim: Claim,
    from: WeakClient,
}

/// Tells the servers of questions to which there will be no answer.
pub(super) fn end(over: Vec<Question>) {
    for question in over {
        if let Some(from) = question.from.upgrade() {
            from.answer(&question.id, OVER);
        }
    }
}

impl Slots {
    /// The request that takes over a question: the newest of its client that can, and rather one that does not wait for
    /// its client.
    fn heir(&self, question: &Question) -> Option<(u64, &Listener)> {
        let fits = |means| match question.claim.is_taken() {
            // The client knows of it, and may answer at any time.
            true => means == Means::Stream,
            false => means != Means::None,
        };
        let heirs = self.by_id.iter().filter_map(|(id, slot)| match &slot.whose {
            Whose::Client(other) => Some((*id, other)),
            Whose::Own(_) | Whose::Silent => None,
        });
        let mine = |(id, other): &(u64, &Listener)| {
            *id != question.request && other.client == question.listener.client && fits(other.means)
        };
        let heirs = heirs.filter(|heir| question.free && mine(heir));
        heirs.max_by_key(|(id, other)| (!other.ear.waits(), *id))
    }

    /// Whether a request is under way that a question may belong to.
    fn is_alive(&self, question: &Question) -> bool {
        self.slot(question.request).is_some() || self.heir(question).is_some()
    }

    /// Takes out what nobody will answer: its requests are over, and the client that was asked does not come back to one
    /// that works on it. Whoever does sees to the others.
    pub(super) fn orphans(&mut self) -> Vec<Question> {
        if self.questions.is_empty() {
            return Vec::new();
        }
        let all = std::mem::take(&mut self.questions);
        let over = |one: &Question| one.listener.ear.waits() && !self.is_alive(one) && one.claim.take();
        let (over, open) = all.into_iter().partition(over);
        self.questions = open;
        over
    }
}

impl Table {
    /// Who is asked a question of the server: who listens to the request on whose stream it came, else the
    /// one who can be meant, else who is asked what belongs to no request. It is remembered until it is answered or taken
    /// back.
    pub(crate) fn ask(&self, via: Option<u64>, said: &Said) -> Option<Listener> {
        let mut slots = self.lock();
        let request = slots.asked(via)?;
        let listener = slots.slot(request)?.whose.listener()?.clone();
        let (id, free) = (said.id.clone()?, via.is_none() && request != STANDING);
        let (claim, from) = (said.claim.clone(), said.from.downgrade());
        slots.questions.push(Question { id, request, free, listener: listener.clone(), claim, from });
        Some(listener)
    }

    /// Whether a question waits for an answer, and a request is under way that it may belong to.
    pub(crate) fn is_asked(&self, id: &str) -> bool {
        let slots = self.lock();
        slots.questions.iter().any(|question| question.id.get() == id && slots.is_alive(question))
    }

    /// Whether a question waits for an answer, also when its request is over.
    pub(crate) fn is_known(&self, id: &str) -> bool {
        self.lock().questions.iter().any(|question| question.id.get() == id)
    }

    /// A question waits no longer; who was asked it.
    pub(crate) fn forget(&self, id: &str) -> Option<Listener> {
        let mut slots = self.lock();
        let at = slots.questions.iter().position(|question| question.id.get() == id)?;
        let question = slots.questions.remove(at);
        slots.answered = Some(Instant::now());
        drop(slots);
        Some(question.listener)
    }

    /// Until when the server waited for an answer to a question: until now while it does.
    pub(crate) fn waited_until(&self) -> Option<Instant> {
        let slots = self.lock();
        let waits = slots.questions.iter().any(|question| slots.is_alive(question));
        if waits { Some(Instant::now()) } else { slots.answered }
    }

    /// Gives a question that its client was not asked to another request of that client.
    pub(crate) fn hand_on(&self, said: Box<Said>) -> Result<(), Box<Said>> {
        let mut slots = self.lock();
        match slots.bequeath(&said.claim) {
            // While the request is in flight, so that whoever works on it hears it.
            Some(heir) => heir.sink.offer(said),
            None => Err(said),
        }
    }

    /// The same for one that its client knows under that number. Whoever works on the other request hears it where the
    /// question has to be put again.
    pub(crate) fn pass_on(&self, claim: &Claim, number: u64, again: Option<Box<Said>>) -> bool {
        let mut slots = self.lock();
        let heir = slots.bequeath(claim);
        heir.is_some_and(|heir| {
            let heard = again.is_none_or(|again| heir.sink.offer(again).is_ok());
            if heard {
                heir.ear.hold(number);
            }
            heard
        })
    }

    /// Ends what was put to requests that are over and now wait for their clients.
    pub(crate) fn sweep(&self) {
        let over = self.lock().orphans();
        end(over);
    }
}

impl Slots {
    /// Notes that a question is another request's from now on; who listens there.
    fn bequeath(&mut self, claim: &Claim) -> Option<Listener> {
        let at = self.questions.iter().position(|question| question.claim.is(claim))?;
        let (request, listener) = self.heir(&self.questions[at]).map(|(id, heir)| (id, heir.clone()))?;
        let question = &mut self.questions[at];
        (question.request, question.listener) = (request, listener.clone());
        Some(listener)
    }
}
