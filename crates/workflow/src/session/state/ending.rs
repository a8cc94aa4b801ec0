//! How a session ends, and what is undone before it does.

use super::{Answer, Child, State, Undo};
use crate::session::event::Event;
use model::session::{Compensation, SessionStatus, StepExecution, Waiting};
use serde_json::Value;
use std::sync::Arc;

impl State {
    pub(super) fn completed(&mut self, at: i64) {
        if self.first_open() < self.next || self.judged {
            // The last steps were passed over.
            self.answered(Answer::unrun(self.first_open(), None, None));
        }
        self.close(at, SessionStatus::Completed, None, &[]);
    }

    pub(super) fn failed(&mut self, at: i64, step: usize, error: &str, undo: &[usize]) {
        if self.answers.last().is_none_or(|answer| answer.step != Some(step)) {
            self.answered(Answer::unrun(self.first_open(), Some(step), Some(error.to_owned())));
        }
        self.close(at, SessionStatus::Failed, Some(error), undo);
    }

    /// The end, or the steps that are undone before it.
    pub(super) fn close(&mut self, at: i64, status: SessionStatus, error: Option<&str>, undo: &[usize]) {
        // Members of a group that have ended did so, whatever became of the others.
        if let Some(work) = self.work.take() {
            if work.ended.values().any(|one| one.doubtful) {
                self.session.current_step = work.step;
            }
            work.ended.iter().for_each(|(member, one)| self.remember(work.step, *member, one, None));
        }
        (self.work, self.hold, self.session.waiting, self.session.running) = (None, None, None, None);
        if let Some(since) = self.running_since.take() {
            self.active_ms = self.active_ms.saturating_add(at.saturating_sub(since).max(0));
        }
        let error = error.map(str::to_owned);
        if undo.is_empty() {
            (self.session.status, self.session.error) = (status, error);
            self.session.completed_at = Some(at);
            return;
        }
        self.session.compensation = Some(Compensation::default());
        self.undo = Some(Undo { left: undo.to_vec(), status, error, waits: None });
    }

    /// What undoes a step runs as a session that waits.
    pub(super) fn undo_waits(&mut self, at: i64, child: Child) {
        let Some(undo) = &mut self.undo else { return };
        let done = undo.left.last().and_then(|position| self.done.get(*position));
        self.session.waiting = done.map(|done| Waiting::Session {
            step_index: done.step,
            activity_name: child.activity.clone(),
            session_id: child.session.clone(),
            session_ids: Vec::new(),
        });
        let since = undo.waits.take().map_or(at, |(since, _)| since);
        undo.waits = Some((since, child));
    }

    pub(super) fn undone(&mut self, event: &Event) {
        let Event::Undone { began, at, step, activity, error, .. } = event else { return };
        let Some(undo) = &mut self.undo else { return };
        undo.left.pop();
        (undo.waits, self.session.waiting) = (None, None);
        self.session.history.push(StepExecution {
            step_index: *step,
            activity_name: activity.clone(),
            started_at: *began,
            completed_at: *at,
            success: error.is_none(),
            error: error.clone(),
            branch_options: None,
            compensation: true,
        });
        // A group is undone when all of its members are.
        let told = self.session.compensation.get_or_insert_default();
        let list = if error.is_none() { &mut told.undone } else { &mut told.failed };
        list.extend((list.last() != Some(step)).then_some(*step));
        told.undone.retain(|step| !told.failed.contains(step));
        if undo.left.is_empty() {
            told.complete = told.failed.is_empty();
            (self.session.status, self.session.error) = (undo.status, undo.error.take());
            self.session.completed_at = Some(*at);
            self.undo = None;
        }
    }

    /// Whether the reply of the call that gave this answer was what the session waits for now. Where steps are undone it
    /// told of the failure before them.
    pub(crate) fn waits_since(&self, answer: &Arc<Answer>) -> bool {
        let is_last = self.answers.last().is_some_and(|last| Arc::ptr_eq(last, answer));
        let waits = self.session.waiting.is_some() && self.undo.is_none();
        is_last && waits && (self.reached || self.following)
    }

    /// The answers of the call that started it, once that is over: it ran as far as it was to, or to the end of the
    /// session. Whatever is done with the session after that, they stay.
    pub(crate) fn first_answers(&self) -> Vec<Arc<Answer>> {
        let ended = matches!(self.session.status, SessionStatus::Completed | SessionStatus::Failed);
        let count = self.first_call.or(ended.then_some(self.answers.len())).unwrap_or(0);
        self.answers.iter().take(count).cloned().collect()
    }
}

impl Answer {
    /// The answer of a call that ran no step to its end.
    fn unrun(first: usize, step: Option<usize>, error: Option<String>) -> Self {
        Self {
            first,
            step,
            name: String::new(),
            group: Vec::new(),
            data: Value::Null,
            error,
            optional: false,
            offers: Vec::new(),
            follows: false,
        }
    }
}
