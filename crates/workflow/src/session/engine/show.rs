//! What is shown of sessions: one, lists, statistics; and their removal.

use super::{Engine, Error};
use crate::session::detail::detail;
use crate::session::state::State;
use model::session::{SessionStats, SessionStatus, StepDetail, WorkflowSession};
use store::SessionFilter;

impl Engine {
    /// One session.
    pub async fn get(&self, id: &str) -> Result<WorkflowSession, Error> {
        let (_, state) = self.0.open(id).await?;
        Ok(state.session.clone())
    }

    /// The step that a session of this caller stands at.
    pub async fn stands_at(
        &self,
        workflow: Option<&str>,
        client: Option<&str>,
        id: &str,
    ) -> Result<usize, Error> {
        let (_, state) = self.0.owned(workflow, client, id).await?;
        Ok(state.work.as_ref().map_or(state.next, |work| work.step))
    }

    /// What one step of a session took and gave, as far as it is recorded.
    pub async fn step(&self, id: &str, step: usize) -> Result<StepDetail, Error> {
        let events = self.0.store.sessions().events_after(id, 0).await?;
        let events = events.ok_or_else(|| Error::NotFound(id.to_owned()))?;
        let read = events.iter().map(|text| serde_json::from_str(text)).collect::<Result<Vec<_>, _>>();
        let events = read.map_err(|error| Error::Definition(error.to_string()))?;
        Ok(detail(&events, step))
    }

    /// Sessions, newest first.
    pub async fn list(
        &self,
        filter: SessionFilter<'_>,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<WorkflowSession>, Error> {
        let stored = self.0.store.sessions().list(filter, limit, offset).await?;
        let read = |one: store::StoredSession| {
            State::replay(&one.row.id, &one.events)
                .map(|state| state.session)
                .map_err(|error| Error::Definition(error.to_string()))
        };
        stored.into_iter().map(read).collect()
    }

    /// How many sessions there are.
    pub async fn count(&self, filter: SessionFilter<'_>) -> Result<u64, Error> {
        Ok(self.0.store.sessions().count(filter).await?)
    }

    /// How many sessions there are, by status and by workflow.
    pub async fn stats(&self) -> Result<SessionStats, Error> {
        let mut stats = SessionStats::default();
        for status in SessionStatus::ALL {
            stats.by_status.insert(status, 0);
        }
        for (workflow, status, count) in self.0.store.sessions().stats().await? {
            stats.total += count;
            *stats.by_workflow.entry(workflow).or_default() += count;
            if let Some(status) = SessionStatus::of(&status) {
                *stats.by_status.entry(status).or_default() += count;
            }
        }
        Ok(stats)
    }

    /// Removes finished sessions that are older than the limits say; the number removed.
    pub async fn clean_up(&self) -> Result<u64, Error> {
        let ttl = i64::try_from(self.0.limits().session_ttl_ms).unwrap_or(i64::MAX);
        let before = self.0.now().saturating_sub(ttl);
        Ok(self.0.store.sessions().cleanup(before, None, &[]).await?)
    }

    /// Removes one session, whatever it is doing.
    pub async fn delete(&self, id: &str) -> Result<bool, Error> {
        let removed = self.0.store.sessions().delete(id).await?;
        self.0.lives.forget(id);
        Ok(removed)
    }
}
