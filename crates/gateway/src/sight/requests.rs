//! The log of the last requests: who asked for what, when, and what came of it; never what was sent or answered.

use super::{CANCELLED, Way};
use crate::gateway::Gateway;
use crate::hooks::Mark;
use crate::told::Told;
use model::{Code, Fault};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast;

/// How many requests one answer has at most, and by default.
const LIMIT_MAX: usize = 500;
const LIMIT: usize = 50;

/// How many requests a slow listener may lag behind.
const LAG_MAX: usize = 256;

/// One request as the log shows it.
#[derive(Clone, Debug, Default, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestView {
    /// Its number; numbers grow.
    pub id: u64,
    /// When it ended, in milliseconds since 1970.
    pub at: u64,
    /// `rest`, `http`, `sse` or `stdio`.
    pub way: &'static str,
    /// The client id.
    pub client: String,
    /// Its method.
    pub method: String,
    /// The server it went to.
    pub server: Option<String>,
    /// The tool that was called.
    pub tool: Option<String>,
    /// `ok`, a code, or `CANCELLED`.
    pub outcome: &'static str,
    /// How long it took, in microseconds.
    pub duration_us: u64,
    /// How long its server took, in microseconds; `null` when none was asked.
    pub server_us: Option<u64>,
    /// How long hooks and nodes took, with the way to their worker and back, in microseconds.
    pub hooks_us: u64,
    /// The hooks that ran.
    pub hooks: Vec<Mark>,
    /// The trace it belongs to, where it was traced or the client named one.
    pub trace_id: Option<String>,
}

/// Which requests are wanted. Everything that is given must fit.
#[derive(Clone, Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", default)]
#[into_params(parameter_in = Query)]
pub struct RequestQuery {
    /// Only those that went to this server.
    pub server: Option<String>,
    /// Only calls of this tool.
    pub tool: Option<String>,
    /// Only those of this method.
    pub method: Option<String>,
    /// Only those of this client.
    pub client: Option<String>,
    /// Only those that came in this way: `rest`, `http`, `sse` or `stdio`.
    pub way: Option<String>,
    /// `ok`, `error` for all that failed, or one code.
    pub outcome: Option<String>,
    /// Only the one that belongs to this trace.
    pub trace_id: Option<String>,
    /// Only those with this text in client, method, server, tool or outcome, in any case.
    pub text: Option<String>,
    /// Only those that took at least so many milliseconds.
    pub slower: Option<u64>,
    /// Only those older than the one of this number: the `next` of the answer before.
    pub before: Option<u64>,
    /// At most so many: 1 to 500, 50 by default.
    pub limit: Option<usize>,
}

/// Some requests, the newest first.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct RequestPage {
    /// The requests.
    pub requests: Vec<RequestView>,
    /// What `before` must be for older ones; `null` when there are none.
    pub next: Option<u64>,
}

/// The last requests.
pub(super) struct Requests {
    keep: AtomicUsize,
    ring: Mutex<Ring>,
    finished: broadcast::Sender<Arc<Told<Arc<RequestView>>>>,
}

#[derive(Default)]
struct Ring {
    newest: u64,
    kept: VecDeque<Arc<RequestView>>,
}

impl Default for Requests {
    fn default() -> Self {
        Self { keep: AtomicUsize::new(0), ring: Mutex::default(), finished: broadcast::channel(LAG_MAX).0 }
    }
}

impl Requests {
    /// Keeps so many from now on.
    pub(super) fn keep(&self, keep: u64) {
        let keep = usize::try_from(keep).unwrap_or(usize::MAX);
        self.keep.store(keep, Relaxed);
        let mut ring = self.ring();
        let over = ring.kept.len().saturating_sub(keep);
        ring.kept.drain(..over);
        ring.kept.shrink_to(keep);
    }

