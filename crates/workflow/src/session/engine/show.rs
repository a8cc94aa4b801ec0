//! What is shown of sessions: one, lists, statistics; and their removal.

use super::{Engine, Error};
use crate::session::detail::detail;
use crate::session::state::State;
use model::session::{SessionStats, SessionStatus, StepDetail, WorkflowSession};
use store::{SessionFilter, SessionRow};

impl Engine {
    /// One session.
    pub async fn get(&self, id: &str) -> Result<WorkflowSession, Error> {
        let (_, state) = self.0.open(id).await?;
        Ok(state.session.clone())
    }

    /// What one step of a session took and gave, as far as it is recorded.
    pub async fn step(&self, id: &str, step: usize) -> Result<StepDetail, Error> {
        let events = self.0.store.sessions().events_after(id, 0).await?;
        let events = events.ok_or_else(|| Error::NotFound(id.to_owned()))?;
        let read = events.iter().map(|text| serde_json::from_str(text)).collect::<Result<Vec<_>, _>>();
        let events = read.map_err(|error| Error::Definition(error.to_string()))?;
        Ok(detail(&events, step))
    }

    /// Sessions, newest first. One that cannot be read does not hide the others: what is known of it without its events
    /// is shown, and why there is no more.
    pub async fn list(
        &self,
        filter: SessionFilter<'_>,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<WorkflowSession>, Error> {
        let stored = self.0.store.sessions().list(filter, limit, offset).await?;
        let read = |one: store::StoredSession| match State::replay(&one.row.id, &one.events) {
            Ok(state) => state.session,
            Err(error) => unread(one.row, &error),
        };
        Ok(stored.into_iter().map(read).collect())
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

/// A session of which only the row can be read.
fn unread(row: SessionRow, error: &serde_json::Error) -> WorkflowSession {
    tracing::error!(session = row.id, reason = %error, "a session cannot be read");
    WorkflowSession {
        session_id: row.id,
        workflow_name: row.workflow,
        client_id: row.caller,
        status: SessionStatus::of(&row.status).unwrap_or_default(),
        started_at: row.started_at,
        completed_at: row.completed_at,
        parent_session_id: row.parent,
        error: Some(format!("The session cannot be read: {error}")),
        ..WorkflowSession::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::engine::{EngineOptions, Limits};
    use store::{Claim, SessionLimits};

    #[tokio::test]
    async fn a_session_that_cannot_be_read_does_not_hide_the_others() {
        let store = store::open(&store::Location::Memory).await.expect("memory");
        let (limits, clock, listener, instance) = (Limits::default(), None, None, None);
        let engine =
            Engine::new(EngineOptions { store: store.clone(), kit: None, limits, clock, listener, instance });
        let room = SessionLimits { most: 9, finished_before: 0, evict_open: false, since: None };
        let row = |id: &str| SessionRow { caller: "c".into(), ..SessionRow::started(id, "w", 5) };
        let started =
            r#"{"is":"started","at":5,"workflow":"w","definition":"d","steps":1,"caller":"c","input":{}}"#;
        for (id, event) in [("good", started), ("odd", r#"{"is":"unheard of"}"#)] {
            let made = store.sessions().create(row(id), None, vec![event.into()], room, Claim::Free).await;
            assert!(made.is_ok(), "{made:?}");
        }
        let mut listed = engine.list(SessionFilter::default(), 9, 0).await.expect("a list");
        listed.sort_by(|a, b| a.session_id.cmp(&b.session_id));
        let shown =
            |at: usize| (listed[at].session_id.as_str(), listed[at].status, listed[at].error.is_some());
        assert_eq!(shown(0), ("good", SessionStatus::Running, false));
        assert_eq!(shown(1), ("odd", SessionStatus::Running, true));
        assert_eq!((listed[1].workflow_name.as_str(), listed[1].client_id.as_str()), ("w", "c"));
    }
}
