//! Tells the rest of the gateway what happens to sessions.

use model::session::{SessionStatus, WorkflowSession};
use serde::Serialize;
use tokio::sync::{broadcast, mpsc};
use workflow::session::{Listen, News};

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
}

impl SessionMoved {
    fn of(session: &WorkflowSession) -> Self {
        Self {
            session_id: session.session_id.clone(),
            workflow_name: session.workflow_name.clone(),
            status: session.status,
            current_step: session.current_step,
            total_steps: session.total_steps,
            waiting: session.waiting.is_some(),
        }
    }
}

/// Passes news of sessions on to the log and to whoever listens.
pub(super) struct Listener {
    /// Hears of every move.
    pub(super) moved: broadcast::Sender<SessionMoved>,
    /// Hears of every end.
    pub(super) finished: mpsc::UnboundedSender<SessionMoved>,
}

impl Listen for Listener {
    fn hear(&self, news: &News<'_>) {
        match news {
            News::Began { .. } => {}
            News::Ended { session, activity, took, error, .. } => {
                tracing::info!(sessionId = session, activity, duration_ms = took, error, "step");
            }
            News::Changed(session) => {
                if !session.status.is_open() {
                    let _ = self.finished.send(SessionMoved::of(session));
                }
                if self.moved.receiver_count() > 0 {
                    let _ = self.moved.send(SessionMoved::of(session));
                }
            }
        }
    }
}
