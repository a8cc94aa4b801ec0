//! Jobs that take long: those that compute have run away, those that wait for something have not.

use std::time::Duration;

/// A job that takes long and computes for so long has run away.
const COMPUTED: Duration = Duration::from_millis(100);

/// How often it is looked at.
const AGAIN: Duration = Duration::from_millis(100);

/// A job that takes long.
pub(super) struct Slow {
    /// When it began: a job is known by that.
    since: u64,
    /// How long its worker had computed before.
    before: Duration,
    /// At which age it is looked at next.
    next: Duration,
}

impl Slow {
    /// Looks at the job that its worker does since then; `true`, once, when it is older than `runaway` and has computed
    /// rather than waited.
    pub(super) fn look(
        known: &mut Option<Self>,
        since: u64,
        age: Duration,
        runaway: Duration,
        worker: &process::Worker,
    ) -> bool {
        let Some(slow) = known.as_mut().filter(|slow| slow.since == since) else {
            *known = worker.computed().map(|before| Slow { since, before, next: runaway });
            return false;
        };
        if age < slow.next {
            return false;
        }
        let spent = worker.computed().unwrap_or_default().saturating_sub(slow.before);
        let away = spent >= COMPUTED;
        slow.next = if away { Duration::MAX } else { age + AGAIN };
        away
    }
}
