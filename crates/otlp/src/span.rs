//! One stretch of work.

use crate::context::{Context, SAMPLED};
use crate::current::{Parent, Within};
use crate::random;
use crate::tracer::Inner;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Which side of a request a span stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Work inside the gateway.
    Internal = 1,
    /// A request that was taken.
    Server = 2,
    /// A request that was made.
    Client = 3,
}

/// A fact about a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A text.
    Text(String),
    /// A number.
    Number(i64),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

/// A span that has ended.
#[derive(Clone, Debug)]
pub struct Record {
    pub(crate) trace: u128,
    pub(crate) id: u64,
    /// 0 for the first of a trace.
    pub(crate) parent: u64,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) began: Instant,
    pub(crate) took: Duration,
    pub(crate) attributes: Vec<(&'static str, Value)>,
    pub(crate) error: Option<String>,
    pub(crate) state: Option<Arc<str>>,
}

/// A stretch of work that is under way. It ends when it is dropped.
pub struct Span {
    tracer: Arc<Inner>,
    /// Taken at the end.
    record: Option<Box<Record>>,
}

impl Span {
    pub(crate) fn new(
        tracer: Arc<Inner>,
        (trace, parent): (u128, u64),
        state: Option<Arc<str>>,
        name: String,
        kind: Kind,
    ) -> Self {
        let record = Record {
            trace,
            id: random::span(),
            parent,
            name,
            kind,
            began: Instant::now(),
            took: Duration::ZERO,
            attributes: Vec::new(),
            error: None,
            state,
        };
        Self { tracer, record: Some(Box::new(record)) }
    }

    /// Adds a fact. Never an input, a result or a secret.
    pub fn set(&mut self, name: &'static str, value: impl Into<Value>) {
        if let Some(record) = &mut self.record {
            record.attributes.push((name, value.into()));
        }
    }

    /// Gives it another name, for what is known only now.
    pub fn rename(&mut self, name: String) {
        if let Some(record) = &mut self.record {
            record.name = name;
        }
    }

    /// Says that it failed, with a word that tells why.
    pub fn fail(&mut self, word: &str) {
        if let Some(record) = &mut self.record {
            record.attributes.push(("error.type", word.into()));
            record.error = Some(word.to_owned());
        }
    }

    /// What others are told who work for this span.
    pub fn context(&self) -> Context {
        let record = self.record.as_ref();
        let (trace, span) = record.map_or((0, 0), |record| (record.trace, record.id));
        Context { trace, span, flags: SAMPLED, state: record.and_then(|record| record.state.clone()) }
    }

    pub(crate) fn parent(&self) -> Parent {
        Parent { tracer: Some(Arc::clone(&self.tracer)), context: Arc::new(self.context()) }
    }

    /// Makes it the current span of a future.
    pub fn within<F: Future>(&self, work: F) -> Within<F> {
        Within::new(Some(self.parent()), work)
    }

    /// Does something with it as the current span.
    pub fn scope<T>(&self, work: impl FnOnce() -> T) -> T {
        let _back = self.parent().enter();
        work()
    }

    pub(crate) fn end_at(mut self, began: Instant, took: Duration) {
        if let Some(mut record) = self.record.take() {
            (record.began, record.took) = (began, took);
            self.tracer.take(*record);
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if let Some(mut record) = self.record.take() {
            record.took = record.began.elapsed();
            self.tracer.take(*record);
        }
    }
}
