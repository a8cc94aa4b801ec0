//! Something a server says by itself. A question among it is answered once, whatever becomes of it.

use crate::client::Client;
use crate::inbox::OVER;
use serde_json::value::RawValue;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Something a server says by itself. A question that is dropped goes to another request of the same client that it may
/// belong to; where there is none, its server is told.
#[derive(Debug)]
pub struct Said {
    /// The connection it came over, to answer on.
    pub from: Client,
    /// The id, when the server wants an answer.
    pub id: Option<Box<RawValue>>,
    /// The method.
    pub method: String,
    /// Its parameters, as they were written.
    pub params: Option<Box<RawValue>>,
    /// Whether it belongs to no request, so that whoever listens for such things hears it too.
    pub apart: bool,
    /// Who sees to the answer.
    pub claim: Claim,
    /// The number of a question that its client was asked and did not hear, in place of anything new.
    pub again: Option<u64>,
}

/// The right to answer one question. Clones are about the same one.
#[derive(Clone, Debug, Default)]
pub struct Claim(Arc<AtomicBool>);

impl Claim {
    /// Takes it; `false` where somebody has it.
    pub(crate) fn take(&self) -> bool {
        !self.0.swap(true, Relaxed)
    }

    pub(crate) fn is_taken(&self) -> bool {
        self.0.load(Relaxed)
    }

    /// Whether both are about the same question.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Said {
    /// That the question which its client knows under that number has to be put to it again.
    pub(crate) fn again(from: Client, number: u64) -> Self {
        let (method, claim) = (String::new(), Claim::default());
        Self { from, id: None, method, params: None, apart: false, claim, again: Some(number) }
    }

    /// Whether it is a question that still waits for an answer: its server has not taken it back, and a request that it
    /// may belong to is under way.
    pub fn is_open(&self) -> bool {
        !self.claim.is_taken() && self.id.as_ref().is_some_and(|id| self.from.is_asked(id))
    }

    /// The id of a question for whoever sees to the answer from now on; `None` where somebody else does.
    pub fn take(&mut self) -> Option<Box<RawValue>> {
        self.id.take_if(|_| self.claim.take())
    }

    /// Answers a question; whether nobody else has. `body` is the `result` or `error` member, with its name.
    pub fn answer(&mut self, body: &str) -> bool {
        self.take().is_some_and(|id| {
            self.from.answer(&id, body);
            true
        })
    }

    /// Gives a question to another request of the same client that it may belong to; it comes back where there is none.
    pub fn hand_on(self: Box<Self>) -> Result<(), Box<Self>> {
        let from = self.from.clone();
        from.hand_on(self)
    }
}

impl Drop for Said {
    fn drop(&mut self) {
        if self.claim.is_taken() || self.id.is_none() {
            return;
        }
        let (from, claim) = (self.from.clone(), self.claim.clone());
        let (id, method, params) = (self.id.take(), std::mem::take(&mut self.method), self.params.take());
        let said =
            Box::new(Self { from: from.clone(), id, method, params, apart: self.apart, claim, again: None });
        if let Err(mut said) = from.hand_on(said)
            && let Some(id) = said.take()
            && from.is_known(&id)
        {
            from.answer(&id, OVER);
        }
    }
}
