//! Leave to have a worker: those who can wait leave some to requests.
//!
//! A worker whose script sleeps is taken, and there are no more than the cap. A request whose hooks find none goes on
//! without them, so what is not part of a request never takes the last ones, and what nobody waits for takes fewer.

use super::{CAP, Error};
use crate::Rank;
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout_at};

/// How many jobs that are not part of a request may be under way, and how many of them may be for nobody.
const OTHERS: usize = CAP / 4 * 3;
const SIDES: usize = CAP / 2;

/// What jobs of lower ranks share.
pub(super) struct Leave {
    others: Semaphore,
    sides: Semaphore,
}

/// That one of them may go on, until it is dropped.
pub(super) struct Granted<'a> {
    _side: Option<SemaphorePermit<'a>>,
    _other: Option<SemaphorePermit<'a>>,
}

impl Leave {
    pub(super) fn new() -> Self {
        Self { others: Semaphore::new(OTHERS), sides: Semaphore::new(SIDES) }
    }

    /// Waits until a job of this rank may go on, for at most this long. Gives also when its waiting ends, if it has
    /// begun.
    pub(super) async fn get(
        &self,
        rank: Rank,
        limit: Duration,
    ) -> Result<(Granted<'_>, Option<Instant>), Error> {
        if rank == Rank::Request {
            return Ok((Granted { _side: None, _other: None }, None));
        }
        let end = Instant::now() + limit;
        let wait = async {
            let side = match rank {
                Rank::Side => Some(self.sides.acquire().await),
                Rank::Request | Rank::Work => None,
            };
            let granted = Granted { _side: side.transpose()?, _other: Some(self.others.acquire().await?) };
            Ok::<_, tokio::sync::AcquireError>(granted)
        };
        match timeout_at(end, wait).await {
            Ok(Ok(granted)) => Ok((granted, Some(end))),
            // Whoever waits when all is over need not wait on.
            Ok(Err(_)) => Err(Error::Stopped),
            Err(_) => Err(Error::Busy),
        }
    }

    /// Nobody gets leave any more.
    pub(super) fn close(&self) {
        self.sides.close();
        self.others.close();
    }
}
