//! Requests of clients, counted: by way, method and outcome, a fixed number of counters whatever clients send.

use super::visit::Way;
use crate::metrics::Histogram;
use model::Code;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The methods that are told apart; the last stands for all others.
const METHODS: [&str; 17] = [
    "tools/call",
    "tools/list",
    "prompts/get",
    "prompts/list",
    "resources/read",
    "resources/list",
    "resources/templates/list",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "completion/complete",
    "logging/setLevel",
    "initialize",
    "server/discover",
    "ping",
    "tasks",
    "other",
];

/// Success, every code, and cancelled.
const OUTCOMES: usize = Code::ALL.len() + 2;

/// What a request that nobody waited for is called.
pub(crate) const CANCELLED: &str = "CANCELLED";

/// Counts and times of requests.
pub struct Tally {
    counts: Box<[AtomicU64]>,
    times: [Histogram; Way::ALL.len()],
    in_flight: AtomicI64,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Done(Option<Code>),
    Cancelled,
}

impl Outcome {
    /// `ok`, the code, or `CANCELLED`.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Done(None) => "ok",
            Self::Done(Some(code)) => code.name(),
            Self::Cancelled => CANCELLED,
        }
    }

    fn place(self) -> usize {
        match self {
            Self::Done(None) => 0,
            Self::Done(Some(code)) => 1 + code as usize,
            Self::Cancelled => OUTCOMES - 1,
        }
    }
}

impl Default for Tally {
    fn default() -> Self {
        let room = Way::ALL.len() * METHODS.len() * OUTCOMES;
        Self {
            counts: std::iter::repeat_with(AtomicU64::default).take(room).collect(),
            times: Default::default(),
            in_flight: AtomicI64::new(0),
        }
    }
}

impl Tally {
    pub(super) fn begin(&self) {
        self.in_flight.fetch_add(1, Relaxed);
    }

    pub(super) fn end(&self, way: Way, method: &str, outcome: Outcome, took: Duration) {
        self.in_flight.fetch_sub(1, Relaxed);
        self.times[way as usize].record(took);
        let place = (way as usize * METHODS.len() + place(method)) * OUTCOMES + outcome.place();
        self.counts[place].fetch_add(1, Relaxed);
    }

    /// Requests that are worked on now.
    pub fn in_flight(&self) -> i64 {
        self.in_flight.load(Relaxed)
    }

    /// Every count that is not 0: way, method, outcome.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, &'static str, &'static str, u64)> {
        let all = self.counts.iter().enumerate().map(|(at, count)| (at, count.load(Relaxed)));
        all.filter(|(_, count)| *count > 0).map(|(at, count)| {
            let (rest, outcome) = (at / OUTCOMES, at % OUTCOMES);
            let (way, method) = (Way::ALL[rest / METHODS.len()], METHODS[rest % METHODS.len()]);
            (way.as_str(), method, word(outcome), count)
        })
    }

    /// How long requests took, by way.
    pub fn times(&self) -> impl Iterator<Item = (&'static str, &Histogram)> {
        Way::ALL.into_iter().map(|way| way.as_str()).zip(&self.times)
    }
}

fn place(method: &str) -> usize {
    let method = if method.starts_with("tasks/") { "tasks" } else { method };
    METHODS.iter().position(|known| *known == method).unwrap_or(METHODS.len() - 1)
}

fn word(outcome: usize) -> &'static str {
    match outcome {
        0 => "ok",
        at => Code::ALL.get(at - 1).map_or(CANCELLED, |code| code.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_is_counted_in_its_place() {
        let tally = Tally::default();
        let count = |way, method, outcome| {
            tally.begin();
            tally.end(way, method, outcome, Duration::from_millis(1));
        };
        count(Way::Rest, "tools/call", Outcome::Done(None));
        count(Way::Stdio, "tasks/get", Outcome::Done(Some(Code::TimeoutError)));
        count(Way::Http, "made/up", Outcome::Cancelled);
        count(Way::Http, "made/up/too", Outcome::Cancelled);
        let found: Vec<_> = tally.counts().collect();
        assert_eq!(
            found,
            [
                ("rest", "tools/call", "ok", 1),
                ("http", "other", "CANCELLED", 2),
                ("stdio", "tasks", "TIMEOUT_ERROR", 1),
            ]
        );
        assert_eq!(tally.in_flight(), 0);
        for code in Code::ALL {
            let outcome = Outcome::Done(Some(code));
            assert_eq!(word(outcome.place()), outcome.word());
        }
    }
}
