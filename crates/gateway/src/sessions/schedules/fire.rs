//! The timer of schedules, by the clock on which all instances agree. A time is started under a key of its own before
//! the schedule moves on to the next one, so that it fires once, however many processes look at it and wherever one of
//! them ends.

use super::schedule::{Missed, Schedule};
use super::{caller, read};
use crate::caller::Caller;
use crate::carried::Failure;
use crate::gateway::Gateway;
use crate::reply::fault_of;
use crate::sessions::own::Way;
use model::session::Face;
use serde_json::{Map, Value, json};
use std::sync::OnceLock;
use std::time::Duration;
use store::{Outage, StoredSchedule};
use workflow::session::{Error, Reply, Start, Steps};

/// How often schedules are looked at when none is near: another process may have added one.
const LOOK: Duration = Duration::from_secs(2);

/// When a time that could not be used is tried again.
const AGAIN: Duration = Duration::from_secs(5);

/// How many schedules fire at one look.
const BATCH: usize = 256;

/// A time that was noticed so late, in milliseconds, counts as missed: the machine slept.
const LATE: i64 = 60_000;

/// A time of a schedule, on its way as a call.
pub(in crate::sessions) struct Time {
    schedule: String,
    tick: i64,
    /// The session that was started, or why it could not be; nothing where the call never came so far.
    started: OnceLock<Result<String, Error>>,
}

/// What is done at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// A session is started, unless the last one must end first.
    Start,
    /// It passes: nobody was there.
    Pass,
}

/// What became of a time.
enum Used {
    /// It started a session, or passes as it was meant to.
    Yes,
    /// It passes unused, for this reason.
    No(String),
    /// It must be tried again; where something is in the way, this is it.
    NotYet(Option<String>),
}

/// What is to be done at a time that is due now. The gateway is up since a moment.
fn turn(schedule: &Schedule, tick: i64, since: i64, now: i64) -> Turn {
    let missed = tick < since || now.saturating_sub(tick) > LATE;
    if missed && schedule.missed == Missed::Skip { Turn::Pass } else { Turn::Start }
}