    /// Adds one, which is filled in only when it is kept or heard of, and in the place of the oldest where that goes.
    pub(super) fn add(&self, fill: impl FnOnce(&mut RequestView)) {
        let keep = self.keep.load(Relaxed);
        let heard = self.finished.receiver_count() > 0;
        if keep == 0 && !heard {
            return;
        }
        let oldest = {
            let mut ring = self.ring();
            if ring.kept.len() >= keep { ring.kept.pop_front() } else { None }
        };
        // One that somebody still reads stays as it is.
        let mut view = oldest.filter(|view| Arc::strong_count(view) == 1).unwrap_or_default();
        fill(Arc::make_mut(&mut view));
        let mut ring = self.ring();
        ring.newest += 1;
        Arc::make_mut(&mut view).id = ring.newest;
        if keep > 0 {
            ring.kept.push_back(Arc::clone(&view));
        }
        let over = if ring.kept.len() > keep { ring.kept.pop_front() } else { None };
        drop(ring);
        drop(over);
        if heard {
            let _ = self.finished.send(Told::new(view));
        }
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, query: &RequestQuery, limit: usize) -> RequestPage {
        let text = query.text.as_deref().map(str::to_lowercase);
        // Looked through outside of the lock; what is kept is shared.
        let kept: Vec<Arc<RequestView>> = self.ring().kept.iter().cloned().collect();
        let older = kept.iter().rev().filter(|view| query.before.is_none_or(|before| view.id < before));
        let mut found = older.filter(|view| query.fits(view, text.as_deref()));
        let requests: Vec<_> = found.by_ref().take(limit).map(|view| RequestView::clone(view)).collect();
        let next = found.next().and(requests.last()).map(|last| last.id);
        RequestPage { requests, next }
    }
}

impl RequestQuery {
    /// Refuses words that no request has.
    fn check(&self) -> Result<(), Fault> {
        let one_of = |field: &str, given: &Option<String>, words: &[&str]| match given.as_deref() {
            Some(word) if !words.contains(&word) => {
                let message = format!("{field} must be one of {}", words.join(", "));
                Err(Fault::new(Code::ValidationError, message).with("field", field))
            }
            _ => Ok(()),
        };
        one_of("way", &self.way, &Way::ALL.map(Way::as_str))?;
        let outcomes: Vec<&str> =
            ["ok", "error", CANCELLED].into_iter().chain(Code::ALL.map(|code| code.name())).collect();
        one_of("outcome", &self.outcome, &outcomes)
    }

    fn fits(&self, view: &RequestView, text: Option<&str>) -> bool {
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        let ended = match self.outcome.as_deref() {
            Some("error") => view.outcome != "ok",
            Some(word) => view.outcome == word,
            None => true,
        };
        let words = [
            Some(view.client.as_str()),
            Some(view.method.as_str()),
            view.server.as_deref(),
            view.tool.as_deref(),
        ];
        let holds = |text: &str| {
            let mut all = words.into_iter().flatten().chain([view.outcome]);
            all.any(|word| word.to_lowercase().contains(text))
        };
        ended
            && is(&self.server, view.server.as_deref())
            && is(&self.tool, view.tool.as_deref())
            && is(&self.method, Some(&view.method))
            && is(&self.client, Some(&view.client))
            && is(&self.way, Some(view.way))
            && is(&self.trace_id, view.trace_id.as_deref())
            && self.slower.is_none_or(|ms| view.duration_us >= ms.saturating_mul(1000))
            && text.is_none_or(holds)
    }
}

impl Gateway {
    /// The last requests that fit, the newest first.
    pub fn requests(&self, query: &RequestQuery) -> Result<RequestPage, Fault> {
        let limit = query.limit.unwrap_or(LIMIT);
        if !(1..=LIMIT_MAX).contains(&limit) {
            let message = format!("limit must be between 1 and {LIMIT_MAX}");
            return Err(Fault::new(Code::ValidationError, message).with("field", "limit"));
        }
        query.check()?;
        Ok(self.sight.requests.find(query, limit))
    }

