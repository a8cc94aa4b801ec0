//! A rate that instances hold together. Each takes tokens out of the bucket in the store, a few at a time, and spends
//! them here, so that a request waits for the store only when there are none left.
//!
//! All that passes was taken out of the one bucket. Tokens that nobody spends within a second are given up, so that no
//! instance hoards what others need. While the store does not answer, each instance counts for itself.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use store::{Flow, Granted, Store};
use tokio::sync::Notify;

/// For how long tokens are good.
const HOLD: Duration = Duration::from_secs(1);

/// How long the store may take to answer.
const ANSWER: Duration = Duration::from_millis(500);

/// When a store that did not answer is asked again.
const AGAIN: Duration = Duration::from_secs(1);

/// An empty bucket is asked again no sooner than this, so that a flood does not become one of questions.
const GAP: Duration = Duration::from_millis(20);

/// Tokens that are spent within this time were too few.
const SHORT: Duration = Duration::from_millis(100);

/// One rate, as this instance has a part in it.
pub(super) struct Grants {
    store: Store,
    name: String,
    flow: Flow,
    state: Mutex<State>,
    answered: Notify,
}

/// What there is for a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Spent {
    /// A token. Where few are left, more are to be asked for.
    Token { more: bool },
    /// Nothing, for that time.
    Nothing(Duration),
    /// Nothing is known: the store is to be asked.
    Unknown,
    /// The store does not answer; where it is time, it is to be asked again.
    Away { again: bool },
}

struct State {
    tokens: u64,
    /// Until when they are good.
    good: Instant,
    /// When they came.
    came: Instant,
    /// How many are asked for, and how many at most.
    want: u64,
    most: u64,
    /// The shortest time between two questions about an empty bucket.
    gap: Duration,
    closed: Option<Instant>,
    away: Option<Instant>,
    asking: bool,
    waiting: u64,
}

impl State {
    fn new(flow: Flow, now: Instant) -> Self {
        let fits = |time: Duration| u64::try_from(time.as_nanos() / flow.each.as_nanos().max(1)).unwrap_or(1);
        Self {
            tokens: 0,
            good: now,
            came: now,
            want: 1,
            // A tenth of a second's worth.
            most: fits(SHORT).min(fits(flow.depth)).max(1),
            gap: GAP.min(flow.depth / 2),
            closed: None,
            away: None,
            asking: false,
            waiting: 0,
        }
    }

    fn spend(&mut self, now: Instant) -> Spent {
        if let Some(again) = self.away {
            return Spent::Away { again: now >= again && !self.asking };
        }
        if self.tokens > 0 && now < self.good {
            self.tokens -= 1;
            let closed = self.closed.is_some_and(|until| now < until);
            return Spent::Token {
                more: self.tokens * 2 < self.want && self.want > 1 && !closed && !self.asking,
            };
        }
        self.tokens = 0;
        match self.closed.and_then(|until| until.checked_duration_since(now)).filter(|rest| !rest.is_zero()) {
            Some(rest) => Spent::Nothing(rest),
            None => Spent::Unknown,
        }
    }

    /// How many to ask for: more when the last ones went fast, fewer when they did not.
    fn ask(&mut self, now: Instant) -> u64 {
        self.asking = true;
        let took = now.saturating_duration_since(self.came);
        if took < SHORT {
            self.want = self.want.saturating_mul(2);
        } else if took > SHORT * 5 {
            self.want = 1;
        }
        self.want = self.want.max(self.waiting).min(self.most);
        self.want
    }

    /// Takes an answer over; whether the store was away until now.
    fn take(&mut self, now: Instant, want: u64, granted: Granted) -> bool {
        self.asking = false;
        if now >= self.good {
            self.tokens = 0;
        }
        self.tokens += granted.tokens;
        (self.came, self.good) = (now, now + HOLD);
        self.closed = (granted.tokens < want).then(|| now + granted.rest.max(self.gap));
        self.away.take().is_some()
    }

    /// The store did not answer; whether that is new.
    fn fail(&mut self, now: Instant) -> bool {
        self.asking = false;
        self.away.replace(now + AGAIN).is_none()
    }
}

