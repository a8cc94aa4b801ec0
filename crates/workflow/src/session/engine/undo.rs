//! What is undone before a session ends: the steps that have something to undo them with, the last one first.

use super::attempts::told;
use super::close::Cut;
use super::live::{Draft, Live};
use super::work::key;
use super::{Error, Inner};
use crate::session::activity::Activity;
use crate::session::event::Event;
use crate::session::execution::timed_out;
use crate::session::kinds::{UNDO, WAITS};
use crate::session::plan::{Member, Plan};
use crate::session::state::{Done, State};
use serde_json::{Value, json};
use std::sync::Arc;

/// What came of undoing one step.
enum Came {
    /// It was undone, or why not.
    Ended(Option<String>),
    /// What undoes it runs as a session that waits.
    Waits(String),
}

impl Inner {
    /// Undoes steps in reverse order, recording each. It goes on after a restart where it was. Where what undoes a
    /// step waits, or what ran as a step is still being undone, this stops, and goes on when that has ended.
    pub(super) async fn undo(&self, live: &Arc<Live>, plan: &Arc<Plan>) -> Result<(), Error> {
        if !self.end_cut_step(plan, &*self.recorded(live).await?).await? {
            return Ok(());
        }
        loop {
            let state = self.recorded(live).await?;
            let Some(undo) = &state.undo else { return Ok(()) };
            let Some(position) = undo.left.last() else { return Ok(()) };
            let done = Arc::clone(state.done.get(*position).ok_or(Error::Overtaken)?);
            let member = member_of(plan, &done);
            let began = undo.waits.as_ref().map_or_else(|| self.now(), |(since, _)| *since);
            let with = member.and_then(|member| member.compensate.as_ref()).map(|(activity, _)| activity);
            let error = match with {
                None => Some("There is nothing to undo it with".to_owned()),
                Some(activity) => match self.undo_one(plan, &state, &done, &**activity).await? {
                    Came::Ended(error) => error,
                    Came::Waits(session) => {
                        return self.undo_later(live, state, &**activity, (began, session)).await;
                    }
                },
            };
            let activity = with.or(member.map(|member| &member.activity));
            let activity = activity.map(|activity| activity.name().to_owned()).unwrap_or_default();
            let (at, step, member) = (self.now().max(began), done.step, done.member);
            let mut draft = Draft::of(state);
            draft.push(Event::Undone { began, at, step, member, activity, error });
            let state = self.settle(live, draft).await?;
            if state.undo.is_none() {
                self.tell_end(plan, &state).await;
                return Ok(());
            }
        }
    }

    /// What runs as the step that was cut short is the latest work, and ends before anything is undone; says whether
    /// it has. The session that undoes the next step may have been begun already, and goes on.
    async fn end_cut_step(&self, plan: &Plan, state: &State) -> Result<bool, Error> {
        let Some(undo) = state.undo.as_ref().filter(|undo| undo.waits.is_none()) else { return Ok(true) };
        let mut undoing = Vec::new();
        if let Some(done) = undo.left.last().and_then(|position| state.done.get(*position))
            && let Some((activity, _)) = member_of(plan, done).and_then(|member| member.compensate.as_ref())
        {
            let key = undo_key(state, done);
            for attempt in 0.. {
                let Some(id) = self.session_of_attempt(state, &**activity, (&key, attempt)).await? else {
                    break;
                };
                undoing.push(id);
            }
        }
        let id = &state.session.session_id;
        for child in self.children_ending(id, &Cut::of(state), &undoing).await {
            let _ = child.await;
        }
        for child in self.open_children(id, &undoing).await {
            // Somebody else undoes its steps, since before a restart, or what undoes one of them waits: its end wakes
            // this one.
            if self.open(&child).await.is_ok_and(|(_, child)| child.undo.is_some()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Runs what undoes one step, or looks how far the session came that does.
    async fn undo_one(
        &self,
        plan: &Plan,
        state: &State,
        done: &Done,
        activity: &dyn Activity,
    ) -> Result<Came, Error> {
        let mut context = self.context(plan, state, done.step, undo_key(state, done));
        context.input = Some(json!({"input": done.input, "output": done.data}));
        let waits = state.undo.as_ref().and_then(|undo| undo.waits.as_ref());
        context.child = waits.map(|(_, child)| child.session.clone());
        let result = self.unless_leaving(activity.execute_with_retry(&mut context)).await?;
        told(&mut context)?;
        Ok(match result.metadata.get(WAITS).and_then(Value::as_str) {
            Some(session) => Came::Waits(session.to_owned()),
            None => Came::Ended((!result.success).then(|| result.message().to_owned())),
        })
    }

    /// Records which session is waited for, until its time is over: then it is ended, which is looked at next.
    async fn undo_later(
        &self,
        live: &Arc<Live>,
        state: Arc<State>,
        activity: &dyn Activity,
        (began, session): (i64, String),
    ) -> Result<(), Error> {
        let limit = activity.timeout();
        let waits = state.undo.as_ref().and_then(|undo| undo.waits.as_ref());
        if let Some((_, known)) = waits.filter(|(_, known)| known.session == session) {
            let over = known.until.is_some_and(|until| until <= self.now());
            if let (true, Some(limit), Some(inner)) = (over, limit, self.me.upgrade()) {
                inner.end_child(session.clone(), Cut::Fail(timed_out(limit.as_millis()))).await;
                // It may have to undo steps of its own first: its end is waited for, and no time any more.
                let state = self.recorded(live).await?;
                let waits = state.undo.as_ref().and_then(|undo| undo.waits.as_ref());
                if waits.is_some_and(|(_, known)| known.session == session && known.until.is_some()) {
                    return self.undo_waits(live, state, activity, (began, session), None).await;
                }
            }
            return Ok(());
        }
        let most = limit.and_then(|limit| i64::try_from(limit.as_millis()).ok());
        let until = most.and_then(|most| self.now().checked_add(most));
        self.undo_waits(live, state, activity, (began, session), until).await
    }

    async fn undo_waits(
        &self,
        live: &Arc<Live>,
        state: Arc<State>,
        activity: &dyn Activity,
        (began, session): (i64, String),
        until: Option<i64>,
    ) -> Result<(), Error> {
        let member = state.undo.as_ref().and_then(|undo| undo.left.last());
        let member = member.and_then(|at| state.done.get(*at)).map_or(0, |done| done.member);
        let activity = activity.name().to_owned();
        let mut draft = Draft::of(state);
        draft.push(Event::Nested { at: began, member, activity, session, until });
        let state = self.commit(live, draft).await?;
        self.look_at_children(&state);
        Ok(())
    }
}

fn member_of<'a>(plan: &'a Plan, done: &Done) -> Option<&'a Member> {
    plan.steps.get(done.step)?.members.get(done.member)
}

/// Names what undoes a step.
fn undo_key(state: &State, done: &Done) -> String {
    key(state, done.step, done.member) + UNDO
}
