//! Summaries of repeated figures: percentiles of one window, and the spread over rounds.

use std::fmt;

/// The value below which the share `quantile` of the sorted values lies.
pub(crate) fn percentile(sorted: &[u32], quantile: f64) -> u32 {
    let rank = (sorted.len() as f64 * quantile) as usize;
    sorted.get(rank.min(sorted.len().saturating_sub(1))).copied().unwrap_or(0)
}

/// Median and extremes of the rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Spread {
    /// Summarises the values; none when there are none.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let middle = values.len() / 2;
        let median =
            if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 };
        Some(Self { median, min, max })
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.min == self.max {
            return Figure(self.median).fmt(f);
        }
        write!(f, "{} ({}..{})", Figure(self.median), Figure(self.min), Figure(self.max))
    }
}

/// A number with as many decimals as its size deserves, and commas between thousands.
pub(crate) struct Figure(pub(crate) f64);

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.abs() {
            0.0 => f.write_str("0"),
            x if x < 10.0 => write!(f, "{:.2}", self.0),
            x if x < 100.0 => write!(f, "{:.1}", self.0),
            _ => {
                let digits = format!("{:.0}", self.0);
                for (index, digit) in digits.char_indices() {
                    let left = digits.len() - index;
                    let comma = index > 0 && left % 3 == 0 && !digits[..index].ends_with('-');
                    write!(f, "{}{digit}", if comma { "," } else { "" })?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_a_hundred_values() {
        let values: Vec<u32> = (1..=100).collect();
        assert_eq!([0.0, 0.5, 0.99, 1.0].map(|q| percentile(&values, q)), [1, 51, 100, 100]);
        assert_eq!(percentile(&[], 0.5), 0);
        assert_eq!(percentile(&[7], 0.99), 7);
    }

    #[test]
    fn the_median_of_an_even_number_is_between_the_two() {
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 3.0]), Some(Spread { median: 2.5, min: 1.0, max: 4.0 }));
        assert_eq!(Spread::of([f64::NAN]), None);
    }

    #[test]
    fn figures_show_what_matters() {
        let shown = [0.0, 1.234, 12.34, -123.4, 1235.4, 1_000_000.0].map(|x| Figure(x).to_string());
        assert_eq!(shown, ["0", "1.23", "12.3", "-123", "1,235", "1,000,000"]);
    }
}
