//! The text format of Prometheus.

use gateway::{BOUNDS_US, Histogram};
use std::fmt::{Display, Write};
use std::time::Duration;

/// Metrics as they are written.
#[derive(Default)]
pub(super) struct Text(String);

impl Text {
    /// Begins the samples of one name.
    pub(super) fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}"));
    }

    /// One value.
    pub(super) fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let labels = written(labels);
        match labels.is_empty() {
            true => self.line(format_args!("{name} {value}")),
            false => self.line(format_args!("{name}{{{labels}}} {value}")),
        }
    }

    /// How long something took, in buckets.
    pub(super) fn histogram(&mut self, name: &str, labels: &[(&str, &str)], times: &Histogram) {
        let (labels, counts) = (written(labels), times.counts());
        let mut total = 0;
        for (bound, count) in BOUNDS_US.iter().zip(counts) {
            total += count;
            let seconds = *bound as f64 / 1e6;
            self.line(format_args!("{name}_bucket{{{labels},le=\"{seconds}\"}} {total}"));
        }
        total += counts[BOUNDS_US.len()];
        self.line(format_args!("{name}_bucket{{{labels},le=\"+Inf\"}} {total}"));
        self.line(format_args!("{name}_sum{{{labels}}} {}", times.sum().as_secs_f64()));
        self.line(format_args!("{name}_count{{{labels}}} {total}"));
    }

    /// How long something took, as a number and a sum: far fewer lines than buckets.
    pub(super) fn summary(&mut self, name: &str, labels: &[(&str, &str)], count: u64, sum: Duration) {
        let labels = written(labels);
        self.line(format_args!("{name}_sum{{{labels}}} {}", sum.as_secs_f64()));
        self.line(format_args!("{name}_count{{{labels}}} {count}"));
    }

    /// The whole.
    pub(super) fn finish(self) -> String {
        self.0
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.0, "{line}").expect("writing to a string does not fail");
    }
}

/// Names of tools come from servers, names of hooks from users; both may hold anything.
fn written(labels: &[(&str, &str)]) -> String {
    let mut out = String::new();
    for (name, value) in labels {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let separator = if out.is_empty() { "" } else { "," };
        write!(out, "{separator}{name}=\"{value}\"").expect("writing to a string does not fail");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_one_line_whatever_its_labels_hold() {
        let mut text = Text::default();
        text.sample("a", &[], 1.5);
        text.sample("b", &[("x", "p\"q\\r\ns"), ("y", "日本")], 2);
        assert_eq!(text.finish(), "a 1.5\nb{x=\"p\\\"q\\\\r\\ns\",y=\"日本\"} 2\n");
    }

    #[test]
    fn a_histogram_adds_up() {
        let (mut text, times) = (Text::default(), Histogram::default());
        times.record(Duration::from_micros(10));
        times.record(Duration::from_secs(60));
        text.histogram("h", &[("k", "v")], &times);
        let text = text.finish();
        assert!(text.starts_with("h_bucket{k=\"v\",le=\"0.00001\"} 1\n"), "{text}");
        assert!(text.contains("h_bucket{k=\"v\",le=\"30\"} 1\nh_bucket{k=\"v\",le=\"+Inf\"} 2\n"), "{text}");
        assert!(text.ends_with("h_sum{k=\"v\"} 60.00001\nh_count{k=\"v\"} 2\n"), "{text}");
    }
}
