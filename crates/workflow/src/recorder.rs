//! Writes runs to the store, in batches and off the road of a call.
//!
//! A call never waits for it: what does not fit into the queue is dropped and counted. Under a flood runs wait
//! longer, and those that would be forgotten again before anybody could read them are not written at all. Whoever
//! reads runs sees those that are still on their way, and those that still run.
//!
//! A run that takes long is written while it is under way, and again now and then: what the store has of it is not
//! renewed any more when the process is gone, and then it is shown as broken off.

mod backlog;
mod gone;
mod queue;

use crate::record::{Mask, Run};
use backlog::Backlog;
use model::RunId;
use queue::{Queue, Queued};
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::{Store, StoredRun};
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

/// Bytes that may wait to be written, and with how many the queue is written at once. Runs of the usual size are more
/// than are kept before they are so many, so that most of a flood is never written.
const BYTES: usize = 48 << 20;
const FULL: usize = BYTES / 8 * 7;

/// How long a run may wait for others to be written with; when so many came meanwhile that it is a flood; and when
/// those that came first will not be kept.
const WAIT: Duration = Duration::from_millis(50);
const FLOOD_WAIT: Duration = Duration::from_secs(1);
const FLOOD: usize = 128;
const SURPLUS_WAIT: Duration = Duration::from_secs(4);

/// How long a run lasts before it is written while it is under way, and how often it is written again. Whoever reads
/// takes it for gone after [`gone::SILENCE`].
const LONG: Duration = Duration::from_secs(1);
const AGAIN: Duration = Duration::from_secs(20);

/// Runs that are written in one go.
const BATCH: usize = 1024;

/// How often old runs are looked for, in runs and in time.
const TRIM_RUNS: usize = 2048;
const TRIM_TIME: Duration = Duration::from_secs(60);

/// How a [`Recorder`] works.
pub struct Options {
    /// Where runs are kept.
    pub store: Store,
    /// How many runs are kept, and for how long, to begin with.
    pub limits: Limits,
    /// Hides secrets in requests and replies.
    pub mask: Option<Mask>,
}

/// What is kept of all runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most runs kept.
    pub most: u64,
    /// How long a run is kept at most.
    pub age: Duration,
}

impl Limits {
    fn most(self) -> usize {
        usize::try_from(self.most).unwrap_or(usize::MAX)
    }
}

/// The part that writes.
pub struct Recorder {
    shared: Arc<Shared>,
    /// What the store did not take.
    backlog: Backlog,
    since_trim: usize,
    next_trim: Instant,
}

/// A cheap way to the recorder.
#[derive(Clone)]
pub struct Handle {
    shared: Arc<Shared>,
}

struct Shared {
    store: Store,
    mask: Option<Mask>,
    limits: Mutex<Limits>,
    dropped: AtomicU64,
    /// The runs that have not ended.
    live: Mutex<BTreeMap<RunId, Live>>,
    /// When this recorder was made, in milliseconds since 1970.
    made_at: i64,
    /// Whether nobody else writes to the store.
    alone: AtomicBool,
    queue: Mutex<Queue>,
    /// Something is in the queue. Runs that follow wake nobody: a wake costs more than the run itself.
    some: Notify,
    /// The queue is to be written now.
    now: Notify,
}

/// A run that has not ended, and how old it was when it was written last.
struct Live {
    run: Run,
    written: Option<u64>,
}