impl Gateway {
    /// Starts sessions at their times, until the future is dropped.
    pub(in crate::sessions) async fn keep_schedules(&self) {
        let uptime = i64::try_from(self.uptime().as_millis()).unwrap_or(i64::MAX);
        let since = self.sessions.engine.now().saturating_sub(uptime);
        let mut outage = Outage::default();
        loop {
            let wait = match self.fire_due(since).await {
                Ok(wait) => {
                    outage.over("schedules can be read again");
                    wait
                }
                Err(error) => {
                    outage.failed(&error, "schedules cannot be read");
                    AGAIN
                }
            };
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.sessions.schedules.changed.notified() => {}
            }
        }
    }

    /// Fires what is due, and says when to look again.
    async fn fire_due(&self, since: i64) -> Result<Duration, store::Error> {
        let _changing = self.sessions.schedules.changing.lock().await;
        let schedules = self.store.schedules();
        let mut settled = true;
        for stored in schedules.due(self.sessions.engine.now(), BATCH).await? {
            settled &= self.fire(&stored, since).await?;
        }
        if !settled {
            return Ok(AGAIN);
        }
        let all = schedules.list().await?;
        let next = all.iter().filter(|one| !one.paused).filter_map(|one| one.next).min();
        let now = self.sessions.engine.now();
        let near = next.map(|next| u64::try_from(next.saturating_sub(now)).unwrap_or(0));
        Ok(near.map_or(LOOK, |ms| Duration::from_millis(ms).min(LOOK)))
    }

    /// Uses the time of one schedule, or lets it pass; false when it must be tried again.
    async fn fire(&self, stored: &StoredSchedule, since: i64) -> Result<bool, store::Error> {
        let Some(tick) = stored.next else { return Ok(true) };
        let now = self.sessions.engine.now();
        let readable = read(stored).and_then(|one| one.timing(stored.created_at).map(|timing| (one, timing)));
        let (next, refused) = match readable {
            Ok((schedule, timing)) => {
                match self.use_time(stored, &schedule, tick, turn(&schedule, tick, since, now)).await {
                    Used::Yes => (timing.next(now), None),
                    Used::No(reason) => (timing.next(now), Some(reason)),
                    Used::NotYet(reason) => {
                        if reason.is_some() && reason != stored.refused {
                            let (id, again) = (&stored.id, Some(tick));
                            self.store.schedules().advance(id, tick, again, reason.as_deref()).await?;
                        }
                        return Ok(false);
                    }
                }
            }
            Err(fault) => {
                let reason = fault.message;
                tracing::error!(schedule = stored.id, reason, "a schedule cannot be used; it fires no more");
                (None, Some(reason))
            }
        };
        self.store.schedules().advance(&stored.id, tick, next, refused.as_deref()).await?;
        Ok(true)
    }

    /// Starts the session of a time.
    async fn use_time(&self, stored: &StoredSchedule, schedule: &Schedule, tick: i64, turn: Turn) -> Used {
        let (id, workflow) = (stored.id.as_str(), schedule.workflow_name.as_str());
        if turn == Turn::Pass {
            tracing::info!(schedule = id, workflow, "a time that was missed is skipped");
            return Used::Yes;
        }
        match self.last_session(id).await {
            Ok(Some(last)) if !schedule.overlap && last.status.is_open() => {
                let session = last.session_id;
                tracing::info!(
                    schedule = id,
                    workflow,
                    session,
                    "a time passes, because the last session is open"
                );
                return Used::Yes;
            }
            Ok(_) => {}
            Err(_) => return Used::NotYet(None),
        }
        let time = Time { schedule: id.to_owned(), tick, started: OnceLock::new() };
        let refused = self.call_start(workflow, schedule, &time).await;
        match time.started.into_inner() {
            None => {
                let reason =
                    refused.unwrap_or_else(|| "The start was answered in its place; no session began".into());
                tracing::warn!(schedule = id, workflow, reason, "a time of a schedule passes unused");
                Used::No(reason)
            }
            Some(Ok(session)) => {
                tracing::info!(schedule = id, workflow, session, "a schedule starts a session");
                Used::Yes
            }
            Some(Err(
                error @ (Error::NoWorkflow(_) | Error::Definition(_) | Error::NotFound(_) | Error::TooDeep),
            )) => {
                tracing::warn!(schedule = id, workflow, reason = %error, "a time of a schedule passes unused");
                Used::No(error.to_string())
            }
            Some(Err(
                error @ (Error::Full(_)
                | Error::Overtaken
                | Error::Stopping
                | Error::Store(_)
                | Error::Unread(_)
                | Error::Unrecorded(_)
                | Error::Away(_)),
            )) => {
                tracing::error!(schedule = id, workflow, reason = %error, "a schedule could not start its session yet");
                Used::NotYet(Some(error.to_string()))
            }
        }
    }

    /// Calls the start of a workflow as anybody would; says why that was refused.
    async fn call_start(&self, workflow: &str, schedule: &Schedule, time: &Time) -> Option<String> {
        let client = caller(&time.schedule);
        let tool = Face::Start.tool(workflow);
        let params = json!({"name": tool, "arguments": schedule.input}).to_string();
        let way = Way {
            caller: Caller::new(Some(&client)),
            ear: None,
            desk: Some((workflow, Face::Start)),
            time: Some(time),
        };
        match self.call_own_by(way, &params).await.outcome {
            Ok(_) => None,
            Err(Failure::Fault(fault)) => Some(fault.message),
            Err(Failure::Rpc(error)) => Some(fault_of(&error, "", &tool).message),
        }
    }

    /// Starts the session of a time, once hooks and graph have let the call pass. Nobody waits for its steps.
    pub(in crate::sessions) async fn start_at(
        &self,
        workflow: &str,
        time: &Time,
        input: Map<String, Value>,
    ) -> Reply {
        let Time { schedule: id, tick, started } = time;
        let start = Start {
            client_id: caller(id),
            input: Value::Object(input),
            key: Some(format!("schedule:{id}:{tick}")),
            steps: Steps::All,
            schedule: Some(id.clone()),
            ..Start::default()
        };
        let begun = self.sessions.engine.start_detached(workflow, start).await;
        let begun = begun.map(|session| session.session_id);
        let reply = match &begun {
            Ok(session) => Reply {
                structured: Some(json!({"sessionId": session})),
                ..Reply::text(format!("Workflow {workflow} with session ID {session} has been started."))
            },
            Err(error) => Reply::error(error.to_string()),
        };
        // A call comes here once.
        let _ = started.set(begun);
        reply
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_was_missed_passes_or_is_made_up() {
        let with = |missed: &str| {
            Schedule::parse(&format!(r#"{{"workflowName": "w", "everyMs": 1000, "missed": "{missed}"}}"#))
                .expect("a schedule")
        };
        let up = 1_000_000;
        for (tick, now, skip) in [
            (up + 500, up + 501, Turn::Start),
            (up, up, Turn::Start),
            (up - 1, up + 1, Turn::Pass),
            (up + 1, up + 1 + LATE, Turn::Start),
            (up + 1, up + 2 + LATE, Turn::Pass),
        ] {
            assert_eq!(turn(&with("skip"), tick, up, now), skip, "{tick} at {now}");
            assert_eq!(turn(&with("once"), tick, up, now), Turn::Start, "{tick} at {now}");
        }
    }
}
