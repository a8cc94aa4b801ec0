//! How often, and after what wait, a server is started again by itself (spec 1.13).

use std::time::Duration;

/// Waits before the first, second and third attempt.
const WAITS: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];

/// Running for this long makes a server stable again.
const STABLE: Duration = Duration::from_secs(5 * 60);

/// Attempts made since the server was last stable.
#[derive(Debug, Default)]
pub(super) struct Attempts(usize);

impl Attempts {
    /// The wait before the next attempt; `None` when there is none left.
    pub(super) fn next(&mut self) -> Option<Duration> {
        let wait = WAITS.get(self.0).copied()?;
        self.0 += 1;
        Some(wait)
    }

    /// How many were made.
    pub(super) fn made(&self) -> usize {
        self.0
    }

    /// The server ended after it had run for this long.
    pub(super) fn ended_after(&mut self, uptime: Duration) {
        if uptime >= STABLE {
            self.forget();
        }
    }

    /// The count begins anew.
    pub(super) fn forget(&mut self) {
        self.0 = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(attempts: &mut Attempts) -> Vec<u64> {
        std::iter::from_fn(|| attempts.next()).map(|wait| wait.as_secs()).collect()
    }

    #[test]
    fn three_attempts_are_made_after_growing_waits() {
        let mut attempts = Attempts::default();
        assert_eq!(waits(&mut attempts), [1, 2, 4]);
        assert_eq!((attempts.made(), attempts.next()), (3, None));
    }

    #[test]
    fn five_minutes_of_running_make_a_server_stable_again() {
        let mut attempts = Attempts::default();
        waits(&mut attempts);
        attempts.ended_after(STABLE - Duration::from_millis(1));
        assert_eq!(attempts.next(), None);
        attempts.ended_after(STABLE);
        assert_eq!(waits(&mut attempts), [1, 2, 4]);
        attempts.forget();
        assert_eq!(attempts.next(), Some(Duration::from_secs(1)));
    }
}