impl Shared {
    fn live(&self) -> MutexGuard<'_, BTreeMap<RunId, Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn limits(&self) -> MutexGuard<'_, Limits> {
        self.limits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Every change is a push or a swap, so a poisoned lock is still good.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recorder {
    /// A recorder, and the way to it.
    pub fn new(options: Options) -> (Self, Handle) {
        let Options { store, limits, mask } = options;
        let shared = Arc::new(Shared {
            store,
            mask,
            limits: Mutex::new(limits),
            dropped: AtomicU64::new(0),
            live: Mutex::default(),
            made_at: gone::now(),
            alone: AtomicBool::new(false),
            queue: Mutex::new(Queue::new(limits.most())),
            some: Notify::new(),
            now: Notify::new(),
        });
        let handle = Handle { shared: Arc::clone(&shared) };
        (Self { shared, backlog: Backlog::default(), since_trim: 0, next_trim: Instant::now() }, handle)
    }

    /// Writes until `shutdown`, and then what is still in the queue.
    pub async fn run(mut self, shutdown: impl Future<Output = ()>) {
        tokio::pin!(shutdown);
        let shared = Arc::clone(&self.shared);
        let next = async || {
            shared.some.notified().await;
            let waited = tokio::time::timeout(WAIT, shared.now.notified()).await;
            if waited.is_err() && shared.queue().len() > FLOOD {
                let waited = tokio::time::timeout(FLOOD_WAIT, shared.now.notified()).await;
                if waited.is_err() && shared.queue().has_surplus() {
                    let _ = tokio::time::timeout(SURPLUS_WAIT, shared.now.notified()).await;
                }
            }
        };
        let handle = Handle { shared: Arc::clone(&self.shared) };
        let looks = async {
            loop {
                tokio::time::sleep(LONG).await;
                handle.queue_long();
            }
        };
        tokio::pin!(looks);
        let mut open = true;
        while open {
            tokio::select! {
                () = &mut shutdown => open = false,
                () = next() => {}
                () = &mut looks => {}
                () = tokio::time::sleep_until(self.backlog.again()), if !self.backlog.is_empty() => {}
            }
            let Queue { asking, trim, runs, .. } = self.shared.queue().take(open);
            if !open || !asking.is_empty() || self.backlog.again() <= Instant::now() {
                self.write_backlog().await;
            }
            self.write(runs).await;
            // Whoever reads finds no more than are kept.
            if trim || (!asking.is_empty() && self.since_trim > 0) {
                self.trim().await;
            }
            for asked in asking {
                // Nobody may be waiting any more.
                let _ = asked.send(());
            }
        }
        if self.since_trim > 0 {
            self.trim().await;
        }
        let lost = std::mem::take(&mut self.backlog).batch().len();
        if lost > 0 {
            tracing::error!(runs = lost, "the store takes no runs, and those that waited for it are lost");
        }
    }

    async fn write(&mut self, runs: Queued) {
        // A run that is here twice is written once, as it is now.
        let (texts, mut runs) = runs.sorted();
        self.since_trim += runs.len();
        let texts = Arc::new(texts);
        while !runs.is_empty() {
            let next = runs.keys().nth(BATCH).copied();
            let rest = next.map(|next| runs.split_off(&next)).unwrap_or_default();
            let (some, texts, mask) =
                (std::mem::replace(&mut runs, rest), Arc::clone(&texts), self.shared.mask);
            // A thread of its own: those that carry calls are not held up by the writing of many texts.
            let stored = tokio::task::spawn_blocking(move || {
                some.into_iter().map(|(id, one)| one.stored(id, &texts, mask)).collect()
            });
            match stored.await {
                // What waits goes first: a record takes the place of an older one of the same run.
                Ok(stored) if !self.backlog.is_empty() => self.put_off(stored),
                Ok(stored) => _ = self.keep(Arc::new(stored)).await,
                Err(error) => tracing::error!(reason = %error, "runs could not be written down"),
            }
        }
        if self.since_trim >= TRIM_RUNS || (self.since_trim > 0 && Instant::now() >= self.next_trim) {
            self.trim().await;
        }
    }

    async fn trim(&mut self) {
        self.since_trim = 0;
        self.next_trim = Instant::now() + TRIM_TIME;
        let Limits { most, age } = *self.shared.limits();
        let before = gone::now().saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX));
        if let Err(error) = self.shared.store.runs().trim(most, before).await {
            tracing::warn!(reason = %error, "old runs could not be forgotten");
        }
    }
}

impl Handle {
    /// A run has begun.
    pub(crate) fn begun(&self, run: &Run) {
        self.shared.live().insert(run.id(), Live { run: run.clone(), written: None });
    }

    /// This process is the only one that uses the store: whatever is under way there was left by one that is gone.
    pub fn alone(&self) {
        self.shared.alone.store(true, Ordering::Relaxed);
    }

    /// Has the runs written that are under way for long.
    fn queue_long(&self) {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let mut long = Vec::new();
        for live in self.shared.live().values_mut() {
            let age = live.run.now();
            // The oldest come first.
            if age < micros(LONG) {
                break;
            }
            if live.written.is_none_or(|written| age - written >= micros(AGAIN)) {
                live.written = Some(age);
                long.push(live.run.clone());
            }
        }
        long.iter().for_each(|run| self.queue(run));
    }

    /// A run has ended and is to be kept.
    pub(crate) fn ended(&self, run: &Run) {
        run.follow(self);
        // Queued before it leaves the list, so that a reader finds it in one of the two.
        self.queue(run);
        self.shared.live().remove(&run.id());
    }

