//! Waiting for something to become true, with a deadline instead of a hopeful sleep.

use std::time::{Duration, Instant};

/// Generous on purpose: it bounds a failure, it is never waited out by a passing test.
const DEADLINE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(10);

/// Asks again and again until there is an answer; panics with `what` when none comes.
#[track_caller]
pub fn eventually<T>(what: &str, ask: impl FnMut() -> Option<T>) -> T {
    match within(DEADLINE, ask) {
        Some(answer) => answer,
        None => panic!("did not happen within {DEADLINE:?}: {what}"),
    }
}

/// Asks again and again until there is an answer or the time is over.
pub fn within<T>(time: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + time;
    loop {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        if Instant::now() >= end {
            return None;
        }
        std::thread::sleep(PAUSE);
    }
}