impl Grants {
    pub(super) fn new(store: &Store, name: String, flow: Flow) -> Arc<Self> {
        let state = Mutex::new(State::new(flow, Instant::now()));
        Arc::new(Self { store: store.clone(), name, flow, state, answered: Notify::new() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is whole, so a poisoned lock is still good.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a token, or waits for an answer of the store. `own` counts for this instance alone.
    pub(super) async fn take(
        self: &Arc<Self>,
        own: impl Fn() -> Result<(), Duration>,
    ) -> Result<(), Duration> {
        loop {
            match self.spend() {
                Spent::Token { .. } => return Ok(()),
                Spent::Nothing(rest) => return Err(rest),
                Spent::Away { .. } => return own(),
                Spent::Unknown => self.wait().await,
            }
        }
    }

    /// The same without waiting.
    pub(super) fn spend(self: &Arc<Self>) -> Spent {
        let now = Instant::now();
        let mut state = self.state();
        let spent = state.spend(now);
        if matches!(spent, Spent::Token { more: true } | Spent::Away { again: true }) {
            self.ask(&mut state, now);
        }
        spent
    }

    /// Waits for the answer to a question that is under way, or to a new one.
    async fn wait(self: &Arc<Self>) {
        let mut answered = std::pin::pin!(self.answered.notified());
        {
            let mut state = self.state();
            // From here on no answer is missed.
            answered.as_mut().enable();
            state.waiting += 1;
            if !state.asking {
                self.ask(&mut state, Instant::now());
            }
        }
        let _waits = Waits(self);
        answered.await;
    }

    /// Asks the store in a task of its own: whoever waits may leave, and the answer counts all the same.
    fn ask(self: &Arc<Self>, state: &mut State, now: Instant) {
        let (grants, want) = (Arc::clone(self), state.ask(now));
        tokio::spawn(async move {
            let answer = match grants.store.rates() {
                Some(rates) => {
                    tokio::time::timeout(ANSWER, rates.take(&grants.name, grants.flow, want)).await
                }
                None => Ok(Err(store::Error::Closed)),
            };
            let now = Instant::now();
            match answer {
                Ok(Ok(granted)) => {
                    if grants.state().take(now, want, granted) {
                        tracing::info!(
                            limit = grants.name,
                            "the store answers again, and the limit holds for all"
                        );
                    }
                }
                Ok(Err(store::Error::Closed)) => drop(grants.state().fail(now)),
                failed => {
                    if grants.state().fail(now) {
                        let reason = failed.map_or("no answer in time".to_owned(), |failed| {
                            failed.err().map(|error| error.to_string()).unwrap_or_default()
                        });
                        let limit = &grants.name;
                        tracing::warn!(
                            limit,
                            reason,
                            "the store does not answer; this instance counts for itself"
                        );
                    }
                }
            }
            grants.answered.notify_waiters();
        });
    }
}

/// Somebody who waits for an answer; dropping it counts them out.
struct Waits<'a>(&'a Grants);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.state().waiting -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(per_second: u32, burst: u32) -> (State, Instant) {
        let (each, now) = (Duration::from_secs(1) / per_second, Instant::now());
        (State::new(Flow { each, depth: each * burst }, now), now)
    }

    fn granted(tokens: u64, ms: u64) -> Granted {
        Granted { tokens, rest: Duration::from_millis(ms) }
    }

    #[test]
    fn tokens_are_spent_here_and_more_are_asked_for_before_they_end() {
        let (mut state, now) = state(1000, 1000);
        assert_eq!(state.spend(now), Spent::Unknown);
        let wants: Vec<u64> = (0..8)
            .map(|_| {
                let want = state.ask(now);
                state.take(now, want, granted(want, 0));
                state.tokens = 0;
                want
            })
            .collect();
        assert_eq!(wants, [2, 4, 8, 16, 32, 64, 100, 100], "no more than a tenth of a second's worth");
        state.take(now, 4, granted(4, 0));
        state.want = 4;
        let more = |state: &mut State| matches!(state.spend(now), Spent::Token { more: true });
        assert_eq!([more(&mut state), more(&mut state), more(&mut state)], [false, false, true]);
        assert_eq!(state.ask(now + Duration::from_secs(2)), 1, "after a pause it begins anew");
    }

    #[test]
    fn tokens_that_nobody_spends_are_given_up() {
        let (mut state, now) = state(100, 100);
        state.take(now, 10, granted(10, 0));
        assert_eq!(state.spend(now + Duration::from_millis(900)), Spent::Token { more: false });
        assert_eq!(state.spend(now + HOLD), Spent::Unknown);
        state.take(now + HOLD, 1, granted(1, 0));
        assert_eq!(state.tokens, 1);
    }

    #[test]
    fn an_empty_bucket_is_left_alone_until_there_is_something_in_it() {
        let (mut state, now) = state(1, 1);
        state.take(now, 1, granted(0, 700));
        let later = |ms: u64| now + Duration::from_millis(ms);
        assert_eq!(state.spend(later(200)), Spent::Nothing(Duration::from_millis(500)));
        assert_eq!(state.spend(later(700)), Spent::Unknown);
        let (mut fast, now) = self::state(10_000, 10_000);
        fast.take(now, 5, granted(4, 0));
        (0..4).for_each(|_| assert_eq!(fast.spend(now), Spent::Token { more: false }));
        assert_eq!(fast.spend(now), Spent::Nothing(GAP));
    }

    #[test]
    fn a_store_that_does_not_answer_is_asked_again_now_and_then() {
        let (mut state, now) = state(10, 10);
        state.ask(now);
        assert!(state.fail(now), "it is told once");
        assert_eq!(state.spend(now), Spent::Away { again: false });
        assert_eq!(state.spend(now + AGAIN), Spent::Away { again: true });
        state.ask(now + AGAIN);
        assert_eq!(state.spend(now + AGAIN), Spent::Away { again: false }, "one asks");
        assert!(!state.fail(now + AGAIN));
        assert!(state.take(now + AGAIN * 2, 1, granted(1, 0)), "it is back");
        assert!(matches!(state.spend(now + AGAIN * 2), Spent::Token { .. }));
    }
}
