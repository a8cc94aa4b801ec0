//! Sessions as tasks: started without waiting for their steps, and asked about later.

use super::advance::{but_last, with_earlier};
use super::live::Draft;
use super::{Engine, Error, Start};
use crate::session::reply::{self, Reply};
use model::session::WorkflowSession;
use serde_json::Map;
use std::sync::Arc;

impl Engine {
    /// Records a session and returns; its steps follow by themselves. A repeated start with the same key gives the
    /// session of the first.
    pub async fn start_detached(&self, workflow: &str, mut start: Start) -> Result<WorkflowSession, Error> {
        let plan = self.find(workflow).ok_or_else(|| Error::NoWorkflow(workflow.to_owned()))?;
        start.ear = None;
        let inner = Arc::clone(&self.0);
        if inner.is_hosted() {
            return inner.detach_hosted(&plan, start).await;
        }
        let live = inner.lives.get(&super::entry::new_id());
        let turn = Arc::clone(&live.turn).lock_owned().await;
        let state = match inner.created(&live, &plan, start, false).await? {
            Ok(state) => state,
            Err(first) => return self.get(&first).await,
        };
        let session = state.session.clone();
        tokio::spawn(async move {
            let _turn = turn;
            let done = inner.advance(&live, &plan, Draft::of(state), Map::new()).await;
            if let Err(error) = done {
                tracing::error!(session = live.id, reason = %error, "a session that was started could not go on");
            }
        });
        Ok(session)
    }

    /// A session of this caller, and what the call that started it was answered with, once that is over; nothing is
    /// where it was cancelled before.
    pub async fn task(&self, client: &str, id: &str) -> Result<(WorkflowSession, Option<Reply>), Error> {
        let (_, state) = self.0.owned(None, Some(client), id).await?;
        let plan = self.0.plan_of(&state.definition).await?;
        let ran = state.first_answers();
        let reply = ran.last().map(|answer| reply::of_answer(&plan, &state, answer));
        let reply = reply.map(|reply| with_earlier(reply, but_last(&ran)));
        Ok((state.session.clone(), reply))
    }
}
