//! The span that the running code works for. It follows a future from poll to poll, whatever thread that is on.

use crate::context::Context;
use crate::span::{Kind, Span};
use crate::tracer::Inner;
use std::cell::RefCell;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

/// The span that new ones stand below.
#[derive(Clone)]
pub(crate) struct Parent {
    /// Who takes new spans; nobody where the context is only handed on.
    pub(crate) tracer: Option<Arc<Inner>>,
    pub(crate) context: Arc<Context>,
}

thread_local! {
    static CURRENT: RefCell<Option<Parent>> = const { RefCell::new(None) };
}

/// The context of the current span, or the one that is only handed on, for whoever is asked to work for it.
pub fn current() -> Option<Arc<Context>> {
    CURRENT.with_borrow(|current| current.as_ref().map(|parent| Arc::clone(&parent.context)))
}

/// Whether there is a current span.
pub fn is_traced() -> bool {
    CURRENT.with_borrow(|current| current.as_ref().is_some_and(|parent| parent.tracer.is_some()))
}

/// Begins a span below the current one; `None` when nothing is traced here.
pub fn child(name: impl FnOnce() -> String, kind: Kind) -> Option<Span> {
    let Parent { tracer, context } = CURRENT.with_borrow(Clone::clone)?;
    Some(Span::new(tracer?, (context.trace, context.span), context.state.clone(), name(), kind))
}

/// Adds a span below the current one that has ended already. `more` adds facts.
pub fn past(name: impl FnOnce() -> String, began: Instant, took: Duration, more: impl FnOnce(&mut Span)) {
    if let Some(mut span) = child(name, Kind::Internal) {
        more(&mut span);
        span.end_at(began, took);
    }
}

/// Lets a future work for the span that is current now, on whatever task it is run.
pub fn inherit<F: Future>(work: F) -> Within<F> {
    Within::new(CURRENT.with_borrow(Clone::clone), work)
}

pin_project_lite::pin_project! {
    /// A future that works for a span.
    pub struct Within<F> {
        parent: Option<Parent>,
        #[pin]
        work: F,
    }
}

impl<F: Future> Within<F> {
    pub(crate) fn new(parent: Option<Parent>, work: F) -> Self {
        Self { parent, work }
    }

    /// A future that works for a span where there is one, and for whatever is current where there is none.
    pub fn of(span: Option<&Span>, work: F) -> Self {
        Self::new(span.map(Span::parent), work)
    }

    /// A future that hands on the context of somebody else's span, where there is one, and adds none.
    pub fn carrying(context: Option<&Arc<Context>>, work: F) -> Self {
        Self::new(context.map(|context| Parent { tracer: None, context: Arc::clone(context) }), work)
    }
}

impl<F: Future> Future for Within<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, task: &mut std::task::Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        match this.parent {
            None => this.work.poll(task),
            Some(parent) => {
                let _back = parent.clone().enter();
                this.work.poll(task)
            }
        }
    }
}

impl Parent {
    /// Makes it the current one until what is given back is dropped.
    pub(crate) fn enter(self) -> Back {
        Back(CURRENT.replace(Some(self)))
    }
}

/// Puts back the span that was current before, also when the work panics.
pub(crate) struct Back(Option<Parent>);

impl Drop for Back {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}