    /// Requests as they end, from now on.
    pub fn requests_finished(&self) -> broadcast::Receiver<Arc<Told<Arc<RequestView>>>> {
        self.sight.requests.finished.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(tool: &str, outcome: &'static str, us: u64) -> impl FnOnce(&mut RequestView) {
        move |view| {
            *view = RequestView {
                way: "rest",
                client: "Desk".into(),
                method: "tools/call".into(),
                server: Some("s".into()),
                tool: Some(tool.into()),
                outcome,
                duration_us: us,
                ..RequestView::default()
            }
        }
    }

    fn found(requests: &Requests, query: &RequestQuery) -> (Vec<u64>, Option<u64>) {
        let page = requests.find(query, query.limit.unwrap_or(LIMIT));
        (page.requests.iter().map(|view| view.id).collect(), page.next)
    }

    #[test]
    fn the_last_are_kept_and_found_by_what_they_are() {
        let requests = Requests::default();
        requests.add(view("a", "ok", 1));
        requests.keep(4);
        for (tool, outcome, us) in [
            ("a", "ok", 1),
            ("b", "ok", 5_000),
            ("a", "TIMEOUT_ERROR", 9_000),
            ("c", "ok", 1),
            ("a", "ok", 1),
        ] {
            requests.add(view(tool, outcome, us));
        }
        let any = RequestQuery::default;
        assert_eq!(found(&requests, &any()), (vec![5, 4, 3, 2], None), "four of five; the first was before");
        assert_eq!(found(&requests, &RequestQuery { tool: Some("a".into()), ..any() }).0, [5, 3]);
        assert_eq!(found(&requests, &RequestQuery { outcome: Some("error".into()), ..any() }).0, [3]);
        assert_eq!(found(&requests, &RequestQuery { outcome: Some("ok".into()), ..any() }).0, [5, 4, 2]);
        assert_eq!(found(&requests, &RequestQuery { slower: Some(5), ..any() }).0, [3, 2]);
        assert_eq!(found(&requests, &RequestQuery { text: Some("timeout".into()), ..any() }).0, [3]);
        assert_eq!(found(&requests, &RequestQuery { text: Some("DESK".into()), ..any() }).0.len(), 4);
        assert_eq!(found(&requests, &RequestQuery { client: Some("desk".into()), ..any() }).0.len(), 0);
        requests.keep(1);
        assert_eq!(found(&requests, &any()), (vec![5], None));
    }

    #[test]
    fn a_word_that_no_request_has_is_refused() {
        let check = |way: Option<&str>, outcome: Option<&str>| {
            let [way, outcome] = [way, outcome].map(|word| word.map(str::to_owned));
            RequestQuery { way, outcome, ..RequestQuery::default() }.check().err().map(|fault| fault.message)
        };
        for way in Way::ALL {
            assert_eq!(check(Some(way.as_str()), None), None);
        }
        for outcome in ["ok", "error", "CANCELLED"].into_iter().chain(Code::ALL.map(|code| code.name())) {
            assert_eq!(check(None, Some(outcome)), None, "{outcome}");
        }
        let way = check(Some("foo"), None).unwrap_or_default();
        assert_eq!(way, "way must be one of rest, http, sse, stdio");
        let outcome = check(None, Some("bogus")).unwrap_or_default();
        assert!(
            outcome.starts_with("outcome must be one of ok, error, CANCELLED, VALIDATION_ERROR,"),
            "{outcome}"
        );
    }

    #[test]
    fn pages_follow_one_another_without_a_gap() {
        let requests = Requests::default();
        requests.keep(100);
        (0..10).for_each(|_| requests.add(view("a", "ok", 1)));
        let page =
            |before| found(&requests, &RequestQuery { before, limit: Some(4), ..RequestQuery::default() });
        assert_eq!(page(None), (vec![10, 9, 8, 7], Some(7)));
        assert_eq!(page(Some(7)), (vec![6, 5, 4, 3], Some(3)));
        assert_eq!(page(Some(3)), (vec![2, 1], None));
    }
}
