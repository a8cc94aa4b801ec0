//! Times as text: RFC 3339, written in UTC with milliseconds.

/// Bytes of a written time.
pub const LENGTH: usize = "2026-11-15T04:12:00.123Z".len();

/// Writes `millis` since 1970 as `2026-11-15T04:12:00.123Z`; years end at 9999.
pub fn format(millis: u64) -> [u8; LENGTH] {
    let (days, ms) = (millis / 86_400_000, millis % 86_400_000);
    let (year, month, day) = civil(days.min(2_932_896));
    let mut text = *b"0000-00-00T00:00:00.000Z";
    digits(&mut text[0..4], year);
    digits(&mut text[5..7], month);
    digits(&mut text[8..10], day);
    digits(&mut text[11..13], ms / 3_600_000);
    digits(&mut text[14..16], ms / 60_000 % 60);
    digits(&mut text[17..19], ms / 1000 % 60);
    digits(&mut text[20..23], ms % 1000);
    text
}

fn digits(place: &mut [u8], mut number: u64) {
    for digit in place.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// Year, month and day from days since 1970, counted in eras of 400 years that begin on 1 March,
/// so that the leap day is the last of its year.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

/// Reads a time of RFC 3339 as milliseconds since 1970; `None` for what is none, or lies before.
pub fn parse(text: &str) -> Option<u64> {
    let (date, clock) = text.split_once(['T', 't', ' '])?;
    let mut date = date.split('-');
    let mut part = |length: usize| number(date.next()?, length);
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    let zone = clock.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = clock.split_at(zone);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut clock = clock.split(':');
    let mut part = |length: usize| number(clock.next()?, length);
    let (hour, minute, second) = (part(2)?, part(2)?, part(2)?);
    let millis = number(&format!("{fraction:0<3}")[..3], 3)?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = [31, 28 + u64::from(leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let in_month = *longest.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
    if date.next().is_some() || clock.next().is_some() || !(1..=in_month).contains(&day) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 60 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // Counted in eras as in `civil`.
    let shifted = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let of_era = shifted.0 % 400;
    let day_of_year = (153 * shifted.1 + 2) / 5 + day - 1;
    let days = shifted.0 / 400 * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year;
    let local =
        days.checked_sub(719_468)? * 86_400_000 + ((hour * 60 + minute) * 60 + second) * 1000 + millis;
    match zone {
        "Z" | "z" => Some(local),
        _ => {
            let (hours, minutes) = zone[1..].split_once(':')?;
            let (hours, minutes) = (number(hours, 2)?, number(minutes, 2)?);
            let offset = (hours * 60 + minutes) * 60_000;
            if hours > 23 || minutes > 59 {
                return None;
            }
            if zone.starts_with('+') { local.checked_sub(offset) } else { Some(local + offset) }
        }
    }
}

fn number(text: &str, length: usize) -> Option<u64> {
    let fine = text.len() == length && text.bytes().all(|b| b.is_ascii_digit());
    fine.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_again() {
        for millis in [0, 1, 951_782_400_000, 1_709_251_199_001, 1_794_715_920_123, 253_402_300_799_999] {
            assert_eq!(parse(std::str::from_utf8(&format(millis)).expect("text")), Some(millis));
        }
        for days in 0..60_000 {
            let millis = days * 86_400_000 + 5;
            assert_eq!(parse(std::str::from_utf8(&format(millis)).expect("text")), Some(millis));
        }
    }

    #[test]
    fn a_time_is_read_in_every_form_of_the_standard_and_in_no_other() {
        for (text, expected) in [
            ("2026-11-15T04:12:00Z", Some(1_794_715_920_000)),
            ("2026-11-15t04:12:00.5z", Some(1_794_715_920_500)),
            ("2026-11-15 04:12:00.123456Z", Some(1_794_715_920_123)),
            ("2026-11-15T13:12:00+09:00", Some(1_794_715_920_000)),
            ("2026-11-14T23:12:00-05:00", Some(1_794_715_920_000)),
            ("2026-11-15", None),
            ("2026-11-15T04:12:00", None),
            ("2026-13-15T04:12:00Z", None),
            ("2026-02-29T00:00:00Z", None),
            ("2026-00-10T00:00:00Z", None),
            ("2026-01-01T24:00:00Z", None),
            ("2026-01-01T00:00:00+99:00", None),
            ("2026-01-01T00:00:00+0900", None),
            ("1969-12-31T23:59:59Z", None),
            ("日本-11-15T04:12:00Z", None),
            ("2026-11-15T04:12:00.日本Z", None),
            ("", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }

    fn check(millis: u64, expected: &str) {
        assert_eq!(std::str::from_utf8(&format(millis)), Ok(expected));
    }

    #[test]
    fn a_time_is_written_in_utc_with_milliseconds() {
        check(0, "1970-01-01T00:00:00.000Z");
        check(951_782_399_999, "2000-02-28T23:59:59.999Z");
        check(951_782_400_000, "2000-02-29T00:00:00.000Z");
        check(1_709_251_199_001, "2024-02-29T23:59:59.001Z");
        check(1_709_251_200_000, "2024-03-01T00:00:00.000Z");
        check(1_794_715_920_123, "2026-11-15T04:12:00.123Z");
        check(4_107_542_400_000, "2100-03-01T00:00:00.000Z");
        check(253_402_300_799_999, "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let mut last = civil(0);
        for days in 1..=200_000 {
            let (year, month, day) = civil(days);
            let next_day = (year, month) == (last.0, last.1) && day == last.2 + 1;
            let next_month = (year, month, day) == (last.0, last.1 + 1, 1) && last.2 >= 28;
            let next_year = (year, month, day) == (last.0 + 1, 1, 1) && (last.1, last.2) == (12, 31);
            assert!(next_day || next_month || next_year, "{last:?} then {:?}", (year, month, day));
            last = (year, month, day);
        }
    }
}
