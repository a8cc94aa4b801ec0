//! Which requests are traced, and where their spans go.

use crate::context::Context;
use crate::random;
use crate::span::{Kind, Record, Span};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tokio::sync::mpsc;

/// Spans that may wait to be taken.
const QUEUE: usize = 8192;

/// The most spans of one batch.
const BATCH: usize = 512;

/// How long a span waits for others.
const PATIENCE: Duration = Duration::from_secs(1);

/// Begins traces. Cheap to clone.
#[derive(Clone)]
pub struct Tracer {
    inner: Arc<Inner>,
    sample: f64,
}

pub(crate) struct Inner {
    queue: mpsc::Sender<Record>,
    counts: Arc<Counts>,
}

/// What became of spans.
#[derive(Debug, Default)]
pub struct Counts {
    /// They were handed over.
    pub exported: AtomicU64,
    /// They were lost because too many waited.
    pub dropped: AtomicU64,
    /// They were lost because whoever takes them did not.
    pub failed: AtomicU64,
}

/// The spans that have ended, in batches.
pub struct Spans {
    queue: mpsc::Receiver<Record>,
}

impl Inner {
    pub(crate) fn take(&self, record: Record) {
        if self.queue.try_send(record).is_err() {
            self.counts.dropped.fetch_add(1, Relaxed);
        }
    }
}

impl Tracer {
    /// A tracer that begins this part of all traces, 0 to 1, where the caller does not say, and its spans.
    pub fn new(sample: f64, counts: Arc<Counts>) -> (Self, Spans) {
        let (sender, queue) = mpsc::channel(QUEUE);
        (Self { inner: Arc::new(Inner { queue: sender, counts }), sample }, Spans { queue })
    }

    /// Begins the span of a request; `None` when it is not traced. What the caller says of it holds.
    pub fn begin(&self, incoming: Option<Context>, name: impl FnOnce() -> String) -> Option<Span> {
        let (trace, parent, state) = match incoming {
            Some(context) if context.is_sampled() => (context.trace, context.span, context.state),
            Some(_) => return None,
            None if random::chosen(self.sample) => (random::trace(), 0, None),
            None => return None,
        };
        Some(Span::new(Arc::clone(&self.inner), (trace, parent), state, name(), Kind::Server))
    }
}

impl Spans {
    /// The next spans, some of them at once; `None` when there is no tracer any more.
    pub async fn next(&mut self) -> Option<Vec<Record>> {
        let mut batch = vec![self.queue.recv().await?];
        let end = tokio::time::Instant::now() + PATIENCE;
        while batch.len() < BATCH {
            let room = BATCH - batch.len();
            match tokio::time::timeout_at(end, self.queue.recv_many(&mut batch, room)).await {
                Ok(1..) => {}
                Ok(0) | Err(_) => break,
            }
        }
        Some(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Within, child, current, inherit, past};
    use std::time::Instant;

    fn tracer(sample: f64) -> (Tracer, Spans, Arc<Counts>) {
        let counts = Arc::<Counts>::default();
        let (tracer, spans) = Tracer::new(sample, Arc::clone(&counts));
        (tracer, spans, counts)
    }

    fn named<'a>(spans: &'a [Record], name: &str) -> &'a Record {
        spans.iter().find(|span| span.name == name).expect("a span of that name")
    }

    #[tokio::test(start_paused = true)]
    async fn spans_stand_below_the_one_they_work_for_across_tasks() {
        let (tracer, mut spans, _) = tracer(1.0);
        let root = tracer.begin(None, || "root".into()).expect("it is traced");
        let work = async {
            let inner = child(|| "inner".into(), Kind::Client).expect("it is traced");
            let told = inner.within(async { current().expect("a context") }).await;
            assert_eq!(*told, inner.context());
            tokio::spawn(inherit(async {
                tokio::task::yield_now().await;
                past(|| "spawned".into(), Instant::now(), Duration::from_millis(3), |span| span.fail("WHY"));
            }))
            .await
            .expect("it ends");
        };
        root.within(work).await;
        assert!(current().is_none());
        let id = root.context();
        drop(root);
        let batch = spans.next().await.expect("spans");
        assert_eq!(batch.len(), 3);
        let root = named(&batch, "root");
        assert_eq!((root.trace, root.id, root.parent), (id.trace, id.span, 0));
        for name in ["inner", "spawned"] {
            assert_eq!((named(&batch, name).trace, named(&batch, name).parent), (id.trace, id.span));
        }
        assert_eq!(named(&batch, "spawned").took, Duration::from_millis(3));
        assert_eq!(named(&batch, "spawned").error.as_deref(), Some("WHY"));
    }

    #[tokio::test]
    async fn what_the_caller_says_of_tracing_holds() {
        let context =
            |sampled| Context { trace: 7, span: 8, flags: u8::from(sampled), state: Some("a=b".into()) };
        let (always, ..) = tracer(1.0);
        let (never, ..) = tracer(0.0);
        assert!(always.begin(Some(context(false)), String::new).is_none());
        assert!(never.begin(None, String::new).is_none());
        let span = never.begin(Some(context(true)), String::new).expect("it is traced");
        assert_eq!((span.context().trace, span.context().state.as_deref()), (7, Some("a=b")));
        assert!(Within::of(None, async { child(String::new, Kind::Internal) }).await.is_none());
    }

    #[tokio::test]
    async fn spans_beyond_the_queue_are_counted_and_lost() {
        let (tracer, mut spans, counts) = tracer(1.0);
        for _ in 0..QUEUE + 5 {
            drop(tracer.begin(None, String::new));
        }
        assert_eq!(counts.dropped.load(Relaxed), 5);
        assert_eq!(spans.next().await.expect("spans").len(), BATCH);
        drop(tracer);
        let mut left = QUEUE - BATCH;
        while let Some(batch) = spans.next().await {
            left -= batch.len();
        }
        assert_eq!(left, 0);
    }

    #[tokio::test]
    async fn a_panic_leaves_no_span_behind() {
        let (tracer, ..) = tracer(1.0);
        let root = tracer.begin(None, String::new).expect("it is traced");
        let work = Box::pin(root.within(async { panic!("on purpose") }));
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut work = work;
            let _ = work.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop()));
        }));
        assert!(caught.is_err() && current().is_none());
    }
}
