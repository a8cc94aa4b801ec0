//! What each order does, with the same hands that do it where the store keeps the journals.

use super::close::Cut;
use super::host::{Answer, Duty, Order};
use super::live::{Draft, Live};
use super::{Continue, Engine, Error, Inner, Start};
use crate::session::event::Event;
use crate::session::reply::{self, Reply};
use crate::session::state::State;
use model::session::{Face, SessionStatus};
use std::sync::Arc;

impl Engine {
    /// Holds a session that stands at this step. Whoever puts a step off means that one, and none that came after it.
    pub async fn pause_at(
        &self,
        workflow: Option<&str>,
        client: Option<&str>,
        id: &str,
        step: Option<usize>,
    ) -> Result<Reply, Error> {
        let (live, _) = self.0.owned(workflow, client, id).await?;
        match self.0.is_hosted() {
            true => self.0.interrupt(&live, Order::Pause { step }).await,
            false => self.0.pause(&live, step).await,
        }
    }

    /// Notes that a tool was called with the id of a session, where that session offered it. A start is noted once
    /// for its key, however often it comes.
    pub async fn chosen(
        &self,
        client: Option<&str>,
        id: &str,
        tool: &str,
        key: Option<&str>,
    ) -> Result<bool, Error> {
        let (live, state) = self.0.owned(None, client, id).await?;
        if !self.0.is_hosted() {
            return self.0.choose(&live, tool, key).await;
        }
        if choice(&state, tool, key, 0).is_none() {
            return Ok(false);
        }
        let (tool, key) = (tool.to_owned(), key.map(str::to_owned));
        self.0.ask(id, Order::Chosen { tool, key }, None).await.map(|_| true)
    }

    /// Whether the step that a continue would run has an argument of this name itself.
    pub(crate) async fn takes(&self, workflow: &str, request: &Continue, argument: &str) -> bool {
        let Ok(Ok(id)) = self.0.meant(workflow, request).await else { return false };
        let client = request.client_id.as_deref();
        let Ok((_, state)) = self.0.owned(Some(workflow), client, &id).await else { return false };
        let Ok(plan) = self.0.plan_of(&state.definition).await else { return false };
        plan.takes(request.expected.unwrap_or(state.next), argument)
    }
}

impl Inner {
    /// Carries an order out. One that another process began goes on with what that one left.
    pub(super) async fn carry_out(&self, live: &Arc<Live>, duty: &Duty) -> Result<Answer, Error> {
        self.stand_at(live, duty).await?;
        let mut order = duty.order.clone();
        if duty.stride > 0 {
            let came = State::replay(&live.id, &duty.journal[..duty.before.min(duty.journal.len())]);
            if let (Order::Continue { request, .. }, Ok(came)) = (&mut order, came) {
                pin_down(request, &came);
            }
            // The reply is that of the whole call, with what was done before.
            match self.look(live).await {
                Ok(_) | Err(Error::Overtaken) => {}
                Err(error) => return Err(error),
            }
            if let Some(answer) = self.done_before(live, &order).await? {
                return Ok(answer);
            }
        }
        self.ordered(live, order, self.hosting.ear(&duty.name)).await
    }

    /// Takes over the journal of the host.
    async fn stand_at(&self, live: &Live, duty: &Duty) -> Result<(), Error> {
        let mut recorded = live.recorded.lock().await;
        let known = recorded.as_ref().is_some_and(|state| state.events == duty.journal.len() as u64);
        if !known && !duty.journal.is_empty() {
            let state = State::replay(&live.id, &duty.journal);
            *recorded = Some(Arc::new(state.map_err(|error| Error::Definition(error.to_string()))?));
        }
        Ok(())
    }

    /// Does one thing.
    pub(super) async fn ordered(
        &self,
        live: &Arc<Live>,
        order: Order,
        ear: Option<super::Ear>,
    ) -> Result<Answer, Error> {
        match order {
            Order::Start { definition, mut start, detached } => {
                start.ear = ear;
                self.begun(live, &definition, *start, detached).await
            }
            Order::Again { steps } => self.answer_again(&live.id, steps).await.map(replied),
            Order::Continue { workflow, mut request } => {
                request.ear = ear;
                self.proceed(&workflow, *request).await.map(replied)
            }
            Order::Pause { step } => self.pause(live, step).await.map(replied),
            Order::Cancel { compensate, asked } => {
                self.cut(live, &Cut::Cancel { compensate, asked }).await.map(replied)
            }
            Order::Fail { error } => self.cut(live, &Cut::Fail(error)).await.map(replied),
            Order::Chosen { tool, key } => self.choose(live, &tool, key.as_deref()).await.map(Answer::Done),
            Order::Event(wake) => self.took(&live.id, &wake).await.map(Answer::Done),
            Order::Look => self.look(live).await.map(|reply| Answer::Done(reply.is_some())),
        }
    }

    async fn begun(
        &self,
        live: &Arc<Live>,
        definition: &str,
        start: Start,
        detached: bool,
    ) -> Result<Answer, Error> {
        let plan = self.plan_of(definition).await?;
        if !detached {
            return Ok(match self.start_in(live, &plan, start).await? {
                Ok(reply) => replied(reply),
                Err(first) => Answer::First(first),
            });
        }
        Ok(match self.created(live, &plan, start, false).await? {
            Ok(state) => Answer::Session(Box::new(state.session.clone())),
            Err(first) => Answer::First(first),
        })
    }

