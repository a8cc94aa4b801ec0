//! When a schedule fires: once, at an interval, or by a cron expression. Pure: the time is told, not asked for.

use super::cron::Cron;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The times of a schedule.
#[derive(Clone, Debug)]
pub(super) enum Timing {
    /// At one moment.
    Once(i64),
    /// At an interval, counted from a moment.
    Every { ms: i64, from: i64 },
    /// By the clock of a time zone.
    Clock(Box<Cron>, TimeZone),
}

impl Timing {
    /// The first time after a moment, in milliseconds since 1970.
    pub(super) fn next(&self, after: i64) -> Option<i64> {
        match self {
            Self::Once(at) => Some(*at).filter(|at| *at > after),
            Self::Every { ms, from } if after < *from => from.checked_add(*ms),
            Self::Every { ms, from } => {
                let passed = after.checked_sub(*from)?.checked_div(*ms)?;
                passed.checked_add(1)?.checked_mul(*ms)?.checked_add(*from)
            }
            Self::Clock(cron, zone) => {
                let after = Timestamp::from_millisecond(after).ok()?;
                cron.next(after, zone).map(|at| at.as_millisecond())
            }
        }
    }

    /// The times that follow a moment, at most so many.
    pub(super) fn following(&self, after: i64, most: usize) -> Vec<i64> {
        std::iter::successors(self.next(after), |at| self.next(*at)).take(most).collect()
    }
}

/// The time zone of that name; an error is a rule that it breaks.
pub(super) fn zone(name: &str) -> Result<TimeZone, String> {
    if name.eq_ignore_ascii_case("UTC") {
        return Ok(TimeZone::UTC);
    }
    TimeZone::get(name).map_err(|_| {
        if jiff::tz::db().available().next().is_none() {
            return "needs the time zones of this machine, and it has none: install the package tzdata, \
                    or leave timeZone out for UTC"
                .into();
        }
        format!("is '{name}', which this machine does not know; use a name such as Europe/Berlin, or UTC")
    })
}

/// The moment that a text in RFC 3339 names.
pub(super) fn moment(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(|at| at.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_comes_once() {
        let once = Timing::Once(1000);
        assert_eq!(once.following(0, 5), [1000]);
        assert_eq!(once.next(1000), None);
    }

    #[test]
    fn an_interval_keeps_its_beat_whatever_was_missed() {
        let every = Timing::Every { ms: 1000, from: 300 };
        assert_eq!(every.following(300, 3), [1300, 2300, 3300]);
        assert_eq!((every.next(1299), every.next(1300)), (Some(1300), Some(2300)));
        assert_eq!(every.next(50_000), Some(50_300), "those between are passed over");
        assert_eq!(every.next(-5), Some(1300), "a clock that went back fires nothing early");
        assert_eq!(Timing::Every { ms: 1000, from: 0 }.next(i64::MAX), None);
    }

    #[test]
    fn a_clock_goes_by_its_zone() {
        let nine = Timing::Clock(
            Box::new(Cron::parse("0 9 * * *").expect("a cron expression")),
            zone("Asia/Tokyo").expect("a zone"),
        );
        let from = moment("2026-11-15T00:00:00Z").expect("a time");
        let next: Vec<_> =
            ["2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z"].iter().filter_map(|text| moment(text)).collect();
        assert_eq!(nine.following(from, 2), next);
    }

    #[test]
    fn an_unknown_zone_is_told_with_what_would_be_right() {
        assert!(zone("Mars/Olympus").expect_err("no such zone").contains("Europe/Berlin"));
        assert!(zone("../../etc/passwd").is_err());
        assert!(zone("utc").is_ok());
    }
}
