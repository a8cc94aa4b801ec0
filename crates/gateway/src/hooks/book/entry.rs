//! One hook, ready to run, with what is known of its past.

use super::tally::{HookStats, Tally};
use model::{Hook, OnError};
use sandbox::{Limit, Report, Script, ScriptError, Verdict};
use serde::Serialize;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// So many failures in a row trip a hook whose failures count for nothing.
const TRIP_AFTER: u32 = 10;

/// For so many milliseconds one is passed over that used up a budget each time; then it gets another chance.
const TRIP_MS: i64 = 30_000;

/// A hook as calls run it.
pub(crate) struct Entry {
    /// The definition.
    pub(crate) hook: Hook,
    /// Its script; the same one as long as name and text are the same.
    pub(crate) script: Arc<Script>,
    tally: Arc<Tally>,
    streak: Arc<Streak>,
}

/// Failures in a row. A hook whose failures count for nothing (`onError: continue`) is tripped by too many, which is
/// shown. It goes on running, for it may fail on the calls of one client and block those of another; only one that used
/// up its time or memory each time is passed over for a while, because that costs everybody. A hook with `stop` is a
/// guard; it goes on refusing.
#[derive(Default)]
pub(super) struct Streak {
    failures: AtomicU32,
    /// Those among them, the last ones in a row, that used up a budget.
    spent: AtomicU32,
    /// Until when it is passed over, in milliseconds since 1970.
    passed_until: AtomicI64,
    last: Mutex<Option<LastError>>,
}

/// The last failure of a hook.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastError {
    /// `SCRIPT_ERROR`, `TIMEOUT` or `EXECUTION_ERROR`.
    pub code: String,
    /// What went wrong.
    pub message: String,
    /// Where in the script, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Where in that line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

impl Entry {
    pub(super) fn new(hook: Hook) -> Arc<Self> {
        let script = Script::new(hook.name.as_str(), hook.script.as_str());
        Arc::new(Self { hook, script, tally: Arc::default(), streak: Arc::default() })
    }

    /// The same hook after an edit.
    pub(super) fn with(&self, hook: Hook, streak: Streak) -> Arc<Self> {
        let same = hook.script == self.hook.script && hook.name == self.hook.name;
        let script =
            if same { self.script.clone() } else { Script::new(hook.name.as_str(), hook.script.as_str()) };
        Arc::new(Self { hook, script, tally: self.tally.clone(), streak: Arc::new(streak) })
    }

    /// The same hook in another place.
    pub(super) fn moved(&self, hook: Hook) -> Arc<Self> {
        let (script, tally, streak) = (self.script.clone(), self.tally.clone(), self.streak.clone());
        Arc::new(Self { hook, script, tally, streak })
    }

    /// Notes how an execution ended.
    pub(crate) fn note(&self, report: &Report) {
        self.tally.record(report);
        match &report.verdict {
            Verdict::Failed(error) => self.note_failure(error),
            _ => self.streak.end(),
        }
    }

    /// Notes how an execution for a node of a graph ended. It has no part in whether the list passes the hook over.
    pub(crate) fn note_as_module(&self, report: &Report) {
        self.tally.record(report);
        if let Verdict::Failed(error) = &report.verdict {
            self.keep(error);
        }
    }

    fn keep(&self, error: &ScriptError) {
        *self.last() = Some(LastError {
            code: error.code.name().to_owned(),
            message: error.message.clone(),
            line: error.line,
            column: error.column,
            at: now(),
        });
    }

    fn note_failure(&self, error: &ScriptError) {
        self.keep(error);
        let (failures, spent) = self.streak.add(error);
        if self.hook.on_error == OnError::Stop {
            return;
        }
        // Of those that see it at once, one says so.
        let passed = spent >= TRIP_AFTER && self.streak.passed_until.swap(now() + TRIP_MS, Relaxed) <= now();
        let what = match failures {
            _ if passed => "used up its time or memory each time and is passed over for 30 seconds",
            TRIP_AFTER if spent < TRIP_AFTER => "goes on running",
            _ => return,
        };
        tracing::warn!(
            hook = self.hook.name,
            hookId = self.hook.id,
            code = error.code.name(),
            reason = error.message,
            "the hook failed {TRIP_AFTER} times in a row; it {what}"
        );
    }

    /// Whether it failed so often in a row that somebody should look.
    pub(crate) fn is_tripped(&self) -> bool {
        self.hook.on_error == OnError::Continue && self.streak.failures.load(Relaxed) >= TRIP_AFTER
    }

    /// Whether it used up a budget so often in a row that it does not run now.
    pub(crate) fn is_passed_over(&self) -> bool {
        let until = self.streak.passed_until.load(Relaxed);
        until != 0 && now() < until
    }

    /// Forgets its failures, so that it runs again.
    pub(crate) fn reset(&self) {
        self.streak.end();
        self.streak.passed_until.store(0, Relaxed);
        *self.last() = None;
    }

    pub(crate) fn last_error(&self) -> Option<LastError> {
        self.last().clone()
    }

    pub(crate) fn stats(&self) -> HookStats {
        self.tally.stats()
    }

    pub(crate) fn tally(&self) -> Arc<Tally> {
        self.tally.clone()
    }

    fn last(&self) -> std::sync::MutexGuard<'_, Option<LastError>> {
        // The value is replaced whole, so a poisoned lock is still good.
        self.streak.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Streak {
    /// Adds a failure. Says how many there were in a row, and how many of the last ones used up a budget.
    fn add(&self, error: &ScriptError) -> (u32, u32) {
        let failures = self.failures.fetch_add(1, Relaxed).saturating_add(1);
        let spent = match error.limit {
            Some(Limit::Time | Limit::Memory) => self.spent.fetch_add(1, Relaxed).saturating_add(1),
            _ => {
                self.spent.store(0, Relaxed);
                0
            }
        };
        (failures, spent)
    }

    fn end(&self) {
        self.failures.store(0, Relaxed);
        self.spent.store(0, Relaxed);
    }
}

/// Milliseconds since 1970; 0 on a clock set before that.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