    /// Does what is due, which a process that is gone may have left.
    async fn look(&self, live: &Arc<Live>) -> Result<Option<Reply>, Error> {
        let _turn = live.turn.lock().await;
        let state = self.refreshed(live).await?;
        if !state.session.status.is_open() {
            return Ok(None);
        }
        let plan = self.plan_of(&state.definition).await?;
        self.due(live, &plan, state).await
    }

    /// The answer to an order that had done its work when the process ended.
    async fn done_before(&self, live: &Arc<Live>, order: &Order) -> Result<Option<Answer>, Error> {
        let state = self.recorded(live).await?;
        Ok(match order {
            Order::Start { detached: true, .. } => Some(Answer::Session(Box::new(state.session.clone()))),
            Order::Start { start, .. } => Some(replied(self.answer_again(&live.id, start.steps).await?)),
            Order::Pause { .. } => Some(replied(reply::done(&state, "paused"))),
            Order::Cancel { .. } | Order::Fail { .. } => Some(replied(reply::done(&state, "cancelled"))),
            Order::Event(_) | Order::Chosen { .. } | Order::Look => Some(Answer::Done(true)),
            Order::Continue { .. } | Order::Again { .. } => None,
        })
    }

    /// Holds a session until the next continue, where it stands at this step.
    pub(super) async fn pause(&self, live: &Live, step: Option<usize>) -> Result<Reply, Error> {
        loop {
            let state = self.recorded(live).await?;
            if let Some(refusal) = elsewhere(&state, step) {
                return Ok(refusal);
            }
            if state.undo.is_some() {
                return Ok(reply::undoing("pause"));
            }
            let status = state.session.status;
            if !matches!(status, SessionStatus::Pending | SessionStatus::Running) {
                return Ok(reply::cannot("pause", status));
            }
            let (at, mut draft) = (self.now(), Draft::of(state));
            draft.choose(Face::Pause, at);
            draft.push(Event::Paused { at });
            match self.commit(live, draft).await {
                Err(Error::Overtaken) => {}
                other => return other.map(|state| reply::done(&state, "paused")),
            }
        }
    }

    /// Notes that a tool was called which the session offered; one that is started again with the same key is noted
    /// once. Says whether there was anything to note.
    pub(super) async fn choose(&self, live: &Live, tool: &str, key: Option<&str>) -> Result<bool, Error> {
        loop {
            let state = self.recorded(live).await?;
            let chosen = choice(&state, tool, key, self.now()).filter(|_| state.session.status.is_open());
            let Some(event) = chosen else { return Ok(false) };
            let mut draft = Draft::of(state);
            draft.push(event);
            match self.commit(live, draft).await {
                Err(Error::Overtaken) => {}
                other => return other.map(|_| true),
            }
        }
    }

    /// The session that a continue means, or why there is none.
    pub(super) async fn meant(
        &self,
        workflow: &str,
        request: &Continue,
    ) -> Result<Result<String, Reply>, Error> {
        if let Some(id) = &request.session {
            return Ok(Ok(id.clone()));
        }
        let client = request.client_id.as_deref().unwrap_or("");
        let open = self.store.sessions().open(workflow, client, 2).await?;
        Ok(match &open[..] {
            [] => Err(Reply::error("No active workflow session to continue.")),
            [one] => Ok(one.clone()),
            _ => {
                Err(Reply::error(format!("Several sessions of {workflow} are open; please give sessionId.")))
            }
        })
    }
}

/// The refusal of a pause that means another step than the one at which a session stands.
fn elsewhere(state: &State, step: Option<usize>) -> Option<Reply> {
    let next = state.work.as_ref().map_or(state.next, |work| work.step);
    let id = &state.session.session_id;
    let refusal = || Reply::error(format!("Session {id} stands at step {next}; it is not paused."));
    step.filter(|step| *step != next).map(|_| refusal())
}

/// The event that says which offer was taken.
pub(super) fn choice(state: &State, tool: &str, key: Option<&str>, at: i64) -> Option<Event> {
    let offer = state.last_offers().iter().find(|offer| offer.option.tool_name == tool)?;
    let step = state.answers.last()?.step?;
    let (tool, key) = (tool.to_owned(), key.map(str::to_owned));
    if key.as_ref().is_some_and(|key| state.keyed.contains(&(tool.clone(), key.clone()))) {
        return None;
    }
    Some(Event::Chosen { at, step, tool, pattern: offer.pattern.clone(), key })
}

/// Says which step and which doubt a call meant when it came, so that it runs no other when it is taken up.
fn pin_down(request: &mut Continue, came: &State) {
    if came.session.status.is_open() {
        request.expected.get_or_insert(came.next);
    }
    pin_doubt(request, came);
}

/// The same of the doubt alone; one that there was not is none that comes later.
pub(super) fn pin_doubt(request: &mut Continue, came: &State) {
    request.doubt.get_or_insert(came.doubt().unwrap_or(i64::MIN));
}

fn replied(reply: Reply) -> Answer {
    Answer::Reply(Box::new(reply))
}
