//! Cron expressions: which minutes of which days, on the clock of a time zone.
//!
//! A clock that is put forward leaves times out, and one that is put back has times twice. An expression that names
//! its hours means a moment of the day: one that is left out comes when the clock is put forward, one that there is
//! twice comes the first time. An expression for every hour means a rhythm: it goes by the minutes that pass.

use jiff::civil::{Date, time};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{Timestamp, ToSpan};

/// How far ahead a time is looked for: 29 February is at most eight years away.
const DAYS: usize = 9 * 366;

/// The hours of the day.
const EVERY_HOUR: u64 = (1 << 24) - 1;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// The words for whole expressions.
const SHORT: [(&str, &str); 7] = [
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
];

/// A cron expression; each field is a set of bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cron {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Both the day of the month and the day of the week are named: either will do.
    either: bool,
}

/// One field: what it is called, its numbers, its words.
struct Field {
    name: &'static str,
    first: u32,
    last: u32,
    words: &'static [&'static str],
}

const MINUTE: Field = Field { name: "minute", first: 0, last: 59, words: &[] };
const HOUR: Field = Field { name: "hour", first: 0, last: 23, words: &[] };
const DAY: Field = Field { name: "day of the month", first: 1, last: 31, words: &[] };
const MONTH: Field = Field { name: "month", first: 1, last: 12, words: &MONTHS };
const WEEKDAY: Field = Field { name: "day of the week", first: 0, last: 7, words: &WEEKDAYS };

impl Cron {
    /// Reads an expression; an error is a rule that it breaks.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim().to_ascii_lowercase();
        let short = SHORT.iter().find(|(word, _)| *word == text);
        let text = short.map_or(text.as_str(), |(_, whole)| whole);
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields[..] else {
            return Err(format!(
                "must have five fields (minute, hour, day of the month, month, day of the week), and has {}",
                fields.len()
            ));
        };
        let weekdays = WEEKDAY.read(weekday)?;
        Ok(Self {
            minutes: MINUTE.read(minute)?,
            hours: HOUR.read(hour)?,
            days: DAY.read(day)?,
            months: MONTH.read(month)?,
            // Sunday is 0 and 7.
            weekdays: weekdays | (weekdays >> 7 & 1),
            either: !day.starts_with('*') && !weekday.starts_with('*'),
        })
    }

    /// The first moment after another one.
    pub(super) fn next(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let mut date = zone.to_datetime(after).date();
        for _ in 0..DAYS {
            if self.is_on(date)
                && let Some(at) = self.moments(date, zone).into_iter().find(|at| *at > after)
            {
                return Some(at);
            }
            date = date.tomorrow().ok()?;
        }
        None
    }

    fn is_on(&self, date: Date) -> bool {
        let month = has(self.months, date.month().unsigned_abs().into());
        let day = has(self.days, date.day().unsigned_abs().into());
        let weekday = has(self.weekdays, date.weekday().to_sunday_zero_offset().unsigned_abs().into());
        month && if self.either { day || weekday } else { day && weekday }
    }

    /// The moments of one day, in order.
    fn moments(&self, date: Date, zone: &TimeZone) -> Vec<Timestamp> {
        let mut all = Vec::new();
        for hour in (0..24).filter(|hour| has(self.hours, *hour)) {
            for minute in (0..60).filter(|minute| has(self.minutes, *minute)) {
                self.moment(date, (hour, minute), zone, &mut all);
            }
        }
        all.sort_unstable();
        all
    }

    fn moment(&self, date: Date, (hour, minute): (u32, u32), zone: &TimeZone, all: &mut Vec<Timestamp>) {
        let (Ok(hour), Ok(minute)) = (i8::try_from(hour), i8::try_from(minute)) else { return };
        let civil = date.to_datetime(time(hour, minute, 0, 0));
        let rhythm = self.hours == EVERY_HOUR;
        match zone.to_ambiguous_timestamp(civil).offset() {
            AmbiguousOffset::Unambiguous { offset } => all.extend(offset.to_timestamp(civil)),
            AmbiguousOffset::Fold { before, after } => {
                all.extend(before.to_timestamp(civil));
                if rhythm {
                    all.extend(after.to_timestamp(civil));
                }
            }
            AmbiguousOffset::Gap { .. } if rhythm => {}
            AmbiguousOffset::Gap { after, .. } => {
                // On the clock that comes after, the time is before the moment of the change.
                let early = after.to_timestamp(civil).and_then(|at| at.checked_sub(1.second()));
                all.extend(early.ok().and_then(|at| Some(zone.following(at).next()?.timestamp())));
            }
        }
    }
}

impl Field {
    /// A list of numbers, ranges and steps.
    fn read(&self, text: &str) -> Result<u64, String> {
        text.split(',').try_fold(0, |bits, part| Ok(bits | self.part(part)?))
    }

    fn part(&self, text: &str) -> Result<u64, String> {
        let (range, step) = match text.split_once('/') {
            None => (text, None),
            Some((range, step)) => {
                let number = step.parse::<u32>().ok().filter(|step| *step > 0);
                let wrong = || format!("has the {} '{text}': after / stands a number from 1", self.name);
                (range, Some(number.ok_or_else(wrong)?))
            }
        };
        let (from, to) = match range.split_once('-') {
            _ if range == "*" => (self.first, self.last),
            Some((from, to)) => (self.number(from, text)?, self.number(to, text)?),
            None if step.is_some() => (self.number(range, text)?, self.last),
            None => (self.number(range, text)?, self.number(range, text)?),
        };
        if from > to {
            return Err(format!("has the {} '{text}': the range ends before it begins", self.name));
        }
        let step = usize::try_from(step.unwrap_or(1)).unwrap_or(usize::MAX);
        Ok((from..=to).step_by(step).fold(0, |bits, at| bits | 1 << at))
    }

    fn number(&self, text: &str, part: &str) -> Result<u32, String> {
        let Self { name, first, last, words } = self;
        let word = words.iter().zip(*first..).find(|(word, _)| **word == text).map(|(_, number)| number);
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.then(|| text.parse().ok()).flatten();
        word.or(number).filter(|number| (first..=last).contains(&number)).ok_or_else(|| {
            let words = match (words.first(), words.last()) {
                (Some(one), Some(other)) => format!(" or {one} to {other}"),
                _ => String::new(),
            };
            format!("has the {name} '{part}': it must be {first} to {last}{words}, as in 1,3 or 1-5 or */2")
        })
    }
}

fn has(bits: u64, at: u32) -> bool {
    bits >> at & 1 == 1
}

#[cfg(test)]
mod tests;