    fn drop_one(&self) {
        let dropped = self.shared.dropped.fetch_add(1, Ordering::Relaxed) + 1;
        // Under a flood one line for each doubling is enough.
        if dropped.is_power_of_two() {
            tracing::warn!(dropped, "runs come faster than they are kept; some are dropped");
        }
    }

    pub(crate) fn queue(&self, run: &Run) {
        let (kept, first, full) = {
            let mut queue = self.shared.queue();
            let first = queue.len() == 0;
            (queue.push(run), first, queue.bytes() > FULL)
        };
        if !kept {
            return self.drop_one();
        }
        if first {
            self.shared.some.notify_one();
        }
        if full {
            self.shared.now.notify_one();
        }
    }

    /// The runs that are under way for this long, the newest first, at most so many. Whoever asks pays for it; runs
    /// do not know.
    pub fn running(&self, age: Duration, most: usize) -> Vec<Run> {
        let age = u64::try_from(age.as_micros()).unwrap_or(u64::MAX);
        let live = self.shared.live();
        let old = live.values().rev().map(|live| &live.run).filter(|run| run.now() >= age);
        old.take(most).cloned().collect()
    }

    /// Other limits from now on. What is beyond them goes soon.
    pub fn limit(&self, limits: Limits) {
        if std::mem::replace(&mut *self.shared.limits(), limits) != limits {
            {
                let mut queue = self.shared.queue();
                (queue.trim, queue.most) = (true, limits.most());
            }
            self.shared.some.notify_one();
            self.shared.now.notify_one();
        }
    }

    /// How many runs were not kept, ever.
    pub fn dropped(&self) -> u64 {
        self.shared.dropped.load(Ordering::Relaxed)
    }

    /// The record of a run as JSON text, secrets hidden.
    pub fn json(&self, run: &Run) -> String {
        run.to_json(self.shared.mask)
    }

    /// Waits until what was recorded before can be read from the store.
    pub async fn flush(&self) {
        let (asked, answer) = oneshot::channel();
        {
            let mut queue = self.shared.queue();
            if queue.closed {
                return;
            }
            queue.asking.push(asked);
        }
        self.shared.some.notify_one();
        self.shared.now.notify_one();
        let _ = answer.await;
    }

    /// At most `limit` records as JSON text, of one workflow or of all, newest first, without the newest
    /// `offset`. Runs that have not ended are among them.
    pub async fn list(
        &self,
        workflow: Option<&str>,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<String>, store::Error> {
        // Those that are written are found in the store.
        let live = self.unwritten(workflow);
        let mut found: Vec<String> = live.iter().skip(offset).take(limit).map(|run| self.json(run)).collect();
        self.flush().await;
        let (limit, offset) = (limit - found.len(), offset.saturating_sub(live.len()));
        let stored = self.shared.store.runs().list(workflow, limit, offset).await?;
        // One that was written meanwhile is in both.
        let new = stored.into_iter().filter(|run| !live.iter().any(|known| known.id() == run.id));
        found.extend(new.map(|run| self.as_it_is(run)));
        Ok(found)
    }

    /// How many records there are, of one workflow or of all, runs that have not ended included.
    pub async fn count(&self, workflow: Option<&str>) -> Result<u64, store::Error> {
        self.flush().await;
        let live = self.unwritten(workflow).len() as u64;
        Ok(self.shared.store.runs().count(workflow).await? + live)
    }

    /// The record of that run as JSON text.
    pub async fn get(&self, id: RunId) -> Result<Option<String>, store::Error> {
        if let Some(run) = self.live(id) {
            return Ok(Some(self.json(&run)));
        }
        self.flush().await;
        Ok(self.shared.store.runs().get(id).await?.map(|run| self.as_it_is(run)))
    }

    /// The runs that have not ended and were not written yet, the newest first.
    fn unwritten(&self, workflow: Option<&str>) -> Vec<Run> {
        let live = self.shared.live();
        let new = live.values().rev().filter(|live| live.written.is_none()).map(|live| &live.run);
        new.filter(|run| workflow.is_none_or(|id| run.graph().workflow() == id)).cloned().collect()
    }

    fn live(&self, id: RunId) -> Option<Run> {
        self.shared.live().get(&id).map(|live| live.run.clone())
    }

    /// What is known now of a run that was written.
    fn as_it_is(&self, run: StoredRun) -> String {
        match self.live(run.id) {
            Some(run) => self.json(&run),
            None => {
                let alone = self.shared.alone.load(Ordering::Relaxed).then_some(self.shared.made_at);
                gone::marked(run.record, gone::now(), alone)
            }
        }
    }
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("recorder::Handle")
    }
}

#[cfg(test)]
mod tests;
