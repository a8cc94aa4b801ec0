//! New sessions, as they are recorded.

use super::entry::Start;
use super::live::Live;
use super::{Error, Inner, check_levels};
use crate::session::event::{Event, Started};
use crate::session::plan::Plan;
use crate::session::state::State;
use model::{Workflow, WorkflowType};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use store::{Area, Created, SessionLimits};

impl Inner {
    /// Records a new session; an error is the id of the one that was made with the same key before.
    pub(super) async fn created(
        &self,
        live: &Live,
        plan: &Plan,
        start: Start,
        pending: bool,
    ) -> Result<Result<Arc<State>, String>, Error> {
        check_levels([&start.input])?;
        let now = self.now();
        let started = Started {
            at: now,
            workflow: plan.name().to_owned(),
            definition: plan.hash.clone(),
            steps: plan.steps.len(),
            caller: start.client_id,
            input: start.input,
            timeout: plan.procedure.timeout,
            active: plan.counts_active_time(),
            parent: start.parent,
            schedule: start.schedule,
            version: plan.version,
            pending,
            more: start.steps.more(),
            whole: start.whole,
        };
        let mut state = State::default();
        state.session.session_id.clone_from(&live.id);
        let event = Event::Started(Box::new(started));
        state.apply(&event);
        self.keep_definition(plan).await?;
        let room = self.room();
        live.mine.store(state.at_work(), Ordering::Relaxed);
        let made = self.made(plan, &state, start.key, event.text(), room).await;
        if let Ok(Created::Made) = made {
            let state = Arc::new(state);
            self.adopt(live, Arc::clone(&state)).await;
            return Ok(Ok(state));
        }
        self.lives.forget(&live.id);
        match made? {
            Created::Exists(first) => Ok(Err(first)),
            Created::Made | Created::Full => Err(Error::Full(room.most)),
        }
    }

    /// Records a new session, unless its workflow was taken out of the store, or got another name there: whoever did
    /// that saw no session of it. What others changed last may not be known here.
    async fn made(
        &self,
        plan: &Plan,
        state: &State,
        key: Option<String>,
        event: String,
        room: SessionLimits,
    ) -> Result<Created, Error> {
        // Only those that the store keeps have a version there.
        let mut since = match plan.version.is_some() {
            true => Some(self.count_offering(plan.name()).await?),
            false => None,
        };
        loop {
            let (room, claim) = (SessionLimits { since, ..room }, self.claim_for(&State::default(), state));
            match self.make(state.row(), key.clone(), vec![event.clone()], room, claim).await {
                // Whoever kept the first record has looked for the workflow anew.
                Err(store::Error::Moved) if self.is_hosted() => {
                    return Err(Error::NoWorkflow(plan.name().to_owned()));
                }
                Err(store::Error::Moved) => since = Some(Box::pin(self.count_with(plan.name())).await?),
                made => return Ok(made?),
            }
        }
    }

    /// How often the workflows of the store were changed, when what is offered was read.
    async fn count_offering(&self, workflow: &str) -> Result<u64, Error> {
        // Offers change before the count does: one that is still there now is in what was counted.
        let count = self.counted.load(Ordering::Acquire);
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner).contains_key(workflow);
        if current { Ok(count) } else { Box::pin(self.count_with(workflow)).await }
    }

    /// How often the workflows of the store were changed, while there is one of that name.
    pub(super) async fn count_with(&self, workflow: &str) -> Result<u64, Error> {
        let count = self.store.marks().read().await?.of(Area::Workflows);
        let kept = self.store.workflows().list().await?;
        let same = |one: &Workflow| one.workflow_type == WorkflowType::Session && one.name == workflow;
        match kept.iter().any(same) {
            true => Ok(count),
            false => Err(Error::NoWorkflow(workflow.to_owned())),
        }
    }

    pub(super) async fn keep_definition(&self, plan: &Plan) -> Result<(), Error> {
        let Some(text) = &plan.text else { return Ok(()) };
        if plan.kept.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        let kept = self.store.definitions().put(&plan.hash, text).await;
        if kept.is_err() {
            plan.kept.store(false, Ordering::Relaxed);
        }
        Ok(kept?)
    }
}
