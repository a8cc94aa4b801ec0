//! The queue of the audit log and the task that empties it into the store.

use super::fold::{Folds, Refusal};
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::{AuditBatch, AuditBody, AuditLines, Outage, Store};
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

/// Entries that may wait to be written.
const QUEUE: usize = 16_384;

/// How long an entry may wait for others to be written with.
const WAIT: Duration = Duration::from_millis(100);

/// Entries that are not worth another thread.
const FEW: usize = 16;

/// How long to wait after a store that fails.
const PAUSE: Duration = Duration::from_secs(1);

/// How often old entries are looked for.
const TRIM: Duration = Duration::from_secs(3600);

const DAY: u64 = 86_400_000;

/// What the writer and those who add share.
pub(super) struct Shared {
    pub(super) store: Store,
    days: AtomicU64,
    queue: Mutex<Queue>,
    folds: Folds,
    some: Notify,
    now: Notify,
}

/// Whoever holds the other end goes on when this is dropped.
type Asking = oneshot::Sender<Infallible>;

#[derive(Default)]
struct Queue {
    batch: AuditBatch,
    /// How many did not fit.
    lost: u64,
    /// Those who want to know when all this is written, or that it cannot be now.
    asking: Vec<Asking>,
    closed: bool,
}

impl Shared {
    pub(super) fn new(store: Store, days: u64) -> Self {
        let (some, now) = (Notify::new(), Notify::new());
        Self {
            store,
            days: AtomicU64::new(days),
            queue: Mutex::default(),
            folds: Folds::default(),
            some,
            now,
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Every change is a push or a swap, so a poisoned lock is still good.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_days(&self, days: u64) {
        self.days.store(days, Relaxed);
    }

    /// Adds an entry without waiting.
    pub(super) fn add(
        &self,
        at: i64,
        kind: &str,
        who: &str,
        subject: &[&str],
        body: impl FnOnce(&mut AuditBody<'_>),
    ) {
        let (first, lost) = {
            let mut queue = self.queue();
            if queue.batch.len() >= QUEUE || queue.closed {
                queue.lost += 1;
                (false, queue.lost)
            } else {
                queue.batch.add(at, kind, who, subject, body);
                (queue.batch.len() == 1, 0)
            }
        };
        if first {
            self.some.notify_one();
        }
        // Under a flood one line for each doubling is enough.
        if lost.is_power_of_two() {
            tracing::error!(lost, "the audit log cannot keep up; some entries are not recorded");
        }
    }

    /// Adds a refusal, which becomes an entry within a second, together with others of the same kind.
    pub(super) fn refuse(&self, refusal: &Refusal<'_>, subject: impl FnOnce() -> String) {
        if self.folds.add(refusal, subject) {
            self.some.notify_one();
        }
    }

    pub(super) fn close(&self) {
        self.queue().closed = true;
        self.some.notify_one();
        self.now.notify_one();
    }

    /// Waits until what was added before can be read from the store, or the store fails: whoever reads it then hears so.
    pub(super) async fn flush(&self) {
        let (asked, answer) = oneshot::channel();
        {
            let mut queue = self.queue();
            if queue.closed {
                return;
            }
            queue.asking.push(asked);
        }
        self.some.notify_one();
        self.now.notify_one();
        let _ = answer.await;
    }
}

/// The task.
pub(super) struct Writer {
    shared: Arc<Shared>,
    next_trim: Instant,
    /// The room of what was written last.
    spare: AuditBatch,
}

impl Writer {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, next_trim: Instant::now(), spare: AuditBatch::default() }
    }

    pub(super) async fn run(mut self) {
        loop {
            self.some().await;
            let _ = tokio::time::timeout(WAIT, self.shared.now.notified()).await;
            let (batch, mut asking, closed) = {
                let mut queue = self.shared.queue();
                if queue.lost > 0 {
                    let body = json!({"entries": queue.lost}).to_string();
                    queue.batch.add(crate::hooks::now(), "lost", "", &[], |text| text.push(&body));
                    queue.lost = 0;
                }
                let due = self.shared.folds.due().is_some_and(|due| due <= Instant::now());
                if due || queue.closed || !queue.asking.is_empty() {
                    queue.batch.extend(self.shared.folds.take());
                }
                let batch = std::mem::replace(&mut queue.batch, std::mem::take(&mut self.spare));
                (batch, std::mem::take(&mut queue.asking), queue.closed)
            };
            self.write(completed(batch).await, &mut asking).await;
            drop(asking);
            if closed {
                return;
            }
        }
    }

    /// Waits until there is something to write.
    async fn some(&self) {
        let some = self.shared.some.notified();
        match self.shared.folds.due() {
            None => some.await,
            // Either way there is a look.
            Some(due) => drop(tokio::time::timeout_at(due, some).await),
        }
    }

    /// Writes a batch, however long that takes; those who ask do not wait for a store that fails.
    async fn write(&mut self, batch: AuditLines, asking: &mut Vec<Asking>) {
        let batch = Arc::new(batch);
        let mut outage = Outage::default();
        while !batch.is_empty() {
            match self.shared.store.audit().append_all(Arc::clone(&batch)).await {
                Ok(()) => {
                    outage.over("the audit log is written again");
                    break;
                }
                Err(error) => {
                    outage.failed(&error, "the audit log could not be written");
                    asking.clear();
                    let closed = {
                        let mut queue = self.shared.queue();
                        queue.asking.clear();
                        queue.closed
                    };
                    // Nobody waits for a store that is away in order to stop.
                    if closed || matches!(error, store::Error::Closed) {
                        return;
                    }
                    // Whoever asks meanwhile hears at once how it stands now.
                    let _ = tokio::time::timeout(PAUSE, self.shared.now.notified()).await;
                }
            }
        }
        self.spare = Arc::into_inner(batch).map(AuditLines::clear).unwrap_or_default();
        if Instant::now() >= self.next_trim {
            self.next_trim = Instant::now() + TRIM;
            let age = self.shared.days.load(Relaxed).saturating_mul(DAY);
            let before = crate::hooks::now().saturating_sub(i64::try_from(age).unwrap_or(i64::MAX));
            if let Err(error) = self.shared.store.audit().trim(before).await {
                tracing::warn!(reason = %error, "old audit entries could not be forgotten");
            }
        }
    }
}

/// The entries with their digests, which are made where nobody waits for them.
async fn completed(batch: AuditBatch) -> AuditLines {
    if batch.len() < FEW {
        return batch.complete();
    }
    match tokio::task::spawn_blocking(|| batch.complete()).await {
        Ok(lines) => lines,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::{AuditEntry, Location};

    fn add(shared: &Shared, at: i64, n: usize) {
        shared.add(at, "call", "a", &[&n.to_string()], |body| body.push("{}"));
    }

    #[tokio::test]
    async fn what_was_added_is_written_in_order_and_what_did_not_fit_is_counted() {
        let store = store::open(&Location::Memory).await.expect("opened");
        let shared = Arc::new(Shared::new(store.clone(), 1));
        (0..QUEUE + 3).for_each(|n| add(&shared, crate::hooks::now(), n));
        let writing = tokio::spawn(Writer::new(shared.clone()).run());
        shared.flush().await;
        let entries = store.audit().after(0, usize::MAX).await.expect("the log");
        assert_eq!(entries.len(), QUEUE + 1);
        assert!(
            entries.iter().take(QUEUE).enumerate().all(|(n, entry)| entry.draft.subject == n.to_string())
        );
        assert_eq!(entries[QUEUE].draft.kind, "lost");
        assert_eq!(entries[QUEUE].draft.body, r#"{"entries":3}"#);
        assert!(entries.iter().all(AuditEntry::is_sound));
        add(&shared, crate::hooks::now(), 7);
        shared.close();
        writing.await.expect("it ends");
        assert_eq!(store.audit().end().await.expect("the end").0, QUEUE as u64 + 2);
    }

    #[tokio::test]
    async fn refusals_become_an_entry_after_a_second_without_being_asked_for() {
        let store = store::open(&Location::Memory).await.expect("opened");
        let shared = Arc::new(Shared::new(store.clone(), 1));
        tokio::spawn(Writer::new(shared.clone()).run());
        let (kind, who, method) = ("call", "a", "tools/call");
        let refusal =
            Refusal { kind, who, source: None, method, code: model::Code::RateLimited, status: None };
        (0..5).for_each(|_| shared.refuse(&refusal, || "s/t".into()));
        let entries = loop {
            let entries = store.audit().after(0, 10).await.expect("the log");
            if !entries.is_empty() {
                break entries;
            }
            tokio::time::sleep(WAIT).await;
        };
        assert_eq!(entries.len(), 1);
        assert!(entries[0].draft.body.contains(r#""count":5"#), "{}", entries[0].draft.body);
    }

    #[tokio::test]
    async fn old_entries_are_forgotten() {
        let store = store::open(&Location::Memory).await.expect("opened");
        let shared = Arc::new(Shared::new(store.clone(), 1));
        add(&shared, 0, 1);
        add(&shared, crate::hooks::now(), 2);
        tokio::spawn(Writer::new(shared.clone()).run());
        shared.flush().await;
        let entries = store.audit().after(0, 10).await.expect("the log");
        let shown = entries.iter().map(|entry| (entry.number, &*entry.draft.kind));
        assert_eq!(shown.collect::<Vec<_>>(), [(2, "call"), (3, "trim")]);
    }
}
