//! The start times of session workflows (spec 5.2): what the admin API does with them. The store keeps the next time
//! of each, and [`fire`] starts the sessions.

mod cron;
mod fire;
mod schedule;
mod timing;

pub(super) use fire::Time;
pub use schedule::{Missed, Schedule};

use super::faults::{self, wrong};
use crate::caller::Caller;
use crate::cluster::Setback;
use crate::gateway::{Gateway, unread, unstored};
use crate::hooks::fresh_id;
use crate::hub::News;
use model::session::{SessionStatus, WorkflowSession};
use model::{Code, Fault};
use serde::Serialize;
use store::{Counts, SessionFilter, StoredSchedule};
use tokio::sync::{Mutex, Notify};

/// How many of the next times are shown.
const SHOWN: usize = 5;

/// How many sessions are looked at together for the last one that a schedule started.
const PAGE: usize = 20;

/// The most schedules.
const MOST: usize = 1000;

/// What the timer of schedules and the admin API share.
#[derive(Default)]
pub(super) struct Timer {
    /// Wakes the timer when a schedule is another than before.
    changed: Notify,
    /// Held while schedules change or fire.
    changing: Mutex<()>,
}

/// A schedule as the admin API shows it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleView {
    /// Given by the gateway.
    pub id: String,
    /// When it starts what.
    #[serde(flatten)]
    pub schedule: Schedule,
    /// The next times, in milliseconds since 1970; none while it is paused and when there are no more.
    pub next: Vec<i64>,
    /// The last session that it started, as long as that is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_session: Option<LastSession>,
    /// Why its times would pass unused, or the last one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When it was created, in milliseconds since 1970.
    pub created_at: i64,
    /// When it was last changed, in milliseconds since 1970; a start is no change.
    pub updated_at: i64,
}

/// The last session that a schedule started.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastSession {
    /// Its id.
    pub session_id: String,
    /// Where it stands.
    pub status: SessionStatus,
    /// When it was started, in milliseconds since 1970.
    pub started_at: i64,
}

/// Who starts the sessions of a schedule.
fn caller(id: &str) -> String {
    format!("schedule:{id}")
}

impl Gateway {
    /// Every schedule, in the order of creation.
    pub async fn schedules(&self) -> Result<Vec<ScheduleView>, Fault> {
        let stored = self.store.schedules().list().await.map_err(|error| unread(&error))?;
        let mut views = Vec::with_capacity(stored.len());
        for one in &stored {
            views.push(self.schedule_view(one).await?);
        }
        Ok(views)
    }

    /// One schedule.
    pub async fn schedule(&self, id: &str) -> Result<ScheduleView, Fault> {
        self.schedule_view(&self.kept_schedule(id).await?).await
    }

    /// Keeps a new schedule, of a workflow that the caller may start: when it fires, nobody is asked.
    pub async fn create_schedule(&self, caller: Caller<'_>, body: &str) -> Result<ScheduleView, Fault> {
        let schedule = &Schedule::parse(body)?;
        self.check_start(&caller, &schedule.workflow_name)?;
        let kept = self.settle(|since| async move {
            self.check_workflow(schedule)?;
            let _changing = self.sessions.schedules.changing.lock().await;
            let count = self.store.schedules().list().await.map_err(|error| unstored(&error))?.len();
            if count >= MOST {
                let message = format!("There are {MOST} schedules, the most there may be; delete some");
                return Err(faults::conflict(message).into());
            }
            let now = self.sessions.engine.now();
            let next = first(schedule, now, now)?;
            self.keep_schedule(since, stored(fresh_id(), schedule, next, (now, now), None)).await
        });
        self.schedule_view(&kept.await?).await
    }

    /// Changes the fields that the body names; null takes one away. Times that passed while it was paused, or before
    /// its times were changed, are not made up.
    pub async fn change_schedule(
        &self,
        caller: Caller<'_>,
        id: &str,
        body: &str,
    ) -> Result<ScheduleView, Fault> {
        let kept = self.settle(|since| async move {
            let _changing = self.sessions.schedules.changing.lock().await;
            let kept = self.kept_schedule(id).await?;
            let before = read(&kept)?;
            let after = before.patched(body)?;
            // Whoever may not start it may still hold it, and leaves what it will start as it is.
            let held = Schedule { paused: true, ..before.clone() };
            if after != held {
                self.check_start(&caller, &after.workflow_name)?;
            }
            if after.workflow_name != before.workflow_name {
                self.check_workflow(&after)?;
            }
            let now = self.sessions.engine.now();
            let next = match (after.retimed(&before), before.paused && !after.paused) {
                (true, _) => first(&after, kept.created_at, now)?,
                (false, true) => after.timing(kept.created_at)?.next(now),
                (false, false) => kept.next,
            };
            let updated = now.max(kept.updated_at.saturating_add(1));
            let times = (kept.created_at, updated);
            self.keep_schedule(since, stored(kept.id, &after, next, times, kept.refused)).await
        });
        self.schedule_view(&kept.await?).await
    }

