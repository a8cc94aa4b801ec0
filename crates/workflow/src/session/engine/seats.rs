//! Few continues at once on their way to the store.
//!
//! Where many come together, each would be taken a little further in turn, and all would reach the store at the end,
//! which had nothing to do until then. Those that have a seat go all the way first, and are committed while the next
//! ones are on theirs.

use std::cell::Cell;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// More than the processors are busy with while each waits for a script now and then.
const SEATS: usize = 6;

/// Whoever has not reached the store after this waits for something, and others need not wait for that.
const MOMENT: Duration = Duration::from_millis(2);

tokio::task_local! {
    static SEAT: Cell<Option<OwnedSemaphorePermit>>;
}

/// The seats of an engine.
pub(super) struct Seats(Arc<Semaphore>);

impl Default for Seats {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(SEATS)))
    }
}

impl Seats {
    /// Does this once there is a seat, which is free again when that is done, or a moment later, or when it calls
    /// [`leave`].
    pub(super) async fn seated<T>(&self, work: impl Future<Output = T>) -> T {
        let seat = Arc::clone(&self.0).acquire_owned().await.ok();
        let mut work = pin!(SEAT.scope(Cell::new(seat), work));
        tokio::select! {
            biased;
            done = &mut work => return done,
            () = tokio::time::sleep(MOMENT) => {}
        }
        drop(work.as_mut().take_value());
        work.await
    }
}

/// Whoever has a seat needs it no more.
pub(super) fn leave() {
    let _ = SEAT.try_with(Cell::take);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::task::JoinSet;
    use tokio::time::{Instant, sleep};

    const LONG: Duration = Duration::from_secs(60);

    /// Seats many whose work begins with `first` and goes on for long; returns how many have begun.
    fn seat_many(first: fn()) -> (JoinSet<()>, Arc<AtomicUsize>) {
        let (seats, begun) = (Arc::new(Seats::default()), Arc::new(AtomicUsize::new(0)));
        let mut all = JoinSet::new();
        for _ in 0..SEATS * 3 {
            let (seats, begun) = (Arc::clone(&seats), Arc::clone(&begun));
            all.spawn(async move {
                let work = async {
                    begun.fetch_add(1, Ordering::Relaxed);
                    first();
                    sleep(LONG).await;
                };
                seats.seated(work).await;
            });
        }
        (all, begun)
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_takes_long_keeps_nobody_waiting() {
        let (all, begun) = seat_many(|| ());
        let mut seen = Vec::new();
        for _ in 0..3 {
            sleep(MOMENT / 2).await;
            seen.push(begun.load(Ordering::Relaxed));
            sleep(MOMENT / 2 + Duration::from_millis(1)).await;
        }
        assert_eq!(seen, [SEATS, SEATS * 2, SEATS * 3]);
        all.join_all().await;
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_leaves_makes_room_at_once() {
        let start = Instant::now();
        let (all, begun) = seat_many(leave);
        sleep(MOMENT / 2).await;
        assert_eq!(begun.load(Ordering::Relaxed), SEATS * 3);
        all.join_all().await;
        assert!(start.elapsed() < LONG * 2, "all at once");
    }

    #[tokio::test(start_paused = true)]
    async fn a_seat_that_was_left_or_given_up_is_there_again() {
        let seats = Seats::default();
        for _ in 0..SEATS * 2 {
            seats.seated(async { leave() }).await;
            seats.seated(sleep(MOMENT * 2)).await;
            seats.seated(async {}).await;
        }
        assert_eq!(seats.0.available_permits(), SEATS);
        leave();
    }
}
