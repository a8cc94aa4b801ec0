//! The code of this program that a worker holds: most of it only its start or a few jobs needed.

use std::sync::atomic::{AtomicU32, Ordering};

/// A worker that has nothing to do gives its code back when it has done so many jobs since the last time. One that
/// works now and then keeps it: what comes back from the file takes longer than many a script.
const SOME: u32 = 32;

/// One that always has something to do gives it back after so many.
const MANY: u32 = 512;

/// The code, and what was done since it was given back.
#[derive(Debug)]
pub(crate) struct Code {
    code: process::Code,
    jobs: AtomicU32,
}

impl Code {
    /// Needs files, so it comes before the worker gives up its rights. What the start used counts as some jobs.
    pub(crate) fn find() -> Self {
        Self { code: process::Code::find(), jobs: AtomicU32::new(SOME) }
    }

    /// There is a job.
    pub(crate) fn job(&self) {
        let jobs = self.jobs.load(Ordering::Relaxed);
        self.jobs.store(jobs.saturating_add(1), Ordering::Relaxed);
        self.forget(MANY);
    }

    /// There has been none for a while.
    pub(crate) fn rest(&self) {
        self.forget(SOME);
    }

    fn forget(&self, least: u32) {
        if self.jobs.load(Ordering::Relaxed) >= least {
            self.jobs.store(0, Ordering::Relaxed);
            self.code.forget();
        }
    }
}
