//! Times as text: UTC, RFC 3339, milliseconds.

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

#[cfg(test)]
mod tests {
    use super::*;

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
