//! Next times on the clocks of real time zones, and expressions that are refused.

use super::*;

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap_or_else(|error| panic!("these tests need the zoneinfo of the system: {error}"))
}

/// The next times after one, as they stand on the clock of the zone.
#[track_caller]
fn check(cron: &str, zone_name: &str, after: &str, expected: &[&str]) {
    let (cron, zone) = (Cron::parse(cron).expect("a cron expression"), zone(zone_name));
    let mut at: Timestamp = after.parse().expect("a time");
    let mut found = Vec::new();
    for _ in expected {
        at = cron.next(at, &zone).expect("there is a next time");
        found.push(at.to_zoned(zone.clone()).strftime("%a %Y-%m-%dT%H:%M:%S%:z").to_string());
    }
    assert_eq!(found, expected);
}

#[test]
fn fields_are_numbers_words_lists_ranges_and_steps() {
    let after = "2026-11-15T12:00:00Z";
    check("*/15 * * * *", "UTC", after, &["Sun 2026-11-15T12:15:00+00:00", "Sun 2026-11-15T12:30:00+00:00"]);
    check("0 9 * * *", "UTC", after, &["Mon 2026-11-16T09:00:00+00:00", "Tue 2026-11-17T09:00:00+00:00"]);
    check(
        "5,50 8-10/2 * * Mon-Wed",
        "UTC",
        after,
        &[
            "Mon 2026-11-16T08:05:00+00:00",
            "Mon 2026-11-16T08:50:00+00:00",
            "Mon 2026-11-16T10:05:00+00:00",
            "Mon 2026-11-16T10:50:00+00:00",
            "Tue 2026-11-17T08:05:00+00:00",
        ],
    );
    check(
        "0 0 1 jan,jul *",
        "UTC",
        after,
        &["Fri 2027-01-01T00:00:00+00:00", "Thu 2027-07-01T00:00:00+00:00"],
    );
    check("0 0 * * 7", "UTC", after, &["Sun 2026-11-22T00:00:00+00:00", "Sun 2026-11-29T00:00:00+00:00"]);
    check("@monthly", "UTC", after, &["Tue 2026-12-01T00:00:00+00:00"]);
    check(
        "58/1 23 31 12 *",
        "UTC",
        after,
        &["Thu 2026-12-31T23:58:00+00:00", "Thu 2026-12-31T23:59:00+00:00"],
    );
}

#[test]
fn a_day_of_the_month_and_a_day_of_the_week_are_either_or() {
    let after = "2026-11-15T12:00:00Z";
    check("0 0 20 * fri", "UTC", after, &["Fri 2026-11-20T00:00:00+00:00", "Fri 2026-11-27T00:00:00+00:00"]);
    check("0 0 19 * fri", "UTC", after, &["Thu 2026-11-19T00:00:00+00:00", "Fri 2026-11-20T00:00:00+00:00"]);
    check("0 0 */2 * fri", "UTC", after, &["Fri 2026-11-27T00:00:00+00:00"]);
}

#[test]
fn a_leap_day_is_found_across_a_century_without_one() {
    check("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", &["Fri 2104-02-29T00:00:00+00:00"]);
    let never = Cron::parse("0 0 30 2 *").expect("a cron expression");
    assert_eq!(never.next(Timestamp::UNIX_EPOCH, &TimeZone::UTC), None);
}

#[test]
fn a_time_that_is_left_out_comes_when_the_clock_is_put_forward() {
    let after = "2027-03-27T12:00:00Z";
    check(
        "30 2 * * *",
        "Europe/Berlin",
        after,
        &["Sun 2027-03-28T03:00:00+02:00", "Mon 2027-03-29T02:30:00+02:00"],
    );
    check(
        "0,30 2,3 * * *",
        "Europe/Berlin",
        after,
        &["Sun 2027-03-28T03:00:00+02:00", "Sun 2027-03-28T03:30:00+02:00", "Mon 2027-03-29T02:00:00+02:00"],
    );
    check("30 2 * * *", "America/New_York", "2027-03-14T05:00:00Z", &["Sun 2027-03-14T03:00:00-04:00"]);
    check("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", &["Sun 2026-10-04T02:30:00+11:00"]);
}

#[test]
fn a_time_that_there_is_twice_comes_the_first_time() {
    let after = "2026-10-24T12:00:00Z";
    check(
        "30 2 * * *",
        "Europe/Berlin",
        after,
        &["Sun 2026-10-25T02:30:00+02:00", "Mon 2026-10-26T02:30:00+01:00"],
    );
    // Between the two, the next one is that of the next day.
    check("30 2 * * *", "Europe/Berlin", "2026-10-25T01:10:00Z", &["Mon 2026-10-26T02:30:00+01:00"]);
}

#[test]
fn a_rhythm_goes_by_the_minutes_that_pass() {
    check(
        "*/30 * * * *",
        "Europe/Berlin",
        "2026-10-25T00:00:00Z",
        &[
            "Sun 2026-10-25T02:30:00+02:00",
            "Sun 2026-10-25T02:00:00+01:00",
            "Sun 2026-10-25T02:30:00+01:00",
            "Sun 2026-10-25T03:00:00+01:00",
        ],
    );
    check(
        "*/30 * * * *",
        "Europe/Berlin",
        "2027-03-28T00:30:00Z",
        &["Sun 2027-03-28T03:00:00+02:00", "Sun 2027-03-28T03:30:00+02:00"],
    );
}

#[test]
fn what_is_wrong_is_told_with_what_would_be_right() {
    for (cron, part) in [
        ("", "five fields"),
        ("* * * *", "has 4"),
        ("0 * * * * *", "has 6"),
        ("60 * * * *", "the minute '60': it must be 0 to 59"),
        ("* 24 * * *", "the hour '24'"),
        ("* * 0 * *", "the day of the month '0'"),
        ("* * * foo *", "the month 'foo': it must be 1 to 12 or jan to dec"),
        ("* * * * 8", "the day of the week '8': it must be 0 to 7 or sun to sat"),
        ("*/0 * * * *", "after / stands a number"),
        ("5-1 * * * *", "ends before it begins"),
        ("1,, * * * *", "the minute ''"),
        ("+5 * * * *", "the minute '+5'"),
        ("@reboot", "five fields"),
    ] {
        let error = Cron::parse(cron).expect_err(cron);
        assert!(error.contains(part), "{cron}: {error}");
    }
}