    /// Forgets a schedule; the sessions that it started stay.
    pub async fn remove_schedule(&self, id: &str) -> Result<(), Fault> {
        let _changing = self.sessions.schedules.changing.lock().await;
        if !self.store.schedules().delete(id).await.map_err(|error| unstored(&error))? {
            return Err(unknown(id));
        }
        self.around.hub.tell(News::Workflows);
        Ok(())
    }

    async fn kept_schedule(&self, id: &str) -> Result<StoredSchedule, Fault> {
        let kept = self.store.schedules().get(id).await.map_err(|error| unstored(&error))?;
        kept.ok_or_else(|| unknown(id))
    }

    async fn keep_schedule(&self, since: Counts, stored: StoredSchedule) -> Result<StoredSchedule, Setback> {
        let kept = self.store.schedules().since(since).put(stored.clone()).await;
        kept.map_err(|error| Setback::of(error, |error| unstored(&error)))?;
        self.sessions.schedules.changed.notify_one();
        self.around.hub.tell(News::Workflows);
        Ok(stored)
    }

    /// Lets the timer look at the schedules: another instance changed them.
    pub(crate) fn schedules_changed(&self) {
        self.sessions.schedules.changed.notify_one();
    }

    fn check_workflow(&self, schedule: &Schedule) -> Result<(), Fault> {
        match self.inactive(&schedule.workflow_name) {
            Some(reason) => Err(wrong("workflowName", format!("workflowName: {reason}"))),
            None => Ok(()),
        }
    }

    fn inactive(&self, workflow: &str) -> Option<String> {
        let missing = self.sessions.engine.find(workflow).is_none();
        missing.then(|| format!("There is no active session workflow '{workflow}'"))
    }

    async fn schedule_view(&self, stored: &StoredSchedule) -> Result<ScheduleView, Fault> {
        let schedule = read(stored)?;
        let mut next = Vec::new();
        if let Some(first) = stored.next.filter(|_| !stored.paused) {
            let timing = schedule.timing(stored.created_at)?;
            next.push(first);
            next.extend(timing.following(first.max(self.sessions.engine.now()), SHOWN - 1));
        }
        let last = self.last_session(&stored.id).await?;
        Ok(ScheduleView {
            id: stored.id.clone(),
            reason: self.inactive(&schedule.workflow_name).or_else(|| stored.refused.clone()),
            schedule,
            next,
            last_session: last.map(|last| LastSession {
                session_id: last.session_id,
                status: last.status,
                started_at: last.started_at,
            }),
            created_at: stored.created_at,
            updated_at: stored.updated_at,
        })
    }

    /// The last session that a schedule started. Those that run as steps of its sessions are in its name too, and are
    /// newer than the ones that run them.
    async fn last_session(&self, id: &str) -> Result<Option<WorkflowSession>, Fault> {
        let caller = caller(id);
        let filter = SessionFilter { caller: Some(&caller), ..SessionFilter::default() };
        let mut seen = 0;
        loop {
            let page = self.sessions.engine.list(filter, PAGE, seen).await.map_err(faults::of)?;
            let is_last = page.len() < PAGE;
            seen += page.len();
            let found = page.into_iter().find(|one| one.parent_session_id.is_none());
            if found.is_some() || is_last {
                return Ok(found);
            }
        }
    }
}

/// The first time of a schedule; one that never comes is refused.
fn first(schedule: &Schedule, from: i64, now: i64) -> Result<Option<i64>, Fault> {
    match schedule.timing(from)?.next(now) {
        None if schedule.at.is_some() => Err(wrong("at", "at must be in the future")),
        None => Err(wrong("cron", "cron names a time that never comes")),
        next => Ok(next),
    }
}

fn stored(
    id: String,
    schedule: &Schedule,
    next: Option<i64>,
    (created, updated): (i64, i64),
    refused: Option<String>,
) -> StoredSchedule {
    StoredSchedule {
        id,
        workflow: schedule.workflow_name.clone(),
        body: serde_json::to_string(schedule).expect("a schedule is plain data"),
        next,
        paused: schedule.paused,
        created_at: created,
        updated_at: updated,
        refused,
    }
}

fn read(stored: &StoredSchedule) -> Result<Schedule, Fault> {
    serde_json::from_str(&stored.body).map_err(|error| {
        tracing::error!(schedule = stored.id, reason = %error, "a stored schedule cannot be read");
        Fault::new(Code::InternalError, "A stored schedule cannot be read; delete it")
            .with("id", stored.id.as_str())
    })
}

fn unknown(id: &str) -> Fault {
    Fault::new(Code::NotFound, format!("Schedule '{id}' not found")).with("id", id)
}
