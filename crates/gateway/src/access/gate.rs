//! How many may pass: a token bucket without a lock, and room for so many at a time with a bounded queue.

use super::grants::{Grants, Spent};
use model::access::{Bounds, Rate};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use store::{Flow, Store};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long anybody waits in a queue; less where the time of a call is shorter.
pub(super) const WAIT_MAX: Duration = Duration::from_secs(30);

/// Why somebody may not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    /// Too many in a second; one may try again after that time.
    Rate(Duration),
    /// Too many at a time, and the queue is full or did not move.
    Full,
}

/// Bounds in force.
pub(crate) struct Gate {
    bucket: Option<Bucket>,
    room: Option<Room>,
}

/// The room of somebody who has passed; dropping it makes room for the next.
pub(crate) type Stay = OwnedSemaphorePermit;

impl Gate {
    /// A gate with these bounds; `None` when nothing is bounded.
    pub(crate) fn new(bounds: &Bounds) -> Option<Self> {
        let bucket = Bucket::new(bounds.rate);
        let room = (bounds.concurrency > 0).then(|| Room::new(bounds));
        (bucket.is_some() || room.is_some()).then_some(Self { bucket, room })
    }

    /// Lets one pass, waits for room where that is bounded, or says why not. A rate is held together with the other
    /// instances on the store, where it is known by that name; room is this instance's own, and nobody waits for it
    /// longer than `patience`.
    pub(crate) async fn enter(
        &self,
        store: &Store,
        patience: impl FnOnce() -> Duration,
        name: impl FnOnce() -> String,
    ) -> Result<Option<Stay>, Closed> {
        self.count(store, name).await?;
        match &self.room {
            None => Ok(None),
            Some(room) => room.enter(patience).await.map(Some),
        }
    }

    /// Lets one pass that takes no room, or says when the next may.
    pub(crate) async fn count(&self, store: &Store, name: impl FnOnce() -> String) -> Result<(), Closed> {
        let Some(bucket) = &self.bucket else { return Ok(()) };
        let taken = match bucket.grants(store, name) {
            None => bucket.take(Instant::now()),
            Some(grants) => bucket.take_with(grants).await,
        };
        taken.map_err(Closed::Rate)
    }
}

/// So many a second. One number holds all: the time, in nanoseconds, at which the bucket would be full again.
struct Bucket {
    began: Instant,
    /// Nanoseconds that one takes.
    each: u64,
    /// Nanoseconds that the bucket holds.
    depth: u64,
    full_at: AtomicU64,
    /// The part of this instance in a rate that is held by several.
    grants: OnceLock<Arc<Grants>>,
}

impl Bucket {
    fn new(rate: Rate) -> Option<Self> {
        let each = 1_000_000_000_u64.checked_div(rate.per_second)?;
        Some(Self {
            began: Instant::now(),
            each,
            depth: each.saturating_mul(rate.at_once()),
            full_at: AtomicU64::new(0),
            grants: OnceLock::new(),
        })
    }

    /// What other instances have a part in, where the store is shared.
    fn grants(&self, store: &Store, name: impl FnOnce() -> String) -> Option<&Arc<Grants>> {
        let flow = || Flow { each: Duration::from_nanos(self.each), depth: Duration::from_nanos(self.depth) };
        store.is_shared().then(|| self.grants.get_or_init(|| Grants::new(store, name(), flow())))
    }

    async fn take_with(&self, grants: &Arc<Grants>) -> Result<(), Duration> {
        let own = || self.take(Instant::now());
        match grants.spend() {
            Spent::Token { .. } => Ok(()),
            Spent::Nothing(rest) => Err(rest),
            Spent::Away { .. } => own(),
            // Most need not wait, and carry nothing of those who do.
            Spent::Unknown => Box::pin(grants.take(own)).await,
        }
    }

    fn take(&self, now: Instant) -> Result<(), Duration> {
        let now = u64::try_from(now.saturating_duration_since(self.began).as_nanos()).unwrap_or(u64::MAX);
        let taken = self.full_at.fetch_update(Relaxed, Relaxed, |full_at| {
            let next = full_at.max(now).saturating_add(self.each);
            (next - now <= self.depth).then_some(next)
        });
        taken.map(drop).map_err(|full_at| {
            Duration::from_nanos(
                full_at.saturating_add(self.each).saturating_sub(now).saturating_sub(self.depth),
            )
        })
    }
}

/// So many at a time, and so many that wait.
struct Room {
    slots: Arc<Semaphore>,
    waiting: AtomicUsize,
    queue: usize,
}

impl Room {
    fn new(bounds: &Bounds) -> Self {
        let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        Self {
            slots: Arc::new(Semaphore::new(count(bounds.concurrency))),
            waiting: AtomicUsize::new(0),
            queue: count(bounds.queue),
        }
    }

