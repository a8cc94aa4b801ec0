//! The attempts of one member of a step, and their time.

use super::close::Cut;
use super::live::Live;
use super::work::{Task, key};
use super::{Error, Inner};
use crate::session::activity::{Activity, ActivityContext, ActivityResult};
use crate::session::event::Event;
use crate::session::execution::{attempt, closing, note_attempts, settle, timed_out};
use crate::session::kinds::WAITS;
use crate::session::state::{Tried, Work};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

impl Inner {
    /// Attempts until one succeeds or the last one allowed fails. Each failure, the time of the next attempt and its
    /// beginning are recorded, so that a restart goes on from there. One whose time was over, and that may have taken
    /// effect all the same, makes it `late`.
    pub(super) async fn attempts(
        &self,
        live: &Arc<Live>,
        task: &Task<'_>,
        input: Option<Value>,
        tried: Tried,
        late: &mut bool,
    ) -> Result<(ActivityResult, ActivityContext), Error> {
        let began = Instant::now();
        let (activity, schemas) = (&*task.member.activity, &task.member.schemas);
        let mut first = self.context(task.plan, task.state, task.index, key(task.state, task.index, task.at));
        first.input = input;
        let work = task.state.work.as_ref().filter(|_| task.recorded);
        let child = work.and_then(|work| work.nested.get(&task.at));
        first.child = child.map(|child| child.session.clone());
        let mut until = match child {
            Some(child) => child.until,
            // The session of an attempt goes on after a restart, and so does its time.
            None => work.filter(|work| work.tries > 1).and_then(|work| task.until(work)),
        };
        let left = until.map(|until| u64::try_from(until.saturating_sub(self.now())).unwrap_or(0));
        first.left = left.filter(|_| child.is_none()).map(Duration::from_millis);
        let Some(retry) = activity.retry() else {
            let result = attempt(activity, schemas, &mut first).await;
            told(&mut first)?;
            *late = is_late(activity, &result);
            let result = self.in_time(live, task, &first, until, result).await?;
            return Ok((settled(live, task, &first, result).await, first));
        };
        let Tried { attempts: mut done, mut begun, .. } = tried;
        loop {
            if done > 0 && first.child.is_none() && !std::mem::take(&mut begun) {
                let retried = Event::Retried { at: self.now(), member: task.at };
                Box::pin(self.note(live, task.state, retried)).await?;
            }
            let mut context = ActivityContext { attempt: done, ..first.clone() };
            // What ran as this step before was the attempt that is under way; the next one begins anew.
            (first.child, first.left) = (None, None);
            let result = attempt(activity, schemas, &mut context).await;
            told(&mut context)?;
            *late |= is_late(activity, &result);
            let mut result = self.in_time(live, task, &context, until.take(), result).await?;
            if result.metadata.contains_key(WAITS) {
                return Ok((result, context));
            }
            done += 1;
            if retry.hooks_per_attempt {
                note_attempts(&mut result, done);
                result = settled(live, task, &context, result).await;
            }
            if result.success || done >= retry.max_attempts {
                result = closing(result, done, began.elapsed());
                if !retry.hooks_per_attempt {
                    result = settled(live, task, &context, result).await;
                }
                return Ok((result, context));
            }
            let at = self.now();
            let next = at.saturating_add(i64::try_from(retry.wait(done)).unwrap_or(i64::MAX));
            let error = result.message().to_owned();
            let failing = Event::Failing { at, member: task.at, attempts: done, error, next, late: *late };
            Box::pin(self.note(live, task.state, failing)).await?;
            live.tries_again(task.at);
            self.until(next).await;
        }
    }

    /// What came of an attempt. A session that still waits when the time of the attempt is over, or is still at work,
    /// ends with it, unless another instance took the step up: what runs as it is that one's then.
    async fn in_time(
        &self,
        live: &Live,
        task: &Task<'_>,
        context: &ActivityContext,
        until: Option<i64>,
        result: ActivityResult,
    ) -> Result<ActivityResult, Error> {
        let activity = &task.member.activity;
        let (Some(limit), Some(_)) = (activity.timeout(), activity.nested()) else { return Ok(result) };
        let error = timed_out(limit.as_millis());
        if result.error.as_deref() == Some(&error) {
            Box::pin(self.surely_at(live, task.state)).await?;
            let attempt = (context.key.as_str(), context.attempt);
            self.end_attempt(task.state, &**activity, attempt, Cut::Fail(error)).await;
            return Ok(result);
        }
        let session = result.metadata.get(WAITS).and_then(Value::as_str).map(str::to_owned);
        let (Some(session), Some(inner)) = (session, self.me.upgrade()) else { return Ok(result) };
        if until.is_none_or(|until| until > self.now()) {
            return Ok(result);
        }
        Box::pin(self.surely_at(live, task.state)).await?;
        inner.end_child(session, Cut::Fail(error.clone())).await;
        let mut metadata = result.metadata;
        metadata.remove(WAITS);
        Ok(ActivityResult { metadata, ..ActivityResult::failure(error) })
    }
}

/// Calls the callbacks of an execution, which nobody does again.
async fn settled(
    live: &Live,
    task: &Task<'_>,
    context: &ActivityContext,
    result: ActivityResult,
) -> ActivityResult {
    // A session that waits has not ended yet.
    if !result.metadata.contains_key(WAITS) {
        live.tells(task.at);
    }
    settle(&*task.member.activity, context, result).await
}

/// Whether anybody can tell what came of an execution; if not, nothing came of it yet.
pub(super) fn told(context: &mut ActivityContext) -> Result<(), Error> {
    context.unknown.take().map_or(Ok(()), Err)
}

/// Whether the time of an attempt was over before it ended. A session that ran as it was ended with it.
fn is_late(activity: &dyn Activity, result: &ActivityResult) -> bool {
    let over = activity.timeout().map(|limit| timed_out(limit.as_millis()));
    activity.nested().is_none() && over.is_some() && result.error == over
}

impl Task<'_> {
    /// When the time of the session that runs as it is over.
    fn until(&self, work: &Work) -> Option<i64> {
        let activity = &self.member.activity;
        activity.nested().and_then(|_| work.until(self.at, activity.timeout()?))
    }
}
