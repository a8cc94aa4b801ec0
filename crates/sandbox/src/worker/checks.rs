//! Compiles scripts without running them.

use super::run::{HEAP, Runner};
use crate::ScriptError;
use crate::check::TOGETHER;
use std::time::{Duration, Instant};

impl Runner {
    /// Whether all of these scripts compile; if not, or if it takes long, each is to be checked alone. The watchdog could
    /// not tell at which script it ended the worker; where the engine cannot end it, the gateway does, and asks for each.
    pub(crate) fn check_all(&mut self, sources: &[&str], limit: Duration) -> bool {
        self.realm.state.begin(Instant::now() + limit / TOGETHER, []);
        self.realm.heap.begin(HEAP);
        let fine = self.realm.with(|realm, ctx| realm.all_compile(ctx, sources));
        self.tidy(false);
        fine
    }

    /// Compiles a script without running it.
    pub(crate) fn check(&mut self, source: &str, limit: Duration) -> Result<(), ScriptError> {
        let deadline = Instant::now() + limit;
        self.realm.state.begin(deadline, []);
        self.realm.heap.begin(HEAP);
        self.watchdog.arm(deadline);
        let result = self.realm.with(|realm, ctx| realm.compile(ctx, source).map(drop));
        self.watchdog.disarm();
        // Nothing of it is kept.
        self.tidy(false);
        result
    }
}
