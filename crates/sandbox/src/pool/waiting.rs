//! Whoever waits for what comes of a job.

use super::{Answer, Heir, Line};
use std::sync::Arc;
use tokio::sync::oneshot;

/// Somebody waits for what comes of a job, wherever it is sent. Dropped before that is there, it is left to an heir:
/// with the worker that has the job, or at once where none has it.
pub(super) struct Waiting<'a> {
    heir: Option<&'a (dyn Fn() -> Option<Heir> + Send + Sync)>,
    sent: Option<Sent>,
}

/// A job that a worker has.
struct Sent {
    line: Arc<Line>,
    number: u64,
    answer: oneshot::Receiver<Answer>,
}

impl<'a> Waiting<'a> {
    pub(super) fn new(heir: &'a (dyn Fn() -> Option<Heir> + Send + Sync)) -> Self {
        Self { heir: Some(heir), sent: None }
    }

    /// The answer of a worker that was sent the job under this number.
    pub(super) async fn answer(
        &mut self,
        line: &Arc<Line>,
        (number, answer): (u64, oneshot::Receiver<Answer>),
    ) -> Result<Answer, oneshot::error::RecvError> {
        let sent = self.sent.insert(Sent { line: Arc::clone(line), number, answer });
        let answer = (&mut sent.answer).await;
        self.sent = None;
        answer
    }

    /// It is there, or never will be.
    pub(super) fn over(mut self) {
        self.heir = None;
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let Some(heir) = self.heir.and_then(|heir| heir()) else { return };
        match self.sent.take() {
            Some(Sent { line, number, mut answer }) => line.bequeath(number, &mut answer, heir),
            None => heir(None),
        }
    }
}
