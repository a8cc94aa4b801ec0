//! Looks after the workers now and then, so that no job needs a clock of its own.
//!
//! It ends what is late or not wanted any more, has jobs done elsewhere that wait behind a slow one, has scripts that
//! have run away leave the processors to others, and lets workers go that are not needed. It comes with the first job and goes when there is nothing to look after.

use super::line::Line;
use super::{Pool, RUNAWAY, TAKEN};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::time::sleep;

/// How often it looks.
const TICK: Duration = Duration::from_millis(5);

/// After so many looks at which nothing was done it goes.
const QUIET: u32 = 200;

/// How long a worker that was started beyond the usual number is kept without work.
const KEEP: Duration = Duration::from_secs(10);

/// How long a job may go on for which nobody waits any more.
const UNWANTED: Duration = Duration::from_millis(100);

impl Pool {
    /// Has somebody look after the workers, from now until they have nothing to do.
    pub(super) fn watch(self: &Arc<Self>) {
        if !self.watched.load(SeqCst) && !self.watched.swap(true, SeqCst) {
            tokio::spawn(watch(Arc::downgrade(self)));
        }
    }

    /// Looks at every worker, and says whether one has something to do.
    fn look(&self) -> bool {
        let lines: Vec<Arc<Line>> =
            self.state().lines.iter().filter(|line| line.jobs() > 0).cloned().collect();
        lines.iter().for_each(|line| line.look(TAKEN, RUNAWAY, UNWANTED));
        !lines.is_empty()
    }

    /// Lets workers beyond the usual number go that have been idle for a while. Says whether some are left.
    fn shrink(&self) -> bool {
        let mut state = self.state();
        let mut surplus = state.total().saturating_sub(self.usual());
        for line in state.lines.iter().rev() {
            if surplus > 0 && line.jobs() == 0 && line.age() >= KEEP && line.dismiss() {
                surplus -= 1;
            }
        }
        state.shrinking = surplus > 0 && !state.stopped;
        state.shrinking
    }
}

async fn watch(pool: Weak<Pool>) {
    let mut quiet = 0;
    loop {
        sleep(TICK).await;
        let Some(pool) = pool.upgrade() else { return };
        quiet = if pool.look() { 0 } else { quiet + 1 };
        if quiet < QUIET {
            continue;
        }
        pool.watched.store(false, SeqCst);
        // A job that came meanwhile may have seen somebody watch.
        if !pool.look() || pool.watched.swap(true, SeqCst) {
            return;
        }
    }
}

/// Lets workers beyond the usual number go when they have been idle for a while.
pub(super) async fn shrink(pool: Weak<Pool>) {
    loop {
        sleep(KEEP / 2).await;
        let Some(pool) = pool.upgrade() else { return };
        if !pool.shrink() {
            return;
        }
    }
}
