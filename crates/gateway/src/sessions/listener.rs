//! Tells the rest of the gateway what happens to sessions.

use crate::metrics::Histogram;
use model::session::{SessionStatus, WorkflowSession};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tokio::sync::{broadcast, mpsc};
use workflow::session::{Listen, News, kind_of};

/// A session that is another than before.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionMoved {
    /// Its id.
    pub session_id: String,
    /// The name of the workflow.
    pub workflow_name: String,
    /// Where it stands.
    pub status: SessionStatus,
    /// The last step that was run.
    pub current_step: usize,
    /// How many steps there are.
    pub total_steps: usize,
    /// Whether it waits for somebody or something.
    pub waiting: bool,
    /// How many records of it there are: of two moves of one session the one with more is the newer.
    pub records: u64,
}

impl SessionMoved {
    fn of(session: &WorkflowSession, records: u64) -> Self {
        Self {
            session_id: session.session_id.clone(),
            workflow_name: session.workflow_name.clone(),
            status: session.status,
            current_step: session.current_step,
            total_steps: session.total_steps,
            waiting: session.waiting.is_some(),
            records,
        }
    }
}

/// Passes news of sessions on to the log and to whoever listens.
pub(super) struct Listener {
    /// Hears of every move.
    pub(super) moved: broadcast::Sender<SessionMoved>,
    /// Hears of every end.
    pub(super) finished: mpsc::UnboundedSender<SessionMoved>,
    /// Counts.
    pub(super) tally: Arc<SessionTally>,
}

/// Steps and ends of sessions since the gateway started.
#[derive(Debug, Default)]
pub struct SessionTally {
    steps: [AtomicU64; 2],
    times: Histogram,
    ends: [AtomicU64; SessionStatus::ALL.len()],
}

impl SessionTally {
    fn step(&self, took: i64, failed: bool) {
        self.steps[usize::from(failed)].fetch_add(1, Relaxed);
        self.times.record(Duration::from_millis(u64::try_from(took).unwrap_or_default()));
    }

    /// Steps by outcome.
    pub fn steps(&self) -> [(&'static str, u64); 2] {
        [("ok", self.steps[0].load(Relaxed)), ("error", self.steps[1].load(Relaxed))]
    }

    /// How long steps took.
    pub fn times(&self) -> &Histogram {
        &self.times
    }

    /// Sessions that ended, by how.
    pub fn ends(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let all = SessionStatus::ALL.into_iter().zip(&self.ends);
        all.filter(|(status, _)| !status.is_open())
            .map(|(status, count)| (status.name(), count.load(Relaxed)))
    }
}

impl Listen for Listener {
    fn hear(&self, news: &News<'_>) {
        match news {
            News::Began { .. } => {}
            News::Ended { session, activity, took, error, .. } => {
                self.tally.step(*took, error.is_some());
                // The error itself may hold what the step was given, or what a server answered (spec 1.15).
                let error = error.map(kind_of);
                tracing::info!(sessionId = session, activity, duration_ms = took, error, "step");
            }
            News::Changed { session, events } => {
                if !session.status.is_open() {
                    self.tally.ends[session.status as usize].fetch_add(1, Relaxed);
                    let _ = self.finished.send(SessionMoved::of(session, *events));
                }
                if self.moved.receiver_count() > 0 {
                    let _ = self.moved.send(SessionMoved::of(session, *events));
                }
            }
        }
    }
}
