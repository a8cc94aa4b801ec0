//! The windows of a run, and figures over their rounds.

use crate::load::Sample;
use crate::spread::Spread;

/// The figures of one window: whose, and in which round.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) round: usize,
    pub(crate) sample: Sample,
}

/// One figure of a window.
pub(crate) type Figure = fn(&Sample) -> f64;

/// Calls per second.
pub(crate) const SPEED: Figure = |sample| sample.rps;
/// Median latency in microseconds; not a number where no call was answered.
pub(crate) const LATENCY: Figure = |sample| if sample.calls == 0 { f64::NAN } else { sample.p50_us };
/// CPU of the gateway in microseconds per call; not a number where there is no gateway.
pub(crate) const CPU: Figure = |sample| sample.gateway_us.unwrap_or(f64::NAN);

/// All windows that are compared with each other.
#[derive(Default)]
pub(crate) struct Rows(pub(crate) Vec<Row>);

impl Rows {
    /// The windows of one name and concurrency, one per round.
    pub(crate) fn of(&self, name: &str, connections: usize) -> impl Iterator<Item = &Row> {
        self.0.iter().filter(move |row| row.name == name && row.sample.connections == connections)
    }

    /// One figure over the rounds.
    pub(crate) fn spread(&self, name: &str, connections: usize, figure: Figure) -> Option<Spread> {
        Spread::of(self.of(name, connections).map(|row| figure(&row.sample)))
    }

    /// One figure over the same figure of another name, each pair taken from one round.
    pub(crate) fn ratio(&self, name: &str, base: &str, connections: usize, figure: Figure) -> Option<Spread> {
        Spread::of(self.pairs(name, base, connections, figure).map(|(own, base)| own / base))
    }

    /// One figure less the same figure of another name, each pair taken from one round.
    pub(crate) fn added(&self, name: &str, base: &str, connections: usize, figure: Figure) -> Option<Spread> {
        Spread::of(self.pairs(name, base, connections, figure).map(|(own, base)| own - base))
    }

    fn pairs(
        &self,
        name: &str,
        base: &str,
        connections: usize,
        figure: Figure,
    ) -> impl Iterator<Item = (f64, f64)> {
        self.of(name, connections).filter_map(move |row| {
            let base = self.of(base, connections).find(|base| base.round == row.round)?;
            Some((figure(&row.sample), figure(&base.sample)))
        })
    }

    /// Names with each of their concurrencies, in the order in which they were first measured.
    pub(crate) fn lines(&self) -> Vec<(&str, usize)> {
        let mut names: Vec<&str> = Vec::new();
        let mut lines = Vec::new();
        for row in &self.0 {
            let name = row.name.as_str();
            if !names.contains(&name) {
                names.push(name);
            }
            if !lines.contains(&(name, row.sample.connections)) {
                lines.push((name, row.sample.connections));
            }
        }
        lines.sort_by_key(|(name, connections)| (names.iter().position(|known| known == name), *connections));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, round: usize, rps: f64) -> Row {
        let sample = Sample { connections: 16, rps, ..Sample::default() };
        Row { name: name.into(), round, sample }
    }

    #[test]
    fn a_ratio_is_taken_within_one_round() {
        let rows =
            Rows(vec![row("a", 1, 50.0), row("base", 1, 100.0), row("base", 2, 10.0), row("a", 2, 20.0)]);
        assert_eq!(rows.ratio("a", "base", 16, SPEED), Some(Spread { median: 1.25, min: 0.5, max: 2.0 }));
        assert_eq!(rows.ratio("a", "base", 64, SPEED), None);
        assert_eq!(rows.added("a", "base", 16, SPEED), Some(Spread { median: -20.0, min: -50.0, max: 10.0 }));
        assert_eq!(rows.lines(), [("a", 16), ("base", 16)]);
        assert_eq!(rows.spread("a", 16, LATENCY), None, "no call was answered");
    }
}
