//! Addresses from which many wrong keys came: for a while they are not listened to.

use model::{Code, Fault};
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// So many wrong keys within this time …
const MOST: u32 = 10;
const WINDOW: Duration = Duration::from_secs(60);

/// … and nobody listens for this time.
const PENALTY: Duration = Duration::from_secs(60);

/// How many addresses are remembered.
const SOURCES_MAX: usize = 10_000;

/// Wrong keys by address.
#[derive(Default)]
pub(crate) struct Throttle {
    /// Whether any address is remembered, so that nobody waits for the lock who need not.
    any: AtomicBool,
    sources: Mutex<HashMap<IpAddr, Failures>>,
}

struct Failures {
    count: u32,
    since: Instant,
    until: Option<Instant>,
}

impl Failures {
    fn is_over(&self, now: Instant) -> bool {
        self.until.map_or(now >= self.since + WINDOW, |until| now >= until)
    }
}

impl Throttle {
    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, Failures>> {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long an address is still not listened to.
    pub(super) fn rest(&self, source: IpAddr) -> Option<Duration> {
        if !self.any.load(Relaxed) {
            return None;
        }
        self.rest_at(source, Instant::now())
    }

    fn rest_at(&self, source: IpAddr, now: Instant) -> Option<Duration> {
        let until = self.lock().get(&network(source))?.until?;
        until.checked_duration_since(now).filter(|rest| !rest.is_zero())
    }

    /// Counts a wrong key; whether that was one too many.
    pub(super) fn fail(&self, source: IpAddr) -> bool {
        self.fail_at(source, Instant::now())
    }

    fn fail_at(&self, source: IpAddr, now: Instant) -> bool {
        let mut sources = self.lock();
        if sources.len() >= SOURCES_MAX {
            sources.retain(|_, failures| !failures.is_over(now));
            if sources.len() >= SOURCES_MAX {
                sources.clear();
            }
        }
        self.any.store(true, Relaxed);
        let fresh = || Failures { count: 0, since: now, until: None };
        let failures = sources.entry(network(source)).or_insert_with(fresh);
        if failures.is_over(now) {
            *failures = fresh();
        }
        failures.count += 1;
        let too_many = failures.count >= MOST && failures.until.is_none();
        if too_many {
            failures.until = Some(now + PENALTY);
        }
        too_many
    }
}

/// What is said meanwhile.
pub(super) fn refused(rest: Duration) -> Fault {
    // Whoever waits for so many whole seconds has waited long enough.
    let seconds = u64::try_from(rest.as_millis().div_ceil(1000)).unwrap_or(u64::MAX).max(1);
    let message = format!("Too many wrong keys came from this address; try again in {seconds} s");
    Fault::new(Code::RateLimited, message).with("limit", "source").with("retryAfter", seconds)
}

/// Who has one address of version 6 has a whole network of them.
fn network(source: IpAddr) -> IpAddr {
    match source.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn an_address_with_many_wrong_keys_is_not_listened_to_for_a_while() {
        let (throttle, one, other) = (Throttle::default(), address("10.0.0.1"), address("10.0.0.2"));
        let began = Instant::now();
        let at = |seconds| began + Duration::from_secs(seconds);
        assert_eq!(throttle.rest(one), None);
        for n in 1..MOST {
            assert!(!throttle.fail_at(one, at(u64::from(n))));
        }
        assert_eq!(throttle.rest_at(one, at(10)), None);
        assert!(throttle.fail_at(one, at(10)), "one too many");
        assert_eq!(throttle.rest_at(one, at(20)), Some(Duration::from_secs(50)));
        assert_eq!(throttle.rest_at(other, at(20)), None);
        assert_eq!(throttle.rest_at(one, at(70)), None);
        assert!(!throttle.fail_at(one, at(70)), "the count begins anew");
    }

    #[test]
    fn the_time_to_wait_is_told_in_whole_seconds_that_are_enough() {
        for (rest, told) in [(59_001, 60), (60_000, 60), (1, 1), (1_000, 1)] {
            let fault = refused(Duration::from_millis(rest));
            assert_eq!(fault.details["retryAfter"], told, "{rest}");
        }
    }

    #[test]
    fn wrong_keys_far_apart_do_no_harm_and_memory_is_bounded() {
        let (throttle, one) = (Throttle::default(), address("::ffff:10.0.0.1"));
        let began = Instant::now();
        assert!((0..50).all(|n| !throttle.fail_at(one, began + Duration::from_secs(n * 30))));
        for n in 0..SOURCES_MAX as u32 + 5 {
            throttle.fail_at(IpAddr::V4(n.into()), began);
        }
        assert!(throttle.lock().len() <= SOURCES_MAX);
        assert_eq!(network(address("2001:db8:1:2:3:4:5:6")), address("2001:db8:1:2::"));
        assert_eq!(network(one), address("10.0.0.1"));
    }
}