    async fn enter(&self, patience: impl FnOnce() -> Duration) -> Result<Stay, Closed> {
        if let Ok(permit) = self.slots.clone().try_acquire_owned() {
            return Ok(permit);
        }
        let _place = Place::new(&self.waiting, self.queue).ok_or(Closed::Full)?;
        let patience = patience().min(WAIT_MAX);
        let permit = tokio::time::timeout(patience, self.slots.clone().acquire_owned()).await;
        permit.ok().and_then(Result::ok).ok_or(Closed::Full)
    }
}

/// A place in a queue, given back when its holder goes.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn new(waiting: &'a AtomicUsize, most: usize) -> Option<Self> {
        let taken = waiting.fetch_update(Relaxed, Relaxed, |n| (n < most).then(|| n + 1));
        // Made only when it was taken: dropping it gives it back.
        taken.is_ok().then(|| Self(waiting))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(per_second: u64, burst: u64, concurrency: u64, queue: u64) -> Bounds {
        Bounds { rate: Rate { per_second, burst }, concurrency, queue }
    }

    async fn enter(gate: &Gate) -> Result<Option<Stay>, Closed> {
        let store = store::open(&store::Location::Memory).await.expect("opened");
        gate.enter(&store, || WAIT_MAX, || "test".into()).await
    }

    #[test]
    fn no_bounds_make_no_gate() {
        assert!(Gate::new(&Bounds::default()).is_none());
        assert!(Gate::new(&bounds(0, 5, 0, 5)).is_none());
    }

    #[test]
    fn a_bucket_gives_its_burst_and_then_its_rate() {
        let bucket = Bucket::new(Rate { per_second: 10, burst: 3 }).expect("a bucket");
        let at = |ms: u64| bucket.began + Duration::from_millis(ms);
        let take = |ms| bucket.take(at(ms));
        assert_eq!([take(0), take(0), take(0)], [Ok(()); 3]);
        assert_eq!(take(0), Err(Duration::from_millis(100)));
        assert_eq!(take(40), Err(Duration::from_millis(60)));
        assert_eq!([take(100), take(200)], [Ok(()); 2]);
        assert!(take(250).is_err());
        assert_eq!([take(5000), take(5000), take(5000)], [Ok(()); 3], "it holds no more than its burst");
        assert!(take(5000).is_err());
    }

    #[test]
    fn many_threads_take_no_more_than_there_is() {
        let bucket = Arc::new(Bucket::new(Rate { per_second: 1, burst: 100 }).expect("a bucket"));
        let now = bucket.began;
        let threads = (0..4).map(|_| {
            let bucket = bucket.clone();
            std::thread::spawn(move || (0..100).filter(|_| bucket.take(now).is_ok()).count())
        });
        let taken: usize = threads.collect::<Vec<_>>().into_iter().map(|t| t.join().expect("done")).sum();
        assert_eq!(taken, 100);
    }

    #[tokio::test]
    async fn a_queue_is_as_long_as_it_says_and_moves_in_order() {
        let gate = Arc::new(Gate::new(&bounds(0, 0, 1, 1)).expect("a gate"));
        let first = enter(&gate).await.expect("there is room");
        let second = tokio::spawn({
            let gate = gate.clone();
            async move { enter(&gate).await.map(drop) }
        });
        tokio::task::yield_now().await;
        for _ in 0..3 {
            assert_eq!(enter(&gate).await.expect_err("full"), Closed::Full);
        }
        drop(first);
        assert_eq!(second.await.expect("done"), Ok(()));
        assert!(enter(&gate).await.is_ok(), "room and queue are empty again");
    }

    #[tokio::test]
    async fn whoever_leaves_the_queue_gives_its_place_back() {
        let gate = Gate::new(&bounds(0, 0, 1, 1)).expect("a gate");
        let _stays = enter(&gate).await.expect("there is room");
        let waited = tokio::time::timeout(Duration::from_millis(10), enter(&gate)).await;
        assert!(waited.is_err(), "it waits");
        assert_eq!(gate.room.as_ref().expect("a room").waiting.load(Relaxed), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_longer_than_its_patience_or_half_a_minute() {
        let gate = Gate::new(&bounds(0, 0, 1, 9)).expect("a gate");
        let store = store::open(&store::Location::Memory).await.expect("opened");
        let _stays = enter(&gate).await.expect("there is room");
        for (patience, waited) in [(500, 500), (29_000, 29_000), (300_000, 30_000)] {
            let began = tokio::time::Instant::now();
            let closed = gate.enter(&store, || Duration::from_millis(patience), String::new).await;
            assert_eq!(closed.map(drop), Err(Closed::Full));
            assert_eq!(began.elapsed().as_millis(), waited, "{patience}");
        }
    }
}
