//! Cron expressions of schedules: no text makes the reader panic or hang, a refusal says something, and the
//! times of what passes go on, in every kind of time zone.

#![no_main]

// The formatter would look for the tests of this file in the wrong place.
#[rustfmt::skip]
#[allow(dead_code, reason = "the target needs a part of it")]
#[path = "../../crates/gateway/src/sessions/schedules/cron.rs"]
mod cron;

use cron::Cron;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let cron = match Cron::parse(text) {
        Ok(cron) => cron,
        Err(why) => return assert!(!why.is_empty()),
    };
    for name in ["UTC", "Europe/Berlin", "Australia/Lord_Howe"] {
        let zone = TimeZone::get(name).unwrap_or(TimeZone::UTC);
        let mut at = Timestamp::from_second(1_800_000_000).expect("a moment of this century");
        for _ in 0..3 {
            let Some(next) = cron.next(at, &zone) else { break };
            assert!(next > at, "{text:?} in {name}: {next} after {at}");
            at = next;
        }
    }
});
