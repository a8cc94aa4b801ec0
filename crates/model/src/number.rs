//! Numbers as JSON counts them.

use serde_json::Value;

/// The largest number up to which every integer is exact in JSON.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// An integer from 0. One that is written with a fraction of zero or an exponent is the same number.
pub fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number =
            value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..=EXACT).contains(number))?;
        Some(number as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_may_be_written_in_several_ways() {
        for (text, expected) in [
            ("1", Some(1)),
            ("1.0", Some(1)),
            ("1.79e12", Some(1_790_000_000_000)),
            ("0.0", Some(0)),
            ("18446744073709551615", Some(u64::MAX)),
            ("1.5", None),
            ("-1", None),
            ("-1.0", None),
            ("1e300", None),
            ("\"1\"", None),
            ("null", None),
        ] {
            let value = serde_json::from_str(text).expect("JSON");
            assert_eq!(whole(&value), expected, "{text}");
        }
    }
}
