//! A server that fails again and again is left alone for a while, then tried with one call.

use model::access;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

/// Counts failures in a row.
pub(crate) struct Breaker {
    began: Instant,
    most: u64,
    open_for: Duration,
    failures: AtomicU64,
    /// Milliseconds since `began` at which it opened, and one more; 0 while it is closed.
    opened: AtomicU64,
    /// One call tries whether the server works again.
    trying: AtomicBool,
}

/// A call that was let through; its end is told, or it is dropped when nobody waits for it any more.
pub(crate) struct Ticket<'a> {
    breaker: &'a Breaker,
    tries: bool,
}

/// What the end of a call did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Nothing.
    Same,
    /// It has opened.
    Opened,
    /// It has closed.
    Closed,
}

impl Breaker {
    /// A breaker; `None` when it is switched off.
    pub(crate) fn new(settings: access::Breaker) -> Option<Self> {
        (settings.failures > 0).then(|| Self {
            began: Instant::now(),
            most: settings.failures,
            open_for: Duration::from_millis(settings.open_ms),
            failures: AtomicU64::new(0),
            opened: AtomicU64::new(0),
            trying: AtomicBool::new(false),
        })
    }

    /// Lets a call through, or says after what time one may try.
    pub(crate) fn admit(&self, now: Instant) -> Result<Ticket<'_>, Duration> {
        let opened = self.opened.load(SeqCst);
        if opened == 0 {
            return Ok(Ticket { breaker: self, tries: false });
        }
        let since = Duration::from_millis(self.millis(now).saturating_sub(opened - 1));
        if let Some(rest) = self.open_for.checked_sub(since).filter(|rest| !rest.is_zero()) {
            return Err(rest);
        }
        match self.trying.swap(true, SeqCst) {
            true => Err(Duration::from_secs(1)),
            false => Ok(Ticket { breaker: self, tries: true }),
        }
    }

    fn millis(&self, now: Instant) -> u64 {
        u64::try_from(now.saturating_duration_since(self.began).as_millis()).unwrap_or(u64::MAX)
    }
}

impl Ticket<'_> {
    /// The call has ended.
    pub(crate) fn over(self, good: bool, now: Instant) -> Turn {
        let breaker = self.breaker;
        if good {
            breaker.failures.store(0, SeqCst);
            return if breaker.opened.swap(0, SeqCst) == 0 { Turn::Same } else { Turn::Closed };
        }
        let failures = breaker.failures.fetch_add(1, SeqCst) + 1;
        if !self.tries && failures < breaker.most {
            return Turn::Same;
        }
        let before = breaker.opened.swap(breaker.millis(now) + 1, SeqCst);
        if before == 0 { Turn::Opened } else { Turn::Same }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        if self.tries {
            self.breaker.trying.store(false, SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaker() -> Breaker {
        Breaker::new(access::Breaker { failures: 3, open_ms: 1000 }).expect("it is on")
    }

    fn end(breaker: &Breaker, ms: u64, good: bool) -> Turn {
        let now = breaker.began + Duration::from_millis(ms);
        breaker.admit(now).unwrap_or_else(|_| panic!("admitted at {ms}")).over(good, now)
    }

    #[test]
    fn failures_in_a_row_open_it_and_a_good_call_starts_the_count_anew() {
        assert!(Breaker::new(access::Breaker::default()).is_none());
        let breaker = breaker();
        let at = |ms| breaker.began + Duration::from_millis(ms);
        for good in [false, false, true, false, false] {
            assert_eq!(end(&breaker, 0, good), Turn::Same);
        }
        assert_eq!(end(&breaker, 10, false), Turn::Opened);
        assert_eq!(breaker.admit(at(10)).err(), Some(Duration::from_millis(1000)));
        assert_eq!(breaker.admit(at(510)).err(), Some(Duration::from_millis(500)));
    }

    #[test]
    fn one_call_tries_and_decides() {
        let breaker = breaker();
        let at = |ms| breaker.began + Duration::from_millis(ms);
        (0..3).for_each(|_| _ = end(&breaker, 0, false));
        let probe = breaker.admit(at(1000)).expect("one may try");
        assert_eq!(breaker.admit(at(1000)).err(), Some(Duration::from_secs(1)), "and only one");
        assert_eq!(probe.over(false, at(1100)), Turn::Same);
        assert!(breaker.admit(at(1100)).is_err(), "it stays open");
        drop(breaker.admit(at(2100)).expect("one may try"));
        assert_eq!(end(&breaker, 2100, true), Turn::Closed, "one that was given up lets the next try");
        assert_eq!(end(&breaker, 2100, false), Turn::Same);
    }
}
