//! What was refused, folded: refusals of one client for one reason within a second are one entry with a count, so
//! that a flood of them fills neither the queue nor the disk.

use model::Code;
use serde_json::json;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::AuditDraft;
use tokio::time::Instant;

/// For how long refusals are gathered.
const GATHER: Duration = Duration::from_secs(1);

/// How many clients are told apart at a time; the others are one.
const CLIENTS_MAX: usize = 64;

/// How many different subjects one entry names.
const SUBJECTS_MAX: usize = 8;

/// The most characters of a name that somebody made up.
const NAME_MAX: usize = 200;

/// Something that was refused.
pub(super) struct Refusal<'a> {
    /// `call`, or `refusal` for one at the door.
    pub(super) kind: &'static str,
    pub(super) who: &'a str,
    pub(super) source: Option<IpAddr>,
    pub(super) method: &'a str,
    pub(super) code: Code,
    /// The HTTP status, where the entry tells it.
    pub(super) status: Option<u16>,
}

/// Refusals that wait to become entries.
#[derive(Default)]
pub(super) struct Folds(Mutex<State>);

#[derive(Default)]
struct State {
    folds: HashMap<Key, Fold>,
    due: Option<Instant>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    kind: &'static str,
    who: String,
    source: Option<IpAddr>,
    code: Code,
}

struct Fold {
    at: i64,
    count: u64,
    method: String,
    status: Option<u16>,
    subjects: Vec<String>,
}

impl Folds {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a refusal; whether it is the first that waits. Its subject is asked for where it may be told.
    pub(super) fn add(&self, refusal: &Refusal<'_>, subject: impl FnOnce() -> String) -> bool {
        let Refusal { kind, who, source, method, code, status } = *refusal;
        let mut state = self.state();
        let mut key = Key { kind, who: short(who), source, code };
        if state.folds.len() >= CLIENTS_MAX && !state.folds.contains_key(&key) {
            key = Key { who: String::new(), source: None, ..key };
        }
        let fresh = || Fold {
            at: crate::hooks::now(),
            count: 0,
            method: short(method),
            status,
            subjects: Vec::new(),
        };
        let fold = state.folds.entry(key).or_insert_with(fresh);
        fold.count += 1;
        if fold.subjects.len() < SUBJECTS_MAX {
            let subject = short(&subject());
            if !fold.subjects.contains(&subject) {
                fold.subjects.push(subject);
            }
        }
        let first = state.due.is_none();
        state.due.get_or_insert_with(|| Instant::now() + GATHER);
        first
    }

    /// When those that wait must become entries.
    pub(super) fn due(&self) -> Option<Instant> {
        self.state().due
    }

    /// The entries of those that wait, in the order in which they began.
    pub(super) fn take(&self) -> Vec<AuditDraft> {
        let state = std::mem::take(&mut *self.state());
        let mut drafts: Vec<_> = state.folds.into_iter().map(|(key, fold)| fold.draft(key)).collect();
        drafts.sort_by_key(|draft| draft.at);
        drafts
    }
}

impl Fold {
    fn draft(mut self, key: Key) -> AuditDraft {
        let mut body = json!({"method": self.method, "outcome": key.code.name(), "count": self.count});
        if let Some(status) = self.status {
            body["status"] = status.into();
        }
        if let Some(source) = key.source {
            body["source"] = source.to_string().into();
        }
        if self.subjects.len() > 1 {
            body["subjects"] = json!(self.subjects);
        }
        let subject = if self.subjects.is_empty() { String::new() } else { self.subjects.swap_remove(0) };
        AuditDraft { at: self.at, kind: key.kind.into(), who: key.who, subject, body: body.to_string() }
    }
}

fn short(name: &str) -> String {
    name.chars().take(NAME_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(who: &str, code: Code) -> Refusal<'_> {
        Refusal { kind: "call", who, source: None, method: "tools/call", code, status: None }
    }

    fn told(drafts: &[AuditDraft]) -> Vec<String> {
        let mut all: Vec<_> =
            drafts.iter().map(|draft| format!("{} {} {}", draft.who, draft.subject, draft.body)).collect();
        all.sort();
        all
    }

    #[tokio::test]
    async fn refusals_of_one_client_for_one_reason_are_one_entry() {
        let folds = Folds::default();
        assert!(folds.add(&refusal("ann", Code::RateLimited), || "s/a".into()), "the first of all");
        for subject in ["s/a", "s/b", "s/a"] {
            assert!(!folds.add(&refusal("ann", Code::RateLimited), || subject.into()));
        }
        folds.add(&refusal("ann", Code::ToolNotFound), || "x".repeat(5000));
        folds.add(&refusal("bob", Code::RateLimited), || "s/a".into());
        assert_eq!(
            told(&folds.take()),
            [
                r#"ann s/a {"method":"tools/call","outcome":"RATE_LIMITED","count":4,"subjects":["s/a","s/b"]}"#
                    .to_owned(),
                format!(
                    r#"ann {} {{"method":"tools/call","outcome":"TOOL_NOT_FOUND","count":1}}"#,
                    "x".repeat(NAME_MAX)
                ),
                r#"bob s/a {"method":"tools/call","outcome":"RATE_LIMITED","count":1}"#.to_owned(),
            ]
        );
        assert!(folds.take().is_empty() && folds.due().is_none());
    }

    #[tokio::test]
    async fn a_flood_of_names_leaves_a_bounded_number_of_entries_and_an_exact_count() {
        let folds = Folds::default();
        for n in 0..10_000 {
            folds.add(&refusal(&format!("client-{n}"), Code::ToolNotFound), || format!("tool-{n}"));
        }
        let drafts = folds.take();
        assert_eq!(drafts.len(), CLIENTS_MAX + 1);
        let counts = drafts.iter().map(|draft| {
            let body: serde_json::Value = serde_json::from_str(&draft.body).expect("JSON");
            body["count"].as_u64().expect("a count")
        });
        assert_eq!(counts.sum::<u64>(), 10_000);
    }
}
